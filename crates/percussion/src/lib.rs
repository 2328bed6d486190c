//! **percussion**: the dynamics and optimal control of bodies that touch.
//!
//! This crate is the front door: it gathers what a program needs under one name, and holds the command-line
//! program of the same name. Shapes and the separation kernel live in [`geometry`], bodies that move in [`mechanics`],
//! scene files and run folders in [`scene`], pages and pictures of runs in [`report`].
//!
//! A pile of boxes, stepped and read:
//!
//! ```
//! use percussion::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut scene = SceneBuilder::new();
//! scene.gravity([0.0, 0.0, -9.81]).friction(0.5);
//! scene.fixed("floor").half_space([0.0, 0.0, 1.0]);
//! for k in 0..5 {
//!     scene.body(format!("box{k}")).cuboid([1.0; 3]).density(1000.0).position([0.0, 0.0, 0.5 + 1.1 * k as f64]);
//! }
//! let mut simulation = scene.simulate(SchemeKind::Lcp, 1e-2)?;
//! simulation.run_until(2.0)?;
//! assert!((simulation.body("box4")?.position().z - 4.5).abs() < 1e-2);
//! let weight: f64 = simulation.contacts().iter().filter(|c| c.bodies.1 == "floor").map(|c| c.impulse.z).sum();
//! assert!((weight / 1e-2 / (5.0 * 1000.0 * 9.81) - 1.0).abs() < 1e-2);
//! # assert!(simulation.energy().kinetic < 1e-3 * simulation.energy().total());
//! # Ok(())
//! # }
//! ```
//!
//! The distance of two bodies:
//!
//! ```
//! use percussion::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cube = Solid::Polytope(Polytope::cube(1.0)?);
//! let above = Pose::at(Vec3::new(0.0, 0.0, 1.25));
//! let answer = separation(&cube, &above, &cube, &Pose::identity(), &Options::default(), &mut WarmStart::default())?;
//! assert!((answer.separation - 0.25).abs() < 1e-14);
//! assert_eq!(answer.normal(), Vec3::z());
//! # Ok(())
//! # }
//! ```

/// The examples of the guide's pages on the library, on runs, on their pages and on studies.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/library.md")]
#[doc = include_str!("../../../docs/src/run.md")]
#[doc = include_str!("../../../docs/src/report.md")]
#[doc = include_str!("../../../docs/src/studies.md")]
mod guide {}

pub mod distance;
pub mod gallery;

pub use percussion_control as control;
pub use percussion_geometry as geometry;
pub use percussion_mechanics as mechanics;
pub use percussion_report as report;
pub use percussion_scene as scene;
pub use percussion_solve as solve;

/// The names most programs use.
pub mod prelude {
    pub use crate::control::{PlanBuilder, PlanSolution};
    pub use crate::geometry::euclid::{Euclidean, PlanarEuclidean, euclidean, planar_euclidean};
    pub use crate::geometry::events::{
        ContactEvent, EventOptions, EventWorkspace, PlanarContactEvent, PlanarEventWorkspace,
    };
    pub use crate::geometry::separation::{
        BetaTerm, MotionGradient, Options, Outcome, PlanarMotionGradient, PlanarOptions, PlanarSeparation,
        PlanarWarmStart, QueryError, Separation, WarmStart, planar_separation, separation,
    };
    pub use crate::geometry::shapes::{
        Capsule, Circle, Compound, Cone, Cylinder, Ellipse, Ellipsoid, Feature, HalfPlane, HalfSpace,
        PlanarShape, Polygon, Polytope, Solid, Sphere, TriangleMesh,
    };
    pub use crate::geometry::{PlanarPose, Pose, ShapeError, Vec2, Vec3};
    pub use crate::mechanics::builder::{BodyBuilder, JointBuilder};
    pub use crate::mechanics::schemes::{SchemeKind, SchemeOptions};
    pub use crate::mechanics::views::{BodyView, ContactView, Energy, JointView};
    pub use crate::mechanics::{JointKind, SceneBuilder, SceneBuilderError, Simulation};
}
