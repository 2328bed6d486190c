//! Bodies: rigid bodies, particles and fixed bodies.
//!
//! A rigid body is described by its author in a frame of the author's choice. The engine works in the principal
//! frame at the centre of mass, found once when the model is built; the author's frame is kept, and every
//! pose in the output is one of that frame.
//!
//! Symbols: `m` mass, `J` principal moments of inertia, `E = tr(J)/2 - J` the moments `∫ x_I² dm`, the masses of the
//! directors [Johnson 3.23].

use crate::prescribed_motion::Motion;
use crate::rotation::Mat3;
use crate::tolerances::{INERTIA_ASYMMETRY, TRIANGLE_EXCESS};
use percussion_geometry::mass::{MassProperties, Principal};
use percussion_geometry::shapes::{PlanarShape, Solid};
use percussion_geometry::{PlanarPose, Pose, Vec3};
use std::sync::Arc;
use thiserror::Error;

/// A shape fixed to a body, placed in the author's frame.
#[derive(Clone, Debug)]
pub struct AttachedShape {
    /// What it is.
    pub solid: Solid,
    /// Where it is in the author's frame of the body.
    pub offset: Pose,
}

/// A planar shape fixed to a body, in the xy-plane of the author's frame.
#[derive(Clone, Debug)]
pub struct AttachedOutline {
    /// What it is.
    pub shape: PlanarShape,
    /// Where it is in the plane.
    pub offset: PlanarPose,
}

/// Index of a body in the list of all bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyId(pub usize);

/// Kind of a body in the equations of motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyKind {
    /// Moves and turns.
    Rigid,
    /// Moves; has no orientation.
    Particle,
    /// Moves as prescribed, or not at all.
    Fixed,
}

/// A body in its own frame: its constant properties.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name in the scene.
    pub name: String,
    /// Rigid, particle or fixed.
    pub kind: BodyKind,
    /// Mass, kg (zero for a fixed body, whose mass is not used).
    pub mass: f64,
    /// Principal moments of inertia at the centre of mass, kg m² (zero unless rigid).
    pub inertia: Vec3,
    /// The principal frame, placed in the author's frame (identity unless rigid).
    pub principal: Pose,
    /// Shapes, placed in the author's frame.
    pub shapes: Vec<AttachedShape>,
    /// Planar shapes, placed in the xy-plane of the author's frame.
    pub outlines: Vec<AttachedOutline>,
    /// Prescribed motion in the world; for fixed bodies only.
    pub motion: Option<Arc<Motion>>,
}

/// Why a body is refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BodyError {
    /// Mass zero, negative or not a number.
    #[error("mass is {0}; give a positive number of kilograms")]
    Mass(f64),
    /// Inertia with a principal moment that is not positive.
    #[error(
        "a principal moment of inertia is {0}; a body that turns needs three positive ones (use a particle for a point mass)"
    )]
    Moment(f64),
    /// Principal moments no distribution of mass can have.
    #[error(
        "principal moments {0}, {1}, {2} break the triangle inequality: no distribution of mass has them"
    )]
    Triangle(f64, f64, f64),
    /// Inertia matrix that is not symmetric.
    #[error("the inertia matrix is not symmetric (entries differ by {0})")]
    Asymmetric(f64),
    /// NaN or infinity.
    #[error("{0} is not a finite number")]
    NotFinite(&'static str),
}

impl Body {
    /// A rigid body from mass, centre of mass and inertia about it, all in the author's frame.
    pub fn rigid(name: &str, mass: f64, centre: Vec3, inertia: &Mat3) -> Result<Self, BodyError> {
        if !inertia.iter().all(|v| v.is_finite()) {
            return Err(BodyError::NotFinite("inertia"));
        }
        if !centre.iter().all(|v| v.is_finite()) {
            return Err(BodyError::NotFinite("centre of mass"));
        }
        positive_mass(mass)?;
        let asymmetry = (inertia - inertia.transpose()).amax();
        if asymmetry > INERTIA_ASYMMETRY * inertia.trace().abs() {
            return Err(BodyError::Asymmetric(asymmetry));
        }
        let Principal { moments, axes } = Principal::of(&(0.5 * (inertia + inertia.transpose())));
        let smallest = moments.min();
        if !(smallest > 0.0) {
            return Err(BodyError::Moment(smallest));
        }
        if 2.0 * moments.max() > moments.sum() * (1.0 + TRIANGLE_EXCESS) {
            return Err(BodyError::Triangle(moments.x, moments.y, moments.z));
        }
        Ok(Self {
            name: name.to_owned(),
            kind: BodyKind::Rigid,
            mass,
            inertia: moments,
            principal: Pose::new(axes, centre),
            shapes: Vec::new(),
            outlines: Vec::new(),
            motion: None,
        })
    }

    /// A rigid body of uniform density from the mass properties of its shape (given for density one).
    pub fn of_density(name: &str, properties: &MassProperties, density: f64) -> Result<Self, BodyError> {
        let mass = properties.mass(density);
        Self::rigid(name, mass, properties.centroid, &properties.inertia_of_density(density))
    }

    /// A point mass.
    pub fn particle(name: &str, mass: f64) -> Result<Self, BodyError> {
        positive_mass(mass)?;
        Ok(Self {
            name: name.to_owned(),
            kind: BodyKind::Particle,
            mass,
            inertia: Vec3::zeros(),
            principal: Pose::identity(),
            shapes: Vec::new(),
            outlines: Vec::new(),
            motion: None,
        })
    }

    /// A fixed body: forces do not move it; it may have a prescribed motion.
    pub fn fixed(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: BodyKind::Fixed,
            mass: 0.0,
            inertia: Vec3::zeros(),
            principal: Pose::identity(),
            shapes: Vec::new(),
            outlines: Vec::new(),
            motion: None,
        }
    }

    /// The same body with a shape added, placed in the author's frame.
    pub fn with_shape(mut self, solid: Solid, offset: Pose) -> Self {
        self.shapes.push(AttachedShape { solid, offset });
        self
    }

    /// The same body with a planar shape added, placed in the xy-plane of the author's frame.
    pub fn with_outline(mut self, shape: PlanarShape, offset: PlanarPose) -> Self {
        self.outlines.push(AttachedOutline { shape, offset });
        self
    }

    /// The same body, moved on a prescribed path. Only a fixed body can be: the builder refuses others.
    pub fn with_motion(mut self, motion: Motion) -> Self {
        self.motion = Some(Arc::new(motion));
        self
    }

    /// Whether forces move it.
    pub fn moves(&self) -> bool {
        self.kind != BodyKind::Fixed
    }

    /// Moments `E_I = ∫ x_I² dm` along the principal axes [Johnson 3.23].
    pub fn director_moments(&self) -> Vec3 {
        let j = &self.inertia;
        // Rounding may leave a thin plate with -1e-17; no body has a negative one.
        Vec3::new(j.y + j.z - j.x, j.z + j.x - j.y, j.x + j.y - j.z).map(|twice| (0.5 * twice).max(0.0))
    }

    /// Pose of the principal frame when the author's frame is placed at `pose`.
    pub fn principal_pose(&self, pose: &Pose) -> Pose {
        pose.then(&self.principal)
    }

    /// Pose of the author's frame when the principal frame is placed at `pose`.
    pub fn own_pose(&self, pose: &Pose) -> Pose {
        let rotation = pose.rotation * self.principal.rotation.inverse();
        Pose::new(rotation, pose.position - rotation * self.principal.position)
    }

    /// A point of the author's frame in the principal frame.
    pub fn arm(&self, point: &Vec3) -> Vec3 {
        self.principal.inverse_point(point)
    }
}

fn positive_mass(mass: f64) -> Result<(), BodyError> {
    if mass > 0.0 && mass.is_finite() { Ok(()) } else { Err(BodyError::Mass(mass)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    #[test]
    fn the_principal_frame_is_found_and_the_authors_frame_returns() {
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.4, -0.7, 0.2));
        let moments = Vec3::new(1.0, 2.0, 2.5);
        let inertia = turn.matrix() * Mat3::from_diagonal(&moments) * turn.matrix().transpose();
        let body = Body::rigid("b", 3.0, Vec3::new(1.0, 2.0, 3.0), &inertia).unwrap();
        let axes = body.principal.rotation.matrix();
        let back = axes * Mat3::from_diagonal(&body.inertia) * axes.transpose();
        assert!((back - inertia).norm() < 1e-14);
        let pose =
            Pose::new(Rotation3::from_scaled_axis(Vec3::new(1.0, 0.5, -0.3)), Vec3::new(4.0, 5.0, 6.0));
        let round = body.own_pose(&body.principal_pose(&pose));
        assert!((round.position - pose.position).norm() < 1e-14);
        assert!((round.rotation.matrix() - pose.rotation.matrix()).norm() < 1e-14);
    }

    #[test]
    fn a_thin_plate_is_accepted_and_an_impossible_body_refused() {
        let plate = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 2.0));
        let body = Body::rigid("plate", 1.0, Vec3::zeros(), &plate).unwrap();
        assert!(body.director_moments().min() >= 0.0);
        let impossible = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 3.0));
        assert!(matches!(Body::rigid("no", 1.0, Vec3::zeros(), &impossible), Err(BodyError::Triangle(..))));
        assert_eq!(Body::particle("p", -1.0).unwrap_err(), BodyError::Mass(-1.0));
        assert!(Body::particle("p", f64::NAN).is_err());
        assert!(matches!(
            Body::rigid("rod", 1.0, Vec3::zeros(), &Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0))),
            Err(BodyError::Moment(_))
        ));
    }
}
