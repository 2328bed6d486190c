//! Contact points as constraints: point, normal, Jacobian rows along the normal and two tangents, surface coefficients.

use super::mass_metric::{JacobianRows, MassMetric};
use super::{IMMOVABLE_ROW, PARALLEL_NORMALS};
use crate::contact::{ContactGeometry, ContactPoint};
use crate::model::Model;
use crate::model::State;
use crate::response::CollisionGroup;
use crate::response::closed_contact::angle_length;
use percussion_geometry::Vec3;
use std::ops::Range;

/// A contact point with the directions of its impulse, and the impulse.
#[derive(Clone, Debug)]
pub(crate) struct ContactConstraint {
    /// The parts `a` and `b`.
    pub pair: (usize, usize),
    /// Their bodies, the lesser first; of a stop the child of the joint, twice.
    pub bodies: (usize, usize),
    /// Contact point in the world, m.
    pub point: Vec3,
    /// Unit normal from `b` to `a`.
    pub normal: Vec3,
    /// Unit vectors that span the tangent plane.
    pub tangents: [Vec3; 2],
    /// `|α|`: `∇s` is this multiple of the normal row.
    pub gradient_norm: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
    /// Indices of the rows along the normal and the tangents.
    pub rows: [usize; 3],
    /// Normal impulse, N s.
    pub normal_impulse: f64,
    /// Tangential impulse on `a`, N s.
    pub friction_impulse: Vec3,
    /// Normal velocity before the impact, m/s.
    pub normal_velocity_before: f64,
    /// The stop of a joint that it is, instead of a contact of two parts.
    pub stop: Option<Stop>,
}

/// A stop of a joint that is closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// Slot of the child, and the coordinate.
    pub slot: usize,
    pub coordinate: usize,
    /// Growth of the gap (in metres) with the coordinate.
    pub scale: f64,
}

/// Parts of a constraint that is a stop.
const NO_PARTS: (usize, usize) = (usize::MAX, usize::MAX);

/// Contact constraints of a group, pair by pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactConstraints {
    /// All of them.
    pub list: Vec<ContactConstraint>,
    /// Range of the constraints of each pair.
    pub pairs: Vec<Range<usize>>,
    /// Their mass-weighted Jacobian rows.
    pub rows: JacobianRows,
    dense: Vec<f64>,
}

/// Some of the constraints, with the rows of all.
#[derive(Clone, Copy)]
pub(super) struct ConstraintSlice<'a> {
    pub list: &'a [ContactConstraint],
    pub rows: &'a JacobianRows,
}

/// The group of islands that constraints are built for, at its configuration.
pub(crate) struct ConstraintContext<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its contact geometry.
    pub contacts: &'a ContactGeometry,
    /// Configuration of the group.
    pub at: &'a State,
    /// The group.
    pub group: &'a mut CollisionGroup,
    /// Its mass metric.
    pub metric: &'a MassMetric,
}

impl ContactConstraints {
    /// Removes all constraints.
    pub fn clear(&mut self) {
        self.list.clear();
        self.pairs.clear();
        self.rows.clear();
    }

    /// Adds the constraint of a contact event of a pair, unless no impulse can act along its normal. `pair_contact` is the
    /// contact point of the pair.
    pub fn add(
        &mut self,
        context: &mut ConstraintContext,
        pair: (usize, usize),
        event: &ContactPoint,
        pair_contact: &ContactPoint,
    ) {
        let ConstraintContext { model, contacts, at, group, metric } = context;
        self.dense.clear();
        self.dense.resize(group.dofs(), 0.0);
        // Convex parts touch in a plane: events whose normal is nearly that of the pair are projected onto the plane of the
        // pair. Events of one pair then separate equally fast under restitution where they stick on a slope.
        let (own, common) = (event.normal(), pair_contact.normal());
        let (point, normal) = match own.dot(&common) > PARALLEL_NORMALS {
            true => (event.point() + common * common.dot(&(pair_contact.point() - event.point())), common),
            false => (event.point(), own),
        };
        let (e1, e2) = contacts.tangents(pair, &normal);
        let rows = [normal, e1, e2].map(|direction| {
            group.direction(model, at, contacts, pair, (&point, &direction), &mut self.dense);
            self.rows.push(metric, &mut self.dense)
        });
        let slots = [pair.0, pair.1].map(|part| contacts.parts[part].slot);
        let inverse_mass: f64 = slots.iter().flatten().map(|slot| 1.0 / model.links[*slot].mass).sum();
        if !(self.rows.delassus(rows[0], rows[0]) > IMMOVABLE_ROW * inverse_mass) {
            return;
        }
        let surface = contacts.surface(pair.0, pair.1);
        let bodies = [pair.0, pair.1].map(|part| contacts.parts[part].body);
        self.list.push(ContactConstraint {
            pair,
            bodies: (bodies[0].min(bodies[1]), bodies[0].max(bodies[1])),
            point,
            normal,
            tangents: [e1, e2],
            gradient_norm: event.alpha.norm(),
            restitution: surface.restitution,
            friction: surface.friction,
            rows,
            normal_impulse: 0.0,
            friction_impulse: Vec3::zeros(),
            normal_velocity_before: 0.0,
            stop: None,
        });
    }

    /// Adds the stops of the joints of the group that are closed to within a gap, m.
    pub fn add_stops(&mut self, context: &mut ConstraintContext, islands: &[usize], gap: f64) {
        let ConstraintContext { model, at, group, metric, .. } = context;
        self.dense.clear();
        self.dense.resize(group.dofs(), 0.0);
        for (k, &index) in islands.iter().enumerate() {
            for slot in model.islands[index].bodies.clone() {
                let link = &model.links[slot];
                for (i, limits) in link.joint.limits.iter().enumerate().take(link.joint.coordinates()) {
                    let Some(limits) = limits else { continue };
                    let length = if link.joint.kind.is_angle(i) { angle_length(link) } else { 1.0 };
                    for (bound, sign) in [(limits.lower, 1.0), (limits.upper, -1.0)] {
                        let (value, scale) = (at.coordinates[link.coordinate + i], sign * length);
                        if !(scale * (value - bound) <= gap) {
                            continue;
                        }
                        let dof = link.dof + i - model.islands[index].dofs.start;
                        group.coordinate_row((k, dof), scale, &mut self.dense);
                        let normal = self.rows.push(metric, &mut self.dense);
                        self.dense.fill(0.0);
                        let tangent = self.rows.push(metric, &mut self.dense);
                        self.pairs.push(self.list.len()..self.list.len() + 1);
                        self.list.push(ContactConstraint {
                            pair: NO_PARTS,
                            bodies: (link.body, link.body),
                            point: at.positions[slot],
                            normal: Vec3::zeros(),
                            tangents: [Vec3::zeros(); 2],
                            gradient_norm: 1.0,
                            restitution: limits.restitution,
                            friction: 0.0,
                            rows: [normal, tangent, tangent],
                            normal_impulse: 0.0,
                            friction_impulse: Vec3::zeros(),
                            normal_velocity_before: 0.0,
                            stop: Some(Stop { slot, coordinate: i, scale }),
                        });
                    }
                }
            }
        }
    }
}
