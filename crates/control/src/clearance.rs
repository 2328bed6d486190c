//! Gaps of parts at nodes, and the least gap between two nodes.
//!
//! Between nodes joints move at constant rates. Conservative advancement by bisection: a section of the way is clear where the sum of the gaps at
//! its ends exceeds the travel of any point on it (Mirtich 1996).

use crate::interpolation::between;
use percussion_geometry::Pose;
use percussion_geometry::separation::QueryError;
use percussion_mechanics::contact::{ContactGeometry, ContactPoint, PairWarmStart};
use percussion_mechanics::{Model, State};

/// Maximum number of bisections of an interval.
const MAX_BISECTIONS: usize = 8;

/// Poses of the bodies of two parts.
pub(crate) fn poses(contacts: &ContactGeometry, pair: (usize, usize), state: &State) -> [Pose; 2] {
    [pair.0, pair.1].map(|part| contacts.parts[part].body_pose(state))
}

/// The smaller radius of two parts, m.
pub(crate) fn smaller_radius(contacts: &ContactGeometry, pair: (usize, usize)) -> f64 {
    contacts.parts[pair.0].radius.min(contacts.parts[pair.1].radius)
}

/// The contact point of a pair in a state.
pub(crate) fn nearest(
    contacts: &ContactGeometry,
    pair: (usize, usize),
    state: &State,
    warm_start: &mut PairWarmStart,
) -> Result<ContactPoint, QueryError> {
    let [a, b] = &poses(contacts, pair, state);
    contacts.separation(pair, (a, b), f64::INFINITY, warm_start)
}

/// The gap of a pair in a state, m: the distance of supporting planes, negative for penetrations.
pub fn gap(model: &Model, pair: (usize, usize), state: &State, warm_start: &mut PairWarmStart) -> f64 {
    let Some(contacts) = &model.contacts else { return f64::INFINITY };
    nearest(contacts, pair, state, warm_start).map_or(f64::NAN, |nearest| nearest.gap())
}

/// The least gap of a pair between two nodes, m; sections that stay above `enough` are not bisected.
pub fn min_gap_between(model: &Model, pair: (usize, usize), ends: (&State, &State), enough: f64) -> f64 {
    let Some(contacts) = &model.contacts else { return f64::INFINITY };
    let mut warm_start = PairWarmStart::default();
    let mut least = f64::INFINITY;
    let gaps = (gap(model, pair, ends.0, &mut warm_start), gap(model, pair, ends.1, &mut warm_start));
    let mut open = vec![(ends.0.clone(), gaps.0, ends.1.clone(), gaps.1, 0)];
    while let Some((from, g0, to, g1, depth)) = open.pop() {
        let travel = {
            let (p, q) = (poses(contacts, pair, &from), poses(contacts, pair, &to));
            travel_bound(contacts, pair.0, &p[0], &q[0]) + travel_bound(contacts, pair.1, &p[1], &q[1])
        };
        // From either end a point travels at least the gap there before contact.
        let bound = 0.5 * (g0 + g1 - travel);
        if bound >= enough || depth == MAX_BISECTIONS {
            least = least.min(g0).min(g1);
            continue;
        }
        let middle = between(model, &from, &to, 0.5);
        let g = gap(model, pair, &middle, &mut warm_start);
        open.push((from, g0, middle.clone(), g, depth + 1));
        open.push((middle, g, to, g1, depth + 1));
    }
    least
}

/// A bound of the travel of any point of a part between two poses of its body.
fn travel_bound(contacts: &ContactGeometry, part: usize, from: &Pose, to: &Pose) -> f64 {
    let part = &contacts.parts[part];
    if part.slot.is_none() {
        return 0.0;
    }
    (to.position - from.position).norm() + part.reach * from.rotation.angle_to(&to.rotation)
}
