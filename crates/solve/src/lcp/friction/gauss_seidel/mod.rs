//! Projected Gauss-Seidel on contacts and equalities, with Anderson acceleration and a nonsmooth Newton method, for large piles.
//!
//! ```text
//! solver            sweeps forth and back, Anderson extrapolation, Newton's method where sweeps are slow; island by island
//! islands           connected components of blocks, each in breadth-first order from the world
//! colours           the order of large islands, whose parts are swept by several threads
//! island_threads    islands of one problem at the same time
//! assembly, system  the rows of each island side by side in memory, scaled so that masses and compliances are one
//! sweep             one pass: impulses of one contact after the other, the residual, the projection onto the cones
//! tangential        the tangential impulse of one contact
//! block_pair        products of rows and velocities, four numbers at a time
//! substeps          a step in parts that share its rows: few sweeps each, for piles whose steps need not be solved to the end
//! energy            unsolved impulses must not add energy
//! nonsmooth_newton  all contacts at once: contact_law, contacts with a little compliance; sparse elimination
//! nonmonotone_newton  the same on a budget, through impulses with larger errors
//! ```
//!
//! Gauss-Seidel on contacts: [Jourdan, Alart, Jean 1998]; acceleration: [Walker and Ni 2011]; Newton on the projections:
//! [Alart and Curnier 1991].

mod assembly;
mod block_pair;
mod colours;
mod contact_law;
mod energy;
mod island_threads;
mod islands;
mod nonmonotone_newton;
mod nonsmooth_newton;
mod solver;
mod substeps;
mod sweep;
mod system;
mod tangential;

pub use solver::{GaussSeidel, GaussSeidelReport};
pub use substeps::{SubstepContact, Substeps};
