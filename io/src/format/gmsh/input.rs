//! The numbers of a Gmsh file, in sequence, from text or binary.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use cfd_engine::given;

use crate::IoError;

/// Maximum length of a heading, name or number.
const LONGEST: usize = 4096;

/// How numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As decimal numbers separated by blanks and line ends.
    Text,
    /// As 32-bit and 64-bit integers and 64-bit numbers.
    Binary {
        /// Most significant byte first.
        big_endian: bool,
    },
}

/// A file, on rank 0.
pub(super) struct Input {
    input: BufReader<File>,
    path: PathBuf,
    /// Bytes of the file.
    length: u64,
    /// Bytes read so far.
    offset: u64,
    /// The line and column, from 1, of the next byte.
    at: (u64, u64),
    /// Start of the last number or line read: byte, line and column.
    last: (u64, u64, u64),
    pub(super) encoding: Encoding,
}

impl Input {
    /// Opens a file, as text.
    pub(super) fn open(path: &Path) -> Result<Input, IoError> {
        let file = given::open(path, "a mesh file").map_err(|e| IoError::read(path, e))?;
        let length = file.metadata().map_err(|e| IoError::read(path, e))?.len();
        let input = BufReader::new(file);
        Ok(Input {
            input,
            path: path.into(),
            length,
            offset: 0,
            at: (1, 1),
            last: (0, 1, 1),
            encoding: Encoding::Text,
        })
    }

    /// The position in the file of the last number read: a line of text, or a byte of a binary file.
    pub(super) fn place(&self) -> u64 {
        match self.encoding {
            Encoding::Text => self.last.1,
            Encoding::Binary { .. } => self.last.0,
        }
    }

    /// An error about the last item read.
    pub(super) fn error(&self, what: impl Into<String>) -> IoError {
        let (byte, line, column) = self.last;
        let (path, what) = (self.path.display().to_string(), what.into());
        match self.encoding {
            Encoding::Text => IoError::Text { path, line, column, what },
            Encoding::Binary { .. } => IoError::Row { place: format!("{path}: byte {byte}"), what },
        }
    }

    /// The next heading, without its `$`; `None` at the end of the file.
    pub(super) fn heading(&mut self) -> Result<Option<String>, IoError> {
        self.skip_blanks()?;
        let line = self.line()?;
        match line.strip_prefix('$') {
            Some(name) => Ok(Some(name.to_string())),
            None if line.is_empty() => Ok(None),
            None => {
                Err(self
                    .error(format!("\"{}\" is not a heading; expected a section, like $Nodes", short(&line))))
            }
        }
    }

    /// Reads `$EndNAME`.
    pub(super) fn end(&mut self, name: &str) -> Result<(), IoError> {
        self.skip_blanks()?;
        let line = self.line()?;
        if line.strip_prefix("$End") == Some(name) {
            return Ok(());
        }
        let found =
            if line.is_empty() { "the file ends here".into() } else { format!("found \"{}\"", short(&line)) };
        Err(self.error(format!("{found}; expected $End{name} after as many rows as ${name} says there are")))
    }

    /// Reads up to and including `$EndNAME`.
    pub(super) fn skip_section(&mut self, name: &str) -> Result<(), IoError> {
        self.begin();
        let end = format!("$End{name}");
        let end = end.as_bytes();
        let mut matched = 0;
        while matched < end.len() {
            let Some(byte) = self.byte()? else {
                return Err(self.error(format!("the file ends here; expected $End{}", short(name))));
            };
            // The `$` of the end is its only one.
            matched = if byte == end[matched] { matched + 1 } else { usize::from(byte == b'$') };
        }
        Ok(())
    }

    /// The rest of the current line, as a separate item.
    pub(super) fn line(&mut self) -> Result<String, IoError> {
        self.begin();
        self.rest_of_line()
    }

    /// The rest of the current line, which belongs to the number before it, trimmed.
    pub(super) fn rest_of_line(&mut self) -> Result<String, IoError> {
        let mut line = Vec::new();
        while let Some(byte) = self.byte()? {
            if byte == b'\n' {
                break;
            }
            line.push(byte);
            if line.len() > LONGEST {
                return Err(self.error("the line is too long for a mesh"));
            }
        }
        Ok(String::from_utf8_lossy(line.trim_ascii()).into_owned())
    }

    /// A tag or a flag, 32 bits in binary files.
    pub(super) fn int(&mut self, what: &str) -> Result<i32, IoError> {
        match self.encoding {
            Encoding::Text => self.parsed(what, "a 32-bit integer"),
            Encoding::Binary { big_endian } => {
                let bytes = self.bytes(what)?;
                Ok(if big_endian { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) })
            }
        }
    }

    /// A number of elements or of a node, 64 bits in binary files.
    pub(super) fn size(&mut self, what: &str) -> Result<u64, IoError> {
        match self.encoding {
            Encoding::Text => self.parsed(what, "an integer of at least 0"),
            Encoding::Binary { big_endian } => {
                let bytes = self.bytes(what)?;
                Ok(if big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
            }
        }
    }

    /// A number of rows, with at least this many numbers each, that the rest of the file can hold.
    pub(super) fn count(&mut self, what: &str, numbers: u64) -> Result<u64, IoError> {
        let rows = self.size(what)?;
        // A number takes a digit and a separator, or at least the four bytes of an integer.
        let bytes = if self.encoding == Encoding::Text { 2 } else { 4 };
        let least = u128::from(rows) * u128::from(numbers) * bytes;
        if least > u128::from(self.length - self.offset.min(self.length)) {
            let what = format!(
                "{what}: {rows} do not fit in the rest of a file of {} bytes; the file is truncated or this number is \
                 wrong",
                self.length
            );
            return Err(self.error(what));
        }
        Ok(rows)
    }

    /// A finite number.
    pub(super) fn double(&mut self, what: &str) -> Result<f64, IoError> {
        let value: f64 = match self.encoding {
            Encoding::Text => self.parsed(what, "a number")?,
            Encoding::Binary { big_endian } => {
                let bytes = self.bytes(what)?;
                if big_endian { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) }
            }
        };
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.error(format!("{value} is not a finite number; expected {what}")))
        }
    }

    fn parsed<T: std::str::FromStr>(&mut self, what: &str, kind: &str) -> Result<T, IoError> {
        self.skip_blanks()?;
        self.begin();
        let mut token = Vec::new();
        while let Some(byte) = self.peek()? {
            if byte.is_ascii_whitespace() {
                break;
            }
            token.push(byte);
            self.byte()?;
            if token.len() > LONGEST {
                return Err(self.error(format!("this is too long for {kind}; expected {what}")));
            }
        }
        let token = String::from_utf8_lossy(&token);
        if token.is_empty() {
            return Err(self.error(format!("the file ends here; expected {what}")));
        }
        token.parse().map_err(|_| self.error(format!("\"{}\" is not {kind}; expected {what}", short(&token))))
    }

    /// The bytes of a number.
    pub(super) fn bytes<const N: usize>(&mut self, what: &str) -> Result<[u8; N], IoError> {
        self.begin();
        let mut bytes = [0; N];
        if self.length.saturating_sub(self.offset) < N as u64 {
            return Err(self.error(format!("the file ends here; expected {what}")));
        }
        self.input.read_exact(&mut bytes).map_err(|e| IoError::read(&self.path, e))?;
        self.offset += N as u64;
        Ok(bytes)
    }

    fn begin(&mut self) {
        self.last = (self.offset, self.at.0, self.at.1);
    }

    fn skip_blanks(&mut self) -> Result<(), IoError> {
        while self.peek()?.is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.byte()?;
        }
        Ok(())
    }

    fn peek(&mut self) -> Result<Option<u8>, IoError> {
        self.input.fill_buf().map(|bytes| bytes.first().copied()).map_err(|e| IoError::read(&self.path, e))
    }

    fn byte(&mut self) -> Result<Option<u8>, IoError> {
        let next = self.peek()?;
        if let Some(byte) = next {
            self.input.consume(1);
            self.offset += 1;
            self.at = if byte == b'\n' { (self.at.0 + 1, 1) } else { (self.at.0, self.at.1 + 1) };
        }
        Ok(next)
    }
}

/// The beginning of arbitrary text.
pub(super) fn short(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    let more = if start.len() < text.len() { "..." } else { "" };
    format!("{}{more}", start.escape_debug())
}
