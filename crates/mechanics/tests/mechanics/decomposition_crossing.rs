//! Fast bodies and thin walls under the decomposition scheme.

use crate::common::*;

#[test]
fn no_body_passes_a_thin_wall_unnoticed_at_any_speed() {
    let mut counts = [0; 4];
    for (name, solid) in &flying_bodies() {
        for speed in [1.0, 5.0, 20.0, 60.0, 200.0] {
            for thick in [0.005, 0.02, 0.05] {
                for h in [1e-3, 1e-2] {
                    for (part, spin, meets) in [
                        (0.0, 0.0, false),
                        (1.0, 100.0, false),
                        (2.0, 0.0, false),
                        (1.0, 0.0, true),
                        (2.0, 100.0, true),
                    ] {
                        let flight = Flight { speed, thick, h, part, spin, meets };
                        let ending =
                            flight.ending(SchemeKind::Decomposition, solid, &SchemeOptions::default());
                        assert_ne!(ending, Ending::Unnoticed, "{name} {flight:?}");
                        counts[ending as usize] += 1;
                    }
                }
            }
        }
    }
    let [stopped, noticed, refused, _] = counts;
    println!("{stopped} stopped, {noticed} noticed, {refused} refused");
    // Those that turn by more than half a turn in a step are refused; the others have their impacts at the time of impact.
    assert!(20 * noticed < stopped);
}
