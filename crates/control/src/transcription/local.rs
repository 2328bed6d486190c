//! Functions of one node's configuration, momenta and impulses: what contacts and ties do, and velocities at the ends.
//!
//! ```text
//! D(q)         rows: directions of the impulses as covectors of the degrees of freedom
//! p⁻ = p⁺ + Dᵀ Λ                                            added to the node's equations
//! restitution  n·v⁻ + e n·v⁺ = 0       v = M(q)⁻¹ p         stick   t·v⁻ = 0       slide   Λt + μ Λn t(v⁻) = 0
//! ```
//!
//! Velocities after impulses are those of `p⁺ + Dᵀ Λ`. With `φ` the weighted sum of all functions, `c` its derivatives by velocities
//! along the directions and `μ = M⁻¹ Dᵀ c`
//!
//! ```text
//! ∂φ/∂p = μ⁺ + μ⁻       ∂φ/∂Λ = D ζ + what laws ask of Λ itself       ζ = w + μ⁻, w the weights of the kick
//! ∂φ/∂q = Λ·D'ζ + c⁺·D'v⁺ + c⁻·D'v⁻ - μ⁺·M'v⁺ - μ⁻·M'v⁻             the rest held
//! ```
//!
//! Second derivatives are central differences of this gradient; where functions are linear in momenta and impulses, along
//! configurations alone.

use super::frozen::Frozen;
use super::hold::Hold;
use super::law;
use super::piece::{Context, Piece};
use super::point::{NONE, Point};
use super::posture::Posture;
use super::tree::Ray;
use crate::plan::{Drive, Measure};
use percussion_geometry::Vec3;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Undefined;

/// Step of differences: rad, m, and parts of the largest momentum or impulse.
const EPSILON: f64 = 1e-5;

/// Directions in which impulses act between two bodies.
#[derive(Clone, Debug)]
pub enum Directions {
    /// The normal of features that touch, at their points.
    Normal(Frozen),
    /// The normal and two directions across it.
    Contact(Frozen),
    /// The same of a foothold, across along the world's axes where the normal is one.
    Foothold(Frozen),
    /// A torque about the normal.
    Spin(Frozen),
    /// Three axes of the world at two points of the bodies, in their principal frames.
    Point(Vec3, Vec3),
    /// The same, and three torques.
    Rigid(Vec3, Vec3),
}

impl Directions {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Normal(_) | Self::Spin(_) => 1,
            Self::Contact(_) | Self::Foothold(_) | Self::Point(..) => 3,
            Self::Rigid(..) => 6,
        }
    }

    /// Whether the first one is a normal, along which parts push.
    pub fn pushes(&self) -> bool {
        matches!(self, Self::Normal(_) | Self::Contact(_) | Self::Foothold(_))
    }
}

/// What decides about an impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Nothing here: constraints on configurations do.
    None,
    /// The velocity along it comes back times a coefficient.
    Restitution(f64),
    /// The velocity along it vanishes.
    Stop,
    /// The two directions across slide against friction; the event's first impulse is the normal one.
    Slide(f64),
    /// The two directions across stick within the cone: one more row, `μ² Λn² - Λt² ≥ 0`.
    Stick(f64),
}

impl Law {
    /// Whether it bends in velocities or impulses.
    fn is_cone(&self) -> bool {
        matches!(self, Self::Slide(_) | Self::Stick(_))
    }
}

/// An event between two bodies at a node: where impulses act, and by which law.
#[derive(Clone, Debug)]
pub struct Event {
    /// Which parts.
    pub pair: (usize, usize),
    /// Where.
    pub directions: Directions,
    /// Along the first direction (of a tie: along all).
    pub normal: Law,
    /// Across it.
    pub across: Law,
}

impl Event {
    /// Rows of its laws.
    pub fn laws(&self) -> usize {
        let first = match (self.normal, &self.directions) {
            (Law::None, _) => 0,
            (_, directions) if directions.pushes() => 1,
            (_, ties) => ties.count(),
        };
        let across = match self.across {
            Law::Stop | Law::Slide(_) => 2,
            Law::Stick(_) => 3,
            _ => 0,
        };
        first + across
    }
}

/// What a local piece computes.
#[derive(Clone, Debug)]
pub enum What {
    /// Impulses of events at the node.
    Events(Vec<Event>),
    /// Velocities.
    Speed(Measure),
    /// `weight Σ (velocity - target)²`.
    SpeedGoal(Measure, Vec<f64>, f64),
}

/// A local piece.
pub struct Local {
    node: usize,
    pub(super) what: What,
    pub(super) islands: Vec<usize>,
    /// Local places: first of momenta, first of impulses.
    pub(super) momenta: usize,
    pub(super) impulses: usize,
    pub(super) variables: Vec<usize>,
    pub(super) rows: Vec<(usize, f64)>,
    /// Momenta that are given, by local place.
    given: Vec<(usize, f64)>,
    pub(super) at_end: bool,
}

impl Local {
    /// Of the degrees of freedom of islands at a node, their momenta if they are unknown there, and impulses from `impulses` on.
    pub fn new(
        context: &Context,
        node: usize,
        what: What,
        islands: Vec<usize>,
        impulses: usize,
        rows: Vec<(usize, f64)>,
    ) -> Self {
        let (model, numbering) = (&context.plan.model, &context.numbering);
        let mut variables = Vec::new();
        let range = |first: usize, i: usize| if first == NONE { NONE } else { first + i };
        for &island in &islands {
            let n = model.islands[island].dofs.len();
            variables.extend((0..n).map(|i| range(numbering.places[node][island], i)));
        }
        let momenta = variables.len();
        for &island in &islands {
            let n = model.islands[island].dofs.len();
            variables.extend((0..n).map(|i| range(numbering.momenta[node][island], i)));
        }
        let given = given_momenta(context, node, &islands, momenta);
        let first = variables.len();
        if let What::Events(events) = &what {
            let count: usize = events.iter().map(|event| event.directions.count()).sum();
            variables.extend(impulses..impulses + count);
        }
        Self { node, what, islands, momenta, impulses: first, variables, rows, given, at_end: false }
    }

    pub(super) fn numbers(&self, at: &Point, out: &mut Vec<f64>) {
        out.clear();
        out.extend(
            self.variables
                .iter()
                .enumerate()
                .map(|(i, &v)| if i < self.momenta || v == NONE { 0.0 } else { at.numbers[v] }),
        );
        self.given.iter().for_each(|&(place, value)| out[place] = value);
    }

    /// Step of a local variable's difference: configurations by an absolute one, numbers by their size.
    fn step(&self, numbers: &[f64], v: usize) -> f64 {
        if v < self.momenta {
            return EPSILON;
        }
        let range =
            if v < self.impulses { self.momenta..self.impulses } else { self.impulses..numbers.len() };
        let size = numbers[range].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        EPSILON * size.max(1e-4)
    }

    /// Looks at a state and at numbers: directions, rates, and velocities along the directions.
    fn look(&self, shop: &mut Shop, model: &Model, state: &State, numbers: &[f64]) {
        let n = self.momenta;
        let Shop { posture, holds, rows, rates, speeds, .. } = shop;
        posture.set(model, &self.islands, state);
        holds.clear();
        match &self.what {
            What::Events(events) => {
                holds.extend(events.iter().filter_map(|event| Hold::of_event(model, state, event)));
            }
            What::Speed(measure) | What::SpeedGoal(measure, ..) => {
                holds.extend(Hold::of_measure(model, state, measure));
            }
        }
        let count: usize = holds.iter().map(Hold::count).sum();
        rows.resize(count * n, 0.0);
        let mut next = 0;
        for hold in holds {
            let own = hold.count() * n;
            hold.rows(posture, n, &mut rows[next..next + own]);
            next += own;
        }
        for list in &mut *rates {
            list.clear();
            list.extend_from_slice(&numbers[n..2 * n]);
        }
        let [before, after, kick] = rates;
        kick.fill(0.0);
        for (row, impulse) in rows.chunks_exact(n.max(1)).zip(&numbers[self.impulses..]) {
            kick.iter_mut().zip(row).for_each(|(k, d)| *k += impulse * d);
        }
        if !self.at_end {
            after.iter_mut().zip(&*kick).for_each(|(a, k)| *a += k);
        }
        posture.solve(before);
        posture.solve(after);
        for (speeds, rates) in speeds.iter_mut().zip([&*before, &*after]) {
            speeds.clear();
            speeds.extend(rows.chunks_exact(n.max(1)).map(|row| dot(row, rates)));
        }
    }

    /// Its functions where [`Local::look`] looked.
    fn functions(&self, shop: &Shop, numbers: &[f64], out: &mut [f64]) {
        let [before, after] = &shop.speeds;
        match &self.what {
            What::Speed(_) => out.copy_from_slice(after),
            What::SpeedGoal(_, target, weight) => {
                out[0] = weight * after.iter().zip(target).map(|(v, t)| (v - t) * (v - t)).sum::<f64>();
            }
            What::Events(events) => {
                let (kick, laws) = out.split_at_mut(self.momenta);
                kick.copy_from_slice(&shop.rates[2]);
                law::values(events, (before, after), &numbers[self.impulses..], laws);
            }
        }
    }

    /// The gradient of their weighted sum along all variables, where [`Local::look`] looked.
    fn slope(&self, shop: &mut Shop, model: &Model, numbers: &[f64], weights: &[f64], out: &mut [f64]) {
        let n = self.momenta;
        let Shop { posture, holds, rows, rates, speeds, by_speeds, by_impulses, pulls, rays, .. } = shop;
        let impulses = &numbers[self.impulses..];
        let count = speeds[0].len();
        let [by_before, by_after] = by_speeds;
        for list in [&mut *by_before, &mut *by_after, &mut *by_impulses] {
            list.clear();
            list.resize(count, 0.0);
        }
        for list in &mut *pulls {
            list.clear();
            list.resize(n, 0.0);
        }
        match &self.what {
            What::Speed(_) => by_after.copy_from_slice(weights),
            What::SpeedGoal(_, target, weight) => {
                for ((by, v), t) in by_after.iter_mut().zip(&speeds[1]).zip(target) {
                    *by = 2.0 * weight * weights[0] * (v - t);
                }
            }
            What::Events(events) => {
                let slopes = (&mut by_before[..], &mut by_after[..], &mut by_impulses[..]);
                law::slopes(events, &speeds[1], impulses, &weights[n..], slopes);
            }
        }
        // M⁻¹ of what velocities before and after pull along their directions; then what impulses push against.
        let [on_before, on_after, on_kick] = pulls;
        for ((row, before), after) in rows.chunks_exact(n.max(1)).zip(&*by_before).zip(&*by_after) {
            on_before.iter_mut().zip(row).for_each(|(x, d)| *x += before * d);
            on_after.iter_mut().zip(row).for_each(|(x, d)| *x += after * d);
        }
        posture.solve(on_before);
        posture.solve(on_after);
        if matches!(self.what, What::Events(_)) {
            on_kick.copy_from_slice(&weights[..n]);
            if !self.at_end {
                on_kick.iter_mut().zip(&*on_after).for_each(|(x, v)| *x += v);
            }
        }
        out.fill(0.0);
        let (along, numbers) = out.split_at_mut(n);
        let (by_momenta, out) = numbers.split_at_mut(n);
        by_momenta.iter_mut().zip(on_before.iter().zip(&*on_after)).for_each(|(o, (b, a))| *o = b + a);
        for ((out, row), direct) in out.iter_mut().zip(rows.chunks_exact(n.max(1))).zip(&*by_impulses) {
            *out = direct + dot(row, on_kick);
        }
        let [before, after, _] = rates;
        let mut next = 0;
        for hold in holds {
            let own = next..next + hold.count();
            if !impulses.is_empty() {
                hold.add_slopes(posture, &impulses[own.clone()], on_kick, rays, along);
            }
            hold.add_slopes(posture, &by_before[own.clone()], before, rays, along);
            hold.add_slopes(posture, &by_after[own.clone()], after, rays, along);
            next = own.end;
        }
        for (by, pull, rates) in [(&*by_before, on_before, before), (&*by_after, on_after, after)] {
            if by.iter().any(|c| *c != 0.0) {
                posture.add_mass_slopes(model, (pull, rates), along);
            }
        }
    }

    /// The gradient of the weighted sum with a local variable shifted.
    fn shifted_slope(
        &self,
        context: &mut Context,
        at: &Point,
        (v, by): (usize, f64),
        weights: &[f64],
        out: &mut [f64],
    ) {
        let state = &at.nodes[self.node];
        let model = context.plan.model.clone();
        let (mut shop, mut numbers) = (std::mem::take(&mut context.shop), std::mem::take(&mut context.room));
        let mut first = 0;
        for &island in &self.islands {
            let count = model.islands[island].dofs.len();
            if (first..first + count).contains(&v) {
                shop.d.clear();
                shop.d.resize(count, 0.0);
                shop.d[v - first] = by;
                let shifted = context.displaced(state, island, &shop.d);
                self.look(&mut shop, &model, &shifted, &numbers);
                context.give_back(shifted);
            }
            first += count;
        }
        let here = numbers[v];
        if v >= self.momenta {
            numbers[v] += by;
            self.look(&mut shop, &model, state, &numbers);
        }
        self.slope(&mut shop, &model, &numbers, weights, out);
        numbers[v] = here;
        (context.shop, context.room) = (shop, numbers);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// PairWarmStart of local pieces.
#[derive(Debug, Default)]
pub(super) struct Shop {
    posture: Posture,
    holds: Vec<Hold>,
    /// Directions, row by row.
    rows: Vec<f64>,
    /// Rates before and after, and what impulses do to momenta.
    rates: [Vec<f64>; 3],
    /// Velocities along the directions before and after.
    speeds: [Vec<f64>; 2],
    by_speeds: [Vec<f64>; 2],
    by_impulses: Vec<f64>,
    pulls: [Vec<f64>; 3],
    rays: [Vec<Ray>; 2],
    /// A displacement of an island.
    d: Vec<f64>,
}

/// Momenta at an end of the manoeuvre that are given, by local place.
fn given_momenta(context: &Context, node: usize, islands: &[usize], first: usize) -> Vec<(usize, f64)> {
    let plan = &context.plan;
    let terminal = match node {
        0 => &plan.start,
        k if k == plan.intervals => &plan.end,
        _ => return Vec::new(),
    };
    let mut next = first;
    let mut given = Vec::new();
    for &island in islands {
        let n = plan.model.islands[island].dofs.len();
        if let Drive::Given(p) = &terminal.drive[island] {
            given.extend((next..next + n).zip(p.iter().copied()));
        }
        next += n;
    }
    given
}

/// Two directions across a normal, the first in the plane of the normal and an axis of the world: of mechanisms in such a plane the
/// other one has no effect, and the pyramid of friction is exact.
pub(crate) fn level(normal: &Vec3) -> (Vec3, Vec3) {
    // Of three axes one at least is further from any direction than this.
    let axis = if normal.x.abs() < 0.8 { Vec3::x() } else { Vec3::y() };
    let first = (axis - normal * normal.dot(&axis)).normalize();
    (first, normal.cross(&first))
}

/// How [`level`] changes with the normal.
pub(super) fn level_change(normal: &Vec3, d: &Vec3) -> (Vec3, Vec3) {
    let axis = if normal.x.abs() < 0.8 { Vec3::x() } else { Vec3::y() };
    let across = axis - normal * normal.dot(&axis);
    let (length, first) = (across.norm(), across.normalize());
    let bent = -(d * normal.dot(&axis) + normal * d.dot(&axis));
    let change = (bent - first * first.dot(&bent)) / length;
    (change, d.cross(&first) + normal.cross(&change))
}

impl Piece for Local {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.rows
    }

    fn value(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let Context { plan, shop, room, .. } = context;
        self.numbers(at, room);
        self.look(shop, &plan.model, &at.nodes[self.node], room);
        self.functions(shop, room, out);
        Ok(())
    }

    fn jacobian(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let Context { plan, shop, room, .. } = context;
        self.numbers(at, room);
        self.look(shop, &plan.model, &at.nodes[self.node], room);
        let rows = self.rows.len();
        let (mut weights, mut slope) = (vec![0.0; rows], vec![0.0; self.variables.len()]);
        for r in 0..rows {
            weights[r] = 1.0;
            self.slope(shop, &plan.model, room, &weights, &mut slope);
            weights[r] = 0.0;
            slope.iter().enumerate().for_each(|(v, slope)| out[v * rows + r] = *slope);
        }
        Ok(())
    }

    fn hessian(
        &self,
        context: &mut Context,
        at: &Point,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        if weights.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        self.numbers(at, &mut context.room);
        let all = self.variables.len();
        let mut sides = [vec![0.0; all], vec![0.0; all]];
        // Where all is linear in numbers their columns are the mirror of their rows.
        let linear = self.is_linear();
        let last = if linear { self.momenta } else { all };
        for v in (0..last).filter(|&v| self.variables[v] != NONE) {
            let step = self.step(&context.room, v);
            for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                self.shifted_slope(context, at, (v, sign * step), weights, side);
            }
            for w in 0..all {
                let slope = (sides[0][w] - sides[1][w]) / (2.0 * step);
                out[v * all + w] = slope;
                if linear && w >= self.momenta {
                    out[w * all + v] = slope;
                }
            }
        }
        let Context { plan, shop, room, .. } = context;
        if !shop.posture.is_straight() {
            self.look(shop, &plan.model, &at.nodes[self.node], room);
            self.slope(shop, &plan.model, room, weights, &mut sides[0]);
            shop.posture.straighten(&sides[0], |i, j, value| out[i * all + j] += value);
        }
        Ok(())
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        !(self.is_linear() && one >= self.momenta && other >= self.momenta)
    }
}

impl Local {
    /// Whether its functions are linear in momenta and impulses: no cone, no square.
    fn is_linear(&self) -> bool {
        match &self.what {
            What::Events(events) => events.iter().all(|event| !event.across.is_cone()),
            What::Speed(_) => true,
            What::SpeedGoal(..) => false,
        }
    }
}

impl Local {
    /// At the end of a manoeuvre the unknown momentum is the one after the impulses.
    pub fn momenta_are_after(&mut self) {
        self.at_end = true;
    }
}
