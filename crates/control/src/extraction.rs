//! Extraction of a solution from the last iterate of a program.

use crate::clearance::{gap, min_gap_between, poses};
use crate::consistency::{external_impulse, has_momentum_balance, momentum};
use crate::islands::{island_of, islands_of};
use crate::plan::{Actuator, MomentumCondition, PlannedContact};
use crate::search::Search;
use crate::solution::{ActiveConstraint, Clearance, ContactSolution, Outcome, PlanSolution};
use crate::tolerances::extraction::{ACTIVE_DISTANCE, NEGLIGIBLE, RESOLUTION};
use crate::transcription::{ImpulseDirections, Iterate, NONE, Transcription, world_aligned_tangents};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::State;
use percussion_mechanics::contact::PairWarmStart;
use percussion_mechanics::spatial::Vec6;
use percussion_solve::nlp::{Bound, Program, Solution};

impl Search<'_> {
    /// The solution at the last iterate of a program.
    pub(crate) fn solution(
        &self,
        program: &mut Transcription,
        solution: &Solution<Iterate>,
        outcome: Outcome,
        rounds: usize,
        objective_guess: f64,
    ) -> PlanSolution {
        let plan = self.plan;
        let at = &solution.point;
        let indices = program.indices().clone();
        let times = indices.times(plan, at);
        let m = plan.components();
        let each = indices.inputs.iter().flat_map(|&first| at.scalars[first..first + m].iter().copied());
        let inputs: Vec<f64> = each.collect();
        let mut nodes = at.nodes.clone();
        nodes.iter_mut().zip(&times).for_each(|(node, time)| node.time = *time);
        let consistency = self.set_momenta(program, at, &inputs, &mut nodes);
        let time_scales = match indices.time_scales {
            NONE => vec![indices.time_scale(plan, at, 0)],
            first => at.scalars[first..first + plan.segments()].to_vec(),
        };
        let clearances = self.clearances(at);
        let least = |numbers: fn(&Clearance) -> &[f64]| {
            clearances.iter().flat_map(numbers).copied().fold(f64::INFINITY, f64::min)
        };
        let (clearance, clearance_between) = (least(|c| &c.at), least(|c| &c.between));
        let name = |(a, actuator): (usize, &Actuator)| {
            (actuator.name.clone(), plan.first_component(a)..plan.first_component(a + 1))
        };
        PlanSolution {
            model: plan.model.clone(),
            controls: plan.actuators.iter().enumerate().map(name).collect(),
            contacts: self.contacts(program, at, &times),
            active_constraints: active_constraints(program, solution),
            nodes,
            inputs,
            time_scales,
            outcome,
            start: 1,
            attempts: Vec::new(),
            objective: solution.objective,
            objective_guess,
            iterations: self.iterations,
            rounds,
            violation: solution.residual.violation(),
            stationarity: solution.residual.stationarity,
            consistency,
            clearance,
            clearance_between,
            clearances,
        }
    }

    /// Sets the momenta of all nodes, which have their times; returns the consistency of momentum of all intervals.
    fn set_momenta(
        &self,
        program: &mut Transcription,
        at: &Iterate,
        inputs: &[f64],
        nodes: &mut [State],
    ) -> Vec<[f64; 6]> {
        let plan = self.plan;
        let mut consistency = vec![[0.0; 6]; plan.intervals];
        for (i, island) in plan.model.islands.iter().enumerate() {
            for (k, consistency) in consistency.iter_mut().enumerate() {
                let Ok((before, after)) = program.momenta(at, k, i) else { continue };
                nodes[k].momenta[island.dofs.clone()].copy_from_slice(&before);
                if k + 1 == plan.intervals {
                    // A joint may act at the last node too: an unknown or given momentum there is the one after it.
                    let last = match (program.indices().momenta[k + 1][i], &plan.end.momentum[i]) {
                        (NONE, MomentumCondition::Given(p)) if self.jumps(k + 1, i) => &p[..],
                        (NONE, _) => &after[..],
                        (first, _) => &at.scalars[first..first + island.dofs.len()],
                    };
                    nodes[k + 1].momenta[island.dofs.clone()].copy_from_slice(last);
                }
                if has_momentum_balance(plan, island) {
                    let change =
                        self.unbalanced_change(program, at, (k, i), (&before, &after), inputs, nodes[k].time);
                    let Some(change) = change else { continue };
                    consistency.iter_mut().zip(change.iter()).for_each(|(c, d)| *c += d);
                }
            }
        }
        consistency
    }

    /// The change of the momentum of an island over an interval less the external impulse; `None` where forces are undefined.
    fn unbalanced_change(
        &self,
        program: &mut Transcription,
        at: &Iterate,
        (k, i): (usize, usize),
        (before, after): (&[f64], &[f64]),
        inputs: &[f64],
        time: f64,
    ) -> Option<Vec6> {
        let plan = self.plan;
        let island = &plan.model.islands[i];
        let (_, components) = plan.controls_of(i);
        let ends = (&at.nodes[k], &at.nodes[k + 1]);
        let h = program.indices().length(plan, at, k);
        // Control inputs and forces act within an interval; what jumps at a node between bodies that move cancels.
        let own = &inputs[k * plan.components()..][components];
        let external = external_impulse(plan, i, ends, (time + 0.5 * h, h), own).ok()?;
        let change =
            momentum(plan, island, ends.1, after) - momentum(plan, island, ends.0, before) - external;
        let known = !self.jumps(k + 1, i) || self.conserves_momentum(k + 1);
        Some(match k + 1 < plan.intervals && known {
            true => program.momenta(at, k + 1, i).map_or(change, |(next, _)| {
                change + momentum(plan, island, ends.1, &next) - momentum(plan, island, ends.1, after)
            }),
            false => change,
        })
    }

    /// Clearances of the bodies that are kept apart; between nodes to a tenth of the least one.
    fn clearances(&self, at: &Iterate) -> Vec<Clearance> {
        let (model, intervals) = (&*self.plan.model, self.plan.intervals);
        let Some(contacts) = &model.contacts else { return Vec::new() };
        let (mut all, mut places): (Vec<Clearance>, _) = (Vec::new(), Vec::new());
        for &(pair, margin) in &self.pairs {
            let (a, b) = (contacts.parts[pair.0].body, contacts.parts[pair.1].body);
            let known = all.iter().position(|c| c.bodies == (a, b) || c.bodies == (b, a));
            let place = known.unwrap_or_else(|| {
                let (at, between) = (vec![f64::INFINITY; intervals + 1], vec![f64::NAN; intervals]);
                all.push(Clearance { bodies: (a, b), margin, at, between });
                all.len() - 1
            });
            for (node, least) in at.nodes.iter().zip(&mut all[place].at) {
                *least = least.min(gap(model, pair, node, &mut PairWarmStart::default()));
            }
            places.push(place);
        }
        // With the least at nodes known, only ways that come nearer are bisected.
        for (&(pair, _), place) in self.pairs.iter().zip(places) {
            let own = &mut all[place];
            for k in (0..intervals).filter(|&k| !self.holds(pair, k)) {
                let so_far = own.at[k].min(own.at[k + 1]).min(own.between[k]);
                let enough = RESOLUTION * so_far.max(0.0);
                let ends = (&at.nodes[k], &at.nodes[k + 1]);
                own.between[k] = own.between[k].min(min_gap_between(model, pair, ends, enough));
            }
        }
        all
    }

    /// Whether the momentum of an island jumps at a node, or a contact joint acts on it there.
    fn jumps(&self, node: usize, island: usize) -> bool {
        self.contacts_at(node).any(|planned| {
            islands_of(&self.plan.model, [planned.bodies.0, planned.bodies.1]).contains(&island)
        })
    }

    /// Whether all planned contacts at a node are between bodies with a momentum balance.
    fn conserves_momentum(&self, node: usize) -> bool {
        let model = &self.plan.model;
        let accounted = |body: usize| {
            let slot = model.slots[body];
            slot.is_some_and(|slot| has_momentum_balance(self.plan, &model.islands[island_of(model, slot)]))
        };
        self.contacts_at(node).all(|m| accounted(m.bodies.0) && accounted(m.bodies.1))
    }

    /// Planned contacts that act at a node.
    fn contacts_at(&self, node: usize) -> impl Iterator<Item = &PlannedContact> {
        let acts = move |m: &&PlannedContact| (m.node..=m.last(self.plan.intervals)).contains(&node);
        self.plan.contacts.iter().filter(acts)
    }

    fn contacts(&self, program: &Transcription, at: &Iterate, times: &[f64]) -> Vec<ContactSolution> {
        let Some(contacts) = &self.plan.model.contacts else { return Vec::new() };
        let each = self.plan.contacts.iter().zip(&self.set.contacts).enumerate();
        each.map(|(m, (planned, resolved))| {
            let state = &at.nodes[planned.node];
            let (p, q) = (&contacts.parts[resolved.pair.0], &contacts.parts[resolved.pair.1]);
            let poses = &poses(contacts, resolved.pair, state);
            let geometry = resolved.features[0].evaluate(poses);
            ContactSolution {
                name: planned.name.clone(),
                node: planned.node,
                time: times[planned.node],
                bodies: (p.body, q.body),
                point: program.center_of_pressure(at, m, poses).unwrap_or(geometry.point_a),
                normal: geometry.normal,
                impulse: program.total_impulse(at, m, poses),
            }
        })
        .collect()
    }
}

/// Normal and tangential impulses of a contact with friction.
pub(crate) fn impulses(program: &Transcription, at: &Iterate, planned: usize) -> Option<[f64; 3]> {
    let first = program.impulses_of(planned).find_map(|(first, directions)| match directions {
        ImpulseDirections::Contact(_) => Some(first),
        _ => None,
    })?;
    Some([at.scalars[first], at.scalars[first + 1], at.scalars[first + 2]])
}

/// The normal impulses of the features of a contact.
pub(crate) fn normal_impulses(program: &Transcription, at: &Iterate, planned: usize) -> Vec<f64> {
    let normal = program.impulses_of(planned).filter(|(_, directions)| directions.has_normal());
    normal.map(|(first, _)| at.scalars[first]).collect()
}

/// Active constraints, the largest multiplier first.
fn active_constraints(program: &mut Transcription, solution: &Solution<Iterate>) -> Vec<ActiveConstraint> {
    let mut rows = vec![f64::NAN; program.layout().constraints.len()];
    let mut columns = vec![f64::NAN; program.layout().variables.len()];
    program.coordinates(&solution.point, &mut columns);
    if program.evaluate(&solution.point, &mut rows).is_err() {
        return Vec::new();
    }
    let (layout, m) = (program.layout(), &solution.multipliers);
    let bounds: Vec<f64> = m.upper.iter().zip(&m.lower).map(|(upper, lower)| upper - lower).collect();
    let rows = active_indices(&layout.constraints, &rows, &m.constraints).into_iter();
    let rows = rows.map(|row| (program.constraint_name(row), m.constraints[row]));
    let variables = active_indices(&layout.variables, &columns, &bounds).into_iter();
    let variables = variables.map(|v| (program.variable_name(v), bounds[v]));
    let all = rows.chain(variables).map(|(name, multiplier)| ActiveConstraint { name, multiplier });
    let mut list: Vec<ActiveConstraint> = all.collect();
    list.sort_by(|a, b| b.multiplier.abs().total_cmp(&a.multiplier.abs()));
    list
}

/// The inequalities that are at a bound with a multiplier that counts.
fn active_indices(bounds: &[Bound], values: &[f64], multipliers: &[f64]) -> Vec<usize> {
    let all = || bounds.iter().zip(multipliers).filter(|(bound, _)| !bound.is_equation());
    let most = all().fold(0.0_f64, |most, (_, y)| most.max(y.abs()));
    let counts = |&k: &usize| {
        let (bound, y) = (&bounds[k], multipliers[k]);
        let end = if y > 0.0 { bound.upper } else { bound.lower };
        let width = bound.upper - bound.lower;
        let near = match width.is_finite() {
            true => ACTIVE_DISTANCE.0 * width,
            false => ACTIVE_DISTANCE.1 * end.abs().max(1.0),
        };
        !bound.is_equation() && y.abs() > NEGLIGIBLE * most && (values[k] - end).abs() <= near
    };
    (0..bounds.len()).filter(counts).collect()
}

impl Transcription {
    /// The centre of pressure of a planned contact; `None` without normal impulses.
    fn center_of_pressure(&self, at: &Iterate, planned: usize, poses: &[Pose; 2]) -> Option<Vec3> {
        let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
        for (first, directions) in self.impulses_of(planned) {
            let (ImpulseDirections::Normal(feature) | ImpulseDirections::Contact(feature)) = directions
            else {
                continue;
            };
            sum += feature.evaluate(poses).point_a * at.scalars[first];
            weights += at.scalars[first];
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// The impulse on the first body of a planned contact, world axes.
    fn total_impulse(&self, at: &Iterate, planned: usize, poses: &[Pose; 2]) -> Vec3 {
        let mut sum = Vec3::zeros();
        for (first, directions) in self.impulses_of(planned) {
            let along = &at.scalars[first..first + directions.count()];
            sum += match directions {
                ImpulseDirections::Normal(feature) => feature.evaluate(poses).normal * along[0],
                ImpulseDirections::Contact(feature) | ImpulseDirections::Foothold(feature) => {
                    let n = feature.evaluate(poses).normal;
                    let (contacts, pair) =
                        (&self.plan().model.contacts, self.constraint_set().contacts[planned].pair);
                    let (t1, t2) = match (contacts, directions) {
                        (Some(contacts), ImpulseDirections::Contact(_)) => contacts.tangents(pair, &n),
                        _ => world_aligned_tangents(&n),
                    };
                    n * along[0] + t1 * along[1] + t2 * along[2]
                }
                ImpulseDirections::Torsion(_) => continue,
                ImpulseDirections::Point(..) | ImpulseDirections::Rigid(..) => {
                    Vec3::new(along[0], along[1], along[2])
                }
            };
        }
        sum
    }
}
