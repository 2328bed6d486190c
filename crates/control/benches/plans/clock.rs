//! Processor time of this thread where the system counts it, so that what else the machine does counts less; else time.

use std::time::{Duration, Instant};

/// A moment to measure from.
pub struct Clock(Instant, Option<Duration>);

/// What the thread has used so far. (`/proc` counts it too, but only in ticks of some milliseconds.)
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn counted() -> Option<Duration> {
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: i64,
    }
    const OF_THE_THREAD: i32 = 3;
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
    }
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the C library's function writes one such structure, whose layout is that of 64-bit Linux.
    let failed = unsafe { clock_gettime(OF_THE_THREAD, &raw mut time) } != 0;
    (!failed).then(|| Duration::new(time.seconds as u64, time.nanoseconds as u32))
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn counted() -> Option<Duration> {
    None
}

impl Clock {
    pub fn now() -> Self {
        Self(Instant::now(), counted())
    }

    /// Since then, ms.
    pub fn ms(&self) -> f64 {
        let used = self.1.zip(counted()).map(|(then, now)| now.saturating_sub(then));
        used.unwrap_or_else(|| self.0.elapsed()).as_secs_f64() * 1e3
    }
}
