//! Bodies at rest and unloaded motors leave no contact problem unsolved: what is left of the laws is the rounding of coordinates.

use crate::common::lasting::simulated;
use crate::common::slider::{Slider, slider};
use crate::common::*;
use percussion_mechanics::force::JointLaw;
use percussion_mechanics::schemes::{SchemeKind, SchemeOptions};
use percussion_mechanics::table::Table;

/// Schemes with persistent contact.
const SCHEMES: [SchemeKind; 2] = [SchemeKind::Exact, SchemeKind::Decomposition];

/// Sides of blocks, m, and how they are turned on the slope.
const SIZES: [(f64, f64); 5] = [(0.01, 0.5), (0.2, 0.26), (0.2, 0.52), (1.0, 0.5), (100.0, 0.5)];

/// A cube on a slope below the friction angle, turned on it by `yaw`.
fn on_a_slope(side: f64, yaw: f64) -> ModelBuilder {
    let mut builder = falling();
    builder.contact(surface(0.0, 0.5));
    let tilt = Rotation3::from_axis_angle(&Vec3::z_axis(), 0.3)
        * Rotation3::from_axis_angle(&Vec3::y_axis(), 0.5f64.atan() - 0.5f64.to_radians());
    let normal = tilt * Vec3::z();
    builder.body(half_space("slope", normal, 0.0), Pose::identity());
    let turn = tilt * Rotation3::from_axis_angle(&Vec3::z_axis(), yaw);
    builder.body(cube("block", side), Pose::new(turn, normal * (0.5 * side)));
    builder
}

#[test]
fn a_block_at_rest_on_a_slope_leaves_no_step_unsolved() {
    for kind in SCHEMES {
        for (side, yaw) in SIZES {
            let mut sim = simulated(kind, on_a_slope(side, yaw), &SchemeOptions::default(), 1e-3);
            let (mut unsolved, mut residual) = (0, 0.0f64);
            for _ in 0..500 {
                sim.step().unwrap();
                let record = sim.step_record().unwrap();
                unsolved += record.unsolved;
                residual = residual.max(record.contact_residual);
            }
            assert!(unsolved == 0, "{kind}, {side} m, yaw {yaw}: {unsolved} unsolved, {residual:e}");
        }
    }
}

#[test]
fn a_motor_at_its_rate_without_a_load_leaves_no_step_unsolved() {
    let velocity = Table::constant([2.0]);
    for kind in SCHEMES.into_iter().chain([SchemeKind::Variational]) {
        let law = JointLaw::Velocity { velocity: velocity.clone(), max: 0.5 };
        let mut motor = slider(kind, 1e-3, Slider::default(), [law]);
        for _ in 0..5000 {
            motor.step().unwrap();
            let record = motor.step_record().unwrap();
            assert!(record.unsolved == 0, "{kind} at {}: {:e}", motor.state().time, record.contact_residual);
        }
        assert!((motor.rate() - 2.0).abs() < 1e-12, "{kind}: {}", motor.rate());
    }
}
