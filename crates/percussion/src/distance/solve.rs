//! Answers a query: finds or builds the two bodies, asks the kernel, dresses its answer.

use percussion_geometry::Pose;
use percussion_geometry::separation::{Feature, Options, Outcome, Separation, Warm, separation};
use percussion_geometry::shapes::{Polytope, Solid};

use super::answer::{Answer, Certificate, Weights};
use super::body::{Body, Part};
use super::names::Names;
use super::placement::Placement;
use super::query::{Query, Wants};
use super::shape::{Kind, ShapeText};
use super::vector::Coordinates;
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
    Own(Body),
}

impl std::ops::Deref for Held<'_> {
    type Target = Body;

    fn deref(&self) -> &Body {
        match self {
            Held::Named(body) => body,
            Held::Own(body) => body,
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
    pub fn of(query: &Query, names: &'n Names, line: u64) -> Result<Self, Wrong> {
        Ok(Self {
            a: held(&query.a, names, line).map_err(|wrong| wrong.within("a"))?,
            place_a: query.a.placement,
            b: held(&query.b, names, line).map_err(|wrong| wrong.within("b"))?,
            place_b: query.b.placement,
        })
    }
}

fn held<'n>(shape: &ShapeText, names: &'n Names, line: u64) -> Result<Held<'n>, Wrong> {
    match &shape.kind {
        Kind::Named(name) => Ok(Held::Named(names.get(name, line)?)),
        kind => Ok(Held::Own(Body::build(kind, names, line)?)),
    }
}

/// Answers one query.
pub fn solve<'l>(query: &Query<'l>, pair: &Pair, defaults: &Defaults) -> Result<Answer<'l>, Wrong> {
    match (&*pair.a, &*pair.b) {
        (Body::Space(a), Body::Space(b)) => {
            let pose_a = pair.place_a.space().map_err(|wrong| wrong.within("a"))?;
            let pose_b = pair.place_b.space().map_err(|wrong| wrong.within("b"))?;
            in_space(query, (a, &pose_a), (b, &pose_b), defaults)
        }
        (Body::Plane(_), Body::Plane(_)) => {
            Err(Wrong::Dimension("planar bodies are not answered yet".into()))
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

type SpaceParts<'p> = (&'p [Part<Solid, Pose>], &'p Pose);

fn in_space<'l>(
    query: &Query<'l>,
    (a, pose_a): SpaceParts,
    (b, pose_b): SpaceParts,
    defaults: &Defaults,
) -> Result<Answer<'l>, Wrong> {
    let beta = match &query.beta {
        None => None,
        Some(given) => Some(given.space().ok_or_else(|| {
            Wrong::Dimension("beta has two entries but the bodies are those of space; give three".into())
        })?),
    };
    let prediction = query.prediction.or(defaults.prediction).unwrap_or(f64::INFINITY);
    let options = Options { beta, prediction, ..Options::default() };
    // Of a compound, the pair of parts with the smallest gap answers: the one that touches first, and the
    // deepest when several overlap.
    let mut best: Option<([usize; 2], Separation)> = None;
    for (i, part_a) in a.iter().enumerate() {
        let placed_a = part_a.placed(pose_a);
        for (j, part_b) in b.iter().enumerate() {
            let placed_b = part_b.placed(pose_b);
            let mut warm = Warm::default();
            let answer =
                separation(&part_a.shape, &placed_a, &part_b.shape, &placed_b, &options, &mut warm)?;
            if best.as_ref().is_none_or(|(_, old)| answer.gap() < old.gap()) {
                best = Some(([i, j], answer));
            }
        }
    }
    let Some(([i, j], answer)) = best else {
        return Err(Wrong::Shape(percussion_geometry::ShapeError::EmptyCompound));
    };
    Ok(dressed(query, &answer, (&a[i].shape, &b[j].shape), (a.len() > 1 || b.len() > 1).then_some([i, j])))
}

/// The kernel's answer in the words of the stream.
fn dressed<'l>(
    query: &Query<'l>,
    answer: &Separation,
    (a, b): (&Solid, &Solid),
    parts: Option<[usize; 2]>,
) -> Answer<'l> {
    let solved = answer.outcome == Outcome::Solved;
    let weights_a: Vec<(u32, f64)> = answer.weights_a().collect();
    let weights_b: Vec<(u32, f64)> = answer.weights_b().collect();
    Answer {
        id: query.id,
        outcome: word(answer.outcome),
        separation: answer.separation,
        gap: answer.gap(),
        normal: Coordinates::from(answer.normal()),
        point_a: solved.then(|| answer.point_a.into()),
        point_b: solved.then(|| answer.point_b.into()),
        features: solved.then(|| [feature(a, &weights_a), feature(b, &weights_b)]),
        weights_a: as_given(a, weights_a, solved),
        weights_b: as_given(b, weights_b, solved),
        ratio: answer.ratio(),
        certificate: Certificate { lower: answer.lower, upper: answer.upper },
        iterations: answer.iterations,
        alpha: answer.alpha.into(),
        beta: answer.beta.into(),
        parts,
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Solved => "solved",
        Outcome::Beyond => "beyond",
        Outcome::Missed => "missed",
    }
}

/// What of a body carries the contact: the smallest of its features that holds all active vertices.
fn feature(solid: &Solid, weights: &[(u32, f64)]) -> &'static str {
    match solid {
        Solid::Polytope(polytope) => polytope_feature(polytope, weights),
        Solid::HalfSpace(_) => "plane",
        Solid::Sphere(_) | Solid::Capsule(_) | Solid::Cylinder(_) | Solid::Cone(_) | Solid::Ellipsoid(_) => {
            "curved"
        }
    }
}

fn polytope_feature(polytope: &Polytope, weights: &[(u32, f64)]) -> &'static str {
    let active: Vec<u32> = weights.iter().map(|&(index, _)| index).collect();
    match polytope.feature(&active) {
        Some(Feature::Vertex(_)) => "vertex",
        Some(Feature::Edge(_)) => "edge",
        Some(Feature::Face(_)) => "face",
        Some(Feature::Curved) => "curved",
        Some(Feature::Plane) => "plane",
        // Active vertices lie on one supporting plane, hence on one face, except when rounding joins the
        // vertices of nearly coplanar faces: those count as the face they almost are.
        None => "face",
    }
}

/// Weights by the index each vertex had in the input, which the hull may have thinned.
fn as_given(solid: &Solid, mut weights: Vec<(u32, f64)>, solved: bool) -> Weights {
    if !solved {
        return Weights::default();
    }
    if let Solid::Polytope(polytope) = solid {
        for (index, _) in &mut weights {
            *index = polytope.sources().get(*index as usize).copied().unwrap_or(*index);
        }
    }
    weights.sort_unstable_by_key(|&(index, _)| index);
    Weights(weights)
}
