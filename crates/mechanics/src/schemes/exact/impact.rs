//! What an impact does to the momenta of the islands that meet.
//!
//! ```text
//! sum          g = Σ ∇s_i              p ← p - (1+e) ⟨g,p⟩/⟨g,g⟩ g                          [Leyendecker 3.2]
//! sequential   the contact that closes fastest, reflected; again, until none closes
//! moreau       p ← p + Σ λ_i ∇s_i,     0 ≤ λ_i ⊥ v_i⁺ + e_i v_i⁻ ≥ 0,   v_i = ⟨∇s_i, p⟩
//! ```
//!
//! For one contact and `e = 1` all three are the reflection, which solves the jump condition on the projected Hamiltonian
//! [Johnson 3.74] in closed form. Gradients are those of contact events, so that a face that lands has all its corners.
//!
//! Losses [Pekarek]: with friction the impulse at a point has a tangential part within Coulomb's cone; a plastic impact stops
//! the points of contact altogether. These are the `f_con` of the collision models, written as what they leave of the momentum.

use crate::contact::{Contacts, Group, ImpactLaw, Loss, Touch, dot};
use crate::model::Model;
use crate::state::State;
use percussion_geometry::Vec3;

/// One contact of an impact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub pair: (usize, usize),
    pub touch: Touch,
    pub restitution: f64,
    pub friction: f64,
    /// Normal velocity before and after, m/s.
    pub speed: (f64, f64),
    /// Impulse on `a`, N s: along the normal, and across it.
    pub normal_impulse: f64,
    pub tangential: Vec3,
}

/// Rounds of a sequence of impacts before it is called a cascade.
const ROUNDS: usize = 200;
/// Closing speed, relative to the greatest there could be, that is rounding.
const RESTS: f64 = 1e-12;
/// Relative change of impulses at which sweeps over contacts end.
const SETTLED: f64 = 1e-15;
const SWEEPS: usize = 20_000;
/// Inverse mass of a direction, relative to another at the same contact, below which it cannot move (out of the plane).
const INERT: f64 = 1e-12;

/// Memory for impacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Impacts {
    /// Three rows for each contact: along the normal and two tangents.
    rows: Vec<f64>,
    /// `Mred⁻¹` of each.
    answers: Vec<f64>,
    /// `W = N Mred⁻¹ Nᵀ`.
    w: Vec<f64>,
    impulses: Vec<f64>,
    velocities: Vec<f64>,
    /// Velocities before the impact.
    first: Vec<f64>,
    n: usize,
}

/// What is left to decide: contacts at rest or in need of another scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// Momenta have changed and no contact closes.
    Done,
    /// No contact closes to begin with.
    Rests,
    /// A sequence that does not end.
    Cascade,
}

impl Impacts {
    /// Changes the momenta `p` of a group by an impact (contacts that close slower than `slowest`, m/s, rest); fills in what every contact felt. `d` becomes the change.
    #[allow(clippy::too_many_arguments)]
    pub fn resolve(
        &mut self,
        model: &Model,
        state: &State,
        contacts: &Contacts,
        group: &mut Group,
        law: ImpactLaw,
        loss: Option<Loss>,
        slowest: f64,
        meetings: &mut [Meeting],
        p: &mut [f64],
        d: &mut Vec<f64>,
    ) -> Verdict {
        self.read(model, state, contacts, group, meetings);
        self.velocities_of(p, meetings.len());
        self.first.clone_from(&self.velocities);
        // No contact could be faster than momentum allows.
        let m = 3 * meetings.len();
        let widest = (0..meetings.len()).map(|k| self.w[3 * k * (m + 1)]).fold(0.0, f64::max);
        group.solve(model, p, {
            d.clear();
            d.resize(self.n, 0.0);
            d
        });
        let rest = slowest.max(RESTS * (dot(p, d) * widest).sqrt());
        for (k, meeting) in meetings.iter_mut().enumerate() {
            meeting.speed = (self.velocities[3 * k], self.velocities[3 * k]);
            meeting.normal_impulse = 0.0;
            meeting.tangential = Vec3::zeros();
        }
        if !meetings.iter().any(|m| m.speed.0 < -rest) {
            return Verdict::Rests;
        }
        self.impulses.clear();
        self.impulses.resize(3 * meetings.len(), 0.0);
        let verdict = match (law, loss) {
            (_, Some(Loss::Plastic)) => self.stop(meetings),
            (_, Some(Loss::Frictional)) => self.moreau(meetings, true),
            (ImpactLaw::Moreau, _) => self.moreau(meetings, false),
            (ImpactLaw::Sum, _) => self.sum(meetings, rest),
            (ImpactLaw::Sequential, _) => self.sequence(meetings, rest),
        };
        d.clear();
        d.resize(self.n, 0.0);
        for (row, impulse) in self.rows.chunks_exact(self.n).zip(&self.impulses) {
            d.iter_mut().zip(row).for_each(|(d, g)| *d += impulse * g);
        }
        p.iter_mut().zip(d.iter()).for_each(|(p, d)| *p += d);
        self.velocities_of(p, meetings.len());
        for (k, meeting) in meetings.iter_mut().enumerate() {
            meeting.speed.1 = self.velocities[3 * k];
            meeting.normal_impulse = self.impulses[3 * k];
            let (e1, e2) = contacts.across(meeting.pair, &meeting.touch.normal());
            meeting.tangential = e1 * self.impulses[3 * k + 1] + e2 * self.impulses[3 * k + 2];
        }
        verdict
    }

    /// Work of the normal and of the tangential impulses, scaled, of which momenta became `p`, J: impulse times the mean of the
    /// velocities before and after.
    pub fn work(&mut self, p: &[f64], scale: f64) -> (f64, f64) {
        self.velocities_of(p, self.impulses.len() / 3);
        let (mut normal, mut tangential) = (0.0, 0.0);
        for (i, impulse) in self.impulses.iter().enumerate() {
            let work = 0.5 * scale * impulse * (self.first[i] + self.velocities[i]);
            if i % 3 == 0 { normal += work } else { tangential += work }
        }
        (normal, tangential)
    }

    /// Rows of all contacts, their images under `Mred⁻¹`, and `W`.
    fn read(
        &mut self,
        model: &Model,
        state: &State,
        contacts: &Contacts,
        group: &mut Group,
        meetings: &[Meeting],
    ) {
        let n = group.freedoms();
        self.n = n;
        self.rows.clear();
        self.rows.resize(3 * meetings.len() * n, 0.0);
        self.answers.clear();
        self.answers.resize(3 * meetings.len() * n, 0.0);
        for (k, meeting) in meetings.iter().enumerate() {
            let normal = meeting.touch.normal();
            let (e1, e2) = contacts.across(meeting.pair, &normal);
            let point = meeting.touch.point();
            for (i, direction) in [normal, e1, e2].iter().enumerate() {
                let row = &mut self.rows[(3 * k + i) * n..(3 * k + i + 1) * n];
                group.direction(model, state, contacts, meeting.pair, (&point, direction), row);
                let answer = &mut self.answers[(3 * k + i) * n..(3 * k + i + 1) * n];
                group.solve(model, row, answer);
            }
        }
        let m = 3 * meetings.len();
        self.w.clear();
        self.w.resize(m * m, 0.0);
        for i in 0..m {
            for j in 0..m {
                self.w[i * m + j] = dot(&self.rows[i * n..(i + 1) * n], &self.answers[j * n..(j + 1) * n]);
            }
        }
    }

    /// Relative velocities of all contacts for momenta `p`.
    fn velocities_of(&mut self, p: &[f64], contacts: usize) {
        self.velocities.clear();
        let n = self.n;
        self.velocities.extend((0..3 * contacts).map(|i| dot(&self.answers[i * n..(i + 1) * n], p)));
    }

    /// Velocity of row `i` after the impulses so far.
    fn now(&self, i: usize) -> f64 {
        let m = self.impulses.len();
        self.velocities[i] + dot(&self.w[i * m..(i + 1) * m], &self.impulses)
    }

    /// One multiplier for the sum of the gradients of all contacts that touch.
    fn sum(&mut self, meetings: &[Meeting], rest: f64) -> Verdict {
        let m = self.impulses.len();
        for _ in 0..ROUNDS {
            let closing = |k: usize, this: &Self| this.now(3 * k) < -rest;
            if !(0..meetings.len()).any(|k| closing(k, self)) {
                return Verdict::Done;
            }
            // Contacts that open already take no part: a floor does not pull.
            let taken: Vec<usize> = (0..meetings.len()).filter(|&k| closing(k, self)).collect();
            let (mut along, mut square, mut e) = (0.0, 0.0, 0.0f64);
            for &k in &taken {
                along += self.now(3 * k);
                e = e.max(meetings[k].restitution);
                square += taken.iter().map(|&l| self.w[3 * k * m + 3 * l]).sum::<f64>();
            }
            let impulse = -(1.0 + e) * along / square;
            for &k in &taken {
                self.impulses[3 * k] += impulse;
            }
        }
        Verdict::Cascade
    }

    /// One contact after the other, the fastest first.
    fn sequence(&mut self, meetings: &[Meeting], rest: f64) -> Verdict {
        let m = self.impulses.len();
        for _ in 0..ROUNDS {
            let speeds = (0..meetings.len()).map(|k| (k, self.now(3 * k)));
            let (k, speed) = speeds.fold((0, 0.0), |best, next| if next.1 < best.1 { next } else { best });
            if !(speed < -rest) {
                return Verdict::Done;
            }
            self.impulses[3 * k] -= (1.0 + meetings[k].restitution) * speed / self.w[3 * k * (m + 1)];
        }
        Verdict::Cascade
    }

    /// Moreau's law, with Coulomb's friction if asked for: sweeps over the contacts with exact local answers.
    fn moreau(&mut self, meetings: &[Meeting], friction: bool) -> Verdict {
        let m = self.impulses.len();
        for _ in 0..SWEEPS {
            let (mut change, mut size) = (0.0f64, 0.0f64);
            for (k, meeting) in meetings.iter().enumerate() {
                let (i, e) = (3 * k, meeting.restitution);
                // A contact that opens before the impact must not close after it.
                let target = -e * self.velocities[i].min(0.0);
                let before = self.impulses[i];
                let wanted = before + (target - self.now(i)) / self.w[i * (m + 1)];
                self.impulses[i] = wanted.max(0.0);
                change = change.max((self.impulses[i] - before).abs());
                if friction && meeting.friction > 0.0 {
                    change = change.max(self.slide(i, meeting.friction * self.impulses[i]));
                }
                size = size.max(self.impulses[i]);
            }
            if change <= SETTLED * size {
                return Verdict::Done;
            }
        }
        Verdict::Done
    }

    /// The tangential impulse of a contact within a disc that leaves least kinetic energy; returns how far it moved.
    fn slide(&mut self, i: usize, radius: f64) -> f64 {
        let m = self.impulses.len();
        let w = |r: usize, c: usize| self.w[(i + 1 + r) * m + i + 1 + c];
        let (a, b, c) = (w(0, 0), 0.5 * (w(0, 1) + w(1, 0)), w(1, 1));
        let old = [self.impulses[i + 1], self.impulses[i + 2]];
        let v = [self.now(i + 1), self.now(i + 2)];
        // minimise ½ x·W x + x·q over |x| ≤ radius, in the axes of W; a direction without effect stays without impulse
        let q = [v[0] - a * old[0] - b * old[1], v[1] - b * old[0] - c * old[1]];
        let (sin, cos) = (0.5 * (2.0 * b).atan2(a - c)).sin_cos();
        let (mean, half) = (0.5 * (a + c), (0.5 * (a - c)).hypot(b));
        let along = [q[0] * cos + q[1] * sin, q[1] * cos - q[0] * sin];
        let weights = [mean + half, mean - half];
        let solve = |shift: f64| {
            let y = [0, 1].map(|k| match weights[k] > INERT * weights[0] {
                true => -along[k] / (weights[k] + shift),
                false => 0.0,
            });
            [y[0] * cos - y[1] * sin, y[0] * sin + y[1] * cos]
        };
        let length = |x: [f64; 2]| x[0].hypot(x[1]);
        let mut x = solve(0.0);
        if length(x) > radius {
            // |x(shift)| falls with the shift: bisection between zero and |q|/radius.
            let (mut low, mut high) = (0.0, length(q) / radius.max(f64::MIN_POSITIVE));
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if middle == low || middle == high {
                    break;
                }
                if length(solve(middle)) > radius { low = middle } else { high = middle }
            }
            x = solve(high);
            if radius == 0.0 {
                x = [0.0, 0.0];
            }
        }
        self.impulses[i + 1] = x[0];
        self.impulses[i + 2] = x[1];
        (x[0] - old[0]).abs().max((x[1] - old[1]).abs())
    }

    /// Stops all points of contact: sweeps with exact answers for each point.
    fn stop(&mut self, meetings: &[Meeting]) -> Verdict {
        let m = self.impulses.len();
        for _ in 0..SWEEPS {
            let (mut change, mut size) = (0.0f64, 0.0f64);
            for i in 0..3 * meetings.len() {
                // Along a direction that nothing can move in there is nothing to stop.
                if !(self.w[i * (m + 1)] > INERT * self.w[(i - i % 3) * (m + 1)]) {
                    continue;
                }
                let step = -self.now(i) / self.w[i * (m + 1)];
                let before = self.impulses[i];
                self.impulses[i] += step;
                // A floor does not pull.
                if i % 3 == 0 {
                    self.impulses[i] = self.impulses[i].max(0.0);
                }
                change = change.max((self.impulses[i] - before).abs());
                size = size.max(self.impulses[i].abs());
            }
            if change <= SETTLED * size {
                break;
            }
        }
        Verdict::Done
    }
}
