//! The differences between two fields, value by value.

use std::fmt::{self, Write};

use cfd_engine::given::short;
use serde::Serialize;

use super::distance::{DOUBLE, Precision, SINGLE, Tolerance, relative, ulps};
use super::histogram::Histogram;
use super::norm::{Norms, Sums};

/// How two fields of the same shape differ. Rows are added in global order.
#[derive(Clone, Debug, Serialize)]
pub struct FieldDifference {
    /// Name of the field.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Values of one row.
    pub dim: usize,
    /// Values compared.
    pub values: u64,
    /// Values with the same 64 bits.
    pub equal_bits: u64,
    /// Share of those.
    pub equal_share: f64,
    /// Pairs with different bits of which one is infinite or not a number; they count in `first`, but in no other
    /// figure below.
    pub not_finite: u64,
    /// Pairs of -0 and 0: different bits, equal numbers.
    pub signed_zeros: u64,
    /// Largest |a - b|; infinite (`null` in JSON) if it exceeds the largest double.
    pub max_absolute: Option<Largest<f64>>,
    /// Largest |a - b| / max(|a|, |b|).
    pub max_relative: Option<Largest<f64>>,
    /// Largest |a - b| in units in the last place of the larger.
    pub max_ulp: Option<Largest<u64>>,
    /// The first pair of different bits, in global order.
    pub first: Option<Pair>,
    /// Norms of the difference over all finite pairs; between meshes, over the volume of A's.
    pub norms: Norms,
    /// Pairs that differ by more than the tolerance, and the first of them; `None` without a tolerance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond: Option<Beyond>,
    /// Relative differences by decade.
    pub histogram: Histogram,
    #[serde(skip)]
    measure: Measure,
}

/// Pairs that differ by more than the tolerance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Beyond {
    /// How many.
    pub values: u64,
    /// The first, in global order.
    pub first: Option<Pair>,
}

/// How differences are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measure {
    precision: Precision,
    tolerance: Option<Tolerance>,
    sums: Sums,
}

/// A value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FieldValue {
    /// Global id of the element, which is its row.
    pub global_id: u64,
    /// Component, from 0.
    pub component: usize,
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "global id {}, component {}", self.global_id, self.component)
    }
}

/// The largest difference, and the first place that has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Largest<T> {
    /// The difference.
    pub value: T,
    /// Where.
    #[serde(flatten)]
    pub place: FieldValue,
}

/// Two values at the same place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// Where.
    #[serde(flatten)]
    pub place: FieldValue,
    /// The value in the first file.
    pub a: Value,
    /// The value in the second file.
    pub b: Value,
}

/// A value, in decimal and in bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Value {
    /// As many digits as it takes to read back the same bits; also `inf` and `NaN`.
    pub decimal: String,
    /// IEEE bits, in hexadecimal.
    pub bits: String,
}

impl Value {
    fn new(value: f64) -> Value {
        Value { decimal: format!("{value:?}"), bits: format!("{:016x}", value.to_bits()) }
    }
}

impl FieldDifference {
    /// Nothing compared yet. `single` says that the numbers are in single precision in at least one of the files.
    pub fn new(
        name: &str,
        rows: u64,
        dim: usize,
        single: bool,
        tolerance: Option<Tolerance>,
    ) -> FieldDifference {
        FieldDifference {
            name: name.into(),
            rows,
            dim,
            values: 0,
            equal_bits: 0,
            equal_share: 1.0,
            not_finite: 0,
            signed_zeros: 0,
            max_absolute: None,
            max_relative: None,
            max_ulp: None,
            first: None,
            norms: Norms::default(),
            beyond: tolerance.map(|_| Beyond::default()),
            histogram: Histogram::default(),
            measure: Measure {
                precision: if single { SINGLE } else { DOUBLE },
                tolerance,
                sums: Sums::default(),
            },
        }
    }

    /// Compares consecutive rows, starting at this global id, which count alike.
    pub fn add(&mut self, first_row: u64, a: &[f64], b: &[f64]) {
        self.add_weighted(first_row, a, b, |_| 1.0);
    }

    /// The same, with what each row counts for in norms, by its global id.
    pub fn add_weighted(&mut self, first_row: u64, a: &[f64], b: &[f64], weight: impl Fn(u64) -> f64) {
        assert_eq!(a.len(), b.len(), "the same rows of both");
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            if a.is_finite() && b.is_finite() {
                self.measure.sums.add(a, b, weight(first_row + (at / self.dim) as u64));
            }
            if a.to_bits() == b.to_bits() {
                self.equal_bits += 1;
            } else {
                let place =
                    FieldValue { global_id: first_row + (at / self.dim) as u64, component: at % self.dim };
                self.differ(place, a, b);
            }
        }
        self.values += a.len() as u64;
        self.norms = self.measure.sums.norms();
        self.equal_share = if self.values > 0 { self.equal_bits as f64 / self.values as f64 } else { 1.0 };
    }

    fn differ(&mut self, place: FieldValue, a: f64, b: f64) {
        let pair = || Pair { place, a: Value::new(a), b: Value::new(b) };
        self.first.get_or_insert_with(pair);
        let beyond = self.measure.tolerance.is_some_and(|tolerance| !tolerance.allows(a, b));
        if let Some(counted) = self.beyond.as_mut().filter(|_| beyond) {
            counted.values += 1;
            counted.first.get_or_insert_with(pair);
        }
        if !(a.is_finite() && b.is_finite()) {
            self.not_finite += 1;
            return;
        }
        if a == b {
            self.signed_zeros += 1;
        } else {
            self.histogram.add(relative(a, b));
        }
        raise(&mut self.max_absolute, (a - b).abs(), place);
        raise(&mut self.max_relative, relative(a, b), place);
        raise(&mut self.max_ulp, ulps(a, b, self.measure.precision), place);
    }

    /// True when all bits are equal.
    pub fn equal(&self) -> bool {
        self.equal_bits == self.values
    }

    /// True when all bits are equal or, with a tolerance, when no pair differs by more.
    pub fn agrees(&self) -> bool {
        self.beyond.as_ref().map_or(self.equal(), |beyond| beyond.values == 0)
    }

    /// The figures and the histogram, for people.
    pub fn text(&self) -> String {
        let FieldDifference { name, rows, dim, values, equal_bits, .. } = self;
        let values_of_a_row = if *dim == 1 { "value" } else { "values" };
        let mut text = format!("field {}: {rows} rows of {dim} {values_of_a_row}\n", short(name));
        let mut line = |label: &str, figure: String| {
            writeln!(text, "  {label:<18}  {figure}").expect("writing to a string");
        };
        line("equal bits", format!("{equal_bits} of {values} values ({})", percent(*equal_bits, *values)));
        if self.not_finite > 0 {
            line("not finite", format!("{} pairs, in no other figure", self.not_finite));
        }
        if self.signed_zeros > 0 {
            line("-0 against 0", format!("{} pairs", self.signed_zeros));
        }
        if let (Some(absolute), Some(relative), Some(ulp)) =
            (self.max_absolute, self.max_relative, self.max_ulp)
        {
            line("largest absolute", format!("{:.6e} at {}", absolute.value, absolute.place));
            line("largest relative", format!("{:.6e} at {}", relative.value, relative.place));
            line("largest in ulp", format!("{} at {}", ulp.value, ulp.place));
            let Norms { l1, l2, relative_l2 } = self.norms;
            line("norms", format!("L1 {l1:.6e}, L2 {l2:.6e}, relative L2 {relative_l2:.6e}"));
        }
        if let Some(Beyond { values: beyond, first }) = &self.beyond {
            line("beyond tolerance", format!("{beyond} of {values} values ({})", percent(*beyond, *values)));
            if let Some(Pair { place, a, b }) = first {
                line("", format!("the first at {place}: {} and {}", a.decimal, b.decimal));
            }
        }
        if let Some(Pair { place, a, b }) = &self.first {
            line("first difference", place.to_string());
            line("", format!("A {:<25} bits {}", a.decimal, a.bits));
            line("", format!("B {:<25} bits {}", b.decimal, b.bits));
            writeln!(text, "\n    relative diff.            values").expect("writing to a string");
            writeln!(text, "    equal bits        {equal_bits:>14}").expect("writing to a string");
            text.push_str(&self.histogram.text());
        }
        text
    }
}

/// Keeps the larger one; of equal ones, the earlier place.
fn raise<T: PartialOrd>(largest: &mut Option<Largest<T>>, value: T, place: FieldValue) {
    if largest.as_ref().is_none_or(|known| value > known.value) {
        *largest = Some(Largest { value, place });
    }
}

/// A share in per cent: 100 only for all, 0 only for none.
pub fn percent(part: u64, all: u64) -> String {
    if part == all {
        return "100 %".into();
    }
    let share = 100.0 * part as f64 / all as f64;
    if part == 0 { "0 %".into() } else { format!("{:.2} %", share.clamp(0.01, 99.99)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN_1: f64 = f64::from_bits(0x7ff8_0000_0000_0001);

    fn compared(dim: usize, a: &[f64], b: &[f64]) -> FieldDifference {
        let mut difference = FieldDifference::new("q", (a.len() / dim) as u64, dim, false, None);
        difference.add(0, a, b);
        difference
    }

    #[test]
    fn equal_bits_are_equal_whatever_they_mean() {
        let values = [1.5, -0.0, f64::from_bits(3), f64::INFINITY, f64::NAN, NAN_1];
        let difference = compared(2, &values, &values);
        assert!(difference.equal() && difference.equal_bits == 6 && difference.equal_share == 1.0);
        assert_eq!((difference.first, difference.max_ulp), (None, None));
        assert!(compared(1, &[], &[]).equal());
    }

    #[test]
    fn one_last_bit_is_found_with_its_place_and_all_digits() {
        let a: Vec<f64> = (0..12).map(|k| 1.0 + f64::from(k)).collect();
        let mut b = a.clone();
        b[7] = b[7].next_up();
        let difference = compared(4, &a, &b);
        assert_eq!((difference.values, difference.equal_bits), (12, 11));
        let place = FieldValue { global_id: 1, component: 3 };
        let pair = difference.first.clone().unwrap();
        assert_eq!(pair.place, place);
        assert_eq!((pair.a.decimal.as_str(), pair.a.bits.as_str()), ("8.0", "4020000000000000"));
        assert_eq!(
            (pair.b.decimal.as_str(), pair.b.bits.as_str()),
            ("8.000000000000002", "4020000000000001")
        );
        assert_eq!(difference.max_ulp, Some(Largest { value: 1, place }));
        assert_eq!(difference.max_absolute, Some(Largest { value: 8.0 * f64::EPSILON, place }));
        let relative = 8.0 * f64::EPSILON / b[7];
        assert_eq!(difference.max_relative, Some(Largest { value: relative, place }));
        assert_eq!(difference.histogram.bars().find(|bar| bar.1 > 0), Some((-16, 1)));
        let text = difference.text();
        for words in ["11 of 12 values (91.67 %)", "global id 1, component 3", "8.000000000000002 "] {
            assert!(text.contains(words), "{words} in {text}");
        }
    }

    #[test]
    fn each_largest_difference_has_its_own_place_the_first_of_equals() {
        let a = [1e6, 1e-9, 0.0, 1e6];
        let b = [1e6 + 1.0, 2e-9, f64::from_bits(1), 1e6 + 1.0];
        let difference = compared(1, &a, &b);
        let at = |global_id| FieldValue { global_id, component: 0 };
        assert_eq!(difference.max_absolute, Some(Largest { value: 1.0, place: at(0) }));
        assert_eq!(difference.max_relative, Some(Largest { value: 1.0, place: at(2) }));
        // Half the number away, the reach of doubles with one exponent.
        assert_eq!(difference.max_ulp, Some(Largest { value: ulps(1e-9, 2e-9, DOUBLE), place: at(1) }));
        assert_eq!(difference.first.unwrap().place, at(0));
    }

    #[test]
    fn signed_zeros_differ_by_a_bit_and_by_nothing_else() {
        let difference = compared(1, &[0.0, -0.0, 1.0], &[-0.0, -0.0, 1.0]);
        assert!(!difference.equal());
        assert_eq!((difference.signed_zeros, difference.not_finite, difference.equal_bits), (1, 0, 2));
        assert_eq!(difference.max_absolute.unwrap().value, 0.0);
        assert_eq!(difference.max_relative.unwrap().value, 0.0);
        assert_eq!(difference.max_ulp.unwrap().value, 0);
        assert_eq!(difference.norms, Norms::default());
        assert_eq!(difference.histogram, Histogram::default());
        assert_eq!(difference.first.unwrap().b.decimal, "-0.0");
    }

    #[test]
    fn a_tolerance_counts_what_is_beyond_it_and_keeps_the_first() {
        let (a, b) = ([1.0, 1.0, 0.0, f64::NAN], [1.0 + 1e-9, 1.0 + 1e-5, 1e-12, 1.0]);
        let mut difference =
            FieldDifference::new("q", 4, 1, false, Some(Tolerance { rtol: 1e-6, atol: 1e-9 }));
        difference.add(0, &a[..3], &b[..3]);
        assert_eq!(difference.beyond.as_ref().unwrap().values, 1);
        difference.add(3, &a[3..], &b[3..]);
        let Beyond { values, first } = difference.beyond.clone().unwrap();
        assert_eq!((values, first.unwrap().place.global_id), (2, 1));
        assert!(!difference.agrees() && !difference.equal());
        let mut within = FieldDifference::new("q", 3, 1, false, Some(Tolerance { rtol: 1e-4, atol: 1e-9 }));
        within.add(0, &a[..3], &b[..3]);
        assert!(within.agrees() && !within.equal());
        assert!(within.text().contains("beyond tolerance    0 of 3 values (0 %)"), "{}", within.text());
    }

    #[test]
    fn what_is_not_finite_is_counted_apart_and_hides_nothing() {
        let a = [f64::NAN, 1.0, f64::INFINITY, f64::NEG_INFINITY, 2.0, f64::NAN];
        let b = [1.0, f64::NAN, 1e308, f64::INFINITY, 4.0, NAN_1];
        let difference = compared(1, &a, &b);
        assert_eq!((difference.not_finite, difference.equal_bits), (5, 0));
        assert_eq!(difference.max_absolute.unwrap().value, 2.0);
        assert_eq!(difference.max_relative.unwrap().value, 0.5);
        let first = difference.first.clone().unwrap();
        assert_eq!((first.place.global_id, first.a.decimal.as_str()), (0, "NaN"));
        assert!(difference.text().contains("5 pairs, in no other figure"));
    }

    #[test]
    fn shares_are_all_or_nothing_only_when_they_are() {
        let shares = [(0, 7), (1, 1_000_000), (1, 3), (999_999, 1_000_000), (7, 7), (0, 0)];
        let texts = shares.map(|(part, all)| percent(part, all));
        assert_eq!(texts, ["0 %", "0.01 %", "33.33 %", "99.99 %", "100 %", "100 %"]);
    }
}
