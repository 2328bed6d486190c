//! Assembles a problem, in the order of the sweeps and in the units of [the system](super::system).

use super::block_pair::{BlockPair, TwoBlockRow, row_product};
use super::islands::WORLD;
use super::system::{Constraint, System};
use super::tangential::TangentPair;
use crate::lcp::friction::problem::{Contact, FrictionContactProblem};
use crate::lcp::friction::residual::root_compliance;
use crate::lcp::friction::rows::{Block, MAX_BLOCK, Row};
use crate::simd::{Instructions, Kernel, Packet};
use crate::tolerances::gauss_seidel::DEPENDENT;

impl System {
    /// Assembles a problem; all impulses are zero.
    pub(super) fn assemble(&mut self, problem: &FrictionContactProblem) {
        self.size = problem.momentum_size().max(f64::MIN_POSITIVE);
        let (masses, factors) = (problem.masses(), problem.all_factors());
        self.graph.endpoints.clear();
        self.graph.endpoints.extend(problem.equalities.iter().map(|equality| endpoints([&equality.row])));
        self.graph.endpoints.extend(problem.contacts.iter().map(|contact| match contact.normal.sides {
            2 => contact.normal.blocks,
            _ => endpoints(rows_of(problem, contact)),
        }));
        self.graph.arrange(problem.block_count());
        self.free.clear();
        for &block in &self.graph.blocks {
            let scaled_row =
                masses.blocks[block as usize].mass_scaled(factors, &problem.momentum(block as usize));
            self.free.push(scaled_row.map(|v| v * (1.0 / self.size)));
        }
        self.free.push([0.0; MAX_BLOCK]);
        self.v.clear();
        self.v.extend_from_slice(&self.free);
        let most = problem.equalities.len() + problem.contacts.len() + problem.tangents.len();
        self.rows.clear();
        self.rows.reserve(most);
        for list in [&mut self.drift, &mut self.unit] {
            list.clear();
            list.reserve(most);
        }
        self.constraints.clear();
        self.constraints.reserve(self.graph.constraints.len());
        Instructions::detect().run(WriteConstraints { system: self, problem });
        let widest = self.constraints.iter().fold(0, |most, constraint| constraint.rows.max(most));
        self.trial.resize(widest as usize, 0.0);
        self.x.clear();
        self.x.resize(self.rows.len(), 0.0);
    }

    #[inline(always)]
    fn write<P: Packet>(&mut self, problem: &FrictionContactProblem) {
        let (equalities, blocks) = (problem.equality_count(), problem.masses().blocks);
        for k in 0..self.graph.constraints.len() {
            let source = self.graph.constraints[k] as usize;
            let contact = source.checked_sub(equalities).map(|m| &problem.contacts[m]);
            let first = self.rows.len() as u32;
            let mut constraint =
                match contact.and_then(|contact| DiagonalContact::find(problem, contact, blocks)) {
                    Some(contact_rows) => self.write_diagonal::<P>(&contact_rows),
                    None => self.write_general(problem, source),
                };
            let world = self.free.len() as u32 - 1;
            let place = |b: u32| if b == WORLD { world } else { self.graph.place[b as usize] };
            constraint.endpoints = self.graph.endpoints[source].map(place);
            constraint.first = first;
            constraint.contact = contact.is_some();
            constraint.source = if contact.is_some() { source - equalities } else { source } as u32;
            self.constraints.push(constraint);
        }
    }

    /// A contact with diagonal masses.
    #[inline(always)]
    fn write_diagonal<P: Packet>(&mut self, contact_rows: &DiagonalContact) -> Constraint {
        let DiagonalContact { contact, rows, roots } = contact_rows;
        let roots = BlockPair::<P>::load(roots[0], roots[1]);
        let softest = if rows[1].compliance > rows[2].compliance { rows[1] } else { rows[2] };
        let (root, tangential) = (rows[0].compliance.sqrt(), softest.compliance.sqrt());
        let scales = [1.0 / root, 1.0 / tangential, 1.0 / tangential];
        let [n, s, t] = [0, 1, 2].map(|k| {
            let [a, b] = rows[k].sides();
            BlockPair::<P>::load(a, b).times(&roots).scaled(scales[k])
        });
        for (pair, (row, scale)) in [n, s, t].iter().zip(rows.iter().zip(scales)) {
            self.rows.push(pair.pair());
            self.drift.push(if row.drift == 0.0 { 0.0 } else { row.drift * scale / self.size });
            self.unit.push(self.size * scale);
        }
        let g = [n.product(&n), n.product(&s), n.product(&t), s.product(&s), s.product(&t), t.product(&t)];
        Constraint {
            bias: contact.gap / (root * self.size),
            friction: contact.friction * tangential * scales[0],
            ..Constraint::with_compliance(3, g)
        }
    }

    /// An equality, or a contact with any tangents.
    fn write_general(&mut self, problem: &FrictionContactProblem, source: usize) -> Constraint {
        let blocks = self.graph.endpoints[source];
        let first = self.rows.len();
        let contact = source.checked_sub(problem.equality_count()).map(|m| &problem.contacts[m]);
        let (normal, offset) = match contact {
            None => (&problem.equalities[source].row, problem.equalities[source].offset),
            Some(contact) => (&contact.normal, contact.gap),
        };
        let root = normal.compliance.sqrt();
        self.append(problem, normal, blocks, 1.0 / root);
        let mut friction = 0.0;
        if let Some(contact) = contact.filter(|contact| contact.has_friction()) {
            let tangential = root_compliance(problem, contact);
            for row in &problem.tangents[contact.range()] {
                self.append(problem, row, blocks, 1.0 / tangential);
            }
            friction = contact.friction * tangential / root;
        }
        let rows = &self.rows[first..];
        Constraint {
            bias: offset / (root * self.size),
            friction,
            compliance: contact
                .map_or_else(|| problem.equalities[source].compliance / (root * root), |_| 0.0),
            bound: contact
                .map_or_else(|| problem.equalities[source].bound * root / self.size, |_| f64::INFINITY),
            ..Constraint::with_compliance(rows.len(), compliances(rows))
        }
    }

    fn append(&mut self, problem: &FrictionContactProblem, row: &Row, blocks: [u32; 2], scale: f64) {
        let (masses, factors) = (problem.masses(), problem.all_factors());
        let mut scaled_row = [0.0; 2 * MAX_BLOCK];
        for (block, values) in row.halves() {
            let scaled = masses.blocks[block as usize].mass_scaled(factors, values);
            let half = &mut scaled_row.as_chunks_mut::<MAX_BLOCK>().0[usize::from(block != blocks[0])];
            (0..MAX_BLOCK).for_each(|i| half[i] = scaled[i] * scale);
        }
        self.rows.push(scaled_row);
        self.drift.push(if row.drift == 0.0 { 0.0 } else { row.drift * scale / self.size });
        self.unit.push(self.size * scale);
    }
}

struct WriteConstraints<'a> {
    system: &'a mut System,
    problem: &'a FrictionContactProblem,
}

impl Kernel for WriteConstraints<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Packet>(self) {
        self.system.write::<P>(self.problem);
    }
}

impl Constraint {
    /// With a number of rows and their compliance.
    #[inline(always)]
    fn with_compliance(rows: usize, g: [f64; 6]) -> Self {
        Self {
            endpoints: [WORLD; 2],
            first: 0,
            rows: rows as u32,
            contact: true,
            source: 0,
            bias: 0.0,
            friction: 0.0,
            compliance: 0.0,
            bound: f64::INFINITY,
            normal: [1.0 / g[0], g[1], g[2]],
            tangents: TangentPair::new([g[3], g[4], g[5]]),
            inverse: if rows == 3 { inverse(g) } else { [f64::NAN; 6] },
        }
    }
}

/// A contact with friction along two tangents, all of whose rows touch the same blocks, with diagonal mass matrices.
struct DiagonalContact<'a> {
    contact: &'a Contact,
    rows: [&'a Row; 3],
    /// Roots of the inverse masses of its blocks.
    roots: [&'a [f64; MAX_BLOCK]; 2],
}

impl<'a> DiagonalContact<'a> {
    #[inline(always)]
    fn find(problem: &'a FrictionContactProblem, contact: &'a Contact, blocks: &'a [Block]) -> Option<Self> {
        let [s, t] = &problem.tangents[contact.range()] else { return None };
        let n = &contact.normal;
        let same = |row: &Row| (row.sides, row.blocks) == (n.sides, n.blocks);
        let (a, b) = (&blocks[n.blocks[0] as usize], &blocks[n.blocks[1] as usize]);
        let roots = [&a.roots, if n.sides == 2 { &b.roots } else { &[0.0; MAX_BLOCK] }];
        let is_diagonal = a.is_diagonal && (b.is_diagonal || n.sides < 2);
        (contact.friction > 0.0 && is_diagonal && same(s) && same(t)).then_some(Self {
            contact,
            rows: [n, s, t],
            roots,
        })
    }
}

fn rows_of<'a>(problem: &'a FrictionContactProblem, contact: &'a Contact) -> impl Iterator<Item = &'a Row> {
    std::iter::once(&contact.normal).chain(&problem.tangents[contact.range()])
}

/// The blocks of rows; [`FrictionContactProblem::tangent`] allows two at most.
fn endpoints<'a>(rows: impl IntoIterator<Item = &'a Row>) -> [u32; 2] {
    let mut endpoints = [WORLD; 2];
    for row in rows {
        if endpoints[1] != WORLD {
            break;
        }
        for (block, _) in row.halves() {
            let at = endpoints.iter().position(|e| *e == block || *e == WORLD).unwrap_or(1);
            endpoints[at] = block;
        }
    }
    endpoints
}

fn compliances(rows: &[TwoBlockRow]) -> [f64; 6] {
    let g = row_product;
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
