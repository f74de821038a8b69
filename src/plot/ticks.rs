//! Round numbers along an axis or a scale.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::Ranged;

/// The labels of a scale: multiples of 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The distance.
    pub size: f64,
    /// Decimals that distinguish neighbours.
    pub decimals: usize,
}

impl Step {
    /// The step that divides a span into at most `most` parts, or about one for an empty span.
    pub fn of(span: f64, most: usize) -> Step {
        let least = if span.is_finite() && span > 0.0 { span / most.max(1) as f64 } else { 1.0 };
        let power = least.log10().floor() as i32;
        // Rounding may exclude an exact fit.
        let enough = least * (1.0 - 1e-9);
        let steps = [1, 2, 5, 10].map(|digit| (digit, f64::from(digit) * 10f64.powi(power)));
        let (digit, size) = steps.into_iter().find(|(_, size)| *size >= enough).unwrap_or(steps[3]);
        let power = if digit == 10 { power + 1 } else { power };
        Step { size, decimals: usize::try_from(-power).unwrap_or(0) }
    }

    /// Its multiples from `low` to `high`.
    pub fn multiples(self, low: f64, high: f64) -> Vec<f64> {
        let slack = 1e-9 * (high - low).abs();
        let first = ((low - slack) / self.size).ceil() as i64;
        let last = ((high + slack) / self.size).floor() as i64;
        (first..=last).map(|k| k as f64 * self.size).collect()
    }

    /// A number with as many digits as the step needs; a 0 after rounding has no sign.
    pub fn text(self, value: f64) -> String {
        let text = format!("{value:.*}", self.decimals);
        let is_zero = text.bytes().all(|b| b"-0.".contains(&b));
        if is_zero { text.trim_start_matches('-').into() } else { text }
    }
}

/// An axis labelled at a step's multiples.
#[derive(Clone, Debug)]
pub struct Axis {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Axis {
    /// The axis of a range.
    pub fn new(range: Range<f64>, step: Step) -> Axis {
        let ticks = step.multiples(range.start, range.end);
        Axis { range, ticks }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        first + (f64::from(last - first) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// A range around positive values that contains a power of ten, and so a label.
pub fn around(low: f64, high: f64) -> (f64, f64) {
    let margin = 1.5;
    let (low, high) = (low / margin, high * margin);
    if low.log10().ceil() <= high.log10().floor() {
        (low, high)
    } else {
        // Just outside the powers of ten, which rounding could otherwise exclude.
        (10f64.powf(low.log10().floor() - 0.02), 10f64.powf(high.log10().ceil() + 0.02))
    }
}

/// The labels of a logarithmic axis: powers of ten, and multiples of them if there are few.
pub fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    let multiples: &[f64] = match high / low {
        ratio if ratio < 8.0 => &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        ratio if ratio < 1e3 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let ticks =
        decades.flat_map(|decade| multiples.iter().map(move |multiple| multiple * 10f64.powi(decade)));
    ticks.filter(|tick| (low..=high).contains(tick)).collect()
}

/// A label of such an axis with as many decimals as it needs.
pub fn log_text(value: f64) -> String {
    let decimals =
        if value > 0.0 && value.is_finite() { (-value.log10().floor()).max(0.0) as usize } else { 0 };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_as_many_as_asked_for_at_most() {
        for (span, most, size, decimals) in [
            (1.0, 10, 0.1, 1),
            (0.73, 6, 0.2, 1),
            (2.9, 6, 0.5, 1),
            (4300.0, 5, 1000.0, 0),
            (0.099, 5, 0.02, 2),
        ] {
            let step = Step::of(span, most);
            assert!((step.size / size - 1.0).abs() < 1e-12 && step.decimals == decimals, "{span}: {step:?}");
        }
        for (low, high) in [(0.0, 1.0), (-0.31, 0.77), (1e-9, 3e-9), (12.0, 12.5), (-1e6, 2e6)] {
            let step = Step::of(high - low, 6);
            let ticks = step.multiples(low, high);
            assert!((2..=7).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
            assert!(ticks.iter().all(|t| (low - 1e-9 * high.abs()..=high * (1.0 + 1e-9)).contains(t)));
        }
        assert_eq!(Step::of(0.0, 5), Step { size: 1.0, decimals: 0 });
    }

    #[test]
    fn texts_have_the_digits_that_tell_neighbours_apart() {
        let step = Step::of(0.1, 5);
        let texts: Vec<String> = step.multiples(-0.04, 0.04).into_iter().map(|v| step.text(v)).collect();
        assert_eq!(texts, ["-0.04", "-0.02", "0.00", "0.02", "0.04"]);
        assert_eq!(Step::of(100.0, 5).text(-0.2), "0");
    }

    #[test]
    fn labels_of_logarithmic_axes_have_no_digits_to_spare() {
        let texts: Vec<String> = log_ticks(0.04, 21.0).into_iter().map(log_text).collect();
        assert_eq!(texts, ["0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20"]);
        let narrow: Vec<String> = log_ticks(0.65, 1.5).into_iter().map(log_text).collect();
        assert_eq!(narrow, ["0.7", "0.8", "0.9", "1"]);
        assert_eq!(log_ticks(0.9e-17, 1.1e-3).len(), 15);
    }
}
