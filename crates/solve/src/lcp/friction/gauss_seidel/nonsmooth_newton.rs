//! Newton's method on the contacts of a part, in the space of velocities. Knows the system and its factors.
//!
//! ```text
//! repeat with centre c = x:                                                  proximal steps
//!   x(v) = C(c - u(v) / ε)      C: into the cone;  F(v) = v - v_free - Jᵀ x(v)
//!   repeat: (I + Jᵀ C' J / ε) dv = -F;  v += t dv, t that lowers |F|          semismooth Newton
//!   x = x(v)                    satisfies Coulomb's law but for ε |x - c|
//!   ε smaller if that was easy, larger if not
//! ```
//!
//! `-(u + ε (x - c))` lies in the normal cone at `x = C(c - u/ε)`: a contact law with a little compliance, whose
//! impulses are unique even where contacts are redundant. Once it is known who is open, sticks or slides, every
//! step divides the error by the smallest compliance left over ε, however badly the news travel. Velocities and
//! impulses are tracked as differences from the centre, so that 1/ε multiplies rounding of what is left to do,
//! not of what there is.

use super::block_lu::Factors;
use super::islands::Part;
use super::block_pair::{along, push};
use super::contact_law::{Kind, Law};
use super::system::{Item, System};
use crate::arithmetic::{add_scaled, dot};
use crate::lcp::friction::impulses::Cone;
use crate::lcp::friction::rows::WIDEST;

/// Compliances of the law, in units of the compliance of a contact.
const SOFTEST: f64 = 1.0;
const FIRST: f64 = 1e-2;
const HARDEST: f64 = 1e-9;

/// Compliance of the convex law when it is called again.
const RESUMED: f64 = 1e-3;

/// Newton steps for one centre.
const STEPS: usize = 30;

/// Trials along a step, and the shortest step.
const TRIALS: usize = 14;
const SHORTEST: f64 = 1e-4;

/// Defect that is left of a centre's law, relative to the error.
const INEXACT: f64 = 1e-3;

/// What is better than the goal by this factor is good enough for ever; on the way there, a centre that does
/// not lower the error to this is the last.
const SURPLUS: f64 = 1e-3;
const CHEAP: f64 = 0.7;

/// Centres without halving the error after which to give up, and without gain after which to change the law.
const PATIENCE: usize = 30;
const STUCK: usize = 8;

/// Reusable memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    factors: Factors,
    centre: Vec<f64>,
    best: Vec<f64>,
    /// Velocities along the rows, and what a step adds to them.
    u: Vec<f64>,
    du: Vec<f64>,
    x: Vec<f64>,
    /// Change of the velocities since the centre, the defect and the step.
    shift: Vec<[f64; WIDEST]>,
    defect: Vec<[f64; WIDEST]>,
    step: Vec<[f64; WIDEST]>,
    slopes: Vec<f64>,
    wish: Vec<f64>,
    /// Factorisations in the last solve.
    pub(super) steps: usize,
}

impl Newton {
    /// Improves the impulses of a part; returns the error left, never larger than before.
    pub(super) fn polish(
        &mut self,
        system: &mut System,
        part: &Part,
        cone: Cone,
        goal: f64,
        budget: usize,
    ) -> f64 {
        let rows = system.rows_of(part);
        self.steps = 0;
        self.prepare(system, part);
        system.propel(part);
        let mut error = system.error(part, cone);
        self.best.clear();
        self.best.extend_from_slice(&system.x[rows.clone()]);
        let mut softness = [FIRST; 2];
        let (mut kind, mut mark, mut idle, mut bad) = (Kind::Convex, error, 0, 0);
        let mut gain = 0.0;
        while self.steps < budget {
            // Beyond the goal, only while digits are cheap.
            let goes_on = if error > goal { idle < PATIENCE } else { error > SURPLUS * goal && gain < CHEAP };
            if !goes_on {
                break;
            }
            let ε = softness[kind as usize];
            let law = Law { kind, cone, compliance: ε };
            let steps = self.proximal(system, part, law, f64::max(0.1 * SURPLUS * goal, INEXACT * error));
            let now = self.judge(system, part, cone);
            gain = now / error;
            if now < error {
                error = now;
                self.best.copy_from_slice(&self.x);
            }
            idle = if now < 0.5 * mark { 0 } else { idle + 1 };
            mark = if idle == 0 { now } else { mark };
            softness[kind as usize] = match steps {
                Some(_) if gain < 0.05 => ε,
                Some(0..=1) => f64::max(0.1 * ε, HARDEST),
                Some(2..=4) => f64::max(0.4 * ε, HARDEST),
                Some(5..=10) => ε,
                Some(_) => f64::min(2.0 * ε, SOFTEST),
                None => f64::min(5.0 * ε, SOFTEST),
            };
            let good = gain < if kind == Kind::Convex { 0.3 } else { 0.8 };
            bad = if good { 0 } else { bad + 1 };
            let stuck = kind == Kind::Coulomb && bad >= STUCK;
            if stuck || steps.is_none() && !good {
                self.x.copy_from_slice(if stuck { &self.best } else { &self.centre });
                self.judge(system, part, cone);
            }
            if kind == Kind::Convex && !good {
                softness[Kind::Coulomb as usize] = softness[Kind::Coulomb as usize].max(ε);
                (kind, bad) = (Kind::Coulomb, 0);
            } else if stuck {
                softness[Kind::Convex as usize] = softness[Kind::Convex as usize].max(RESUMED);
                (kind, bad) = (Kind::Convex, 0);
            }
        }
        system.x[rows].copy_from_slice(&self.best);
        system.propel(part);
        error
    }

    /// Takes the memory for a part that is larger than any before, so that it is there when it is needed.
    pub(super) fn make_room(&mut self, system: &System, part: &Part) {
        let rows = system.rows_of(part).len();
        if rows > self.u.capacity() || part.bodies.len() >= self.shift.capacity() {
            self.prepare(system, part);
            for list in [&mut self.centre, &mut self.best] {
                list.clear();
                list.reserve(rows);
            }
        }
    }

    /// Finds the pattern of the factors and sizes all lists.
    fn prepare(&mut self, system: &System, part: &Part) {
        let (rows, bodies) = (system.rows_of(part), part.bodies.len());
        let origin = part.bodies.start as u32;
        let pairs = system.items[part.items.clone()].iter().map(|item| item.ends);
        let world = system.v.len() as u32 - 1;
        self.factors
            .analyse(bodies, pairs.filter(|[_, b]| *b != world).map(|[a, b]| (a - origin, b - origin)));
        for list in [&mut self.u, &mut self.du, &mut self.x] {
            list.resize(rows.len(), 0.0);
        }
        for list in [&mut self.shift, &mut self.defect, &mut self.step] {
            // One more for the world.
            list.resize(bodies + 1, [0.0; WIDEST]);
        }
        self.wish.resize(2 * system.wish.len(), 0.0);
        self.slopes.resize(system.wish.len() * system.wish.len(), 0.0);
    }

    /// Hands the impulses over; returns their error.
    fn judge(&mut self, system: &mut System, part: &Part, cone: Cone) -> f64 {
        let rows = system.rows_of(part);
        system.x[rows].copy_from_slice(&self.x);
        system.propel(part);
        system.error(part, cone)
    }

    /// Solves a law around the present impulses, into `x`, until the defect is small enough. Number of steps;
    /// nothing if there were too many.
    fn proximal(&mut self, system: &System, part: &Part, law: Law, enough: f64) -> Option<usize> {
        let rows = system.rows_of(part);
        self.centre.clear();
        self.centre.extend_from_slice(&system.x[rows.clone()]);
        for item in &system.items[part.items.clone()] {
            let (a, b) = (&system.v[item.ends[0] as usize], &system.v[item.ends[1] as usize]);
            let u = &mut self.u[item.first as usize - rows.start..item.range().end - rows.start];
            let rows = system.rows[item.range()].iter().zip(&system.drift[item.range()]);
            u.iter_mut().zip(rows).for_each(|(u, (row, drift))| *u = along(row, a, b) + drift);
            u[0] += item.bias + law.widening(item, &u[1..]);
        }
        self.shift.fill([0.0; WIDEST]);
        let mut size = self.evaluate(system, part, law);
        // Who is open, sticks or slides is better told by the centre than by its errors, which ε magnifies.
        if self.linearise(system, part, law, 1.0) {
            self.direct(system, part);
            self.advance(1.0);
            let ahead = self.evaluate(system, part, law);
            if ahead >= size {
                self.advance(-1.0);
                self.evaluate(system, part, law);
            }
            size = size.min(ahead);
        }
        for step in 0..STEPS {
            if size <= enough {
                return Some(step);
            }
            if !self.linearise(system, part, law, law.compliance) {
                return None;
            }
            self.direct(system, part);
            size = match law.kind {
                Kind::Coulomb => self.shorten(system, part, law, size)?,
                Kind::Convex => self.minimise(system, part, law),
            };
        }
        None
    }

    /// Goes along the step until the defect is smaller; nothing if it never is.
    fn shorten(&mut self, system: &System, part: &Part, law: Law, before: f64) -> Option<f64> {
        let (mut t, mut taken) = (1.0, 0.0);
        while t > SHORTEST {
            self.advance(t - taken);
            let size = self.evaluate(system, part, law);
            if size < (1.0 - 1e-4 * t) * before {
                return Some(size);
            }
            (taken, t) = (t, 0.5 * t);
        }
        None
    }

    /// Goes along the step to about the minimum of the convex function whose gradient F is: `dv . F` grows on
    /// the way and is zero there.
    fn minimise(&mut self, system: &System, part: &Part, law: Law) -> f64 {
        let start = self.descent(part);
        let (mut low, mut high) = ((0.0, start), (f64::INFINITY, 0.0));
        let (mut t, mut taken, mut size) = (1.0, 0.0, 0.0);
        for _ in 0..TRIALS {
            self.advance(t - taken);
            taken = t;
            size = self.evaluate(system, part, law);
            let left = self.descent(part);
            if left.abs() <= 0.3 * start || left > 0.0 && t == 1.0 {
                break;
            }
            *(if left >= 0.0 { &mut low } else { &mut high }) = (t, left);
            let width = high.0 - low.0;
            let secant: f64 = low.0 + width * low.1 / (low.1 - high.1);
            // Nothing to minimise, or nothing that is a number: where it got to is as good as any.
            if !(width > 0.0 && secant.is_finite()) {
                break;
            }
            t = secant.clamp(low.0 + 0.1 * width, high.0 - 0.1 * width);
        }
        size
    }

    /// `x(v)` and `-F(v)`; returns the size of F.
    fn evaluate(&mut self, system: &System, part: &Part, law: Law) -> f64 {
        let (first, origin, world) = (system.rows_of(part).start, part.bodies.start, system.v.len() - 1);
        for (defect, shift) in self.defect.iter_mut().zip(&self.shift) {
            *defect = shift.map(|v| -v);
        }
        for item in &system.items[part.items.clone()] {
            let range = item.first as usize - first..item.range().end - first;
            let wish = &mut self.x[range.clone()];
            let (centre, u) = (&self.centre[range.clone()], &self.u[range]);
            wish.iter_mut().zip(centre).zip(u).for_each(|((w, c), u)| *w = c - u / law.compliance);
            law.answer(item, wish);
            let [a, b] = local(item, origin, world, part.bodies.len());
            let (mut da, mut db) = (self.defect[a], self.defect[b]);
            for ((x, c), row) in wish.iter().zip(centre).zip(&system.rows[item.range()]) {
                push(row, x - c, &mut da, &mut db);
            }
            (self.defect[a], self.defect[b]) = (da, db);
        }
        let all = self.defect[..part.bodies.len()].as_flattened();
        all.iter().fold(0.0, |m, v| m + v * v).sqrt()
    }

    /// `I + Jᵀ C' J / ε`, factorised, for the places in the cones that a compliance `told` tells. If that is
    /// another one, the defect becomes that of the centre as seen from these places.
    fn linearise(&mut self, system: &System, part: &Part, law: Law, told: f64) -> bool {
        let ε = law.compliance;
        let (first, origin, world) = (system.rows_of(part).start, part.bodies.start, system.v.len() - 1);
        self.factors.reset();
        if told != ε {
            self.defect.fill([0.0; WIDEST]);
        }
        for item in &system.items[part.items.clone()] {
            let range = item.first as usize - first..item.range().end - first;
            let rows = &system.rows[item.range()];
            let n = rows.len();
            let u = &self.u[range.clone()];
            let (wish, place) = self.wish[..2 * n].split_at_mut(n);
            wish.iter_mut().zip(&self.centre[range]).zip(u).for_each(|((w, c), u)| *w = c - u / told);
            place.copy_from_slice(wish);
            law.answer(item, place);
            let slopes = &mut self.slopes[..n * n];
            if !law.slope(item, wish, place, slopes) {
                continue;
            }
            let [a, b] = local(item, origin, world, part.bodies.len());
            for (i, row) in rows.iter().enumerate() {
                // Σ_j C'_ij r_j / ε, to be multiplied by r_i from the left.
                let mut image = [0.0; 2 * WIDEST];
                for (slope, other) in slopes[i * n..(i + 1) * n].iter().zip(rows) {
                    if *slope != 0.0 {
                        image.iter_mut().zip(other).for_each(|(v, r)| *v += slope / ε * r);
                    }
                }
                if told != ε {
                    let push = -dot(&slopes[i * n..(i + 1) * n], u) / ε;
                    for (p, half) in [(a, &row[..WIDEST]), (b, &row[WIDEST..])] {
                        add_scaled(&mut self.defect[p], push, half);
                    }
                }
                for (p, left) in [(a, &row[..WIDEST]), (b, &row[WIDEST..])] {
                    for (q, right) in [(a, &image[..WIDEST]), (b, &image[WIDEST..])] {
                        if p < part.bodies.len() && q < part.bodies.len() {
                            let block = self.factors.block(p, q);
                            for (line, l) in block.iter_mut().zip(left) {
                                line.iter_mut().zip(right).for_each(|(v, r)| *v += l * r);
                            }
                        }
                    }
                }
            }
        }
        self.steps += 1;
        self.factors.factor()
    }

    /// The step that the factors make of the defect, and what it adds to the velocities along the rows.
    fn direct(&mut self, system: &System, part: &Part) {
        self.step.copy_from_slice(&self.defect);
        self.factors.solve(&mut self.step);
        let (first, origin, world) = (system.rows_of(part).start, part.bodies.start, system.v.len() - 1);
        for item in &system.items[part.items.clone()] {
            let [a, b] = local(item, origin, world, part.bodies.len());
            for k in item.range() {
                self.du[k - first] = along(&system.rows[k], &self.step[a], &self.step[b]);
            }
        }
    }

    /// What is left of the descent along the step: `-F . dv`.
    fn descent(&self, part: &Part) -> f64 {
        let n = part.bodies.len();
        dot(self.defect[..n].as_flattened(), self.step[..n].as_flattened())
    }

    fn advance(&mut self, t: f64) {
        self.u.iter_mut().zip(&self.du).for_each(|(u, d)| *u += t * d);
        let shift = self.shift.as_flattened_mut().iter_mut();
        shift.zip(self.step.as_flattened()).for_each(|(v, d)| *v += t * d);
    }
}

/// Places of an item's blocks within the part; the world is the one after.
fn local(item: &Item, origin: usize, world: usize, count: usize) -> [usize; 2] {
    item.ends.map(|e| if e as usize == world { count } else { e as usize - origin })
}
