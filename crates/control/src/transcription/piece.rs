//! A program as a sum of pieces, each with few variables and rows.

use super::columns::Gallery;
use super::local::Shop;
use super::point::{NONE, Numbering, Point};
use super::tree::Ray;
use crate::plan::Plan;
use percussion_mechanics::State;
use percussion_mechanics::contact::PairWarmStart;
use percussion_mechanics::discrete::{Derivatives, Differentiator, displace};
use percussion_solve::nlp::{SparsityPattern, Undefined};

/// The row of the objective.
pub const OBJECTIVE: usize = usize::MAX - 1;

/// What pieces share while they compute.
pub struct Context {
    /// What is wanted.
    pub plan: Plan,
    /// Where the unknowns are.
    pub numbering: Numbering,
    pub(super) tool: Differentiator,
    pub(super) derivatives: Derivatives,
    /// What pairs remember, by function of a node.
    pub(super) memories: Vec<PairWarmStart>,
    /// Columns at the nodes of the candidate that is looked at.
    pub(super) gallery: Gallery,
    /// Of both ends of an interval, body by body.
    pub(super) rays: [Vec<Ray>; 2],
    pub(super) shop: Shop,
    /// Of a piece's numbers.
    pub(super) room: Vec<f64>,
    /// States to displace in.
    pub(super) scratch: Vec<State>,
}

impl Context {
    /// A state with an island displaced; give it back with [`Context::give_back`].
    pub(super) fn displaced(&mut self, from: &State, island: usize, d: &[f64]) -> State {
        let mut to = self.scratch.pop().unwrap_or_else(|| from.clone());
        to.clone_from(from);
        let model = &self.plan.model;
        displace(model, &model.islands[island], from, d, &mut to);
        to
    }

    pub(super) fn give_back(&mut self, state: State) {
        self.scratch.push(state);
    }
}

/// A few functions of a few variables. Functions are added to rows of the program, each with a factor.
pub trait Piece {
    /// Its variables; [`NONE`] for those that stand firm.
    fn variables(&self) -> &[usize];

    /// Where its functions go, and with what factor; [`NONE`] if nowhere.
    fn rows(&self) -> &[(usize, f64)];

    /// Its functions.
    fn value(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined>;

    /// Their derivatives, column by column: `out[variable * rows + row]`, zero on entry.
    fn jacobian(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined>;

    /// The Hessian of their weighted sum, zero on entry; only its symmetric part counts.
    fn hessian(
        &self,
        context: &mut Context,
        at: &Point,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined>;

    /// Whether a function depends on a variable.
    fn depends(&self, _row: usize, _variable: usize) -> bool {
        true
    }

    /// Whether a second derivative can be other than zero.
    fn curves(&self, _one: usize, _other: usize) -> bool {
        true
    }
}

/// A piece with the places of its entries.
pub struct Placed {
    /// The piece.
    pub piece: Box<dyn Piece>,
    /// Entries of the Jacobian, in the order of the program's: places in the dense block.
    jacobian: Vec<u32>,
    /// Their factors; empty if all are one.
    factors: Vec<f64>,
    /// Entries of the gradient: variable, place, factor.
    gradient: Vec<(usize, usize, f64)>,
    /// Entries of the Hessian: two places in the dense block, of which the mean (or on the diagonal the one) counts.
    hessian: Vec<(u32, u32)>,
}

impl Placed {
    /// Registers a piece's entries.
    pub fn new(piece: Box<dyn Piece>, jacobian: &mut SparsityPattern, hessian: &mut SparsityPattern) -> Self {
        let (mut own, mut factors, mut gradient, mut curved) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        // Half the memory of a usize, and there are many; a dense block of more than 2^32 entries fits nowhere.
        let short = |place: usize| place as u32;
        let (variables, rows) = (piece.variables(), piece.rows());
        let n = variables.len();
        for (v, &variable) in variables.iter().enumerate().filter(|(_, variable)| **variable != NONE) {
            for (r, &(row, factor)) in rows.iter().enumerate() {
                let place = v * rows.len() + r;
                match row {
                    NONE => {}
                    OBJECTIVE => gradient.push((variable, place, factor)),
                    _ if piece.depends(r, v) => {
                        own.push(short(place));
                        factors.push(factor);
                        jacobian.push(row, variable);
                    }
                    _ => {}
                }
            }
            for (w, &other) in variables.iter().enumerate().take(v + 1) {
                if other != NONE && piece.curves(v, w) {
                    curved.push((short(v * n + w), short(w * n + v)));
                    hessian.push(variable.max(other), variable.min(other));
                }
            }
        }
        if factors.iter().all(|factor| *factor == 1.0) {
            factors.clear();
        }
        Self { piece, jacobian: own, factors, gradient, hessian: curved }
    }

    /// Adds its functions to the rows; returns its part of the objective.
    pub fn add_value(
        &self,
        context: &mut Context,
        at: &Point,
        room: &mut Vec<f64>,
        constraints: &mut [f64],
    ) -> Result<f64, Undefined> {
        let rows = self.piece.rows();
        room.clear();
        room.resize(rows.len(), 0.0);
        self.piece.value(context, at, room)?;
        let mut objective = 0.0;
        for (&(row, factor), value) in rows.iter().zip(room.iter()) {
            match row {
                NONE => {}
                OBJECTIVE => objective += factor * value,
                _ => constraints[row] += factor * value,
            }
        }
        Ok(objective)
    }

    /// Writes its entries of the Jacobian from `next` on, adds its part of the gradient; returns where it ended.
    pub fn put_jacobian(
        &self,
        context: &mut Context,
        at: &Point,
        room: &mut Vec<f64>,
        gradient: &mut [f64],
        (jacobian, next): (&mut [f64], usize),
    ) -> Result<usize, Undefined> {
        room.clear();
        room.resize(self.piece.rows().len() * self.piece.variables().len(), 0.0);
        self.piece.jacobian(context, at, room)?;
        for &(variable, place, factor) in &self.gradient {
            gradient[variable] += factor * room[place];
        }
        let entries = &mut jacobian[next..next + self.jacobian.len()];
        for (entry, &place) in entries.iter_mut().zip(&self.jacobian) {
            *entry = room[place as usize];
        }
        for (entry, factor) in entries.iter_mut().zip(&self.factors) {
            *entry *= factor;
        }
        Ok(next + self.jacobian.len())
    }

    /// Writes its entries of the Hessian from `next` on; returns where it ended.
    pub fn put_hessian(
        &self,
        context: &mut Context,
        at: &Point,
        room: &mut (Vec<f64>, Vec<f64>),
        (weight, multipliers): (f64, &[f64]),
        (hessian, next): (&mut [f64], usize),
    ) -> Result<usize, Undefined> {
        let (weights, block) = room;
        weights.clear();
        weights.extend(self.piece.rows().iter().map(|&(row, factor)| match row {
            NONE => 0.0,
            OBJECTIVE => factor * weight,
            _ => factor * multipliers[row],
        }));
        let n = self.piece.variables().len();
        block.clear();
        block.resize(n * n, 0.0);
        if !self.hessian.is_empty() {
            self.piece.hessian(context, at, weights, block)?;
        }
        for (entry, &(one, other)) in hessian[next..].iter_mut().zip(&self.hessian) {
            *entry = 0.5 * (block[one as usize] + block[other as usize]);
        }
        Ok(next + self.hessian.len())
    }
}
