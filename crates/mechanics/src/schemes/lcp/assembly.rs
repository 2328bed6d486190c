//! The mixed problem [Hart 5.1] of a step, assembled sparsely: only bodies that something touches take part.

use super::free::Dof;
use super::spots::Spot;
use crate::contact::ContactGeometry;
use crate::discrete::StepError;
use crate::model::State;
use crate::model::{Model, placed};
use crate::spatial::{Vec6, angular, linear};
use percussion_geometry::Vec3;
use percussion_solve::{Frictional, SolveError};
use std::f64::consts::PI;
use std::ops::Range;

/// No block.
const NONE: usize = usize::MAX;

/// The problem and who is who in it; its memory serves again.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    /// The problem.
    pub problem: Frictional,
    /// The block of each slot.
    block: Vec<usize>,
    /// Slots of the blocks, with where their unknowns begin.
    pub members: Vec<(usize, usize)>,
    /// Tangents of all spots, world directions.
    pub tangents: Vec<Vec3>,
    /// First tangent of each spot, and one more.
    first: Vec<usize>,
    /// Cosines and sines of the directions of a pyramid in space.
    angles: Vec<(f64, f64)>,
    /// Greatest opening of a joint at the configuration.
    pub opening: f64,
}

/// How friction is made a pyramid.
#[derive(Clone, Copy)]
pub(super) struct Pyramid {
    pub facets: usize,
    pub aligned: bool,
}

/// What a body is to the problem.
pub(super) struct Bodies<'a> {
    pub dofs: &'a [Dof],
    /// Velocities without impulses, world twists.
    pub flown: &'a [Vec6],
}

impl Assembly {
    /// Tangents of a spot.
    pub fn tangents_of(&self, spot: usize) -> Range<usize> {
        self.first[spot]..self.first[spot + 1]
    }

    /// Writes the problem of a step: `offsets` are those of the spots, `mend` what openings of joints are divided by h with.
    #[allow(clippy::too_many_arguments)]
    pub fn write(
        &mut self,
        model: &Model,
        contacts: Option<&ContactGeometry>,
        state: &State,
        spots: &[Spot],
        offsets: &[f64],
        bodies: &Bodies,
        (mend, pyramid): (f64, Pyramid),
    ) -> Result<(), StepError> {
        self.enlist(model, contacts, spots);
        self.problem.clear();
        let mut start = 0;
        for (slot, first) in &mut self.members {
            let dof = &bodies.dofs[*slot];
            let n = dof.count;
            let velocity = dof.unknowns(&bodies.flown[*slot]);
            let mut b = [0.0; 6];
            for k in 0..n {
                b[k] = velocity[k] / dof.inverse[k];
            }
            self.block[*slot] = if n == 6 {
                let [m, _, _, x, y, z] = dof.inverse;
                self.problem.body(m, &[x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z], &b)?
            } else {
                let mut w = [0.0; 36];
                (0..n).for_each(|k| w[k * n + k] = dof.inverse[k]);
                self.problem.block(&w[..n * n], &b[..n])?
            };
            *first = start;
            start += n;
        }
        self.joints(model, state, bodies.dofs, mend)?;
        self.tangents.clear();
        let count = pyramid.facets / 2;
        self.angles.clear();
        self.angles.extend((0..count).map(|k| PI * k as f64 / count as f64).map(|a| (a.cos(), a.sin())));
        self.first.clear();
        self.first.push(0);
        if let Some(contacts) = contacts {
            for (spot, offset) in spots.iter().zip(offsets) {
                self.spot(contacts, state, spot, *offset, bodies, pyramid)?;
            }
        }
        Ok(())
    }

    /// Lists the bodies that take part, by slot.
    fn enlist(&mut self, model: &Model, contacts: Option<&ContactGeometry>, spots: &[Spot]) {
        self.block.clear();
        self.block.resize(model.moving(), NONE);
        let block = &mut self.block;
        let mut mark = |slot: Option<usize>| slot.into_iter().for_each(|slot| block[slot] = 0);
        if let Some(contacts) = contacts {
            for spot in spots {
                mark(contacts.parts[spot.pair.0].slot);
                mark(contacts.parts[spot.pair.1].slot);
            }
        }
        for closure in &model.closures {
            mark(closure.parent);
            mark(Some(closure.child));
        }
        self.members.clear();
        self.members
            .extend((0..model.moving()).filter(|slot| self.block[*slot] != NONE).map(|slot| (slot, 0)));
    }

    /// Joints as equalities [Hart 4.14].
    fn joints(&mut self, model: &Model, state: &State, dofs: &[Dof], mend: f64) -> Result<(), SolveError> {
        self.opening = 0.0;
        for closure in &model.closures {
            let parent = placed(&state.positions, &state.rotations, closure.parent);
            let child = (&state.positions[closure.child], &state.rotations[closure.child]);
            for &row in closure.joint.rows() {
                let row = closure.joint.row(row, parent, child);
                let on_parent = parent.map(|(_, r)| row.parent.on_twists(r));
                let on_child = row.child.on_twists(child.1);
                let wrenches = [on_child, on_parent.unwrap_or_default()];
                self.opening = self.opening.max(row.value.abs());
                let offset = mend * row.value;
                entries(
                    &self.block,
                    dofs,
                    [Some(closure.child), closure.parent],
                    |side, dof| dof.row(&wrenches[side]),
                    |row, problem| problem.equality(row, offset).map(|_| ()),
                    &mut self.problem,
                )?;
            }
        }
        Ok(())
    }

    /// A spot with its tangents.
    fn spot(
        &mut self,
        contacts: &ContactGeometry,
        state: &State,
        spot: &Spot,
        offset: f64,
        bodies: &Bodies,
        pyramid: Pyramid,
    ) -> Result<(), SolveError> {
        let dofs = bodies.dofs;
        let slots = [spot.pair.0, spot.pair.1].map(|part| contacts.parts[part].slot);
        let arms = slots.map(|slot| slot.map_or_else(Vec3::zeros, |slot| spot.point - state.positions[slot]));
        let free = |slot: Option<usize>| slot.is_none_or(|slot| dofs[slot].count == 6);
        if pyramid.facets == 4 && free(slots[0]) && free(slots[1]) {
            return self.free_spot(contacts, spot, offset, bodies, pyramid, (slots, arms));
        }
        let friction = spot.surface.friction;
        entries(
            &self.block,
            dofs,
            slots,
            |side, dof| dof.row(&spot.wrenches[side]),
            |row, problem| problem.contact(row, friction, offset).map(|_| ()),
            &mut self.problem,
        )?;
        // Impulses along the surface are counted in units of those along the normal.
        let scale = 1.0 / spot.metres;
        let normal = spot.normal;
        let aligned = pyramid.aligned.then(|| slip(spot, bodies, (slots, arms))).flatten();
        let planar = contacts.parts[spot.pair.0].shape.is_planar();
        let count = if planar { 1 } else { pyramid.facets / 2 };
        let (s, t) = match aligned.filter(|_| count > 1) {
            Some(along) => (along, normal.cross(&along)),
            None => contacts.across(spot.pair, &normal),
        };
        for k in 0..count {
            let (cos, sin) = self.angles[k];
            let direction = s * cos + t * sin;
            let drift = direction.dot(&spot.wall) * scale;
            let written = entries(
                &self.block,
                dofs,
                slots,
                |side, dof| dof.pushed(&arms[side], &direction, [scale, -scale][side]),
                |row, problem| problem.drifting_tangent(row, drift).map(|_| ()),
                &mut self.problem,
            )?;
            if written {
                self.tangents.push(direction);
            }
        }
        self.first.push(self.tangents.len());
        Ok(())
    }

    /// A spot of bodies that move freely in space, on a pyramid of four sides: all its rows at once.
    fn free_spot(
        &mut self,
        contacts: &ContactGeometry,
        spot: &Spot,
        offset: f64,
        bodies: &Bodies,
        pyramid: Pyramid,
        (slots, arms): ([Option<usize>; 2], [Vec3; 2]),
    ) -> Result<(), SolveError> {
        let aligned = pyramid.aligned.then(|| slip(spot, bodies, (slots, arms))).flatten();
        let directions = match aligned {
            Some(along) => [along, spot.normal.cross(&along)],
            None => contacts.across(spot.pair, &spot.normal).into(),
        };
        let scale = 1.0 / spot.metres;
        let mut rows = [([[0.0; 6]; 2], 0.0); 3];
        let mut who = [NONE; 2];
        let mut count = 0;
        for side in 0..2 {
            let Some(slot) = slots[side] else { continue };
            let dof = &bodies.dofs[slot];
            let factor = [scale, -scale][side];
            rows[0].0[count] = dof.row(&spot.wrenches[side]);
            rows[1].0[count] = dof.pushed(&arms[side], &directions[0], factor);
            rows[2].0[count] = dof.pushed(&arms[side], &directions[1], factor);
            who[count] = self.block[slot];
            count += 1;
        }
        rows[1].1 = directions[0].dot(&spot.wall) * scale;
        rows[2].1 = directions[1].dot(&spot.wall) * scale;
        self.problem.contact_of_bodies(&who[..count], &rows, spot.surface.friction, offset)?;
        self.tangents.extend(directions);
        self.first.push(self.tangents.len());
        Ok(())
    }
}

/// Direction in which a spot would slide without impulses, if it would.
#[inline]
fn slip(spot: &Spot, bodies: &Bodies, (slots, arms): ([Option<usize>; 2], [Vec3; 2])) -> Option<Vec3> {
    let moves = |side: usize| {
        slots[side].map_or_else(Vec3::zeros, |slot| {
            let twist = &bodies.flown[slot];
            linear(twist) + angular(twist).cross(&arms[side])
        })
    };
    let slip = moves(0) - moves(1) + spot.wall;
    let slip = slip - spot.normal * spot.normal.dot(&slip);
    // No slip has no direction: the last bits of none are as good as any.
    slip.try_normalize(f64::MIN_POSITIVE)
}

/// Hands a row over the unknowns of at most two bodies to `add`; not a row that nothing can move along. Whether it did.
#[inline(always)]
fn entries(
    block: &[usize],
    dofs: &[Dof],
    slots: [Option<usize>; 2],
    row: impl Fn(usize, &Dof) -> [f64; 6],
    add: impl FnOnce(&[(usize, &[f64])], &mut Frictional) -> Result<(), SolveError>,
    problem: &mut Frictional,
) -> Result<bool, SolveError> {
    let mut rows = [[0.0; 6]; 2];
    let mut who = [(NONE, 0); 2];
    let mut count = 0;
    for (side, slot) in slots.into_iter().enumerate() {
        let Some(slot) = slot else { continue };
        let n = dofs[slot].count;
        let row = row(side, &dofs[slot]);
        if row[..n].iter().any(|x| *x != 0.0) {
            rows[count] = row;
            who[count] = (block[slot], n);
            count += 1;
        }
    }
    if count == 0 {
        return Ok(false);
    }
    let list: [(usize, &[f64]); 2] = [(who[0].0, &rows[0][..who[0].1]), (who[1].0, &rows[1][..who[1].1])];
    add(&list[..count], problem)?;
    Ok(true)
}
