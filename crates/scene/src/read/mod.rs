//! From an expanded scene (plain bodies, joints and forces) to a model and its first state.

pub(crate) mod assembly;
pub(crate) mod bodies;
mod contact;
pub(crate) mod forces;
pub(crate) mod joints;
mod lamina;
mod materials;
mod model_errors;
mod motion;
mod outlines;
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

/// What a scene says, built.
pub(crate) struct Built {
    pub title: String,
    pub description: String,
    pub run: RunSettings,
    pub contact: Option<ContactSettings>,
    pub plan: Option<PlanSettings>,
    pub shoot: Option<ShootSettings>,
    pub materials: Vec<Material>,
    pub body_materials: Vec<Option<usize>>,
    pub body_colors: Vec<Option<[u8; 3]>>,
    pub model: Model,
    pub state: State,
}

/// Reads everything, so that all complaints are heard, and builds the model if there are none.
pub(crate) fn build(report: &Report, root: &Node) -> Read<Built> {
    let top = Fields::of(report, root, "", &TOP)?;
    for name in ["shapes", "materials", "bodies", "joints", "forces"] {
        collection(&top, name);
    }
    let title = top.text("title").map(|text| text.unwrap_or_default().to_owned());
    let description = top.text("description").map(|text| text.unwrap_or_default().to_owned());
    let gravity = top.vector("gravity").map(|vector| vector.unwrap_or_else(Vec3::zeros));
    let nowhere = Node { place: root.place, value: crate::tree::Value::Table(Table::default()) };
    let run = run::run(report, top.table, &nowhere);
    let materials = materials::materials(report, top.table);
    let shapes = shapes::Shapes::read(report, top.table);
    let written = bodies::bodies(report, top.table, &shapes, &materials);
    let cast = BodyTable::new(report, &written);
    let joints = joints::joints(&cast, top.table);
    let placed: Vec<Pose> =
        written.iter().map(|(_, body)| body.as_ref().map_or_else(Pose::identity, |b| b.pose)).collect();
    let poses = assembly::assemble(&placed, &joints, &[]);
    let context =
        ForceContext { cast: &cast, joints: &joints, joints_table: top.table.table("joints"), poses: &poses };
    let forces = forces::forces(&context, top.table);
    let contact = contact::contact(&cast, top.table);
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
    let kit = SceneParts { gravity, project: run.project, bodies: &written, joints: &joints, forces };
    let builder = kit.builder(&kit.as_written(poses));
    let workshop = ModelAssembler { report, top: &top, bodies: &written, joints: &joints, builder };
    let (model, state, contact) = workshop.start(contact.as_ref(), &materials, &mut run)?;
    let (contact, spec) = contact.unzip();
    let built = plan::Built { model: &model, state: &state, scheme: &run.scheme, contact: spec.as_ref() };
    let (plan, shoot) =
        (plan::plan(&cast, &kit, &built, top.table), plan::shoot(&cast, &kit, &built, top.table));
    let (plan, shoot) = (plan?, shoot?);
    // Bodies with complaints have ended the reading above.
    let body_materials = written.iter().filter_map(|(_, body)| Some(body.as_ref()?.material)).collect();
    let body_colors = written.iter().filter_map(|(_, body)| Some(body.as_ref()?.colour)).collect();
    Ok(Built {
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
    })
}

/// Complains if a collection of named tables is anything else.
fn collection(top: &Fields, name: &str) {
    let Some(node) = top.node(name) else { return };
    if node.table().is_none() {
        let remedy = format!("write [{name}.NAME] and what it is below");
        _ = top.wrong(name, &format!("is {}, not a table of named things", node.kind()), &remedy);
    }
}
