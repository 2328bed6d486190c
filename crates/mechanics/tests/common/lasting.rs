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

/// Painlevé's rod: thin, homogeneous, of mass and length one, its lower end sliding on a rough floor while it leans by `angle`.
#[derive(Clone, Copy, Debug)]
pub struct PainleveRod {
    /// Angle from the floor; the rod leans to +x.
    pub angle: f64,
    pub friction: f64,
    /// Velocity of the rod along x, m/s: it trails its end where this is negative.
    pub speed: f64,
}

impl PainleveRod {
    /// The scene: one body in the plane on a half-plane.
    pub fn builder(&self) -> ModelBuilder {
        let mut builder = ground(0.0, self.friction);
        let corners = [(-0.5, 0.0), (0.0, -0.01), (0.5, 0.0), (0.0, 0.01)].map(|(x, y)| Vec2::new(x, y));
        let shape = PlanarShape::Polygon(Polygon::from_vertices(&corners).unwrap());
        let at = Vec2::new(0.0, 0.5 * self.angle.sin());
        let id = flat(&mut builder, "rod", shape, (1.0, 1.0 / 12.0), self.angle, at);
        builder.velocity(id, Vec3::new(self.speed, 0.0, 0.0), Vec3::zeros());
        builder
    }

    /// Normal acceleration of the end per newton of pressure while it slides: not positive in Painlevé's paradox.
    pub fn compliance(&self, angle: f64) -> f64 {
        let way = self.speed.signum();
        1.0 + 3.0 * angle.cos() * (angle.cos() + way * self.friction * angle.sin())
    }

    /// Whether a sliding rod has a finite contact force that presses, at the start.
    pub fn is_consistent(&self) -> bool {
        self.compliance(self.angle) > 0.0
    }

    /// Angle, angular velocity and velocity along x after a time of sliding without detachment, by Runge-Kutta of fourth order:
    /// N (1 + 3 cos (cos ± μ sin)) = g - sin θ'²/2, θ'' = -6 N (cos ± μ sin), v' = ∓μ N, the sign that of the slip.
    pub fn sliding(&self, time: f64) -> [f64; 3] {
        let way = self.speed.signum();
        let rate = |[angle, spin, _]: [f64; 3]| {
            let pressure = (G - 0.5 * angle.sin() * spin * spin) / self.compliance(angle);
            let turning = -6.0 * pressure * (angle.cos() + way * self.friction * angle.sin());
            [spin, turning, -way * self.friction * pressure]
        };
        let add = |a: [f64; 3], b: [f64; 3], h: f64| [a[0] + h * b[0], a[1] + h * b[1], a[2] + h * b[2]];
        let mut state = [self.angle, 0.0, self.speed];
        let steps = 2000;
        let h = time / f64::from(steps);
        for _ in 0..steps {
            let k1 = rate(state);
            let k2 = rate(add(state, k1, 0.5 * h));
            let k3 = rate(add(state, k2, 0.5 * h));
            let k4 = rate(add(state, k3, h));
            state = add(add(add(add(state, k1, h / 6.0), k2, h / 3.0), k3, h / 3.0), k4, h / 6.0);
        }
        state
    }

    /// Angular velocity after the jam: the end stops at once, and angular momentum about it is kept.
    pub fn jammed_spin(&self) -> f64 {
        -1.5 * self.speed * self.angle.sin()
    }
}

/// A ladder of length two in the plane that leans on a wall at `angle` from the floor, with friction at both ends.
pub fn ladder(angle: f64, friction: f64) -> ModelBuilder {
    let mut builder = ground(0.0, friction);
    let wall = PlanarShape::HalfPlane(HalfPlane::new(Vec2::x(), 0.0).unwrap());
    builder.body(Body::fixed("wall").with_outline(wall, PlanarPose::identity()), Pose::identity());
    let corners = [(-1.0, 0.0), (0.0, -0.02), (1.0, 0.0), (0.0, 0.02)].map(|(x, y)| Vec2::new(x, y));
    let shape = PlanarShape::Polygon(Polygon::from_vertices(&corners).unwrap());
    // From the floor on the right to the wall on the left.
    let at = Vec2::new(angle.cos(), angle.sin());
    flat(&mut builder, "ladder", shape, (1.0, 1.0 / 3.0), std::f64::consts::PI - angle, at);
    builder
}

/// Whether a leaning ladder stays: tan of its angle is at least (1 - μ²)/(2 μ).
pub fn ladder_stays(angle: f64, friction: f64) -> bool {
    angle.tan() >= (1.0 - friction * friction) / (2.0 * friction)
}

/// Schemes that take restitution and friction, with their options for closed forms.
pub fn rough_schemes() -> Vec<(SchemeKind, SchemeOptions)> {
    SchemeKind::with(|capable| capable.friction)
        .map(|kind| (kind, SchemeOptions { lcp: sharp(), ..SchemeOptions::default() }))
        .collect()
}
