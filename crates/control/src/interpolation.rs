//! Interpolation of configurations.

use percussion_mechanics::discrete::{difference, displace};
use percussion_mechanics::{Model, State};

/// The configuration at a part, from 0 to 1, of the way between two.
pub(crate) fn between(model: &Model, from: &State, to: &State, part: f64) -> State {
    let mut out = from.clone();
    for island in &model.islands {
        let mut d = vec![0.0; island.dofs.len()];
        difference(model, island, from, to, &mut d);
        d.iter_mut().for_each(|d| *d *= part);
        displace(model, island, from, &d, &mut out);
    }
    out
}
