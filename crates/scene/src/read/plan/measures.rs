//! Measures with bounds: targets of bodies and joints as functions of the state of a node.

use super::context::Context;
use super::targets::{BodyTarget, JointTarget};
use crate::read::joints::coordinate_names;
use nalgebra::Rotation3;
use percussion_control::plan::{BodyPoint, Condition, Measure, NodeSelector};
use percussion_geometry::Vec3;
use percussion_mechanics::rotation::Mat3;
use percussion_solve::nlp::Bound;

/// A measure with its bounds, its name in messages, and the key that gives it.
#[derive(Clone, Debug)]
pub(super) struct BoundedMeasure {
    pub name: String,
    pub measure: Measure,
    pub bounds: Vec<Bound>,
    pub key: &'static str,
}

impl BoundedMeasure {
    /// As a condition.
    pub fn condition(self, when: NodeSelector) -> Condition {
        Condition { name: self.name, nodes: when, measure: self.measure, bounds: self.bounds }
    }

    /// Its number of equations.
    pub fn equations(&self) -> usize {
        self.bounds.iter().filter(|bound| bound.is_equation()).count()
    }
}

/// The position of a point of a body; by default the origin of its frame.
pub(super) fn position(
    context: &Context,
    body: usize,
    (point, from): (Option<Vec3>, Option<usize>),
    bounds: [Bound; 3],
) -> BoundedMeasure {
    let of = BodyPoint { body: Some(body), components: point.unwrap_or_else(Vec3::zeros) };
    BoundedMeasure {
        name: format!("the position of `{}`{}", context.name(body), relative_to(context, from)),
        measure: Measure::Point { of, from },
        bounds: bounds.to_vec(),
        key: "position",
    }
}

/// The orientation of a body.
pub(super) fn orientation(
    context: &Context,
    body: usize,
    from: Option<usize>,
    target: &Rotation3<f64>,
) -> BoundedMeasure {
    BoundedMeasure {
        name: format!("the orientation of `{}`{}", context.name(body), relative_to(context, from)),
        measure: Measure::Attitude { body, from, target: *target.matrix() },
        bounds: vec![Bound::equal(0.0); 3],
        key: "rotation",
    }
}

/// The velocity of a point of a body; by default its center of mass.
pub(super) fn velocity(
    context: &Context,
    body: usize,
    (point, from): (Option<Vec3>, Option<usize>),
    bounds: [Bound; 3],
) -> BoundedMeasure {
    let components = point.unwrap_or(context.model.bodies[body].principal.position);
    BoundedMeasure {
        name: format!("the velocity of `{}`{}", context.name(body), relative_to(context, from)),
        measure: Measure::Velocity { of: BodyPoint { body: Some(body), components }, from },
        bounds: bounds.to_vec(),
        key: "velocity",
    }
}

/// The angular velocity of a body.
pub(super) fn angular(
    context: &Context,
    body: usize,
    from: Option<usize>,
    bounds: [Bound; 3],
) -> BoundedMeasure {
    BoundedMeasure {
        name: format!("the angular velocity of `{}`{}", context.name(body), relative_to(context, from)),
        measure: Measure::AngularVelocity { body, from },
        bounds: bounds.to_vec(),
        key: "angular_velocity",
    }
}

/// A coordinate of a joint.
pub(super) fn coordinate(context: &Context, slot: usize, i: usize, bound: Bound) -> BoundedMeasure {
    let link = context.link(slot);
    let word = coordinate_names(link.joint.kind).get(i).copied().unwrap_or("coordinate");
    let measure = Measure::Coordinate { coordinate: link.coordinate + i, dof: link.dof + i };
    let name = format!("the {word} of joint `{}`", link.joint.name);
    BoundedMeasure { name, measure, bounds: vec![bound], key: "coordinates" }
}

/// The rotation of a spherical joint: the orientation of its child relative to its parent.
pub(super) fn joint_rotation(context: &Context, slot: usize, turn: &Rotation3<f64>) -> BoundedMeasure {
    let link = context.link(slot);
    let principal = |body: usize| *context.model.bodies[body].principal.rotation.matrix();
    let parent = link.parent.map(|slot| context.link(slot).body);
    let above = parent.map_or_else(Mat3::identity, principal) * link.joint.parent_frame.axes;
    let below = principal(link.body) * link.joint.child_frame.axes;
    BoundedMeasure {
        name: format!("the rotation of joint `{}`", link.joint.name),
        measure: Measure::Attitude {
            body: link.body,
            from: parent,
            target: above * turn.matrix() * below.transpose(),
        },
        bounds: vec![Bound::equal(0.0); 3],
        key: "rotation_vector",
    }
}

fn relative_to(context: &Context, from: Option<usize>) -> String {
    from.map_or_else(String::new, |other| format!(" relative to `{}`", context.name(other)))
}

impl BodyTarget<'_> {
    /// Position and orientation.
    pub fn placement(&self, context: &Context) -> Vec<BoundedMeasure> {
        let position =
            self.position.map(|bounds| position(context, self.body, (self.point, self.from), bounds));
        let turned = self.rotation.as_ref().map(|r| orientation(context, self.body, self.from, r));
        position.into_iter().chain(turned).collect()
    }

    /// Alignments of axes.
    pub fn alignments(&self, context: &Context) -> Vec<BoundedMeasure> {
        let of = |align: &super::targets::Align| BoundedMeasure {
            name: format!(
                "the alignment of `{}`{}",
                context.name(self.body),
                relative_to(context, self.from)
            ),
            measure: Measure::Alignment {
                one: BodyPoint { body: Some(self.body), components: align.axis },
                other: BodyPoint { body: self.from, components: align.with },
            },
            bounds: vec![align.cosine],
            key: "align",
        };
        self.align.iter().map(of).collect()
    }

    /// Velocity and angular velocity.
    pub fn velocities(&self, context: &Context) -> Vec<BoundedMeasure> {
        let linear =
            self.velocity.map(|bounds| velocity(context, self.body, (self.point, self.from), bounds));
        let turning = self.angular.map(|bounds| angular(context, self.body, self.from, bounds));
        linear.into_iter().chain(turning).collect()
    }

    /// All measures.
    pub fn all(&self, context: &Context) -> Vec<BoundedMeasure> {
        [self.placement(context), self.alignments(context), self.velocities(context)].concat()
    }
}

impl JointTarget<'_> {
    /// Coordinates and rotation.
    pub fn placement(&self, context: &Context) -> Vec<BoundedMeasure> {
        let each = self.coordinates.iter().enumerate();
        let each = each.filter_map(|(i, bound)| bound.map(|bound| coordinate(context, self.slot, i, bound)));
        let turn =
            self.rotation_vector.map(|vector| joint_rotation(context, self.slot, &Rotation3::new(vector)));
        each.chain(turn).collect()
    }
}
