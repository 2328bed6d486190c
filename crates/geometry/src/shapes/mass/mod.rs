//! Mass properties of the shapes, for density one: polytopes and meshes are sums of signed tetrahedra, the curved shapes have
//! closed forms.

mod planar;
mod polyhedral;
mod smooth;

pub(super) use polyhedral::signed_tetrahedra;
