//! An allocator that counts. A test program makes it its own with `#[global_allocator]`.
#![allow(dead_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the calling thread's requests.
pub struct Counter;

thread_local! {
    static REQUESTS: Cell<usize> = const { Cell::new(0) };
}

/// Requests of this thread so far.
pub fn requests() -> usize {
    REQUESTS.with(Cell::get)
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
