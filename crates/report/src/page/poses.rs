//! Poses in 16 bits each for three coordinates and four quaternion components.
//!
//! ```text
//! number        n = round((x - low) / step), low and step by body and component
//! stored        n_k - (2 n_{k-1} - n_{k-2}) modulo 2^16: small where motion is smooth
//! order         by body, component, frame; the low bytes of all, then the high bytes
//! ```
//!
//! A coordinate is off by at most half a step, 1/131070 of the range the body moves in; a rotation by less than 1e-4.

use super::pack::{Pack, Ref};
use crate::quaternions::ContinuousQuaternions;
use crate::recording::Recording;
use serde::Serialize;

/// Components of a pose.
const PARTS: usize = 7;

/// Packed frames.
#[derive(Debug, Serialize)]
pub struct Packed {
    times: Ref,
    moving: Vec<usize>,
    low: Ref,
    step: Ref,
    poses: Ref,
    rows: usize,
}

/// Packs every `every`-th frame and the last.
pub fn packed(recording: &Recording, every: usize, pack: &mut Pack) -> Packed {
    let frames = &recording.frames;
    let chosen = chosen(frames.len(), every);
    let moving: Vec<usize> =
        (0..recording.appearances.len()).filter(|&k| recording.appearances[k].travels()).collect();
    let (mut low, mut step) = (Vec::new(), Vec::new());
    let mut rests: Vec<u16> = Vec::with_capacity(moving.len() * PARTS * chosen.len());
    let mut rows = vec![Vec::new(); PARTS];
    for &body in &moving {
        rows.iter_mut().for_each(Vec::clear);
        let mut quaternions = ContinuousQuaternions::new(1);
        for &frame in &chosen {
            let pose = &frames.at(frame)[body];
            let turn = quaternions.next(0, pose);
            let values = pose.position.iter().chain(turn.coords.iter());
            rows.iter_mut().zip(values).for_each(|(row, value)| row.push(*value));
        }
        for row in &rows {
            let (least, most) =
                row.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
            let size = (most - least) / f64::from(u16::MAX);
            residuals(row, least, size, &mut rests);
            low.push(least);
            step.push(size);
        }
    }
    let bytes = |k: usize| rests.iter().map(move |rest| rest.to_le_bytes()[k]);
    Packed {
        times: pack.doubles(chosen.iter().map(|&frame| frames.times[frame])),
        moving,
        low: pack.doubles(low),
        step: pack.doubles(step),
        poses: pack.raw(bytes(0).chain(bytes(1))),
        rows: recording.trajectory.rows(),
    }
}

/// Every `every`-th of `n` frames and the last.
pub fn chosen(n: usize, every: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..n).step_by(every).collect();
    if chosen.last().is_some_and(|&last| last + 1 < n) {
        chosen.push(n - 1);
    }
    chosen
}

/// The difference of each number from its extrapolation from the two previous ones.
fn residuals(row: &[f64], low: f64, step: f64, rests: &mut Vec<u16>) {
    let (mut before, mut last) = (0u16, 0u16);
    for (k, value) in row.iter().enumerate() {
        let number = if step > 0.0 { ((value - low) / step).round() as u16 } else { 0 };
        let guess = match k {
            0 => 0,
            1 => last,
            _ => last.wrapping_mul(2).wrapping_sub(before),
        };
        rests.push(number.wrapping_sub(guess));
        (before, last) = (last, number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Read back as the page reads it.
    fn read(rests: &[u16]) -> Vec<u16> {
        let (mut before, mut last, mut out) = (0u16, 0u16, Vec::new());
        for (k, rest) in rests.iter().enumerate() {
            let guess = match k {
                0 => 0,
                1 => last,
                _ => last.wrapping_mul(2).wrapping_sub(before),
            };
            (before, last) = (last, guess.wrapping_add(*rest));
            out.push(last);
        }
        out
    }

    #[test]
    fn numbers_come_back_to_half_a_step() {
        let row: Vec<f64> =
            (0..500).map(|k| 3.0 * (0.07 * f64::from(k)).sin() + f64::from(k % 37) * 0.01).collect();
        let (low, high) = (row.iter().copied().fold(9.0, f64::min), row.iter().copied().fold(-9.0, f64::max));
        let step = (high - low) / 65535.0;
        let mut rests = Vec::new();
        residuals(&row, low, step, &mut rests);
        for (n, x) in read(&rests).iter().zip(&row) {
            assert!((low + step * f64::from(*n) - x).abs() <= 0.5000001 * step);
        }
    }

    #[test]
    fn the_last_frame_is_always_there() {
        assert_eq!(chosen(10, 4), [0, 4, 8, 9]);
        assert_eq!(chosen(9, 4), [0, 4, 8]);
        assert!(chosen(0, 3).is_empty());
    }
}
