//! The lines of an SU2 file: keywords with their values, and rows of numbers.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use cfd_engine::given;

use crate::IoError;

/// Maximum length of a line in a mesh.
const LONGEST_LINE: u64 = 4096;

/// A line like `NELEM= 2`.
pub(super) struct Keyword {
    pub(super) name: String,
    pub(super) value: String,
}

/// The file, line by line.
pub(super) struct Reader {
    input: BufReader<File>,
    path: PathBuf,
    /// Bytes of the file.
    length: u64,
    pub(super) line: u64,
    text: String,
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Reader, IoError> {
        let file = given::open(path, "a mesh file").map_err(|e| IoError::read(path, e))?;
        let length = file.metadata().map_err(|e| IoError::read(path, e))?.len();
        Ok(Reader { input: BufReader::new(file), path: path.into(), length, line: 0, text: String::new() })
    }

    /// A number of rows, with at least this many numbers each, that the file can hold.
    pub(super) fn count(&self, value: &str, name: &str, numbers: u64) -> Result<u64, IoError> {
        // NPOIN may be followed by the number of nodes without copies.
        let first = value.split_ascii_whitespace().next().unwrap_or_default();
        let rows: u64 = self.number(first, &format!("{name}= and a number"))?;
        // Every number takes at least a digit and a separator.
        if 2 * u128::from(numbers) * u128::from(rows) > u128::from(self.length) {
            let what = format!(
                "{name}= {rows} does not fit in a file of {} bytes; the file is truncated or this number is wrong",
                self.length
            );
            return Err(self.error(0, what));
        }
        Ok(rows)
    }

    pub(super) fn once(&self, name: &str, seen: &mut bool) -> Result<(), IoError> {
        if std::mem::replace(seen, true) {
            return Err(self.error(0, format!("{name} has been given before; expected it once")));
        }
        Ok(())
    }

    /// The next line, which has a keyword; `None` at the end of the file.
    pub(super) fn keyword(&mut self) -> Result<Option<Keyword>, IoError> {
        if !self.next_line()? {
            return Ok(None);
        }
        let Some((name, value)) = self.text.split_once('=') else {
            let what = format!(
                "\"{}\" is not a keyword; expected a line like NPOIN= 5 (are there more rows than announced?)",
                self.text.trim().chars().take(40).collect::<String>().escape_debug()
            );
            return Err(self.error(0, what));
        };
        Ok(Some(Keyword { name: name.trim().into(), value: value.trim().into() }))
    }

    /// The next line, which has numbers.
    pub(super) fn data(&mut self, what: &str) -> Result<(), IoError> {
        if self.next_line()? {
            Ok(())
        } else {
            Err(self.error(0, format!("the file ends here; expected {what}")))
        }
    }

    /// Reads a line that is not empty, without its comment; false at the end of the file.
    fn next_line(&mut self) -> Result<bool, IoError> {
        loop {
            self.line += 1;
            self.text.clear();
            let mut bytes = Vec::new();
            let read = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut bytes);
            let read = read.map_err(|e| IoError::read(&self.path, e))?;
            if read as u64 == LONGEST_LINE {
                return Err(self.error(0, "the line is too long for a mesh".into()));
            }
            let line = String::from_utf8_lossy(&bytes);
            self.text.push_str(line.split('%').next().unwrap_or_default());
            if read == 0 || !self.text.trim().is_empty() {
                return Ok(read > 0);
            }
        }
    }

    /// The fields of the current line, with their columns from 0.
    pub(super) fn fields(&self) -> impl Iterator<Item = (usize, &str)> + use<'_> {
        let text = self.text.as_str();
        text.split_ascii_whitespace()
            .map(move |field| (field.as_ptr() as usize - text.as_ptr() as usize, field))
    }

    pub(super) fn field<'a>(
        &self,
        fields: &mut impl Iterator<Item = (usize, &'a str)>,
        what: &str,
    ) -> Result<(usize, &'a str), IoError> {
        let end = self.text.trim_end().len();
        fields.next().ok_or_else(|| self.error(end, format!("the line ends here; expected {what}")))
    }

    pub(super) fn end<'a>(
        &self,
        mut fields: impl Iterator<Item = (usize, &'a str)>,
        what: &str,
    ) -> Result<(), IoError> {
        match fields.next() {
            None => Ok(()),
            Some((column, _)) => Err(self.error(column, format!("too many values; expected {what}"))),
        }
    }

    pub(super) fn parsed<T: FromStr>(&self, column: usize, field: &str, what: &str) -> Result<T, IoError> {
        field.parse().map_err(|_| {
            let field: String = field.chars().take(40).collect();
            let field = field.escape_debug();
            self.error(column, format!("\"{field}\" is not the right kind of number; expected {what}"))
        })
    }

    pub(super) fn number<T: FromStr>(&self, value: &str, what: &str) -> Result<T, IoError> {
        self.parsed(0, value, what)
    }

    /// An error at a column, from 0, of the current line.
    pub(super) fn error(&self, column: usize, what: String) -> IoError {
        IoError::Text {
            path: self.path.display().to_string(),
            line: self.line,
            column: column as u64 + 1,
            what,
        }
    }
}
