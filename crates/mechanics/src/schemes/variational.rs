//! The variational midpoint scheme in its reduced form, the engine's own [Johnson 3.17, forced 4.10].
//!
//! State: configuration and reduced momentum. Each island solves `p⁻(q0, q1) = p0` for `q1` by Newton's method on the
//! manifold and takes `p⁺(q0, q1)` along; free bodies under gravity alone have a closed form up to three unknowns.
//! Islands are split over the available threads by halves, and each computes the same bits whoever does it.

use super::Scheme;
use crate::discrete::free_rotation::turned;
use crate::discrete::{EndMut, Newton, SolverStats, StepError, StepFailure, TOLERANCES};
use crate::model::State;
use crate::model::{Island, Model};
use crate::rotation::Mat3;
use percussion_geometry::Vec3;

/// Bodies below which a second thread costs more than it brings.
const WORTH_A_THREAD: usize = 256;

/// The reduced variational scheme and its memory.
#[derive(Clone, Debug)]
pub struct Variational {
    next: State,
    workers: Vec<Newton>,
}

impl Variational {
    /// For a model and a state of it.
    pub fn new(model: &Model, state: &State) -> Self {
        let parts = model.moving().div_ceil(WORTH_A_THREAD).clamp(1, 4 * rayon::current_num_threads());
        let mut next = state.clone();
        next.momenta.resize(model.dofs, 0.0);
        Self { next, workers: vec![Newton::default(); parts] }
    }
}

impl Scheme for Variational {
    fn name(&self) -> &'static str {
        "variational"
    }

    fn order(&self) -> u32 {
        2
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        TOLERANCES.to_vec()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        let next = &mut self.next;
        let end = EndMut {
            positions: &mut next.positions,
            rotations: &mut next.rotations,
            coordinates: &mut next.coordinates,
            momenta: &mut next.momenta,
        };
        let effort = advance(model, &model.islands, state, h, end, &mut self.workers)?;
        next.time = state.time + h;
        next.steps = state.steps + 1;
        std::mem::swap(state, next);
        Ok(effort)
    }
}

/// Advances islands, halving the work while there is more than one worker.
fn advance(
    model: &Model,
    islands: &[Island],
    state: &State,
    h: f64,
    end: EndMut,
    workers: &mut [Newton],
) -> Result<SolverStats, StepFailure> {
    if workers.len() < 2 || islands.len() < 2 {
        return in_turn(model, islands, state, h, end, &mut workers[0]);
    }
    let (low, high) = islands.split_at(islands.len() / 2);
    let (first, cut) = (&islands[0], &high[0]);
    let (x0, x1) = end.positions.split_at_mut(cut.bodies.start - first.bodies.start);
    let (r0, r1) = end.rotations.split_at_mut(cut.bodies.start - first.bodies.start);
    let (c0, c1) = end.coordinates.split_at_mut(cut.coordinates.start - first.coordinates.start);
    let (p0, p1) = end.momenta.split_at_mut(cut.dofs.start - first.dofs.start);
    let half = workers.len() / 2;
    let (w0, w1) = workers.split_at_mut(half);
    let (a, b) = rayon::join(
        || {
            let end = EndMut { positions: x0, rotations: r0, coordinates: c0, momenta: p0 };
            advance(model, low, state, h, end, w0)
        },
        || {
            let end = EndMut { positions: x1, rotations: r1, coordinates: c1, momenta: p1 };
            advance(model, high, state, h, end, w1)
        },
    );
    Ok(a?.worse(b?))
}

fn in_turn(
    model: &Model,
    islands: &[Island],
    state: &State,
    h: f64,
    end: EndMut,
    worker: &mut Newton,
) -> Result<SolverStats, StepFailure> {
    let Some(first) = islands.first() else { return Ok(SolverStats::default()) };
    let (b, c, f) = (first.bodies.start, first.coordinates.start, first.dofs.start);
    let mut effort = SolverStats::default();
    for island in islands {
        let bodies = island.bodies.start - b..island.bodies.end - b;
        let part = EndMut {
            positions: &mut end.positions[bodies.clone()],
            rotations: &mut end.rotations[bodies],
            coordinates: &mut end.coordinates[island.coordinates.start - c..island.coordinates.end - c],
            momenta: &mut end.momenta[island.dofs.start - f..island.dofs.end - f],
        };
        effort = effort.worse(step_island(model, island, state, h, part, worker)?);
    }
    Ok(effort)
}

/// One step of one island.
pub(super) fn step_island(
    model: &Model,
    island: &Island,
    state: &State,
    h: f64,
    end: EndMut,
    worker: &mut Newton,
) -> Result<SolverStats, StepFailure> {
    match island.simple {
        true => free_flight(model, island, state, h, end),
        false => worker.step(model, island, state, h, end),
    }
}

/// A body that is free and alone: translation is explicit, rotation has three unknowns.
fn free_flight(
    model: &Model,
    island: &Island,
    state: &State,
    h: f64,
    end: EndMut,
) -> Result<SolverStats, StepFailure> {
    let slot = island.bodies.start;
    let link = &model.links[slot];
    let p = &state.momenta[island.dofs.clone()];
    let impulse = model.gravity * (link.mass * h);
    let linear = Vec3::new(p[0], p[1], p[2]);
    end.positions[0] = state.positions[slot] + (linear + impulse * 0.5) * (h / link.mass);
    end.momenta[..3].copy_from_slice((linear + impulse).as_slice());
    if link.joint.particle {
        end.rotations[0] = Mat3::identity();
        return Ok(SolverStats { iterations: 1, decrement: 0.0 });
    }
    let spin = Vec3::new(p[3], p[4], p[5]);
    end.momenta[3..].copy_from_slice(&p[3..]);
    match turned(&link.inertia, &state.rotations[slot], &spin, h) {
        Some((rotation, iterations)) => {
            end.rotations[0] = rotation;
            Ok(SolverStats { iterations, decrement: 0.0 })
        }
        None => Err(StepFailure {
            step: state.steps,
            time: state.time,
            body: model.bodies[link.body].name.clone(),
            trouble: StepError::TurnsTooFar,
            history: Vec::new(),
        }),
    }
}
