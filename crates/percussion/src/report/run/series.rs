//! Curves of a trajectory, reduced to what a page can show.
//!
//! A long run has more rows than a plot has pixels. Rows are gathered into buckets, and of each bucket the lowest and the
//! highest value are kept: a spike of one step stays visible. Memory does not grow with the run.

use std::fs::File;
use std::io::{self, BufReader};

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
    let time = trajectory.array("time")?.as_floats()?;
    let mut rows = trajectory.rows(array)?;
    let n = rows.count().min(time.len());
    let buckets = n.min(BUCKETS);
    let mut all: Vec<Curve> = columns
        .iter()
        .map(|(_, name)| Curve { name: (*name).to_owned(), points: Vec::with_capacity(buckets) })
        .collect();
    let mut row = Vec::new();
    for bucket in 0..buckets {
        let (begin, end) = (bucket * n / buckets, (bucket + 1) * n / buckets);
        for i in begin..end {
            rows.read(i, &mut row)?;
            for (curve, &(column, _)) in all.iter_mut().zip(columns) {
                let value = row[column];
                match curve.points.get_mut(bucket) {
                    // The first instant and the last belong to their buckets' ends.
                    None => curve.points.push([time[if bucket == 0 { 0 } else { end - 1 }], value, value]),
                    Some(point) => (point[1], point[2]) = (point[1].min(value), point[2].max(value)),
                }
            }
        }
    }
    Ok(all)
}

/// Rows of an array at about evenly spaced instants, at most `most` of them, with the first and the last.
pub fn samples(trajectory: &mut Trajectory, array: &str, most: usize) -> io::Result<Vec<Vec<f64>>> {
    let mut rows = trajectory.rows(array)?;
    let (n, wanted) = (rows.count(), rows.count().min(most));
    let mut all = Vec::with_capacity(wanted);
    for k in 0..wanted {
        let mut row = Vec::new();
        rows.read(k * (n - 1) / (wanted - 1).max(1), &mut row)?;
        all.push(row);
    }
    Ok(all)
}
