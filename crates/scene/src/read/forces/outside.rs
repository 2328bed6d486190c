//! External forces: attraction by a center, prescribed loads, drag in a medium.

use super::{ForceResult, Reader};
use crate::report::Read;
use crate::tree::Fields;
use percussion_geometry::Vec3;
use percussion_mechanics::force::{Anchor, Attraction, Axes, Drag, ForceLaw, Given, Load};
use percussion_mechanics::table::Table as TimeTable;

impl Reader<'_> {
    pub(super) fn attraction(&self) -> ForceResult {
        self.keys(&["center", "parameter", "softening", "body", "bodies"]);
        let what = "gravitational parameter G M in m³/s²";
        let parameter = self.needed("parameter", self.f.positive("parameter", what));
        let center = self.f.vector("center");
        let softening = self.softening();
        let Some(bodies) = self.named_bodies()? else {
            return Err(self.f.missing("bodies", "name the bodies that are attracted"));
        };
        let (parameter, softening) = (parameter?, softening?);
        let center = center?.unwrap_or_else(Vec3::zeros);
        Ok(self.each(&bodies, |body| {
            ForceLaw::Attraction(Attraction { softening, ..Attraction::new(body, center, parameter) })
        }))
    }

    pub(super) fn load(&self) -> ForceResult {
        self.keys(&["on", "force", "torque", "axes"]);
        let axes = match self.f.word("axes", &["world", "body"])? {
            Some("body") => Axes::Body,
            _ => Axes::World,
        };
        let (force, torque) = (self.components("force", axes)?, self.components("torque", axes)?);
        if force.is_none() && torque.is_none() {
            return Err(self.f.missing("force", "give `force`, `torque` or both"));
        }
        let Some(anchor) = self.anchor("on")? else { return Ok(Vec::new()) };
        Ok(self.points(ForceLaw::Load(Load { anchor, force, torque })))
    }

    /// Components in time: three numbers, or `{ times, values }`.
    fn components(&self, key: &str, axes: Axes) -> Read<Option<Given>> {
        let Some(node) = self.f.node(key) else { return Ok(None) };
        let components = if node.table().is_some() {
            let f = Fields::of(self.f.report, node, &self.f.path(key), &["times", "values"])?;
            let times = f.number_list("times")?.ok_or_else(|| f.missing("times", "list the times"))?;
            let values = f.rows::<3>("values")?.ok_or_else(|| f.missing("values", "list the vectors"))?;
            TimeTable::new(times, values)
                .map_err(|error| f.report.complain_with(f.place, &format!("`{}`: {error}", f.name)))?
        } else {
            TimeTable::constant(self.needed(key, self.f.numbers::<3>(key))?)
        };
        Ok(Some(Given { components, axes }))
    }

    pub(super) fn drag(&self) -> ForceResult {
        let coefficients = ["linear", "quadratic", "angular", "angular_quadratic"];
        self.keys(&["on", "body", "bodies", "medium", "linear", "quadratic", "angular", "angular_quadratic"]);
        if self.f.first_of(&coefficients).is_none() {
            return Err(self.f.missing("linear", "give at least one drag coefficient"));
        }
        let [linear, quadratic, angular, angular_quadratic] =
            coefficients.map(|key| Ok(self.f.not_negative(key, "coefficient")?.unwrap_or(0.0)));
        let medium = self.f.vector("medium");
        let drag = Drag {
            linear: linear?,
            quadratic: quadratic?,
            angular: angular?,
            angular_quadratic: angular_quadratic?,
            medium: medium?.unwrap_or_else(Vec3::zeros),
            ..Drag::at(Anchor { body: None, arm: Vec3::zeros() })
        };
        match self.named_bodies()? {
            Some(bodies) => {
                self.f.refuse(&["on"], "is given together with bodies", "keep one of the two")?;
                Ok(self.each(&bodies, |body| {
                    let arm = self.context.body_table.center_of_mass(body);
                    ForceLaw::Drag(Drag { anchor: Anchor { body: Some(body), arm }, ..drag.clone() })
                }))
            }
            None => match self.anchor("on")? {
                Some(anchor) => Ok(self.points(ForceLaw::Drag(Drag { anchor, ..drag }))),
                None => Ok(Vec::new()),
            },
        }
    }
}
