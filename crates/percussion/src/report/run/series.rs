//! Curves of a trajectory, reduced to what a page can show.
//!
//! A long run has more rows than a plot has pixels. Rows are gathered into buckets, and of each bucket the lowest and the
//! highest value are kept: a spike of one step stays visible. Memory does not grow with the run.

use std::fs::File;
use std::io::{self, BufReader};
use std::ops::Range;

use percussion_scene::run::npz::Reader;

/// Buckets of a curve: about one per pixel of a plot.
const BUCKETS: usize = 480;

/// An open trajectory.
pub type Trajectory = Reader<BufReader<File>>;

/// A curve over time: at each time the lowest and the highest value nearby.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Time, lowest, highest.
    pub points: Vec<[f64; 3]>,
}

impl Curve {
    /// Lowest and highest value of all.
    pub fn range(&self) -> (f64, f64) {
        self.points
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[1]), high.max(p[2])))
    }
}

/// Some columns of an array over time.
pub fn curves(trajectory: &mut Trajectory, array: &str, columns: &[(usize, &str)]) -> io::Result<Vec<Curve>> {
    let n = trajectory.rows("time")?.count();
    let buckets = n.min(BUCKETS);
    let end = |bucket: usize| (bucket + 1) * n / buckets;
    let times = times(trajectory, (0..buckets).map(|bucket| if bucket == 0 { 0 } else { end(bucket) - 1 }))?;
    let mut rows = trajectory.rows(array)?;
    let named = columns.iter().map(|(_, name)| (*name).to_owned());
    let mut all: Vec<Curve> = named.map(|name| Curve { name, points: Vec::with_capacity(buckets) }).collect();
    let mut row = Vec::new();
    let mut next = 0;
    for (bucket, &time) in times.iter().enumerate() {
        for curve in &mut all {
            curve.points.push([time, f64::INFINITY, f64::NEG_INFINITY]);
        }
        for i in next..end(bucket) {
            rows.read(i, &mut row)?;
            for (curve, &(column, _)) in all.iter_mut().zip(columns) {
                let point = &mut curve.points[bucket];
                (point[1], point[2]) = (point[1].min(row[column]), point[2].max(row[column]));
            }
        }
        next = end(bucket);
    }
    Ok(all)
}

fn times(trajectory: &mut Trajectory, indices: impl Iterator<Item = usize>) -> io::Result<Vec<f64>> {
    let mut rows = trajectory.rows("time")?;
    let mut row = Vec::new();
    indices.map(|i| rows.read(i, &mut row).map(|()| row[0])).collect()
}

/// Parts of the rows of an array at about evenly spaced instants, at most `most` of them, with the first and the last.
pub fn samples(
    trajectory: &mut Trajectory,
    array: &str,
    most: usize,
    parts: &[Range<usize>],
) -> io::Result<Vec<Vec<f64>>> {
    let mut rows = trajectory.rows(array)?;
    let (n, wanted) = (rows.count(), rows.count().min(most));
    let mut row = Vec::new();
    let mut sample = |k: usize| {
        rows.read(k * (n - 1) / (wanted - 1).max(1), &mut row)?;
        Ok(parts.iter().flat_map(|part| row[part.clone()].iter().copied()).collect())
    };
    (0..wanted).map(&mut sample).collect()
}
