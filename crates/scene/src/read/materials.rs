//! Materials: density for masses, friction and restitution for contact.

use crate::report::{Read, Report};
use crate::tree::{Fields, Table};

/// Name of a density, with its unit.
pub(super) const DENSITY: &str = "number of kilograms per cubic metre, or per square metre if planar";

/// A material of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// kg/m³; of planar shapes kg/m².
    pub density: Option<f64>,
    /// Coulomb's coefficient of friction, zero or more.
    pub friction: Option<f64>,
    /// Coefficient of restitution, from zero to one.
    pub restitution: Option<f64>,
}

/// The materials under `[materials]`, without those with complaints.
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
    let (density, surface) = (fields.positive("density", DENSITY), coefficients(fields));
    let (density, (restitution, friction)) = (density?, surface?);
    Ok(Material { name: name.to_owned(), density, friction, restitution })
}

/// `restitution` and `friction` of a surface.
pub(crate) fn coefficients(fields: &Fields) -> Read<(Option<f64>, Option<f64>)> {
    let (friction, restitution) =
        (fields.not_negative("friction", "coefficient"), fields.number("restitution"));
    let (friction, restitution) = (friction?, restitution?);
    if let Some(e) = restitution.filter(|e| !(0.0..=1.0).contains(e)) {
        return Err(fields.wrong("restitution", &format!("is {e}"), "give a number from 0 to 1"));
    }
    Ok((restitution, friction))
}
