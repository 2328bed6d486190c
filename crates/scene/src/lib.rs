//! Scene files: from text to a model and back.
//!
//! Reads TOML with the places of all keys and values. Every complaint has file, line and remedy, and as many as possible are reported at
//! once. **Opens files**; prints nothing.
//!
//! ```text
//! text  -> tree      values with their places                     tree/
//!       -> expand    includes, overrides, templates, patterns     expand/    -> resolved text
//!       -> read      shapes, bodies, joints, forces, a plan       read/
//!       -> Model, State, RunSettings, PlanSettings, ShootSettings
//! ```
//!
//! ```
//! use percussion_scene::Scene;
//!
//! let text = r#"
//!     gravity = [0, 0, -9.81]
//!     run = { step = 1e-3, until = 1 }
//!     [bodies.bob]
//!     shape = { sphere = 0.1 }
//!     mass = 2
//!     position = [0, 0, -1]
//!     [joints.pivot]
//!     kind = "spherical"
//!     parent = "world"
//!     child = "bob"
//!     at = [0, 0, 0]
//! "#;
//! let scene = Scene::parse(text, "pendulum.toml", ".", &[("bodies.bob.mass".into(), "3".into())])?;
//! assert_eq!(scene.model.bodies[0].mass, 3.0);
//! let error = Scene::parse(&text.replace("sphere", "shpere"), "pendulum.toml", ".", &[]).unwrap_err();
//! assert_eq!(error.complaints[0].line(), Some(5));
//! assert!(error.to_string().contains("did you mean `sphere`?"));
//! # Ok::<(), percussion_scene::SceneError>(())
//! ```
//!
//! A module depends only on modules above it in this list:
//!
//! ```text
//! tolerances   within which numbers of a file count as equal
//! spelling     suggestions for misspelt words
//! complaint    errors of a scene with place and remedy
//! vocabulary   keys and words that are accepted
//! report       source texts, and the complaints and warnings about them
//! tree         values with their places
//! orthonormal  rotation matrices from text
//! placement    poses: a position, and an orientation in one of several forms
//! keys         keys that both the expansion and the reading check
//! penetration  penetration of bodies
//! expand       includes, overrides, templates, patterns
//! read         bodies, joints and forces to a model and its initial state
//! scene        source text, model, initial state and settings
//! run          run folders
//! study        one scene at every point of a grid of overrides
//! ```

mod complaint;
mod expand;
mod keys;
mod orthonormal;
mod penetration;
mod placement;
mod read;
mod report;
pub mod run;
mod scene;
mod spelling;
pub mod study;
mod tolerances;
mod tree;
mod vocabulary;

pub use complaint::{Complaint, SceneError};
pub use orthonormal::orthonormal;
pub use read::{ContactSettings, Material, PlanGuess, PlanSettings, RunSettings, ShootSettings, schemes};
pub use scene::Scene;
pub use spelling::nearest;
pub use vocabulary::{AcceptedWords, Vocabulary};
