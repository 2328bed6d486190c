//! Many separations at once: parallel over chunks, and four pairs per vector register where the processor has AVX2.
//!
//! Every pair is independent and every path performs the same operations in the same order, so the answers are
//! those of [`separation()`](crate::separation::separation()) bit for bit, whatever the number of threads,
//! the instruction set or the order of the pairs.

#[cfg(target_arch = "x86_64")]
mod confirm;
#[cfg(target_arch = "x86_64")]
mod heights;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod queues;
#[cfg(target_arch = "x86_64")]
mod share;

use crate::Pose;
use crate::separation::{Options, QueryError, Separation, WarmStart, separation};
use crate::shapes::Solid;
use rayon::prelude::*;

/// One pair of a batch: indices into the batch's shapes and placements, and its prediction distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchPair {
    /// Shape of body a.
    pub shape_a: u32,
    /// Placement of body a.
    pub pose_a: u32,
    /// Shape of body b.
    pub shape_b: u32,
    /// Placement of body b.
    pub pose_b: u32,
    /// Prediction distance, metres, as [`Options::prediction`].
    pub prediction: f64,
}

impl BatchPair {
    /// The pair of parts `a` and `b`, where every part has its own shape and placement: a candidate pair of the broad phase.
    pub fn of_parts(a: u32, b: u32, prediction: f64) -> Self {
        Self { shape_a: a, pose_a: a, shape_b: b, pose_b: b, prediction }
    }

    #[inline(always)]
    fn options(&self) -> Options {
        Options { prediction: self.prediction, beta: None }
    }
}

/// A batch whose slices do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// One warm start and one answer are needed per pair.
    #[error("{pairs} pairs need as many warm starts ({warm} given) and answers ({answers} given)")]
    Lengths {
        /// Number of pairs.
        pairs: usize,
        /// Number of warm starts.
        warm: usize,
        /// Number of slots for answers.
        answers: usize,
    },
    /// A pair refers to a shape or placement that is not there.
    #[error("pair {pair} refers to {what} {index}, but there are only {count}")]
    OutOfRange {
        /// Position of the pair.
        pair: usize,
        /// `shape` or `placement`.
        what: &'static str,
        /// The index it names.
        index: u32,
        /// How many there are.
        count: usize,
    },
}

/// An answer of a batch.
pub type BatchAnswer = Result<Separation, QueryError>;

/// Pairs per task: large enough to hide the cost of a task, small enough to share evenly.
const CHUNK: usize = 256;

/// How a batch is to be computed. The answers do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchSettings {
    /// Share the pairs among the threads of the current rayon pool.
    pub parallel: bool,
    /// Use vector instructions where the processor has them.
    pub vector: bool,
}

impl Default for BatchSettings {
    fn default() -> Self {
        Self { parallel: true, vector: true }
    }
}

/// Separations of all `pairs` along their lines of reference points, written to `answers`; `warm` holds the warm start of each
/// pair from call to call. A warm call allocates nothing once `answers` has grown.
///
/// ```
/// use percussion_geometry::batch::{BatchPair, separations};
/// use percussion_geometry::separation::WarmStart;
/// use percussion_geometry::shapes::{Solid, Sphere};
/// use percussion_geometry::{Pose, Vec3};
///
/// let shapes = [Solid::Sphere(Sphere::new(0.5)?)];
/// let poses: Vec<Pose> = (0..3).map(|k| Pose::at(Vec3::new(2.0 * k as f64, 0.0, 0.0))).collect();
/// let pair = |a, b| BatchPair { shape_a: 0, pose_a: a, shape_b: 0, pose_b: b, prediction: f64::INFINITY };
/// let pairs = [pair(0, 1), pair(0, 2), pair(1, 2)];
/// let mut warm = [WarmStart::default(); 3];
/// let mut answers = Vec::new();
/// separations(&shapes, &poses, &pairs, &mut warm, &mut answers)?;
/// let found: Vec<f64> = answers.iter().map(|a| a.unwrap().separation).collect();
/// assert_eq!(found, [1.0, 3.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn separations(
    shapes: &[Solid],
    poses: &[Pose],
    pairs: &[BatchPair],
    warm: &mut [WarmStart],
    answers: &mut Vec<BatchAnswer>,
) -> Result<(), BatchError> {
    answers.resize(pairs.len(), Err(QueryError::BothUnbounded));
    separations_into(shapes, poses, pairs, &BatchSettings::default(), warm, answers)
}

/// As [`separations`], into a slice and with explicit settings.
pub fn separations_into(
    shapes: &[Solid],
    poses: &[Pose],
    pairs: &[BatchPair],
    settings: &BatchSettings,
    warm: &mut [WarmStart],
    answers: &mut [BatchAnswer],
) -> Result<(), BatchError> {
    if warm.len() != pairs.len() || answers.len() != pairs.len() {
        return Err(BatchError::Lengths { pairs: pairs.len(), warm: warm.len(), answers: answers.len() });
    }
    check_indices(shapes.len(), poses.len(), pairs)?;
    let task = |((pairs, warm), answers): ((&[BatchPair], &mut [WarmStart]), &mut [BatchAnswer])| {
        chunk(shapes, poses, pairs, settings.vector, warm, answers);
    };
    if settings.parallel && pairs.len() > CHUNK {
        pairs
            .par_chunks(CHUNK)
            .zip(warm.par_chunks_mut(CHUNK))
            .zip(answers.par_chunks_mut(CHUNK))
            .for_each(task);
    } else {
        task(((pairs, warm), answers));
    }
    Ok(())
}

/// Refuses pairs that refer to nothing.
fn check_indices(shapes: usize, poses: usize, pairs: &[BatchPair]) -> Result<(), BatchError> {
    let largest = |(shape, pose): (u32, u32), p: &BatchPair| {
        (shape.max(p.shape_a).max(p.shape_b), pose.max(p.pose_a).max(p.pose_b))
    };
    let (shape, pose) = pairs.iter().fold((0, 0), largest);
    if pairs.is_empty() || ((shape as usize) < shapes && (pose as usize) < poses) {
        return Ok(());
    }
    for (pair, p) in pairs.iter().enumerate() {
        for (what, index, count) in [
            ("shape", p.shape_a, shapes),
            ("shape", p.shape_b, shapes),
            ("placement", p.pose_a, poses),
            ("placement", p.pose_b, poses),
        ] {
            if index as usize >= count {
                return Err(BatchError::OutOfRange { pair, what, index, count });
            }
        }
    }
    Ok(())
}

/// One task's share, on one thread.
fn chunk(
    shapes: &[Solid],
    poses: &[Pose],
    pairs: &[BatchPair],
    vector: bool,
    warm: &mut [WarmStart],
    answers: &mut [BatchAnswer],
) {
    #[cfg(target_arch = "x86_64")]
    if vector && percussion_solve::simd::Instructions::detect().is_wide() {
        let size = queues::SHARE;
        for ((pairs, warm), answers) in
            pairs.chunks(size).zip(warm.chunks_mut(size)).zip(answers.chunks_mut(size))
        {
            let table = share::PairTable { shapes, poses, pairs };
            // SAFETY: the processor has AVX2, as tested; `separations_into` has checked lengths and indices.
            unsafe { share::solve_by_four(table, warm, answers) };
        }
        return;
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = vector;
    for ((pair, warm), answer) in pairs.iter().zip(warm).zip(answers) {
        *answer = one(shapes, poses, pair, warm);
    }
}

/// A single pair by the single call.
#[inline]
fn one(shapes: &[Solid], poses: &[Pose], pair: &BatchPair, warm: &mut WarmStart) -> BatchAnswer {
    let (a, b) = (&shapes[pair.shape_a as usize], &shapes[pair.shape_b as usize]);
    separation(a, &poses[pair.pose_a as usize], b, &poses[pair.pose_b as usize], &pair.options(), warm)
}
