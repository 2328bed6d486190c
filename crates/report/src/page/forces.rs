//! What forces do to each body at some instants: springs, charges, loads, drag, contact as a potential. Uniform gravity
//! and what joints transmit are left out.

use super::pack::{Pack, Ref};
use crate::recording::{Recording, thinned};
use percussion_geometry::Vec3;
use percussion_mechanics::force::{Bodies, BodyKinematics, ForceAccumulator};
use percussion_mechanics::rotation::hat;
use serde::Serialize;
use std::io;

/// Instants.
const INSTANTS: usize = 600;
/// Arrows in all.
const ARROWS: usize = 120_000;

/// Packed forces: by instant, then by body that travels in the order of the scene; no force moves a
/// driven one.
#[derive(Debug, Serialize)]
pub struct Packed {
    times: Ref,
    values: Ref,
    largest: f64,
}

/// Packs them; nothing where no force acts.
pub fn packed(recording: &mut Recording, pack: &mut Pack) -> io::Result<Option<Packed>> {
    let model = &recording.scene.model;
    if model.forces.is_empty() {
        return Ok(None);
    }
    let most = INSTANTS.min(ARROWS / model.moving().max(1)).max(2);
    let chosen = thinned(recording.frames.len(), most);
    let rows: Vec<usize> = chosen.iter().map(|&frame| recording.frames.rows[frame]).collect();
    let rates = [vectors(recording, "velocity", &rows)?, vectors(recording, "angular_velocity", &rows)?];
    let model = &recording.scene.model;
    let (mut values, mut largest) = (Vec::new(), 0.0f64);
    for (k, &frame) in chosen.iter().enumerate() {
        let placements: Vec<BodyKinematics> = (0..model.moving())
            .map(|slot| {
                let body = model.links[slot].body;
                let pose = &recording.frames.at(frame)[body];
                let principal = model.bodies[body].principal_pose(pose);
                let [v, w] = [&rates[0], &rates[1]].map(|rate| rate[k * model.bodies.len() + body]);
                let axes = principal.rotation.matrix();
                BodyKinematics {
                    position: principal.position,
                    frame: *axes,
                    velocity: v + w.cross(&(principal.position - pose.position)),
                    frame_rate: hat(&w) * axes,
                }
            })
            .collect();
        let mut pulls = vec![ForceAccumulator::zero(); model.moving()];
        for island in &model.islands {
            let range = island.bodies.clone();
            let bodies = Bodies { first: range.start, kinematics: &placements[range.clone()] };
            for force in &model.forces[island.forces.clone()] {
                // An instant at which a force has no value shows none.
                _ = force.add_forces(recording.frames.times[frame], &bodies, &mut pulls[range.clone()]);
            }
        }
        let travels = |&body: &usize| model.slots[body].is_some() || model.prescribed_motion(body).is_some();
        for body in (0..model.bodies.len()).filter(travels) {
            let force = model.slots[body].map_or_else(Vec3::zeros, |slot| pulls[slot].force);
            largest = largest.max(force.norm());
            values.extend(force.iter().copied());
        }
    }
    let times = pack.doubles(chosen.iter().map(|&frame| recording.frames.times[frame]));
    Ok((largest > 0.0).then(|| Packed { times, values: pack.singles(values), largest }))
}

fn vectors(recording: &mut Recording, array: &str, rows: &[usize]) -> io::Result<Vec<Vec3>> {
    let mut all = Vec::new();
    recording.trajectory.read(array, rows.iter().copied(), |_, row| {
        all.extend(row.as_chunks::<3>().0.iter().map(|v| Vec3::from(*v)));
    })?;
    Ok(all)
}
