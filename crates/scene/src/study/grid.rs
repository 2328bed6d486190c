//! The points of the grid, in one order: curve by curve, each along the axis.
//!
//! Curves are the combinations of the values of all axes but one, the first axis of the file slowest.

use super::{Axis, AxisValue, Study};
use std::collections::BTreeMap;

/// A combination of values of the axes that make curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// A value for each of these axes.
    pub at: BTreeMap<String, AxisValue>,
    /// In words; empty if there is only one.
    pub label: String,
    /// What it overrides, in the order of the axes.
    pub(super) changes: Vec<(String, String)>,
}

impl Study {
    /// The axis that figures are drawn over.
    pub fn axis(&self) -> &Axis {
        &self.axes[self.x]
    }

    /// The axes that make curves, in the order of the file.
    pub fn curve_axes(&self) -> impl Iterator<Item = &Axis> {
        self.axes.iter().enumerate().filter(|(k, _)| *k != self.x).map(|(_, axis)| axis)
    }

    /// All curves in their order: one if there is no axis to make more.
    pub fn curves(&self) -> Vec<Curve> {
        let mut all = vec![Curve { at: BTreeMap::new(), label: String::new(), changes: Vec::new() }];
        for axis in self.curve_axes() {
            let longer = |curve: &Curve, value: &AxisValue| {
                let mut longer = curve.clone();
                longer.at.insert(axis.name.clone(), value.clone());
                let comma = if longer.label.is_empty() { "" } else { ", " };
                longer.label += &format!("{comma}{}", axis.says(value));
                longer.changes.push((axis.path.clone(), value.toml()));
                longer
            };
            all = all.iter().flat_map(|curve| axis.values.iter().map(|value| longer(curve, value))).collect();
        }
        all
    }
}
