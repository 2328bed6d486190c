//! The problem as sweeps see it: rows side by side in memory, in the order of visits, without units.
//!
//! ```text
//! W = L Lᵀ,  v = S L v̂      so that the mass is one: a row r becomes r̂ = Lᵀ r / √g, and moves v̂ by r̂ itself
//! x̂ = x √g / S, û = r̂ᵀ v̂ + Δ / (S √g)          impulses and velocities in the units of the judge
//! ```
//!
//! The tangents of a contact share the g of the most yielding one, so that cones stay what they are; the
//! coefficient of friction takes the ratio of both units. Every row has room for two blocks of six, the rest
//! is zeros.

use super::graph::{Graph, Part, WORLD};
#[cfg(target_arch = "x86_64")]
use super::lanes;
use super::lanes::{Four, Lanes, Pair, along, overlap, push};
use super::local::Plane;
use crate::arithmetic::dot;
use crate::lcp::friction::impulses::{Cone, Impulses};
use crate::lcp::friction::problem::{Contact, Frictional};
use crate::lcp::friction::residual::root_compliance;
use crate::lcp::friction::rows::{Row, WIDEST};

/// Determinants below this multiple of the product of the diagonal say that rows of a contact are dependent.
const DEPENDENT: f64 = 1e-9;

/// What is solved for at once: a contact with its tangents, or an equality.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Places of its blocks; the one after all others for the world.
    pub(super) ends: [u32; 2],
    pub(super) first: u32,
    pub(super) rows: u32,
    pub(super) contact: bool,
    /// Which contact or equality of the problem.
    source: u32,
    pub(super) bias: f64,
    pub(super) friction: f64,
    /// Of the compliance of its first three rows: 1/nn, ns, nt; that of the tangents.
    pub(super) normal: [f64; 3],
    pub(super) tangents: Plane,
    /// Its inverse: nn, ns, nt, ss, st, tt; NaN if there is none.
    pub(super) inverse: [f64; 6],
}

impl Item {
    /// A contact of nothing with nothing.
    #[cfg(test)]
    pub(super) fn blank() -> Self {
        Self {
            ends: [0; 2],
            first: 0,
            rows: 0,
            contact: true,
            source: 0,
            bias: 0.0,
            friction: 0.0,
            normal: [0.0; 3],
            tangents: Plane::default(),
            inverse: [0.0; 6],
        }
    }

    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.rows) as usize
    }
}

/// The rows, the impulses and the velocities of all parts.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    pub(super) graph: Graph,
    /// The momentum size S.
    size: f64,
    pub(super) items: Vec<Item>,
    pub(super) rows: Vec<[f64; 2 * WIDEST]>,
    /// Velocities along rows that no body has part in; the gap of a contact is its item's.
    pub(super) drift: Vec<f64>,
    /// Impulses, one per row.
    pub(super) x: Vec<f64>,
    /// What they are multiplied by to get their units back.
    unit: Vec<f64>,
    pub(super) v: Vec<[f64; WIDEST]>,
    /// Velocities without impulses.
    pub(super) free: Vec<[f64; WIDEST]>,
    pub(super) wish: Vec<f64>,
}

impl System {
    /// Takes a problem over; all impulses are zero.
    pub(super) fn pose(&mut self, problem: &Frictional) {
        let size = problem.momentum_size().max(f64::MIN_POSITIVE);
        self.size = size;
        let (masses, factors) = (problem.masses(), problem.all_factors());
        let equalities = problem.equality_count();
        self.graph.ends.clear();
        self.graph.ends.extend(problem.equalities.iter().map(|(row, _)| ends([row])));
        self.graph.ends.extend(problem.contacts.iter().map(|contact| ends(rows_of(problem, contact))));
        self.graph.arrange(problem.block_count());
        self.free.clear();
        for &block in &self.graph.bodies {
            let hat = masses.blocks[block as usize].pull(factors, &problem.momentum(block as usize));
            self.free.push(hat.map(|v| v * (1.0 / size)));
        }
        self.free.push([0.0; WIDEST]);
        self.v.clear();
        self.v.extend_from_slice(&self.free);
        self.items.clear();
        self.rows.clear();
        self.drift.clear();
        self.unit.clear();
        let mut widest = 0;
        for k in 0..self.graph.items.len() {
            let source = self.graph.items[k] as usize;
            let blocks = self.graph.ends[source];
            let first = self.rows.len();
            let (normal, offset) = match source.checked_sub(equalities) {
                None => (&problem.equalities[source].0, problem.equalities[source].1),
                Some(m) => (&problem.contacts[m].normal, problem.contacts[m].gap),
            };
            let root = normal.compliance.sqrt();
            self.append(problem, normal, blocks, 1.0 / root, size);
            let mut friction = 0.0;
            if let Some(contact) = source.checked_sub(equalities).map(|m| &problem.contacts[m])
                && contact.rubs()
            {
                let tangential = root_compliance(problem, contact);
                for row in &problem.tangents[contact.range()] {
                    self.append(problem, row, blocks, 1.0 / tangential, size);
                }
                friction = contact.friction * tangential / root;
            }
            let rows = &self.rows[first..];
            widest = widest.max(rows.len());
            let g = compliances(rows);
            self.items.push(Item {
                ends: blocks.map(|b| {
                    if b == WORLD { self.free.len() as u32 - 1 } else { self.graph.place[b as usize] }
                }),
                first: first as u32,
                rows: rows.len() as u32,
                contact: source >= equalities,
                source: if source < equalities { source } else { source - equalities } as u32,
                bias: offset / (root * size),
                friction,
                normal: [1.0 / g[0], g[1], g[2]],
                tangents: Plane::new([g[3], g[4], g[5]]),
                inverse: if rows.len() == 3 { inverse(g) } else { [f64::NAN; 6] },
            });
        }
        self.wish.resize(widest, 0.0);
        self.x.clear();
        self.x.resize(self.rows.len(), 0.0);
    }

    #[inline(always)]
    fn append(&mut self, problem: &Frictional, row: &Row, blocks: [u32; 2], scale: f64, size: f64) {
        let (masses, factors) = (problem.masses(), problem.all_factors());
        let mut hat = [0.0; 2 * WIDEST];
        for (block, values) in row.halves() {
            let pulled = masses.blocks[block as usize].pull(factors, values);
            let half = &mut hat.as_chunks_mut::<WIDEST>().0[usize::from(block != blocks[0])];
            (0..WIDEST).for_each(|i| half[i] = pulled[i] * scale);
        }
        self.rows.push(hat);
        self.drift.push(if row.drift == 0.0 { 0.0 } else { row.drift * scale / size });
        self.unit.push(size * scale);
    }

    /// Rows of a part: they are side by side.
    pub(super) fn rows_of(&self, part: &Part) -> std::ops::Range<usize> {
        let first = self.items.get(part.items.start).map_or(0, |item| item.first as usize);
        let end = self.items[part.items.clone()].last().map_or(first, |item| item.range().end);
        first..end
    }

    /// Takes impulses over, as far as there are any; they are not brought into the cones yet.
    pub(super) fn start(&mut self, problem: &Frictional, from: &Impulses) {
        let given = |v: Option<&f64>| v.copied().filter(|v| v.is_finite()).unwrap_or(0.0);
        for item in &self.items {
            let (rows, source) = (item.range(), item.source as usize);
            let first = if item.contact { from.normal.get(source) } else { from.equality.get(source) };
            self.x[rows.start] = given(first) / self.unit[rows.start];
            if item.contact {
                for (k, facet) in rows.skip(1).zip(problem.facets(source).step_by(2)) {
                    let pair = given(from.facets.get(facet)) - given(from.facets.get(facet + 1));
                    self.x[k] = pair / self.unit[k];
                }
            }
        }
    }

    /// Hands impulses, velocities and slips over, in their units.
    pub(super) fn answer(&self, problem: &Frictional, cone: Cone, into: &mut Impulses) {
        into.fit(problem);
        let (masses, factors) = (problem.masses(), problem.all_factors());
        problem.free_velocity(&mut into.velocity);
        for (v, &block) in self.v.iter().zip(&self.graph.bodies) {
            let known = &masses.blocks[block as usize];
            let into = &mut into.velocity[known.start..known.start + known.width];
            if known.plain {
                (0..known.width).for_each(|i| into[i] = self.size * (known.roots[i] * v[i]));
                continue;
            }
            let n = known.width;
            for (i, into) in into.iter_mut().enumerate() {
                let at = known.at + i * n;
                *into = self.size * dot(&factors[at..=at + i], &v[..=i]);
            }
        }
        for item in &self.items {
            let (rows, source) = (item.range(), item.source as usize);
            let first = self.x[rows.start] * self.unit[rows.start];
            if !item.contact {
                into.equality[source] = first;
                continue;
            }
            into.normal[source] = first;
            let mut slip = 0.0_f64;
            for (k, facet) in rows.skip(1).zip(problem.facets(source).step_by(2)) {
                let p = self.x[k] * self.unit[k];
                into.facets[facet] = p.max(0.0);
                into.facets[facet + 1] = (-p).max(0.0);
                let speed =
                    along(&self.rows[k], &self.v[item.ends[0] as usize], &self.v[item.ends[1] as usize]);
                let speed = (speed + self.drift[k]) * self.size * (self.size / self.unit[k]);
                slip = if cone == Cone::Facets { slip.max(speed.abs()) } else { slip.hypot(speed) };
            }
            into.slip[source] = slip;
            // Without friction the tangents were left out.
            if item.rows == 1 {
                into.facets[problem.facets(source)].fill(0.0);
                into.observe_slip_of(problem, cone, source);
            }
        }
    }

    /// The velocities of a part from its impulses: the rounding of many small changes ends here.
    pub(super) fn propel(&mut self, part: &Part) {
        #[cfg(target_arch = "x86_64")]
        if lanes::by_four() {
            // SAFETY: the processor has registers of four.
            return unsafe { self.propel_by_four(part) };
        }
        self.propel_all::<[f64; 4]>(part);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx")]
    fn propel_by_four(&mut self, part: &Part) {
        self.propel_all::<std::arch::x86_64::__m256d>(part);
    }

    #[inline(always)]
    fn propel_all<F: Four>(&mut self, part: &Part) {
        let Self { items, rows, x, v, free, .. } = self;
        v[part.bodies.clone()].copy_from_slice(&free[part.bodies.clone()]);
        for item in &items[part.items.clone()] {
            let (rows, x) = (&rows[item.range()], &x[item.range()]);
            // Many contacts of a pile are open.
            if x.iter().all(|x| *x == 0.0) {
                continue;
            }
            let [a, b] = item.ends.map(|e| e as usize);
            if let (Ok(rows), Ok(x)) = (rows.try_into(), x.try_into()) {
                let mut lanes = Lanes::<F>::of(&v[a], &v[b]);
                lanes.push(rows, x);
                lanes.write(v, [a, b]);
                continue;
            }
            let (mut va, mut vb) = (v[a], v[b]);
            rows.iter().zip(x).for_each(|(row, x)| push(row, *x, &mut va, &mut vb));
            (v[a], v[b]) = (va, vb);
        }
    }
}

fn rows_of<'a>(problem: &'a Frictional, contact: &'a Contact) -> impl Iterator<Item = &'a Row> {
    std::iter::once(&contact.normal).chain(&problem.tangents[contact.range()])
}

/// The blocks of rows; [`Frictional::tangent`] saw to it that there are no more than two.
fn ends<'a>(rows: impl IntoIterator<Item = &'a Row>) -> [u32; 2] {
    let mut ends = [WORLD; 2];
    for row in rows {
        if ends[1] != WORLD {
            break;
        }
        for (block, _) in row.halves() {
            let at = ends.iter().position(|e| *e == block || *e == WORLD).unwrap_or(1);
            ends[at] = block;
        }
    }
    ends
}

fn compliances(rows: &[Pair]) -> [f64; 6] {
    let g = overlap;
    match rows {
        [n] => [g(n, n), 0.0, 0.0, 0.0, 0.0, 0.0],
        [n, s] => [g(n, n), g(n, s), 0.0, g(s, s), 0.0, 0.0],
        [n, s, t, ..] => [g(n, n), g(n, s), g(n, t), g(s, s), g(s, t), g(t, t)],
        [] => [0.0; 6],
    }
}

/// Inverse of a symmetric matrix of three.
fn inverse([nn, ns, nt, ss, st, tt]: [f64; 6]) -> [f64; 6] {
    let minors = [ss * tt - st * st, st * nt - ns * tt, ns * st - ss * nt];
    let determinant = nn * minors[0] + ns * minors[1] + nt * minors[2];
    if !(determinant > DEPENDENT * nn * ss * tt) {
        return [f64::NAN; 6];
    }
    let rest = [nn * tt - nt * nt, nt * ns - nn * st, nn * ss - ns * ns];
    [minors[0], minors[1], minors[2], rest[0], rest[1], rest[2]].map(|m| m / determinant)
}
