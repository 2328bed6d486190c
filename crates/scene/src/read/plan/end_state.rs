//! Where bodies stand and how they move at an end: what is said, and what the scene has where nothing is.

use super::measures::{self, BoundedMeasure};
use super::range::{equal, exact, nearest};
use super::targets::{BodyTarget, JointTarget};
use super::terminal::End;
use crate::report::{Place, Read};
use nalgebra::Rotation3;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::JointKind;
use percussion_mechanics::joint::motion::{angular, linear};
use percussion_solve::nlp::Bound;

/// Where the body of a slot stands.
pub(super) struct PlacementSpec {
    /// A placement in the world; on a joint, only if it is all known.
    pub pose: Option<Pose>,
    /// The body it is placed on, where that one moves.
    pub on: Option<(usize, Pose)>,
    pub coordinates: Vec<f64>,
    pub turned: Option<Rotation3<f64>>,
    pub known: bool,
    /// What it says, if that has to be conditions.
    pub own: Vec<BoundedMeasure>,
    /// What is a condition in any case.
    pub extra: Vec<BoundedMeasure>,
}

/// How the body of a slot moves.
#[derive(Default)]
pub(super) struct VelocitySpec {
    /// Velocity and angular velocity, if all is known.
    pub body: Option<(Vec3, Vec3)>,
    pub rates: Option<Vec<f64>>,
    pub said: Vec<BoundedMeasure>,
    /// Rates that can only be given together with all the rest.
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
    /// Where the body of a slot stands.
    pub(super) fn placement(&self, slot: usize) -> Read<PlacementSpec> {
        match self.context.link(slot).joint.kind {
            JointKind::Free => Ok(self.free_placement(slot)),
            _ => self.joint_placement(slot),
        }
    }

    /// A body that hangs on nothing.
    fn free_placement(&self, slot: usize) -> PlacementSpec {
        let context = self.context;
        let body = context.link(slot).body;
        let scene = context.pose(body);
        let ask = self.targets.body(body).cloned().map(|ask| self.absolute(ask));
        let (free, kept) = (ask.as_ref().map_or([false; 4], |ask| ask.free), self.kept[slot]);
        let own = ask.as_ref().filter(|ask| ask.from.is_none());
        let at_origin = own.filter(|ask| ask.point.is_none());
        // Anything said about it, from wherever it is looked at, is said instead of what the scene has.
        let said = ask.as_ref().map_or([false; 2], |ask| [ask.position.is_some(), ask.rotation.is_some()]);
        let position = at_origin
            .and_then(|ask| ask.position)
            .or((kept && !said[0] && !free[0]).then(|| equal(&scene.position)));
        let rotation =
            own.and_then(|ask| ask.rotation).or((kept && !said[1] && !free[1]).then_some(scene.rotation));
        let particle = context.is_particle(body);
        let place = position.as_ref().and_then(exact);
        let mut placement = PlacementSpec {
            pose: None,
            on: None,
            coordinates: Vec::new(),
            turned: None,
            known: place.is_some() && (rotation.is_some() || particle),
            own: Vec::new(),
            extra: ask.as_ref().map_or_else(Vec::new, |ask| ask.alignments(context)),
        };
        let near = position
            .map_or(scene.position, |bounds| Vec3::from_fn(|i, _| nearest(bounds[i], scene.position[i])));
        placement.pose = Some(Pose::new(rotation.unwrap_or(scene.rotation), near));
        placement.own.extend(position.map(|bounds| measures::position(context, body, (None, None), bounds)));
        if !particle {
            placement.own.extend(rotation.map(|r| measures::orientation(context, body, None, &r)));
        }
        if let Some(ask) = &ask {
            let absorbed = |said: &BoundedMeasure| match said.key {
                "position" => at_origin.is_some(),
                _ => own.is_some(),
            };
            placement.extra.extend(ask.placement(context).into_iter().filter(|said| !absorbed(said)));
            if let (Some(from), Some(place), None) =
                (ask.from, ask.position.as_ref().and_then(exact), ask.point)
            {
                let turn = ask.rotation.unwrap_or_else(Rotation3::identity);
                placement.on = Some((from, Pose::new(turn, place)));
            }
        }
        placement
    }

    /// An ask about a body as seen from a fixed one, as seen from the world.
    fn absolute(&self, mut ask: BodyTarget<'a>) -> BodyTarget<'a> {
        let context = self.context;
        let Some(from) = ask.from.filter(|&from| context.model.slots[from].is_none()) else { return ask };
        let pose = context.pose(from);
        let boxed = ask.position.is_some_and(|bounds| exact(&bounds).is_none());
        if boxed || !ask.align.is_empty() {
            return ask;
        }
        ask.position = ask.position.as_ref().and_then(exact).map(|place| equal(&pose.point(&place)));
        ask.rotation = ask.rotation.map(|turn| pose.rotation * turn);
        ask.from = None;
        ask
    }

    /// A body on a joint that keeps coordinates, or turns about a point, or holds it fast.
    fn joint_placement(&self, slot: usize) -> Read<PlacementSpec> {
        let context = self.context;
        let link = context.link(slot);
        let joint: Option<&JointTarget> = self.targets.joint(slot);
        let ask = self.targets.body(link.body).cloned().map(|ask| self.absolute(ask));
        let kept = self.kept[slot] && !joint.is_some_and(|ask| ask.free[0]);
        let scene = &context.state.coordinates[link.coordinates()];
        let given = |i: usize| joint.and_then(|ask| ask.coordinates.get(i).copied().flatten());
        let bounds: Vec<Option<Bound>> =
            scene.iter().enumerate().map(|(i, &c)| given(i).or(kept.then_some(Bound::equal(c)))).collect();
        let scene_turn = context.written(slot).and_then(|_| self.turn_in_scene(slot));
        let turned = joint.and_then(|ask| ask.turned).map(Rotation3::new).or(scene_turn.filter(|_| kept));
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
            placement.own.extend(turned.map(|turn| measures::turned(context, slot, &turn)));
        }
        let Some(ask) = ask else { return Ok(placement) };
        placement.extra = ask.alignments(context);
        let place = ask.position.as_ref().and_then(exact);
        let whole = place.zip(ask.rotation).filter(|_| ask.from.is_none() && ask.point.is_none());
        match whole {
            // The joint says nothing, the placement everything.
            Some((place, turn)) if placement.own.is_empty() && link.joint.dofs() > 0 => {
                placement.pose = Some(Pose::new(turn, place));
                placement.known = true;
                placement.own = ask.placement(context);
            }
            _ => placement.extra.extend(ask.placement(context)),
        }
        Ok(placement)
    }

    /// How a spherical joint is turned in the scene.
    fn turn_in_scene(&self, slot: usize) -> Option<Rotation3<f64>> {
        let (link, state) = (self.context.link(slot), self.context.state);
        if link.joint.kind != JointKind::Spherical {
            return None;
        }
        let parent = link.parent.map(|p| (&state.positions[p], &state.rotations[p]));
        let child = (&state.positions[slot], &state.rotations[slot]);
        Some(Rotation3::from_matrix_unchecked(link.joint.stand(parent, child, &[]).turned))
    }

    /// How the body of a slot moves.
    pub(super) fn velocity(&self, slot: usize) -> Read<VelocitySpec> {
        let context = self.context;
        let link = context.link(slot);
        let (ask, joint) = (self.targets.body(link.body), self.targets.joint(slot));
        let hung = link.joint.kind != JointKind::Free;
        let particle = context.is_particle(link.body);
        let mut velocity = VelocitySpec::default();
        let free = ask.map_or([false; 2], |ask| [ask.free[2], ask.free[3]]);
        // As seen from the world: fixed bodies do not move.
        let from = ask.and_then(|ask| ask.from).filter(|&from| context.model.slots[from].is_some());
        let plain = ask.filter(|ask| from.is_none() && ask.point.is_none());
        if hung {
            let rates = joint.and_then(|ask| ask.rates.clone());
            let freed = joint.is_some_and(|ask| ask.free[1]);
            let own = link.dofs();
            velocity.rates_key = joint.filter(|_| rates.is_some()).map(|ask| ask.f.place);
            let said = ask.map(|ask| ask.velocities(context)).unwrap_or_default();
            let default = match (self.at_rest, self.kept[slot] && !freed && said.is_empty()) {
                (true, _) => Some(vec![0.0; own.len()]),
                (_, true) => Some(self.rates[own.clone()].to_vec()),
                _ => own.is_empty().then(Vec::new),
            };
            if let Some(ask) = ask.filter(|_| !said.is_empty() && (rates.is_some() || own.is_empty())) {
                let message =
                    format!("gives a velocity to `{}`, but so does its joint", context.name(link.body));
                let key = ask.f.first_of(&["velocity", "angular_velocity", "at_rest"]).unwrap_or("velocity");
                return Err(ask.f.wrong(key, &message, "keep one of the two"));
            }
            let whole = plain.and_then(|ask| {
                let v = ask.velocity.as_ref().and_then(exact)?;
                Some((v, if particle { Vec3::zeros() } else { ask.angular.as_ref().and_then(exact)? }))
            });
            velocity.body = whole;
            velocity.rates = rates.or(default.filter(|_| said.is_empty()));
            velocity.said = said;
            return Ok(velocity);
        }
        let twist = &self.twists[slot];
        let default = |scene: Vec3, free: bool| match (self.at_rest, self.kept[slot] && !free) {
            (true, _) => Some(equal(&Vec3::zeros())),
            (_, true) => Some(equal(&scene)),
            _ => None,
        };
        let (said_v, said_w) = ask.map_or((None, None), |ask| (ask.velocity, ask.angular));
        let v = if said_v.is_some() {
            plain.and_then(|ask| ask.velocity)
        } else {
            default(linear(twist), free[0])
        };
        let w = if said_w.is_some() {
            ask.filter(|_| from.is_none()).and_then(|ask| ask.angular)
        } else {
            default(angular(twist), free[1])
        };
        let w = w.filter(|_| !particle);
        let whole = v.as_ref().and_then(exact).zip(match particle {
            true => Some(Vec3::zeros()),
            false => w.as_ref().and_then(exact),
        });
        velocity.body = whole;
        velocity.said.extend(v.map(|bounds| measures::velocity(context, link.body, (None, None), bounds)));
        velocity.said.extend(w.map(|bounds| measures::angular(context, link.body, None, bounds)));
        if let Some(ask) = ask {
            let point = (ask.point, from);
            let seen =
                said_v.filter(|_| v.is_none()).map(|b| measures::velocity(context, link.body, point, b));
            let turning =
                said_w.filter(|_| w.is_none()).map(|b| measures::angular(context, link.body, from, b));
            velocity.said.extend(seen.into_iter().chain(turning));
        }
        Ok(velocity)
    }
}
