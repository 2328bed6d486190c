//! The momenta at both ends of an interval and all their first derivatives, as dense matrices.
//!
//! Boundary value problems and optimal control solve `p⁺(q_{k-1}, q_k) = p⁻(q_k, q_{k+1})` at every node: block
//! tri-diagonal in displacements of the nodes on the manifold. The four blocks of an interval are `∂p∓/∂q0` and
//! `∂p∓/∂q1`; free final times and time-scale factors need `∂p∓/∂h` and `∂p∓/∂t`, controls for `∂p∓/∂u`, loops for
//! `g(q1)` and `B = G P` at both ends.
//!
//! An [`IntervalInputs`] holds configurations, time and controls; a [`Differentiator`](super::Differentiator) has the workspace
//! and computes [`Derivatives`]. Matrices are stored by columns; `nalgebra::DMatrixView::from_slice`
//! gives views of them.

use super::{Control, End};
use crate::model::{Island, Model, State};

/// One island over an interval, with constant control inputs.
#[derive(Clone, Copy, Debug)]
pub struct IntervalInputs<'a> {
    /// The model.
    pub model: &'a Model,
    /// The island.
    pub island: &'a Island,
    /// Configuration `q0`; its momenta and time are not used.
    pub start: &'a State,
    /// Configuration `q1`.
    pub end: &'a State,
    /// The time `t` at the middle, s.
    pub t: f64,
    /// The length `h` of the interval, s.
    pub h: f64,
    /// Where control inputs act; all in this island.
    pub controls: &'a [Control],
    /// Their components `u`, one control after the other: [`IntervalInputs::components`] numbers.
    pub control_inputs: &'a [f64],
}

impl<'a> IntervalInputs<'a> {
    /// Number of components of all controls.
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

    /// Control inputs along degrees of freedom, with the place of the degree of freedom in the island.
    pub(super) fn inputs_along_dofs(&self) -> impl Iterator<Item = (usize, f64)> {
        self.placed_controls().filter_map(|(first, control)| match control {
            Control::Dof(dof) => Some((dof - self.island.dofs.start, self.control_inputs[first])),
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
    /// By the time `t` at the middle: by forces given in time.
    pub by_time: Vec<f64>,
    /// By the components of the control inputs, n by m.
    pub by_input: Vec<f64>,
}

impl Momentum {
    fn resize(&mut self, n: usize, control_inputs: usize) {
        for (list, len) in [
            (&mut self.value, n),
            (&mut self.by_start, n * n),
            (&mut self.by_end, n * n),
            (&mut self.by_length, n),
            (&mut self.by_time, n),
            (&mut self.by_input, n * control_inputs),
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
    /// `g(q1)`: openings of the loops at the end.
    pub gaps: Vec<f64>,
    /// `B0 = G P` at the start, row by row.
    pub rows_before: Vec<f64>,
    /// `B1` at the end, row by row: `∂g/∂q1`.
    pub rows_after: Vec<f64>,
}

impl Derivatives {
    /// The two momenta, each with its end.
    pub(super) fn momenta(&mut self) -> [(End, &mut Momentum); 2] {
        [(End::Before, &mut self.before), (End::After, &mut self.after)]
    }

    /// Resizes all arrays.
    pub(super) fn resize(&mut self, inputs: &IntervalInputs) {
        self.dofs = inputs.island.dofs.len();
        let control_inputs = inputs.components();
        self.before.resize(self.dofs, control_inputs);
        self.after.resize(self.dofs, control_inputs);
    }
}
