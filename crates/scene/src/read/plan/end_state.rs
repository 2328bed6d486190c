//! Poses and velocities of bodies at the start or the end: from the targets, and from the scene where there are none.

use super::measures::{self, BoundedMeasure};
use super::range::{equal, exact, nearest};
use super::targets::{BodyTarget, JointTarget};
use super::terminal::End;
use crate::report::{Place, Read};
use nalgebra::Rotation3;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::JointKind;
use percussion_mechanics::spatial::{angular, linear};
use percussion_solve::nlp::Bound;

/// The pose of the body of a slot.
pub(super) struct PlacementSpec {
    /// Pose in the world; for a body on a joint only if it is fully known.
    pub pose: Option<Pose>,
    /// The moving body relative to which it is given, with the relative pose.
    pub on: Option<(usize, Pose)>,
    pub coordinates: Vec<f64>,
    pub turned: Option<Rotation3<f64>>,
    pub known: bool,
    /// Its conditions, if the pose is not fully known.
    pub own: Vec<BoundedMeasure>,
    /// Further conditions.
    pub extra: Vec<BoundedMeasure>,
}

/// The velocity of the body of a slot.
#[derive(Default)]
pub(super) struct VelocitySpec {
    /// Velocity and angular velocity, if both are known.
    pub body: Option<(Vec3, Vec3)>,
    pub rates: Option<Vec<f64>>,
    pub measures: Vec<BoundedMeasure>,
    /// Place of the rates, which need the whole state of the mechanism.
    pub rates_key: Option<Place>,
}

impl VelocitySpec {
    pub fn known(&self) -> bool {
        self.body.is_some() || self.rates.is_some()
    }

    pub fn at_rest(&self) -> bool {
        let body = self.body.is_none_or(|(v, w)| v == Vec3::zeros() && w == Vec3::zeros());
        self.known() && body && self.rates.iter().flatten().all(|rate| *rate == 0.0)
    }
}

impl<'a> End<'a> {
    /// The pose of the body of a slot.
    pub(super) fn placement(&self, slot: usize) -> Read<PlacementSpec> {
        match self.context.link(slot).joint.kind {
            JointKind::Free => Ok(self.free_placement(slot)),
            _ => self.joint_placement(slot),
        }
    }

    /// The pose of a body without a joint.
    fn free_placement(&self, slot: usize) -> PlacementSpec {
        let context = self.context;
        let body = context.link(slot).body;
        let scene = context.pose(body);
        let target = self.targets.body(body).cloned().map(|target| self.absolute(target));
        let (free, kept) = (target.as_ref().map_or([false; 4], |target| target.free), self.kept[slot]);
        let own = target.as_ref().filter(|target| target.from.is_none());
        let at_origin = own.filter(|target| target.point.is_none());
        // A target replaces the pose of the scene, whatever its reference body.
        let bounded = target
            .as_ref()
            .map_or([false; 2], |target| [target.position.is_some(), target.rotation.is_some()]);
        let position = at_origin
            .and_then(|target| target.position)
            .or((kept && !bounded[0] && !free[0]).then(|| equal(&scene.position)));
        let rotation = own
            .and_then(|target| target.rotation)
            .or((kept && !bounded[1] && !free[1]).then_some(scene.rotation));
        let particle = context.is_particle(body);
        let place = position.as_ref().and_then(exact);
        let mut placement = PlacementSpec {
            pose: None,
            on: None,
            coordinates: Vec::new(),
            turned: None,
            known: place.is_some() && (rotation.is_some() || particle),
            own: Vec::new(),
            extra: target.as_ref().map_or_else(Vec::new, |target| target.alignments(context)),
        };
        let near = position
            .map_or(scene.position, |bounds| Vec3::from_fn(|i, _| nearest(bounds[i], scene.position[i])));
        placement.pose = Some(Pose::new(rotation.unwrap_or(scene.rotation), near));
        placement.own.extend(position.map(|bounds| measures::position(context, body, (None, None), bounds)));
        if !particle {
            placement.own.extend(rotation.map(|r| measures::orientation(context, body, None, &r)));
        }
        if let Some(target) = &target {
            let absorbed = |bounded: &BoundedMeasure| match bounded.key {
                "position" => at_origin.is_some(),
                _ => own.is_some(),
            };
            placement
                .extra
                .extend(target.placement(context).into_iter().filter(|bounded| !absorbed(bounded)));
            if let (Some(from), Some(place), None) =
                (target.from, target.position.as_ref().and_then(exact), target.point)
            {
                let turn = target.rotation.unwrap_or_else(Rotation3::identity);
                placement.on = Some((from, Pose::new(turn, place)));
            }
        }
        placement
    }

    /// A target relative to a fixed body, in the world.
    fn absolute(&self, mut target: BodyTarget<'a>) -> BodyTarget<'a> {
        let context = self.context;
        let Some(from) = target.from.filter(|&from| context.model.slots[from].is_none()) else {
            return target;
        };
        let pose = context.pose(from);
        let boxed = target.position.is_some_and(|bounds| exact(&bounds).is_none());
        if boxed || !target.align.is_empty() {
            return target;
        }
        target.position = target.position.as_ref().and_then(exact).map(|place| equal(&pose.point(&place)));
        target.rotation = target.rotation.map(|turn| pose.rotation * turn);
        target.from = None;
        target
    }

    /// The pose of a body on a joint.
    fn joint_placement(&self, slot: usize) -> Read<PlacementSpec> {
        let context = self.context;
        let link = context.link(slot);
        let joint: Option<&JointTarget> = self.targets.joint(slot);
        let target = self.targets.body(link.body).cloned().map(|target| self.absolute(target));
        let kept = self.kept[slot] && !joint.is_some_and(|target| target.free[0]);
        let scene = &context.state.coordinates[link.coordinates()];
        let given = |i: usize| joint.and_then(|target| target.coordinates.get(i).copied().flatten());
        let bounds: Vec<Option<Bound>> =
            scene.iter().enumerate().map(|(i, &c)| given(i).or(kept.then_some(Bound::equal(c)))).collect();
        let scene_turn = context.written(slot).and_then(|_| self.rotation_in_scene(slot));
        let turned = joint
            .and_then(|target| target.rotation_vector)
            .map(Rotation3::new)
            .or(scene_turn.filter(|_| kept));
        let spherical = link.joint.kind == JointKind::Spherical;
        let by_joint =
            bounds.iter().all(|b| b.is_some_and(|b| b.is_equation())) && (!spherical || turned.is_some());
        let mut placement = PlacementSpec {
            pose: None,
            on: None,
            coordinates: scene
                .iter()
                .zip(&bounds)
                .map(|(&c, bound)| bound.map_or(c, |bound| nearest(bound, c)))
                .collect(),
            turned: if spherical { turned.or(scene_turn) } else { None },
            known: by_joint,
            own: bounds
                .iter()
                .enumerate()
                .filter_map(|(i, bound)| Some(measures::coordinate(context, slot, i, (*bound)?)))
                .collect(),
            extra: Vec::new(),
        };
        if spherical {
            placement.own.extend(turned.map(|turn| measures::joint_rotation(context, slot, &turn)));
        }
        let Some(target) = target else { return Ok(placement) };
        placement.extra = target.alignments(context);
        let place = target.position.as_ref().and_then(exact);
        let whole = place.zip(target.rotation).filter(|_| target.from.is_none() && target.point.is_none());
        match whole {
            // The pose is given by the target of the body alone.
            Some((place, turn)) if placement.own.is_empty() && link.joint.dofs() > 0 => {
                placement.pose = Some(Pose::new(turn, place));
                placement.known = true;
                placement.own = target.placement(context);
            }
            _ => placement.extra.extend(target.placement(context)),
        }
        Ok(placement)
    }

    /// The rotation of a spherical joint in the scene.
    fn rotation_in_scene(&self, slot: usize) -> Option<Rotation3<f64>> {
        let (link, state) = (self.context.link(slot), self.context.state);
        if link.joint.kind != JointKind::Spherical {
            return None;
        }
        let parent = link.parent.map(|p| (&state.positions[p], &state.rotations[p]));
        let child = (&state.positions[slot], &state.rotations[slot]);
        Some(Rotation3::from_matrix_unchecked(link.joint.frame(parent, child, &[]).rotation))
    }

    /// The velocity of the body of a slot.
    pub(super) fn velocity(&self, slot: usize) -> Read<VelocitySpec> {
        let context = self.context;
        let link = context.link(slot);
        let (target, joint) = (self.targets.body(link.body), self.targets.joint(slot));
        let on_joint = link.joint.kind != JointKind::Free;
        let particle = context.is_particle(link.body);
        let mut velocity = VelocitySpec::default();
        let free = target.map_or([false; 2], |target| [target.free[2], target.free[3]]);
        // Relative to a fixed body is relative to the world.
        let from = target.and_then(|target| target.from).filter(|&from| context.model.slots[from].is_some());
        let plain = target.filter(|target| from.is_none() && target.point.is_none());
        if on_joint {
            let rates = joint.and_then(|target| target.rates.clone());
            let free_rates = joint.is_some_and(|target| target.free[1]);
            let own = link.dofs();
            velocity.rates_key = joint.filter(|_| rates.is_some()).map(|target| target.f.place);
            let bounded = target.map(|target| target.velocities(context)).unwrap_or_default();
            let default = match (self.at_rest, self.kept[slot] && !free_rates && bounded.is_empty()) {
                (true, _) => Some(vec![0.0; own.len()]),
                (_, true) => Some(self.rates[own.clone()].to_vec()),
                _ => own.is_empty().then(Vec::new),
            };
            if let Some(target) =
                target.filter(|_| !bounded.is_empty() && (rates.is_some() || own.is_empty()))
            {
                let message =
                    format!("gives a velocity to `{}`, but so does its joint", context.name(link.body));
                let key =
                    target.f.first_of(&["velocity", "angular_velocity", "at_rest"]).unwrap_or("velocity");
                return Err(target.f.wrong(key, &message, "keep one of the two"));
            }
            let whole = plain.and_then(|target| {
                let v = target.velocity.as_ref().and_then(exact)?;
                Some((v, if particle { Vec3::zeros() } else { target.angular.as_ref().and_then(exact)? }))
            });
            velocity.body = whole;
            velocity.rates = rates.or(default.filter(|_| bounded.is_empty()));
            velocity.measures = bounded;
            return Ok(velocity);
        }
        let twist = &self.twists[slot];
        let default = |scene: Vec3, free: bool| match (self.at_rest, self.kept[slot] && !free) {
            (true, _) => Some(equal(&Vec3::zeros())),
            (_, true) => Some(equal(&scene)),
            _ => None,
        };
        let (said_v, said_w) = target.map_or((None, None), |target| (target.velocity, target.angular));
        let v = if said_v.is_some() {
            plain.and_then(|target| target.velocity)
        } else {
            default(linear(twist), free[0])
        };
        let w = if said_w.is_some() {
            target.filter(|_| from.is_none()).and_then(|target| target.angular)
        } else {
            default(angular(twist), free[1])
        };
        let w = w.filter(|_| !particle);
        let whole = v.as_ref().and_then(exact).zip(match particle {
            true => Some(Vec3::zeros()),
            false => w.as_ref().and_then(exact),
        });
        velocity.body = whole;
        velocity
            .measures
            .extend(v.map(|bounds| measures::velocity(context, link.body, (None, None), bounds)));
        velocity.measures.extend(w.map(|bounds| measures::angular(context, link.body, None, bounds)));
        if let Some(target) = target {
            let point = (target.point, from);
            let seen =
                said_v.filter(|_| v.is_none()).map(|b| measures::velocity(context, link.body, point, b));
            let turning =
                said_w.filter(|_| w.is_none()).map(|b| measures::angular(context, link.body, from, b));
            velocity.measures.extend(seen.into_iter().chain(turning));
        }
        Ok(velocity)
    }
}
