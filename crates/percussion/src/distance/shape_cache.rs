//! Cache of bodies whose shapes are written in the lines themselves: streams tend to repeat them.

use std::rc::Rc;

use super::body::Body;
use super::line_error::LineError;
use super::names::NamedShapes;
use super::shape::ShapeSource;

/// Size of the cache. A search among more would cost more than building a box.
const PLACES: usize = 8;

/// The last few bodies that were built, by their shapes.
#[derive(Debug, Default)]
pub struct ShapeCache<'l> {
    kept: Vec<(ShapeSource<'l>, Rc<Body>)>,
    next: usize,
}

impl<'l> ShapeCache<'l> {
    /// The body of a shape, from the cache or built.
    pub fn take(
        &mut self,
        kind: &ShapeSource<'l>,
        names: &NamedShapes,
        line: u64,
    ) -> Result<Rc<Body>, LineError> {
        if let ShapeSource::Named(_) | ShapeSource::Parts(_) = kind {
            // The meaning of a name depends on the line.
            return Body::build(kind, names, line).map(Rc::new);
        }
        if let Some((_, body)) = self.kept.iter().find(|(other, _)| other == kind) {
            return Ok(Rc::clone(body));
        }
        let body = Rc::new(Body::build(kind, names, line)?);
        let entry = (kind.clone(), Rc::clone(&body));
        if self.kept.len() < PLACES {
            self.kept.push(entry);
        } else {
            self.kept[self.next] = entry;
            self.next = (self.next + 1) % PLACES;
        }
        Ok(body)
    }
}
