//! Large piles: block nonlinear Gauss-Seidel, one contact after the other, on facets or on Coulomb's cone.
//!
//! ```text
//! repeat: for each equality:  c_ν <- c_ν - (νᵀ v + Υ) / g
//!         for each contact:   c_n <- max(0, c_n - (nᵀ v + Δ) / g)
//!                             β   <- the best of its disc or diamond of radius μ c_n, all else held
//!         (v follows every change of an impulse at once: v += change · W r)
//!         extrapolate over the sweeps before (Anderson), back into the cones, v anew
//! until the judge's residual is below the tolerance
//! ```
//!
//! The cost of a sweep is linear in the contacts; a warm call allocates nothing. Fixed points are exactly the
//! solutions; nothing guarantees that one is reached, and a friction cone that is not pointed ends in the
//! limit of sweeps.
//!
//! What sweeps cannot do is carry news far: a tower of n blocks on four corners each bends like a beam, its
//! condition grows like n⁴ and the sweeps almost so. Extrapolation gains a factor of fifty to two hundred on
//! towers of five or ten; beyond twenty or thirty, for eight digits, [`FixedPoint`](super::FixedPoint) is the
//! method, and its answer a start for this one.

use super::acceleration::Anderson;
use super::impulses::{Cone, FrictionalOutcome, FrictionalSolution, Impulses};
use super::local::{plane, segment, shrink_to_diamond};
use super::problem::Frictional;
use super::residual::judge;
use crate::error::SolveError;

/// Sweeps between looks at the residual while changes are still large.
const LOOK: usize = 25;

/// Solves frictional problems by sweeps over the contacts.
///
/// ```
/// use percussion_solve::{Cone, Frictional, GaussSeidel};
///
/// // A puck of mass 1 slides along the diagonal of its two tangents.
/// let mut problem = Frictional::new();
/// let w = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let puck = problem.block(&w, &[3.0, 4.0, -1.0])?;
/// problem.contact(&[(puck, &[0.0, 0.0, 1.0])], 0.5, 0.0)?;
/// problem.tangent(&[(puck, &[1.0, 0.0, 0.0])])?.tangent(&[(puck, &[0.0, 1.0, 0.0])])?;
/// let mut solver = GaussSeidel::new();
/// solver.cone = Cone::Round;
/// let v = &solver.solve(&problem)?.impulses.velocity;
/// // Coulomb's friction takes 0.5 of the speed 5, in its direction.
/// assert!((v[0] - 2.7).abs() < 1e-8 && (v[1] - 3.6).abs() < 1e-8 && v[2].abs() < 1e-8);
/// # Ok::<(), percussion_solve::SolveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GaussSeidel {
    /// Pyramid or round cone.
    pub cone: Cone,
    /// Residual at which to stop.
    pub tolerance: f64,
    /// Most sweeps.
    pub limit: usize,
    /// Factor of every normal change and every equality: below one is slower and calmer.
    pub relaxation: f64,
    /// Sweeps that the extrapolation looks back on; none at zero.
    pub memory: usize,
    /// Impulses: equalities, normals, tangents.
    x: Vec<f64>,
    /// Impulses before the sweep.
    before: Vec<f64>,
    v: Vec<f64>,
    /// What contacts with more than two tangents would like.
    wish: Vec<f64>,
    /// √g of each impulse.
    scale: Vec<f64>,
    /// Coupling of the first two tangents of each contact.
    coupling: Vec<f64>,
    anderson: Anderson,
    scratch: Impulses,
    answer: FrictionalSolution,
}

impl Default for GaussSeidel {
    fn default() -> Self {
        Self {
            cone: Cone::Facets,
            tolerance: 1e-8,
            limit: 10_000,
            relaxation: 1.0,
            memory: 5,
            x: Vec::new(),
            before: Vec::new(),
            v: Vec::new(),
            wish: Vec::new(),
            scale: Vec::new(),
            coupling: Vec::new(),
            anderson: Anderson::default(),
            scratch: Impulses::default(),
            answer: FrictionalSolution::default(),
        }
    }
}

impl GaussSeidel {
    /// Facets, residual 1e-8, at most 10,000 sweeps, extrapolation over five.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves a problem from no impulses at all. The answer lives until the next call.
    pub fn solve(&mut self, problem: &Frictional) -> Result<&FrictionalSolution, SolveError> {
        problem.suits(self.cone)?;
        self.prepare(problem);
        Ok(self.iterate(problem))
    }

    /// Solves a problem from the impulses of another one, matched by their order: those of the step before,
    /// as a rule. Entries that are missing start at zero.
    pub fn solve_from(
        &mut self,
        problem: &Frictional,
        start: &Impulses,
    ) -> Result<&FrictionalSolution, SolveError> {
        problem.suits(self.cone)?;
        self.prepare(problem);
        let (e, m) = (problem.equality_count(), problem.contact_count());
        let facets = start.facets.chunks_exact(2).map(|pair| pair[0] - pair[1]);
        let given = |v: f64| if v.is_finite() { v } else { 0.0 };
        self.x[..e].iter_mut().zip(&start.equality).for_each(|(x, c)| *x = given(*c));
        self.x[e..e + m].iter_mut().zip(&start.normal).for_each(|(x, c)| *x = given(*c));
        self.x[e + m..].iter_mut().zip(facets).for_each(|(x, p)| *x = given(p));
        self.enter_cones(problem);
        self.propel(problem);
        Ok(self.iterate(problem))
    }

    fn prepare(&mut self, problem: &Frictional) {
        let tangents = problem.tangents.len();
        let count = problem.equality_count() + problem.contact_count() + tangents;
        for vector in [&mut self.x, &mut self.before] {
            vector.clear();
            vector.resize(count, 0.0);
        }
        self.wish.resize(tangents, 0.0);
        self.v.resize(problem.size(), 0.0);
        problem.free_velocity(&mut self.v);
        self.scale.clear();
        let normals = problem.contacts.iter().map(|c| &c.normal);
        let rows = problem.equalities.iter().map(|e| &e.0).chain(normals).chain(&problem.tangents);
        self.scale.extend(rows.map(|row| row.compliance.sqrt()));
        self.coupling.clear();
        self.coupling.extend(problem.contacts.iter().map(|contact| {
            match &problem.tangents[contact.range()] {
                [s, t, ..] => s.coupling(t),
                _ => 0.0,
            }
        }));
        self.anderson.prepare(count, self.memory);
    }

    fn iterate(&mut self, problem: &Frictional) -> &FrictionalSolution {
        let size = problem.momentum_size().max(f64::MIN_POSITIVE);
        let mut due = f64::INFINITY;
        self.answer.evidence = None;
        self.answer.outcome = FrictionalOutcome::IterationLimit;
        self.answer.iterations = 0;
        for sweep in 1..=self.limit.max(1) {
            self.before.copy_from_slice(&self.x);
            self.sweep(problem);
            self.answer.iterations = sweep;
            let change = self.change() / size;
            if change <= self.tolerance.min(0.5 * due) || sweep % LOOK == 0 || sweep == self.limit {
                due = change;
                self.look(problem);
                if self.answer.residual.worst() <= self.tolerance {
                    self.answer.outcome = FrictionalOutcome::Solved;
                    break;
                }
            }
            if self.memory > 0 && self.anderson.extrapolate(&self.before, &mut self.x, &self.scale) {
                self.enter_cones(problem);
                self.propel(problem);
            }
        }
        &self.answer
    }

    /// One pass over all rows.
    fn sweep(&mut self, problem: &Frictional) {
        for (k, (row, offset)) in problem.equalities.iter().enumerate() {
            let change = -self.relaxation * (row.along(&self.v) + offset) / row.compliance;
            self.x[k] += change;
            row.push(change, &mut self.v);
        }
        for m in 0..problem.contact_count() {
            self.press(problem, m);
            self.rub(problem, m);
        }
    }

    /// The normal impulse of a contact.
    fn press(&mut self, problem: &Frictional, m: usize) {
        let contact = &problem.contacts[m];
        let c = &mut self.x[problem.equality_count() + m];
        let approach = contact.normal.along(&self.v) + contact.gap;
        let next = (*c - self.relaxation * approach / contact.normal.compliance).max(0.0);
        contact.normal.push(next - *c, &mut self.v);
        *c = next;
    }

    /// The tangential impulse of a contact.
    fn rub(&mut self, problem: &Frictional, m: usize) {
        let contact = &problem.contacts[m];
        if !contact.rubs() {
            return;
        }
        let offset = problem.equality_count() + problem.contact_count();
        let reach = contact.friction * self.x[problem.equality_count() + m];
        let rows = &problem.tangents[contact.range()];
        let p = &mut self.x[offset + contact.tangents.0..offset + contact.tangents.1];
        let v = &mut self.v;
        match rows {
            [row] => {
                let next = segment(row.compliance, p[0], row.along(v), reach);
                row.push(next - p[0], v);
                p[0] = next;
            }
            [s, t] => {
                let g = [s.compliance, self.coupling[m], t.compliance];
                let next = plane(self.cone, g, [p[0], p[1]], [s.along(v), t.along(v)], reach);
                s.push(next[0] - p[0], v);
                t.push(next[1] - p[1], v);
                p.copy_from_slice(&next);
            }
            _ => {
                let softness: f64 = rows.iter().map(|row| row.compliance).sum();
                let next = &mut self.wish[contact.range()];
                for ((next, row), p) in next.iter_mut().zip(rows).zip(&*p) {
                    *next = p - row.along(v) / softness;
                }
                shrink_to_diamond(next, reach);
                for ((next, row), p) in next.iter().zip(rows).zip(p) {
                    row.push(next - *p, v);
                    *p = *next;
                }
            }
        }
    }

    /// Extrapolated impulses, brought back to where they are allowed.
    fn enter_cones(&mut self, problem: &Frictional) {
        let e = problem.equality_count();
        let (normals, tangents) = self.x[e..].split_at_mut(problem.contact_count());
        for (c, contact) in normals.iter_mut().zip(&problem.contacts) {
            *c = c.max(0.0);
            let p = &mut tangents[contact.range()];
            let reach = if contact.rubs() { contact.friction * *c } else { 0.0 };
            match self.cone {
                Cone::Facets => shrink_to_diamond(p, reach),
                Cone::Round => {
                    let length = p.iter().map(|v| v * v).sum::<f64>().sqrt();
                    if length > reach {
                        p.iter_mut().for_each(|p| *p *= reach / length);
                    }
                }
            }
        }
    }

    /// The velocity of the impulses.
    fn propel(&mut self, problem: &Frictional) {
        problem.free_velocity(&mut self.v);
        let normals = problem.contacts.iter().map(|c| &c.normal);
        let rows = problem.equalities.iter().map(|e| &e.0).chain(normals).chain(&problem.tangents);
        for (row, x) in rows.zip(&self.x) {
            if *x != 0.0 {
                row.push(*x, &mut self.v);
            }
        }
    }

    /// Largest change of an impulse in the last sweep, in units of 1/√g.
    fn change(&self) -> f64 {
        let changes = self.x.iter().zip(&self.before).zip(&self.scale).map(|((x, b), s)| (x - b).abs() * s);
        changes.fold(0.0, f64::max)
    }

    /// Writes the impulses into the answer and has them judged.
    fn look(&mut self, problem: &Frictional) {
        let (e, m) = (problem.equality_count(), problem.contact_count());
        let impulses = &mut self.answer.impulses;
        impulses.fit(problem);
        impulses.equality.copy_from_slice(&self.x[..e]);
        impulses.normal.copy_from_slice(&self.x[e..e + m]);
        for (pair, p) in impulses.facets.chunks_exact_mut(2).zip(&self.x[e + m..]) {
            pair.copy_from_slice(&[p.max(0.0), (-p).max(0.0)]);
        }
        impulses.propel(problem);
        // Rounding of many small changes ends here.
        self.v.copy_from_slice(&impulses.velocity);
        impulses.observe_slip(problem, self.cone);
        self.answer.residual = judge(problem, impulses, self.cone, None, &mut self.scratch);
    }
}
