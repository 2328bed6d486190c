//! Collision group: momenta, gradients and the inner product of `Mred⁻¹` at one configuration.
//!
//! ```text
//! ⟨g, p⟩ = gᵀ Mred⁻¹ p        p_norm = ⟨g, p⟩/⟨g, g⟩ g        p ← p - (1+e) p_norm         [Johnson 3.108, 3.109]
//! ```
//!
//! Vectors of a group stack the degrees of freedom of its islands. Where an island has loops, gradients are projected on what the
//! loops admit: impulses along them then preserve the loop constraints.

use crate::contact::{ContactGeometry, ContactPoint};
use crate::discrete::{End, Interval, Loops};
use crate::model::Model;
use crate::model::State;
use crate::spatial::Vec6;
use crate::tree::Singular;
use percussion_geometry::Vec3;
use std::ops::Range;

#[derive(Clone, Debug, Default)]
struct Member {
    island: usize,
    /// First of its degrees of freedom in vectors of the group.
    first: usize,
    interval: Interval,
    loops: Loops,
    z: Vec<f64>,
}

/// Islands in contact at one configuration; reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct CollisionGroup {
    members: Vec<Member>,
    count: usize,
    dofs: usize,
}

impl CollisionGroup {
    /// Evaluates the given islands at a state and factors their mass matrices.
    pub fn begin(&mut self, model: &Model, state: &State, islands: &[usize]) -> Result<(), Singular> {
        self.count = islands.len();
        self.dofs = 0;
        if self.members.len() < self.count {
            self.members.resize(self.count, Member::default());
        }
        for (member, &index) in self.members.iter_mut().zip(islands) {
            let island = &model.islands[index];
            member.island = index;
            member.first = self.dofs;
            self.dofs += island.dofs.len();
            let Member { interval, loops, z, .. } = member;
            interval.begin(model, island, state);
            interval.set_mass(model, island);
            interval.system.factor()?;
            z.resize(island.dofs.len(), 0.0);
            loops.begin(model, island);
            if loops.rows > 0 {
                let bodies = island.bodies.clone();
                let places = (&state.positions[bodies.clone()], &state.rotations[bodies]);
                let (system, room) = (&interval.system, &mut interval.wrenches);
                loops.evaluate(End::After, model, island, system, places, room);
                loops.solve_rows(&mut interval.system, &mut interval.twists);
            }
        }
        Ok(())
    }

    /// Degrees of freedom of all its islands.
    pub fn dofs(&self) -> usize {
        self.dofs
    }

    /// Momenta of a state, stacked.
    pub fn momenta(&self, model: &Model, state: &State, out: &mut Vec<f64>) {
        out.clear();
        for member in &self.members[..self.count] {
            out.extend_from_slice(&state.momenta[model.islands[member.island].dofs.clone()]);
        }
    }

    /// Writes stacked momenta to a state.
    pub fn set_momenta(&self, model: &Model, momenta: &[f64], state: &mut State) {
        for member in &self.members[..self.count] {
            let range = model.islands[member.island].dofs.clone();
            let n = range.len();
            state.momenta[range].copy_from_slice(&momenta[member.first..member.first + n]);
        }
    }

    /// `∇s` of a pair in the degrees of freedom of the group.
    pub fn gradient(
        &mut self,
        model: &Model,
        state: &State,
        contacts: &ContactGeometry,
        pair: (usize, usize),
        point: &ContactPoint,
        out: &mut [f64],
    ) {
        let (a, b) = (contacts.parts[pair.0].slot, contacts.parts[pair.1].slot);
        let wrench_a = a.map(|slot| (slot, point.wrench_a(&state.positions[slot])));
        let wrench_b = b.map(|slot| (slot, point.wrench_b(&state.positions[slot])));
        self.reduce(model, [wrench_a, wrench_b], out);
    }

    /// A row of `∇h`: the contact points of `a` and `b` move apart along a direction [Johnson 3.47].
    pub fn direction(
        &mut self,
        model: &Model,
        state: &State,
        contacts: &ContactGeometry,
        pair: (usize, usize),
        (point, direction): (&Vec3, &Vec3),
        out: &mut [f64],
    ) {
        let on = |slot: usize, sign: f64| {
            let force = direction * sign;
            let arm = point - state.positions[slot];
            (slot, crate::spatial::twist(&force, &arm.cross(&force)))
        };
        let (a, b) = (contacts.parts[pair.0].slot, contacts.parts[pair.1].slot);
        self.reduce(model, [a.map(|slot| on(slot, 1.0)), b.map(|slot| on(slot, -1.0))], out);
    }

    /// `Pᵀ` of wrenches on two bodies, loops allowed for.
    fn reduce(&mut self, model: &Model, wrenches: [Option<(usize, Vec6)>; 2], out: &mut [f64]) {
        for member in &mut self.members[..self.count] {
            let island = &model.islands[member.island];
            let n = island.dofs.len();
            let part = &mut out[member.first..member.first + n];
            let mine = |w: &&(usize, Vec6)| island.bodies.contains(&w.0);
            let Member { interval, loops, z, .. } = member;
            if !wrenches.iter().flatten().any(|w| mine(&w)) {
                part.fill(0.0);
                continue;
            }
            interval.wrenches.fill(Vec6::zeros());
            for (slot, wrench) in wrenches.iter().flatten().filter(mine) {
                interval.wrenches[slot - island.bodies.start] += wrench;
            }
            interval.system.reduce(&mut interval.wrenches, part);
            if loops.rows > 0 {
                loops.project(&mut interval.system, z, &mut interval.twists, part);
            }
        }
    }

    /// `Pᵀ` of wrenches on all its bodies (by slot), loops allowed for.
    pub fn reduce_all(&mut self, model: &Model, wrench: impl Fn(usize) -> Vec6, out: &mut [f64]) {
        for member in &mut self.members[..self.count] {
            let island = &model.islands[member.island];
            let part = &mut out[member.first..member.first + island.dofs.len()];
            let Member { interval, loops, z, .. } = member;
            for (room, slot) in interval.wrenches.iter_mut().zip(island.bodies.clone()) {
                *room = wrench(slot);
            }
            interval.system.reduce(&mut interval.wrenches, part);
            if loops.rows > 0 {
                loops.project(&mut interval.system, z, &mut interval.twists, part);
            }
        }
    }

    /// A degree of freedom of its `k`-th island, times a factor, loops allowed for.
    pub fn coordinate_row(&mut self, (k, dof): (usize, usize), factor: f64, out: &mut [f64]) {
        out.fill(0.0);
        let Member { first, interval, loops, z, .. } = &mut self.members[k];
        let part = &mut out[*first..*first + z.len()];
        part[dof] = factor;
        if loops.rows > 0 {
            loops.project(&mut interval.system, z, &mut interval.twists, part);
        }
    }

    /// Ranges of the degrees of freedom of its islands in its vectors.
    pub fn blocks(&self, model: &Model) -> impl Iterator<Item = Range<usize>> {
        let range = |m: &Member| m.first..m.first + model.islands[m.island].dofs.len();
        self.members[..self.count].iter().map(range)
    }

    /// `Mred u` of its `k`-th island.
    pub fn multiply(&mut self, k: usize, u: &[f64], out: &mut [f64]) {
        let Interval { system, twists, wrenches, .. } = &mut self.members[k].interval;
        system.multiply(u, twists, wrenches, out, |_, _| ());
    }

    /// Rows of the loops of all its islands: where the island's degrees of freedom begin, the row, and how far the loop is open.
    pub fn loop_rows(&self) -> impl Iterator<Item = (usize, &[f64], f64)> {
        self.members[..self.count].iter().flat_map(|member| {
            let width = member.z.len().max(1);
            let rows = member.loops.after.chunks_exact(width).zip(&member.loops.values);
            rows.map(|(row, value)| (member.first, row, *value))
        })
    }

    /// The twists of its bodies, by slot, that belong to the solution of the last [`CollisionGroup::solve`].
    pub fn twists(&self, model: &Model) -> impl Iterator<Item = (usize, &Vec6)> {
        let bodies = |m: &Member| model.islands[m.island].bodies.clone();
        self.members[..self.count].iter().flat_map(move |m| bodies(m).zip(&m.interval.twists))
    }

    /// `x = Mred⁻¹ b`, with the twists of the bodies.
    pub fn solve(&mut self, model: &Model, b: &[f64], x: &mut [f64]) {
        for member in &mut self.members[..self.count] {
            let range = member.first..member.first + model.islands[member.island].dofs.len();
            let (system, twists) = (&mut member.interval.system, &mut member.interval.twists);
            if b[range.clone()].iter().all(|&v| v == 0.0) {
                x[range].fill(0.0);
                twists.fill(Vec6::zeros());
            } else {
                system.solve(&b[range.clone()], &mut x[range], twists);
            }
        }
    }
}

/// `aᵀ b`.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
