//! What happened inside a step: where paths break, what jumped, which parts met.
//!
//! A scheme with collisions leaves a transcript of every step; the ledger books its pieces one by one, and events
//! go to whoever watches. Between two nodes an island moves by one interval of the discrete equations; at a node momenta
//! jump, and where a projection moved bodies two nodes share an instant.

use crate::model::Island;
use crate::rotation::Mat3;
use crate::schemes::LcpSolveStats;
use crate::state::State;
use percussion_geometry::Vec3;

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodePose {
    /// Centre of mass.
    pub position: Vec3,
    /// Principal axes as columns.
    pub rotation: Mat3,
}

/// An instant inside a step at which the path of an island breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathNode {
    /// Which island.
    pub island: usize,
    /// Time since the beginning of the step, s.
    pub since: f64,
    /// First of the island's bodies among the places.
    pub places: usize,
    /// First of the island's joint coordinates.
    pub coordinates: usize,
}

/// Why momenta or energy jumped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JumpSource {
    /// Normal impulses, and what restitution takes.
    Contact,
    /// Tangential impulses, and what they take.
    Friction,
    /// Bodies moved out of each other.
    Projection,
}

/// A jump: momentum of one body, or energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MomentumJump {
    /// Why.
    pub cause: JumpSource,
    /// Slot of the body; for energies any body of the island.
    pub slot: usize,
    /// Linear momentum brought, N s.
    pub linear: Vec3,
    /// Angular momentum about the origin brought, N m s.
    pub angular: Vec3,
    /// Energy brought, J.
    pub energy: f64,
}

/// What kind of meeting it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactKind {
    /// An impact at its instant, inside the step.
    Impact,
    /// A response at the end of the step, after a projection.
    Response,
    /// An impulse of time stepping, somewhere inside the step.
    Stepped,
    /// Too many impacts: the rest of the step was handed to the decomposition scheme.
    Fallback,
}

impl ImpactKind {
    /// The word for it in `events.jsonl`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Impact => "impact",
            Self::Response => "response",
            Self::Stepped => "time-stepping",
            Self::Fallback => "fallback",
        }
    }
}

/// Two parts that met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// When, s.
    pub time: f64,
    /// Bodies `a` and `b`, by their places in the list of all bodies.
    pub bodies: (usize, usize),
    /// Where.
    pub point: Vec3,
    /// Unit normal from `b` to `a`.
    pub normal: Vec3,
    /// Impulse on `a`, N s.
    pub impulse: Vec3,
    /// Kinetic energy of the islands that met, before and after, J.
    pub energy: (f64, f64),
    /// Normal velocity before and after, m/s (negative: closing).
    pub speed: (f64, f64),
    /// What kind of meeting.
    pub kind: ImpactKind,
}

impl Impact {
    /// Takes another contact of the same two bodies at the same instant into account: impulses add up, the point is weighed
    /// by them, and the fastest approach counts.
    pub fn join(&mut self, other: &Self) {
        let (mine, theirs) = (self.impulse.norm(), other.impulse.norm());
        let whole = mine + theirs;
        if whole > 0.0 {
            self.point = (self.point * mine + other.point * theirs) / whole;
        }
        self.impulse += other.impulse;
        let direction = self.normal * mine + other.normal * theirs;
        if direction.norm() > 0.0 {
            self.normal = direction.normalize();
        }
        if other.speed.0 < self.speed.0 {
            self.speed = other.speed;
        }
    }
}

/// What happened inside a step; its memory serves again.
#[derive(Clone, Debug, Default)]
pub struct StepRecord {
    /// Where paths break, in the order in which it happened.
    pub nodes: Vec<PathNode>,
    /// Places of the islands at the nodes.
    pub places: Vec<NodePose>,
    /// Joint coordinates of the islands at the nodes.
    pub coordinates: Vec<f64>,
    /// Jumps of momentum and energy.
    pub jumps: Vec<MomentumJump>,
    /// Meetings.
    pub impacts: Vec<Impact>,
    /// Greatest overlap of two parts at the end of the step, m, of schemes that look there.
    pub overlap: f64,
    /// Cascades handed to the decomposition scheme.
    pub fallbacks: u64,
    /// ContactGeometry that rest, likewise.
    pub rests: u64,
    /// How the complementarity problem of the step was solved, by schemes that have one.
    pub solve: Option<LcpSolveStats>,
    /// Greatest violation of a constraint at the beginning of the step [Hart 6.8], in units of the metric for overlaps; of schemes
    /// that stabilise constraints.
    pub infeasibility: Option<f64>,
}

impl StepRecord {
    /// Nothing has happened yet.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.places.clear();
        self.coordinates.clear();
        self.jumps.clear();
        self.impacts.clear();
        self.overlap = 0.0;
        self.fallbacks = 0;
        self.rests = 0;
        self.solve = None;
        self.infeasibility = None;
    }

    /// The path of an island breaks at `since`, where it stands as in `state`.
    pub fn node(&mut self, index: usize, island: &Island, state: &State, since: f64) {
        let (places, coordinates) = (self.places.len(), self.coordinates.len());
        self.nodes.push(PathNode { island: index, since, places, coordinates });
        let bodies = island.bodies.clone();
        self.places.extend(
            state.positions[bodies.clone()]
                .iter()
                .zip(&state.rotations[bodies])
                .map(|(position, rotation)| NodePose { position: *position, rotation: *rotation }),
        );
        self.coordinates.extend_from_slice(&state.coordinates[island.coordinates.clone()]);
    }

    /// An impulse at a point on a body.
    pub fn impulse(&mut self, cause: JumpSource, slot: usize, point: &Vec3, impulse: &Vec3) {
        self.jumps.push(MomentumJump {
            cause,
            slot,
            linear: *impulse,
            angular: point.cross(impulse),
            energy: 0.0,
        });
    }

    /// Energy that appeared (or, negative, went) in the island of a body.
    pub fn energy(&mut self, cause: JumpSource, slot: usize, energy: f64) {
        self.jumps.push(MomentumJump { cause, slot, linear: Vec3::zeros(), angular: Vec3::zeros(), energy });
    }
}
