//! Record of a step: path nodes, jumps of momentum and energy, impacts.
//!
//! A scheme with collisions writes a record of every step; the ledger adds its intervals one by one, and impacts become events.
//! Between two nodes an island moves by one interval of the discrete equations; at a node momenta
//! jump, and where a projection moved bodies two nodes have the same time.

use crate::model::{Island, State};
use crate::rotation::Mat3;
use percussion_geometry::Vec3;
use percussion_solve::lcp::friction::FrictionalResidual;

/// Pose of a body at a node.
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
    /// Index of the island.
    pub island: usize,
    /// Time since the beginning of the step, s.
    pub since: f64,
    /// First of the island's bodies among the poses.
    pub places: usize,
    /// First of the island's joint coordinates.
    pub coordinates: usize,
}

/// The source of a jump of momentum or energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JumpSource {
    /// Normal impulses, and the energy that restitution dissipates.
    Contact,
    /// Tangential impulses, and the energy that they dissipate.
    Friction,
    /// The projection of overlapping bodies.
    Projection,
    /// Impulses at the stops of joints.
    Stop,
}

/// A jump: momentum of one body, or energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MomentumJump {
    /// The source.
    pub source: JumpSource,
    /// Slot of the body; for energies any body of the island.
    pub slot: usize,
    /// Change of linear momentum, N s.
    pub linear: Vec3,
    /// Change of angular momentum about the origin, N m s.
    pub angular: Vec3,
    /// Change of energy, J.
    pub energy: f64,
}

/// Kind of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactKind {
    /// An impact at its instant, inside the step.
    Impact,
    /// A response at the end of the step, after a projection.
    Response,
    /// An impulse of time stepping, somewhere inside the step.
    Stepped,
    /// A joint against one of its limits.
    Stop,
    /// Too many impacts: the rest of the step falls back to the decomposition scheme.
    Fallback,
}

impl ImpactKind {
    /// Its name in `events.jsonl`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Impact => "impact",
            Self::Response => "response",
            Self::Stepped => "time-stepping",
            Self::Stop => "joint-limit",
            Self::Fallback => "fallback",
        }
    }
}

/// An impact of two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Time, s.
    pub time: f64,
    /// Bodies `a` and `b`, by index in the list of all bodies.
    pub bodies: (usize, usize),
    /// Contact point.
    pub point: Vec3,
    /// Unit normal from `b` to `a`.
    pub normal: Vec3,
    /// Impulse on `a`, N s.
    pub impulse: Vec3,
    /// Kinetic energy of the colliding islands, before and after, J.
    pub energy: (f64, f64),
    /// Normal velocity before and after, m/s (negative: closing).
    pub speed: (f64, f64),
    /// The kind.
    pub kind: ImpactKind,
}

impl Impact {
    /// Adds another contact of the same two bodies at the same instant: impulses add up, the point is their weighted mean, and the
    /// fastest approach is kept.
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

/// Solver of the complementarity problem of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepSolver {
    /// Gauss-Seidel sweeps; where they do not reach the tolerance, Lemke's method for few contacts and the fixed point for many.
    #[default]
    Auto,
    /// Lemke's method with lexicographic pivoting.
    Lemke,
    /// The convex relaxation alone [Hart 5.6, Algorithm 6.5].
    Relaxation,
    /// The fixed point on top of the relaxation [Hart 5.17].
    FixedPoint,
    /// Projected Gauss-Seidel sweeps alone.
    GaussSeidel,
}

impl StepSolver {
    /// All, by their names in scene files.
    pub const WORDS: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("lemke", Self::Lemke),
        ("relaxation", Self::Relaxation),
        ("fixed-point", Self::FixedPoint),
        ("gauss-seidel", Self::GaussSeidel),
    ];

    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        Self::WORDS.iter().find(|(_, solver)| *solver == self).map_or("auto", |(word, _)| word)
    }
}

/// How the problem of a step was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpSolveStats {
    /// The solver of the impulses; never `Auto` but for a step without a problem.
    pub solver: StepSolver,
    /// Contacts of the problem.
    pub contacts: usize,
    /// Pivots, sweeps, or iterations of the interior-point method in all relaxations.
    pub iterations: usize,
    /// Residual of the impulses, in the units of [`FrictionalResidual`].
    pub residual: f64,
    /// The residual of each law: joints, normal impulses, sliding direction and dissipation of friction, bound of friction.
    pub laws: FrictionalResidual,
    /// Whether the residual came below the tolerance, with [`StepSolver::Auto`] on the round cone below 1e-8.
    pub converged: bool,
    /// Fraction of `γ` with which penetrations were stabilised: less than one where all of it would have brought energy.
    pub stabilisation_factor: f64,
    /// Groups of bodies whose unsolved impulses would have brought more energy than there is without contact and than
    /// stabilisation requires: they got additional sweeps, or their impulses were scaled down.
    pub energy_guarded: usize,
    /// Fraction of its impulses that an unsolved step kept where all of them would have brought energy, the least of its groups
    /// of bodies; the residual is that of all of them.
    pub impulse_scale: f64,
}

impl Default for LcpSolveStats {
    /// Of a step without a problem.
    fn default() -> Self {
        Self {
            solver: StepSolver::Auto,
            contacts: 0,
            iterations: 0,
            residual: 0.0,
            laws: FrictionalResidual::default(),
            converged: true,
            stabilisation_factor: 1.0,
            energy_guarded: 0,
            impulse_scale: 1.0,
        }
    }
}

/// What a projection of positions did after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProjectionStats {
    /// Iterations with gaps evaluated again; zero where nothing penetrated.
    pub iterations: usize,
    /// Deepest penetration before, m.
    pub overlap: f64,
    /// Deepest penetration that is left, m; zero where it is rounding.
    pub left: f64,
    /// Change of potential energy, J.
    pub energy: f64,
}

/// Parts that passed through each other in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Their bodies, by index in the list of all bodies.
    pub bodies: (usize, usize),
    /// A bound of their relative speed, m/s.
    pub speed: f64,
}

/// The record of a step; reused from step to step.
#[derive(Clone, Debug, Default)]
pub struct StepRecord {
    /// Nodes of the paths, in order of time.
    pub nodes: Vec<PathNode>,
    /// Poses of the islands at the nodes.
    pub places: Vec<NodePose>,
    /// Joint coordinates of the islands at the nodes.
    pub coordinates: Vec<f64>,
    /// Jumps of momentum and energy.
    pub jumps: Vec<MomentumJump>,
    /// Work of forces along joints that the ledger cannot compute itself, J: index of the force (those along closures after those along
    /// joints of the tree), and work.
    pub joint_work: Vec<(usize, f64)>,
    /// Impacts.
    pub impacts: Vec<Impact>,
    /// Maximum penetration of two parts at the end of the step, m, by schemes that compute it.
    pub overlap: f64,
    /// Fallbacks to the decomposition scheme.
    pub fallbacks: u64,
    /// Groups of islands in persistent contact.
    pub rests: u64,
    /// Contact problems, of impacts and of persistent contact, that were not solved to their tolerance.
    pub unsolved: u64,
    /// Largest residual of these problems, relative to the largest impulse of each.
    pub contact_residual: f64,
    /// Sequences of impacts that did not end, which Moreau's law resolved at once.
    pub unfinished_sequences: u64,
    /// How the complementarity problem of the step was solved, by schemes that have one.
    pub solve: Option<LcpSolveStats>,
    /// Maximum violation of a constraint at the beginning of the step [Hart 6.8], in units of the metric for overlaps; of schemes
    /// that stabilise constraints.
    pub infeasibility: Option<f64>,
    /// The projection of positions at the end of the step, of schemes that make one without momenta.
    pub projection: Option<ProjectionStats>,
    /// The fastest pair of parts that passed through each other, of schemes that look for it.
    pub crossing: Option<Crossing>,
}

impl StepRecord {
    /// Clears the record.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.places.clear();
        self.coordinates.clear();
        self.jumps.clear();
        self.joint_work.clear();
        self.impacts.clear();
        self.overlap = 0.0;
        self.fallbacks = 0;
        self.rests = 0;
        self.unsolved = 0;
        self.contact_residual = 0.0;
        self.unfinished_sequences = 0;
        self.solve = None;
        self.infeasibility = None;
        self.projection = None;
        self.crossing = None;
    }

    /// Adds jumps, work, impacts and unsolved problems of another record.
    pub(crate) fn append(&mut self, other: &Self) {
        self.jumps.extend_from_slice(&other.jumps);
        self.joint_work.extend_from_slice(&other.joint_work);
        self.impacts.extend_from_slice(&other.impacts);
        self.unsolved += other.unsolved;
        self.contact_residual = self.contact_residual.max(other.contact_residual);
    }

    /// Adds a node at `since`, with the configuration of the island in `state`.
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

    /// Keeps the faster of two crossings.
    pub fn add_crossing(&mut self, crossing: Crossing) {
        if self.crossing.is_none_or(|known| known.speed < crossing.speed) {
            self.crossing = Some(crossing);
        }
    }

    /// An impulse at a point on a body.
    pub fn impulse(&mut self, source: JumpSource, slot: usize, point: &Vec3, impulse: &Vec3) {
        self.jumps.push(MomentumJump {
            source,
            slot,
            linear: *impulse,
            angular: point.cross(impulse),
            energy: 0.0,
        });
    }

    /// Adds a jump of the energy of the island of a body.
    pub fn energy(&mut self, source: JumpSource, slot: usize, energy: f64) {
        self.jumps.push(MomentumJump { source, slot, linear: Vec3::zeros(), angular: Vec3::zeros(), energy });
    }
}
