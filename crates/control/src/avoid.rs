//! Which pairs of parts a search watches, and where they are too near.
//!
//! A pair is watched over an interval: one plane, sought with everything else, has one part above and one below at both of its
//! nodes. Curved parts without a core of vertices are watched at nodes, by their separation, and so are parts over half-spaces.

use crate::clearance::{gap, least_between};
use crate::guess::between;
use crate::plan::Plan;
use crate::planner::{ROUNDING, Rounds};
use crate::transcription::{Apart, Frozen, Hull, Keeper, Label, Plane, Point};
use percussion_geometry::Vec3;
use percussion_mechanics::State;
use percussion_mechanics::contact::{ContactGeometry, PairWarmStart};

/// Pairs, counted once for each interval, that are watched from the beginning wherever they are.
const MANY: usize = 2000;
/// Part of the radii within which pairs of more are.
const NEAR: f64 = 0.25;
/// Overlap between nodes that is let pass, as part of the smaller radius.
const GRAZE: f64 = 1e-4;
/// By how much more than what was missing separations are raised.
const RAISE: f64 = 1.5;

/// All pairs of parts that a plan keeps apart, each with its distance.
pub(crate) fn pairs(plan: &Plan) -> Vec<((usize, usize), f64)> {
    let (Some(avoidance), Some(contacts)) = (&plan.avoidance, &plan.model.contacts) else {
        return Vec::new();
    };
    let list = avoidance.pairs.clone().unwrap_or_else(|| contacts.all_pairs());
    let meets = |pair: (usize, usize)| {
        let bodies = (contacts.parts[pair.0].body, contacts.parts[pair.1].body);
        plan.meetings.iter().any(|m| m.bodies == bodies || m.bodies == (bodies.1, bodies.0))
    };
    list.into_iter()
        .map(|(a, b)| contacts.ordered(a, b))
        .map(|pair| (pair, if meets(pair) { 0.0 } else { avoidance.margin }))
        .collect()
}

impl Rounds<'_> {
    /// Whether a pair is none of the avoidance's business at a node: it meets there on purpose, or a joint holds it.
    fn meets(&self, pair: (usize, usize), node: usize) -> bool {
        self.plan.meetings.iter().zip(&self.setup.encounters).any(|(meeting, encounter)| {
            let last = meeting.last(self.plan.intervals);
            encounter.pair == pair && (meeting.node..=last).contains(&node)
        })
    }

    /// Whether a joint that a contact made holds a pair over an interval.
    pub(crate) fn holds(&self, pair: (usize, usize), interval: usize) -> bool {
        self.plan.meetings.iter().zip(&self.setup.encounters).any(|(meeting, encounter)| {
            let last = meeting.last(self.plan.intervals);
            encounter.pair == pair && (meeting.node..last).contains(&interval)
        })
    }

    /// Whether nothing of a pair can move at a node.
    fn stands(&self, pair: (usize, usize), node: usize) -> bool {
        let fixed = match node {
            0 => &self.plan.start.fixed,
            k if k == self.plan.intervals => &self.plan.end.fixed,
            _ => return false,
        };
        let Some(contacts) = &self.plan.model.contacts else { return false };
        let islands = &self.plan.model.islands;
        [pair.0, pair.1].into_iter().filter_map(|part| contacts.parts[part].slot).all(|slot| {
            let island = islands.partition_point(|i| i.bodies.end <= slot);
            fixed[island]
        })
    }

    /// Watches pairs from the beginning, all the way: a search that saw a pair only where it was near would lead through it
    /// elsewhere. All pairs if they are not too many, else those of bodies that come near each other in a path.
    pub(crate) fn watch_near(&mut self, nodes: &[State]) {
        let Some(contacts) = self.plan.model.contacts.clone() else { return };
        let bodies = |pair: (usize, usize)| (contacts.parts[pair.0].body, contacts.parts[pair.1].body);
        let all = self.pairs.len() * self.plan.intervals <= MANY;
        let mut close: Vec<(usize, usize)> = Vec::new();
        for &(pair, margin) in &self.pairs {
            let (p, q) = (&contacts.parts[pair.0], &contacts.parts[pair.1]);
            let near = margin + NEAR * p.radius.min(q.radius);
            let mut memory = PairWarmStart::default();
            let mut comes_near =
                || nodes.iter().any(|state| gap(&self.plan.model, pair, state, &mut memory) < near);
            if !close.contains(&bodies(pair)) && (all || comes_near()) {
                close.push(bodies(pair));
            }
        }
        for (pair, margin) in self.pairs.clone() {
            // Bodies that meet on purpose are near each other without harm: they are watched where they overlap.
            let meant = self.setup.encounters.iter().any(|encounter| encounter.pair == pair);
            if meant || !close.contains(&bodies(pair)) {
                continue;
            }
            for interval in 0..self.plan.intervals {
                self.watch(&contacts, (pair, margin), interval, nodes);
            }
        }
    }

    /// Watches a pair over the intervals that have a node, where it is not watched yet; whether anything is new.
    fn watch_about(
        &mut self,
        contacts: &ContactGeometry,
        (pair, margin): ((usize, usize), f64),
        node: usize,
        nodes: &[State],
    ) -> bool {
        let mut new = false;
        for interval in node.saturating_sub(1)..=node.min(self.plan.intervals - 1) {
            new |= self.watch(contacts, (pair, margin), interval, nodes);
        }
        new
    }

    /// Watches a pair over an interval, if it is not watched there yet; whether it is new.
    fn watch(
        &mut self,
        contacts: &ContactGeometry,
        (pair, margin): ((usize, usize), f64),
        interval: usize,
        nodes: &[State],
    ) -> bool {
        // Where nothing can move, parts may be nearer than they should be on the way: what there is must do.
        let least = |node: usize| {
            let room = || {
                let radius = contacts.parts[pair.0].radius.min(contacts.parts[pair.1].radius);
                gap(&self.plan.model, pair, &nodes[node], &mut PairWarmStart::default()) - GRAZE * radius
            };
            (node, if self.stands(pair, node) { margin.min(room()) } else { margin })
        };
        let own = [interval, interval + 1].into_iter().filter(|node| !self.meets(pair, *node));
        let own: Vec<(usize, f64)> = own.map(least).collect();
        if own.iter().all(|(node, _)| self.stands(pair, *node)) || self.is_watched(pair, &own) {
            return false;
        }
        let states: Vec<&State> = own.iter().map(|(node, _)| &nodes[*node]).collect();
        if let Some(plane) = self.plane(contacts, pair, &states) {
            self.setup.apart.push(Apart { nodes: own, pair, by: Keeper::Plane(plane) });
            return true;
        }
        let mut any = false;
        for one in own {
            if !self.stands(pair, one.0) && !self.is_watched(pair, &[one]) {
                let by = surface(contacts, pair, &nodes[one.0]).unwrap_or(Keeper::Separation);
                self.setup.apart.push(Apart { nodes: vec![one], pair, by });
                any = true;
            }
        }
        any
    }

    fn is_watched(&self, pair: (usize, usize), nodes: &[(usize, f64)]) -> bool {
        let same = |own: &[(usize, f64)]| own.iter().map(|(k, _)| k).eq(nodes.iter().map(|(k, _)| k));
        self.setup.apart.iter().any(|apart| apart.pair == pair && same(&apart.nodes))
    }

    /// A plane that suits two states (or one) best of those that separate at either, or in their middle; `None` for parts that
    /// have none.
    fn plane(&self, contacts: &ContactGeometry, pair: (usize, usize), states: &[&State]) -> Option<Plane> {
        let normal = |state: &State| -> Option<Vec3> {
            let poses = (contacts.parts[pair.0].body_pose(state), contacts.parts[pair.1].body_pose(state));
            let touch =
                contacts.separation(pair, (&poses.0, &poses.1), f64::INFINITY, &mut PairWarmStart::default());
            touch.ok().map(|touch| touch.normal())
        };
        let (first, last) = (states.first()?, states.last()?);
        let middle = between(&self.plan.model, first, last, 0.5);
        let normals: Vec<Vec3> = [first, &middle, last].into_iter().filter_map(normal).collect();
        Plane::best(contacts, pair, &normals, states)
    }

    /// Watches pairs that came too near at nodes; whether there are any.
    pub(crate) fn examine_nodes(&mut self, at: &Point) -> bool {
        let Some(contacts) = self.plan.model.contacts.clone() else { return false };
        let mut changed = false;
        for (pair, margin) in self.pairs.clone() {
            let mut memory = PairWarmStart::default();
            for (node, state) in at.nodes.iter().enumerate() {
                let g = gap(&self.plan.model, pair, state, &mut memory);
                if g < margin - ROUNDING && !self.meets(pair, node) && !self.stands(pair, node) {
                    changed |= self.watch_about(&contacts, (pair, margin), node, &at.nodes);
                }
            }
        }
        changed
    }

    /// How deep a pair may dip between nodes.
    fn graze(&self, pair: (usize, usize)) -> f64 {
        let Some(contacts) = &self.plan.model.contacts else { return 0.0 };
        GRAZE * contacts.parts[pair.0].radius.min(contacts.parts[pair.1].radius)
    }

    /// Pairs that overlap between nodes by more than a graze, with the interval and how far they are apart.
    fn dips(&self, at: &Point) -> Vec<((usize, usize), usize, f64)> {
        let mut list = Vec::new();
        for interval in 0..self.plan.intervals {
            // A point that is held leaves its place only because rates are taken for constant here.
            for &(pair, _) in self.pairs.iter().filter(|(pair, _)| !self.holds(*pair, interval)) {
                let ends = (&at.nodes[interval], &at.nodes[interval + 1]);
                let least = least_between(&self.plan.model, pair, ends, 0.0);
                if least < -self.graze(pair) {
                    list.push((pair, interval, least));
                }
            }
        }
        list
    }

    /// Watches pairs that overlap between nodes, and asks for more room where they are watched; whether there are any.
    pub(crate) fn examine_between(&mut self, at: &Point) -> bool {
        let Some(contacts) = self.plan.model.contacts.clone() else { return false };
        let mut changed = false;
        for (pair, interval, least) in self.dips(at) {
            let margin =
                self.pairs.iter().find(|(known, _)| *known == pair).map_or(0.0, |(_, margin)| *margin);
            if self.watch(&contacts, (pair, margin), interval, &at.nodes) {
                changed = true;
                continue;
            }
            let within =
                |apart: &Apart| apart.nodes.iter().all(|(k, _)| (interval..=interval + 1).contains(k));
            let standing = [interval, interval + 1].map(|node| self.stands(pair, node));
            for apart in self.setup.apart.iter_mut().filter(|a| a.pair == pair && within(a)) {
                for (_, kept) in apart.nodes.iter_mut().filter(|(node, _)| !standing[*node - interval]) {
                    *kept -= RAISE * least;
                    changed = true;
                }
            }
        }
        changed
    }

    /// What overlaps between nodes, in words.
    pub(crate) fn overlaps(&self, at: &Point) -> Vec<String> {
        let words = |(pair, node, least): ((usize, usize), usize, f64)| {
            let label = Label::Apart { pair, node };
            format!("{} (after it, by {:.2e} m)", label.words(self.plan), -least)
        };
        self.dips(at).into_iter().map(words).collect()
    }
}

/// The surface of a half-space with the points of the other part that stay above it; `None` for other pairs.
fn surface(contacts: &ContactGeometry, pair: (usize, usize), state: &State) -> Option<Keeper> {
    let (part, floor) = (&contacts.parts[pair.0], &contacts.parts[pair.1]);
    let hull = Hull::of(part).filter(|_| floor.shape.is_unbounded())?;
    let poses = (part.body_pose(state), floor.body_pose(state));
    let points = Frozen::above(contacts, pair, (&poses.0, &poses.1), hull.vertices()).ok()?;
    Some(Keeper::Surface(points, hull.radius()))
}
