//! Redundant coordinates: an island as positions and directors, numbers in Rⁿ with constraints on them.
//!
//! ```text
//! q = (φ, d1, d2, d3) for a rigid body, φ for a particle        M = diag(m, E1, E2, E3)          [Johnson 3.23]
//! g = orthonormal directors [3.21], then the rows of its joint, body by body; the loops' rows last
//! ```
//!
//! Displacements of one body are a [`Moved`], covectors a [`LinearForm`]; a couple `T` is the covector `T × d_I / 2`, since
//! `Σ d_I × (T × d_I)/2 = T`. A particle's axes are those of its parent, turned by a constant: a force on them
//! acts there.

use super::Interval;
use super::loops::End;
use crate::joint::{Joint, JointKind, LinearForm, Row};
use crate::model::{Island, Model, State};
use crate::rotation::{Mat3, RodriguesVector, hat, tangents};
use crate::tree::Link;
use percussion_geometry::Vec3;

/// Pairs of directors whose products are the internal constraints, in the order of [Johnson 3.21].
pub(super) const INTERNAL: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// Displacement of a body's position and directors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    /// Of the position.
    pub shift: Vec3,
    /// Of the directors, as columns.
    pub frame: Mat3,
}

impl LinearForm {
    /// The form's value for a displacement.
    pub(super) fn on(&self, moved: &Moved) -> f64 {
        self.force.dot(&moved.shift) + self.moment.dot(&moved.frame)
    }

    /// The covector of a force at the centre of mass and a couple, for directors `r`.
    pub(super) fn of_wrench(force: Vec3, torque: &Vec3, r: &Mat3) -> LinearForm {
        LinearForm { force, moment: hat(torque) * r * 0.5 }
    }

    /// Adds a multiple.
    pub(super) fn add(&mut self, other: &LinearForm, factor: f64) {
        self.force += other.force * factor;
        self.moment += other.moment * factor;
    }
}

/// `E`: masses of the directors.
pub(super) fn director_weights(link: &Link) -> Vec3 {
    let half = 0.5 * link.inertia.sum();
    link.inertia.map(|j| half - j)
}

/// Range of a body's coordinates.
#[derive(Clone, Copy, Debug)]
enum Axes {
    /// Its own, beginning there.
    Own(usize),
    /// Those of the body in this place, which begin there, turned by a constant.
    Carried { body: usize, at: usize, by: Mat3 },
    /// The world's.
    World,
}

/// The layout of an island in redundant coordinates.
#[derive(Clone, Debug, Default)]
pub(super) struct Directors {
    /// Number of coordinates.
    pub size: usize,
    /// Number of constraints, loops included.
    pub rows: usize,
    /// Number of constraints of loops; they are the last.
    pub loop_rows: usize,
    /// Diagonal of the mass matrix.
    pub mass: Vec<f64>,
    positions: Vec<usize>,
    axes: Vec<Axes>,
}

impl Directors {
    /// Lays out an island.
    pub fn begin(&mut self, model: &Model, island: &Island, state: &State) {
        let b0 = island.bodies.start;
        self.mass.clear();
        self.positions.clear();
        self.axes.clear();
        self.rows = 0;
        for slot in island.bodies.clone() {
            let link = &model.links[slot];
            self.positions.push(self.mass.len());
            self.mass.extend([link.mass; 3]);
            self.rows += link.joint.rows().len();
            if link.joint.particle {
                let above = link.parent.map_or(Axes::World, |p| match self.axes[p - b0] {
                    Axes::Own(at) => Axes::Carried { body: p - b0, at, by: Mat3::identity() },
                    other => other,
                });
                self.axes.push(match above {
                    Axes::Carried { body, at, .. } => {
                        let by = state.rotations[b0 + body].tr_mul(&state.rotations[slot]);
                        Axes::Carried { body, at, by }
                    }
                    other => other,
                });
            } else {
                self.axes.push(Axes::Own(self.mass.len()));
                director_weights(link).iter().for_each(|e| self.mass.extend([*e; 3]));
                self.rows += INTERNAL.len();
            }
        }
        self.loop_rows = model.closures[island.closures.clone()].iter().map(|c| c.joint.rows().len()).sum();
        self.rows += self.loop_rows;
        self.size = self.mass.len();
    }

    /// The part of a vector of coordinates that belongs to a body.
    pub fn moved(&self, q: &[f64], body: usize) -> Moved {
        let shift = vector(q, self.positions[body]);
        let frame = |at: usize| Mat3::from_column_slice(&q[at..at + 9]);
        let frame = match &self.axes[body] {
            Axes::Own(at) => frame(*at),
            Axes::Carried { at, by, .. } => frame(*at) * by,
            Axes::World => Mat3::zeros(),
        };
        Moved { shift, frame }
    }

    /// Writes a body's displacement.
    pub fn set(&self, body: usize, moved: &Moved, q: &mut [f64]) {
        let at = self.positions[body];
        q[at..at + 3].copy_from_slice(moved.shift.as_slice());
        if let Axes::Own(at) = self.axes[body] {
            q[at..at + 9].copy_from_slice(moved.frame.as_slice());
        }
    }

    /// Adds a covector of a body to one of all coordinates.
    pub fn put(&self, body: usize, form: &LinearForm, out: &mut [f64]) {
        let mut add = |at: usize, values: &[f64]| {
            out[at..].iter_mut().zip(values).for_each(|(o, v)| *o += v);
        };
        add(self.positions[body], form.force.as_slice());
        match &self.axes[body] {
            Axes::Own(at) => add(*at, form.moment.as_slice()),
            Axes::Carried { at, by, .. } => add(*at, (form.moment * by.transpose()).as_slice()),
            Axes::World => {}
        }
    }

    /// The constraints' derivatives `G`, row by row, at placements that need not satisfy them.
    pub fn gradients(
        &self,
        model: &Model,
        island: &Island,
        positions: &[Vec3],
        frames: &[Mat3],
        out: &mut [f64],
    ) {
        out.fill(0.0);
        let n = self.size;
        for_each_row(model, island, positions, frames, |k, line| {
            let row = &mut out[k * n..(k + 1) * n];
            self.put(line.child, &line.child_form, row);
            if let Some(parent) = line.parent {
                self.put(parent, &line.parent_form, row);
            }
        });
    }
}

fn vector(q: &[f64], at: usize) -> Vec3 {
    Vec3::new(q[at], q[at + 1], q[at + 2])
}

/// The derivative of one constraint; bodies by their place in the island.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub child: usize,
    pub child_form: LinearForm,
    pub parent: Option<usize>,
    pub parent_form: LinearForm,
}

/// Visits all constraints of an island in their order.
pub(super) fn for_each_row(
    model: &Model,
    island: &Island,
    positions: &[Vec3],
    frames: &[Mat3],
    mut visit: impl FnMut(usize, &Line),
) {
    let b0 = island.bodies.start;
    let placed = |slot: usize| (&positions[slot - b0], &frames[slot - b0]);
    let mut k = 0;
    let mut next = |line: Line| {
        visit(k, &line);
        k += 1;
    };
    let line = |joint: &Joint, parent: Option<usize>, child: usize, row: Row| {
        let value = joint.row(row, parent.map(placed), placed(child));
        let (child, parent) = (child - b0, parent.map(|p| p - b0));
        Line { child, child_form: value.child, parent, parent_form: value.parent }
    };
    for slot in island.bodies.clone() {
        let link = &model.links[slot];
        if !link.joint.particle {
            INTERNAL.iter().for_each(|&pair| next(internal_line(slot - b0, &frames[slot - b0], pair)));
        }
        link.joint.rows().iter().for_each(|&row| next(line(&link.joint, link.parent, slot, row)));
    }
    for closure in &model.closures[island.closures.clone()] {
        let joint = &closure.joint;
        joint.rows().iter().for_each(|&row| next(line(joint, closure.parent, closure.child, row)));
    }
}

/// `(d_I·d_I - 1)/2` or `d_I·d_J` [Johnson 3.21].
fn internal_line(body: usize, frame: &Mat3, (a, b): (usize, usize)) -> Line {
    let mut moment = Mat3::zeros();
    moment.set_column(a, &frame.column(b));
    moment.set_column(b, &frame.column(a));
    let child_form = LinearForm { force: Vec3::zeros(), moment };
    Line { child: body, child_form, parent: None, parent_form: LinearForm::zero() }
}

/// Force on child and parent of a unit force along a joint's degree of freedom; also the derivative of the coordinate, where there is
/// one. `first` is the joint's first coordinate.
pub(super) fn dof_forms(
    joint: &Joint,
    dof: usize,
    first: f64,
    parent: Option<(&Vec3, &Mat3)>,
    child: (&Vec3, &Mat3),
) -> (LinearForm, LinearForm) {
    let slide = |k: usize| joint.row(Row::Slide(k), parent, child);
    let slides = match (joint.kind, dof) {
        (JointKind::Prismatic, _) | (JointKind::Cylindrical, 1) => Some(2),
        (JointKind::Planar, 0 | 1) | (JointKind::Free, 0..3) => Some(dof),
        _ => None,
    };
    if let Some(k) = slides {
        let value = slide(k);
        return (value.child, value.parent);
    }
    if let (JointKind::Rod, 0 | 1) = (joint.kind, dof) {
        // A swing about e moves the end by e × t: a unit torque about e is the force e × t / |t|² there.
        let rows = [0, 1, 2].map(slide);
        let t = Vec3::new(rows[0].value, rows[1].value, rows[2].value);
        let (e1, e2) = tangents(&t.normalize());
        let push = if dof == 0 { e1 } else { e2 }.cross(&t) / t.norm_squared();
        let mut forms = (LinearForm::zero(), LinearForm::zero());
        for (row, &share) in rows.iter().zip(&push) {
            forms.0.add(&row.child, share);
            forms.1.add(&row.parent, share);
        }
        return forms;
    }
    let w = parent.map_or(joint.parent_frame.axes, |(_, r)| r * joint.parent_frame.axes);
    let axis = match (joint.kind, dof) {
        (JointKind::Spherical, k) => w.column(k).into_owned(),
        (JointKind::Free, k) => w.column(k - 3).into_owned(),
        (JointKind::Rod, k) => w.column(k - 2).into_owned(),
        (JointKind::Universal, 0) => w.column(0).into_owned(),
        (JointKind::Universal, _) => {
            let (sin, cos) = first.sin_cos();
            w.column(1) * cos + w.column(2) * sin
        }
        _ => w.column(2).into_owned(),
    };
    let couple = |sign: f64, r: &Mat3| LinearForm::of_wrench(Vec3::zeros(), &(axis * sign), r);
    (couple(1.0, child.1), parent.map_or_else(LinearForm::zero, |(_, r)| couple(-1.0, r)))
}

impl Interval {
    /// `-D1 L_d` (before) or `D2 L_d` (after), forces included, as covectors on positions and directors [Johnson 3.14, 4.7].
    /// The interval must have been evaluated from `state`, and `t` is the time of its middle.
    pub(super) fn covectors(
        &self,
        end: End,
        model: &Model,
        island: &Island,
        state: &State,
        (t, h): (f64, f64),
        out: &mut Vec<LinearForm>,
    ) {
        self.force_covectors(end, model, island, state, (t, h), out);
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let weights = director_weights(link) / h;
            out[i].force += self.displacements[i].shift * (link.mass / h);
            let moved = self.displacements[i].turn.moves_frame(&self.rotations0[i]);
            out[i].moment += moved * Mat3::from_diagonal(&weights);
        }
    }

    /// The forces' part of [`Interval::covectors`]: `-h/2 F` before and `h/2 F` after.
    pub(super) fn force_covectors(
        &self,
        end: End,
        model: &Model,
        island: &Island,
        state: &State,
        (t, h): (f64, f64),
        out: &mut Vec<LinearForm>,
    ) {
        let b0 = island.bodies.start;
        let (half, positions, frames) = match end {
            End::Before => (-0.5 * h, &state.positions[island.bodies.clone()], &self.rotations0),
            End::After => (0.5 * h, self.positions.as_slice(), &self.rotations),
        };
        out.clear();
        out.extend(self.accumulators.iter().zip(frames).map(|(applied, frame)| {
            let mut form = LinearForm::of_wrench(applied.force, &applied.torque, frame);
            form.moment += applied.moment;
            LinearForm { force: form.force * half, moment: form.moment * half }
        }));
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let (link, i) = (&model.links[force.slot], force.slot - b0);
            let (_, applied) = self.joint_force(force, model, island, state, t, h);
            let from = state.coordinates[link.coordinates()].first().copied().unwrap_or(0.0);
            let first = from + if end == End::After { self.increments[i].numbers[0] } else { 0.0 };
            let parent = link.parent.map(|p| p - b0);
            let (child, above) = dof_forms(
                &link.joint,
                force.coordinate,
                first,
                parent.map(|p| (&positions[p], &frames[p])),
                (&positions[i], &frames[i]),
            );
            out[i].add(&child, half * applied.value);
            if let Some(p) = parent {
                out[p].add(&above, half * applied.value);
            }
        }
    }
}

impl RodriguesVector {
    /// Displacement of the columns of a frame, to relative precision.
    pub(super) fn moves_frame(&self, frame: &Mat3) -> Mat3 {
        Mat3::from_columns(&[0, 1, 2].map(|k| self.displacement(&frame.column(k).into_owned())))
    }
}
