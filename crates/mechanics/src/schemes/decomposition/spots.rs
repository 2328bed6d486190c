//! Where the parts of a group touch after the projection, with the rows that impulses there act along.
//!
//! A spot is active if it is closed, or if it overlapped at the trial configuration: all contacts of a step happen at its end
//! and at once [Johnson 3.5.1].

use super::groups::{Close, poses};
use super::metric::{Metric, Rows};
use crate::contact::{Contacts, Group, Manifold, Touch};
use crate::discrete::Trouble;
use crate::model::Model;
use crate::rotation::tangents;
use crate::state::State;
use percussion_geometry::Vec3;
use percussion_geometry::events::resolution;
use std::ops::Range;

/// How far events may be farther apart than their pair, in overlaps of the group.
const WINDOW: f64 = 4.0;
/// Square of a row's length, relative to that of free bodies, below which no impulse can act along it.
const IMMOVABLE: f64 = 1e-20;

/// Cosine between normals that are the same up to the tilt of two faces that lie on each other: half a degree.
const ALIKE: f64 = 1.0 - 5e-5;

/// A place where two parts touch.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// The parts.
    pub pair: (usize, usize),
    /// Where.
    pub point: Vec3,
    /// Unit normal from `b` to `a`.
    pub normal: Vec3,
    /// Two unit vectors across it.
    pub across: [Vec3; 2],
    /// `|α|`: the gradient of `s` is this multiple of the normal row.
    pub steepness: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Rows along the normal and across it.
    pub rows: [usize; 3],
    /// Normal impulse, N s.
    pub push: f64,
    /// Tangential impulse on `a`, N s.
    pub drag: Vec3,
    /// Normal velocity before, m/s.
    pub before: f64,
}

/// Spots of a group, pair by pair; its memory serves again.
#[derive(Clone, Debug, Default)]
pub(super) struct Spots {
    pub list: Vec<Spot>,
    /// The spots of each pair that touches.
    pub pairs: Vec<Range<usize>>,
    pub rows: Rows,
    touches: Vec<Touch>,
    room: Manifold,
    dense: Vec<f64>,
}

/// What the spots of a group are read from.
pub(super) struct Scene<'a> {
    pub model: &'a Model,
    pub contacts: &'a Contacts,
    /// Where the group was before the projection, and where it is.
    pub trial: &'a State,
    pub at: &'a State,
    pub group: &'a mut Group,
    pub metric: &'a Metric,
    /// Deepest overlap before, m.
    pub depth: f64,
}

impl Spots {
    /// All active events of all pairs.
    pub fn find_events(&mut self, scene: &mut Scene, pairs: &mut [Close]) -> Result<(), Trouble> {
        self.clear();
        for close in pairs {
            let (a, b) = poses(scene.contacts, close.pair, scene.at);
            let window = WINDOW * scene.depth;
            self.touches.clear();
            let (memory, room) = (&mut close.memory, &mut self.room);
            let whole =
                scene.contacts.near_events(close.pair, (&a, &b), window, memory, room, &mut self.touches)?;
            let first = self.list.len();
            for k in 0..self.touches.len() {
                let touch = self.touches[k];
                if touch.gap() <= closed(scene.contacts, close)
                    || earlier(scene, close, &touch) < -close.tolerance
                {
                    self.push(scene, close, &touch, &whole);
                }
            }
            if self.list.len() > first {
                self.pairs.push(first..self.list.len());
            }
        }
        Ok(())
    }

    /// One spot for each active pair, the middle of its contact.
    pub fn find_pairs(&mut self, scene: &mut Scene, pairs: &mut [Close]) -> Result<(), Trouble> {
        self.clear();
        for close in pairs {
            let (a, b) = poses(scene.contacts, close.pair, scene.at);
            let touch = scene.contacts.resolved(close.pair, (&a, &b), &mut close.memory)?;
            if touch.gap() <= closed(scene.contacts, close) || close.separation < -close.tolerance {
                let first = self.list.len();
                self.push(scene, close, &touch, &touch);
                self.pairs.push(first..self.list.len());
            }
        }
        Ok(())
    }

    /// No spots.
    pub fn clear(&mut self) {
        self.list.clear();
        self.pairs.clear();
        self.rows.clear();
    }

    fn push(&mut self, scene: &mut Scene, close: &Close, touch: &Touch, whole: &Touch) {
        let Scene { model, contacts, at, group, metric, .. } = scene;
        self.dense.clear();
        self.dense.resize(group.freedoms(), 0.0);
        // Convex parts touch in a plane: events whose normal is that of the pair are put into it. Where two spots of one
        // pair stick on a slope, they part equally fast, which restitution does not want.
        let (own, common) = (touch.normal(), whole.normal());
        let (point, normal) = match own.dot(&common) > ALIKE {
            true => (touch.point() + common * common.dot(&(whole.point() - touch.point())), common),
            false => (touch.point(), own),
        };
        let (e1, e2) = tangents(&normal);
        let rows = [normal, e1, e2].map(|direction| {
            group.direction(model, at, contacts, close.pair, (&point, &direction), &mut self.dense);
            self.rows.push(metric, &mut self.dense)
        });
        let slots = [close.pair.0, close.pair.1].map(|part| contacts.parts[part].slot);
        let lightness: f64 = slots.iter().flatten().map(|slot| 1.0 / model.links[*slot].mass).sum();
        if !(self.rows.product(rows[0], rows[0]) > IMMOVABLE * lightness) {
            return;
        }
        let surface = contacts.surface(close.pair.0, close.pair.1);
        self.list.push(Spot {
            pair: close.pair,
            point,
            normal,
            across: [e1, e2],
            steepness: touch.alpha.norm(),
            restitution: surface.restitution,
            friction: surface.friction,
            rows,
            push: 0.0,
            drag: Vec3::zeros(),
            before: 0.0,
        });
    }
}

/// Gap below which two parts touch, m.
fn closed(contacts: &Contacts, close: &Close) -> f64 {
    resolution(contacts.parts[close.pair.0].radius, contacts.parts[close.pair.1].radius)
}

/// The gap of an event before the projection, m: its points are carried back with their bodies.
fn earlier(scene: &Scene, close: &Close, touch: &Touch) -> f64 {
    let moved = |part: usize, point: &Vec3| {
        scene.contacts.parts[part].slot.map_or_else(Vec3::zeros, |slot| {
            let (from, to) = (scene.trial, scene.at);
            let arm = to.rotations[slot].tr_mul(&(point - to.positions[slot]));
            point - from.positions[slot] - from.rotations[slot] * arm
        })
    };
    let apart = moved(close.pair.0, &touch.point_a) - moved(close.pair.1, &touch.point_b);
    touch.gap() - touch.normal().dot(&apart)
}
