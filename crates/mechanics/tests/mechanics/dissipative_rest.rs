//! Bricks at rest under the exact and dissipative schemes.
//!
//! Cause of these tests: a wall of bricks took seconds per step and ended in numbers that were not finite. The time-of-impact bound
//! counted gravity for both bricks of a pair although it cancels; conservative advancement proceeded by roundings where parts
//! move as one; and the squares of momenta at rest underflow, where friction divided by their norm.

use crate::common::*;

const H: f64 = 1e-3;
const SIDES: Vec3 = Vec3::new(0.1, 0.2, 0.1);

/// Typical gap that the response leaves between bricks, m.
const GAP: f64 = 2.7e-14;

/// A stack of bricks from a height up, separated by roundings, moving as one rigid body.
fn tower(
    count: usize,
    height: f64,
    (velocity, spin): (Vec3, Vec3),
    restitution: f64,
    friction: f64,
) -> (Model, State) {
    let mut builder = level(restitution, friction);
    let middle = Vec3::new(0.0, 0.0, height + 0.5 * SIDES.z * count as f64);
    for k in 0..count {
        let place = Vec3::new(0.0, 0.0, height + (SIDES.z + GAP) * k as f64 + 0.5 * SIDES.z);
        let body = brick(&format!("brick-{k}"), SIDES, 300.0);
        free_body(&mut builder, body, place, velocity + spin.cross(&(place - middle)), spin);
    }
    builder.build().unwrap()
}

fn scheme(model: &Model, state: &State, loss: Option<CollisionModel>) -> Exact {
    let contacts = model.contacts.clone().unwrap();
    // Under the sequential law an elastic brick on an elastic floor takes a part of the energy of a ball that hits it.
    let options = ContactOptions { law: ImpactLaw::Moreau, ..ContactOptions::default() };
    Exact::new(model, contacts, state, &options, loss).unwrap()
}

#[test]
fn bricks_at_rest_need_few_separation_queries_per_step() {
    let still = (Vec3::zeros(), Vec3::zeros());
    for loss in [
        None,
        Some(CollisionModel::Frictionless),
        Some(CollisionModel::Frictional),
        Some(CollisionModel::Plastic),
    ] {
        let (model, mut state) = tower(4, 0.0, still, 0.3, 0.4);
        let mut scheme = scheme(&model, &state, loss);
        for step in 0..20 {
            scheme.step(&model, &mut state, H).unwrap();
            assert!(scheme.queries() <= 40, "{loss:?}, step {step}: {} queries", scheme.queries());
            for (k, place) in state.positions.iter().enumerate() {
                let stood = Vec3::new(0.0, 0.0, SIDES.z * (k as f64 + 0.5));
                assert!((place - stood).norm() < 1e-12, "{loss:?}, step {step}: {place}");
            }
        }
    }
}

#[test]
fn bricks_that_move_as_one_body_follow_a_parabola() {
    for spin in [Vec3::zeros(), Vec3::new(0.0, 0.0, 4.0), Vec3::new(1.0, -2.0, 4.0)] {
        let (model, mut state) = tower(3, 0.5, (Vec3::new(0.5, 0.0, 1.0), spin), 0.3, 0.4);
        let start = state.positions.clone();
        let mut scheme = scheme(&model, &state, Some(CollisionModel::Frictional));
        for step in 0..20 {
            scheme.step(&model, &mut state, H).unwrap();
            assert!(scheme.queries() <= 200, "{spin}, step {step}: {} queries", scheme.queries());
        }
        // The common centre of mass is in free flight.
        let t = 20.0 * H;
        let way: Vec3 = state.positions.iter().zip(&start).map(|(to, from)| to - from).sum::<Vec3>() / 3.0;
        let stone = Vec3::new(0.5 * t, 0.0, t - 0.5 * G * t * t);
        assert!((way - stone).norm() < 1e-12, "{spin}: {way} {stone}");
    }
}

#[test]
fn momenta_whose_squares_underflow_stay_finite() {
    for power in (-175..-145).step_by(1) {
        let tiny = 10f64.powi(power);
        let motion = (Vec3::new(3.0, -2.0, 0.0) * tiny, Vec3::new(5.0, -3.0, 7.0) * tiny);
        let (model, mut state) = tower(1, 0.0, motion, 0.3, 0.4);
        let mut scheme = scheme(&model, &state, Some(CollisionModel::Frictional));
        for _ in 0..5 {
            scheme.step(&model, &mut state, H).unwrap();
            assert!(state.is_finite(), "1e{power}: {state:?}");
        }
    }
}

/// A scheme that makes the momentum of one slot not finite.
struct NotFinite(usize);

impl Scheme for NotFinite {
    fn kind(&self) -> SchemeKind {
        SchemeKind::default()
    }

    fn order(&self) -> u32 {
        1
    }

    fn tolerances(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    fn step(&mut self, model: &Model, state: &mut State, _: f64) -> Result<SolverStats, StepFailure> {
        state.momenta[model.links[self.0].dof + 2] = f64::NAN;
        Ok(SolverStats::default())
    }

    fn step_record(&self) -> Option<&StepRecord> {
        None
    }
}

#[test]
fn a_number_that_is_not_finite_is_reported_with_its_body() {
    for slot in 0..3 {
        let (model, state) = tower(3, 0.0, (Vec3::zeros(), Vec3::zeros()), 0.3, 0.4);
        let name = model.bodies[model.links[slot].body].name.clone();
        let mut run = Simulation::new(model, state, Box::new(NotFinite(slot)), H).unwrap();
        let failure = run.step().unwrap_err();
        assert_eq!((failure.error, failure.body), (StepError::NotFinite, name));
        assert!(run.state().is_finite(), "the last good state");
    }
}

#[test]
fn a_ball_bounces_off_a_brick_at_rest() {
    // A brick at rest falls back for the whole step; a ball that hits it there must still bounce.
    let models = [
        (None, 0.5),
        (Some(CollisionModel::Frictionless), 0.5),
        (Some(CollisionModel::Frictional), 0.5),
        (Some(CollisionModel::Elastic), 1.0),
        (Some(CollisionModel::Plastic), 0.0),
    ];
    for (loss, e) in models {
        let mut builder = level(0.5, 0.4);
        builder.body(brick("brick", Vec3::new(0.4, 0.4, 0.2), 1000.0), Pose::at(Vec3::new(0.0, 0.0, 0.1)));
        builder.body(sphere("ball", 0.05, 300.0), Pose::at(Vec3::new(0.0, 0.0, 0.75)));
        let (model, state) = builder.build().unwrap();
        let scheme = scheme(&model, &state, loss);
        let mut run = Simulation::new(model, state, Box::new(scheme), H).unwrap();
        let mut impacts = Vec::new();
        while run.state().time < 0.4 {
            run.step().unwrap();
            // An elastic brick bounces on the floor at heights near rounding.
            let met = run.step_record().unwrap().impacts.iter();
            impacts.extend(met.filter(|impact| [impact.bodies.0, impact.bodies.1].contains(&2)).copied());
        }
        // From 0.5 m: it falls for t0, then rises with e g t0; the response is at the end of its step.
        let fall = (2.0 * 0.5 / G).sqrt();
        assert_eq!(impacts.len(), 1, "{loss:?}: {impacts:?}");
        assert!((impacts[0].time - fall).abs() <= H, "{loss:?}: {} {fall}", impacts[0].time);
        let rising = if e > 0.0 { e * G * fall - G * (run.state().time - fall) } else { 0.0 };
        let momentum = run.state().momenta[run.model().links[1].dof + 2];
        let speed = momentum / run.model().links[1].mass;
        assert!((speed - rising).abs() < 3.0 * G * H, "{loss:?}: {speed} {rising}");
        let brick = run.state().positions[0];
        let off = (brick - Vec3::new(0.0, 0.0, 0.1)).norm();
        // Without dissipation the energy gained by the fall of a step remains.
        assert!(off < if e == 1.0 { G * H * H } else { 1e-12 }, "{loss:?}: {off:e}");
    }
}
