//! Bodies in their own frames. Convex ones answer support queries; everything else is a list of them.
//!
//! Each convex shape has a *reference point* (its centroid unless told otherwise), from which the
//! separation kernel draws its line, an *inner radius* (a ball about the reference inside the body) and an
//! *outer radius* (a ball about it that holds the body).

mod hull;
mod lanes;
mod polygon;
mod polytope;
mod smooth;
mod solid;
mod topology;

pub use lanes::Lanes;
pub use polygon::Polygon;
pub use polytope::{Edge, Face, Polytope};
pub use smooth::{Capsule, Circle, Cone, Cylinder, Ellipse, Ellipsoid, HalfPlane, HalfSpace, Sphere};
pub use solid::{PlanarShape, Solid};
