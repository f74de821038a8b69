//! Rows of fixed size in a binary file, of which each rank reads its own.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use cfd_engine::given;

use crate::IoError;

/// Bytes read at once.
const PIECE: u64 = 4 << 20;

/// A binary file, on any rank.
pub(crate) struct Slabs {
    file: File,
    path: PathBuf,
    /// Bytes of the file.
    pub(crate) length: u64,
    /// Whether the most significant byte is first.
    pub(crate) big_endian: bool,
}

/// A number in a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Width {
    /// Of four bytes.
    Four,
    /// Of eight.
    Eight,
}

impl Width {
    /// Its bytes.
    pub(crate) const fn bytes(self) -> u64 {
        match self {
            Width::Four => 4,
            Width::Eight => 8,
        }
    }
}

impl Slabs {
    /// Opens a file. Not collective.
    pub(crate) fn open(path: &Path, big_endian: bool) -> Result<Slabs, IoError> {
        let file = given::open(path, "a mesh file").map_err(|e| IoError::read(path, e))?;
        let length = file.metadata().map_err(|e| IoError::read(path, e))?.len();
        Ok(Slabs { file, path: path.into(), length, big_endian })
    }

    /// An error about a byte of the file.
    pub(crate) fn error(&self, byte: u64, what: impl Into<String>) -> IoError {
        IoError::Row { place: format!("{}: byte {byte}", self.path.display()), what: what.into() }
    }

    /// Checks that the file has `rows` rows of `width` bytes from a byte on.
    pub(crate) fn check(&self, at: u64, rows: u64, width: u64, what: &str) -> Result<(), IoError> {
        let end = u128::from(at) + u128::from(rows) * u128::from(width);
        if end > u128::from(self.length) {
            return Err(self.error(
                at,
                format!(
                    "{rows} {what} do not fit in the rest of a file of {} bytes; the file is truncated, its number of \
                     {what} is wrong, or its bytes are in another order",
                    self.length
                ),
            ));
        }
        Ok(())
    }

    /// Calls `take` with each of some rows of `width` bytes, which begin at a byte, and with the row's own byte.
    pub(crate) fn each(
        &self,
        at: u64,
        width: u64,
        rows: Range<u64>,
        what: &str,
        mut take: impl FnMut(u64, &[u8]) -> Result<(), IoError>,
    ) -> Result<(), IoError> {
        self.check(at, rows.end, width, what)?;
        let step = (PIECE / width).max(1);
        let mut buffer = Vec::new();
        let mut row = rows.start;
        while row < rows.end {
            let count = step.min(rows.end - row);
            buffer.resize((count * width) as usize, 0);
            let byte = at + row * width;
            self.file.read_exact_at(&mut buffer, byte).map_err(|e| IoError::read(&self.path, e))?;
            for (k, bytes) in buffer.chunks_exact(width as usize).enumerate() {
                take(byte + k as u64 * width, bytes)?;
            }
            row += count;
        }
        Ok(())
    }

    /// The integer at a byte.
    pub(crate) fn integer_at(&self, at: u64, width: Width, what: &str) -> Result<i64, IoError> {
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..width.bytes() as usize];
        if u128::from(at) + u128::from(width.bytes()) > u128::from(self.length) {
            return Err(self.error(at, format!("the file ends here; expected {what}")));
        }
        self.file.read_exact_at(bytes, at).map_err(|e| IoError::read(&self.path, e))?;
        Ok(self.integer(width, bytes))
    }

    /// The integer that bytes begin with.
    pub(crate) fn integer(&self, width: Width, bytes: &[u8]) -> i64 {
        match (width, self.big_endian) {
            (Width::Four, false) => i64::from(i32::from_le_bytes(first(bytes))),
            (Width::Four, true) => i64::from(i32::from_be_bytes(first(bytes))),
            (Width::Eight, false) => i64::from_le_bytes(first(bytes)),
            (Width::Eight, true) => i64::from_be_bytes(first(bytes)),
        }
    }

    /// The number that bytes begin with, with 0 for -0; `byte` is where they are in the file.
    pub(crate) fn number(&self, width: Width, byte: u64, bytes: &[u8], what: &str) -> Result<f64, IoError> {
        let value = match (width, self.big_endian) {
            (Width::Four, false) => f64::from(f32::from_le_bytes(first(bytes))),
            (Width::Four, true) => f64::from(f32::from_be_bytes(first(bytes))),
            (Width::Eight, false) => f64::from_le_bytes(first(bytes)),
            (Width::Eight, true) => f64::from_be_bytes(first(bytes)),
        };
        match value.is_finite() {
            true => Ok(value + 0.0),
            false => Err(self.error(byte, format!("{value} is not a finite number; expected {what}"))),
        }
    }

    /// The number of a node or of rows: an integer of at least 0.
    pub(crate) fn natural(&self, width: Width, byte: u64, bytes: &[u8], what: &str) -> Result<u64, IoError> {
        let value = self.integer(width, bytes);
        u64::try_from(value).map_err(|_| self.error(byte, format!("{value} is below 0; expected {what}")))
    }
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes[..N].try_into().expect("as many bytes as were cut out")
}
