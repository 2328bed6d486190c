//! All parts of a model that may collide, and the rules for pairs.

use super::contact_point::{ContactPoint, PairWarmStart};
use super::part::{Part, PartShape, Plane, lifted};
use super::surface::Surface;
use crate::body::{Body, BodyId};
use crate::joint::JointKind;
use crate::rotation::{Mat3, tangents};
use crate::tolerances::OUT_OF_PLANE;
use crate::tree::Link;
use percussion_geometry::separation::{
    Options, Outcome, PlanarOptions, QueryError, SeparationIn, planar_separation, resolve, resolve_planar,
    separation,
};
use percussion_geometry::{Pose, Vec3};
use thiserror::Error;

/// A rule for one pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairRule {
    /// One body.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// Whether they collide at all.
    pub collide: bool,
    /// Restitution and friction of the pair, if other than those of the bodies.
    pub surface: Option<Surface>,
}

/// Contact as a potential [Johnson 3.38].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Potential {
    /// `C` of `V = C/2 s²`, N/m.
    pub stiffness: f64,
    /// Damping of the normal velocity during penetration, N s/m.
    pub drag: f64,
}

/// Specification of contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactSpec {
    /// Surfaces of the bodies, in their order; `None` is the default surface.
    pub surfaces: Vec<Option<Surface>>,
    /// The default surface; `None` is [`Surface::IDEAL`].
    pub otherwise: Option<Surface>,
    /// Rules for pairs; the last one counts.
    pub pairs: Vec<PairRule>,
    /// Contact as a potential; without it the scheme handles contact.
    pub potential: Option<Potential>,
}

/// Error of the set-up of contact.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ContactError {
    /// A planar shape on a body that can leave the plane.
    #[error("`{body}` has a planar shape but can leave the plane; hang it on a planar joint to the world")]
    LeavesPlane {
        /// The body.
        body: String,
    },
    /// A planar shape on a body that is driven out of the plane.
    #[error(
        "`{body}` has a planar shape, but its motion leads out of the plane; shift it along the plane, or turn it about an axis across it"
    )]
    DrivenFromPlane {
        /// The body.
        body: String,
    },
    /// Planar shapes in different planes.
    #[error("the planar shapes of `{a}` and `{b}` do not lie in one plane; give their joints one frame")]
    TwoPlanes {
        /// One body.
        a: String,
        /// The other.
        b: String,
    },
    /// A coefficient outside of its range.
    #[error("{what} is {value}; give a number {range}")]
    Range {
        /// Which coefficient.
        what: &'static str,
        /// Given value.
        value: f64,
        /// Valid range.
        range: &'static str,
    },
}

/// All parts of a model that may collide.
#[derive(Clone, Debug, Default)]
pub struct ContactGeometry {
    /// The parts, by body.
    pub parts: Vec<Part>,
    /// First part of each body, and one more: parts of body `b` are `first[b]..first[b + 1]`.
    pub first: Vec<usize>,
    pub(super) plane: Plane,
    /// Excluded pairs of bodies, sorted, the lesser first.
    apart: Vec<(usize, usize)>,
    surfaces: Vec<Option<Surface>>,
    otherwise: Surface,
    /// Surfaces of pairs, sorted by pair.
    pairs: Vec<((usize, usize), Surface)>,
}

impl ContactGeometry {
    /// From the bodies with their slots and placements; bodies that share a joint do not collide unless a rule enables it.
    pub(crate) fn build(
        spec: &ContactSpec,
        bodies: &[Body],
        placed: &[Pose],
        slots: &[Option<usize>],
        links: &[Link],
        joined: &[(usize, usize)],
    ) -> Result<Self, ContactError> {
        spec.check()?;
        let (mut parts, mut first) = (Vec::new(), vec![0]);
        for (body, shape) in bodies.iter().enumerate() {
            let slot = slots[body];
            let frame = match slot {
                Some(_) => inverse(&shape.principal),
                None => placed[body],
            };
            for attached in &shape.shapes {
                let solid = PartShape::Solid(attached.solid.clone());
                let offset = frame.then(&attached.offset);
                parts.push(Part::new(body, slot, parts.len() - first[body], solid, offset));
            }
            for outline in &shape.outlines {
                let planar = PartShape::Planar(outline.shape.clone());
                let offset = frame.then(&lifted(&outline.offset));
                parts.push(Part::new(body, slot, parts.len() - first[body], planar, offset));
            }
            let own = first[body]..parts.len();
            parts[own].iter_mut().for_each(|part| part.motion.clone_from(&shape.motion));
            first.push(parts.len());
        }
        let plane = common_plane(bodies, placed, slots, links)?;
        let rule =
            |a: usize, b: usize| spec.pairs.iter().rev().find(|rule| key(rule.a.0, rule.b.0) == key(a, b));
        let mut apart: Vec<(usize, usize)> = joined.iter().map(|&(a, b)| key(a, b)).collect();
        apart.extend(spec.pairs.iter().map(|rule| key(rule.a.0, rule.b.0)));
        apart.sort_unstable();
        apart.dedup();
        apart.retain(|&(a, b)| rule(a, b).is_none_or(|rule| !rule.collide));
        let mut pairs: Vec<((usize, usize), Surface)> = Vec::new();
        for one in &spec.pairs {
            let at = key(one.a.0, one.b.0);
            pairs.extend(rule(at.0, at.1).and_then(|rule| rule.surface).map(|surface| (at, surface)));
        }
        pairs.sort_by_key(|(pair, _)| *pair);
        pairs.dedup_by_key(|(pair, _)| *pair);
        let mut surfaces = spec.surfaces.clone();
        surfaces.resize(bodies.len(), None);
        let otherwise = spec.otherwise.unwrap_or(Surface::IDEAL);
        Ok(Self { parts, first, plane, apart, surfaces, otherwise, pairs })
    }

    /// Whether two parts may collide: at least one belongs to a moving body.
    pub fn may_collide(&self, a: usize, b: usize) -> bool {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        p.body != q.body
            && (p.slot.is_some() || q.slot.is_some())
            && p.shape.is_planar() == q.shape.is_planar()
            && !(p.shape.is_unbounded() && q.shape.is_unbounded())
            && self.apart.binary_search(&key(p.body, q.body)).is_err()
    }

    /// Excludes pairs of bodies.
    pub(crate) fn exclude_pairs(&mut self, pairs: &[(usize, usize)]) {
        self.apart.extend(pairs.iter().map(|&(a, b)| key(a, b)));
        self.apart.sort_unstable();
        self.apart.dedup();
    }

    /// A pair in the order of queries: a half-space comes second.
    pub fn ordered(&self, a: usize, b: usize) -> (usize, usize) {
        let (low, high) = key(a, b);
        if self.parts[low].shape.is_unbounded() { (high, low) } else { (low, high) }
    }

    /// Restitution and friction of two parts.
    pub fn surface(&self, a: usize, b: usize) -> Surface {
        let (a, b) = (self.parts[a].body, self.parts[b].body);
        match self.pairs.binary_search_by_key(&key(a, b), |(pair, _)| *pair) {
            Ok(at) => self.pairs[at].1,
            Err(_) => Surface::combined(self.surfaces[a], self.surfaces[b], self.otherwise),
        }
    }

    /// Two unit vectors across a contact normal of a pair; in the plane the second leads out of it.
    pub fn tangents(&self, (a, _): (usize, usize), normal: &Vec3) -> (Vec3, Vec3) {
        if self.parts[a].shape.is_planar() {
            let out = self.plane.axes.column(2).into_owned();
            return (out.cross(normal), out);
        }
        tangents(normal)
    }

    /// Every surface of a part or pair, with its body.
    pub fn surfaces(&self) -> impl Iterator<Item = (usize, Surface)> {
        let moving = self.parts.iter().map(|part| part.body);
        let own = moving.map(|body| (body, self.surfaces[body].unwrap_or(self.otherwise)));
        own.chain(self.pairs.iter().map(|((a, _), surface)| (*a, *surface)))
    }

    /// Separation of parts `a` and `b` whose bodies' principal frames have given poses (identity for
    /// fixed bodies, their displacement for driven ones). For parts farther apart than `within` the result is a lower bound.
    pub fn separation(
        &self,
        pair: (usize, usize),
        poses: (&Pose, &Pose),
        within: f64,
        warm_start: &mut PairWarmStart,
    ) -> Result<ContactPoint, QueryError> {
        self.query(pair, poses, within, false, warm_start)
    }

    /// As [`ContactGeometry::separation`], with the shortest direction and weights of a degenerate contact [Johnson 2.7.5]: symmetric
    /// where the geometry is. Allocates: for contacts, not for every candidate pair.
    pub fn resolved_separation(
        &self,
        pair: (usize, usize),
        poses: (&Pose, &Pose),
        warm_start: &mut PairWarmStart,
    ) -> Result<ContactPoint, QueryError> {
        self.query(pair, poses, f64::INFINITY, true, warm_start)
    }

    fn query(
        &self,
        (a, b): (usize, usize),
        (pose_a, pose_b): (&Pose, &Pose),
        within: f64,
        shortest: bool,
        warm_start: &mut PairWarmStart,
    ) -> Result<ContactPoint, QueryError> {
        let (p, q) = (&self.parts[a], &self.parts[b]);
        let (at_a, at_b) = (pose_a.then(&p.offset), pose_b.then(&q.offset));
        let reference = (pose_a.point(&p.reference), pose_b.point(&q.reference));
        match (&p.shape, &q.shape) {
            (PartShape::Solid(x), PartShape::Solid(y)) => {
                let options = Options { prediction: within, beta: None };
                let answer = separation(x, &at_a, y, &at_b, &options, &mut warm_start.space)?;
                let mut point = ContactPoint::in_space(&answer, reference, q.shape.is_unbounded());
                if shortest && let Ok(resolved) = resolve(x, &at_a, y, &at_b, &answer) {
                    point.alpha = resolved.alpha;
                    (point.point_a, point.point_b) = (resolved.point_a, resolved.point_b);
                }
                Ok(point)
            }
            (PartShape::Planar(x), PartShape::Planar(y)) => {
                let options = PlanarOptions { prediction: within, beta: None };
                let (at_a, at_b) = (self.plane.lowered(&at_a), self.plane.lowered(&at_b));
                let answer = planar_separation(x, &at_a, y, &at_b, &options, &mut warm_start.plane)?;
                let mut point = self.in_plane(&answer, reference, q.shape.is_unbounded());
                if shortest && let Ok(resolved) = resolve_planar(x, &at_a, y, &at_b, &answer) {
                    point.alpha = self.plane.direction(&resolved.alpha);
                    point.point_a = self.plane.raised(&resolved.point_a);
                    point.point_b = self.plane.raised(&resolved.point_b);
                }
                Ok(point)
            }
            // Excluded: `may_collide` keeps the plane and space apart.
            _ => Err(QueryError::BothUnbounded),
        }
    }

    pub(super) fn in_plane(
        &self,
        answer: &SeparationIn<2>,
        reference: (Vec3, Vec3),
        floor: bool,
    ) -> ContactPoint {
        let plane = &self.plane;
        ContactPoint {
            separation: answer.separation,
            alpha: plane.direction(&answer.alpha),
            beta: plane.direction(&answer.beta),
            point_a: plane.raised(&answer.point_a),
            point_b: plane.raised(&answer.point_b),
            reference_a: reference.0,
            reference_b: reference.1,
            reference_distance: if floor || answer.prescribed { 0.0 } else { answer.reference_distance },
            solved: answer.outcome == Outcome::Solved,
        }
    }
}

impl ContactSpec {
    /// Checks the parameters.
    pub fn check(&self) -> Result<(), ContactError> {
        let all = self.surfaces.iter().flatten().chain(&self.otherwise);
        let require = |ok: bool, what: &'static str, value: f64, range: &'static str| match ok {
            true => Ok(()),
            false => Err(ContactError::Range { what, value, range }),
        };
        for surface in all.chain(self.pairs.iter().filter_map(|rule| rule.surface.as_ref())) {
            let (e, mu) = (surface.restitution, surface.friction);
            require((0.0..=1.0).contains(&e), "a restitution", e, "from 0 to 1")?;
            require(mu >= 0.0 && mu.is_finite(), "a friction", mu, "of at least 0")?;
        }
        if let Some(Potential { stiffness, drag }) = self.potential {
            require(stiffness > 0.0 && stiffness.is_finite(), "the stiffness C", stiffness, "above 0")?;
            require(drag >= 0.0 && drag.is_finite(), "the drag", drag, "of at least 0")?;
        }
        Ok(())
    }
}

fn key(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

fn inverse(pose: &Pose) -> Pose {
    let back = pose.rotation.inverse();
    Pose::new(back, back * -pose.position)
}

/// The plane of all planar shapes: that of their bodies' planar joints.
fn common_plane(
    bodies: &[Body],
    placed: &[Pose],
    slots: &[Option<usize>],
    links: &[Link],
) -> Result<Plane, ContactError> {
    let mut found: Option<(usize, Plane)> = None;
    for (body, _) in bodies.iter().enumerate().filter(|(_, body)| !body.outlines.is_empty()) {
        let plane = match slots[body].map(|slot| &links[slot]) {
            Some(link) if link.joint.kind == JointKind::Planar && link.parent.is_none() => {
                Plane { point: link.joint.parent_frame.point, axes: link.joint.parent_frame.axes }
            }
            Some(_) => return Err(ContactError::LeavesPlane { body: bodies[body].name.clone() }),
            None => Plane { point: placed[body].position, axes: *placed[body].rotation.matrix() },
        };
        let normal = plane.axes.column(2).into_owned();
        if bodies[body].motion.as_ref().is_some_and(|motion| !motion.keeps_plane(&normal)) {
            return Err(ContactError::DrivenFromPlane { body: bodies[body].name.clone() });
        }
        match &found {
            None => found = Some((body, plane)),
            Some((other, first)) => {
                let normal = first.axes.column(2);
                let tilt = normal.cross(&plane.axes.column(2)).norm();
                let height = normal.dot(&(plane.point - first.point)).abs();
                if !(tilt <= OUT_OF_PLANE && height <= OUT_OF_PLANE) {
                    let (a, b) = (bodies[*other].name.clone(), bodies[body].name.clone());
                    return Err(ContactError::TwoPlanes { a, b });
                }
            }
        }
    }
    Ok(found.map_or(Plane { point: Vec3::zeros(), axes: Mat3::identity() }, |(_, plane)| plane))
}
