//! Answers a query: finds or builds the two bodies, asks the kernel.

use std::rc::Rc;

use super::answer::Answer;
use super::body::Body;
use super::contact::touching;
use super::names::Names;
use super::placement::Placement;
use super::query::{Query, Wants};
use super::shape::{Kind, ShapeText};
use super::shelf::Shelf;
use super::wrong::Wrong;

/// What holds for every line that does not say otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults {
    /// Prediction distance, metres.
    pub prediction: Option<f64>,
    /// What to answer beyond the separation.
    pub wants: Wants,
}

/// A body that a query talks about: shared if it has a name, otherwise its own.
#[derive(Debug)]
pub enum Held<'n> {
    /// Defined above.
    Named(&'n Body),
    /// Written into the line.
    Inline(Rc<Body>),
}

impl std::ops::Deref for Held<'_> {
    type Target = Body;

    fn deref(&self) -> &Body {
        match self {
            Held::Named(body) => body,
            Held::Inline(body) => body,
        }
    }
}

/// The two bodies of a query with their placements.
#[derive(Debug)]
pub struct Pair<'n> {
    /// Body a.
    pub a: Held<'n>,
    /// Where a stands.
    pub place_a: Placement,
    /// Body b.
    pub b: Held<'n>,
    /// Where b stands.
    pub place_b: Placement,
}

impl<'n> Pair<'n> {
    /// Finds or builds the bodies of a query on line `line`.
    pub fn of<'l>(
        query: &Query<'l>,
        names: &'n Names,
        line: u64,
        shelf: &mut Shelf<'l>,
    ) -> Result<Self, Wrong> {
        Ok(Self {
            a: held(&query.a, names, line, shelf).map_err(|wrong| wrong.within("a"))?,
            place_a: query.a.placement,
            b: held(&query.b, names, line, shelf).map_err(|wrong| wrong.within("b"))?,
            place_b: query.b.placement,
        })
    }
}

fn held<'n, 'l>(
    shape: &ShapeText<'l>,
    names: &'n Names,
    line: u64,
    shelf: &mut Shelf<'l>,
) -> Result<Held<'n>, Wrong> {
    match &shape.kind {
        Kind::Named(name) => Ok(Held::Named(names.get(name, line)?)),
        kind => Ok(Held::Inline(shelf.take(kind, names, line)?)),
    }
}

/// Answers one query.
pub fn solve<'l>(query: &Query<'l>, pair: &Pair, defaults: &Defaults) -> Result<Answer<'l>, Wrong> {
    let answer = ask(query, pair, defaults)?;
    if answer.is_finite() { Ok(answer) } else { Err(Wrong::OutOfRange) }
}

fn ask<'l>(query: &Query<'l>, pair: &Pair, defaults: &Defaults) -> Result<Answer<'l>, Wrong> {
    match (&*pair.a, &*pair.b) {
        (Body::Space(a), Body::Space(b)) => {
            let pose_a = pair.place_a.space().map_err(|wrong| wrong.within("a"))?;
            let pose_b = pair.place_b.space().map_err(|wrong| wrong.within("b"))?;
            touching(query, (a, &pose_a), (b, &pose_b), defaults)
        }
        (Body::Plane(a), Body::Plane(b)) => {
            let pose_a = pair.place_a.plane().map_err(|wrong| wrong.within("a"))?;
            let pose_b = pair.place_b.plane().map_err(|wrong| wrong.within("b"))?;
            touching(query, (a, &pose_a), (b, &pose_b), defaults)
        }
        (Body::Plane(_), Body::Space(_)) => Err(mixed("a", "b")),
        (Body::Space(_), Body::Plane(_)) => Err(mixed("b", "a")),
    }
}

fn mixed(planar: &str, spatial: &str) -> Wrong {
    Wrong::Dimension(format!(
        "{planar} is a planar body and {spatial} is one of space; give both two coordinates or both three"
    ))
}
