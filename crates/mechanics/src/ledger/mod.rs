//! The ledger: changes of energy and momentum by source, step by step.
//!
//! At every instant it measures energies, momenta and constraint violations; over every step it adds what each source contributed:
//!
//! ```text
//! energy     K(p) + V(q) changes by the work of each non-conservative force; the rest is unaccounted: the source `scheme`
//! linear     changes by the impulse h F of each force and of gravity; the rest comes from supports, or is unaccounted
//! angular    changes by the impulse h x̄ × F, with x̄ the middle of the two positions; likewise
//! ```
//!
//! The impulses are those of the variational scheme, for which the identities hold to rounding: what remains unaccounted is the
//! error of the scheme. An island with a joint to the world exchanges momentum with it; there the rest is the source
//! `supports`. Energies of the step itself are recorded too:
//! `E_d = Δqᵀ M Δq / 2h² + V` at the middle [Johnson 3.70], and one step late the `H_d` of the unprojected momentum and its violation of
//! the hidden constraints, beside `K(p) + V(q)`, the projected `H_d` [Johnson 3.72].
//!
//! Where collisions break the path of an island inside a step, its intervals are added one by one (`path.rs`), and the jumps
//! between them to `contact`, `friction` and `projection`.

mod checkpoint;
mod measure;
mod path;

pub use checkpoint::LedgerMismatch;
pub use measure::{Measure, Scratch};

use crate::discrete::Instant;
use crate::force::{BodyKinematics, ForceAccumulator, ForceError};
use crate::joint::JointKind;
use crate::model::{Island, Model, State};
use crate::spatial::{Vec6, angular, linear};
use crate::step_record::{JumpSource, StepRecord};
use crate::tolerances::REST_ENERGY;
use percussion_geometry::Vec3;
use std::borrow::Cow;
use std::ops::Range;

/// Contribution of one source so far.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerSource {
    /// A force's name, or `gravity`, `supports`, `scheme`, with contact `contact`, `friction`, `projection`, and `joint limits`.
    pub name: String,
    /// Energy, J.
    pub energy: f64,
    /// Linear momentum, N s.
    pub linear: Vec3,
    /// Angular momentum about the origin, N m s.
    pub angular: Vec3,
}

impl LedgerSource {
    fn zero(name: &str) -> Self {
        Self { name: name.to_owned(), energy: 0.0, linear: Vec3::zeros(), angular: Vec3::zeros() }
    }

    fn add(&mut self, impulse: &(Vec3, Vec3)) {
        self.linear += impulse.0;
        self.angular += impulse.1;
    }
}

/// One step in the ledger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LedgerEntry {
    /// Time at the end of the step, s.
    pub time: f64,
    /// At the end of the step.
    pub measure: Measure,
    /// `E_d` of the step, J.
    pub discrete_energy: f64,
    /// Work of non-conservative forces since the start, J.
    pub work: f64,
    /// `H_d` of the unprojected momentum at the *beginning* of the step, J: its multipliers need the step after it.
    pub hamiltonian: f64,
    /// Violation of the hidden constraints by that momentum, `|G M⁻¹ p|` [Johnson 3.19], m/s or 1/s.
    pub hidden: f64,
}

/// Extremes over a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Greatest `|energy - initial - work|`, J.
    pub energy_error: f64,
    /// Greatest unaccounted change of linear momentum, N s.
    pub linear_error: f64,
    /// Greatest unaccounted change of angular momentum, N m s.
    pub angular_error: f64,
    /// Maximum violation by configurations.
    pub position_violation: f64,
    /// Maximum violation by velocities.
    pub velocity_violation: f64,
    /// Greatest `|H_d - initial - work|` of the unprojected momenta, J.
    pub hamiltonian_error: f64,
    /// Maximum violation of the hidden constraints by the unprojected momenta, m/s or 1/s.
    pub hidden_violation: f64,
    /// Greatest kinetic energy, J: energy errors are relative to it.
    pub kinetic: f64,
    /// Smallest and greatest potential energy, J.
    pub potential: (f64, f64),
    /// Greatest linear momentum, N s.
    pub linear: f64,
    /// Greatest angular momentum, N m s.
    pub angular: f64,
    /// Energy that lifts all bodies by their radii of gyration, J.
    pub lift: f64,
}

impl Extremes {
    fn of(m: &Measure, model: &Model) -> Self {
        let gravity = model.gravity.norm();
        // m g √(tr J / 2m)
        let lift = model.links.iter().map(|link| gravity * (0.5 * link.mass * link.inertia.sum()).sqrt());
        Self {
            lift: lift.sum(),
            energy_error: 0.0,
            linear_error: 0.0,
            angular_error: 0.0,
            position_violation: m.position_violation,
            velocity_violation: m.velocity_violation,
            hamiltonian_error: 0.0,
            hidden_violation: 0.0,
            kinetic: m.kinetic,
            potential: (m.potential, m.potential),
            linear: m.linear.norm(),
            angular: m.angular.norm(),
        }
    }

    fn update(&mut self, m: &Measure, energy_error: f64, scheme: &LedgerSource) {
        self.energy_error = self.energy_error.max(energy_error.abs());
        self.linear_error = self.linear_error.max(scheme.linear.norm());
        self.angular_error = self.angular_error.max(scheme.angular.norm());
        self.position_violation = self.position_violation.max(m.position_violation);
        self.velocity_violation = self.velocity_violation.max(m.velocity_violation);
        self.kinetic = self.kinetic.max(m.kinetic);
        self.potential = (self.potential.0.min(m.potential), self.potential.1.max(m.potential));
        self.linear = self.linear.max(m.linear.norm());
        self.angular = self.angular.max(m.angular.norm());
    }

    /// The energy that errors are relative to, J: the greatest kinetic energy, the range of the potential, or what lifts the bodies by their
    /// size: of bodies at rest the first two are rounding. Without gravity a small part of the potential energy counts instead.
    pub fn energy_scale(&self) -> f64 {
        let (low, high) = self.potential;
        self.kinetic.max(high - low).max(self.lift).max(REST_ENERGY * low.abs().max(high.abs()))
    }
}

/// Accounts for changes of energy and momentum.
#[derive(Clone, Debug)]
pub struct Ledger {
    scratch: Scratch,
    placements: Vec<BodyKinematics>,
    accumulators: Vec<ForceAccumulator>,
    /// Impulses of all forces of the present step on each body: linear, and angular about the origin.
    impulses: Vec<(Vec3, Vec3)>,
    /// Momenta of the bodies before the step: linear, and angular about the origin.
    momenta: Vec<(Vec3, Vec3)>,
    initial: Measure,
    last: Measure,
    last_step: u64,
    sources: Vec<LedgerSource>,
    extremes: Extremes,
    attached: Vec<bool>,
    instant: Instant,
    /// The state before the last step.
    previous: State,
    /// Whether the last step directly follows `previous` without a collision inside.
    previous_valid: bool,
}

/// Sources of every ledger.
const COMMON_SOURCES: [&str; 3] = ["gravity", "supports", "scheme"];
/// Indices of the sources of every ledger; forces follow.
const GRAVITY: usize = 0;
const SUPPORTS: usize = 1;
const SCHEME: usize = 2;
const FORCES: usize = 3;

/// Last sources of a ledger: of a model with contact, and of one with joint limits.
const CONTACT_SOURCES: [(JumpSource, &str); 4] = [
    (JumpSource::Contact, "contact"),
    (JumpSource::Friction, "friction"),
    (JumpSource::Projection, "projection"),
    (JumpSource::Stop, "joint limits"),
];

impl Ledger {
    /// A ledger that starts at a state.
    pub fn new(model: &Model, state: &State) -> Result<Self, ForceError> {
        let mut scratch = Scratch::default();
        let initial = scratch.measure(model, state)?;
        let nothing = (Vec3::zeros(), Vec3::zeros());
        let mut ledger = Self {
            scratch,
            placements: vec![BodyKinematics::rest(); model.moving()],
            accumulators: vec![ForceAccumulator::zero(); model.moving()],
            impulses: vec![nothing; model.moving()],
            momenta: vec![nothing; model.moving()],
            initial,
            last: initial,
            last_step: state.steps,
            sources: Self::source_names(model).map(|name| LedgerSource::zero(&name)).collect(),
            extremes: Extremes::of(&initial, model),
            attached: model.islands.iter().map(|island| attached(model, island)).collect(),
            instant: Instant::default(),
            previous: state.clone(),
            previous_valid: false,
        };
        ledger.set_momenta(model, state);
        Ok(ledger)
    }

    /// Names of the sources of a model, in the order of [`Ledger::sources`]. A force with the name of another source is
    /// `force NAME`.
    pub fn source_names(model: &Model) -> impl Iterator<Item = Cow<'_, str>> {
        let contact = CONTACT_SOURCES.iter().filter(|(source, _)| has_source(model, *source));
        let forces = model.forces.iter().map(|f| f.name.as_str());
        let along = model.joint_forces.iter().chain(&model.closure_forces);
        let forces = forces.chain(along.map(|f| f.name.as_str()));
        let taken = |name: &str| {
            COMMON_SOURCES.contains(&name) || CONTACT_SOURCES.iter().any(|(_, other)| *other == name)
        };
        COMMON_SOURCES
            .into_iter()
            .map(Cow::Borrowed)
            .chain(forces.map(move |name| match taken(name) {
                true => Cow::Owned(format!("force {name}")),
                false => Cow::Borrowed(name),
            }))
            .chain(contact.map(|(_, name)| Cow::Borrowed(*name)))
    }

    /// Range of the sources that are forces of the model.
    pub fn forces(model: &Model) -> Range<usize> {
        FORCES..FORCES + model.forces.len() + model.joint_forces.len() + model.closure_forces.len()
    }

    /// The first measurement.
    pub fn initial(&self) -> &Measure {
        &self.initial
    }

    /// The latest measurement.
    pub fn latest(&self) -> &Measure {
        &self.last
    }

    /// Contributions of all sources so far.
    pub fn sources(&self) -> &[LedgerSource] {
        &self.sources
    }

    /// Extremes so far.
    pub fn extremes(&self) -> &Extremes {
        &self.extremes
    }

    /// The source of a name.
    pub fn source(&self, name: &str) -> Option<&LedgerSource> {
        self.sources.iter().find(|source| source.name == name)
    }

    /// Work of non-conservative forces and of contact so far, J.
    pub fn work(&self) -> f64 {
        self.sources[FORCES..].iter().map(|source| source.energy).sum()
    }

    /// Twists of the bodies by slot, as last measured.
    pub fn twists(&self) -> &[Vec6] {
        &self.scratch.twists
    }

    /// Adds a step of length `h` between two states, with the record of the step.
    pub fn record(
        &mut self,
        model: &Model,
        before: &State,
        after: &State,
        h: f64,
        record: Option<&StepRecord>,
    ) -> Result<LedgerEntry, ForceError> {
        if self.last_step != before.steps {
            self.last = self.scratch.measure(model, before)?;
            self.set_momenta(model, before);
            self.previous_valid = false;
        }
        let earlier_work = self.work();
        let unbroken = record.is_none_or(|record| record.nodes.is_empty());
        let (hamiltonian, hidden) = self.read_instant(model, before, after, h, unbroken)?;
        let discrete_energy = self.add_forces_along_paths(model, before, after, h, record)?;
        if let Some(record) = record {
            self.add_jumps(model, record);
        }
        let now = self.scratch.measure(model, after)?;
        self.add_unaccounted(model, after, &now);
        let work = self.work();
        self.extremes.update(&now, now.energy() - self.initial.energy() - work, &self.sources[SCHEME]);
        let unprojected = (hamiltonian - self.initial.energy() - earlier_work).abs();
        self.extremes.hamiltonian_error = self.extremes.hamiltonian_error.max(unprojected);
        self.extremes.hidden_violation = self.extremes.hidden_violation.max(hidden);
        self.last = now;
        self.last_step = after.steps;
        self.previous.clone_from(before);
        self.previous_valid = unbroken;
        Ok(LedgerEntry { time: after.time, measure: now, discrete_energy, work, hamiltonian, hidden })
    }

    /// Replaces the model by one with the same forces, at the instant of the last entry; the jump of the momenta is added to contact.
    pub fn change_model(&mut self, model: &Model, state: &State) -> Result<(), ForceError> {
        let now = self.scratch.measure(model, state)?;
        let (energy, at) = (now.energy() - self.last.energy(), Self::forces(model).end);
        for (slot, momenta) in self.momenta.iter_mut().enumerate() {
            let new = momentum(model, state, slot, &self.scratch.twists[slot]);
            if let Some(source) = self.sources.get_mut(at) {
                source.add(&(new.0 - momenta.0, new.1 - momenta.1));
            }
            *momenta = new;
        }
        if let Some(source) = self.sources.get_mut(at) {
            source.energy += energy;
        }
        self.attached = model.islands.iter().map(|island| attached(model, island)).collect();
        (self.last, self.previous_valid) = (now, false);
        let error = now.energy() - self.initial.energy() - self.work();
        self.extremes.update(&now, error, &self.sources[SCHEME]);
        Ok(())
    }

    /// `H_d` and the hidden constraints at the beginning of the step. At the start of a run and beside a collision momenta
    /// are those of velocities, which constraints allow.
    fn read_instant(
        &mut self,
        model: &Model,
        before: &State,
        after: &State,
        h: f64,
        unbroken: bool,
    ) -> Result<(f64, f64), ForceError> {
        if !(self.previous_valid && unbroken) {
            return Ok((self.last.energy(), self.last.velocity_violation));
        }
        self.instant.read(model, &self.previous, before, after, h)?;
        Ok((self.instant.hamiltonian(), self.instant.hidden().unprojected))
    }

    fn add_jumps(&mut self, model: &Model, record: &StepRecord) {
        for (force, work) in &record.joint_work {
            if let Some(source) = self.sources.get_mut(FORCES + model.forces.len() + force) {
                source.energy += work;
            }
        }
        let from = Self::forces(model).end;
        for jump in &record.jumps {
            let impulse = (jump.linear, jump.angular);
            let mut known = CONTACT_SOURCES.iter().filter(|(source, _)| has_source(model, *source));
            let at = known.position(|(source, _)| *source == jump.source);
            if let Some(source) = at.and_then(|at| self.sources.get_mut(from + at)) {
                source.add(&impulse);
                source.energy += jump.energy;
            }
            self.impulses[jump.slot].0 += impulse.0;
            self.impulses[jump.slot].1 += impulse.1;
        }
    }

    /// Adds the unaccounted rest to the supports, or to the scheme.
    fn add_unaccounted(&mut self, model: &Model, after: &State, now: &Measure) {
        for (island, &attached) in model.islands.iter().zip(&self.attached) {
            let mut rest = (Vec3::zeros(), Vec3::zeros());
            for slot in island.bodies.clone() {
                let new = momentum(model, after, slot, &self.scratch.twists[slot]);
                let (old, impulse) = (self.momenta[slot], self.impulses[slot]);
                rest.0 += new.0 - old.0 - impulse.0;
                rest.1 += new.1 - old.1 - impulse.1;
                self.momenta[slot] = new;
            }
            self.sources[if attached { SUPPORTS } else { SCHEME }].add(&rest);
        }
        let work = self.work();
        self.sources[SCHEME].energy = now.energy() - self.initial.energy() - work;
    }

    fn set_momenta(&mut self, model: &Model, state: &State) {
        for (slot, momenta) in self.momenta.iter_mut().enumerate() {
            *momenta = momentum(model, state, slot, &self.scratch.twists[slot]);
        }
    }
}

/// Whether a model has a source of jumps.
fn has_source(model: &Model, source: JumpSource) -> bool {
    if source == JumpSource::Stop { model.has_limits() } else { model.contacts.is_some() }
}

/// Linear momentum of a body and its angular momentum about the origin.
fn momentum(model: &Model, state: &State, slot: usize, twist: &Vec6) -> (Vec3, Vec3) {
    let (link, r) = (&model.links[slot], &state.rotations[slot]);
    let p = linear(twist) * link.mass;
    let spin = r * link.inertia.component_mul(&r.tr_mul(&angular(twist)));
    (p, state.positions[slot].cross(&p) + spin)
}

/// Whether joints to the world, or motors along them, exchange momentum between an island and the world.
fn attached(model: &Model, island: &Island) -> bool {
    let rooted = model.links[island.bodies.clone()]
        .iter()
        .any(|link| link.parent.is_none() && link.joint.kind != JointKind::Free);
    let mut motors = model.joint_forces[island.joint_forces.clone()].iter();
    rooted
        || model.closures[island.closures.clone()].iter().any(|c| c.parent.is_none())
        || motors.any(|force| model.links[force.slot].parent.is_none())
}
