//! The numbers and words of a mesh file in sequence, from text or binary, on the rank that reads it.
//!
//! Text is read in large pieces, and a number is parsed where it stands: reading runs at the speed of parsing decimal
//! numbers. Every item knows where it began, for messages.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cfd_engine::given;

use crate::IoError;

/// Maximum length of a line or a number.
const LONGEST: usize = 4096;
/// Bytes read at once.
const PIECE: usize = 1 << 20;

/// How numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As decimal numbers separated by blanks and line ends.
    Text,
    /// As integers and numbers of fixed width.
    Binary {
        /// Most significant byte first.
        big_endian: bool,
    },
}

/// A file, on rank 0.
pub(crate) struct Scan {
    file: File,
    path: PathBuf,
    /// Bytes of the file.
    length: u64,
    buffer: Vec<u8>,
    /// The next byte in the buffer.
    at: usize,
    /// The buffer's first byte in the file.
    base: u64,
    /// The line of the next byte, from 1, and where it begins in the file.
    line: u64,
    line_begin: u64,
    /// Start of the last item: byte, line and column.
    last: (u64, u64, u64),
    /// Begins a comment, up to the end of the line.
    comment: Option<u8>,
    /// The bytes that end a word: blanks, line ends and the beginning of a comment.
    ends: [bool; 256],
    pub(crate) encoding: Encoding,
}

impl Scan {
    /// Opens a file, as text; `comment` begins comments up to the end of the line.
    pub(crate) fn open(path: &Path, comment: Option<u8>) -> Result<Scan, IoError> {
        let file = given::open(path, "a mesh file").map_err(|e| IoError::read(path, e))?;
        let length = file.metadata().map_err(|e| IoError::read(path, e))?.len();
        Ok(Scan {
            file,
            path: path.into(),
            length,
            buffer: Vec::new(),
            at: 0,
            base: 0,
            line: 1,
            line_begin: 0,
            last: (0, 1, 1),
            comment,
            ends: std::array::from_fn(|byte| {
                let byte = byte as u8;
                byte.is_ascii_whitespace() || Some(byte) == comment
            }),
            encoding: Encoding::Text,
        })
    }

    /// The position in the file of the last item: a line of text, or a byte of a binary file.
    pub(crate) fn place(&self) -> u64 {
        match self.encoding {
            Encoding::Text => self.last.1,
            Encoding::Binary { .. } => self.last.0,
        }
    }

    /// An error about the last item.
    pub(crate) fn error(&self, what: impl Into<String>) -> IoError {
        let (byte, line, column) = self.last;
        let (path, what) = (self.path.display().to_string(), what.into());
        match self.encoding {
            Encoding::Text => IoError::Text { path, line, column, what },
            Encoding::Binary { .. } => IoError::Row { place: format!("{path}: byte {byte}"), what },
        }
    }

    /// The offset of the next byte.
    fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Marks the start of an item.
    fn begin(&mut self) {
        let offset = self.offset();
        self.last = (offset, self.line, offset - self.line_begin + 1);
    }

    /// Reads on, keeping what is left in the buffer; false at the end of the file.
    fn fill(&mut self) -> Result<bool, IoError> {
        self.buffer.drain(..self.at);
        self.base += self.at as u64;
        self.at = 0;
        let kept = self.buffer.len();
        self.buffer.resize(kept + PIECE, 0);
        let read = self.file.read(&mut self.buffer[kept..]).map_err(|e| IoError::read(&self.path, e))?;
        self.buffer.truncate(kept + read);
        Ok(read > 0)
    }

    fn peek(&mut self) -> Result<Option<u8>, IoError> {
        if self.at == self.buffer.len() && !self.fill()? {
            return Ok(None);
        }
        Ok(Some(self.buffer[self.at]))
    }

    /// Goes past a byte that has been looked at.
    fn pass(&mut self, byte: u8) {
        self.at += 1;
        if byte == b'\n' {
            self.line += 1;
            self.line_begin = self.offset();
        }
    }

    /// Mostly there is one blank, and then a word: skips the blank if so.
    fn skip_one_blank(&mut self) -> bool {
        match self.buffer[self.at..].first_chunk::<2>() {
            Some(&[b' ', second]) if !self.ends[usize::from(second)] => {
                self.at += 1;
                true
            }
            _ => false,
        }
    }

    /// Skips blanks, line ends and comments; false at the end of the file.
    pub(crate) fn skip_blanks(&mut self) -> Result<bool, IoError> {
        if self.skip_one_blank() {
            return Ok(true);
        }
        while let Some(byte) = self.peek()? {
            if Some(byte) == self.comment {
                self.skip_line()?;
            } else if byte.is_ascii_whitespace() {
                self.pass(byte);
            } else {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes to the end of the line, which stays.
    fn skip_line(&mut self) -> Result<(), IoError> {
        while let Some(byte) = self.peek()? {
            if byte == b'\n' {
                break;
            }
            self.pass(byte);
        }
        Ok(())
    }

    /// Whether the current line has another word, up to which blanks are skipped.
    pub(crate) fn has_more_in_line(&mut self) -> Result<bool, IoError> {
        if self.skip_one_blank() {
            return Ok(true);
        }
        while let Some(byte) = self.peek()? {
            if Some(byte) == self.comment || byte == b'\n' {
                return Ok(false);
            }
            if !byte.is_ascii_whitespace() {
                return Ok(true);
            }
            self.pass(byte);
        }
        Ok(false)
    }

    /// The next word, where it stands in the buffer until the next item is read; empty at the end of the file.
    fn word(&mut self, kind: &str, what: &str) -> Result<Range<usize>, IoError> {
        self.skip_blanks()?;
        self.begin();
        let mut length = 0;
        loop {
            let rest = &self.buffer[self.at + length..];
            match rest.iter().position(|byte| self.ends[usize::from(*byte)]) {
                Some(more) => {
                    length += more;
                    break;
                }
                None => length += rest.len(),
            }
            if length > LONGEST {
                return Err(self.error(format!("this is too long for {kind}; expected {what}")));
            }
            if !self.fill()? {
                break;
            }
        }
        let word = self.at..self.at + length;
        self.at += length;
        Ok(word)
    }

    /// Whether the next word, which stays, consists of digits.
    pub(crate) fn next_is_integer(&mut self) -> Result<bool, IoError> {
        let word = self.word("a number", "a number")?;
        self.at = word.start;
        let word = &self.buffer[word];
        Ok(!word.is_empty() && word.iter().all(u8::is_ascii_digit))
    }

    /// The next number as text parses it.
    fn parsed<T: std::str::FromStr>(&mut self, what: &str, kind: &str) -> Result<T, IoError> {
        let word = self.word(kind, what)?;
        let word = &self.buffer[word];
        if word.is_empty() {
            return Err(self.error(format!("the file ends here; expected {what}")));
        }
        let parsed = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        parsed.ok_or_else(|| {
            let word = String::from_utf8_lossy(word);
            self.error(format!("\"{}\" is not {kind}; expected {what}", short(&word)))
        })
    }

    /// A tag or a flag, 32 bits in binary files.
    pub(crate) fn int(&mut self, what: &str) -> Result<i32, IoError> {
        match self.encoding {
            Encoding::Text => match self.few_digits() {
                Some(value) => i32::try_from(value)
                    .map_err(|_| self.error(format!("\"{value}\" is not a 32-bit integer; expected {what}"))),
                None => self.parsed(what, "a 32-bit integer"),
            },
            Encoding::Binary { big_endian } => {
                let bytes = self.bytes(what)?;
                Ok(if big_endian { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) })
            }
        }
    }

    /// A number of elements or of a node, 64 bits in binary files.
    pub(crate) fn size(&mut self, what: &str) -> Result<u64, IoError> {
        match self.encoding {
            Encoding::Text => self.digits(what),
            Encoding::Binary { big_endian } => {
                let bytes = self.bytes(what)?;
                Ok(if big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
            }
        }
    }

    /// The next word, if it follows at most one blank or line end and is so few digits that they cannot overflow; most words
    /// of a mesh are.
    fn few_digits(&mut self) -> Option<u64> {
        let rest = self.buffer[self.at..].first_chunk::<24>()?;
        let separated = matches!(rest[0], b' ' | b'\n');
        let digits = &rest[usize::from(separated)..];
        let (mut value, mut length) = (0, 0);
        while length < 18 && digits[length].is_ascii_digit() {
            value = 10 * value + u64::from(digits[length] - b'0');
            length += 1;
        }
        if length == 0 || !self.ends[usize::from(digits[length])] {
            return None;
        }
        if separated {
            self.pass(self.buffer[self.at]);
        }
        self.begin();
        self.at += length;
        Some(value)
    }

    /// An integer of at least 0, digit by digit.
    fn digits(&mut self, what: &str) -> Result<u64, IoError> {
        const KIND: &str = "an integer of at least 0";
        if let Some(value) = self.few_digits() {
            return Ok(value);
        }
        let word = self.word(KIND, what)?;
        let word = &self.buffer[word];
        let mut value = 0u64;
        let digits = word.strip_prefix(b"+").unwrap_or(word);
        let mut is_number = !digits.is_empty() && digits.len() <= 20;
        for &byte in digits {
            let next =
                value.checked_mul(10).and_then(|tens| tens.checked_add(u64::from(byte.wrapping_sub(b'0'))));
            is_number &= byte.is_ascii_digit() && next.is_some();
            value = next.unwrap_or(0);
        }
        if is_number {
            return Ok(value);
        }
        let word = String::from_utf8_lossy(word);
        Err(match word.is_empty() {
            true => self.error(format!("the file ends here; expected {what}")),
            false => self.error(format!("\"{}\" is not {KIND}; expected {what}", short(&word))),
        })
    }

    /// A finite number; -0 becomes 0, so that a mesh's hash does not depend on how it was computed. An exponent may follow a D, as
    /// Fortran writes it.
    pub(crate) fn double(&mut self, what: &str) -> Result<f64, IoError> {
        let value: f64 = match self.encoding {
            Encoding::Text => self.decimal(what)?,
            Encoding::Binary { big_endian } => {
                let bytes = self.bytes(what)?;
                if big_endian { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) }
            }
        };
        self.finite(value, what)
    }

    /// A number that is finite, with 0 for -0.
    pub(crate) fn finite(&self, value: f64, what: &str) -> Result<f64, IoError> {
        match value.is_finite() {
            true => Ok(value + 0.0),
            false => Err(self.error(format!("{value} is not a finite number; expected {what}"))),
        }
    }

    fn decimal(&mut self, what: &str) -> Result<f64, IoError> {
        let word = self.word("a number", what)?;
        let word = &self.buffer[word];
        let parsed = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        if let Some(value) = parsed {
            return Ok(value);
        }
        let word = String::from_utf8_lossy(word).into_owned();
        if word.is_empty() {
            return Err(self.error(format!("the file ends here; expected {what}")));
        }
        let with_e = word.replace(['d', 'D'], "e");
        with_e
            .parse()
            .map_err(|_| self.error(format!("\"{}\" is not a number; expected {what}", short(&word))))
    }

    /// The next word.
    pub(crate) fn text(&mut self, what: &str) -> Result<String, IoError> {
        let word = self.word("a word", what)?;
        let word = String::from_utf8_lossy(&self.buffer[word]).into_owned();
        match word.is_empty() {
            true => Err(self.error(format!("the file ends here; expected {what}"))),
            false => Ok(word),
        }
    }

    /// The rest of the current line without blanks around it, as an item of its own; comments are part of it.
    pub(crate) fn line(&mut self) -> Result<String, IoError> {
        self.begin();
        self.rest_of_line()
    }

    /// The rest of the current line, which belongs to the item before it.
    pub(crate) fn rest_of_line(&mut self) -> Result<String, IoError> {
        let mut line = Vec::new();
        while let Some(byte) = self.peek()? {
            self.pass(byte);
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

    /// Skips up to and including these bytes, whose first occurs in them only once; false if the file ends before.
    pub(crate) fn skip_past(&mut self, end: &[u8]) -> Result<bool, IoError> {
        self.begin();
        let mut matched = 0;
        while matched < end.len() {
            let Some(byte) = self.peek()? else { return Ok(false) };
            self.pass(byte);
            matched = if byte == end[matched] { matched + 1 } else { usize::from(byte == end[0]) };
        }
        Ok(true)
    }

    /// A number of rows, with at least this many numbers each, that the rest of the file can hold.
    pub(crate) fn count(&mut self, what: &str, numbers: u64) -> Result<u64, IoError> {
        let rows = self.size(what)?;
        self.check_count(rows, what, numbers)?;
        Ok(rows)
    }

    /// Checks that the rest of the file can hold a number of rows with at least this many numbers each.
    pub(crate) fn check_count(&self, rows: u64, what: &str, numbers: u64) -> Result<(), IoError> {
        // A number takes a digit and a separator, or at least the four bytes of an integer.
        let bytes = if self.encoding == Encoding::Text { 2 } else { 4 };
        let least = u128::from(rows) * u128::from(numbers) * bytes;
        if least > u128::from(self.length.saturating_sub(self.offset())) {
            return Err(self.error(format!(
                "{what}: {rows} do not fit in the rest of a file of {} bytes; the file is truncated or this number is \
                 wrong",
                self.length
            )));
        }
        Ok(())
    }

    /// The bytes of a number.
    pub(crate) fn bytes<const N: usize>(&mut self, what: &str) -> Result<[u8; N], IoError> {
        self.begin();
        while self.buffer.len() - self.at < N {
            if !self.fill()? {
                return Err(self.error(format!("the file ends here; expected {what}")));
            }
        }
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.buffer[self.at..self.at + N]);
        self.at += N;
        Ok(bytes)
    }
}

/// The beginning of arbitrary text.
pub(crate) fn short(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    let more = if start.len() < text.len() { "..." } else { "" };
    format!("{}{more}", start.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &[u8], comment: Option<u8>) -> Scan {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.msh");
        std::fs::write(&path, text).unwrap();
        Scan::open(&path, comment).unwrap()
    }

    #[test]
    fn numbers_words_and_lines_follow_each_other_with_their_places() {
        let mut scan = scan(b"12 -3.5D+1 % not this 4\n  word rest of it \n7", Some(b'%'));
        assert_eq!((scan.size("a").unwrap(), scan.place()), (12, 1));
        assert_eq!(scan.double("a").unwrap(), -35.0);
        assert!(!scan.has_more_in_line().unwrap());
        assert_eq!((scan.text("a").unwrap().as_str(), scan.place()), ("word", 2));
        assert!(scan.has_more_in_line().unwrap());
        assert_eq!(scan.rest_of_line().unwrap(), "rest of it");
        assert_eq!((scan.int("a").unwrap(), scan.place()), (7, 3));
        let message = scan.size("a node").unwrap_err().to_string();
        assert!(message.ends_with("a.msh:3:2: the file ends here; expected a node"), "{message}");
    }

    #[test]
    fn words_across_the_pieces_of_a_file_are_whole() {
        let mut text = vec![b' '; PIECE - 2];
        text.extend(b"1234567 89\n");
        text.extend(vec![b'\n'; PIECE]);
        text.extend(b"-1.25e-3");
        let mut scan = scan(&text, None);
        assert_eq!((scan.size("a").unwrap(), scan.size("a").unwrap()), (1234567, 89));
        assert_eq!((scan.double("a").unwrap(), scan.place()), (-1.25e-3, 1 + 1 + PIECE as u64));
    }

    #[test]
    fn what_is_not_a_number_is_refused_with_line_and_column() {
        for (text, words) in [
            ("1 2x", ":1:3: \"2x\" is not an integer of at least 0; expected a node"),
            ("1\n -2", ":2:2: \"-2\" is not an integer"),
            ("1 18446744073709551616", "is not an integer"),
            ("1 +", "\"+\" is not an integer"),
        ] {
            let mut scan = scan(text.as_bytes(), None);
            scan.size("a node").unwrap();
            let message = scan.size("a node").unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
        let mut scan = scan(b"nan 1e999 -0.0", None);
        assert!(scan.double("x").unwrap_err().to_string().contains("NaN is not a finite number"));
        assert!(scan.double("x").unwrap_err().to_string().contains("inf is not a finite number"));
        assert_eq!(scan.double("x").unwrap().to_bits(), 0);
    }

    #[test]
    fn more_rows_than_the_file_can_hold_are_refused_before_they_are_read() {
        let mut scan = scan(b"1000 1 2 3", None);
        let message = scan.count("the number of nodes", 4).unwrap_err().to_string();
        assert!(message.contains("1000 do not fit in the rest of a file of 10 bytes"), "{message}");
    }
}
