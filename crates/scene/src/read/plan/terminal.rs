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

use super::ask::{Asks, BodyAsk, JointAsk};
use super::conditions::{asked_islands, condition_drive};
use super::context::Context;
use super::range::{equal, exact, nearest};
use super::said::{self, Said};
use crate::read::joints::WrittenJoint;
use crate::read::kit::Posture;
use crate::report::{Place, Read};
use crate::tree::Fields;
use nalgebra::Rotation3;
use percussion_control::plan::{Condition, Drive, Terminal, When};
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::joint::motion::{Vec6, angular, linear};
use percussion_mechanics::{JointKind, State};
use percussion_solve::nlp::Bound;

/// What is said about an end.
pub(super) struct End<'a> {
    context: &'a Context<'a>,
    f: Fields<'a>,
    asks: Asks<'a>,
    when: When,
    /// Bodies that stand and move as in the scene.
    kept: Vec<bool>,
    at_rest: bool,
    rates: Vec<f64>,
    twists: Vec<Vec6>,
}

/// Where the body of a slot stands.
struct Stance {
    /// A placement in the world; on a joint, only if it is all known.
    pose: Option<Pose>,
    /// The body it is placed on, where that one moves.
    on: Option<(usize, Pose)>,
    coordinates: Vec<f64>,
    turned: Option<Rotation3<f64>>,
    known: bool,
    /// What it says, if that has to be conditions.
    own: Vec<Said>,
    /// What is a condition in any case.
    extra: Vec<Said>,
}

/// How the body of a slot moves.
#[derive(Default)]
struct Pace {
    /// Velocity and angular velocity, if all is known.
    body: Option<(Vec3, Vec3)>,
    rates: Option<Vec<f64>>,
    said: Vec<Said>,
    /// Rates that can only be given together with all the rest.
    rates_key: Option<Place>,
}

impl Pace {
    fn known(&self) -> bool {
        self.body.is_some() || self.rates.is_some()
    }

    fn still(&self) -> bool {
        let body = self.body.is_none_or(|(v, w)| v == Vec3::zeros() && w == Vec3::zeros());
        self.known() && body && self.rates.iter().flatten().all(|rate| *rate == 0.0)
    }
}

impl<'a> End<'a> {
    /// The start, under the key `start`.
    pub fn start(context: &'a Context<'a>, plan: &Fields<'a>, nothing: &'a crate::tree::Node) -> Read<Self> {
        let node = plan.node("start").unwrap_or(nothing);
        let f = Fields::of(context.report, node, "plan.start", &["bodies", "joints"])?;
        let asks = Asks::read(context, &f, true)?;
        Ok(Self::new(context, f, asks, When::Start))
    }

    /// The end, under the key `end`.
    pub fn end(context: &'a Context<'a>, plan: &Fields<'a>, nothing: &'a crate::tree::Node) -> Read<Self> {
        let node = plan.node("end").unwrap_or(nothing);
        let known = ["bodies", "joints", "at_rest", "as_in_scene"];
        let f = Fields::of(context.report, node, "plan.end", &known)?;
        let asks = Asks::read(context, &f, false);
        let (at_rest, kept) = (f.truth("at_rest"), f.list("as_in_scene"));
        let mut end = Self::new(context, f, asks?, When::End);
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

    fn new(context: &'a Context<'a>, f: Fields<'a>, asks: Asks<'a>, when: When) -> Self {
        let (rates, twists) = (context.model.rates(context.state), context.model.twists(context.state));
        let kept = vec![when == When::Start; context.model.moving()];
        Self { context, f, asks, when, kept, at_rest: false, rates, twists }
    }

    /// The end with the conditions it needs.
    pub fn terminal(&self) -> Read<(Terminal, Vec<Condition>)> {
        let context = self.context;
        let islands = &context.model.islands;
        let mut terminal = Terminal {
            state: context.state.clone(),
            fixed: vec![self.when == When::Start; islands.len()],
            drive: vec![Drive::Free; islands.len()],
        };
        let mut conditions = Vec::new();
        let mut moved_to = vec![None; context.model.bodies.len()];
        let mut placed_on = Vec::new();
        // Joints of which nothing is said leave bodies where the scene's state has them.
        let still = |joint: &WrittenJoint| WrittenJoint { coordinates: None, turned: None, ..joint.clone() };
        let mut joints: Vec<WrittenJoint> = context.kit.joints.iter().map(still).collect();
        let mut posture = Posture {
            poses: Vec::new(),
            velocities: vec![None; context.model.bodies.len()],
            rates: vec![None; joints.len()],
        };
        let mut outcome = Ok(());
        for (i, island) in islands.iter().enumerate() {
            let slots = island.bodies.clone();
            if self.is_plain(i) {
                if self.when == When::Start {
                    terminal.drive[i] = Drive::Given(context.state.momenta[island.freedoms.clone()].to_vec());
                } else if self.at_rest {
                    terminal.drive[i] = Drive::Given(vec![0.0; island.freedoms.len()]);
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
                    placed_on.push((body, on, pose));
                }
                match context.written(slot) {
                    Some((j, _)) if hung && !(firm && stance.pose.is_some()) => {
                        let coordinates = !stance.coordinates.is_empty();
                        joints[j].coordinates = coordinates.then(|| stance.coordinates.clone());
                        joints[j].turned = stance.turned.map(|turn| turn.scaled_axis());
                    }
                    _ => moved_to[body] = stance.pose,
                }
            }
            match self.drive(i, firm, &paces) {
                Ok((drive, said)) => {
                    // Filled in below, when the momenta are known.
                    if matches!(&drive, Drive::Given(p) if p.is_empty()) {
                        for (slot, pace) in slots.clone().zip(&paces) {
                            posture.velocities[context.link(slot).body] = pace.body;
                            if let (Some(rates), Some((j, _))) = (&pace.rates, context.written(slot)) {
                                posture.rates[j] = Some(rates.clone());
                            }
                        }
                    }
                    terminal.drive[i] = drive;
                    conditions.extend(said.into_iter().map(|said| said.condition(self.when)));
                }
                Err(told) => outcome = Err(told),
            }
        }
        outcome?;
        // A velocity relative to another body asks about that one's momentum too.
        for condition in conditions.iter().filter(|condition| condition.measure.of_velocities()) {
            condition_drive(&mut terminal, &asked_islands(context, &condition.measure));
        }
        self.fill(&mut terminal, (moved_to, placed_on, joints), posture)?;
        Ok((terminal, conditions))
    }

    /// Works out the state, and momenta that are given.
    fn fill(
        &self,
        terminal: &mut Terminal,
        (mut moved_to, placed_on, joints): (Vec<Option<Pose>>, Vec<(usize, usize, Pose)>, Vec<WrittenJoint>),
        posture: Posture,
    ) -> Read<()> {
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
            let momenta = &state.momenta[island.freedoms.clone()];
            terminal.state.momenta[island.freedoms.clone()].copy_from_slice(momenta);
            if let Drive::Given(p) = &mut terminal.drive[i]
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
            !said && self.asks.joint(slot).is_none() && (self.when == When::Start || !self.kept[slot])
        })
    }

    fn stance(&self, slot: usize) -> Read<Stance> {
        match self.context.link(slot).joint.kind {
            JointKind::Free => Ok(self.free_stance(slot)),
            _ => self.hung_stance(slot),
        }
    }

    /// A body that hangs on nothing.
    fn free_stance(&self, slot: usize) -> Stance {
        let context = self.context;
        let body = context.link(slot).body;
        let scene = context.pose(body);
        let ask = self.asks.body(body).cloned().map(|ask| self.absolute(ask));
        let (free, kept) = (ask.as_ref().map_or([false; 4], |ask| ask.free), self.kept[slot]);
        let own = ask.as_ref().filter(|ask| ask.from.is_none());
        let at_origin = own.filter(|ask| ask.point.is_none());
        // Anything said about it, from wherever it is looked at, is said instead of what the scene has.
        let said = ask.as_ref().map_or([false; 2], |ask| [ask.position.is_some(), ask.rotation.is_some()]);
        let position = at_origin
            .and_then(|ask| ask.position)
            .or((kept && !said[0] && !free[0]).then(|| equal(&scene.position)));
        let rotation =
            own.and_then(|ask| ask.rotation).or((kept && !said[1] && !free[1]).then_some(scene.rotation));
        let particle = context.is_particle(body);
        let place = position.as_ref().and_then(exact);
        let mut stance = Stance {
            pose: None,
            on: None,
            coordinates: Vec::new(),
            turned: None,
            known: place.is_some() && (rotation.is_some() || particle),
            own: Vec::new(),
            extra: ask.as_ref().map_or_else(Vec::new, |ask| ask.aligned(context)),
        };
        let near = position
            .map_or(scene.position, |bounds| Vec3::from_fn(|i, _| nearest(bounds[i], scene.position[i])));
        stance.pose = Some(Pose::new(rotation.unwrap_or(scene.rotation), near));
        stance.own.extend(position.map(|bounds| said::position(context, body, (None, None), bounds)));
        if !particle {
            stance.own.extend(rotation.map(|r| said::orientation(context, body, None, &r)));
        }
        if let Some(ask) = &ask {
            let absorbed = |said: &Said| match said.key {
                "position" => at_origin.is_some(),
                _ => own.is_some(),
            };
            stance.extra.extend(ask.stand(context).into_iter().filter(|said| !absorbed(said)));
            if let (Some(from), Some(place), None) =
                (ask.from, ask.position.as_ref().and_then(exact), ask.point)
            {
                let turn = ask.rotation.unwrap_or_else(Rotation3::identity);
                stance.on = Some((from, Pose::new(turn, place)));
            }
        }
        stance
    }

    /// An ask about a body as seen from a fixed one, as seen from the world.
    fn absolute(&self, mut ask: BodyAsk<'a>) -> BodyAsk<'a> {
        let context = self.context;
        let Some(from) = ask.from.filter(|&from| context.model.slots[from].is_none()) else { return ask };
        let pose = context.pose(from);
        let boxed = ask.position.is_some_and(|bounds| exact(&bounds).is_none());
        if boxed || !ask.align.is_empty() {
            return ask;
        }
        ask.position = ask.position.as_ref().and_then(exact).map(|place| equal(&pose.point(&place)));
        ask.rotation = ask.rotation.map(|turn| pose.rotation * turn);
        ask.from = None;
        ask
    }

    /// A body on a joint that keeps coordinates, or turns about a point, or holds it fast.
    fn hung_stance(&self, slot: usize) -> Read<Stance> {
        let context = self.context;
        let link = context.link(slot);
        let joint: Option<&JointAsk> = self.asks.joint(slot);
        let ask = self.asks.body(link.body).cloned().map(|ask| self.absolute(ask));
        let kept = self.kept[slot] && !joint.is_some_and(|ask| ask.free[0]);
        let scene = &context.state.coordinates[link.coordinates()];
        let given = |i: usize| joint.and_then(|ask| ask.coordinates.get(i).copied().flatten());
        let bounds: Vec<Option<Bound>> =
            scene.iter().enumerate().map(|(i, &c)| given(i).or(kept.then_some(Bound::equal(c)))).collect();
        let scene_turn = context.written(slot).and_then(|_| self.turn_in_scene(slot));
        let turned = joint.and_then(|ask| ask.turned).map(Rotation3::new).or(scene_turn.filter(|_| kept));
        let spherical = link.joint.kind == JointKind::Spherical;
        let by_joint =
            bounds.iter().all(|b| b.is_some_and(|b| b.is_equation())) && (!spherical || turned.is_some());
        let mut stance = Stance {
            pose: None,
            on: None,
            coordinates: scene
                .iter()
                .zip(&bounds)
                .map(|(&c, bound)| bound.map_or(c, |bound| nearest(bound, c)))
                .collect(),
            turned: if spherical { turned.or(scene_turn) } else { None },
            known: by_joint,
            own: bounds
                .iter()
                .enumerate()
                .filter_map(|(i, bound)| Some(said::coordinate(context, slot, i, (*bound)?)))
                .collect(),
            extra: Vec::new(),
        };
        if spherical {
            stance.own.extend(turned.map(|turn| said::turned(context, slot, &turn)));
        }
        let Some(ask) = ask else { return Ok(stance) };
        stance.extra = ask.aligned(context);
        let place = ask.position.as_ref().and_then(exact);
        let whole = place.zip(ask.rotation).filter(|_| ask.from.is_none() && ask.point.is_none());
        match whole {
            // The joint says nothing, the placement everything.
            Some((place, turn)) if stance.own.is_empty() && link.joint.freedoms() > 0 => {
                stance.pose = Some(Pose::new(turn, place));
                stance.known = true;
                stance.own = ask.stand(context);
            }
            _ => stance.extra.extend(ask.stand(context)),
        }
        Ok(stance)
    }

    /// How a spherical joint is turned in the scene.
    fn turn_in_scene(&self, slot: usize) -> Option<Rotation3<f64>> {
        let (link, state) = (self.context.link(slot), self.context.state);
        if link.joint.kind != JointKind::Spherical {
            return None;
        }
        let parent = link.parent.map(|p| (&state.positions[p], &state.rotations[p]));
        let child = (&state.positions[slot], &state.rotations[slot]);
        Some(Rotation3::from_matrix_unchecked(link.joint.stand(parent, child, &[]).turned))
    }

    /// The conditions of an island that is not firm; refuses more equations than it has freedoms, and what is said twice.
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
                When::Start => {
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
        if equations > it.freedoms.len() {
            let message = format!(
                "what is said about {} of {} are {equations} equations, but there are {} freedoms",
                self.at(),
                self.names(island),
                it.freedoms.len()
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
        if self.when == When::Start { "the start" } else { "the end" }
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

    fn pace(&self, slot: usize) -> Read<Pace> {
        let context = self.context;
        let link = context.link(slot);
        let (ask, joint) = (self.asks.body(link.body), self.asks.joint(slot));
        let hung = link.joint.kind != JointKind::Free;
        let particle = context.is_particle(link.body);
        let mut pace = Pace::default();
        let free = ask.map_or([false; 2], |ask| [ask.free[2], ask.free[3]]);
        // As seen from the world: fixed bodies do not move.
        let from = ask.and_then(|ask| ask.from).filter(|&from| context.model.slots[from].is_some());
        let plain = ask.filter(|ask| from.is_none() && ask.point.is_none());
        if hung {
            let rates = joint.and_then(|ask| ask.rates.clone());
            let freed = joint.is_some_and(|ask| ask.free[1]);
            let own = link.freedoms();
            pace.rates_key = joint.filter(|_| rates.is_some()).map(|ask| ask.f.place);
            let said = ask.map(|ask| ask.pace(context)).unwrap_or_default();
            let default = match (self.at_rest, self.kept[slot] && !freed && said.is_empty()) {
                (true, _) => Some(vec![0.0; own.len()]),
                (_, true) => Some(self.rates[own.clone()].to_vec()),
                _ => own.is_empty().then(Vec::new),
            };
            if let Some(ask) = ask.filter(|_| !said.is_empty() && (rates.is_some() || own.is_empty())) {
                let message =
                    format!("gives a velocity to `{}`, but so does its joint", context.name(link.body));
                let key = ask.f.first_of(&["velocity", "angular_velocity", "at_rest"]).unwrap_or("velocity");
                return Err(ask.f.wrong(key, &message, "keep one of the two"));
            }
            let whole = plain.and_then(|ask| {
                let v = ask.velocity.as_ref().and_then(exact)?;
                Some((v, if particle { Vec3::zeros() } else { ask.angular.as_ref().and_then(exact)? }))
            });
            pace.body = whole;
            pace.rates = rates.or(default.filter(|_| said.is_empty()));
            pace.said = said;
            return Ok(pace);
        }
        let twist = &self.twists[slot];
        let default = |scene: Vec3, free: bool| match (self.at_rest, self.kept[slot] && !free) {
            (true, _) => Some(equal(&Vec3::zeros())),
            (_, true) => Some(equal(&scene)),
            _ => None,
        };
        let (said_v, said_w) = ask.map_or((None, None), |ask| (ask.velocity, ask.angular));
        let v = if said_v.is_some() {
            plain.and_then(|ask| ask.velocity)
        } else {
            default(linear(twist), free[0])
        };
        let w = if said_w.is_some() {
            ask.filter(|_| from.is_none()).and_then(|ask| ask.angular)
        } else {
            default(angular(twist), free[1])
        };
        let w = w.filter(|_| !particle);
        let whole = v.as_ref().and_then(exact).zip(match particle {
            true => Some(Vec3::zeros()),
            false => w.as_ref().and_then(exact),
        });
        pace.body = whole;
        pace.said.extend(v.map(|bounds| said::velocity(context, link.body, (None, None), bounds)));
        pace.said.extend(w.map(|bounds| said::angular(context, link.body, None, bounds)));
        if let Some(ask) = ask {
            let point = (ask.point, from);
            let seen = said_v.filter(|_| v.is_none()).map(|b| said::velocity(context, link.body, point, b));
            let turning = said_w.filter(|_| w.is_none()).map(|b| said::angular(context, link.body, from, b));
            pace.said.extend(seen.into_iter().chain(turning));
        }
        Ok(pace)
    }

    /// What is known of an island's momentum; an empty one is to be worked out.
    fn drive(&self, island: usize, firm: bool, paces: &[Pace]) -> Read<(Drive, Vec<Said>)> {
        let it = &self.context.model.islands[island];
        if paces.iter().all(Pace::still) {
            return Ok((Drive::Given(vec![0.0; it.freedoms.len()]), Vec::new()));
        }
        if firm && paces.iter().all(Pace::known) {
            return Ok((Drive::Given(Vec::new()), Vec::new()));
        }
        let hung = it.bodies.clone().zip(paces).find(|(slot, pace)| {
            // A body held fast on another has no rates of its own.
            pace.rates.is_some() && self.context.link(*slot).joint.freedoms() > 0
        });
        if let Some((slot, pace)) = hung {
            let joint = &self.context.link(slot).joint.name;
            let message = format!(
                "the rates of joint `{joint}` at {} are given, but not everything that it hangs together with stands firm and moves as given",
                self.at()
            );
            let remedy = match self.when {
                When::Start => "free its `rates` too, or hold the rest",
                _ => "give all coordinates and all rates of the mechanism, or `at_rest` for all of it",
            };
            let place = pace.rates_key.unwrap_or_else(|| self.place_in(island));
            return Err(self.context.report.complain(place, message, remedy));
        }
        let said: Vec<Said> = paces.iter().flat_map(|pace| pace.said.iter().cloned()).collect();
        Ok((if said.is_empty() { Drive::Free } else { Drive::Conditioned }, said))
    }
}

/// Takes over where an island is in another state.
pub(super) fn copy_place(to: &mut State, from: &State, island: &percussion_mechanics::model::Island) {
    let (bodies, coordinates) = (island.bodies.clone(), island.coordinates.clone());
    to.positions[bodies.clone()].copy_from_slice(&from.positions[bodies.clone()]);
    to.rotations[bodies.clone()].copy_from_slice(&from.rotations[bodies]);
    to.coordinates[coordinates.clone()].copy_from_slice(&from.coordinates[coordinates]);
}
