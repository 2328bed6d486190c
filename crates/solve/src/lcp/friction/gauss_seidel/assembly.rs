//! Writes a problem into the memory of sweeps, in the order of visits and in the units of [the system](super::system).

use super::islands::WORLD;
use super::block_pair::{Lanes, Pair, overlap};
use super::tangential::Plane;
use super::system::{Item, System};
use crate::lcp::friction::problem::{Contact, FrictionContactProblem};
use crate::lcp::friction::residual::root_compliance;
use crate::lcp::friction::rows::{Block, Row, WIDEST};
use crate::simd::{Instructions, Kernel, Packet};

/// Determinants below this multiple of the product of the diagonal say that rows of a contact are dependent.
const DEPENDENT: f64 = 1e-9;

impl System {
    /// Takes a problem over; all impulses are zero.
    pub(super) fn pose(&mut self, problem: &FrictionContactProblem) {
        self.size = problem.momentum_size().max(f64::MIN_POSITIVE);
        let (masses, factors) = (problem.masses(), problem.all_factors());
        self.graph.ends.clear();
        self.graph.ends.extend(problem.equalities.iter().map(|(row, _)| ends([row])));
        self.graph.ends.extend(problem.contacts.iter().map(|contact| match contact.normal.sides {
            2 => contact.normal.blocks,
            _ => ends(rows_of(problem, contact)),
        }));
        self.graph.arrange(problem.block_count());
        self.free.clear();
        for &block in &self.graph.bodies {
            let hat = masses.blocks[block as usize].pull(factors, &problem.momentum(block as usize));
            self.free.push(hat.map(|v| v * (1.0 / self.size)));
        }
        self.free.push([0.0; WIDEST]);
        self.v.clear();
        self.v.extend_from_slice(&self.free);
        let most = problem.equalities.len() + problem.contacts.len() + problem.tangents.len();
        self.rows.clear();
        self.rows.reserve(most);
        for list in [&mut self.drift, &mut self.unit] {
            list.clear();
            list.reserve(most);
        }
        self.items.clear();
        self.items.reserve(self.graph.items.len());
        Instructions::detect().run(Writing { system: self, problem });
        let widest = self.items.iter().fold(0, |most, item| item.rows.max(most));
        self.wish.resize(widest as usize, 0.0);
        self.x.clear();
        self.x.resize(self.rows.len(), 0.0);
    }

    #[inline(always)]
    fn write<P: Packet>(&mut self, problem: &FrictionContactProblem) {
        let (equalities, blocks) = (problem.equality_count(), problem.masses().blocks);
        for k in 0..self.graph.items.len() {
            let source = self.graph.items[k] as usize;
            let contact = source.checked_sub(equalities).map(|m| &problem.contacts[m]);
            let first = self.rows.len() as u32;
            let mut item = match contact.and_then(|contact| Plain::find(problem, contact, blocks)) {
                Some(plain) => self.write_plain::<P>(&plain),
                None => self.write_any(problem, source),
            };
            let world = self.free.len() as u32 - 1;
            let place = |b: u32| if b == WORLD { world } else { self.graph.place[b as usize] };
            item.ends = self.graph.ends[source].map(place);
            item.first = first;
            item.contact = contact.is_some();
            item.source = if contact.is_some() { source - equalities } else { source } as u32;
            self.items.push(item);
        }
    }

    /// A contact of the usual kind.
    #[inline(always)]
    fn write_plain<P: Packet>(&mut self, plain: &Plain) -> Item {
        let Plain { contact, rows, roots } = plain;
        let roots = Lanes::<P>::of(roots[0], roots[1]);
        let softest = if rows[1].compliance > rows[2].compliance { rows[1] } else { rows[2] };
        let (root, tangential) = (rows[0].compliance.sqrt(), softest.compliance.sqrt());
        let scales = [1.0 / root, 1.0 / tangential, 1.0 / tangential];
        let [n, s, t] = [0, 1, 2].map(|k| {
            let [a, b] = rows[k].sides();
            Lanes::<P>::of(a, b).times(&roots).scaled(scales[k])
        });
        for (lanes, (row, scale)) in [n, s, t].iter().zip(rows.iter().zip(scales)) {
            self.rows.push(lanes.pair());
            self.drift.push(if row.drift == 0.0 { 0.0 } else { row.drift * scale / self.size });
            self.unit.push(self.size * scale);
        }
        let g = [n.product(&n), n.product(&s), n.product(&t), s.product(&s), s.product(&t), t.product(&t)];
        Item {
            bias: contact.gap / (root * self.size),
            friction: contact.friction * tangential * scales[0],
            ..Item::of(3, g)
        }
    }

    /// An equality, or a contact with any tangents.
    fn write_any(&mut self, problem: &FrictionContactProblem, source: usize) -> Item {
        let blocks = self.graph.ends[source];
        let first = self.rows.len();
        let contact = source.checked_sub(problem.equality_count()).map(|m| &problem.contacts[m]);
        let (normal, offset) = match contact {
            None => (&problem.equalities[source].0, problem.equalities[source].1),
            Some(contact) => (&contact.normal, contact.gap),
        };
        let root = normal.compliance.sqrt();
        self.append(problem, normal, blocks, 1.0 / root);
        let mut friction = 0.0;
        if let Some(contact) = contact.filter(|contact| contact.rubs()) {
            let tangential = root_compliance(problem, contact);
            for row in &problem.tangents[contact.range()] {
                self.append(problem, row, blocks, 1.0 / tangential);
            }
            friction = contact.friction * tangential / root;
        }
        let rows = &self.rows[first..];
        Item { bias: offset / (root * self.size), friction, ..Item::of(rows.len(), compliances(rows)) }
    }

    fn append(&mut self, problem: &FrictionContactProblem, row: &Row, blocks: [u32; 2], scale: f64) {
        let (masses, factors) = (problem.masses(), problem.all_factors());
        let mut hat = [0.0; 2 * WIDEST];
        for (block, values) in row.halves() {
            let pulled = masses.blocks[block as usize].pull(factors, values);
            let half = &mut hat.as_chunks_mut::<WIDEST>().0[usize::from(block != blocks[0])];
            (0..WIDEST).for_each(|i| half[i] = pulled[i] * scale);
        }
        self.rows.push(hat);
        self.drift.push(if row.drift == 0.0 { 0.0 } else { row.drift * scale / self.size });
        self.unit.push(self.size * scale);
    }
}

struct Writing<'a> {
    system: &'a mut System,
    problem: &'a FrictionContactProblem,
}

impl Kernel for Writing<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Packet>(self) {
        self.system.write::<P>(self.problem);
    }
}

impl Item {
    /// Of so many rows with a compliance.
    #[inline(always)]
    fn of(rows: usize, g: [f64; 6]) -> Self {
        Self {
            ends: [WORLD; 2],
            first: 0,
            rows: rows as u32,
            contact: true,
            source: 0,
            bias: 0.0,
            friction: 0.0,
            normal: [1.0 / g[0], g[1], g[2]],
            tangents: Plane::new([g[3], g[4], g[5]]),
            inverse: if rows == 3 { inverse(g) } else { [f64::NAN; 6] },
        }
    }
}

/// A contact with friction along two tangents, all of whose rows touch the same blocks, each with masses that are uncoupled.
struct Plain<'a> {
    contact: &'a Contact,
    rows: [&'a Row; 3],
    /// Roots of the inverse masses of its blocks.
    roots: [&'a [f64; WIDEST]; 2],
}

impl<'a> Plain<'a> {
    #[inline(always)]
    fn find(problem: &'a FrictionContactProblem, contact: &'a Contact, blocks: &'a [Block]) -> Option<Self> {
        let [s, t] = &problem.tangents[contact.range()] else { return None };
        let n = &contact.normal;
        let same = |row: &Row| (row.sides, row.blocks) == (n.sides, n.blocks);
        let (a, b) = (&blocks[n.blocks[0] as usize], &blocks[n.blocks[1] as usize]);
        let roots = [&a.roots, if n.sides == 2 { &b.roots } else { &[0.0; WIDEST] }];
        let plain = a.plain && (b.plain || n.sides < 2);
        (contact.friction > 0.0 && plain && same(s) && same(t)).then_some(Self {
            contact,
            rows: [n, s, t],
            roots,
        })
    }
}

fn rows_of<'a>(problem: &'a FrictionContactProblem, contact: &'a Contact) -> impl Iterator<Item = &'a Row> {
    std::iter::once(&contact.normal).chain(&problem.tangents[contact.range()])
}

/// The blocks of rows; [`FrictionContactProblem::tangent`] saw to it that there are no more than two.
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
#[inline(always)]
fn inverse([nn, ns, nt, ss, st, tt]: [f64; 6]) -> [f64; 6] {
    let minors = [ss * tt - st * st, st * nt - ns * tt, ns * st - ss * nt];
    let determinant = nn * minors[0] + ns * minors[1] + nt * minors[2];
    if !(determinant > DEPENDENT * nn * ss * tt) {
        return [f64::NAN; 6];
    }
    let rest = [nn * tt - nt * nt, nt * ns - nn * st, nn * ss - ns * ns];
    let scale = 1.0 / determinant;
    [minors[0], minors[1], minors[2], rest[0], rest[1], rest[2]].map(|m| m * scale)
}
