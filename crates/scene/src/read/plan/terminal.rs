//! The two ends of a manoeuvre.
//!
//! ```text
//! link on a free joint   its body's position and orientation, velocity and angular velocity
//! link on another        the joint's coordinates, its rates; or placement and velocity of its body
//! island                 firm if all of this is known, else conditions hold what is
//! momentum               given if all is at rest, or all is known and the island is firm; else conditioned, or free
//! ```
//!
//! What is not said is as the scene has it at the start, and free at the end.

use super::ask::Asks;
use super::conditions::{asked_islands, condition_drive};
use super::context::Context;
use super::link::{Pace, Stance};
use super::said::Said;
use crate::read::joints::WrittenJoint;
use crate::read::kit::Posture;
use crate::report::{Place, Read};
use crate::tree::Fields;
use percussion_control::plan::{BoundaryState, Condition, MomentumCondition, NodeSelector};
use percussion_geometry::Pose;
use percussion_mechanics::spatial::Vec6;
use percussion_mechanics::{JointKind, State};

/// What is said about an end.
pub(super) struct End<'a> {
    pub(super) context: &'a Context<'a>,
    f: Fields<'a>,
    pub(super) asks: Asks<'a>,
    when: NodeSelector,
    /// Bodies that stand and move as in the scene.
    pub(super) kept: Vec<bool>,
    pub(super) at_rest: bool,
    pub(super) rates: Vec<f64>,
    pub(super) twists: Vec<Vec6>,
}

/// Where bodies go from where the scene has them.
struct Places {
    /// Placements in the world.
    moved_to: Vec<Option<Pose>>,
    /// Bodies on bodies that move.
    placed_on: Vec<(usize, usize, Pose)>,
    /// Joints with the coordinates that place their children.
    joints: Vec<WrittenJoint>,
}

impl<'a> End<'a> {
    /// The start, under the key `start`.
    pub fn at_start(
        context: &'a Context<'a>,
        plan: &Fields<'a>,
        nothing: &'a crate::tree::Node,
    ) -> Read<Self> {
        let node = plan.node("start").unwrap_or(nothing);
        let f = Fields::of(context.report, node, "plan.start", &["bodies", "joints"])?;
        let asks = Asks::read(context, &f, true)?;
        Ok(Self::new(context, f, asks, NodeSelector::Start))
    }

    /// The end, under the key `end`.
    pub fn at_end(context: &'a Context<'a>, plan: &Fields<'a>, nothing: &'a crate::tree::Node) -> Read<Self> {
        let node = plan.node("end").unwrap_or(nothing);
        let known = ["bodies", "joints", "at_rest", "as_in_scene"];
        let f = Fields::of(context.report, node, "plan.end", &known)?;
        let asks = Asks::read(context, &f, false);
        let (at_rest, kept) = (f.truth("at_rest"), f.list("as_in_scene"));
        let mut end = Self::new(context, f, asks?, NodeSelector::End);
        end.at_rest = at_rest?.unwrap_or(false);
        for node in kept?.unwrap_or_default() {
            let body = context.body(node, "plan.end.as_in_scene")?;
            let Some(slot) = context.model.slots[body] else {
                let message = format!("`plan.end.as_in_scene` names the fixed body `{}`", context.name(body));
                return Err(context.report.complain(node.place, message, "remove it: it stays anyway"));
            };
            let again = end.asks.body(body).map(|ask| &ask.f).or(end.asks.joint(slot).map(|ask| &ask.f));
            if let Some(again) = again {
                let message = format!(
                    "`plan.end.as_in_scene` names `{}`, but so does `{}`",
                    context.name(body),
                    again.name
                );
                return Err(context.report.complain(node.place, message, "keep one of the two"));
            }
            end.kept[slot] = true;
        }
        Ok(end)
    }

    fn new(context: &'a Context<'a>, f: Fields<'a>, asks: Asks<'a>, when: NodeSelector) -> Self {
        let (rates, twists) = (context.model.rates(context.state), context.model.twists(context.state));
        let kept = vec![when == NodeSelector::Start; context.model.moving()];
        Self { context, f, asks, when, kept, at_rest: false, rates, twists }
    }

    /// The end with the conditions it needs.
    pub fn terminal(&self) -> Read<(BoundaryState, Vec<Condition>)> {
        let context = self.context;
        let islands = &context.model.islands;
        let mut terminal = BoundaryState {
            state: context.state.clone(),
            fixed: vec![self.when == NodeSelector::Start; islands.len()],
            momentum: vec![MomentumCondition::Free; islands.len()],
        };
        let mut conditions = Vec::new();
        // Joints of which nothing is said leave bodies where the scene's state has them.
        let still = |joint: &WrittenJoint| WrittenJoint { coordinates: None, turned: None, ..joint.clone() };
        let mut places = Places {
            moved_to: vec![None; context.model.bodies.len()],
            placed_on: Vec::new(),
            joints: context.kit.joints.iter().map(still).collect(),
        };
        let mut posture = Posture {
            poses: Vec::new(),
            velocities: vec![None; context.model.bodies.len()],
            rates: vec![None; context.kit.joints.len()],
        };
        let mut outcome = Ok(());
        for (i, island) in islands.iter().enumerate() {
            let slots = island.bodies.clone();
            if self.is_plain(i) {
                if self.when == NodeSelector::Start {
                    terminal.momentum[i] =
                        MomentumCondition::Given(context.state.momenta[island.dofs.clone()].to_vec());
                } else if self.at_rest {
                    terminal.momentum[i] = MomentumCondition::Given(vec![0.0; island.dofs.len()]);
                }
                continue;
            }
            let stances: Read<Vec<Stance>> = slots.clone().map(|slot| self.stance(slot)).collect();
            let paces: Read<Vec<Pace>> = slots.clone().map(|slot| self.pace(slot)).collect();
            let (Ok(stances), Ok(paces)) = (stances, paces) else {
                outcome = Err(crate::report::Told);
                continue;
            };
            let firm = stances.iter().all(|stance| stance.known);
            terminal.fixed[i] = firm;
            match self.held(i, firm, &stances) {
                Ok(held) => conditions.extend(held),
                Err(told) => outcome = Err(told),
            }
            for (slot, stance) in slots.clone().zip(&stances) {
                let body = context.link(slot).body;
                let hung = context.link(slot).joint.kind != JointKind::Free;
                if let Some((on, pose)) = stance.on {
                    places.placed_on.push((body, on, pose));
                }
                match context.written(slot) {
                    Some((j, _)) if hung && !(firm && stance.pose.is_some()) => {
                        let coordinates = !stance.coordinates.is_empty();
                        places.joints[j].coordinates = coordinates.then(|| stance.coordinates.clone());
                        places.joints[j].turned = stance.turned.map(|turn| turn.scaled_axis());
                    }
                    _ => places.moved_to[body] = stance.pose,
                }
            }
            match self.drive(i, firm, &paces) {
                Ok((drive, said)) => {
                    // Filled in below, when the momenta are known.
                    if matches!(&drive, MomentumCondition::Given(p) if p.is_empty()) {
                        for (slot, pace) in slots.clone().zip(&paces) {
                            posture.velocities[context.link(slot).body] = pace.body;
                            if let (Some(rates), Some((j, _))) = (&pace.rates, context.written(slot)) {
                                posture.rates[j] = Some(rates.clone());
                            }
                        }
                    }
                    terminal.momentum[i] = drive;
                    conditions.extend(said.into_iter().map(|said| said.condition(self.when)));
                }
                Err(told) => outcome = Err(told),
            }
        }
        outcome?;
        // A velocity relative to another body asks about that one's momentum too.
        for condition in conditions.iter().filter(|condition| condition.measure.depends_on_velocity()) {
            condition_drive(&mut terminal, &asked_islands(context, &condition.measure));
        }
        self.fill(&mut terminal, places, posture)?;
        Ok((terminal, conditions))
    }

    /// Works out the state, and momenta that are given.
    fn fill(&self, terminal: &mut BoundaryState, places: Places, posture: Posture) -> Read<()> {
        let Places { mut moved_to, placed_on, joints } = places;
        let context = self.context;
        let islands = &context.model.islands;
        if (0..islands.len()).all(|i| self.is_plain(i)) {
            return Ok(());
        }
        let base: Vec<Pose> = (0..context.model.bodies.len()).map(|body| context.pose(body)).collect();
        // Bodies that are placed on others go with them: only where a search begins.
        let poses = crate::read::assembly::assemble(&base, &joints, &moved_to);
        for (body, on, pose) in placed_on {
            moved_to[body] = Some(poses[on].then(&pose));
        }
        let (state, _) = context.rebuilt(&base, &moved_to, &joints, posture, self.first_place())?;
        for (i, island) in islands.iter().enumerate().filter(|(i, _)| !self.is_plain(*i)) {
            copy_place(&mut terminal.state, &state, island);
            let momenta = &state.momenta[island.dofs.clone()];
            // Where velocities are sought at the start, a search begins with those of the scene.
            if self.when != NodeSelector::Start || matches!(terminal.momentum[i], MomentumCondition::Given(_))
            {
                terminal.state.momenta[island.dofs.clone()].copy_from_slice(momenta);
            }
            if let MomentumCondition::Given(p) = &mut terminal.momentum[i]
                && p.is_empty()
            {
                *p = momenta.to_vec();
            }
        }
        Ok(())
    }

    fn first_place(&self) -> Place {
        let bodies = self.asks.bodies.iter().map(|ask| ask.f.place);
        let joints = self.asks.joints.iter().map(|ask| ask.f.place);
        bodies.chain(joints).min_by_key(|place| (place.source, place.offset)).unwrap_or(self.f.place)
    }

    /// Whether nothing particular is said about an island.
    fn is_plain(&self, island: usize) -> bool {
        self.context.model.islands[island].bodies.clone().all(|slot| {
            let said = self.asks.body(self.context.link(slot).body).is_some();
            !said && self.asks.joint(slot).is_none() && (self.when == NodeSelector::Start || !self.kept[slot])
        })
    }

    /// The conditions of an island that is not firm; refuses more equations than it has degrees of freedom, and what is said twice.
    fn held(&self, island: usize, firm: bool, stances: &[Stance]) -> Read<Vec<Condition>> {
        let context = self.context;
        let it = &context.model.islands[island];
        if firm {
            let extra = it.bodies.clone().zip(stances).find(|(_, stance)| !stance.extra.is_empty());
            let Some((slot, stance)) = extra else { return Ok(Vec::new()) };
            let said = &stance.extra[0];
            let body = context.link(slot).body;
            let Some(ask) = self.asks.body(body) else { return Ok(Vec::new()) };
            let place = ask.f.first_of(&[said.key]).map_or(ask.f.place, |key| ask.f.place_of(key));
            let message =
                format!("{} is asked for, but follows from what else is said about {}", said.name, self.at());
            let remedy = match self.when {
                NodeSelector::Start => {
                    "remove it, or say what is free: `free = true` of the joints or bodies it depends on"
                }
                _ => "remove it, or what it follows from",
            };
            return Err(context.report.complain(place, message, remedy));
        }
        let said: Vec<&Said> = stances.iter().flat_map(|s| s.own.iter().chain(&s.extra)).collect();
        let inside = |said: &&&Said| {
            let others = said.measure.bodies().into_iter().flatten().filter_map(|body| context.island(body));
            others.into_iter().all(|other| other == island)
        };
        let equations: usize = said.iter().filter(inside).map(|said| said.equations()).sum();
        if equations > it.dofs.len() {
            let message = format!(
                "what is said about {} of {} are {equations} equations, but there are {} degrees of freedom",
                self.at(),
                self.names(island),
                it.dofs.len()
            );
            return Err(context.report.complain(
                self.place_in(island),
                message,
                "say less: what the joints leave open",
            ));
        }
        Ok(said.into_iter().map(|said| said.clone().condition(self.when)).collect())
    }

    fn at(&self) -> &'static str {
        if self.when == NodeSelector::Start { "the start" } else { "the end" }
    }

    fn names(&self, island: usize) -> String {
        let slots = self.context.model.islands[island].bodies.clone();
        let names: Vec<String> =
            slots.map(|slot| format!("`{}`", self.context.name(self.context.link(slot).body))).collect();
        names.join(", ")
    }

    /// Where the first thing about an island stands.
    fn place_in(&self, island: usize) -> Place {
        let bodies = self.asks.bodies.iter().filter(|ask| self.context.island(ask.body) == Some(island));
        let joints = self.asks.joints.iter().filter(|ask| self.context.island_of(ask.slot) == island);
        let places = bodies.map(|ask| ask.f.place).chain(joints.map(|ask| ask.f.place));
        places.min_by_key(|place| (place.source, place.offset)).unwrap_or(self.f.place)
    }

    /// What is known of an island's momentum; an empty one is to be worked out.
    fn drive(&self, island: usize, firm: bool, paces: &[Pace]) -> Read<(MomentumCondition, Vec<Said>)> {
        let it = &self.context.model.islands[island];
        if paces.iter().all(Pace::still) {
            return Ok((MomentumCondition::Given(vec![0.0; it.dofs.len()]), Vec::new()));
        }
        if firm && paces.iter().all(Pace::known) {
            return Ok((MomentumCondition::Given(Vec::new()), Vec::new()));
        }
        let hung = it.bodies.clone().zip(paces).find(|(slot, pace)| {
            // A body held fast on another has no rates of its own.
            pace.rates.is_some() && self.context.link(*slot).joint.dofs() > 0
        });
        if let Some((slot, pace)) = hung {
            let joint = &self.context.link(slot).joint.name;
            let message = format!(
                "the rates of joint `{joint}` at {} are given, but not everything that it hangs together with stands firm and moves as given",
                self.at()
            );
            let remedy = match self.when {
                NodeSelector::Start => "free its `rates` too, or hold the rest",
                _ => "give all coordinates and all rates of the mechanism, or `at_rest` for all of it",
            };
            let place = pace.rates_key.unwrap_or_else(|| self.place_in(island));
            return Err(self.context.report.complain(place, message, remedy));
        }
        let said: Vec<Said> = paces.iter().flat_map(|pace| pace.said.iter().cloned()).collect();
        Ok((if said.is_empty() { MomentumCondition::Free } else { MomentumCondition::Conditioned }, said))
    }
}

/// Takes over where an island is in another state.
pub(super) fn copy_place(to: &mut State, from: &State, island: &percussion_mechanics::model::Island) {
    let (bodies, coordinates) = (island.bodies.clone(), island.coordinates.clone());
    to.positions[bodies.clone()].copy_from_slice(&from.positions[bodies.clone()]);
    to.rotations[bodies.clone()].copy_from_slice(&from.rotations[bodies]);
    to.coordinates[coordinates.clone()].copy_from_slice(&from.coordinates[coordinates]);
}
