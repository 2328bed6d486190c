//! Paths of the centres of mass, in the coordinate plane in which they extend furthest.

use super::plot::COLOURS;
use super::series::{Trajectory, samples};
use crate::report::canvas::{Canvas, HEIGHT, WIDTH};
use crate::report::page::escaped;
use std::io;

/// Points of all paths together, and of one at most.
const POINTS: usize = 12_000;
const LONGEST: usize = 3_000;
/// Bodies whose paths are drawn: more would hide each other.
const BODIES: usize = 40;
/// Bodies that are named.
const NAMED: usize = 8;
/// Extent beside the distance from the origin that is rounding.
const STILL: f64 = 1e-12;

/// The drawing.
pub fn paths(trajectory: &mut Trajectory) -> io::Result<String> {
    let names = trajectory.array("bodies")?.as_texts()?;
    let masses = trajectory.array("mass")?.as_floats()?;
    let centres = trajectory.array("centre_of_mass")?.as_floats()?;
    let moving: Vec<usize> = (0..names.len()).filter(|&b| masses[b] > 0.0).collect();
    let shown = &moving[..moving.len().min(BODIES)];
    let mut parts = |array: &str, width: usize| {
        let parts: Vec<_> = shown.iter().map(|&b| width * b..width * (b + 1)).collect();
        samples(trajectory, array, (POINTS / shown.len().max(1)).min(LONGEST), &parts)
    };
    let (positions, rotations) = (parts("position", 3)?, parts("rotation", 9)?);
    let path = |(k, &b): (usize, &usize)| -> Vec<[f64; 3]> {
        let c = &centres[3 * b..3 * b + 3];
        let place = |(p, r): (&Vec<f64>, &Vec<f64>)| {
            std::array::from_fn(|i| {
                let row = &r[9 * k + 3 * i..9 * k + 3 * i + 3];
                p[3 * k + i] + row[0] * c[0] + row[1] * c[1] + row[2] * c[2]
            })
        };
        positions.iter().zip(&rotations).map(place).collect()
    };
    let all: Vec<Vec<[f64; 3]>> = shown.iter().enumerate().map(path).collect();
    let extent = extent(&all);
    let furthest = all.iter().flatten().flatten().fold(0.0, |most: f64, v| most.max(v.abs()));
    if !(extent.iter().fold(0.0, |most: f64, e| most.max(*e)) > STILL * furthest) {
        let title = "Paths of the centres of mass";
        return Ok(format!(
            "<article><h2>{title}</h2><p class=\"none\">they stay where they are</p></article>\n"
        ));
    }
    let (i, j) = plane(&extent);
    let axes = ["x", "y", "z"];
    let mut canvas = Canvas::default();
    for (path, colour) in all.iter().zip(COLOURS.iter().cycle()) {
        canvas.line(path.iter().map(|p| [p[i], p[j]]).collect(), colour, 1.4, false);
    }
    for ((path, colour), (k, &b)) in all.iter().zip(COLOURS.iter().cycle()).zip(moving.iter().enumerate()) {
        let Some(end) = path.last().map(|p| [p[i], p[j]]) else { continue };
        canvas.dot(end, 4.0, colour, "#fff");
        if k < NAMED && moving.len() <= NAMED {
            canvas.label(end, escaped(&names[b]), "body-name");
        }
    }
    canvas.axes(vec![(axes[i], [1.0, 0.0]), (axes[j], [0.0, 1.0])]);
    let note = match moving.len() {
        n if n > BODIES => format!("<p class=\"none\">the first {BODIES} of {n} bodies</p>"),
        _ => String::new(),
    };
    let title = format!("Paths of the centres of mass in {}, {}", axes[i], axes[j]);
    Ok(format!(
        "<article><h2>{title}</h2><svg class=\"drawing\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">{}</svg>{note}</article>\n",
        canvas.svg()
    ))
}

/// How far all paths extend along each coordinate.
fn extent(paths: &[Vec<[f64; 3]>]) -> [f64; 3] {
    std::array::from_fn(|k| {
        let values = paths.iter().flatten().map(|p| p[k]);
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        high - low
    })
}

/// Extent of the vertical, relative to the greatest, from which the picture is upright: what falls and bounces is seen from
/// the side.
const UPRIGHT: f64 = 0.2;

/// The two coordinates that vary most, the vertical one upright and preferred.
fn plane(extent: &[f64; 3]) -> (usize, usize) {
    let wider = if extent[1] > extent[0] { 1 } else { 0 };
    if extent[2] > UPRIGHT * extent[wider] {
        return (wider, 2);
    }
    // Of equals, the vertical plane x, z and then the ground is preferred.
    let least = [1, 2, 0].into_iter().fold(1, |best, k| if extent[k] < extent[best] { k } else { best });
    [(1, 2), (0, 2), (0, 1)][least]
}

#[cfg(test)]
mod tests {
    use super::{extent, plane};

    #[test]
    fn paths_are_drawn_in_the_plane_they_fill() {
        assert_eq!(plane(&extent(&[vec![[0.0, 0.0, 0.0], [1.0, 2.0, 0.05]]])), (0, 1));
        assert_eq!(plane(&extent(&[vec![[0.0, 0.0, 0.0], [1.0, 2.0, 0.5]]])), (1, 2));
        assert_eq!(plane(&extent(&[vec![[0.0, 0.0, 0.0]], vec![[0.1, 2.0, 3.0]]])), (1, 2));
        assert_eq!(plane(&extent(&[vec![[0.0; 3], [1.0, 0.0, 0.0]]])), (0, 2));
    }
}
