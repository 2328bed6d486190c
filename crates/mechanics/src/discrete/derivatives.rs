//! The momenta at both ends of an interval and all their first derivatives, as dense matrices.
//!
//! What boundary value problems and optimal control solve is `p⁺(q_{k-1}, q_k) = p⁻(q_k, q_{k+1})` at every node: block
//! tri-diagonal in displacements of the nodes on the manifold. The four blocks of an interval are `∂p∓/∂q0` and
//! `∂p∓/∂q1`; free final times and time-scale factors ask for `∂p∓/∂h` and `∂p∓/∂t`, controls for `∂p∓/∂u`, loops for
//! `g(q1)` and `B = G P` at both ends.
//!
//! A [`IntervalInputs`] says from where to where and under what; a [`Differentiator`](super::Differentiator) is the memory that
//! computes; [`Derivatives`] is what it fills in. Matrices are kept column by column; `nalgebra::DMatrixView::from_slice`
//! looks at them without a copy.

use super::{Control, End};
use crate::model::State;
use crate::model::{Island, Model};

/// One island on its way from one configuration to another under held efforts.
#[derive(Clone, Copy, Debug)]
pub struct IntervalInputs<'a> {
    /// Everything that does not change.
    pub model: &'a Model,
    /// Whose motion it is.
    pub island: &'a Island,
    /// Configuration `q0`; its momenta and time do not matter here.
    pub start: &'a State,
    /// Configuration `q1`.
    pub end: &'a State,
    /// The time `t` at the middle, s.
    pub t: f64,
    /// The length `h` of the interval, s.
    pub h: f64,
    /// What efforts act on; all in this island.
    pub controls: &'a [Control],
    /// Their components `u`, one control after the other: [`IntervalInputs::components`] numbers.
    pub efforts: &'a [f64],
}

impl<'a> IntervalInputs<'a> {
    /// How many components the controls have.
    pub fn components(&self) -> usize {
        self.controls.iter().map(Control::components).sum()
    }

    /// Each control with the place of its first component.
    pub(super) fn placed_controls(&self) -> impl Iterator<Item = (usize, &'a Control)> {
        self.controls.iter().scan(0, |next, control| {
            let first = *next;
            *next += control.components();
            Some((first, control))
        })
    }

    /// Efforts along degrees of freedom, with the place of the degree of freedom in the island.
    pub(super) fn efforts_along_dofs(&self) -> impl Iterator<Item = (usize, f64)> {
        self.placed_controls().filter_map(|(first, control)| match control {
            Control::Dof(dof) => Some((dof - self.island.dofs.start, self.efforts[first])),
            Control::Force(_) | Control::Torque(_) => None,
        })
    }
}

/// A momentum with its first derivatives.
#[derive(Clone, Debug, Default)]
pub struct Momentum {
    /// The momentum, one number for each degree of freedom of the island.
    pub value: Vec<f64>,
    /// By displacements of the start, n by n.
    pub by_start: Vec<f64>,
    /// By displacements of the end, n by n.
    pub by_end: Vec<f64>,
    /// By the length `h` of the interval, with the time at the middle held.
    pub by_length: Vec<f64>,
    /// By the time `t` at the middle: what forces given in time do.
    pub by_time: Vec<f64>,
    /// By the components of the efforts, n by m.
    pub by_effort: Vec<f64>,
}

impl Momentum {
    fn resize(&mut self, n: usize, efforts: usize) {
        for (list, len) in [
            (&mut self.value, n),
            (&mut self.by_start, n * n),
            (&mut self.by_end, n * n),
            (&mut self.by_length, n),
            (&mut self.by_time, n),
            (&mut self.by_effort, n * efforts),
        ] {
            list.clear();
            list.resize(len, 0.0);
        }
    }
}

/// Everything about an interval to first order.
#[derive(Clone, Debug, Default)]
pub struct Derivatives {
    /// `n`: degrees of freedom of the island.
    pub dofs: usize,
    /// `p⁻`, at the start.
    pub before: Momentum,
    /// `p⁺`, at the end.
    pub after: Momentum,
    /// `g(q1)`: how far the loops are open at the end.
    pub gaps: Vec<f64>,
    /// `B0 = G P` at the start, row by row.
    pub rows_before: Vec<f64>,
    /// `B1` at the end, row by row: `∂g/∂q1`.
    pub rows_after: Vec<f64>,
}

impl Derivatives {
    /// The two momenta, each with the end it belongs to.
    pub(super) fn momenta(&mut self) -> [(End, &mut Momentum); 2] {
        [(End::Before, &mut self.before), (End::After, &mut self.after)]
    }

    /// Makes room; does nothing to speak of when there is room already.
    pub(super) fn resize(&mut self, passage: &IntervalInputs) {
        self.dofs = passage.island.dofs.len();
        let efforts = passage.components();
        self.before.resize(self.dofs, efforts);
        self.after.resize(self.dofs, efforts);
    }
}
