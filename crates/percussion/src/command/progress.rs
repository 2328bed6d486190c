//! How far a run is: a bar on a terminal, a line every few seconds otherwise.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use percussion::scene::run::Progress;

use super::say;

/// Between two drawings of the bar.
const FRAME: Duration = Duration::from_millis(100);
/// Between two lines.
const LINE: Duration = Duration::from_secs(5);

/// Shows how far a run is.
pub struct Meter {
    bar: Option<ProgressBar>,
    begun: Instant,
    last: Instant,
}

impl Meter {
    /// Begins now.
    pub fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            let style = ProgressStyle::with_template("{bar:32} {percent:>3}%  {msg}");
            // The template is one that indicatif knows; were it not, its own style does.
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        Self { bar, begun: now, last: now }
    }

    /// Shows it if it is time to.
    pub fn show(&mut self, progress: &Progress) {
        self.tell(progress, |rest| format!("t = {:.4} s, {rest}", progress.time));
    }

    /// Shows how far several runs are together, of which so many have ended.
    pub fn show_several(&mut self, progress: &Progress, done: usize, all: usize) {
        self.tell(progress, |rest| format!("{done} of {all} points, {rest}"));
    }

    fn tell(&mut self, progress: &Progress, text: impl FnOnce(&str) -> String) {
        let wait = if self.bar.is_some() { FRAME } else { LINE };
        if self.last.elapsed() < wait {
            return;
        }
        self.last = Instant::now();
        let text = text(&rest(progress, self.begun.elapsed().as_secs_f64()));
        match &self.bar {
            Some(bar) => {
                bar.set_length(progress.total);
                bar.set_position(progress.steps);
                bar.set_message(text);
            }
            None => say(&format!("{:3.0} %  {text}", 100.0 * progress.steps as f64 / progress.total as f64)),
        }
    }

    /// A line for the person at the terminal, above the bar.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say(line)),
            None => say(line),
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Rate, and time left.
fn rest(progress: &Progress, seconds: f64) -> String {
    let rate = (progress.steps - progress.from) as f64 / seconds.max(f64::MIN_POSITIVE);
    let left = (progress.total - progress.steps) as f64 / rate.max(f64::MIN_POSITIVE);
    format!("{} steps/s, {} left", rounded(rate), duration(left))
}

/// Three digits and a prefix.
pub fn rounded(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{:.2} M", v / 1e6),
        v if v >= 1e4 => format!("{:.1} k", v / 1e3),
        v if v >= 10.0 => format!("{v:.0}"),
        v => format!("{v:.2}"),
    }
}

fn duration(seconds: f64) -> String {
    let whole = seconds.clamp(0.0, 1e9).ceil() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_steps_leaves_three_times_the_time() {
        let progress = Progress { steps: 3000, total: 9000, from: 1000, time: 0.3 };
        assert_eq!(rest(&progress, 20.0), "100 steps/s, 1 min 00 s left");
        assert_eq!(duration(7325.0), "2 h 02 min");
        assert_eq!(rounded(1_234_567.0), "1.23 M");
        assert_eq!(rounded(0.5), "0.50");
    }
}
