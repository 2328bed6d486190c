//! A body that turns freely in space.

use crate::common::*;
use percussion_mechanics::discrete::free_rotation::momentum_of_rotation;

const MOMENTS: Vec3 = Vec3::new(1.0, 2.0, 2.5);

fn energy(state: &State) -> f64 {
    let p = &state.momenta;
    let body = state.rotations[0].transpose() * Vec3::new(p[3], p[4], p[5]);
    0.5 * body.component_div(&MOMENTS).dot(&body)
}

/// Angular momentum read off two configurations, without looking at the state's own momenta.
fn spin_between(before: &Mat3, after: &Mat3, h: f64) -> Vec3 {
    let c = RodriguesVector::from_matrix(&(before.transpose() * after)).0;
    before * momentum_of_rotation(&MOMENTS, &c) / h
}

#[test]
fn a_million_steps_keep_angular_momentum_and_energy() {
    let spin = Vec3::new(0.4, 1.0, -0.7);
    let (model, mut state) = top(MOMENTS, spin).build().unwrap();
    let momentum = MOMENTS.component_mul(&spin);
    let start = energy(&state);
    let mut scheme = Variational::new(&model, &state);
    let h = 0.05;
    let (mut step_error, mut drift) = (0f64, 0f64);
    let (mut least, mut most) = (f64::INFINITY, 0f64);
    let mut orthogonal = 0f64;
    for _ in 0..1_000_000 {
        let before = state.rotations[0];
        scheme.step(&model, &mut state, h).unwrap();
        let seen = spin_between(&before, &state.rotations[0], h);
        step_error = step_error.max((seen - momentum).norm() / momentum.norm());
        let e = energy(&state) / start - 1.0;
        (least, most) = (least.min(e), most.max(e));
        let r = &state.rotations[0];
        orthogonal = orthogonal.max((r.transpose() * r - Mat3::identity()).amax());
        let p = &state.momenta;
        drift = drift.max((Vec3::new(p[3], p[4], p[5]) - momentum).norm() / momentum.norm());
    }
    assert!(step_error < 1e-13, "{step_error:e}");
    assert!(drift < 1e-11, "{drift:e}");
    assert!(orthogonal < 1e-14);
    // Without a potential the scheme keeps the energy of the momentum exactly, not only without drift.
    assert!(-least < 1e-12 && most < 1e-12, "{least:e} {most:e}");
}

#[test]
fn a_body_spun_about_its_middle_axis_tumbles_and_about_the_others_does_not() {
    for (axis, tumbles) in [(0, false), (1, true), (2, false)] {
        let mut spin = Vec3::repeat(1e-3);
        spin[axis] = 2.0;
        let (model, mut state) = top(MOMENTS, spin).build().unwrap();
        let mut scheme = Variational::new(&model, &state);
        let mut least = 1f64;
        for _ in 0..6000 {
            scheme.step(&model, &mut state, 1e-2).unwrap();
            // Component of the body's axis along where it started.
            least = least.min(state.rotations[0][(axis, axis)]);
        }
        assert_eq!(least < -0.9, tumbles, "axis {axis}: {least}");
    }
}

#[test]
fn a_symmetric_body_precesses_at_the_rate_of_the_closed_form() {
    let moments = Vec3::new(1.0, 1.0, 1.6);
    let spin = Vec3::new(0.3, 0.0, 2.0);
    let (model, start) = top(moments, spin).build().unwrap();
    let momentum = moments.component_mul(&spin);
    // The figure axis turns about the fixed momentum at |L|/J1.
    let until = 3.0;
    let axis = RodriguesVector::exp(&(momentum * (until / moments.x))).matrix() * Vec3::z();
    let error = |steps: usize| {
        let mut state = start.clone();
        let mut scheme = Variational::new(&model, &state);
        for _ in 0..steps {
            scheme.step(&model, &mut state, until / steps as f64).unwrap();
        }
        // The principal frame may list its axes in another order: the figure axis is the one of moment 1.6.
        let k = model.links[0].inertia.imax();
        (state.rotations[0].column(k) - axis).norm().min((state.rotations[0].column(k) + axis).norm())
    };
    let order = (error(300) / error(600)).log2();
    println!("error {:.1e}, order {order:.3}", error(600));
    assert!((1.95..2.05).contains(&order) && error(600) < 1e-3);
}
