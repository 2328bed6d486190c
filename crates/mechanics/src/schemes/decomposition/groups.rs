//! Which islands collide with which: groups with a buffer between them [Johnson 3.5.3, figure 3.65].
//!
//! ```text
//! pairs that overlap at the trial configuration join their islands
//! repeat   d_b = 3 max overlap of a group;   pairs closer than d_b join, with their islands
//! until    nothing joins
//! ```
//!
//! Bodies that never move join nothing. What a pair is like depends on the configuration alone, not on what was asked before:
//! each begins without memory.

use crate::contact::{CandidatePairs, ContactGeometry, ContactPoint, PairWarmStart};
use crate::discrete::StepError;
use crate::model::Model;
use crate::state::State;
use percussion_geometry::Pose;

/// The buffer between groups, in overlaps.
const BUFFER: f64 = 3.0;
/// Overlap that is rounding, relative to the sizes and places of two parts.
const ROUNDING: f64 = 1e-13;
/// The same by name, for the books of a run.
pub const TOLERANCE: (&str, f64) = ("penetration_rounding", ROUNDING);

/// A pair of parts that takes part in a collision or might.
#[derive(Clone, Copy, Debug)]
pub(super) struct Close {
    /// The parts.
    pub pair: (usize, usize),
    /// Their islands; `None` never moves.
    pub islands: [Option<usize>; 2],
    /// Separation at the trial configuration, m.
    pub separation: f64,
    /// Overlap that is rounding, m.
    pub tolerance: f64,
    /// What the pair remembers.
    pub memory: PairWarmStart,
    /// Whether it belongs to its group whatever its distance: it came to overlap when others were moved.
    forced: bool,
    joined: bool,
    seen: bool,
}

impl Close {
    /// Its first island that moves. A pair has one: parts that never move do not meet.
    pub fn island(&self) -> usize {
        self.islands[0].or(self.islands[1]).unwrap_or(0)
    }

    fn overlap(&self) -> f64 {
        if self.separation < -self.tolerance { -self.separation } else { 0.0 }
    }
}

/// Placements of the bodies of two parts.
pub(super) fn poses(contacts: &ContactGeometry, pair: (usize, usize), state: &State) -> (Pose, Pose) {
    (contacts.parts[pair.0].body_pose(state), contacts.parts[pair.1].body_pose(state))
}

/// Pairs and the groups that they make of islands; its memory serves again.
#[derive(Debug, Default)]
pub(super) struct Groups {
    watch: Option<CandidatePairs>,
    /// How far boxes reach beyond their parts, m.
    margin: f64,
    /// Island of each slot.
    island_of: Vec<usize>,
    /// Pairs that take part or might.
    pub close: Vec<Close>,
    /// Deepest overlap when pairs were last discovered, rounding included, m.
    pub remaining: f64,
    parent: Vec<usize>,
    overlap: Vec<f64>,
}

impl Groups {
    pub fn new(model: &Model) -> Self {
        let island_of = model.islands.iter().enumerate();
        let island_of = island_of.flat_map(|(i, island)| island.bodies.clone().map(move |_| i)).collect();
        Self { island_of, ..Self::default() }
    }

    /// Finds the pairs that overlap and the groups they make. Whether there are any.
    pub fn gather(
        &mut self,
        model: &Model,
        contacts: &ContactGeometry,
        trial: &State,
    ) -> Result<bool, StepError> {
        self.close.clear();
        self.look(contacts, trial)?;
        let deepest = self.deepest(contacts, trial)?;
        if deepest == 0.0 {
            return Ok(false);
        }
        if BUFFER * deepest > self.margin {
            self.margin = 2.0 * BUFFER * deepest;
            self.look(contacts, trial)?;
        }
        self.list(contacts, trial, BUFFER * deepest)?;
        self.parent.clear();
        self.parent.extend(0..model.islands.len());
        self.overlap.clear();
        self.overlap.resize(model.islands.len(), 0.0);
        for k in 0..self.close.len() {
            if self.close[k].overlap() > 0.0 {
                self.join(k);
            }
        }
        self.grow();
        Ok(true)
    }

    fn look(&mut self, contacts: &ContactGeometry, state: &State) -> Result<(), StepError> {
        let margin = self.margin;
        let boxed = |part: usize| {
            let part = &contacts.parts[part];
            part.bounds(&part.body_pose(state)).grown(margin)
        };
        match &mut self.watch {
            Some(watch) => watch.look(contacts, boxed)?,
            none => *none = Some(CandidatePairs::new(contacts, boxed)?),
        }
        Ok(())
    }

    /// The deepest overlap of any two parts, m.
    fn deepest(&mut self, contacts: &ContactGeometry, state: &State) -> Result<f64, StepError> {
        let Some(watch) = &mut self.watch else { return Ok(0.0) };
        let mut deepest = 0.0;
        for k in 0..watch.near().len() {
            let pair = watch.near()[k].pair;
            if let Some(touch) = ask(contacts, pair, state, 0.0, watch.memory(k))?
                && touch.separation < -tolerance(contacts, pair, &touch)
            {
                deepest = f64::max(deepest, -touch.separation);
            }
        }
        Ok(deepest)
    }

    /// Lists the pairs closer than `within`.
    fn list(&mut self, contacts: &ContactGeometry, state: &State, within: f64) -> Result<(), StepError> {
        let Some(watch) = &self.watch else { return Ok(()) };
        for near in watch.near() {
            let (pair, mut memory) = (near.pair, PairWarmStart::default());
            if let Some(touch) = ask(contacts, pair, state, within, &mut memory)?
                && touch.solved
                && touch.separation <= within
            {
                self.close.push(close(contacts, &self.island_of, pair, &touch, memory));
            }
        }
        Ok(())
    }

    /// Finds pairs that overlap at another configuration because one of the given groups was moved, and that take no part
    /// yet: they are made to, with their islands, and the groups that this makes or changes are marked. Whether there are
    /// any.
    pub fn discover(
        &mut self,
        contacts: &ContactGeometry,
        (trial, now): (&State, &State),
        moved: &[usize],
        changed: &mut [bool],
    ) -> Result<bool, StepError> {
        self.look(contacts, now)?;
        let Some(watch) = &self.watch else { return Ok(false) };
        let known = self.close.len();
        self.remaining = 0.0;
        for near in watch.near() {
            let pair = near.pair;
            let islands = islands_of(contacts, &self.island_of, pair);
            let mut groups = islands.into_iter().flatten().map(|island| find(&self.parent, island));
            if !groups.any(|group| moved.binary_search(&group).is_ok()) {
                continue;
            }
            let Some(touch) = ask(contacts, pair, now, 0.0, &mut PairWarmStart::default())? else { continue };
            self.remaining = self.remaining.max(-touch.separation);
            if !(touch.separation < -tolerance(contacts, pair, &touch)) {
                continue;
            }
            match self.close[..known].iter_mut().find(|close| close.pair == pair) {
                Some(close) => close.forced |= !takes_part(&self.parent, &self.overlap, close),
                None => {
                    let mut memory = PairWarmStart::default();
                    let (a, b) = poses(contacts, pair, trial);
                    let touch = contacts.touch(pair, (&a, &b), f64::INFINITY, &mut memory)?;
                    let mut close = close(contacts, &self.island_of, pair, &touch, memory);
                    close.forced = true;
                    self.close.push(close);
                }
            }
        }
        let mut any = false;
        for k in 0..self.close.len() {
            if self.close[k].forced && !self.close[k].joined {
                self.join(k);
                any = true;
            }
        }
        self.grow();
        for close in self.close.iter_mut().filter(|close| close.forced && !close.seen) {
            close.seen = true;
            changed[find(&self.parent, close.island())] = true;
        }
        Ok(any)
    }

    /// The islands of a pair become one group.
    fn join(&mut self, k: usize) {
        let close = &self.close[k];
        let first = close.island();
        let (i, j) = (find(&self.parent, first), find(&self.parent, close.islands[1].unwrap_or(first)));
        let (low, high) = (i.min(j), i.max(j));
        // A forced pair may not overlap at the trial configuration; it belongs to a group all the same.
        let least = if close.forced { f64::MIN_POSITIVE } else { 0.0 };
        let overlap = self.overlap[i].max(self.overlap[j]).max(close.overlap()).max(least);
        self.parent[high] = low;
        self.overlap[low] = overlap;
        self.close[k].joined = true;
    }

    /// Lets pairs within the buffer of a group join, until nothing does.
    fn grow(&mut self) {
        loop {
            let mut grown = false;
            for k in 0..self.close.len() {
                let close = &self.close[k];
                let roots = close.islands.map(|i| i.map(|i| find(&self.parent, i)));
                let buffer = roots.iter().flatten().map(|i| BUFFER * self.overlap[*i]).fold(0.0, f64::max);
                let apart = matches!(roots, [Some(i), Some(j)] if i != j);
                if apart && close.separation < buffer {
                    self.join(k);
                    grown = true;
                }
            }
            if !grown {
                return;
            }
        }
    }

    /// The group of an island: its least island; `None` if it is in no collision.
    pub fn group_of(&self, island: usize) -> Option<usize> {
        let root = find(&self.parent, island);
        (self.overlap[root] > 0.0).then_some(root)
    }

    /// The deepest overlap of a group, m.
    pub fn depth(&self, group: usize) -> f64 {
        self.overlap[group]
    }

    /// Whether a pair takes part in the collision of its group.
    pub fn takes_part(&self, close: &Close) -> bool {
        takes_part(&self.parent, &self.overlap, close)
    }
}

fn takes_part(parent: &[usize], overlap: &[f64], close: &Close) -> bool {
    let roots = close.islands.map(|i| i.map(|i| find(parent, i)));
    let one = roots[0].or(roots[1]);
    let together = roots.iter().flatten().all(|i| Some(*i) == one);
    let depth = one.map_or(0.0, |i| overlap[i]);
    together && depth > 0.0 && (close.forced || close.separation < BUFFER * depth)
}

fn find(parent: &[usize], mut i: usize) -> usize {
    while parent[i] != i {
        i = parent[i];
    }
    i
}

fn islands_of(contacts: &ContactGeometry, island_of: &[usize], pair: (usize, usize)) -> [Option<usize>; 2] {
    [pair.0, pair.1].map(|part| contacts.parts[part].slot.map(|slot| island_of[slot]))
}

fn close(
    contacts: &ContactGeometry,
    island_of: &[usize],
    pair: (usize, usize),
    touch: &ContactPoint,
    memory: PairWarmStart,
) -> Close {
    let islands = islands_of(contacts, island_of, pair);
    let tolerance = tolerance(contacts, pair, touch);
    Close {
        pair,
        islands,
        separation: touch.separation,
        tolerance,
        memory,
        forced: false,
        joined: false,
        seen: false,
    }
}

/// Overlap that is rounding, m.
fn tolerance(contacts: &ContactGeometry, (a, b): (usize, usize), touch: &ContactPoint) -> f64 {
    let size = |part: usize, at: f64| {
        let radius = contacts.parts[part].radius;
        if radius.is_finite() { radius + at } else { at }
    };
    ROUNDING * (size(a, touch.reference_a.norm()) + size(b, touch.reference_b.norm()))
}

/// Separation of a pair; `None` if the balls around its parts are farther apart than `within`.
fn ask(
    contacts: &ContactGeometry,
    pair: (usize, usize),
    state: &State,
    within: f64,
    memory: &mut PairWarmStart,
) -> Result<Option<ContactPoint>, StepError> {
    let (p, q) = (&contacts.parts[pair.0], &contacts.parts[pair.1]);
    let (a, b) = poses(contacts, pair, state);
    let reach = p.radius + q.radius + within;
    if (a.point(&p.reference) - b.point(&q.reference)).norm_squared() > reach * reach {
        return Ok(None);
    }
    Ok(Some(contacts.touch(pair, (&a, &b), within, memory)?))
}
