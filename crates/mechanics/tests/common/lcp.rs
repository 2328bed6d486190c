//! Bodies in space and in the plane, for the tests of time stepping with complementarity.

use super::*;

/// Acceleration of falling bodies, m/s².
pub const G: f64 = 9.81;

/// Problems solved to rounding, for closed forms.
pub fn sharp() -> LcpOptions {
    LcpOptions { tolerance: 1e-13, ..LcpOptions::default() }
}

/// A run of time stepping with complementarity.
pub fn stepped(builder: ModelBuilder, lcp: LcpOptions, h: f64) -> Simulation {
    let (model, state) = builder.build_open().unwrap();
    let options = SchemeOptions { lcp, ..SchemeOptions::default() };
    let scheme = SchemeKind::Lcp.build(&model, &state, &options).unwrap();
    Simulation::new(model, state, scheme, h).unwrap()
}

pub fn solve(sim: &Simulation) -> LcpSolveStats {
    sim.step_record().unwrap().solve.unwrap()
}

/// Deepest overlap or widest opening at the beginning of the last step.
pub fn infeasibility(sim: &Simulation) -> f64 {
    sim.step_record().unwrap().infeasibility.unwrap()
}

/// Energy that the projection of positions brought in the last step, J.
pub fn projected_energy(sim: &Simulation) -> f64 {
    sim.step_record().unwrap().projection.map_or(0.0, |projection| projection.energy)
}

/// The default options and those of the published scheme.
pub fn stabilisations() -> [LcpOptions; 2] {
    [LcpOptions::default(), LcpOptions::published()]
}

/// The greatest gain of energy in a step beyond that of the projection of positions, J; every step is shown to `seen`.
pub fn greatest_gain(sim: &mut Simulation, steps: usize, mut seen: impl FnMut(&Simulation)) -> f64 {
    let (mut last, mut gain) = (energy(sim), f64::NEG_INFINITY);
    for _ in 0..steps {
        sim.step().unwrap();
        gain = gain.max(energy(sim) - last - projected_energy(sim));
        last = energy(sim);
        seen(sim);
    }
    gain
}

/// How far the body that moved most is from where it was.
pub fn drift(sim: &Simulation, start: &[Vec3]) -> f64 {
    sim.state().positions.iter().zip(start).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max)
}

pub fn energy(sim: &Simulation) -> f64 {
    sim.ledger().latest().energy()
}

/// A floor `z = 0` of gravity that pulls along x as on a slope.
pub fn slope(angle: f64, mu: f64) -> ModelBuilder {
    let mut builder = level(0.0, mu);
    builder.gravity(Vec3::new(G * angle.sin(), 0.0, -G * angle.cos()));
    builder
}

/// A body that never moves, with gravity and contact.
pub fn above(under: Body, mu: f64) -> ModelBuilder {
    let mut builder = falling();
    builder.body(under, Pose::identity());
    builder.contact(surface(0.0, mu));
    builder
}

/// A fixed slab whose upper side is z = 0.
pub fn slab(x: f64, y: f64, z: f64) -> Body {
    let solid = Solid::Polytope(Polytope::cuboid(x, y, z).unwrap());
    Body::fixed("slab").with_shape(solid, Pose::at(Vec3::new(0.0, 0.0, -0.5 * z)))
}

/// The half-plane below y = 0.
pub fn half_plane() -> Body {
    let outline = PlanarShape::HalfPlane(HalfPlane::new(Vec2::y(), 0.0).unwrap());
    Body::fixed("ground").with_outline(outline, PlanarPose::identity())
}

/// The half-plane with gravity along -y and contact.
pub fn ground(restitution: f64, mu: f64) -> ModelBuilder {
    let mut builder = ModelBuilder::new();
    builder.body(half_plane(), Pose::identity());
    builder.gravity(Vec3::new(0.0, -G, 0.0));
    builder.contact(surface(restitution, mu));
    builder
}

/// The ground, or a block on it whose upper side is at the height returned, and the index of the next body.
pub fn ground_or_block(on_block: bool, mu: f64) -> (ModelBuilder, f64, usize) {
    let mut builder = ground(0.0, mu);
    if !on_block {
        return (builder, 0.0, 1);
    }
    let corners = [(-2.0, 0.1), (4.0, 0.1), (4.0, 0.5), (-2.0, 0.5)];
    block(&mut builder, "block", &corners.map(|(x, y)| Vec2::new(x, y)));
    (builder, 0.5, 2)
}

/// A body of the plane; `moment` is that about its normal through the centre of mass, which is the origin of the shape.
pub fn flat(
    builder: &mut ModelBuilder,
    name: &str,
    shape: PlanarShape,
    (mass, moment): (f64, f64),
    angle: f64,
    at: Vec2,
) -> BodyId {
    let inertia = Matrix3::from_diagonal(&Vec3::new(0.5 * moment, 0.5 * moment, moment));
    let body = Body::rigid(name, mass, Vec3::zeros(), &inertia).unwrap();
    let turn = Rotation3::from_scaled_axis(Vec3::z() * angle);
    let pose = Pose::new(turn, Vec3::new(at.x, at.y, 0.0));
    let id = builder.body(body.with_outline(shape, PlanarPose::identity()), pose);
    builder.joint(builder.joint_at(name, JointKind::Planar, None, id, &Pose::identity()));
    id
}

/// A uniform polygon of density one with its corners in the world; its origin is its centroid.
pub fn plate(builder: &mut ModelBuilder, name: &str, corners: &[Vec2]) -> BodyId {
    let (mass, centre, moment) = area(corners);
    let local: Vec<Vec2> = corners.iter().map(|c| c - centre).collect();
    let shape = PlanarShape::Polygon(Polygon::from_vertices(&local).unwrap());
    flat(builder, name, shape, (mass, moment), 0.0, centre)
}

/// A polygon that never moves.
pub fn block(builder: &mut ModelBuilder, name: &str, corners: &[Vec2]) -> BodyId {
    let shape = PlanarShape::Polygon(Polygon::from_vertices(corners).unwrap());
    builder.body(Body::fixed(name).with_outline(shape, PlanarPose::identity()), Pose::identity())
}

/// Area, centroid and moment about it of a polygon, corners anticlockwise.
pub fn area(corners: &[Vec2]) -> (f64, Vec2, f64) {
    let (mut area, mut first, mut second) = (0.0, Vec2::zeros(), 0.0);
    for (k, a) in corners.iter().enumerate() {
        let b = &corners[(k + 1) % corners.len()];
        let cross = a.x * b.y - a.y * b.x;
        area += 0.5 * cross;
        first += (a + b) * (cross / 6.0);
        second += cross * (a.norm_squared() + a.dot(b) + b.norm_squared()) / 12.0;
    }
    let centre = first / area;
    (area, centre, second - area * centre.norm_squared())
}
