//! Places where parts touch, with the rows that impulses there act along.

use super::metric::{Metric, Rows};
use crate::contact::{ContactGeometry, ContactPoint, ManifoldQuery};
use crate::model::Model;
use crate::model::State;
use crate::response::CollisionGroup;
use percussion_geometry::Vec3;
use std::ops::Range;

/// Square of a row's length, relative to that of free bodies, below which no impulse can act along it.
const IMMOVABLE: f64 = 1e-20;

/// Cosine between normals that are the same up to the tilt of two faces that lie on each other: half a degree.
const ALIKE: f64 = 1.0 - 5e-5;

/// A place where two parts touch.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
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
pub(crate) struct Spots {
    pub list: Vec<Spot>,
    /// The spots of each pair that touches.
    pub pairs: Vec<Range<usize>>,
    pub rows: Rows,
    /// Room for finding them.
    pub touches: Vec<ContactPoint>,
    pub room: ManifoldQuery,
    dense: Vec<f64>,
}

/// What spots stand on: islands that meet, where they are.
pub(crate) struct Ground<'a> {
    pub model: &'a Model,
    pub contacts: &'a ContactGeometry,
    /// Where the islands are.
    pub at: &'a State,
    pub group: &'a mut CollisionGroup,
    pub metric: &'a Metric,
}

impl Spots {
    /// No spots.
    pub fn clear(&mut self) {
        self.list.clear();
        self.pairs.clear();
        self.rows.clear();
    }

    /// Adds a spot where a pair touches; `whole` is the contact of the pair as a whole.
    pub fn add(
        &mut self,
        ground: &mut Ground,
        pair: (usize, usize),
        touch: &ContactPoint,
        whole: &ContactPoint,
    ) {
        let Ground { model, contacts, at, group, metric } = ground;
        self.dense.clear();
        self.dense.resize(group.dofs(), 0.0);
        // Convex parts touch in a plane: events whose normal is that of the pair are put into it. Where two spots of one
        // pair stick on a slope, they part equally fast, which restitution does not want.
        let (own, common) = (touch.normal(), whole.normal());
        let (point, normal) = match own.dot(&common) > ALIKE {
            true => (touch.point() + common * common.dot(&(whole.point() - touch.point())), common),
            false => (touch.point(), own),
        };
        let (e1, e2) = contacts.across(pair, &normal);
        let rows = [normal, e1, e2].map(|direction| {
            group.direction(model, at, contacts, pair, (&point, &direction), &mut self.dense);
            self.rows.push(metric, &mut self.dense)
        });
        let slots = [pair.0, pair.1].map(|part| contacts.parts[part].slot);
        let lightness: f64 = slots.iter().flatten().map(|slot| 1.0 / model.links[*slot].mass).sum();
        if !(self.rows.product(rows[0], rows[0]) > IMMOVABLE * lightness) {
            return;
        }
        let surface = contacts.surface(pair.0, pair.1);
        self.list.push(Spot {
            pair,
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
