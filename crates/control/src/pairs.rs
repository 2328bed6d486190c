//! Pairs of parts that a search separates, and where they are too near.
//!
//! A pair is separated over an interval: by one plane for both of its nodes. Curved parts without a core of vertices, and parts over
//! half-spaces, are separated at nodes.

use crate::clearance::{gap, min_gap_between, nearest, smaller_radius};
use crate::interpolation::between;
use crate::islands::island_of;
use crate::plan::Plan;
use crate::search::{ROUNDING, Search};
use crate::tolerances::pairs::{ALLOWED_PENETRATION, NEAR, RAISE};
use crate::transcription::{
    Hull, Iterate, Label, SeparatingFeature, SeparatingPlane, SeparationConstraint, SeparationKind,
};
use percussion_geometry::Vec3;
use percussion_mechanics::State;
use percussion_mechanics::contact::{ContactGeometry, PairWarmStart};

/// Pairs, counted once for each interval, that are separated from the beginning at any distance.
const MAX_PAIRS: usize = 2000;

/// All pairs of parts that a plan keeps apart, each with its least separation.
pub(crate) fn avoided_pairs(plan: &Plan) -> Vec<((usize, usize), f64)> {
    let (Some(avoidance), Some(contacts)) = (&plan.avoidance, &plan.model.contacts) else {
        return Vec::new();
    };
    let list = avoidance.pairs.clone().unwrap_or_else(|| contacts.all_pairs());
    let is_planned = |pair: (usize, usize)| {
        let (a, b) = (contacts.parts[pair.0].body, contacts.parts[pair.1].body);
        plan.contacts.iter().any(|planned| planned.is_between(a, b))
    };
    list.into_iter()
        .map(|(a, b)| contacts.ordered(a, b))
        .map(|pair| (pair, if is_planned(pair) { 0.0 } else { avoidance.margin }))
        .collect()
}

impl Search<'_> {
    /// First and last nodes of the planned contacts of a pair.
    fn contact_nodes(&self, pair: (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
        let each = self.plan.contacts.iter().zip(&self.set.contacts);
        let own = each.filter(move |(_, resolved)| resolved.pair == pair);
        own.map(|(planned, _)| (planned.node, planned.last(self.plan.intervals)))
    }

    /// Whether a pair is in planned contact at a node, or held by a contact joint.
    fn is_in_contact(&self, pair: (usize, usize), node: usize) -> bool {
        self.contact_nodes(pair).any(|(first, last)| (first..=last).contains(&node))
    }

    /// Whether a contact joint holds a pair over an interval.
    pub(crate) fn holds(&self, pair: (usize, usize), interval: usize) -> bool {
        self.contact_nodes(pair).any(|(first, last)| (first..last).contains(&interval))
    }

    /// Whether both parts of a pair are fixed at a node.
    fn is_fixed(&self, pair: (usize, usize), node: usize) -> bool {
        let (Some(boundary), Some(contacts)) = (self.plan.boundary(node), &self.plan.model.contacts) else {
            return false;
        };
        let slots = [pair.0, pair.1].into_iter().filter_map(|part| contacts.parts[part].slot);
        slots.into_iter().all(|slot| boundary.fixed[island_of(&self.plan.model, slot)])
    }

    /// Separates pairs over all intervals from the beginning: a pair that is separated only where it was near may pass through itself
    /// elsewhere. All pairs if they are few enough, else those of bodies that come near each other in a path.
    pub(crate) fn separate_candidates(&mut self, nodes: &[State]) {
        let Some(contacts) = &self.plan.model.contacts else { return };
        let bodies = |pair: (usize, usize)| (contacts.parts[pair.0].body, contacts.parts[pair.1].body);
        let all = self.pairs.len() * self.plan.intervals <= MAX_PAIRS;
        let mut close: Vec<(usize, usize)> = Vec::new();
        for &(pair, margin) in &self.pairs {
            let near = margin + NEAR * smaller_radius(contacts, pair);
            let mut warm_start = PairWarmStart::default();
            let mut comes_near =
                || nodes.iter().any(|state| gap(&self.plan.model, pair, state, &mut warm_start) < near);
            if !close.contains(&bodies(pair)) && (all || comes_near()) {
                close.push(bodies(pair));
            }
        }
        for (pair, margin) in self.pairs.clone() {
            // Bodies in planned contact may be near each other: they are separated only where they penetrate.
            let is_planned = self.set.contacts.iter().any(|resolved| resolved.pair == pair);
            if is_planned || !close.contains(&bodies(pair)) {
                continue;
            }
            for interval in 0..self.plan.intervals {
                self.separate((pair, margin), interval, nodes);
            }
        }
    }

    /// Separates a pair over an interval; whether that is new.
    fn separate(&mut self, (pair, margin): ((usize, usize), f64), interval: usize, nodes: &[State]) -> bool {
        let Some(contacts) = &self.plan.model.contacts else { return false };
        // Where both parts are fixed, they may be nearer than the margin.
        let least = |node: usize| {
            let available = || {
                gap(&self.plan.model, pair, &nodes[node], &mut PairWarmStart::default())
                    - ALLOWED_PENETRATION * smaller_radius(contacts, pair)
            };
            (node, if self.is_fixed(pair, node) { margin.min(available()) } else { margin })
        };
        let own = [interval, interval + 1].into_iter().filter(|node| !self.is_in_contact(pair, *node));
        let own: Vec<(usize, f64)> = own.map(least).collect();
        if own.iter().all(|(node, _)| self.is_fixed(pair, *node)) || self.is_separated(pair, &own) {
            return false;
        }
        let states: Vec<&State> = own.iter().map(|(node, _)| &nodes[*node]).collect();
        if let Some(plane) = self.plane(pair, &states) {
            let kind = SeparationKind::Plane(plane);
            self.set.separations.push(SeparationConstraint { nodes: own, pair, kind });
            return true;
        }
        let mut any = false;
        for one in own {
            if !self.is_fixed(pair, one.0) && !self.is_separated(pair, &[one]) {
                let kind = half_space(contacts, pair, &nodes[one.0]).unwrap_or(SeparationKind::Separation);
                self.set.separations.push(SeparationConstraint { nodes: vec![one], pair, kind });
                any = true;
            }
        }
        any
    }

    fn is_separated(&self, pair: (usize, usize), nodes: &[(usize, f64)]) -> bool {
        let same = |own: &[(usize, f64)]| own.iter().map(|(k, _)| k).eq(nodes.iter().map(|(k, _)| k));
        self.set.separations.iter().any(|separation| separation.pair == pair && same(&separation.nodes))
    }

    /// The best separating plane for two states (or one) of those with the normals at either or in their middle; `None` for parts without
    /// a core of vertices.
    fn plane(&self, pair: (usize, usize), states: &[&State]) -> Option<SeparatingPlane> {
        let contacts = self.plan.model.contacts.as_ref()?;
        let normal = |state: &State| -> Option<Vec3> {
            Some(nearest(contacts, pair, state, &mut PairWarmStart::default()).ok()?.normal())
        };
        let (first, last) = (states.first()?, states.last()?);
        let middle = between(&self.plan.model, first, last, 0.5);
        let normals: Vec<Vec3> = [first, &middle, last].into_iter().filter_map(normal).collect();
        SeparatingPlane::best(contacts, pair, &normals, states)
    }

    /// Separates pairs that are too near at nodes; whether that is new.
    pub(crate) fn examine_nodes(&mut self, at: &Iterate) -> bool {
        let mut changed = false;
        for (pair, margin) in self.pairs.clone() {
            let mut warm_start = PairWarmStart::default();
            for (node, state) in at.nodes.iter().enumerate() {
                let g = gap(&self.plan.model, pair, state, &mut warm_start);
                if g < margin - ROUNDING && !self.is_in_contact(pair, node) && !self.is_fixed(pair, node) {
                    for interval in node.saturating_sub(1)..=node.min(self.plan.intervals - 1) {
                        changed |= self.separate((pair, margin), interval, &at.nodes);
                    }
                }
            }
        }
        changed
    }

    /// Pairs that penetrate between nodes by more than is allowed, with the interval and the least gap.
    fn penetrating_pairs(&self, at: &Iterate) -> Vec<((usize, usize), usize, f64)> {
        let mut list = Vec::new();
        let Some(contacts) = &self.plan.model.contacts else { return list };
        for interval in 0..self.plan.intervals {
            // A point that a joint holds leaves its place only because rates are constant here.
            for &(pair, _) in self.pairs.iter().filter(|(pair, _)| !self.holds(*pair, interval)) {
                let ends = (&at.nodes[interval], &at.nodes[interval + 1]);
                let least = min_gap_between(&self.plan.model, pair, ends, 0.0);
                if least < -ALLOWED_PENETRATION * smaller_radius(contacts, pair) {
                    list.push((pair, interval, least));
                }
            }
        }
        list
    }

    /// Separates pairs that penetrate between nodes, with a greater least separation where they are separated already; whether there are any.
    pub(crate) fn examine_between(&mut self, at: &Iterate) -> bool {
        let mut changed = false;
        for (pair, interval, least) in self.penetrating_pairs(at) {
            let margin =
                self.pairs.iter().find(|(known, _)| *known == pair).map_or(0.0, |(_, margin)| *margin);
            if self.separate((pair, margin), interval, &at.nodes) {
                changed = true;
                continue;
            }
            let within = |separation: &SeparationConstraint| {
                separation.nodes.iter().all(|(k, _)| (interval..=interval + 1).contains(k))
            };
            let fixed = [interval, interval + 1].map(|node| self.is_fixed(pair, node));
            for separation in self.set.separations.iter_mut().filter(|a| a.pair == pair && within(a)) {
                for (_, least_kept) in
                    separation.nodes.iter_mut().filter(|(node, _)| !fixed[*node - interval])
                {
                    *least_kept -= RAISE * least;
                    changed = true;
                }
            }
        }
        changed
    }

    /// Penetrations between nodes, in words.
    pub(crate) fn penetrations(&self, at: &Iterate) -> Vec<String> {
        let words = |(pair, node, least): ((usize, usize), usize, f64)| {
            let label = Label::Separation { pair, node };
            format!("{} (after it, by {:.2e} m)", label.words(self.plan), -least)
        };
        self.penetrating_pairs(at).into_iter().map(words).collect()
    }
}

/// The surface of a half-space with the points of the other part; `None` for other pairs.
fn half_space(contacts: &ContactGeometry, pair: (usize, usize), state: &State) -> Option<SeparationKind> {
    let (part, floor) = (&contacts.parts[pair.0], &contacts.parts[pair.1]);
    let hull = Hull::of(part).filter(|_| floor.shape.is_unbounded())?;
    let surface = SeparatingFeature::nearest(contacts, pair, state, &mut PairWarmStart::default()).ok()?;
    let points = hull.vertices().iter().map(|point| surface.at_points(*point, surface.point_b)).collect();
    Some(SeparationKind::HalfSpace(points, hull.radius()))
}
