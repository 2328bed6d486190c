//! Forces along a coordinate of a joint: springs, dampers, motors.

use super::{ForceResult, Reader, WrittenForce};
use crate::read::joints::coordinate_names;
use crate::report::Read;
use percussion_mechanics::force::{JointForce, JointLaw};
use percussion_mechanics::table::Table as TimeTable;

impl Reader<'_> {
    pub(super) fn torsion_spring(&self) -> ForceResult {
        self.keys(&["joint", "coordinate", "stiffness", "rest"]);
        let what = "stiffness in N m/rad or N/m";
        let stiffness = self.needed("stiffness", self.f.not_negative("stiffness", what));
        let rest = self.f.number("rest");
        let Some(along) = self.along()? else { return Ok(Vec::new()) };
        Ok(self.joint(along, JointLaw::Spring { stiffness: stiffness?, rest: rest?.unwrap_or(0.0) }))
    }

    pub(super) fn torsion_damper(&self) -> ForceResult {
        self.keys(&["joint", "coordinate", "damping"]);
        let what = "damping in N m s/rad or N s/m";
        let damping = self.needed("damping", self.f.not_negative("damping", what));
        let Some(along) = self.along()? else { return Ok(Vec::new()) };
        Ok(self.joint(along, JointLaw::Damper { damping: damping? }))
    }

    pub(super) fn motor(&self) -> ForceResult {
        self.keys(&["joint", "coordinate", "value", "times", "values"]);
        let time_table = match self.f.number("value")? {
            Some(value) => {
                self.f.refuse(
                    &["times", "values"],
                    "is given together with `value`",
                    "keep one of the two",
                )?;
                TimeTable::constant([value])
            }
            None => {
                let remedy = "give a constant `value`, or `times` and `values`";
                let times = self.f.number_list("times")?.ok_or_else(|| self.f.missing("times", remedy))?;
                let values = self.f.number_list("values")?.ok_or_else(|| self.f.missing("values", remedy))?;
                self.time_table(times, values.into_iter().map(|value| [value]).collect())?
            }
        };
        let Some(along) = self.along()? else { return Ok(Vec::new()) };
        Ok(self.joint(along, JointLaw::Motor(time_table)))
    }

    fn joint(&self, (slot, coordinate): (usize, usize), law: JointLaw) -> Vec<WrittenForce> {
        vec![WrittenForce::Joint(JointForce { name: self.name.to_owned(), slot, coordinate, law })]
    }

    /// The joint and coordinate of a force: index among the joints of the tree, and index of the coordinate.
    fn along(&self) -> Read<Option<(usize, usize)>> {
        let f = &self.f;
        let name = self.needed("joint", f.text("joint"))?;
        let place = f.node("joint").map_or(f.place, |node| node.place);
        let trees = || self.context.joints.iter().filter(|joint| !joint.closes_loop);
        let Some(slot) = trees().position(|joint| joint.spec.name == name) else {
            if self.context.joints.iter().any(|joint| joint.spec.name == name) {
                let remedy = "close the loop by another joint, or act along another joint";
                let message = format!("joint `{name}` closes a loop and has no coordinates");
                return Err(f.report.complain(place, message, remedy));
            }
            if self.context.joints_table.is_some_and(|table| table.entry(name).is_some()) {
                return Ok(None);
            }
            let known = trees().map(|joint| joint.spec.name.as_str());
            let message = format!("there is no joint `{name}`");
            return Err(f.report.unknown(place, message, name, known, "define it under [joints]"));
        };
        let kind = trees().nth(slot).map(|joint| joint.spec.kind);
        let names = kind.map_or(&[][..], coordinate_names);
        let coordinate = match f.text("coordinate")? {
            Some(_) if !names.is_empty() => {
                let word = f.word("coordinate", names)?;
                names.iter().position(|name| Some(*name) == word).unwrap_or(0)
            }
            None if names.len() > 1 => {
                return Err(f.missing("coordinate", &format!("give one of {}", names.join(", "))));
            }
            // A joint without coordinates is reported when the model is built.
            _ => 0,
        };
        Ok(Some((slot, coordinate)))
    }
}
