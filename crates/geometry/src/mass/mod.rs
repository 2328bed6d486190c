//! Exact mass properties: volume, centroid and inertia of bodies of density one.
//!
//! Assemblies are sums of placed parts. A body of density `rho` has the mass `rho volume` and the inertia
//! `rho inertia`.
//!
//! Symbols: `V` volume, `c` centroid, `S = ∫ (x - c)(x - c)^T dV`, and the inertia tensor `J = tr(S) 1 - S`.

mod planar;
mod principal;

pub use planar::PlanarMassProperties;
pub use principal::Principal;

use crate::{Pose, Vec3};
use nalgebra::Matrix3;

/// Volume, centroid and inertia of a body of density one (so that volume is mass).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume, m³.
    pub volume: f64,
    /// Centroid, body frame, m.
    pub centroid: Vec3,
    /// Inertia tensor about the centroid in the axes of the body frame, for density one, m⁵.
    pub inertia: Matrix3<f64>,
}

impl MassProperties {
    /// Nothing: the neutral element of the sum.
    pub fn zero() -> Self {
        Self { volume: 0.0, centroid: Vec3::zeros(), inertia: Matrix3::zeros() }
    }

    /// Mass for a density in kg/m³.
    pub fn mass(&self, density: f64) -> f64 {
        density * self.volume
    }

    /// Inertia tensor about the centroid for a density in kg/m³.
    pub fn inertia_of_density(&self, density: f64) -> Matrix3<f64> {
        density * self.inertia
    }

    /// Inertia tensor (density one) about another point, in the same axes: the parallel axis theorem.
    pub fn inertia_about(&self, point: &Vec3) -> Matrix3<f64> {
        self.inertia + self.volume * steiner(&(point - self.centroid))
    }

    /// Principal moments and axes at the centroid.
    pub fn principal(&self) -> Principal {
        Principal::of(&self.inertia)
    }

    /// The same body placed in another frame.
    pub fn placed(&self, pose: &Pose) -> Self {
        let turn = pose.rotation.matrix();
        let inertia = turn * self.inertia * turn.transpose();
        Self {
            volume: self.volume,
            centroid: pose.point(&self.centroid),
            inertia: 0.5 * (inertia + inertia.transpose()),
        }
    }

    /// The properties of the body with every length multiplied by `factor` about the frame's origin.
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            volume: self.volume * factor.powi(3),
            centroid: self.centroid * factor,
            inertia: self.inertia * factor.powi(5),
        }
    }

    /// From volume, centroid and the second moment `S` about the centroid.
    pub(crate) fn from_second_moment(volume: f64, centroid: Vec3, s: &Matrix3<f64>) -> Self {
        Self { volume, centroid, inertia: inertia_of(s) }
    }
}

/// The inertia `tr(S) 1 - S` of a second moment. Sums instead of `tr(S) - S`: the moment of a needle about its axis keeps
/// all its digits.
fn inertia_of(s: &Matrix3<f64>) -> Matrix3<f64> {
    let mut inertia = -s;
    for k in 0..3 {
        let (i, j) = if k == 0 { (1, 2) } else { (0, 3 - k) };
        inertia[(k, k)] = s[(i, i)] + s[(j, j)];
    }
    inertia
}

/// `|d|² 1 - d d^T`.
fn steiner(d: &Vec3) -> Matrix3<f64> {
    inertia_of(&Matrix3::from_fn(|i, j| d[i] * d[j]))
}

/// Two bodies in the same frame that do not overlap, taken as one.
impl std::ops::Add for MassProperties {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let volume = self.volume + other.volume;
        if volume == 0.0 {
            return Self::zero();
        }
        // The sum of both parallel axis terms: V1 V2/(V1 + V2) about the line of centroids.
        let between = other.centroid - self.centroid;
        let centroid = self.centroid + between * (other.volume / volume);
        let reduced = self.volume * other.volume / volume;
        Self { volume, centroid, inertia: self.inertia + other.inertia + reduced * steiner(&between) }
    }
}

impl std::iter::Sum for MassProperties {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::zero(), |total, part| total + part)
    }
}
