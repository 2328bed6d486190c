//! The program that a search begins with, and its start.

use percussion_control::guess::Guess;
use percussion_control::plan::Plan;
use percussion_control::transcription::{ConstraintSet, Iterate, ResolvedContact, Transcription};

/// A program and where it is begun.
pub struct Posed {
    pub program: Transcription,
    pub start: Iterate,
}

impl Posed {
    /// Of a plan whose bodies are separated in the guess, except at planned contacts.
    pub fn new(plan: &Plan, guess: &Guess) -> Self {
        let path = guess.initial_path(plan).unwrap();
        let contacts = plan
            .contacts
            .iter()
            .map(|planned| ResolvedContact::find(&plan.model, planned, &path.nodes[planned.node]).unwrap());
        let constraint_set = ConstraintSet { contacts: contacts.collect(), separations: Vec::new() };
        let mut program = Transcription::new(plan.clone(), constraint_set);
        let start = program.initial_iterate(path.nodes, &path.inputs, &path.time_scales);
        Self { program, start }
    }
}
