//! Bodies as lists of convex parts, in the plane or in space, built from their shapes.

use percussion_geometry::shapes::{PlanarShape, ShapeParts, Solid};
use percussion_geometry::{PlanarPose, Pose, PoseIn};

use super::line_error::LineError;
use super::names::NamedShapes;
use super::shape::{ShapeSource, ShapeText};

/// A body in its own frame.
#[derive(Clone, Debug)]
pub enum Body {
    /// Convex parts in space, each placed in the body frame.
    Space(Vec<Part<Solid, Pose>>),
    /// Convex parts in the plane.
    Plane(Vec<Part<PlanarShape, PlanarPose>>),
}

/// A convex part and its placement in the body frame; `None` where both frames agree.
#[derive(Clone, Debug)]
pub struct Part<S, P> {
    /// The convex shape.
    pub shape: S,
    /// Its placement.
    pub pose: Option<P>,
}

impl<S, const D: usize> Part<S, PoseIn<D>> {
    /// World placement of the part of a body.
    pub fn placed(&self, body: &PoseIn<D>) -> PoseIn<D> {
        self.pose.as_ref().map_or(*body, |part| body.then(part))
    }

    /// The part of a body that is placed at `pose` in a larger one.
    fn moved(self, pose: &PoseIn<D>) -> Self {
        Self { pose: Some(self.placed(pose)), shape: self.shape }
    }
}

impl Body {
    /// Builds a body; named shapes are looked up as of line `line`.
    pub fn build(source: &ShapeSource, names: &NamedShapes, line: u64) -> Result<Body, LineError> {
        match source {
            ShapeSource::Named(name) => names.get(name, line).cloned(),
            ShapeSource::Parts(parts) => compound(parts, names, line),
            ShapeSource::Spec(spec) => Ok(match spec.build()? {
                ShapeParts::Space(parts) => {
                    Body::Space(parts.into_iter().map(|shape| Part { shape, pose: None }).collect())
                }
                ShapeParts::Plane(shape) => Body::Plane(vec![Part { shape, pose: None }]),
            }),
        }
    }

    /// The body placed within its own frame, for a definition with a placement.
    pub fn moved(self, shape: &ShapeText) -> Result<Body, LineError> {
        Ok(match self {
            Body::Space(parts) => {
                let pose = shape.placement.space()?;
                Body::Space(parts.into_iter().map(|part| part.moved(&pose)).collect())
            }
            Body::Plane(parts) => {
                let pose = shape.placement.plane()?;
                Body::Plane(parts.into_iter().map(|part| part.moved(&pose)).collect())
            }
        })
    }
}

/// All parts of all members, flattened; members must agree on the dimension.
fn compound(members: &[ShapeText], names: &NamedShapes, line: u64) -> Result<Body, LineError> {
    let mut whole: Option<Body> = None;
    for (index, member) in members.iter().enumerate() {
        let place = |error: LineError| error.within(format!("parts[{index}]"));
        let body = Body::build(&member.source, names, line).map_err(place)?;
        match (&mut whole, body.moved(member).map_err(place)?) {
            (None, first) => whole = Some(first),
            (Some(Body::Space(all)), Body::Space(parts)) => all.extend(parts),
            (Some(Body::Plane(all)), Body::Plane(parts)) => all.extend(parts),
            _ => {
                let why = "a planar part among parts of space; make all parts planar or none".to_owned();
                return Err(place(LineError::Dimension(why)));
            }
        }
    }
    whole.ok_or(LineError::Shape(percussion_geometry::ShapeError::EmptyCompound))
}
