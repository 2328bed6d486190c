//! Whether a scheme can express a scene.
//!
//! ```text
//! no contact                  the variational schemes, the Newmark schemes, lcp
//! contact as a potential      potential, the Newmark schemes     elastic, or inelastic by drag; no friction
//! impacts                     exact                              any restitution; no friction
//!                             decomposition, dissipative, lcp        any restitution and friction
//! driven bodies that touch    lcp
//! ```

use super::NAMES;
use crate::model::Model;
use thiserror::Error;

/// Schemes for scenes in which nothing collides. The scheme lcp runs them too, with order one and joints as constraints.
pub const WITHOUT_CONTACT: [&str; 5] = [
    "variational",
    "variational-projected",
    "variational-multipliers",
    "newmark-explicit",
    "newmark-implicit",
];

/// Schemes under which contact is a potential.
const BY_POTENTIAL: [&str; 3] = ["potential", "newmark-explicit", "newmark-implicit"];

/// Schemes that compute impacts.
const BY_IMPACTS: [&str; 4] = ["exact", "decomposition", "dissipative", "lcp"];

/// Schemes that know friction.
const WITH_FRICTION: [&str; 3] = ["decomposition", "dissipative", "lcp"];

/// Schemes that know bodies on prescribed paths that others touch; where nothing can touch them they are scenery to all.
const WITH_MOTION: [&str; 1] = ["lcp"];

/// Whether contact is a potential under a scheme.
pub fn uses_potential(name: &str) -> bool {
    BY_POTENTIAL.contains(&name)
}

/// Whether a scheme wants a model without a tree, from [`ModelBuilder::build_open`](crate::ModelBuilder::build_open).
pub fn builds_open(name: &str) -> bool {
    name == "lcp"
}

/// Whether a scheme can run scenes in which bodies collide.
pub fn knows_contact(name: &str) -> bool {
    uses_potential(name) || BY_IMPACTS.contains(&name)
}

/// Whether a scheme runs such scenes only.
pub fn needs_contact(name: &str) -> bool {
    knows_contact(name) && !WITHOUT_CONTACT.contains(&name) && !builds_open(name)
}

/// Why a scheme cannot run a scene.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum UnsupportedScene {
    /// A scheme of collisions, and nothing that collides.
    #[error(
        "the scheme {scheme} is for bodies that collide, but nothing does; add [contact], or choose the scheme variational"
    )]
    NoContact {
        /// The scheme.
        scheme: String,
    },
    /// Bodies that collide, and a scheme that does not know it.
    #[error(
        "bodies collide, but the scheme {scheme} knows no contact; choose one of {}, or remove [contact]",
        knowing().join(", ")
    )]
    UnknownContact {
        /// The scheme.
        scheme: String,
    },
    /// A driven body that others can touch, under a scheme to which fixed bodies are at rest.
    #[error(
        "`{body}` has a motion, but to the scheme {scheme} what is fixed is at rest; choose the scheme {}, or remove the motion",
        WITH_MOTION.join(" or ")
    )]
    Driven {
        /// The scheme.
        scheme: String,
        /// A driven body.
        body: String,
    },
    /// Friction under a scheme without.
    #[error(
        "the surface of `{body}` has friction {friction}, which the scheme {scheme} does not know; set friction to 0, or choose {}",
        either(&WITH_FRICTION)
    )]
    Friction {
        /// The scheme.
        scheme: String,
        /// A body with friction.
        body: String,
        /// Its coefficient.
        friction: f64,
    },
    /// Restitution under a potential, which is elastic.
    #[error(
        "the surface of `{body}` has restitution {restitution}, but under the scheme {scheme} contact is elastic unless it has drag; set restitution to 1, give [contact] a drag, or choose {}",
        either(&BY_IMPACTS)
    )]
    Restitution {
        /// The scheme.
        scheme: String,
        /// A body that is not elastic.
        body: String,
        /// Its coefficient.
        restitution: f64,
    },
}

/// Names of these that there are.
fn those(names: &[&'static str]) -> Vec<&'static str> {
    NAMES.into_iter().filter(|name| names.contains(name)).collect()
}

/// The same as a choice: `one, another or a third`.
fn either(names: &[&'static str]) -> String {
    match those(names).split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn knowing() -> Vec<&'static str> {
    NAMES.into_iter().filter(|name| knows_contact(name)).collect()
}

/// Whether the scheme of a name can express a model whose contact potential, if it has one, has this drag (N s/m).
pub fn fit(name: &str, model: &Model, drag: f64) -> Result<(), UnsupportedScene> {
    let scheme = || name.to_owned();
    let Some(contacts) = &model.contacts else {
        return if needs_contact(name) {
            Err(UnsupportedScene::NoContact { scheme: scheme() })
        } else {
            Ok(())
        };
    };
    if !knows_contact(name) {
        return Err(UnsupportedScene::UnknownContact { scheme: scheme() });
    }
    let body = |index: usize| model.bodies[index].name.clone();
    let driven = contacts.parts.iter().find(|part| part.motion.is_some());
    if let Some(part) = driven.filter(|_| !WITH_MOTION.contains(&name)) {
        return Err(UnsupportedScene::Driven { scheme: scheme(), body: body(part.body) });
    }
    let rough = contacts.surfaces().find(|(_, surface)| surface.friction > 0.0);
    if let Some((index, surface)) = rough.filter(|_| !WITH_FRICTION.contains(&name)) {
        return Err(UnsupportedScene::Friction {
            scheme: scheme(),
            body: body(index),
            friction: surface.friction,
        });
    }
    let lossy = contacts.surfaces().find(|(_, surface)| surface.restitution < 1.0);
    if let Some((index, surface)) = lossy.filter(|_| uses_potential(name) && !(drag > 0.0)) {
        let restitution = surface.restitution;
        return Err(UnsupportedScene::Restitution { scheme: scheme(), body: body(index), restitution });
    }
    Ok(())
}
