//! Vertices in structure-of-arrays blocks of four, for support scans.

use crate::Vec3;

/// Four vertices: `x`, `y`, `z` of each, where vector registers load them whole.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Block(pub [[f64; 4]; 3]);

/// Vertices relative to the reference point: block `k` holds `x`, `y`, `z` of vertices `4k .. 4k + 4`.
/// The last block is filled up with copies of vertex 0, which can never win over it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    blocks: Vec<Block>,
    /// The same vertices one by one, padded to four numbers: one load each.
    points: Vec<[f64; 4]>,
}

impl Lanes {
    /// Packs the vertices, subtracting `reference`.
    pub fn new(vertices: &[Vec3], reference: &Vec3) -> Self {
        let blocks = vertices
            .chunks(4)
            .map(|chunk| {
                let pick = |k: usize| chunk.get(k).unwrap_or(&vertices[0]) - reference;
                let v = [pick(0), pick(1), pick(2), pick(3)];
                Block([0, 1, 2].map(|axis| [v[0][axis], v[1][axis], v[2][axis], v[3][axis]]))
            })
            .collect();
        let point = |v: &Vec3| [v.x - reference.x, v.y - reference.y, v.z - reference.z, 0.0];
        Self { blocks, points: vertices.iter().map(point).collect() }
    }

    /// The blocks: `[x; 4], [y; 4], [z; 4]` each.
    #[inline(always)]
    pub fn blocks(&self) -> &[[[f64; 4]; 3]] {
        // SAFETY: a block is its three times four numbers, without padding: 96 bytes, a multiple of its alignment.
        unsafe { std::slice::from_raw_parts(self.blocks.as_ptr().cast(), self.blocks.len()) }
    }

    /// The blocks with what the compiler must know to load them whole.
    #[inline(always)]
    pub(crate) fn aligned(&self) -> &[Block] {
        &self.blocks
    }

    /// Number of vertices (without the filling).
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.points.len()
    }

    /// Vertex `index` relative to the reference point.
    #[inline(always)]
    pub fn get(&self, index: usize) -> [f64; 3] {
        let [x, y, z, _] = self.points[index];
        [x, y, z]
    }

    /// Vertices relative to the reference point, each padded with a zero.
    #[inline(always)]
    pub fn points(&self) -> &[[f64; 4]] {
        &self.points
    }
}
