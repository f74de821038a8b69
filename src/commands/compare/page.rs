//! The comparison as a self-contained page.

use super::field::{FieldDifference, percent};
use super::{Comparison, picture};
use crate::report::page::{Mood, Page};

/// The page of a comparison.
pub fn html(comparison: &Comparison) -> String {
    let mut page = Page::new("Comparison", &format!("A: {}; B: {}", comparison.a, comparison.b));
    let good = comparison.equal || comparison.within_tolerance == Some(true);
    page.verdict(if good { Mood::Good } else { Mood::Bad }, &comparison.outcome());
    if let Some(what) = comparison.verdict() {
        page.paragraph(&what);
    }
    if let Some(solution) = &comparison.solution {
        page.heading("Fields");
        let columns = [
            "field",
            "rows",
            "components",
            "equal bits",
            "largest absolute",
            "largest relative",
            "largest in ulp",
            "L1",
            "L2",
            "relative L2",
        ];
        page.table(&columns, &solution.fields.iter().map(row).collect::<Vec<_>>());
        if let Some(how) = solution.how() {
            page.paragraph(&how);
        }
        if !solution.equal() {
            page.picture(&picture(comparison, solution), "values by decade of their relative difference");
        }
        if !solution.left_out.is_empty() {
            page.paragraph(&format!("Not compared: {}", solution.left_out.join(", ")));
        }
    }
    page.folded("as on the terminal", &comparison.text());
    page.html()
}

fn row(field: &FieldDifference) -> Vec<String> {
    let number = |value: f64| if value == 0.0 { "0".into() } else { format!("{value:.3e}") };
    let largest = |value: Option<f64>| value.map_or("0".into(), number);
    vec![
        field.name.clone(),
        field.rows.to_string(),
        field.dim.to_string(),
        percent(field.equal_bits, field.values),
        largest(field.max_absolute.map(|largest| largest.value)),
        largest(field.max_relative.map(|largest| largest.value)),
        field.max_ulp.map_or("0".into(), |largest| match largest.value {
            value @ ..10_000_000 => value.to_string(),
            value => format!("{:.2e}", value as f64),
        }),
        number(field.norms.l1),
        number(field.norms.l2),
        number(field.norms.relative_l2),
    ]
}
