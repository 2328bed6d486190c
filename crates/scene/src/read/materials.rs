//! Materials: what bodies are made of. Densities make masses; friction and restitution are kept for schemes with contact.

use crate::report::{Read, Report};
use crate::tree::{Fields, Table};

/// A material of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// kg/m³
    pub density: Option<f64>,
    /// Coulomb's coefficient, from zero.
    pub friction: Option<f64>,
    /// Coefficient of restitution, from zero to one.
    pub restitution: Option<f64>,
}

/// The materials under `[materials]`, those with complaints left out.
pub(crate) fn materials(report: &Report, root: &Table) -> Vec<Material> {
    let entries = root.table("materials").map_or(&[][..], |table| &table.entries);
    let mut all = Vec::new();
    for entry in entries {
        let name = format!("materials.{}", entry.key);
        let known = ["density", "friction", "restitution"];
        let Ok(fields) = Fields::of(report, &entry.node, &name, &known) else { continue };
        all.extend(material(&entry.key, &fields).ok());
    }
    all
}

fn material(name: &str, fields: &Fields) -> Read<Material> {
    let density = fields.positive("density", "number of kilograms per cubic metre")?;
    let friction = fields.not_negative("friction", "coefficient")?;
    let restitution = fields.number("restitution")?;
    if let Some(e) = restitution.filter(|e| !(0.0..=1.0).contains(e)) {
        return Err(fields.wrong("restitution", &format!("is {e}"), "give a number from 0 to 1"));
    }
    Ok(Material { name: name.to_owned(), density, friction, restitution })
}
