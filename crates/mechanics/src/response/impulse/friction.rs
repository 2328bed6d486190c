//! Friction: Coulomb's law in contact space, and the ratio of [Johnson 3.118].
//!
//! ```text
//! λ_n ≥ 0  ⟂  v_n⁺ + e v_n⁻ ≥ 0        |λ_t| ≤ μ λ_n,  λ_t minimises 1/2 λᵀ W_tt λ + b·λ there      v_t⁺ = b + W_tt λ_t
//! ```
//!
//! The minimum sticks (`v_t⁺ = 0`) if that takes no more than `μ λ_n`, and else slides against `λ_t`. ContactGeometry are solved in turn
//! (block Gauss-Seidel), each exactly, until nothing changes; where that takes long, Newton's method takes over.
//!
//! The thesis compares *squared* norms of parts of the momentum with `μ` and leaves `1 + e` out [3.117, 3.118]; that is kept as
//! [`ratio`] for comparison.

use super::laws::energy;
use super::metric::Rows;
use super::polish::Polish;
use super::spots::{Spot, Spots};
use nalgebra::{Matrix3, Vector2, Vector3};

/// Momentum that a sweep moves, relative to that of the group and for each of a few contacts, that is none.
const SETTLED: f64 = 1e-15;
/// Sweeps before Newton's method is tried; then twice as many, and so on.
const SWEEPS: usize = 16;
/// Sweeps after which an impact with rebound has no solution: bodies that are jammed cannot part, however hard they push.
const FEW_SWEEPS: usize = 64;
/// Sweeps after which the impulses are taken as they are.
const MOST_SWEEPS: usize = 512;
/// What Newton's method may leave for a sweep to remove, in multiples of what is none.
const NEAR: f64 = 1e3;
/// Singular values of a contact's matrix below this, relative to the greatest, are directions in which nothing moves.
const IMMOVABLE: f64 = 1e-12;

/// Impulses at one spot while they are being solved for.
#[derive(Clone, Copy, Debug)]
struct Impulse {
    push: f64,
    drag: Vector2<f64>,
    /// `v_n⁺` must reach this.
    bound: f64,
    w_nn: f64,
    w_tt: [f64; 3],
}

/// Solves Coulomb's law; its memory serves again.
#[derive(Clone, Debug, Default)]
pub(super) struct Coulomb {
    impulses: Vec<Impulse>,
    kept: Vec<Impulse>,
    /// Weighed momenta without impulses.
    start: Vec<f64>,
    /// Momentum that a sweep moves when it is over.
    settled: f64,
    /// Momentum that the last sweep moved.
    moved: f64,
    polish: Polish,
}

impl Coulomb {
    fn begin(&mut self, list: &[Spot], rows: &Rows, most: f64, pushes: impl Iterator<Item = f64>, u: &[f64]) {
        self.impulses.clear();
        self.impulses.extend(list.iter().zip(pushes).map(|(spot, push)| {
            let [n, s, t] = spot.rows;
            let w_tt = [rows.product(s, s), rows.product(s, t), rows.product(t, t)];
            let bound = -spot.restitution.min(most) * rows.dot(n, u);
            Impulse { push, drag: Vector2::zeros(), bound, w_nn: rows.product(n, n), w_tt }
        }));
    }

    /// Impulses at the spots of a list, added to `u`. Coefficients of restitution count up to `most`; `pushes` are where the
    /// normal impulses begin. Whether they were found.
    pub fn solve(&mut self, list: &[Spot], rows: &Rows, most: f64, pushes: &[f64], u: &mut [f64]) -> bool {
        self.begin(list, rows, most, pushes.iter().copied(), u);
        self.start.clear();
        self.start.extend_from_slice(u);
        self.settled = SETTLED * (8 + list.len()) as f64 * u.iter().map(|v| v * v).sum::<f64>().sqrt();
        self.momenta(list, rows, u);
        let mut patience = SWEEPS;
        for sweep in 1..=if most > 0.0 { FEW_SWEEPS } else { MOST_SWEEPS } {
            self.moved = self.sweep(list, rows, true, u);
            if !(self.moved > self.settled) {
                return true;
            }
            if sweep == patience {
                patience *= 2;
                if self.finish(list, rows, u) {
                    return true;
                }
            }
        }
        false
    }

    /// From the impulses of a plastic impact to one with rebound, by Poisson's hypothesis: normal impulses grow by `e`, and
    /// friction is solved for again. If that gains more than `limit` allows, everything stays as it is.
    pub fn rebound(&mut self, list: &[Spot], rows: &Rows, most: f64, limit: f64, u: &mut [f64]) {
        self.kept.clone_from(&self.impulses);
        for (spot, it) in list.iter().zip(&mut self.impulses) {
            it.push *= 1.0 + spot.restitution.min(most);
        }
        self.momenta(list, rows, u);
        for _ in 0..MOST_SWEEPS {
            self.moved = self.sweep(list, rows, false, u);
            if !(self.moved > self.settled) {
                break;
            }
        }
        if !(energy(u) <= limit) {
            std::mem::swap(&mut self.kept, &mut self.impulses);
            self.momenta(list, rows, u);
        }
    }

    /// Newton's method from the present impulses, and a sweep to prove them right; otherwise they stay as they are.
    fn finish(&mut self, list: &[Spot], rows: &Rows, u: &mut [f64]) -> bool {
        let Self { impulses, polish, .. } = self;
        polish.closed.clear();
        polish.closed.extend((0..impulses.len()).filter(|&k| impulses[k].push > 0.0));
        if polish.closed.is_empty() {
            return false;
        }
        polish.impulses.clear();
        for &k in &polish.closed {
            let it = &impulses[k];
            polish.impulses.extend([it.push, it.drag.x, it.drag.y]);
        }
        polish.begin(list, rows, &self.start, |k| impulses[k].bound);
        if !(polish.run(list, self.settled) <= NEAR * self.settled) {
            return false;
        }
        self.kept.clone_from(impulses);
        for (&k, x) in polish.closed.iter().zip(polish.impulses.chunks_exact(3)) {
            impulses[k].push = x[0].max(0.0);
            impulses[k].drag = Vector2::new(x[1], x[2]);
        }
        self.momenta(list, rows, u);
        let moved = self.sweep(list, rows, true, u);
        let fine = moved <= 4.0 * self.settled;
        if fine {
            self.moved = moved;
        } else {
            std::mem::swap(&mut self.kept, &mut self.impulses);
            self.momenta(list, rows, u);
        }
        fine
    }

    /// Momenta of the present impulses.
    fn momenta(&self, list: &[Spot], rows: &Rows, u: &mut [f64]) {
        u.copy_from_slice(&self.start);
        for (spot, it) in list.iter().zip(&self.impulses) {
            for (row, value) in spot.rows.iter().zip([it.push, it.drag.x, it.drag.y]) {
                rows.add(*row, value, u);
            }
        }
    }

    /// Solves every contact once, in turn, or only its friction; returns how much momentum that moved.
    fn sweep(&mut self, list: &[Spot], rows: &Rows, normal: bool, u: &mut [f64]) -> f64 {
        let mut change = 0.0;
        for (spot, it) in list.iter().zip(&mut self.impulses) {
            let [n, s, t] = spot.rows;
            if normal {
                let push = (it.push + (it.bound - rows.dot(n, u)) / it.w_nn).max(0.0);
                rows.add(n, push - it.push, u);
                change += (push - it.push).abs() * it.w_nn.sqrt();
                it.push = push;
            }
            if spot.friction == 0.0 {
                continue;
            }
            let v = Vector2::new(rows.dot(s, u), rows.dot(t, u));
            let drag = in_disc(&it.w_tt, &(v - product(&it.w_tt, &it.drag)), spot.friction * it.push);
            let by = drag - it.drag;
            rows.add(s, by.x, u);
            rows.add(t, by.y, u);
            change += by.norm() * it.w_tt[0].max(it.w_tt[2]).sqrt();
            it.drag = drag;
        }
        change
    }

    /// How much momentum the last sweep moved, relative to that of the group: what the impulses are wrong by, about.
    pub fn residual(&self) -> f64 {
        let scale = (2.0 * energy(&self.start)).sqrt();
        if scale > 0.0 { self.moved / scale } else { 0.0 }
    }

    /// Adds the impulses last solved for to the spots.
    pub fn hand_out(&self, list: &mut [Spot]) {
        for (spot, it) in list.iter_mut().zip(&self.impulses) {
            spot.push += it.push;
            spot.drag += spot.across[0] * it.drag.x + spot.across[1] * it.drag.y;
        }
    }

    /// Tangential impulses for the normal ones that the spots have, each from the same `u`, to which all are added.
    pub fn local(&mut self, list: &mut [Spot], rows: &Rows, u: &mut [f64]) {
        self.begin(list, rows, 0.0, list.iter().map(|spot| spot.push), u);
        for (spot, it) in list.iter().zip(&mut self.impulses) {
            let v = Vector2::new(rows.dot(spot.rows[1], u), rows.dot(spot.rows[2], u));
            it.drag = in_disc(&it.w_tt, &v, spot.friction * it.push);
        }
        for (spot, it) in list.iter_mut().zip(&mut self.impulses) {
            rows.add(spot.rows[1], it.drag.x, u);
            rows.add(spot.rows[2], it.drag.y, u);
            it.push = 0.0;
        }
        self.hand_out(list);
    }
}

fn product(w: &[f64; 3], x: &Vector2<f64>) -> Vector2<f64> {
    Vector2::new(w[0] * x.x + w[1] * x.y, w[1] * x.x + w[2] * x.y)
}

/// The minimum of `1/2 xᵀ W x + b·x` over the disc of a radius, `W` = ((w0, w1), (w1, w2)) positive semidefinite.
///
/// It is found as `x = radius y` in the unit disc, with `radius W` and `b` over the greater of the two: squares of numbers near
/// one do not vanish, however small the impulses. At rest what remains of a momentum is smaller by a rounding with every
/// response, and soon its square is zero.
fn in_disc(w: &[f64; 3], b: &Vector2<f64>, radius: f64) -> Vector2<f64> {
    if !(radius > 0.0) || *b == Vector2::zeros() {
        return Vector2::zeros();
    }
    // Eigenvectors (c, s) and (-s, c).
    let angle = 0.5 * (2.0 * w[1]).atan2(w[0] - w[2]);
    let (s, c) = angle.sin_cos();
    let (mean, spread) = (0.5 * (w[0] + w[2]), (0.5 * (w[0] - w[2])).hypot(w[1]));
    let scale = (radius * (mean + spread)).max(b.amax());
    let values = Vector2::new(mean + spread, (mean - spread).max(0.0)) * (radius / scale);
    let b = Vector2::new(c * b.x + s * b.y, c * b.y - s * b.x) / scale;
    let back = |y: Vector2<f64>| Vector2::new(c * y.x - s * y.y, s * y.x + c * y.y) * radius;
    let at = |k: f64| {
        let part = |i: usize| if b[i] == 0.0 { 0.0 } else { -b[i] / (values[i] + k) };
        Vector2::new(part(0), part(1))
    };
    let movable = |i: usize| values[i] > IMMOVABLE * values[0] || b[i].abs() <= IMMOVABLE * b.amax();
    if movable(0) && movable(1) {
        let still = |i: usize| if values[i] > IMMOVABLE * values[0] { -b[i] / values[i] } else { 0.0 };
        let free = Vector2::new(still(0), still(1));
        if free.norm() <= 1.0 {
            return back(free);
        }
    }
    // |y(k)| = 1 for one k > 0: Newton on 1/|y(k)|, from the left, where it is concave and increasing.
    let mut k = (0..2).map(|i| b[i].abs() - values[i]).fold(0.0, f64::max);
    for _ in 0..60 {
        let y = at(k);
        let length = y.norm();
        let slope = (0..2).map(|i| y[i] * y[i] / (values[i] + k)).sum::<f64>() / length.powi(3);
        let next = k + (1.0 - 1.0 / length) / slope;
        if !(next > k * (1.0 + 1e-15)) {
            break;
        }
        k = next;
    }
    back(at(k).normalize())
}

/// Friction as printed: `-p_slide` if `|p_slide|²/|p_norm|² ≤ μ`, else `-μ (|p_norm|²/|p_slide|²) p_slide`, with
/// `p_slide = p_nonfix - p_norm` of the momenta before the update [Johnson 3.114-3.118]. One spot for each pair.
pub(super) fn ratio(spots: &mut Spots, before: &[f64], u: &mut [f64]) {
    let Spots { list, rows, .. } = spots;
    for spot in list.iter_mut() {
        let velocity = Vector3::from_fn(|i, _| rows.dot(spot.rows[i], before));
        if !(velocity[0] < 0.0) {
            continue;
        }
        let w = Matrix3::from_fn(|i, j| rows.product(spot.rows[i], spot.rows[j]));
        let norm = velocity[0] / w[(0, 0)];
        let mut slide = solve_symmetric(&w, &velocity);
        slide[0] -= norm;
        let (sliding, normal) = (slide.dot(&(w * slide)), norm * norm * w[(0, 0)]);
        let ratio = sliding / normal;
        let factor = if ratio <= spot.friction { 1.0 } else { spot.friction / ratio };
        let impulse = slide * -factor;
        (0..3).for_each(|i| rows.add(spot.rows[i], impulse[i], u));
        spot.drag = spot.normal * impulse[0] + spot.across[0] * impulse[1] + spot.across[1] * impulse[2];
    }
}

/// `w⁺ v` of a positive semidefinite matrix.
fn solve_symmetric(w: &Matrix3<f64>, v: &Vector3<f64>) -> Vector3<f64> {
    let eigen = w.symmetric_eigen();
    let most = eigen.eigenvalues.amax();
    (0..3)
        .filter(|i| eigen.eigenvalues[*i] > IMMOVABLE * most)
        .map(|i| {
            let axis = eigen.eigenvectors.column(i);
            axis * (axis.dot(v) / eigen.eigenvalues[i])
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_over_a_disc_satisfies_its_conditions() {
        for (w, b, radius) in [
            ([2.0, 0.3, 1.0], [0.5, -0.7], 10.0),
            ([2.0, 0.3, 1.0], [0.5, -0.7], 0.2),
            ([2.0, 1.4, 1.0], [0.5, -0.7], 0.3),
            ([1.0, 0.0, 0.0], [0.5, 0.0], 0.2),
            ([1.0, 0.0, 0.0], [0.5, 0.0], 2.0),
            ([1e-6, 0.0, 3.0], [1.0, 1.0], 1e-3),
            ([1.0, 0.0, 1.0], [3.0, 4.0], 1.0),
        ] {
            let b = Vector2::from(b);
            let x = in_disc(&w, &b, radius);
            let v = b + product(&w, &x);
            // Sticks inside; on the rim it slides against the impulse.
            if x.norm() < radius * (1.0 - 1e-12) {
                assert!(v.norm() < 1e-14, "{w:?} {b:?} {v:?}");
            } else {
                assert!((x.norm() - radius).abs() < 1e-15 * radius.max(1.0));
                assert!(v.perp(&x).abs() < 1e-13 * radius && v.dot(&x) <= 0.0, "{w:?} {b:?} {v:?} {x:?}");
            }
        }
        assert_eq!(in_disc(&[1.0, 0.0, 1.0], &Vector2::new(3.0, 4.0), 1.0), Vector2::new(-0.6, -0.8));
    }

    #[test]
    fn the_minimum_over_a_disc_knows_no_scale() {
        // Bricks that lay on the floor for some steps: the squares of such numbers are zero.
        let w = [3.0, -0.75, 8.75];
        let b = Vector2::new(-7.0, 0.75);
        for radius in [0.5, 20.0] {
            let x = in_disc(&w, &b, radius);
            for power in [-1000, -600, -540, 300] {
                let scale = 2f64.powi(power);
                assert_eq!(in_disc(&w, &(b * scale), radius * scale), x * scale, "{power}");
            }
        }
        // A push that is nothing beside what slides past it, and beside what it can stop.
        for (b, radius) in [(b, 1e-300), (b * 1e-300, 1e-307), (b * 1e-300, 1.0)] {
            let x = in_disc(&w, &b, radius);
            assert!(x.iter().all(|x| x.is_finite()) && x.x.hypot(x.y) <= radius * (1.0 + 1e-15), "{x}");
            assert!(x.dot(&b) <= 0.0 && x.x.hypot(x.y) > 0.0, "{x}");
        }
    }
}
