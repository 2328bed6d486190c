//! Start and end of a plan.
//!
//! ```text
//! body without a joint   position and orientation, velocity and angular velocity
//! body on a joint        coordinates and rates of the joint; or pose and velocity of the body
//! island                 fixed if all of this is known, otherwise with conditions for what is known
//! momentum               given if the island is at rest, or fixed with all velocities known; otherwise conditioned or free
//! ```
//!
//! What is not given is as in the scene at the start, and free at the end.

use super::conditions::{condition_drive, measured_islands};
use super::context::Context;
use super::end_state::{PlacementSpec, VelocitySpec};
use super::measures::BoundedMeasure;
use super::targets::Targets;
use crate::read::joints::WrittenJoint;
use crate::read::scene_parts::InitialState;
use crate::report::{Place, Read};
use crate::tree::Fields;
use percussion_control::plan::{BoundaryState, Condition, MomentumCondition, NodeSelector};
use percussion_geometry::Pose;
use percussion_mechanics::spatial::Vec6;
use percussion_mechanics::{JointKind, State};

/// The targets of the start or the end.
pub(super) struct End<'a> {
    pub(super) context: &'a Context<'a>,
    f: Fields<'a>,
    pub(super) targets: Targets<'a>,
    when: NodeSelector,
    /// Slots whose pose and velocity are those of the scene.
    pub(super) kept: Vec<bool>,
    pub(super) at_rest: bool,
    pub(super) rates: Vec<f64>,
    pub(super) twists: Vec<Vec6>,
}

/// Changes of the poses of the scene.
struct Places {
    /// Poses in the world.
    moved_to: Vec<Option<Pose>>,
    /// Poses relative to moving bodies.
    placed_on: Vec<(usize, usize, Pose)>,
    /// Joints with their coordinates.
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
        let targets = Targets::read(context, &f, true)?;
        Ok(Self::new(context, f, targets, NodeSelector::Start))
    }

    /// The end, under the key `end`.
    pub fn at_end(context: &'a Context<'a>, plan: &Fields<'a>, nothing: &'a crate::tree::Node) -> Read<Self> {
        let node = plan.node("end").unwrap_or(nothing);
        let known = ["bodies", "joints", "at_rest", "as_in_scene"];
        let f = Fields::of(context.report, node, "plan.end", &known)?;
        let targets = Targets::read(context, &f, false);
        let (at_rest, kept) = (f.boolean("at_rest"), f.list("as_in_scene"));
        let mut end = Self::new(context, f, targets?, NodeSelector::End);
        end.at_rest = at_rest?.unwrap_or(false);
        for node in kept?.unwrap_or_default() {
            let body = context.body(node, "plan.end.as_in_scene")?;
            let Some(slot) = context.model.slots[body] else {
                let message = format!("`plan.end.as_in_scene` names the fixed body `{}`", context.name(body));
                return Err(context.report.complain(node.place, message, "remove it: it does not move"));
            };
            let again = end
                .targets
                .body(body)
                .map(|target| &target.f)
                .or(end.targets.joint(slot).map(|target| &target.f));
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

    fn new(context: &'a Context<'a>, f: Fields<'a>, targets: Targets<'a>, when: NodeSelector) -> Self {
        let (rates, twists) = (context.model.rates(context.state), context.model.twists(context.state));
        let kept = vec![when == NodeSelector::Start; context.model.moving()];
        Self { context, f, targets, when, kept, at_rest: false, rates, twists }
    }

    /// The terminal state with its conditions.
    pub fn terminal(&self) -> Read<(BoundaryState, Vec<Condition>)> {
        let context = self.context;
        let islands = &context.model.islands;
        let mut terminal = BoundaryState {
            state: context.state.clone(),
            fixed: vec![self.when == NodeSelector::Start; islands.len()],
            momentum: vec![MomentumCondition::Free; islands.len()],
        };
        let mut conditions = Vec::new();
        // Joints without targets keep the state of the scene.
        let at_rest =
            |joint: &WrittenJoint| WrittenJoint { coordinates: None, rotation_vector: None, ..joint.clone() };
        let mut places = Places {
            moved_to: vec![None; context.model.bodies.len()],
            placed_on: Vec::new(),
            joints: context.parts.joints.iter().map(at_rest).collect(),
        };
        let mut initial = InitialState {
            poses: Vec::new(),
            velocities: vec![None; context.model.bodies.len()],
            rates: vec![None; context.parts.joints.len()],
        };
        let mut outcome = Ok(());
        for (i, island) in islands.iter().enumerate() {
            let slots = island.bodies.clone();
            if self.has_no_target(i) {
                if self.when == NodeSelector::Start {
                    terminal.momentum[i] =
                        MomentumCondition::Given(context.state.momenta[island.dofs.clone()].to_vec());
                } else if self.at_rest {
                    terminal.momentum[i] = MomentumCondition::Given(vec![0.0; island.dofs.len()]);
                }
                continue;
            }
            let placements: Read<Vec<PlacementSpec>> =
                slots.clone().map(|slot| self.placement(slot)).collect();
            let velocities: Read<Vec<VelocitySpec>> = slots.clone().map(|slot| self.velocity(slot)).collect();
            let (Ok(placements), Ok(velocities)) = (placements, velocities) else {
                outcome = Err(crate::report::Reported);
                continue;
            };
            let fixed = placements.iter().all(|placement| placement.known);
            terminal.fixed[i] = fixed;
            match self.conditions(i, fixed, &placements) {
                Ok(of_island) => conditions.extend(of_island),
                Err(reported) => outcome = Err(reported),
            }
            for (slot, placement) in slots.clone().zip(&placements) {
                let body = context.link(slot).body;
                let on_joint = context.link(slot).joint.kind != JointKind::Free;
                if let Some((on, pose)) = placement.on {
                    places.placed_on.push((body, on, pose));
                }
                match context.written(slot) {
                    Some((j, _)) if on_joint && !(fixed && placement.pose.is_some()) => {
                        let coordinates = !placement.coordinates.is_empty();
                        places.joints[j].coordinates = coordinates.then(|| placement.coordinates.clone());
                        places.joints[j].rotation_vector = placement.turned.map(|turn| turn.scaled_axis());
                    }
                    _ => places.moved_to[body] = placement.pose,
                }
            }
            match self.drive(i, fixed, &velocities) {
                Ok((drive, bounded)) => {
                    // The momenta are set below.
                    if matches!(&drive, MomentumCondition::Given(p) if p.is_empty()) {
                        for (slot, velocity) in slots.clone().zip(&velocities) {
                            initial.velocities[context.link(slot).body] = velocity.body;
                            if let (Some(rates), Some((j, _))) = (&velocity.rates, context.written(slot)) {
                                initial.rates[j] = Some(rates.clone());
                            }
                        }
                    }
                    terminal.momentum[i] = drive;
                    conditions.extend(bounded.into_iter().map(|bounded| bounded.condition(self.when)));
                }
                Err(reported) => outcome = Err(reported),
            }
        }
        outcome?;
        // A velocity relative to another body depends on its momentum too.
        for condition in conditions.iter().filter(|condition| condition.measure.depends_on_velocity()) {
            condition_drive(&mut terminal, &measured_islands(context, &condition.measure));
        }
        self.set_state(&mut terminal, places, initial)?;
        Ok((terminal, conditions))
    }

    /// Computes the state, and momenta that are given.
    fn set_state(&self, terminal: &mut BoundaryState, places: Places, initial: InitialState) -> Read<()> {
        let Places { mut moved_to, placed_on, joints } = places;
        let context = self.context;
        let islands = &context.model.islands;
        if (0..islands.len()).all(|i| self.has_no_target(i)) {
            return Ok(());
        }
        let base: Vec<Pose> = (0..context.model.bodies.len()).map(|body| context.pose(body)).collect();
        // Bodies with relative poses follow their reference bodies: this is the initial guess only.
        let poses = crate::read::assembly::assemble(&base, &joints, &moved_to);
        for (body, on, pose) in placed_on {
            moved_to[body] = Some(poses[on].then(&pose));
        }
        let (state, _) = context.rebuilt(&base, &moved_to, &joints, initial, self.first_place())?;
        for (i, island) in islands.iter().enumerate().filter(|(i, _)| !self.has_no_target(*i)) {
            copy_configuration(&mut terminal.state, &state, island);
            let momenta = &state.momenta[island.dofs.clone()];
            // Unknown initial velocities start from those of the scene.
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
        let bodies = self.targets.bodies.iter().map(|target| target.f.place);
        let joints = self.targets.joints.iter().map(|target| target.f.place);
        bodies.chain(joints).min_by_key(|place| (place.source, place.offset)).unwrap_or(self.f.place)
    }

    /// Whether an island has no targets.
    fn has_no_target(&self, island: usize) -> bool {
        self.context.model.islands[island].bodies.clone().all(|slot| {
            let bounded = self.targets.body(self.context.link(slot).body).is_some();
            !bounded
                && self.targets.joint(slot).is_none()
                && (self.when == NodeSelector::Start || !self.kept[slot])
        })
    }

    /// The conditions of an island that is not fixed; reports more equations than degrees of freedom, and redundant targets.
    fn conditions(&self, island: usize, fixed: bool, placements: &[PlacementSpec]) -> Read<Vec<Condition>> {
        let context = self.context;
        let it = &context.model.islands[island];
        if fixed {
            let extra = it.bodies.clone().zip(placements).find(|(_, placement)| !placement.extra.is_empty());
            let Some((slot, placement)) = extra else { return Ok(Vec::new()) };
            let bounded = &placement.extra[0];
            let body = context.link(slot).body;
            let Some(target) = self.targets.body(body) else { return Ok(Vec::new()) };
            let place =
                target.f.first_of(&[bounded.key]).map_or(target.f.place, |key| target.f.place_of(key));
            let message =
                format!("{} is given, but follows from the other targets of {}", bounded.name, self.at());
            let remedy = match self.when {
                NodeSelector::Start => {
                    "remove it, or set `free = true` for the joints or bodies on which it depends"
                }
                _ => "remove it, or what it follows from",
            };
            return Err(context.report.complain(place, message, remedy));
        }
        let bounded: Vec<&BoundedMeasure> =
            placements.iter().flat_map(|s| s.own.iter().chain(&s.extra)).collect();
        let inside = |bounded: &&&BoundedMeasure| {
            let others =
                bounded.measure.bodies().into_iter().flatten().filter_map(|body| context.island(body));
            others.into_iter().all(|other| other == island)
        };
        let equations: usize = bounded.iter().filter(inside).map(|bounded| bounded.equations()).sum();
        if equations > it.dofs.len() {
            let message = format!(
                "the targets of {} for {} are {equations} equations, but there are {} degrees of freedom",
                self.at(),
                self.names(island),
                it.dofs.len()
            );
            let remedy = "give fewer targets: only for what the joints leave free";
            return Err(context.report.complain(self.place_in(island), message, remedy));
        }
        Ok(bounded.into_iter().map(|bounded| bounded.clone().condition(self.when)).collect())
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

    /// The place of the first target of an island.
    fn place_in(&self, island: usize) -> Place {
        let bodies =
            self.targets.bodies.iter().filter(|target| self.context.island(target.body) == Some(island));
        let joints =
            self.targets.joints.iter().filter(|target| self.context.island_of(target.slot) == island);
        let places = bodies.map(|target| target.f.place).chain(joints.map(|target| target.f.place));
        places.min_by_key(|place| (place.source, place.offset)).unwrap_or(self.f.place)
    }

    /// The momentum of an island; an empty one is computed later.
    fn drive(
        &self,
        island: usize,
        fixed: bool,
        velocities: &[VelocitySpec],
    ) -> Read<(MomentumCondition, Vec<BoundedMeasure>)> {
        let it = &self.context.model.islands[island];
        if velocities.iter().all(VelocitySpec::at_rest) {
            return Ok((MomentumCondition::Given(vec![0.0; it.dofs.len()]), Vec::new()));
        }
        if fixed && velocities.iter().all(VelocitySpec::known) {
            return Ok((MomentumCondition::Given(Vec::new()), Vec::new()));
        }
        let with_rates = it.bodies.clone().zip(velocities).find(|(slot, velocity)| {
            // A body conditions fast on another has no rates of its own.
            velocity.rates.is_some() && self.context.link(*slot).joint.dofs() > 0
        });
        if let Some((slot, velocity)) = with_rates {
            let joint = &self.context.link(slot).joint.name;
            let message = format!(
                "the rates of joint `{joint}` at {} are given, but not the whole state of its mechanism",
                self.at()
            );
            let remedy = match self.when {
                NodeSelector::Start => {
                    "make its `rates` free too, or keep the rest of the mechanism as in the scene"
                }
                _ => "give all coordinates and all rates of the mechanism, or `at_rest` for all of it",
            };
            let place = velocity.rates_key.unwrap_or_else(|| self.place_in(island));
            return Err(self.context.report.complain(place, message, remedy));
        }
        let bounded: Vec<BoundedMeasure> =
            velocities.iter().flat_map(|velocity| velocity.measures.iter().cloned()).collect();
        Ok((
            if bounded.is_empty() { MomentumCondition::Free } else { MomentumCondition::Conditioned },
            bounded,
        ))
    }
}

/// Copies the configuration of an island from another state.
pub(super) fn copy_configuration(to: &mut State, from: &State, island: &percussion_mechanics::model::Island) {
    let (bodies, coordinates) = (island.bodies.clone(), island.coordinates.clone());
    to.positions[bodies.clone()].copy_from_slice(&from.positions[bodies.clone()]);
    to.rotations[bodies.clone()].copy_from_slice(&from.rotations[bodies]);
    to.coordinates[coordinates.clone()].copy_from_slice(&from.coordinates[coordinates]);
}
