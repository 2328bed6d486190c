//! Functions of one configuration: measures, distances of pairs, gaps of planned contacts, goals at the end.
//!
//! Gradients are analytic. Second derivatives are closed where that is short ([`Bent`]); those of all other functions of a node
//! together are central differences of the gradient of their weighted sum, with the features of each pair of parts held fast.

use super::bent::Bent;
use super::frozen::Frozen;
use super::piece::{Context, Piece};
use super::point::{NONE, Point};
use crate::kinematics::Stance;
use crate::plan::Measure;
use percussion_mechanics::contact::PairWarmStart;
use percussion_mechanics::{Model, State};
use percussion_solve::nlp::Undefined;

/// Step of differences, rad and m.
const EPSILON: f64 = 1e-5;

/// A function of a node's configuration.
#[derive(Clone, Debug)]
pub enum Function {
    /// Something measured.
    Measure(Measure),
    /// The separation `s` of two parts.
    Separation {
        /// The parts.
        pair: (usize, usize),
        /// Its place among the context's memories.
        memory: usize,
    },
    /// The gap of features of two parts that are held fast, m.
    Gap {
        /// The parts.
        pair: (usize, usize),
        /// Their features.
        frozen: Frozen,
    },
    /// `weight Σ (value - target)²`.
    Goal {
        /// What is measured.
        measure: Measure,
        /// What it should be.
        target: Vec<f64>,
        /// The price.
        weight: f64,
    },
}

impl Function {
    /// How many numbers it gives.
    pub fn components(&self) -> usize {
        match self {
            Self::Measure(measure) => measure.components(),
            _ => 1,
        }
    }

    /// The bodies it depends on.
    pub fn bodies(&self, model: &Model) -> [Option<usize>; 2] {
        match self {
            Self::Measure(measure) | Self::Goal { measure, .. } => match measure {
                Measure::Coordinate { dof, .. } => {
                    let link = model.links.iter().find(|link| link.dofs().contains(dof));
                    [link.map(|link| link.body), None]
                }
                _ => measure.bodies(),
            },
            Self::Separation { pair, .. } | Self::Gap { pair, .. } => {
                let parts = model.contacts.as_ref().map(|c| &c.parts);
                let body = |i: usize| parts.map(|parts| parts[i].body);
                [body(pair.0), body(pair.1)]
            }
        }
    }
}

/// All functions of a node.
pub struct NodePiece {
    node: usize,
    functions: Vec<Function>,
    /// Islands with variables, each with the place of its first local variable.
    islands: Vec<(usize, usize)>,
    /// Which of these a function (by component) depends on.
    involved: Vec<Vec<usize>>,
    variables: Vec<usize>,
    rows: Vec<(usize, f64)>,
}

impl NodePiece {
    /// Functions with the rows of their components.
    pub fn new(context: &Context, node: usize, functions: Vec<Function>, rows: Vec<(usize, f64)>) -> Self {
        let (model, numbering) = (&context.plan.model, &context.numbering);
        let (mut islands, mut variables, mut involved) = (Vec::new(), Vec::new(), Vec::new());
        for function in &functions {
            let mut own = Vec::new();
            for slot in function.bodies(model).into_iter().flatten().filter_map(|body| model.slots[body]) {
                let island = model.islands.partition_point(|i| i.bodies.end <= slot);
                if !own.contains(&island) && numbering.places[node][island] != NONE {
                    own.push(island);
                }
            }
            (0..function.components()).for_each(|_| involved.push(own.clone()));
        }
        for (island, it) in model.islands.iter().enumerate() {
            if involved.iter().any(|own: &Vec<usize>| own.contains(&island)) {
                islands.push((island, variables.len()));
                let first = numbering.places[node][island];
                variables.extend(first..first + it.dofs.len());
            }
        }
        Self { node, functions, islands, involved, variables, rows }
    }

    fn island_of(&self, variable: usize) -> usize {
        let at = self.islands.partition_point(|(_, first)| *first <= variable);
        self.islands[at - 1].0
    }

    /// Gradients of all components along all degrees of freedom of the model, row by row; or of their weighted sum alone.
    fn gradients(
        &self,
        stance: &mut Stance,
        touches: &[Option<Frozen>],
        weights: Option<&[f64]>,
        out: &mut [f64],
    ) {
        let n = stance.model.dofs;
        let mut room = vec![0.0; 3 * n];
        let mut next = 0;
        for (function, frozen) in self.functions.iter().zip(touches) {
            let count = function.components();
            let rows = &mut room[..count * n];
            if weights.is_none_or(|w| w[next..next + count].iter().any(|w| *w != 0.0)) {
                function.gradient(stance, frozen.as_ref(), rows);
                match weights {
                    None => out[next * n..(next + count) * n].copy_from_slice(rows),
                    Some(weights) => {
                        for (row, w) in rows.chunks_exact(n).zip(&weights[next..next + count]) {
                            out.iter_mut().zip(row).for_each(|(o, v)| *o += w * v);
                        }
                    }
                }
            }
            next += count;
        }
    }

    /// Features of all pairs as they are, held fast.
    fn freeze(&self, context: &mut Context, state: &State) -> Result<Vec<Option<Frozen>>, Undefined> {
        let each = self.functions.iter().map(|function| match function {
            Function::Separation { pair, memory } => {
                let Some(contacts) = context.plan.model.contacts.clone() else { return Ok(None) };
                let poses =
                    (contacts.parts[pair.0].body_pose(state), contacts.parts[pair.1].body_pose(state));
                let poses = (&poses.0, &poses.1);
                let memory = &mut context.memories[*memory];
                let touch = contacts.separation(*pair, poses, f64::INFINITY, memory);
                let touch = touch.map_err(|e| Undefined(e.to_string()))?;
                Ok(Some(Frozen::new(&contacts, *pair, poses, &touch, memory)))
            }
            Function::Gap { frozen, .. } => Ok(Some(*frozen)),
            _ => Ok(None),
        });
        each.collect()
    }
}

impl Function {
    pub(super) fn gradient(&self, stance: &mut Stance, frozen: Option<&Frozen>, out: &mut [f64]) {
        let n = stance.model.dofs;
        match (self, frozen) {
            (Self::Measure(measure), _) => measure.gradient(stance, out),
            (Self::Goal { measure, target, weight }, _) => {
                let count = measure.components();
                let (mut values, mut rows) = ([0.0; 3], vec![0.0; count * n]);
                measure.value(stance, &mut values[..count]);
                measure.gradient(stance, &mut rows);
                out.fill(0.0);
                for ((row, value), target) in rows.chunks_exact(n).zip(values).zip(target) {
                    let factor = 2.0 * weight * (value - target);
                    out.iter_mut().zip(row).for_each(|(o, v)| *o += factor * v);
                }
            }
            (Self::Separation { pair, .. } | Self::Gap { pair, .. }, Some(frozen)) => {
                out.fill(0.0);
                let Some(contacts) = stance.model.contacts.clone() else { return };
                let parts = (&contacts.parts[pair.0], &contacts.parts[pair.1]);
                let poses = (parts.0.body_pose(stance.state), parts.1.body_pose(stance.state));
                let poses = (&poses.0, &poses.1);
                let bodies = (Some(parts.0.body), Some(parts.1.body));
                let centres = (stance.centre(bodies.0), stance.centre(bodies.1));
                let wrenches = match self {
                    Self::Separation { .. } => {
                        let touch = frozen.touch(poses);
                        (touch.wrench_a(&centres.0), touch.wrench_b(&centres.1))
                    }
                    _ => frozen.gap_wrenches(poses, centres),
                };
                stance.reduce(&[(bodies.0, wrenches.0), (bodies.1, wrenches.1)], out);
            }
            _ => out.fill(0.0),
        }
    }
}

impl Piece for NodePiece {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.rows
    }

    fn value(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let state = &at.nodes[self.node];
        let model = context.plan.model.clone();
        let stance = Stance::new(&model, state);
        let mut next = 0;
        for function in &self.functions {
            let count = function.components();
            let out = &mut out[next..next + count];
            match function {
                Function::Measure(measure) => measure.value(&stance, out),
                Function::Goal { measure, target, weight } => {
                    let mut values = [0.0; 3];
                    measure.value(&stance, &mut values[..measure.components()]);
                    let squares = values.iter().zip(target).map(|(v, t)| (v - t) * (v - t));
                    out[0] = weight * squares.sum::<f64>();
                }
                Function::Separation { pair, memory } => {
                    out[0] = separation(&model, state, *pair, &mut context.memories[*memory])?;
                }
                Function::Gap { pair, frozen } => {
                    let Some(contacts) = &model.contacts else { continue };
                    let poses =
                        (contacts.parts[pair.0].body_pose(state), contacts.parts[pair.1].body_pose(state));
                    out[0] = frozen.read((&poses.0, &poses.1)).gap;
                }
            }
            next += count;
        }
        Ok(())
    }

    fn jacobian(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let state = &at.nodes[self.node];
        let touches = self.freeze(context, state)?;
        let model = context.plan.model.clone();
        let mut stance = Stance::new(&model, state);
        let (n, rows) = (model.dofs, self.rows.len());
        let mut all = vec![0.0; rows * n];
        self.gradients(&mut stance, &touches, None, &mut all);
        for (island, first) in &self.islands {
            for (i, dof) in model.islands[*island].dofs.clone().enumerate() {
                for r in 0..rows {
                    out[(first + i) * rows + r] = all[r * n + dof];
                }
            }
        }
        Ok(())
    }

    fn hessian(
        &self,
        context: &mut Context,
        at: &Point,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        if weights.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        let state = &at.nodes[self.node];
        let mut rest = std::mem::take(&mut context.room);
        rest.clear();
        rest.extend_from_slice(weights);
        self.add_closed(context, at, &mut rest, out);
        let answer = self.add_differences(context, state, &rest, out);
        context.room = rest;
        answer
    }

    fn depends(&self, row: usize, variable: usize) -> bool {
        self.involved[row].contains(&self.island_of(variable))
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.island_of(one), self.island_of(other));
        self.involved.iter().any(|own| own.contains(&one) && own.contains(&other))
    }
}

impl NodePiece {
    /// Adds the second derivatives that are closed, and takes the weights of their functions away.
    fn add_closed(&self, context: &mut Context, at: &Point, weights: &mut [f64], out: &mut [f64]) {
        let Context { plan, gallery, .. } = context;
        let (model, all) = (&*plan.model, self.variables.len());
        for (island, _) in &self.islands {
            gallery.look(model, &at.nodes, (self.node, *island));
        }
        let way = |slot: usize| {
            let island = model.islands.partition_point(|i| i.bodies.end <= slot);
            let (_, first) = self.islands.iter().find(|(own, _)| *own == island)?;
            let body = slot - model.islands[island].bodies.start;
            Some((gallery.of(model, (self.node, island)).way(body), *first))
        };
        let mut next = 0;
        for function in &self.functions {
            let own = next..next + function.components();
            next = own.end;
            if weights[own.clone()].iter().all(|w| *w == 0.0) {
                continue;
            }
            if let Some(bent) = Bent::of(function, model, &at.nodes[self.node], &weights[own.clone()]) {
                bent.add(way, |i, j, value| out[i * all + j] += value);
                weights[own].fill(0.0);
            }
        }
    }

    /// Adds central differences of the gradient of the weighted sum.
    fn add_differences(
        &self,
        context: &mut Context,
        state: &State,
        weights: &[f64],
        out: &mut [f64],
    ) -> Result<(), Undefined> {
        if weights.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        let touches = self.freeze(context, state)?;
        let model = context.plan.model.clone();
        let all = self.variables.len();
        let mut d = vec![0.0; model.dofs];
        let mut sides = [vec![0.0; model.dofs], vec![0.0; model.dofs]];
        for (island, first) in &self.islands {
            let count = model.islands[*island].dofs.len();
            for j in 0..count {
                for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                    d[j] = sign * EPSILON;
                    let shifted = context.displaced(state, *island, &d[..count]);
                    d[j] = 0.0;
                    side.fill(0.0);
                    self.gradients(&mut Stance::new(&model, &shifted), &touches, Some(weights), side);
                    context.give_back(shifted);
                }
                for (other, start) in &self.islands {
                    for (i, dof) in model.islands[*other].dofs.clone().enumerate() {
                        let slope = (sides[0][dof] - sides[1][dof]) / (2.0 * EPSILON);
                        out[(first + j) * all + start + i] += slope;
                    }
                }
            }
            // Columns of the piece's islands were looked up with what is closed.
            let columns = context.gallery.of(&model, (self.node, *island));
            if !columns.is_straight() {
                sides[0].fill(0.0);
                self.gradients(&mut Stance::new(&model, state), &touches, Some(weights), &mut sides[0]);
                columns.straighten(&sides[0][model.islands[*island].dofs.clone()], |i, j, value| {
                    out[(first + i) * all + first + j] += value;
                });
            }
        }
        Ok(())
    }
}

/// The separation of two parts in a state.
pub fn separation(
    model: &Model,
    state: &State,
    pair: (usize, usize),
    memory: &mut PairWarmStart,
) -> Result<f64, Undefined> {
    let Some(contacts) = &model.contacts else { return Ok(f64::INFINITY) };
    let poses = (contacts.parts[pair.0].body_pose(state), contacts.parts[pair.1].body_pose(state));
    let touch = contacts.separation(pair, (&poses.0, &poses.1), f64::INFINITY, memory);
    Ok(touch.map_err(|e| Undefined(e.to_string()))?.separation)
}
