//! Newton's method on the contacts of an island, in the space of velocities.
//!
//! ```text
//! repeat with centre c = x:                                                  proximal steps
//!   x(v) = C(c - u(v) / ε)      C: into the cone;  F(v) = v - v_free - Jᵀ x(v)
//!   repeat: (I + Jᵀ C' J / ε) dv = -F;  v += t dv, t that lowers |F|          semismooth Newton
//!   x = x(v)                    satisfies Coulomb's law up to ε |x - c|
//!   ε smaller after few Newton steps, larger after many
//! ```
//!
//! `-(u + ε (x - c))` lies in the normal cone at `x = C(c - u/ε)`: a contact law with a little compliance, whose
//! impulses are unique even where contacts are redundant. Once it is known which contacts are open, stick or slide, every
//! step divides the error by the smallest compliance left over ε, however slowly sweeps propagate. Velocities and
//! impulses are tracked as differences from the centre, so that 1/ε multiplies the rounding of small differences,
//! not of the whole values.

use super::block_pair::{apply_impulse, row_velocity};
use super::contact_law::{ContactLaw, LawKind};
use super::islands::Island;
use super::system::{Constraint, System};
use crate::arithmetic::{add_scaled, dot};
use crate::lcp::friction::impulses::Cone;
use crate::lcp::friction::rows::MAX_BLOCK;
use crate::simd::{Instructions, Kernel, Packet};
use crate::sparse::block_lu::BlockLu;
use crate::tolerances::gauss_seidel::{
    CHEAP, FIRST_COMPLIANCE, INEXACTNESS, MAX_COMPLIANCE, MIN_COMPLIANCE, MIN_STEP, RESUMED_COMPLIANCE,
    SURPLUS,
};

/// Newton steps for one centre.
const STEPS: usize = 30;

/// Trials along a step, and the shortest step.
const TRIALS: usize = 14;

/// Centres without halving the error after which the method ends, and without gain after which to change the law.
const MAX_STAGNANT: usize = 30;
const MAX_POOR: usize = 8;

/// Workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct NonsmoothNewton {
    pub(super) factors: BlockLu,
    pub(super) centre: Vec<f64>,
    pub(super) best: Vec<f64>,
    /// Velocities along the rows, and what a step adds to them.
    u: Vec<f64>,
    du: Vec<f64>,
    pub(super) x: Vec<f64>,
    /// Change of the velocities since the centre, the defect and the step.
    shift: Vec<[f64; MAX_BLOCK]>,
    defect: Vec<[f64; MAX_BLOCK]>,
    step: Vec<[f64; MAX_BLOCK]>,
    derivatives: Vec<f64>,
    trial: Vec<f64>,
    /// Factorisations in the last solve.
    pub(super) steps: usize,
    /// Steps with factors from before, and the compliance of the factors at hand.
    pub(super) chords: usize,
    pub(super) factored: Option<f64>,
    /// Whether the last solve ended with its budget.
    pub(super) exhausted: bool,
}

impl NonsmoothNewton {
    /// Improves the impulses of an island; returns the error left, never larger than before.
    pub(super) fn solve(
        &mut self,
        system: &mut System,
        island: &Island,
        cone: Cone,
        goal: f64,
        budget: usize,
    ) -> f64 {
        let rows = system.rows_of(island);
        self.steps = 0;
        self.prepare(system, island);
        system.update_velocities(island);
        let mut error = system.error(island, cone);
        self.best.clear();
        self.best.extend_from_slice(&system.x[rows.clone()]);
        let mut compliance = [FIRST_COMPLIANCE; 2];
        let (mut kind, mut mark, mut stagnant, mut poor) = (LawKind::Convex, error, 0, 0);
        let mut gain = 0.0;
        while self.steps < budget {
            // Beyond the goal, only while digits are cheap.
            let continues =
                if error > goal { stagnant < MAX_STAGNANT } else { error > SURPLUS * goal && gain < CHEAP };
            if !continues {
                break;
            }
            let ε = compliance[kind as usize];
            let law = ContactLaw { kind, cone, compliance: ε };
            let steps =
                self.proximal_step(system, island, law, f64::max(0.1 * SURPLUS * goal, INEXACTNESS * error));
            let now = self.residual(system, island, cone);
            gain = now / error;
            if now < error {
                error = now;
                self.best.copy_from_slice(&self.x);
            }
            stagnant = if now < 0.5 * mark { 0 } else { stagnant + 1 };
            mark = if stagnant == 0 { now } else { mark };
            compliance[kind as usize] = match steps {
                Some(_) if gain < 0.05 => ε,
                Some(0..=1) => f64::max(0.1 * ε, MIN_COMPLIANCE),
                Some(2..=4) => f64::max(0.4 * ε, MIN_COMPLIANCE),
                Some(5..=10) => ε,
                Some(_) => f64::min(2.0 * ε, MAX_COMPLIANCE),
                None => f64::min(5.0 * ε, MAX_COMPLIANCE),
            };
            let good = gain < if kind == LawKind::Convex { 0.3 } else { 0.8 };
            poor = if good { 0 } else { poor + 1 };
            let stalled = kind == LawKind::Coulomb && poor >= MAX_POOR;
            if stalled || steps.is_none() && !good {
                self.x.copy_from_slice(if stalled { &self.best } else { &self.centre });
                self.residual(system, island, cone);
            }
            if kind == LawKind::Convex && !good {
                compliance[LawKind::Coulomb as usize] = compliance[LawKind::Coulomb as usize].max(ε);
                (kind, poor) = (LawKind::Coulomb, 0);
            } else if stalled {
                compliance[LawKind::Convex as usize] =
                    compliance[LawKind::Convex as usize].max(RESUMED_COMPLIANCE);
                (kind, poor) = (LawKind::Convex, 0);
            }
        }
        system.x[rows].copy_from_slice(&self.best);
        system.update_velocities(island);
        error
    }

    /// Reserves the workspace for an island larger than any before.
    pub(super) fn reserve(&mut self, system: &System, island: &Island) {
        let rows = system.rows_of(island).len();
        if rows > self.u.capacity() || island.blocks.len() >= self.shift.capacity() {
            self.prepare(system, island);
            for list in [&mut self.centre, &mut self.best] {
                list.clear();
                list.reserve(rows);
            }
        }
    }

    /// Finds the pattern of the factors and sizes all lists.
    pub(super) fn prepare(&mut self, system: &System, island: &Island) {
        let (rows, blocks) = (system.rows_of(island), island.blocks.len());
        let origin = island.blocks.start as u32;
        let pairs =
            system.constraints[island.constraints.clone()].iter().map(|constraint| constraint.endpoints);
        let world = system.v.len() as u32 - 1;
        self.factors
            .analyse(blocks, pairs.filter(|[_, b]| *b != world).map(|[a, b]| (a - origin, b - origin)));
        for list in [&mut self.u, &mut self.du, &mut self.x] {
            list.resize(rows.len(), 0.0);
        }
        for list in [&mut self.shift, &mut self.defect, &mut self.step] {
            // One more for the world.
            list.resize(blocks + 1, [0.0; MAX_BLOCK]);
        }
        self.trial.resize(2 * system.trial.len(), 0.0);
        self.derivatives.resize(system.trial.len() * system.trial.len(), 0.0);
    }

    /// Error of the impulses `x`.
    pub(super) fn residual(&mut self, system: &mut System, island: &Island, cone: Cone) -> f64 {
        let rows = system.rows_of(island);
        system.x[rows].copy_from_slice(&self.x);
        system.update_velocities(island);
        system.error(island, cone)
    }

    /// Solves a law around the present impulses, into `x`, until the defect is small enough. Number of steps;
    /// nothing if there were too many.
    fn proximal_step(
        &mut self,
        system: &System,
        island: &Island,
        law: ContactLaw,
        tolerance: f64,
    ) -> Option<usize> {
        self.set_centre(system, island, law);
        let mut size = self.evaluate(system, island, law);
        // Which contacts are open, stick or slide is better seen at the centre than from its errors, which ε magnifies.
        if self.linearise(system, island, law, 1.0) {
            self.newton_direction(system, island);
            self.move_by(1.0);
            let ahead = self.evaluate(system, island, law);
            if ahead >= size {
                self.move_by(-1.0);
                self.evaluate(system, island, law);
            }
            size = size.min(ahead);
        }
        for step in 0..STEPS {
            if size <= tolerance {
                return Some(step);
            }
            if !self.linearise(system, island, law, law.compliance) {
                return None;
            }
            self.newton_direction(system, island);
            size = match law.kind {
                LawKind::Coulomb => self.backtrack(system, island, law, size)?,
                LawKind::Convex => self.line_search(system, island, law),
            };
        }
        None
    }

    /// Takes the present impulses as the centre, with its velocities along the rows.
    pub(super) fn set_centre(&mut self, system: &System, island: &Island, law: ContactLaw) {
        let rows = system.rows_of(island);
        self.centre.clear();
        self.centre.extend_from_slice(&system.x[rows.clone()]);
        for constraint in &system.constraints[island.constraints.clone()] {
            let (a, b) =
                (&system.v[constraint.endpoints[0] as usize], &system.v[constraint.endpoints[1] as usize]);
            let u = &mut self.u[constraint.first as usize - rows.start..constraint.range().end - rows.start];
            let rows = system.rows[constraint.range()].iter().zip(&system.drift[constraint.range()]);
            u.iter_mut().zip(rows).for_each(|(u, (row, drift))| *u = row_velocity(row, a, b) + drift);
            u[0] += constraint.bias + law.widening(constraint, &u[1..]);
            if constraint.compliance > 0.0 {
                u[0] += constraint.compliance * system.x[constraint.first as usize];
            }
        }
        self.shift.fill([0.0; MAX_BLOCK]);
    }

    /// Backtracks until the defect is smaller; nothing if it never is.
    pub(super) fn backtrack(
        &mut self,
        system: &System,
        island: &Island,
        law: ContactLaw,
        before: f64,
    ) -> Option<f64> {
        let (mut t, mut taken) = (1.0, 0.0);
        while t > MIN_STEP {
            self.move_by(t - taken);
            let size = self.evaluate(system, island, law);
            if size < (1.0 - 1e-4 * t) * before {
                return Some(size);
            }
            (taken, t) = (t, 0.5 * t);
        }
        None
    }

    /// Line search for the minimum of the convex function whose gradient F is: `dv . F` grows on
    /// the way and is zero there.
    fn line_search(&mut self, system: &System, island: &Island, law: ContactLaw) -> f64 {
        let start = self.directional_derivative(island);
        let (mut low, mut high) = ((0.0, start), (f64::INFINITY, 0.0));
        let (mut t, mut taken, mut size) = (1.0, 0.0, 0.0);
        for _ in 0..TRIALS {
            self.move_by(t - taken);
            taken = t;
            size = self.evaluate(system, island, law);
            let left = self.directional_derivative(island);
            if left.abs() <= 0.3 * start || left > 0.0 && t == 1.0 {
                break;
            }
            *(if left >= 0.0 { &mut low } else { &mut high }) = (t, left);
            let width = high.0 - low.0;
            let secant: f64 = low.0 + width * low.1 / (low.1 - high.1);
            // No bracket, or NaN: the present point is kept.
            if !(width > 0.0 && secant.is_finite()) {
                break;
            }
            t = secant.clamp(low.0 + 0.1 * width, high.0 - 0.1 * width);
        }
        size
    }

    /// `x(v)` and `-F(v)`; returns the size of F.
    pub(super) fn evaluate(&mut self, system: &System, island: &Island, law: ContactLaw) -> f64 {
        Instructions::detect().run(Evaluate { newton: self, system, island, law })
    }

    #[inline(always)]
    fn defect_at(&mut self, system: &System, island: &Island, law: ContactLaw) -> f64 {
        let (first, origin, world) = (system.rows_of(island).start, island.blocks.start, system.v.len() - 1);
        for (defect, shift) in self.defect.iter_mut().zip(&self.shift) {
            *defect = shift.map(|v| -v);
        }
        for constraint in &system.constraints[island.constraints.clone()] {
            let range = constraint.first as usize - first..constraint.range().end - first;
            let trial = &mut self.x[range.clone()];
            let (centre, u) = (&self.centre[range.clone()], &self.u[range]);
            // Many contacts of a pile are open and stay so.
            let opens = constraint.contact && law.kind == LawKind::Coulomb && u[0] >= 0.0;
            if opens && centre.iter().all(|c| *c == 0.0) {
                trial.fill(0.0);
                continue;
            }
            let ε = law.compliance + constraint.compliance;
            trial.iter_mut().zip(centre).zip(u).for_each(|((w, c), u)| *w = c - u / ε);
            law.project(constraint, trial);
            let [a, b] = local_blocks(constraint, origin, world, island.blocks.len());
            let (mut da, mut db) = (self.defect[a], self.defect[b]);
            for ((x, c), row) in trial.iter().zip(centre).zip(&system.rows[constraint.range()]) {
                apply_impulse(row, x - c, &mut da, &mut db);
            }
            (self.defect[a], self.defect[b]) = (da, db);
        }
        let all = self.defect[..island.blocks.len()].as_flattened();
        all.iter().fold(0.0, |m, v| m + v * v).sqrt()
    }

    /// `I + Jᵀ C' J / ε`, factorised, for the places in the cones that `branch_compliance` gives. If that is
    /// another one, the defect becomes that of the centre as seen from these places.
    pub(super) fn linearise(
        &mut self,
        system: &System,
        island: &Island,
        law: ContactLaw,
        branch_compliance: f64,
    ) -> bool {
        Instructions::detect().run(Linearise { newton: self, system, island, law, branch_compliance });
        self.steps += 1;
        self.factors.factor()
    }

    #[inline(always)]
    fn assemble_derivative(
        &mut self,
        system: &System,
        island: &Island,
        law: ContactLaw,
        branch_compliance: f64,
    ) {
        let ε = law.compliance;
        let (first, origin, world) = (system.rows_of(island).start, island.blocks.start, system.v.len() - 1);
        self.factors.reset();
        if branch_compliance != ε {
            self.defect.fill([0.0; MAX_BLOCK]);
        }
        for constraint in &system.constraints[island.constraints.clone()] {
            let range = constraint.first as usize - first..constraint.range().end - first;
            let rows = &system.rows[constraint.range()];
            let n = rows.len();
            let u = &self.u[range.clone()];
            // Its derivative is zero.
            if constraint.contact
                && law.kind == LawKind::Coulomb
                && self.centre[range.start] - u[0] / branch_compliance <= 0.0
            {
                continue;
            }
            let (trial, place) = self.trial[..2 * n].split_at_mut(n);
            trial
                .iter_mut()
                .zip(&self.centre[range])
                .zip(u)
                .for_each(|((w, c), u)| *w = c - u / (branch_compliance + constraint.compliance));
            place.copy_from_slice(trial);
            law.project(constraint, place);
            let derivatives = &mut self.derivatives[..n * n];
            if !law.derivative(constraint, trial, place, derivatives) {
                continue;
            }
            let [a, b] = local_blocks(constraint, origin, world, island.blocks.len());
            for (i, row) in rows.iter().enumerate() {
                // Σ_j C'_ij r_j / ε, to be multiplied by r_i from the left.
                let mut image = [0.0; 2 * MAX_BLOCK];
                for (derivative, other) in derivatives[i * n..(i + 1) * n].iter().zip(rows) {
                    if *derivative != 0.0 {
                        image.iter_mut().zip(other).for_each(|(v, r)| *v += derivative / ε * r);
                    }
                }
                if branch_compliance != ε {
                    let push = -dot(&derivatives[i * n..(i + 1) * n], u) / ε;
                    for (p, half) in [(a, &row[..MAX_BLOCK]), (b, &row[MAX_BLOCK..])] {
                        add_scaled(&mut self.defect[p], push, half);
                    }
                }
                for (p, left) in [(a, &row[..MAX_BLOCK]), (b, &row[MAX_BLOCK..])] {
                    for (q, right) in [(a, &image[..MAX_BLOCK]), (b, &image[MAX_BLOCK..])] {
                        if p < island.blocks.len() && q < island.blocks.len() {
                            let block = self.factors.block(p, q);
                            for (line, l) in block.iter_mut().zip(left) {
                                line.iter_mut().zip(right).for_each(|(v, r)| *v += l * r);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The Newton step, and the change of the velocities along the rows.
    pub(super) fn newton_direction(&mut self, system: &System, island: &Island) {
        self.step.copy_from_slice(&self.defect);
        self.factors.solve(&mut self.step);
        Instructions::detect().run(RowVelocities { newton: self, system, island });
    }

    #[inline(always)]
    fn row_velocities_of_step(&mut self, system: &System, island: &Island) {
        let (first, origin, world) = (system.rows_of(island).start, island.blocks.start, system.v.len() - 1);
        for constraint in &system.constraints[island.constraints.clone()] {
            let [a, b] = local_blocks(constraint, origin, world, island.blocks.len());
            for k in constraint.range() {
                self.du[k - first] = row_velocity(&system.rows[k], &self.step[a], &self.step[b]);
            }
        }
    }

    /// What is left of the descent along the step: `-F . dv`.
    fn directional_derivative(&self, island: &Island) -> f64 {
        let n = island.blocks.len();
        dot(self.defect[..n].as_flattened(), self.step[..n].as_flattened())
    }

    pub(super) fn move_by(&mut self, t: f64) {
        self.u.iter_mut().zip(&self.du).for_each(|(u, d)| *u += t * d);
        let shift = self.shift.as_flattened_mut().iter_mut();
        shift.zip(self.step.as_flattened()).for_each(|(v, d)| *v += t * d);
    }
}

/// [`NonsmoothNewton::defect_at`] as a kernel.
struct Evaluate<'a> {
    newton: &'a mut NonsmoothNewton,
    system: &'a System,
    island: &'a Island,
    law: ContactLaw,
}

impl Kernel for Evaluate<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<P: Packet>(self) -> f64 {
        self.newton.defect_at(self.system, self.island, self.law)
    }
}

/// [`NonsmoothNewton::assemble_derivative`] as a kernel.
struct Linearise<'a> {
    newton: &'a mut NonsmoothNewton,
    system: &'a System,
    island: &'a Island,
    law: ContactLaw,
    branch_compliance: f64,
}

impl Kernel for Linearise<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Packet>(self) {
        self.newton.assemble_derivative(self.system, self.island, self.law, self.branch_compliance);
    }
}

/// [`NonsmoothNewton::row_velocities_of_step`] as a kernel.
struct RowVelocities<'a> {
    newton: &'a mut NonsmoothNewton,
    system: &'a System,
    island: &'a Island,
}

impl Kernel for RowVelocities<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Packet>(self) {
        self.newton.row_velocities_of_step(self.system, self.island);
    }
}

/// Indices of a constraint's blocks within the island; the world is the one after.
fn local_blocks(constraint: &Constraint, origin: usize, world: usize, count: usize) -> [usize; 2] {
    constraint.endpoints.map(|e| if e as usize == world { count } else { e as usize - origin })
}
