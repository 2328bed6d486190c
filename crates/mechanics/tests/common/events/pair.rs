//! Two convex polyhedra that meet in free space.
//!
//! They are apart while some axis `m` separates them: a normal of a face, turning with its body, or `m = ±e1 × e2` of two
//! edges, turning with both. Along `m` from the first body to the second, corner by corner,
//!
//! ```text
//! f = m·d,  d = b_j - a_i,   |f''| <= |m''| |d| + 2 |m'| |d'| + |m| |d''|
//! ```
//!
//! Every axis is good for the parabola's root of its worst pair of corners; the best axis gives the step. When no axis is
//! good for any time, what supports the last one decides: a corner on a face or an edge across an edge.

use nalgebra::{Matrix2, Vector2};

use super::{APART, CLOSE, Glide, MOST, Motion, STRIDE, Solid, StepError, TOUCH, Vec3, polished, safe_step};

/// Seconds beyond which no step goes, so that distances stay bounded.
const WINDOW: f64 = 0.1;
/// Sine of an angle below which edges count as parallel.
const PARALLEL: f64 = 1e-6;

/// Two bodies, and how they throw each other back.
#[derive(Debug, Clone)]
pub struct Pair {
    pub solids: [Solid; 2],
    /// Normal speed after an impact over that before.
    pub restitution: f64,
    /// Length of the integrator's patches, see [`STRIDE`].
    pub stride: f64,
}

/// Which features met; indices of corners.
#[derive(Debug, Clone, PartialEq)]
pub enum Contact {
    /// A corner of body `of` on a face of the other.
    CornerOnFace { of: usize, corner: usize, face: Vec<usize> },
    /// An edge of the first body across one of the second.
    EdgeOnEdge { edges: [[usize; 2]; 2] },
}

/// Two bodies struck each other.
#[derive(Debug, Clone, PartialEq)]
pub struct PairImpact {
    pub time: f64,
    pub contact: Contact,
    pub point: Vec3,
    /// Unit vector from the first body to the second.
    pub normal: Vec3,
    /// On the second body along the normal, N s.
    pub impulse: f64,
    pub before: [Motion; 2],
    pub after: [Motion; 2],
}

/// What happened from time 0 on.
#[derive(Debug, Clone)]
pub struct PairHistory {
    pub impacts: Vec<PairImpact>,
    pub until: f64,
    glides: Vec<[Glide; 2]>,
}

/// Where an axis comes from.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// Normal of a face of a body.
    Face { body: usize, face: usize },
    /// Product of edges given by their ends, with a sign.
    Edges { ends: [[usize; 2]; 2], sign: f64 },
}

/// An axis at a moment, with bounds on its norm and derivatives at all times.
struct Axis {
    m: Vec3,
    rate: Vec3,
    bounds: [f64; 3],
}

/// An instant: corners and their velocities in space.
struct Scene {
    motions: [Motion; 2],
    spins: [Vec3; 2],
    corners: [Vec<(Vec3, Vec3)>; 2],
}

impl Pair {
    /// Elastic or not, with patches of the usual length.
    pub fn new(first: Solid, second: Solid, restitution: f64) -> Self {
        Self { solids: [first, second], restitution, stride: STRIDE }
    }

    /// Everything that happens up to a time.
    pub fn run(&self, start: &[Motion; 2], until: f64) -> Result<PairHistory, StepError> {
        start[0].check()?;
        start[1].check()?;
        let sources = self.sources();
        let scene = self.scene(start);
        let gap = sources.iter().filter_map(|s| self.gap(s, &scene)).fold(f64::NEG_INFINITY, f64::max);
        if gap < -TOUCH {
            return Err(StepError::Overlap { depth: -gap });
        }
        let (mut time, mut motions) = (0.0, *start);
        let mut history = PairHistory { impacts: Vec::new(), until, glides: Vec::new() };
        loop {
            let mut glides =
                [0, 1].map(|k| Glide::new(time, &self.solids[k], &motions[k], Vec3::zeros(), self.stride));
            let hit = self.first_contact(&sources, &mut glides, until - time)?;
            glides.iter_mut().for_each(|g| g.reach(hit.map_or(until - time, |(s, _)| s)));
            if let Some((s, source)) = hit {
                time += s;
                let impact = self.impact(time, &source, &[glides[0].at(s), glides[1].at(s)])?;
                motions = impact.after;
                history.impacts.push(impact);
            }
            history.glides.push(glides);
            if hit.is_none() {
                return Ok(history);
            }
            if history.impacts.len() > MOST {
                return Err(StepError::Endless { time });
            }
        }
    }

    /// Kinetic energy, J; linear momentum; angular momentum about the origin.
    pub fn totals(&self, motions: &[Motion; 2]) -> (f64, Vec3, Vec3) {
        let mut sum = (0.0, Vec3::zeros(), Vec3::zeros());
        for (solid, motion) in self.solids.iter().zip(motions) {
            let p = motion.velocity * solid.mass;
            sum.0 += solid.kinetic(motion);
            sum.1 += p;
            sum.2 += motion.position.cross(&p) + motion.momentum;
        }
        sum
    }

    /// Every axis that can separate.
    fn sources(&self) -> Vec<Source> {
        let mut all = Vec::new();
        for body in 0..2 {
            all.extend((0..self.solids[body].faces.len()).map(|face| Source::Face { body, face }));
        }
        let [first, second] = [0, 1].map(|k| edges(&self.solids[k]));
        for &a in &first {
            for &b in &second {
                all.extend([1.0, -1.0].map(|sign| Source::Edges { ends: [a, b], sign }));
            }
        }
        all
    }

    fn scene(&self, motions: &[Motion; 2]) -> Scene {
        let spins = [0, 1].map(|k| self.solids[k].spin(&motions[k]));
        let corners = [0, 1].map(|k| {
            let (m, w): (&Motion, &Vec3) = (&motions[k], &spins[k]);
            let place = |v: &Vec3| (m.point(v), m.velocity + w.cross(&(m.rotation * v)));
            self.solids[k].vertices.iter().map(place).collect()
        });
        Scene { motions: *motions, spins, corners }
    }

    /// The axis of a source; none of edges that are parallel.
    fn axis(&self, source: &Source, scene: &Scene) -> Option<Axis> {
        let fastest = [0, 1].map(|k| self.solids[k].fastest(&scene.motions[k]));
        match *source {
            Source::Face { body, face } => {
                let solid = &self.solids[body];
                let [a, b, c] = [0, 1, 2].map(|i| solid.vertices[solid.faces[face][i]]);
                let outward = scene.motions[body].rotation * (b - a).cross(&(c - b)).normalize();
                let m = if body == 0 { outward } else { -outward };
                let (w, dw) = fastest[body];
                Some(Axis { m, rate: scene.spins[body].cross(&m), bounds: [1.0, w, w * w + dw] })
            }
            Source::Edges { ends, sign } => {
                let direction = |k: usize| {
                    let v = &self.solids[k].vertices;
                    scene.motions[k].rotation * (v[ends[k][1]] - v[ends[k][0]]).normalize()
                };
                let (e, g) = (direction(0), direction(1));
                let sine = e.cross(&g).norm();
                if sine < PARALLEL {
                    return None;
                }
                let scale = sign / sine;
                let rate = scene.spins[0].cross(&e).cross(&g) + e.cross(&scene.spins[1].cross(&g));
                let [(v, dv), (w, dw)] = fastest;
                let bounds = [1.0, v + w, v * v + dv + 2.0 * v * w + w * w + dw].map(|b| b / sine);
                Some(Axis { m: e.cross(&g) * scale, rate: rate * scale, bounds })
            }
        }
    }

    /// Separation along an axis; negative where it does not separate.
    fn gap(&self, source: &Source, scene: &Scene) -> Option<f64> {
        let m = self.axis(source, scene)?.m;
        let top = scene.corners[0].iter().map(|c| m.dot(&c.0)).fold(f64::NEG_INFINITY, f64::max);
        let bottom = scene.corners[1].iter().map(|c| m.dot(&c.0)).fold(f64::INFINITY, f64::min);
        Some(bottom - top)
    }

    /// How long an axis is sure to separate, and the pair of corners that sets the limit.
    fn good_for(&self, source: &Source, scene: &Scene) -> Option<(f64, [usize; 2])> {
        if self.gap(source, scene)? < -TOUCH {
            return None;
        }
        let axis = self.axis(source, scene)?;
        let [(v, dv), (w, dw)] = [0, 1].map(|k| self.solids[k].fastest(&scene.motions[k]));
        let drift = (scene.motions[1].velocity - scene.motions[0].velocity).norm();
        let mut worst = (WINDOW, [0, 0]);
        for (i, a) in scene.corners[0].iter().enumerate() {
            for (j, b) in scene.corners[1].iter().enumerate() {
                let (d, u) = (b.0 - a.0, b.1 - a.1);
                let (p, q) = (self.solids[0].vertices[i].norm(), self.solids[1].vertices[j].norm());
                let speed = drift + v * p + w * q;
                let acceleration = (v * v + dv) * p + (w * w + dw) * q;
                let bound = axis.bounds[2] * (d.norm() + speed * WINDOW)
                    + 2.0 * axis.bounds[1] * speed
                    + axis.bounds[0] * acceleration;
                let step = safe_step(axis.m.dot(&d), axis.rate.dot(&d) + axis.m.dot(&u), bound);
                if step < worst.0 {
                    worst = (step, [i, j]);
                }
            }
        }
        Some(worst)
    }

    /// Seconds until the bodies touch, and the axis that separated them last.
    fn first_contact(
        &self,
        sources: &[Source],
        glides: &mut [Glide; 2],
        limit: f64,
    ) -> Result<Option<(f64, Source)>, StepError> {
        let start = glides[0].start;
        let mut s = 0.0;
        loop {
            glides.iter_mut().for_each(|g| g.reach(s + WINDOW));
            let at = |s: f64| self.scene(&[glides[0].at(s), glides[1].at(s)]);
            let scene = at(s);
            let best = sources
                .iter()
                .filter_map(|source| Some((self.good_for(source, &scene)?, source)))
                .max_by(|a, b| a.0.0.total_cmp(&b.0.0));
            let Some(((step, [i, j]), source)) = best else {
                let which = "no axis separates any more".to_owned();
                return Err(StepError::Simultaneous { time: start + s, which });
            };
            if !(s + step < limit) {
                return Ok(None);
            }
            let gap = |scene: &Scene| {
                let (a, b) = (&scene.corners[0][i], &scene.corners[1][j]);
                let (d, u) = (b.0 - a.0, b.1 - a.1);
                // Edges that separate do not become parallel within a few nanoseconds.
                let axis = self.axis(source, scene).unwrap();
                (axis.m.dot(&d), axis.rate.dot(&d) + axis.m.dot(&u))
            };
            // Bodies that part slowly have short steps too, but are no contact.
            let parting = step > 0.0 && gap(&scene).1 > 0.0;
            if step > CLOSE || parting {
                s += step;
                continue;
            }
            let root = polished(s, start, |s| gap(&at(s)))?;
            return Ok((root < limit).then_some((root, *source)));
        }
    }

    fn impact(&self, time: f64, source: &Source, before: &[Motion; 2]) -> Result<PairImpact, StepError> {
        let scene = self.scene(before);
        // The source was an axis a moment ago.
        let normal = self.axis(source, &scene).unwrap().m.normalize();
        let (contact, point) =
            self.contact(&normal, &scene).map_err(|which| StepError::Simultaneous { time, which })?;
        let arms = [0, 1].map(|k| point - before[k].position);
        let velocity = |k: usize| before[k].velocity + scene.spins[k].cross(&arms[k]);
        let speed = normal.dot(&(velocity(1) - velocity(0)));
        let compliance: f64 = (0..2).map(|k| self.solids[k].compliance(&before[k], &arms[k], &normal)).sum();
        let impulse = -(1.0 + self.restitution) * speed / compliance;
        let after = [(0, -impulse), (1, impulse)]
            .map(|(k, p)| self.solids[k].struck(&before[k], &arms[k], &(normal * p)));
        Ok(PairImpact { time, contact, point, normal, impulse, before: *before, after })
    }

    /// What touches along a normal, and where; or what is wrong with it.
    fn contact(&self, normal: &Vec3, scene: &Scene) -> Result<(Contact, Vec3), String> {
        let support = |k: usize, sign: f64| -> Vec<usize> {
            let depth = |c: &(Vec3, Vec3)| sign * normal.dot(&c.0);
            let top = scene.corners[k].iter().map(depth).fold(f64::NEG_INFINITY, f64::max);
            let near = |&i: &usize| depth(&scene.corners[k][i]) > top - APART;
            (0..scene.corners[k].len()).filter(near).collect()
        };
        let on = [support(0, 1.0), support(1, -1.0)];
        let place = |k: usize, i: usize| scene.corners[k][i].0;
        let failed = |why: &str| format!("corners {:?} on corners {:?}{why}", on[0], on[1]);
        match (on[0].as_slice(), on[1].as_slice()) {
            (&[a, b], &[c, d]) => {
                // Where the lines a + s(b-a) and c + t(d-c) are nearest.
                let (p, e, q, g) =
                    (place(0, a), place(0, b) - place(0, a), place(1, c), place(1, d) - place(1, c));
                let matrix = Matrix2::new(e.dot(&e), -e.dot(&g), -e.dot(&g), g.dot(&g));
                let x = matrix.try_inverse().ok_or_else(|| failed(", parallel"))?
                    * Vector2::new(e.dot(&(q - p)), g.dot(&(p - q)));
                let inside = |x: f64, length: f64| x * length > APART && (1.0 - x) * length > APART;
                if !(inside(x[0], e.norm()) && inside(x[1], g.norm())) {
                    return Err(failed(", at an end"));
                }
                let point = (p + e * x[0] + q + g * x[1]) * 0.5;
                Ok((Contact::EdgeOnEdge { edges: [[a, b], [c, d]] }, point))
            }
            (&[corner], face) if face.len() > 2 => {
                self.on_face(0, corner, face, scene).ok_or_else(|| failed(""))
            }
            (face, &[corner]) if face.len() > 2 => {
                self.on_face(1, corner, face, scene).ok_or_else(|| failed(""))
            }
            _ => Err(failed("")),
        }
    }

    /// A corner on the face with these corners, if it is inside the polygon.
    fn on_face(&self, of: usize, corner: usize, on: &[usize], scene: &Scene) -> Option<(Contact, Vec3)> {
        let other = &self.solids[1 - of];
        let face = other.faces.iter().find(|f| f.len() == on.len() && f.iter().all(|i| on.contains(i)))?;
        let point = scene.corners[of][corner].0;
        let place = |i: usize| scene.corners[1 - of][face[i % face.len()]].0;
        let outward = (place(1) - place(0)).cross(&(place(2) - place(1)));
        let inside = (0..face.len()).all(|i| {
            let inward = outward.cross(&(place(i + 1) - place(i))).normalize();
            inward.dot(&(point - place(i))) > APART
        });
        inside.then(|| (Contact::CornerOnFace { of, corner, face: face.clone() }, point))
    }
}

/// Edges as neighbours around faces, each once.
fn edges(solid: &Solid) -> Vec<[usize; 2]> {
    let around = |f: &Vec<usize>| (0..f.len()).map(|i| [f[i], f[(i + 1) % f.len()]]).collect::<Vec<_>>();
    solid.faces.iter().flat_map(around).filter(|[a, b]| a < b).collect()
}

impl PairHistory {
    /// The motions at a time within the run; at an impact, those after it.
    pub fn state_at(&self, time: f64) -> [Motion; 2] {
        assert!((0.0..=self.until).contains(&time), "{time} s is outside the run of {} s", self.until);
        let glides = &self.glides[self.glides.partition_point(|g| g[0].start <= time) - 1];
        [0, 1].map(|k| glides[k].at(time - glides[k].start))
    }

    /// Impact times.
    pub fn times(&self) -> Vec<f64> {
        self.impacts.iter().map(|i| i.time).collect()
    }
}
