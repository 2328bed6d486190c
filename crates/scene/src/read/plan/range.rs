//! Numbers or ranges: `0.5`, or `{ min = 0, max = 1 }` with one of the two or both.

use crate::report::{Read, Report};
use crate::tree::{Fields, Node, Value, number, numbers};
use percussion_geometry::Vec3;
use percussion_solve::nlp::Bound;

const ENDS: [&str; 2] = ["min", "max"];

/// A number, or a range of them.
pub(super) fn range(report: &Report, node: &Node, name: &str) -> Read<Bound> {
    if node.table().is_none() {
        return number(report, node, name).map(Bound::equal);
    }
    let f = Fields::of(report, node, name, &ENDS)?;
    let (min, max) = (f.number("min"), f.number("max"));
    let (min, max) = (min?, max?);
    some_end(&f)?;
    ordered(&f, bound(min, max))
}

/// The range under a key.
pub(super) fn range_of(f: &Fields, key: &str) -> Read<Option<Bound>> {
    f.node(key).map(|node| range(f.report, node, &f.path(key))).transpose()
}

/// Three numbers or ranges under a key: a list of them, or `{ min = [..], max = [..] }`.
pub(super) fn vector_of(f: &Fields, key: &str) -> Read<Option<[Bound; 3]>> {
    let Some(node) = f.node(key) else { return Ok(None) };
    let name = f.path(key);
    if node.table().is_some() {
        let ends = Fields::of(f.report, node, &name, &ENDS)?;
        let (min, max) = (ends.vector("min"), ends.vector("max"));
        let (min, max) = (min?, max?);
        some_end(&ends)?;
        let mut bounds = [Bound::FREE; 3];
        for (i, each) in bounds.iter_mut().enumerate() {
            *each = ordered(&ends, bound(min.map(|v| v[i]), max.map(|v| v[i])))?;
        }
        return Ok(Some(bounds));
    }
    let items = match &node.value {
        Value::List(items) if items.len() == 3 && items.iter().any(|item| item.table().is_some()) => items,
        // Errors of vectors are reported as for other vectors.
        _ => return Ok(Some(numbers::<3>(f.report, node, &name)?.map(Bound::equal))),
    };
    let mut bounds = [Bound::FREE; 3];
    for (i, (each, item)) in bounds.iter_mut().zip(items).enumerate() {
        *each = range(f.report, item, &format!("{name}[{i}]"))?;
    }
    Ok(Some(bounds))
}

fn bound(min: Option<f64>, max: Option<f64>) -> Bound {
    Bound::between(min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY))
}

fn some_end(f: &Fields) -> Read<()> {
    if f.first_of(&ENDS).is_some() {
        return Ok(());
    }
    Err(f.report.complain(f.place, format!("`{}` has no bound", f.name), "give `min`, `max` or both"))
}

fn ordered(f: &Fields, bound: Bound) -> Read<Bound> {
    if bound.lower <= bound.upper {
        return Ok(bound);
    }
    Err(f.wrong("min", &format!("is {}, above the `max` of {}", bound.lower, bound.upper), "swap them"))
}

/// The vector, if all three are numbers.
pub(super) fn exact(bounds: &[Bound; 3]) -> Option<Vec3> {
    let equal = bounds.iter().all(Bound::is_equation);
    equal.then(|| Vec3::new(bounds[0].lower, bounds[1].lower, bounds[2].lower))
}

/// Three equations.
pub(super) fn equal(v: &Vec3) -> [Bound; 3] {
    [Bound::equal(v.x), Bound::equal(v.y), Bound::equal(v.z)]
}

/// The number of a range nearest to a given one.
pub(super) fn nearest(bound: Bound, to: f64) -> f64 {
    to.clamp(bound.lower, bound.upper)
}
