//! Two histories, compared bit by bit except for the times.

use std::path::Path;

use cfd_engine::given::short;
use cfd_io::IoError;
use serde::Serialize;

use super::csv::{Csv, Row};
use super::distance::Tolerance;
use super::unlike;
use crate::exit::Error;

/// What the heading of a history begins with.
pub const HEADING: [&str; 2] = ["iteration", "residual"];
/// The column that differs between any two runs.
const TIME: &str = "time_s";

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct First {
    /// Line in both files, from 1.
    pub line: u64,
    /// The iteration in the first file, or in the second if the first has ended.
    pub iteration: String,
    /// Name of the column.
    pub column: String,
    /// The value in the first file; `None` if it has ended.
    pub a: Option<String>,
    /// The value in the second file; `None` if it has ended.
    pub b: Option<String>,
}

/// How two histories differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HistoryDifference {
    /// Rows that both have.
    pub rows: u64,
    /// Rows in which the bits of all values but the time are equal.
    pub equal_rows: u64,
    /// The first value that differs.
    pub first: Option<First>,
    /// Whether values within a tolerance count as equal.
    #[serde(skip)]
    pub within: bool,
}

impl HistoryDifference {
    /// True when all bits are equal.
    pub fn equal(&self) -> bool {
        self.first.is_none()
    }

    /// What differs first, in a few words.
    pub fn verdict(&self) -> Option<String> {
        let First { line, iteration, column, a, b } = self.first.as_ref()?;
        Some(match (a, b) {
            (Some(_), None) => format!("the history of B ends before line {line}, iteration {iteration}"),
            (None, _) => format!("the history of A ends before line {line}, iteration {iteration}"),
            _ => format!("the histories in line {line}, iteration {iteration}: {column}"),
        })
    }

    /// The figures, for people.
    pub fn text(&self) -> String {
        let alike = if self.within { "equal values, within the tolerance" } else { "equal bits" };
        let mut text = format!("history: {} of {} rows have {alike}\n", self.equal_rows, self.rows);
        if let Some(First { line, iteration, column, a, b }) = &self.first {
            let [a, b] = [a, b].map(|value| value.as_deref().unwrap_or("(the file has ended)"));
            text.push_str(&format!(
                "  first difference: line {line}, iteration {iteration}, {column}\n    A {a}\n    B {b}\n"
            ));
        }
        text
    }
}

/// Compares two histories; with a tolerance, values within it count as equal.
///
/// # Errors
/// One of them is missing, damaged, or not a history, or they have different columns.
pub fn compare(a: &Path, b: &Path, tolerance: Option<Tolerance>) -> Result<HistoryDifference, Error> {
    let (mut in_a, mut in_b) = (open(a)?, open(b)?);
    if in_a.heading() != in_b.heading() {
        let [of_a, of_b] = [&in_a, &in_b].map(|csv| short(&csv.heading().join(",")).into_owned());
        let what = format!("the columns are {of_a} and {of_b}; compare histories of the same case");
        return Err(unlike(a, b, what));
    }
    let columns: Vec<(usize, String)> =
        in_a.heading().iter().cloned().enumerate().filter(|(_, name)| name != TIME).collect();
    let mut difference =
        HistoryDifference { rows: 0, equal_rows: 0, first: None, within: tolerance.is_some() };
    loop {
        let (row_a, row_b) = (in_a.next_row()?, in_b.next_row()?);
        let found = match (&row_a, &row_b) {
            (None, None) => return Ok(difference),
            (Some(row_a), Some(row_b)) => {
                difference.rows += 1;
                let found = differing(&columns, row_a, row_b, tolerance)?;
                difference.equal_rows += u64::from(found.is_none());
                found
            }
            (Some(row), None) | (None, Some(row)) => Some(First {
                line: row.line,
                iteration: row.text(0).into(),
                column: HEADING[0].into(),
                a: row_a.as_ref().map(|row| row.text(0).into()),
                b: row_b.as_ref().map(|row| row.text(0).into()),
            }),
        };
        difference.first = difference.first.or(found);
        if row_a.is_none() || row_b.is_none() {
            return Ok(difference);
        }
    }
}

fn open(path: &Path) -> Result<Csv, Error> {
    let csv = Csv::open(path)?;
    if !csv.heading().starts_with(&HEADING.map(String::from)) {
        let what = format!("this is not a history: the columns do not begin with {}", HEADING.join(","));
        return Err(IoError::File { path: path.display().to_string(), what }.into());
    }
    Ok(csv)
}

/// The first column in which two rows differ.
fn differing(
    columns: &[(usize, String)],
    a: &Row,
    b: &Row,
    tolerance: Option<Tolerance>,
) -> Result<Option<First>, IoError> {
    for (column, name) in columns {
        let (of_a, of_b) = (bits(a, *column)?, bits(b, *column)?);
        let allowed = match (of_a, of_b, tolerance) {
            (Some(a), Some(b), Some(tolerance)) if name != HEADING[0] => {
                tolerance.allows(f64::from_bits(a), f64::from_bits(b))
            }
            _ => false,
        };
        if of_a != of_b && !allowed {
            return Ok(Some(First {
                line: a.line,
                iteration: a.text(0).into(),
                column: name.clone(),
                a: Some(a.text(*column).into()),
                b: Some(b.text(*column).into()),
            }));
        }
    }
    Ok(None)
}

/// The bits of a number; `None` for a value that was not reported.
fn bits(row: &Row, column: usize) -> Result<Option<u64>, IoError> {
    if row.text(column).is_empty() {
        return Ok(None);
    }
    row.parse::<f64>(column, "a number").map(|value| Some(value.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HISTORY: &str = "iteration,residual,lift,time_s\n1,1e-3,-0e0,0.1\n2,0.5e-3,,0.2\n";

    fn compared(a: &str, b: &str) -> Result<HistoryDifference, Error> {
        let folder = tempfile::tempdir().unwrap();
        let [path_a, path_b] = ["a.csv", "b.csv"].map(|name| folder.path().join(name));
        std::fs::write(&path_a, a).unwrap();
        std::fs::write(&path_b, b).unwrap();
        compare(&path_a, &path_b, None)
    }

    #[test]
    fn times_and_ways_to_write_a_number_do_not_count() {
        let other = HISTORY.replace(",0.1", ",7.5").replace("0.5e-3", "5e-4");
        let difference = compared(HISTORY, &other).unwrap();
        assert!(difference.equal() && difference.verdict().is_none());
        assert_eq!((difference.rows, difference.equal_rows), (2, 2));
    }

    #[test]
    fn the_first_value_with_other_bits_is_named() {
        let first = |b: &str| compared(HISTORY, b).unwrap().verdict().unwrap();
        let last_bit = format!("{:e}", 1e-3f64.next_up());
        assert_eq!(
            first(&HISTORY.replace("1e-3,", &format!("{last_bit},"))),
            "the histories in line 2, iteration 1: residual"
        );
        assert_eq!(first(&HISTORY.replace("-0e0", "0e0")), "the histories in line 2, iteration 1: lift");
        assert_eq!(first(&HISTORY.replace(",,", ",0,")), "the histories in line 3, iteration 2: lift");
        assert_eq!(
            first(&HISTORY.replace("\n2,", "\n3,")),
            "the histories in line 3, iteration 2: iteration"
        );
    }

    #[test]
    fn a_history_that_ends_early_differs() {
        let short = HISTORY.split_inclusive('\n').take(2).collect::<String>();
        let difference = compared(HISTORY, &short).unwrap();
        assert_eq!((difference.rows, difference.equal_rows), (1, 1));
        assert_eq!(difference.verdict().unwrap(), "the history of B ends before line 3, iteration 2");
        let difference = compared(&short, HISTORY).unwrap();
        assert_eq!(difference.verdict().unwrap(), "the history of A ends before line 3, iteration 2");
    }

    #[test]
    fn other_columns_and_what_is_no_number_are_refused() {
        let message = |b: &str| compared(HISTORY, b).unwrap_err().to_string();
        assert!(message(&HISTORY.replace("lift", "drag")).contains("histories of the same case"));
        assert!(message(&HISTORY.replace("1e-3", "one")).contains("b.csv:2:3: \"one\" is not a number"));
        assert!(message("a,b\n").contains("this is not a history"));
    }
}
