use crate::contact::{ContactOptions, Transcript};
use crate::discrete::StepFailure;
use crate::model::Model;
use crate::state::State;
#[derive(Debug)]
pub struct Response;
impl Response {
    pub fn new(_: &Model, _: &State, _: &ContactOptions) -> Self {
        Self
    }
    pub fn respond(
        &mut self,
        _: &Model,
        _: &mut State,
        _: f64,
        _: f64,
        _: Option<&[bool]>,
        _: &mut Transcript,
    ) -> Result<(), StepFailure> {
        Ok(())
    }
}
