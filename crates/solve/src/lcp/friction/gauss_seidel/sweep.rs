//! One pass over the items of a part: sweeps, the error they leave, the way back into the cones.
//!
//! ```text
//! equality:  x <- x - u / g
//! contact:   all three rows at rest, if the cone allows it; otherwise
//!            x_n <- max(0, x_n - u_n / g),  x_t <- the best of its disc or diamond of radius μ x_n
//! v += Σ changes · rows
//! ```

use super::islands::Part;
use super::block_pair::{Body, Lanes, Pair, along, push};
use super::tangential::{segment, shrink_to_diamond};
use super::system::{Item, System};
use crate::lcp::friction::impulses::Cone;
use crate::lcp::friction::residual::FrictionalResidual;
use crate::simd::{Instructions, Kernel, Packet};

/// What the impulses of a part come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Account {
    /// What the judge would say. Impulses are in their cones and velocities theirs: there is no error of sign or momentum.
    pub(super) residual: FrictionalResidual,
    /// Their power `Σ x (u - Δ⁺)`, with drifts and what overlaps ask for, without open gaps: solutions have none but what
    /// friction and gaps take.
    pub(super) power: f64,
}

impl Account {
    /// Of what is not a number.
    fn naught() -> Self {
        let residual = FrictionalResidual { normal: f64::INFINITY, ..FrictionalResidual::default() };
        Self { residual, power: f64::INFINITY }
    }

    /// The worst of its errors.
    pub(super) fn error(&self) -> f64 {
        self.residual.worst()
    }
}

impl System {
    /// Goes once over a part, forth or back; returns the largest change of an impulse.
    pub(super) fn sweep(&mut self, part: &Part, back: bool, cone: Cone, relaxation: f64) -> f64 {
        Instructions::detect().run(Sweep { system: self, part, back, cone, relaxation })
    }

    /// Brings impulses back into their cones.
    pub(super) fn enter_cones(&mut self, part: &Part, cone: Cone) {
        for item in self.items[part.items.clone()].iter().filter(|item| item.contact) {
            let [a, b] = item.ends.map(|e| e as usize);
            let range = item.range();
            let x = &mut self.x[range.clone()];
            // Most are where they should be.
            if let (Cone::Facets, &[n, s, t]) = (cone, &*x)
                && n >= 0.0
                && s.abs() + t.abs() <= item.friction * n
            {
                continue;
            }
            let wish = &mut self.wish[..x.len()];
            wish.copy_from_slice(x);
            clip(wish, item.friction, cone);
            for ((x, next), row) in x.iter_mut().zip(&*wish).zip(&self.rows[range]) {
                if *x != *next {
                    let (mut va, mut vb) = (self.v[a], self.v[b]);
                    push(row, *next - *x, &mut va, &mut vb);
                    (self.v[a], self.v[b]) = (va, vb);
                    *x = *next;
                }
            }
        }
    }

    /// What the judge would say of a part whose velocities are those of its impulses.
    pub(super) fn error(&self, part: &Part, cone: Cone) -> f64 {
        self.account(part, cone).error()
    }

    /// The same, and what the impulses do.
    pub(super) fn account(&self, part: &Part, cone: Cone) -> Account {
        Instructions::detect().run(Accounting { system: self, part, cone })
    }
}

/// A pass over a part that updates impulses and velocities.
struct Sweep<'a> {
    system: &'a mut System,
    part: &'a Part,
    back: bool,
    cone: Cone,
    relaxation: f64,
}

impl Kernel for Sweep<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<P: Packet>(self) -> f64 {
        let Self { system, part, back, cone, relaxation } = self;
        let mut change = 0.0_f64;
        let System { items, rows, drift, x, v, wish, .. } = system;
        let items = &items[part.items.clone()];
        for k in 0..items.len() {
            let item = &items[if back { items.len() - 1 - k } else { k }];
            let range = item.range();
            let (rows, drift, x) = (&rows[range.clone()], &drift[range.clone()], &mut x[range]);
            let by = if let (Ok(rows), Ok(drift), Ok(x)) =
                (<&[Pair; 3]>::try_from(rows), drift.try_into(), <&mut [f64; 3]>::try_from(&mut *x))
            {
                full::<P>(item, rows, drift, x, v, cone, relaxation)
            } else {
                any(item, rows, drift, x, v, wish, relaxation)
            };
            change = larger(by, change);
        }
        change
    }
}

/// A pass over a part that measures what it leaves.
struct Accounting<'a> {
    system: &'a System,
    part: &'a Part,
    cone: Cone,
}

impl Kernel for Accounting<'_> {
    type Output = Account;

    #[inline(always)]
    fn run<P: Packet>(self) -> Account {
        let Self { system, part, cone } = self;
        let (mut equality, mut normal, mut friction, mut over, mut power) =
            (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64, 0.0);
        for item in &system.items[part.items.clone()] {
            let (va, vb) = (&system.v[item.ends[0] as usize], &system.v[item.ends[1] as usize]);
            let (rows, x) = (&system.rows[item.range()], &system.x[item.range()]);
            if let (Cone::Facets, Ok(rows), &[n, s, t], true) =
                (cone, <&[Pair; 3]>::try_from(rows), x, item.contact)
            {
                let (u, drift) = (Lanes::<P>::of(va, vb).speeds(rows), &system.drift[item.range()]);
                let u = [u[0] + item.bias, u[1] + drift[1], u[2] + drift[2]];
                power += n * (u[0] - larger(item.bias, 0.0)) + s * u[1] + t * u[2];
                let slip = larger(u[1].abs(), u[2].abs());
                let left = item.friction * n - s.abs() - t.abs();
                let resists = |p: f64, u: f64| lesser(p.abs(), slip + u * p.signum()).abs();
                normal = larger(normal, lesser(u[0], n).abs());
                friction = larger(friction, larger(resists(s, u[1]), resists(t, u[2])));
                over = larger(over, lesser(left, slip).abs());
                // A comparison forgets a NaN, the caller should not.
                if (u[0] + u[1] + u[2]).is_nan() {
                    return Account::naught();
                }
                continue;
            }
            let un = along(&rows[0], va, vb) + item.bias;
            power += x[0] * if item.contact { un - larger(item.bias, 0.0) } else { un };
            if !item.contact {
                equality = equality.max(un.abs());
                continue;
            }
            normal = normal.max(un.min(x[0]).abs());
            let (rows, p, reach) = (&rows[1..], &x[1..], item.friction * x[0]);
            let drifts = &system.drift[item.range()][1..];
            let speeds = rows.iter().zip(drifts).map(|(row, drift)| along(row, va, vb) + drift);
            power += speeds.clone().zip(p).map(|(u, p)| u * p).sum::<f64>();
            match cone {
                Cone::Facets if !rows.is_empty() => {
                    let slip = speeds.clone().fold(0.0, |m: f64, u| m.max(u.abs()));
                    let mut left = reach;
                    for (p, u) in p.iter().zip(speeds) {
                        left -= p.abs();
                        friction = friction.max(p.abs().min(slip + u * p.signum()).abs());
                    }
                    over = over.max(left.min(slip).abs());
                }
                Cone::Round => {
                    let (mut wish, mut off) = ([0.0; 2], [0.0; 2]);
                    speeds.zip(p).enumerate().take(2).for_each(|(k, (u, p))| wish[k] = p - u);
                    let long = wish[0].hypot(wish[1]);
                    let shrink = if long > reach { reach / long } else { 1.0 };
                    p.iter().enumerate().take(2).for_each(|(k, p)| off[k] = p - shrink * wish[k]);
                    friction = friction.max(off[0].hypot(off[1]));
                }
                Cone::Facets => {}
            }
            // `max` forgets a NaN, the caller should not.
            if un.is_nan() {
                return Account::naught();
            }
        }
        let residual = FrictionalResidual { equality, normal, friction, cone: over, ..Default::default() };
        Account { residual, power }
    }
}

/// The larger of two numbers, one instruction.
#[inline(always)]
fn larger(p: f64, q: f64) -> f64 {
    if p > q { p } else { q }
}

/// The lesser of two numbers.
#[inline(always)]
fn lesser(p: f64, q: f64) -> f64 {
    if p < q { p } else { q }
}

/// Visits an item of any number of rows; returns the largest change of an impulse.
fn any(
    item: &Item,
    rows: &[Pair],
    drift: &[f64],
    x: &mut [f64],
    v: &mut [Body],
    wish: &mut [f64],
    relaxation: f64,
) -> f64 {
    let mut change = 0.0_f64;
    let [a, b] = item.ends.map(|e| e as usize);
    let (mut va, mut vb) = (v[a], v[b]);
    let mut set = |x: &mut f64, next: f64, row: &Pair, va: &mut Body, vb: &mut Body| {
        change = change.max((next - *x).abs());
        push(row, next - *x, va, vb);
        *x = next;
    };
    match (rows, x) {
        ([n], [xn]) => {
            let u = along(n, &va, &vb) + item.bias;
            let next = *xn - relaxation * u * item.normal[0];
            set(xn, if item.contact { next.max(0.0) } else { next }, n, &mut va, &mut vb);
        }
        ([n, s], [xn, xs]) => {
            let un = along(n, &va, &vb) + item.bias;
            let us = along(s, &va, &vb) + drift[1];
            let next = (*xn - relaxation * un * item.normal[0]).max(0.0);
            let us = us + item.normal[1] * (next - *xn);
            set(xn, next, n, &mut va, &mut vb);
            let next = segment(item.tangents.g[0], *xs, us, item.friction * next);
            set(xs, next, s, &mut va, &mut vb);
        }
        ([n, tangents @ ..], [xn, p @ ..]) => {
            let u = along(n, &va, &vb) + item.bias;
            let normal = (*xn - relaxation * u * item.normal[0]).max(0.0);
            set(xn, normal, n, &mut va, &mut vb);
            // Impulses along many tangents are not unique: a step of projected gradients.
            let wish = &mut wish[..p.len()];
            let softness: f64 = tangents.iter().flatten().map(|r| r * r).sum();
            for (((wish, row), drift), p) in wish.iter_mut().zip(tangents).zip(&drift[1..]).zip(&*p) {
                *wish = p - (along(row, &va, &vb) + drift) / softness;
            }
            shrink_to_diamond(wish, item.friction * normal);
            for ((wish, row), p) in wish.iter().zip(tangents).zip(p) {
                set(p, *wish, row, &mut va, &mut vb);
            }
        }
        _ => {}
    }
    (v[a], v[b]) = (va, vb);
    change
}

/// Visits a contact with two tangents; returns the largest change of an impulse.
#[inline(always)]
fn full<P: Packet>(
    item: &Item,
    rows: &[Pair; 3],
    drift: &[f64; 3],
    x: &mut [f64; 3],
    v: &mut [Body],
    cone: Cone,
    relaxation: f64,
) -> f64 {
    let [a, b] = item.ends.map(|e| e as usize);
    let mut lanes = Lanes::<P>::of(&v[a], &v[b]);
    let u = lanes.speeds(rows);
    let u = [u[0] + item.bias, u[1] + drift[1], u[2] + drift[2]];
    let next = contact(item, cone, relaxation, *x, u);
    let by = [next[0] - x[0], next[1] - x[1], next[2] - x[2]];
    // Open contacts stay open, as a rule.
    if by == [0.0; 3] {
        return 0.0;
    }
    *x = next;
    lanes.push(rows, &by);
    lanes.write(v, [a, b]);
    larger(larger(by[0].abs(), by[1].abs()), by[2].abs())
}

/// The next impulse of a contact with two tangents: one at which nothing moves, or pressure first and friction
/// next.
#[inline(always)]
fn contact(item: &Item, cone: Cone, relaxation: f64, x: [f64; 3], u: [f64; 3]) -> [f64; 3] {
    let m = &item.inverse;
    let rest = [
        x[0] - (m[0] * u[0] + m[1] * u[1] + m[2] * u[2]),
        x[1] - (m[1] * u[0] + m[3] * u[1] + m[4] * u[2]),
        x[2] - (m[2] * u[0] + m[4] * u[1] + m[5] * u[2]),
    ];
    let reach = item.friction * rest[0];
    let inside = match cone {
        Cone::Facets => rest[1].abs() + rest[2].abs() <= reach,
        Cone::Round => reach >= 0.0 && rest[1] * rest[1] + rest[2] * rest[2] <= reach * reach,
    };
    if inside && relaxation == 1.0 {
        return rest;
    }
    let [softness, ns, nt] = item.normal;
    let next = x[0] - relaxation * u[0] * softness;
    if !(next > 0.0) {
        return [0.0; 3];
    }
    let by = next - x[0];
    let slip = [u[1] + ns * by, u[2] + nt * by];
    let [s, t] = item.tangents.answer(cone, [x[1], x[2]], slip, item.friction * next);
    [next, s, t]
}

/// Impulses of a contact, brought into its cone.
pub(super) fn clip(x: &mut [f64], friction: f64, cone: Cone) {
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
