//! Progress of a run: a bar on a terminal, otherwise a line every few seconds.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use percussion::scene::run::Progress;

use super::print_status;

/// Time between two updates of the bar.
const FRAME: Duration = Duration::from_millis(100);
/// Time between two lines.
const LINE: Duration = Duration::from_secs(5);

/// Shows the progress of a run.
pub struct ProgressMeter {
    bar: Option<ProgressBar>,
    begun: Instant,
    last: Instant,
}

impl ProgressMeter {
    /// Starts now.
    pub fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            let style = ProgressStyle::with_template("{bar:32} {percent:>3}%  {msg}");
            // The template is valid; otherwise the default style is used.
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        Self { bar, begun: now, last: now }
    }

    /// Shows the progress of a run, if the last update is long enough ago.
    pub fn update(&mut self, progress: &Progress) {
        self.draw(progress, |rate| format!("t = {:.4} s, {rate}", progress.time));
    }

    /// Shows the progress of a study, of which some points are finished.
    pub fn update_study(&mut self, progress: &Progress, done: usize, all: usize) {
        self.draw(progress, |rate| format!("{done} of {all} points, {rate}"));
    }

    fn draw(&mut self, progress: &Progress, text: impl FnOnce(&str) -> String) {
        let wait = if self.bar.is_some() { FRAME } else { LINE };
        if self.last.elapsed() < wait {
            return;
        }
        self.last = Instant::now();
        let text = text(&rate_and_remaining(progress, self.begun.elapsed().as_secs_f64()));
        match &self.bar {
            Some(bar) => {
                bar.set_length(progress.total);
                bar.set_position(progress.steps);
                bar.set_message(text);
            }
            None => print_status(&format!(
                "{:3.0} %  {text}",
                100.0 * progress.steps as f64 / progress.total as f64
            )),
        }
    }

    /// Prints a line above the bar.
    pub fn print_line(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print_status(line)),
            None => print_status(line),
        }
    }

    /// Removes the bar.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Rate and remaining time.
fn rate_and_remaining(progress: &Progress, seconds: f64) -> String {
    let rate = (progress.steps - progress.from) as f64 / seconds.max(f64::MIN_POSITIVE);
    let left = (progress.total - progress.steps) as f64 / rate.max(f64::MIN_POSITIVE);
    format!("{} steps/s, {} left", with_prefix(rate), duration(left))
}

/// A number with three digits and a unit prefix.
pub fn with_prefix(value: f64) -> String {
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
        assert_eq!(rate_and_remaining(&progress, 20.0), "100 steps/s, 1 min 00 s left");
        assert_eq!(duration(7325.0), "2 h 02 min");
        assert_eq!(with_prefix(1_234_567.0), "1.23 M");
        assert_eq!(with_prefix(0.5), "0.50");
    }
}
