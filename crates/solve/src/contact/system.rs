//! Contacts with their rows and columns, over blocks of degrees of freedom.

use crate::sparse::block_lu::BLOCK;
use crate::tolerances::contact::solver::LOWER_WEIGHT;
use std::ops::Range;

/// Law of the tangential impulse of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactLaw {
    /// Coulomb's law; without friction there is no tangential impulse.
    Cone {
        /// Coefficient of friction.
        friction: f64,
    },
    /// A drive along one direction, the first: an impulse within `±bound` with `y = 0` inside of its bounds, `y ≤ 0` at the upper and
    /// `y ≥ 0` at the lower one, `y` with the compliance of the drive. Its tangential rows are zero.
    Bounded {
        /// Largest impulse.
        bound: f64,
        /// Velocity (or displacement) per unit of impulse.
        compliance: f64,
    },
    /// The contact slides along a given direction: the tangential impulse is `-friction x_n direction`.
    Sliding {
        /// Coefficient of friction.
        friction: f64,
        /// Unit vector.
        direction: [f64; 2],
    },
    /// Tresca's law: the tangential impulse minimises `x_t·y_t` over a disc whose radius is given, as that of friction is where normal
    /// impulses are known. They are part of the velocities without impulses; the normal impulse is zero.
    Tresca {
        /// Radius of the disc, an impulse.
        radius: f64,
    },
}

impl ContactLaw {
    /// Coefficient of friction; zero where the tangential impulse is independent of the normal one.
    pub fn friction(&self) -> f64 {
        match *self {
            Self::Bounded { .. } | Self::Tresca { .. } => 0.0,
            Self::Cone { friction } | Self::Sliding { friction, .. } => friction,
        }
    }

    /// Bound of the tangential impulse with a normal impulse.
    pub(super) fn radius(&self, normal: f64) -> f64 {
        match *self {
            Self::Tresca { radius } => radius,
            _ => self.friction() * normal,
        }
    }
}

/// A block of degrees of freedom on which a contact acts.
#[derive(Clone, Copy, Debug)]
struct DofBlock {
    /// First degree of freedom.
    first: usize,
    width: usize,
    /// First of its `3 width` entries of the rows and columns.
    at: usize,
    /// First of its pieces, of at most [`BLOCK`] degrees of freedom each, in a numbering of the whole system.
    piece: usize,
}

/// Rows and columns of a contact over a piece of a block, filled up with zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub index: usize,
    pub rows: [[f64; BLOCK]; 3],
    pub columns: [[f64; BLOCK]; 3],
}

/// One contact.
#[derive(Clone, Debug)]
pub(super) struct Contact {
    pub law: ContactLaw,
    pub bias: [f64; 3],
    /// Weight of the regularisation relative to the diagonal of `A`.
    relative_weight: f64,
    /// Weight `ε` of the regularisation `ε (x_n - x_n⁰)`.
    pub weight: f64,
    /// Its reference `x_n⁰`.
    pub reference: f64,
    /// Weight and reference of the regularisation of the tangential impulse in proximal iterations; otherwise zero.
    pub tangential_weight: f64,
    pub tangential_reference: [f64; 2],
    blocks: Range<usize>,
    /// `A_ii`, row by row.
    pub local: [[f64; 3]; 3],
    /// Reciprocal of `|A_nn + ε|`, and of the larger eigenvalue of the tangential block.
    pub scale: [f64; 2],
}

impl Contact {
    /// The larger eigenvalue of the tangential block.
    pub fn tangential_entry(&self) -> f64 {
        let local = &self.local;
        let (a, b, d) = (local[1][1], 0.5 * (local[1][2] + local[2][1]), local[2][2]);
        0.5 * (a + d) + (0.5 * (a - d)).hypot(b)
    }

    /// The scales of the projections.
    pub fn set_scale(&mut self) {
        let normal = self.local[0][0] + self.weight + self.compliance();
        let tangential = self.tangential_entry() + self.tangential_weight;
        let inverse = |value: f64| if value > 0.0 { 1.0 / value } else { 0.0 };
        // A contact that its own impulse closes has no solution; it must not seem to have one.
        self.scale = [inverse(normal.abs()), inverse(tangential)];
    }

    /// `y_n + ε (x_n - x_n⁰)`; of a drive, with its compliance.
    pub fn regularised(&self, normal: f64, y: &[f64; 3]) -> f64 {
        y[0] + self.compliance() * normal + self.weight * (normal - self.reference)
    }

    /// `x_t - ρ_t (y_t + δ (x_t - x_t⁰))`.
    pub fn tangential_step(&self, x: &[f64; 3], y: &[f64; 3]) -> [f64; 2] {
        let (rho, weight) = (self.scale[1], self.tangential_weight);
        [0, 1].map(|t| x[1 + t] - rho * (y[1 + t] + weight * (x[1 + t] - self.tangential_reference[t])))
    }

    /// Compliance of a drive; zero for contacts.
    pub fn compliance(&self) -> f64 {
        if let ContactLaw::Bounded { compliance, .. } = self.law { compliance } else { 0.0 }
    }

    /// The next normal impulse, or impulse of a drive, after one projection.
    pub fn projected(&self, normal: f64, y: &[f64; 3]) -> f64 {
        let next = normal - self.scale[0] * self.regularised(normal, y);
        match self.law {
            ContactLaw::Bounded { bound, .. } => next.clamp(-bound, bound),
            ContactLaw::Tresca { .. } => 0.0,
            _ => next.max(0.0),
        }
    }
}

/// The problem of [`ContactSolver`](super::ContactSolver): reused from problem to problem, it allocates nothing once it has grown.
#[derive(Clone, Debug, Default)]
pub struct ContactSystem {
    pub(super) contacts: Vec<Contact>,
    blocks: Vec<DofBlock>,
    rows: Vec<f64>,
    columns: Vec<f64>,
    dofs: usize,
    /// First degree of freedom and width of every block that occurs, ascending, and the first of its pieces.
    occurring: Vec<(usize, usize, usize)>,
    pieces: usize,
    /// Weight of the proximal term of sticking impulses, relative to `A_tt`.
    pub(super) proximal: f64,
    /// Whether weights of the regularisations have been lowered.
    lowered: bool,
}

impl ContactSystem {
    /// Removes all contacts; `dofs` is the number of degrees of freedom of the next problem.
    pub fn clear(&mut self, dofs: usize) {
        self.contacts.clear();
        self.blocks.clear();
        self.rows.clear();
        self.columns.clear();
        self.dofs = dofs;
    }

    /// Adds a contact with bias `b` and the weight of its regularisation relative to its `A_nn`; its blocks follow.
    pub fn add_contact(&mut self, law: ContactLaw, bias: [f64; 3], relative_weight: f64) {
        let at = self.blocks.len();
        self.contacts.push(Contact {
            law,
            bias,
            relative_weight,
            weight: 0.0,
            reference: 0.0,
            tangential_weight: 0.0,
            tangential_reference: [0.0; 2],
            blocks: at..at,
            local: [[0.0; 3]; 3],
            scale: [0.0; 2],
        });
    }

    /// Adds a block to the contact added last: three rows of `G`, then three columns of `D`, each over the degrees of freedom from
    /// `first` on.
    pub fn add_block(&mut self, first: usize, rows: &[f64], columns: &[f64]) {
        debug_assert_eq!(rows.len(), columns.len());
        let Some(contact) = self.contacts.last_mut() else { return };
        let width = rows.len() / 3;
        self.blocks.push(DofBlock { first, width, at: self.rows.len(), piece: 0 });
        self.rows.extend_from_slice(rows);
        self.columns.extend_from_slice(columns);
        contact.blocks.end = self.blocks.len();
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// Number of degrees of freedom.
    pub fn dofs(&self) -> usize {
        self.dofs
    }

    /// The law of a contact.
    pub fn law(&self, contact: usize) -> ContactLaw {
        self.contacts[contact].law
    }

    /// Replaces the law of a contact.
    pub fn set_law(&mut self, contact: usize, law: ContactLaw) {
        self.contacts[contact].law = law;
    }

    /// Reciprocal of the larger eigenvalue of the tangential block of `A_ii`, once a solver has seen the system.
    pub fn tangential_scale(&self, contact: usize) -> f64 {
        self.contacts[contact].scale[1]
    }

    /// Adds `sign D x` of one contact to the velocities.
    pub fn add_impulse(&self, contact: usize, x: &[f64; 3], sign: f64, v: &mut [f64]) {
        for block in &self.blocks[self.contacts[contact].blocks.clone()] {
            let v = &mut v[block.first..block.first + block.width];
            for (k, x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                let column = &self.columns[block.at + k * block.width..][..block.width];
                v.iter_mut().zip(column).for_each(|(v, d)| *v += sign * x * d);
            }
        }
    }

    /// `y = b + G v` of one contact.
    pub fn value(&self, contact: usize, v: &[f64]) -> [f64; 3] {
        let mut y = self.contacts[contact].bias;
        for block in &self.blocks[self.contacts[contact].blocks.clone()] {
            let v = &v[block.first..block.first + block.width];
            for (k, y) in y.iter_mut().enumerate() {
                let row = &self.rows[block.at + k * block.width..][..block.width];
                *y += row.iter().zip(v).map(|(g, v)| g * v).sum::<f64>();
            }
        }
        y
    }

    /// Sum of the sizes of all terms of the normal value of one contact.
    pub(super) fn normal_velocity_size(&self, contact: usize, v: &[f64]) -> f64 {
        let blocks = &self.blocks[self.contacts[contact].blocks.clone()];
        let of = |block: &DofBlock| -> f64 {
            let row = &self.rows[block.at..block.at + block.width];
            row.iter().zip(&v[block.first..]).map(|(g, v)| (g * v).abs()).sum()
        };
        blocks.iter().map(of).sum()
    }

    /// Number of pieces of all blocks.
    pub(super) fn piece_count(&self) -> usize {
        self.pieces
    }

    /// Indices of the pieces of one contact.
    pub(super) fn piece_indices(&self, contact: usize) -> impl Iterator<Item = usize> {
        let blocks = self.blocks[self.contacts[contact].blocks.clone()].iter();
        blocks.flat_map(|block| block.piece..block.piece + block.width.div_ceil(BLOCK))
    }

    /// The pieces of one contact.
    pub(super) fn list_pieces(&self, contact: usize, pieces: &mut Vec<Piece>) {
        pieces.clear();
        for block in &self.blocks[self.contacts[contact].blocks.clone()] {
            for (k, first) in (0..block.width).step_by(BLOCK).enumerate() {
                let width = BLOCK.min(block.width - first);
                let part = |of: &[f64]| {
                    [0, 1, 2].map(|k| {
                        let mut piece = [0.0; BLOCK];
                        let from = block.at + k * block.width + first;
                        piece[..width].copy_from_slice(&of[from..from + width]);
                        piece
                    })
                };
                let (rows, columns) = (part(&self.rows), part(&self.columns));
                pieces.push(Piece { index: block.piece + k, rows, columns });
            }
        }
    }

    /// Numbers the pieces of all blocks.
    fn number_pieces(&mut self) {
        self.occurring.clear();
        self.occurring.extend(self.blocks.iter().map(|block| (block.first, block.width, 0)));
        self.occurring.sort_unstable();
        self.occurring.dedup();
        self.pieces = 0;
        for (_, width, piece) in &mut self.occurring {
            *piece = self.pieces;
            self.pieces += width.div_ceil(BLOCK);
        }
        for block in &mut self.blocks {
            let at = self.occurring.partition_point(|(first, ..)| *first < block.first);
            block.piece = self.occurring[at].2;
        }
    }

    /// `A_ij`, row by row; `None` if the contacts share no block.
    pub(super) fn coupling(&self, i: usize, j: usize) -> Option<[[f64; 3]; 3]> {
        let mut found = None;
        for one in &self.blocks[self.contacts[i].blocks.clone()] {
            for other in &self.blocks[self.contacts[j].blocks.clone()] {
                if one.first != other.first {
                    continue;
                }
                let a = found.get_or_insert([[0.0; 3]; 3]);
                for (r, a) in a.iter_mut().enumerate() {
                    let row = &self.rows[one.at + r * one.width..][..one.width];
                    for (c, a) in a.iter_mut().enumerate() {
                        let column = &self.columns[other.at + c * other.width..][..other.width];
                        *a += row.iter().zip(column).map(|(g, d)| g * d).sum::<f64>();
                    }
                }
            }
        }
        found
    }

    /// Computes the local blocks `A_ii` and scales, and numbers the pieces of the blocks. The regularisations have a least weight.
    pub(super) fn prepare(&mut self, proximal: f64, least_weight: f64) {
        self.proximal = proximal;
        self.lowered = false;
        self.number_pieces();
        for k in 0..self.contacts.len() {
            let local = self.coupling(k, k).unwrap_or_default();
            let contact = &mut self.contacts[k];
            contact.local = local;
            contact.weight = contact.relative_weight.max(least_weight) * local[0][0];
            contact.reference = 0.0;
            (contact.tangential_weight, contact.tangential_reference) = (0.0, [0.0; 2]);
            contact.set_scale();
        }
    }

    /// Lowers the weights of the regularisations towards those that the contacts were given. Whether one was larger.
    pub(super) fn lower_weights(&mut self) -> bool {
        let mut lowered = false;
        for contact in &mut self.contacts {
            let least = contact.relative_weight * contact.local[0][0];
            if contact.weight > least {
                contact.weight = (LOWER_WEIGHT * contact.weight).max(least);
                contact.set_scale();
                lowered = true;
            }
        }
        self.lowered |= lowered;
        lowered
    }

    /// Whether weights have been lowered.
    pub(super) fn has_lower_weights(&self) -> bool {
        self.lowered
    }

    /// The weights of the problem itself, with the present impulses as references.
    pub(super) fn end_proximal(&mut self, weights: &[f64], x: &[[f64; 3]]) {
        for ((contact, weight), x) in self.contacts.iter_mut().zip(weights).zip(x) {
            (contact.weight, contact.reference, contact.tangential_weight) = (*weight, x[0], 0.0);
            contact.set_scale();
        }
    }

    /// Weights of proximal iterations, relative to `A_ii`, with the present impulses as references.
    pub(super) fn set_proximal(&mut self, relative: f64, x: &[[f64; 3]]) {
        for (contact, x) in self.contacts.iter_mut().zip(x) {
            contact.weight = relative * contact.local[0][0].abs();
            contact.reference = x[0];
            contact.tangential_weight = relative * contact.tangential_entry();
            contact.tangential_reference = [x[1], x[2]];
            contact.set_scale();
        }
    }
}
