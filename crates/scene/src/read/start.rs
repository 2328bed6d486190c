//! Assembly of the model and its initial state; with contact, the stiffness of the potential and the check of initial penetrations.

use super::bodies::WrittenBody;
use super::contact::{ContactSettings, WrittenContact};
use super::joints::WrittenJoint;
use super::materials::Material;
use super::{RunSettings, model_errors};
use crate::penetration::PenetrationMonitor;
use crate::report::{Read, Report};
use crate::tolerances::INITIAL_PENETRATION;
use crate::tree::Fields;
use percussion_mechanics::contact::ContactSpec;
use percussion_mechanics::model::{Suggestion, suggested_stiffness};
use percussion_mechanics::schemes::{Coordinates, SchemeKind, project_start};
use percussion_mechanics::{BodyId, Model, ModelBuilder, State};

/// Assembles the model of a scene that has been read.
pub(crate) struct ModelAssembler<'a> {
    pub report: &'a Report,
    pub top: &'a Fields<'a>,
    pub bodies: &'a [(String, Option<WrittenBody>)],
    pub joints: &'a [WrittenJoint],
    pub builder: ModelBuilder,
}

/// Model, initial state, and with contact its settings and specification.
type AssembledModel = (Model, State, Option<(ContactSettings, ContactSpec)>);

impl ModelAssembler<'_> {
    /// Model and initial state, with contact.
    pub fn assemble(
        &self,
        contact: Option<&WrittenContact>,
        materials: &[Material],
        run: &mut RunSettings,
    ) -> Read<AssembledModel> {
        let Some(contact) = contact else {
            let (model, state) = self.build(run.scheme, None)?;
            self.check_scheme(run, &model, 0.0)?;
            return Ok((model, state, None));
        };
        run.options.contact = contact.options;
        let mut spec = contact.spec(run.scheme, self.bodies, self.joints, materials);
        let (mut model, mut state) = self.build(run.scheme, Some(&spec))?;
        self.check_scheme(run, &model, contact.normal_damping)?;
        self.warn_without_pairs(contact, &model);
        let mut settings = contact.settings(&spec, &model);
        if let (Some(potential), None) = (&mut spec.potential, contact.stiffness)
            && let Some(stiffness) =
                self.suggest_stiffness(contact, run.step, settings.allowed_penetration, &model, &state)
        {
            potential.stiffness = stiffness;
            settings.potential = spec.potential;
            (model, state) = self.build(run.scheme, Some(&spec))?;
        }
        self.check_penetration(contact, &settings, &model, &mut state)?;
        Ok((model, state, Some((settings, spec))))
    }

    fn build(&self, scheme: SchemeKind, contact: Option<&ContactSpec>) -> Read<(Model, State)> {
        let mut builder = self.builder.clone();
        if let Some(contact) = contact {
            builder.contact(contact.clone());
        }
        let report_model_error =
            |error| model_errors::report_model_error(self.report, self.top, self.bodies, self.joints, &error);
        let built = match scheme.capabilities().coordinates {
            Coordinates::Maximal => builder.build_open(),
            Coordinates::Reduced => builder.build(),
        };
        let (model, mut state) = built.map_err(report_model_error)?;
        set_coordinates(&model, &mut state, self.joints);
        if !state.is_finite() {
            let message = "the initial state is not finite: products of its numbers overflow";
            let place = self.top.place_of("bodies");
            return Err(self.report.complain(place, message, "use units nearer to one"));
        }
        Ok((model, state))
    }

    /// Reports a scheme that does not support the scene, at its place.
    fn check_scheme(&self, run: &RunSettings, model: &Model, drag: f64) -> Read<()> {
        run.scheme.check(model, drag).map_err(|unfit| {
            let scheme = self.top.table.table("run").and_then(|run| run.entry("scheme"));
            let place = scheme.map_or(self.top.place_of("contact"), |entry| entry.place);
            self.report.complain_with(place, &unfit.to_string())
        })
    }

    /// Warns if no bodies can collide.
    fn warn_without_pairs(&self, contact: &WrittenContact, model: &Model) {
        let Some(contacts) = &model.contacts else { return };
        let n = contacts.parts.len();
        if !(0..n).any(|a| (a + 1..n).any(|b| contacts.may_collide(a, b))) {
            let text = "there is [contact], but no two bodies with shapes can collide";
            self.report.warn(Some(contact.place), text);
        }
    }

    /// The stiffness for the allowed penetration, or the largest that the step resolves; none where nothing can collide.
    fn suggest_stiffness(
        &self,
        contact: &WrittenContact,
        step: f64,
        allowed_penetration: f64,
        model: &Model,
        state: &State,
    ) -> Option<f64> {
        let Suggestion { stiffness, predicted_overlap, step_needed } =
            suggested_stiffness(model, state, step, allowed_penetration)?;
        if let Some(needed) = step_needed {
            let text = format!(
                "with steps of {step:e} s the contact potential allows penetrations of about {predicted_overlap:.1e} m, more than the \
                 {allowed_penetration:.1e} m allowed; take steps of {needed:.1e} s, or allow more with `allowed_penetration`"
            );
            self.report.warn(Some(contact.place), &text);
        }
        Some(stiffness)
    }

    /// Reports bodies that penetrate each other at the start by more than is allowed, or separates them if `project_start` is set.
    fn check_penetration(
        &self,
        contact: &WrittenContact,
        settings: &ContactSettings,
        model: &Model,
        state: &mut State,
    ) -> Read<()> {
        let Some(contacts) = &model.contacts else { return Ok(()) };
        let too_deep = |state: &State| {
            let (depth, (a, b)) = PenetrationMonitor::new(model, state)?.deepest(state)?;
            let (a, b) = (&contacts.parts[a], &contacts.parts[b]);
            let rounding = INITIAL_PENETRATION * a.radius.min(b.radius);
            let allowed = if settings.potential.is_some() {
                settings.allowed_penetration.max(rounding)
            } else {
                rounding
            };
            (depth > allowed).then_some((depth, allowed, a, b))
        };
        let mut found = too_deep(state);
        let mut failed = None;
        if found.is_some() && settings.project_start {
            failed = project_start(model, state).err();
            found = too_deep(state);
        }
        let Some((depth, allowed, a, b)) = found else { return Ok(()) };
        let (first, second) = (a.body_name(model), b.body_name(model));
        let more = match settings.potential {
            Some(_) => format!(", more than the allowed {allowed:e} m"),
            None => String::new(),
        };
        let message =
            format!("`{first}` and `{second}` penetrate each other by {depth:e} m at the start{more}");
        let projected = settings.project_start;
        let remedy = match failed {
            None if !projected => {
                "move one of them, or separate them with --project-start or project_start = true in [contact]"
                    .to_owned()
            }
            None => "they cannot be separated automatically; move one of them".to_owned(),
            Some(failure) => {
                format!("they cannot be separated automatically ({}); move one of them", failure.error)
            }
        };
        let later = self.bodies[a.body.max(b.body)].1.as_ref();
        Err(self.report.complain(later.map_or(contact.place, |body| body.place), message, remedy))
    }
}

/// Sets coordinates as given: computed from poses they would lose whole revolutions and the last digit.
pub(super) fn set_coordinates(model: &Model, state: &mut State, joints: &[WrittenJoint]) {
    for joint in joints {
        let BodyId(child) = joint.spec.child;
        let (Some(given), Some(slot)) = (&joint.coordinates, model.slots[child]) else { continue };
        // A joint that is a constraint has no coordinates.
        let link = &model.links[slot];
        if link.joint.name == joint.spec.name {
            state.coordinates[link.coordinates()].copy_from_slice(given);
        }
    }
}
