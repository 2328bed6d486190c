//! The answer to one line.

use percussion_geometry::Vec3;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::vector::Coordinates;

/// The answer to a query, in the order its keys are written. Numbers that are infinite are written as `null`,
/// since JSON has none.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Answer<'l> {
    /// The query's `id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'l RawValue>,
    /// `solved`, `beyond` (further apart than the prediction distance) or `missed` (the prescribed direction
    /// never brings the bodies together).
    pub outcome: &'static str,
    /// The value of the linear program: positive apart, zero touching, negative overlapping; metres along beta.
    pub separation: f64,
    /// Distance between the two supporting planes, metres.
    pub gap: f64,
    /// Unit normal from b to a.
    pub normal: Coordinates,
    /// Contact point on a; `point_a - point_b = separation beta`.
    pub point_a: Option<Coordinates>,
    /// Contact point on b.
    pub point_b: Option<Coordinates>,
    /// Active vertices of a with their dual weights.
    pub weights_a: Weights,
    /// Active vertices of b with their dual weights.
    pub weights_b: Weights,
    /// Features of both sides.
    pub features: Option<[&'static str; 2]>,
    /// The factor by which both bodies, grown about their reference points, just touch.
    pub ratio: f64,
    /// Proven bounds of the separation.
    pub certificate: Certificate,
    /// Support evaluations used.
    pub iterations: u32,
    /// Optimal direction of the linear program, `<alpha, beta> = 1`.
    pub alpha: Coordinates,
    /// Unit direction along which separation is measured, from b to a.
    pub beta: Coordinates,
    /// Which parts answered, where a body is a compound: indices into its parts, flattened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<[usize; 2]>,
    /// Euclidean distance or penetration depth, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub euclidean: Option<EuclideanAnswer>,
    /// Derivatives of the separation with respect to the bodies' motion, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gradient: Option<Gradient>,
    /// Contact events of the two parts, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<EventAnswer>>,
    /// Least and greatest value of every component over all optimal directions and weights, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranges: Option<Ranges>,
    /// All derivatives of the separation, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subdifferential: Option<SubdifferentialAnswer>,
}

/// The Clarke subdifferential of the separation: the convex hull of the listed generalized gradients. One where the
/// separation is differentiable.
#[derive(Clone, Debug, serde::Serialize)]
pub struct SubdifferentialAnswer {
    /// With respect to the motions of the bodies.
    pub motions: Vec<Gradient>,
    /// With respect to the vertices, beta held; absent where too many vertices are active.
    pub vertices: Option<Vec<VertexGradients>>,
}

/// Derivatives with respect to the vertices of both bodies; those of all others are zero.
#[derive(Clone, Debug, serde::Serialize)]
pub struct VertexGradients {
    /// Vertices of a.
    pub a: Sparse<Coordinates>,
    /// Vertices of b.
    pub b: Sparse<Coordinates>,
}

/// Ranges of all optimal directions and weights. Where least and greatest agree, there is no choice.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Ranges {
    /// Of the components of `alpha`.
    pub alpha: Vec<[f64; 2]>,
    /// Of the weights of a's vertices; those that are always zero are left out.
    pub weights_a: Sparse<[f64; 2]>,
    /// Of the weights of b's vertices.
    pub weights_b: Sparse<[f64; 2]>,
}

/// A contact event: two features that touch or nearly touch.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct EventAnswer {
    /// Features of both sides.
    pub features: [&'static str; 2],
    /// The event's own separation, metres along beta.
    pub separation: f64,
    /// The same along its normal.
    pub gap: f64,
    /// Unit normal from b to a.
    pub normal: Coordinates,
    /// The event's point on a; `point_a - point_b = separation beta`.
    pub point_a: Coordinates,
    /// The event's point on b.
    pub point_b: Coordinates,
    /// Derivatives of the event's separation, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gradient: Option<Gradient>,
}

/// The exact quadratic problem: the distance when apart, minus the penetration depth when overlapping.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct EuclideanAnswer {
    /// Metres; negative when overlapping.
    pub distance: f64,
    /// Unit normal from b to a.
    pub normal: Coordinates,
    /// Witness point on a; `point_a - point_b = distance normal`.
    pub point_a: Coordinates,
    /// Witness point on b.
    pub point_b: Coordinates,
    /// Proven bounds of the distance.
    pub certificate: Certificate,
}

/// Derivatives of the separation: by the translation of each body, and by its rotation about its reference
/// point (world axes, radians). Where beta was not prescribed, it follows the reference points.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Gradient {
    /// By the translation of a.
    pub translation_a: Coordinates,
    /// By the rotation of a.
    pub rotation_a: RotationGradient,
    /// By the translation of b.
    pub translation_b: Coordinates,
    /// By the rotation of b.
    pub rotation_b: RotationGradient,
}

/// Per radian: three axes in space, one number in the plane.
#[derive(Clone, Copy, Debug, serde::Serialize)]
#[serde(untagged)]
pub enum RotationGradient {
    /// About x, y, z.
    Space(Coordinates),
    /// Counter-clockwise.
    Plane(f64),
}

impl From<Vec3> for RotationGradient {
    fn from(turn: Vec3) -> Self {
        Self::Space(turn.into())
    }
}

impl From<f64> for RotationGradient {
    fn from(turn: f64) -> Self {
        Self::Plane(turn)
    }
}

impl Answer<'_> {
    /// Whether every number that must be finite is: all of a solved pair, the normal of any.
    pub fn is_finite(&self) -> bool {
        let finite = |v: &Coordinates| v.as_slice().iter().all(|c| c.is_finite());
        let solved = self.outcome != "solved"
            || (self.separation.is_finite()
                && self.gap.is_finite()
                && [&self.point_a, &self.point_b].iter().all(|p| p.as_ref().is_some_and(finite)));
        let euclidean = self.euclidean.as_ref().is_none_or(|e| {
            e.distance.is_finite() && finite(&e.normal) && finite(&e.point_a) && finite(&e.point_b)
        });
        solved && euclidean && finite(&self.normal)
    }
}

/// Lower and upper bound.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Certificate {
    /// From the supporting planes.
    pub lower: f64,
    /// From the portal.
    pub upper: f64,
}

/// Something for each of some vertices, written as `{index: value}`. Indices are those of the `vertices` as given.
#[derive(Clone, Debug, Default)]
pub struct Sparse<T>(pub Vec<(u32, T)>);

/// Active vertices and their weights.
pub type Weights = Sparse<f64>;

impl<T> Sparse<T> {
    /// From entries by the index within the hull, which may have thinned the vertices given: vertex `k` of the
    /// hull was vertex `sources[k]`.
    pub fn as_given(entries: impl IntoIterator<Item = (u32, T)>, sources: &[u32]) -> Self {
        let source = |index: u32| sources.get(index as usize).copied();
        let mut given: Vec<(u32, T)> =
            entries.into_iter().filter_map(|(index, value)| Some((source(index)?, value))).collect();
        given.sort_unstable_by_key(|&(index, _)| index);
        Self(given)
    }
}

impl<T: Serialize> Serialize for Sparse<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (index, value) in &self.0 {
            map.serialize_entry(index, value)?;
        }
        map.end()
    }
}

/// The answer to a line that is in error.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ErrorAnswer<'l> {
    /// The query's `id`, where it could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'l RawValue>,
    /// Message with a remedy.
    pub error: String,
    /// Line number in the input, from one.
    pub line: u64,
}
