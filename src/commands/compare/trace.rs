//! Two traces: the hash of every dat that a loop has changed, loop by loop. The first differing hashes name the loop in
//! which two runs diverge.

use std::fmt;
use std::path::Path;

use cfd_io::{Digest, IoError};
use serde::Serialize;

use super::csv::{Csv, Row};
use super::empty;
use crate::exit::Error;

/// The columns of a trace.
pub const HEADING: [&str; 5] = ["iteration", "loop", "name", "dat", "hash"];

/// Where in a run a dat was hashed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Iteration; 0 is the set-up.
    pub iteration: u64,
    /// Loop of the iteration, from 1.
    #[serde(rename = "loop")]
    pub number: u64,
    /// Name of the loop.
    pub name: String,
    /// The dat.
    pub dat: String,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step { iteration, number, name, dat } = self;
        let setup = if *iteration == 0 { " (set-up)" } else { "" };
        write!(f, "iteration {iteration}{setup}, loop {number} ({name}), dat {dat}")
    }
}

/// Hashes of one dat after one loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parting {
    /// Where.
    #[serde(flatten)]
    pub step: Step,
    /// Line in both files, from 1.
    pub line: u64,
    /// The hash in the first file.
    pub a: String,
    /// The hash in the second file.
    pub b: String,
}

/// A line in which the traces have different loops or dats; `None` where a trace has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unlike {
    /// Line in both files, from 1.
    pub line: u64,
    /// What the first file has there.
    pub a: Option<Step>,
    /// What the second file has there.
    pub b: Option<Step>,
}

/// How two traces differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceDifference {
    /// Hashes compared: those before the traces list different things.
    pub hashes: u64,
    /// How many of them are equal.
    pub equal_hashes: u64,
    /// The first that differ.
    pub first: Option<Parting>,
    /// The first line at which the traces list different things.
    pub unlike: Option<Unlike>,
}

impl TraceDifference {
    /// True when the traces are the same.
    pub fn equal(&self) -> bool {
        self.first.is_none() && self.unlike.is_none()
    }

    /// What differs first, in a few words.
    pub fn verdict(&self) -> Option<String> {
        match (&self.first, &self.unlike) {
            (Some(first), _) => Some(format!("first difference: {}", first.step)),
            (None, Some(unlike)) => Some(unlike.to_string()),
            (None, None) => None,
        }
    }

    /// The figures, for people.
    pub fn text(&self) -> String {
        let mut text = format!("trace: {} of {} hashes are equal\n", self.equal_hashes, self.hashes);
        if let Some(Parting { step, line, a, b }) = &self.first {
            text.push_str(&format!("  first difference: {step}\n    line {line}\n    A {a}\n    B {b}\n"));
        }
        if let Some(unlike) = &self.unlike {
            text.push_str(&format!("  {unlike}\n"));
        }
        text
    }
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match (&self.a, &self.b) {
            (Some(a), Some(b)) => write!(f, "the traces diverge in line {line}: A has {a}; B has {b}"),
            (Some(a), None) => write!(f, "B ends before line {line}, where A has {a}"),
            (None, Some(b)) => write!(f, "A ends before line {line}, where B has {b}"),
            (None, None) => unreachable!("two traces that have ended are not unlike"),
        }
    }
}

/// Compares two traces.
///
/// # Errors
/// One of them is missing, damaged, empty or not a trace.
pub fn compare(a: &Path, b: &Path) -> Result<TraceDifference, Error> {
    let (mut in_a, mut in_b) = (open(a)?, open(b)?);
    let mut difference = TraceDifference { hashes: 0, equal_hashes: 0, first: None, unlike: None };
    let mut line = 2;
    loop {
        let next_a = in_a.next_row()?.map(|row| parse(&row)).transpose()?;
        let next_b = in_b.next_row()?.map(|row| parse(&row)).transpose()?;
        match (next_a, next_b) {
            (None, None) if line == 2 => return Err(empty(a)),
            (None, None) => return Ok(difference),
            (Some((step, a)), Some((other, b))) if step == other => {
                difference.hashes += 1;
                if a == b {
                    difference.equal_hashes += 1;
                } else {
                    let [a, b] = [a, b].map(|hash| hash.to_string());
                    difference.first.get_or_insert(Parting { step, line, a, b });
                }
            }
            (a, b) => {
                let [a, b] = [a, b].map(|row| row.map(|(step, _)| step));
                difference.unlike = Some(Unlike { line, a, b });
                return Ok(difference);
            }
        }
        line += 1;
    }
}

fn open(path: &Path) -> Result<Csv, IoError> {
    let csv = Csv::open(path)?;
    if csv.heading() != HEADING {
        let what = format!("this is not a trace: the columns are not {}", HEADING.join(","));
        return Err(IoError::File { path: path.display().to_string(), what });
    }
    Ok(csv)
}

fn parse(row: &Row) -> Result<(Step, Digest), IoError> {
    let step = Step {
        iteration: row.parse(0, "an iteration, a number from 0")?,
        number: row.parse(1, "a loop's number, from 1")?,
        name: row.text(2).into(),
        dat: row.text(3).into(),
    };
    Ok((step, row.parse(4, "a hash: blake3: and 64 hexadecimal digits")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A trace of two iterations with two loops; the hash of row k is made of `hashes[k]`.
    fn rows(hashes: [u8; 5]) -> Vec<String> {
        let steps =
            ["0,1,start,q", "1,1,flux,res", "1,2,update,q", "2,1,flux,res", "2,2,update,q"].into_iter();
        steps
            .zip(hashes)
            .map(|(step, hash)| format!("{step},blake3:{}", format!("{hash:02x}").repeat(32)))
            .collect()
    }

    fn compared(a: &[String], b: &[String]) -> Result<TraceDifference, Error> {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, rows: &[String]| {
            let path = folder.path().join(name);
            std::fs::write(
                &path,
                format!("{}\n{}\n", HEADING.join(","), rows.join("\n")).replace("\n\n", "\n"),
            )
            .unwrap();
            path
        };
        compare(&write("a.csv", a), &write("b.csv", b))
    }

    #[test]
    fn equal_traces_are_equal() {
        let a = rows([1, 2, 3, 4, 5]);
        let difference = compared(&a, &a).unwrap();
        assert!(difference.equal() && difference.verdict().is_none());
        assert_eq!((difference.hashes, difference.equal_hashes), (5, 5));
    }

    #[test]
    fn the_first_loop_and_dat_that_differ_are_named() {
        let difference = compared(&rows([1, 2, 3, 4, 5]), &rows([1, 2, 3, 9, 9])).unwrap();
        assert_eq!(difference.verdict().unwrap(), "first difference: iteration 2, loop 1 (flux), dat res");
        assert_eq!((difference.hashes, difference.equal_hashes), (5, 3));
        assert_eq!(difference.first.unwrap().line, 5);
        let difference = compared(&rows([1, 2, 3, 4, 5]), &rows([9, 2, 3, 4, 5])).unwrap();
        assert_eq!(
            difference.verdict().unwrap(),
            "first difference: iteration 0 (set-up), loop 1 (start), dat q"
        );
    }

    #[test]
    fn traces_of_other_loops_part_at_a_line() {
        let (a, mut b) = (rows([1, 2, 3, 4, 5]), rows([1, 2, 3, 4, 5]));
        b[2] = b[2].replace("update", "smooth");
        let difference = compared(&a, &b).unwrap();
        assert_eq!(
            difference.verdict().unwrap(),
            "the traces diverge in line 4: A has iteration 1, loop 2 (update), dat q; B has iteration 1, loop 2 \
             (smooth), dat q"
        );
        assert_eq!((difference.hashes, difference.equal_hashes), (2, 2));
        let difference = compared(&a, &a[..3]).unwrap();
        assert!(!difference.equal());
        assert_eq!(
            difference.verdict().unwrap(),
            "B ends before line 5, where A has iteration 2, loop 1 (flux), dat res"
        );
        assert!(compared(&a[..3], &a).unwrap().verdict().unwrap().starts_with("A ends before line 5"));
        b[1] = rows([1, 9, 3, 4, 5])[1].clone();
        let difference = compared(&a, &b).unwrap();
        assert!(difference.verdict().unwrap().contains("iteration 1, loop 1"), "what comes first counts");
        assert!(difference.text().contains("diverge in line 4"));
    }

    #[test]
    fn damaged_and_empty_traces_are_refused_by_line() {
        let whole = rows([1, 2, 3, 4, 5]);
        for (row, words) in [
            ("1,1,flux,res,blake3:12", "b.csv:2:14: \"blake3:12\" is not a hash"),
            ("1,1,flux,res", "b.csv:2:10: 4 values, expected 5"),
            ("one,1,flux,res,x", "b.csv:2:1: \"one\" is not an iteration"),
        ] {
            let message = compared(&whole, &[row.to_string()]).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
        let message = compared(&[], &[]).unwrap_err().to_string();
        assert!(message.contains("a.csv: there is nothing to compare"), "{message}");
    }
}
