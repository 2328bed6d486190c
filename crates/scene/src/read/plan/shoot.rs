//! The table `[shoot]`: a shooting problem, with unknowns of the start and targets of the end.
//!
//! ```text
//! [shoot.vary]    positions, rotations and velocities of bodies without joints; coordinates and rates of joints; the time
//! [shoot.end]     targets as in [plan.end], as numbers, and headings
//! ```

use super::context::Context;
use super::measures::BoundedMeasure;
use super::targets::Targets;
use super::{Built, unsupported};
use crate::read::joints::{BodyTable, coordinate_names};
use crate::read::scene_parts::SceneParts;
use crate::report::{Place, Read};
use crate::tolerances::SAME_AXIS;
use crate::tolerances::UNCHANGED;
use crate::tree::{Entry, Fields, Node, Table, Value};
use percussion_control::plan::Measure;
use percussion_control::shooting::{Direction, Target, Unknown};
use percussion_mechanics::kinematics::ConfigurationKinematics;
use percussion_mechanics::tree::Link;
use percussion_mechanics::{JointKind, State};
use std::sync::Arc;

const KEYS: [&str; 4] = ["vary", "end", "impacts", "iterations"];
const VARY: [&str; 3] = ["bodies", "joints", "time"];
const END: [&str; 3] = ["bodies", "joints", "headings"];
/// Unknowns of a body: key, whether it is a rotation, whether it is a velocity.
const BODY: [(&str, bool, bool); 4] = [
    ("position", false, false),
    ("rotation", true, false),
    ("velocity", false, true),
    ("angular_velocity", true, true),
];
const AXES: [&str; 3] = ["x", "y", "z"];
/// Default of the largest number of iterations.
const ITERATIONS: usize = 50;

/// A shooting problem: initial conditions such that a simulation reaches the targets.
#[derive(Clone, Debug)]
pub struct ShootSettings {
    /// The unknowns with their names.
    pub unknowns: Vec<(String, Unknown)>,
    /// The targets with their names.
    pub targets: Vec<(String, Target)>,
    /// The number of impacts, if it is given.
    pub impacts: Option<usize>,
    /// Largest number of iterations.
    pub iterations: usize,
}

/// The table `[shoot]`, if there is one.
pub(crate) fn shoot(
    body_table: &BodyTable<'_>,
    parts: &SceneParts<'_>,
    built: &Built<'_>,
    root: &Table,
) -> Read<Option<ShootSettings>> {
    let Some(entry) = root.entry("shoot") else { return Ok(None) };
    let report = body_table.report;
    if root.entry("plan").is_some() {
        let message = "the scene has both [plan] and [shoot]";
        return Err(report.complain(entry.place, message, "keep one of the two"));
    }
    let f = Fields::of(report, &entry.node, "shoot", &KEYS)?;
    let model = Arc::new(built.model.clone());
    let context =
        Context { report, body_table, parts, contact: built.contact, model: &model, state: built.state };
    unsupported::check(&context, built.scheme, entry.place)?;
    let empty = Node { place: entry.place, value: Value::Table(Table::default()) };
    let (unknowns, aims) = (unknowns(&context, &f, &empty), aims(&context, &f, &empty));
    let (impacts, iterations) = (f.count("impacts", 0), f.count("iterations", 1));
    let (unknowns, aims, impacts) = (unknowns?, aims?, impacts?);
    let iterations = iterations?.unwrap_or(ITERATIONS);
    if impacts.is_some_and(|impacts| impacts > 0) && model.contacts.is_none() {
        let remedy = "add [contact], without which nothing collides, or remove `impacts`";
        return Err(f.wrong("impacts", "requires impacts, but the scene has no contact", remedy));
    }
    let count: usize = aims.iter().map(|(_, aim)| numbers(aim)).sum();
    if count != unknowns.len() {
        let difference = count.abs_diff(unknowns.len());
        let message = format!("the targets are {count} numbers, but the unknowns are {}", unknowns.len());
        let remedy = match count > unknowns.len() {
            true => format!("remove {difference} of the targets, or add {difference} to [shoot.vary]"),
            false => format!("remove {difference} of the unknowns, or add {difference} to [shoot.end]"),
        };
        return Err(report.complain(entry.place, message, remedy));
    }
    Ok(Some(ShootSettings { unknowns, targets: aims, impacts, iterations }))
}

fn numbers(aim: &Target) -> usize {
    match aim {
        Target::Measure(_, values) => values.iter().flatten().count(),
        Target::Heading { .. } => 1,
    }
}

fn unknowns(context: &Context<'_>, f: &Fields<'_>, empty: &Node) -> Read<Vec<(String, Unknown)>> {
    let vary = Fields::of(context.report, f.node("vary").unwrap_or(empty), "shoot.vary", &VARY)?;
    let mut all = Vec::new();
    for entry in vary.entries("bodies")? {
        all.extend(of_body(context, entry)?);
    }
    for entry in vary.entries("joints")? {
        all.extend(of_joint(context, entry)?);
    }
    if vary.boolean("time")?.unwrap_or(false) {
        all.push(("time".to_owned(), Unknown::Time));
    }
    if all.is_empty() {
        let remedy = "name unknowns, such as [shoot.vary] bodies.NAME = { velocity = [\"x\", \"y\"] }";
        return Err(f.wrong("vary", "has no unknowns", remedy));
    }
    Ok(all)
}

/// Words of a list, as indices into the known ones.
fn words(f: &Fields<'_>, key: &str, known: &[&str]) -> Read<Vec<usize>> {
    let name = f.path(key);
    let mut places = Vec::new();
    for item in f.list(key)?.unwrap_or_default() {
        let word = crate::tree::text(f.report, item, &name)?;
        let Some(place) = known.iter().position(|k| *k == word) else {
            let message = format!("`{name}` names \"{word}\"");
            return Err(f.report.unknown(item.place, message, word, known.iter().copied(), ""));
        };
        if places.contains(&place) {
            let message = format!("`{name}` names \"{word}\" twice");
            return Err(f.report.complain(item.place, message, "name it once"));
        }
        places.push(place);
    }
    Ok(places)
}

fn of_body(context: &Context<'_>, entry: &Entry) -> Read<Vec<(String, Unknown)>> {
    let body = context.body_table.find(entry.place, &entry.key)?;
    let keys = BODY.map(|(key, _, _)| key);
    let f = Fields::of(context.report, &entry.node, &format!("shoot.vary.bodies.{}", entry.key), &keys)?;
    let Some(slot) = context.model.slots[body] else {
        let message = format!("`{}` is about a fixed body, which does not move", f.name);
        return Err(context.report.complain(entry.place, message, "name a body that moves"));
    };
    let link = context.link(slot);
    let plane = link.joint.kind == JointKind::Planar && link.parent.is_none();
    if link.joint.kind != JointKind::Free && !plane {
        let message = format!("`{}` is about a body on joint `{}`", f.name, link.joint.name);
        let remedy = format!("write [shoot.vary.joints.{}] with `coordinates` or `rates`", link.joint.name);
        return Err(context.report.complain(entry.place, message, remedy));
    }
    if link.joint.particle {
        let turning = ["rotation", "angular_velocity"];
        f.refuse(&turning, "is about a particle, which has no orientation", "remove it")?;
    }
    let mut all = Vec::new();
    for (key, turns, rate) in BODY {
        for axis in words(&f, key, &AXES)? {
            let along = match plane {
                true => in_plane(link, turns, axis),
                false => Some(vec![(link.dof + axis + if turns { 3 } else { 0 }, 1.0)]),
            };
            let Some(along) = along else {
                let message = format!(
                    "has the unknown {}, which joint `{}` does not allow",
                    AXES[axis], link.joint.name
                );
                let remedy = "name axes in its plane, or for rotations the axis normal to it";
                return Err(f.wrong(key, &message, remedy));
            };
            let unknown = if rate { Unknown::Rate(along) } else { Unknown::Displacement(along) };
            all.push((format!("{}.{key}.{}", entry.key, AXES[axis]), unknown));
        }
    }
    Ok(all)
}

/// A world axis along the degrees of freedom of a planar joint, if it lies in its plane; for rotations, if it is normal to it.
fn in_plane(link: &Link, turns: bool, axis: usize) -> Option<Direction> {
    let axes = &link.joint.parent_frame.axes;
    let part = |i: usize| (link.dof + i, axes[(axis, i)]);
    let along: Direction = if turns { vec![part(2)] } else { vec![part(0), part(1)] };
    let length: f64 = along.iter().map(|(_, part)| part * part).sum();
    ((length - 1.0).abs() < SAME_AXIS).then_some(along)
}

fn of_joint(context: &Context<'_>, entry: &Entry) -> Read<Vec<(String, Unknown)>> {
    let slot = context.joint(entry.place, &entry.key)?;
    let name = format!("shoot.vary.joints.{}", entry.key);
    let f = Fields::of(context.report, &entry.node, &name, &["coordinates", "rates"])?;
    let link = context.link(slot);
    let known = coordinate_names(link.joint.kind);
    if known.is_empty() {
        let message = format!("a {} joint has no coordinates", link.joint.kind.word());
        return Err(context.report.complain(entry.place, message, "name another joint"));
    }
    let mut all = Vec::new();
    for (key, rate) in [("coordinates", false), ("rates", true)] {
        for i in words(&f, key, known)? {
            let along = vec![(link.dof + i, 1.0)];
            let unknown = if rate { Unknown::Rate(along) } else { Unknown::Displacement(along) };
            all.push((format!("{}.{key}.{}", entry.key, known[i]), unknown));
        }
    }
    Ok(all)
}

fn aims(context: &Context<'_>, f: &Fields<'_>, empty: &Node) -> Read<Vec<(String, Target)>> {
    let end = Fields::of(context.report, f.node("end").unwrap_or(empty), "shoot.end", &END)?;
    let targets = Targets::read(context, &end, false)?;
    let mut all = Vec::new();
    for target in &targets.bodies {
        for bounded in target.all(context) {
            all.push(aim(context, target.f.place, bounded)?);
        }
    }
    for target in &targets.joints {
        let remedy = "give velocities of bodies";
        target.f.refuse(&["rate", "rates", "at_rest"], "is given for a joint at the end", remedy)?;
        for bounded in target.placement(context) {
            all.push(aim(context, target.f.place, bounded)?);
        }
    }
    for entry in end.entries("headings")? {
        let body = context.body_table.find(entry.place, &entry.key)?;
        let angle =
            crate::tree::number(context.report, &entry.node, &format!("shoot.end.headings.{}", entry.key))?;
        let name = format!("the heading of `{}`", context.name(body));
        all.push((name, Target::Heading { body, axes: (0, 1), angle }));
    }
    if all.is_empty() {
        let remedy = "give targets, such as [shoot.end.bodies.NAME] position = [1, 0, 2]";
        return Err(f.wrong("end", "specifies nothing", remedy));
    }
    Ok(all)
}

/// The target of a measure. Components that no degree of freedom changes, such as those normal to a plane, are omitted where they are satisfied.
fn aim(context: &Context<'_>, place: Place, bounded: BoundedMeasure) -> Read<(String, Target)> {
    let moved = moved(context, &bounded.measure);
    let mut now = [0.0; 3];
    let still = State { momenta: vec![0.0; context.model.dofs], ..context.state.clone() };
    bounded.measure.value(
        &ConfigurationKinematics::with_velocities(context.model, &still),
        &mut now[..bounded.measure.components()],
    );
    let mut values = Vec::new();
    for (i, bound) in bounded.bounds.iter().enumerate() {
        if !bound.is_equation() {
            let message = format!("{} is a range", bounded.name);
            let remedy = "give numbers: shooting meets targets exactly";
            return Err(context.report.complain(place, message, remedy));
        }
        if !moved[i] && (bound.lower - now[i]).abs() > UNCHANGED {
            let axis = AXES.get(i).copied().unwrap_or("only");
            let message = format!(
                "the {axis} component of {} has the target {}, but no degree of freedom changes it from {}",
                bounded.name, bound.lower, now[i]
            );
            return Err(context.report.complain(place, message, format!("give {}", now[i])));
        }
        values.push(moved[i].then_some(bound.lower));
    }
    Ok((bounded.name, Target::Measure(bounded.measure, values)))
}

/// The components of a measure that depend on the degrees of freedom.
fn moved(context: &Context<'_>, measure: &Measure) -> Vec<bool> {
    let (n, count) = (context.model.dofs, measure.components());
    let mut state = context.state.clone();
    if !measure.depends_on_velocity() {
        let mut rows = vec![0.0; count * n];
        measure.gradient(&mut ConfigurationKinematics::new(context.model, &state), &mut rows);
        return rows.chunks_exact(n).map(|row| row.iter().any(|g| g.abs() > UNCHANGED)).collect();
    }
    let mut moved = vec![false; count];
    for dof in 0..n {
        state.momenta.fill(0.0);
        state.momenta[dof] = 1.0;
        let mut values = [0.0; 3];
        measure.value(&ConfigurationKinematics::with_velocities(context.model, &state), &mut values[..count]);
        let size = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        moved.iter_mut().zip(values).for_each(|(moved, v)| *moved |= v.abs() > UNCHANGED * size);
    }
    moved
}
