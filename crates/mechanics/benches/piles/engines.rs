//! The same scene in two engines.

use crate::scene::{DENSITY, FRICTION, GRAVITY, H, Scene};
use nalgebra::{Quaternion, Unit, UnitQuaternion};
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::{ContactSpec, Surface};
use percussion_mechanics::schemes::{Lcp, LcpOptions, Scheme};
use percussion_mechanics::spatial::{angular, linear};
use percussion_mechanics::step_record::LcpSolveStats;
use percussion_mechanics::{Body, Model, ModelBuilder, Motion, State};
use rapier3d_f64::prelude::{
    ColliderBuilder, IntegrationParameters, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector,
};

/// Something that makes steps.
pub trait Engine {
    fn step(&mut self);
    /// Where the bodies are, in the order of the scene.
    fn poses(&self) -> Vec<Pose>;
    fn kinetic(&self) -> f64;
    /// Contact points in the problem of the last step.
    fn contacts(&self) -> usize;
    /// How the last problem was solved, if the engine reports it.
    fn solve(&self) -> Option<LcpSolveStats>;
}

pub struct Ours {
    model: Model,
    state: State,
    scheme: Lcp,
}

impl Ours {
    pub fn new(scene: &Scene, options: &LcpOptions) -> Self {
        let mut builder = ModelBuilder::new();
        builder.gravity(Vec3::new(0.0, 0.0, -GRAVITY));
        let mut walls = Body::fixed("box");
        for (solid, pose) in &scene.walls {
            walls = walls.with_shape(solid.clone(), *pose);
        }
        if let Some(motion) = &scene.motion {
            walls = walls.with_motion(motion.clone());
        }
        builder.body(walls, Pose::identity());
        for (k, (polytope, pose)) in scene.bodies.iter().enumerate() {
            let solid = Solid::Polytope(polytope.clone());
            let properties = solid.mass_properties().unwrap();
            let body = Body::of_density(&format!("body-{k}"), &properties, DENSITY).unwrap();
            builder.body(body.with_shape(solid, Pose::identity()), *pose);
        }
        let surface = Surface { restitution: 0.0, friction: FRICTION };
        builder.contact(ContactSpec { otherwise: Some(surface), ..ContactSpec::default() });
        let (model, state) = builder.build_open().unwrap();
        let scheme = Lcp::new(&model, &state, options).unwrap();
        Self { model, state, scheme }
    }

    pub fn masses(&self) -> impl Iterator<Item = f64> {
        self.model.links.iter().map(|link| link.mass)
    }
}

impl Engine for Ours {
    fn step(&mut self) {
        self.scheme.step(&self.model, &mut self.state, H).unwrap();
    }

    fn poses(&self) -> Vec<Pose> {
        let links = self.model.links.iter().enumerate();
        links
            .map(|(slot, link)| self.model.bodies[link.body].own_pose(&self.state.principal_pose(slot)))
            .collect()
    }

    fn kinetic(&self) -> f64 {
        let twists = self.model.twists(&self.state);
        let links = self.model.links.iter().zip(&self.state.rotations).zip(&twists);
        links
            .map(|((link, rotation), t)| {
                let w = rotation.tr_mul(&angular(t));
                0.5 * (link.mass * linear(t).norm_squared() + w.dot(&link.inertia.component_mul(&w)))
            })
            .sum()
    }

    fn contacts(&self) -> usize {
        self.scheme.last_solve().contacts
    }

    fn solve(&self) -> Option<LcpSolveStats> {
        Some(self.scheme.last_solve())
    }
}

pub struct Rapier {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    walls: RigidBodyHandle,
    motion: Option<Motion>,
    steps: usize,
}

fn vector(v: &Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

impl Rapier {
    pub fn new(scene: &Scene, parameters: &IntegrationParameters) -> Self {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, 0.0, -GRAVITY);
        world.integration_parameters = IntegrationParameters { dt: H, ..*parameters };
        let walls = match scene.motion {
            Some(_) => RigidBodyBuilder::kinematic_position_based(),
            None => RigidBodyBuilder::fixed(),
        };
        let walls = world.insert_body(walls);
        for (solid, pose) in &scene.walls {
            let collider = match solid {
                Solid::HalfSpace(half) => {
                    ColliderBuilder::halfspace(Unit::new_unchecked(vector(&half.normal())))
                }
                Solid::Polytope(p) => cuboid(p.vertices()),
                _ => panic!("a wall is neither a half-space nor a cuboid"),
            };
            world.insert_collider(
                collider.translation(vector(&pose.position)).friction(FRICTION),
                Some(walls),
            );
        }
        let bodies = scene.bodies.iter().map(|(polytope, pose)| {
            let body = RigidBodyBuilder::dynamic()
                .translation(vector(&pose.position))
                .rotation(vector(&pose.rotation.scaled_axis()))
                .can_sleep(false);
            let points: Vec<Vector> = polytope.vertices().iter().map(vector).collect();
            let collider = match points.len() {
                8 if polytope.faces().len() == 6 => cuboid(polytope.vertices()),
                _ => ColliderBuilder::convex_hull(&points).unwrap(),
            };
            world.insert(body, collider.density(DENSITY).friction(FRICTION)).0
        });
        let bodies = bodies.collect();
        Self { world, bodies, walls, motion: scene.motion.clone(), steps: 0 }
    }

    pub fn masses(&self) -> impl Iterator<Item = f64> {
        self.bodies.iter().map(|handle| self.world.bodies[*handle].mass())
    }
}

/// The collider of a cuboid about the origin, along the axes.
fn cuboid(vertices: &[Vec3]) -> ColliderBuilder {
    let half = vertices[0].abs();
    assert!(vertices.iter().all(|v| (v.abs() - half).norm() < 1e-12));
    ColliderBuilder::cuboid(half.x, half.y, half.z)
}

impl Engine for Rapier {
    fn step(&mut self) {
        self.steps += 1;
        if let Some(motion) = &self.motion {
            let at = motion.pose(self.steps as f64 * H).position;
            self.world.bodies[self.walls].set_next_kinematic_translation(vector(&at));
        }
        self.world.step();
    }

    fn poses(&self) -> Vec<Pose> {
        let place = |handle: &RigidBodyHandle| {
            let at = self.world.bodies[*handle].position();
            let (t, r) = (at.translation, at.rotation);
            let turn = UnitQuaternion::from_quaternion(Quaternion::new(r.w, r.x, r.y, r.z));
            Pose::new(turn.to_rotation_matrix(), Vec3::new(t.x, t.y, t.z))
        };
        self.bodies.iter().map(place).collect()
    }

    fn kinetic(&self) -> f64 {
        self.bodies.iter().map(|handle| self.world.bodies[*handle].kinetic_energy()).sum()
    }

    fn contacts(&self) -> usize {
        let pairs = self.world.contact_pairs();
        pairs.flat_map(|pair| pair.manifolds()).map(|m| m.data.solver_contacts.len()).sum()
    }

    fn solve(&self) -> Option<LcpSolveStats> {
        None
    }
}
