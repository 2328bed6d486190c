//! Fast bodies and thin walls: flights that stop, or pass with or without notice.

use super::*;

/// A wall across x, as thick as given.
pub fn wall(thick: f64) -> Solid {
    Solid::Polytope(Polytope::cuboid(thick, 2.0, 2.0).unwrap())
}

/// What flies at walls.
pub fn flying_bodies() -> [(&'static str, Solid); 4] {
    [
        ("sphere", Solid::Sphere(Sphere::new(0.05).unwrap())),
        ("box", Solid::Polytope(Polytope::cuboid(0.1, 0.08, 0.06).unwrap())),
        ("plate", Solid::Polytope(Polytope::cuboid(0.2, 0.2, 0.004).unwrap())),
        ("rod", Solid::Capsule(Capsule::new(0.2, 0.004).unwrap())),
    ]
}

/// A flight: relative speed, thickness of the wall, step, place within the step, spin, and whether the wall comes to meet it.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    pub speed: f64,
    pub thick: f64,
    pub h: f64,
    pub part: f64,
    pub spin: f64,
    pub meets: bool,
}

/// How a flight ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Stopped,
    /// On the other side, or past it at some time, with a crossing in the record.
    Noticed,
    /// The run ended with an error that names the body.
    Refused,
    Unnoticed,
}

impl Flight {
    /// Runs the flight of a solid by a scheme.
    pub fn ending(self, kind: SchemeKind, solid: &Solid, options: &SchemeOptions) -> Ending {
        let Self { speed, thick, h, part, spin, meets } = self;
        let mut builder = ModelBuilder::new();
        builder.contact(match kind.capabilities().uses_potential() {
            true => {
                ContactSpec { potential: Some(Potential { stiffness: 1e4, drag: 0.0 }), ..surface(1.0, 0.0) }
            }
            false => surface(0.0, 0.3),
        });
        if meets {
            let id = builder.body(solid_body("wall", wall(thick), 1e4), Pose::identity());
            builder.velocity(id, Vec3::x() * (0.5 * speed), Vec3::zeros());
        } else {
            builder.body(Body::fixed("wall").with_shape(wall(thick), Pose::identity()), Pose::identity());
        }
        let own = if meets { 0.5 * speed } else { speed };
        let turn = Rotation3::from_scaled_axis(Vec3::new(0.3, 0.4 * part, 0.1));
        let distance = 0.25 + speed * h * (1.0 + 0.3 * part);
        let id = builder.body(solid_body("body", solid.clone(), 1e3), Pose::new(turn, Vec3::x() * distance));
        builder.velocity(id, Vec3::new(-own, 0.1 * own * part, 0.0), Vec3::new(0.1, spin, 0.3 * spin));
        let mut sim = simulated(kind, builder, options, h);
        let (mut noticed, mut through) = (false, false);
        for _ in 0..((distance / speed / h) as usize + 4).min(400) {
            if let Err(failure) = sim.step() {
                let refused = matches!(failure.error, StepError::TurnsTooFar | StepError::NoConvergence);
                assert!(refused && !failure.body.is_empty(), "{failure}");
                return Ending::Refused;
            }
            let crossing = sim.step_record().unwrap().crossing;
            if let Some(Crossing { bodies, speed }) = crossing {
                assert!(bodies == (0, 1) || bodies == (1, 0));
                assert!(speed > 0.0);
                noticed = true;
            }
            let face = if meets { position(&sim, 0).x } else { 0.0 };
            let at = position(&sim, 1);
            through |= at.yz().amax() < 1.0 && at.x < face;
        }
        match (through, noticed) {
            (_, true) => Ending::Noticed,
            (true, false) => Ending::Unnoticed,
            (false, false) => Ending::Stopped,
        }
    }
}
