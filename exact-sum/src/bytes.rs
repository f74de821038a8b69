//! Sums as bytes, to be stored in files and read on other processors.

use core::fmt;

/// Bytes before the words.
pub(crate) const HEADER: usize = 8;

const MAGIC: [u8; 4] = *b"XSUM";

const VERSION: u8 = 1;

/// What bytes encode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sum = 0,
    Dot = 1,
}

/// Why bytes are not a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BytesError {
    /// Their number is wrong for a sum of this kind.
    Length {
        /// The number found.
        found: usize,
        /// The number of bytes of a sum of this kind.
        expected: usize,
    },
    /// They do not begin like sums of this kind.
    Header,
    /// They are in another version of the form, this one.
    Version(u8),
    /// A digit is out of range: the bytes are damaged.
    Digit,
}

impl fmt::Display for BytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BytesError::Length { found, expected } => write!(f, "{found} bytes; a sum has {expected}"),
            BytesError::Header => write!(f, "the bytes do not begin like a sum"),
            BytesError::Version(found) => write!(f, "a sum in version {found}; this library reads {VERSION}"),
            BytesError::Digit => write!(f, "a digit of the sum is out of range: the bytes are damaged"),
        }
    }
}

impl core::error::Error for BytesError {}

fn header(kind: Kind) -> [u8; HEADER] {
    let [a, b, c, d] = MAGIC;
    [a, b, c, d, VERSION, kind as u8, 0, 0]
}

/// Writes the words of a sum: digits, and a word of special values.
pub(crate) fn write(kind: Kind, words: &[u64], bytes: &mut [u8]) {
    let (head, body) = bytes.split_at_mut(HEADER);
    head.copy_from_slice(&header(kind));
    for (bytes, word) in body.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}

/// Reads what [`write`] has written.
pub(crate) fn read(kind: Kind, bytes: &[u8], words: &mut [u64]) -> Result<(), BytesError> {
    let expected = HEADER + 8 * words.len();
    if bytes.len() != expected {
        return Err(BytesError::Length { found: bytes.len(), expected });
    }
    let (head, body) = bytes.split_at(HEADER);
    if head[..4] == MAGIC && head[4] != VERSION {
        return Err(BytesError::Version(head[4]));
    }
    if head != header(kind) {
        return Err(BytesError::Header);
    }
    for (word, bytes) in words.iter_mut().zip(body.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    // Digits are below 2^32, except the top one, which holds the sign and little else; special values are two bits.
    let [digits @ .., top, special] = words else { return Err(BytesError::Digit) };
    let in_range = digits.iter().all(|&digit| digit >> 32 == 0)
        && (-(1 << 40)..1 << 40).contains(&(*top as i64))
        && *special & !(1 | 1 << 32) == 0;
    if in_range { Ok(()) } else { Err(BytesError::Digit) }
}
