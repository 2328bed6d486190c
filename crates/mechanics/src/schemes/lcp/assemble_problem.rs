//! The mixed complementarity problem of a step [Hart 5.1], assembled sparsely: only bodies with joints or contacts are in it.

use super::StepInput;
use super::body_dofs::BodyDofs;
use super::contact_constraint::ContactConstraint;
use super::joint_rows::JointRows;
use super::options::LcpOptions;
use crate::contact::ContactGeometry;
use crate::discrete::StepError;
use crate::model::State;
use crate::model::{Model, placed};
use crate::spatial::{Vec6, angular, linear};
use percussion_geometry::Vec3;
use percussion_solve::{FrictionContactProblem, SolveError};
use std::f64::consts::PI;
use std::ops::Range;

/// No block.
const NONE: usize = usize::MAX;

/// The problem, with the numbering of bodies and tangents in it.
#[derive(Debug, Default)]
pub(super) struct ProblemAssembly {
    /// The problem.
    pub problem: FrictionContactProblem,
    /// The block of each slot.
    block: Vec<usize>,
    /// Slots of the blocks, with their first unknown.
    pub members: Vec<(usize, usize)>,
    /// Tangents of all contacts, world directions.
    pub tangents: Vec<Vec3>,
    /// First tangent of each contact, and one more.
    first: Vec<usize>,
    /// Cosines and sines of the directions of a friction pyramid.
    angles: Vec<(f64, f64)>,
    /// Twists of bodies at rest.
    rest: Vec<Vec6>,
    /// Largest position error of a joint at the configuration.
    pub max_joint_error: f64,
}

/// Unknowns and twists of all bodies before the impulses of a problem, by slot.
pub(super) struct BodyVelocities<'a> {
    pub dofs: &'a [BodyDofs],
    /// World axes.
    pub twists: &'a [Vec6],
}

impl ProblemAssembly {
    /// Tangents of a contact.
    pub fn tangents_of(&self, contact: usize) -> Range<usize> {
        self.first[contact]..self.first[contact + 1]
    }

    /// Assembles the problem of a step from the velocities without its impulses and the bias of each contact.
    pub fn assemble_problem(
        &mut self,
        step: &StepInput,
        (contacts, bias): (&[ContactConstraint], &[f64]),
        rows: &mut JointRows,
        bodies: &BodyVelocities,
    ) -> Result<(), StepError> {
        let StepInput { model, state, geometry, options, h } = *step;
        self.list_members(model, geometry, contacts, Some(rows));
        self.problem.clear();
        self.add_bodies(bodies)?;
        self.add_joints(model, state, bodies.dofs, options.gamma / h)?;
        rows.add_drives(&self.block, bodies.dofs, &mut self.problem)?;
        self.tangents.clear();
        let count = options.directions();
        self.angles.clear();
        self.angles.extend((0..count).map(|k| PI * k as f64 / count as f64).map(|a| (a.cos(), a.sin())));
        self.first.clear();
        self.first.push(0);
        if let Some(geometry) = geometry {
            for (contact, bias) in contacts.iter().zip(bias) {
                let slots = contact.slots(geometry);
                let row = ContactRow { geometry, contact, bias: *bias, slots, arms: contact.arms };
                self.add_contact(&row, bodies, options)?;
            }
        }
        let violation = rows.add_stops(&self.block, bodies.dofs, &mut self.problem)?;
        self.max_joint_error = self.max_joint_error.max(violation);
        Ok(())
    }

    /// Assembles the problem of a displacement from a configuration: gaps without friction, and joints that keep their position error.
    pub fn assemble_displacement(
        &mut self,
        step: &StepInput,
        at: &State,
        contacts: &[ContactConstraint],
        dofs: &[BodyDofs],
    ) -> Result<(), StepError> {
        let Some(geometry) = step.geometry else { return Ok(()) };
        self.list_members(step.model, Some(geometry), contacts, None);
        self.problem.clear();
        self.rest.clear();
        self.rest.resize(dofs.len(), Vec6::zeros());
        let rest = std::mem::take(&mut self.rest);
        self.add_bodies(&BodyVelocities { dofs, twists: &rest })?;
        self.rest = rest;
        self.add_joints(step.model, at, dofs, 0.0)?;
        for contact in contacts {
            add_row(
                &self.block,
                dofs,
                contact.slots(geometry),
                |side, dofs| dofs.wrench_row(&contact.gradient[side]),
                |row, problem| problem.contact(row, 0.0, contact.distance).map(|_| ()),
                &mut self.problem,
            )?;
        }
        Ok(())
    }

    /// Adds the unknowns of the bodies: inverse masses and momenta without impulses.
    fn add_bodies(&mut self, bodies: &BodyVelocities) -> Result<(), StepError> {
        let mut start = 0;
        for (slot, first) in &mut self.members {
            let dofs = &bodies.dofs[*slot];
            let n = dofs.count;
            let velocity = dofs.unknowns(&bodies.twists[*slot]);
            let mut b = [0.0; 6];
            for k in 0..n {
                b[k] = velocity[k] / dofs.inverse_mass[k];
            }
            self.block[*slot] = if n == 6 {
                let [m, _, _, x, y, z] = dofs.inverse_mass;
                self.problem.body(m, &[x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z], &b)?
            } else {
                let mut w = [0.0; 36];
                (0..n).for_each(|k| w[k * n + k] = dofs.inverse_mass[k]);
                self.problem.block(&w[..n * n], &b[..n])?
            };
            *first = start;
            start += n;
        }
        Ok(())
    }

    /// Lists the bodies with joints or contacts, by slot.
    fn list_members(
        &mut self,
        model: &Model,
        geometry: Option<&ContactGeometry>,
        contacts: &[ContactConstraint],
        rows: Option<&JointRows>,
    ) {
        self.block.clear();
        self.block.resize(model.moving(), NONE);
        let block = &mut self.block;
        let mut mark = |slot: Option<usize>| slot.into_iter().for_each(|slot| block[slot] = 0);
        if let Some(geometry) = geometry {
            contacts.iter().flat_map(|contact| contact.slots(geometry)).for_each(&mut mark);
        }
        rows.iter().flat_map(|rows| rows.slots()).for_each(&mut mark);
        for closure in &model.closures {
            mark(closure.parent);
            mark(Some(closure.child));
        }
        self.members.clear();
        self.members
            .extend((0..model.moving()).filter(|slot| self.block[*slot] != NONE).map(|slot| (slot, 0)));
    }

    /// Adds joints as equalities [Hart 4.14], stabilised by `γ/h` times their position error.
    fn add_joints(
        &mut self,
        model: &Model,
        state: &State,
        dofs: &[BodyDofs],
        stabilisation: f64,
    ) -> Result<(), SolveError> {
        self.max_joint_error = 0.0;
        for closure in &model.closures {
            let parent = placed(&state.positions, &state.rotations, closure.parent);
            let child = (&state.positions[closure.child], &state.rotations[closure.child]);
            for &row in closure.joint.rows() {
                let row = closure.joint.row(row, parent, child);
                let parent_frame = parent.map(|(_, r)| row.parent.on_twists(r));
                let child_frame = row.child.on_twists(child.1);
                let wrenches = [child_frame, parent_frame.unwrap_or_default()];
                self.max_joint_error = self.max_joint_error.max(row.value.abs());
                let offset = stabilisation * row.value;
                add_row(
                    &self.block,
                    dofs,
                    [Some(closure.child), closure.parent],
                    |side, dofs| dofs.wrench_row(&wrenches[side]),
                    |row, problem| problem.equality(row, offset).map(|_| ()),
                    &mut self.problem,
                )?;
            }
        }
        Ok(())
    }

    /// Adds a contact with its tangents.
    fn add_contact(
        &mut self,
        row: &ContactRow,
        bodies: &BodyVelocities,
        options: &LcpOptions,
    ) -> Result<(), SolveError> {
        let &ContactRow { geometry, contact, bias, slots, arms } = row;
        let dofs = bodies.dofs;
        let spatial = |slot: Option<usize>| slot.is_none_or(|slot| dofs[slot].count == 6);
        if options.directions() == 2 && spatial(slots[0]) && spatial(slots[1]) {
            return self.add_spatial_contact(row, bodies, options.aligned);
        }
        let friction = contact.surface.friction;
        add_row(
            &self.block,
            dofs,
            slots,
            |side, dofs| dofs.wrench_row(&contact.gradient[side]),
            |row, problem| problem.contact(row, friction, bias).map(|_| ()),
            &mut self.problem,
        )?;
        // Impulses along the surface are counted in units of those along the normal.
        let scale = 1.0 / contact.unit;
        let normal = contact.normal;
        let aligned = options.aligned.then(|| row.slip_direction(bodies)).flatten();
        let planar = geometry.parts[contact.pair.0].shape.is_planar();
        let count = if planar { 1 } else { options.directions() };
        let (s, t) = match aligned.filter(|_| count > 1) {
            Some(along) => (along, normal.cross(&along)),
            None => geometry.tangents(contact.pair, &normal),
        };
        for k in 0..count {
            let (cos, sin) = self.angles[k];
            let direction = s * cos + t * sin;
            let drift = direction.dot(&contact.driven_velocity) * scale;
            let added = add_row(
                &self.block,
                dofs,
                slots,
                |side, dofs| dofs.force_row(&arms[side], &direction, [scale, -scale][side]),
                |row, problem| problem.drifting_tangent(row, drift).map(|_| ()),
                &mut self.problem,
            )?;
            if added {
                self.tangents.push(direction);
            }
        }
        self.first.push(self.tangents.len());
        Ok(())
    }

    /// Adds a contact of bodies that move freely in space, on a pyramid of four sides: all its rows at once.
    fn add_spatial_contact(
        &mut self,
        row: &ContactRow,
        bodies: &BodyVelocities,
        aligned: bool,
    ) -> Result<(), SolveError> {
        let &ContactRow { geometry, contact, bias, slots, arms } = row;
        let directions = match aligned.then(|| row.slip_direction(bodies)).flatten() {
            Some(along) => [along, contact.normal.cross(&along)],
            None => geometry.tangents(contact.pair, &contact.normal).into(),
        };
        let scale = 1.0 / contact.unit;
        let mut rows = [([[0.0; 6]; 2], 0.0); 3];
        let mut blocks = [NONE; 2];
        let mut count = 0;
        for side in 0..2 {
            let Some(slot) = slots[side] else { continue };
            let dofs = &bodies.dofs[slot];
            let factor = [scale, -scale][side];
            rows[0].0[count] = dofs.wrench_row(&contact.gradient[side]);
            rows[1].0[count] = dofs.force_row(&arms[side], &directions[0], factor);
            rows[2].0[count] = dofs.force_row(&arms[side], &directions[1], factor);
            blocks[count] = self.block[slot];
            count += 1;
        }
        rows[1].1 = directions[0].dot(&contact.driven_velocity) * scale;
        rows[2].1 = directions[1].dot(&contact.driven_velocity) * scale;
        self.problem.contact_of_bodies(&blocks[..count], &rows, contact.surface.friction, bias)?;
        self.tangents.extend(directions);
        self.first.push(self.tangents.len());
        Ok(())
    }
}

/// A contact with its bias, the slots of its bodies, and the arms of its point from their centres of mass.
struct ContactRow<'a> {
    geometry: &'a ContactGeometry,
    contact: &'a ContactConstraint,
    bias: f64,
    slots: [Option<usize>; 2],
    arms: [Vec3; 2],
}

impl ContactRow<'_> {
    /// Direction of the tangential velocity without impulses; none without one.
    #[inline]
    fn slip_direction(&self, bodies: &BodyVelocities) -> Option<Vec3> {
        let velocity = |side: usize| {
            self.slots[side].map_or_else(Vec3::zeros, |slot| {
                let twist = &bodies.twists[slot];
                linear(twist) + angular(twist).cross(&self.arms[side])
            })
        };
        let slip = velocity(0) - velocity(1) + self.contact.driven_velocity;
        let slip = slip - self.contact.normal * self.contact.normal.dot(&slip);
        slip.try_normalize(f64::MIN_POSITIVE)
    }
}

/// Adds a row over the unknowns of at most two bodies by `add`, unless it is zero; whether it was added.
#[inline(always)]
pub(super) fn add_row(
    block: &[usize],
    dofs: &[BodyDofs],
    slots: [Option<usize>; 2],
    row: impl Fn(usize, &BodyDofs) -> [f64; 6],
    add: impl FnOnce(&[(usize, &[f64])], &mut FrictionContactProblem) -> Result<(), SolveError>,
    problem: &mut FrictionContactProblem,
) -> Result<bool, SolveError> {
    let mut rows = [[0.0; 6]; 2];
    let mut blocks = [(NONE, 0); 2];
    let mut count = 0;
    for (side, slot) in slots.into_iter().enumerate() {
        let Some(slot) = slot else { continue };
        let n = dofs[slot].count;
        let row = row(side, &dofs[slot]);
        if row[..n].iter().any(|x| *x != 0.0) {
            rows[count] = row;
            blocks[count] = (block[slot], n);
            count += 1;
        }
    }
    if count == 0 {
        return Ok(false);
    }
    let list: [(usize, &[f64]); 2] =
        [(blocks[0].0, &rows[0][..blocks[0].1]), (blocks[1].0, &rows[1][..blocks[1].1])];
    add(&list[..count], problem)?;
    Ok(true)
}
