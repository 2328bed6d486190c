//! Collision groups: connected islands with a buffer around them [Johnson 3.5.3, figure 3.65].
//!
//! ```text
//! find                  pairs that penetrate at the trial configuration join their islands
//! join_within_buffer    repeat   d_b = 3 max penetration of a group;   pairs closer than d_b join, with their islands
//!                       until    nothing joins
//! add_new_penetrations  pairs that penetrate after the projection join too
//! ```
//!
//! Fixed and driven bodies join nothing. Near pairs start without warm start: they depend on the
//! configuration alone.

use super::{BUFFER, PENETRATION_ROUNDING};
use crate::contact::{CandidatePairs, ContactGeometry, ContactPoint, PairWarmStart};
use crate::discrete::StepError;
use crate::model::Model;
use crate::model::State;
use percussion_geometry::Pose;

/// A pair of parts within the buffer of a collision.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    /// The parts.
    pub pair: (usize, usize),
    /// Their islands; `None` for a fixed or driven body.
    pub islands: [Option<usize>; 2],
    /// Separation at the trial configuration, m.
    pub separation: f64,
    /// Penetration that is rounding, m.
    pub tolerance: f64,
    /// Penetration that is no collision, m.
    threshold: f64,
    /// Warm start of the next query.
    pub warm_start: PairWarmStart,
    /// Whether it is in its group at any distance: it penetrated when the group was projected.
    added: bool,
    /// Whether its islands have been joined.
    joined: bool,
    /// Whether its group has been marked as changed.
    reported: bool,
}

impl NearPair {
    /// Its first island. A candidate pair has at least one.
    pub fn island(&self) -> usize {
        self.islands[0].or(self.islands[1]).unwrap_or(0)
    }

    /// Penetration that is a collision, m.
    fn depth(&self) -> f64 {
        if self.separation < -self.threshold { -self.separation } else { 0.0 }
    }
}

/// Poses of the bodies of two parts.
pub(super) fn poses(contacts: &ContactGeometry, pair: (usize, usize), state: &State) -> (Pose, Pose) {
    (contacts.parts[pair.0].body_pose(state), contacts.parts[pair.1].body_pose(state))
}

/// Pairs in persistent contact, whose small penetrations are no collisions.
#[derive(Debug, Default)]
pub(super) struct ClosedPairs {
    sorted: Vec<(usize, usize)>,
    gap: f64,
}

impl ClosedPairs {
    /// Sets the pairs, and the penetration that is left to them, m.
    pub fn set(&mut self, pairs: impl Iterator<Item = (usize, usize)>, gap: f64) {
        self.sorted.clear();
        self.sorted.extend(pairs);
        self.sorted.sort_unstable();
        self.sorted.dedup();
        self.gap = gap;
    }

    /// Penetration of a pair that is no collision, m, with that which is rounding.
    fn threshold(&self, pair: (usize, usize), rounding: f64) -> f64 {
        if self.sorted.binary_search(&pair).is_ok() { rounding.max(self.gap) } else { rounding }
    }
}

/// Near pairs and the groups of islands that they form, as a union-find forest.
#[derive(Debug, Default)]
pub(super) struct CollisionGroups {
    candidates: Option<CandidatePairs>,
    /// Margin of the bounds of parts, m.
    margin: f64,
    /// Island of each slot.
    island_of: Vec<usize>,
    /// Pairs of all groups, and pairs that may join one.
    pub pairs: Vec<NearPair>,
    /// Pairs in persistent contact.
    pub closed: ClosedPairs,
    /// Deepest penetration after the last projection, rounding included, m.
    pub remaining: f64,
    parent: Vec<usize>,
    /// Deepest penetration of each group at the trial configuration, by root, m.
    depth: Vec<f64>,
}

impl CollisionGroups {
    /// For a model.
    pub fn new(model: &Model) -> Self {
        let island_of = model.islands.iter().enumerate();
        let island_of = island_of.flat_map(|(i, island)| island.bodies.clone().map(move |_| i)).collect();
        Self { island_of, ..Self::default() }
    }

    /// Finds the pairs that penetrate and the groups they form. Whether there are any.
    pub fn find(
        &mut self,
        model: &Model,
        contacts: &ContactGeometry,
        trial: &State,
    ) -> Result<bool, StepError> {
        self.pairs.clear();
        self.update_candidates(contacts, trial)?;
        let max_depth = self.max_depth(contacts, trial)?;
        if max_depth == 0.0 {
            return Ok(false);
        }
        if BUFFER * max_depth > self.margin {
            self.margin = 2.0 * BUFFER * max_depth;
            self.update_candidates(contacts, trial)?;
        }
        self.list_pairs(contacts, trial, BUFFER * max_depth)?;
        self.parent.clear();
        self.parent.extend(0..model.islands.len());
        self.depth.clear();
        self.depth.resize(model.islands.len(), 0.0);
        for k in 0..self.pairs.len() {
            if self.pairs[k].depth() > 0.0 {
                self.join(k);
            }
        }
        self.join_within_buffer();
        Ok(true)
    }

    fn update_candidates(&mut self, contacts: &ContactGeometry, state: &State) -> Result<(), StepError> {
        let margin = self.margin;
        let boxed = |part: usize| {
            let part = &contacts.parts[part];
            part.bounds(&part.body_pose(state)).grown(margin)
        };
        match &mut self.candidates {
            Some(candidates) => candidates.update(contacts, boxed)?,
            none => *none = Some(CandidatePairs::new(contacts, boxed)?),
        }
        Ok(())
    }

    /// The deepest penetration of any two parts, m.
    fn max_depth(&mut self, contacts: &ContactGeometry, state: &State) -> Result<f64, StepError> {
        let Some(candidates) = &mut self.candidates else { return Ok(0.0) };
        let mut max_depth = 0.0;
        for k in 0..candidates.pairs().len() {
            let pair = candidates.pairs()[k].pair;
            if let Some(contact) = query(contacts, pair, state, 0.0, candidates.warm_start(k))?
                && contact.separation < -self.closed.threshold(pair, tolerance(contacts, pair, &contact))
            {
                max_depth = f64::max(max_depth, -contact.separation);
            }
        }
        Ok(max_depth)
    }

    /// Lists the pairs closer than `within`, m.
    fn list_pairs(
        &mut self,
        contacts: &ContactGeometry,
        state: &State,
        within: f64,
    ) -> Result<(), StepError> {
        let Some(candidates) = &self.candidates else { return Ok(()) };
        for near in candidates.pairs() {
            let (pair, mut warm_start) = (near.pair, PairWarmStart::default());
            if let Some(contact) = query(contacts, pair, state, within, &mut warm_start)?
                && contact.solved
                && contact.separation <= within
            {
                let near = near_pair(contacts, (&self.island_of, &self.closed), pair, &contact, warm_start);
                self.pairs.push(near);
            }
        }
        Ok(())
    }

    /// Adds pairs that penetrate at the configuration `now` because one of the groups `moved` was projected; their islands join.
    /// Marks the groups that are formed or changed by this. Whether there are any.
    pub fn add_new_penetrations(
        &mut self,
        contacts: &ContactGeometry,
        (trial, now): (&State, &State),
        moved: &[usize],
        changed: &mut [bool],
    ) -> Result<bool, StepError> {
        self.update_candidates(contacts, now)?;
        let Some(candidates) = &self.candidates else { return Ok(false) };
        let known = self.pairs.len();
        self.remaining = 0.0;
        for near in candidates.pairs() {
            let pair = near.pair;
            let islands = islands_of(contacts, &self.island_of, pair);
            let mut groups = islands.into_iter().flatten().map(|island| find_root(&self.parent, island));
            if !groups.any(|group| moved.binary_search(&group).is_ok()) {
                continue;
            }
            let Some(contact) = query(contacts, pair, now, 0.0, &mut PairWarmStart::default())? else {
                continue;
            };
            self.remaining = self.remaining.max(-contact.separation);
            if !(contact.separation < -self.closed.threshold(pair, tolerance(contacts, pair, &contact))) {
                continue;
            }
            match self.pairs[..known].iter_mut().find(|near| near.pair == pair) {
                Some(near) => near.added |= !is_in_group(&self.parent, &self.depth, near),
                None => {
                    let mut warm_start = PairWarmStart::default();
                    let (a, b) = poses(contacts, pair, trial);
                    let contact = contacts.separation(pair, (&a, &b), f64::INFINITY, &mut warm_start)?;
                    let known = (&self.island_of[..], &self.closed);
                    let mut near = near_pair(contacts, known, pair, &contact, warm_start);
                    near.added = true;
                    self.pairs.push(near);
                }
            }
        }
        let mut any = false;
        for k in 0..self.pairs.len() {
            if self.pairs[k].added && !self.pairs[k].joined {
                self.join(k);
                any = true;
            }
        }
        self.join_within_buffer();
        for near in self.pairs.iter_mut().filter(|near| near.added && !near.reported) {
            near.reported = true;
            changed[find_root(&self.parent, near.island())] = true;
        }
        Ok(any)
    }

    /// Joins the islands of a pair into one group.
    fn join(&mut self, k: usize) {
        let near = &self.pairs[k];
        let first = near.island();
        let (i, j) =
            (find_root(&self.parent, first), find_root(&self.parent, near.islands[1].unwrap_or(first)));
        let (low, high) = (i.min(j), i.max(j));
        // An added pair need not penetrate at the trial configuration.
        let least = if near.added { f64::MIN_POSITIVE } else { 0.0 };
        let depth = self.depth[i].max(self.depth[j]).max(near.depth()).max(least);
        self.parent[high] = low;
        self.depth[low] = depth;
        self.pairs[k].joined = true;
    }

    /// Joins pairs within the buffer of a group, until nothing changes.
    fn join_within_buffer(&mut self) {
        loop {
            let mut grown = false;
            for k in 0..self.pairs.len() {
                let near = &self.pairs[k];
                let roots = near.islands.map(|i| i.map(|i| find_root(&self.parent, i)));
                let buffer = roots.iter().flatten().map(|i| BUFFER * self.depth[*i]).fold(0.0, f64::max);
                let apart = matches!(roots, [Some(i), Some(j)] if i != j);
                if apart && near.separation < buffer {
                    self.join(k);
                    grown = true;
                }
            }
            if !grown {
                return;
            }
        }
    }

    /// The group of an island, identified by its lowest island; `None` if it has no collision.
    pub fn group_of(&self, island: usize) -> Option<usize> {
        let root = find_root(&self.parent, island);
        (self.depth[root] > 0.0).then_some(root)
    }

    /// The deepest penetration of a group at the trial configuration, m.
    pub fn depth(&self, group: usize) -> f64 {
        self.depth[group]
    }

    /// Whether a pair takes part in the collision of its group.
    pub fn is_in_group(&self, near: &NearPair) -> bool {
        is_in_group(&self.parent, &self.depth, near)
    }
}

fn is_in_group(parent: &[usize], depth: &[f64], near: &NearPair) -> bool {
    let roots = near.islands.map(|i| i.map(|i| find_root(parent, i)));
    let one = roots[0].or(roots[1]);
    let together = roots.iter().flatten().all(|i| Some(*i) == one);
    let depth = one.map_or(0.0, |i| depth[i]);
    together && depth > 0.0 && (near.added || near.separation < BUFFER * depth)
}

fn find_root(parent: &[usize], mut i: usize) -> usize {
    while parent[i] != i {
        i = parent[i];
    }
    i
}

fn islands_of(contacts: &ContactGeometry, island_of: &[usize], pair: (usize, usize)) -> [Option<usize>; 2] {
    [pair.0, pair.1].map(|part| contacts.parts[part].slot.map(|slot| island_of[slot]))
}

fn near_pair(
    contacts: &ContactGeometry,
    (island_of, closed): (&[usize], &ClosedPairs),
    pair: (usize, usize),
    contact: &ContactPoint,
    warm_start: PairWarmStart,
) -> NearPair {
    let islands = islands_of(contacts, island_of, pair);
    let tolerance = tolerance(contacts, pair, contact);
    NearPair {
        pair,
        islands,
        separation: contact.separation,
        tolerance,
        threshold: closed.threshold(pair, tolerance),
        warm_start,
        added: false,
        joined: false,
        reported: false,
    }
}

/// Penetration that is rounding, m.
fn tolerance(contacts: &ContactGeometry, (a, b): (usize, usize), contact: &ContactPoint) -> f64 {
    let size = |part: usize, at: f64| {
        let radius = contacts.parts[part].radius;
        if radius.is_finite() { radius + at } else { at }
    };
    PENETRATION_ROUNDING * (size(a, contact.reference_a.norm()) + size(b, contact.reference_b.norm()))
}

/// Contact point of a pair; `None` if the bounding spheres of its parts are farther apart than `within`.
fn query(
    contacts: &ContactGeometry,
    pair: (usize, usize),
    state: &State,
    within: f64,
    warm_start: &mut PairWarmStart,
) -> Result<Option<ContactPoint>, StepError> {
    let (p, q) = (&contacts.parts[pair.0], &contacts.parts[pair.1]);
    let (a, b) = poses(contacts, pair, state);
    let reach = p.radius + q.radius + within;
    if (a.point(&p.reference) - b.point(&q.reference)).norm_squared() > reach * reach {
        return Ok(None);
    }
    Ok(Some(contacts.separation(pair, (&a, &b), within, warm_start)?))
}
