//! Kinematics of bodies as forces use them, and the forces on bodies.

use crate::rotation::{Mat3, hat, moment_of};
use crate::spatial::{Mat6, Vec6, angular, linear, twist};
use percussion_geometry::Vec3;

/// Kinematics of a body for forces: position and directors, with their rates.
#[derive(Clone, Copy, Debug)]
pub struct BodyKinematics {
    /// Centre of mass, m.
    pub position: Vec3,
    /// Directors as columns; orthonormal at an instant, not at the middle of a step.
    pub frame: Mat3,
    /// Rate of the position, m/s.
    pub velocity: Vec3,
    /// Rate of the directors, 1/s.
    pub frame_rate: Mat3,
}

impl BodyKinematics {
    /// At rest at the origin.
    pub fn rest() -> Self {
        Self {
            position: Vec3::zeros(),
            frame: Mat3::identity(),
            velocity: Vec3::zeros(),
            frame_rate: Mat3::zeros(),
        }
    }

    /// Angular velocity, world axes, of the directors: `½ Σ_I d_I × d_I'`. At an instant it is `ω`; over a step
    /// that turns by `θ` about one axis it is `sin θ / h`.
    pub fn spin(&self) -> Vec3 {
        moment_of(&self.frame, &self.frame_rate) * 0.5
    }
}

/// The bodies of one island, numbered from its first slot.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Slot of the first one.
    pub first: usize,
    /// Their kinematics.
    pub kinematics: &'a [BodyKinematics],
}

/// A material point: an arm on a body, or a point of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The body's slot; `None` is the world. (While a model is being built: the body's index in the list of all bodies.)
    pub body: Option<usize>,
    /// In the body's principal frame (while a model is being built: the author's frame), or in the world.
    pub arm: Vec3,
}

impl Anchor {
    /// Index of its body in the island and the body's kinematics; `None` for the world.
    pub fn kinematics<'a>(&self, bodies: &Bodies<'a>) -> Option<(usize, &'a BodyKinematics)> {
        self.body.map(|slot| (slot - bodies.first, &bodies.kinematics[slot - bodies.first]))
    }

    /// Position of the point.
    pub fn point(&self, bodies: &Bodies) -> Vec3 {
        self.kinematics(bodies).map_or(self.arm, |(_, body)| body.position + body.frame * self.arm)
    }

    /// Its velocity.
    pub fn velocity(&self, bodies: &Bodies) -> Vec3 {
        self.kinematics(bodies)
            .map_or_else(Vec3::zeros, |(_, body)| body.velocity + body.frame_rate * self.arm)
    }

    /// Applies a force at the point.
    pub fn apply_force(&self, bodies: &Bodies, force: &Vec3, accumulators: &mut [ForceAccumulator]) {
        if let Some(slot) = self.body {
            let accumulator = &mut accumulators[slot - bodies.first];
            accumulator.force += force;
            accumulator.moment += force * self.arm.transpose();
        }
    }
}

/// Sum of the forces on one body.
#[derive(Clone, Copy, Debug)]
pub struct ForceAccumulator {
    /// `Σ F`, N.
    pub force: Vec3,
    /// `Σ F vᵀ`, N m: the forces with their arms in the principal frame.
    pub moment: Mat3,
    /// Couples without a point of attack, N m, world axes.
    pub torque: Vec3,
}

impl ForceAccumulator {
    /// No force.
    pub fn zero() -> Self {
        Self { force: Vec3::zeros(), moment: Mat3::zeros(), torque: Vec3::zeros() }
    }

    /// Force and torque about the centre of mass for a body of orientation `r`.
    pub fn wrench(&self, r: &Mat3) -> Vec6 {
        twist(&self.force, &(self.torque + moment_of(r, &self.moment)))
    }
}

/// A linear form in the motion of a body: `force·x' + Σ_I moment_I·d_I'`; also the generalised force of these components.
#[derive(Clone, Copy, Debug)]
pub struct LinearForm {
    /// The body's slot; `None` is the world.
    pub body: Option<usize>,
    /// Weights of the position.
    pub force: Vec3,
    /// Weights of the directors.
    pub moment: Mat3,
}

impl LinearForm {
    /// As a wrench on a body of orientation `r`, or a form in its twists.
    fn at(&self, r: &Mat3) -> Vec6 {
        twist(&self.force, &moment_of(r, &self.moment))
    }

    /// Its value for the velocities of the bodies.
    pub fn rate(&self, bodies: &Bodies) -> f64 {
        self.body.map_or(0.0, |slot| {
            let seen = &bodies.kinematics[slot - bodies.first];
            self.force.dot(&seen.velocity) + self.moment.dot(&seen.frame_rate)
        })
    }

    /// Adds a force `size` times the form.
    pub fn apply(&self, size: f64, bodies: &Bodies, accumulators: &mut [ForceAccumulator]) {
        if let Some(slot) = self.body {
            let accumulator = &mut accumulators[slot - bodies.first];
            accumulator.force += self.force * size;
            accumulator.moment += self.moment * size;
        }
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
    /// A force at an arm and a couple whose components in the directors are given: `F = frame f`.
    Following {
        /// The body's slot.
        body: usize,
        /// Where the force acts, in the principal frame.
        arm: Vec3,
        /// Components of the force, N.
        force: Vec3,
        /// Components of the couple, N m.
        torque: Vec3,
    },
    /// A couple that depends on the angular velocity `½ Σ d_I × d_I'` of the directors.
    Spinning {
        /// The body's slot.
        body: usize,
        /// Derivative of the couple with respect to the angular velocity, N m s.
        by_spin: Mat3,
        /// The directors.
        frame: Mat3,
        /// Their rate, 1/s.
        frame_rate: Mat3,
    },
    /// A force of given shape on two bodies whose size depends on their motion along another one.
    Outer {
        /// The force, on one body and on the other.
        push: [LinearForm; 2],
        /// The motion it depends on, of the same two bodies.
        along: [LinearForm; 2],
        /// Derivative of its size with respect to the motion.
        by_position: f64,
        /// Derivative of its size with respect to the rate of the motion.
        by_velocity: f64,
    },
}

/// Derivatives of the arguments of forces by displacements at the end of a step: `δx = position δx1`, `δx' = velocity δx1`.
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
    /// Of a force between two points that does not depend on their velocities.
    pub fn between(a: &Anchor, b: &Anchor, by_position: Mat3) -> Self {
        Self::Points { a: *a, b: *b, by_position, by_velocity: Mat3::zeros() }
    }

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
            // δ(frame f) = p w × (R1 f), with the lever at the first end.
            Self::Following { body, arm, force, torque } => {
                let slot = body - first;
                let share = -scale * weights.position;
                let f = hat(&(ends.1[slot] * force)) * share;
                let t = hat(&(ends.1[slot] * torque)) * share;
                let zero = Mat3::zeros();
                add(&mut blocks[slot], &zero, &f, &zero, &(hat(&(ends.0[slot] * arm)) * f + t));
            }
            // δω = ½ Σ (δd × d' + d × δd') with δd = p w × r, δd' = v w × r, r the columns of R1.
            Self::Spinning { body, by_spin, frame, frame_rate } => {
                let slot = body - first;
                let seen = frame_rate * weights.position - frame * weights.velocity;
                let k = ends.1[slot] * seen.transpose();
                // Σ hat(a_I) hat(b_I) = B Aᵀ - tr(B Aᵀ) for the columns of A and B.
                let by_turn = (k - Mat3::identity() * k.trace()) * 0.5;
                let zero = Mat3::zeros();
                add(&mut blocks[slot], &zero, &zero, &zero, &(by_spin * by_turn * scale));
            }
            Self::Outer { push, along, by_position, by_velocity } => {
                let g = (by_position * weights.position + by_velocity * weights.velocity) * scale;
                for (p, q) in push.iter().flat_map(|p| along.iter().map(move |q| (p, q))) {
                    if let (Some(slot), true) = (p.body, p.body == q.body) {
                        let slot = slot - first;
                        blocks[slot] += p.at(&ends.0[slot]) * (q.at(&ends.1[slot]) * g).transpose();
                    }
                }
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
        // Slots of two different bodies that both move.
        let apart = |p: Option<usize>, q: Option<usize>| {
            p.zip(q).filter(|(p, q)| p != q).map(|(p, q)| (p - first, q - first))
        };
        match self {
            Self::Points { a, b, by_position, by_velocity } => {
                let g = Self::gradient(by_position, by_velocity, weights) * scale;
                for (p, q) in [(a, b), (b, a)] {
                    let Some((i, j)) = apart(p.body, q.body) else { return };
                    let moved = linear(&twists[j]) + angular(&twists[j]).cross(&(ends.1[j] * q.arm));
                    let force = -(g * moved);
                    wrenches[i] += twist(&force, &(ends.0[i] * p.arm).cross(&force));
                }
            }
            Self::Outer { push, along, by_position, by_velocity } => {
                let g = (by_position * weights.position + by_velocity * weights.velocity) * scale;
                for (p, q) in push.iter().flat_map(|p| along.iter().map(move |q| (p, q))) {
                    if let Some((i, j)) = apart(p.body, q.body) {
                        wrenches[i] += p.at(&ends.0[i]) * (g * q.at(&ends.1[j]).dot(&twists[j]));
                    }
                }
            }
            Self::Following { .. } | Self::Spinning { .. } => {}
        }
    }

    /// Whether the force is not along the motion it depends on.
    pub fn is_nonsymmetric(&self) -> bool {
        let same = |p: &LinearForm, q: &LinearForm| p.force == q.force && p.moment == q.moment;
        matches!(self, Self::Outer { push, along, .. } if !push.iter().zip(along).all(|(p, q)| same(p, q)))
    }

    /// Whether it couples two different moving bodies.
    pub fn couples(&self) -> bool {
        let (a, b) = match self {
            Self::Points { a, b, .. } => (a.body, b.body),
            Self::Outer { push: [a, b], .. } => (a.body, b.body),
            Self::Following { .. } | Self::Spinning { .. } => return false,
        };
        a.is_some() && b.is_some() && a != b
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
