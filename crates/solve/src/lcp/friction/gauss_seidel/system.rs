//! The system of the sweeps: rows side by side in memory, in the order of visits, without units.
//!
//! ```text
//! W = L Lᵀ,  v = S L v̂      so that the mass is one: a row r becomes r̂ = Lᵀ r / √g, and moves v̂ by r̂ itself
//! x̂ = x √g / S, û = r̂ᵀ v̂ + Δ / (S √g)          impulses and velocities in the units of the residual
//! ```
//!
//! The tangents of a contact share the g of the most compliant one, so that cones stay what they are; the
//! coefficient of friction takes the ratio of both units. Every row has places for two blocks of six, the rest
//! is zeros.

use super::block_pair::{BlockPair, BlockVector, TwoBlockRow, apply_impulse};
use super::islands::{Island, IslandGraph};
use super::tangential::TangentPair;
use crate::arithmetic::dot;
use crate::lcp::friction::impulses::{Cone, Impulses};
use crate::lcp::friction::problem::FrictionContactProblem;
use crate::lcp::friction::rows::MAX_BLOCK;
use crate::simd::{Instructions, Kernel, Packet};

/// One block of the Gauss-Seidel method: a contact with its tangents, an equality or a drive.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    /// Places of its blocks; the one after all others for the world.
    pub(super) endpoints: [u32; 2],
    pub(super) first: u32,
    pub(super) rows: u32,
    pub(super) contact: bool,
    /// Which contact or equality of the problem.
    pub(super) source: u32,
    pub(super) bias: f64,
    pub(super) friction: f64,
    /// Compliance and largest impulse of a drive.
    pub(super) compliance: f64,
    pub(super) bound: f64,
    /// Of the compliance of its first three rows: 1/nn, ns, nt; that of the tangents.
    pub(super) normal: [f64; 3],
    pub(super) tangents: TangentPair,
    /// Its inverse: nn, ns, nt, ss, st, tt; NaN if there is none.
    pub(super) inverse: [f64; 6],
}

impl Constraint {
    /// A contact without blocks.
    #[cfg(test)]
    pub(super) fn empty() -> Self {
        Self {
            endpoints: [0; 2],
            first: 0,
            rows: 0,
            contact: true,
            source: 0,
            bias: 0.0,
            friction: 0.0,
            compliance: 0.0,
            bound: f64::INFINITY,
            normal: [0.0; 3],
            tangents: TangentPair::default(),
            inverse: [0.0; 6],
        }
    }

    /// Whether it is a drive: an equality with compliance or a bound.
    pub(super) fn is_drive(&self) -> bool {
        !self.contact && (self.compliance > 0.0 || self.bound < f64::INFINITY)
    }

    /// The next impulse of an equality or a drive, from its impulse and its velocity.
    pub(super) fn next_equality_impulse(&self, x: f64, u: f64, relaxation: f64) -> f64 {
        if !self.is_drive() {
            return x - relaxation * u * self.normal[0];
        }
        let own = 1.0 / self.normal[0] + self.compliance;
        (x - relaxation * (u + self.compliance * x) / own).clamp(-self.bound, self.bound)
    }

    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.rows) as usize
    }
}

/// The rows, the impulses and the velocities of all islands.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    pub(super) graph: IslandGraph,
    /// The momentum size S.
    pub(super) size: f64,
    pub(super) constraints: Vec<Constraint>,
    pub(super) rows: Vec<TwoBlockRow>,
    /// Velocities along rows that are independent of the unknowns; the gap of a contact is in its constraint.
    pub(super) drift: Vec<f64>,
    /// Impulses, one per row.
    pub(super) x: Vec<f64>,
    /// Their units.
    pub(super) unit: Vec<f64>,
    pub(super) v: Vec<[f64; MAX_BLOCK]>,
    /// Velocities without impulses.
    pub(super) free: Vec<[f64; MAX_BLOCK]>,
    pub(super) trial: Vec<f64>,
}

impl System {
    /// Rows of an island: they are side by side.
    pub(super) fn rows_of(&self, island: &Island) -> std::ops::Range<usize> {
        let first =
            self.constraints.get(island.constraints.start).map_or(0, |constraint| constraint.first as usize);
        let end = self.constraints[island.constraints.clone()]
            .last()
            .map_or(first, |constraint| constraint.range().end);
        first..end
    }

    /// Sets impulses, zero where none are given; they are not projected onto the cones yet.
    pub(super) fn set_impulses(&mut self, problem: &FrictionContactProblem, from: &Impulses) {
        let given = |v: Option<&f64>| v.copied().filter(|v| v.is_finite()).unwrap_or(0.0);
        for constraint in &self.constraints {
            let (rows, source) = (constraint.range(), constraint.source as usize);
            let first = if constraint.contact { from.normal.get(source) } else { from.equality.get(source) };
            self.x[rows.start] = given(first) / self.unit[rows.start];
            if constraint.contact {
                for (k, facet) in rows.skip(1).zip(problem.facets(source).step_by(2)) {
                    let pair = given(from.facets.get(facet)) - given(from.facets.get(facet + 1));
                    self.x[k] = pair / self.unit[k];
                }
            }
        }
    }

    /// Writes impulses, velocities and slips, in their units.
    pub(super) fn write_solution(&self, problem: &FrictionContactProblem, cone: Cone, into: &mut Impulses) {
        into.resize(problem);
        self.write_velocities(problem, &self.v, self.size, &mut into.velocity);
        Instructions::detect().run(WriteSolution { system: self, problem, cone, into });
    }

    /// Writes velocities `scale L v̂` of the blocks in the order of visits; blocks that are in no island have their free velocity.
    pub(super) fn write_velocities(
        &self,
        problem: &FrictionContactProblem,
        velocities: &[BlockVector],
        scale: f64,
        into: &mut [f64],
    ) {
        let (masses, factors) = (problem.masses(), problem.all_factors());
        problem.free_velocity(into);
        for (v, &block) in velocities.iter().zip(&self.graph.blocks) {
            let known = &masses.blocks[block as usize];
            let into = &mut into[known.start..known.start + known.width];
            if known.is_diagonal {
                (0..known.width).for_each(|i| into[i] = scale * (known.roots[i] * v[i]));
                continue;
            }
            let n = known.width;
            for (i, into) in into.iter_mut().enumerate() {
                let at = known.at + i * n;
                *into = scale * dot(&factors[at..=at + i], &v[..=i]);
            }
        }
    }

    #[inline(always)]
    fn write_impulses<P: Packet>(&self, problem: &FrictionContactProblem, cone: Cone, into: &mut Impulses) {
        for constraint in &self.constraints {
            let source = constraint.source as usize;
            let (rows, x, unit) =
                (&self.rows[constraint.range()], &self.x[constraint.range()], &self.unit[constraint.range()]);
            if !constraint.contact {
                into.equality[source] = x[0] * unit[0];
                continue;
            }
            into.normal[source] = x[0] * unit[0];
            let pair = BlockPair::<P>::load(
                &self.v[constraint.endpoints[0] as usize],
                &self.v[constraint.endpoints[1] as usize],
            );
            let facets = into.facets[problem.facets(source)].as_chunks_mut().0;
            let drift = &self.drift[constraint.range()];
            let mut slip = 0.0_f64;
            for (k, facets) in (1..rows.len()).zip(facets) {
                let p = x[k] * unit[k];
                *facets = [p.max(0.0), (-p).max(0.0)];
                let speed = (pair.row_velocity(&rows[k]) + drift[k]).abs();
                slip = if cone == Cone::Facets { slip.max(speed) } else { slip.hypot(speed) };
            }
            // Tangents share their unit.
            into.slip[source] = slip * self.size * (self.size / unit[unit.len() - 1]);
            // Without friction the tangents were left out.
            if constraint.rows == 1 {
                into.facets[problem.facets(source)].fill(0.0);
                into.compute_slip_of(problem, cone, source);
            }
        }
    }

    /// The velocities of an island from its impulses: the rounding of many small changes ends here.
    pub(super) fn update_velocities(&mut self, island: &Island) {
        Instructions::detect().run(UpdateVelocities { system: self, island });
    }

    #[inline(always)]
    fn velocities_from_impulses<P: Packet>(&mut self, island: &Island) {
        let Self { constraints, rows, x, v, free, .. } = self;
        v[island.blocks.clone()].copy_from_slice(&free[island.blocks.clone()]);
        for constraint in &constraints[island.constraints.clone()] {
            let (rows, x) = (&rows[constraint.range()], &x[constraint.range()]);
            // Many contacts of a pile are open.
            if x.iter().all(|x| *x == 0.0) {
                continue;
            }
            let [a, b] = constraint.endpoints.map(|e| e as usize);
            if let (Ok(rows), Ok(x)) = (rows.try_into(), x.try_into()) {
                let mut pair = BlockPair::<P>::load(&v[a], &v[b]);
                pair.apply_impulses(rows, x);
                pair.write(v, [a, b]);
                continue;
            }
            let (mut va, mut vb) = (v[a], v[b]);
            rows.iter().zip(x).for_each(|(row, x)| apply_impulse(row, *x, &mut va, &mut vb));
            (v[a], v[b]) = (va, vb);
        }
    }
}

/// [`System::write_impulses`] as a kernel.
struct WriteSolution<'a> {
    system: &'a System,
    problem: &'a FrictionContactProblem,
    cone: Cone,
    into: &'a mut Impulses,
}

impl Kernel for WriteSolution<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Packet>(self) {
        self.system.write_impulses::<P>(self.problem, self.cone, self.into);
    }
}

/// [`System::velocities_from_impulses`] as a kernel.
struct UpdateVelocities<'a> {
    system: &'a mut System,
    island: &'a Island,
}

impl Kernel for UpdateVelocities<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Packet>(self) {
        self.system.velocities_from_impulses::<P>(self.island);
    }
}
