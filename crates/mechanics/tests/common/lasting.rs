//! Scenes of contact that lasts, with their closed forms, for all schemes that take them.

use super::*;

/// A simulation by a scheme of a kind, in the coordinates that it takes.
pub fn simulated(kind: SchemeKind, builder: ModelBuilder, options: &SchemeOptions, h: f64) -> Simulation {
    let built = match kind.capabilities().coordinates {
        Coordinates::Reduced => builder.build(),
        Coordinates::Maximal => builder.build_open(),
    };
    let (model, state) = built.unwrap();
    let scheme = kind.build(&model, &state, options).unwrap();
    Simulation::new(model, state, scheme, h).unwrap()
}

/// A cube of side 0.2 m on a slope about the y axis, turned about its normal.
pub fn cube_on_slope(angle: f64, yaw: f64, friction: f64) -> ModelBuilder {
    let mut builder = falling();
    let normal = Vec3::new(angle.sin(), 0.0, angle.cos());
    builder.body(half_space("slope", normal, 0.0), Pose::identity());
    builder.contact(surface(0.0, friction));
    let turned =
        Rotation3::from_axis_angle(&Vec3::y_axis(), angle) * Rotation3::from_axis_angle(&Vec3::z_axis(), yaw);
    builder.body(cube("cube", 0.2), Pose::new(turned, normal * 0.1));
    builder
}

/// A body that spins, rolls or wobbles on a floor, and the size that penetrations are compared with.
pub struct Spinner {
    pub name: &'static str,
    pub body: Body,
    pub pose: Pose,
    pub velocity: Vec3,
    pub spin: Vec3,
    pub size: f64,
}

impl Spinner {
    pub fn on_floor(self, restitution: f64, friction: f64) -> ModelBuilder {
        let mut builder = level(restitution, friction);
        let id = builder.body(self.body, self.pose);
        builder.velocity(id, self.velocity, self.spin);
        builder
    }
}

/// A plate, a wobbling ellipsoid, a coin, a top on its tip and a rolling capsule.
pub fn spinners() -> Vec<Spinner> {
    let about_x = |angle: f64| Rotation3::from_axis_angle(&Vec3::x_axis(), angle);
    let shape = |name: &str, solid: Solid| solid_body(name, solid, 1000.0);
    let side = std::f64::consts::FRAC_PI_2;
    // The apex of a cone is at three quarters of its height from its centroid; that of the top is on the floor.
    let (height, tilt): (f64, f64) = (0.08, 0.2);
    let top = about_x(std::f64::consts::PI + tilt);
    vec![
        Spinner {
            name: "plate",
            body: brick("plate", Vec3::new(0.2, 0.2, 0.01), 1000.0),
            pose: Pose::at(Vec3::new(0.0, 0.0, 0.005)),
            velocity: Vec3::zeros(),
            spin: Vec3::new(0.0, 0.0, 20.0),
            size: 0.01,
        },
        Spinner {
            name: "ellipsoid",
            body: shape("ellipsoid", Solid::Ellipsoid(Ellipsoid::new(Vec3::new(0.1, 0.07, 0.05)).unwrap())),
            pose: Pose::at(Vec3::new(0.0, 0.0, 0.05)),
            velocity: Vec3::zeros(),
            spin: Vec3::new(0.5, 0.3, 8.0),
            size: 0.05,
        },
        Spinner {
            name: "coin",
            body: shape("coin", Solid::Cylinder(Cylinder::new(0.001, 0.05).unwrap())),
            pose: Pose::new(about_x(1.4), Vec3::new(0.0, 0.0, 0.05 * 1.4f64.sin() + 0.001 * 1.4f64.cos())),
            velocity: Vec3::zeros(),
            spin: Vec3::new(0.0, 0.0, 12.0),
            size: 0.002,
        },
        Spinner {
            name: "capsule",
            body: shape("capsule", Solid::Capsule(Capsule::new(0.2, 0.05).unwrap())),
            pose: Pose::new(about_x(side), Vec3::new(0.0, 0.0, 0.05)),
            velocity: Vec3::new(0.5, 0.0, 0.0),
            spin: Vec3::new(0.0, 0.0, 3.0),
            size: 0.05,
        },
        Spinner {
            name: "top",
            body: shape("top", Solid::Cone(Cone::new(height, 0.05).unwrap())),
            pose: Pose::new(top, Vec3::new(0.0, 0.0, 0.75 * height * tilt.cos())),
            velocity: Vec3::zeros(),
            spin: top * Vec3::z() * -150.0,
            size: 0.05,
        },
    ]
}
