//! Contact: surfaces, pairs, contact potential, and options of the contact response.
//!
//! ```text
//! surface of a body     its material; values missing there, [contact]
//! pair                  [contact.pairs.NAME], the last one with these bodies; else joints with `collide`; else the surfaces
//! potential             stiffness and normal_damping, for schemes with a contact potential
//! ```

use super::bodies::WrittenBody;
use super::joints::{BodyTable, WrittenJoint};
use super::materials::{Material, coefficients};
use crate::report::{Place, Read, read_all};
use crate::tolerances::ALLOWED_PENETRATION;
use crate::tree::{Entry, Fields, Node, Table};
use percussion_mechanics::contact::{ContactSpec, PairRule, Potential, Surface};
use percussion_mechanics::response::{
    CollisionModel, ContactOptions, ContactResponse, EnergyJumpCondition, FrictionLaw, ImpactLaw,
};
use percussion_mechanics::schemes::SchemeKind;
use percussion_mechanics::{BodyId, Model};

/// The keys of `[contact]`.
pub(crate) const KEYS: [&str; 15] = [
    "stiffness",
    "allowed_penetration",
    "normal_damping",
    "restitution",
    "friction",
    "impact_law",
    "energy_jump",
    "max_impacts",
    "friction_law",
    "response",
    "energy_consistent",
    "potential_in_projection",
    "collision_model",
    "project_start",
    "pairs",
];

/// The keys of `[contact.pairs.NAME]`.
pub(crate) const PAIR_KEYS: [&str; 4] = ["between", "collide", "restitution", "friction"];

/// The word for a value chosen by the program.
const AUTO: &str = "auto";

/// Settings of contact, with defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// The contact potential, for schemes that have one.
    pub potential: Option<Potential>,
    /// Allowed penetration, m.
    pub allowed_penetration: f64,
    /// Whether bodies that penetrate each other at the start are separated.
    pub project_start: bool,
}

/// `[contact]` as written.
#[derive(Debug)]
pub(crate) struct WrittenContact {
    /// `None` is chosen by the program.
    pub stiffness: Option<f64>,
    allowed_penetration: Option<f64>,
    pub normal_damping: f64,
    default_surface: Surface,
    pub options: ContactOptions,
    project_start: bool,
    pairs: Vec<WrittenPair>,
    pub place: Place,
}

/// A pair as written.
#[derive(Debug)]
struct WrittenPair {
    bodies: (usize, usize),
    collide: bool,
    restitution: Option<f64>,
    friction: Option<f64>,
}

/// The table `[contact]`, if there is one.
pub(crate) fn contact(body_table: &BodyTable<'_>, root: &Table) -> Read<Option<WrittenContact>> {
    let Some(entry) = root.entry("contact") else { return Ok(None) };
    let f = Fields::of(body_table.report, &entry.node, "contact", &KEYS)?;
    // All are read before missing ones are reported, so that all complaints are found.
    let stiffness = stiffness(&f);
    let allowed_penetration = f.positive("allowed_penetration", "length in metres");
    let normal_damping = f.not_negative("normal_damping", "damping in N s/m");
    let surface = coefficients(&f);
    let options = options(&f);
    let project_start = f.boolean("project_start");
    let pairs = pairs(body_table, &f);
    let (restitution, friction) = surface?;
    let ideal = Surface::IDEAL;
    Ok(Some(WrittenContact {
        stiffness: stiffness?,
        allowed_penetration: allowed_penetration?,
        normal_damping: normal_damping?.unwrap_or(0.0),
        default_surface: Surface {
            restitution: restitution.unwrap_or(ideal.restitution),
            friction: friction.unwrap_or(ideal.friction),
        },
        options: options?,
        project_start: project_start?.unwrap_or(false),
        pairs: pairs?,
        place: entry.place,
    }))
}

fn stiffness(f: &Fields) -> Read<Option<f64>> {
    if is_auto(f, "stiffness", "give a number in N/m, without quotes")? {
        return Ok(None);
    }
    f.positive("stiffness", "stiffness in N/m, or \"auto\"")
}

/// Whether a value is chosen by the program; any other word is reported.
pub(super) fn is_auto(f: &Fields, key: &str, otherwise: &str) -> Read<bool> {
    match f.node(key).and_then(|node| Some((node.place, node.text()?))) {
        None => Ok(false),
        Some((_, AUTO)) => Ok(true),
        Some((place, word)) => {
            let message = format!("`{}` is \"{word}\"", f.path(key));
            Err(f.report.unknown(place, message, word, [AUTO], otherwise))
        }
    }
}

/// The value of one of several words.
pub(super) fn choice<T: Copy>(f: &Fields, key: &str, words: &[(&'static str, T)], otherwise: T) -> Read<T> {
    let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let word = f.word(key, &known)?;
    Ok(words.iter().find(|(known, _)| Some(*known) == word).map_or(otherwise, |(_, value)| *value))
}

fn options(f: &Fields) -> Read<ContactOptions> {
    let own = ContactOptions::default();
    let law = choice(f, "impact_law", &ImpactLaw::WORDS, own.law);
    let energy = choice(f, "energy_jump", &EnergyJumpCondition::WORDS, own.energy);
    let friction = choice(f, "friction_law", &FrictionLaw::WORDS, own.friction);
    let loss = choice(f, "collision_model", &CollisionModel::WORDS, own.loss);
    let response = choice(f, "response", &ContactResponse::WORDS, own.response);
    let max_impacts = f.count("max_impacts", 1);
    let (consistent, potential_in_projection) =
        (f.boolean("energy_consistent"), f.boolean("potential_in_projection"));
    Ok(ContactOptions {
        law: law?,
        energy: energy?,
        max_impacts: max_impacts?.unwrap_or(own.max_impacts),
        friction: friction?,
        response: response?,
        consistent: consistent?.or(own.consistent),
        potential_in_projection: potential_in_projection?.unwrap_or(own.potential_in_projection),
        loss: loss?,
    })
}

fn pairs(body_table: &BodyTable<'_>, f: &Fields) -> Read<Vec<WrittenPair>> {
    read_all(f.entries("pairs")?.iter().map(|entry| pair(body_table, entry)))
}

fn pair(body_table: &BodyTable<'_>, entry: &Entry) -> Read<WrittenPair> {
    let f = Fields::of(body_table.report, &entry.node, &format!("contact.pairs.{}", entry.key), &PAIR_KEYS)?;
    let (collide, surface) = (f.boolean("collide"), coefficients(&f));
    const BETWEEN: &str = "name two bodies, such as between = [\"ball\", \"floor\"]";
    let names = f.list("between")?.ok_or_else(|| f.missing("between", BETWEEN))?;
    let [a, b] = names else {
        return Err(f.wrong("between", &format!("has {} entries", names.len()), BETWEEN));
    };
    let body = |node: &Node| {
        body_table.find(node.place, crate::tree::text(body_table.report, node, &f.path("between"))?)
    };
    let (a, b) = (body(a), body(b));
    let (bodies, (restitution, friction)) = ((a?, b?), surface?);
    if bodies.0 == bodies.1 {
        return Err(f.wrong("between", "names one body twice", BETWEEN));
    }
    Ok(WrittenPair { bodies, collide: collide?.unwrap_or(true), restitution, friction })
}

impl WrittenContact {
    /// The contact specification of the model.
    pub fn spec(
        &self,
        scheme: SchemeKind,
        bodies: &[(String, Option<WrittenBody>)],
        joints: &[WrittenJoint],
        materials: &[Material],
    ) -> ContactSpec {
        let own = |body: &WrittenBody| {
            let material = &materials[body.material?];
            (material.restitution.is_some() || material.friction.is_some()).then(|| Surface {
                restitution: material.restitution.unwrap_or(self.default_surface.restitution),
                friction: material.friction.unwrap_or(self.default_surface.friction),
            })
        };
        let surfaces: Vec<Option<Surface>> =
            bodies.iter().map(|(_, body)| body.as_ref().and_then(own)).collect();
        let by_joint = joints.iter().filter(|joint| joint.collide).filter_map(|joint| {
            let (a, b) = (joint.spec.parent?, joint.spec.child);
            Some(PairRule { a, b, collide: true, surface: None })
        });
        let by_table = self.pairs.iter().map(|pair| {
            let (a, b) = pair.bodies;
            let combined = Surface::combined(surfaces[a], surfaces[b], self.default_surface);
            let surface = (pair.restitution.is_some() || pair.friction.is_some()).then(|| Surface {
                restitution: pair.restitution.unwrap_or(combined.restitution),
                friction: pair.friction.unwrap_or(combined.friction),
            });
            PairRule { a: BodyId(a), b: BodyId(b), collide: pair.collide, surface }
        });
        let pairs = by_joint.chain(by_table).collect();
        // A stiffness that the program chooses is one until the model is known.
        let potential = Potential { stiffness: self.stiffness.unwrap_or(1.0), drag: self.normal_damping };
        let potential = scheme.capabilities().uses_potential().then_some(potential);
        ContactSpec { surfaces, otherwise: Some(self.default_surface), pairs, potential }
    }

    /// Settings with defaults that depend on the model.
    pub fn settings(&self, spec: &ContactSpec, model: &Model) -> ContactSettings {
        let parts = model.contacts.iter().flat_map(|contacts| &contacts.parts);
        let smallest = parts.map(|part| part.radius).fold(f64::INFINITY, f64::min);
        ContactSettings {
            potential: spec.potential,
            allowed_penetration: self.allowed_penetration.unwrap_or(ALLOWED_PENETRATION * smallest),
            project_start: self.project_start,
        }
    }
}
