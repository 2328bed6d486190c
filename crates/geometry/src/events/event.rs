//! One contact event: two features that touch or nearly touch, with everything a contact law needs.
//!
//! An event is the separation problem restricted to one feature of each body and solved as *equations*
//! [Hart 3.5, 3.14]. With `nu` the direction across both features (the face's normal, or the cross product of
//! the edges):
//!
//! ```text
//! alpha_m = nu/<nu,β>,   s_m = <alpha_m, p_a - p_b>,   p_a - p_b = s_m β,   rho_m = s_m/D
//! ```
//!
//! so every event is a smooth function of the placements, unlike the separation of the bodies, which is the
//! largest of the restricted problems [Hart Theorem 3.13] and has kinks where two of them meet.

use crate::Vec3;
use crate::separation::{BetaTerm, MotionGradient, Separation, SeparationDifferential};
use crate::shapes::Feature;

/// One of the two bodies of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The first body.
    A,
    /// The second body.
    B,
}

impl Side {
    /// The other body.
    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// Which features meet in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    /// A corner of one polytope on a face of the other.
    CornerOnFace {
        /// The body whose corner it is.
        corner_of: Side,
        /// The corner's index in that body.
        vertex: u32,
        /// The face's index in the other body.
        face: u32,
    },
    /// Two edges that cross.
    EdgeOnEdge {
        /// Index of a's edge.
        edge_a: u32,
        /// Index of b's edge.
        edge_b: u32,
    },
    /// A contact in which a curved body or a half-space takes part. The ends of a capsule's core segment are
    /// [`Feature::Vertex`] 0 (at negative z) and 1, its side is [`Feature::Edge`] 0. The flat ends of a cylinder or cone are
    /// [`Feature::Face`] 0 (at negative z) and 1 where something lies on them, their rims [`Feature::Edge`] 0 and 1 where they cross an edge or rim.
    Smooth {
        /// What touches on body a.
        a: Feature,
        /// What touches on body b.
        b: Feature,
    },
}

impl EventKind {
    /// The features of a and of b.
    pub fn features(&self) -> [Feature; 2] {
        match *self {
            EventKind::CornerOnFace { corner_of: Side::A, vertex, face } => {
                [Feature::Vertex(vertex), Feature::Face(face)]
            }
            EventKind::CornerOnFace { corner_of: Side::B, vertex, face } => {
                [Feature::Face(face), Feature::Vertex(vertex)]
            }
            EventKind::EdgeOnEdge { edge_a, edge_b } => [Feature::Edge(edge_a), Feature::Edge(edge_b)],
            EventKind::Smooth { a, b } => [a, b],
        }
    }

    /// The same event with the bodies exchanged.
    pub fn flipped(self) -> Self {
        match self {
            EventKind::CornerOnFace { corner_of, vertex, face } => {
                EventKind::CornerOnFace { corner_of: corner_of.other(), vertex, face }
            }
            EventKind::EdgeOnEdge { edge_a, edge_b } => {
                EventKind::EdgeOnEdge { edge_a: edge_b, edge_b: edge_a }
            }
            EventKind::Smooth { a, b } => EventKind::Smooth { a: b, b: a },
        }
    }
}

/// The line along which separations of a pair are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeparationLine {
    /// Unit direction β from b to a.
    pub beta: Vec3,
    /// Distance `D` of the reference points along β, metres.
    pub reference_distance: f64,
    /// Whether β was prescribed: then it does not move with the bodies.
    pub prescribed: bool,
}

impl From<&Separation> for SeparationLine {
    fn from(answer: &Separation) -> Self {
        let &Separation { beta, reference_distance, prescribed, .. } = answer;
        Self { beta, reference_distance, prescribed }
    }
}

/// An active or nearly active contact event; all vectors in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactEvent {
    /// The features that meet.
    pub kind: EventKind,
    /// The component function `s_m`, metres along β.
    pub separation: f64,
    /// Direction across the features with `<alpha, beta> = 1`; not a unit vector.
    pub alpha: Vec3,
    /// The event's point on body a; `point_a - point_b = separation beta`.
    pub point_a: Vec3,
    /// The event's point on body b.
    pub point_b: Vec3,
    /// The line along which `separation` is measured.
    pub line: SeparationLine,
}

impl ContactEvent {
    /// Unit contact normal from body b to body a.
    pub fn normal(&self) -> Vec3 {
        self.alpha / self.alpha.norm()
    }

    /// Signed distance of the two features along their normal, `s_m/|alpha|`.
    pub fn gap(&self) -> f64 {
        self.separation / self.alpha.norm()
    }

    /// The event's ratio metric penetration depth `rho_m = s_m/D` [Hart 3.14].
    pub fn ratio_depth(&self) -> f64 {
        self.separation / self.line.reference_distance
    }

    /// Derivative of `separation` with respect to rigid motions of both bodies about their reference points (world
    /// positions):
    ///
    /// ```text
    /// ds/dc1 = alpha - (s/D)(I - β β^T) alpha      ds/dθ1 = (p1 - c1) x alpha       opposite signs for b
    /// ```
    ///
    /// The normal turns with the features and the points slide over them, but neither enters: the event's
    /// equations make `s_m` stationary in both. A prescribed β does not follow the reference points.
    pub fn motion_gradient(&self, reference_a: &Vec3, reference_b: &Vec3, beta: BetaTerm) -> MotionGradient {
        let term = beta;
        let Self { separation, alpha, point_a, point_b, line, .. } = *self;
        let SeparationLine { beta, reference_distance, prescribed } = line;
        SeparationDifferential { separation, alpha, point_a, point_b, beta, reference_distance, prescribed }
            .motion(reference_a, reference_b, term)
    }

    /// The separation of the bodies itself as an event, for pairs without a richer manifold.
    pub fn of_separation(answer: &Separation, a: Feature, b: Feature) -> ContactEvent {
        let &Separation { separation, alpha, point_a, point_b, .. } = answer;
        let (kind, line) = (EventKind::Smooth { a, b }, SeparationLine::from(answer));
        ContactEvent { kind, separation, alpha, point_a, point_b, line }
    }

    /// The same event with the bodies exchanged: directions turn round, the separation stays.
    pub fn flipped(&self) -> ContactEvent {
        ContactEvent {
            kind: self.kind.flipped(),
            separation: self.separation,
            alpha: -self.alpha,
            point_a: self.point_b,
            point_b: self.point_a,
            line: SeparationLine { beta: -self.line.beta, ..self.line },
        }
    }
}
