//! One pass over the constraints of an island: sweep, residual, projection onto the cones.
//!
//! ```text
//! equality:  x <- x - u / g
//! drive:     x <- x - (u + κ x) / (g + κ), within its bound
//! contact:   all three rows at rest, if the cone allows it; otherwise
//!            x_n <- max(0, x_n - u_n / g),  x_t <- the best of its disc or diamond of radius μ x_n
//! v += Σ changes · rows
//! ```

use super::block_pair::{BlockPair, BlockVector, TwoBlockRow, apply_impulse, row_velocity};
use super::islands::Island;
use super::system::{Constraint, System};
use super::tangential::{shrink_to_diamond, tangential_impulse};
use crate::lcp::friction::impulses::Cone;
use crate::lcp::friction::residual::FrictionalResidual;
use crate::lcp::friction::rows::MAX_BLOCK;
use crate::simd::{Instructions, Kernel, Packet};

/// Residual and power of the impulses of an island.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct IslandResidual {
    /// The residual. Impulses are in their cones and velocities theirs: there is no error of sign or momentum.
    pub(super) residual: FrictionalResidual,
    /// Their power `Σ x (u - Δ⁺)`, with drifts and the work of penetrations, without open gaps: solutions have none but what
    /// friction and gaps take.
    pub(super) power: f64,
}

impl IslandResidual {
    /// For NaN.
    fn not_a_number() -> Self {
        let residual = FrictionalResidual { normal: f64::INFINITY, ..FrictionalResidual::default() };
        Self { residual, power: f64::INFINITY }
    }

    /// The worst of its errors.
    pub(super) fn error(&self) -> f64 {
        self.residual.worst()
    }
}

impl System {
    /// Sweeps once over an island, forth or back; returns the largest change of an impulse.
    pub(super) fn sweep(&mut self, island: &Island, back: bool, cone: Cone, relaxation: f64) -> f64 {
        let order = SweepOrder { back, cone, relaxation };
        if self.has_parallel_tasks(island) {
            return self
                .visit_colours(island, back, |part| Instructions::detect().run(Sweep { part, order }));
        }
        let System { constraints, rows, drift, x, v, trial, .. } = self;
        let constraints = &constraints[island.constraints.clone()];
        let part = Part { constraints, rows, drift, impulses: (x, 0), velocities: (v, 0), trial };
        Instructions::detect().run(Sweep { part, order })
    }

    /// Projects impulses onto their cones.
    pub(super) fn project_to_cones(&mut self, island: &Island, cone: Cone) {
        for constraint in &self.constraints[island.constraints.clone()] {
            if !constraint.contact && constraint.bound == f64::INFINITY {
                continue;
            }
            let [a, b] = constraint.endpoints.map(|e| e as usize);
            let range = constraint.range();
            let x = &mut self.x[range.clone()];
            // Most are inside already.
            if let (Cone::Facets, &[n, s, t]) = (cone, &*x)
                && constraint.contact
                && n >= 0.0
                && s.abs() + t.abs() <= constraint.friction * n
            {
                continue;
            }
            let trial = &mut self.trial[..x.len()];
            trial.copy_from_slice(x);
            match constraint.contact {
                true => project_normal_first(trial, constraint.friction, cone),
                false => trial[0] = trial[0].clamp(-constraint.bound, constraint.bound),
            }
            for ((x, next), row) in x.iter_mut().zip(&*trial).zip(&self.rows[range]) {
                if *x != *next {
                    let (mut va, mut vb) = (self.v[a], self.v[b]);
                    apply_impulse(row, *next - *x, &mut va, &mut vb);
                    (self.v[a], self.v[b]) = (va, vb);
                    *x = *next;
                }
            }
        }
    }

    /// Residual of an island whose velocities are those of its impulses.
    pub(super) fn error(&self, island: &Island, cone: Cone) -> f64 {
        self.island_residual(island, cone).error()
    }

    /// The same with the power of the impulses.
    pub(super) fn island_residual(&self, island: &Island, cone: Cone) -> IslandResidual {
        Instructions::detect().run(ResidualPass { system: self, island, cone })
    }
}

/// Constraints with the rows of all, and their impulses and velocities with the indices of the first ones. Blocks beyond the velocities
/// are the world.
pub(super) struct Part<'a> {
    pub(super) constraints: &'a [Constraint],
    pub(super) rows: &'a [TwoBlockRow],
    pub(super) drift: &'a [f64],
    pub(super) impulses: (&'a mut [f64], usize),
    pub(super) velocities: (&'a mut [BlockVector], usize),
    pub(super) trial: &'a mut [f64],
}

/// Velocities of the world.
const WORLD_VELOCITY: BlockVector = [0.0; MAX_BLOCK];

#[derive(Clone, Copy)]
struct SweepOrder {
    back: bool,
    cone: Cone,
    relaxation: f64,
}

/// A pass over constraints that updates impulses and velocities.
struct Sweep<'a> {
    part: Part<'a>,
    order: SweepOrder,
}

impl Kernel for Sweep<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<P: Packet>(self) -> f64 {
        let Self { part, order: SweepOrder { back, cone, relaxation } } = self;
        let mut change = 0.0_f64;
        let Part { constraints, rows, drift, impulses: (x, first), velocities: (v, origin), trial } = part;
        for k in 0..constraints.len() {
            let constraint = &constraints[if back { constraints.len() - 1 - k } else { k }];
            let range = constraint.range();
            let x = &mut x[range.start - first..range.end - first];
            let (rows, drift) = (&rows[range.clone()], &drift[range]);
            let blocks = constraint.endpoints.map(|e| e as usize - origin);
            let own = if let (Ok(rows), Ok(drift), Ok(x)) =
                (<&[TwoBlockRow; 3]>::try_from(rows), drift.try_into(), <&mut [f64; 3]>::try_from(&mut *x))
            {
                update_contact::<P>(constraint, rows, drift, x, (v, blocks), cone, relaxation)
            } else {
                update_general(constraint, rows, drift, x, (v, blocks), trial, relaxation)
            };
            change = larger(own, change);
        }
        change
    }
}

/// A pass over an island that computes its residual.
struct ResidualPass<'a> {
    system: &'a System,
    island: &'a Island,
    cone: Cone,
}

impl Kernel for ResidualPass<'_> {
    type Output = IslandResidual;

    #[inline(always)]
    fn run<P: Packet>(self) -> IslandResidual {
        let Self { system, island, cone } = self;
        let (mut equality, mut normal, mut friction, mut over, mut power) =
            (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64, 0.0);
        for constraint in &system.constraints[island.constraints.clone()] {
            let (va, vb) =
                (&system.v[constraint.endpoints[0] as usize], &system.v[constraint.endpoints[1] as usize]);
            let (rows, x) = (&system.rows[constraint.range()], &system.x[constraint.range()]);
            if let (Cone::Facets, Ok(rows), &[n, s, t], true) =
                (cone, <&[TwoBlockRow; 3]>::try_from(rows), x, constraint.contact)
            {
                let (u, drift) =
                    (BlockPair::<P>::load(va, vb).row_velocities(rows), &system.drift[constraint.range()]);
                let u = [u[0] + constraint.bias, u[1] + drift[1], u[2] + drift[2]];
                power += n * (u[0] - larger(constraint.bias, 0.0)) + s * u[1] + t * u[2];
                let slip = larger(u[1].abs(), u[2].abs());
                let left = constraint.friction * n - s.abs() - t.abs();
                let resists = |p: f64, u: f64| lesser(p.abs(), slip + u * p.signum()).abs();
                normal = larger(normal, lesser(u[0], n).abs());
                friction = larger(friction, larger(resists(s, u[1]), resists(t, u[2])));
                over = larger(over, lesser(left, slip).abs());
                // A comparison drops a NaN; the caller must get it.
                if (u[0] + u[1] + u[2]).is_nan() {
                    return IslandResidual::not_a_number();
                }
                continue;
            }
            let un = row_velocity(&rows[0], va, vb) + constraint.bias;
            power += x[0] * if constraint.contact { un - larger(constraint.bias, 0.0) } else { un };
            if !constraint.contact {
                let error = match constraint.is_drive() {
                    true => constraint.next_equality_impulse(x[0], un, 1.0) - x[0],
                    false => un,
                };
                equality = equality.max(error.abs());
                continue;
            }
            normal = normal.max(un.min(x[0]).abs());
            let (rows, p, reach) = (&rows[1..], &x[1..], constraint.friction * x[0]);
            let drifts = &system.drift[constraint.range()][1..];
            let row_velocities =
                rows.iter().zip(drifts).map(|(row, drift)| row_velocity(row, va, vb) + drift);
            power += row_velocities.clone().zip(p).map(|(u, p)| u * p).sum::<f64>();
            match cone {
                Cone::Facets if !rows.is_empty() => {
                    let slip = row_velocities.clone().fold(0.0, |m: f64, u| m.max(u.abs()));
                    let mut left = reach;
                    for (p, u) in p.iter().zip(row_velocities) {
                        left -= p.abs();
                        friction = friction.max(p.abs().min(slip + u * p.signum()).abs());
                    }
                    over = over.max(left.min(slip).abs());
                }
                Cone::Round => {
                    let (mut trial, mut off) = ([0.0; 2], [0.0; 2]);
                    row_velocities.zip(p).enumerate().take(2).for_each(|(k, (u, p))| trial[k] = p - u);
                    let long = trial[0].hypot(trial[1]);
                    let shrink = if long > reach { reach / long } else { 1.0 };
                    p.iter().enumerate().take(2).for_each(|(k, p)| off[k] = p - shrink * trial[k]);
                    friction = friction.max(off[0].hypot(off[1]));
                }
                Cone::Facets => {}
            }
            // `max` drops a NaN; the caller must get it.
            if un.is_nan() {
                return IslandResidual::not_a_number();
            }
        }
        let residual = FrictionalResidual { equality, normal, friction, cone: over, ..Default::default() };
        IslandResidual { residual, power }
    }
}

/// The larger of two numbers, one instruction.
#[inline(always)]
pub(super) fn larger(p: f64, q: f64) -> f64 {
    if p > q { p } else { q }
}

/// The lesser of two numbers.
#[inline(always)]
fn lesser(p: f64, q: f64) -> f64 {
    if p < q { p } else { q }
}

/// Updates a constraint of any number of rows; returns the largest change of an impulse.
fn update_general(
    constraint: &Constraint,
    rows: &[TwoBlockRow],
    drift: &[f64],
    x: &mut [f64],
    (v, [a, b]): (&mut [BlockVector], [usize; 2]),
    trial: &mut [f64],
    relaxation: f64,
) -> f64 {
    let mut change = 0.0_f64;
    let (mut va, mut vb) = (v[a], *v.get(b).unwrap_or(&WORLD_VELOCITY));
    let mut set = |x: &mut f64, next: f64, row: &TwoBlockRow, va: &mut BlockVector, vb: &mut BlockVector| {
        change = change.max((next - *x).abs());
        apply_impulse(row, next - *x, va, vb);
        *x = next;
    };
    match (rows, x) {
        ([n], [xn]) => {
            let u = row_velocity(n, &va, &vb) + constraint.bias;
            let next = match constraint.contact {
                true => (*xn - relaxation * u * constraint.normal[0]).max(0.0),
                false => constraint.next_equality_impulse(*xn, u, relaxation),
            };
            set(xn, next, n, &mut va, &mut vb);
        }
        ([n, s], [xn, xs]) => {
            let un = row_velocity(n, &va, &vb) + constraint.bias;
            let us = row_velocity(s, &va, &vb) + drift[1];
            let next = (*xn - relaxation * un * constraint.normal[0]).max(0.0);
            let us = us + constraint.normal[1] * (next - *xn);
            set(xn, next, n, &mut va, &mut vb);
            let next = tangential_impulse(constraint.tangents.g[0], *xs, us, constraint.friction * next);
            set(xs, next, s, &mut va, &mut vb);
        }
        ([n, tangents @ ..], [xn, p @ ..]) => {
            let u = row_velocity(n, &va, &vb) + constraint.bias;
            let normal = (*xn - relaxation * u * constraint.normal[0]).max(0.0);
            set(xn, normal, n, &mut va, &mut vb);
            // Impulses along many tangents are not unique: a step of projected gradients.
            let trial = &mut trial[..p.len()];
            let softness: f64 = tangents.iter().flatten().map(|r| r * r).sum();
            for (((trial, row), drift), p) in trial.iter_mut().zip(tangents).zip(&drift[1..]).zip(&*p) {
                *trial = p - (row_velocity(row, &va, &vb) + drift) / softness;
            }
            shrink_to_diamond(trial, constraint.friction * normal);
            for ((trial, row), p) in trial.iter().zip(tangents).zip(p) {
                set(p, *trial, row, &mut va, &mut vb);
            }
        }
        _ => {}
    }
    v[a] = va;
    if let Some(v) = v.get_mut(b) {
        *v = vb;
    }
    change
}

/// Updates a contact with two tangents; returns the largest change of an impulse.
#[inline(always)]
fn update_contact<P: Packet>(
    constraint: &Constraint,
    rows: &[TwoBlockRow; 3],
    drift: &[f64; 3],
    x: &mut [f64; 3],
    (v, [a, b]): (&mut [BlockVector], [usize; 2]),
    cone: Cone,
    relaxation: f64,
) -> f64 {
    let mut pair = BlockPair::<P>::load(&v[a], v.get(b).unwrap_or(&WORLD_VELOCITY));
    let u = pair.row_velocities(rows);
    let u = [u[0] + constraint.bias, u[1] + drift[1], u[2] + drift[2]];
    let next = contact_impulse(constraint, cone, relaxation, *x, u);
    let change = [next[0] - x[0], next[1] - x[1], next[2] - x[2]];
    // Open contacts stay open, as a rule.
    if change == [0.0; 3] {
        return 0.0;
    }
    *x = next;
    pair.apply_impulses(rows, &change);
    match b < v.len() {
        true => pair.write(v, [a, b]),
        false => pair.write_first(&mut v[a]),
    }
    larger(larger(change[0].abs(), change[1].abs()), change[2].abs())
}

/// The next impulse of a contact with two tangents: one that stops all motion, or normal first and friction
/// next.
#[inline(always)]
fn contact_impulse(
    constraint: &Constraint,
    cone: Cone,
    relaxation: f64,
    x: [f64; 3],
    u: [f64; 3],
) -> [f64; 3] {
    let m = &constraint.inverse;
    let rest = [
        x[0] - (m[0] * u[0] + m[1] * u[1] + m[2] * u[2]),
        x[1] - (m[1] * u[0] + m[3] * u[1] + m[4] * u[2]),
        x[2] - (m[2] * u[0] + m[4] * u[1] + m[5] * u[2]),
    ];
    let reach = constraint.friction * rest[0];
    let inside = match cone {
        Cone::Facets => rest[1].abs() + rest[2].abs() <= reach,
        Cone::Round => reach >= 0.0 && rest[1] * rest[1] + rest[2] * rest[2] <= reach * reach,
    };
    if inside && relaxation == 1.0 {
        return rest;
    }
    let [softness, ns, nt] = constraint.normal;
    let next = x[0] - relaxation * u[0] * softness;
    if !(next > 0.0) {
        return [0.0; 3];
    }
    let change = next - x[0];
    let slip = [u[1] + ns * change, u[2] + nt * change];
    let [s, t] = constraint.tangents.minimiser(cone, [x[1], x[2]], slip, constraint.friction * next);
    [next, s, t]
}

/// Clamps the normal impulse of a contact, then its tangential ones.
pub(super) fn project_normal_first(x: &mut [f64], friction: f64, cone: Cone) {
    let Some((n, p)) = x.split_first_mut() else { return };
    *n = n.max(0.0);
    let reach = friction * *n;
    match cone {
        Cone::Facets => shrink_to_diamond(p, reach),
        Cone::Round => {
            let square = p.iter().map(|v| v * v).sum::<f64>();
            if square > reach * reach {
                let shrink = reach / square.sqrt();
                p.iter_mut().for_each(|p| *p *= shrink);
            }
        }
    }
}
