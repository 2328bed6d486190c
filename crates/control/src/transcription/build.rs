//! From a plan to variables, rows and pieces.
//!
//! ```text
//! node without jump        p⁺ - p⁻ = 0                              one set of rows
//! node with momenta        p⁺ - p = 0,   p + Dᵀ Λ - p⁻ = 0          two sets, p and Λ unknown
//! tie                      Dᵀ Λ joins the rows of its nodes (`sites.rs`); points stay together at the nodes after
//! foothold                 a tie with Λn ≥ 0,   |Λt| + |Λs| ≤ μ Λn: a pyramid within the cone
//! start, end               p - p⁻ = 0,   p⁺ - p = 0                 p given or unknown; nothing if free
//! ```

use super::Transcription;
use super::columns::Gallery;
use super::dynamics_defect::DynamicsDefect;
use super::encounter::ResolvedContact;
use super::frozen::Frozen;
use super::label::Label;
use super::local::{Law, Local, What};
use super::node::{Function, NodePiece};
use super::piece::{Context, OBJECTIVE, Piece, Placed};
use super::plane::{Plane, PlanePiece};
use super::point::{NONE, Numbering};
use super::pressure;
use super::sites::{Site, Stage, sites};
use super::sums::{Effort, Linear};
use super::turn::limit_turns;
use crate::plan::{ContactJoint, Drive, Measure, Plan, PlannedContact, Seen};
use percussion_mechanics::contact::PairWarmStart;
use percussion_mechanics::discrete::{Derivatives, Differentiator};
use percussion_solve::nlp::{Bound, Layout};

/// Two parts that keep apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// Where, at one node or at both ends of an interval, and how far at least, m.
    pub nodes: Vec<(usize, f64)>,
    /// Which.
    pub pair: (usize, usize),
    /// By what.
    pub by: Keeper,
}

/// What keeps two parts apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Keeper {
    /// A plane that is sought.
    Plane(Plane),
    /// The surface of a half-space with the points that stay above it, further by a radius.
    Surface(Vec<Frozen>, f64),
    /// The separation itself, which curved parts have smooth.
    Separation,
}

/// What a program is made for: the features of contacts and the pairs that are near.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// One for each meeting.
    pub encounters: Vec<ResolvedContact>,
    /// Pairs that are watched.
    pub apart: Vec<Apart>,
}

impl Setup {
    /// The planes that are sought, in the order of their variables.
    pub fn planes(&self) -> impl Iterator<Item = &Plane> {
        self.apart.iter().filter_map(|apart| match &apart.by {
            Keeper::Plane(plane) => Some(plane),
            _ => None,
        })
    }
}

/// Rows as they are made.
#[derive(Default)]
pub(super) struct Rows {
    bounds: Vec<Bound>,
    labels: Vec<Label>,
}

impl Rows {
    pub(super) fn add(&mut self, bound: Bound, label: Label) -> usize {
        self.bounds.push(bound);
        self.labels.push(label);
        self.bounds.len() - 1
    }
}

impl Transcription {
    /// The program of a plan, for given features and pairs.
    pub fn new(plan: Plan, setup: Setup) -> Self {
        let sites = sites(&plan, &setup);
        let mut numbering = number(&plan, &sites);
        // Last of all: rounds of a search add planes, and nothing else moves.
        for apart in &setup.apart {
            let Keeper::Plane(plane) = &apart.by else { continue };
            numbering.planes.push(numbering.count);
            numbering.count += plane.turns() + 1;
        }
        let scratch = vec![plan.start.state.clone(); 2];
        let context = Context {
            plan,
            numbering,
            tool: Differentiator::default(),
            derivatives: Derivatives::default(),
            memories: vec![PairWarmStart::default(); setup.apart.len()],
            gallery: Gallery::default(),
            rays: Default::default(),
            shop: Default::default(),
            room: Vec::new(),
            scratch,
        };
        let mut rows = Rows::default();
        let mut pieces: Vec<Box<dyn Piece>> = Vec::new();
        let ends = motion(&context, &mut rows, &mut pieces);
        impulses(&context, &setup, &sites, &ends, &mut rows, &mut pieces);
        functions(&context, &setup, &mut rows, &mut pieces);
        planes(&context, &setup, &mut rows, &mut pieces);
        limit_turns(&context, &setup, &mut rows, &mut pieces);
        times(&context, &mut rows, &mut pieces);
        if context.plan.effort != 0.0 && context.plan.components() > 0 {
            for interval in 0..context.plan.intervals {
                pieces.push(Box::new(Effort::new(&context, interval)));
            }
        }
        let mut layout = Layout { variables: bounds(&context, &sites), ..Layout::default() };
        layout.constraints = rows.bounds;
        layout.step_limits = reach(&context, &setup);
        let pieces = pieces
            .into_iter()
            .map(|piece| Placed::new(piece, &mut layout.jacobian, &mut layout.hessian))
            .collect();
        Self { context, pieces, layout, labels: rows.labels, setup, room: Default::default() }
    }
}

/// Whether the momentum of an island is an unknown at a node.
fn asks_momentum(plan: &Plan, sites: &[Site], node: usize, island: usize) -> bool {
    if node == 0 {
        return plan.start.drive[island] == Drive::Conditioned;
    }
    if node == plan.intervals {
        return plan.end.drive[island] == Drive::Conditioned;
    }
    let model = &plan.model;
    let jumps = sites.iter().any(|site| {
        site.node == node && site.islands.contains(&island) && site.events.iter().any(|e| e.laws() > 0)
    });
    let asked = plan.conditions.iter().any(|condition| {
        condition.measure.of_velocities()
            && condition.when.means(node, plan.intervals)
            && condition.measure.bodies().into_iter().flatten().any(|body| {
                model.slots[body].is_some_and(|slot| model.islands[island].bodies.contains(&slot))
            })
    });
    jumps || asked
}

fn number(plan: &Plan, sites: &[Site]) -> Numbering {
    let mut numbering = Numbering { impulses: vec![NONE; sites.len()], scales: NONE, ..Numbering::default() };
    let mut next = 0;
    let mut take = |count: usize| {
        next += count;
        next - count
    };
    for node in 0..=plan.intervals {
        let (mut places, mut momenta) = (Vec::new(), Vec::new());
        for (i, island) in plan.model.islands.iter().enumerate() {
            let fixed = node == 0 && plan.start.fixed[i] || node == plan.intervals && plan.end.fixed[i];
            places.push(if fixed { NONE } else { take(island.dofs.len()) });
        }
        for (i, island) in plan.model.islands.iter().enumerate() {
            let asked = asks_momentum(plan, sites, node, i);
            momenta.push(if asked { take(island.dofs.len()) } else { NONE });
        }
        numbering.places.push(places);
        numbering.momenta.push(momenta);
        for (site, first) in sites.iter().zip(&mut numbering.impulses).filter(|(site, _)| site.node == node) {
            *first = take(site.events.iter().map(|e| e.directions.count()).sum());
        }
        if node < plan.intervals {
            numbering.efforts.push(take(plan.components()));
        }
    }
    if plan.scales_sought() {
        numbering.scales = take(plan.segments());
    }
    numbering.count = next;
    numbering
}

/// How far a degree of freedom may move in one step of the solver, rad and m: turns by more are no small ones.
const REACH: f64 = 0.3;

fn reach(context: &Context, setup: &Setup) -> Vec<f64> {
    let numbering = &context.numbering;
    let mut reach = vec![f64::INFINITY; numbering.count];
    for places in &numbering.places {
        let each = context.plan.model.islands.iter().zip(places).filter(|(_, first)| **first != NONE);
        each.for_each(|(island, &first)| reach[first..first + island.dofs.len()].fill(REACH));
    }
    for (first, plane) in numbering.planes.iter().zip(setup.planes()) {
        reach[*first..*first + plane.turns()].fill(REACH);
    }
    reach
}

fn bounds(context: &Context, sites: &[Site]) -> Vec<Bound> {
    let (plan, numbering) = (&context.plan, &context.numbering);
    let mut bounds = vec![Bound::FREE; numbering.count];
    for &first in &numbering.efforts {
        let each = plan.actuators.iter().flat_map(|a| a.bounds.iter().copied());
        bounds[first..].iter_mut().zip(each).for_each(|(bound, own)| *bound = own);
    }
    for (site, &first) in sites.iter().zip(&numbering.impulses) {
        let mut next = first;
        for (e, event) in site.events.iter().enumerate() {
            // A point pushes. The three points of a face only stand for its force and where that acts: each may pull.
            if event.directions.pushes() && site.single(e) {
                bounds[next] = Bound::at_least(0.0);
            }
            next += event.directions.count();
        }
    }
    if numbering.scales != NONE {
        bounds[numbering.scales..numbering.scales + plan.segments()].fill(plan.times.scale);
    }
    bounds
}

/// For each node and island the rows to which momenta of the interval before and after go.
type Ends = Vec<Vec<(usize, usize)>>;

/// Equations of motion.
fn motion(context: &Context, rows: &mut Rows, pieces: &mut Vec<Box<dyn Piece>>) -> Ends {
    let (plan, numbering) = (&context.plan, &context.numbering);
    let mut ends: Ends = Vec::new();
    let mut links = Vec::new();
    for node in 0..=plan.intervals {
        let mut own = Vec::new();
        for (i, island) in plan.model.islands.iter().enumerate() {
            let n = island.dofs.len();
            let mut add = |value: &dyn Fn(usize) -> f64, label: Label| {
                let each = (0..n).map(|c| rows.add(Bound::equal(value(c)), label.clone()));
                each.min().unwrap_or(NONE)
            };
            let (at_end, moving) = (Label::Momentum { node, island: i }, Label::Motion { node, island: i });
            let unknown = numbering.momenta[node][i];
            let drive = match node {
                0 => Some((&plan.start.drive[i], true)),
                k if k == plan.intervals => Some((&plan.end.drive[i], false)),
                _ => None,
            };
            let pair = match drive {
                Some((Drive::Free, _)) => (NONE, NONE),
                Some((Drive::Given(p), true)) => (NONE, add(&|c| -p[c], at_end)),
                Some((Drive::Given(p), false)) => (add(&|c| p[c], at_end), NONE),
                Some((Drive::Conditioned, true)) => (NONE, add(&|_| 0.0, at_end)),
                Some((Drive::Conditioned, false)) => (add(&|_| 0.0, at_end), NONE),
                None if unknown != NONE => (add(&|_| 0.0, moving.clone()), add(&|_| 0.0, moving)),
                None => {
                    let row = add(&|_| 0.0, moving);
                    (row, row)
                }
            };
            if unknown != NONE {
                for c in 0..n {
                    if pair.0 != NONE {
                        links.push((pair.0 + c, unknown + c, -1.0));
                    }
                    if pair.1 != NONE {
                        links.push((pair.1 + c, unknown + c, 1.0));
                    }
                }
            }
            own.push(pair);
        }
        ends.push(own);
    }
    if !links.is_empty() {
        pieces.push(Box::new(Linear::new(&links)));
    }
    for interval in 0..plan.intervals {
        for (island, (here, next)) in ends[interval].iter().zip(&ends[interval + 1]).enumerate() {
            let (before, after) = (here.1, next.0);
            pieces.push(Box::new(DynamicsDefect::new(context, interval, island, before, after)));
        }
    }
    ends
}

/// Impulses and their laws; velocities that are asked about.
fn impulses(
    context: &Context,
    setup: &Setup,
    sites: &[Site],
    ends: &Ends,
    rows: &mut Rows,
    pieces: &mut Vec<Box<dyn Piece>>,
) {
    let plan = &context.plan;
    for (site, &first) in sites.iter().zip(&context.numbering.impulses) {
        let mut targets = Vec::new();
        for &island in &site.islands {
            let (before, after) = ends[site.node][island];
            let row = if site.stage == Stage::Ends { before } else { after };
            let n = plan.model.islands[island].dofs.len();
            targets.extend((0..n).map(|c| (if row == NONE { NONE } else { row + c }, 1.0)));
        }
        let mut next = first;
        for (event, &meeting) in site.events.iter().zip(&site.meetings) {
            for law in 0..event.laws() {
                let cone = matches!(event.across, Law::Stick(_)) && law + 1 == event.laws();
                let bound = if cone { Bound::at_least(0.0) } else { Bound::equal(0.0) };
                targets.push((rows.add(bound, Label::Law { meeting }), 1.0));
            }
            if let Some(mu) = plan.meetings[meeting].foothold() {
                let label = Label::Cone { meeting, node: site.node };
                let sides = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)].into_iter();
                let terms = sides.flat_map(|(t, s)| {
                    let row = rows.add(Bound::at_least(0.0), label.clone());
                    [(row, next, mu), (row, next + 1, t), (row, next + 2, s)]
                });
                pieces.push(Box::new(Linear::new(&terms.collect::<Vec<_>>())));
            }
            next += event.directions.count();
        }
        pressure::of_a_face(context, setup, (site, first), rows, pieces);
        let what = What::Events(site.events.clone());
        let islands = site.islands.clone();
        let mut piece = Local::new(context, site.node, what, islands, first, targets);
        if site.stage == Stage::Ends {
            piece.momenta_are_after();
        }
        pieces.push(Box::new(piece));
    }
    for (c, condition) in plan.conditions.iter().enumerate().filter(|(_, c)| c.measure.of_velocities()) {
        for node in (0..=plan.intervals).filter(|&node| condition.when.means(node, plan.intervals)) {
            let label = Label::Condition { condition: c, node };
            let own = condition.bounds.iter().map(|b| (rows.add(*b, label.clone()), 1.0)).collect();
            let islands = islands_of_measure(plan, &condition.measure);
            let what = What::Speed(condition.measure.clone());
            pieces.push(Box::new(Local::new(context, node, what, islands, NONE, own)));
        }
    }
    for goal in plan.goals.iter().filter(|goal| goal.measure.of_velocities()) {
        let what = What::SpeedGoal(goal.measure.clone(), goal.target.clone(), goal.weight);
        let islands = islands_of_measure(plan, &goal.measure);
        let own = vec![(OBJECTIVE, 1.0)];
        pieces.push(Box::new(Local::new(context, plan.intervals, what, islands, NONE, own)));
    }
}

fn islands_of_measure(plan: &Plan, measure: &Measure) -> Vec<usize> {
    let model = &plan.model;
    let slots = measure.bodies().into_iter().flatten().filter_map(|body| model.slots[body]);
    let mut islands: Vec<usize> =
        slots.map(|slot| model.islands.partition_point(|i| i.bodies.end <= slot)).collect();
    islands.sort_unstable();
    islands.dedup();
    islands
}

/// Functions of a node with the rows of their components.
type Functions = (Vec<Function>, Vec<(usize, f64)>);

/// Functions of configurations, all of a node in one piece.
fn functions(context: &Context, setup: &Setup, rows: &mut Rows, pieces: &mut Vec<Box<dyn Piece>>) {
    let plan = &context.plan;
    let mut lists: Vec<Functions> = vec![Default::default(); plan.intervals + 1];
    for (c, condition) in plan.conditions.iter().enumerate().filter(|(_, c)| !c.measure.of_velocities()) {
        for node in (0..=plan.intervals).filter(|&node| condition.when.means(node, plan.intervals)) {
            let function = Function::Measure(condition.measure.clone());
            if !varies(context, node, &function) {
                continue;
            }
            let label = Label::Condition { condition: c, node };
            lists[node].1.extend(condition.bounds.iter().map(|b| (rows.add(*b, label.clone()), 1.0)));
            lists[node].0.push(function);
        }
    }
    for (memory, apart) in setup.apart.iter().enumerate() {
        let curved = Function::Separation { pair: apart.pair, memory };
        for &(node, least) in apart.nodes.iter().filter(|(node, _)| varies(context, *node, &curved)) {
            let label = Label::Apart { pair: apart.pair, node };
            let mut put = |function: Function, least: f64| {
                lists[node].1.push((rows.add(Bound::at_least(least), label.clone()), 1.0));
                lists[node].0.push(function);
            };
            match &apart.by {
                Keeper::Plane(_) => {}
                Keeper::Separation => put(curved.clone(), least),
                Keeper::Surface(points, radius) => points.iter().for_each(|frozen| {
                    put(Function::Gap { pair: apart.pair, frozen: *frozen }, least + radius);
                }),
            }
        }
    }
    for (m, (meeting, encounter)) in plan.meetings.iter().zip(&setup.encounters).enumerate() {
        for frozen in &encounter.features {
            let function = Function::Gap { pair: encounter.pair, frozen: *frozen };
            lists[meeting.node]
                .1
                .push((rows.add(Bound::equal(0.0), Label::ContactPoint { meeting: m }), 1.0));
            lists[meeting.node].0.push(function);
        }
        for frozen in encounter.held_sides(meeting) {
            let row = rows.add(Bound::at_least(0.0), Label::Within { meeting: m });
            lists[meeting.node].1.push((row, 1.0));
            lists[meeting.node].0.push(Function::Gap { pair: encounter.pair, frozen: *frozen });
        }
        if let Some(tie) = meeting.tie {
            tied(plan, (m, meeting, encounter, tie), &mut lists, rows);
        }
    }
    for goal in plan.goals.iter().filter(|goal| !goal.measure.of_velocities()) {
        let function = Function::Goal {
            measure: goal.measure.clone(),
            target: goal.target.clone(),
            weight: goal.weight,
        };
        lists[plan.intervals].1.push((OBJECTIVE, 1.0));
        lists[plan.intervals].0.push(function);
    }
    for (node, (functions, rows)) in lists.into_iter().enumerate() {
        if !functions.is_empty() {
            pieces.push(Box::new(NodePiece::new(context, node, functions, rows)));
        }
    }
}

/// Planes and the vertices on their two sides.
fn planes(context: &Context, setup: &Setup, rows: &mut Rows, pieces: &mut Vec<Box<dyn Piece>>) {
    let apart = setup.apart.iter().filter_map(|apart| match &apart.by {
        Keeper::Plane(plane) => Some((apart, plane)),
        _ => None,
    });
    for (index, (apart, plane)) in apart.enumerate() {
        for &(node, least) in &apart.nodes {
            let label = Label::Apart { pair: apart.pair, node };
            let bound = Bound::at_least(0.5 * least);
            let own = (0..plane.rows()).map(|_| (rows.add(bound, label.clone()), 1.0)).collect();
            pieces.push(Box::new(PlanePiece::new(context, (plane, index), node, apart.pair, own)));
        }
    }
}

/// Whether a function depends on any unknown of a node.
fn varies(context: &Context, node: usize, function: &Function) -> bool {
    let model = &context.plan.model;
    function.bodies(model).into_iter().flatten().filter_map(|body| model.slots[body]).any(|slot| {
        let island = model.islands.partition_point(|i| i.bodies.end <= slot);
        context.numbering.places[node][island] != NONE
    })
}

/// A tie: what the two points (and orientations) were to each other when it was made, they stay at every node after.
fn tied(
    plan: &Plan,
    (m, meeting, encounter, tie): (usize, &PlannedContact, &ResolvedContact, ContactJoint),
    lists: &mut [Functions],
    rows: &mut Rows,
) {
    let Some(contacts) = &plan.model.contacts else { return };
    let (p, q) = (&contacts.parts[encounter.pair.0], &contacts.parts[encounter.pair.1]);
    let feature = &encounter.features[0];
    // The point of the body that moves, on the other one; features know principal frames, measures the author's.
    let (mover, point, other) = match p.slot {
        Some(_) => (p.body, feature.point_a, q),
        None => (q.body, feature.point_b, p),
    };
    let components = plan.model.bodies[mover].principal.point(&point);
    let from = other.slot.map(|_| other.body);
    let mut measures = vec![Measure::Point { of: Seen { body: Some(mover), components }, from }];
    if tie == ContactJoint::Rigid {
        measures.push(Measure::Attitude { body: mover, from, target: encounter.attitude });
    }
    let last = meeting.last(plan.intervals);
    for node in meeting.node + 1..=last {
        for measure in &measures {
            let label = Label::ContactJoint { meeting: m, node };
            let first = rows.add(Bound::equal(0.0), label.clone());
            rows.add(Bound::equal(0.0), label.clone());
            rows.add(Bound::equal(0.0), label);
            for (at, factor) in [(node, 1.0), (meeting.node, -1.0)] {
                lists[at].1.extend((first..first + 3).map(|row| (row, factor)));
                lists[at].0.push(Function::Measure(measure.clone()));
            }
        }
        // Where the joint leaves something else may be planned for the corners: to lie on the face.
        let clear = node < last || meeting.released.is_none();
        for corner in encounter.corners.iter().filter(|_| clear) {
            let label = Label::Apart { pair: encounter.pair, node };
            lists[node].1.push((rows.add(Bound::at_least(0.0), label), 1.0));
            lists[node].0.push(Function::Gap { pair: encounter.pair, frozen: *corner });
        }
    }
}

/// The whole time, and its price.
fn times(context: &Context, rows: &mut Rows, pieces: &mut Vec<Box<dyn Piece>>) {
    let (plan, scales) = (&context.plan, context.numbering.scales);
    if scales == NONE {
        return;
    }
    let mut counts = vec![0.0; plan.segments()];
    (0..plan.intervals).for_each(|interval| counts[plan.segment(interval)] += plan.step);
    let mut terms = Vec::new();
    if plan.times.total != Bound::FREE {
        let row = rows.add(plan.times.total, Label::Time);
        terms.extend(counts.iter().enumerate().map(|(s, length)| (row, scales + s, *length)));
    }
    if plan.time != 0.0 {
        terms.extend(counts.iter().enumerate().map(|(s, l)| (OBJECTIVE, scales + s, l * plan.time)));
    }
    if !terms.is_empty() {
        pieces.push(Box::new(Linear::new(&terms)));
    }
}
