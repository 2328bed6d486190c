//! Sparse symmetric indefinite systems, such as those of a step of Newton's method: `A = P L D Lᵀ Pᵀ` with pivots of one or two
//! rows, and the signs of the eigenvalues of `A`.
//!
//! Made for chains of small blocks with a few columns that touch them all, as transcriptions of motions are; other patterns are
//! factorised too.
//!
//! ```text
//! once    rows without a diagonal are paired with columns, pairs are ordered for little fill     pairs, tree
//!         columns with (nearly) the same rows below them become one front
//! each    scale rows and columns to largest entries near one
//!         for every front, leaves first:                                                          factor
//!             add up its entries and what its children leave
//!             eliminate columns while pivots are large enough, best growth first                  front
//!             pass what could not be eliminated and the rest of the matrix on to the parent
//! ```
//!
//! Pivots are tested against all rows of the front, so that no entry of `L` exceeds the inverse of the threshold; columns without
//! one wait for the parent [Duff and Reid 1983]. A column with nothing left at the root is a zero eigenvalue. All sums are made in
//! one order whatever the processor: the same bits everywhere.

mod front;
mod matrix;
mod numeric;
mod pairing;
mod symbolic;

pub use matrix::SymmetricMatrix;
pub use numeric::{Inertia, Ldl};
