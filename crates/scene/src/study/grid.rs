//! The points of the grid in their order: curve by curve, each along the abscissa axis.
//!
//! Curves are the combinations of the values of all axes but one, the first axis of the file slowest.

use super::{Axis, AxisValue, SCENE_PATH, Study};
use std::collections::BTreeMap;

/// A combination of values of the axes that make curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// A value for each of these axes.
    pub at: BTreeMap<String, AxisValue>,
    /// Its label; empty if there is one curve.
    pub label: String,
    /// Its overrides, in the order of the axes.
    pub(super) overrides: Vec<(String, String)>,
}

impl Study {
    /// The abscissa axis.
    pub fn axis(&self) -> &Axis {
        &self.axes[self.x]
    }

    /// The axes that make curves, in the order of the file.
    pub fn curve_axes(&self) -> impl Iterator<Item = &Axis> {
        self.axes.iter().enumerate().filter(|(k, _)| *k != self.x).map(|(_, axis)| axis)
    }

    /// The axis whose values are scenes.
    fn scene_axis(&self) -> Option<&Axis> {
        self.axes.iter().find(|axis| axis.path == SCENE_PATH)
    }

    /// The names of its scenes.
    pub fn scenes(&self) -> Vec<String> {
        let of_axis =
            self.scene_axis().into_iter().flat_map(|axis| axis.values.iter().map(ToString::to_string));
        self.scene.iter().cloned().chain(of_axis).collect()
    }

    /// The scene of a point.
    pub(super) fn scene_at(&self, at: &BTreeMap<String, AxisValue>) -> String {
        let of_axis = self.scene_axis().and_then(|axis| at.get(&axis.name)).map(ToString::to_string);
        of_axis.or_else(|| self.scene.clone()).unwrap_or_default()
    }

    /// All curves in their order; one without axes that make curves.
    pub fn curves(&self) -> Vec<Curve> {
        let mut all = vec![Curve { at: BTreeMap::new(), label: String::new(), overrides: Vec::new() }];
        for axis in self.curve_axes() {
            let longer = |curve: &Curve, value: &AxisValue| {
                let mut longer = curve.clone();
                longer.at.insert(axis.name.clone(), value.clone());
                let comma = if longer.label.is_empty() { "" } else { ", " };
                longer.label += &format!("{comma}{}", axis.value_label(value));
                if axis.path != SCENE_PATH {
                    longer.overrides.push((axis.path.clone(), value.toml()));
                }
                longer
            };
            all = all.iter().flat_map(|curve| axis.values.iter().map(|value| longer(curve, value))).collect();
        }
        all
    }
}
