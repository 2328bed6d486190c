//! Plots of curves over time as SVG.

use super::series::Curve;
use crate::report::page::escaped;
use std::fmt::Write;

/// Frame in pixels.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 230.0;
/// Room for numbers on the left and below, for names above.
const LEFT: f64 = 66.0;
const BELOW: f64 = 30.0;
const ABOVE: f64 = 26.0;
const RIGHT: f64 = 12.0;

/// Colours of curves, in their order; legible on light and dark paper.
pub const COLOURS: [&str; 8] =
    ["#3b7dd8", "#e08a2c", "#2f9e6b", "#c44a86", "#7b62d9", "#a0842a", "#2aa0b4", "#cc5546"];

/// A plot of curves; `unit` is that of the values, `marks` are instants to be marked on the axis of time.
pub fn plot(title: &str, unit: &str, curves: &[Curve], marks: &[f64]) -> String {
    let (low, high) = curves
        .iter()
        .map(Curve::range)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)));
    let mut out = format!("<article><h2>{}</h2>", escaped(title));
    if !(low <= high && low.is_finite() && high.is_finite()) {
        out += "<p class=\"none\">nothing to show</p></article>\n";
        return out;
    }
    if (low, high) == (0.0, 0.0) {
        out += "<p class=\"none\">zero throughout</p></article>\n";
        return out;
    }
    let (low, high) = widened(low, high);
    let times = curves.iter().flat_map(|curve| curve.points.iter().map(|p| p[0]));
    let (t0, t1) = times.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), t| (a.min(t), b.max(t)));
    let t1 = if t1 > t0 { t1 } else { t0 + 1.0 };
    let x = |t: f64| LEFT + (WIDTH - LEFT - RIGHT) * (t - t0) / (t1 - t0);
    let y = |v: f64| HEIGHT - BELOW - (HEIGHT - BELOW - ABOVE) * (v - low) / (high - low);

    out += &format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{} over time\">",
        escaped(title)
    );
    for tick in ticks(low, high, 5) {
        let at = y(tick);
        push(&mut out, format_args!("<path class=\"grid\" d=\"M{LEFT} {at:.1}H{}\"/>", WIDTH - RIGHT));
        let label = label(tick, low.abs().max(high.abs()));
        push(
            &mut out,
            format_args!(
                "<text class=\"tick end\" x=\"{}\" y=\"{:.1}\">{label}</text>",
                LEFT - 7.0,
                at + 3.5
            ),
        );
    }
    for tick in ticks(t0, t1, 8) {
        let label = label(tick, t1.abs().max(t0.abs()));
        let bottom = HEIGHT - BELOW;
        push(
            &mut out,
            format_args!(
                "<path class=\"grid\" d=\"M{:.1} {bottom}v4\"/><text class=\"tick middle\" x=\"{:.1}\" y=\"{}\">{label}</text>",
                x(tick),
                x(tick),
                bottom + 16.0
            ),
        );
    }
    let mut path = String::new();
    for mark in marks.iter().filter(|mark| (t0..=t1).contains(*mark)) {
        push(&mut path, format_args!("M{:.1} {}v-7", x(*mark), HEIGHT - BELOW));
    }
    if !path.is_empty() {
        push(&mut out, format_args!("<path class=\"mark\" d=\"{path}\"/>"));
    }
    for (curve, colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        let mut path = String::new();
        for [t, lowest, highest] in &curve.points {
            let mark = if path.is_empty() { 'M' } else { 'L' };
            push(&mut path, format_args!("{mark}{:.1} {:.1}", x(*t), y(*lowest)));
            if highest > lowest {
                push(&mut path, format_args!("V{:.1}", y(*highest)));
            }
        }
        push(&mut out, format_args!("<path class=\"curve\" stroke=\"{colour}\" d=\"{path}\"/>"));
    }
    push(&mut out, format_args!("<text class=\"tick\" x=\"{LEFT}\" y=\"13\">{}", escaped(unit)));
    for (curve, colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        push(&mut out, format_args!("<tspan dx=\"14\" fill=\"{colour}\">{}</tspan>", escaped(&curve.name)));
    }
    push(
        &mut out,
        format_args!(
            "</text><text class=\"tick end\" x=\"{}\" y=\"{}\">t / s</text>",
            WIDTH - RIGHT,
            HEIGHT - 2.0
        ),
    );
    out + "</svg></article>\n"
}

/// A range with some air, and never empty.
fn widened(low: f64, high: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    // What varies by rounding alone is drawn as the constant it is.
    let air = if high - low > 1e-13 * size { 0.05 * (high - low) } else { 0.1 * size };
    let air = if air > 0.0 { air } else { 1.0 };
    (low - air, high + air)
}

/// Round numbers in a range, at most about `most`.
fn ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let rough = (high - low) / most as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough).unwrap_or(10.0);
    // A range that ends a rounding error before a round number was meant to end on it.
    const ROUNDING: f64 = 1e-9;
    let (first, last) = ((low / step - ROUNDING).ceil() as i64, (high / step + ROUNDING).floor() as i64);
    (first..=last).map(|i| i as f64 * step).collect()
}

/// A tick's number, beside others of the given size.
fn label(value: f64, size: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&size) {
        // The digits of a tick are few: the shortest that tell it from its neighbours.
        let text = format!("{value:.3e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        return format!("{digits}e{power}");
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Writing to a string cannot fail.
fn push(out: &mut String, text: std::fmt::Arguments) {
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(-0.03, 0.11, 5), [0.0, 0.05, 0.1]);
        assert_eq!(ticks(0.0, 1.9999999999999, 4), [0.0, 0.5, 1.0, 1.5, 2.0]);
        assert_eq!(label(2e-13, 1e-12), "2e-13");
        assert_eq!(label(-0.25, 1.0), "-0.25");
        assert_eq!(label(1500.0, 2000.0), "1500");
    }

    #[test]
    fn a_constant_curve_and_a_single_point_can_be_plotted() {
        for points in [vec![[0.0, 3.0, 3.0], [1.0, 3.0, 3.0]], vec![[0.0, 1.0, 1.0]]] {
            let text = plot("energy", "J", &[Curve { name: "total <E>".into(), points }], &[0.0, 9.0]);
            assert_eq!(text.matches("v-7").count(), 1, "instants outside are not marked: {text}");
            assert!(
                text.contains("total &lt;E&gt;") && !text.contains("NaN") && !text.contains("inf"),
                "{text}"
            );
        }
        let zero = Curve { name: "x".into(), points: vec![[0.0; 3], [1.0, 0.0, -0.0]] };
        assert!(plot("x", "J", &[zero], &[]).contains("zero throughout"));
        let lost = Curve { name: "x".into(), points: vec![[0.0, f64::NAN, f64::NAN]] };
        assert!(plot("x", "J", &[lost], &[]).contains("nothing to show"));
    }
}
