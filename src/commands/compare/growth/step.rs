//! The differences of a field after an iteration.

use serde::Serialize;

use super::super::distance::relative;

/// The largest difference of two finite numbers relative to the larger, and what stands for an overflow.
pub const MOST: f64 = 2.0;

/// How a field differs after an iteration. Means are over all pairs of finite values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Iterations done.
    pub iteration: u64,
    /// Name of the field.
    pub field: String,
    /// Values compared.
    pub values: u64,
    /// Pairs with different bits.
    pub different: u64,
    /// Those of them of which one is infinite or not a number; they count in no figure below.
    pub not_finite: u64,
    /// Largest |a - b|.
    pub largest_absolute: f64,
    /// Mean of |a - b|.
    pub mean_absolute: f64,
    /// Largest |a - b| / max(|a|, |b|).
    pub largest_relative: f64,
    /// Mean of |a - b| / max(|a|, |b|).
    pub mean_relative: f64,
    /// Largest |a - b| relative to the largest |a| or |b| of the same component anywhere: values near zero do not count
    /// more than others.
    pub largest_scaled: f64,
}

impl Step {
    /// The figures, in the order of the table's columns.
    pub fn figures(&self) -> [f64; 5] {
        let Step { largest_absolute, mean_absolute, largest_relative, mean_relative, largest_scaled, .. } =
            self;
        [*largest_absolute, *mean_absolute, *largest_relative, *mean_relative, *largest_scaled]
    }
}

/// What is known of the pairs of a field so far.
#[derive(Clone, Debug)]
pub struct Sums {
    values: u64,
    different: u64,
    not_finite: u64,
    absolute: f64,
    relative: f64,
    largest_relative: f64,
    /// For each component, the largest difference and the largest value.
    components: Vec<(f64, f64)>,
}

impl Sums {
    /// No pairs of fields with rows of `dim` values.
    pub fn new(dim: usize) -> Sums {
        let components = vec![(0.0, 0.0); dim];
        let (values, different, not_finite) = (0, 0, 0);
        Sums {
            values,
            different,
            not_finite,
            absolute: 0.0,
            relative: 0.0,
            largest_relative: 0.0,
            components,
        }
    }

    /// Adds whole rows.
    pub fn add(&mut self, a: &[f64], b: &[f64]) {
        let dim = self.components.len();
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            self.values += 1;
            let differs = a.to_bits() != b.to_bits();
            self.different += u64::from(differs);
            if !(a.is_finite() && b.is_finite()) {
                self.not_finite += u64::from(differs);
                continue;
            }
            let (difference, value) = &mut self.components[at % dim];
            *value = value.max(a.abs()).max(b.abs());
            if a != b {
                let (absolute, relative) = ((a - b).abs(), relative(a, b));
                *difference = difference.max(absolute);
                self.absolute += absolute;
                self.relative += relative;
                self.largest_relative = self.largest_relative.max(relative);
            }
        }
    }

    /// The differences of the pairs added so far.
    pub fn step(&self, iteration: u64, field: &str) -> Step {
        let count = self.values.max(1) as f64;
        let scaled = self.components.iter().filter(|(difference, _)| *difference > 0.0);
        Step {
            iteration,
            field: field.into(),
            values: self.values,
            different: self.different,
            not_finite: self.not_finite,
            largest_absolute: self.components.iter().map(|(difference, _)| *difference).fold(0.0, f64::max),
            mean_absolute: self.absolute / count,
            largest_relative: self.largest_relative,
            mean_relative: self.relative / count,
            largest_scaled: scaled
                .map(|(difference, value)| (difference / value).min(MOST))
                .fold(0.0, f64::max),
        }
    }
}
