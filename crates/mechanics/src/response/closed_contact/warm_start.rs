//! Impulses of closed contacts in the last step, from which the solver of the next one starts.
//!
//! A contact of this step is one of the last if its parts are the same, its normal is nearly the same, and its point is near in the frame
//! of the second body (of the first, if the second is fixed): features may change places where several meet.

use super::ClosedContact;
use crate::contact::ContactGeometry;
use crate::model::State;
use crate::named_arrays::NamedArrays;
use crate::tolerances::closed_contact::warm_start::{SAME_NORMAL, SAME_POINT};
use percussion_geometry::{Pose, Vec3};

/// Names of the arrays in a checkpoint.
const PARTS: &str = "closed_contact_parts";
const VALUES: &str = "closed_contact_impulses";
/// Numbers of a contact: point, normal, impulses at both ends of the interval, its length.
const COUNT: usize = 13;

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Known {
    pair: (usize, usize),
    /// In the frame of a body.
    point: Vec3,
    normal: Vec3,
    impulse_start: [f64; 3],
    impulse_end: [f64; 3],
    interval: f64,
}

/// The impulses of the last step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClosedContactWarmStart {
    /// Sorted by pair.
    known: Vec<Known>,
    next: Vec<Known>,
}

impl ClosedContactWarmStart {
    /// Begins the list of a step.
    pub fn begin(&mut self) {
        self.next.clear();
    }

    /// Adds the contacts of a group at the end of a step, whose state is `end`.
    pub fn store(&mut self, geometry: &ContactGeometry, end: &State, contacts: &[ClosedContact]) {
        let loaded = contacts.iter().filter(|contact| contact.impulse_start[0] > 0.0);
        self.next.extend(loaded.map(|contact| {
            let pair = contact.function.pair;
            let frame = frame(geometry, end, pair);
            Known {
                pair,
                point: frame.inverse_point(&contact.end.point),
                normal: frame.inverse_direction(&contact.end.normal),
                impulse_start: contact.impulse_start,
                impulse_end: contact.impulse_end,
                interval: contact.interval,
            }
        }));
    }

    /// Ends the list of a step.
    pub fn finish(&mut self) {
        self.next.sort_by_key(|known| known.pair);
        std::mem::swap(&mut self.known, &mut self.next);
    }

    /// Whether a pair carried a load in the last step.
    pub fn has_loaded(&self, pair: (usize, usize)) -> bool {
        self.known.binary_search_by_key(&pair, |known| known.pair).is_ok()
    }

    /// Sets the initial impulses of a contact at a state.
    pub fn initialise(&self, geometry: &ContactGeometry, start: &State, contact: &mut ClosedContact) {
        let pair = contact.function.pair;
        let first = self.known.partition_point(|known| known.pair < pair);
        let same_pair = self.known[first..].iter().take_while(|known| known.pair == pair);
        let frame = frame(geometry, start, pair);
        let point = frame.inverse_point(&contact.start.point);
        let normal = frame.inverse_direction(&contact.start.normal);
        let bound = SAME_POINT * geometry.parts[pair.0].radius.min(geometry.parts[pair.1].radius);
        let near = same_pair
            .filter(|known| known.normal.dot(&normal) >= SAME_NORMAL)
            .map(|known| ((known.point - point).norm(), known))
            .filter(|(distance, _)| *distance <= bound)
            .min_by(|(a, _), (b, _)| a.total_cmp(b));
        if let Some((_, known)) = near {
            contact.impulse_start = known.impulse_start;
            contact.impulse_end = known.impulse_end;
            contact.interval = known.interval;
        }
    }

    /// Adds the impulses as arrays of a checkpoint.
    pub fn save(&self, arrays: &mut NamedArrays) {
        let parts = self.known.iter().flat_map(|known| [known.pair.0 as f64, known.pair.1 as f64]);
        arrays.insert(PARTS, parts.collect::<Vec<_>>());
        let values = self.known.iter().flat_map(|known| {
            let [p, n] = [known.point, known.normal].map(<[f64; 3]>::from);
            [p, n, known.impulse_start, known.impulse_end].into_iter().flatten().chain([known.interval])
        });
        arrays.insert(VALUES, values.collect::<Vec<_>>());
    }

    /// Restores the impulses; whether the arrays are there and have fitting lengths.
    pub fn restore(&mut self, arrays: &NamedArrays) -> bool {
        let (Some(parts), Some(values)) = (arrays.get(PARTS), arrays.get(VALUES)) else { return false };
        let (parts, rest) = parts.as_chunks::<2>();
        let (values, more) = values.as_chunks::<COUNT>();
        if parts.len() != values.len() || !rest.is_empty() || !more.is_empty() {
            return false;
        }
        let three = |v: &[f64; COUNT], at: usize| [v[at], v[at + 1], v[at + 2]];
        self.known.clear();
        self.known.extend(parts.iter().zip(values).map(|(&[a, b], v)| Known {
            pair: (a as usize, b as usize),
            point: Vec3::from(three(v, 0)),
            normal: Vec3::from(three(v, 3)),
            impulse_start: three(v, 6),
            impulse_end: three(v, 9),
            interval: v[12],
        }));
        true
    }
}

/// The frame in which a contact of a pair is recognised.
fn frame(geometry: &ContactGeometry, state: &State, pair: (usize, usize)) -> Pose {
    let [a, b] = [pair.0, pair.1].map(|part| geometry.parts[part].slot);
    b.or(a).map_or_else(Pose::identity, |slot| state.principal_pose(slot))
}
