//! A body on a prismatic joint along x, with a load along it, friction, limits and forces along the joint.

use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::body::Body;
use percussion_mechanics::contact::{ContactSpec, Surface};
use percussion_mechanics::force::{JointForce, JointLaw};
use percussion_mechanics::joint::Limits;
use percussion_mechanics::rotation::Mat3;
use percussion_mechanics::schemes::{Coordinates, SchemeKind, SchemeOptions};
use percussion_mechanics::{JointKind, Model, ModelBuilder, Simulation, State};
use std::ops::{Deref, DerefMut};

/// Mass, start and joint.
#[derive(Clone, Copy, Debug)]
pub struct Slider {
    pub mass: f64,
    pub rate: f64,
    /// Force along the joint.
    pub load: f64,
    pub friction: f64,
    pub damping: f64,
    pub limits: Option<Limits>,
}

impl Default for Slider {
    fn default() -> Self {
        Self { mass: 1.0, rate: 0.0, load: 0.0, friction: 0.0, damping: 0.0, limits: None }
    }
}

/// The simulation of a scene with one joint.
pub struct OneJoint(Simulation);

impl OneJoint {
    pub fn position(&self) -> f64 {
        self.0.state().coordinates[0]
    }

    /// Rate of the slider.
    pub fn rate(&self) -> f64 {
        self.0.body("slider").unwrap().velocity().x
    }

    pub fn work(&self, name: &str) -> f64 {
        self.0.ledger().source(name).unwrap().energy
    }

    pub fn unaccounted(&self) -> f64 {
        self.0.ledger().source("scheme").unwrap().energy.abs()
    }
}

impl Deref for OneJoint {
    type Target = Simulation;

    fn deref(&self) -> &Simulation {
        &self.0
    }
}

impl DerefMut for OneJoint {
    fn deref_mut(&mut self) -> &mut Simulation {
        &mut self.0
    }
}

/// The simulation.
pub fn slider<const N: usize>(kind: SchemeKind, h: f64, slider: Slider, laws: [JointLaw; N]) -> OneJoint {
    let mut builder = ModelBuilder::new();
    builder.gravity(Vec3::x() * (slider.load / slider.mass));
    let body = Body::rigid("slider", slider.mass, Vec3::zeros(), &(Mat3::identity() * 0.1)).unwrap();
    let body = builder.body(body, Pose::identity());
    let frame =
        Pose::new(nalgebra::Rotation3::rotation_between(&Vec3::z(), &Vec3::x()).unwrap(), Vec3::zeros());
    let mut spec = builder.joint_at("rail", JointKind::Prismatic, None, body, &frame);
    spec.limits[0] = slider.limits;
    (spec.friction[0], spec.damping[0]) = (slider.friction, slider.damping);
    let joint = builder.joint(spec);
    builder.rates(joint, &[slider.rate]);
    for (k, law) in laws.into_iter().enumerate() {
        builder.joint_force(JointForce { name: format!("force-{k}"), slot: joint.0, coordinate: 0, law });
    }
    OneJoint(simulate(kind, h, builder))
}

/// A simulation of what a builder builds; schemes that need contact get some out of reach.
pub fn simulate(kind: SchemeKind, h: f64, mut builder: ModelBuilder) -> Simulation {
    let (model, state) = build(kind, &mut builder);
    kind.check(&model, 0.0).unwrap();
    let scheme = kind.build(&model, &state, &SchemeOptions::default()).unwrap();
    Simulation::new(model, state, scheme, h).unwrap()
}

fn build(kind: SchemeKind, builder: &mut ModelBuilder) -> (Model, State) {
    let capable = kind.capabilities();
    if !capable.without_contact {
        for (k, x) in [1e3, 2e3].into_iter().enumerate() {
            let cube = Solid::Polytope(Polytope::cuboid(1.0, 1.0, 1.0).unwrap());
            let body = Body::rigid(&format!("far-{k}"), 1.0, Vec3::zeros(), &Mat3::identity()).unwrap();
            builder.body(body.with_shape(cube, Pose::identity()), Pose::at(Vec3::new(x, 1e3, 0.0)));
        }
        let otherwise = Some(Surface { restitution: 1.0, friction: 0.0 });
        let potential = capable
            .uses_potential()
            .then_some(percussion_mechanics::contact::Potential { stiffness: 1.0, drag: 0.0 });
        let surfaces = Vec::new();
        builder.contact(ContactSpec { surfaces, otherwise, pairs: Vec::new(), potential });
    }
    match capable.coordinates {
        Coordinates::Reduced => builder.clone().build().unwrap(),
        Coordinates::Maximal => builder.clone().build_open().unwrap(),
    }
}
