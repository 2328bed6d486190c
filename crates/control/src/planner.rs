//! The search for a solution from an initial path.
//!
//! ```text
//! initial path -> features of planned contacts, candidate pairs
//! repeat          solve the nonlinear program of these
//!                 examine_contacts   other features nearest?  outside of their region?  sliding instead of sticking?
//!                 examine_nodes      pairs too near that have no separation constraint?
//!                 examine_between    penetration between nodes?
//!                 add these to the program; multipliers of equal rows are the warm start
//! until           nothing changes
//! ```
//!
//! `pairs.rs` chooses pairs, `multistart.rs` makes initial paths, `extraction.rs` reads the solution.

use crate::extraction::{impulses, normal_impulses};
use crate::guess::InitialPath;
use crate::pairs;
use crate::plan::{ContactFriction, Plan};
use crate::search::{Options, ROUNDING, Search};
use crate::solution::{Outcome, PlanSolution};
use crate::tolerances::planner::{ON_CONE, WARM_BARRIER};
use crate::transcription::{
    ConstraintSet, ContactRegion, ContactResolutionError, Iterate, Label, LabelRank, ResolvedContact,
    Transcription, separation,
};
use percussion_mechanics::contact::PairWarmStart;
use percussion_solve::nlp::{
    self, CallbackAction, Conflict, ConstraintId, InteriorPoint, IterationRecord, Program, Solution,
    WarmStart,
};
use std::collections::HashMap;
use thiserror::Error;

/// Why a search cannot begin.
#[derive(Clone, Debug, Error)]
pub enum PlanError {
    /// A contact is not between start and end.
    #[error(
        "{name} is at node {node}, but contacts are planned between the start, node 0, and the end, node {end}; give a node between them"
    )]
    ContactAtBoundary {
        /// The name of the contact.
        name: String,
        /// Its node.
        node: usize,
        /// The last one.
        end: usize,
    },
    /// A contact cannot be planned.
    #[error(transparent)]
    ResolvedContact(#[from] ContactResolutionError),
    /// The initial path cannot be computed.
    #[error("the guess: {0}")]
    Guess(String),
    /// The solver was misused.
    #[error("the solver: {0}")]
    Solver(String),
}

/// Most conflicts that are named.
const MAX_CONFLICTS: usize = 8;

/// An iteration of a search.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The start it belongs to, counted from one; the first is the guess.
    pub start: usize,
    /// The round of that, counted from one.
    pub round: usize,
    /// The iteration of the solver.
    pub record: &'a IterationRecord,
}

/// The search from one path, which is the start of this number.
pub(crate) fn search(
    plan: &Plan,
    path: &InitialPath,
    options: &Options,
    number: usize,
    watch: &mut dyn FnMut(&Progress) -> CallbackAction,
) -> Result<PlanSolution, PlanError> {
    let mut search = Search::new(plan, path, options)?;
    let mut objective_guess = None;
    let mut previous: Option<(Iterate, RowMultipliers)> = None;
    let mut round = 0;
    loop {
        round += 1;
        let mut program = Transcription::new(plan.clone(), search.set.clone());
        // Variables of one round are the first of the next: only planes are added.
        let start = match &previous {
            Some((iterate, _)) => {
                let mut iterate = iterate.clone();
                program.add_planes(&mut iterate);
                iterate
            }
            None => program.initial_iterate(path.nodes.clone(), &path.inputs, &path.time_scales),
        };
        let guess = *objective_guess.get_or_insert_with(|| {
            let mut constraints = vec![0.0; program.layout().constraints.len()];
            program.evaluate(&start, &mut constraints).unwrap_or(f64::NAN)
        });
        let settings = nlp::Options {
            constraint_tolerance: options.tolerance,
            iterations: options.iterations,
            warm: previous.as_ref().map(|(_, multipliers)| multipliers.warm_start(&program)),
            ..nlp::Options::default()
        };
        let solution = search
            .interior
            .solve_with_callback(&mut program, &start, &settings, &mut |record| {
                watch(&Progress { start: number, round, record })
            })
            .map_err(|e| PlanError::Solver(e.to_string()))?;
        search.iterations += solution.iterations;
        let solved = matches!(
            solution.outcome,
            nlp::Outcome::Optimal | nlp::Outcome::Acceptable { .. } | nlp::Outcome::Saddle { .. }
        );
        let changed = solved && search.examine(&program, &solution)?;
        if !changed || round == options.rounds {
            let outcome = search.outcome(&program, &solution, changed);
            return Ok(search.solution(&mut program, &solution, outcome, round, guess));
        }
        let multipliers = RowMultipliers::new(&program, &solution);
        previous = (!std::mem::take(&mut search.restart)).then_some((solution.point, multipliers));
    }
}

/// Multipliers of a round by the labels of their rows: the warm start of the next round.
struct RowMultipliers {
    rows: HashMap<Label, Vec<f64>>,
    warm: WarmStart,
}

fn rows_by_label(program: &Transcription) -> HashMap<&Label, Vec<usize>> {
    let mut rows: HashMap<&Label, Vec<usize>> = HashMap::new();
    (0..program.layout().constraints.len())
        .for_each(|row| rows.entry(program.label(row)).or_default().push(row));
    rows
}

impl RowMultipliers {
    fn new(program: &Transcription, solution: &Solution<Iterate>) -> Self {
        let multipliers =
            |rows: Vec<usize>| rows.iter().map(|&row| solution.multipliers.constraints[row]).collect();
        let each = rows_by_label(program).into_iter();
        let rows = each.map(|(label, rows)| (label.clone(), multipliers(rows))).collect();
        Self { rows, warm: WarmStart { barrier: WARM_BARRIER, ..WarmStart::after(solution) } }
    }

    /// For the program of the next round; zero for rows whose label has another number of rows now.
    fn warm_start(&self, program: &Transcription) -> WarmStart {
        let layout = program.layout();
        let mut warm = self.warm.clone();
        warm.multipliers.lower.resize(layout.variables.len(), 0.0);
        warm.multipliers.upper.resize(layout.variables.len(), 0.0);
        warm.multipliers.constraints = vec![0.0; layout.constraints.len()];
        for (label, rows) in rows_by_label(program) {
            let known = self.rows.get(label).filter(|known| known.len() == rows.len());
            for (row, y) in rows.into_iter().zip(known.into_iter().flatten()) {
                warm.multipliers.constraints[row] = *y;
            }
        }
        warm
    }
}

/// Names of conflicts: first what the plan prescribes, the largest multiplier first, then velocities, then equations of motion, which
/// connect them.
fn conflict_names(program: &Transcription, conflicts: &[Conflict]) -> Vec<String> {
    let mut list: Vec<(LabelRank, f64, String)> = Vec::new();
    for conflict in conflicts {
        let (rank, name) = match conflict.id {
            ConstraintId::Constraint(row) => program.label(row).in_conflict(program.plan()),
            ConstraintId::Variable(variable) => (LabelRank::Prescribed, program.bound_name(variable)),
        };
        let strength = conflict.multiplier.abs();
        match list.iter_mut().find(|(_, _, known)| *known == name) {
            Some((_, sum, _)) => *sum += strength,
            None => list.push((rank, strength, name)),
        }
    }
    list.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    list.truncate(MAX_CONFLICTS);
    list.into_iter().map(|(_, _, name)| name).collect()
}

impl<'a> Search<'a> {
    fn new(plan: &'a Plan, path: &InitialPath, options: &'a Options) -> Result<Self, PlanError> {
        let contacts = plan
            .contacts
            .iter()
            .map(|planned| ResolvedContact::find(&plan.model, planned, &path.nodes[planned.node]))
            .collect::<Result<Vec<_>, _>>()?;
        let mut search = Self {
            plan,
            options,
            set: ConstraintSet { contacts, separations: Vec::new() },
            pairs: pairs::avoided_pairs(plan),
            interior: InteriorPoint::new(),
            iterations: 0,
            restart: false,
        };
        search.separate_candidates(&path.nodes);
        Ok(search)
    }

    /// Examines a solution of the program, and extends the constraint set; whether it has changed.
    fn examine(&mut self, program: &Transcription, solution: &Solution<Iterate>) -> Result<bool, PlanError> {
        let at = &solution.point;
        let contacts = self.examine_contacts(program, at)?;
        let nodes = self.examine_nodes(at);
        // Between nodes only when the nodes are right.
        Ok(contacts || nodes || self.examine_between(at))
    }

    fn examine_contacts(&mut self, program: &Transcription, at: &Iterate) -> Result<bool, PlanError> {
        let mut changed = false;
        for (m, planned) in self.plan.contacts.iter().enumerate() {
            let state = &at.nodes[planned.node];
            let resolved = &self.set.contacts[m];
            let found = separation(&self.plan.model, state, resolved.pair, &mut PairWarmStart::default());
            if found.is_ok_and(|separation| separation < -ROUNDING) {
                let found = ResolvedContact {
                    slides: resolved.slides,
                    ..ResolvedContact::find(&self.plan.model, planned, state)?
                };
                if found.features != resolved.features {
                    changed = true;
                    self.set.contacts[m] = found;
                }
            } else {
                changed |= self.examine_region(program, at, m);
            }
            changed |= self.examine_sliding(program, at, m);
        }
        Ok(changed)
    }

    /// Enforces the region of a contact that lies outside of it; whether that is new.
    fn examine_region(&mut self, program: &Transcription, at: &Iterate, contact: usize) -> bool {
        let model = &self.plan.model;
        let Some(geometry) = &model.contacts else { return false };
        let resolved = &self.set.contacts[contact];
        let state = &at.nodes[self.plan.contacts[contact].node];
        let impulses = normal_impulses(program, at, contact);
        let tensile = resolved.is_tensile(&impulses);
        let misses = tensile || resolved.distance_outside(model, state, &impulses).is_some();
        let region = match &resolved.region {
            None if misses => {
                // A solution with tensile faces is far from any feasible one.
                self.restart |= tensile;
                resolved.find_region(geometry, state)
            }
            Some(region) if misses && resolved.features.len() > 1 && !region.all_corners => {
                ContactRegion { all_corners: true, ..region.clone() }
            }
            _ => return false,
        };
        self.set.contacts[contact].region = Some(region);
        true
    }

    /// Lets a sticking contact slide whose impulse is on the friction cone; whether that is new.
    fn examine_sliding(&mut self, program: &Transcription, at: &Iterate, contact: usize) -> bool {
        let planned = &self.plan.contacts[contact];
        let resolved = &mut self.set.contacts[contact];
        if let ContactFriction::Coulomb(mu) = planned.friction
            && planned.joint.is_none()
            && !resolved.slides
            && let Some([n, t, s]) = impulses(program, at, contact)
            && mu * n <= t.hypot(s) * (1.0 + ON_CONE)
        {
            resolved.slides = true;
            return true;
        }
        false
    }

    /// Planned contacts outside of their regions, in words.
    fn missed_contacts(&self, program: &Transcription, at: &Iterate) -> Vec<String> {
        let each = self.plan.contacts.iter().zip(&self.set.contacts).enumerate();
        let words = each.filter_map(|(m, (planned, resolved))| {
            let impulses = normal_impulses(program, at, m);
            let by = resolved.distance_outside(&self.plan.model, &at.nodes[planned.node], &impulses)?;
            Some(format!("{} lies outside of the faces or edges in contact, by {by:.2e} m", planned.name))
        });
        words.collect()
    }

    fn outcome(&self, program: &Transcription, solution: &Solution<Iterate>, changed: bool) -> Outcome {
        match &solution.outcome {
            nlp::Outcome::Optimal | nlp::Outcome::Acceptable { .. } if changed => Outcome::Stalled(format!(
                "features or pairs still change after {} rounds",
                self.options.rounds
            )),
            nlp::Outcome::Optimal | nlp::Outcome::Acceptable { .. } => {
                let missed = self.missed_contacts(program, &solution.point);
                let penetrations = self.penetrations(&solution.point);
                match (missed.is_empty(), penetrations.is_empty()) {
                    (true, true) => Outcome::Optimal,
                    (true, false) => Outcome::Penetration(penetrations),
                    (false, _) => Outcome::ContactMissed(missed),
                }
            }
            nlp::Outcome::Saddle { .. } => Outcome::Saddle,
            nlp::Outcome::Infeasible { conflicts } => Outcome::Infeasible(conflict_names(program, conflicts)),
            nlp::Outcome::Unbounded => Outcome::Stalled("the objective is unbounded".to_owned()),
            nlp::Outcome::Stalled { why } => Outcome::Stalled(why.clone()),
            nlp::Outcome::IterationLimit => Outcome::IterationLimit,
            nlp::Outcome::Stopped => Outcome::Interrupted,
        }
    }
}
