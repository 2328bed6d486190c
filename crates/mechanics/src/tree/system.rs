//! `J = P0ᵀ A P1` of a tree: product, factorisation and solution.

use crate::spatial::{Mat6, Vec6, shift_block, shift_twist, shift_wrench};
use percussion_geometry::Vec3;
use thiserror::Error;

/// One body of the tree with its joint in the linear system.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Place of its parent, among the nodes; `None` is the world.
    pub(crate) parent: Option<usize>,
    /// How many degrees of freedom the joint leaves.
    pub(crate) dofs: usize,
    /// Where they begin in the vector of all.
    pub(crate) first: usize,
    /// Columns `S` where the equations are written.
    pub(crate) motion0: Mat6,
    /// Columns `S` where displacements happen.
    pub(crate) motion1: Mat6,
    /// From the parent's centre of mass to the body's, where the equations are written.
    pub(crate) reach0: Vec3,
    /// The same where displacements happen.
    pub(crate) reach1: Vec3,
    /// `A`: from twists to wrenches.
    pub(crate) block: Mat6,
    /// `k`: derivatives along the joint's own degrees of freedom.
    pub(crate) along: Vec6,
    articulated: Mat6,
    u: Mat6,
    d_inverse: Mat6,
    /// `D⁻¹ Vᵀ X1`.
    w: Mat6,
    wrench: Vec6,
    y: Vec6,
}

impl Node {
    /// A node without content.
    pub fn empty() -> Self {
        Self::default()
    }
}

/// A body whose degrees of freedom cannot be solved for.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("the equations of the body in slot {slot} are singular")]
pub struct Singular {
    /// Its place among the nodes.
    pub slot: usize,
}

/// The linear system of one island: parents come before children.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The bodies.
    pub(crate) nodes: Vec<Node>,
}

impl System {
    /// `P0ᵀ f` by the sweep up: reduced forces of given wrenches. The wrenches are consumed.
    pub fn reduce(&self, wrenches: &mut [Vec6], reduced: &mut [f64]) {
        self.sweep_up(wrenches, reduced, |node| (&node.motion0, &node.reach0));
    }

    /// `P1ᵀ f`: the same with the columns where displacements happen.
    pub fn reduce_at_end(&self, wrenches: &mut [Vec6], reduced: &mut [f64]) {
        self.sweep_up(wrenches, reduced, |node| (&node.motion1, &node.reach1));
    }

    fn sweep_up(&self, wrenches: &mut [Vec6], reduced: &mut [f64], at: impl Fn(&Node) -> (&Mat6, &Vec3)) {
        for i in (0..self.nodes.len()).rev() {
            let node = &self.nodes[i];
            let (motion, reach) = at(node);
            let f = wrenches[i];
            for k in 0..node.dofs {
                reduced[node.first + k] = motion.column(k).dot(&f);
            }
            if let Some(parent) = node.parent {
                wrenches[parent] += shift_wrench(&f, reach);
            }
        }
    }

    /// `P1 u`: twists of all bodies, by the sweep down.
    pub fn expand(&self, u: &[f64], twists: &mut [Vec6]) {
        for (i, node) in self.nodes.iter().enumerate() {
            let mut t = node.parent.map_or_else(Vec6::zeros, |p| shift_twist(&twists[p], &node.reach1));
            for k in 0..node.dofs {
                t += node.motion1.column(k) * u[node.first + k];
            }
            twists[i] = t;
        }
    }

    /// `J u`, given room for twists and wrenches; `coupling` may add wrenches that depend on other bodies' twists.
    pub fn multiply(
        &self,
        u: &[f64],
        twists: &mut [Vec6],
        wrenches: &mut [Vec6],
        out: &mut [f64],
        coupling: impl FnOnce(&[Vec6], &mut [Vec6]),
    ) {
        self.expand(u, twists);
        for ((wrench, twist), node) in wrenches.iter_mut().zip(twists.iter()).zip(&self.nodes) {
            *wrench = node.block * twist;
        }
        coupling(twists, wrenches);
        self.reduce(wrenches, out);
        for node in &self.nodes {
            for k in 0..node.dofs {
                out[node.first + k] += node.along[k] * u[node.first + k];
            }
        }
    }

    /// Eliminates from the leaves to the roots.
    pub fn factor(&mut self) -> Result<(), Singular> {
        for node in &mut self.nodes {
            node.articulated = node.block;
        }
        for i in (0..self.nodes.len()).rev() {
            let (before, rest) = self.nodes.split_at_mut(i);
            let node = &mut rest[0];
            let n = node.dofs;
            let a = &node.articulated;
            let mut d = Mat6::identity();
            let mut vt = Mat6::zeros();
            for k in 0..n {
                node.u.set_column(k, &(a * node.motion1.column(k)));
                vt.set_row(k, &(node.motion0.column(k).transpose() * a));
            }
            for r in 0..n {
                for c in 0..n {
                    d[(r, c)] = node.motion0.column(r).dot(&node.u.column(c));
                }
                d[(r, r)] += node.along[r];
            }
            invert(&d, n, &mut node.d_inverse).ok_or(Singular { slot: i })?;
            let Some(parent) = node.parent else { continue };
            let mut w = Mat6::zeros();
            for r in 0..n {
                for c in 0..n {
                    let row = vt.row(c) * node.d_inverse[(r, c)];
                    let mut target = w.row_mut(r);
                    target += row;
                }
            }
            let mut eliminated = *a;
            for k in 0..n {
                eliminated -= node.u.column(k) * w.row(k);
            }
            // W X1
            for k in 0..n {
                let angular = Vec3::new(w[(k, 3)], w[(k, 4)], w[(k, 5)]);
                let linear = Vec3::new(w[(k, 0)], w[(k, 1)], w[(k, 2)]);
                let seen = angular + node.reach1.cross(&linear);
                for c in 0..3 {
                    w[(k, 3 + c)] = seen[c];
                }
            }
            node.w = w;
            before[parent].articulated += shift_block(&eliminated, &node.reach0, &node.reach1);
        }
        Ok(())
    }

    /// Solves `J u = rhs` with the factors. Also leaves the twists `P1 u` behind.
    pub fn solve(&mut self, rhs: &[f64], u: &mut [f64], twists: &mut [Vec6]) {
        for node in &mut self.nodes {
            node.wrench = Vec6::zeros();
        }
        for i in (0..self.nodes.len()).rev() {
            let (before, rest) = self.nodes.split_at_mut(i);
            let node = &mut rest[0];
            let n = node.dofs;
            let mut rho = Vec6::zeros();
            for k in 0..n {
                rho[k] = rhs[node.first + k] - node.motion0.column(k).dot(&node.wrench);
            }
            let mut up = node.wrench;
            for r in 0..n {
                let mut y = 0.0;
                for c in 0..n {
                    y += node.d_inverse[(r, c)] * rho[c];
                }
                node.y[r] = y;
                up += node.u.column(r) * y;
            }
            if let Some(parent) = node.parent {
                before[parent].wrench += shift_wrench(&up, &node.reach0);
            }
        }
        for (i, node) in self.nodes.iter().enumerate() {
            let (from_parent, carried_twist) = match node.parent {
                Some(parent) => (twists[parent], shift_twist(&twists[parent], &node.reach1)),
                None => (Vec6::zeros(), Vec6::zeros()),
            };
            let mut t = carried_twist;
            for k in 0..node.dofs {
                let mut value = node.y[k];
                if node.parent.is_some() {
                    value -= node.w.row(k).transpose().dot(&from_parent);
                }
                u[node.first + k] = value;
                t += node.motion1.column(k) * value;
            }
            twists[i] = t;
        }
    }
}

/// Inverse of the leading `n` by `n` part, by elimination with row exchanges.
fn invert(d: &Mat6, n: usize, out: &mut Mat6) -> Option<()> {
    let mut a = *d;
    *out = Mat6::identity();
    for k in 0..n {
        let mut pivot = k;
        for r in k + 1..n {
            if a[(r, k)].abs() > a[(pivot, k)].abs() {
                pivot = r;
            }
        }
        let value = a[(pivot, k)];
        if !(value.abs() > f64::MIN_POSITIVE && value.is_finite()) {
            return None;
        }
        a.swap_rows(k, pivot);
        out.swap_rows(k, pivot);
        let scale = 1.0 / value;
        for c in 0..n {
            a[(k, c)] *= scale;
            out[(k, c)] *= scale;
        }
        for r in 0..n {
            let factor = a[(r, k)];
            if r == k || factor == 0.0 {
                continue;
            }
            for c in 0..n {
                a[(r, c)] -= factor * a[(k, c)];
                out[(r, c)] -= factor * out[(k, c)];
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    /// A branched tree with arbitrary numbers.
    fn sample() -> (System, usize) {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut system = System::default();
        let mut first = 0;
        for (parent, dofs) in [
            (None, 6),
            (Some(0), 1),
            (Some(1), 3),
            (Some(1), 2),
            (Some(0), 0),
            (Some(4), 5),
            (None, 3),
            (Some(6), 1),
        ] {
            let mut node = Node { parent, dofs, first, ..Node::empty() };
            for k in 0..dofs {
                node.motion0.set_column(k, &Vec6::from_fn(|_, _| random()));
                node.motion1.set_column(k, &Vec6::from_fn(|_, _| random()));
                node.along[k] = random().abs();
            }
            node.reach0 = Vec3::from_fn(|_, _| random());
            node.reach1 = Vec3::from_fn(|_, _| random());
            node.block = Mat6::from_fn(|_, _| random()) + Mat6::identity() * 3.0;
            first += dofs;
            system.nodes.push(node);
        }
        (system, first)
    }

    /// `J` by its definition, from explicit null-space matrices.
    fn dense(system: &System, n: usize) -> DMatrix<f64> {
        let b = system.nodes.len();
        let columns = |end: bool| {
            let mut p = DMatrix::zeros(6 * b, n);
            for (i, node) in system.nodes.iter().enumerate() {
                let reach = if end { node.reach1 } else { node.reach0 };
                if let Some(parent) = node.parent {
                    for c in 0..n {
                        let t = Vec6::from_fn(|r, _| p[(6 * parent + r, c)]);
                        let moved = shift_twist(&t, &reach);
                        for r in 0..6 {
                            p[(6 * i + r, c)] = moved[r];
                        }
                    }
                }
                let s = if end { &node.motion1 } else { &node.motion0 };
                for k in 0..node.dofs {
                    for r in 0..6 {
                        p[(6 * i + r, node.first + k)] += s[(r, k)];
                    }
                }
            }
            p
        };
        let mut a = DMatrix::zeros(6 * b, 6 * b);
        for (i, node) in system.nodes.iter().enumerate() {
            a.view_mut((6 * i, 6 * i), (6, 6)).copy_from(&node.block);
        }
        let mut j = columns(false).transpose() * a * columns(true);
        for node in &system.nodes {
            for k in 0..node.dofs {
                j[(node.first + k, node.first + k)] += node.along[k];
            }
        }
        j
    }

    #[test]
    fn sweeps_agree_with_the_dense_matrix() {
        let (mut system, n) = sample();
        let j = dense(&system, n);
        let u: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
        let bodies = system.nodes.len();
        let (mut t, mut w, mut out) =
            (vec![Vec6::zeros(); bodies], vec![Vec6::zeros(); bodies], vec![0.0; n]);
        system.multiply(&u, &mut t, &mut w, &mut out, |_, _| ());
        let expected = &j * nalgebra::DVector::from_column_slice(&u);
        assert!((nalgebra::DVector::from_column_slice(&out) - &expected).norm() < 1e-13 * expected.norm());

        system.factor().unwrap();
        let mut solved = vec![0.0; n];
        system.solve(&out, &mut solved, &mut t);
        for (a, b) in solved.iter().zip(&u) {
            assert!((a - b).abs() < 1e-11, "{a} {b}");
        }
    }

    #[test]
    fn a_body_without_inertia_is_named() {
        let (mut system, _) = sample();
        system.nodes[7].block = Mat6::zeros();
        system.nodes[7].along = Vec6::zeros();
        assert_eq!(system.factor(), Err(Singular { slot: 7 }));
    }
}
