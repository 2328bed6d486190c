//! What forces see and what they answer.

use crate::joint::motion::{Mat6, Vec6, angular, linear, twist};
use crate::rotation::{Mat3, hat, moment_of};
use percussion_geometry::Vec3;

/// A body as a force sees it: position and directors, with their rates.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// Centre of mass, m.
    pub position: Vec3,
    /// Directors as columns; orthonormal at an instant, not at the middle of a step.
    pub frame: Mat3,
    /// Rate of the position, m/s.
    pub velocity: Vec3,
    /// Rate of the directors, 1/s.
    pub frame_rate: Mat3,
}

impl Placement {
    /// At rest at the origin.
    pub fn rest() -> Self {
        Self {
            position: Vec3::zeros(),
            frame: Mat3::identity(),
            velocity: Vec3::zeros(),
            frame_rate: Mat3::zeros(),
        }
    }
}

/// The bodies of one island, numbered from its first slot.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Slot of the first one.
    pub first: usize,
    /// Their placements.
    pub placements: &'a [Placement],
}

/// A material point: an arm on a body, or a point of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The body's slot; `None` is the world. (While a model is being built: the body's place in the list of all bodies.)
    pub body: Option<usize>,
    /// In the body's principal frame (while a model is being built: the author's frame), or in the world.
    pub arm: Vec3,
}

impl Anchor {
    /// Where the point is.
    pub fn point(&self, bodies: &Bodies) -> Vec3 {
        match self.body {
            Some(slot) => {
                let body = &bodies.placements[slot - bodies.first];
                body.position + body.frame * self.arm
            }
            None => self.arm,
        }
    }

    /// How it moves.
    pub fn velocity(&self, bodies: &Bodies) -> Vec3 {
        match self.body {
            Some(slot) => {
                let body = &bodies.placements[slot - bodies.first];
                body.velocity + body.frame_rate * self.arm
            }
            None => Vec3::zeros(),
        }
    }

    /// Applies a force at the point.
    pub fn push(&self, bodies: &Bodies, force: &Vec3, pulls: &mut [Pull]) {
        if let Some(slot) = self.body {
            let pull = &mut pulls[slot - bodies.first];
            pull.force += force;
            pull.moment += force * self.arm.transpose();
        }
    }
}

/// What forces do to one body.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    /// `Σ F`, N.
    pub force: Vec3,
    /// `Σ F vᵀ`, N m: the forces with their arms in the principal frame.
    pub moment: Mat3,
    /// Couples without a point of attack, N m, world axes.
    pub torque: Vec3,
}

impl Pull {
    /// Nothing.
    pub fn zero() -> Self {
        Self { force: Vec3::zeros(), moment: Mat3::zeros(), torque: Vec3::zeros() }
    }

    /// Force and torque about the centre of mass for a body of orientation `r`.
    pub fn wrench(&self, r: &Mat3) -> Vec6 {
        twist(&self.force, &(self.torque + moment_of(r, &self.moment)))
    }
}

/// One element of the derivative of a force.
#[derive(Clone, Copy, Debug)]
pub enum Stiffness {
    /// A force at `a` and its opposite at `b` that depend on the difference of the two points and of their velocities.
    /// `by_position = ∂F_a/∂x_a`, `by_velocity = ∂F_a/∂x'_a`. A world point at `b` makes it a force on one point.
    Points {
        /// Where the force acts.
        a: Anchor,
        /// Where its opposite acts.
        b: Anchor,
        /// Derivative with respect to the point, N/m.
        by_position: Mat3,
        /// Derivative with respect to its velocity, N s/m.
        by_velocity: Mat3,
    },
    /// A wrench on one body that depends on its directors: derivative with respect to a small rotation of the
    /// directors `δR = w × R`, and of their rate `δR' = w × R` (couples and forces that turn with the body, angular drag).
    Turning {
        /// The body's slot.
        body: usize,
        /// Derivative of force and torque (about the centre of mass) with respect to the orientation.
        force_by_turn: Mat3,
        /// Derivative of the torque with respect to the orientation.
        torque_by_turn: Mat3,
        /// Derivative of the torque with respect to the angular velocity.
        torque_by_rate: Mat3,
    },
}

/// How displacements at the end of a step move what forces see: `δx = position δx1`, `δx' = velocity δx1`.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// Share of the end's displacement in the position (one half at the middle of a step).
    pub position: f64,
    /// Share in the velocity, 1/s (`1/h` at the middle of a step).
    pub velocity: f64,
}

/// Orientations at the two ends of a step: torques are taken at the first, displacements at the second.
pub type Ends<'a> = (&'a [Mat3], &'a [Mat3]);

impl Stiffness {
    /// The 3 by 3 derivative of the force with respect to the point's displacement at the end of the step.
    fn gradient(by_position: &Mat3, by_velocity: &Mat3, weights: &Weights) -> Mat3 {
        by_position * weights.position + by_velocity * weights.velocity
    }

    /// Adds `scale ∂wrench/∂twist` to the blocks of each body on itself.
    pub fn add_blocks(&self, first: usize, ends: Ends, weights: &Weights, scale: f64, blocks: &mut [Mat6]) {
        match self {
            Self::Points { a, b, by_position, by_velocity } => {
                let g = Self::gradient(by_position, by_velocity, weights) * scale;
                for anchor in [a, b] {
                    let Some(slot) = anchor.body.map(|slot| slot - first) else { continue };
                    let (arm0, arm1) = (ends.0[slot] * anchor.arm, ends.1[slot] * anchor.arm);
                    let turned = -g * hat(&arm1);
                    let lever = hat(&arm0);
                    add(&mut blocks[slot], &g, &turned, &(lever * g), &(lever * turned));
                }
                // Both ends on one body: the cross terms belong to its own block too.
                if let (Some(i), Some(j)) = (a.body, b.body)
                    && i == j
                {
                    let slot = i - first;
                    for (p, q) in [(a, b), (b, a)] {
                        let (arm0, arm1) = (ends.0[slot] * p.arm, ends.1[slot] * q.arm);
                        let turned = g * hat(&arm1);
                        let lever = hat(&arm0);
                        add(&mut blocks[slot], &-g, &turned, &-(lever * g), &(lever * turned));
                    }
                }
            }
            Self::Turning { body, force_by_turn, torque_by_turn, torque_by_rate } => {
                let zero = Mat3::zeros();
                let f = force_by_turn * (scale * weights.position);
                let t = Self::gradient(torque_by_turn, torque_by_rate, weights) * scale;
                add(&mut blocks[body - first], &zero, &f, &zero, &t);
            }
        }
    }

    /// Adds `scale (∂wrench/∂twists) twists` of the blocks *between* bodies to the wrenches.
    pub fn add_coupling(
        &self,
        first: usize,
        ends: Ends,
        weights: &Weights,
        scale: f64,
        twists: &[Vec6],
        wrenches: &mut [Vec6],
    ) {
        let Self::Points { a, b, by_position, by_velocity } = self else { return };
        let (Some(i), Some(j)) = (a.body, b.body) else { return };
        if i == j {
            return;
        }
        let g = Self::gradient(by_position, by_velocity, weights) * scale;
        for (p, q) in [(a, b), (b, a)] {
            // Slots exist: checked just above for both.
            let (Some(p_slot), Some(q_slot)) = (p.body, q.body) else { return };
            let (p_slot, q_slot) = (p_slot - first, q_slot - first);
            let moved = linear(&twists[q_slot]) + angular(&twists[q_slot]).cross(&(ends.1[q_slot] * q.arm));
            let force = -(g * moved);
            wrenches[p_slot] += twist(&force, &(ends.0[p_slot] * p.arm).cross(&force));
        }
    }

    /// Whether it ties two different moving bodies together.
    pub fn couples(&self) -> bool {
        matches!(self, Self::Points { a, b, .. } if a.body.is_some() && b.body.is_some() && a.body != b.body)
    }
}

fn add(block: &mut Mat6, ll: &Mat3, la: &Mat3, al: &Mat3, aa: &Mat3) {
    let mut part = block.fixed_view_mut::<3, 3>(0, 0);
    part += ll;
    let mut part = block.fixed_view_mut::<3, 3>(0, 3);
    part += la;
    let mut part = block.fixed_view_mut::<3, 3>(3, 0);
    part += al;
    let mut part = block.fixed_view_mut::<3, 3>(3, 3);
    part += aa;
}
