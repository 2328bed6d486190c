//! Boxes that rest on each other: towers, walls, pyramids, heaps, chains. For tests and benches.
#![allow(dead_code, clippy::unwrap_used)]

use super::common::unit3;
use percussion_solve::FrictionContactProblem;
use percussion_testing::Random;

pub type V3 = [f64; 3];

/// Gravity times the time step.
const FALL: f64 = 9.81e-2;

pub fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn minus(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// A problem together with the positions of its bodies.
#[derive(Default)]
pub struct Pile {
    pub problem: FrictionContactProblem,
    centres: Vec<V3>,
}

impl Pile {
    /// A box that falls and moves at a velocity.
    pub fn solid(&mut self, mass: f64, half: V3, centre: V3, velocity: V3) -> usize {
        let square = half.map(|h| 4.0 * h * h * mass / 12.0);
        let moments = [square[1] + square[2], square[0] + square[2], square[0] + square[1]];
        let mut inverse = [0.0; 9];
        (0..3).for_each(|i| inverse[4 * i] = 1.0 / moments[i]);
        let [x, y, z] = velocity.map(|v| v * mass);
        self.centres.push(centre);
        self.problem.body(1.0 / mass, &inverse, &[x, y, z - FALL * mass, 0.0, 0.0, 0.0]).unwrap()
    }

    fn wrench(&self, body: usize, direction: V3, point: V3, sign: f64) -> [f64; 6] {
        let turn = cross(minus(point, self.centres[body]), direction);
        let d = direction.map(|v| sign * v);
        [d[0], d[1], d[2], sign * turn[0], sign * turn[1], sign * turn[2]]
    }

    /// A contact at a point; the normal points from `under`, or the world, to `over`. Friction along
    /// `tangents` directions of the plane of contact.
    pub fn touch(
        &mut self,
        point: V3,
        normal: V3,
        (over, under): (usize, Option<usize>),
        (friction, gap, tangents): (f64, f64, usize),
    ) {
        let axis = if normal[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let s = unit3(cross(normal, axis));
        let t = cross(normal, s);
        for k in 0..=tangents {
            let angle = std::f64::consts::PI * (k.max(1) - 1) as f64 / tangents.max(1) as f64;
            let (cos, sin) = (angle.cos(), angle.sin());
            let d = if k == 0 { normal } else { [0, 1, 2].map(|i| cos * s[i] + sin * t[i]) };
            let a = self.wrench(over, d, point, 1.0);
            let b = under.map(|under| (under, self.wrench(under, d, point, -1.0)));
            let one: [(usize, &[f64]); 1] = [(over, &a)];
            let two = b.as_ref().map(|(under, b)| [(over, a.as_slice()), (*under, b.as_slice())]);
            let row = two.as_ref().map_or(one.as_slice(), |two| two.as_slice());
            if k == 0 { self.problem.contact(row, friction, gap) } else { self.problem.tangent(row) }
                .unwrap();
        }
    }

    /// Joins two bodies by an upright pin along which they slide.
    pub fn join(&mut self, point: V3, a: usize, b: usize) {
        for d in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
            let (row, other) = (self.wrench(a, d, point, 1.0), self.wrench(b, d, point, -1.0));
            self.problem.equality(&[(a, &row), (b, &other)], 0.0).unwrap();
        }
    }
}

const UP: V3 = [0.0, 0.0, 1.0];

fn corners(low: [f64; 2], high: [f64; 2], z: f64) -> [V3; 4] {
    [[low[0], low[1], z], [high[0], low[1], z], [low[0], high[1], z], [high[0], high[1], z]]
}

/// Unit boxes on top of each other, four corners each; the middle one is pushed.
pub fn tower(blocks: usize, friction: f64, push: f64) -> FrictionContactProblem {
    let mut pile = Pile::default();
    for k in 0..blocks {
        let x = if k == blocks / 2 { push } else { 0.0 };
        pile.solid(1.0, [0.5; 3], [0.0, 0.0, k as f64], [x, 0.3 * x, 0.0]);
        for point in corners([-0.5; 2], [0.5; 2], k as f64 - 0.5) {
            pile.touch(point, UP, (k, k.checked_sub(1)), (friction, 0.0, 2));
        }
    }
    pile.problem
}

/// Bricks of two by one by one in running bond, each row shorter by `taper` half bricks; the one in the middle
/// of the top row is pushed.
pub fn bricks(columns: usize, rows: usize, taper: usize, friction: f64, push: f64) -> FrictionContactProblem {
    let mut pile = Pile::default();
    let mut below: Vec<(usize, f64)> = vec![];
    for row in 0..rows {
        let count = columns - if taper == 0 { row % 2 } else { row * taper };
        let start = if taper == 0 { (row % 2) as f64 } else { (row * taper) as f64 };
        let mut these = vec![];
        for k in 0..count {
            let x = start + 2.0 * k as f64;
            let speed = if row + 1 == rows && k == count / 2 { push } else { 0.0 };
            let body = pile.solid(2.0, [1.0, 0.5, 0.5], [x, 0.0, row as f64], [0.2 * speed, speed, 0.0]);
            let z = row as f64 - 0.5;
            if row == 0 {
                for point in corners([x - 1.0, -0.5], [x + 1.0, 0.5], z) {
                    pile.touch(point, UP, (body, None), (friction, 0.0, 2));
                }
            }
            for &(under, at) in &below {
                let (low, high) = (f64::max(x, at) - 1.0, f64::min(x, at) + 1.0);
                if low + 1e-9 < high {
                    for point in corners([low, -0.5], [high, 0.5], z) {
                        pile.touch(point, UP, (body, Some(under)), (friction, 0.0, 2));
                    }
                }
            }
            these.push((body, x));
        }
        below = these;
    }
    pile.problem
}

/// Bodies thrown into a box: positions of a grid shaken at random, with one to four points of contact between
/// neighbours, half of them with a small gap, and random velocities. Rest is possible: no gap is negative.
pub fn heap(
    random: &mut Random,
    [nx, ny, nz]: [usize; 3],
    friction: [f64; 2],
    speed: f64,
) -> FrictionContactProblem {
    let mut pile = Pile::default();
    let index = |i: usize, j: usize, k: usize| (k * ny + j) * nx + i;
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let centre = [i, j, k].map(|c| c as f64 + random.between(-0.15, 0.15));
                let half = [0; 3].map(|_| random.between(0.35, 0.55));
                let velocity = [0; 3].map(|_| random.between(-speed, speed));
                pile.solid(random.between(0.5, 2.0), half, centre, velocity);
            }
        }
    }
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let over = index(i, j, k);
                for axis in 0..3 {
                    let at = [i, j, k][axis];
                    let last = at + 1 == [nx, ny, nz][axis] && axis < 2;
                    let mut towards = [0.0; 3];
                    towards[axis] = 1.0;
                    let wall = towards.map(|d| -d);
                    let neighbour = match axis {
                        0 => i.checked_sub(1).map(|i| index(i, j, k)),
                        1 => j.checked_sub(1).map(|j| index(i, j, k)),
                        _ => k.checked_sub(1).map(|k| index(i, j, k)),
                    };
                    // A few neighbours miss each other.
                    if neighbour.is_none() || random.below(10) > 0 {
                        between(random, &mut pile, (over, neighbour), towards, friction);
                    }
                    if last {
                        between(random, &mut pile, (over, None), wall, friction);
                    }
                }
            }
        }
    }
    pile.problem
}

/// Contacts of a body with a neighbour, or with a wall on the side that `towards` points away from.
fn between(
    random: &mut Random,
    pile: &mut Pile,
    pair: (usize, Option<usize>),
    towards: V3,
    friction: [f64; 2],
) {
    let c = pile.centres[pair.0];
    let (normal, middle) = match pair.1 {
        Some(under) => {
            let d = pile.centres[under];
            let shaken = [0, 1, 2].map(|i| c[i] - d[i] + random.between(-0.2, 0.2));
            (unit3(shaken), [0, 1, 2].map(|i| 0.5 * (c[i] + d[i])))
        }
        None => (towards, [0, 1, 2].map(|i| c[i] - 0.5 * towards[i])),
    };
    let s = unit3(cross(normal, if normal[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] }));
    let t = cross(normal, s);
    let mu = random.between(friction[0], friction[1]);
    for _ in 0..[1, 1, 2, 4][random.below(4)] {
        let (a, b) = (random.between(-0.3, 0.3), random.between(-0.3, 0.3));
        let point = [0, 1, 2].map(|i| middle[i] + a * s[i] + b * t[i]);
        let gap = random.between(-0.01, 0.01).max(0.0);
        pile.touch(point, normal, pair, (mu, gap, 2));
    }
}

/// Boxes on three feet, joined to a chain that lies on the floor in a zigzag and is pulled at its end. With a
/// fourth foot, or joints that carry weight, it would not be determined which feet press, and hence not how
/// friction turns what slides.
pub fn chain(links: usize, friction: f64, pull: f64) -> FrictionContactProblem {
    let mut pile = Pile::default();
    for k in 0..links {
        let speed = if k + 1 == links { pull } else { 0.0 };
        let (x, y) = (1.1 * k as f64, 0.2 * (k % 2) as f64);
        pile.solid(1.0, [0.5, 0.25, 0.25], [x, y, 0.0], [speed, 0.0, 0.0]);
        for (dx, dy) in [(-0.5, -0.25), (-0.5, 0.25), (0.5, 0.0)] {
            pile.touch([x + dx, y + dy, -0.25], UP, (k, None), (friction, 0.0, 2));
        }
        if k > 0 {
            pile.join([x - 0.55, 0.1, 0.0], k, k - 1);
        }
    }
    pile.problem
}
