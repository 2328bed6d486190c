//! Features: vertices, edges and faces by index, and what curved shapes have instead.

/// Part of a body that carries a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// A vertex by index.
    Vertex(u32),
    /// An edge by index.
    Edge(u32),
    /// A face by index (an edge of a polygon in the plane is an [`Feature::Edge`]).
    Face(u32),
    /// A point of a curved surface.
    Curved,
    /// The boundary of a half-space.
    Plane,
}
