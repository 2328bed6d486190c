//! Faces that strike each other push, at a place of both.
//!
//! Three corners stand for a face. Their normal impulses may have any sign, since only the sum and where it acts have a meaning:
//!
//! ```text
//! Σ Λi ≥ 0                          it pushes
//! Σ Λi gij(q) ≥ 0,  Σ Λi cij ≥ 0    the centre of pressure lies inside of side j of the face that carries the normal, and of the other one, where
//!                                   heights of corners are constant
//! ```

use super::build::{Rows, Setup};
use super::encounter::poses;
use super::frozen::Frozen;
use super::label::Label;
use super::node::Function;
use super::piece::{Context, Piece};
use super::point::{NONE, Point};
use super::sites::Site;
use super::sums::Linear;
use crate::kinematics::Stance;
use percussion_mechanics::State;
use percussion_solve::nlp::{Bound, Undefined};

/// Step of differences, rad and m.
const EPSILON: f64 = 1e-5;

/// The rows of a site where faces strike each other that are kept to this; none elsewhere.
pub(super) fn of_a_face(
    context: &Context,
    setup: &Setup,
    (site, first): (&Site, usize),
    rows: &mut Rows,
    pieces: &mut Vec<Box<dyn Piece>>,
) {
    // The corners of a face are the events of one contact.
    let Some(&meeting) = site.meetings.first() else { return };
    let encounter = &setup.encounters[meeting];
    let strikes = context.plan.meetings[meeting].tie.is_none() && site.events.len() > 1;
    let Some(kept) = encounter.kept.as_ref().filter(|_| strikes) else { return };
    let mut next = first;
    let mut normals = Vec::new();
    for event in &site.events {
        if event.directions.pushes() {
            normals.push(next);
        }
        next += event.directions.count();
    }
    let push = rows.add(Bound::at_least(0.0), Label::Push { meeting });
    let mut terms: Vec<(usize, usize, f64)> = normals.iter().map(|&normal| (push, normal, 1.0)).collect();
    let mut within = || rows.add(Bound::at_least(0.0), Label::Within { meeting });
    for j in 0..kept.own.first().map_or(0, Vec::len) {
        let row = within();
        terms.extend(normals.iter().zip(&kept.own).map(|(&normal, own)| (row, normal, own[j])));
    }
    pieces.push(Box::new(Linear::new(&terms)));
    let count = kept.sides.first().map_or(0, Vec::len);
    if count > 0 {
        let own = (0..count).map(|_| (within(), 1.0)).collect();
        pieces.push(Box::new(Pressure::new(context, site, encounter.pair, (&normals, &kept.sides), own)));
    }
}

/// `Σ Λi gij(q)` for the sides `j` of a face.
struct Pressure {
    node: usize,
    islands: Vec<usize>,
    pair: (usize, usize),
    /// Of each corner, its heights.
    sides: Vec<Vec<Frozen>>,
    /// Degrees of freedom of the islands, then normal impulses.
    variables: Vec<usize>,
    dofs: usize,
    rows: Vec<(usize, f64)>,
}

impl Pressure {
    fn new(
        context: &Context,
        site: &Site,
        pair: (usize, usize),
        (normals, sides): (&[usize], &[Vec<Frozen>]),
        rows: Vec<(usize, f64)>,
    ) -> Self {
        let (model, numbering) = (&context.plan.model, &context.numbering);
        let mut variables = Vec::new();
        for &island in &site.islands {
            let place = numbering.places[site.node][island];
            let count = model.islands[island].dofs.len();
            variables.extend((0..count).map(|i| if place == NONE { NONE } else { place + i }));
        }
        let dofs = variables.len();
        variables.extend(normals);
        let (node, islands) = (site.node, site.islands.clone());
        Self { node, islands, pair, sides: sides.to_vec(), variables, dofs, rows }
    }

    fn impulses<'a>(&'a self, at: &'a Point) -> impl Iterator<Item = f64> + 'a {
        self.variables[self.dofs..].iter().map(|&v| at.numbers[v])
    }

    /// Heights of all corners over all sides, `out[corner * sides + side]`.
    fn read(&self, context: &Context, state: &State, out: &mut [f64]) {
        let Some(contacts) = &context.plan.model.contacts else { return };
        let poses = poses(contacts, self.pair, state);
        let all = self.sides.iter().flatten();
        out.iter_mut().zip(all).for_each(|(out, side)| *out = side.read((&poses.0, &poses.1)).gap);
    }

    /// The gradient of one height along the degrees of freedom of the islands.
    fn gradient(&self, stance: &mut Stance, corner: usize, side: usize, whole: &mut [f64], out: &mut [f64]) {
        let model = stance.model;
        let frozen = self.sides[corner][side];
        Function::Gap { pair: self.pair, frozen }.gradient(stance, Some(&frozen), whole);
        let mut next = 0;
        for &island in &self.islands {
            let range = model.islands[island].dofs.clone();
            let count = range.len();
            out[next..next + count].copy_from_slice(&whole[range]);
            next += count;
        }
    }
}

impl Piece for Pressure {
    fn variables(&self) -> &[usize] {
        &self.variables
    }

    fn rows(&self) -> &[(usize, f64)] {
        &self.rows
    }

    fn value(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let mut heights = vec![0.0; self.sides.len() * self.rows.len()];
        self.read(context, &at.nodes[self.node], &mut heights);
        for (impulse, heights) in self.impulses(at).zip(heights.chunks_exact(self.rows.len())) {
            out.iter_mut().zip(heights).for_each(|(o, height)| *o += impulse * height);
        }
        Ok(())
    }

    fn jacobian(&self, context: &mut Context, at: &Point, out: &mut [f64]) -> Result<(), Undefined> {
        let model = context.plan.model.clone();
        let (state, rows) = (&at.nodes[self.node], self.rows.len());
        let mut heights = vec![0.0; self.sides.len() * rows];
        self.read(context, state, &mut heights);
        out[self.dofs * rows..].copy_from_slice(&heights);
        let mut stance = Stance::new(&model, state);
        let (mut whole, mut own) = (vec![0.0; model.dofs], vec![0.0; self.dofs]);
        for (corner, impulse) in self.impulses(at).enumerate() {
            for side in 0..rows {
                self.gradient(&mut stance, corner, side, &mut whole, &mut own);
                own.iter().enumerate().for_each(|(v, slope)| out[v * rows + side] += impulse * slope);
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
        let model = context.plan.model.clone();
        let (state, all) = (&at.nodes[self.node], self.variables.len());
        let (mut whole, mut own) = (vec![0.0; model.dofs], vec![0.0; self.dofs]);
        let impulses: Vec<f64> = self.impulses(at).collect();
        // ∂²/∂q∂Λi = Σ wj ∇gij
        let mut stance = Stance::new(&model, state);
        for corner in 0..impulses.len() {
            for (side, weight) in weights.iter().enumerate() {
                self.gradient(&mut stance, corner, side, &mut whole, &mut own);
                for (v, slope) in own.iter().enumerate() {
                    out[v * all + self.dofs + corner] += weight * slope;
                    out[(self.dofs + corner) * all + v] += weight * slope;
                }
            }
        }
        // ∂²/∂q²: differences of Σ wj Λi ∇gij
        let mut first = 0;
        for &island in &self.islands {
            let count = model.islands[island].dofs.len();
            for j in 0..count {
                for sign in [1.0, -1.0] {
                    let mut d = vec![0.0; count];
                    d[j] = sign * EPSILON;
                    let shifted = context.displaced(state, island, &d);
                    let mut stance = Stance::new(&model, &shifted);
                    for (corner, impulse) in impulses.iter().enumerate() {
                        for (side, weight) in weights.iter().enumerate() {
                            self.gradient(&mut stance, corner, side, &mut whole, &mut own);
                            let factor = sign * weight * impulse / (2.0 * EPSILON);
                            for (v, slope) in own.iter().enumerate() {
                                out[(first + j) * all + v] += factor * slope;
                            }
                        }
                    }
                    context.give_back(shifted);
                }
            }
            first += count;
        }
        Ok(())
    }

    fn curves(&self, one: usize, other: usize) -> bool {
        one < self.dofs || other < self.dofs
    }
}
