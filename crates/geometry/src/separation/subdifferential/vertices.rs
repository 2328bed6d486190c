//! Gradients with respect to vertices: an optimal direction times optimal weights.
//!
//! The set is the hull of `α_k ⊗ π_l`. The corners `π_l` of the dual polytope can be many, so that rates and
//! distances do not list them: the best corner for each `α_k` is a small linear program, and the nearest
//! gradient is found by adding corners until none is nearer (Wolfe's method with generated columns).

use crate::separation::resolve::Duals;
use crate::tolerances::resolve::IMPROVEMENT;
use nalgebra::SVector;
use percussion_solve::distance_to_hull;

/// Corners generated at most; a dozen is usual.
const LIMIT: usize = 500;

/// Which vertices can carry weight, and how much.
#[derive(Clone, Debug)]
pub(super) struct DualWeights {
    active: [Vec<u32>; 2],
    /// Whether each body has vertices at all.
    has_vertices: [bool; 2],
    /// One choice of weights of the active vertices, a's first.
    given: Vec<f64>,
    duals: Duals,
}

impl DualWeights {
    pub fn new(
        active: [Vec<u32>; 2],
        has_vertices: [bool; 2],
        given: [Vec<(u32, f64)>; 2],
        duals: Duals,
    ) -> Self {
        let weight = |k: usize, i: &u32| given[k].iter().find(|(j, _)| j == i).map_or(0.0, |(_, w)| *w);
        let all = (0..2).flat_map(|k| active[k].iter().map(move |i| weight(k, i))).collect();
        Self { given: all, active, has_vertices, duals }
    }

    /// Sign and body of the vertex at a place: `+π α` on body a, `-π α` on body b, nothing without vertices.
    fn sign(&self, place: usize) -> f64 {
        let body = usize::from(place >= self.active[0].len());
        match (self.has_vertices[body], body) {
            (false, _) => 0.0,
            (_, 0) => 1.0,
            _ => -1.0,
        }
    }
}

/// One gradient with respect to vertices: those of body a, those of body b; all others are zero.
pub type VertexGradient<const D: usize> = [Vec<(u32, SVector<f64, D>)>; 2];

/// All gradients with respect to the vertices of both bodies, β held. `D` is the dimension of space.
#[derive(Clone, Debug)]
pub struct VertexSubdifferential<'a, const D: usize> {
    alphas: Vec<SVector<f64, D>>,
    dual_weights: &'a DualWeights,
}

impl<'a, const D: usize> VertexSubdifferential<'a, D> {
    pub(super) fn new(alphas: Vec<SVector<f64, D>>, dual_weights: &'a DualWeights) -> Self {
        Self { alphas, dual_weights }
    }

    /// Number of vertices of both bodies that can carry weight.
    pub fn active_count(&self) -> usize {
        self.dual_weights.given.len()
    }

    /// Every extreme direction with every corner of the dual polytope. Their number can grow like the fourth
    /// power of the number of active vertices: meant for contacts of a few vertices, as finite elements have.
    pub fn extreme_gradients(&self) -> Vec<VertexGradient<D>> {
        let corners = self.dual_weights.duals.extreme_points();
        let of_alpha = |alpha: &SVector<f64, D>| -> Vec<VertexGradient<D>> {
            corners.iter().map(|weights| self.gradient(alpha, weights)).collect()
        };
        self.alphas.iter().flat_map(of_alpha).collect()
    }

    /// Greatest rate over the set for velocities of vertices of body a and body b; vertices that are not listed
    /// do not move.
    pub fn support(
        &self,
        velocities_a: &[(u32, SVector<f64, D>)],
        velocities_b: &[(u32, SVector<f64, D>)],
    ) -> f64 {
        let (velocity, _) = self.flattened(velocities_a, velocities_b);
        dot(&self.support_gradient(&velocity), &velocity)
    }

    /// Distance of a gradient from the set; infinite for one that is not finite.
    pub fn distance(
        &self,
        gradients_a: impl IntoIterator<Item = (u32, SVector<f64, D>)>,
        gradients_b: impl IntoIterator<Item = (u32, SVector<f64, D>)>,
    ) -> f64 {
        let (a, b): (Vec<_>, Vec<_>) = (gradients_a.into_iter().collect(), gradients_b.into_iter().collect());
        let (target, elsewhere) = self.flattened(&a, &b);
        if target.is_empty() {
            return elsewhere;
        }
        let mut corners = vec![self.outer_product(&self.alphas[0], &self.dual_weights.given)];
        let mut reached = f64::INFINITY;
        for _ in 0..LIMIT {
            let Ok(nearest) = distance_to_hull(&corners, &target) else { return f64::INFINITY };
            reached = nearest.distance;
            let away: Vec<f64> = nearest.normal.iter().map(|v| -v).collect();
            let next = self.support_gradient(&away);
            // Along the normal, from the target to the supporting plane of the whole set.
            let proved = dot(&target, &away) - dot(&next, &away);
            if reached - proved <= IMPROVEMENT * nearest.size || corners.contains(&next) {
                break;
            }
            corners.push(next);
        }
        reached.hypot(elsewhere)
    }

    /// Whether a gradient belongs to the set up to `tolerance` times the length of the longest direction.
    pub fn contains(
        &self,
        gradients_a: impl IntoIterator<Item = (u32, SVector<f64, D>)>,
        gradients_b: impl IntoIterator<Item = (u32, SVector<f64, D>)>,
        tolerance: f64,
    ) -> bool {
        let longest = self.alphas.iter().map(|a| a.norm()).fold(0.0, f64::max);
        self.distance(gradients_a, gradients_b) <= tolerance * longest
    }

    /// `α ⊗ π`, one block per active vertex.
    fn outer_product(&self, alpha: &SVector<f64, D>, weights: &[f64]) -> Vec<f64> {
        let block = |(place, w): (usize, &f64)| alpha * (self.dual_weights.sign(place) * w);
        weights.iter().enumerate().map(block).flat_map(|v| Vec::from(v.as_slice())).collect()
    }

    fn gradient(&self, alpha: &SVector<f64, D>, weights: &[f64]) -> VertexGradient<D> {
        let first = self.dual_weights.active[0].len();
        [0, 1].map(|body| {
            let active = self.dual_weights.active[body].iter().enumerate();
            active
                .map(|(k, &i)| (i, k + body * first))
                .filter(|&(_, place)| self.dual_weights.has_vertices[body] && weights[place] > 0.0)
                .map(|(i, place)| (i, alpha * (self.dual_weights.sign(place) * weights[place])))
                .collect()
        })
    }

    /// The gradient of the set that is furthest along a direction.
    fn support_gradient(&self, direction: &[f64]) -> Vec<f64> {
        let mut best = (f64::NEG_INFINITY, Vec::new());
        for alpha in &self.alphas {
            let rate = |(place, block): (usize, &[f64])| {
                -self.dual_weights.sign(place) * dot(alpha.as_slice(), block)
            };
            let cost: Vec<f64> = direction.chunks(D).enumerate().map(rate).collect();
            let weights = self.dual_weights.duals.minimiser(&cost);
            let value = -dot(&cost, &weights);
            if value > best.0 {
                best = (value, self.outer_product(alpha, &weights));
            }
        }
        best.1
    }

    /// Vectors at the active vertices in one list, and the length of what is given elsewhere.
    fn flattened(&self, a: &[(u32, SVector<f64, D>)], b: &[(u32, SVector<f64, D>)]) -> (Vec<f64>, f64) {
        let mut at_active = Vec::new();
        let mut elsewhere = 0.0f64;
        for (active, given) in self.dual_weights.active.iter().zip([a, b]) {
            for i in active {
                let here = given.iter().filter(|(j, _)| j == i);
                let sum = here.fold(SVector::<f64, D>::zeros(), |sum, (_, v)| sum + v);
                at_active.extend_from_slice(sum.as_slice());
            }
            let others = given.iter().filter(|(j, _)| !active.contains(j));
            elsewhere += others.map(|(_, v)| v.norm_squared()).sum::<f64>();
        }
        (at_active, elsewhere.sqrt())
    }
}

fn dot(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(a, b)| a * b).sum()
}
