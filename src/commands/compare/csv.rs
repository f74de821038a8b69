//! CSV files, read row by row to save memory.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use cfd_engine::given::{self, short};
use cfd_io::IoError;

/// Upper bound on the length of a row; a longer line is not a row.
const LONGEST_LINE: u64 = 1 << 16;

/// A CSV file, open for reading.
pub struct Csv {
    path: PathBuf,
    lines: BufReader<File>,
    /// Number of the last line read, from 1.
    line: u64,
    heading: Vec<String>,
}

/// A row of a CSV file: as many fields as the heading has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    path: PathBuf,
    /// Its line in the file, from 1.
    pub line: u64,
    texts: Vec<String>,
}

impl Csv {
    /// Opens a file and reads its heading.
    ///
    /// # Errors
    /// It is missing or unreadable.
    pub fn open(path: &Path) -> Result<Csv, IoError> {
        let file = given::open(path, "a table (CSV)").map_err(|error| IoError::read(path, error))?;
        let mut csv = Csv { path: path.into(), lines: BufReader::new(file), line: 0, heading: Vec::new() };
        csv.heading = csv.texts()?.unwrap_or_default();
        Ok(csv)
    }

    /// Names of the columns.
    pub fn heading(&self) -> &[String] {
        &self.heading
    }

    /// The next row; none at the end.
    ///
    /// # Errors
    /// The file cannot be read there, or the row is not as long as the heading: the file is truncated or damaged.
    pub fn next_row(&mut self) -> Result<Option<Row>, IoError> {
        let Some(texts) = self.texts()? else { return Ok(None) };
        let row = Row { path: self.path.clone(), line: self.line, texts };
        if row.texts.len() != self.heading.len() {
            let what = format!(
                "{} values, expected {}: {}; the file is truncated or damaged",
                row.texts.len(),
                self.heading.len(),
                short(&self.heading.join(","))
            );
            return Err(row.wrong(row.texts.len().min(self.heading.len()) - 1, what));
        }
        Ok(Some(row))
    }

    fn texts(&mut self) -> Result<Option<Vec<String>>, IoError> {
        let mut line = String::new();
        let read = (&mut self.lines).take(LONGEST_LINE).read_line(&mut line);
        let read = read.map_err(|error| IoError::read(&self.path, error))?;
        if read == 0 {
            return Ok(None);
        }
        self.line += 1;
        if read as u64 == LONGEST_LINE {
            let what =
                format!("the line is longer than {LONGEST_LINE} bytes, which is too long for a table (CSV)");
            let path = self.path.display().to_string();
            return Err(IoError::Text { path, line: self.line, column: 1, what });
        }
        let line = line.trim_end_matches(['\n', '\r']);
        Ok(Some(line.split(',').map(String::from).collect()))
    }
}

impl Row {
    /// The text of a column.
    pub fn text(&self, column: usize) -> &str {
        &self.texts[column]
    }

    /// The text of a column, understood as `what`.
    ///
    /// # Errors
    /// It is something else.
    pub fn parse<T: std::str::FromStr>(&self, column: usize, what: &str) -> Result<T, IoError> {
        let text = self.text(column);
        text.parse().map_err(|_| self.wrong(column, format!("\"{}\" is not {what}", short(text))))
    }

    /// An error about a column of this row.
    pub fn wrong(&self, column: usize, what: String) -> IoError {
        let before: usize = self.texts[..column].iter().map(|text| text.len() + 1).sum();
        IoError::Text {
            path: self.path.display().to_string(),
            line: self.line,
            column: before as u64 + 1,
            what,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_know_their_place_and_short_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, "a,b\r\n1,x\n2\n").unwrap();
        let mut csv = Csv::open(&path).unwrap();
        assert_eq!(csv.heading(), ["a", "b"]);
        let row = csv.next_row().unwrap().unwrap();
        assert_eq!((row.line, row.text(1), row.parse(0, "a number")), (2, "x", Ok(1)));
        let message = row.parse::<u64>(1, "a number").unwrap_err().to_string();
        assert!(message.ends_with("t.csv:2:3: \"x\" is not a number"), "{message}");
        let message = csv.next_row().unwrap_err().to_string();
        assert!(message.contains("t.csv:3:1: 1 values, expected 2: a,b"), "{message}");
        assert_eq!(csv.next_row(), Ok(None));
    }
}
