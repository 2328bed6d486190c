//! Regular patterns: rows, grids and rings.

use super::{Expansion, MOST_COPIES, Prototype, check_keys, copies};
use crate::placement::rotation;
use crate::report::Read;
use crate::tree::{Entry, Fields, Value};
use nalgebra::{Rotation3, Unit};
use percussion_geometry::Vec3;
use percussion_mechanics::rotation::tangents;

/// `count` copies, each `spacing` from the previous one.
pub(super) fn row(f: &Fields<'_>, prototype: &Prototype<'_>) -> Read<Expansion> {
    check_keys(f, "row", &["count", "spacing"]);
    let count = copies(f);
    let spacing =
        f.vector("spacing")?.ok_or_else(|| f.missing("spacing", "give the vector to the next one"))?;
    let at = |i: usize| prototype.origin + spacing * i as f64;
    let bodies = (0..count?).map(|i| prototype.copy(i, &at(i), Vec::new())).collect();
    Ok(Expansion { bodies, ..Expansion::default() })
}

/// `counts` copies along x, y and z, `spacings` apart; x runs fastest.
pub(super) fn grid(f: &Fields<'_>, prototype: &Prototype<'_>) -> Read<Expansion> {
    check_keys(f, "grid", &["counts", "spacings"]);
    let list = f.list("counts")?.ok_or_else(|| f.missing("counts", "give the numbers along x, y and z"))?;
    let counts: Vec<usize> = list
        .iter()
        .map(|node| crate::tree::count(f.report, node, &f.path("counts"), 1))
        .collect::<Read<_>>()?;
    let spacings = f.vector("spacings")?.ok_or_else(|| f.missing("spacings", "give three distances"))?;
    let [nx, ny, nz] = counts[..] else {
        return Err(f.wrong("counts", &format!("has {} entries", counts.len()), "give three numbers"));
    };
    if nx.checked_mul(ny).and_then(|n| n.checked_mul(nz)).is_none_or(|n| n > MOST_COPIES) {
        return Err(f.wrong("counts", "makes too many bodies", &format!("make at most {MOST_COPIES}")));
    }
    let at = |i: usize| {
        let step = Vec3::new((i % nx) as f64, (i / nx % ny) as f64, (i / nx / ny) as f64);
        prototype.origin + step.component_mul(&spacings)
    };
    let bodies = (0..nx * ny * nz).map(|i| prototype.copy(i, &at(i), Vec::new())).collect();
    Ok(Expansion { bodies, ..Expansion::default() })
}

/// `count` copies on a circle about `axis`; with `facing` they are rotated with it.
pub(super) fn ring(f: &Fields<'_>, prototype: &Prototype<'_>) -> Read<Expansion> {
    check_keys(f, "ring", &["count", "radius", "axis", "start", "facing"]);
    let count = copies(f);
    let radius = f.positive("radius", "radius in metres")?.ok_or_else(|| f.missing("radius", "add it"))?;
    let axis = f.direction("axis")?.unwrap_or_else(Vec3::z);
    let start = f.number("start")?.unwrap_or(0.0);
    let facing = f.boolean("facing")?.unwrap_or(false);
    let (count, own) = (count?, rotation(&prototype.fields(f))?);
    let (e1, e2) = tangents(&axis);
    let mut expansion = Expansion::default();
    for i in 0..count {
        let angle = start + std::f64::consts::TAU * i as f64 / count as f64;
        let (sin, cos) = angle.sin_cos();
        let position = prototype.origin + (e1 * cos + e2 * sin) * radius;
        let mut keys = Vec::new();
        if facing {
            let turned = Rotation3::from_axis_angle(&Unit::new_unchecked(axis), angle) * own;
            let rows = (0..3).map(|r| {
                let row: Vec<f64> = turned.matrix().row(r).iter().copied().collect();
                crate::tree::Node { place: prototype.place, value: Value::numbers(prototype.place, &row) }
            });
            keys.push(Entry::new("rotation", prototype.place, Value::List(rows.collect())));
        }
        expansion.bodies.push(prototype.copy(i, &position, keys));
    }
    Ok(expansion)
}
