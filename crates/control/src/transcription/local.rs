//! Functions of one node's configuration, momenta and impulses: what contacts and ties do, and velocities at the ends.
//!
//! ```text
//! D(q)         rows: directions of the impulses as covectors of the freedoms
//! p⁻ = p⁺ + Dᵀ Λ                                            added to the node's equations
//! restitution  n·v⁻ + e n·v⁺ = 0       v = M(q)⁻¹ p         stick   t·v⁻ = 0       slide   Λt + μ Λn t(v⁻) = 0
//! ```
//!
//! There are few such nodes; derivatives are central differences. Where laws have no cone, functions are linear in momenta and
//! impulses, and only configurations are displaced ([`super::bilinear`]); otherwise momenta and impulses are shifted too.

use super::frozen::Frozen;
use super::piece::{Context, Piece};
use super::point::{NONE, Point};
use crate::kinematics::Stance;
use crate::plan::{Drive, Measure};
use percussion_geometry::Vec3;
use percussion_mechanics::joint::motion::{Vec6, twist};
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Undefined;

/// Steps of first and second differences, rad and m.
pub(super) const STEPS: (f64, f64) = (1e-6, 1e-4);

/// Directions in which impulses act between two bodies.
#[derive(Clone, Debug)]
pub enum Directions {
    /// The normal of features that touch, at their points.
    Normal(Frozen),
    /// The normal and two directions across it.
    Contact(Frozen),
    /// The same of a foothold, across along the world's axes where the normal is one.
    Foothold(Frozen),
    /// Three axes of the world at two points of the bodies, in their principal frames.
    Point(Vec3, Vec3),
    /// The same, and three torques.
    Rigid(Vec3, Vec3),
}

impl Directions {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Normal(_) => 1,
            Self::Contact(_) | Self::Foothold(_) | Self::Point(..) => 3,
            Self::Rigid(..) => 6,
        }
    }

    /// Whether the first one is a normal, along which parts push.
    pub fn pushes(&self) -> bool {
        !matches!(self, Self::Point(..) | Self::Rigid(..))
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
    /// Of the freedoms of islands at a node, their momenta if they are unknown there, and impulses from `impulses` on.
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
            let n = model.islands[island].freedoms.len();
            variables.extend((0..n).map(|i| range(numbering.places[node][island], i)));
        }
        let momenta = variables.len();
        for &island in &islands {
            let n = model.islands[island].freedoms.len();
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

    /// Its functions at local numbers: displacements (applied already to `state`), momenta, impulses.
    pub(super) fn functions(&self, model: &Model, state: &State, numbers: &[f64], out: &mut [f64]) {
        let n = model.freedoms;
        let mut momenta = vec![0.0; n];
        let mut next = self.momenta;
        for &island in &self.islands {
            let range = model.islands[island].freedoms.clone();
            let count = range.len();
            momenta[range].copy_from_slice(&numbers[next..next + count]);
            next += count;
        }
        let mut stance = Stance::new(model, state);
        let mut rates = vec![0.0; n];
        match &self.what {
            What::Speed(measure) => {
                stance.speed(&self.islands, &momenta, &mut rates);
                measure.value(&stance, out);
            }
            What::SpeedGoal(measure, target, weight) => {
                stance.speed(&self.islands, &momenta, &mut rates);
                let mut values = [0.0; 3];
                measure.value(&stance, &mut values[..measure.components()]);
                out[0] = weight * values.iter().zip(target).map(|(v, t)| (v - t) * (v - t)).sum::<f64>();
            }
            What::Events(events) => self.events(model, &mut stance, events, &momenta, numbers, out),
        }
    }

    fn events(
        &self,
        model: &Model,
        stance: &mut Stance,
        events: &[Event],
        momenta: &[f64],
        numbers: &[f64],
        out: &mut [f64],
    ) {
        let n = model.freedoms;
        let impulses = &numbers[self.impulses..];
        let count: usize = events.iter().map(|event| event.directions.count()).sum();
        let mut rows = vec![0.0; count * n];
        all_directions(stance, events, &mut rows);
        let mut after = momenta.to_vec();
        let mut kick = vec![0.0; n];
        for (row, impulse) in rows.chunks_exact(n).zip(impulses) {
            kick.iter_mut().zip(row).for_each(|(k, v)| *k += impulse * v);
        }
        if !self.at_end {
            after.iter_mut().zip(&kick).for_each(|(a, k)| *a += k);
        }
        let mut place = 0;
        for &island in &self.islands {
            let range = model.islands[island].freedoms.clone();
            out[place..place + range.len()].copy_from_slice(&kick[range.clone()]);
            place += range.len();
        }
        if events.iter().all(|event| event.laws() == 0) {
            return;
        }
        let (mut before_rates, mut after_rates) = (vec![0.0; n], vec![0.0; n]);
        stance.speed(&self.islands, momenta, &mut before_rates);
        stance.speed(&self.islands, &after, &mut after_rates);
        let along = |row: usize, rates: &[f64]| -> f64 {
            rows[row * n..(row + 1) * n].iter().zip(rates).map(|(a, b)| a * b).sum()
        };
        let mut first = 0;
        for event in events {
            let held = if event.directions.pushes() { 1 } else { event.directions.count() };
            for row in first..first + held {
                match event.normal {
                    Law::Restitution(e) => {
                        out[place] = along(row, &after_rates) + e * along(row, &before_rates)
                    }
                    Law::Stop => out[place] = along(row, &after_rates),
                    _ => continue,
                }
                place += 1;
            }
            let slip = [first + 1, first + 2];
            match event.across {
                Law::Stop | Law::Stick(_) => {
                    for row in slip {
                        out[place] = along(row, &after_rates);
                        place += 1;
                    }
                    if let Law::Stick(mu) = event.across {
                        let (normal, t, s) = (impulses[first], impulses[first + 1], impulses[first + 2]);
                        out[place] = mu * mu * normal * normal - t * t - s * s;
                        place += 1;
                    }
                }
                Law::Slide(mu) => {
                    let speed = slip.map(|row| along(row, &after_rates));
                    let size = speed[0].hypot(speed[1]).max(f64::MIN_POSITIVE);
                    for (row, v) in slip.into_iter().zip(speed) {
                        out[place] = impulses[row] + mu * impulses[first] * v / size;
                        place += 1;
                    }
                }
                _ => {}
            }
            first += event.directions.count();
        }
    }

    pub(super) fn numbers(&self, at: &Point) -> Vec<f64> {
        let each = self.variables.iter().enumerate();
        let number =
            |(i, &v): (usize, &usize)| if i < self.momenta || v == NONE { 0.0 } else { at.numbers[v] };
        let mut numbers: Vec<f64> = each.map(number).collect();
        self.given.iter().for_each(|&(place, value)| numbers[place] = value);
        numbers
    }

    /// Step of a local variable's difference: configurations by an absolute one, numbers by their size.
    fn step(&self, numbers: &[f64], v: usize, small: f64) -> f64 {
        if v < self.momenta {
            return small;
        }
        let range =
            if v < self.impulses { self.momenta..self.impulses } else { self.impulses..numbers.len() };
        let size = numbers[range].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let relative = match &self.what {
            What::Events(events) if events.iter().any(|e| matches!(e.across, Law::Slide(_))) => small,
            _ => 1e-2,
        };
        relative * size.max(1e-4)
    }

    /// The node's state with local freedoms shifted; to be given back.
    pub(super) fn placed(&self, context: &mut Context, at: &Point, shifts: &[(usize, f64)]) -> State {
        let mut state = context.scratch.pop().unwrap_or_else(|| at.nodes[self.node].clone());
        state.clone_from(&at.nodes[self.node]);
        let mut first = 0;
        for i in 0..self.islands.len() {
            let island = self.islands[i];
            let count = context.plan.model.islands[island].freedoms.len();
            let own = || shifts.iter().filter(|(v, _)| (first..first + count).contains(v));
            if own().next().is_some() {
                let mut d = vec![0.0; count];
                own().for_each(|&(v, by)| d[v - first] += by);
                let moved = context.displaced(&state, island, &d);
                context.scratch.push(std::mem::replace(&mut state, moved));
            }
            first += count;
        }
        state
    }

    /// Functions with up to two local variables shifted.
    pub(super) fn shifted(
        &self,
        context: &mut Context,
        at: &Point,
        numbers: &[f64],
        shifts: &[(usize, f64)],
        out: &mut [f64],
    ) {
        let model = context.plan.model.clone();
        let mut numbers = numbers.to_vec();
        let state = self.placed(context, at, shifts);
        for &(v, by) in shifts.iter().filter(|(v, _)| *v >= self.momenta) {
            numbers[v] += by;
        }
        self.functions(&model, &state, &numbers, out);
        context.give_back(state);
    }
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
        let n = plan.model.islands[island].freedoms.len();
        if let Drive::Given(p) = &terminal.drive[island] {
            given.extend((next..next + n).zip(p.iter().copied()));
        }
        next += n;
    }
    given
}

/// Directions of all events, one after the other.
pub(super) fn all_directions(stance: &mut Stance, events: &[Event], out: &mut [f64]) {
    let n = stance.model.freedoms;
    let mut next = 0;
    for event in events {
        let own = event.directions.count();
        directions(stance, event, &mut out[next * n..(next + own) * n]);
        next += own;
    }
}

/// Two directions across a normal, the first in the plane of the normal and an axis of the world: of mechanisms in such a plane the
/// other one has no effect, and the pyramid of friction is exact.
pub(crate) fn level(normal: &Vec3) -> (Vec3, Vec3) {
    // Of three axes one at least is further from any direction than this.
    let axis = if normal.x.abs() < 0.8 { Vec3::x() } else { Vec3::y() };
    let first = (axis - normal * normal.dot(&axis)).normalize();
    (first, normal.cross(&first))
}

/// Directions of an event as covectors of all freedoms.
fn directions(stance: &mut Stance, event: &Event, out: &mut [f64]) {
    let n = stance.model.freedoms;
    let Some(contacts) = stance.model.contacts.clone() else { return };
    let parts = (&contacts.parts[event.pair.0], &contacts.parts[event.pair.1]);
    let poses = (parts.0.body_pose(stance.state), parts.1.body_pose(stance.state));
    let bodies = (Some(parts.0.body), Some(parts.1.body));
    let centres = (stance.centre(bodies.0), stance.centre(bodies.1));
    let held = |(a, b): (Vec3, Vec3)| {
        let point = if parts.0.slot.is_some() { poses.0.point(&a) } else { poses.1.point(&b) };
        (point, point)
    };
    let (points, axes): ((Vec3, Vec3), [Vec3; 3]) = match &event.directions {
        Directions::Normal(frozen) | Directions::Contact(frozen) => {
            let reading = frozen.read((&poses.0, &poses.1));
            let (t1, t2) = contacts.across(event.pair, &reading.normal);
            ((reading.point_a, reading.point_b), [reading.normal, t1, t2])
        }
        // What a tie holds is the point of the body that moves, wherever on the other one it was made.
        Directions::Foothold(frozen) => {
            let reading = frozen.read((&poses.0, &poses.1));
            let (t1, t2) = level(&reading.normal);
            (held((frozen.point_a, frozen.point_b)), [reading.normal, t1, t2])
        }
        Directions::Point(a, b) | Directions::Rigid(a, b) => {
            (held((*a, *b)), [Vec3::x(), Vec3::y(), Vec3::z()])
        }
    };
    for (i, row) in out.chunks_exact_mut(n).enumerate() {
        let axis = axes[i % 3];
        let wrench = |point: &Vec3, centre: &Vec3| -> Vec6 {
            match i < 3 {
                true => twist(&axis, &(point - centre).cross(&axis)),
                false => twist(&Vec3::zeros(), &axis),
            }
        };
        let (on_a, on_b) = (wrench(&points.0, &centres.0), -wrench(&points.1, &centres.1));
        row.fill(0.0);
        stance.reduce(&[(bodies.0, on_a), (bodies.1, on_b)], row);
    }
}

impl Piece for Local {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.rows
    }

    fn value(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let numbers = self.numbers(at);
        self.shifted(context, at, &numbers, &[], out);
        Ok(())
    }

    fn jacobian(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        if let Some(bilinear) = self.bilinear() {
            bilinear.jacobian(context, at, out);
            return Ok(());
        }
        let numbers = self.numbers(at);
        let rows = self.rows.len();
        let mut sides = [vec![0.0; rows], vec![0.0; rows]];
        for v in (0..self.variables.len()).filter(|&v| self.variables[v] != NONE) {
            let step = self.step(&numbers, v, STEPS.0);
            for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                self.shifted(context, at, &numbers, &[(v, sign * step)], side);
            }
            for r in 0..rows {
                out[v * rows + r] = (sides[0][r] - sides[1][r]) / (2.0 * step);
            }
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
        if let Some(bilinear) = self.bilinear() {
            bilinear.hessian(context, at, weights, out);
            return Ok(());
        }
        if weights.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        let numbers = self.numbers(at);
        let all = self.variables.len();
        let mut room = vec![0.0; self.rows.len()];
        let mut sum = |context: &mut Context, shifts: &[(usize, f64)]| -> f64 {
            self.shifted(context, at, &numbers, shifts, &mut room);
            room.iter().zip(weights).map(|(a, w)| a * w).sum()
        };
        let here = sum(context, &[]);
        for i in (0..all).filter(|&i| self.variables[i] != NONE) {
            let a = self.step(&numbers, i, STEPS.1);
            for j in (0..=i).filter(|&j| self.variables[j] != NONE && self.curves(i, j)) {
                let b = self.step(&numbers, j, STEPS.1);
                let value = if i == j {
                    (sum(context, &[(i, a)]) - 2.0 * here + sum(context, &[(i, -a)])) / (a * a)
                } else {
                    let corner = |s: f64, t: f64| [(i, s * a), (j, t * b)];
                    let (pp, pm) = (sum(context, &corner(1.0, 1.0)), sum(context, &corner(1.0, -1.0)));
                    let (mp, mm) = (sum(context, &corner(-1.0, 1.0)), sum(context, &corner(-1.0, -1.0)));
                    (pp - pm - mp + mm) / (4.0 * a * b)
                };
                out[i * all + j] = value;
                out[j * all + i] = value;
            }
        }
        Ok(())
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        let linear = matches!(self.what, What::Speed(_)) || self.bilinear().is_some();
        !(linear && one >= self.momenta && other >= self.momenta)
    }
}

impl Local {
    /// At the end of a manoeuvre the unknown momentum is the one after the impulses.
    pub fn momenta_are_after(&mut self) {
        self.at_end = true;
    }
}
