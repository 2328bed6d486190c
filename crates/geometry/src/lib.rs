//! Convex shapes and what happens between them: separation, contact events, broad phase.
//!
//! It holds shapes in body frames, rigid poses, and queries about pairs of them. It has **no clock**: no velocity, no time step.
//! It opens no file and prints nothing.
//!
//! The separation kernel is Minkowski Portal Refinement [Snethen 2008] applied as a ray cast on the Minkowski difference, for convex
//! bodies `K1`, `K2` with reference points `c1`, `c2` [Johnson 2.29, 3.41; Hart 2.12]:
//!
//! ```text
//! D = |c1 - c2|,  β = (c1 - c2)/D              the line through the reference points
//! s = min { s : s β ∈ K1 - K2 }                 a ray cast on the Minkowski difference
//!   = max { a1 - a2 : <α,x> >= a1 on K1, <α,y> <= a2 on K2, <α,β> = 1 }      the SSH LP
//! repeat   normal of the portal (three points of K1 - K2 whose cone holds the ray)
//!          support points of both bodies along it         -> lower bound of s
//!          height of the portal on the ray                -> upper bound of s
//!          replace one portal point, keep the ray inside  (a simplex pivot, priced by supports)
//! until    the bounds meet
//! ```
//!
//! Everything is in SI units and right-handed frames. [`shapes`] builds bodies,
//! [`separation()`](separation::separation) solves for a pair in space,
//! [`planar_separation`](separation::planar_separation) for a pair in the plane.
//!
//! Naming: `XIn<D>` is the type in `D` dimensions, `X` its alias in space and `PlanarX` its alias in the plane.
//!
//! A module depends only on modules above it in this list:
//!
//! ```text
//! pose        placements: rotation and position
//! error       why a body is refused
//! tolerances  every tolerance with its unit and reason
//! mass        volume, centroid and inertia
//! shapes      bodies in their own frames
//! bounds      bounding boxes and balls, at rest and in motion
//! separation  the kernel
//! euclid      Euclidean distance and penetration depth
//! events      contact events
//! broad       broad phase
//! ```

pub mod bounds;
pub mod broad;
pub mod error;
pub mod euclid;
pub mod events;
pub mod mass;
pub mod pose;
pub mod separation;
pub mod shapes;
pub mod tolerances;

pub use bounds::{Aabb, Ball, Bounds, PlanarAabb};
pub use error::ShapeError;
pub use mass::{MassProperties, PlanarMassProperties};
pub use pose::{PlanarPose, Pose, PoseIn, Vec2, Vec3};
