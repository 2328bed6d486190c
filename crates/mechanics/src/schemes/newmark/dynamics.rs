//! Forward dynamics of one island at an instant: accelerations from positions, rates and forces, in sweeps over the tree.
//!
//! ```text
//! t_b = X t_parent + S ν            t_b' = X t_parent' + S a + c_b         c_b = X' t_parent + S' ν
//! r   = Pᵀ [ I t' + gyroscopic - F ] + Bᵀ λ = 0       Mred = Pᵀ I P         loops: g'' = 0
//! ```
//!
//! `a` are the accelerations of the degrees of freedom: rates of the rates, and for a rod the components of `Ω'` in the two directions
//! across it (`Ω` stays across the rod, and so does `Ω'`, whatever the directions do).

use crate::discrete::{End, Loops};
use crate::force::{Bodies, BodyKinematics, Force, ForceAccumulator, ForceError, Stiffness, Weights};
use crate::joint::{Joint, JointFrame, JointKind, Row};
use crate::model::{Island, Model};
use crate::rotation::{Mat3, hat};
use crate::spatial::{Mat6, Vec6, angular, linear, twist};
use crate::spatial::{shift_twist, spatial_inertia};
use crate::tolerances::NEWMARK_INNER_RESIDUAL;
use crate::tree::Link;
use crate::tree::{Node, Singular, System};
use percussion_geometry::Vec3;
use percussion_solve::Gmres;
use percussion_solve::krylov::Product;

/// Directions of the inner solver before a restart, and restarts.
const DIRECTIONS: usize = 40;
const RESTARTS: usize = 10;

/// Workspace of one island at an instant.
#[derive(Clone, Debug, Default)]
pub(super) struct Dynamics {
    /// `Mred`, or the matrix of the iteration.
    pub system: System,
    /// Frames of the joints.
    pub joint_frames: Vec<JointFrame>,
    /// Velocities of the bodies.
    pub twists: Vec<Vec6>,
    /// Forces on the bodies.
    pub accumulators: Vec<ForceAccumulator>,
    pub positions: Vec<Vec3>,
    pub rotations: Vec<Mat3>,
    pub loops: Loops,
    products: Vec<Vec6>,
    accelerations: Vec<Vec6>,
    placements: Vec<BodyKinematics>,
    wrenches: Vec<Vec6>,
    stiffness: Vec<Stiffness>,
    blocks: Vec<Mat6>,
    spare: Vec<Vec6>,
    coupled: bool,
    weights: Option<Weights>,
    krylov: Option<Gmres>,
    z: Vec<f64>,
}

impl Dynamics {
    /// Makes room for an island.
    pub fn begin(&mut self, model: &Model, island: &Island) {
        let n = island.bodies.len();
        self.system.nodes.resize(n, Node::empty());
        for list in [
            &mut self.twists,
            &mut self.products,
            &mut self.accelerations,
            &mut self.wrenches,
            &mut self.spare,
        ] {
            list.resize(n, Vec6::zeros());
        }
        self.positions.resize(n, Vec3::zeros());
        self.rotations.resize(n, Mat3::identity());
        self.accumulators.resize(n, ForceAccumulator::zero());
        self.placements.resize(n, BodyKinematics::rest());
        self.blocks.resize(n, Mat6::zeros());
        self.z.clear();
        self.z.resize(island.dofs.len(), 0.0);
        self.loops.begin(model, island);
    }

    /// Takes a configuration: joints, columns, reaches; the system becomes `Mred`, not yet factorised.
    pub fn configure(
        &mut self,
        model: &Model,
        island: &Island,
        positions: &[Vec3],
        rotations: &[Mat3],
        coordinates: &[f64],
    ) {
        let (b0, f0, c0) = (island.bodies.start, island.dofs.start, island.coordinates.start);
        self.positions.copy_from_slice(positions);
        self.rotations.copy_from_slice(rotations);
        self.joint_frames.clear();
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let parent = link.parent.map(|p| (&positions[p - b0], &rotations[p - b0]));
            let range = link.coordinates();
            let own = &coordinates[range.start - c0..range.end - c0];
            let frame = link.joint.frame(parent, (&positions[i], &rotations[i]), own);
            let node = &mut self.system.nodes[i];
            node.parent = link.parent.map(|p| p - b0);
            node.dofs = link.joint.dofs();
            node.first = link.dof - f0;
            node.motion0 = link.joint.motion(&frame, &positions[i]);
            node.motion1 = node.motion0;
            node.reach0 = parent.map_or_else(Vec3::zeros, |(from, _)| positions[i] - from);
            node.reach1 = node.reach0;
            self.joint_frames.push(frame);
        }
        self.set_mass(model, island);
    }

    /// Makes the system `Mred`.
    pub fn set_mass(&mut self, model: &Model, island: &Island) {
        let links = &model.links[island.bodies.clone()];
        for ((node, link), rotation) in self.system.nodes.iter_mut().zip(links).zip(&self.rotations) {
            node.block = spatial_inertia(link.mass, &link.inertia, rotation);
            node.along = Vec6::zeros();
        }
        self.coupled = false;
    }

    /// Takes rates: velocities of the bodies, and the accelerations `c` that come from velocities alone.
    pub fn set_rates(&mut self, model: &Model, island: &Island, rates: &[f64]) {
        self.system.expand(rates, &mut self.twists);
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let node = &self.system.nodes[i];
            let above = node.parent.map_or_else(Vec6::zeros, |p| self.twists[p]);
            let own = &rates[node.first..node.first + node.dofs];
            let place = (&self.joint_frames[i], &self.rotations[i]);
            self.products[i] = velocity_product(link, place, node, &above, &self.twists[i], own);
        }
    }

    /// Evaluates the forces at the time `t`.
    pub fn evaluate_forces(&mut self, model: &Model, island: &Island, t: f64) -> Result<(), ForceError> {
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let twist = &self.twists[i];
            self.placements[i] = BodyKinematics {
                position: self.positions[i],
                frame: self.rotations[i],
                velocity: linear(twist),
                frame_rate: hat(&angular(twist)) * self.rotations[i],
            };
            self.accumulators[i] =
                ForceAccumulator { force: model.gravity * link.mass, ..ForceAccumulator::zero() };
        }
        let bodies = Bodies { first: island.bodies.start, kinematics: &self.placements };
        for force in &model.forces[island.forces.clone()] {
            force.add_forces(t, &bodies, &mut self.accumulators)?;
        }
        Ok(())
    }

    /// `Mred a + bias - Pᵀ F` into `out`.
    pub fn residual(
        &mut self,
        model: &Model,
        island: &Island,
        t: f64,
        (coordinates, rates): (&[f64], &[f64]),
        a: &[f64],
        out: &mut [f64],
    ) {
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let node = &self.system.nodes[i];
            let mut acceleration = self.products[i];
            if let Some(p) = node.parent {
                acceleration += shift_twist(&self.accelerations[p], &node.reach0);
            }
            for k in 0..node.dofs {
                acceleration += node.motion0.column(k) * a[node.first + k];
            }
            self.accelerations[i] = acceleration;
            let (r, w) = (&self.rotations[i], angular(&self.twists[i]));
            let turn = |w: &Vec3| r * link.inertia.component_mul(&r.tr_mul(w));
            let torque = turn(&angular(&acceleration)) + w.cross(&turn(&w));
            let inertial = twist(&(linear(&acceleration) * link.mass), &torque);
            self.wrenches[i] = inertial - self.accumulators[i].wrench(r);
        }
        self.system.reduce(&mut self.wrenches, out);
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let link = &model.links[force.slot];
            let at = link.dof - island.dofs.start + force.coordinate;
            let c = force.position(
                &coordinates[link.coordinate - island.coordinates.start..][..link.joint.coordinates()],
            );
            out[at] -= force.evaluate(t, c, rates[at]).value;
        }
    }

    /// Makes the system `Mred + γh C + βh² K` of the forces, with `weights` `βh²` and `γh`; `gyroscopic` selects the bodies whose rotation is
    /// advanced by rates, and so depends on gyroscopic torques through `γh`.
    pub fn linearise(
        &mut self,
        model: &Model,
        island: &Island,
        t: f64,
        (coordinates, rates): (&[f64], &[f64]),
        weights: Weights,
        gyroscopic: impl Fn(usize) -> bool,
    ) -> Result<(), ForceError> {
        let b0 = island.bodies.start;
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            let r = &self.rotations[i];
            self.blocks[i] = spatial_inertia(link.mass, &link.inertia, r);
            if gyroscopic(i) {
                let w = angular(&self.twists[i]);
                let j = self.blocks[i].fixed_view::<3, 3>(3, 3).into_owned();
                let mut part = self.blocks[i].fixed_view_mut::<3, 3>(3, 3);
                part += (hat(&w) * j - hat(&(j * w))) * weights.velocity;
            }
        }
        self.stiffness.clear();
        let bodies = Bodies { first: b0, kinematics: &self.placements };
        // In an explicit scheme forces after the step have no part: those that depend on positions alone are left out.
        let counts = |force: &&Force| weights.position != 0.0 || !force.is_conservative();
        for force in model.forces[island.forces.clone()].iter().filter(counts) {
            force.stiffness(t, &bodies, &mut self.stiffness)?;
        }
        let ends = (self.rotations.as_slice(), self.rotations.as_slice());
        for element in &self.stiffness {
            element.add_blocks(b0, ends, &weights, -1.0, &mut self.blocks);
        }
        self.coupled = self.stiffness.iter().any(Stiffness::couples);
        self.weights = Some(weights);
        for (node, block) in self.system.nodes.iter_mut().zip(&self.blocks) {
            node.block = *block;
            node.along = Vec6::zeros();
        }
        for force in &model.joint_forces[island.joint_forces.clone()] {
            let link = &model.links[force.slot];
            let at = link.dof - island.dofs.start + force.coordinate;
            let c = force.position(
                &coordinates[link.coordinate - island.coordinates.start..][..link.joint.coordinates()],
            );
            let applied = force.evaluate(t, c, rates[at]);
            self.system.nodes[force.slot - b0].along[force.coordinate] -=
                weights.position * applied.by_position + weights.velocity * applied.by_velocity;
        }
        Ok(())
    }

    /// Factorises the system, and solves for the rows of the loops.
    pub fn factor(&mut self, model: &Model, island: &Island) -> Result<(), Singular> {
        self.system.factor()?;
        if self.loops.rows == 0 {
            return Ok(());
        }
        let (x, r) = (&self.positions, &self.rotations);
        self.loops.evaluate(End::After, model, island, &self.system, (x, r), &mut self.wrenches);
        let n = island.dofs.len();
        let mut solved_rows = std::mem::take(&mut self.loops.solved_rows);
        for (k, solved) in solved_rows.chunks_exact_mut(n.max(1)).enumerate().take(self.loops.rows) {
            self.z.copy_from_slice(&self.loops.after[k * n..(k + 1) * n]);
            let rhs = std::mem::take(&mut self.z);
            self.solve_tree(model, island, &rhs, solved);
            self.z = rhs;
        }
        self.loops.solved_rows = solved_rows;
        Ok(())
    }

    /// Solves for the correction that removes an residual: `S d + Bᵀ λ = -r`, and of the loops' accelerations `B d = -g''`.
    pub fn correct(&mut self, model: &Model, island: &Island, r: &[f64], d: &mut [f64]) {
        self.solve_tree(model, island, r, d);
        if self.loops.rows > 0 {
            self.set_loop_accelerations(model, island);
            self.loops.factor();
            self.loops.solve(d, true);
            self.add_solved_rows(d);
        }
        d.iter_mut().for_each(|d| *d = -*d);
    }

    /// The displacement that closes the loops, into `d`, and their opening. The system must be `Mred`, factorised.
    pub fn loop_correction(&mut self, d: &mut [f64]) -> f64 {
        d.fill(0.0);
        self.loops.factor();
        self.loops.solve(d, true);
        self.add_solved_rows(d);
        d.iter_mut().for_each(|d| *d = -*d);
        self.loops.values.iter().fold(0.0, |most, g| f64::max(most, g.abs()))
    }

    /// Projects the rates to those that loops allow. The system must be `Mred`, factorised.
    pub fn project(&mut self, rates: &mut [f64]) {
        self.loops.factor();
        self.loops.solve(rates, false);
        self.add_solved_rows(rates);
    }

    fn add_solved_rows(&self, d: &mut [f64]) {
        for (solved, x) in self.loops.solved_rows.chunks_exact(d.len().max(1)).zip(&self.loops.correction) {
            d.iter_mut().zip(solved).for_each(|(d, a)| *d += x * a);
        }
    }

    /// `dᵀ Mred d`.
    pub fn kinetic_norm(&mut self, model: &Model, island: &Island, d: &[f64]) -> f64 {
        self.system.expand(d, &mut self.spare);
        let links = &model.links[island.bodies.clone()];
        let each = links.iter().zip(&self.spare).zip(&self.rotations).map(|((link, twist), rotation)| {
            let turning = rotation.tr_mul(&angular(twist));
            link.mass * linear(twist).norm_squared() + turning.dot(&link.inertia.component_mul(&turning))
        });
        each.sum()
    }

    /// `Mred ν`: momenta.
    pub fn momenta(&mut self, model: &Model, island: &Island, out: &mut [f64]) {
        for (i, link) in model.links[island.bodies.clone()].iter().enumerate() {
            self.wrenches[i] = spatial_inertia(link.mass, &link.inertia, &self.rotations[i]) * self.twists[i];
        }
        self.system.reduce(&mut self.wrenches, out);
    }

    /// Solves with the factorised system, with GMRES around it where forces couple bodies.
    pub fn solve_tree(&mut self, model: &Model, island: &Island, b: &[f64], x: &mut [f64]) {
        let Self { system, spare, wrenches, stiffness, rotations, krylov, .. } = self;
        let Some(weights) = self.weights.filter(|_| self.coupled) else {
            return system.solve(b, x, spare);
        };
        let largest = model.islands.iter().map(|island| island.dofs.len()).max().unwrap_or(0);
        let krylov = krylov.get_or_insert_with(|| Gmres::new(largest, DIRECTIONS));
        let ends = (rotations.as_slice(), rotations.as_slice());
        krylov.solve(b, x, NEWMARK_INNER_RESIDUAL, RESTARTS, |product, v, out| match product {
            Product::Preconditioner => system.solve(v, out, spare),
            Product::Matrix => system.multiply(v, spare, wrenches, out, |twists, wrenches| {
                for element in stiffness.iter() {
                    element.add_coupling(island.bodies.start, ends, &weights, -1.0, twists, wrenches);
                }
            }),
        });
    }

    /// `g''` of the loops for the present accelerations. Rows are products of two linear functions of positions and
    /// directors, so `q'ᵀ ∇²g q' = g(q+q') - 2 g(q) + g(q-q')` exactly.
    fn set_loop_accelerations(&mut self, model: &Model, island: &Island) {
        let b0 = island.bodies.start;
        let mut k = 0;
        for closure in &model.closures[island.closures.clone()] {
            let (parent, child) = (closure.parent.map(|p| p - b0), closure.child - b0);
            for &row in closure.joint.rows() {
                self.loops.values[k] = self.row_acceleration(&closure.joint, row, parent, child);
                k += 1;
            }
        }
    }

    fn row_acceleration(&self, joint: &Joint, row: Row, parent: Option<usize>, child: usize) -> f64 {
        let moved = |i: usize, sign: f64| {
            let (v, w) = (linear(&self.twists[i]), angular(&self.twists[i]));
            (self.positions[i] + v * sign, self.rotations[i] + hat(&w) * self.rotations[i] * sign)
        };
        let at = |sign: f64| {
            let (above, below) = (parent.map(|p| moved(p, sign)), moved(child, sign));
            joint.row(row, above.as_ref().map(|(x, r)| (x, r)), (&below.0, &below.1))
        };
        let here = at(0.0);
        let along = |form: &crate::joint::LinearForm, i: usize| {
            let (a, w) = (&self.accelerations[i], hat(&angular(&self.twists[i])));
            let frame = (hat(&angular(a)) + w * w) * self.rotations[i];
            form.force.dot(&linear(a)) + form.moment.dot(&frame)
        };
        let curved = at(1.0).value - 2.0 * here.value + at(-1.0).value;
        curved + along(&here.child, child) + parent.map_or(0.0, |p| along(&here.parent, p))
    }
}

/// `c = X' t_parent + S' ν`: the acceleration of the child that comes from velocities alone.
fn velocity_product(
    link: &Link,
    (frame, rotation): (&JointFrame, &Mat3),
    node: &Node,
    above: &Vec6,
    own: &Vec6,
    rates: &[f64],
) -> Vec6 {
    let (wp, wc) = (angular(above), angular(own));
    let mut relative = Vec6::zeros();
    for (k, rate) in rates.iter().enumerate() {
        relative += node.motion0.column(k) * *rate;
    }
    let arm = -(rotation * link.joint.child_frame.point);
    let turning = angular(&relative);
    let sliding = linear(&relative) - turning.cross(&arm);
    let w = &frame.parent.axes;
    let mut turning_rate = wp.cross(&turning);
    let mut sliding_rate = wp.cross(&sliding);
    match link.joint.kind {
        JointKind::Universal => {
            let (first, second) =
                (angular(&node.motion0.column(0).into()), angular(&node.motion0.column(1).into()));
            turning_rate += first.cross(&second) * (rates[0] * rates[1]);
        }
        JointKind::Rod => {
            // Ω × (Ω × shift) = -|Ω|² shift for Ω across the shift, and |Ω| |shift| is the speed of sliding.
            let shift = w * frame.shift;
            sliding_rate -= shift * (sliding.norm_squared() / shift.norm_squared());
        }
        _ => {}
    }
    let reach_rate = match node.parent {
        Some(_) => linear(own) - linear(above),
        None => Vec3::zeros(),
    };
    let linear_part =
        wp.cross(&reach_rate) + sliding_rate + turning_rate.cross(&arm) + turning.cross(&wc.cross(&arm));
    twist(&linear_part, &turning_rate)
}
