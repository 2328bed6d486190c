//! LCP time stepping [Hart 4-6]: a constant step, one mixed complementarity problem of velocities in each, and a projection of positions.
//!
//! ```text
//! free_velocities        v* from forces at the beginning of the step                            [Hart 4.16]
//!   list_rows              stops, motors, springs and friction along joints
//! repeat, as long as there are impacts:
//!   find_contacts          active and nearly active events of pairs within reach                [Hart 4.8-4.11]
//!   apply_impacts          the impact law changes the velocities that the step starts from, unless published
//! repeat, as long as parts cross and contacts there are added:
//!   rebounding_contacts    contacts with restitution that close in the step
//!   published: repeat, with less stabilisation of penetrations while the step gains energy:
//!     stabilisation_bias     Φ_m/h of open gaps, γ Φ_m/h of penetrations if published, rebound velocities   [Hart 4.17]
//!     assemble_problem       M v = M v* + Σ ν c_ν + Σ n c_n + Σ D β
//!                            γ Θ/h + νᵀ v = 0                   joints, loops or not              [Hart 4.14]
//!                            bias + n_mᵀ v ≥ 0 ⊥ c_n ≥ 0        every event with its own distance [Hart 4.17]
//!                            Coulomb friction on a round cone, or on a pyramid                    [Hart 4.18]
//!     solve_impulses         c_ν, c_n, β and v
//!     expand_impulses        Poisson's restitution; assemble and solve once more
//!   end_flight_of_loaded_bodies  bodies in flight on which impulses act: if there are any, solve once more
//!   correct_joint_energy   energy that stabilised joints would bring, taken from the bodies on them
//!   scale_impulses         energy that an unsolved problem would bring, taken from its impulses
//!   update_configuration   q moved by h v, rotations by the exponential map                       [Hart 6.17]
//!   swept_pairs            pairs that may have met, by these velocities
//!   find_crossings         parts that passed through each other, with the contacts at which they did
//! project_positions      q moved apart where parts penetrate, unless published
//! update_momenta         momenta of the velocities at the end
//! record                 momentum jumps, impacts, statistics
//! ```
//!
//! Every line is a function in the file of its name (those of restitution in the problem in `restitution.rs`,
//! `end_flight_of_loaded_bodies` in `apply_impacts.rs`). Unknowns are velocities of
//! centres of mass and angular velocities in body axes (`body_dofs.rs`): the mass matrix is constant (assumption D1). Every body
//! has its own unknowns: the model must have no tree ([`ModelBuilder::build_open`](crate::ModelBuilder::build_open)). Bodies
//! without contacts and joints are not in the problem.
//!
//! **Energy** (`energy.rs`). Over a step of forces `F`, `K(v) - K(v₀) - h F·v = J·v - ½|v - v₀|²` with `J` all impulses, less the
//! loss of the gyroscopic term: without stabilisation no impulse has a positive power, and energy falls but for the projection of
//! positions, which is recorded. If published, a stabilised penetration pushes bodies apart and may bring energy; where it would
//! bring more than the step loses, its stabilisation is reduced (`stabilisation_factor`). Joints deviate in every step in which
//! they rotate and are always stabilised; that energy is corrected by `correct_joint_energy`. With `keep_energy = false`
//! penetrations are stabilised whatever energy they bring, but no faster than a body rises by their depth against gravity. This
//! holds for solutions. Gauss-Seidel sweeps that stop early limit the energy of their impulses themselves (`energy_guarded`), and
//! what an unsolved step would still gain is removed by `scale_impulses`.
//!
//! **Restitution** (an extension) is that of an impact law before the velocity problem (`apply_impacts.rs`); with Poisson's law, with
//! the published scheme and for bodies on joints it is part of the problem (`restitution.rs`). Contacts slower than the change of
//! velocity by gravity in two steps do not rebound, those of a body in flight than in half a step.

mod apply_impacts;
mod assemble_problem;
mod body_dofs;
mod contact_constraint;
mod correct_joint_energy;
mod energy;
mod find_contacts;
mod find_crossings;
mod free_velocities;
mod impact_in_flight;
mod impact_rows;
mod joint_rows;
mod motion_bound;
mod options;
mod pair_events;
mod project_positions;
mod record;
mod restitution;
mod scale_impulses;
mod solve_impulses;
mod solvers;
mod stabilisation_bias;
mod swept_pairs;
mod update_configuration;
mod warm_start;

pub use options::{DistanceMetric, FrictionCone, GapRule, LcpOptions, RestitutionLaw, Stabilisation};

use super::{Scheme, SchemeError, SchemeKind, StepContact};
use crate::contact::ContactGeometry;
use crate::discrete::{SolverStats, StepError, StepFailure};
use crate::joint::JointKind;
use crate::model::Model;
use crate::model::State;
use crate::named_arrays::NamedArrays;
use crate::response::ImpactLaw;
use crate::step_record::{Crossing, LcpSolveStats, StepRecord};
use apply_impacts::ImpactPhase;
use assemble_problem::{BodyVelocities, ProblemAssembly};
use contact_constraint::ContactConstraint;
use correct_joint_energy::correct_joint_energy;
use energy::energy_gain;
use find_contacts::ActiveContacts;
use find_crossings::Crossings;
use free_velocities::FreeVelocities;
use joint_rows::{JointRows, follow_closures};
use percussion_solve::FrictionContactProblem;
use project_positions::PositionProjection;
use record::{Recorder, StepOutput};
use restitution::{expand_impulses, rebounding_contacts};
use scale_impulses::ImpulseScaling;
use solve_impulses::{ImpulseSolver, Phase, StepSolution};
use stabilisation_bias::StabilisationBias;
use std::sync::Arc;
use swept_pairs::{Sweep, SweptPairs};
use update_configuration::{update_configuration, update_momenta};

/// Name of the impulses of stops in a checkpoint.
const STOPS: &str = "stop_impulses";

/// Halvings of the stabilisation of penetrations before it is zero.
const MAX_REDUCTIONS: usize = 5;

/// Times that contacts are found again with velocities after impacts.
const MAX_IMPACT_ROUNDS: usize = 8;

/// Times that a step is solved again with the contacts at which parts would cross.
const MAX_CROSSING_ROUNDS: usize = 12;

/// Inputs of a step, the same for all stages.
#[derive(Clone, Copy)]
struct StepInput<'a> {
    model: &'a Model,
    /// At the beginning of the step.
    state: &'a State,
    geometry: Option<&'a ContactGeometry>,
    options: &'a LcpOptions,
    /// The step, s.
    h: f64,
}

/// The scheme: its options and the stages with their workspaces.
#[derive(Debug)]
pub struct Lcp {
    options: LcpOptions,
    geometry: Option<Arc<ContactGeometry>>,
    velocities: FreeVelocities,
    contacts: ActiveContacts,
    rows: JointRows,
    impacts: ImpactPhase,
    rebounds: Vec<bool>,
    bias: StabilisationBias,
    assembly: ProblemAssembly,
    solver: ImpulseSolver,
    solution: StepSolution,
    scaling: ImpulseScaling,
    swept: SweptPairs,
    crossings: Crossings,
    /// Contacts at which parts would cross.
    late: Vec<ContactConstraint>,
    projection: PositionProjection,
    /// The end of the step before the projection.
    trial: State,
    next: State,
    recorder: Recorder,
}

impl Lcp {
    /// For a model and a state of it.
    pub fn new(model: &Model, state: &State, options: &LcpOptions) -> Result<Self, SchemeError> {
        let in_tree = model.links.iter().find(|link| {
            let open = matches!(link.joint.kind, JointKind::Free | JointKind::Planar);
            !(open && link.parent.is_none())
        });
        if let Some(link) = in_tree {
            return Err(SchemeError::Tree { joint: link.joint.name.clone() });
        }
        options.check()?;
        if options.in_substeps() && model.has_joint_rows() {
            return Err(SchemeError::Substeps {
                what: "joint limits, motors of a velocity, servos and friction in joints",
            });
        }
        Ok(Self {
            options: *options,
            geometry: model.contacts.clone(),
            velocities: FreeVelocities::new(model),
            contacts: ActiveContacts::default(),
            rows: JointRows::default(),
            impacts: ImpactPhase::new(ImpactLaw::default()),
            rebounds: Vec::new(),
            bias: StabilisationBias::default(),
            assembly: ProblemAssembly::default(),
            solver: ImpulseSolver::default(),
            solution: StepSolution::default(),
            scaling: ImpulseScaling::default(),
            swept: SweptPairs::default(),
            crossings: Crossings::default(),
            late: Vec::new(),
            projection: PositionProjection::default(),
            trial: state.clone(),
            next: state.clone(),
            recorder: Recorder::default(),
        })
    }

    /// With an impact law instead of the default one.
    pub fn with_impact_law(mut self, law: ImpactLaw) -> Self {
        self.impacts.law = law;
        self
    }

    /// The problem of the last step that had one: for libraries of problems.
    pub fn problem(&self) -> &FrictionContactProblem {
        &self.assembly.problem
    }

    /// Statistics of the last solve.
    pub fn last_solve(&self) -> LcpSolveStats {
        self.solution.stats
    }

    /// The stages of a step; on failure with the slot of a body.
    fn advance(&mut self, model: &Model, state: &State, h: f64) -> Result<(), (StepError, usize)> {
        let (geometry, options) = (self.geometry.clone(), self.options);
        let step = &StepInput { model, state, geometry: geometry.as_deref(), options: &options, h };
        let no_body = |error: StepError| (error, 0);
        self.velocities.free_velocities(step, &mut self.rows)?;
        self.rows.set_biases(step, &self.velocities);
        self.impacts.begin(step, &self.velocities, &self.rows);
        for round in 0.. {
            self.contacts.find_contacts(step, &self.velocities).map_err(no_body)?;
            if !self.apply_impacts(step).map_err(no_body)? {
                break;
            }
            if round == MAX_IMPACT_ROUNDS {
                self.impacts.solver.unfinished += 1;
                break;
            }
        }
        let crossing = self.find_velocities(step).map_err(no_body)?;
        self.recorder.step.crossing = crossing;
        self.solver.warm_start.store(&self.contacts.list, &self.solution);
        let offsets = (&self.impacts.offsets[..], &mut self.trial);
        let solution = (&self.velocities, &self.solution);
        self.recorder.record_offsets(step, solution, offsets, &self.next);
        if options.stabilisation == Stabilisation::Projection {
            self.project_positions(step).map_err(no_body)?;
        }
        self.rows.store_stops();
        follow_closures(model, &mut self.next);
        self.rows.record(step, &self.velocities, &self.solution.twists, &mut self.recorder.step);
        update_momenta(step, &mut self.solution.twists, &mut self.next);
        let infeasibility = self.assembly.max_joint_error.max(self.contacts.max_penetration);
        let (velocities, contacts, solution) = (&self.velocities, &self.contacts.list, &self.solution);
        self.impacts.solver.record_outcome(&mut self.recorder.step);
        let (next, impacts) = (&self.next, &self.impacts);
        let output = StepOutput { velocities, contacts, impacts, solution, next, infeasibility };
        self.recorder.record(step, &output);
        Ok(())
    }

    /// Velocities of the step, and the configuration that they lead to. Contacts at which parts would cross are added, as long as that
    /// helps; returns a crossing that is left.
    fn find_velocities(&mut self, step: &StepInput) -> Result<Option<Crossing>, StepError> {
        let published = step.options.stabilisation == Stabilisation::Published;
        for round in 0.. {
            if round > 0 {
                self.apply_impacts(step)?;
            }
            rebounding_contacts(step, &self.velocities, &self.contacts.list, &mut self.rebounds);
            self.impacts.keep_rebounds(step, &self.contacts.list, &mut self.rebounds);
            self.impacts.end_flight_of_touching_bodies(step, &self.velocities, &self.contacts.list);
            loop {
                self.limit_stabilisation(step)?;
                if !self.impacts.end_flight_of_loaded_bodies(step, &self.contacts.list, &self.solution) {
                    break;
                }
            }
            self.correct_energy(step);
            self.next.clone_from(step.state);
            let twists = self.impacts.path_twists(step, &self.solution);
            update_configuration(step, twists, &mut self.next);
            let Some(geometry) = step.geometry else { break };
            let sweep = Sweep {
                twists,
                extents: &self.velocities.extents,
                contacts: &self.contacts.list,
                gaps: &self.contacts.gaps,
                boxes: self.contacts.boxes(),
            };
            self.swept.swept_pairs(step, geometry, &sweep, &self.next)?;
            let pairs = &self.swept.list;
            self.late.clear();
            let crossing = self.crossings.find_crossings(step, geometry, twists, pairs, &mut self.late)?;
            if crossing.is_none() || published || round == MAX_CROSSING_ROUNDS {
                return Ok(crossing);
            }
            self.contacts.add_contacts(geometry, &self.velocities, &self.late);
        }
        Ok(None)
    }

    /// Applies the impacts of the contacts that are known. Whether there were any.
    fn apply_impacts(&mut self, step: &StepInput) -> Result<bool, StepError> {
        self.impacts.apply_impacts(step, &mut self.velocities, &self.contacts.list)
    }

    /// Takes the energy that stabilised joints and unsolved problems would bring.
    fn correct_energy(&mut self, step: &StepInput) {
        let options = step.options;
        let keeps_energy = options.keep_energy && options.gamma > 0.0 && !options.in_substeps();
        if keeps_energy && self.assembly.max_joint_error > 0.0 {
            let gain = self.energy_gain(step);
            if gain > 0.0 {
                correct_joint_energy(step, &self.velocities, gain, &mut self.solution.twists);
            }
        }
        let (velocities, contacts, solution) = (&self.velocities, &self.contacts.list, &mut self.solution);
        if options.keep_energy && !solution.stats.converged && !options.in_substeps() {
            let members = &self.assembly.members;
            solution.stats.impulse_scale =
                self.scaling.scale_impulses(step, velocities, members, contacts, solution);
        }
    }

    /// Moves the bodies at the end of the step out of each other, and records what that does.
    fn project_positions(&mut self, step: &StepInput) -> Result<(), StepError> {
        let Some(geometry) = step.geometry else { return Ok(()) };
        self.trial.clone_from(&self.next);
        let mut stats =
            self.projection.project_positions(step, geometry, &self.swept.list, &mut self.next)?;
        if stats.iterations > 0 {
            let moved = &self.projection.moved;
            stats.energy =
                self.recorder.record_projection(step, &self.solution, moved, (&self.trial, &self.next))?;
        }
        self.recorder.step.projection = Some(stats);
        Ok(())
    }

    /// Impulses of the step with as much stabilisation of penetrations as brings no energy.
    fn limit_stabilisation(&mut self, step: &StepInput) -> Result<(), StepError> {
        let LcpOptions { keep_energy, gamma, .. } = *step.options;
        let penetrates = self.contacts.list.iter().any(|contact| contact.distance < 0.0);
        let published = step.options.stabilisation == Stabilisation::Published;
        let limited = published && keep_energy && gamma > 0.0 && penetrates;
        let mut factor = 1.0;
        for reduction in 0..=MAX_REDUCTIONS {
            self.find_impulses(step, factor)?;
            if !limited || factor == 0.0 || self.energy_gain(step) <= 0.0 {
                break;
            }
            factor = if reduction + 1 < MAX_REDUCTIONS { 0.5 * factor } else { 0.0 };
        }
        Ok(())
    }

    /// Impulses and velocities of the step, with penetrations stabilised by `factor` times γ.
    fn find_impulses(&mut self, step: &StepInput, factor: f64) -> Result<(), StepError> {
        let (contacts, rebounds) = (&self.contacts.list, &self.rebounds);
        self.bias.stabilisation_bias(step, &self.velocities, &self.impacts, contacts, rebounds, factor);
        self.solution.reset(&self.velocities.free, contacts.len(), factor);
        self.rows.reset_impulses();
        self.solve_problem(step, Phase::Compression)?;
        let (contacts, rebounds, solution) = (&self.contacts.list, &self.rebounds, &mut self.solution);
        let expands = rebounds.iter().zip(&solution.normal).any(|(rebounds, c)| *rebounds && *c > 0.0);
        if step.options.restitution == RestitutionLaw::Poisson && expands {
            let compression = solution.stats;
            expand_impulses(step, &self.velocities, contacts, rebounds, solution);
            self.solve_problem(step, Phase::Expansion)?;
            let stats = &mut self.solution.stats;
            stats.iterations += compression.iterations;
            if compression.residual > stats.residual {
                (stats.residual, stats.laws) = (compression.residual, compression.laws);
            }
            stats.converged &= compression.converged;
            stats.energy_guarded += compression.energy_guarded;
        }
        Ok(())
    }

    /// Assembles the problem of the velocities so far, solves it and adds its impulses.
    fn solve_problem(&mut self, step: &StepInput, phase: Phase) -> Result<(), StepError> {
        let (contacts, velocities) = (&self.contacts.list, &self.velocities);
        let bodies = BodyVelocities { dofs: &velocities.dofs, twists: &self.solution.twists };
        let (bias, rows) = (&self.bias.values, &mut self.rows);
        self.assembly.assemble_problem(step, (contacts, bias), rows, &bodies)?;
        let (assembly, free) = ((&self.assembly, rows), (velocities, &self.bias.substeps[..]));
        self.solver.solve_impulses(step, contacts, assembly, free, phase, &mut self.solution)
    }

    fn energy_gain(&self, step: &StepInput) -> f64 {
        let members = &self.assembly.members;
        let driven = self.rows.drive_energy();
        energy_gain(step, &self.velocities, members, &self.contacts.list, &self.solution, driven)
    }
}

impl Scheme for Lcp {
    fn kind(&self) -> SchemeKind {
        SchemeKind::Lcp
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        vec![("complementarity", self.options.tolerance)]
    }

    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<SolverStats, StepFailure> {
        self.recorder.step.clear();
        self.advance(model, state, h).map_err(|(error, slot)| {
            let body =
                model.links.get(slot).map_or_else(String::new, |link| model.bodies[link.body].name.clone());
            StepFailure { step: state.steps, time: state.time, body, error, history: Vec::new() }
        })?;
        std::mem::swap(state, &mut self.next);
        let LcpSolveStats { iterations, residual, .. } = self.solution.stats;
        Ok(SolverStats { iterations, decrement: residual })
    }

    fn step_record(&self) -> Option<&StepRecord> {
        Some(&self.recorder.step)
    }

    fn contacts(&self) -> Vec<StepContact> {
        let Some(geometry) = self.geometry.as_deref() else { return Vec::new() };
        let body = |part: usize| geometry.parts[part].body;
        let (normal, friction) = (&self.solution.normal, &self.solution.friction);
        let contacts = self.contacts.list.iter().zip(normal).zip(friction);
        let solved = contacts.map(|((contact, normal), friction)| (contact, *normal, *friction));
        let impacts = self.impacts.impulses.iter();
        let impacts = impacts.map(|impact| (&impact.contact, impact.normal, impact.friction));
        solved
            .chain(impacts)
            .map(|(contact, normal, friction)| StepContact {
                bodies: (body(contact.pair.0), body(contact.pair.1)),
                point: contact.point,
                normal: contact.normal,
                impulse: contact.normal_impulse(geometry, normal) + friction,
            })
            .collect()
    }

    fn save_warm_start(&self, arrays: &mut NamedArrays) {
        self.solver.warm_start.save(arrays);
        arrays.insert(STOPS, self.rows.last_stops.clone());
    }

    fn restore_warm_start(&mut self, arrays: &NamedArrays) -> bool {
        let Some(stops) = arrays.get(STOPS) else { return false };
        self.rows.last_stops.clear();
        self.rows.last_stops.extend_from_slice(stops);
        self.solver.warm_start.restore(arrays)
    }
}
