//! How far parts stay apart: at nodes, and on the way between two of them.
//!
//! Between nodes joints move at constant rates. A piece of the way is clear where the two gaps at its ends exceed together what
//! any point can travel on it; otherwise it is halved.

use crate::guess::between;
use percussion_geometry::Pose;
use percussion_mechanics::contact::{ContactGeometry, PairWarmStart};
use percussion_mechanics::{Model, State};

/// Halvings of a way at most.
const HALVINGS: usize = 8;

/// The gap of a pair in a state, m: distance of supporting planes, negative for overlaps.
pub fn gap(model: &Model, pair: (usize, usize), state: &State, memory: &mut PairWarmStart) -> f64 {
    let Some(contacts) = &model.contacts else { return f64::INFINITY };
    let poses = poses(contacts, pair, state);
    let touch = contacts.separation(pair, (&poses.0, &poses.1), f64::INFINITY, memory);
    touch.map_or(f64::NAN, |touch| touch.gap())
}

fn poses(contacts: &ContactGeometry, pair: (usize, usize), state: &State) -> (Pose, Pose) {
    (contacts.parts[pair.0].body_pose(state), contacts.parts[pair.1].body_pose(state))
}

/// The least gap of a pair on the way between two nodes; ways that stay above `enough` are not looked at closely.
pub fn least_between(model: &Model, pair: (usize, usize), ends: (&State, &State), enough: f64) -> f64 {
    let Some(contacts) = &model.contacts else { return f64::INFINITY };
    let mut memory = PairWarmStart::default();
    let mut least = f64::INFINITY;
    let gaps = (gap(model, pair, ends.0, &mut memory), gap(model, pair, ends.1, &mut memory));
    let mut open = vec![(ends.0.clone(), gaps.0, ends.1.clone(), gaps.1, 0)];
    while let Some((from, g0, to, g1, depth)) = open.pop() {
        let travel = {
            let (p, q) = (poses(contacts, pair, &from), poses(contacts, pair, &to));
            moved(contacts, pair.0, &p.0, &q.0) + moved(contacts, pair.1, &p.1, &q.1)
        };
        // From either end a point must travel at least the gap there before it touches.
        let bound = 0.5 * (g0 + g1 - travel);
        if bound >= enough || depth == HALVINGS {
            least = least.min(g0).min(g1);
            continue;
        }
        let middle = between(model, &from, &to, 0.5);
        let g = gap(model, pair, &middle, &mut memory);
        open.push((from, g0, middle.clone(), g, depth + 1));
        open.push((middle, g, to, g1, depth + 1));
    }
    least
}

/// How far any point of a part gets between two placements of its body, at most.
fn moved(contacts: &ContactGeometry, part: usize, from: &Pose, to: &Pose) -> f64 {
    let part = &contacts.parts[part];
    if part.slot.is_none() {
        return 0.0;
    }
    (to.position - from.position).norm() + part.reach * from.rotation.angle_to(&to.rotation)
}
