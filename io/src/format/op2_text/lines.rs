//! The lines of a text mesh, on the rank that reads the file.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use cfd_engine::given::{self, short};

use crate::IoError;

/// Maximum length of a line in a mesh.
const LONGEST_LINE: u64 = 4096;

/// The values of a line, all of one type.
pub(super) trait Number: FromStr {
    /// In words, for messages.
    const NAME: &'static str;
}

impl Number for f64 {
    const NAME: &'static str = "a number";
}

impl Number for i64 {
    const NAME: &'static str = "an integer";
}

/// The file, line by line, on rank 0.
pub(super) struct Reader {
    input: BufReader<File>,
    path: PathBuf,
    line: u64,
    text: Vec<u8>,
    /// Whether the last line read is known to be complete: whether anything follows its last number.
    whole: bool,
}

impl Reader {
    /// Opens the file and reads its first line, the number of lines of each section. `name` is the file's usual name,
    /// for messages; `sections` are the sets and their lines' numbers of values.
    pub(super) fn open(
        path: &Path,
        name: &str,
        sections: &[(&str, usize)],
    ) -> Result<(Reader, Vec<u64>), IoError> {
        let file = given::open(path, "a mesh file").map_err(|e| IoError::read(path, e))?;
        let bytes = file.metadata().map_err(|e| IoError::read(path, e))?.len();
        let input = BufReader::new(file);
        let mut reader = Reader { input, path: path.into(), line: 0, text: Vec::new(), whole: true };
        let sets: Vec<&str> = sections.iter().map(|(set, _)| *set).collect();
        let what = format!("the header of {name}: {}", sets.join(" "));
        let mut header = Vec::new();
        reader.row::<i64>(&what, sets.len(), &mut header)?;
        let size = |&value: &i64| {
            u64::try_from(value)
                .map_err(|_| reader.error(0, format!("{value} is not a number of elements; expected {what}")))
        };
        let sizes: Vec<u64> = header.iter().map(size).collect::<Result<_, _>>()?;
        // Every number takes at least a digit and a separator, so nothing is allocated that the file cannot hold.
        let least: u128 =
            sections.iter().zip(&sizes).map(|((_, dim), &rows)| 2 * *dim as u128 * u128::from(rows)).sum();
        if least > u128::from(bytes) {
            let rows: Vec<String> =
                sizes.iter().zip(&sets).map(|(rows, set)| format!("{rows} {set}")).collect();
            let what = format!(
                "{} do not fit in a file of {bytes} bytes; the file is truncated or the header is wrong",
                rows.join(", ")
            );
            return Err(reader.error(0, what));
        }
        Ok((reader, sizes))
    }

    /// Reads the next line's `dim` numbers.
    pub(super) fn row<T: Number>(
        &mut self,
        what: &str,
        dim: usize,
        values: &mut Vec<T>,
    ) -> Result<(), IoError> {
        if !self.next_line()? {
            return Err(self.error(0, format!("the file ends here; expected {what}")));
        }
        let mut found = 0;
        let mut column = 0;
        for token in self.text.split(u8::is_ascii_whitespace) {
            let start = column;
            column += token.len() + 1;
            if token.is_empty() {
                continue;
            }
            if found == dim {
                return Err(self.error(start, format!("more than {dim} values; expected {what}")));
            }
            let value = std::str::from_utf8(token).ok().and_then(|t| t.parse().ok());
            let Some(value) = value else {
                let token = String::from_utf8_lossy(token);
                let token = short(&token);
                return Err(self.error(start, format!("\"{token}\" is not {}; expected {what}", T::NAME)));
            };
            values.push(value);
            found += 1;
        }
        if found < dim {
            let end = self.text.trim_ascii_end().len();
            return Err(self.error(end, format!("{found} values instead of {dim}; expected {what}")));
        }
        Ok(())
    }

    /// Checks that only blank lines are left and, if `whole`, that no digits of the last number can be missing.
    pub(super) fn end(&mut self, whole: bool) -> Result<(), IoError> {
        if whole && !self.whole {
            let what = "the file ends right after this number, which may be cut short; expected a space or the end of \
             the line";
            return Err(self.error(self.text.len().saturating_sub(1), what.into()));
        }
        while self.next_line()? {
            if let Some(column) = self.text.iter().position(|b| !b.is_ascii_whitespace()) {
                return Err(self
                    .error(column, "extra rows; the header's numbers end the file before this line".into()));
            }
        }
        Ok(())
    }

    /// Reads a line, without its end; false at the end of the file.
    fn next_line(&mut self) -> Result<bool, IoError> {
        self.line += 1;
        self.text.clear();
        let read = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut self.text);
        let read = read.map_err(|e| IoError::read(&self.path, e))?;
        if read as u64 == LONGEST_LINE {
            return Err(self.error(0, "the line is too long for a mesh".into()));
        }
        self.whole = self.text.last().is_some_and(u8::is_ascii_whitespace);
        if self.text.last() == Some(&b'\n') {
            self.text.pop();
        }
        Ok(read > 0)
    }

    /// An error at a column, from 0, of the current line.
    fn error(&self, column: usize, what: String) -> IoError {
        IoError::Text {
            path: self.path.display().to_string(),
            line: self.line,
            column: column as u64 + 1,
            what,
        }
    }
}
