//! Controls: forces and torques on bodies, generalised forces along the degrees of freedom of joints.

use super::context::Context;
use crate::read::joints::coordinate_names;
use crate::report::{Read, read_all};
use crate::tree::{Entry, Fields, Value, number, numbers};
use percussion_control::plan::Actuator;
use percussion_mechanics::JointKind;
use percussion_mechanics::discrete::{Control, ControlError};
use percussion_mechanics::force::Axes;
use percussion_solve::nlp::Bound;

const KEYS: [&str; 8] = ["kind", "body", "point", "axes", "joint", "bounds", "mask", "weight"];

/// The controls under `plan.controls`, by island.
pub(super) fn controls(context: &Context<'_>, plan: &Fields<'_>) -> Read<Vec<Actuator>> {
    let entries = plan.entries("controls")?;
    let mut actuators = read_all(entries.iter().map(|entry| control(context, entry)))?.concat();
    // Stable: those of one island keep the order of the file.
    actuators.sort_by_key(|actuator| actuator.island);
    Ok(actuators)
}

fn control(context: &Context<'_>, entry: &Entry) -> Read<Vec<Actuator>> {
    let f = Fields::of(context.report, &entry.node, &format!("plan.controls.{}", entry.key), &KEYS)?;
    let kind = f.word("kind", &["force", "torque", "joint"])?;
    let kind = kind.ok_or_else(|| f.missing("kind", "give \"force\", \"torque\" or \"joint\""))?;
    let weight = f.not_negative("weight", "weight");
    let (slot, controls) = match kind {
        "joint" => {
            f.refuse(&["body", "point", "axes"], "is given to a control of a joint", "remove it")?;
            along(context, &f)?
        }
        _ => on_body(context, &f, kind)?,
    };
    let count: usize = controls.iter().map(|(_, control)| control.components()).sum();
    let (bounds, mask) = (bounds(&f, count), mask(&f, count));
    let (mut bounds, mask, weight) = (bounds?, mask?, weight?.unwrap_or(1.0));
    for (bound, _) in bounds.iter_mut().zip(mask).filter(|(_, used)| !used) {
        *bound = Bound::equal(0.0);
    }
    let island = context.island_of(slot);
    let mut rest = bounds.into_iter();
    let made = controls.into_iter().map(|(dof, control)| Actuator {
        name: match dof {
            Some(word) => format!("{} ({word})", entry.key),
            None => entry.key.clone(),
        },
        control,
        island,
        bounds: rest.by_ref().take(control.components()).collect(),
        weight,
    });
    Ok(made.collect())
}

/// The slot of a control, and its parts, named where there are several.
type Parts = (usize, Vec<(Option<String>, Control)>);

fn on_body(context: &Context<'_>, f: &Fields<'_>, kind: &str) -> Read<Parts> {
    f.refuse(&["joint"], &format!("is given to a {kind}"), "give the body on which it acts")?;
    let body = context.body_of(f, "body")?.ok_or_else(|| f.missing("body", "name the body on which it acts"));
    let axes = f.word("axes", &["world", "body"]);
    let point = f.vector("point");
    let (body, point) = (body?, point?);
    let axes = if axes? == Some("body") { Axes::Body } else { Axes::World };
    if kind == "torque" {
        f.refuse(&["point"], "is given to a torque, which is the same at all points", "remove it")?;
    }
    let center = context.model.bodies[body].principal.position;
    let made: Result<Control, ControlError> = match kind {
        "torque" => Control::torque(context.model, body, axes),
        _ => Control::force(context.model, body, &point.unwrap_or(center), axes),
    };
    let control = made.map_err(|error| f.report.complain_with(f.place_of("body"), &error.to_string()))?;
    // There is a control: the body moves.
    let slot = context.model.slots[body].unwrap_or(0);
    Ok((slot, vec![(None, control)]))
}

fn along(context: &Context<'_>, f: &Fields<'_>) -> Read<Parts> {
    let name = f.text("joint")?.ok_or_else(|| f.missing("joint", "name the joint on which it acts"))?;
    let slot = context.joint(f.node("joint").map_or(f.place, |node| node.place), name)?;
    let link = context.link(slot);
    if link.joint.dofs() == 0 {
        let message = format!("names `{name}`, which has no degree of freedom");
        return Err(f.wrong("joint", &message, "choose a joint that is not fixed"));
    }
    let words: &[&str] = match link.joint.kind {
        JointKind::Spherical => &["about x", "about y", "about z"],
        JointKind::Free => &["along x", "along y", "along z", "about x", "about y", "about z"],
        kind => coordinate_names(kind),
    };
    let several = link.joint.dofs() > 1;
    let word = |i: usize| several.then(|| words.get(i).copied().unwrap_or("degree of freedom").to_owned());
    Ok((slot, link.dofs().enumerate().map(|(i, dof)| (word(i), Control::Dof(dof))).collect()))
}

/// `b` for `[-b, b]`, one pair for all components, or a pair for each.
fn bounds(f: &Fields<'_>, count: usize) -> Read<Vec<Bound>> {
    const HOW: &str = "give a number, a pair [lower, upper], or a pair for each component";
    let Some(node) = f.node("bounds") else { return Ok(vec![Bound::FREE; count]) };
    let name = f.path("bounds");
    let Value::List(items) = &node.value else {
        let most = number(f.report, node, &name)?;
        if !(most >= 0.0) {
            return Err(f.wrong("bounds", &format!("is {most}"), "give the largest magnitude, zero or more"));
        }
        return Ok(vec![Bound::between(-most, most); count]);
    };
    let nested = items.iter().any(|item| matches!(item.value, Value::List(_)));
    let pairs = match nested {
        false => vec![numbers::<2>(f.report, node, &name)?; count],
        true => f.rows::<2>("bounds")?.unwrap_or_default(),
    };
    if pairs.len() != count {
        return Err(f.wrong("bounds", &format!("has {} pairs for {count} components", pairs.len()), HOW));
    }
    let ordered = |[lower, upper]: [f64; 2]| match lower <= upper {
        true => Ok(Bound::between(lower, upper)),
        false => {
            let message = format!("has the lower bound {lower} above the upper bound {upper}");
            Err(f.wrong("bounds", &message, "swap them"))
        }
    };
    pairs.into_iter().map(ordered).collect()
}

/// The components that are used.
fn mask(f: &Fields<'_>, count: usize) -> Read<Vec<bool>> {
    let Some(items) = f.list("mask")? else { return Ok(vec![true; count]) };
    let how = format!("give {count} of true and false");
    if items.len() != count {
        return Err(f.wrong("mask", &format!("has {} entries for {count} components", items.len()), &how));
    }
    let boolean = |item: &crate::tree::Node| match item.value {
        Value::Boolean(boolean) => Ok(boolean),
        _ => Err(f.wrong("mask", &format!("has {} in it", item.kind()), &how)),
    };
    items.iter().map(boolean).collect()
}
