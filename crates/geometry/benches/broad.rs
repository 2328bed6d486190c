//! Broad phase on 10,000 boxes, beside parry's tree, in one run. Prints a markdown table.
//!
//! Three competitors process the same boxes in the same order, step by step:
//! - **ours**: `BroadPhase`, every box moved, then the sorted list of touching pairs;
//! - **as rapier**: parry's `Bvh` the way rapier's broad phase drives it: fat leaves, incremental
//!   optimisation, change detection, a hash map of persistent pairs with adjacency lists for the pairs
//!   that end. Its product is that map (fat boxes, unsorted);
//! - **plain**: parry's `Bvh`, optimised and refitted each step, all overlaps collected afresh and
//!   sorted: the same product as ours.
//!
//! Boxes fly straight between walls, each at its own speed (0.2 to 1.8 times the scene's, in box sizes per
//! step: 0.02, slow 0.002, fast 0.2). Times are medians over rounds of the mean time of a step, ratios
//! medians over rounds of the ratio; the competitors take turns within each step, so that a busy machine
//! treats them alike.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::time::Instant;

use parry3d_f64::partitioning::{Bvh, BvhLeafUpdateStatus, BvhWorkspace};
use parry3d_f64::utils::hashmap::HashMap;
use percussion_geometry::broad::{BroadPhase, Part, PartId, Proxy};
use percussion_geometry::{Aabb, Vec3};
use percussion_testing::Random;

const BOXES: usize = 10_000;

fn direction(random: &mut Random, planar: bool) -> Vec3 {
    loop {
        let mut v = Vec3::from_fn(|_, _| random.signed());
        if planar {
            v.z = 0.0;
        }
        let n = v.norm();
        if n > 0.1 && n <= 1.0 {
            return v / n;
        }
    }
}

#[derive(Clone, Copy)]
enum Layout {
    Uniform,
    Clumped,
    Uneven,
    Planar,
}

/// Boxes on straight flights between walls.
#[derive(Clone)]
struct Scene {
    centre: Vec<Vec3>,
    half: Vec<Vec3>,
    velocity: Vec<Vec3>,
    room: f64,
    boxes: Vec<Aabb>,
}

impl Scene {
    /// `speed`: displacement per step as a fraction of each box's size; `moving`: fraction that moves.
    fn new(layout: Layout, speed: f64, moving: f64) -> Self {
        let mut r = Random::new(7);
        let planar = matches!(layout, Layout::Planar);
        let room = match layout {
            Layout::Uniform => 20.5,
            Layout::Clumped => 30.0,
            Layout::Uneven => 33.0,
            Layout::Planar => 78.0,
        };
        let clumps: Vec<Vec3> = (0..24).map(|_| Vec3::from_fn(|_, _| r.between(0.2, 0.8) * room)).collect();
        let mut scene = Self {
            centre: vec![],
            half: vec![],
            velocity: vec![],
            room,
            boxes: vec![Aabb::everything(); BOXES],
        };
        for k in 0..BOXES {
            let size = match layout {
                // One to a hundred, small ones in the majority.
                Layout::Uneven => 0.1 * 10f64.powf(2.0 * r.unit() * r.unit()),
                _ => r.between(0.6, 1.0),
            };
            let mut half = Vec3::from_fn(|_, _| 0.5 * size * r.between(0.8, 1.2));
            let mut centre = match layout {
                // Sums of uniform numbers: bell-shaped clumps.
                Layout::Clumped => {
                    clumps[k % clumps.len()]
                        + Vec3::from_fn(|_, _| (0..4).map(|_| r.between(-1.35, 1.35)).sum::<f64>())
                }
                _ => Vec3::from_fn(|_, _| r.unit() * room),
            };
            if planar {
                half.z = 0.0;
                centre.z = 0.0;
            }
            scene.velocity.push(if r.unit() < moving {
                direction(&mut r, planar) * speed * size * r.between(0.2, 1.8)
            } else {
                Vec3::zeros()
            });
            scene.centre.push(centre);
            scene.half.push(half);
        }
        scene.step();
        scene
    }

    fn step(&mut self) {
        for k in 0..BOXES {
            let (c, v) = (&mut self.centre[k], &mut self.velocity[k]);
            *c += *v;
            for axis in 0..3 {
                if (c[axis] < 0.0 && v[axis] < 0.0) || (c[axis] > self.room && v[axis] > 0.0) {
                    v[axis] = -v[axis];
                }
            }
            self.boxes[k] = Aabb::new(*c - self.half[k], *c + self.half[k]);
        }
    }
}

/// The competitors: take all boxes of a step, return the number of pairs now held.
trait Competitor {
    fn step(&mut self, boxes: &[Aabb]) -> usize;
}

/// Slack around parry's leaves (metres), as rapier has it for boxes of about a metre. Ours are left at
/// their default, a fraction of each box.
const SLACK: f64 = 0.04;

#[derive(Default)]
struct AsRapier {
    tree: Bvh,
    work: BvhWorkspace,
    pairs: HashMap<(u32, u32), u32>,
    adjacent: Vec<Vec<u32>>,
    updated: Vec<u32>,
    previously: Vec<u32>,
    mask: Vec<bool>,
    candidates: Vec<(u32, u32)>,
    stale: Vec<(u32, u32)>,
    reinsert: bool,
    debt: usize,
    frame: u32,
}

impl Competitor for AsRapier {
    fn step(&mut self, boxes: &[Aabb]) -> usize {
        self.frame += 1;
        let n = boxes.len();
        let first = self.tree.is_empty();
        self.adjacent.resize(n, Vec::new());
        self.updated.clear();
        // The regime is chosen by the number that really left its fat leaf last time; being handed every
        // box, as here, would otherwise deny the tree its cheaper regime for scenes at rest.
        let reinsert = self.reinsert && !first;
        for (k, b) in boxes.iter().enumerate() {
            let k = k as u32;
            let status = if first {
                self.tree.insert_or_update_partially((*b).into(), k, SLACK)
            } else if reinsert {
                self.tree.reinsert_or_update_with_change_detection((*b).into(), k, SLACK)
            } else {
                self.tree.insert_or_update_partially((*b).into(), k, SLACK)
            };
            if status != BvhLeafUpdateStatus::Unchanged {
                self.updated.push(k);
                if !reinsert {
                    self.debt += 1;
                }
            }
        }
        let updated = self.updated.len();
        self.reinsert = updated * 16 < n;
        let optimise =
            self.debt > 0 && (updated * 16 >= n || (self.frame.is_multiple_of(8) && self.debt * 64 >= n));
        if optimise {
            self.debt = 0;
            self.tree.optimize_incremental(&mut self.work);
        }
        if first || optimise || (updated + self.previously.len()) * 16 >= n {
            self.tree.refit(&mut self.work);
        } else {
            self.tree.refit_partial(&self.previously, &self.updated);
        }
        self.candidates.clear();
        let candidates = &mut self.candidates;
        self.tree.traverse_bvtt_single_tree::<true>(&mut self.work, &mut |a, b| candidates.push((a, b)));
        for &(a, b) in &self.candidates {
            let pair = (a.min(b), a.max(b));
            if !self.pairs.contains_key(&pair) {
                self.pairs.insert(pair, self.frame);
                self.adjacent[a as usize].push(b);
                self.adjacent[b as usize].push(a);
            }
        }
        self.mask.clear();
        self.mask.resize(n, false);
        for &k in &self.updated {
            self.mask[k as usize] = true;
        }
        self.stale.clear();
        for &k in &self.updated {
            let Some(node) = self.tree.leaf_node(k) else { continue };
            for &other in &self.adjacent[k as usize] {
                if k > other && self.mask[other as usize] {
                    continue;
                }
                if self.tree.leaf_node(other).is_none_or(|o| !node.intersects(o)) {
                    self.stale.push((k.min(other), k.max(other)));
                }
            }
        }
        self.stale.sort_unstable();
        for &(a, b) in &self.stale {
            if self.pairs.remove(&(a, b)).is_some() {
                for (x, y) in [(a, b), (b, a)] {
                    let list = &mut self.adjacent[x as usize];
                    if let Some(at) = list.iter().position(|&z| z == y) {
                        list.swap_remove(at);
                    }
                }
            }
        }
        std::mem::swap(&mut self.previously, &mut self.updated);
        self.pairs.len()
    }
}

#[derive(Default)]
struct Plain {
    tree: Bvh,
    work: BvhWorkspace,
    pairs: Vec<u64>,
}

impl Competitor for Plain {
    fn step(&mut self, boxes: &[Aabb]) -> usize {
        for (k, b) in boxes.iter().enumerate() {
            self.tree.insert_or_update_partially((*b).into(), k as u32, 0.0);
        }
        self.tree.optimize_incremental(&mut self.work);
        self.tree.refit(&mut self.work);
        self.pairs.clear();
        let pairs = &mut self.pairs;
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.work, &mut |a, b| {
            pairs.push((u64::from(a.min(b)) << 32) | u64::from(a.max(b)));
        });
        pairs.sort_unstable();
        pairs.len()
    }
}

#[derive(Default)]
struct Ours {
    broad: BroadPhase,
    proxies: Vec<Proxy>,
}

impl Competitor for Ours {
    fn step(&mut self, boxes: &[Aabb]) -> usize {
        if self.proxies.is_empty() {
            self.proxies = boxes
                .iter()
                .enumerate()
                .map(|(k, b)| self.broad.insert(Part::moving(PartId::new(k as u32, 0)), b).unwrap())
                .collect();
        }
        for (proxy, b) in self.proxies.iter().zip(boxes) {
            self.broad.update(*proxy, b).unwrap();
        }
        self.broad.refresh();
        self.broad.pairs().len()
    }
}

/// Rounds, and steps in a round. Long enough for several repackings of the tree.
const ROUNDS: usize = 7;
const STEPS: usize = 30;
const WARM_UP: usize = 60;

/// Times of a step in seconds, per round and competitor, and the pairs each held at the end.
fn race(scene: &mut Scene, all: &mut [Box<dyn Competitor>]) -> (Vec<Vec<f64>>, Vec<usize>) {
    let mut times = vec![vec![0.0; all.len()]; ROUNDS];
    let mut counts = vec![0; all.len()];
    for _ in 0..WARM_UP {
        scene.step();
        for competitor in all.iter_mut() {
            black_box(competitor.step(&scene.boxes));
        }
    }
    for round in &mut times {
        for step in 0..STEPS {
            scene.step();
            for turn in 0..all.len() {
                let k = (turn + step) % all.len();
                let start = Instant::now();
                counts[k] = black_box(all[k].step(&scene.boxes));
                round[k] += start.elapsed().as_secs_f64() / STEPS as f64;
            }
        }
    }
    (times, counts)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    println!("Broad phase, {BOXES} boxes, microseconds per step (one thread)\n");
    println!("| scene | pairs | ours | parry as rapier | parry plain | ours / as rapier | ours / plain |");
    println!("|---|---|---|---|---|---|---|");
    for (name, layout, speed, moving) in [
        ("uniform", Layout::Uniform, 0.02, 1.0),
        ("uniform, slow", Layout::Uniform, 0.002, 1.0),
        ("uniform, fast", Layout::Uniform, 0.2, 1.0),
        ("uniform, 1 % move", Layout::Uniform, 0.02, 0.01),
        ("clumped", Layout::Clumped, 0.02, 1.0),
        ("uneven sizes, 1 to 100", Layout::Uneven, 0.02, 1.0),
        ("planar", Layout::Planar, 0.02, 1.0),
    ] {
        let mut scene = Scene::new(layout, speed, moving);
        let mut all: Vec<Box<dyn Competitor>> =
            vec![Box::<Ours>::default(), Box::<AsRapier>::default(), Box::<Plain>::default()];
        let (times, counts) = race(&mut scene, &mut all);
        assert_eq!(counts[0], counts[2], "the same product");
        let us = |k: usize| 1e6 * median(times.iter().map(|round| round[k]).collect());
        let ratio = |k: usize| median(times.iter().map(|round| round[0] / round[k]).collect());
        println!(
            "| {name} | {} | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} |",
            counts[0],
            us(0),
            us(1),
            us(2),
            ratio(1),
            ratio(2)
        );
    }
}
