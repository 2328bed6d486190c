//! Motors, servos and friction along joints, against closed forms, in every scheme that has them.

use crate::common::slider::{Slider, slider};
use percussion_mechanics::force::JointLaw;
use percussion_mechanics::schemes::SchemeKind;
use percussion_mechanics::table::Table;

/// Schemes with drives.
fn schemes() -> impl Iterator<Item = SchemeKind> {
    SchemeKind::with(|capable| capable.drives)
}

/// Error that a scheme of its order may have at a step `h`, for quantities of size one.
fn allowed(kind: SchemeKind, h: f64) -> f64 {
    if kind.capabilities().order == 2 { 4.0 * h * h } else { 4.0 * h }
}

/// Error of a rate that is held: rounding, or the tolerance of the problem of a step.
fn rounding(kind: SchemeKind) -> f64 {
    if kind.capabilities().uses_complementarity() { 1e-9 } else { 1e-13 }
}

fn friction(bound: f64) -> JointLaw {
    JointLaw::Friction { bound }
}

fn velocity(rate: f64, max: f64) -> JointLaw {
    JointLaw::Velocity { velocity: Table::constant([rate]), max }
}

fn servo(position: f64, (stiffness, damping): (f64, f64), max: f64) -> JointLaw {
    JointLaw::Servo { stiffness, damping, position: Table::constant([position]), max }
}

#[test]
fn a_block_with_dry_friction_stops_at_the_closed_form_time_and_place_and_stays() {
    // Mass 2, speed 3, friction 5: it stops after 1.2 s and 1.8 m.
    for kind in schemes() {
        for h in [4e-3, 2e-3] {
            let mut s =
                slider(kind, h, Slider { mass: 2.0, rate: 3.0, ..Slider::default() }, [friction(5.0)]);
            s.run_until(0.8).unwrap();
            let expected = 3.0 * 0.8 - 0.5 * 2.5 * 0.64;
            assert!((s.position() - expected).abs() < allowed(kind, h), "{kind}: {}", s.position());
            assert!((s.rate() - 1.0).abs() < 1e-9, "{kind}: {}", s.rate());
            s.run_until(1.3).unwrap();
            let at = s.position();
            assert!((at - 1.8).abs() < allowed(kind, h), "{kind}: {:e}", at - 1.8);
            s.run_until(3.0).unwrap();
            assert!((s.position() - at).abs() < 1e-14, "{kind}: {:e}", s.position() - at);
            assert!(s.rate().abs() < 1e-14, "{kind}: {:e}", s.rate());
            // All kinetic energy went into friction.
            let work = s.work("force-0");
            assert!((work + 9.0).abs() < 1e-9, "{kind}: {work}");
            assert!(s.unaccounted() < 1e-9, "{kind}: {:e}", s.unaccounted());
        }
    }
}

#[test]
fn friction_below_its_bound_does_not_creep_and_above_it_gives_the_closed_form_acceleration() {
    for kind in schemes() {
        let held = Slider { load: 4.999, ..Slider::default() };
        let mut s = slider(kind, 1e-2, held, [friction(5.0)]);
        s.run_until(10.0).unwrap();
        assert!(s.position().abs() < 1e-12, "{kind}: {:e}", s.position());
        let slipping = Slider { load: 5.5, ..Slider::default() };
        let mut s = slider(kind, 1e-2, slipping, [friction(5.0)]);
        s.run_until(2.0).unwrap();
        assert!((s.rate() - 1.0).abs() < 1e-9, "{kind}: {}", s.rate());
        assert!((s.position() - 1.0).abs() < allowed(kind, 1e-2) * 2.0, "{kind}: {}", s.position());
    }
}

#[test]
fn a_velocity_motor_reaches_its_rate_in_the_closed_form_time_and_holds_it_to_rounding() {
    // (max - load) / mass = 2: the rate 1 after 0.5 s.
    for kind in schemes() {
        let start = Slider { mass: 2.0, load: -3.0, ..Slider::default() };
        let h = 4e-3;
        let mut s = slider(kind, h, start, [velocity(1.0, 7.0)]);
        s.run_until(0.4).unwrap();
        assert!((s.rate() - 0.8).abs() < 1e-9, "{kind}: {}", s.rate());
        s.run_until(0.6).unwrap();
        let arrived = s.position();
        assert!((arrived - 0.35).abs() < allowed(kind, h), "{kind}: {arrived}");
        assert!((s.rate() - 1.0).abs() < rounding(kind), "{kind}: {:e}", s.rate() - 1.0);
        s.run_until(5.6).unwrap();
        assert!((s.rate() - 1.0).abs() < rounding(kind), "{kind}: {:e}", s.rate() - 1.0);
        assert!(
            (s.position() - arrived - 5.0).abs() < 100.0 * rounding(kind),
            "{kind}: {:e}",
            s.position() - arrived - 5.0
        );
        // Work of the motor: kinetic energy, and the load lifted.
        let expected = 0.5 * 2.0 + 3.0 * s.position();
        assert!(
            (s.work("force-0") - expected).abs() < allowed(kind, h) * expected,
            "{kind}: {} {expected}",
            s.work("force-0")
        );
    }
}

#[test]
fn an_overloaded_motor_slips_back_with_the_closed_form_acceleration() {
    for kind in schemes() {
        let mut s = slider(kind, 1e-2, Slider { load: -8.0, ..Slider::default() }, [velocity(0.0, 7.0)]);
        s.run_until(1.0).unwrap();
        assert!((s.rate() + 1.0).abs() < 1e-9, "{kind}: {}", s.rate());
        let mut s = slider(kind, 1e-2, Slider { load: -6.9, ..Slider::default() }, [velocity(0.0, 7.0)]);
        s.run_until(5.0).unwrap();
        assert!(s.position().abs() < 1e-13, "{kind}: {:e}", s.position());
    }
}

#[test]
fn a_velocity_motor_without_a_largest_torque_follows_a_table() {
    let table = Table::new(vec![0.0, 1.0, 2.0], vec![[0.0], [2.0], [-1.0]]).unwrap();
    for kind in schemes() {
        let law = JointLaw::Velocity { velocity: table.clone(), max: f64::INFINITY };
        let mut s = slider(kind, 1e-2, Slider { load: -6.0, ..Slider::default() }, [law]);
        for (t, rate) in [(0.5, 1.0), (1.0, 2.0), (1.5, 0.5), (2.5, -1.0)] {
            s.run_until(t).unwrap();
            assert!((s.rate() - rate).abs() < 10.0 * rounding(kind), "{kind}: {t} {}", s.rate());
        }
        assert!((s.position() - (1.0 + 0.5 - 0.5)).abs() < 0.02, "{kind}: {}", s.position());
    }
}

#[test]
fn a_servo_settles_with_the_closed_form_error_also_with_stiff_gains() {
    for kind in schemes() {
        for gains in [(100.0, 25.0), (1e6, 2e3), (1e9, 1e6)] {
            let mut s =
                slider(kind, 1e-2, Slider { load: -5.0, ..Slider::default() }, [servo(0.7, gains, 1e12)]);
            s.run_until(5.0).unwrap();
            let expected = 0.7 - 5.0 / gains.0;
            assert!(
                (s.position() - expected).abs() < 1e-6,
                "{kind} {gains:?}: {:e}",
                s.position() - expected
            );
            assert!(s.rate().abs() < 1e-6, "{kind} {gains:?}: {:e}", s.rate());
        }
    }
}

#[test]
fn a_saturated_servo_pulls_with_its_largest_force() {
    for kind in schemes() {
        let mut s = slider(kind, 1e-2, Slider::default(), [servo(1e3, (50.0, 10.0), 4.0)]);
        s.run_until(1.0).unwrap();
        assert!((s.rate() - 4.0).abs() < 1e-9, "{kind}: {}", s.rate());
    }
}

#[test]
fn damping_and_friction_of_a_joint_add_up() {
    // m v' = -F - d v from v0: v = (v0 + F/d) exp(-d t/m) - F/d.
    for kind in schemes() {
        let start = Slider { rate: 3.0, friction: 1.0, damping: 0.5, ..Slider::default() };
        let h = 2e-3;
        let mut s = slider(kind, h, start, []);
        s.run_until(1.0).unwrap();
        let expected = (3.0 + 2.0) * (-0.5_f64).exp() - 2.0;
        assert!((s.rate() - expected).abs() < allowed(kind, h), "{kind}: {} {expected}", s.rate());
        let stop = 2.0 * (2.5_f64).ln();
        s.run_until(stop + 0.05).unwrap();
        assert!(s.rate().abs() < 1e-14, "{kind}: {:e}", s.rate());
    }
}

#[test]
fn torsion_springs_swing_with_their_closed_form_period() {
    for kind in SchemeKind::with(|capable| capable.motors) {
        let h = 1e-3;
        let law = JointLaw::Spring { stiffness: 4.0, rest: 0.2 };
        let mut s = slider(kind, h, Slider::default(), [law]);
        s.run_until(1.0).unwrap();
        let expected = 0.2 - 0.2 * (2.0_f64).cos();
        assert!((s.position() - expected).abs() < 4.0 * h * 0.2, "{kind}: {} {expected}", s.position());
    }
}
