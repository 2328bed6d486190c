//! Contact events: where two bodies touch or are about to, one smooth condition per place [Hart ch. 3].
//!
//! The separation of two polytopes is one number with one normal. A box on a floor needs four: this module lists
//! the *events*, corners on faces and edges on edges, that carry the contact, each with its own value,
//! normal, points and gradient. Their hull is the contact region (Theorem 3.4).
//!
//! ```text
//! band      features of each body near its supporting plane            [Hart Algorithm 3.15, steps 1-2]
//! faces     two faces on one another: clip once, its vertices are the events
//! otherwise corners of a on faces of b, corners of b on faces of a, edges on edges       [steps 4a-4c]
//!           keep m if s <= s_m <= s + eps_t D, points within eps_x, normal admissible [Algorithm 3.14]
//! merge     events at one place with one normal are one event
//! ```
//!
//! Curved bodies and half-spaces have *manifolds* of the same [`ContactEvent`] type, by [`EventWorkspace::manifold`]:
//!
//! | pair | events |
//! |---|---|
//! | polytope, polytope | corner on face and edge on edge ([`EventWorkspace::find`]) |
//! | anything, half-space | every near corner; a ball's lowest point; both ends of a capsule; rim points of a cylinder or cone |
//! | sphere or capsule, any of these or a polytope | where its core is nearest; both ends of the stretch along which a capsule lies |
//! | cylinder or cone, polytope | rim points, face corners and crossings of a base on a face; the ends of a side that lies on it |
//! | cylinder or cone, another of them | points of the outline of the overlap of flat ends; rim points on a flat end |
//! | the rest | the one contact of the separation |

mod band;
mod candidates;
mod clip;
mod discs;
mod event;
mod faces;
mod manifold;
mod options;
mod planar;
mod region;
mod rims;
mod rounded;

pub use event::{ContactEvent, EventKind, SeparationLine, Side};
pub use options::{EventOptions, resolution};
pub use planar::{PlanarContactEvent, PlanarEventWorkspace, planar_region};
pub use region::ContactRegion;

use crate::Pose;
use crate::separation::{Outcome, Separation};
use crate::shapes::Polytope;
use crate::tolerances::events::FAR_ROUNDING;
use band::{Band, Placed, View};
use candidates::{ActivityTest, Candidate};
use faces::FacePair;
use manifold::test as activity_test;

/// The events of one pair, with the memory to find them. Reused from query to query it allocates nothing
/// once it has grown to the scene's size.
#[derive(Clone, Debug, Default)]
pub struct EventWorkspace {
    list: Vec<ContactEvent>,
    bands: [Band; 2],
    face_pair: FacePair,
    found: Vec<Candidate>,
}

impl EventWorkspace {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// The events found last, in a fixed order: corners of a by index, corners of b, edge pairs.
    pub fn list(&self) -> &[ContactEvent] {
        &self.list
    }

    /// Finds the active and nearly active events of two polytopes. `answer` is their solved separation, at the
    /// same placements; anything but [`Outcome::Solved`] has no events.
    pub fn find(
        &mut self,
        a: &Polytope,
        pose_a: &Pose,
        b: &Polytope,
        pose_b: &Pose,
        answer: &Separation,
        options: &EventOptions,
    ) -> &[ContactEvent] {
        self.list.clear();
        self.found.clear();
        if answer.outcome != Outcome::Solved {
            return &self.list;
        }
        let origin = pose_b.position;
        let (placed_a, placed_b) = (Placed::new(a, pose_a, &origin), Placed::new(b, pose_b, &origin));
        let resolution = resolution(a.outer_radius(), b.outer_radius());
        // At touch and apart D is at least the sum of the inner radii; in deep overlap it may vanish.
        let far = FAR_ROUNDING * (a.outer_radius() + b.outer_radius() + answer.reference_distance);
        let test = activity_test(answer, options, a.inner_radius() + b.inner_radius());
        let test = ActivityTest { rounding: options.eps_0 + far, ..test };
        let view = View::along(&answer.beta);
        // Points up to eps_x outside a body may lie below its supporting plane by as much.
        let slack = 4.0 * (options.eps_0 + options.eps_x + resolution) * answer.alpha.norm();
        let depth = test.activity_width + slack;
        let [hint_a, hint_b] = answer.basis[0];
        let [band_a, band_b] = &mut self.bands;
        band_a.collect(&placed_a, Side::A, &answer.alpha, depth, hint_a, &view);
        band_b.collect(&placed_b, Side::B, &answer.alpha, depth, hint_b, &view);
        let (side_a, side_b) = ((&placed_a, &*band_a), (&placed_b, &*band_b));
        let clipped = self.face_pair.overlap(&test, side_a, side_b, &view, resolution, &mut self.found);
        if clipped.is_none_or(|faces| !only_these_faces(side_a, side_b, faces)) {
            test.all(side_a, side_b, clipped, depth, &mut self.found);
        }
        self.merge_candidates(options, resolution);
        for event in &mut self.list {
            event.point_a += origin;
            event.point_b += origin;
        }
        &self.list
    }

    /// Merges the candidates into the list. Those whose points lie within their features come first, and are
    /// the same only when their points coincide; one that reaches out of its features is dropped if
    /// another event already lies within that reach.
    fn merge_candidates(&mut self, options: &EventOptions, resolution: f64) {
        for reaching in [false, true] {
            let near = if reaching { 2.0 * options.eps_x.max(resolution) } else { 2.0 * resolution };
            for candidate in self.found.iter().filter(|c| (c.excess > resolution) == reaching) {
                let event = &candidate.event;
                let known = self.list.iter().any(|e| {
                    (e.point_a - event.point_a).norm() <= near
                        && (e.point_b - event.point_b).norm() <= near
                        && e.normal().cross(&event.normal()).norm() <= options.tilt
                        && e.alpha.dot(&event.alpha) > 0.0
                });
                if !known {
                    self.list.push(*event);
                }
            }
        }
        self.list.sort_unstable_by_key(|e| e.kind);
    }
}

/// Whether the bands hold nothing beyond the corners of these two faces: then their overlap is all there is.
fn only_these_faces((a, band_a): (&Placed, &Band), (b, band_b): (&Placed, &Band), faces: [u32; 2]) -> bool {
    let within = |body: &Placed, band: &Band, face: u32| {
        band.corners.iter().all(|c| body.polytope.vertex_faces(c.vertex as usize).contains(&face))
    };
    within(a, band_a, faces[0]) && within(b, band_b, faces[1])
}
