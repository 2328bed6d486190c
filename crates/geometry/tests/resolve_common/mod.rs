//! Degenerate contacts shared by the tests of their resolution: Johnson's tetrahedra and whole families.
#![allow(dead_code)]

use super::common::lattice::{self, Placed};
use super::common::{Random, ask, body, cuboid, prism, scaled, tetrahedron};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolution, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT,
};
use nalgebra::Rotation3;
use percussion_geometry::separation::{Ranges, Resolved, Separation, ranges, resolve};
use percussion_geometry::shapes::{Polytope, Solid};
use percussion_geometry::{Pose, Vec3};

/// Two placed bodies.
pub struct Pair {
    pub a: Solid,
    pub pose_a: Pose,
    pub b: Solid,
    pub pose_b: Pose,
}

impl Pair {
    pub fn new(a: Polytope, pose_a: Pose, b: Polytope, pose_b: Pose) -> Self {
        Self { a: Solid::Polytope(a), pose_a, b: Solid::Polytope(b), pose_b }
    }

    pub fn ask(&self) -> Separation {
        self.ask_along(None)
    }

    pub fn ask_along(&self, beta: Option<Vec3>) -> Separation {
        ask(&self.a, &self.pose_a, &self.b, &self.pose_b, beta)
    }

    pub fn resolve(&self, answer: &Separation) -> Resolved {
        resolve(&self.a, &self.pose_a, &self.b, &self.pose_b, answer).unwrap()
    }

    pub fn ranges(&self, answer: &Separation) -> Ranges {
        ranges(&self.a, &self.pose_a, &self.b, &self.pose_b, answer).unwrap()
    }

    /// The same bodies in the other order.
    pub fn swapped(&self) -> Self {
        Self { a: self.b.clone(), pose_a: self.pose_b, b: self.a.clone(), pose_b: self.pose_a }
    }

    pub fn references(&self) -> (Vec3, Vec3) {
        (self.pose_a.point(&self.a.reference()), self.pose_b.point(&self.b.reference()))
    }

    pub fn size(&self) -> f64 {
        self.a.outer_radius() + self.b.outer_radius()
    }

    /// Vertices of both bodies, world axes, seen from body b's position.
    pub fn vertices(&self) -> (Vec<Vec3>, Vec<Vec3>) {
        let shift = self.pose_a.position - self.pose_b.position;
        let of = |s: &Solid| match s {
            Solid::Polytope(p) => p.vertices().to_vec(),
            _ => vec![],
        };
        (
            of(&self.a).iter().map(|v| self.pose_a.rotation * v + shift).collect(),
            of(&self.b).iter().map(|v| self.pose_b.rotation * v).collect(),
        )
    }

    pub fn turned(self, turn: &Rotation3<f64>) -> Self {
        let moved = |p: &Pose| Pose::new(turn * p.rotation, turn * p.position);
        Self { pose_a: moved(&self.pose_a), pose_b: moved(&self.pose_b), ..self }
    }

    /// Both bodies moved: twelve numbers as in the motion gradient, times `by`.
    pub fn moved(&self, velocity: &[f64; 12], by: f64) -> Self {
        let (ca, cb) = self.references();
        let moved = |pose: &Pose, reference: &Vec3, v: &[f64]| {
            let turn = Rotation3::new(Vec3::new(v[3], v[4], v[5]) * by);
            let shift = Vec3::new(v[0], v[1], v[2]) * by;
            Pose::new(turn * pose.rotation, reference + turn * (pose.position - reference) + shift)
        };
        Self {
            a: self.a.clone(),
            pose_a: moved(&self.pose_a, &ca, &velocity[..6]),
            b: self.b.clone(),
            pose_b: moved(&self.pose_b, &cb, &velocity[6..]),
        }
    }
}

impl From<Placed> for Pair {
    fn from((a, pose_a, b, pose_b): Placed) -> Self {
        Self::new(a, pose_a, b, pose_b)
    }
}

/// One of Johnson's figures 2.12: two tetrahedra above each other, contact at the origin.
pub struct Figure {
    pub name: &'static str,
    pub a: [[f64; 3]; 4],
    pub b: [[f64; 3]; 4],
    /// Vertices of each body that carry weight.
    pub carriers: (usize, usize),
    pub several_duals: bool,
    pub several_alphas: bool,
}

/// Corner down on the axis, base above with its centroid on the axis, symmetric in y.
const POINT_DOWN: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [2.0, 0.0, 3.0], [-1.0, 1.0, 3.0], [-1.0, -1.0, 3.0]];
const POINT_UP: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [2.0, 0.0, -3.0], [-1.0, 1.0, -3.0], [-1.0, -1.0, -3.0]];
/// Face in z = 0 with its centroid at the origin.
const FACE_DOWN: [[f64; 3]; 4] = [[2.0, 0.0, 0.0], [-1.0, 2.0, 0.0], [-1.0, -2.0, 0.0], [0.0, 0.0, 3.0]];
const FACE_UP: [[f64; 3]; 4] = [[2.0, 0.0, 0.0], [-1.0, 2.0, 0.0], [-1.0, -2.0, 0.0], [0.0, 0.0, -3.0]];
/// Edge in z = 0, the opposite edge across it.
const EDGE_DOWN_X: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, -1.0, 2.0]];
const EDGE_DOWN_Y: [[f64; 3]; 4] = [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [1.0, 0.0, 2.0], [-1.0, 0.0, 2.0]];
const EDGE_UP_X: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, -2.0], [0.0, -1.0, -2.0]];

pub fn figures() -> [Figure; 8] {
    let figure = |name, a, b, carriers, several_duals, several_alphas| Figure {
        name,
        a,
        b,
        carriers,
        several_duals,
        several_alphas,
    };
    [
        figure("vertex on face", POINT_DOWN, FACE_UP, (1, 3), false, false),
        figure("face on vertex", FACE_DOWN, POINT_UP, (3, 1), false, false),
        figure("edge across edge", EDGE_DOWN_Y, EDGE_UP_X, (2, 2), false, false),
        figure("edge on face", EDGE_DOWN_Y, FACE_UP, (2, 3), true, false),
        figure("face on face", FACE_DOWN, FACE_UP, (3, 3), true, false),
        figure("vertex on edge", POINT_DOWN, EDGE_UP_X, (1, 2), false, true),
        figure("vertex on vertex", POINT_DOWN, POINT_UP, (1, 1), false, true),
        figure("edge along edge", EDGE_DOWN_X, EDGE_UP_X, (2, 2), true, true),
    ]
}

impl Figure {
    /// The two tetrahedra with body a lifted along the axis.
    pub fn pair(&self, lift: f64) -> Pair {
        let solid = |p: &[[f64; 3]; 4]| tetrahedron(p.map(Vec3::from));
        Pair::new(solid(&self.a), Pose::at(Vec3::new(0.0, 0.0, lift)), solid(&self.b), Pose::identity())
    }
}

pub const FAMILIES: [&str; 12] = [
    "generic",
    "aligned",
    "stacked",
    "turned together",
    "edge-parallel",
    "corner-corner",
    "prism on prism",
    "tetrahedra on a lattice",
    "plates",
    "needles",
    "size ratio 1e6",
    "far from the origin",
];

pub fn family(name: &str, random: &mut Random) -> Pair {
    match name {
        "generic" => {
            let place = |r: &mut Random| Pose::new(r.rotation(), r.direction() * (0.3 + r.uniform().abs()));
            Pair::new(body(random), place(random), body(random), place(random))
        }
        "aligned" => lattice::boxes(random).into(),
        "stacked" => {
            // A box on a box, shifted by less than its length: what piles are made of.
            let (a, b) = (lattice::half(random), lattice::half(random));
            let shift = |r: &mut Random| 0.125 * (r.below(9) as f64 - 4.0);
            let at =
                Vec3::new(shift(random), shift(random), a.z + b.z + 0.25 * (random.below(3) as f64 - 1.0));
            Pair::new(cuboid(a), Pose::at(at), cuboid(b), Pose::identity())
        }
        "turned together" => {
            let pair = family(["aligned", "stacked", "prism on prism"][random.below(3)], random);
            pair.turned(&random.rotation())
        }
        "edge-parallel" => {
            let turn = random.rotation();
            let along = turn * Vec3::z();
            let (sides_a, sides_b) = (3 + random.below(6), 3 + random.below(6));
            let turn_a = Rotation3::new(along * random.uniform()) * turn;
            let turn_b = Rotation3::new(along * random.uniform()) * turn;
            let at = random.direction() * (0.6 + random.uniform().abs());
            let (ha, hb) = (Vec3::new(0.5, 0.5, 1.0), Vec3::new(0.7, 0.7, 0.5));
            let across = at - along * along.dot(&at) * (random.below(2) as f64);
            let (pa, pb) = (Pose::new(turn_a, across), Pose::new(turn_b, Vec3::zeros()));
            Pair::new(prism(sides_a, ha), pa, prism(sides_b, hb), pb)
        }
        "corner-corner" => lattice::tips(random).into(),
        "prism on prism" => {
            let (sides_a, sides_b) = (3 + random.below(8), 3 + random.below(8));
            let (ha, hb) = (Vec3::new(0.8, 0.8, 0.5), Vec3::new(1.0, 0.7, 0.25));
            let turn = Rotation3::new(Vec3::z() * random.uniform() * random.below(2) as f64);
            let at = Vec3::new(0.3 * random.uniform(), 0.3 * random.uniform(), 0.75);
            Pair::new(prism(sides_a, ha), Pose::new(turn, at), prism(sides_b, hb), Pose::identity())
        }
        "tetrahedra on a lattice" => lattice::tetrahedra(random).into(),
        "plates" => {
            // Sheets down to a thousandth of their width, shifted on each other and turned about the normal.
            let thin = |r: &mut Random| Vec3::new(1.0, 0.5, 10f64.powi(-(r.below(4) as i32)));
            let (a, b) = (thin(random), thin(random));
            let shift = |r: &mut Random| 0.125 * (r.below(9) as f64 - 4.0);
            let at = Vec3::new(shift(random), shift(random), a.z + b.z + 0.01 * (random.below(3) as f64));
            let turn = Rotation3::new(Vec3::z() * random.uniform() * random.below(2) as f64);
            Pair::new(cuboid(a), Pose::new(turn, at), cuboid(b), Pose::identity()).turned(&random.rotation())
        }
        "needles" => {
            // Bars down to a thousandth of their length, side by side or crossed.
            let thin = |r: &mut Random| 10f64.powi(-(r.below(4) as i32));
            let (s, t) = (thin(random), thin(random));
            let (a, b) = (Vec3::new(1.0, s, s), Vec3::new(1.0, t, t));
            let at = Vec3::new(0.25 * random.uniform(), s * random.uniform(), s + t);
            let turn = Rotation3::new(Vec3::z() * random.uniform() * random.below(2) as f64);
            Pair::new(cuboid(a), Pose::new(turn, at), cuboid(b), Pose::identity()).turned(&random.rotation())
        }
        "size ratio 1e6" => {
            let pair = family(["generic", "stacked"][random.below(2)], random);
            let (Solid::Polytope(a), Solid::Polytope(b)) = (&pair.a, &pair.b) else { unreachable!() };
            Pair::new(scaled(a, 1e-6), pair.pose_a, b.clone(), pair.pose_b)
        }
        "far from the origin" => {
            let pair = family(["generic", "aligned", "stacked"][random.below(3)], random);
            let far = Vec3::new(1e6, -3e6, 2e6);
            let moved = |p: &Pose| Pose::new(p.rotation, p.position + far);
            Pair { pose_a: moved(&pair.pose_a), pose_b: moved(&pair.pose_b), ..pair }
        }
        _ => unreachable!("no such family"),
    }
}

/// Clarabel's minimiser of `curvature |x|²/2 + <cost, x>` over `x >= 0` with the given equations.
pub fn conic(
    curvature: f64,
    cost: &[f64],
    equations: &[(Vec<f64>, f64)],
    tolerance: f64,
) -> DefaultSolution<f64> {
    let n = cost.len();
    let unit =
        |k: usize, value: f64| (0..n).map(move |j| if j == k { value } else { 0.0 }).collect::<Vec<_>>();
    let bounds = (0..n).map(|k| unit(k, -1.0));
    let rows: Vec<Vec<f64>> = equations.iter().map(|(row, _)| row.clone()).chain(bounds).collect();
    let right: Vec<f64> = equations.iter().map(|(_, value)| *value).chain(vec![0.0; n]).collect();
    let quadratic: Vec<Vec<f64>> = (0..n).map(|k| unit(k, curvature)).collect();
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: tolerance,
        tol_gap_rel: tolerance,
        tol_feas: tolerance,
        ..DefaultSettings::default()
    };
    let cones = [ZeroConeT(equations.len()), NonnegativeConeT(n)];
    let matrix = CscMatrix::from(&rows);
    let mut solver =
        DefaultSolver::new(&CscMatrix::from(&quadratic), cost, &matrix, &right, &cones, settings).unwrap();
    solver.solve();
    let fine = matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved);
    assert!(fine, "{:?}", solver.solution.status);
    solver.solution
}
