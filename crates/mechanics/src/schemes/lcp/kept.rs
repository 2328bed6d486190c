//! What is kept from one step to the next: the impulses, to start from.
//!
//! A spot of this step and one of the last are the same if their parts are and their points are near in the frame of
//! the second body (of the first, if the second never moves). Impulses along the surface are kept as vectors: tangents turn.

use super::spots::Spot;
use crate::contact::ContactGeometry;
use percussion_geometry::Vec3;
use percussion_solve::Impulses;

/// How far a point may move in a step to be the same, relative to the smaller part.
const SAME: f64 = 0.1;

/// A spot and its impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kept {
    pair: (usize, usize),
    /// Where it was, in the frame of a body.
    local: Vec3,
    normal: f64,
    /// Impulse along the surface, world axes, N s.
    drag: Vec3,
}

/// Numbers of one kept spot.
const NUMBERS: usize = 9;

/// The impulses of the last step.
#[derive(Clone, Debug, Default)]
pub(super) struct Last {
    spots: Vec<Kept>,
    equalities: Vec<f64>,
    start: Impulses,
}

impl Last {
    /// Impulses to start from, in the order of the spots of this step; `tangents` those of each spot, `width` to a spot.
    pub fn start(
        &mut self,
        contacts: Option<&ContactGeometry>,
        spots: &[Spot],
        tangents: &[Vec3],
        width: impl Fn(usize) -> std::ops::Range<usize>,
        equalities: usize,
    ) -> &Impulses {
        let start = &mut self.start;
        start.normal.clear();
        start.facets.clear();
        start.equality.clear();
        if self.equalities.len() == equalities {
            start.equality.extend_from_slice(&self.equalities);
        }
        let mut from = 0;
        for (k, spot) in spots.iter().enumerate() {
            // Both lists are sorted by pair, whichever part of it comes first.
            while self.spots.get(from).is_some_and(|kept| sorted(kept.pair) < sorted(spot.pair)) {
                from += 1;
            }
            let same = self.spots[from..].iter().take_while(|kept| kept.pair == spot.pair);
            let found = contacts.and_then(|contacts| {
                let radius = |part: usize| contacts.parts[part].radius;
                let reach = SAME * radius(spot.pair.0).min(radius(spot.pair.1));
                let near = |kept: &Kept| (kept.local - spot.local).norm_squared();
                same.min_by(|a, b| near(a).total_cmp(&near(b))).filter(|kept| near(kept) <= reach * reach)
            });
            start.normal.push(found.map_or(0.0, |kept| kept.normal));
            let mut rest = found.map_or_else(Vec3::zeros, |kept| kept.drag);
            for direction in &tangents[width(k)] {
                let along = rest.dot(direction);
                rest -= direction * along;
                start.facets.extend([along.max(0.0), (-along).max(0.0)]);
            }
        }
        &self.start
    }

    /// Keeps the impulses of a step.
    pub fn keep(&mut self, spots: &[Spot], impulses: impl Fn(usize) -> (f64, Vec3), equalities: &[f64]) {
        self.spots.clear();
        self.equalities.clear();
        self.equalities.extend_from_slice(equalities);
        self.spots.extend(spots.iter().enumerate().map(|(k, spot)| {
            let (normal, drag) = impulses(k);
            Kept { pair: spot.pair, local: spot.local, normal, drag }
        }));
    }

    /// As numbers, for whoever interrupts a run.
    pub fn write(&self, out: &mut Vec<f64>) {
        out.push(self.equalities.len() as f64);
        out.extend_from_slice(&self.equalities);
        for Kept { pair, local, normal, drag } in &self.spots {
            out.extend([pair.0 as f64, pair.1 as f64]);
            out.extend(local.iter());
            out.push(*normal);
            out.extend(drag.iter());
        }
    }

    /// Takes the numbers back; whether they are such.
    pub fn read(&mut self, numbers: &[f64]) -> bool {
        let Some((&count, rest)) = numbers.split_first() else { return false };
        let count = count as usize;
        if rest.len() < count || !(rest.len() - count).is_multiple_of(NUMBERS) {
            return false;
        }
        self.equalities.clear();
        self.equalities.extend_from_slice(&rest[..count]);
        self.spots.clear();
        self.spots.extend(rest[count..].chunks_exact(NUMBERS).map(|n| Kept {
            pair: (n[0] as usize, n[1] as usize),
            local: Vec3::new(n[2], n[3], n[4]),
            normal: n[5],
            drag: Vec3::new(n[6], n[7], n[8]),
        }));
        true
    }
}

/// A pair by which part comes first in the list of all, not by which is the second body of the contact.
fn sorted((a, b): (usize, usize)) -> (usize, usize) {
    (a.min(b), a.max(b))
}
