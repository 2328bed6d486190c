//! A path without control inputs: a simulation, cut at the planned contacts.

use super::InitialPath;
use super::constrained_motion::ConstrainedMotion;
use crate::plan::{Plan, PlannedContact};
use percussion_mechanics::State;
use percussion_mechanics::discrete::{difference, displace};
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};

/// Most base steps until the next planned contact, for each interval of the plan.
const MAX_STEPS: usize = 10;

/// A path by a scheme of the simulator.
pub(super) fn free_motion(plan: &Plan, scheme: SchemeKind) -> Result<InitialPath, String> {
    let model = &*plan.model;
    let options = SchemeOptions::default();
    let begin = |state: &State| scheme.build(model, state, &options).map_err(|e| e.to_string());
    let mut state = plan.start.state.clone();
    let mut nodes = vec![state.clone()];
    let mut time_scales = InitialPath::even_time_scales(plan);
    let mut first = 0;
    let cuts: Vec<usize> = plan.contacts.iter().map(|m| m.node).chain([plan.intervals]).collect();
    for (segment, &last) in cuts.iter().enumerate() {
        let count = last - first;
        if count == 0 {
            continue;
        }
        let planned = plan.contacts.get(segment);
        if let Some(found) =
            constrained_segment(plan, &nodes, (first, last), time_scales[segment.saturating_sub(1)])
        {
            (time_scales[segment], state) = (found.0, found.1.last().unwrap_or(&state).clone());
            nodes.extend(found.1);
            first = last;
            continue;
        }
        let time = if let Some(planned) = planned {
            // Simulate until the two bodies collide.
            let (mut ahead, mut scheme) = (state.clone(), begin(&state)?);
            let collision = (0..plan.intervals * MAX_STEPS).find_map(|_| {
                scheme.step(model, &mut ahead, plan.step).ok()?;
                let mut impacts = scheme.step_record()?.impacts.iter();
                Some(impacts.find(|i| planned.is_between(i.bodies.0, i.bodies.1))?.time - state.time)
            });
            collision.filter(|time| *time > 0.0)
        } else {
            let total = plan.time_bounds.total;
            total.is_equation().then_some(total.lower - (state.time - plan.start.state.time))
        };
        if let Some(time) = time {
            let bound = plan.time_bounds.scale;
            time_scales[segment] = (time / (plan.step * count as f64)).clamp(bound.lower, bound.upper);
        }
        let mut scheme = begin(&state)?;
        for _ in 0..count {
            let h = plan.step * time_scales[segment.min(time_scales.len() - 1)];
            scheme.step(model, &mut state, h).map_err(|e| e.to_string())?;
            nodes.push(state.clone());
        }
        first = last;
    }
    interpolate_to_end(plan, &mut nodes);
    let inputs = vec![0.0; plan.components() * plan.intervals];
    Ok(InitialPath { nodes, inputs, time_scales })
}

/// The time scale and the nodes of a segment in which a contact joint holds; `None` where none does, or its motion cannot be computed.
fn constrained_segment(
    plan: &Plan,
    nodes: &[State],
    (first, last): (usize, usize),
    previous_scale: f64,
) -> Option<(f64, Vec<State>)> {
    let holds = |m: &&PlannedContact| {
        m.joint.is_some() && m.node <= first && m.release_node.is_none_or(|release_node| release_node > first)
    };
    let planned = plan.contacts.iter().rfind(holds)?;
    let before = plan.step * previous_scale;
    let (mut scale, count) = (1.0, last - first);
    let follow =
        |h: f64, count: usize, each: &mut dyn FnMut(&ConstrainedMotion, &State) -> bool| -> Option<()> {
            let mut state = nodes[first].clone();
            let mut motion = ConstrainedMotion::new(plan, planned, &nodes[first - 1], &state, before)?;
            for _ in 0..count {
                state = motion.step(&state, h)?;
                if each(&motion, &state) {
                    break;
                }
            }
            Some(())
        };
    if let Some(next) = plan.contacts.iter().find(|m| m.node == last) {
        // Until the next face or corner reaches the surface.
        let (mut high, mut down) = (f64::INFINITY, None);
        follow(0.5 * plan.step, 2 * count * MAX_STEPS, &mut |motion, state| {
            let Some(height) = motion.height(state, next.flat) else { return true };
            if height <= 0.0 && high.is_finite() {
                let back = 0.5 * plan.step * height / (height - high);
                down = Some(state.time - nodes[first].time - back);
            }
            high = height;
            height <= 0.0
        })?;
        if let Some(time) = down {
            scale = time / (plan.step * count as f64);
        }
    }
    scale = scale.clamp(plan.time_bounds.scale.lower, plan.time_bounds.scale.upper);
    let mut found = Vec::new();
    follow(plan.step * scale, count, &mut |_, state| {
        found.push(state.clone());
        false
    })?;
    Some((scale, found))
}

/// Displaces the nodes of the last segment linearly, so that fixed islands reach their last configuration.
fn interpolate_to_end(plan: &Plan, nodes: &mut [State]) {
    let first = plan.contacts.last().map_or(0, |planned| planned.node);
    let model = &plan.model;
    for (island, _) in model.islands.iter().zip(&plan.end.fixed).filter(|(_, fixed)| **fixed) {
        let mut whole = vec![0.0; island.dofs.len()];
        difference(model, island, &nodes[plan.intervals], &plan.end.state, &mut whole);
        for (k, node) in nodes.iter_mut().enumerate().skip(first) {
            let part = (k - first) as f64 / (plan.intervals - first) as f64;
            let d: Vec<f64> = whole.iter().map(|d| d * part).collect();
            let from = node.clone();
            displace(model, island, &from, &d, node);
        }
    }
}
