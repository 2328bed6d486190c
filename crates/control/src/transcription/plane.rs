//! A plane between two parts that is sought with everything else.
//!
//! Two convex parts are apart if and only if *some* plane has all of one above it and all of the other below. The separation is
//! the best of all planes, and has kinks where that one changes; with the plane among the unknowns there are none:
//!
//! ```text
//! unknown      n on the sphere, c                     moved along its tangents: n cos|θ| + T θ sin|θ|/|θ|
//! first part   n·(x - o) - c ≥ r + least/2            every vertex x, r its rounding, o a point that stands firm
//! second part  c - n·(y - o) ≥ r + least/2
//! ```
//!
//! A plane holds over an interval: both nodes keep to their sides of it, and with them all that lies between the two on a
//! straight way. Turns leave that way by the square of their angle; what they cost is measured after a solution, and added to
//! `least`.

use super::columns::{Gallery, Way};
use super::piece::{Context, Piece};
use super::point::{NONE, Point};
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::{ContactGeometry, Part, PartShape};
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::{ChartBlock, Undefined};

/// A convex part as the vertices of its core, in the body's principal frame, and a radius about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<Vec3>,
    radius: f64,
}

impl Hull {
    /// Of a part; `None` if it has no such core.
    pub fn of(part: &Part) -> Option<Self> {
        let (own, radius) = match &part.shape {
            PartShape::Planar(planar) => {
                (planar.polygon()?.vertices().iter().map(|v| Vec3::new(v.x, v.y, 0.0)).collect(), 0.0)
            }
            PartShape::Solid(Solid::Polytope(polytope)) => (polytope.vertices().to_vec(), 0.0),
            PartShape::Solid(Solid::Sphere(sphere)) => (vec![Vec3::zeros()], sphere.radius()),
            PartShape::Solid(Solid::Capsule(capsule)) => {
                let end = Vec3::new(0.0, 0.0, capsule.half_length());
                (vec![end, -end], capsule.radius())
            }
            PartShape::Solid(_) => return None,
        };
        Some(Self { vertices: own.iter().map(|v| part.offset.point(v)).collect(), radius })
    }

    /// Of its core, in the body's principal frame.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// About them, m.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The least height of the part over planes across `n`, from `o`.
    fn lowest(&self, pose: &Pose, n: &Vec3, o: &Vec3) -> f64 {
        let height = |v: &Vec3| n.dot(&(pose.point(v) - o));
        self.vertices.iter().map(height).fold(f64::INFINITY, f64::min) - self.radius
    }
}

/// Where the search for a plane begins, and what it keeps apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal from the second part to the first.
    pub normal: Vec3,
    /// The point `o` that heights are measured from.
    pub anchor: Vec3,
    /// The height `c`.
    pub height: f64,
    hulls: [Hull; 2],
    /// The direction across the plane in which planar parts move.
    flat: Option<Vec3>,
}

impl Plane {
    /// The one of some normals that leaves most room in all of some states; `None` if a part has no core of vertices.
    pub fn best(
        contacts: &ContactGeometry,
        pair: (usize, usize),
        normals: &[Vec3],
        states: &[&State],
    ) -> Option<Self> {
        let parts = [&contacts.parts[pair.0], &contacts.parts[pair.1]];
        let hulls = [Hull::of(parts[0])?, Hull::of(parts[1])?];
        let poses: Vec<[Pose; 2]> =
            states.iter().map(|state| parts.map(|part| part.body_pose(state))).collect();
        let first = poses.first()?;
        let anchor = (first[0].point(&parts[0].reference) + first[1].point(&parts[1].reference)) * 0.5;
        let flat = parts[0].shape.is_planar().then(|| {
            let across = first[0].direction(&parts[0].offset.direction(&Vec3::z()));
            across.normalize()
        });
        let span = |n: &Vec3| {
            let above = poses.iter().map(|p| hulls[0].lowest(&p[0], n, &anchor));
            let below = poses.iter().map(|p| -hulls[1].lowest(&p[1], &-n, &anchor));
            (below.fold(f64::NEG_INFINITY, f64::max), above.fold(f64::INFINITY, f64::min))
        };
        let best = normals.iter().max_by(|m, n| {
            let room = |n: &Vec3| span(n).1 - span(n).0;
            room(m).total_cmp(&room(n))
        })?;
        let (below, above) = span(best);
        Some(Self { normal: *best, anchor, height: 0.5 * (below + above), hulls, flat })
    }

    /// How many numbers turn it.
    pub fn turns(&self) -> usize {
        if self.flat.is_some() { 1 } else { 2 }
    }

    /// Rows that it gives at a node.
    pub fn rows(&self) -> usize {
        self.hulls.iter().map(|hull| hull.vertices.len()).sum()
    }

    /// Directions in which a normal turns.
    fn tangents(&self, n: &Vec3) -> [Vec3; 2] {
        match &self.flat {
            Some(across) => [across.cross(n), Vec3::zeros()],
            None => {
                // The axis that is least along the normal.
                let axis = Vec3::ith(n.map(f64::abs).imin(), 1.0);
                let first = n.cross(&axis).normalize();
                [first, n.cross(&first)]
            }
        }
    }

    /// A normal turned by a step along its tangents.
    pub fn turned(&self, n: &Vec3, step: &[f64]) -> Vec3 {
        let tangents = self.tangents(n);
        let along: Vec3 = step.iter().zip(&tangents).map(|(d, t)| t * *d).sum();
        let angle = along.norm();
        let ratio = if angle > 0.0 { angle.sin() / angle } else { 1.0 };
        (n * angle.cos() + along * ratio).normalize()
    }

    /// How a turned normal turns, along its own tangents, when the step to it changes.
    pub fn chart(&self, n: &Vec3, first: usize, step: &[f64]) -> ChartBlock {
        let tangents = self.tangents(n);
        let there = self.tangents(&self.turned(n, step));
        let along: Vec3 = step.iter().zip(&tangents).map(|(d, t)| t * *d).sum();
        let angle = along.norm();
        let size = self.turns();
        let mut entries = Vec::new();
        for (j, tangent) in tangents.iter().enumerate().take(size) {
            let change = match angle > 1e-9 {
                false => *tangent,
                true => {
                    let (sin, cos) = angle.sin_cos();
                    let bend = (angle * cos - sin) / (angle * angle * angle);
                    tangent * (sin / angle) + along * (bend * step[j]) - n * (sin / angle * step[j])
                }
            };
            entries.extend(there.iter().take(size).map(|t| t.dot(&change)));
        }
        ChartBlock { first, entries, size }
    }
}

/// What a plane asks of a node.
pub struct PlanePiece {
    plane: Plane,
    /// Its place among the candidate's planes.
    index: usize,
    node: usize,
    pair: (usize, usize),
    /// Islands with variables, each with the place of its first local variable.
    islands: Vec<(usize, usize)>,
    /// The islands of the two parts, if they move.
    sides: [Option<usize>; 2],
    /// Place of the first local variable of the plane.
    first: usize,
    variables: Vec<usize>,
    rows: Vec<(usize, f64)>,
    /// Whether both bodies move freely: then shifts are linear.
    simple: bool,
}

impl PlanePiece {
    /// A plane at a node with the rows of its vertices.
    pub fn new(
        context: &Context,
        (plane, index): (&Plane, usize),
        node: usize,
        pair: (usize, usize),
        rows: Vec<(usize, f64)>,
    ) -> Self {
        let (model, numbering) = (&context.plan.model, &context.numbering);
        let (mut islands, mut variables, mut sides): (Vec<(usize, usize)>, Vec<usize>, _) =
            (Vec::new(), Vec::new(), [None; 2]);
        let parts = model.contacts.as_ref().map_or(&[][..], |contacts| &contacts.parts);
        let mut simple = true;
        for (side, part) in sides.iter_mut().zip([pair.0, pair.1]) {
            let Some(slot) = parts.get(part).and_then(|part| part.slot) else { continue };
            let island = model.islands.partition_point(|i| i.bodies.end <= slot);
            let first = numbering.places[node][island];
            if first == NONE {
                continue;
            }
            *side = Some(island);
            let count = model.islands[island].dofs.len();
            let joint = &model.links[slot].joint;
            simple &=
                count == 6 && !joint.particle && joint.parent_frame.axes == nalgebra::Matrix3::identity();
            if !islands.iter().any(|(known, _)| *known == island) {
                islands.push((island, variables.len()));
                variables.extend(first..first + count);
            }
        }
        let first = variables.len();
        variables.extend(numbering.planes[index]..=numbering.planes[index] + plane.turns());
        Self { plane: plane.clone(), index, node, pair, islands, sides, first, variables, rows, simple }
    }

    /// Each vertex with its side and its place in the world, from the anchor and from the body's centre.
    fn each(
        &self,
        contacts: &ContactGeometry,
        state: &State,
        mut with: impl FnMut(usize, usize, Vec3, Vec3),
    ) {
        let mut row = 0;
        for (side, (hull, part)) in self.plane.hulls.iter().zip([self.pair.0, self.pair.1]).enumerate() {
            let part = &contacts.parts[part];
            let pose = part.body_pose(state);
            for vertex in &hull.vertices {
                let at = pose.point(vertex);
                with(row, side, at - self.plane.anchor, at - pose.position);
                row += 1;
            }
        }
    }

    /// How the bodies of both sides move along the degrees of freedom of their islands, with the place of the first among the variables.
    fn ways<'a>(
        &self,
        gallery: &'a mut Gallery,
        model: &Model,
        contacts: &ContactGeometry,
        at: &Point,
    ) -> [Option<(Way<'a>, usize)>; 2] {
        for &island in self.sides.iter().flatten() {
            gallery.look(model, &at.nodes, (self.node, island));
        }
        let gallery = &*gallery;
        let parts = [self.pair.0, self.pair.1].map(|part| &contacts.parts[part]);
        [0, 1].map(|side| {
            let (island, slot) = (self.sides[side]?, parts[side].slot?);
            let (_, first) = self.islands.iter().find(|(own, _)| *own == island)?;
            let body = slot - model.islands[island].bodies.start;
            Some((gallery.of(model, (self.node, island)).way(body), *first))
        })
    }

    /// Sums over vertices of what rows weigh: signed weights, and these times places from the anchor and the body's centre.
    fn moments(&self, contacts: &ContactGeometry, state: &State, weights: &[f64]) -> Moments {
        let mut sums = Moments::default();
        self.each(contacts, state, |row, side, from_anchor, from_centre| {
            let w = SIGNS[side] * weights[row];
            sums.weight[side] += w;
            sums.anchor += from_anchor * w;
            sums.centre[side] += from_centre * w;
        });
        sums
    }
}

/// Heights count upwards for the first part, downwards for the second.
const SIGNS: [f64; 2] = [1.0, -1.0];

#[derive(Default)]
struct Moments {
    weight: [f64; 2],
    anchor: Vec3,
    centre: [Vec3; 2],
}

impl Piece for PlanePiece {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.rows
    }

    fn value(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let Some(contacts) = &context.plan.model.contacts else { return Ok(()) };
        let n = at.planes[self.index];
        let height = at.numbers[context.numbering.planes[self.index] + self.plane.turns()];
        self.each(contacts, &at.nodes[self.node], |row, side, from_anchor, _| {
            out[row] = SIGNS[side] * (n.dot(&from_anchor) - height) - self.plane.hulls[side].radius;
        });
        Ok(())
    }

    fn jacobian(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let Context { plan, gallery, .. } = context;
        let model = &*plan.model;
        let Some(contacts) = &model.contacts else { return Ok(()) };
        let state = &at.nodes[self.node];
        let n = at.planes[self.index];
        let tangents = self.plane.tangents(&n);
        let (rows, turns) = (self.rows.len(), self.plane.turns());
        let ways = self.ways(gallery, model, contacts, at);
        self.each(contacts, state, |row, side, from_anchor, from_centre| {
            let sign = SIGNS[side];
            if let Some((way, first)) = &ways[side] {
                way.reduce(&(n * sign), &(from_centre.cross(&n) * sign), |dof, slope| {
                    out[(first + dof) * rows + row] = slope;
                });
            }
            for (t, tangent) in tangents.iter().enumerate().take(turns) {
                out[(self.first + t) * rows + row] = sign * tangent.dot(&from_anchor);
            }
            out[(self.first + turns) * rows + row] = -sign;
        });
        Ok(())
    }

    fn hessian(
        &self,
        context: &mut Context,
        at: &Point,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        if weights.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        let Context { plan, gallery, .. } = context;
        let model = &*plan.model;
        let Some(contacts) = &model.contacts else { return Ok(()) };
        let state = &at.nodes[self.node];
        let n = at.planes[self.index];
        let all = self.variables.len();
        let sums = self.moments(contacts, state, weights);
        let ways = self.ways(gallery, model, contacts, at);
        let tangents = self.plane.tangents(&n);
        for (t, place) in (self.first..self.first + self.plane.turns()).enumerate() {
            out[place * all + place] = -n.dot(&sums.anchor);
            for (side, (way, first)) in ways.iter().enumerate().filter_map(|(s, w)| Some((s, w.as_ref()?))) {
                let torque = sums.centre[side].cross(&tangents[t]);
                way.reduce(&(tangents[t] * sums.weight[side]), &torque, |dof, slope| {
                    out[(first + dof) * all + place] += slope;
                    out[place * all + first + dof] += slope;
                });
            }
        }
        for (side, (way, first)) in ways.iter().enumerate().filter_map(|(s, w)| Some((s, w.as_ref()?))) {
            way.bend(&n, sums.weight[side], &sums.centre[side], |i, j, value| {
                out[(first + i) * all + first + j] += value;
            });
        }
        Ok(())
    }

    fn depends(&self, row: usize, variable: usize) -> bool {
        if variable >= self.first {
            return true;
        }
        let side = usize::from(row >= self.plane.hulls[0].vertices.len());
        let at = self.islands.partition_point(|(_, first)| *first <= variable);
        self.sides[side] == Some(self.islands[at - 1].0)
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        let (turns, height) = (self.first, self.first + self.plane.turns());
        if one == height || other == height {
            return false;
        }
        match (one >= turns, other >= turns) {
            (true, true) => one == other,
            (false, false) => {
                let island = |v: usize| self.islands.partition_point(|(_, first)| *first <= v);
                // Shifts of free bodies are linear.
                let turning = |v: usize| !self.simple || v % 6 >= 3;
                island(one) == island(other) && turning(one) && turning(other)
            }
            _ => true,
        }
    }
}
