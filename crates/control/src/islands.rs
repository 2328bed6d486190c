//! Islands of bodies.

use percussion_mechanics::Model;

/// The island of the body at a slot.
pub(crate) fn island_of(model: &Model, slot: usize) -> usize {
    model.islands.partition_point(|island| island.bodies.end <= slot)
}

/// The islands of bodies, in order and without repetition; fixed bodies have none.
pub(crate) fn islands_of(model: &Model, bodies: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let slots = bodies.into_iter().filter_map(|body| model.slots[body]);
    let mut islands: Vec<usize> = slots.map(|slot| island_of(model, slot)).collect();
    islands.sort_unstable();
    islands.dedup();
    islands
}
