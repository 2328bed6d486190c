//! Contact events in the plane: corners on edges, the only kind there is [Hart remark 3.3].

use super::event::Side;
use super::options::{EventOptions, resolution};
use crate::separation::{BetaTerm, Outcome, PlanarMotionGradient, PlanarSeparation, SeparationDifferential};
use crate::shapes::{Feature, HalfPlane, PlanarShape, Polygon};
use crate::tolerances::events::GRAZING;
use crate::{PlanarPose, Vec2};

/// An active or nearly active contact of two planar bodies, world frame; see [`ContactEvent`](super::ContactEvent).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarContactEvent {
    /// What touches on a and on b: a vertex on an edge for polygons.
    pub features: [Feature; 2],
    /// The component function `s_m`, metres along β.
    pub separation: f64,
    /// Direction across the edge with `<alpha, beta> = 1`.
    pub alpha: Vec2,
    /// The event's point on body a; `point_a - point_b = separation beta`.
    pub point_a: Vec2,
    /// The event's point on body b.
    pub point_b: Vec2,
    /// Unit direction β from b to a.
    pub beta: Vec2,
    /// Distance `D` of the reference points along β, metres.
    pub reference_distance: f64,
    /// Whether β was prescribed.
    pub prescribed: bool,
}

impl PlanarContactEvent {
    /// The separation of the bodies itself as an event.
    pub fn of_separation(answer: &PlanarSeparation, features: [Feature; 2]) -> Self {
        let &PlanarSeparation {
            separation,
            alpha,
            point_a,
            point_b,
            beta,
            reference_distance,
            prescribed,
            ..
        } = answer;
        Self { features, separation, alpha, point_a, point_b, beta, reference_distance, prescribed }
    }

    /// Unit contact normal from body b to body a.
    pub fn normal(&self) -> Vec2 {
        self.alpha / self.alpha.norm()
    }

    /// Signed distance along the normal, `s_m/|alpha|`.
    pub fn gap(&self) -> f64 {
        self.separation / self.alpha.norm()
    }

    /// `rho_m = s_m/D` [Hart 3.14].
    pub fn ratio_depth(&self) -> f64 {
        self.separation / self.reference_distance
    }

    /// Derivative of `separation` with respect to rigid motions about the reference points (world positions).
    pub fn motion_gradient(
        &self,
        reference_a: &Vec2,
        reference_b: &Vec2,
        beta: BetaTerm,
    ) -> PlanarMotionGradient {
        let term = beta;
        let &Self { separation, alpha, point_a, point_b, beta, reference_distance, prescribed, .. } = self;
        SeparationDifferential { separation, alpha, point_a, point_b, beta, reference_distance, prescribed }
            .motion(reference_a, reference_b, term)
    }
}

/// The events of one planar pair; reused from query to query it allocates nothing once grown.
#[derive(Clone, Debug, Default)]
pub struct PlanarEventWorkspace {
    list: Vec<PlanarContactEvent>,
    found: Vec<(PlanarContactEvent, f64)>,
}

/// A polygon in the working frame (world axes, origin at b's position) with its band of corners.
struct Band<'a> {
    polygon: &'a Polygon,
    pose: PlanarPose,
    side: Side,
    /// The band: `count` corners from `first` on, cyclically.
    first: usize,
    count: usize,
}

impl<'a> Band<'a> {
    fn new(polygon: &'a Polygon, pose: PlanarPose, side: Side, alpha: &Vec2, depth: f64, hint: u32) -> Self {
        let down = pose.inverse_direction(&if side == Side::A { -alpha } else { *alpha });
        let n = polygon.vertices().len();
        let centre = polygon.reference();
        let reach = |k: usize| down.dot(&(polygon.vertices()[k % n] - centre));
        let mut lowest = if (hint as usize) < n { hint as usize } else { 0 };
        loop {
            let next = [lowest + 1, lowest + n - 1].map(|k| k % n);
            match next.into_iter().find(|&k| reach(k) > reach(lowest)) {
                Some(k) => lowest = k,
                None => break,
            }
        }
        let level = reach(lowest) - depth;
        let (mut first, mut count) = (lowest, 1);
        while count < n && reach(first + count) >= level {
            count += 1;
        }
        while count < n && reach(first + n - 1) >= level {
            (first, count) = ((first + n - 1) % n, count + 1);
        }
        Self { polygon, pose, side, first, count }
    }

    fn corners(&self) -> impl Iterator<Item = usize> {
        let n = self.polygon.vertices().len();
        (0..self.count).map(move |k| (self.first + k) % n)
    }

    /// Edges with an end in the band; edge `k` leaves corner `k`.
    fn edges(&self) -> impl Iterator<Item = usize> {
        let n = self.polygon.vertices().len();
        (0..(self.count + 1).min(n)).map(move |k| (self.first + n - 1 + k) % n)
    }

    fn corner(&self, k: usize) -> Vec2 {
        self.pose.point(&self.polygon.vertices()[k])
    }

    /// Whether neither side falls from the corner against `rising` more steeply than `tilt`.
    fn admits(&self, k: usize, rising: &Vec2, tilt: f64) -> bool {
        let n = self.polygon.vertices().len();
        [(k + 1) % n, (k + n - 1) % n].into_iter().all(|other| {
            let side = self.corner(other) - self.corner(k);
            rising.dot(&side) >= -tilt * side.norm()
        })
    }

    /// Extent across β of the band.
    fn extent(&self, across: &Vec2) -> (f64, f64) {
        self.corners()
            .map(|k| across.dot(&self.corner(k)))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    }
}

/// Both bands of a pair, `depth` deep along alpha.
fn bands<'a>(
    a: &'a Polygon,
    pose_a: &PlanarPose,
    b: &'a Polygon,
    pose_b: &PlanarPose,
    answer: &PlanarSeparation,
    depth: f64,
) -> (Band<'a>, Band<'a>) {
    let moved =
        |pose: &PlanarPose| PlanarPose { rotation: pose.rotation, position: pose.position - pose_b.position };
    let [hint_a, hint_b] = answer.basis[0];
    (
        Band::new(a, moved(pose_a), Side::A, &answer.alpha, depth, hint_a),
        Band::new(b, moved(pose_b), Side::B, &answer.alpha, depth, hint_b),
    )
}

impl PlanarEventWorkspace {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// The events found last: corners of a first, then corners of b.
    pub fn list(&self) -> &[PlanarContactEvent] {
        &self.list
    }

    /// Finds the active and nearly active events of two polygons from their solved separation.
    pub fn find(
        &mut self,
        a: &Polygon,
        pose_a: &PlanarPose,
        b: &Polygon,
        pose_b: &PlanarPose,
        answer: &PlanarSeparation,
        options: &EventOptions,
    ) -> &[PlanarContactEvent] {
        self.list.clear();
        self.found.clear();
        if answer.outcome != Outcome::Solved {
            return &self.list;
        }
        let resolution = resolution(a.outer_radius(), b.outer_radius());
        let scale = answer.reference_distance.max(a.inner_radius() + b.inner_radius());
        let activity_width = options.eps_t * scale;
        let slack = 4.0 * (options.eps_0 + options.eps_x + resolution) * answer.alpha.norm();
        let (band_a, band_b) = bands(a, pose_a, b, pose_b, answer, activity_width + slack);
        for (body, other) in [(&band_a, &band_b), (&band_b, &band_a)] {
            for vertex in body.corners() {
                for edge in other.edges() {
                    self.found.extend(corner_on_edge(
                        body,
                        vertex,
                        other,
                        edge,
                        answer,
                        options,
                        activity_width,
                    ));
                }
            }
        }
        self.merge_candidates(options, resolution);
        for event in &mut self.list {
            event.point_a += pose_b.position;
            event.point_b += pose_b.position;
        }
        &self.list
    }

    /// Events of any planar pair: of polygons as [`find`](Self::find), of a polygon on a half-plane one for each
    /// near corner, otherwise the single contact of the answer.
    pub fn manifold(
        &mut self,
        a: &PlanarShape,
        pose_a: &PlanarPose,
        b: &PlanarShape,
        pose_b: &PlanarPose,
        answer: &PlanarSeparation,
        options: &EventOptions,
    ) -> &[PlanarContactEvent] {
        match (a, b) {
            (PlanarShape::Polygon(p), PlanarShape::Polygon(q)) => {
                return self.find(p, pose_a, q, pose_b, answer, options);
            }
            (PlanarShape::Polygon(p), PlanarShape::HalfPlane(h)) => {
                self.on_half_plane(p, pose_a, Side::A, h, pose_b, answer, options)
            }
            (PlanarShape::HalfPlane(h), PlanarShape::Polygon(p)) => {
                self.on_half_plane(p, pose_b, Side::B, h, pose_a, answer, options)
            }
            _ => {
                self.list.clear();
                if answer.outcome == Outcome::Solved {
                    let [i, j] = answer.basis[0];
                    let feature = |shape: &PlanarShape, side: usize, index: u32| match shape {
                        PlanarShape::Polygon(p) => {
                            let [k, l] = [answer.basis[0][side], answer.basis[1][side]];
                            let used = if answer.weights[1] > 0.0 && answer.weights[0] > 0.0 { l } else { k };
                            p.feature(&[k, used]).unwrap_or(Feature::Vertex(index))
                        }
                        PlanarShape::HalfPlane(_) => Feature::Plane,
                        _ => Feature::Curved,
                    };
                    let features = [feature(a, 0, i), feature(b, 1, j)];
                    self.list.push(PlanarContactEvent::of_separation(answer, features));
                }
            }
        }
        &self.list
    }

    #[allow(clippy::too_many_arguments)]
    fn on_half_plane(
        &mut self,
        polygon: &Polygon,
        pose: &PlanarPose,
        side: Side,
        half: &HalfPlane,
        pose_half: &PlanarPose,
        answer: &PlanarSeparation,
        options: &EventOptions,
    ) {
        self.list.clear();
        if answer.outcome != Outcome::Solved {
            return;
        }
        let activity_width = options.eps_t * answer.reference_distance.max(polygon.inner_radius());
        let size = answer.alpha.norm();
        let depth = activity_width + options.eps_0 * size;
        let moved = PlanarPose { rotation: pose.rotation, position: pose.position - pose_half.position };
        let hint = answer.basis[0][if side == Side::A { 0 } else { 1 }];
        let band = Band::new(polygon, moved, side, &answer.alpha, depth, hint);
        let normal = pose_half.direction(&half.normal());
        let towards = if side == Side::A { 1.0 } else { -1.0 };
        for vertex in band.corners().filter(|&k| band.admits(k, &normal, options.tilt)) {
            let point = band.corner(vertex);
            let separation = (normal.dot(&point) - half.offset()) * size;
            if separation > answer.separation + depth {
                continue;
            }
            let point = point + pose_half.position;
            let projected = point - answer.beta * (towards * separation);
            let (point_a, point_b) = if side == Side::A { (point, projected) } else { (projected, point) };
            let mut features = [Feature::Vertex(vertex as u32), Feature::Plane];
            if side == Side::B {
                features.reverse();
            }
            let whole = PlanarContactEvent::of_separation(answer, features);
            self.list.push(PlanarContactEvent { separation, point_a, point_b, ..whole });
        }
        self.list.sort_unstable_by_key(|e| e.features);
    }

    /// As for polytopes: events within their features first, then those that reach out of them and stand alone.
    fn merge_candidates(&mut self, options: &EventOptions, resolution: f64) {
        for reaching in [false, true] {
            let near = if reaching { 2.0 * options.eps_x.max(resolution) } else { 2.0 * resolution };
            for (event, _) in self.found.iter().filter(|(_, excess)| (*excess > resolution) == reaching) {
                let known = self.list.iter().any(|e| {
                    (e.point_a - event.point_a).norm() <= near
                        && (e.point_b - event.point_b).norm() <= near
                        && e.normal().perp(&event.normal()).abs() <= options.tilt
                        && e.alpha.dot(&event.alpha) > 0.0
                });
                if !known {
                    self.list.push(*event);
                }
            }
        }
        self.list.sort_unstable_by_key(|e| (matches!(e.features[0], Feature::Edge(_)), e.features));
    }
}

/// The event of a corner and an edge with the distance by which the landing point leaves the edge; `None` when it
/// is no event.
fn corner_on_edge(
    body: &Band,
    vertex: usize,
    other: &Band,
    edge: usize,
    answer: &PlanarSeparation,
    options: &EventOptions,
    activity_width: f64,
) -> Option<(PlanarContactEvent, f64)> {
    let (normal_body, offset) = other.polygon.edge(edge);
    let normal = other.pose.direction(&normal_body);
    let towards = if body.side == Side::A { 1.0 } else { -1.0 };
    let along = normal.dot(&answer.beta);
    if along * towards <= GRAZING {
        return None;
    }
    let alpha = normal / along;
    let corner = body.corner(vertex);
    let height = normal_body.dot(&other.pose.inverse_point(&corner)) - offset;
    let separation = height * alpha.norm();
    let slack = options.eps_0 * alpha.norm();
    let wanted = separation >= answer.separation - slack
        && separation <= answer.separation + activity_width + slack
        && body.admits(vertex, &normal, options.tilt);
    if !wanted {
        return None;
    }
    let projected = corner - answer.beta * (towards * separation);
    let from = other.corner(edge);
    let side = other.corner((edge + 1) % other.polygon.vertices().len()) - from;
    let at = side.dot(&(projected - from)) / side.norm();
    let excess = (-at).max(at - side.norm());
    if excess > options.eps_x {
        return None;
    }
    let (point_a, point_b) = if body.side == Side::A { (corner, projected) } else { (projected, corner) };
    let mut features = [Feature::Vertex(vertex as u32), Feature::Edge(edge as u32)];
    if body.side == Side::B {
        features.reverse();
    }
    let whole = PlanarContactEvent::of_separation(answer, features);
    Some((PlanarContactEvent { separation, alpha, point_a, point_b, ..whole }, excess))
}

/// The region in which two polygons touch: one point, or the two ends of a segment (right end first, seen along
/// β), on body a's supporting line. Corners up to `height` above a supporting line count as lying on it.
pub fn planar_region(
    a: &Polygon,
    pose_a: &PlanarPose,
    b: &Polygon,
    pose_b: &PlanarPose,
    answer: &PlanarSeparation,
    height: f64,
) -> Option<(Vec2, Vec2)> {
    if answer.outcome != Outcome::Solved {
        return None;
    }
    let resolution = resolution(a.outer_radius(), b.outer_radius());
    let depth = (height + resolution) * answer.alpha.norm();
    let (band_a, band_b) = bands(a, pose_a, b, pose_b, answer, depth);
    let across = Vec2::new(answer.beta.y, -answer.beta.x);
    let (a_low, a_high) = band_a.extent(&across);
    let (b_low, b_high) = band_b.extent(&across);
    let touch = answer.point_a - pose_b.position;
    let (low, high) = (a_low.max(b_low), a_high.min(b_high));
    let (low, high) = match high - low > 2.0 * resolution {
        true => (low, high),
        false => (across.dot(&touch), across.dot(&touch)),
    };
    let level = answer.alpha.dot(&touch);
    let lift = |x: f64| {
        let flat = across * x;
        flat + answer.beta * (level - answer.alpha.dot(&flat)) + pose_b.position
    };
    Some((lift(high), lift(low)))
}
