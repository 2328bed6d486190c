//! Which points are one.

use nalgebra::SVector;

/// Indices of points, ascending, such that every point lies within `tolerance` of one that comes no later.
///
/// Points are sorted along the unit vector `along`; it should be one in which the rows of lattices do not line up.
pub(super) fn distinct<const D: usize>(
    points: &[SVector<f64, D>],
    along: &SVector<f64, D>,
    tolerance: f64,
) -> Vec<u32> {
    let key = |p: &SVector<f64, D>| along.dot(p);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by(|&a, &b| key(&points[a as usize]).total_cmp(&key(&points[b as usize])).then(a.cmp(&b)));
    let mut rank = vec![0usize; points.len()];
    for (place, &k) in order.iter().enumerate() {
        rank[k as usize] = place;
    }
    let mut taken = vec![false; points.len()];
    let mut kept = Vec::with_capacity(points.len());
    for (k, point) in points.iter().enumerate() {
        let here = key(point);
        let near = |&&other: &&u32| (key(&points[other as usize]) - here).abs() <= 1.5 * tolerance;
        let same =
            |&other: &u32| taken[other as usize] && (points[other as usize] - point).norm() <= tolerance;
        let before = order[..rank[k]].iter().rev().take_while(near).any(same);
        if !before && !order[rank[k] + 1..].iter().take_while(near).any(same) {
            taken[k] = true;
            kept.push(k as u32);
        }
    }
    kept
}
