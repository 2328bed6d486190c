//! Control inputs that lead along given configurations.

use super::InitialPath;
use crate::plan::{MomentumCondition, Plan};
use crate::tolerances::guess::inverse_dynamics::SINGULAR;
use nalgebra::{DMatrix, DVector};
use percussion_mechanics::State;
use percussion_mechanics::discrete::{Derivatives, Differentiator, IntervalInputs};

/// A path through configurations at equal time scales, with control inputs by inverse dynamics.
pub(super) fn with_inverse_dynamics(plan: &Plan, nodes: Vec<State>) -> InitialPath {
    let time_scales = InitialPath::even_time_scales(plan);
    let m = plan.components();
    let mut inputs = vec![0.0; m * plan.intervals];
    let mut differentiator = Differentiator::default();
    let mut derivatives = Derivatives::default();
    for (i, island) in plan.model.islands.iter().enumerate() {
        let (controls, components) = plan.controls_of(i);
        let count = components.len();
        if count == 0 {
            continue;
        }
        let n = island.dofs.len();
        let mut momentum = match &plan.start.momentum[i] {
            MomentumCondition::Given(p) => Some(p.clone()),
            _ => None,
        };
        for k in 0..plan.intervals {
            let zero = vec![0.0; count];
            let h = plan.step * time_scales[plan.segment(k)];
            let mut interval = IntervalInputs {
                model: &plan.model,
                island,
                start: &nodes[k],
                end: &nodes[k + 1],
                t: plan.start.state.time + (k as f64 + 0.5) * h,
                h,
                controls: &controls,
                control_inputs: &zero,
            };
            if differentiator.differentiate(&interval, &mut derivatives).is_err() {
                break;
            }
            let mut own = zero.clone();
            if let Some(momentum) = &momentum {
                let change = DVector::from_fn(n, |j, _| momentum[j] - derivatives.before.value[j]);
                let columns = DMatrix::from_column_slice(n, count, &derivatives.before.by_input);
                if let Ok(found) = columns.svd(true, true).solve(&change, SINGULAR) {
                    own.copy_from_slice(found.as_slice());
                }
            }
            let bounds = plan.actuators[plan.actuators_of(i)].iter().flat_map(|a| &a.bounds);
            own.iter_mut().zip(bounds).for_each(|(e, b)| *e = e.clamp(b.lower, b.upper));
            let place = k * m + components.start;
            inputs[place..place + count].copy_from_slice(&own);
            interval.control_inputs = &own;
            let (mut before, mut after) = (vec![0.0; n], vec![0.0; n]);
            momentum = differentiator.momenta(&interval, &mut before, &mut after).is_ok().then_some(after);
        }
    }
    InitialPath { nodes, inputs, time_scales }
}
