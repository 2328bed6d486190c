//! Distance queries of separated polytopes allocate nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod euclid_common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use euclid_common::*;
use percussion_geometry::euclid::euclidean;
use percussion_geometry::shapes::Solid;
use percussion_geometry::{Pose, Vec3};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed to the system allocator unchanged; counting touches no memory of its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn separated_polytopes_are_measured_without_allocation() {
    let mut random = Random(51);
    let mut apart = 0;
    for _ in 0..2000 {
        let unit = Vec3::repeat(1.0);
        let a = Solid::Polytope(any_polytope(&mut random, unit));
        let b = Solid::Polytope(any_polytope(&mut random, unit));
        let (pose_a, pose_b) = (random.pose(4.0), Pose::identity());
        let before = ALLOCATIONS.with(Cell::get);
        let answer = euclidean(&a, &pose_a, &b, &pose_b).unwrap();
        let after = ALLOCATIONS.with(Cell::get);
        if answer.distance > 1e-9 {
            apart += 1;
            assert_eq!(after - before, 0, "{answer:?}");
        }
    }
    assert!(apart > 500);
}
