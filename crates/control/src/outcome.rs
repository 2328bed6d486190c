//! What a search leaves: the program's last candidate read as a manoeuvre.

use crate::clearance::{gap, least_between};
use crate::consistency::{accountable, given, momentum};
use crate::manoeuvre::{Active, Clearance, Contact, Ending, PlanSolution};
use crate::plan::{Drive, PlannedContact};
use crate::planner::Rounds;
use crate::transcription::{Directions, NONE, Point, Transcription, level};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::contact::PairWarmStart;
use percussion_solve::nlp::{Bound, Program, Solution};

/// A way that stays above so much of the least clearance known does not count as nearer.
const ROUGHLY: f64 = 0.9;

impl Rounds<'_> {
    pub(crate) fn manoeuvre(
        &self,
        program: &mut Transcription,
        solution: &Solution<Point>,
        ending: Ending,
        rounds: usize,
        objective_guess: f64,
    ) -> PlanSolution {
        let plan = self.plan;
        let at = &solution.point;
        let numbering = program.numbering().clone();
        let times = numbering.times(plan, at);
        let m = plan.components();
        let efforts: Vec<f64> = numbering
            .efforts
            .iter()
            .flat_map(|&first| at.numbers[first..first + m].iter().copied())
            .collect();
        let mut nodes = at.nodes.clone();
        nodes.iter_mut().zip(&times).for_each(|(node, time)| node.time = *time);
        let mut consistency = vec![[0.0; 6]; plan.intervals];
        for (i, island) in plan.model.islands.iter().enumerate() {
            let range = plan.actuators_of(i);
            let first = plan.first_component(range.start);
            let count = plan.first_component(range.end) - first;
            for k in 0..plan.intervals {
                let Ok((before, after)) = program.momenta(at, k, i) else { continue };
                nodes[k].momenta[island.dofs.clone()].copy_from_slice(&before);
                if k + 1 == plan.intervals {
                    // A joint may act at the last node too: what is sought or given there is what it leaves.
                    let last = match (numbering.momenta[k + 1][i], &plan.end.drive[i]) {
                        (NONE, Drive::Given(p)) if self.jumps(k + 1, i) => &p[..],
                        (NONE, _) => &after[..],
                        (first, _) => &at.numbers[first..first + island.dofs.len()],
                    };
                    nodes[k + 1].momenta[island.dofs.clone()].copy_from_slice(last);
                }
                if accountable(plan, island) {
                    let ends = (&at.nodes[k], &at.nodes[k + 1]);
                    let own = &efforts[k * m + first..k * m + first + count];
                    let h = numbering.length(plan, at, k);
                    // Within an interval efforts and forces act; what jumps at a node between bodies that move adds up to nothing. Both momenta have
                    // been worked out from the forces, which therefore have values.
                    let t = times[k] + 0.5 * h;
                    let Ok(given) = given(plan, i, ends, (t, h), own) else { continue };
                    let change = momentum(plan, island, ends.1, &after)
                        - momentum(plan, island, ends.0, &before)
                        - given;
                    let known = !self.jumps(k + 1, i) || self.keeps_momentum(k + 1);
                    let next = match k + 1 < plan.intervals && known {
                        true => program.momenta(at, k + 1, i).map_or(change, |(next, _)| {
                            change + momentum(plan, island, ends.1, &next)
                                - momentum(plan, island, ends.1, &after)
                        }),
                        false => change,
                    };
                    consistency[k].iter_mut().zip(next.iter()).for_each(|(c, d)| *c += d);
                }
            }
        }
        let scales = match numbering.scales {
            NONE => vec![numbering.scale(plan, at, 0)],
            first => at.numbers[first..first + plan.segments()].to_vec(),
        };
        let clearances = self.clearances(at);
        let least = |numbers: fn(&Clearance) -> &[f64]| {
            clearances.iter().flat_map(numbers).copied().fold(f64::INFINITY, f64::min)
        };
        let (clearance, clearance_between) = (least(|c| &c.at), least(|c| &c.between));
        PlanSolution {
            contacts: self.contacts(program, at, &times),
            active: active(program, solution),
            nodes,
            efforts,
            scales,
            ending,
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

    /// How far the bodies that keep apart are from each other; between nodes to a tenth of that.
    fn clearances(&self, at: &Point) -> Vec<Clearance> {
        let (model, intervals) = (&*self.plan.model, self.plan.intervals);
        let Some(contacts) = &model.contacts else { return Vec::new() };
        let bodies = |pair: (usize, usize)| (contacts.parts[pair.0].body, contacts.parts[pair.1].body);
        let mut all: Vec<Clearance> = Vec::new();
        for &(pair, margin) in &self.pairs {
            let (a, b) = bodies(pair);
            let known = all.iter().position(|c| c.bodies == (a, b) || c.bodies == (b, a));
            let place = known.unwrap_or_else(|| {
                let (at, between) = (vec![f64::INFINITY; intervals + 1], vec![f64::NAN; intervals]);
                all.push(Clearance { bodies: (a, b), margin, at, between });
                all.len() - 1
            });
            for (node, least) in at.nodes.iter().zip(&mut all[place].at) {
                *least = least.min(gap(model, pair, node, &mut PairWarmStart::default()));
            }
        }
        // When the least at nodes is known, only ways that come nearer have to be looked at closely.
        for &(pair, _) in &self.pairs {
            let (a, b) = bodies(pair);
            let Some(own) = all.iter_mut().find(|c| c.bodies == (a, b) || c.bodies == (b, a)) else {
                continue;
            };
            for k in (0..intervals).filter(|&k| !self.holds(pair, k)) {
                let so_far = own.at[k].min(own.at[k + 1]).min(own.between[k]);
                let enough = ROUGHLY * so_far.max(0.0);
                let ends = (&at.nodes[k], &at.nodes[k + 1]);
                own.between[k] = own.between[k].min(least_between(model, pair, ends, enough));
            }
        }
        all
    }

    /// Whether the momentum of an island jumps at a node, or a joint that a contact made acts there.
    fn jumps(&self, node: usize, island: usize) -> bool {
        let model = &self.plan.model;
        self.plan.meetings.iter().any(|meeting| {
            let last = meeting.last(self.plan.intervals);
            let own = [meeting.bodies.0, meeting.bodies.1].into_iter().filter_map(|b| model.slots[b]);
            let touched = own.into_iter().any(|slot| model.islands[island].bodies.contains(&slot));
            touched && (meeting.node..=last).contains(&node)
        })
    }

    /// Whether all that happens at a node on purpose happens between bodies whose momentum is accounted for.
    fn keeps_momentum(&self, node: usize) -> bool {
        let model = &self.plan.model;
        let accounted = |body: usize| {
            let own = model
                .islands
                .iter()
                .find(|island| model.slots[body].is_some_and(|slot| island.bodies.contains(&slot)));
            own.is_some_and(|island| accountable(self.plan, island))
        };
        let acts = |m: &&PlannedContact| (m.node..=m.last(self.plan.intervals)).contains(&node);
        self.plan.meetings.iter().filter(acts).all(|m| accounted(m.bodies.0) && accounted(m.bodies.1))
    }

    fn contacts(&self, program: &Transcription, at: &Point, times: &[f64]) -> Vec<Contact> {
        let Some(contacts) = &self.plan.model.contacts else { return Vec::new() };
        let each = self.plan.meetings.iter().zip(&self.setup.encounters).enumerate();
        each.map(|(m, (meeting, encounter))| {
            let state = &at.nodes[meeting.node];
            let (p, q) = (&contacts.parts[encounter.pair.0], &contacts.parts[encounter.pair.1]);
            let poses = (p.body_pose(state), q.body_pose(state));
            let reading = encounter.features[0].read((&poses.0, &poses.1));
            let impulse = program.impulse(at, m, (&poses.0, &poses.1));
            Contact {
                name: meeting.name.clone(),
                node: meeting.node,
                time: times[meeting.node],
                bodies: (p.body, q.body),
                point: program.place(at, m, (&poses.0, &poses.1)).unwrap_or(reading.point_a),
                normal: reading.normal,
                impulse,
            }
        })
        .collect()
    }
}

/// Normal impulse and those across of a contact with friction.
pub(crate) fn impulses(program: &Transcription, at: &Point, meeting: usize) -> Option<[f64; 3]> {
    let first = program.impulses_of(meeting)?;
    Some([at.numbers[first], at.numbers[first + 1], at.numbers[first + 2]])
}

/// The normal impulses of the features of a contact that has any.
pub(crate) fn normal_impulses(program: &Transcription, at: &Point, meeting: usize) -> Vec<f64> {
    let pushing = program.sites_of(meeting).filter(|(_, directions)| directions.pushes());
    pushing.map(|(first, _)| at.numbers[first]).collect()
}

/// How far from its end an inequality may be that is said to be active: as part of its width, or of one where it has no other end.
const AT_THE_END: (f64, f64) = (1e-3, 1e-6);
/// Part of the greatest multiplier of an inequality below which others are what the search has left over.
const LEFT_OVER: f64 = 1e-6;

/// Inequalities that hold with equality and have a price, the dearest first.
fn active(program: &mut Transcription, solution: &Solution<Point>) -> Vec<Active> {
    let mut rows = vec![f64::NAN; program.layout().constraints.len()];
    let mut columns = vec![f64::NAN; program.layout().variables.len()];
    program.coordinates(&solution.point, &mut columns);
    if program.evaluate(&solution.point, &mut rows).is_err() {
        return Vec::new();
    }
    let (layout, m) = (program.layout(), &solution.multipliers);
    let bounds: Vec<f64> = m.upper.iter().zip(&m.lower).map(|(upper, lower)| upper - lower).collect();
    let priced = priced(&layout.constraints, &rows, &m.constraints);
    let mut list: Vec<Active> = priced
        .into_iter()
        .map(|row| Active { name: program.constraint_name(row), multiplier: m.constraints[row] })
        .collect();
    let priced = self::priced(&layout.variables, &columns, &bounds);
    list.extend(priced.into_iter().map(|v| Active { name: program.variable_name(v), multiplier: bounds[v] }));
    list.sort_by(|a, b| b.multiplier.abs().total_cmp(&a.multiplier.abs()));
    list
}

/// Which of some inequalities are at an end and have a multiplier that counts.
fn priced(bounds: &[Bound], values: &[f64], multipliers: &[f64]) -> Vec<usize> {
    let all = || bounds.iter().zip(multipliers).filter(|(bound, _)| !bound.is_equation());
    let most = all().fold(0.0_f64, |most, (_, y)| most.max(y.abs()));
    let counts = |&k: &usize| {
        let (bound, y) = (&bounds[k], multipliers[k]);
        let end = if y > 0.0 { bound.upper } else { bound.lower };
        let width = bound.upper - bound.lower;
        let near = match width.is_finite() {
            true => AT_THE_END.0 * width,
            false => AT_THE_END.1 * end.abs().max(1.0),
        };
        !bound.is_equation() && y.abs() > LEFT_OVER * most && (values[k] - end).abs() <= near
    };
    (0..bounds.len()).filter(counts).collect()
}

impl Transcription {
    /// The first variable of the impulses of a meeting with three directions each.
    fn impulses_of(&self, meeting: usize) -> Option<usize> {
        self.sites_of(meeting).find_map(|(first, directions)| match directions {
            Directions::Contact(_) => Some(first),
            _ => None,
        })
    }

    /// Where the normal impulses of a meeting act together; `None` if they do not.
    fn place(&self, at: &Point, meeting: usize, poses: (&Pose, &Pose)) -> Option<Vec3> {
        let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
        for (first, directions) in self.sites_of(meeting) {
            let (Directions::Normal(frozen) | Directions::Contact(frozen)) = directions else { continue };
            sum += frozen.read(poses).point_a * at.numbers[first];
            weights += at.numbers[first];
        }
        (weights > 0.0).then(|| sum / weights)
    }

    /// The impulse on the first body of a meeting, world axes.
    fn impulse(&self, at: &Point, meeting: usize, poses: (&Pose, &Pose)) -> Vec3 {
        let mut sum = Vec3::zeros();
        for (first, directions) in self.sites_of(meeting) {
            match directions {
                Directions::Normal(frozen) => sum += frozen.read(poses).normal * at.numbers[first],
                Directions::Contact(frozen) => {
                    let n = frozen.read(poses).normal;
                    let pair = self.setup().encounters[meeting].pair;
                    let across = self.plan().model.contacts.as_ref().map(|c| c.tangents(pair, &n));
                    let (t1, t2) = across.unwrap_or((Vec3::zeros(), Vec3::zeros()));
                    sum += n * at.numbers[first] + t1 * at.numbers[first + 1] + t2 * at.numbers[first + 2];
                }
                Directions::Foothold(frozen) => {
                    let n = frozen.read(poses).normal;
                    let (t1, t2) = level(&n);
                    sum += n * at.numbers[first] + t1 * at.numbers[first + 1] + t2 * at.numbers[first + 2];
                }
                Directions::Spin(_) => {}
                Directions::Point(..) | Directions::Rigid(..) => {
                    sum += Vec3::new(at.numbers[first], at.numbers[first + 1], at.numbers[first + 2]);
                }
            }
        }
        sum
    }
}
