//! Capabilities of the schemes: one table, the source of checks, messages and documentation.

use super::SchemeKind;
use crate::model::Model;
use std::fmt::Write;
use thiserror::Error;

/// Treatment of contact by a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactSupport {
    /// Not at all: scenes with contact are refused.
    None,
    /// As a potential of penetration.
    Potential,
    /// As impacts: at their instants, or at the ends of steps.
    Impacts,
    /// As complementarity conditions of every step.
    Complementarity,
}

/// Which coefficients of restitution a scheme takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestitutionSupport {
    /// None: there is no contact.
    None,
    /// One; less by normal damping of the potential.
    Elastic,
    /// Any from 0 to 1.
    Any,
}

/// The coordinates of the equations of motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// Joint coordinates of a tree: [`ModelBuilder::build`](crate::ModelBuilder::build).
    Reduced,
    /// Those of every body; joints are constraints: [`ModelBuilder::build_open`](crate::ModelBuilder::build_open).
    Maximal,
}

/// Capabilities of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Contact.
    pub contact: ContactSupport,
    /// Scenes without contact.
    pub without_contact: bool,
    /// Coefficients of restitution.
    pub restitution: RestitutionSupport,
    /// Coulomb friction.
    pub friction: bool,
    /// Contact with bodies on a prescribed motion; every scheme accepts them if no body can touch them.
    pub driven_bodies: bool,
    /// Coordinates of joints.
    pub coordinates: Coordinates,
    /// Joints of all kinds between bodies.
    pub joints: bool,
    /// Joints that close loops.
    pub loops: bool,
    /// Forces along joints: springs, dampers, motors of a given torque.
    pub motors: bool,
    /// Drives along joints: motors of a velocity, servos, dry friction.
    pub drives: bool,
    /// Whether limits of joint coordinates are enforced.
    pub joint_limits: bool,
    /// Bodies with planar shapes on planar joints.
    pub planar: bool,
    /// Deformable bodies.
    pub soft_bodies: bool,
    /// Order of accuracy in time with the default options.
    pub order: u32,
}

/// Reduced coordinates, no contact.
const TREE: Capabilities = Capabilities {
    contact: ContactSupport::None,
    without_contact: true,
    restitution: RestitutionSupport::None,
    friction: false,
    driven_bodies: false,
    coordinates: Coordinates::Reduced,
    joints: true,
    loops: true,
    motors: true,
    drives: false,
    joint_limits: false,
    planar: true,
    soft_bodies: false,
    order: 2,
};

/// The same with the contact potential.
const POTENTIAL: Capabilities =
    Capabilities { contact: ContactSupport::Potential, restitution: RestitutionSupport::Elastic, ..TREE };

/// The same with impacts.
const IMPACTS: Capabilities = Capabilities {
    contact: ContactSupport::Impacts,
    without_contact: false,
    restitution: RestitutionSupport::Any,
    ..TREE
};

impl SchemeKind {
    /// Capabilities of the scheme: the table.
    pub const fn capabilities(self) -> Capabilities {
        match self {
            Self::Variational => Capabilities { drives: true, joint_limits: true, ..TREE },
            Self::VariationalProjected | Self::VariationalMultipliers => TREE,
            Self::NewmarkExplicit | Self::NewmarkImplicit => POTENTIAL,
            Self::Potential => {
                Capabilities { without_contact: false, drives: true, joint_limits: true, ..POTENTIAL }
            }
            Self::Exact | Self::Dissipative => {
                Capabilities { friction: true, drives: true, joint_limits: true, ..IMPACTS }
            }
            Self::Decomposition => {
                Capabilities { friction: true, order: 1, drives: true, joint_limits: true, ..IMPACTS }
            }
            Self::Lcp => Capabilities {
                contact: ContactSupport::Complementarity,
                without_contact: true,
                friction: true,
                driven_bodies: true,
                coordinates: Coordinates::Maximal,
                drives: true,
                joint_limits: true,
                order: 1,
                ..IMPACTS
            },
        }
    }

    /// Whether it can simulate a model whose contact potential, if it has one, has this normal damping, N s/m.
    pub fn check(self, model: &Model, normal_damping: f64) -> Result<(), UnsupportedScene> {
        let (scheme, capable) = (self, self.capabilities());
        let mut along = model.joint_forces.iter().chain(&model.closure_forces);
        if let Some(force) = along.find(|force| force.is_drive()).filter(|_| !capable.drives) {
            return Err(UnsupportedScene::Drive { scheme, force: force.name.clone() });
        }
        let limited = model.joints().find(|joint| joint.limits.iter().any(Option::is_some));
        if let Some(joint) = limited.filter(|_| !capable.joint_limits) {
            return Err(UnsupportedScene::Limits { scheme, joint: joint.name.clone() });
        }
        let Some(contacts) = &model.contacts else {
            return match capable.without_contact || capable.joint_limits && model.has_joint_rows() {
                true => Ok(()),
                false => Err(UnsupportedScene::NoContact { scheme }),
            };
        };
        if capable.contact == ContactSupport::None {
            return Err(UnsupportedScene::Contact { scheme });
        }
        let body = |index: usize| model.bodies[index].name.clone();
        let driven = contacts.parts.iter().find(|part| part.motion.is_some());
        if let Some(part) = driven.filter(|_| !capable.driven_bodies) {
            return Err(UnsupportedScene::Driven { scheme, body: body(part.body) });
        }
        let rough = contacts.surfaces().find(|(_, surface)| surface.friction > 0.0);
        if let Some((index, surface)) = rough.filter(|_| !capable.friction) {
            return Err(UnsupportedScene::Friction { scheme, body: body(index), friction: surface.friction });
        }
        let inelastic = contacts.surfaces().find(|(_, surface)| surface.restitution < 1.0);
        let elastic = capable.restitution == RestitutionSupport::Elastic && !(normal_damping > 0.0);
        if let Some((index, surface)) = inelastic.filter(|_| elastic) {
            let restitution = surface.restitution;
            return Err(UnsupportedScene::Restitution { scheme, body: body(index), restitution });
        }
        Ok(())
    }
}

impl Capabilities {
    /// Whether contact is a potential, a force like others.
    pub fn uses_potential(&self) -> bool {
        self.contact == ContactSupport::Potential
    }

    /// Whether every step is a complementarity problem.
    pub fn uses_complementarity(&self) -> bool {
        self.contact == ContactSupport::Complementarity
    }
}

/// Error of a scene that a scheme cannot simulate.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum UnsupportedScene {
    /// A scheme for collisions, and a scene without contact.
    #[error(
        "the scheme {scheme} is for bodies that collide, but nothing does; add [contact], or choose the scheme {}",
        SchemeKind::default()
    )]
    NoContact {
        /// The scheme.
        scheme: SchemeKind,
    },
    /// A drive along a joint, and a scheme without.
    #[error(
        "`{force}` is a drive (a velocity motor, a servo, or friction in a joint), which the scheme {scheme} does not have; use a motor of a given torque, a torsion spring or a torsion damper, or choose {}",
        choice(&names(|capable| capable.drives))
    )]
    Drive {
        /// The scheme.
        scheme: SchemeKind,
        /// The force.
        force: String,
    },
    /// Joint limits, and a scheme that does not enforce them.
    #[error(
        "joint `{joint}` has limits, which the scheme {scheme} does not enforce; remove `limits`, or choose {}",
        choice(&names(|capable| capable.joint_limits))
    )]
    Limits {
        /// The scheme.
        scheme: SchemeKind,
        /// The joint.
        joint: String,
    },
    /// Bodies that collide, and a scheme without contact.
    #[error(
        "bodies collide, but the scheme {scheme} has no contact; choose one of {}, or remove [contact]",
        names(|capable| capable.contact != ContactSupport::None).join(", ")
    )]
    Contact {
        /// The scheme.
        scheme: SchemeKind,
    },
    /// A driven body in contact, and a scheme in which fixed bodies are at rest.
    #[error(
        "`{body}` has a motion, but the scheme {scheme} treats fixed bodies as at rest; choose the scheme {}, or remove the motion",
        choice(&names(|capable| capable.driven_bodies))
    )]
    Driven {
        /// The scheme.
        scheme: SchemeKind,
        /// A driven body.
        body: String,
    },
    /// Friction, and a scheme without.
    #[error(
        "the surface of `{body}` has friction {friction}, but the scheme {scheme} has no friction; set friction to 0, or choose {}",
        choice(&names(|capable| capable.friction))
    )]
    Friction {
        /// The scheme.
        scheme: SchemeKind,
        /// A body with friction.
        body: String,
        /// Its coefficient.
        friction: f64,
    },
    /// Restitution, and a scheme with an elastic potential.
    #[error(
        "the surface of `{body}` has restitution {restitution}, but under the scheme {scheme} contact is elastic unless it has normal damping; set restitution to 1, give [contact] a normal_damping, or choose {}",
        choice(&names(|capable| capable.restitution == RestitutionSupport::Any))
    )]
    Restitution {
        /// The scheme.
        scheme: SchemeKind,
        /// A body that is not elastic.
        body: String,
        /// Its coefficient.
        restitution: f64,
    },
}

/// Names of the schemes with a capability.
fn names(capable: impl Fn(&Capabilities) -> bool) -> Vec<&'static str> {
    SchemeKind::with(capable).map(SchemeKind::name).collect()
}

/// A choice: `one, another or a third`.
fn choice(names: &[&'static str]) -> String {
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The table of capabilities as Markdown, for the guide.
pub fn capabilities_markdown() -> String {
    let mut text = String::from(
        "| scheme | order | coordinates | contact | without contact | restitution | friction | driven bodies | loops | motors | drives | joint limits | planar | soft bodies |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let yes = |capable: bool| if capable { "yes" } else { "–" };
    for kind in SchemeKind::ALL {
        let c = kind.capabilities();
        let coordinates = match c.coordinates {
            Coordinates::Reduced => "reduced",
            Coordinates::Maximal => "maximal",
        };
        let contact = match c.contact {
            ContactSupport::None => "–",
            ContactSupport::Potential => "potential",
            ContactSupport::Impacts => "impacts",
            ContactSupport::Complementarity => "complementarity",
        };
        let restitution = match c.restitution {
            RestitutionSupport::None => "–",
            RestitutionSupport::Elastic => "1, less by damping",
            RestitutionSupport::Any => "0 to 1",
        };
        let cells = [
            c.without_contact,
            c.friction,
            c.driven_bodies,
            c.loops,
            c.motors,
            c.drives,
            c.joint_limits,
            c.planar,
            c.soft_bodies,
        ]
        .map(yes);
        let [without, friction, driven, loops, motors, drives, limits, planar, soft] = cells;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| `{kind}` | {} | {coordinates} | {contact} | {without} | {restitution} | {friction} | {driven} | {loops} | {motors} | {drives} | {limits} | {planar} | {soft} |",
            c.order
        );
    }
    text
}
