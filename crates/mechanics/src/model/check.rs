//! Checks of a scene before a model is built: names, numbers, and joint equations at the initial poses.

use super::build::read_coordinates;
use super::{Model, ModelBuilder, ModelError};
use crate::body::{BodyError, BodyKind};
use crate::joint::{JointIncrement, Row};
use crate::model::State;
use crate::tolerances::{FLIPPED_AXES, JOINT_MISFIT, LIMIT_MISFIT, PLACE_ROUNDING};
use std::collections::HashSet;

const WHOLE_TURNS: &str = "give a whole number: parts of a turn are read off the placements";
const LIMITS: &str = "give a number not greater than the upper limit";
const NOT_NEGATIVE: &str = "give a finite number that is not negative";
const RESTITUTION: &str = "give a number from 0 to 1";

impl ModelBuilder {
    /// Every reference exists.
    pub(super) fn check_ids(&self) -> Result<(), ModelError> {
        let known = |id: usize, count: usize, what: &'static str, place: &dyn Fn() -> String| {
            if id < count { Ok(()) } else { Err(ModelError::Unknown { place: place(), what, id, count }) }
        };
        let bodies = self.bodies.len();
        for joint in self.joints.iter().chain(&self.loops) {
            for id in joint.parent.into_iter().chain([joint.child]) {
                known(id.0, bodies, "body", &|| format!("joint `{}`", joint.name))?;
            }
        }
        for force in &self.forces {
            for id in force.clone().anchors_mut().into_iter().filter_map(|anchor| anchor.body) {
                known(id, bodies, "body", &|| format!("force `{}`", force.name))?;
            }
        }
        for force in &self.joint_forces {
            known(force.slot, self.joints.len(), "joint", &|| format!("force `{}`", force.name))?;
        }
        Ok(())
    }

    /// Joints and forces take fixed bodies at their initial poses: these bodies must have no prescribed motion.
    pub(super) fn check_driven(&self) -> Result<(), ModelError> {
        let driven = |what: &'static str, name: &String, id: usize| match self.bodies[id].motion {
            Some(_) => {
                let (name, body) = (name.clone(), self.bodies[id].name.clone());
                Err(ModelError::TiedToDriven { what, name, body })
            }
            None => Ok(()),
        };
        for joint in self.joints.iter().chain(&self.loops) {
            joint.parent.map_or(Ok(()), |parent| driven("joint", &joint.name, parent.0))?;
        }
        for force in &self.forces {
            for id in force.clone().anchors_mut().into_iter().filter_map(|anchor| anchor.body) {
                driven("force", &force.name, id)?;
            }
        }
        Ok(())
    }

    pub(super) fn check_names(&self) -> Result<(), ModelError> {
        let lists: [(&'static str, Vec<&str>); 3] = [
            ("bodies", self.bodies.iter().map(|b| b.name.as_str()).collect()),
            ("joints", self.joints.iter().chain(&self.loops).map(|j| j.name.as_str()).collect()),
            (
                "forces",
                self.forces
                    .iter()
                    .map(|f| f.name.as_str())
                    .chain(self.joint_forces.iter().map(|f| f.name.as_str()))
                    .collect(),
            ),
        ];
        for (what, names) in lists {
            let mut seen = HashSet::new();
            for name in names {
                if !seen.insert(name) {
                    return Err(ModelError::Duplicate { what, name: name.to_owned() });
                }
            }
        }
        Ok(())
    }

    /// Parameters of forces are in range, and torques act only on bodies with an orientation.
    pub(super) fn check_forces(&self) -> Result<(), ModelError> {
        for force in &self.forces {
            force.check().map_err(|error| error.of(&force.name))?;
            if let Some(body) = force.oriented_body().map(|body| &self.bodies[body])
                && body.kind == BodyKind::Particle
            {
                let (force, body) = (force.name.clone(), body.name.clone());
                return Err(ModelError::NoOrientation { force, body });
            }
        }
        self.joint_forces.iter().try_for_each(|force| force.check().map_err(|error| error.of(&force.name)))
    }

    /// Joints that close loops have no coordinates for limits, friction and damping (a model without a tree gives them some).
    pub(super) fn check_loop_joints(&self) -> Result<(), ModelError> {
        for joint in self.loops.iter().filter(|_| !self.open) {
            let given = [
                ("limits", joint.limits.iter().any(Option::is_some)),
                ("friction", joint.friction != [0.0; 3]),
                ("damping", joint.damping != [0.0; 3]),
            ];
            if let Some((what, _)) = given.into_iter().find(|(_, given)| *given) {
                return Err(ModelError::LoopCoordinates { joint: joint.name.clone(), what });
            }
        }
        Ok(())
    }

    pub(super) fn check_numbers(&self) -> Result<(), ModelError> {
        let finite = |ok: bool, place: String| if ok { Ok(()) } else { Err(ModelError::NotFinite { place }) };
        finite(self.gravity.iter().all(|v| v.is_finite()), "gravity".to_owned())?;
        for ((body, pose), velocity) in self.bodies.iter().zip(&self.placed).zip(&self.velocities) {
            finite(pose.is_finite(), format!("the placement of `{}`", body.name))?;
            if let Some(v) = velocity {
                let numbers = v.linear.iter().chain(v.angular.iter());
                finite(numbers.copied().all(f64::is_finite), format!("the velocity of `{}`", body.name))?;
            }
            if velocity.is_some() && !body.moves() {
                return Err(ModelError::FixedVelocity { body: body.name.clone() });
            }
            if body.motion.is_some() && body.moves() {
                return Err(ModelError::MovingDriven { body: body.name.clone() });
            }
            if body.kind == BodyKind::Rigid && !(body.inertia.min() > 0.0) {
                let error = BodyError::Moment(body.inertia.min());
                return Err(ModelError::Body { body: body.name.clone(), error });
            }
        }
        for joint in self.joints.iter().chain(&self.loops) {
            let ok = joint.parent_frame.is_finite() && joint.child_frame.is_finite();
            finite(ok, format!("the frame of joint `{}`", joint.name))?;
            finite(
                joint.turns.iter().all(|t| t.is_finite()),
                format!("the turns of joint `{}`", joint.name),
            )?;
            if let Some(turns) = joint.turns.iter().find(|t| t.fract() != 0.0) {
                let place = format!("a number of turns of joint `{}`", joint.name);
                return Err(ModelError::Range { place, value: *turns, remedy: WHOLE_TURNS });
            }
            for (what, values) in [("friction", joint.friction), ("damping", joint.damping)] {
                if let Some(value) = values.iter().find(|value| !(**value >= 0.0 && value.is_finite())) {
                    let place = format!("the {what} of joint `{}`", joint.name);
                    return Err(ModelError::Range { place, value: *value, remedy: NOT_NEGATIVE });
                }
            }
            for limits in joint.limits.iter().flatten() {
                if !(0.0..=1.0).contains(&limits.restitution) {
                    let place = format!("the restitution of the limits of joint `{}`", joint.name);
                    return Err(ModelError::Range { place, value: limits.restitution, remedy: RESTITUTION });
                }
                // An open end is infinite; only a number that is none, or ends in the wrong order, cannot be meant.
                if !(limits.lower <= limits.upper) {
                    let place = format!("the lower limit of joint `{}`", joint.name);
                    return Err(ModelError::Range { place, value: limits.lower, remedy: LIMITS });
                }
            }
        }
        for (joint, rates) in self.joints.iter().zip(&self.rates) {
            if let Some(rates) = rates {
                finite(rates.iter().all(|r| r.is_finite()), format!("a rate of joint `{}`", joint.name))?;
            }
        }
        Ok(())
    }
}

/// Every joint and loop equation holds at the start.
pub(super) fn fit(model: &Model, state: &State) -> Result<(), ModelError> {
    // A single particle at its joint has no size, but coordinates with their rounding.
    let joints = model.links.iter().map(|link| &link.joint).chain(model.closures.iter().map(|c| &c.joint));
    let places = joints.map(|joint| &joint.parent_frame.point).chain(&state.positions);
    let farthest = places.map(|x| x.norm()).fold(0.0, f64::max);
    let rounding = PLACE_ROUNDING * farthest;
    let size = model.size(state);
    let trees = model.links.iter().enumerate().map(|(slot, link)| (&link.joint, link.parent, slot));
    let loops = model.closures.iter().map(|c| (&c.joint, c.parent, c.child));
    for (joint, parent, child) in trees.chain(loops) {
        let parent = super::placed(&state.positions, &state.rotations, parent);
        let child = (&state.positions[child], &state.rotations[child]);
        for &row in joint.rows() {
            let misfit = joint.row(row, parent, child).value.abs();
            let allowed = match row {
                Row::Direction(..) => JOINT_MISFIT,
                _ => (JOINT_MISFIT * size).max(rounding),
            };
            if !(misfit <= allowed) {
                let row = row.to_string();
                return Err(ModelError::Misfit { joint: joint.name.clone(), misfit, row });
            }
        }
        let coordinates = model.links.iter().filter(|link| std::ptr::eq(&link.joint, joint));
        for (i, (limits, value)) in coordinates
            .flat_map(|link| joint.limits.iter().zip(&state.coordinates[link.coordinates()]))
            .enumerate()
        {
            let Some(limits) = limits else { continue };
            let outside = (limits.lower - value).max(value - limits.upper);
            let allowed = match joint.kind.is_angle(i) {
                true => LIMIT_MISFIT,
                false => (LIMIT_MISFIT * size).max(rounding),
            };
            if outside > allowed {
                let (joint, value) = (joint.name.clone(), *value);
                let (lower, upper) = (limits.lower, limits.upper);
                return Err(ModelError::OutsideLimits { joint, value, lower, upper });
            }
        }
        // Right angles leave axes that point the wrong way: the placement by the joint shows it.
        let frame = joint.frame(parent, child, &[]);
        let coordinates = read_coordinates(joint, &frame, &[0.0; 3]);
        let (_, rotation) = joint.child_pose(&frame, &frame.parent, &JointIncrement::zero(), &coordinates);
        if !((rotation - child.1).amax() < FLIPPED_AXES) {
            return Err(ModelError::Flipped { joint: joint.name.clone() });
        }
    }
    Ok(())
}
