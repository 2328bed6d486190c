//! An allocator that counts. A test program installs it with `#[global_allocator]`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with a count of the requests of each thread.
#[derive(Debug)]
pub struct CountingAllocator;

thread_local! {
    static REQUESTS: Cell<usize> = const { Cell::new(0) };
}

/// Requests of this thread so far. Zero for ever where [`CountingAllocator`] is not installed.
pub fn allocations() -> usize {
    REQUESTS.with(Cell::get)
}

/// Requests of this thread while `work` runs.
pub fn allocations_during(work: impl FnOnce()) -> usize {
    let before = allocations();
    work();
    allocations() - before
}

fn count() {
    REQUESTS.with(|requests| requests.set(requests.get() + 1));
}

// SAFETY: every request is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are passed on, here and below.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}
