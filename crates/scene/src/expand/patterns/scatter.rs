//! Random patterns: positions in a box with a minimum distance; orientations and velocities on request.

use super::{Expansion, Prototype, check_keys, copies};
use crate::expand::random::Random;
use crate::report::Read;
use crate::tree::{Entry, Fields, Table, Value};
use percussion_geometry::Vec3;

/// Trial positions for one body before the box is considered full.
const TRIES: usize = 10_000;

/// `count` copies at random positions in `box`.
pub(super) fn random(f: &Fields<'_>, prototype: &Prototype<'_>, seed: u64) -> Read<Expansion> {
    check_keys(f, "random", &["count", "box", "min_distance", "rotation", "speed", "spin"]);
    let count = copies(f);
    let corners = f.rows::<3>("box")?;
    let least = f.not_negative("min_distance", "distance in metres");
    let turn = f.boolean("rotation");
    let speed = f.not_negative("speed", "speed in m/s");
    let spin = f.not_negative("spin", "angular speed in rad/s");
    let [lower, upper] = corners.as_deref().unwrap_or_default() else {
        let remedy = "give two opposite corners, box = [[x, y, z], [x, y, z]]";
        return Err(if f.has("box") {
            f.wrong("box", "is not a box", remedy)
        } else {
            f.missing("box", remedy)
        });
    };
    let (count, least) = (count?, least?.unwrap_or(0.0));
    let (turn, speed, spin) = (turn?.unwrap_or(false), speed?, spin?);
    let own = prototype.fields(f);
    let given = |key: &str| own.vector(key).map(|v| v.unwrap_or_else(Vec3::zeros));
    let (velocity, angular_velocity) = (given("velocity")?, given("angular_velocity")?);
    let mut stream = Random::new(seed, prototype.name);
    let mut placed: Vec<Vec3> = Vec::with_capacity(count);
    let mut expansion = Expansion::default();
    for i in 0..count {
        let Some(place) = free_place(&mut stream, lower, upper, least, &placed) else {
            let message = format!(
                "does not hold {count} bodies {least} m apart: no free position was found for number {}",
                i + 1
            );
            return Err(f.wrong("box", &message, "enlarge it, or lower `count` or `min_distance`"));
        };
        placed.push(place);
        let mut keys = Vec::new();
        if turn {
            let mut table = Table::default();
            for (key, part) in ["w", "x", "y", "z"].into_iter().zip(stream.orientation()) {
                table.entries.push(Entry::new(key, prototype.place, Value::Float(part)));
            }
            keys.push(Entry::new("quaternion", prototype.place, Value::Table(table)));
        }
        if let Some(speed) = speed {
            keys.push(prototype.vector("velocity", &(velocity + stream.in_ball(speed))));
        }
        if let Some(spin) = spin {
            keys.push(prototype.vector("angular_velocity", &(angular_velocity + stream.in_ball(spin))));
        }
        expansion.bodies.push(prototype.copy(i, &(prototype.origin + place), keys));
    }
    Ok(expansion)
}

fn free_place(
    stream: &mut Random,
    lower: &[f64; 3],
    upper: &[f64; 3],
    least: f64,
    placed: &[Vec3],
) -> Option<Vec3> {
    (0..TRIES).find_map(|_| {
        let place = Vec3::from_fn(|k, _| stream.between(lower[k], upper[k]));
        let free = placed.iter().all(|other| (other - place).norm_squared() >= least * least);
        free.then_some(place)
    })
}
