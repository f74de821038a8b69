//! The figures of the differences between two runs, and their table.

use super::step::MOST;
use super::*;

/// The step of fields of two components.
fn of(a: &[f64], b: &[f64], piece: usize) -> Step {
    let mut sums = Sums::new(2);
    a.chunks(piece).zip(b.chunks(piece)).for_each(|(a, b)| sums.add(a, b));
    sums.step(10, "q")
}

#[test]
fn figures_are_over_all_values_and_scaled_by_component() {
    // The second component is small next to the first, and has a value near zero.
    let a = [1e6, 1.0, 2e6, 1e-9, 4e6, -2.0];
    let b = [1e6, 1.0, 2e6 + 4.0, 3e-9, 4e6, -2.00002];
    for piece in [2, 4, 6] {
        let step = of(&a, &b, piece);
        assert_eq!((step.iteration, &*step.field, step.values), (10, "q", 6));
        assert_eq!((step.different, step.not_finite), (3, 0));
        assert_eq!(step.largest_absolute, 4.0);
        assert!((step.mean_absolute - 4.000_020_002 / 6.0).abs() < 1e-12);
        assert!((step.largest_relative - 2.0 / 3.0).abs() < 1e-12, "near zero, little is much");
        let relative = [4.0 / 2_000_004.0, 2.0 / 3.0, 0.000_02 / 2.000_02];
        assert!((step.mean_relative - relative.iter().sum::<f64>() / 6.0).abs() < 1e-12);
        assert!((step.largest_scaled - relative[2]).abs() < 1e-12, "4 of 4 million is less");
    }
}

#[test]
fn equal_bits_are_exactly_zero_and_what_is_not_finite_is_counted_apart() {
    let a = [1.0, f64::NAN, -0.0, 3.0];
    let step = of(&a, &a, 2);
    assert_eq!(step.figures(), [0.0; 5]);
    assert_eq!((step.different, step.not_finite), (0, 0));
    let step = of(&a, &[1.0, 2.0, 0.0, f64::INFINITY], 4);
    assert_eq!((step.figures(), step.different, step.not_finite), ([0.0; 5], 3, 2));
    // A difference that overflows is no more than the largest.
    assert_eq!(of(&[1.7e308, 0.0], &[-1.7e308, 0.0], 2).largest_scaled, MOST);
}

fn growth(steps: &[(u64, &str, f64, u64)]) -> Growth {
    let step = |&(iteration, field, largest, different): &(u64, &str, f64, u64)| {
        Step {
            largest_absolute: 3.0 * largest,
            largest_scaled: largest,
            different,
            values: 40,
            ..of(&[], &[], 2)
        }
        .at(iteration, field)
    };
    Growth { a: "a".into(), b: "b".into(), steps: steps.iter().map(step).collect(), left_out: vec![25] }
}

impl Step {
    fn at(self, iteration: u64, field: &str) -> Step {
        Step { iteration, field: field.into(), ..self }
    }
}

#[test]
fn a_table_is_read_as_it_was_written_by_field_or_with_the_largest_of_all() {
    let both =
        growth(&[(10, "q", 0.0, 0), (10, "r", 1e-16, 2), (20, "q", 1e-9, 30), (20, "r", 0.1 + 0.2, 10)]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("growth.csv");
    std::fs::write(&path, both.csv()).unwrap();
    assert!(is_table(&path).unwrap());
    let curves = read(&path, None).unwrap();
    assert_eq!(curves, both.curves());
    assert_eq!(curves.iter().map(|curve| &*curve.label).collect::<Vec<_>>(), ["q", "r"]);
    let one = read(&path, Some("1 against 3")).unwrap();
    let points = vec![Point::of(10, 1e-16, 2, 80), Point::of(20, 0.1 + 0.2, 40, 80)];
    assert_eq!(one, [Curve { label: "1 against 3".into(), points }]);
    std::fs::write(&path, format!("{HEADING}\n10,q,x,0,0,0,0,0,0,0\n")).unwrap();
    assert!(read(&path, None).unwrap_err().to_string().contains("\"x\" is not a whole number"));
}

#[test]
fn the_first_difference_is_the_verdict_and_exact_zeros_are_said() {
    let equal = growth(&[(10, "q", 0.0, 0)]);
    assert_eq!(equal.verdict(), None);
    let words = |growth: &Growth| growth.text().split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&equal);
    assert!(text.contains(" 10 q 0 0.00 % 0 0 0 0 0 "), "{text}");
    assert!(text.contains("not compared: iterations with one checkpoint, 25"), "{text}");
    let later = growth(&[(10, "q", 0.0, 0), (20, "q", 1e-9, 3)]);
    assert_eq!(later.verdict().unwrap(), "3 of 40 values of field q after iteration 20");
    let text = words(&later);
    assert!(text.contains(" 20 q 3 7.50 % 3.0e-9 0 0 0 1.0e-9 "), "{text}");
}
