//! Named arrays of the ledger and the scheme of a simulation, for checkpoints.

use percussion_mechanics::ledger::LedgerMismatch;
use percussion_mechanics::{Ledger, NamedArrays, Simulation};

/// Saves a ledger.
pub fn save_ledger(ledger: &Ledger) -> NamedArrays {
    let mut saved = NamedArrays::default();
    saved.insert("figures", ledger.figures());
    saved
}

/// Restores the ledger of a simulation.
pub fn restore_ledger(simulation: &mut Simulation, saved: &NamedArrays) -> Result<(), LedgerMismatch> {
    simulation.restore_ledger(saved.get("figures").unwrap_or_default())
}

/// Saves the warm start of a simulation's scheme: what it carries from step to step besides the state.
pub fn save_scheme(simulation: &Simulation) -> NamedArrays {
    let mut saved = NamedArrays::default();
    saved.insert("warm_start", simulation.memory());
    saved
}

/// Restores the warm start of a simulation's scheme; false if it is one of another scheme or scene.
pub fn restore_scheme(simulation: &mut Simulation, saved: &NamedArrays) -> bool {
    saved.get("warm_start").is_some_and(|numbers| simulation.recall(numbers))
}
