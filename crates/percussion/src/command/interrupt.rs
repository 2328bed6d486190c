//! Ctrl-C and SIGTERM: a request that commands answer between steps, and an exit in time where a step takes long.
//!
//! ```text
//! signal              the request is set; a command that sees it between two steps or iterations accepts it, and completes its results
//! not accepted within ANSWER_TIME   the process exits: what is on the disk stays, run folders are resumed from their last checkpoint
//! second signal       the process exits at once
//! ```

use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::print_status;

/// Exit code after Ctrl-C, by the convention of shells: 128 plus the number of the signal.
pub const INTERRUPTED: u8 = 130;
/// Time in which a step may end after a signal.
const ANSWER_TIME: Duration = Duration::from_millis(700);

/// Whether an interruption is requested, and whether the command has accepted it.
#[derive(Debug)]
pub struct Interruption {
    requested: AtomicBool,
    accepted: AtomicBool,
}

impl Interruption {
    /// Handles Ctrl-C and SIGTERM from now on. `left` tells what is left on the disk if a step does not end in time.
    pub fn on_signal(left: &'static str) -> Result<Arc<Self>> {
        let interruption =
            Arc::new(Self { requested: AtomicBool::new(false), accepted: AtomicBool::new(false) });
        let shared = Arc::clone(&interruption);
        ctrlc::set_handler(move || {
            if shared.requested.swap(true, Ordering::SeqCst) {
                exit(i32::from(INTERRUPTED));
            }
            let shared = Arc::clone(&shared);
            // The handler must be free for the next signal.
            thread::spawn(move || {
                thread::sleep(ANSWER_TIME);
                if shared.accepted.swap(true, Ordering::SeqCst) {
                    print_status("interrupted; completing the results, Ctrl-C exits at once");
                } else {
                    print_status(&format!("interrupted within a step; {left}"));
                    exit(i32::from(INTERRUPTED));
                }
            });
        })
        .context("cannot install the handler of Ctrl-C")?;
        Ok(interruption)
    }

    /// Whether to stop now: an interruption is requested, which is hereby accepted.
    pub fn accept(&self) -> bool {
        self.requested.load(Ordering::Relaxed) && {
            self.accepted.store(true, Ordering::SeqCst);
            true
        }
    }

    /// Whether an interruption is requested. Of several threads one accepts it when all have stopped.
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }
}
