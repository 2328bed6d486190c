//! Jacobian columns of the islands at several configurations, computed on demand.

use super::jacobian_columns::JacobianColumns;
use crate::model::{Model, State};

/// Columns of all islands at several configurations, each computed once until the configurations change.
#[derive(Debug, Default)]
pub struct KinematicsCache {
    columns: Vec<JacobianColumns>,
    computed: Vec<bool>,
}

impl KinematicsCache {
    /// Marks all columns as outdated.
    pub fn clear(&mut self) {
        self.computed.fill(false);
    }

    /// Computes the columns of an island at one of the configurations unless they are up to date.
    pub fn update(&mut self, model: &Model, states: &[State], (state, island): (usize, usize)) {
        let at = state * model.islands.len() + island;
        if self.computed.len() <= at {
            let count = states.len() * model.islands.len();
            self.computed.resize(count, false);
            self.columns.resize_with(count, JacobianColumns::default);
        }
        if !self.computed[at] {
            self.columns[at].set(model, island, &states[state]);
            self.computed[at] = true;
        }
    }

    /// Columns of an island at one of the configurations, which must be up to date.
    pub fn columns(&self, model: &Model, (state, island): (usize, usize)) -> &JacobianColumns {
        &self.columns[state * model.islands.len() + island]
    }
}
