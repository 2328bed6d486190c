//! Contact: planned contacts as constraints [Johnson 4.4.2; Leyendecker 4].
//!
//! | file | contents |
//! |---|---|
//! | `feature.rs` | two features of a pair of parts: normal, gap, points, and their gradients |
//! | `resolve.rs` | the features of a planned contact, from a configuration near it |
//! | `region.rs` | the faces and edges that the features belong to |
//! | `constraint.rs`, `law.rs` | directions of impulses, and the laws that determine them |
//! | `group.rs` | contact constraints at one node, contact joints included |
//! | `jacobian.rs` | `D`: directions as covectors of the degrees of freedom, and derivatives |
//! | `momentum_block.rs`, `momentum_gradient.rs` | `Dᵀ Λ` and the laws as a block of the program |
//! | `pressure.rs` | the centre of pressure of faces |
//! | `position.rs` | gaps, regions and contact joints as path constraints |

mod constraint;
mod feature;
mod group;
mod jacobian;
mod law;
mod momentum_block;
mod momentum_gradient;
mod position;
mod pressure;
mod region;
mod resolve;

pub(crate) use constraint::world_aligned_tangents;
pub use constraint::{ContactConstraint, ImpulseDirections, ImpulseLaw};
pub use feature::{FeatureGeometry, SeparatingFeature};
pub(super) use group::{ContactGroup, GroupStage, contact_groups};
pub(super) use momentum_block::{MomentumBlock, MomentumFunction};
pub(super) use momentum_gradient::ContactWorkspace;
pub(super) use position::{FeatureGap, add_positions, bodies_of_parts, set_generalised_forces};
pub use region::ContactRegion;
pub use resolve::{ContactResolutionError, ResolvedContact};

use super::{Assembly, Label, Linear, range};
use percussion_solve::nlp::Bound;

/// Adds the impulses of all contact groups: to momentum balance, with their laws, friction cones and centres of pressure.
pub(super) fn add_impulses(assembly: &mut Assembly) {
    let problem = assembly.problem;
    let plan = &problem.plan;
    for (group, &first) in assembly.groups.iter().zip(&problem.indices.impulses) {
        let phase_end = group.stage == GroupStage::PhaseEnd;
        let mut rows = Vec::new();
        for &island in &group.islands {
            let (before, after) = assembly.momentum_rows[group.node][island];
            let n = plan.model.islands[island].dofs.len();
            rows.extend(range(if phase_end { before } else { after }, n).map(|row| (row, 1.0)));
        }
        for (next, contact, constraint) in group.impulses(first) {
            for law in 0..constraint.law_rows() {
                let cone =
                    matches!(constraint.tangential, ImpulseLaw::Stick(_)) && law + 1 == constraint.law_rows();
                let bound = if cone { Bound::at_least(0.0) } else { Bound::equal(0.0) };
                rows.push((assembly.row(bound, Label::ImpactLaw(contact)), 1.0));
            }
            if let Some(mu) = plan.contacts[contact].foothold() {
                add_friction_pyramid(assembly, mu, next, &Label::FrictionCone { contact, node: group.node });
            }
        }
        pressure::add_center_of_pressure(assembly, group, first);
        let function = MomentumFunction::Impulses(group.constraints.clone());
        let mut block = MomentumBlock::new(problem, group.node, function, group.islands.clone(), first, rows);
        block.momenta_after = phase_end;
        assembly.block(block);
    }
}

/// Adds the friction pyramid of a foothold, `|Λt| + |Λs| ≤ μ Λn`, inside of the friction cone.
fn add_friction_pyramid(assembly: &mut Assembly, mu: f64, first: usize, label: &Label) {
    let mut terms = Vec::new();
    for (t, s) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let row = assembly.row(Bound::at_least(0.0), label.clone());
        terms.extend([(row, first, mu), (row, first + 1, t), (row, first + 2, s)]);
    }
    assembly.block(Linear::new(&terms));
}
