//! A transcription of optimal control as they come: discrete Euler-Lagrange equations of a mechanism with a dense mass matrix
//! and a dense potential, from rest to rest, with forces within bounds, a scale of time, and distances to obstacles.
#![allow(dead_code)]

use percussion_solve::nlp::{Bound, Layout, Program, Undefined};
use std::array::from_fn;

/// Coordinates of the mechanism, and as many forces.
pub const DOF: usize = 6;
const NODE: usize = 2 * DOF;

#[derive(Clone)]
pub struct Chain {
    pub nodes: usize,
    h: f64,
    cost_factor: f64,
    mass: [[f64; DOF]; DOF],
    waves: Vec<([f64; DOF], f64)>,
    obstacles: Vec<([usize; 3], [f64; 3], f64)>,
    goal: [f64; DOF],
    layout: Layout,
}

pub struct ChainParameters {
    pub nodes: usize,
    pub force: f64,
    pub free_time: bool,
    pub obstacles: usize,
    /// Factor of the objective.
    pub cost_factor: f64,
}

impl Chain {
    pub fn new(parameters: &ChainParameters) -> Self {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let nodes = parameters.nodes;
        let root: [[f64; DOF]; DOF] = from_fn(|_| from_fn(|_| 0.3 * random()));
        let mass = from_fn(|i| from_fn(|j| dot(&root[i], &root[j]) + if i == j { 1.0 } else { 0.0 }));
        let waves = (0..DOF).map(|_| (from_fn(|_| random()), 2.0 * random())).collect();
        let goal: [f64; DOF] = from_fn(|_| 1.0 + 0.5 * random());
        let obstacles = (0..parameters.obstacles)
            .map(|k| {
                let axes = [k % DOF, (k + 1) % DOF, (k + 2) % DOF];
                // Near the straight way, off it by less than the radius.
                let along = 0.35 + 0.3 * (k as f64 + 0.5) / parameters.obstacles as f64;
                (axes, axes.map(|axis| along * goal[axis] + 0.1 * random()), 0.2)
            })
            .collect();
        let mut chain = Self {
            nodes,
            h: 2.0 / (nodes - 1) as f64,
            cost_factor: parameters.cost_factor,
            mass,
            waves,
            obstacles,
            goal,
            layout: Layout::default(),
        };
        chain.layout = chain.make_layout(parameters);
        chain
    }

    fn scale(&self) -> usize {
        self.nodes * NODE
    }

    fn make_layout(&self, parameters: &ChainParameters) -> Layout {
        let mut layout = Layout::default();
        for _ in 0..self.nodes {
            layout.variables.extend([Bound::FREE; DOF]);
            layout.variables.extend([Bound::between(-parameters.force, parameters.force); DOF]);
        }
        let time = if parameters.free_time { Bound::between(0.5, 2.0) } else { Bound::equal(1.0) };
        layout.variables.push(time);
        let scale = self.scale();
        for k in 0..self.nodes {
            for i in 0..DOF {
                let row = layout.constraints.len();
                layout.constraints.push(Bound::equal(0.0));
                let (first, last) = (k.saturating_sub(1), (k + 1).min(self.nodes - 1));
                for node in first..=last {
                    (0..DOF).for_each(|j| layout.jacobian.push(row, node * NODE + j));
                }
                layout.jacobian.push(row, k.saturating_sub(1) * NODE + DOF + i);
                layout.jacobian.push(row, k * NODE + DOF + i);
                layout.jacobian.push(row, scale);
            }
        }
        for end in [0, self.nodes - 1] {
            for i in 0..DOF {
                layout.jacobian.push(layout.constraints.len(), end * NODE + i);
                layout.constraints.push(Bound::equal(if end == 0 { 0.0 } else { self.goal[i] }));
            }
        }
        for k in 0..self.nodes {
            for (axes, _, radius) in &self.obstacles {
                let row = layout.constraints.len();
                layout.constraints.push(Bound::at_least(*radius));
                axes.iter().for_each(|axis| layout.jacobian.push(row, k * NODE + axis));
            }
        }
        for k in 0..self.nodes {
            for i in 0..NODE {
                (0..=i).for_each(|j| layout.hessian.push(k * NODE + i, k * NODE + j));
            }
            (0..NODE).for_each(|i| layout.hessian.push(scale, k * NODE + i));
        }
        layout.hessian.push(scale, scale);
        layout
    }

    /// A straight line, no forces.
    pub fn start(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.scale() + 1];
        for k in 0..self.nodes {
            let t = k as f64 / (self.nodes - 1) as f64;
            (0..DOF).for_each(|i| x[k * NODE + i] = t * self.goal[i]);
        }
        x[self.scale()] = 1.0;
        x
    }

    fn slope(&self, q: &[f64]) -> [f64; DOF] {
        let mut out = [0.0; DOF];
        for (a, g) in &self.waves {
            let s = -g * dot(a, q).sin();
            (0..DOF).for_each(|i| out[i] += s * a[i]);
        }
        out
    }

    /// What the equation of a node has besides inertia, for a scale of one; half of it at the ends.
    fn load(&self, x: &[f64], k: usize) -> [f64; DOF] {
        let q = &x[k * NODE..];
        let before = &x[k.saturating_sub(1) * NODE + DOF..];
        let mut out = self.slope(q);
        let share = self.share(k);
        for i in 0..DOF {
            out[i] = share * self.h * self.h * (out[i] - 0.5 * (before[i] + q[DOF + i]));
        }
        out
    }

    fn share(&self, k: usize) -> f64 {
        if k == 0 || k == self.nodes - 1 { 0.5 } else { 1.0 }
    }
}

impl Program for Chain {
    type Point = Vec<f64>;

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn coordinates(&self, at: &Vec<f64>, out: &mut [f64]) {
        out.copy_from_slice(at);
    }

    fn retract(&self, from: &Vec<f64>, step: &[f64], to: &mut Vec<f64>) {
        for ((t, f), s) in to.iter_mut().zip(from).zip(step) {
            *t = f + s;
        }
    }

    fn evaluate(&mut self, x: &Vec<f64>, c: &mut [f64]) -> Result<f64, Undefined> {
        let s = x[self.scale()];
        let mut f = 0.0;
        for k in 0..self.nodes {
            let load = self.load(x, k);
            let q = |node: usize, j: usize| x[node * NODE + j];
            for i in 0..DOF {
                let mut sum = s * s * load[i];
                for j in 0..DOF {
                    let mut d = 0.0;
                    if k > 0 {
                        d += q(k - 1, j) - q(k, j);
                    }
                    if k + 1 < self.nodes {
                        d += q(k + 1, j) - q(k, j);
                    }
                    sum += self.mass[i][j] * d;
                }
                c[k * DOF + i] = sum;
                let u = q(k, DOF + i);
                f += 0.5 * self.h * self.cost_factor * s * u * u;
            }
        }
        let mut row = self.nodes * DOF;
        for end in [0, self.nodes - 1] {
            c[row..row + DOF].copy_from_slice(&x[end * NODE..end * NODE + DOF]);
            row += DOF;
        }
        for k in 0..self.nodes {
            for (axes, centre, _) in &self.obstacles {
                let d = |a: usize| x[k * NODE + axes[a]] - centre[a];
                c[row] = (d(0) * d(0) + d(1) * d(1) + d(2) * d(2)).sqrt();
                row += 1;
            }
        }
        Ok(f + self.cost_factor * s)
    }

    fn differentiate(
        &mut self,
        x: &Vec<f64>,
        gradient: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), Undefined> {
        let scale = self.scale();
        let s = x[scale];
        gradient.fill(0.0);
        gradient[scale] = self.cost_factor;
        let hh = self.h * self.h;
        let mut e = 0;
        for k in 0..self.nodes {
            let q = &x[k * NODE..(k + 1) * NODE];
            let load = self.load(x, k);
            let share = self.share(k);
            let mut bend = [[0.0; DOF]; DOF];
            for (a, g) in &self.waves {
                let w = -g * dot(a, q).cos();
                (0..DOF).for_each(|i| (0..DOF).for_each(|j| bend[i][j] += w * a[i] * a[j]));
            }
            for i in 0..DOF {
                let (first, last) = (k.saturating_sub(1), (k + 1).min(self.nodes - 1));
                for node in first..=last {
                    for (mass, bend) in self.mass[i].iter().zip(&bend[i]) {
                        jacobian[e] = if node == k {
                            -mass * (last - first) as f64 + s * s * share * hh * bend
                        } else {
                            *mass
                        };
                        e += 1;
                    }
                }
                jacobian[e] = -0.5 * s * s * share * hh;
                jacobian[e + 1] = -0.5 * s * s * share * hh;
                jacobian[e + 2] = 2.0 * s * load[i];
                e += 3;
                gradient[k * NODE + DOF + i] = self.h * self.cost_factor * s * q[DOF + i];
                gradient[scale] += 0.5 * self.h * self.cost_factor * q[DOF + i] * q[DOF + i];
            }
        }
        jacobian[e..e + 2 * DOF].fill(1.0);
        e += 2 * DOF;
        for k in 0..self.nodes {
            for (axes, centre, _) in &self.obstacles {
                let d: [f64; 3] = from_fn(|a| x[k * NODE + axes[a]] - centre[a]);
                let r = dot(&d, &d).sqrt();
                (0..3).for_each(|a| jacobian[e + a] = d[a] / r);
                e += 3;
            }
        }
        Ok(())
    }

    fn lagrangian_hessian(
        &mut self,
        x: &Vec<f64>,
        weight: f64,
        y: &[f64],
        hessian: &mut [f64],
    ) -> Result<(), Undefined> {
        let s = x[self.scale()];
        let hh = self.h * self.h;
        hessian.fill(0.0);
        let last = hessian.len() - 1;
        let per_node = NODE * (NODE + 1) / 2 + NODE;
        let base = self.nodes * DOF + 2 * DOF;
        for k in 0..self.nodes {
            let q = &x[k * NODE..(k + 1) * NODE];
            let multiplier = &y[k * DOF..(k + 1) * DOF];
            let load = self.load(x, k);
            let share = self.share(k);
            let block = &mut hessian[k * per_node..(k + 1) * per_node];
            let place = |i: usize, j: usize| i.max(j) * (i.max(j) + 1) / 2 + i.min(j);
            let arrow = NODE * (NODE + 1) / 2;
            let mut bend = [0.0; DOF];
            for (a, g) in &self.waves {
                let (sin, cos) = dot(a, q).sin_cos();
                let along = dot(a, multiplier);
                for i in 0..DOF {
                    bend[i] -= g * cos * along * a[i];
                    for j in 0..=i {
                        block[place(i, j)] += s * s * share * hh * g * sin * along * a[i] * a[j];
                    }
                }
            }
            for i in 0..DOF {
                block[place(DOF + i, DOF + i)] += weight * self.h * self.cost_factor * s;
                block[arrow + i] += 2.0 * s * share * hh * bend[i];
                block[arrow + DOF + i] +=
                    weight * self.h * self.cost_factor * q[DOF + i] - s * share * hh * multiplier[i];
            }
            for (o, (axes, centre, _)) in self.obstacles.iter().enumerate() {
                let w = y[base + k * self.obstacles.len() + o];
                let d: [f64; 3] = from_fn(|a| q[axes[a]] - centre[a]);
                let r = dot(&d, &d).sqrt();
                for a in 0..3 {
                    for b in 0..3 {
                        if axes[a] >= axes[b] {
                            let one = if a == b { 1.0 } else { 0.0 };
                            block[place(axes[a], axes[b])] += w * (one - d[a] * d[b] / (r * r)) / r;
                        }
                    }
                }
            }
            let sum = dot(&load, multiplier);
            // The force of the node before enters here too.
            let start = k.saturating_sub(1) * per_node + arrow + DOF;
            (0..DOF).for_each(|i| hessian[start + i] -= s * share * hh * multiplier[i]);
            hessian[last] += 2.0 * sum;
        }
        Ok(())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
