//! Bodies written into the lines themselves, kept for the lines that follow: streams tend to repeat them.

use std::rc::Rc;

use super::body::Body;
use super::names::Names;
use super::shape::Kind;
use super::wrong::Wrong;

/// Bodies kept. More would make looking cost more than building a box.
const PLACES: usize = 8;

/// The last few bodies that were built, by what was said about them.
#[derive(Debug, Default)]
pub struct Shelf<'l> {
    kept: Vec<(Kind<'l>, Rc<Body>)>,
    next: usize,
}

impl<'l> Shelf<'l> {
    /// The body of that kind, from the shelf or built and put there.
    pub fn take(&mut self, kind: &Kind<'l>, names: &Names, line: u64) -> Result<Rc<Body>, Wrong> {
        if let Kind::Named(_) | Kind::Parts(_) = kind {
            // What a name means depends on the line.
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
