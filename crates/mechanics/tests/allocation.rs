//! A warm step touches no heap, whatever moves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod mechanisms;

use common::{chain, sprung_chain};
use percussion_mechanics::joint::ALL_KINDS;
use percussion_mechanics::schemes::{NAMES, Options, by_name};
use percussion_mechanics::{Ledger, Model, State};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the calling thread's requests.
struct Counter;

thread_local! {
    static REQUESTS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every request is handed to the system's allocator unchanged; a request to grow goes through `alloc`.
unsafe impl GlobalAlloc for Counter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        REQUESTS.with(|requests| requests.set(requests.get() + 1));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTER: Counter = Counter;

fn requests_of_warm_steps(scheme: &str, model: &Model, mut state: State) -> usize {
    let mut scheme = by_name(scheme, model, &state, &Options::default()).unwrap();
    let mut ledger = Ledger::new(model, &state).unwrap();
    let mut before = state.clone();
    let mut from = 0;
    for k in 0..20 {
        if k == 3 {
            from = REQUESTS.with(Cell::get);
        }
        before.clone_from(&state);
        scheme.step(model, &mut state, 1e-3).unwrap();
        ledger.record(model, &before, &state, 1e-3).unwrap();
    }
    REQUESTS.with(Cell::get) - from
}

#[test]
fn warm_steps_and_their_bookkeeping_allocate_nothing() {
    for (scheme, kind) in NAMES.into_iter().flat_map(|name| ALL_KINDS.map(|kind| (name, kind))) {
        let (model, state) = chain(kind, 4);
        assert_eq!(requests_of_warm_steps(scheme, &model, state), 0, "{scheme}: {kind:?}");
        let (model, state) = sprung_chain(kind, 4);
        assert_eq!(requests_of_warm_steps(scheme, &model, state), 0, "{scheme}: {kind:?} with a spring");
    }
    for scheme in NAMES {
        for (name, (model, state)) in mechanisms::all() {
            assert_eq!(requests_of_warm_steps(scheme, &model, state), 0, "{scheme}: {name}");
        }
    }
}
