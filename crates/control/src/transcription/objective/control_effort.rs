//! Control effort, `Σ σ h Σ w τ²` [Johnson 4.27; Leyendecker 5.2].

use super::super::{ConstraintBlock, Context, Evaluation, Iterate, NONE, OBJECTIVE, Problem};

/// The control effort of an interval.
pub struct ControlEffort {
    weights: Vec<f64>,
    step: f64,
    variables: Vec<usize>,
}

impl ControlEffort {
    pub fn new(problem: &Problem, interval: usize) -> Self {
        let (plan, indices) = (&problem.plan, &problem.indices);
        let each =
            plan.actuators.iter().map(|a| (a.control.components(), a.weight * plan.control_effort_weight));
        let weights: Vec<f64> = each.flat_map(|(count, w)| std::iter::repeat_n(w, count)).collect();
        let first = indices.inputs[interval];
        let mut variables: Vec<usize> = (first..first + weights.len()).collect();
        variables.push(indices.time_scale_of(plan, interval));
        let step = match indices.time_scales {
            NONE => plan.time_bounds.total.lower / plan.intervals as f64,
            _ => plan.step,
        };
        Self { weights, step, variables }
    }

    fn inputs<'a>(&self, at: &'a Iterate) -> &'a [f64] {
        match self.variables.first() {
            Some(&first) if !self.weights.is_empty() => &at.scalars[first..first + self.weights.len()],
            _ => &[],
        }
    }

    fn length(&self, at: &Iterate) -> f64 {
        let scale = self.variables[self.weights.len()];
        self.step * if scale == NONE { 1.0 } else { at.scalars[scale] }
    }

    fn squares(&self, at: &Iterate) -> f64 {
        self.inputs(at).iter().zip(&self.weights).map(|(t, w)| w * t * t).sum()
    }
}

impl ConstraintBlock for ControlEffort {
    fn variables_and_rows(&self) -> (&[usize], &[(usize, f64)]) {
        (&self.variables, &[(OBJECTIVE, 1.0)])
    }

    fn value(&self, Context { at, .. }: &mut Context, out: &mut [f64]) -> Evaluation {
        out[0] = self.length(at) * self.squares(at);
        Ok(())
    }

    fn jacobian(&self, Context { at, .. }: &mut Context, out: &mut [f64]) -> Evaluation {
        let length = self.length(at);
        for ((o, t), w) in out.iter_mut().zip(self.inputs(at)).zip(&self.weights) {
            *o = 2.0 * length * w * t;
        }
        out[self.weights.len()] = self.step * self.squares(at);
        Ok(())
    }

    fn hessian(&self, context: &mut Context, weights: &[f64], out: &mut [f64]) -> Evaluation {
        let at = context.at;
        let (m, all) = (self.weights.len(), self.weights.len() + 1);
        let length = self.length(at);
        for (i, (t, w)) in self.inputs(at).iter().zip(&self.weights).enumerate() {
            out[i * all + i] = 2.0 * length * w * weights[0];
            out[i * all + m] = 2.0 * self.step * w * t * weights[0];
            out[m * all + i] = out[i * all + m];
        }
        Ok(())
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        one == other && one < self.weights.len() || one.max(other) == self.weights.len() && one != other
    }
}
