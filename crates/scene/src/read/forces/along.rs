//! Forces along a coordinate of a joint: springs, dampers, motors (of a torque, a velocity or a position).

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
        self.keys(&[
            "joint",
            "coordinate",
            "value",
            "values",
            "velocity",
            "velocities",
            "position",
            "positions",
            "times",
            "stiffness",
            "damping",
            "max_torque",
        ]);
        let f = &self.f;
        let kinds = [("value", "values"), ("velocity", "velocities"), ("position", "positions")];
        let given: Vec<_> = kinds.into_iter().filter(|(one, list)| f.has(one) || f.has(list)).collect();
        let &[(one, list)] = &given[..] else {
            let remedy = "give a torque (`value`), a `velocity` with `max_torque`, or a `position` with `stiffness`; for tables `times` with `values`, `velocities` or `positions`";
            return Err(match given.get(1) {
                Some((one, list)) => {
                    let key = if f.has(one) { one } else { list };
                    f.wrong(key, "is a second kind of motor", remedy)
                }
                None => f.missing("value", remedy),
            });
        };
        let table = self.motor_table(one, list)?;
        let gains = ["stiffness", "damping"];
        let limited = |max: Option<f64>| max.unwrap_or(f64::INFINITY);
        let max = f.not_negative("max_torque", "largest torque in N m, or force in N");
        let law = match one {
            "value" => {
                f.refuse(&["max_torque"], "is given to a motor with a given torque", "remove it")?;
                f.refuse(&gains, "is given to a motor with a given torque", "give a `position` instead")?;
                JointLaw::Motor(table)
            }
            "velocity" => {
                f.refuse(&gains, "is given to a velocity motor", "give a `position` instead, or remove it")?;
                JointLaw::Velocity { velocity: table, max: limited(max?) }
            }
            _ => {
                let stiffness =
                    self.needed("stiffness", f.positive("stiffness", "gain in N m/rad or N/m"))?;
                let damping = f.not_negative("damping", "gain in N m s/rad or N s/m")?.unwrap_or(0.0);
                JointLaw::Servo { stiffness, damping, position: table, max: limited(max?) }
            }
        };
        let Some(along) = self.along()? else { return Ok(Vec::new()) };
        Ok(self.joint(along, law))
    }

    /// A number under one key, or a table of `times` and a list under another.
    fn motor_table(&self, one: &str, list: &str) -> Read<TimeTable<1>> {
        let f = &self.f;
        if let Some(value) = f.number(one)? {
            let message = format!("is given together with `{one}`");
            f.refuse(&["times", list], &message, "keep one of the two")?;
            return Ok(TimeTable::constant([value]));
        }
        let remedy = format!("give a constant `{one}`, or `times` and `{list}`");
        let times = f.number_list("times")?.ok_or_else(|| f.missing("times", &remedy))?;
        let values = f.number_list(list)?.ok_or_else(|| f.missing(list, &remedy))?;
        self.time_table(times, values.into_iter().map(|value| [value]).collect())
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
