//! Scenes from Rust: bodies with shapes and densities and joints, by name.
//!
//! ```
//! use percussion_mechanics::schemes::SchemeKind;
//! use percussion_mechanics::SceneBuilder;
//!
//! let mut scene = SceneBuilder::new();
//! scene.gravity([0.0, 0.0, -9.81]).friction(0.5);
//! scene.fixed("floor").half_space([0.0, 0.0, 1.0]);
//! scene.body("box").cuboid([1.0, 1.0, 1.0]).density(1000.0).position([0.0, 0.0, 0.6]);
//! let mut simulation = scene.simulate(SchemeKind::Lcp, 1e-2)?;
//! simulation.run_until(1.0)?;
//! assert!((simulation.body("box")?.position().z - 0.5).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rest (forces, planar shapes, prescribed motions) is in [`ModelBuilder`].

use crate::body::{Body, BodyError};
use crate::contact::{ContactSpec, PairRule, Potential, Surface};
use crate::force::{ForceError, JointForce, JointLaw};
use crate::joint::{JointKind, Limits};
use crate::model::{BodyId, Model, ModelBuilder, ModelError, State};
use crate::rotation::Mat3;
use crate::schemes::{Coordinates, SchemeError, SchemeKind, SchemeOptions, UnsupportedScene};
use crate::simulation::Simulation;
use crate::views::UnknownName;
use nalgebra::Rotation3;
use percussion_geometry::shapes::{Capsule, Cylinder, HalfSpace, Polytope, Solid, Sphere};
use percussion_geometry::{MassProperties, Pose, ShapeError, Vec3};
use thiserror::Error;

/// Density of bodies without their own, kg/m³: of water.
const DENSITY: f64 = 1000.0;

/// Bodies and joints by name, from which simulations are made.
#[derive(Clone, Debug)]
pub struct SceneBuilder {
    gravity: Vec3,
    surface: Surface,
    potential: Option<Potential>,
    contact: bool,
    bodies: Vec<BodyBuilder>,
    joints: Vec<JointBuilder>,
    apart: Vec<(String, String)>,
}

/// A body of a scene; its methods can be chained.
#[derive(Clone, Debug)]
pub struct BodyBuilder {
    name: String,
    fixed: bool,
    shapes: Vec<(Solid, Pose)>,
    refused: Option<ShapeError>,
    density: f64,
    mass: Option<(f64, Vec3, Mat3)>,
    pose: Pose,
    velocity: Option<(Vec3, Vec3)>,
    surface: Option<Surface>,
}

/// A joint of a scene; its methods can be chained.
#[derive(Clone, Debug)]
pub struct JointBuilder {
    name: String,
    kind: JointKind,
    parent: Option<String>,
    child: String,
    frame: Pose,
    rates: Option<Vec<f64>>,
    closes_loop: bool,
    limits: [Option<Limits>; 3],
    friction: [f64; 3],
    damping: [f64; 3],
    /// Forces along its coordinates: name, coordinate and law.
    forces: Vec<(String, usize, JointLaw)>,
}

/// Error of a scene that cannot be simulated.
#[derive(Debug, Error)]
pub enum SceneBuilderError {
    /// An invalid shape.
    #[error("body `{body}`: {error}")]
    Shape {
        /// The body.
        body: String,
        /// Why.
        error: ShapeError,
    },
    /// Invalid mass properties.
    #[error("body `{body}`: {error}")]
    Body {
        /// The body.
        body: String,
        /// Why.
        error: BodyError,
    },
    /// A body without mass.
    #[error("body `{body}` has neither a shape of finite volume nor a mass; give it one, or make it fixed")]
    NoMass {
        /// The body.
        body: String,
    },
    /// A joint, or a pair of bodies, with an unknown body.
    #[error("{place}: {error}")]
    UnknownBody {
        /// The joint or the pair.
        place: String,
        /// The name.
        error: UnknownName,
    },
    /// Contact as a potential without its stiffness.
    #[error("under the scheme {scheme} contact is a potential; give its stiffness with `contact_potential`")]
    NoStiffness {
        /// The scheme.
        scheme: SchemeKind,
    },
    /// An invalid model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A scheme that cannot simulate the scene.
    #[error(transparent)]
    Unsupported(#[from] UnsupportedScene),
    /// A scheme that cannot be built.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// Forces without a value at the start.
    #[error(transparent)]
    Force(#[from] ForceError),
}

impl Default for SceneBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl SceneBuilder {
    /// An empty scene without gravity, with plastic and smooth contact between all bodies with shapes.
    pub fn new() -> Self {
        Self {
            gravity: Vec3::zeros(),
            surface: Surface { restitution: 0.0, friction: 0.0 },
            potential: None,
            contact: true,
            bodies: Vec::new(),
            joints: Vec::new(),
            apart: Vec::new(),
        }
    }

    /// Uniform gravity, m/s².
    pub fn gravity(&mut self, gravity: impl Into<Vec3>) -> &mut Self {
        self.gravity = gravity.into();
        self
    }

    /// Coefficient of restitution of bodies without their own, from 0 to 1.
    pub fn restitution(&mut self, restitution: f64) -> &mut Self {
        self.surface.restitution = restitution;
        self
    }

    /// Coefficient of friction of bodies without their own.
    pub fn friction(&mut self, friction: f64) -> &mut Self {
        self.surface.friction = friction;
        self
    }

    /// Stiffness (N/m) and normal damping (N s/m) of the contact potential, for schemes with one.
    pub fn contact_potential(&mut self, stiffness: f64, damping: f64) -> &mut Self {
        self.potential = Some(Potential { stiffness, drag: damping });
        self
    }

    /// Disables contact: shapes define mass only.
    pub fn without_contact(&mut self) -> &mut Self {
        self.contact = false;
        self
    }

    /// Excludes contact between two bodies.
    pub fn exclude(&mut self, a: impl Into<String>, b: impl Into<String>) -> &mut Self {
        self.apart.push((a.into(), b.into()));
        self
    }

    /// Adds a body that forces and contact move.
    pub fn body(&mut self, name: impl Into<String>) -> &mut BodyBuilder {
        self.add(name.into(), false)
    }

    /// Adds a body at rest, such as a floor.
    pub fn fixed(&mut self, name: impl Into<String>) -> &mut BodyBuilder {
        self.add(name.into(), true)
    }

    fn add(&mut self, name: String, fixed: bool) -> &mut BodyBuilder {
        self.bodies.push(BodyBuilder {
            name,
            fixed,
            shapes: Vec::new(),
            refused: None,
            density: DENSITY,
            mass: None,
            pose: Pose::identity(),
            velocity: None,
            surface: None,
        });
        let last = self.bodies.len() - 1;
        &mut self.bodies[last]
    }

    /// Adds a joint between the world, unless [`JointBuilder::parent`] names a body, and a body.
    pub fn joint(
        &mut self,
        name: impl Into<String>,
        kind: JointKind,
        child: impl Into<String>,
    ) -> &mut JointBuilder {
        self.joints.push(JointBuilder {
            name: name.into(),
            kind,
            parent: None,
            child: child.into(),
            frame: Pose::identity(),
            rates: None,
            closes_loop: false,
            limits: [None; 3],
            friction: [0.0; 3],
            damping: [0.0; 3],
            forces: Vec::new(),
        });
        let last = self.joints.len() - 1;
        &mut self.joints[last]
    }

    /// The model and its first state, in the coordinates of a scheme.
    pub fn build(&self, scheme: SchemeKind) -> Result<(Model, State), SceneBuilderError> {
        let mut builder = ModelBuilder::new();
        builder.gravity(self.gravity);
        for body in &self.bodies {
            let id = builder.body(body.build()?, body.pose);
            if let Some((linear, angular)) = body.velocity {
                builder.velocity(id, linear, angular);
            }
        }
        for joint in &self.joints {
            let place = || format!("joint `{}`", joint.name);
            let parent = joint.parent.as_deref().map(|name| self.id(name, place)).transpose()?;
            let child = self.id(&joint.child, place)?;
            let mut spec = builder.joint_at(&joint.name, joint.kind, parent, child, &joint.frame);
            (spec.limits, spec.friction, spec.damping) = (joint.limits, joint.friction, joint.damping);
            if joint.closes_loop {
                builder.close(spec);
                continue;
            }
            let id = builder.joint(spec);
            for (name, coordinate, law) in joint.forces.iter().cloned() {
                builder.joint_force(JointForce { name, slot: id.0, coordinate, law });
            }
            if let Some(rates) = &joint.rates {
                builder.rates(id, rates);
            }
        }
        if self.contact && self.bodies.iter().any(|body| !body.shapes.is_empty()) {
            builder.contact(self.contact_spec(scheme)?);
        }
        Ok(match scheme.capabilities().coordinates {
            Coordinates::Reduced => builder.build()?,
            Coordinates::Maximal => builder.build_open()?,
        })
    }

    /// A simulation with a scheme and a step, s.
    pub fn simulate(&self, scheme: SchemeKind, h: f64) -> Result<Simulation, SceneBuilderError> {
        self.simulate_with(scheme, &SchemeOptions::default(), h)
    }

    /// The same with options of the scheme.
    pub fn simulate_with(
        &self,
        scheme: SchemeKind,
        options: &SchemeOptions,
        h: f64,
    ) -> Result<Simulation, SceneBuilderError> {
        let (model, state) = self.build(scheme)?;
        scheme.check(&model, self.potential.map_or(0.0, |potential| potential.drag))?;
        let scheme = scheme.build(&model, &state, options)?;
        Ok(Simulation::new(model, state, scheme, h)?)
    }

    fn contact_spec(&self, scheme: SchemeKind) -> Result<ContactSpec, SceneBuilderError> {
        let potential = match scheme.capabilities().uses_potential() {
            true => Some(self.potential.ok_or(SceneBuilderError::NoStiffness { scheme })?),
            false => None,
        };
        let pairs = self.apart.iter().map(|(a, b)| {
            let place = || format!("excluded pair `{a}` and `{b}`");
            Ok(PairRule { a: self.id(a, place)?, b: self.id(b, place)?, collide: false, surface: None })
        });
        let surfaces = self.bodies.iter().map(|body| body.surface).collect();
        let pairs = pairs.collect::<Result<_, SceneBuilderError>>()?;
        Ok(ContactSpec { surfaces, otherwise: Some(self.surface), pairs, potential })
    }

    fn id(&self, name: &str, place: impl Fn() -> String) -> Result<BodyId, SceneBuilderError> {
        let found = self.bodies.iter().position(|body| body.name == name).map(BodyId);
        let error = || UnknownName { what: "body", name: name.to_owned() };
        found.ok_or_else(|| SceneBuilderError::UnknownBody { place: place(), error: error() })
    }
}

impl BodyBuilder {
    /// Adds a shape at the origin of the body's own frame.
    pub fn shape(&mut self, solid: Solid) -> &mut Self {
        self.shape_at(solid, Pose::identity())
    }

    /// Adds a shape at a pose in the body's own frame.
    pub fn shape_at(&mut self, solid: Solid, pose: Pose) -> &mut Self {
        self.shapes.push((solid, pose));
        self
    }

    /// Adds a cuboid with these edges, m.
    pub fn cuboid(&mut self, edges: impl Into<Vec3>) -> &mut Self {
        let e = edges.into();
        self.try_shape(Polytope::cuboid(e.x, e.y, e.z).map(Solid::Polytope))
    }

    /// Adds the convex hull of points.
    pub fn convex_hull(&mut self, points: &[Vec3]) -> &mut Self {
        self.try_shape(Polytope::from_vertices(points).map(Solid::Polytope))
    }

    /// Adds a sphere, m.
    pub fn sphere(&mut self, radius: f64) -> &mut Self {
        self.try_shape(Sphere::new(radius).map(Solid::Sphere))
    }

    /// Adds a capsule along z, m.
    pub fn capsule(&mut self, half_length: f64, radius: f64) -> &mut Self {
        self.try_shape(Capsule::new(half_length, radius).map(Solid::Capsule))
    }

    /// Adds a cylinder along z, m.
    pub fn cylinder(&mut self, half_height: f64, radius: f64) -> &mut Self {
        self.try_shape(Cylinder::new(half_height, radius).map(Solid::Cylinder))
    }

    /// Adds the half-space behind the plane through the origin with this outward normal: a floor or a wall.
    pub fn half_space(&mut self, normal: impl Into<Vec3>) -> &mut Self {
        self.try_shape(HalfSpace::new(normal.into(), 0.0).map(Solid::HalfSpace))
    }

    fn try_shape(&mut self, shape: Result<Solid, ShapeError>) -> &mut Self {
        match shape {
            Ok(solid) => return self.shape(solid),
            Err(error) => self.refused = self.refused.take().or(Some(error)),
        }
        self
    }

    /// Density, kg/m³; 1000 without it.
    pub fn density(&mut self, density: f64) -> &mut Self {
        self.density = density;
        self
    }

    /// Mass (kg), centre of mass and inertia about it in the body's own frame, instead of those of its shapes.
    pub fn mass(&mut self, mass: f64, center: impl Into<Vec3>, inertia: Mat3) -> &mut Self {
        self.mass = Some((mass, center.into(), inertia));
        self
    }

    /// Origin of the body's own frame in the world.
    pub fn position(&mut self, position: impl Into<Vec3>) -> &mut Self {
        self.pose.position = position.into();
        self
    }

    /// Orientation of the body's own frame: a rotation vector, rad.
    pub fn rotation(&mut self, vector: impl Into<Vec3>) -> &mut Self {
        self.pose.rotation = Rotation3::from_scaled_axis(vector.into());
        self
    }

    /// Pose of the body's own frame.
    pub fn pose(&mut self, pose: Pose) -> &mut Self {
        self.pose = pose;
        self
    }

    /// Velocity of the centre of mass, m/s.
    pub fn velocity(&mut self, velocity: impl Into<Vec3>) -> &mut Self {
        self.velocity.get_or_insert((Vec3::zeros(), Vec3::zeros())).0 = velocity.into();
        self
    }

    /// Angular velocity, world axes, rad/s.
    pub fn angular_velocity(&mut self, velocity: impl Into<Vec3>) -> &mut Self {
        self.velocity.get_or_insert((Vec3::zeros(), Vec3::zeros())).1 = velocity.into();
        self
    }

    /// Restitution and friction of its surface.
    pub fn surface(&mut self, restitution: f64, friction: f64) -> &mut Self {
        self.surface = Some(Surface { restitution, friction });
        self
    }

    fn build(&self) -> Result<Body, SceneBuilderError> {
        let name = || self.name.clone();
        if let Some(error) = &self.refused {
            return Err(SceneBuilderError::Shape { body: name(), error: error.clone() });
        }
        let properties = || -> Option<MassProperties> {
            let placed = |(solid, pose): &(Solid, Pose)| Some(solid.mass_properties()?.placed(pose));
            self.shapes.iter().map(placed).sum::<Option<_>>().filter(|_| !self.shapes.is_empty())
        };
        let body = match (self.fixed, &self.mass) {
            (true, _) => Ok(Body::fixed(&self.name)),
            (false, Some((mass, center, inertia))) => Body::rigid(&self.name, *mass, *center, inertia),
            (false, None) => {
                let properties = properties().ok_or_else(|| SceneBuilderError::NoMass { body: name() })?;
                Body::of_density(&self.name, &properties, self.density)
            }
        };
        let body = body.map_err(|error| SceneBuilderError::Body { body: name(), error })?;
        Ok(self.shapes.iter().fold(body, |body, (solid, pose)| body.with_shape(solid.clone(), *pose)))
    }
}

impl JointBuilder {
    /// The parent body; the world without it.
    pub fn parent(&mut self, body: impl Into<String>) -> &mut Self {
        self.parent = Some(body.into());
        self
    }

    /// The point of the joint in the world, at the start.
    pub fn point(&mut self, point: impl Into<Vec3>) -> &mut Self {
        self.frame.position = point.into();
        self
    }

    /// The axis of the joint (z of its frame) in the world, at the start.
    pub fn axis(&mut self, axis: impl Into<Vec3>) -> &mut Self {
        let half_turn = || Rotation3::from_scaled_axis(Vec3::x() * std::f64::consts::PI);
        self.frame.rotation = Rotation3::rotation_between(&Vec3::z(), &axis.into()).unwrap_or_else(half_turn);
        self
    }

    /// The frame of the joint in the world, at the start.
    pub fn frame(&mut self, frame: Pose) -> &mut Self {
        self.frame = frame;
        self
    }

    /// Rates of its degrees of freedom at the start.
    pub fn rates(&mut self, rates: &[f64]) -> &mut Self {
        self.rates = Some(rates.to_vec());
        self
    }

    /// Limits of a coordinate, rad or m, with the coefficient of restitution of their stops.
    pub fn limits(&mut self, coordinate: usize, lower: f64, upper: f64, restitution: f64) -> &mut Self {
        if let Some(limits) = self.limits.get_mut(coordinate) {
            *limits = Some(Limits { lower, upper, restitution });
        }
        self
    }

    /// Bound of dry friction along a coordinate, N m or N.
    pub fn friction(&mut self, coordinate: usize, bound: f64) -> &mut Self {
        self.friction.iter_mut().skip(coordinate).take(1).for_each(|friction| *friction = bound);
        self
    }

    /// Damping along a coordinate, N m s/rad or N s/m.
    pub fn damping(&mut self, coordinate: usize, damping: f64) -> &mut Self {
        self.damping.iter_mut().skip(coordinate).take(1).for_each(|own| *own = damping);
        self
    }

    /// A motor, spring or damper along a coordinate, with a name.
    pub fn drive(&mut self, name: impl Into<String>, coordinate: usize, law: JointLaw) -> &mut Self {
        self.forces.push((name.into(), coordinate, law));
        self
    }

    /// Makes it a joint that closes a loop of others.
    pub fn closes_loop(&mut self) -> &mut Self {
        self.closes_loop = true;
        self
    }
}
