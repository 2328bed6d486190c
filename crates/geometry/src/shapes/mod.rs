//! Bodies in their own frames. Convex bodies have a support mapping; all others are lists of convex parts.
//!
//! Each convex shape has a *reference point* (its centroid unless set otherwise), through which the ray of the
//! separation kernel passes, an *inner radius* (a ball about the reference inside the body) and an
//! *outer radius* (a ball about it that holds the body).

mod area;
mod clip;
mod compound;
mod convex;
mod decomposition;
mod feature;
mod half_spaces;
mod hull;
mod lanes;
mod mass;
mod mesh;
mod outlines;
mod polygon;
mod polytope;
mod program;
mod range;
mod smooth;
mod solid;
mod solids;
mod spec;
mod topology;

pub(crate) use area::area_vector;
pub use compound::{Compound, CompoundIn, PlanarCompound};
pub use decomposition::{Decomposition, DecompositionKind, DecompositionOptions};
pub use feature::Feature;
pub(crate) use lanes::Block;
pub use lanes::Lanes;
pub use mesh::TriangleMesh;
pub use polygon::Polygon;
pub(crate) use polytope::VertexIncidence;
pub use polytope::{Edge, Face, Polytope};
pub use smooth::{
    Capsule, Circle, Cone, Cylinder, Ellipse, Ellipsoid, EllipsoidIn, HalfPlane, HalfSpace, HalfSpaceIn,
    Sphere, SphereIn,
};
pub use solid::{PlanarShape, Solid};
pub use spec::{Rows, SHAPE_KINDS, ShapeParameters, ShapeParts, ShapeSpec, Width};

pub(crate) use convex::Convex;

use range::{all_positive, at_least, check_finite, positive};
