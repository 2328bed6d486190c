//! Scales of axes, logarithmic or linear: from numbers to fractions of a side, with tick marks.

/// Share of the range that stays free at either end.
const MARGIN: f64 = 0.05;
/// Decades that are labelled, at most; of more only every second, third, ... is.
const MOST_DECADES: i32 = 9;

/// A linear or logarithmic scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    log: bool,
    /// Ends of the side; logarithms to base ten if it is logarithmic.
    low: f64,
    high: f64,
}

/// A mark on a side.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where, as a share of the side.
    pub at: f64,
    /// Its number; empty for the lines between.
    pub label: String,
}

impl Scale {
    /// One on which all of these numbers have a place. Decades leave out what is not positive.
    pub fn of(numbers: impl Iterator<Item = f64>, log: bool) -> Self {
        let fit = |x: &f64| x.is_finite() && (!log || *x > 0.0);
        let numbers = numbers.filter(fit).map(|x| if log { x.log10() } else { x });
        let (low, high) =
            numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // A single number stands in the middle of a decade, or of its own size.
        let least = if log { 1.0 } else { (0.2 * low.abs().max(high.abs())).max(f64::MIN_POSITIVE) };
        let wide = if high - low > 1e-9 * least { (high - low) * (1.0 + 2.0 * MARGIN) } else { least };
        let middle = 0.5 * (low + high);
        Self { log, low: middle - 0.5 * wide, high: middle + 0.5 * wide }
    }

    /// Whether it is logarithmic.
    pub fn is_log(&self) -> bool {
        self.log
    }

    /// Decades, or units, from end to end.
    pub fn range(&self) -> f64 {
        self.high - self.low
    }

    /// The place of a number; none if it has no logarithm, or none at all.
    pub fn at(&self, x: f64) -> Option<f64> {
        let x = if self.log { x.log10() } else { x };
        x.is_finite().then(|| (x - self.low) / self.range())
    }

    /// Marks with numbers and the lines between them.
    pub fn marks(&self) -> Vec<Mark> {
        if self.log { self.decades() } else { self.steps() }
    }

    fn decades(&self) -> Vec<Mark> {
        let (first, last) = (self.low.ceil() as i32, self.high.floor() as i32);
        let labelled = (last - first + 1).max(0);
        let every = labelled / (MOST_DECADES + 1) + 1;
        let mut marks = Vec::new();
        for decade in self.low.floor() as i32..=last {
            for digit in 1..10 {
                let value = f64::from(decade) + f64::from(digit).log10();
                if !(self.low..=self.high).contains(&value) {
                    continue;
                }
                let label = match digit {
                    1 if labelled >= 2 && (decade - first) % every == 0 => format!("10{}", raised(decade)),
                    // Too few decades to read it by.
                    1 | 2 | 5 if labelled < 2 => plain(f64::from(digit) * 10f64.powi(decade)),
                    _ => String::new(),
                };
                // Many decades leave no room for lines between.
                if digit == 1 || labelled <= MOST_DECADES {
                    marks.push(Mark { at: (value - self.low) / self.range(), label });
                }
            }
        }
        marks
    }

    fn steps(&self) -> Vec<Mark> {
        let rough = self.range() / 6.0;
        let power = 10f64.powi(rough.log10().floor() as i32);
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|s| *s >= rough).unwrap_or(rough);
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        let mark = |k: i64| {
            let value = k as f64 * step;
            // The rounding of the sum of steps is not shown.
            let digits = (-(step * 1.001).log10().floor()).clamp(0.0, 17.0) as usize;
            let label = match plain(value) {
                short if short.contains('e') => short,
                _ => format!("{value:.digits$}"),
            };
            Mark { at: (value - self.low) / self.range(), label }
        };
        (first..=last).map(mark).collect()
    }
}

/// A number in few digits.
pub fn plain(x: f64) -> String {
    if x == 0.0 || (1e-3..1e5).contains(&x.abs()) {
        let text = format!("{x:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        let text = format!("{x:.3e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// An exponent in small raised digits.
fn raised(n: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]);
    n.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        scale.marks().into_iter().map(|mark| mark.label).filter(|label| !label.is_empty()).collect()
    }

    #[test]
    fn decades_are_marked_and_counted_in_raised_digits() {
        let scale = Scale::of([1e-3, 0.1].into_iter(), true);
        assert_eq!(labels(&scale), ["10⁻³", "10⁻²", "10⁻¹"]);
        assert!((scale.at(1e-2).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!((scale.at(0.0), scale.at(-1.0), scale.at(f64::NAN)), (None, None, None));
    }

    #[test]
    fn less_than_a_decade_is_read_by_ones_twos_and_fives() {
        let labels = |numbers: [f64; 2]| labels(&Scale::of(numbers.into_iter(), true));
        assert_eq!(labels([0.011, 0.06]), ["0.02", "0.05"]);
        assert!(labels([1e-14, 1e6]).len() <= 10);
    }

    #[test]
    fn proportional_marks_are_round_numbers() {
        let scale = Scale::of([0.0, 1.0].into_iter(), false);
        assert_eq!(labels(&scale), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(plain(1.0e-7), "1e-7");
        assert_eq!(plain(0.25), "0.25");
    }

    #[test]
    fn one_number_or_none_has_a_scale_too() {
        for (numbers, log) in [(vec![], true), (vec![3.0], true), (vec![0.0], false), (vec![2.0], false)] {
            let scale = Scale::of(numbers.iter().copied(), log);
            assert!(scale.range() > 0.0, "{numbers:?}");
            assert!(scale.marks().iter().all(|mark| mark.at.is_finite()), "{numbers:?}");
        }
    }
}
