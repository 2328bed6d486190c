//! The variational midpoint scheme in its reduced form, the engine's own [Johnson 3.17, forced 4.10].
//!
//! State: configuration and reduced momentum. Each island solves `p⁻(q0, q1) = p0` for `q1` by Newton's method on the
//! manifold and takes `p⁺(q0, q1)` along; free bodies under gravity alone have a closed form up to three unknowns.
//! Islands are split over the available threads by halves, and the result is bitwise identical for any number of threads.

use super::island_worker::IslandWorker;
use super::{Scheme, SchemeKind};
use crate::discrete::free_rotation::turned;
use crate::discrete::{IslandStateMut, SolverStats, StepError, StepFailure, TOLERANCES};
use crate::model::State;
use crate::model::{Island, Model};
use crate::response::closed_contact::has_joint_rows;
use crate::rotation::Mat3;
use crate::step_record::StepRecord;
use crate::tolerances::variational::REBOUND_STEPS;
use percussion_geometry::Vec3;

/// Bodies below which a second thread does not pay.
const MIN_BODIES_PER_THREAD: usize = 256;

/// The reduced variational scheme.
#[derive(Clone, Debug)]
pub struct Variational {
    next: State,
    workers: Vec<IslandWorker>,
    /// Work and impacts of stops and drives, in models that have some.
    record: Option<StepRecord>,
}

impl Variational {
    /// For a model and a state of it.
    pub fn new(model: &Model, state: &State) -> Self {
        let parts = model.moving().div_ceil(MIN_BODIES_PER_THREAD).clamp(1, 4 * rayon::current_num_threads());
        let mut next = state.clone();
        next.momenta.resize(model.dofs, 0.0);
        let rows = model.islands.iter().any(|island| has_joint_rows(model, island));
        Self { next, workers: vec![IslandWorker::default(); parts], record: rows.then(StepRecord::default) }
    }

    /// The record of the last step, in models with stops or drives.
    pub(super) fn record(&self) -> Option<&StepRecord> {
        self.record.as_ref()
    }
}

impl Scheme for Variational {
    fn kind(&self) -> SchemeKind {
        SchemeKind::Variational
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        TOLERANCES.to_vec()
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        let next = &mut self.next;
        for worker in &mut self.workers {
            worker.record.clear();
            worker.rebound_speed = REBOUND_STEPS * h.abs() * model.gravity.norm();
        }
        let end = IslandStateMut {
            positions: &mut next.positions,
            rotations: &mut next.rotations,
            coordinates: &mut next.coordinates,
            momenta: &mut next.momenta,
        };
        let stats = advance(model, &model.islands, state, h, end, &mut self.workers)?;
        if let Some(record) = &mut self.record {
            record.clear();
            self.workers.iter().for_each(|worker| record.append(&worker.record));
        }
        next.time = state.time + h;
        next.steps = state.steps + 1;
        std::mem::swap(state, next);
        Ok(stats)
    }

    fn step_record(&self) -> Option<&StepRecord> {
        self.record()
    }
}

/// Advances islands, halving the work while there is more than one worker.
fn advance(
    model: &Model,
    islands: &[Island],
    state: &State,
    h: f64,
    end: IslandStateMut,
    workers: &mut [IslandWorker],
) -> Result<SolverStats, StepFailure> {
    if workers.len() < 2 || islands.len() < 2 {
        return advance_sequentially(model, islands, state, h, end, &mut workers[0]);
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
            let end = IslandStateMut { positions: x0, rotations: r0, coordinates: c0, momenta: p0 };
            advance(model, low, state, h, end, w0)
        },
        || {
            let end = IslandStateMut { positions: x1, rotations: r1, coordinates: c1, momenta: p1 };
            advance(model, high, state, h, end, w1)
        },
    );
    Ok(a?.merge(b?))
}

fn advance_sequentially(
    model: &Model,
    islands: &[Island],
    state: &State,
    h: f64,
    end: IslandStateMut,
    worker: &mut IslandWorker,
) -> Result<SolverStats, StepFailure> {
    let Some(first) = islands.first() else { return Ok(SolverStats::default()) };
    let (b, c, f) = (first.bodies.start, first.coordinates.start, first.dofs.start);
    let mut stats = SolverStats::default();
    for island in islands {
        let bodies = island.bodies.start - b..island.bodies.end - b;
        let part = IslandStateMut {
            positions: &mut end.positions[bodies.clone()],
            rotations: &mut end.rotations[bodies],
            coordinates: &mut end.coordinates[island.coordinates.start - c..island.coordinates.end - c],
            momenta: &mut end.momenta[island.dofs.start - f..island.dofs.end - f],
        };
        stats = stats.merge(step_island(model, island, state, h, part, worker)?);
        if has_joint_rows(model, island) {
            worker.record_rows(model, state);
        }
    }
    Ok(stats)
}

/// One step of one island.
pub(super) fn step_island(
    model: &Model,
    island: &Island,
    state: &State,
    h: f64,
    end: IslandStateMut,
    worker: &mut IslandWorker,
) -> Result<SolverStats, StepFailure> {
    match island.simple {
        true => free_flight(model, island, state, h, end),
        false if has_joint_rows(model, island) => worker.step_with_rows(model, island, state, h, end),
        false => worker.newton.step(model, island, state, h, end),
    }
}

/// A body that is free and alone: translation is explicit, rotation has three unknowns.
fn free_flight(
    model: &Model,
    island: &Island,
    state: &State,
    h: f64,
    end: IslandStateMut,
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
            error: StepError::TurnsTooFar,
            history: Vec::new(),
        }),
    }
}
