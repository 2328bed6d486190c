//! A plan as a nonlinear program: sparse, block tri-diagonal in time.
//!
//! | file | piece |
//! |---|---|
//! | `passage.rs`, `tree.rs` | an island over an interval: momenta at both ends |
//! | `node.rs`, `bent.rs` | functions of a configuration: conditions, distances, gaps, goals |
//! | `plane.rs` | a plane between two parts that is sought too |
//! | `turn.rs` | how far a body turns in an interval |
//! | `local.rs`, `law.rs` | impulses of contacts and ties, velocities |
//! | `hold.rs`, `posture.rs`, `columns.rs` | directions between bodies, mass matrices, how bodies move along degrees of freedom |
//! | `sites.rs` | where impulses act, and in which order at a node |
//! | `sums.rs` | efforts, time, momenta |
//! | `frozen.rs`, `encounter.rs`, `faces.rs` | which features of two parts meet, held fast, and how far these reach |
//! | `pressure.rs` | faces push, at a place of both |
//!
//! Variables are the nodes' configurations (displacements of the degrees of freedom at the present candidate: minimal, and each
//! touches its two intervals only), efforts, time scales, at nodes where momenta jump or are asked about these too, and the
//! planes between parts that keep apart.
//! `build.rs` numbers variables and rows; a [`Transcription`] is the program that a solver sees.

mod bent;
mod build;
mod candidate;
mod columns;
mod dynamics_defect;
mod encounter;
mod faces;
mod frozen;
mod hold;
mod label;
mod law;
mod local;
mod node;
mod piece;
mod plane;
mod point;
mod posture;
mod pressure;
mod sites;
mod sums;
mod tree;
mod turn;

pub use build::{Apart, Keeper, Setup};
pub use encounter::{ContactResolutionError, ResolvedContact};
pub use faces::Kept;
pub use frozen::{Frozen, Reading};
pub use label::Label;
pub(crate) use local::level;
pub use local::{Directions, Event, Law};
pub use node::separation;
pub use plane::{Hull, Plane};
pub use point::{NONE, Numbering, Point};

use crate::plan::{Plan, left_jacobian};
use percussion_geometry::Vec3;
use percussion_mechanics::discrete::displace;
use percussion_mechanics::joint::JointKind;
use percussion_solve::nlp::{ChartBlock, Layout, Program, Undefined};
use piece::{Context, Placed};

/// A plan as a nonlinear program.
pub struct Transcription {
    context: Context,
    pieces: Vec<Placed>,
    layout: Layout,
    labels: Vec<Label>,
    setup: Setup,
    room: (Vec<f64>, Vec<f64>),
}

impl Transcription {
    /// What is wanted.
    pub fn plan(&self) -> &Plan {
        &self.context.plan
    }

    /// Where the unknowns are.
    pub fn numbering(&self) -> &Numbering {
        &self.context.numbering
    }

    /// ContactGeometry and distances that it was made for.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The bounds of a variable, in words.
    pub fn bound_of(&self, variable: usize) -> String {
        label::bounds(&self.context.plan, &self.context.numbering, variable)
    }

    /// What a row is.
    pub fn label(&self, row: usize) -> &Label {
        &self.labels[row]
    }

    /// Momenta of an island at both ends of an interval.
    pub fn momenta(
        &mut self,
        at: &Point,
        interval: usize,
        island: usize,
    ) -> Result<(Vec<f64>, Vec<f64>), Undefined> {
        let n = self.context.plan.model.islands[island].dofs.len();
        let piece = dynamics_defect::DynamicsDefect::new(&self.context, interval, island, NONE, NONE);
        let mut out = vec![0.0; 2 * n];
        piece::Piece::value(&piece, &mut self.context, at, &mut out)?;
        let after = out.split_off(n);
        Ok((out, after))
    }
}

impl Program for Transcription {
    type Point = Point;

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn coordinates(&self, at: &Point, out: &mut [f64]) {
        out.copy_from_slice(&at.numbers);
    }

    fn retract(&self, from: &Point, step: &[f64], to: &mut Point) {
        let (plan, numbering) = (&self.context.plan, &self.context.numbering);
        for ((there, here), d) in to.numbers.iter_mut().zip(&from.numbers).zip(step) {
            *there = here + d;
        }
        for ((here, there), places) in from.nodes.iter().zip(&mut to.nodes).zip(&numbering.places) {
            there.clone_from(here);
            for (island, &first) in plan.model.islands.iter().zip(places).filter(|(_, first)| **first != NONE)
            {
                let own = first..first + island.dofs.len();
                displace(&plan.model, island, here, &step[own.clone()], there);
                // Configurations are no numbers.
                to.numbers[own].fill(0.0);
            }
        }
        let planes = numbering.planes.iter().zip(self.setup.planes());
        for (((&first, plane), here), there) in planes.zip(&from.planes).zip(&mut to.planes) {
            let own = first..first + plane.turns();
            *there = plane.turned(here, &step[own.clone()]);
            to.numbers[own].fill(0.0);
        }
    }

    fn evaluate(&mut self, at: &Point, constraints: &mut [f64]) -> Result<f64, Undefined> {
        constraints.fill(0.0);
        let mut objective = 0.0;
        for piece in &self.pieces {
            objective += piece.add_value(&mut self.context, at, &mut self.room.0, constraints)?;
        }
        Ok(objective)
    }

    fn differentiate(
        &mut self,
        at: &Point,
        gradient: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), Undefined> {
        gradient.fill(0.0);
        self.context.gallery.clear();
        let mut next = 0;
        for piece in &self.pieces {
            let entries = (&mut *jacobian, next);
            next = piece.put_jacobian(&mut self.context, at, &mut self.room.0, gradient, entries)?;
        }
        Ok(())
    }

    fn lagrangian_hessian(
        &mut self,
        at: &Point,
        weight: f64,
        multipliers: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Undefined> {
        self.context.gallery.clear();
        let mut next = 0;
        for piece in &self.pieces {
            let (weights, entries) = ((weight, multipliers), (&mut *hessian, next));
            next = piece.put_hessian(&mut self.context, at, &mut self.room, weights, entries)?;
        }
        Ok(())
    }

    fn chart(&self, base: &Point, x: &[f64], blocks: &mut Vec<ChartBlock>) {
        blocks.clear();
        let model = &self.context.plan.model;
        for places in &self.context.numbering.places {
            for (island, &first) in model.islands.iter().zip(places).filter(|(_, first)| **first != NONE) {
                for link in &model.links[island.bodies.clone()] {
                    let turn = match link.joint.kind {
                        JointKind::Spherical => 0,
                        JointKind::Free if !link.joint.particle => 3,
                        _ => continue,
                    };
                    let at = first + link.dof - island.dofs.start + turn;
                    let turned = left_jacobian(&Vec3::new(x[at], x[at + 1], x[at + 2]));
                    blocks.push(ChartBlock { first: at, entries: turned.as_slice().to_vec(), size: 3 });
                }
            }
        }
        let planes = self.context.numbering.planes.iter().zip(self.setup.planes());
        for ((&first, plane), n) in planes.zip(&base.planes) {
            blocks.push(plane.chart(n, first, &x[first..first + plane.turns()]));
        }
        blocks.sort_by_key(|block| block.first);
    }

    fn constraint_name(&self, constraint: usize) -> String {
        self.labels[constraint].words(&self.context.plan)
    }

    fn variable_name(&self, variable: usize) -> String {
        label::variable(&self.context.plan, &self.context.numbering, variable)
    }
}
