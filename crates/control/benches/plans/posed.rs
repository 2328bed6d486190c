//! The program that a search begins with, and its start.

use percussion_control::guess::Guess;
use percussion_control::plan::Plan;
use percussion_control::transcription::{Point, ResolvedContact, Setup, Transcription};

/// A program and where it is begun.
pub struct Posed {
    pub program: Transcription,
    pub start: Point,
}

impl Posed {
    /// Of a plan whose bodies are clear of each other in the guess, except where they meet on purpose.
    pub fn new(plan: &Plan, guess: &Guess) -> Self {
        let path = guess.work_out(plan).unwrap();
        let encounters = plan
            .meetings
            .iter()
            .map(|meeting| ResolvedContact::find(&plan.model, meeting, &path.nodes[meeting.node]).unwrap());
        let setup = Setup { encounters: encounters.collect(), apart: Vec::new() };
        let mut program = Transcription::new(plan.clone(), setup);
        let start = program.candidate(path.nodes, &path.efforts, &path.scales);
        Self { program, start }
    }
}
