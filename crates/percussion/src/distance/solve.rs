//! Answers a query: finds or builds the two bodies and solves for their separation.

use std::rc::Rc;

use super::answer::Answer;
use super::answer_pair::answer_pair;
use super::body::Body;
use super::line_error::LineError;
use super::names::NamedShapes;
use super::placement::Placement;
use super::query::{Query, Requests};
use super::shape::{ShapeSource, ShapeText};
use super::shape_cache::ShapeCache;

/// Options of lines that do not give their own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults {
    /// Prediction distance, metres.
    pub prediction: Option<f64>,
    /// What to answer beyond the separation.
    pub requests: Requests,
}

/// A body of a query: borrowed if it has a name, otherwise built for it.
#[derive(Debug)]
pub enum BodyRef<'n> {
    /// Defined above.
    Named(&'n Body),
    /// Written into the line.
    Inline(Rc<Body>),
}

impl std::ops::Deref for BodyRef<'_> {
    type Target = Body;

    fn deref(&self) -> &Body {
        match self {
            BodyRef::Named(body) => body,
            BodyRef::Inline(body) => body,
        }
    }
}

/// The two bodies of a query with their placements.
#[derive(Debug)]
pub struct Pair<'n> {
    /// Body a.
    pub a: BodyRef<'n>,
    /// Placement of a.
    pub placement_a: Placement,
    /// Body b.
    pub b: BodyRef<'n>,
    /// Placement of b.
    pub placement_b: Placement,
}

impl<'n> Pair<'n> {
    /// Finds or builds the bodies of a query on line `line`.
    pub fn of<'l>(
        query: &Query<'l>,
        names: &'n NamedShapes,
        line: u64,
        cache: &mut ShapeCache<'l>,
    ) -> Result<Self, LineError> {
        Ok(Self {
            a: body_ref(&query.a, names, line, cache).map_err(|error| error.within("a"))?,
            placement_a: query.a.placement,
            b: body_ref(&query.b, names, line, cache).map_err(|error| error.within("b"))?,
            placement_b: query.b.placement,
        })
    }
}

fn body_ref<'n, 'l>(
    shape: &ShapeText<'l>,
    names: &'n NamedShapes,
    line: u64,
    cache: &mut ShapeCache<'l>,
) -> Result<BodyRef<'n>, LineError> {
    match &shape.source {
        ShapeSource::Named(name) => Ok(BodyRef::Named(names.get(name, line)?)),
        kind => Ok(BodyRef::Inline(cache.take(kind, names, line)?)),
    }
}

/// Answers one query.
pub fn solve<'l>(query: &Query<'l>, pair: &Pair, defaults: &Defaults) -> Result<Answer<'l>, LineError> {
    let answer = answer_query(query, pair, defaults)?;
    if answer.is_finite() { Ok(answer) } else { Err(LineError::OutOfRange) }
}

fn answer_query<'l>(query: &Query<'l>, pair: &Pair, defaults: &Defaults) -> Result<Answer<'l>, LineError> {
    match (&*pair.a, &*pair.b) {
        (Body::Space(a), Body::Space(b)) => {
            let pose_a = pair.placement_a.space().map_err(|error| error.within("a"))?;
            let pose_b = pair.placement_b.space().map_err(|error| error.within("b"))?;
            answer_pair(query, (a, &pose_a), (b, &pose_b), defaults)
        }
        (Body::Plane(a), Body::Plane(b)) => {
            let pose_a = pair.placement_a.plane().map_err(|error| error.within("a"))?;
            let pose_b = pair.placement_b.plane().map_err(|error| error.within("b"))?;
            answer_pair(query, (a, &pose_a), (b, &pose_b), defaults)
        }
        (Body::Plane(_), Body::Space(_)) => Err(mixed("a", "b")),
        (Body::Space(_), Body::Plane(_)) => Err(mixed("b", "a")),
    }
}

fn mixed(planar: &str, spatial: &str) -> LineError {
    LineError::Dimension(format!(
        "{planar} is a planar body and {spatial} is one of space; give both two coordinates or both three"
    ))
}
