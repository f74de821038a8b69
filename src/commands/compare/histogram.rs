//! Values counted by the decade of their relative difference.
//!
//! The picture of Siklósi, Mudalige, Reguly, "Enabling bitwise reproducibility for the unstructured computational
//! motif", Applied Sciences 14(2):639, 2024, DOI 10.3390/app14020639, Figure 1: the difference (a - b)/a for a > b,
//! with values whose bits are equal counted separately.

use std::fmt::Write;

use serde::{Serialize, Serializer};

/// The lower ends of the decades: neighbouring doubles differ by at least 2^-53 = 1.1e-16, and no two numbers by more
/// than 2.
const DECADES: [f64; 17] = [
    1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1,
    1e0,
];
/// Exponent of the first decade.
const FIRST: i32 = -16;
/// Length of the longest bar of text.
const BAR: u64 = 48;

/// Numbers of values by decade.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram([u64; DECADES.len()]);

impl Histogram {
    /// Counts a value with this relative difference, which is not zero.
    pub fn add(&mut self, relative: f64) {
        let above = DECADES.partition_point(|&low| low <= relative);
        self.0[above.checked_sub(1).expect("neighbouring doubles differ by more than 1e-16")] += 1;
    }

    /// (k, values with a relative difference from 10^k to below 10^(k+1)), for every k.
    pub fn bars(&self) -> impl Iterator<Item = (i32, u64)> {
        (FIRST..).zip(self.0)
    }

    /// The decades from the first to the last with a value, each with a line and a bar.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let Some(first) = self.0.iter().position(|&count| count > 0) else { return text };
        let last = self.0.iter().rposition(|&count| count > 0).expect("there is a first one");
        let longest = self.0.iter().copied().max().expect("there are decades");
        for (decade, count) in self.bars().skip(first).take(last - first + 1) {
            // A single value among many still gets a bar.
            let length = (u128::from(count) * u128::from(BAR)).div_ceil(u128::from(longest));
            let bar = "#".repeat(length as usize);
            let range = format!("1e{decade} to 1e{}", decade + 1);
            writeln!(text, "    {range:<16}  {count:>14}  {bar}").expect("writing to a string");
        }
        text
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Bar {
            decade: i32,
            values: u64,
        }
        serializer.collect_seq(self.bars().map(|(decade, values)| Bar { decade, values }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(differences: &[f64]) -> Histogram {
        let mut histogram = Histogram::default();
        differences.iter().for_each(|&difference| histogram.add(difference));
        histogram
    }

    #[test]
    fn a_decade_begins_with_its_power_of_ten_and_ends_before_the_next() {
        let of_one = |difference: f64| of(&[difference]).bars().find(|&(_, count)| count == 1).unwrap().0;
        for (decade, text) in (FIRST..).zip(DECADES.map(|low| format!("{low:e}"))) {
            assert_eq!(text, format!("1e{decade}"));
        }
        for decade in FIRST + 1..=0 {
            let power: f64 = format!("1e{decade}").parse().unwrap();
            assert_eq!((of_one(power), of_one(power.next_down())), (decade, decade - 1));
        }
        assert_eq!((of_one(0.5 * f64::EPSILON), of_one(2.0)), (-16, 0));
    }

    #[test]
    fn bars_are_as_long_as_their_counts_and_never_invisible() {
        let text = of(&[vec![2e-15; 96], vec![3e-14; 48], vec![5e-12]].concat()).text();
        let lengths: Vec<usize> = text.lines().map(|line| line.matches('#').count()).collect();
        assert_eq!(lengths, [48, 24, 0, 1], "{text}");
        assert!(text.starts_with("    1e-15 to 1e-14"), "{text}");
        assert_eq!(of(&[]).text(), "");
    }

    #[test]
    fn json_has_every_decade() {
        let json = serde_json::to_value(of(&[1.0, 1.5])).unwrap();
        assert_eq!(json.as_array().unwrap().len(), 17);
        assert_eq!(json[16], serde_json::json!({"decade": 0, "values": 2}));
    }
}
