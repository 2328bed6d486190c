//! Second derivatives of scalar functions of a configuration in closed form.
//!
//! ```text
//! point       n·x            n a fixed direction, x a point of a body                      [`AncestorChain::second_derivatives`]
//! alignment   a·b            axes of two bodies: ∂²a/∂i∂j = ω_i × (ω_j × a), i outer, and ∂a/∂i·∂b/∂j
//! ```

use super::jacobian_columns::AncestorChain;
use percussion_geometry::Vec3;

/// A scalar function of a configuration with second derivatives in closed form.
#[derive(Clone, Copy, Debug)]
pub enum SecondDerivatives {
    /// A function without any.
    Zero,
    /// `n·x` of a point of the body in a slot.
    Point {
        /// Slot of the body.
        slot: usize,
        /// `n`, world axes.
        n: Vec3,
        /// From the centre of mass to the point, world axes.
        arm: Vec3,
    },
    /// `a·b` of axes of the bodies in two slots; `None` for bodies that do not move.
    Axes {
        /// Slots of the bodies.
        slots: [Option<usize>; 2],
        /// `a` and `b`, world axes.
        axes: [Vec3; 2],
    },
}

impl SecondDerivatives {
    /// Calls `with(i, j, value)` for the second derivatives. `chain` gives the ancestor chain of the body in a slot and the index of the
    /// first degree of freedom of its island.
    pub fn for_each<'a>(
        &self,
        chain: impl Fn(usize) -> Option<(AncestorChain<'a>, usize)>,
        mut with: impl FnMut(usize, usize, f64),
    ) {
        match self {
            Self::Zero => {}
            Self::Point { slot, n, arm } => {
                if let Some((chain, first)) = chain(*slot) {
                    chain.second_derivatives(n, 1.0, arm, |i, j, value| with(first + i, first + j, value));
                }
            }
            Self::Axes { slots, axes } => {
                let chains = slots.map(|slot| slot.and_then(&chain));
                for side in 0..2 {
                    if let Some((chain, first)) = &chains[side] {
                        chain.second_derivatives(&axes[1 - side], 0.0, &axes[side], |i, j, value| {
                            with(first + i, first + j, value)
                        });
                    }
                }
                let [Some((one, first)), Some((other, next))] = &chains else { return };
                for i in one.columns {
                    let rotated = i.angular_velocity.cross(&axes[0]);
                    for j in other.columns {
                        let value = rotated.dot(&j.angular_velocity.cross(&axes[1]));
                        with(first + i.dof, next + j.dof, value);
                        with(next + j.dof, first + i.dof, value);
                    }
                }
            }
        }
    }
}
