//! A Newton step with the velocities as unknowns, for many contacts.
//!
//! ```text
//! P dx + Q G dv = r      the linearised laws of the closed contacts; P is block diagonal and regular: the weights see to that
//! dv = D dx + dv₀        dv₀: open contacts lose their impulses
//! (1 + D P⁻¹ Q G) dv = dv₀ + D P⁻¹ r         sparse: bodies that share a contact are coupled
//! dx = P⁻¹ (r - Q G dv)
//! ```

use super::newton::{Linearisation, linearise};
use super::system::{ContactSystem, Piece};
use crate::sparse::block_lu::{BLOCK, BlockLu};

type Mat3 = [[f64; 3]; 3];

/// Workspace of the step.
#[derive(Clone, Debug, Default)]
pub(super) struct VelocityStep {
    factors: BlockLu,
    /// Pairs of pieces that share a contact, and those of the pattern of the factors.
    coupled: Vec<(u32, u32)>,
    analysed: Vec<(u32, u32)>,
    analysed_pieces: usize,
    pieces: Vec<Piece>,
    /// `P⁻¹ Q` and `P⁻¹ r` of the closed contacts.
    responses: Vec<(Mat3, [f64; 3])>,
    dv: Vec<[f64; BLOCK]>,
}

impl VelocityStep {
    /// The iterate after a full step from `x`, whose closed contacts and values of all are given; false where the equations are singular.
    pub fn step(
        &mut self,
        system: &ContactSystem,
        x: &[[f64; 3]],
        (closed, values): (&[usize], &[[f64; 3]]),
        next: &mut [[f64; 3]],
    ) -> bool {
        self.analyse(system, closed);
        self.factors.reset();
        self.dv.clear();
        self.dv.resize(system.piece_count(), [0.0; BLOCK]);
        self.responses.clear();
        let mut rest = closed;
        for (k, x) in x.iter().enumerate() {
            if rest.first() != Some(&k) {
                if *x != [0.0; 3] {
                    system.list_pieces(k, &mut self.pieces);
                    self.add_impulses(&x.map(|x| -x));
                }
                continue;
            }
            rest = &rest[1..];
            let Linearisation { p, q, r } = linearise(system, k, x, &values[k]);
            let Some(inverse) = invert(&p) else { return false };
            let response = (product(&inverse, &q), image(&inverse, &r));
            system.list_pieces(k, &mut self.pieces);
            self.add_impulses(&response.1);
            self.add_contact(&response.0);
            self.responses.push(response);
        }
        if !self.factors.factor() {
            return false;
        }
        self.factors.solve(&mut self.dv);
        for (&k, (matrix, constant)) in closed.iter().zip(&self.responses) {
            system.list_pieces(k, &mut self.pieces);
            let mut dy = [0.0; 3];
            for piece in &self.pieces {
                let dv = &self.dv[piece.index];
                for (dy, row) in dy.iter_mut().zip(&piece.rows) {
                    *dy += row.iter().zip(dv).map(|(g, v)| g * v).sum::<f64>();
                }
            }
            let less = image(matrix, &dy);
            next[k] = [0, 1, 2].map(|c| x[k][c] + constant[c] - less[c]);
        }
        true
    }

    /// The pattern of the factors, unless it is that of the last step.
    fn analyse(&mut self, system: &ContactSystem, closed: &[usize]) {
        self.coupled.clear();
        for &k in closed {
            let indices = system.piece_indices(k);
            for (n, i) in indices.enumerate() {
                let earlier = system.piece_indices(k).take(n);
                self.coupled.extend(earlier.map(|j| (i.min(j) as u32, i.max(j) as u32)));
            }
        }
        self.coupled.sort_unstable();
        self.coupled.dedup();
        if self.coupled != self.analysed || self.analysed_pieces != system.piece_count() {
            self.analysed.clone_from(&self.coupled);
            self.analysed_pieces = system.piece_count();
            self.factors.analyse(system.piece_count(), self.coupled.iter().copied());
        }
    }

    /// `dv += D x` of the contact whose pieces are listed.
    fn add_impulses(&mut self, x: &[f64; 3]) {
        for piece in &self.pieces {
            let dv = &mut self.dv[piece.index];
            for (x, column) in x.iter().zip(&piece.columns) {
                dv.iter_mut().zip(column).for_each(|(v, d)| *v += d * x);
            }
        }
    }

    /// Adds `D c G` of the contact whose pieces are listed to the matrix.
    fn add_contact(&mut self, c: &Mat3) {
        for right in &self.pieces {
            let images = c.map(|row| {
                let mut image = [0.0; BLOCK];
                for (c, row) in row.iter().zip(&right.rows) {
                    image.iter_mut().zip(row).for_each(|(i, g)| *i += c * g);
                }
                image
            });
            for left in &self.pieces {
                let block = self.factors.block(left.index, right.index);
                for (column, image) in left.columns.iter().zip(&images) {
                    for (line, d) in block.iter_mut().zip(column) {
                        line.iter_mut().zip(image).for_each(|(v, i)| *v += d * i);
                    }
                }
            }
        }
    }
}

fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    a.map(|row| [0, 1, 2].map(|c| row[0] * b[0][c] + row[1] * b[1][c] + row[2] * b[2][c]))
}

fn image(a: &Mat3, x: &[f64; 3]) -> [f64; 3] {
    a.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
}

/// The inverse, of cofactors, unless the matrix is singular. Normal and tangential equations have the same scale.
fn invert(a: &Mat3) -> Option<Mat3> {
    let cofactor = |r: usize, c: usize| {
        let (i, j, k, l) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        a[i][k] * a[j][l] - a[i][l] * a[j][k]
    };
    let determinant: f64 = (0..3).map(|c| a[0][c] * cofactor(0, c)).sum();
    (determinant != 0.0 && determinant.is_finite())
        .then(|| [0, 1, 2].map(|r| [0, 1, 2].map(|c| cofactor(c, r) / determinant)))
}
