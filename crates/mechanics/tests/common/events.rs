//! Bodies that fly, touch and bounce, from impact to impact: the reference of collision schemes.
//!
//! Continuous mechanics, nothing discrete, and nothing of the engine: plain numbers in, plain numbers out.
//!
//! ```text
//! flight   x'' = g,  L' = 0,  q' = q Ω / 2,  Ω = J⁻¹ Rᵀ L       Taylor series of order 30 in short patches
//! search   f(t+s) >= f + f's - B s²/2,  |f''| <= B              step to the parabola's root: no contact is missed
//! impact   n·u⁺ = -e n·u⁻                                       one impulse along the normal, no friction
//! ```
//!
//! `f` is the height of a corner above the floor ([`Flight`]), or the gap of two polyhedra along an axis that turns with
//! them ([`Pair`]). Impacts at several corners at once, grazing and lasting contacts have no unique continuation and
//! are errors.
#![allow(dead_code, unused_imports, clippy::unwrap_used, clippy::panic)]

mod flight;
mod glide;
mod pair;
mod starts;

pub use flight::{Flight, History, Impact};
pub use glide::{Glide, STRIDE};
pub use pair::{Contact, Pair, PairHistory, PairImpact};
pub use starts::{quick_pair, thrown, tilted_brick, tilted_cube};

use nalgebra::{Matrix3, Vector3};

pub type Vec3 = Vector3<f64>;
pub type Mat3 = Matrix3<f64>;

/// Metres of overlap within which what moves apart counts as touching: rounding after an impact.
const TOUCH: f64 = 1e-12;
/// Seconds before a contact from where on Newton's iteration is quadratic beyond doubt.
const CLOSE: f64 = 1e-8;
/// Metres another feature must keep away for an impact to be a single one.
const APART: f64 = 1e-9;
/// Metres per second below which an approach is no impact: grazing, or a contact that lasts.
const SLOWEST: f64 = 1e-7;
/// Impacts after which a run is taken for an endless sequence in finite time.
const MOST: usize = 10_000;

/// Why there is no history.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    /// Several features meet at once.
    #[error("at {time} s several features meet at once ({which}); choose a more tilted start")]
    Simultaneous { time: f64, which: String },
    /// Touching without approaching.
    #[error(
        "at {time} s a contact closes at {speed:e} m/s only: it grazes or lasts, which has no impact law"
    )]
    Grazing { time: f64, speed: f64 },
    /// The start is impossible.
    #[error("the bodies overlap by {depth:e} m at the start")]
    Overlap { depth: f64 },
    /// More impacts than any test needs.
    #[error("impacts without end before {time} s; ask for less time")]
    Endless { time: f64 },
    /// The start is no motion.
    #[error("the start has numbers that are not finite")]
    NotFinite,
    /// The start is not rigid.
    #[error("the rotation at the start is off by {off:e}; give an orthonormal matrix of determinant 1")]
    NotARotation { off: f64 },
}

/// A rigid body in the frame of its principal axes, at its centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    /// Kilograms.
    pub mass: f64,
    /// Principal moments of inertia, kg m².
    pub moments: Vec3,
    /// Corners, metres.
    pub vertices: Vec<Vec3>,
    /// Corners around each face, counterclockwise from outside. A body above the floor needs none.
    pub faces: Vec<Vec<usize>>,
}

impl Solid {
    /// A homogeneous cuboid: whole sides in metres, kg/m³. Corner `i` has the signs of the bits of `i`, x the lowest.
    pub fn brick(sides: Vec3, density: f64) -> Self {
        let mass = density * sides.product();
        let squares = sides.component_mul(&sides);
        let sign = |i: usize, k: usize| if i >> k & 1 == 1 { 0.5 } else { -0.5 };
        let vertices = (0..8).map(|i| Vec3::from_fn(|k, _| sign(i, k) * sides[k])).collect();
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        Self {
            mass,
            moments: Vec3::from_fn(|k, _| mass / 12.0 * (squares.sum() - squares[k])),
            vertices,
            faces: faces.map(Vec::from).to_vec(),
        }
    }

    /// A homogeneous regular tetrahedron of every second corner of a cube of side `2 half`: no two edges are parallel.
    pub fn tetrahedron(half: f64, density: f64) -> Self {
        let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        let mass = density * 8.0 * half.powi(3) / 3.0;
        Self {
            mass,
            // m a²/20 with the edge a = 2 sqrt 2 half.
            moments: Vec3::repeat(mass * 8.0 * half * half / 20.0),
            vertices: corners.map(|c| Vec3::from(c) * half).to_vec(),
            faces: vec![vec![1, 3, 2], vec![0, 2, 3], vec![0, 3, 1], vec![0, 1, 2]],
        }
    }

    /// Kinetic energy, J.
    pub fn kinetic(&self, motion: &Motion) -> f64 {
        let body = motion.rotation.transpose() * motion.momentum;
        0.5 * (self.mass * motion.velocity.norm_squared() + body.dot(&body.component_div(&self.moments)))
    }

    /// Angular velocity in space, rad/s.
    pub fn spin(&self, motion: &Motion) -> Vec3 {
        self.under_inertia(motion, &motion.momentum)
    }

    /// Velocity of a corner.
    pub fn velocity_of(&self, vertex: usize, motion: &Motion) -> Vec3 {
        motion.velocity + self.spin(motion).cross(&(motion.rotation * self.vertices[vertex]))
    }

    /// `R J⁻¹ Rᵀ v`.
    fn under_inertia(&self, motion: &Motion, v: &Vec3) -> Vec3 {
        motion.rotation * (motion.rotation.transpose() * v).component_div(&self.moments)
    }

    /// A motion that begins here with an angular velocity in space.
    pub fn moving(&self, position: Vec3, rotation: Mat3, velocity: Vec3, spin: Vec3) -> Motion {
        let momentum = rotation * self.moments.component_mul(&(rotation.transpose() * spin));
        Motion { position, rotation, velocity, momentum }
    }

    /// Change of the normal velocity at `arm` by a unit impulse along `normal` there.
    fn compliance(&self, motion: &Motion, arm: &Vec3, normal: &Vec3) -> f64 {
        let lever = arm.cross(normal);
        1.0 / self.mass + lever.dot(&self.under_inertia(motion, &lever))
    }

    /// After an impulse at `arm`.
    fn struck(&self, motion: &Motion, arm: &Vec3, impulse: &Vec3) -> Motion {
        Motion {
            velocity: motion.velocity + impulse / self.mass,
            momentum: motion.momentum + arm.cross(impulse),
            ..*motion
        }
    }

    /// Greatest possible angular speed, and greatest angular acceleration, while nothing acts on the rotation:
    /// `|ω| <= |L|/J_min` and `|J ω'| = |L × ω|`.
    fn fastest(&self, motion: &Motion) -> (f64, f64) {
        let w = motion.momentum.norm() / self.moments.min();
        (w, w * w)
    }
}

/// Where a body is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Centre of mass, m.
    pub position: Vec3,
    /// Principal axes as columns.
    pub rotation: Mat3,
    /// Of the centre of mass, m/s.
    pub velocity: Vec3,
    /// Angular momentum about the centre of mass, in space, kg m²/s.
    pub momentum: Vec3,
}

impl Motion {
    /// Where a point of the body is.
    pub fn point(&self, body: &Vec3) -> Vec3 {
        self.position + self.rotation * body
    }

    fn check(&self) -> Result<(), StepError> {
        let rest = [self.position, self.velocity, self.momentum];
        if !rest.iter().flat_map(|v| v.iter()).all(|x| x.is_finite()) {
            return Err(StepError::NotFinite);
        }
        let r = &self.rotation;
        let off = (r.transpose() * r - Mat3::identity()).amax().max((r.determinant() - 1.0).abs());
        if off < 1e-12 { Ok(()) } else { Err(StepError::NotARotation { off }) }
    }
}

/// How long `f` stays positive whatever happens, from its value, its rate and a bound on `|f''|`.
fn safe_step(value: f64, rate: f64, bound: f64) -> f64 {
    if value < -TOUCH || (value <= 0.0 && rate <= 0.0) {
        return 0.0;
    }
    let value = value.max(0.0);
    let root = (rate * rate + 2.0 * bound * value).sqrt();
    if rate < 0.0 {
        2.0 * value / (root - rate)
    } else if bound == 0.0 {
        f64::INFINITY
    } else {
        (rate + root) / bound
    }
}

/// The root of `f` within [`CLOSE`] of `s`, to rounding, from values and rates.
fn polished(mut s: f64, time: f64, mut f: impl FnMut(f64) -> (f64, f64)) -> Result<f64, StepError> {
    let first = s;
    for _ in 0..6 {
        let (value, rate) = f(s);
        if rate > -SLOWEST {
            return Err(StepError::Grazing { time: time + s, speed: -rate });
        }
        s -= value / rate;
    }
    if (s - first).abs() > 10.0 * CLOSE {
        return Err(StepError::Grazing { time: time + first, speed: -f(first).1 });
    }
    Ok(s)
}
