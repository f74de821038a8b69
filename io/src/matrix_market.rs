//! Sparse matrices in the Matrix Market exchange format (R. Boisvert, R. Pozo, K. Remington, NISTIR 5935, 1996):
//! text, with one entry a line.
//!
//! ```text
//! %%MatrixMarket matrix coordinate real general        real, integer or pattern; general, symmetric or skew-symmetric
//! % comments
//! 3 3 2                                                rows, columns, entries
//! 1 1 2.5
//! 3 2 -1
//! ```

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use cfd_engine::given::{self, short};

use crate::IoError;

/// No line is longer.
const LONGEST: u64 = 1 << 12;

/// A sparse matrix as a list of entries, from 0 on.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// Row, column and value, in the order of the file. Of a symmetric matrix, both halves; of a pattern, ones.
    pub entries: Vec<(u32, u32, f64)>,
}

/// What the other half of a matrix is.
#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// Reads a matrix.
///
/// # Errors
/// The file cannot be read, is of another kind (dense, complex, Hermitian), or is damaged: the place is named.
pub fn read_matrix_market(path: &Path) -> Result<Entries, IoError> {
    let file = given::open(path, "a Matrix Market file").map_err(|e| IoError::read(path, e))?;
    let mut lines = Lines { path, reader: BufReader::new(file), text: String::new(), line: 0 };
    lines.next()?.ok_or_else(|| IoError::file(path, "the file is empty"))?;
    let heading = lines.text.to_lowercase();
    let words: Vec<&str> = heading.split_whitespace().collect();
    let (has_values, symmetry) = match words[..] {
        ["%%matrixmarket", "matrix", "coordinate", kind, symmetry] => {
            let has_values = match kind {
                "real" | "integer" => true,
                "pattern" => false,
                _ => {
                    return Err(lines.wrong(format!("\"{}\" entries; real, integer or pattern", short(kind))));
                }
            };
            let symmetry = match symmetry {
                "general" => Symmetry::General,
                "symmetric" => Symmetry::Symmetric,
                "skew-symmetric" => Symmetry::Skew,
                _ => {
                    return Err(
                        lines.wrong(format!("\"{}\"; general, symmetric or skew-symmetric", short(symmetry)))
                    );
                }
            };
            (has_values, symmetry)
        }
        _ => {
            let expected = "%%MatrixMarket matrix coordinate real general";
            return Err(
                lines.wrong(format!("this is not a sparse matrix; expected \"{expected}\", or another kind"))
            );
        }
    };
    loop {
        lines.next()?.ok_or_else(|| IoError::file(path, "the file ends before the size of the matrix"))?;
        if !lines.text.starts_with('%') && !lines.text.trim().is_empty() {
            break;
        }
    }
    let size: Option<Vec<u64>> = lines.text.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some(&[rows, columns, count]) = size.as_deref() else {
        return Err(lines.wrong("expected the numbers of rows, columns and entries".into()));
    };
    let narrow = |number: u64| u32::try_from(number).ok();
    let (Some(rows), Some(columns)) = (narrow(rows), narrow(columns)) else {
        return Err(
            lines.wrong(format!("{rows} rows and {columns} columns; at most {} are possible", u32::MAX))
        );
    };
    let mut found = Entries { rows, columns, entries: Vec::new() };
    for _ in 0..count {
        let read = lines.next()?;
        read.ok_or_else(|| IoError::file(path, format!("the file ends before the last of {count} entries")))?;
        let (row, column, value) = lines.entry(has_values, rows, columns)?;
        found.entries.push((row, column, value));
        if row != column && symmetry != Symmetry::General {
            found.entries.push((column, row, if symmetry == Symmetry::Skew { -value } else { value }));
        }
    }
    Ok(found)
}

/// The lines of a file.
struct Lines<'a> {
    path: &'a Path,
    reader: BufReader<File>,
    text: String,
    line: u64,
}

impl Lines<'_> {
    /// Reads the next line; none at the end.
    fn next(&mut self) -> Result<Option<()>, IoError> {
        self.text.clear();
        self.line += 1;
        let read = (&mut self.reader).take(LONGEST).read_line(&mut self.text);
        match read.map_err(|e| IoError::read(self.path, e))? as u64 {
            0 => Ok(None),
            LONGEST => Err(self.wrong(format!("the line is longer than {LONGEST} bytes"))),
            _ => Ok(Some(())),
        }
    }

    /// Row and column, from 0, and value of the line.
    fn entry(&self, has_values: bool, rows: u32, columns: u32) -> Result<(u32, u32, f64), IoError> {
        let mut words = self.text.split_whitespace();
        let mut index = |what: &str, most: u32| match words.next().map(str::parse::<u32>) {
            Some(Ok(number)) if (1..=most).contains(&number) => Ok(number - 1),
            _ => Err(self.wrong(format!("expected a {what} from 1 to {most}"))),
        };
        let (row, column) = (index("row", rows)?, index("column", columns)?);
        let value = match (has_values, words.next().map(str::parse::<f64>)) {
            (false, _) => 1.0,
            (true, Some(Ok(value))) if value.is_finite() => value,
            (true, _) => return Err(self.wrong("expected a finite number after row and column".into())),
        };
        Ok((row, column, value))
    }

    fn wrong(&self, what: String) -> IoError {
        IoError::Text { path: self.path.display().to_string(), line: self.line, column: 1, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Entries, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.mtx");
        std::fs::write(&path, text).expect("a file");
        read_matrix_market(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn matrices_of_every_kind_are_read() {
        let general =
            read("%%MatrixMarket matrix coordinate real general\n% a\n\n2 3 2\n1 3 2.5\n2 1 -1e3\n").unwrap();
        assert_eq!(general, Entries { rows: 2, columns: 3, entries: vec![(0, 2, 2.5), (1, 0, -1e3)] });
        let symmetric =
            read("%%MatrixMarket MATRIX coordinate Integer symmetric\n2 2 2\n1 1 7\n2 1 3").unwrap();
        assert_eq!(symmetric.entries, [(0, 0, 7.0), (1, 0, 3.0), (0, 1, 3.0)]);
        let skew = read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n").unwrap();
        assert_eq!(skew.entries, [(1, 0, 3.0), (0, 1, -3.0)]);
        let pattern = read("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n3 2\n").unwrap();
        assert_eq!(pattern.entries, [(2, 1, 1.0), (1, 2, 1.0)]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let head = "%%MatrixMarket matrix coordinate real general\n";
        for (text, expected) in [
            (String::new(), "empty"),
            ("1 2 3\n".into(), "a.mtx:1:1: this is not a sparse matrix"),
            ("%%MatrixMarket matrix array real general\n".into(), "this is not a sparse matrix"),
            ("%%MatrixMarket matrix coordinate complex general\n".into(), "\"complex\" entries"),
            ("%%MatrixMarket matrix coordinate real hermitian\n".into(), "\"hermitian\"; general"),
            (head.into(), "ends before the size"),
            (format!("{head}2 2\n"), "a.mtx:2:1: expected the numbers of rows"),
            (format!("{head}2 5000000000 0\n"), "5000000000 columns"),
            (format!("{head}2 2 2\n1 1 1\n"), "before the last of 2 entries"),
            (format!("{head}2 2 1\n3 1 1\n"), "a.mtx:3:1: expected a row from 1 to 2"),
            (format!("{head}2 2 1\n1 0 1\n"), "expected a column from 1 to 2"),
            (format!("{head}2 2 1\n1 1 nan\n"), "expected a finite number"),
            (format!("{head}2 2 1\n1 1\n"), "expected a finite number"),
            (format!("{head}{}\n", "x".repeat(5000)), "longer than 4096 bytes"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(expected), "{text:.60}: {error}");
        }
    }
}
