//! Impulses of the last step, from which the solver of the next one starts.
//!
//! A contact of this step is one of the last if their parts are the same and their points are near in the frame of the second
//! body (of the first, if the second is fixed). Friction impulses are stored as vectors: tangents rotate.

use super::assemble_problem::ProblemAssembly;
use super::contact_constraint::ContactConstraint;
use super::joint_rows::JointRows;
use super::solve_impulses::StepSolution;
use crate::contact::ContactGeometry;
use crate::named_arrays::NamedArrays;
use crate::tolerances::lcp::warm_start::SAME_CONTACT;
use percussion_geometry::Vec3;
use percussion_solve::Impulses;

/// Names of the arrays in a checkpoint.
const PARTS: &str = "contact_parts";
const POINTS: &str = "contact_points";
const NORMAL: &str = "normal_impulses";
const FRICTION: &str = "friction_impulses";
const JOINT: &str = "joint_impulses";

/// A contact of the last step with its impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ContactImpulse {
    pair: (usize, usize),
    /// Its point, in the frame of a body.
    local_point: Vec3,
    normal: f64,
    /// World axes, N s.
    friction: Vec3,
}

/// The impulses of the last step.
#[derive(Clone, Debug, Default)]
pub(super) struct ImpulseWarmStart {
    contacts: Vec<ContactImpulse>,
    joint: Vec<f64>,
    initial: Impulses,
}

impl ImpulseWarmStart {
    /// Impulses from which a problem is solved, in the order of its contacts.
    pub fn initial_impulses(
        &mut self,
        geometry: Option<&ContactGeometry>,
        contacts: &[ContactConstraint],
        assembly: &ProblemAssembly,
        rows: &JointRows,
    ) -> &Impulses {
        let initial = &mut self.initial;
        initial.normal.clear();
        initial.facets.clear();
        initial.equality.clear();
        if self.joint.len() == assembly.problem.equality_count() {
            initial.equality.extend_from_slice(&self.joint);
        }
        let mut from = 0;
        for (k, contact) in contacts.iter().enumerate() {
            // Both lists are sorted by pair, regardless of the order of its parts.
            while self.contacts.get(from).is_some_and(|last| sorted(last.pair) < sorted(contact.pair)) {
                from += 1;
            }
            let same_pair = self.contacts[from..].iter().take_while(|last| last.pair == contact.pair);
            let found = geometry.and_then(|geometry| {
                let radius = |part: usize| geometry.parts[part].radius;
                let bound = SAME_CONTACT * radius(contact.pair.0).min(radius(contact.pair.1));
                let square = |last: &ContactImpulse| (last.local_point - contact.local_point).norm_squared();
                same_pair
                    .min_by(|a, b| square(a).total_cmp(&square(b)))
                    .filter(|last| square(last) <= bound * bound)
            });
            initial.normal.push(found.map_or(0.0, |last| last.normal));
            let mut rest = found.map_or_else(Vec3::zeros, |last| last.friction);
            for direction in &assembly.tangents[assembly.tangents_of(k)] {
                let along = rest.dot(direction);
                rest -= direction * along;
                initial.facets.extend([along.max(0.0), (-along).max(0.0)]);
            }
        }
        initial.normal.extend(rows.initial_stops());
        &self.initial
    }

    /// Stores the impulses of a step.
    pub fn store(&mut self, contacts: &[ContactConstraint], solution: &StepSolution) {
        self.joint.clone_from(&solution.joint);
        self.contacts.clear();
        self.contacts.extend(contacts.iter().zip(&solution.normal).zip(&solution.friction).map(
            |((contact, normal), friction)| ContactImpulse {
                pair: contact.pair,
                local_point: contact.local_point,
                normal: *normal,
                friction: *friction,
            },
        ));
    }

    /// Adds the impulses as arrays of a checkpoint.
    pub fn save(&self, arrays: &mut NamedArrays) {
        let all = |of: fn(&ContactImpulse) -> Vec3| -> Vec<f64> {
            self.contacts.iter().flat_map(|contact| <[f64; 3]>::from(of(contact))).collect()
        };
        let parts = self.contacts.iter().flat_map(|contact| [contact.pair.0 as f64, contact.pair.1 as f64]);
        arrays.insert(PARTS, parts.collect::<Vec<_>>());
        arrays.insert(POINTS, all(|contact| contact.local_point));
        arrays.insert(NORMAL, self.contacts.iter().map(|contact| contact.normal).collect::<Vec<_>>());
        arrays.insert(FRICTION, all(|contact| contact.friction));
        arrays.insert(JOINT, self.joint.clone());
    }

    /// Restores the impulses; whether the arrays are there and have fitting lengths.
    pub fn restore(&mut self, arrays: &NamedArrays) -> bool {
        let get = |name: &str| arrays.get(name);
        let (Some(parts), Some(points), Some(normal), Some(friction), Some(joint)) =
            (get(PARTS), get(POINTS), get(NORMAL), get(FRICTION), get(JOINT))
        else {
            return false;
        };
        let count = normal.len();
        if [parts.len(), points.len(), friction.len()] != [2 * count, 3 * count, 3 * count] {
            return false;
        }
        let vector = |values: &[f64], k: usize| Vec3::from_column_slice(&values[3 * k..3 * k + 3]);
        self.joint.clear();
        self.joint.extend_from_slice(joint);
        self.contacts.clear();
        self.contacts.extend((0..count).map(|k| ContactImpulse {
            pair: (parts[2 * k] as usize, parts[2 * k + 1] as usize),
            local_point: vector(points, k),
            normal: normal[k],
            friction: vector(friction, k),
        }));
        true
    }
}

/// A pair with the part first that comes first in the list of all.
fn sorted((a, b): (usize, usize)) -> (usize, usize) {
    (a.min(b), a.max(b))
}
