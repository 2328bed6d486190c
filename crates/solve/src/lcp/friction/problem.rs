//! The problem: blocks of unknowns, equality rows, contacts.

use super::equality::Equality;
use super::impulses::Cone;
use super::rows::{Block, BlockVector, MAX_BLOCK, Masses, Row, dot_six};
use crate::arithmetic::dot;
use crate::error::{SolveError, all_finite, length};
use crate::tolerances::friction::ASYMMETRY;

/// Entries of a row in one block: its index and one number per unknown.
pub type Entry<'a> = (usize, &'a [f64]);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contact {
    pub(super) normal: Row,
    pub(super) gap: f64,
    pub(super) friction: f64,
    /// Range of its tangent rows.
    pub(super) tangents: (usize, usize),
}

impl Contact {
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.tangents.0..self.tangents.1
    }

    /// Whether it has friction and tangents.
    pub(super) fn has_friction(&self) -> bool {
        self.friction > 0.0 && self.tangents.1 > self.tangents.0
    }
}

/// Impulses at contacts with friction; see [the module](super).
///
/// ```
/// use percussion_solve::FrictionContactProblem;
/// use percussion_solve::lcp::friction::FrictionalLemke;
///
/// // A block of mass 2 slides to the right at 3, falls at 1 and meets a floor with friction 1/2.
/// let mut problem = FrictionContactProblem::new();
/// let block = problem.block(&[0.5, 0.0, 0.0, 0.5], &[6.0, -2.0])?;
/// problem.contact(&[(block, &[0.0, 1.0])], 0.5, 0.0)?;
/// problem.tangent(&[(block, &[1.0, 0.0])])?;
/// let mut lemke = FrictionalLemke::new();
/// let solution = lemke.solve(&problem);
/// assert!(solution.is_solved());
/// // The floor stops the fall with impulse 2 and takes half of that from the slide.
/// assert_eq!(solution.impulses.normal, [2.0]);
/// assert_eq!(solution.impulses.velocity, [2.5, 0.0]);
/// # Ok::<(), percussion_solve::SolveError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionContactProblem {
    blocks: Vec<Block>,
    inverse: Vec<f64>,
    /// L of `W = L Lᵀ`, as long as `inverse`.
    factor: Vec<f64>,
    momentum: Vec<f64>,
    pub(super) equalities: Vec<Equality>,
    pub(super) contacts: Vec<Contact>,
    pub(super) tangents: Vec<Row>,
    /// The size S of momenta so far.
    size: f64,
}

impl FrictionContactProblem {
    /// A problem without blocks yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Clears the problem, keeps the capacity.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.inverse.clear();
        self.factor.clear();
        self.momentum.clear();
        self.equalities.clear();
        self.contacts.clear();
        self.tangents.clear();
        self.size = 0.0;
    }

    /// Adds a block of up to six unknowns: the inverse of its mass matrix, row by row, and its part of the
    /// right-hand side b, the momentum it would have without constraints. Returns its index.
    pub fn block(&mut self, inverse_mass: &[f64], momentum: &[f64]) -> Result<usize, SolveError> {
        let n = momentum.len();
        if n == 0 {
            return Err(SolveError::Empty { what: "momentum of a block" });
        }
        if n > MAX_BLOCK {
            return Err(SolveError::OutOfRange {
                what: "unknown of a block",
                index: n - 1,
                count: MAX_BLOCK,
            });
        }
        length("inverse mass", "pair of unknowns of the block", n * n, inverse_mass.len())?;
        all_finite("inverse mass", inverse_mass)?;
        all_finite("momentum", momentum)?;
        let at = self.inverse.len();
        self.factor.resize(at + n * n, 0.0);
        if let Err(error) = cholesky(inverse_mass, n, 0..n, &mut self.factor[at..]) {
            self.factor.truncate(at);
            return Err(error);
        }
        self.inverse.extend_from_slice(inverse_mass);
        let mut diagonal = [0.0; MAX_BLOCK];
        (0..n).for_each(|i| diagonal[i] = inverse_mass[i * n + i]);
        let is_diagonal = (0..n * n).all(|k| k % (n + 1) == 0 || inverse_mass[k] == 0.0);
        Ok(self.push_block(at, diagonal, is_diagonal, momentum))
    }

    /// Adds a block of six unknowns, three that share an inverse mass and three with a matrix of their own,
    /// row by row: a rigid body seen from its centre of mass. The same as [`FrictionContactProblem::block`], in a third
    /// of the time.
    pub fn body(
        &mut self,
        inverse_mass: f64,
        inverse_inertia: &[f64; 9],
        momentum: &[f64; 6],
    ) -> Result<usize, SolveError> {
        all_finite("inverse mass", &[inverse_mass])?;
        all_finite("inverse inertia", inverse_inertia)?;
        all_finite("momentum", momentum)?;
        let mut w = [0.0; 36];
        for i in 0..3 {
            w[7 * i] = inverse_mass;
            w[6 * (i + 3) + 3..6 * (i + 3) + 6].copy_from_slice(&inverse_inertia[3 * i..3 * i + 3]);
        }
        if !(inverse_mass > 0.0) {
            return Err(SolveError::NotPositiveDefinite { index: 0, pivot: inverse_mass });
        }
        let mut l = [0.0; 36];
        let root = inverse_mass.sqrt();
        (0..3).for_each(|i| l[7 * i] = root);
        cholesky(&w, 6, 3..6, &mut l)?;
        let at = self.inverse.len();
        self.inverse.extend_from_slice(&w);
        self.factor.extend_from_slice(&l);
        let [xx, xy, xz, yx, yy, yz, zx, zy, zz] = *inverse_inertia;
        let is_diagonal = [xy, xz, yx, yz, zx, zy] == [0.0; 6];
        let m = inverse_mass;
        Ok(self.push_block(at, [m, m, m, xx, yy, zz], is_diagonal, momentum))
    }

    /// Adds a block whose matrices are there already.
    fn push_block(&mut self, at: usize, diagonal: BlockVector, is_diagonal: bool, momentum: &[f64]) -> usize {
        let (start, width) = (self.momentum.len(), momentum.len());
        let block = Block { start, width, at, diagonal, roots: diagonal.map(f64::sqrt), is_diagonal };
        let mut b = [0.0; MAX_BLOCK];
        b[..width].copy_from_slice(momentum);
        let energy = dot_six(&b, &block.inverse_mass_times(&self.inverse, &b));
        self.size = self.size.max(energy.max(0.0).sqrt());
        self.momentum.extend_from_slice(momentum);
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    /// Includes the offset of a row in the momentum size.
    fn include_in_scale(&mut self, compliance: f64, offset: f64) {
        // Few exceed all before.
        if offset * offset > self.size * self.size * compliance {
            self.size = self.size.max(offset.abs() / compliance.sqrt());
        }
    }

    /// Adds the equality `row . v + offset = 0`. Rows may be redundant.
    pub fn equality(&mut self, row: &[Entry], offset: f64) -> Result<&mut Self, SolveError> {
        all_finite("offset of an equality", &[offset])?;
        let row = self.row(row)?;
        self.include_in_scale(row.compliance, offset);
        self.equalities.push(Equality { row, offset, compliance: 0.0, bound: f64::INFINITY });
        Ok(self)
    }

    /// Adds a drive: an impulse c within `±bound` (infinite without one) with `row . v + offset + compliance c = 0` inside of its bounds,
    /// no more at the upper and no less at the lower one. Drives count as equalities.
    pub fn drive(
        &mut self,
        row: &[Entry],
        offset: f64,
        compliance: f64,
        bound: f64,
    ) -> Result<&mut Self, SolveError> {
        all_finite("offset of a drive", &[offset])?;
        all_finite("compliance of a drive", &[compliance])?;
        if !(compliance >= 0.0 && bound >= 0.0) {
            return Err(SolveError::Unsuitable {
                method: "a drive with negative compliance or bound",
                needs: "numbers of zero or more",
            });
        }
        let row = self.row(row)?;
        // The velocity that the drive can bring about.
        let free = offset.abs() * row.compliance / (row.compliance + compliance);
        self.include_in_scale(row.compliance, free.min(bound * row.compliance));
        self.equalities.push(Equality { row, offset, compliance, bound });
        Ok(self)
    }

    /// Whether there are drives beside plain equalities.
    pub fn has_drives(&self) -> bool {
        !self.equalities.iter().all(Equality::is_plain)
    }

    /// Fails with drives, which a method cannot express.
    pub(super) fn refuse_drives(&self, method: &'static str) -> Result<(), SolveError> {
        let needs = "a problem without drives (motors, friction, springs and dampers in joints)";
        if self.has_drives() { Err(SolveError::Unsuitable { method, needs }) } else { Ok(()) }
    }

    /// Adds a contact: `normal . v + gap >= 0`, with a coefficient of friction. Its tangents follow.
    pub fn contact(&mut self, normal: &[Entry], friction: f64, gap: f64) -> Result<&mut Self, SolveError> {
        all_finite("gap of a contact", &[gap])?;
        all_finite("friction of a contact", &[friction])?;
        if friction < 0.0 {
            return Err(SolveError::Unsuitable {
                method: "a contact with negative friction",
                needs: "a coefficient of zero or more",
            });
        }
        let normal = self.row(normal)?;
        // An open gap does not count.
        self.include_in_scale(normal.compliance, gap.min(0.0));
        let end = self.tangents.len();
        self.contacts.push(Contact { normal, gap, friction, tangents: (end, end) });
        Ok(self)
    }

    /// Adds a tangent direction to the last contact; it is meant in both senses.
    pub fn tangent(&mut self, row: &[Entry]) -> Result<&mut Self, SolveError> {
        self.drifting_tangent(row, 0.0)
    }

    /// As [`FrictionContactProblem::tangent`], with a slip `row . v + drift`: along a wall that is driven.
    pub fn drifting_tangent(&mut self, row: &[Entry], drift: f64) -> Result<&mut Self, SolveError> {
        all_finite("drift of a tangent", &[drift])?;
        let mut row = self.row(row)?;
        row.drift = drift;
        let Some(contact) = self.contacts.last_mut() else {
            return Err(SolveError::Empty { what: "list of contacts, to which a tangent belongs," });
        };
        // Two blocks of the normal are all there may be.
        let normal = &contact.normal;
        if normal.sides < 2 || row.halves().any(|(block, _)| !normal.blocks.contains(&block)) {
            let mut seen = [u32::MAX; 2];
            let others = self.tangents[contact.range()].iter().chain([normal, &row]);
            for (block, _) in others.flat_map(Row::halves) {
                match seen.iter().position(|b| *b == block || *b == u32::MAX) {
                    Some(k) => seen[k] = block,
                    None => {
                        return Err(SolveError::Unsuitable {
                            method: "a contact among three blocks",
                            needs: "tangents that touch the blocks of its normal",
                        });
                    }
                }
            }
        }
        contact.tangents.1 += 1;
        self.include_in_scale(row.compliance, row.drift);
        self.tangents.push(row);
        Ok(self)
    }

    /// Adds a contact with its tangents between one or two blocks of six unknowns: `rows` says of each block what the
    /// normal does, then each tangent, with its drift. The same as [`FrictionContactProblem::contact`] and
    /// [`FrictionContactProblem::drifting_tangent`], in a third of the time.
    #[inline]
    pub fn contact_of_bodies(
        &mut self,
        bodies: &[usize],
        rows: &[([[f64; 6]; 2], f64)],
        friction: f64,
        gap: f64,
    ) -> Result<&mut Self, SolveError> {
        let known = |body: &usize| self.blocks.get(*body).is_some_and(|block| block.width == MAX_BLOCK);
        let distinct = matches!(bodies, [_]) || matches!(bodies, [a, b] if a != b);
        let usable = friction >= 0.0 && friction.is_finite() && gap.is_finite();
        if !(distinct && bodies.iter().all(known) && usable) || rows.is_empty() {
            return self.contact_by_rows(bodies, rows, friction, gap);
        }
        let first = self.tangents.len();
        let mut normal = None;
        let frame = Row::between(bodies, &self.blocks);
        for (values, drift) in rows {
            let row = frame.with(values, *drift, bodies, &self.blocks, &self.inverse);
            // Not a number is not above zero either.
            let g = row.compliance;
            if !(g > 0.0 && g < f64::INFINITY && drift.abs() < f64::INFINITY) {
                self.tangents.truncate(first);
                return self.contact_by_rows(bodies, rows, friction, gap);
            }
            match normal {
                None => {
                    self.include_in_scale(g, gap.min(0.0));
                    normal = Some(row);
                }
                Some(_) => {
                    self.include_in_scale(g, *drift);
                    self.tangents.push(row);
                }
            }
        }
        if let Some(normal) = normal {
            let tangents = (first, self.tangents.len());
            self.contacts.push(Contact { normal, gap, friction, tangents });
        }
        Ok(self)
    }

    /// The same row by row, for what has to be refused.
    #[cold]
    fn contact_by_rows(
        &mut self,
        bodies: &[usize],
        rows: &[([[f64; 6]; 2], f64)],
        friction: f64,
        gap: f64,
    ) -> Result<&mut Self, SolveError> {
        if rows.is_empty() {
            return Err(SolveError::Empty { what: "list of rows of a contact" });
        }
        for (k, (values, drift)) in rows.iter().enumerate() {
            let [a, b] = values.each_ref().map(|values| &values[..]);
            let entries: Vec<Entry> = bodies.iter().copied().zip([a, b]).collect();
            if k == 0 {
                self.contact(&entries, friction, gap)?;
            } else {
                self.drifting_tangent(&entries, *drift)?;
            }
        }
        Ok(self)
    }

    /// Number of unknown velocities.
    pub fn size(&self) -> usize {
        self.momentum.len()
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Number of equalities, drives among them.
    pub fn equality_count(&self) -> usize {
        self.equalities.len()
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    /// Number of facets of all friction cones: two per tangent.
    pub fn facet_count(&self) -> usize {
        2 * self.tangents.len()
    }

    /// Facets of a contact in [`Impulses::facets`](super::Impulses): along and against its first tangent, and
    /// so on.
    pub fn facets(&self, contact: usize) -> std::ops::Range<usize> {
        self.contacts.get(contact).map_or(0..0, |c| 2 * c.tangents.0..2 * c.tangents.1)
    }

    /// Start of each block, its inverse mass and its momentum.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &[f64], &[f64])> {
        self.blocks.iter().map(|&Block { start, width, at, .. }| {
            (start, &self.inverse[at..at + width * width], &self.momentum[start..start + width])
        })
    }

    /// The blocks as rows need them.
    #[inline(always)]
    pub(super) fn masses(&self) -> Masses<'_> {
        Masses { blocks: &self.blocks, inverse: &self.inverse }
    }

    /// L of all blocks.
    #[inline(always)]
    pub(super) fn all_factors(&self) -> &[f64] {
        &self.factor
    }

    /// Start, width and L of each block, `W = L Lᵀ`, row by row.
    pub(super) fn factors(&self) -> impl Iterator<Item = (usize, usize, &[f64])> {
        self.blocks
            .iter()
            .map(|&Block { start, width, at, .. }| (start, width, &self.factor[at..at + width * width]))
    }

    /// Momentum of a block, filled up with zeros.
    pub(super) fn momentum(&self, block: usize) -> BlockVector {
        let Block { start, width, .. } = self.blocks[block];
        let mut six = [0.0; MAX_BLOCK];
        six[..width].copy_from_slice(&self.momentum[start..start + width]);
        six
    }

    /// `v = W b`: the velocity without any impulse.
    pub(super) fn free_velocity(&self, v: &mut [f64]) {
        for (index, block) in self.blocks.iter().enumerate() {
            let response = block.inverse_mass_times(&self.inverse, &self.momentum(index));
            v[block.start..block.start + block.width].copy_from_slice(&response[..block.width]);
        }
    }

    /// The size S of momenta, in units of the root of an energy; see [the module](super).
    pub fn momentum_size(&self) -> f64 {
        self.size
    }

    /// Most tangents of a contact.
    pub fn max_tangents(&self) -> usize {
        self.contacts.iter().map(|contact| contact.range().len()).max().unwrap_or(0)
    }

    /// The round cone needs tangents that are coordinates of the plane of contact.
    pub(super) fn check_cone(&self, cone: Cone) -> Result<(), SolveError> {
        if cone == Cone::Round && self.contacts.iter().any(|c| c.range().len() > 2) {
            return Err(SolveError::Unsuitable {
                method: "the round friction cone",
                needs: "at most two tangents at a contact, perpendicular to each other and of equal length",
            });
        }
        Ok(())
    }

    #[inline]
    fn row(&self, entries: &[Entry]) -> Result<Row, SolveError> {
        if entries.is_empty() || entries.len() > 2 {
            return Err(SolveError::Length {
                what: "row",
                expected: 2,
                found: entries.len(),
                per: "touched block, one or two of them",
            });
        }
        let mut row = Row::new();
        for (k, &(block, values)) in entries.iter().enumerate() {
            if block >= self.blocks.len() {
                return Err(SolveError::OutOfRange { what: "block", index: block, count: self.blocks.len() });
            }
            if entries[..k].iter().any(|e| e.0 == block) {
                return Err(SolveError::Unsuitable {
                    method: "a row that names a block twice",
                    needs: "the sum of both entries instead",
                });
            }
            let known = &self.blocks[block];
            length("row", "unknown of the block", known.width, values.len())?;
            row.add_block(block, known, &self.inverse, values);
        }
        if !row.compliance.is_finite() {
            entries.iter().try_for_each(|(_, values)| all_finite("row", values))?;
        }
        if !(row.compliance > 0.0) {
            return Err(SolveError::Unsuitable {
                method: "a row of zeros",
                needs: "at least one unknown that it acts on",
            });
        }
        Ok(row)
    }
}

/// Cholesky's factor of the rows in a range of a block of at most six, the rows before being uncoupled from
/// them; fails on what is no inverse mass.
fn cholesky(w: &[f64], n: usize, range: std::ops::Range<usize>, l: &mut [f64]) -> Result<(), SolveError> {
    let first = range.start;
    for i in range {
        for j in first..=i {
            let scale = (w[i * n + i] * w[j * n + j]).abs().sqrt();
            if (w[i * n + j] - w[j * n + i]).abs() > ASYMMETRY * scale {
                return Err(SolveError::NotSymmetric { row: i, column: j });
            }
            let rest = w[i * n + j] - dot(&l[i * n + first..i * n + j], &l[j * n + first..j * n + j]);
            if i == j {
                if !(rest > 0.0) {
                    return Err(SolveError::NotPositiveDefinite { index: i, pivot: rest });
                }
                l[i * n + i] = rest.sqrt();
            } else {
                l[i * n + j] = rest / l[j * n + j];
            }
        }
    }
    Ok(())
}
