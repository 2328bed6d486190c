//! What independent programs say about the kernel's answer for one pair. All lengths in units of the pair's size.
#![allow(dead_code)]

use super::common::{Random, ask_planar, solve};
use super::families::{Pair, PlanarPair};
use super::routes::{Faces, Optimum, Program, growth, separation_of_growth};
use nalgebra::SVector;
use percussion_geometry::PoseIn;
use percussion_geometry::separation::{Outcome, SeparationIn};
use percussion_geometry::shapes::{Face, PlanarShape};
use rayon::prelude::*;

/// A pair as data of linear programs, and the kernel's answer.
pub struct Question<const D: usize> {
    pub program: Program<D>,
    pub faces: [Faces<D>; 2],
    /// Distance of the reference points.
    pub distance: f64,
    /// The kernel's value, direction, weights (body a first), certificate and iterations.
    pub value: f64,
    pub alpha: SVector<f64, D>,
    pub weights: Vec<f64>,
    pub certificate: f64,
    pub iterations: u32,
}

/// The worst over many pairs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worst {
    pub pairs: usize,
    pub simplex: f64,
    pub interior: f64,
    pub growth: f64,
    pub certificate: f64,
    /// What the two routes cannot prove about themselves.
    pub doubt: f64,
    /// Largest error of direction and weights where they are unique, over the rounding that their condition allows.
    pub direction: f64,
    pub unique: usize,
    /// Largest length of alpha: by how much the program amplifies the rounding of its data.
    pub slope: f64,
    pub most: u32,
    pub total: u64,
}

impl Worst {
    /// The worst of both.
    pub fn and(self, o: Self) -> Self {
        Self {
            pairs: self.pairs + o.pairs,
            simplex: worse(self.simplex, o.simplex),
            interior: worse(self.interior, o.interior),
            growth: worse(self.growth, o.growth),
            certificate: worse(self.certificate, o.certificate),
            doubt: worse(self.doubt, o.doubt),
            direction: worse(self.direction, o.direction),
            unique: self.unique + o.unique,
            slope: worse(self.slope, o.slope),
            most: self.most.max(o.most),
            total: self.total + o.total,
        }
    }
}

/// The larger; NaN is the worst of all.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Which programs to solve.
#[derive(Clone, Copy, Debug)]
pub struct Programs {
    pub simplex: bool,
    pub interior: bool,
    pub growth: bool,
}

/// Rows closer to their plane than this are active; a pair with more active rows than unknowns is left out of the
/// comparison of directions.
const ACTIVE: f64 = 1e-8;

/// Weights below this may belong to a neighbouring basis whose value an interior point cannot tell from the optimum.
const POSITIVE: f64 = 1e-5;

impl<const D: usize> Question<D> {
    /// Differences between the answer and the optima of the programs.
    pub fn errors(&self, asked: Programs) -> Worst {
        let mut worst = Worst {
            pairs: 1,
            certificate: self.certificate,
            slope: self.alpha.norm(),
            most: self.iterations,
            total: self.iterations as u64,
            ..Worst::default()
        };
        let mut routes = Vec::new();
        if asked.simplex {
            let found = self.program.by_simplex();
            worst.simplex = (found.value - self.value).abs();
            routes.push(found);
        }
        if asked.interior {
            let found = self.program.by_interior_point();
            worst.interior = (found.value - self.value).abs();
            routes.push(found);
        }
        for found in &routes {
            worst.doubt = worse(worst.doubt, found.doubt);
            if let Some(error) = self.direction_error(found) {
                worst.unique = 1;
                worst.direction = worse(worst.direction, error);
            }
        }
        if asked.growth {
            let factor = growth(&self.faces[0], &self.faces[1], &self.program.beta);
            worst.growth = (separation_of_growth(factor, self.distance) - self.value).abs();
        }
        worst
    }

    /// Relative error of direction and weights over the condition number times the unit roundoff of their
    /// equations, where the program has one optimum and its dual one: as many active rows as unknowns, all with
    /// positive weight.
    fn direction_error(&self, found: &Optimum<D>) -> Option<f64> {
        let Program { x, y, .. } = &self.program;
        let slope = found.alpha.norm();
        let low = x.iter().map(|p| found.alpha.dot(p)).fold(f64::INFINITY, f64::min);
        let high = y.iter().map(|p| found.alpha.dot(p)).fold(f64::NEG_INFINITY, f64::max);
        let heights =
            x.iter().map(|p| found.alpha.dot(p) - low).chain(y.iter().map(|p| high - found.alpha.dot(p)));
        let active: Vec<usize> =
            heights.enumerate().filter(|(_, h)| *h <= ACTIVE * slope).map(|(k, _)| k).collect();
        if active.len() != D + 1 || active.iter().any(|&k| found.weights[k] < POSITIVE) {
            return None;
        }
        // An interior point that has not decided between neighbours has no direction to compare with.
        if (0..found.weights.len()).any(|k| found.weights[k] > f64::EPSILON && !active.contains(&k)) {
            return None;
        }
        let matrix = self.program.equations(&self.program.rows(), &active);
        let singular = matrix.singular_values();
        let condition = singular.max() / singular.min();
        if condition > 1e10 {
            return None;
        }
        let direction = (found.alpha - self.alpha).norm() / slope;
        let weights = found.weights.iter().zip(&self.weights).map(|(p, q)| (p - q).abs()).fold(0.0, worse);
        // β itself is known to the rounding of the positions over the distance between them.
        Some(worse(direction, weights) / (f64::EPSILON * condition * (1.0 + 1.0 / self.distance)))
    }
}

/// A placed body: vertices, reference point, and its faces as normals and depths of the reference point below them.
struct Placed<'a, const D: usize> {
    vertices: &'a [SVector<f64, D>],
    reference: SVector<f64, D>,
    pose: &'a PoseIn<D>,
    faces: Vec<(SVector<f64, D>, f64)>,
}

impl<const D: usize> Question<D> {
    fn new([a, b]: [Placed<D>; 2], size: f64, found: &SeparationIn<D>) -> Self {
        assert_eq!(found.outcome, Outcome::Solved);
        // Relative to b, so that a place far from the origin costs no digits.
        let shift = a.pose.position - b.pose.position;
        let x = a.vertices.iter().map(|v| (a.pose.rotation * v + shift) / size).collect();
        let y = b.vertices.iter().map(|v| b.pose.rotation * v / size).collect();
        let line = a.pose.rotation * a.reference + shift - b.pose.rotation * b.reference;
        let distance = line.norm();
        let mut weights = vec![0.0; a.vertices.len() + b.vertices.len()];
        found.weights_a().for_each(|(k, w)| weights[k as usize] = w);
        found.weights_b().for_each(|(k, w)| weights[a.vertices.len() + k as usize] = w);
        let faces =
            [&a, &b].map(|p| p.faces.iter().map(|(n, depth)| (p.pose.rotation * n, depth / size)).collect());
        Self {
            program: Program { x, y, beta: line / distance },
            faces,
            distance: distance / size,
            value: found.separation / size,
            alpha: found.alpha,
            weights,
            certificate: found.certificate_gap() / size,
            iterations: found.iterations,
        }
    }
}

/// The question of a pair in space, answered cold by the kernel.
pub fn question(Pair { a, pose_a, b, pose_b }: &Pair) -> Question<3> {
    let found = solve(a, pose_a, b, pose_b);
    let placed = [(a, pose_a), (b, pose_b)].map(|(p, pose)| {
        let depth = |f: &Face| f.offset - f.normal.dot(&p.reference());
        let faces = p.faces().iter().map(|f| (f.normal, depth(f))).collect();
        Placed { vertices: p.vertices(), reference: p.reference(), pose, faces }
    });
    Question::new(placed, a.outer_radius() + b.outer_radius(), &found)
}

/// The question of a pair in the plane, answered cold by the kernel.
pub fn planar_question(PlanarPair { a, pose_a, b, pose_b }: &PlanarPair) -> Question<2> {
    let (shape_a, shape_b) = (PlanarShape::Polygon(a.clone()), PlanarShape::Polygon(b.clone()));
    let found = ask_planar(&shape_a, pose_a, &shape_b, pose_b, None);
    let placed = [(a, pose_a), (b, pose_b)].map(|(p, pose)| {
        let edges = (0..p.vertices().len()).map(|k| p.edge(k));
        let faces = edges.map(|(normal, offset)| (normal, offset - normal.dot(&p.reference()))).collect();
        Placed { vertices: p.vertices(), reference: p.reference(), pose, faces }
    });
    Question::new(placed, a.outer_radius() + b.outer_radius(), &found)
}

/// Pairs that share a stream of random numbers.
const CHUNK: usize = 250;

/// The worst over about `count` pairs, shared among the cores; the same pairs whatever their number.
pub fn over(name: &str, count: usize, one: impl Fn(&mut Random) -> Worst + Sync) -> Worst {
    let seed = name.bytes().fold(17u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte as u64));
    (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9).wrapping_add(7919 * chunk as u64));
            (0..CHUNK).fold(Worst::default(), |worst, _| worst.and(one(&mut random)))
        })
        .reduce(Worst::default, Worst::and)
}
