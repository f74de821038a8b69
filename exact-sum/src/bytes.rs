//! Sums as bytes, to be stored in files and read on other processors.
//!
//! ```text
//! bytes  0..4    4        5     6..8   8..          the last 8
//!        "ESUM"  version  kind  zeros  the words    a checksum of all bytes before, version 2
//! ```
//!
//! Words and checksum are little-endian. The checksum is CRC-64/XZ, which notices every change of up to 64 neighbouring
//! bits. Version 1 began with "XSUM" and had no checksum; it is still read.

use core::fmt;

/// Bytes before the words.
const HEADER: usize = 8;

/// Bytes after them.
const CHECKSUM: usize = 8;

const MAGIC: [u8; 4] = *b"ESUM";
const VERSION: u8 = 2;

/// How the first version began.
const FIRST: [u8; 5] = *b"XSUM\x01";

/// The bytes of a sum of this many words.
pub(crate) const fn length(words: usize) -> usize {
    HEADER + 8 * words + CHECKSUM
}

/// What bytes encode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sum = 0,
    Dot = 1,
    Binned = 2,
}

/// Why bytes are not a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BytesError {
    /// Their number is wrong for a sum of this kind.
    Length {
        /// The number found.
        found: usize,
        /// The number of bytes of a sum of this kind, in the version found.
        expected: usize,
    },
    /// They do not begin like sums of this kind.
    Header,
    /// They are in another version of the form, this one.
    Version(u8),
    /// The checksum is not that of the other bytes: they are damaged.
    Checksum,
    /// A word is out of range: the bytes are damaged.
    Word,
}

impl fmt::Display for BytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BytesError::Length { found, expected } => write!(f, "{found} bytes; a sum has {expected}"),
            BytesError::Header => write!(f, "the bytes do not begin like a sum of this kind"),
            BytesError::Version(found) => {
                write!(f, "a sum in version {found}; this library reads 1 to {VERSION}")
            }
            BytesError::Checksum => write!(f, "the sum's checksum does not fit: the bytes are damaged"),
            BytesError::Word => write!(f, "a word of the sum is out of range: the bytes are damaged"),
        }
    }
}

impl core::error::Error for BytesError {}

fn header(kind: Kind) -> [u8; HEADER] {
    let [a, b, c, d] = MAGIC;
    [a, b, c, d, VERSION, kind as u8, 0, 0]
}

/// Writes the words of a sum.
pub(crate) fn write(kind: Kind, words: &[u64], bytes: &mut [u8]) {
    let (head, rest) = bytes.split_at_mut(HEADER);
    let (body, _) = rest.split_at_mut(8 * words.len());
    head.copy_from_slice(&header(kind));
    for (bytes, word) in body.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let (before, checksum) = bytes.split_at_mut(HEADER + 8 * words.len());
    checksum.copy_from_slice(&crc64(before).to_le_bytes());
}

/// Reads what [`write`] has written, or the first version of the library.
pub(crate) fn read(kind: Kind, bytes: &[u8], words: &mut [u64]) -> Result<(), BytesError> {
    let first = bytes.starts_with(&FIRST);
    let expected = length(words.len()) - if first { CHECKSUM } else { 0 };
    match bytes.get(MAGIC.len()) {
        Some(&version) if bytes.starts_with(&MAGIC) && version != VERSION => {
            return Err(BytesError::Version(version));
        }
        _ if bytes.len() != expected => {
            return Err(BytesError::Length { found: bytes.len(), expected });
        }
        _ => {}
    }
    let (head, rest) = bytes.split_at(HEADER);
    let (body, checksum) = rest.split_at(8 * words.len());
    let mut known = header(kind);
    if first {
        known[..FIRST.len()].copy_from_slice(&FIRST);
    }
    if head != known {
        return Err(BytesError::Header);
    }
    if !first && checksum != crc64(&bytes[..HEADER + body.len()]).to_le_bytes() {
        return Err(BytesError::Checksum);
    }
    for (word, bytes) in words.iter_mut().zip(body.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    }
    Ok(())
}

/// Whether words are carried digits, the top one signed, and a word of special values.
pub(crate) fn are_digits(words: &[u64]) -> bool {
    // Digits are below 2^32, except the top one, which holds the sign and little else; special values are two bits.
    let [digits @ .., top, special] = words else { return false };
    digits.iter().all(|&digit| digit >> 32 == 0)
        && (-(1 << 40)..1 << 40).contains(&(*top as i64))
        && *special & !(1 | 1 << 32) == 0
}

/// CRC-64/XZ: the remainder of the bytes as a polynomial, by four bits at a time.
fn crc64(bytes: &[u8]) -> u64 {
    /// The remainders of all polynomials of four bits.
    const REMAINDERS: [u64; 16] = {
        let mut remainders = [0; 16];
        let mut i = 0;
        while i < 16 {
            let (mut remainder, mut bit) = (i as u64, 0);
            while bit < 4 {
                let low = remainder & 1;
                remainder = remainder >> 1 ^ if low == 1 { 0xc96c_5795_d787_0f42 } else { 0 };
                bit += 1;
            }
            remainders[i] = remainder;
            i += 1;
        }
        remainders
    };
    let step = |crc: u64| crc >> 4 ^ REMAINDERS[(crc & 15) as usize];
    !bytes.iter().fold(!0, |crc, &byte| step(step(crc ^ u64::from(byte))))
}

#[cfg(test)]
mod tests {
    use super::crc64;

    #[test]
    fn the_checksum_has_the_published_value_of_the_nine_digits() {
        assert_eq!(crc64(b"123456789"), 0x995d_c9bb_df19_39fa);
        assert_eq!(crc64(b""), 0);
    }
}
