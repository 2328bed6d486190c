//! Closed second derivatives of functions of a configuration.
//!
//! ```text
//! point       n·x            n a fixed direction, x a point of a body        `AncestorChain::second_derivatives`
//! alignment   a·b            axes of two bodies: ∂²a/∂i∂j = ω_i × (ω_j × a), i outer, and ∂a/∂i·∂b/∂j
//! ```

use crate::kinematics::AncestorChain;
use percussion_geometry::Vec3;
use percussion_mechanics::State;

/// The second derivative of a weighted sum of components.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum SecondDerivative {
    /// Zero.
    Zero,
    /// Of `n·x` for a point of the body at a slot, `arm` from its centre of mass.
    Point { slot: usize, n: Vec3, arm: Vec3 },
    /// Of `a·b` for axes of the bodies at two slots; `None` for fixed ones.
    Axes { slots: [Option<usize>; 2], axes: [Vec3; 2] },
}

impl SecondDerivative {
    /// Of `n·x` for a point in the world that is fixed on the body at a slot.
    pub fn of_point(state: &State, slot: Option<usize>, n: Vec3, x: Vec3) -> Self {
        match slot {
            Some(slot) => Self::Point { slot, n, arm: x - state.positions[slot] },
            None => Self::Zero,
        }
    }

    /// Adds its entries; `chain` gives the ancestor chain of a body and the place of the first degree of freedom of its island.
    pub fn add<'a>(
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
                    let rotated = i.turn.cross(&axes[0]);
                    for j in other.columns {
                        let value = rotated.dot(&j.turn.cross(&axes[1]));
                        with(first + i.dof, next + j.dof, value);
                        with(next + j.dof, first + i.dof, value);
                    }
                }
            }
        }
    }
}
