//! Rows with entries in at most two blocks of unknowns.

/// Most unknowns in a block: a rigid body has six.
pub(super) const MAX_BLOCK: usize = 6;

/// Numbers of a block, the rest zeros.
pub(super) type BlockVector = [f64; MAX_BLOCK];

/// Dot product, of constant length.
#[inline(always)]
pub(super) fn dot_six(a: &BlockVector, b: &BlockVector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

/// Where a block is and how heavy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    /// Its first unknown.
    pub(super) start: usize,
    pub(super) width: usize,
    /// Where its inverse mass begins, and the factor of that.
    pub(super) at: usize,
    /// Diagonal of W, and the roots of its entries.
    pub(super) diagonal: BlockVector,
    pub(super) roots: BlockVector,
    /// Whether W is diagonal.
    pub(super) is_diagonal: bool,
}

impl Block {
    /// `W r`, of the matrices of all blocks.
    #[inline(always)]
    pub(super) fn inverse_mass_times(&self, inverse: &[f64], r: &BlockVector) -> BlockVector {
        let mut out = [0.0; MAX_BLOCK];
        if self.is_diagonal {
            (0..MAX_BLOCK).for_each(|i| out[i] = self.diagonal[i] * r[i]);
            return out;
        }
        let n = self.width;
        for (i, out) in out[..n].iter_mut().enumerate() {
            let w = &inverse[self.at + i * n..self.at + (i + 1) * n];
            *out = w.iter().zip(r).map(|(w, r)| w * r).sum();
        }
        out
    }

    /// `Lᵀ r`, of the factors of all blocks.
    #[inline(always)]
    pub(super) fn mass_scaled(&self, factor: &[f64], r: &BlockVector) -> BlockVector {
        let mut out = [0.0; MAX_BLOCK];
        if self.is_diagonal {
            (0..MAX_BLOCK).for_each(|i| out[i] = self.roots[i] * r[i]);
            return out;
        }
        let n = self.width;
        for (i, r) in r[..n].iter().enumerate() {
            let l = &factor[self.at + i * n..=self.at + i * n + i];
            out.iter_mut().zip(l).for_each(|(out, l)| *out += l * r);
        }
        out
    }
}

/// The blocks with their inverse masses.
#[derive(Clone, Copy)]
pub(super) struct Masses<'a> {
    pub(super) blocks: &'a [Block],
    pub(super) inverse: &'a [f64],
}

/// A sparse row r.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// Where each touched block begins in the velocity, how wide it is, and its index.
    starts: [u32; 2],
    widths: [u8; 2],
    pub(super) sides: u8,
    pub(super) blocks: [u32; 2],
    values: [BlockVector; 2],
    /// `rᵀ W r`: velocity along the row per unit of impulse along it.
    pub(super) compliance: f64,
    /// Velocity along the row that is independent of the unknowns: that of a wall which is driven.
    pub(super) drift: f64,
}

impl Row {
    pub(super) fn new() -> Self {
        Self {
            starts: [0; 2],
            widths: [0; 2],
            sides: 0,
            blocks: [0; 2],
            values: [[0.0; MAX_BLOCK]; 2],
            compliance: 0.0,
            drift: 0.0,
        }
    }

    /// Adds the entries of a block.
    #[inline(always)]
    pub(super) fn add_block(&mut self, index: usize, block: &Block, inverse: &[f64], values: &[f64]) {
        let side = self.sides as usize;
        self.blocks[side] = index as u32;
        self.starts[side] = block.start as u32;
        self.widths[side] = block.width as u8;
        let own = &mut self.values[side];
        match <&BlockVector>::try_from(values) {
            Ok(six) => *own = *six,
            Err(_) => own[..values.len()].copy_from_slice(values),
        }
        self.compliance += dot_six(own, &block.inverse_mass_times(inverse, own));
        self.sides += 1;
    }

    /// A row without entries between one or two blocks of six unknowns.
    #[inline(always)]
    pub(super) fn between(bodies: &[usize], blocks: &[Block]) -> Self {
        let mut row = Self::new();
        for (side, &body) in bodies.iter().enumerate().take(2) {
            row.blocks[side] = body as u32;
            row.starts[side] = blocks[body].start as u32;
            row.widths[side] = MAX_BLOCK as u8;
            row.sides += 1;
        }
        row
    }

    /// The same row with entries for each of its blocks.
    #[inline(always)]
    pub(super) fn with(
        &self,
        values: &[BlockVector; 2],
        drift: f64,
        bodies: &[usize],
        blocks: &[Block],
        inverse: &[f64],
    ) -> Self {
        let mut row = Self { values: *values, drift, ..*self };
        if let [body] = *bodies {
            row.values[1] = [0.0; MAX_BLOCK];
            row.compliance = dot_six(&values[0], &blocks[body].inverse_mass_times(inverse, &values[0]));
        } else if let [a, b] = *bodies {
            let on_a = dot_six(&values[0], &blocks[a].inverse_mass_times(inverse, &values[0]));
            row.compliance = on_a + dot_six(&values[1], &blocks[b].inverse_mass_times(inverse, &values[1]));
        }
        row
    }

    /// `rᵀ v`, and what is there without v
    #[inline(always)]
    pub(super) fn velocity_along(&self, v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for side in 0..usize::from(self.sides) {
            let (start, width) = (self.starts[side] as usize, usize::from(self.widths[side]));
            let (v, values) = (&v[start..start + width], &self.values[side]);
            sum += match <&BlockVector>::try_from(v) {
                Ok(v) => dot_six(values, v),
                Err(_) => values.iter().zip(v).map(|(r, v)| r * v).sum::<f64>(),
            };
        }
        self.drift + sum
    }

    /// `v += impulse W r`
    #[inline(always)]
    pub(super) fn apply_impulse(&self, masses: Masses, impulse: f64, v: &mut [f64]) {
        for side in 0..usize::from(self.sides) {
            let block = &masses.blocks[self.blocks[side] as usize];
            let response = block.inverse_mass_times(masses.inverse, &self.values[side]);
            let v = &mut v[block.start..block.start + block.width];
            match <&mut BlockVector>::try_from(&mut *v) {
                Ok(v) => (0..MAX_BLOCK).for_each(|i| v[i] += impulse * response[i]),
                Err(_) => v.iter_mut().zip(response).for_each(|(v, w)| *v += impulse * w),
            }
        }
    }

    /// `rᵀ W s` for another row.
    pub(super) fn coupling(&self, masses: Masses, other: &Self) -> f64 {
        let mut sum = 0.0;
        for (block, values) in self.halves() {
            for (same, theirs) in other.halves() {
                if block == same {
                    let response = masses.blocks[block as usize].inverse_mass_times(masses.inverse, theirs);
                    sum += dot_six(values, &response);
                }
            }
        }
        sum
    }

    /// Entries of both blocks, zeros for one that is not touched.
    #[inline(always)]
    pub(super) fn sides(&self) -> [&BlockVector; 2] {
        [&self.values[0], &self.values[1]]
    }

    /// Index and entries of each touched block, filled up with zeros.
    #[inline(always)]
    pub(super) fn halves(&self) -> impl Iterator<Item = (u32, &BlockVector)> {
        (0..usize::from(self.sides)).map(|side| (self.blocks[side], &self.values[side]))
    }

    /// Start and entries of each touched block.
    pub(super) fn parts(&self) -> impl Iterator<Item = (usize, &[f64])> {
        (0..usize::from(self.sides))
            .map(|side| (self.starts[side] as usize, &self.values[side][..usize::from(self.widths[side])]))
    }
}
