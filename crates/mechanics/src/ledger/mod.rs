//! The ledger: where energy and momentum went, step by step.
//!
//! At every instant it measures energies, momenta and constraint violations; over every step it books what each cause did:
//!
//! ```text
//! energy     K(p) + V(q) changes by the work of each non-conservative force, and the rest is the scheme's
//! linear     changes by the impulse h F of each force and of gravity; the rest came through supports, or is the scheme's
//! angular    changes by the impulse h x̄ × F, with x̄ the middle of the two positions; likewise
//! ```
//!
//! The impulses are those of the variational scheme, for which the identities hold to rounding: what remains after all
//! causes are booked is what a scheme did that mechanics does not do. An island that hangs on the world exchanges
//! momentum with it through its joints; there the rest is booked as the supports'. Energies of the step itself are kept too:
//! `E_d = Δqᵀ M Δq / 2h² + V` at the middle [Johnson 3.70], and one step late the `H_d` of the unprojected momentum and how far it
//! is from what the constraints allow, beside `K(p) + V(q)`, the projected `H_d` [Johnson 3.72].

mod books;
mod measure;

pub use books::OtherBooks;
pub use measure::{Measure, Scratch};

use crate::discrete::Instant;
use crate::force::{Bodies, ForceError, Placement, Pull};
use crate::joint::JointKind;
use crate::joint::motion::{Vec6, angular, linear};
use crate::model::{Island, Model};
use crate::rotation::moment_of;
use crate::state::State;
use percussion_geometry::Vec3;

/// What one cause has done so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// A force's name, or `gravity`, `supports`, `scheme`.
    pub name: String,
    /// Energy it brought, J.
    pub energy: f64,
    /// Linear momentum it brought, N s.
    pub linear: Vec3,
    /// Angular momentum about the origin it brought, N m s.
    pub angular: Vec3,
}

impl Cause {
    fn none(name: &str) -> Self {
        Self { name: name.to_owned(), energy: 0.0, linear: Vec3::zeros(), angular: Vec3::zeros() }
    }

    fn add(&mut self, impulse: &(Vec3, Vec3)) {
        self.linear += impulse.0;
        self.angular += impulse.1;
    }
}

/// The figures of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
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
    /// Greatest change of linear momentum that no cause explains, N s.
    pub linear_error: f64,
    /// Greatest change of angular momentum that no cause explains, N m s.
    pub angular_error: f64,
    /// Greatest violation by placements.
    pub position_violation: f64,
    /// Greatest violation by velocities.
    pub velocity_violation: f64,
    /// Greatest `|H_d - initial - work|` of the unprojected momenta, J.
    pub hamiltonian_error: f64,
    /// Greatest violation of the hidden constraints by the unprojected momenta, m/s or 1/s.
    pub hidden_violation: f64,
    /// Greatest kinetic energy, J: what energy errors are relative to.
    pub kinetic: f64,
    /// Smallest and greatest potential energy, J.
    pub potential: (f64, f64),
    /// Greatest linear momentum, N s.
    pub linear: f64,
    /// Greatest angular momentum, N m s.
    pub angular: f64,
}

impl Extremes {
    fn of(m: &Measure) -> Self {
        Self {
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

    fn watch(&mut self, m: &Measure, energy_error: f64, scheme: &Cause) {
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

    /// The energy that errors are relative to: the greatest kinetic energy, or the range of the potential, J.
    pub fn energy_scale(&self) -> f64 {
        self.kinetic.max(self.potential.1 - self.potential.0)
    }
}

/// Books what happens.
#[derive(Clone, Debug)]
pub struct Ledger {
    scratch: Scratch,
    placements: Vec<Placement>,
    pulls: Vec<Pull>,
    /// Impulses of all forces of the present step on each body: linear, and angular about the origin.
    impulses: Vec<(Vec3, Vec3)>,
    /// Momenta of the bodies before the step: linear, and angular about the origin.
    momenta: Vec<(Vec3, Vec3)>,
    initial: Measure,
    last: Measure,
    last_step: u64,
    causes: Vec<Cause>,
    extremes: Extremes,
    hangs: Vec<bool>,
    instant: Instant,
    /// The state before the last one, if `followed`.
    previous: State,
    followed: bool,
}

/// Places of the causes that every ledger has; forces follow.
const GRAVITY: usize = 0;
const SUPPORTS: usize = 1;
const SCHEME: usize = 2;
const FORCES: usize = 3;

impl Ledger {
    /// Opens the books at a state.
    pub fn new(model: &Model, state: &State) -> Result<Self, ForceError> {
        let mut scratch = Scratch::default();
        let initial = scratch.measure(model, state)?;
        let names = ["gravity", "supports", "scheme"]
            .into_iter()
            .chain(model.forces.iter().map(|f| f.name.as_str()))
            .chain(model.joint_forces.iter().map(|f| f.name.as_str()));
        let nothing = (Vec3::zeros(), Vec3::zeros());
        let mut ledger = Self {
            scratch,
            placements: vec![Placement::rest(); model.moving()],
            pulls: vec![Pull::zero(); model.moving()],
            impulses: vec![nothing; model.moving()],
            momenta: vec![nothing; model.moving()],
            initial,
            last: initial,
            last_step: state.steps,
            causes: names.map(Cause::none).collect(),
            extremes: Extremes::of(&initial),
            hangs: model.islands.iter().map(|island| hangs(model, island)).collect(),
            instant: Instant::default(),
            previous: state.clone(),
            followed: false,
        };
        ledger.keep_momenta(model, state);
        Ok(ledger)
    }

    /// The first measurement.
    pub fn initial(&self) -> &Measure {
        &self.initial
    }

    /// The latest measurement.
    pub fn latest(&self) -> &Measure {
        &self.last
    }

    /// What every cause has done so far.
    pub fn causes(&self) -> &[Cause] {
        &self.causes
    }

    /// Extremes so far.
    pub fn extremes(&self) -> &Extremes {
        &self.extremes
    }

    /// Work of non-conservative forces so far, J.
    pub fn work(&self) -> f64 {
        self.causes[FORCES..].iter().map(|cause| cause.energy).sum()
    }

    /// Twists of the bodies by slot, as last measured.
    pub fn twists(&self) -> &[Vec6] {
        &self.scratch.twists
    }

    /// Books a step of length `h` between two states.
    pub fn record(
        &mut self,
        model: &Model,
        before: &State,
        after: &State,
        h: f64,
    ) -> Result<Entry, ForceError> {
        if self.last_step != before.steps {
            self.last = self.scratch.measure(model, before)?;
            self.keep_momenta(model, before);
            self.followed = false;
        }
        let earlier_work = self.work();
        let (hamiltonian, hidden) = self.read_instant(model, before, after, h)?;
        let kinetic = self.book_gravity(model, before, after, h);
        let potential = self.book_forces(model, before.time + 0.5 * h, h)?;
        let stored = self.book_joint_forces(model, before, after, h);
        let now = self.scratch.measure(model, after)?;
        self.book_rest(model, after, &now);
        let work = self.work();
        self.extremes.watch(&now, now.energy() - self.initial.energy() - work, &self.causes[SCHEME]);
        let unprojected = (hamiltonian - self.initial.energy() - earlier_work).abs();
        self.extremes.hamiltonian_error = self.extremes.hamiltonian_error.max(unprojected);
        self.extremes.hidden_violation = self.extremes.hidden_violation.max(hidden);
        self.last = now;
        self.last_step = after.steps;
        self.previous.clone_from(before);
        self.followed = true;
        let discrete_energy = kinetic + potential + stored;
        Ok(Entry { time: after.time, measure: now, discrete_energy, work, hamiltonian, hidden })
    }

    /// `H_d` and the hidden constraints at the beginning of the step. At the start of a run momenta are those of velocities,
    /// which constraints allow.
    fn read_instant(
        &mut self,
        model: &Model,
        before: &State,
        after: &State,
        h: f64,
    ) -> Result<(f64, f64), ForceError> {
        if !self.followed {
            return Ok((self.last.energy(), self.last.velocity_violation));
        }
        self.instant.read(model, &self.previous, before, after, h)?;
        Ok((self.instant.hamiltonian(), self.instant.hidden().unprojected))
    }

    /// Sets up the middle of the step and books gravity; returns kinetic energy and gravity's potential there.
    fn book_gravity(&mut self, model: &Model, before: &State, after: &State, h: f64) -> f64 {
        let mut energy = 0.0;
        for (slot, link) in model.links.iter().enumerate() {
            let (x0, x1) = (&before.positions[slot], &after.positions[slot]);
            let (r0, r1) = (&before.rotations[slot], &after.rotations[slot]);
            let place = Placement {
                position: (x0 + x1) * 0.5,
                frame: (r0 + r1) * 0.5,
                velocity: (x1 - x0) / h,
                frame_rate: (r1 - r0) / h,
            };
            let half = 0.5 * link.inertia.sum();
            let turning: f64 =
                (0..3).map(|k| (half - link.inertia[k]) * place.frame_rate.column(k).norm_squared()).sum();
            energy += 0.5 * (link.mass * place.velocity.norm_squared() + turning);
            energy -= link.mass * model.gravity.dot(&place.position);
            let impulse = model.gravity * (link.mass * h);
            self.impulses[slot] = (impulse, place.position.cross(&impulse));
            self.causes[GRAVITY].add(&self.impulses[slot]);
            self.placements[slot] = place;
        }
        energy
    }

    /// Books impulses and work of the forces; returns their potential energy at the middle.
    fn book_forces(&mut self, model: &Model, t: f64, h: f64) -> Result<f64, ForceError> {
        let mut potential = 0.0;
        let bodies = Bodies { first: 0, placements: &self.placements };
        for (force, cause) in model.forces.iter().zip(&mut self.causes[FORCES..]) {
            force.pull(t, &bodies, &mut self.pulls)?;
            force.for_each_slot(&mut |slot| {
                // A body may be named twice: its pull is taken at the first visit.
                let pull = std::mem::replace(&mut self.pulls[slot], Pull::zero());
                let place = &self.placements[slot];
                let about_centre = pull.torque + moment_of(&place.frame, &pull.moment);
                let linear = pull.force * h;
                let impulse = (linear, place.position.cross(&linear) + about_centre * h);
                cause.add(&impulse);
                self.impulses[slot].0 += impulse.0;
                self.impulses[slot].1 += impulse.1;
            });
            cause.energy += h * force.power(t, &bodies)?;
            potential += force.potential(&bodies)?;
        }
        Ok(potential)
    }

    /// Books the work of forces along joints (their impulses are internal, or the supports'); returns their potential
    /// energy at the middle.
    fn book_joint_forces(&mut self, model: &Model, before: &State, after: &State, h: f64) -> f64 {
        let mut potential = 0.0;
        let from = FORCES + model.forces.len();
        for (force, cause) in model.joint_forces.iter().zip(&mut self.causes[from..]) {
            let at = model.links[force.slot].coordinate + force.coordinate;
            let (c0, c1) = (before.coordinates[at], after.coordinates[at]);
            let middle = 0.5 * (c0 + c1);
            potential += force.potential(middle);
            if !force.is_conservative() {
                let rate = (c1 - c0) / h;
                cause.energy += h * rate * force.pull(before.time + 0.5 * h, middle, rate).value;
            }
        }
        potential
    }

    /// What no force explains came through the supports, or is the scheme's.
    fn book_rest(&mut self, model: &Model, after: &State, now: &Measure) {
        for (island, &hangs) in model.islands.iter().zip(&self.hangs) {
            let mut rest = (Vec3::zeros(), Vec3::zeros());
            for slot in island.bodies.clone() {
                let new = momentum(model, after, slot, &self.scratch.twists[slot]);
                let (old, impulse) = (self.momenta[slot], self.impulses[slot]);
                rest.0 += new.0 - old.0 - impulse.0;
                rest.1 += new.1 - old.1 - impulse.1;
                self.momenta[slot] = new;
            }
            self.causes[if hangs { SUPPORTS } else { SCHEME }].add(&rest);
        }
        let work = self.work();
        self.causes[SCHEME].energy = now.energy() - self.initial.energy() - work;
    }

    fn keep_momenta(&mut self, model: &Model, state: &State) {
        for (slot, kept) in self.momenta.iter_mut().enumerate() {
            *kept = momentum(model, state, slot, &self.scratch.twists[slot]);
        }
    }
}

/// Linear momentum of a body and its angular momentum about the origin.
fn momentum(model: &Model, state: &State, slot: usize, twist: &Vec6) -> (Vec3, Vec3) {
    let (link, r) = (&model.links[slot], &state.rotations[slot]);
    let p = linear(twist) * link.mass;
    let spin = r * link.inertia.component_mul(&r.tr_mul(&angular(twist)));
    (p, state.positions[slot].cross(&p) + spin)
}

/// Whether an island exchanges momentum with the world through joints.
fn hangs(model: &Model, island: &Island) -> bool {
    let rooted = model.links[island.bodies.clone()]
        .iter()
        .any(|link| link.parent.is_none() && link.joint.kind != JointKind::Free);
    rooted || model.closures[island.closures.clone()].iter().any(|c| c.parent.is_none())
}
