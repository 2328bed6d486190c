//! Functions of a configuration whose second derivatives are closed: points and gaps seen from what stands firm, angles between
//! axes, coordinates.
//!
//! ```text
//! point       n·x            n a direction that stands firm, x a point of a body        `Way::bend`
//! alignment   a·b            axes of two bodies: ∂²a/∂i∂j = ω_i × (ω_j × a), i outer, and ∂a/∂i·∂b/∂j
//! ```

use super::columns::Way;
use super::node::Function;
use crate::plan::{Measure, Seen};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::{Model, State};

/// The weighted sum of a function's components, as far as it bends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bent {
    /// Not at all.
    Straight,
    /// `n·x` of a point of the body at a slot, `arm` from its centre of mass.
    Point { slot: usize, n: Vec3, arm: Vec3 },
    /// `a·b` of axes of the bodies at two slots, if they move.
    Axes { slots: [Option<usize>; 2], axes: [Vec3; 2] },
}

impl Bent {
    /// Of a function with weights of its components; `None` where there is no closed form.
    pub fn of(function: &Function, model: &Model, state: &State, weights: &[f64]) -> Option<Self> {
        let slot = |body: Option<usize>| body.and_then(|body| model.slots[body]);
        let pose = |body: Option<usize>| body.map_or_else(Pose::identity, |body| model.pose(state, body));
        let point = |slot: Option<usize>, n: Vec3, x: Vec3| match slot {
            Some(slot) => Self::Point { slot, n, arm: x - state.positions[slot] },
            None => Self::Straight,
        };
        match function {
            Function::Measure(Measure::Coordinate { .. }) => Some(Self::Straight),
            Function::Measure(Measure::Point { of, from }) if slot(*from).is_none() => {
                let n = pose(*from).direction(&Vec3::new(weights[0], weights[1], weights[2]));
                Some(point(slot(of.body), n, pose(of.body).point(&of.components)))
            }
            Function::Measure(Measure::Alignment { one, other }) => {
                let axis = |seen: &Seen| pose(seen.body).direction(&seen.components);
                let axes = [axis(one) * weights[0], axis(other)];
                Some(Self::Axes { slots: [slot(one.body), slot(other.body)], axes })
            }
            Function::Gap { pair, frozen } => {
                let contacts = model.contacts.as_ref()?;
                let parts = [pair.0, pair.1].map(|part| &contacts.parts[part]);
                let poses = parts.map(|part| part.body_pose(state));
                let reading = frozen.read((&poses[0], &poses[1]));
                let n = reading.normal * weights[0];
                match frozen.carrier_side()? {
                    0 if parts[0].slot.is_none() => Some(point(parts[1].slot, -n, reading.point_b)),
                    1 if parts[1].slot.is_none() => Some(point(parts[0].slot, n, reading.point_a)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Adds the second derivatives; `way` gives the way to a body with the place of the first degree of freedom of its island.
    pub fn add<'a>(
        &self,
        way: impl Fn(usize) -> Option<(Way<'a>, usize)>,
        mut with: impl FnMut(usize, usize, f64),
    ) {
        match self {
            Self::Straight => {}
            Self::Point { slot, n, arm } => {
                if let Some((way, first)) = way(*slot) {
                    way.bend(n, 1.0, arm, |i, j, value| with(first + i, first + j, value));
                }
            }
            Self::Axes { slots, axes } => {
                let ways = slots.map(|slot| slot.and_then(&way));
                for side in 0..2 {
                    if let Some((way, first)) = &ways[side] {
                        way.bend(&axes[1 - side], 0.0, &axes[side], |i, j, value| {
                            with(first + i, first + j, value)
                        });
                    }
                }
                let [Some((one, first)), Some((other, next))] = &ways else { return };
                for i in one.columns {
                    let turned = i.turn.cross(&axes[0]);
                    for j in other.columns {
                        let value = turned.dot(&j.turn.cross(&axes[1]));
                        with(first + i.dof, next + j.dof, value);
                        with(next + j.dof, first + i.dof, value);
                    }
                }
            }
        }
    }
}
