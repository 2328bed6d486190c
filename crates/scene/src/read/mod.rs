//! Reader of an expanded scene: from bodies, joints and forces to a model and its initial state.

pub(crate) mod assembly;
pub(crate) mod bodies;
mod contact;
pub(crate) mod forces;
pub(crate) mod joints;
mod lamina;
mod materials;
mod model_errors;
mod motion;
mod plan;
mod plane;
mod run;
mod scene_parts;
mod shapes;
mod start;

pub use contact::ContactSettings;
pub use materials::Material;
pub use plan::{PlanGuess, PlanSettings, ShootSettings};
pub use run::{RunSettings, schemes};

use crate::keys::TOP;
use crate::report::{Read, Report};
use crate::tree::{Fields, Node, Table};
use forces::ForceContext;
use joints::BodyTable;
use percussion_geometry::{Pose, Vec3};
use percussion_mechanics::{Model, State};
use scene_parts::SceneParts;
use start::ModelAssembler;

/// A scene: the model, its initial state, and the settings of its run, plan or shooting.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The name of its folder or file.
    pub name: String,
    /// Its title, one line.
    pub title: String,
    /// Its description.
    pub description: String,
    /// The model: everything that is constant in time.
    pub model: Model,
    /// The state at time zero.
    pub state: State,
    /// Settings of the run.
    pub run: RunSettings,
    /// Settings of contact; without them nothing collides.
    pub contact: Option<ContactSettings>,
    /// The optimal control problem of `[plan]`, if there is one.
    pub plan: Option<PlanSettings>,
    /// The shooting problem of `[shoot]`, if there is one.
    pub shoot: Option<ShootSettings>,
    /// The materials.
    pub materials: Vec<Material>,
    /// The material of each body, as an index into `materials`.
    pub body_materials: Vec<Option<usize>>,
    /// The color of each body (red, green, blue), where the scene gives one.
    pub body_colors: Vec<Option<[u8; 3]>>,
    /// The resolved scene: includes, overrides, templates and patterns written out. It loads to a bitwise identical model.
    pub resolved: String,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Reads everything, so that all complaints are reported, and builds the model if there are none. Name, resolved text and warnings
/// are added by the caller.
pub(crate) fn build(report: &Report, root: &Node) -> Read<Scene> {
    let top = Fields::of(report, root, "", &TOP)?;
    for name in ["shapes", "materials", "bodies", "joints", "forces"] {
        _ = top.entries(name);
    }
    let title = top.text("title").map(|text| text.unwrap_or_default().to_owned());
    let description = top.text("description").map(|text| text.unwrap_or_default().to_owned());
    let gravity = top.vector("gravity").map(|vector| vector.unwrap_or_else(Vec3::zeros));
    let empty = Node { place: root.place, value: crate::tree::Value::Table(Table::default()) };
    let run = run::run(report, top.table, &empty);
    let materials = materials::materials(report, top.table);
    let shapes = shapes::Shapes::read(report, top.table);
    let written = bodies::bodies(report, top.table, &shapes, &materials);
    let body_table = BodyTable::new(report, &written);
    let joints = joints::joints(&body_table, top.table);
    let poses_as_written: Vec<Pose> =
        written.iter().map(|(_, body)| body.as_ref().map_or_else(Pose::identity, |b| b.pose)).collect();
    let poses = assembly::assemble(&poses_as_written, &joints, &[]);
    let context = ForceContext {
        body_table: &body_table,
        joints: &joints,
        joints_table: top.table.table("joints"),
        poses: &poses,
    };
    let forces = forces::forces(&context, top.table);
    let contact = contact::contact(&body_table, top.table);
    if report.is_clean() {
        plane::check(report, &written, &joints, &poses);
    }
    let (title, description, gravity, mut run, contact) = (title?, description?, gravity?, run?, contact?);
    if !report.is_clean() {
        return Err(crate::report::Reported);
    }
    if !written.iter().any(|(_, body)| body.as_ref().is_some_and(|b| b.body.moves())) {
        let remedy = "define one under [bodies.NAME]";
        return Err(report.complain(top.place_of("bodies"), "the scene has no body that moves", remedy));
    }
    let parts = SceneParts {
        gravity,
        project_velocities: run.project_velocities,
        bodies: &written,
        joints: &joints,
        forces,
    };
    let builder = parts.builder(&parts.as_written(poses));
    let assembler = ModelAssembler { report, top: &top, bodies: &written, joints: &joints, builder };
    let (model, state, contact) = assembler.assemble(contact.as_ref(), &materials, &mut run)?;
    let (contact, spec) = contact.unzip();
    let built = plan::Built { model: &model, state: &state, scheme: run.scheme, contact: spec.as_ref() };
    let plan = plan::plan(&body_table, &parts, &built, top.table);
    let shoot = plan::shoot(&body_table, &parts, &built, top.table);
    let (plan, shoot) = (plan?, shoot?);
    // There are no bodies with complaints here.
    let body_materials = written.iter().filter_map(|(_, body)| Some(body.as_ref()?.material)).collect();
    let body_colors = written.iter().filter_map(|(_, body)| Some(body.as_ref()?.color)).collect();
    Ok(Scene {
        name: String::new(),
        title,
        description,
        run,
        contact,
        plan,
        shoot,
        materials,
        body_materials,
        body_colors,
        model,
        state,
        resolved: String::new(),
        warnings: Vec::new(),
    })
}
