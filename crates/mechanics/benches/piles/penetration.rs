//! Penetration depths of the bodies of a scene in each other and in the box, by the separation kernel, for every engine.

use crate::scene::Scene;
use percussion_geometry::separation::{Options, WarmStart, separation};
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};

/// A pair nearer than this touches, m.
pub const TOUCHING: f64 = 1e-4;

/// Depths of all pairs that touch, m: at least zero.
#[derive(Clone, Debug, Default)]
pub struct Depths {
    pub pairs: usize,
    pub overlapping: usize,
    pub sum: f64,
    pub deepest: f64,
}

impl Depths {
    /// Adds the pairs of a scene with its bodies at given poses and its box moved by `shift`.
    pub fn add(&mut self, scene: &Scene, poses: &[Pose], shift: &Vec3) {
        let solids: Vec<Solid> = scene.bodies.iter().map(|(p, _)| Solid::Polytope(p.clone())).collect();
        let walls: Vec<(&Solid, Pose)> = scene
            .walls
            .iter()
            .map(|(solid, pose)| (solid, Pose::new(pose.rotation, pose.position + shift)))
            .collect();
        for (i, pose) in poses.iter().enumerate() {
            for (wall, at) in &walls {
                self.pair((&solids[i], pose), (wall, at));
            }
            for (j, other) in poses[..i].iter().enumerate() {
                let reach = scene.bodies[i].0.outer_radius() + scene.bodies[j].0.outer_radius() + TOUCHING;
                if (pose.position - other.position).norm_squared() <= 4.0 * reach * reach {
                    self.pair((&solids[i], pose), (&solids[j], other));
                }
            }
        }
    }

    fn pair(&mut self, a: (&Solid, &Pose), b: (&Solid, &Pose)) {
        let near = Options { prediction: TOUCHING, beta: None };
        let answer = separation(a.0, a.1, b.0, b.1, &near, &mut WarmStart::default()).unwrap();
        let gap = answer.separation / answer.alpha.norm();
        if answer.outcome != percussion_geometry::separation::Outcome::Solved || gap > TOUCHING {
            return;
        }
        let depth = (-gap).max(0.0);
        self.pairs += 1;
        self.overlapping += usize::from(depth > 0.0);
        self.sum += depth;
        self.deepest = self.deepest.max(depth);
    }

    pub fn over_touching(&self) -> f64 {
        self.sum / self.pairs.max(1) as f64
    }

    pub fn over_overlapping(&self) -> f64 {
        self.sum / self.overlapping.max(1) as f64
    }
}
