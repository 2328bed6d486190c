//! Confirmation of an interval: whether the impulses that the contacts have solve its equations already.
//!
//! ```text
//! impulses at the start     p0 + Σ w0 Λ⁺ of every body
//! free flight               end of the interval with these momenta, in closed form
//! residual at the start     Λ⁺ less its projection, with gaps and slips at the end
//! impulses at the end       p1 + Σ w1 Λ⁻
//! residual at the end       Λ⁻ less its projection, with velocities at the end
//! ```
//!
//! A pile at rest has the impulses of the last step: one evaluation replaces Newton's method, and no linear system is solved. The
//! projections are those of [`percussion_solve::contact`]; their fixed points do not depend on the scales, which are those of the
//! start of the interval here.

use super::interval::{ClosedContactStep, ContactLimits, IntervalOutcome};
use super::{ClosedContact, REST, SLIP_ROUNDING};
use crate::contact::ContactGeometry;
use crate::discrete::StepError;
use crate::discrete::free_rotation::rotation_of_momentum;
use crate::model::{Model, State};
use crate::rotation::{Mat3, orthonormalised};
use percussion_geometry::{Pose, Vec3};
use percussion_solve::contact::ContactSolverOptions;

/// A free body over the interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeBody {
    slot: usize,
    /// Largest radius of gyration, m.
    size: f64,
    reciprocal_mass: f64,
    /// Inverse of the inertia at the start, world axes.
    inverse_inertia: Mat3,
    /// Sum of the impulses and of their moments about the centre of mass.
    impulse: Vec3,
    moment: Vec3,
    /// Change of the momenta of a body at rest that its impulses leave.
    rest_impulse: Vec3,
    rest_moment: Vec3,
    /// Momenta at the start that rest removes.
    momentum: Vec3,
    angular_momentum: Vec3,
    /// Shift of the centre of mass, and turn as a Rodrigues vector in world axes.
    shift: Vec3,
    turn: Vec3,
    /// Velocity at the end.
    velocity: Vec3,
    angular_velocity: Vec3,
}

/// Reciprocals of the normal entry and of the larger tangential eigenvalue of the Delassus block of a contact.
type Scales = (f64, f64);

/// The projection of impulses `x` with values `y`: `x_n - ρ_n y_n` on the nonnegative numbers, `x_t - ρ_t y_t` on the disc of radius
/// `μ` times that. Its largest change, and whether it is outside of the disc.
fn projection(x: &[f64; 3], y: &[f64; 3], friction: f64, (normal, tangential): Scales) -> (f64, bool) {
    let n = (x[0] - normal * y[0]).max(0.0);
    let z = [x[1] - tangential * y[1], x[2] - tangential * y[2]];
    let (length, radius) = (z[0].hypot(z[1]), friction * n);
    let slides = length > radius;
    let factor = if slides { radius / length } else { 1.0 };
    ((n - x[0]).abs().max((factor * z[0] - x[1]).hypot(factor * z[1] - x[2])), slides)
}

impl ClosedContactStep {
    /// Whether the impulses of the contacts solve the equations of an interval of length `h` to the tolerance of the solver; then `end` is
    /// its end. Only for groups of free bodies with many contacts: few have impulses that are independent of the past.
    pub(super) fn confirm(
        &mut self,
        model: &Model,
        geometry: &ContactGeometry,
        (start, h): (&State, f64),
        limits: &ContactLimits,
        end: &mut State,
    ) -> Result<Option<IntervalOutcome>, StepError> {
        self.at_rest = false;
        let options = ContactSolverOptions::default();
        let largest = self.contacts.iter().fold(0.0f64, |most, contact| most.max(contact.impulse_start[0]));
        let free = self.members[..self.count].iter().all(|member| model.islands[member.island].simple);
        if !(free && self.contacts.len() > options.few && largest > 0.0) {
            return Ok(None);
        }
        let goal = options.tolerance * largest;
        self.begin_bodies(model, start);
        let rest = REST * largest;
        if self.confirm_rest(model, geometry, (start, h), (rest, limits.closed_gap), end) {
            return Ok(Some(IntervalOutcome {
                iterations: 0,
                residual: 0.0,
                solved: true,
                unsettled: false,
            }));
        }
        self.add_impulses_at_start(geometry, start);
        if !self.move_free_bodies(model, start, h, end) {
            return Ok(None);
        }
        let mut residual = 0.0;
        self.scales.clear();
        for k in 0..self.contacts.len() {
            if self.contacts[k].excluded {
                self.scales.push((0.0, 0.0));
                continue;
            }
            let sides = self.contact_bodies(geometry, k);
            self.evaluate_at(geometry, k, end)?;
            let scales = self.contact_scales(start, k, &sides);
            self.scales.push((scales.0 * h, scales.1 * h));
            let (normal, tangential) = (scales.0 / h, scales.1 / h);
            let contact = &mut self.contacts[k];
            let slip: Vec3 = sides
                .iter()
                .flatten()
                .map(|&(body, sign)| {
                    let FreeBody { slot, shift, turn, .. } = self.free_bodies[body];
                    let arms =
                        contact.start.point - start.positions[slot] + contact.end.point - end.positions[slot];
                    (shift + turn.cross(&arms)) * sign
                })
                .sum();
            let tangents = contact.mean_tangents();
            contact.slip = [tangents[0].dot(&slip), tangents[1].dot(&slip)];
            let y = [contact.gap_to_close(h, limits), contact.slip[0], contact.slip[1]];
            let (change, slides) =
                projection(&contact.impulse_start, &y, contact.friction, (normal, tangential));
            if !(change <= goal) {
                return Ok(None);
            }
            residual = change.max(residual);
            let slip = contact.slip[0].hypot(contact.slip[1]) * tangential;
            contact.slides = slides && slip > SLIP_ROUNDING * contact.friction * largest;
        }
        let end_residual = self.confirm_end(model, geometry, limits.closed_gap, goal, end);
        let outcome = |end: f64| IntervalOutcome {
            iterations: 0,
            residual: end.max(residual) / largest,
            solved: true,
            unsettled: false,
        };
        Ok(end_residual.map(outcome))
    }

    /// Whether the interval that was solved last is one of rest.
    pub fn is_at_rest(&self) -> bool {
        self.at_rest
    }

    /// Slots of the bodies of a group at rest, each with the change of its momentum and angular momentum about its centre of mass that its
    /// impulses leave; nothing for other groups.
    pub fn rest_impulses(&self) -> impl Iterator<Item = (usize, Vec3, Vec3)> {
        let bodies = if self.at_rest { &self.free_bodies[..] } else { &[] };
        let change = |body: &FreeBody| {
            (body.slot, body.rest_impulse - body.momentum, body.rest_moment - body.angular_momentum)
        };
        bodies.iter().map(change)
    }

    /// Begins another interval of a group at rest, with the same impulses.
    pub fn repeat_rest(&mut self) {
        for body in &mut self.free_bodies {
            (body.momentum, body.angular_momentum) = (Vec3::zeros(), Vec3::zeros());
        }
    }

    /// Whether the group is at rest to a goal: momenta and the sums of all impulses at either end are below it, closed contacts carry all
    /// loads, within their cones. Then nothing moves, and momenta vanish.
    fn confirm_rest(
        &mut self,
        model: &Model,
        geometry: &ContactGeometry,
        (start, h): (&State, f64),
        (goal, closed_gap): (f64, f64),
        end: &mut State,
    ) -> bool {
        let slow = self.members[..self.count].iter().zip(&self.free_bodies).all(|(member, body)| {
            let p = &start.momenta[model.islands[member.island].dofs.clone()];
            let moment = p.get(3..).map_or(0.0, |l| l.iter().fold(0.0f64, |most, l| most.max(l.abs())));
            p[..3].iter().all(|p| p.abs() <= goal) && moment <= goal * body.size
        });
        let held = |contact: &ClosedContact| {
            let within = |x: &[f64; 3]| x[1].hypot(x[2]) <= contact.friction * x[0] + goal;
            let closed = contact.start.gap.abs() <= closed_gap;
            let free = contact.impulse_start == [0.0; 3] && contact.impulse_end == [0.0; 3];
            let open = free && contact.start.gap >= -closed_gap;
            !contact.excluded
                && (open || closed && within(&contact.impulse_start) && within(&contact.impulse_end))
        };
        if !(slow && self.contacts.iter().all(held)) {
            return false;
        }
        for at_end in [false, true] {
            for body in &mut self.free_bodies {
                body.impulse = model.gravity * (0.5 * h / body.reciprocal_mass);
                body.moment = Vec3::zeros();
            }
            for k in 0..self.contacts.len() {
                let contact = &self.contacts[k];
                let x = if at_end { contact.impulse_end } else { contact.impulse_start };
                let [s, t] = contact.start_tangents;
                let force = contact.start.normal * x[0] + s * x[1] + t * x[2];
                for (body, sign) in self.contact_bodies(geometry, k).into_iter().flatten() {
                    let body = &mut self.free_bodies[body];
                    body.impulse += force * sign;
                    body.moment += (contact.start.point - start.positions[body.slot]).cross(&force) * sign;
                }
            }
            let balanced =
                |body: &FreeBody| body.impulse.amax() <= goal && body.moment.amax() <= goal * body.size;
            if !self.free_bodies.iter().all(balanced) {
                return false;
            }
            for body in &mut self.free_bodies {
                body.rest_impulse -= body.impulse;
                body.rest_moment -= body.moment;
            }
        }
        for (member, body) in self.members[..self.count].iter().zip(&mut self.free_bodies) {
            let island = &model.islands[member.island];
            let p = &start.momenta[island.dofs.clone()];
            body.momentum = Vec3::new(p[0], p[1], p[2]);
            body.angular_momentum = p.get(3..).map_or_else(Vec3::zeros, Vec3::from_column_slice);
            end.copy_configuration(start, island);
            end.momenta[island.dofs.clone()].fill(0.0);
        }
        for contact in &mut self.contacts {
            (contact.end, contact.slip, contact.slides) = (contact.start, [0.0; 2], false);
        }
        self.at_rest = true;
        true
    }

    /// The residual at the end, unless it exceeds a goal; the impulses there are added to the momenta.
    fn confirm_end(
        &mut self,
        model: &Model,
        geometry: &ContactGeometry,
        closed_gap: f64,
        goal: f64,
        end: &mut State,
    ) -> Option<f64> {
        for body in &mut self.free_bodies {
            (body.impulse, body.moment) = (Vec3::zeros(), Vec3::zeros());
        }
        for k in 0..self.contacts.len() {
            let contact = &self.contacts[k];
            if contact.impulse_end == [0.0; 3] {
                continue;
            }
            let (normal, tangential) = contact.impulses_at_end();
            let (force, point) = (normal + tangential, contact.end.point);
            for (body, sign) in self.contact_bodies(geometry, k).into_iter().flatten() {
                let body = &mut self.free_bodies[body];
                body.impulse += force * sign;
                body.moment += (point - end.positions[body.slot]).cross(&force) * sign;
            }
        }
        for (member, body) in self.members[..self.count].iter().zip(&mut self.free_bodies) {
            let island = &model.islands[member.island];
            let p = &mut end.momenta[island.dofs.clone()];
            (0..3).for_each(|c| p[c] += body.impulse[c]);
            body.velocity = Vec3::new(p[0], p[1], p[2]) * body.reciprocal_mass;
            if p.len() > 3 {
                (0..3).for_each(|c| p[3 + c] += body.moment[c]);
                let (rotation, link) = (&end.rotations[body.slot], &model.links[body.slot]);
                let momentum = rotation.tr_mul(&Vec3::new(p[3], p[4], p[5]));
                body.angular_velocity = rotation * momentum.component_div(&link.inertia);
            }
        }
        let mut residual = 0.0;
        for k in 0..self.contacts.len() {
            let contact = &self.contacts[k];
            let closed = contact.impulse_start[0] > 0.0 || contact.end.gap <= closed_gap;
            let x = contact.impulse_end;
            if contact.excluded || !closed {
                if x != [0.0; 3] {
                    return None;
                }
                continue;
            }
            let velocity: Vec3 = self
                .contact_bodies(geometry, k)
                .into_iter()
                .flatten()
                .map(|(body, sign)| {
                    let FreeBody { slot, velocity, angular_velocity, .. } = self.free_bodies[body];
                    (velocity + angular_velocity.cross(&(contact.end.point - end.positions[slot]))) * sign
                })
                .sum();
            let [s, t] = contact.end_tangents();
            let y = [contact.end.normal.dot(&velocity), s.dot(&velocity), t.dot(&velocity)];
            let change = if contact.slides {
                let [a, b] = contact.slip;
                let length = a.hypot(b);
                let (d, normal) = ([a / length, b / length], (x[0] - self.scales[k].0 * y[0]).max(0.0));
                if x[0] > 0.0 && y[1] * d[0] + y[2] * d[1] < 0.0 {
                    return None;
                }
                let across = contact.friction * x[0];
                (normal - x[0]).abs().max((x[1] + across * d[0]).hypot(x[2] + across * d[1]))
            } else {
                projection(&x, &y, contact.friction, self.scales[k]).0
            };
            if !(change <= goal) {
                return None;
            }
            residual = change.max(residual);
        }
        Some(residual)
    }

    /// The bodies of a contact with the signs of its impulses.
    fn contact_bodies(&self, geometry: &ContactGeometry, contact: usize) -> [Option<(usize, f64)>; 2] {
        self.sides(geometry, self.contacts[contact].function.pair)
            .map(|side| side.map(|side| (side.member, side.sign)))
    }

    fn begin_bodies(&mut self, model: &Model, start: &State) {
        self.free_bodies.clear();
        for member in &self.members[..self.count] {
            let slot = model.islands[member.island].bodies.start;
            let (link, rotation) = (&model.links[slot], &start.rotations[slot]);
            let inverse_inertia = match link.joint.particle {
                true => Mat3::zeros(),
                false => {
                    rotation * Mat3::from_diagonal(&link.inertia.map(|j| 1.0 / j)) * rotation.transpose()
                }
            };
            self.free_bodies.push(FreeBody {
                slot,
                size: (link.inertia.max() / link.mass).sqrt(),
                reciprocal_mass: 1.0 / link.mass,
                inverse_inertia,
                impulse: Vec3::zeros(),
                moment: Vec3::zeros(),
                rest_impulse: Vec3::zeros(),
                rest_moment: Vec3::zeros(),
                momentum: Vec3::zeros(),
                angular_momentum: Vec3::zeros(),
                shift: Vec3::zeros(),
                turn: Vec3::zeros(),
                velocity: Vec3::zeros(),
                angular_velocity: Vec3::zeros(),
            });
        }
    }

    fn add_impulses_at_start(&mut self, geometry: &ContactGeometry, start: &State) {
        for k in 0..self.contacts.len() {
            let contact = &self.contacts[k];
            if contact.impulse_start == [0.0; 3] {
                continue;
            }
            let (normal, tangential) = contact.impulses_at_start();
            let (force, point) = (normal + tangential, contact.start.point);
            for (body, sign) in self.contact_bodies(geometry, k).into_iter().flatten() {
                let body = &mut self.free_bodies[body];
                body.impulse += force * sign;
                body.moment += (point - start.positions[body.slot]).cross(&force) * sign;
            }
        }
    }

    /// Free flight of the bodies with their impulses at the start. False where a body turns too far.
    fn move_free_bodies(&mut self, model: &Model, start: &State, h: f64, end: &mut State) -> bool {
        for (member, body) in self.members[..self.count].iter().zip(&mut self.free_bodies) {
            let (island, slot) = (&model.islands[member.island], body.slot);
            let (link, p0) = (&model.links[slot], &start.momenta[island.dofs.clone()]);
            let p = &mut end.momenta[island.dofs.clone()];
            let linear = Vec3::new(p0[0], p0[1], p0[2]) + body.impulse;
            let weight = model.gravity * (link.mass * h);
            body.shift = (linear + weight * 0.5) * (h * body.reciprocal_mass);
            end.positions[slot] = start.positions[slot] + body.shift;
            p[..3].copy_from_slice((linear + weight).as_slice());
            if link.joint.particle {
                end.rotations[slot] = Mat3::identity();
                continue;
            }
            let angular = Vec3::new(p0[3], p0[4], p0[5]) + body.moment;
            p[3..].copy_from_slice(angular.as_slice());
            let rotation = &start.rotations[slot];
            let Some((turn, _)) = rotation_of_momentum(&link.inertia, &(rotation.tr_mul(&angular) * h))
            else {
                return false;
            };
            body.turn = rotation * turn.0;
            end.rotations[slot] = orthonormalised(&(rotation * turn.matrix()));
        }
        true
    }

    fn evaluate_at(
        &mut self,
        geometry: &ContactGeometry,
        contact: usize,
        end: &State,
    ) -> Result<(), StepError> {
        let contact = &mut self.contacts[contact];
        let pose = |part: usize| {
            geometry.parts[part].slot.map_or_else(Pose::identity, |slot| end.principal_pose(slot))
        };
        let (a, b) = (pose(contact.function.pair.0), pose(contact.function.pair.1));
        contact.end = contact.function.evaluate(geometry, (&a, &b), &mut self.query)?;
        Ok(())
    }

    /// Scales for velocities per impulse at the start.
    fn contact_scales(&self, start: &State, contact: usize, sides: &[Option<(usize, f64)>; 2]) -> Scales {
        let contact = &self.contacts[contact];
        let (normal, [s, t]) = (contact.start.normal, contact.start_tangents);
        let (mut nn, mut ss, mut st, mut tt) = (0.0, 0.0, 0.0, 0.0);
        for &(body, _) in sides.iter().flatten() {
            let body = &self.free_bodies[body];
            let arm = contact.start.point - start.positions[body.slot];
            let [n, s, t] = [normal, s, t].map(|direction| arm.cross(&direction));
            let [jn, js, jt] = [n, s, t].map(|moment| body.inverse_inertia * moment);
            nn += body.reciprocal_mass + n.dot(&jn);
            ss += body.reciprocal_mass + s.dot(&js);
            tt += body.reciprocal_mass + t.dot(&jt);
            st += s.dot(&jt);
        }
        let most = 0.5 * (ss + tt) + (0.5 * (ss - tt)).hypot(st);
        (if nn > 0.0 { 1.0 / nn } else { 0.0 }, if most > 0.0 { 1.0 / most } else { 0.0 })
    }
}
