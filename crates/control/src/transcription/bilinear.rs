//! Derivatives of events whose laws have no cone: linear in momenta `p` and impulses `Λ`, so that differences are needed along the
//! freedoms alone.
//!
//! ```text
//! kick   Dᵀ Λ                                 law r   D_r M⁻¹ (c_r p + Dᵀ Λ),   c = 1 + e, or 1 where a velocity vanishes
//! φ = w·kick + Σ y_r law_r = g(q)·(p, Λ)      g_p = M⁻¹ Σ y c D_r     g_Λj = D_j·(w + M⁻¹ Σ y D_r)
//! ∂²φ/∂q∂(p, Λ) = ∂g/∂q                       ∂²φ/∂q² = ∂²g/∂q²·(p, Λ)
//! ```

use super::local::{Event, Law, Local, STEPS, What, all_directions};
use super::piece::Context;
use super::point::{NONE, Point};
use crate::kinematics::Stance;
use percussion_mechanics::{Model, State};

/// A local piece whose functions are linear in momenta and impulses.
pub(super) struct Bilinear<'a> {
    piece: &'a Local,
    events: &'a [Event],
}

impl Local {
    /// The piece as a bilinear one, if it is.
    pub(super) fn bilinear(&self) -> Option<Bilinear<'_>> {
        let What::Events(events) = &self.what else { return None };
        let plain = events.iter().all(|e| !matches!(e.across, Law::Slide(_) | Law::Stick(_)));
        plain.then_some(Bilinear { piece: self, events })
    }
}

impl Bilinear<'_> {
    /// Of each law its direction and the factor `c` of the momenta before.
    fn laws(&self) -> impl Iterator<Item = (usize, f64)> {
        let mut first = 0;
        self.events.iter().flat_map(move |event| {
            let held = if event.directions.pushes() { 1 } else { event.directions.count() };
            let along = match event.normal {
                Law::Restitution(e) => Some(1.0 + e),
                Law::Stop => Some(1.0),
                _ => None,
            };
            let across = (event.across == Law::Stop).then_some([first + 1, first + 2]);
            let from = first;
            first += event.directions.count();
            let along = along.into_iter().flat_map(move |c| (from..from + held).map(move |row| (row, c)));
            along.chain(across.into_iter().flatten().map(|row| (row, 1.0)))
        })
    }

    /// A configuration looked at, with the directions there.
    fn stand<'s>(&self, room: &mut Room, model: &'s Model, state: &'s State) -> Stance<'s> {
        let count = self.piece.variables.len() - self.piece.impulses;
        let mut stance = Stance::new(model, state);
        room.rows.resize(count * model.freedoms, 0.0);
        all_directions(&mut stance, self.events, &mut room.rows);
        stance
    }

    /// `g` where [`Bilinear::stand`] looked: over momenta and impulses.
    fn slopes(&self, room: &mut Room, stance: &mut Stance, weights: &[f64], out: &mut [f64]) {
        let model = stance.model;
        let n = model.freedoms;
        let Room { rows, push, after, before, rates } = room;
        for list in [&mut *push, &mut *after, &mut *before, &mut *rates] {
            list.clear();
            list.resize(n, 0.0);
        }
        let mut next = 0;
        for &island in &self.piece.islands {
            let range = model.islands[island].freedoms.clone();
            let own = range.len();
            push[range].copy_from_slice(&weights[next..next + own]);
            next += own;
        }
        for ((row, c), y) in self.laws().zip(&weights[next..]) {
            for (i, d) in rows[row * n..(row + 1) * n].iter().enumerate() {
                after[i] += y * d;
                before[i] += y * c * d;
            }
        }
        stance.speed(&self.piece.islands, before, rates);
        let mut next = 0;
        for &island in &self.piece.islands {
            let range = model.islands[island].freedoms.clone();
            let own = range.len();
            out[next..next + own].copy_from_slice(&rates[range]);
            next += own;
        }
        if !self.piece.at_end {
            stance.speed(&self.piece.islands, after, rates);
            push.iter_mut().zip(rates).for_each(|(w, v)| *w += *v);
        }
        for (row, out) in rows.chunks_exact(n).zip(&mut out[next..]) {
            *out = row.iter().zip(push.iter()).map(|(d, w)| d * w).sum();
        }
    }

    pub(super) fn hessian(&self, context: &mut Context, at: &Point, weights: &[f64], out: &mut [f64]) {
        let piece = self.piece;
        let model = context.plan.model.clone();
        let (all, q) = (piece.variables.len(), piece.momenta);
        let numbers = &piece.numbers(at)[q..];
        let mut room = Room::default();
        let mut look = |context: &mut Context, shifts: &[(usize, f64)], g: &mut [f64]| -> f64 {
            let state = piece.placed(context, at, shifts);
            let mut stance = self.stand(&mut room, &model, &state);
            self.slopes(&mut room, &mut stance, weights, g);
            context.give_back(state);
            g.iter().zip(numbers).map(|(g, z)| g * z).sum()
        };
        let h = STEPS.1;
        let mut sides = [vec![0.0; all - q], vec![0.0; all - q]];
        let here = look(context, &[], &mut sides[0]);
        let mut ends = vec![(here, here); q];
        for i in (0..q).filter(|&i| piece.variables[i] != NONE) {
            let [up, down] = &mut sides;
            ends[i] = (look(context, &[(i, h)], up), look(context, &[(i, -h)], down));
            for (k, (a, b)) in up.iter().zip(down).enumerate() {
                let slope = (a - *b) / (2.0 * h);
                out[i * all + q + k] = slope;
                out[(q + k) * all + i] = slope;
            }
            out[i * all + i] = (ends[i].0 - 2.0 * here + ends[i].1) / (h * h);
            for j in (0..i).filter(|&j| piece.variables[j] != NONE) {
                let both = look(context, &[(i, h), (j, h)], &mut sides[0])
                    + look(context, &[(i, -h), (j, -h)], &mut sides[0]);
                let single = ends[i].0 + ends[i].1 + ends[j].0 + ends[j].1;
                let value = (both - single + 2.0 * here) / (2.0 * h * h);
                out[i * all + j] = value;
                out[j * all + i] = value;
            }
        }
    }

    pub(super) fn jacobian(&self, context: &mut Context, at: &Point, out: &mut [f64]) {
        let piece = self.piece;
        let model = context.plan.model.clone();
        let (rows, q) = (piece.rows.len(), piece.momenta);
        let numbers = piece.numbers(at);
        let mut sides = [vec![0.0; rows], vec![0.0; rows]];
        for v in (0..q).filter(|&v| piece.variables[v] != NONE) {
            for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                piece.shifted(context, at, &numbers, &[(v, sign * STEPS.0)], side);
            }
            for r in 0..rows {
                out[v * rows + r] = (sides[0][r] - sides[1][r]) / (2.0 * STEPS.0);
            }
        }
        // Row by row: the slopes of a weight of one.
        let state = piece.placed(context, at, &[]);
        let (mut room, mut weights) = (Room::default(), vec![0.0; rows]);
        let mut slopes = vec![0.0; piece.variables.len() - q];
        let mut stance = self.stand(&mut room, &model, &state);
        for r in 0..rows {
            weights[r] = 1.0;
            self.slopes(&mut room, &mut stance, &weights, &mut slopes);
            weights[r] = 0.0;
            slopes.iter().enumerate().for_each(|(k, slope)| out[(q + k) * rows + r] = *slope);
        }
        context.give_back(state);
    }
}

/// Memory of [`Bilinear::slopes`].
#[derive(Default)]
struct Room {
    rows: Vec<f64>,
    push: Vec<f64>,
    after: Vec<f64>,
    before: Vec<f64>,
    rates: Vec<f64>,
}
