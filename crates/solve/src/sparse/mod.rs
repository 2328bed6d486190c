//! Multifrontal factorisation `A = P L D Lᵀ Pᵀ` of sparse symmetric indefinite matrices, with 1x1 and 2x2 pivots, and the inertia
//! of `A`: the matrices of Newton steps. [Duff and Reid 1983]
//!
//! ```text
//! analysis     IndexGroups: rows without a diagonal are paired with columns (2x2 pivots)           pairing
//!              AssemblyTree: approximate minimum degree, elimination_tree, amalgamate supernodes   symbolic
//! factor       equilibrate rows and columns                                                        numeric
//!              factor_front, leaves first: assemble entries, extend_add contributions of children
//!              eliminate with threshold pivoting, update_contribution                              front
//! solve        forward, pivots, backward                                                           numeric
//! ```
//!
//! Pivots are tested against all rows of the front, so that no entry of `L` exceeds the inverse of the threshold; columns without
//! an admissible pivot are delayed to the parent. A column that is zero at the root is a zero eigenvalue. Sums are formed in one
//! order on every processor. Meant for chains of small blocks with a few dense columns (optimal control); other patterns work too.

pub(crate) mod block_lu;
mod front;
mod matrix;
mod numeric;
mod pairing;
mod symbolic;

pub use matrix::SymmetricMatrix;
pub use numeric::{Inertia, Ldl};
