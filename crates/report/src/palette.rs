//! The colours of bodies, the same in pages, pictures and exports.
//!
//! Ten colours that stand out from white and from nearly black, and that can be distinguished, also from the grey of what is
//! fixed, by readers who lack one of the three kinds of cones. Red is left to what is marked.

use crate::appearance::Appearance;

/// Fixed bodies.
pub const FIXED: [u8; 3] = [139, 144, 153];

/// The most different ones first.
const COLOURS: [[u8; 3]; 10] = [
    [0x15, 0x8d, 0xf2], // blue
    [0xee, 0xaf, 0x71], // apricot
    [0x2b, 0x78, 0x78], // teal
    [0xb1, 0x5f, 0xc3], // purple
    [0x84, 0x4c, 0x1f], // brown
    [0x5f, 0xcc, 0xbb], // mint
    [0x70, 0x7e, 0x09], // olive
    [0xa6, 0xaf, 0xfc], // lavender
    [0xb4, 0x98, 0x17], // mustard
    [0x63, 0x54, 0x9f], // indigo
];

/// The colour of the k-th moving body, red, green and blue as on a screen; after ten they come again.
pub fn colour(k: usize) -> [u8; 3] {
    COLOURS[k % COLOURS.len()]
}

/// The colours of bodies: those that the scene gives; of the others those that move are counted, and what is fixed is grey. A body
/// that has a colour of its own is counted too, so that the others keep theirs.
pub fn of_bodies(appearances: &[Appearance]) -> Vec<[u8; 3]> {
    let mut moving = 0..;
    let counted = appearances
        .iter()
        .map(|appearance| if appearance.moves { moving.next().map_or(FIXED, colour) } else { FIXED });
    counted.zip(appearances).map(|(counted, appearance)| appearance.colour.unwrap_or(counted)).collect()
}

/// Linear colour of an sRGB colour, for renderers.
pub fn linear(colour: [u8; 3]) -> [f64; 3] {
    colour.map(|value| {
        let share = f64::from(value) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3, matrix};

    /// Oklab coordinates (Ottosson 2020) of shares of light.
    fn oklab(light: Vector3<f64>) -> Vector3<f64> {
        let cones: Matrix3<f64> = matrix![
            0.4122214708, 0.5363325363, 0.0514459929;
            0.2119034982, 0.6806995451, 0.1073969566;
            0.0883024619, 0.2817188376, 0.6299787005];
        let axes: Matrix3<f64> = matrix![
            0.2104542553, 0.7936177850, -0.0040720468;
            1.9779984951, -2.4285922050, 0.4505937099;
            0.0259040371, 0.7827717662, -0.8086757660];
        axes * (cones * light.map(|v| v.clamp(0.0, 1.0))).map(f64::cbrt)
    }

    /// Colour vision without the cones for long, middle and short waves (Machado et al. 2009, severity 1).
    fn views() -> [Matrix3<f64>; 4] {
        [
            Matrix3::identity(),
            matrix![0.152286, 1.052583, -0.204868; 0.114503, 0.786281, 0.099216; -0.003882, -0.048116, 1.051998],
            matrix![0.367322, 0.860646, -0.227968; 0.280085, 0.672501, 0.047413; -0.011820, 0.042940, 0.968881],
            matrix![1.255528, -0.076749, -0.178779; -0.078411, 0.930809, 0.147602; 0.004733, 0.691367, 0.303900],
        ]
    }

    /// The closest two of these are as far apart for every reader as 0.08 in Oklab; of Tableau's ten they are not by 0.01.
    #[test]
    fn all_colours_can_be_distinguished_by_all_readers() {
        let all: Vec<[u8; 3]> = (0..10).map(colour).chain([FIXED]).collect();
        for view in views() {
            let seen: Vec<_> = all.iter().map(|c| oklab(view * Vector3::from(linear(*c)))).collect();
            for i in 0..seen.len() {
                for j in 0..i {
                    let apart = (seen[i] - seen[j]).norm();
                    assert!(apart > 0.08, "{:?} {:?}: {apart:.3}", all[i], all[j]);
                }
            }
        }
        assert_eq!(colour(13), colour(3));
    }

    #[test]
    fn all_colours_stand_out_from_white_and_from_nearly_black() {
        let luminance = |c| Vector3::from(linear(c)).dot(&Vector3::new(0.2126, 0.7152, 0.0722));
        for c in (0..10).map(colour).chain([FIXED]) {
            let (own, dark) = (luminance(c), luminance([21, 23, 28]));
            let contrasts = [1.05 / (own + 0.05), (own + 0.05) / (dark + 0.05)];
            assert!(contrasts.iter().all(|contrast| *contrast > 1.9), "{c:?}: {contrasts:?}");
        }
    }
}
