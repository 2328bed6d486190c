//! Where a search begins.
//!
//! | guess | configurations | efforts |
//! |---|---|---|
//! | still | those of the start | inverse dynamics |
//! | straight | from start to end, each joint by a constant rate | inverse dynamics |
//! | waypoints | the same from one to the next [Johnson 4.22, 4.23] | inverse dynamics |
//! | free motion | a simulation without efforts, through collisions and on the joints they make | zero |
//! | given | those of another manoeuvre, read at the new nodes | the same |
//!
//! Inverse dynamics finds at each interval the efforts that come nearest to what the next node asks for, in least squares where
//! not everything can be steered.

use crate::plan::{Drive, Plan, PlannedContact};
use crate::swing::Swing;
use nalgebra::{DMatrix, DVector};
use percussion_mechanics::discrete::{
    Control, Derivatives, Differentiator, IntervalInputs, difference, displace,
};
use percussion_mechanics::schemes::SchemeKind;
use percussion_mechanics::{Model, State};

/// A configuration on the way.
#[derive(Clone, Debug)]
pub struct Waypoint {
    /// At which part of the time, from 0 to 1.
    pub at: f64,
    /// The configuration; its momenta do not matter.
    pub state: State,
}

/// Where a search begins.
#[derive(Clone, Debug)]
pub enum Guess {
    /// Nothing moves.
    Still,
    /// Straight from start to end.
    Straight,
    /// From one configuration to the next; the first at 0 and the last at 1.
    Waypoints(Vec<Waypoint>),
    /// What happens without efforts, by a scheme of the simulator.
    FreeMotion {
        /// The scheme.
        scheme: SchemeKind,
    },
    /// Another manoeuvre.
    Given {
        /// Its configurations, at times from its own start to its end.
        nodes: Vec<State>,
        /// Efforts of its intervals.
        efforts: Vec<f64>,
        /// Time scales, if it has as many segments.
        scales: Vec<f64>,
    },
}

/// A guess worked out: configurations, efforts by interval, time scales.
#[derive(Clone, Debug)]
pub struct Path {
    /// At the nodes.
    pub nodes: Vec<State>,
    /// Interval by interval.
    pub efforts: Vec<f64>,
    /// Segment by segment.
    pub scales: Vec<f64>,
}

impl Path {
    /// The time scales of a plan before they are sought: the whole time shared evenly, within bounds.
    pub fn even_scales(plan: &Plan) -> Vec<f64> {
        let total = plan.times.total;
        let whole = plan.step * plan.intervals as f64;
        let scale = match (total.lower.is_finite(), total.upper.is_finite()) {
            (true, true) => 0.5 * (total.lower + total.upper) / whole,
            (true, false) => (total.lower / whole).max(1.0),
            (false, true) => (total.upper / whole).min(1.0),
            (false, false) => 1.0,
        };
        vec![scale.clamp(plan.times.scale.lower, plan.times.scale.upper); plan.segments()]
    }
}

impl Guess {
    /// Works the guess out for a plan.
    pub fn work_out(&self, plan: &Plan) -> Result<Path, String> {
        match self {
            Self::Still => Ok(inverse(plan, vec![plan.start.state.clone(); plan.intervals + 1])),
            Self::Straight => {
                let ends = [(0.0, &plan.start.state), (1.0, &plan.end.state)];
                Ok(inverse(plan, along(plan, &ends)))
            }
            Self::Waypoints(points) => {
                let mut list: Vec<(f64, &State)> = points.iter().map(|p| (p.at, &p.state)).collect();
                if list.first().is_none_or(|(at, _)| *at > 0.0) {
                    list.insert(0, (0.0, &plan.start.state));
                }
                Ok(inverse(plan, along(plan, &list)))
            }
            Self::FreeMotion { scheme } => free_motion(plan, *scheme),
            Self::Given { nodes, efforts, scales } => given(plan, nodes, efforts, scales),
        }
    }
}

/// A configuration a part of the way from one to another.
pub fn between(model: &Model, from: &State, to: &State, part: f64) -> State {
    let mut out = from.clone();
    for island in &model.islands {
        let mut d = vec![0.0; island.dofs.len()];
        difference(model, island, from, to, &mut d);
        d.iter_mut().for_each(|d| *d *= part);
        displace(model, island, from, &d, &mut out);
    }
    out
}

/// Configurations at the nodes along waypoints, which are in the order of their times.
fn along(plan: &Plan, points: &[(f64, &State)]) -> Vec<State> {
    let node = |k: usize| {
        let at = k as f64 / plan.intervals as f64;
        let next = points.iter().position(|(time, _)| *time >= at - 1e-12).unwrap_or(points.len() - 1);
        let (before, after) = (points[next.saturating_sub(1)], points[next]);
        let length = after.0 - before.0;
        let part = if length > 0.0 { ((at - before.0) / length).clamp(0.0, 1.0) } else { 1.0 };
        match part {
            1.0 => after.1.clone(),
            part => between(&plan.model, before.1, after.1, part),
        }
    };
    (0..=plan.intervals).map(node).collect()
}

/// Efforts that come nearest to a path, and even time scales.
fn inverse(plan: &Plan, nodes: Vec<State>) -> Path {
    let scales = Path::even_scales(plan);
    let m = plan.components();
    let mut efforts = vec![0.0; m * plan.intervals];
    let mut tool = Differentiator::default();
    let mut derivatives = Derivatives::default();
    for (i, island) in plan.model.islands.iter().enumerate() {
        let range = plan.actuators_of(i);
        let controls: Vec<Control> = plan.actuators[range.clone()].iter().map(|a| a.control).collect();
        let count: usize = controls.iter().map(Control::components).sum();
        if count == 0 {
            continue;
        }
        let first = plan.first_component(range.start);
        let n = island.dofs.len();
        let mut arrived = match &plan.start.drive[i] {
            Drive::Given(p) => Some(p.clone()),
            Drive::Free | Drive::Conditioned => None,
        };
        for k in 0..plan.intervals {
            let zero = vec![0.0; count];
            let h = plan.step * scales[plan.segment(k)];
            let (start, end) = (&nodes[k], &nodes[k + 1]);
            let t = plan.start.state.time + (k as f64 + 0.5) * h;
            let mut passage = IntervalInputs {
                model: &plan.model,
                island,
                start,
                end,
                t,
                h,
                controls: &controls,
                efforts: &zero,
            };
            if tool.differentiate(&passage, &mut derivatives).is_err() {
                break;
            }
            let mut own = zero.clone();
            if let Some(arrived) = &arrived {
                let wanted = DVector::from_iterator(
                    n,
                    arrived.iter().zip(&derivatives.before.value).map(|(p, q)| p - q),
                );
                let columns = DMatrix::from_column_slice(n, count, &derivatives.before.by_input);
                if let Ok(found) = columns.svd(true, true).solve(&wanted, 1e-12) {
                    own.copy_from_slice(found.as_slice());
                }
            }
            let bounds = plan.actuators[range.clone()].iter().flat_map(|a| &a.bounds);
            own.iter_mut().zip(bounds).for_each(|(e, b)| *e = e.clamp(b.lower, b.upper));
            let place = k * m + first;
            efforts[place..place + count].copy_from_slice(&own);
            passage.efforts = &own;
            let (mut before, mut after) = (vec![0.0; n], vec![0.0; n]);
            arrived = tool.momenta(&passage, &mut before, &mut after).is_ok().then_some(after);
        }
    }
    Path { nodes, efforts, scales }
}

/// Most steps for which a free motion is followed until the next planned contact, in base steps beyond the nodes left.
const PATIENCE: usize = 10;

/// A simulation without efforts, cut at the planned contacts.
fn free_motion(plan: &Plan, scheme: SchemeKind) -> Result<Path, String> {
    let model = &*plan.model;
    let options = percussion_mechanics::schemes::SchemeOptions::default();
    let begin = |state: &State| scheme.build(model, state, &options).map_err(|e| e.to_string());
    let mut state = plan.start.state.clone();
    let mut nodes = vec![state.clone()];
    let mut scales = Path::even_scales(plan);
    let mut first = 0;
    let cuts: Vec<usize> = plan.meetings.iter().map(|m| m.node).chain([plan.intervals]).collect();
    for (segment, &last) in cuts.iter().enumerate() {
        let count = last - first;
        if count == 0 {
            continue;
        }
        let meeting = plan.meetings.get(segment);
        if let Some(found) = on_a_joint(plan, &nodes, (first, last), scales[segment.saturating_sub(1)]) {
            (scales[segment], state) = (found.0, found.1.last().unwrap_or(&state).clone());
            nodes.extend(found.1);
            first = last;
            continue;
        }
        if let Some(meeting) = meeting {
            // Follow the motion until the two bodies meet.
            let (mut ahead, mut scheme) = (state.clone(), begin(&state)?);
            let met = (0..plan.intervals * PATIENCE).find_map(|_| {
                scheme.step(model, &mut ahead, plan.step).ok()?;
                let impacts = &scheme.step_record()?.impacts;
                impacts.iter().find(|i| same(i.bodies, meeting.bodies)).map(|i| i.time - state.time)
            });
            if let Some(time) = met.filter(|time| *time > 0.0) {
                let bound = plan.times.scale;
                scales[segment] = (time / (plan.step * count as f64)).clamp(bound.lower, bound.upper);
            }
        } else if plan.times.total.is_equation() {
            let left = plan.times.total.lower - (state.time - plan.start.state.time);
            let bound = plan.times.scale;
            scales[segment] = (left / (plan.step * count as f64)).clamp(bound.lower, bound.upper);
        }
        let mut scheme = begin(&state)?;
        for _ in 0..count {
            let h = plan.step * scales[segment.min(scales.len() - 1)];
            scheme.step(model, &mut state, h).map_err(|e| e.to_string())?;
            nodes.push(state.clone());
        }
        first = last;
    }
    bend_to_end(plan, &mut nodes);
    let efforts = vec![0.0; plan.components() * plan.intervals];
    Ok(Path { nodes, efforts, scales })
}

/// The time scale and the nodes of a segment through which the joint of a contact holds; `None` where none does, or it cannot be followed.
fn on_a_joint(
    plan: &Plan,
    nodes: &[State],
    (first, last): (usize, usize),
    arrived_with: f64,
) -> Option<(f64, Vec<State>)> {
    let holds = |m: &&PlannedContact| {
        m.tie.is_some() && m.node <= first && m.released.is_none_or(|released| released > first)
    };
    let meeting = plan.meetings.iter().rfind(holds)?;
    let begin = || Swing::new(plan, meeting, &nodes[first - 1], &nodes[first], plan.step * arrived_with);
    let (mut scale, count) = (1.0, last - first);
    let follow = |h: f64, count: usize, each: &mut dyn FnMut(&Swing, &State) -> bool| -> Option<()> {
        let (mut swing, mut state) = (begin()?, nodes[first].clone());
        for _ in 0..count {
            state = swing.step(&state, h)?;
            if each(&swing, &state) {
                break;
            }
        }
        Some(())
    };
    if let Some(next) = plan.meetings.iter().find(|m| m.node == last) {
        // Until the face or the corner comes down.
        let (mut high, mut down) = (f64::INFINITY, None);
        follow(0.5 * plan.step, 2 * count * PATIENCE, &mut |swing, state| {
            let Some(height) = swing.height(state, next.flat) else { return true };
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
    scale = scale.clamp(plan.times.scale.lower, plan.times.scale.upper);
    let mut found = Vec::new();
    follow(plan.step * scale, count, &mut |_, state| {
        found.push(state.clone());
        false
    })?;
    Some((scale, found))
}

/// Leads the last segment of a path to where islands must stand at the end.
fn bend_to_end(plan: &Plan, nodes: &mut [State]) {
    let first = plan.meetings.last().map_or(0, |meeting| meeting.node);
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

fn same(a: (usize, usize), b: (usize, usize)) -> bool {
    a == b || a == (b.1, b.0)
}

/// Another manoeuvre, read at the nodes of this one.
fn given(plan: &Plan, nodes: &[State], efforts: &[f64], scales: &[f64]) -> Result<Path, String> {
    let (m, theirs) = (plan.components(), nodes.len().saturating_sub(1));
    if theirs == 0 || efforts.len() != m * theirs {
        return Err(format!(
            "it has {} nodes and {} efforts, but the plan has {m} components of controls",
            nodes.len(),
            efforts.len()
        ));
    }
    let part = |k: usize| k as f64 / plan.intervals as f64 * theirs as f64;
    let configurations = (0..=plan.intervals).map(|k| {
        let at = part(k);
        let before = (at.floor() as usize).min(theirs - 1);
        between(&plan.model, &nodes[before], &nodes[before + 1], at - before as f64)
    });
    let mut own = Vec::new();
    for k in 0..plan.intervals {
        let at = ((part(k) + part(k + 1)) * 0.5).floor() as usize;
        own.extend_from_slice(&efforts[at * m..(at + 1) * m]);
    }
    let scales = if scales.len() == plan.segments() { scales.to_vec() } else { Path::even_scales(plan) };
    Ok(Path { nodes: configurations.collect(), efforts: own, scales })
}
