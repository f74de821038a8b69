//! Reading rows of datasets from HDF5 files that may be damaged or hostile.
//!
//! Shapes, types and stored sizes are checked before anything is allocated: a dataset can claim any shape while storing
//! nothing.
//!
//! ```text
//! trial        a child process reads a file first
//! heap         texts of variable length
//! attributes   of files and datasets
//! table        rows of checked datasets
//! ```

mod attributes;
mod heap;
mod table;
mod trial;

use std::path::{Path, PathBuf};

use cfd_engine::given;
use hdf5::dataset::Layout;
use hdf5::types::TypeDescriptor;
use hdf5::{File, Group, LocationType};

pub(crate) use self::table::Table;
use crate::IoError;

/// Compressed datasets may expand to at most this many times their bytes in the file.
const MOST_COMPRESSION: u64 = 256;
/// Longest fixed-length string that is read.
pub(crate) const TEXT: usize = 256;

/// The numbers that a dataset should hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Integers of any width.
    Integer,
    /// Single or double precision.
    Float,
    /// Fixed-length strings instead of numbers.
    Text,
}

/// An HDF5 file open for reading.
#[derive(Debug)]
pub(crate) struct Hdf5File {
    file: File,
    path: PathBuf,
    bytes: u64,
}

impl Hdf5File {
    /// Opens a file. Not collective.
    pub(crate) fn open(path: &Path) -> Result<Hdf5File, IoError> {
        // First without the library, whose messages about a missing file or permission are hard to read, and which
        // would wait for the writer of a FIFO.
        let found = given::open(path, "an HDF5 file").and_then(|file| file.metadata());
        let found = found.map_err(|e| IoError::read(path, e))?;
        let damaged = |what: String| IoError::read(path, format!("damaged HDF5 file: {what}"));
        trial::pass(path, &found).map_err(|what| damaged(what.into()))?;
        let file = File::open(path).map_err(|e| damaged(e.to_string()))?;
        Ok(Hdf5File { file, path: path.into(), bytes: found.len() })
    }

    /// Whether something has this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.file.link_exists(name)
    }

    /// Names of all datasets of a group, including their inner groups, ordered by name.
    pub(crate) fn datasets_of(&self, group: &str, deepest: usize) -> Result<Vec<String>, IoError> {
        if !self.has(group) {
            return Err(self.wrong(group, "the group is missing"));
        }
        let opened = self.file.group(group);
        let opened = opened.map_err(|e| self.wrong(group, format!("damaged group: {e}")))?;
        let mut names = Vec::new();
        self.add_datasets(&opened, &format!("{group}/"), deepest, &mut names)?;
        names.sort();
        Ok(names)
    }

    /// Names of all datasets, including their groups, ordered by name.
    pub(crate) fn datasets(&self, deepest: usize) -> Result<Vec<String>, IoError> {
        let mut names = Vec::new();
        self.add_datasets(&self.file, "", deepest, &mut names)?;
        names.sort();
        Ok(names)
    }

    fn add_datasets(
        &self,
        group: &Group,
        prefix: &str,
        deepest: usize,
        names: &mut Vec<String>,
    ) -> Result<(), IoError> {
        let damaged = |name: &str, e: hdf5::Error| self.wrong(name, format!("damaged group: {e}"));
        for member in group.member_names().map_err(|e| damaged(prefix, e))? {
            let name = format!("{prefix}{member}");
            match group.loc_type_by_name(&member).map_err(|e| damaged(&name, e))? {
                LocationType::Dataset => names.push(name),
                LocationType::Group if deepest == 0 => {
                    return Err(self.wrong(&name, "groups are nested more deeply than any field's"));
                }
                LocationType::Group => {
                    let inner = group.group(&member).map_err(|e| damaged(&name, e))?;
                    self.add_datasets(&inner, &format!("{name}/"), deepest - 1, names)?;
                }
                // A named type is not data.
                _ => {}
            }
        }
        Ok(())
    }

    /// The names of the groups in a group, in order.
    pub(crate) fn groups_of(&self, group: &str) -> Result<Vec<String>, IoError> {
        let damaged = |e: hdf5::Error| self.wrong(group, format!("damaged group: {e}"));
        let opened = self.file.group(group).map_err(damaged)?;
        let mut names = Vec::new();
        for name in opened.member_names().map_err(damaged)? {
            if opened.loc_type_by_name(&name).is_ok_and(|kind| kind == LocationType::Group) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Bytes per number of a floating-point dataset; `None` if it holds something else.
    pub(crate) fn float_bytes(&self, name: &str) -> Result<Option<usize>, IoError> {
        let dataset = self.file.dataset(name);
        let dataset = dataset.map_err(|e| self.wrong(name, format!("damaged dataset: {e}")))?;
        match dataset.dtype().and_then(|kind| kind.to_descriptor()) {
            Ok(TypeDescriptor::Float(size)) => Ok(Some(size as usize)),
            // An unknown type does not hold a field.
            _ => Ok(None),
        }
    }

    /// Whether a dataset has integers; otherwise it must have floating-point numbers.
    pub(crate) fn has_integers(&self, name: &str) -> Result<bool, IoError> {
        let descriptor = self.file.dataset(name).and_then(|dataset| dataset.dtype()?.to_descriptor());
        match descriptor {
            Ok(TypeDescriptor::Integer(_) | TypeDescriptor::Unsigned(_)) => Ok(true),
            Ok(TypeDescriptor::Float(_)) => Ok(false),
            Ok(other) => {
                Err(self.wrong(name, format!("the type is {other}, expected f64 or an integer (i32)")))
            }
            Err(_) => Err(self.wrong(name, "the type is unknown, expected f64 or an integer (i32)")),
        }
    }

    /// A dataset of `numbers`, all present in the file.
    pub(crate) fn table(&self, name: &str, numbers: Numbers) -> Result<Table<'_>, IoError> {
        if !self.has(name) {
            return Err(self.wrong(name, "the dataset is missing"));
        }
        let damaged = |e: hdf5::Error| self.wrong(name, format!("damaged dataset: {e}"));
        let dataset = self.file.dataset(name).map_err(damaged)?;
        let descriptor = dataset.dtype().and_then(|t| t.to_descriptor());
        let expected = match numbers {
            Numbers::Integer => "integers (i32 or i64)",
            Numbers::Float => "floating-point numbers (f64)",
            Numbers::Text => "fixed-length strings of at most 256 bytes",
        };
        let width = match (&descriptor, numbers) {
            (Ok(TypeDescriptor::Integer(size) | TypeDescriptor::Unsigned(size)), Numbers::Integer) => {
                *size as u64
            }
            (Ok(TypeDescriptor::Float(size)), Numbers::Float) => *size as u64,
            (Ok(TypeDescriptor::FixedUnicode(n) | TypeDescriptor::FixedAscii(n)), Numbers::Text)
                if *n <= TEXT =>
            {
                *n as u64
            }
            (Ok(other), _) => {
                return Err(self.wrong(name, format!("the type is {other}, expected {expected}")));
            }
            (Err(_), _) => return Err(self.wrong(name, format!("the type is unknown, expected {expected}"))),
        };
        let shape = dataset.get_shape().map_err(damaged)?;
        let values = shape.iter().try_fold(1u64, |product, &n| product.checked_mul(n as u64));
        let logical = values.and_then(|v| v.checked_mul(width));
        let stored = dataset.storage_size();
        let room = match dataset.layout() {
            Layout::Chunked => stored.min(self.bytes).saturating_mul(MOST_COMPRESSION),
            Layout::Contiguous | Layout::Compact => stored.min(self.bytes),
            // A virtual dataset's data are in other files.
            _ => return Err(self.wrong(name, "virtual datasets are not supported; use a plain dataset")),
        };
        if logical.is_none_or(|n| n > room) {
            return Err(self.wrong(
                name,
                format!("the shape {shape:?} needs more values than the file holds ({stored} bytes); the file is truncated or damaged"),
            ));
        }
        // The library reads a dataset in whole chunks, however few rows are requested.
        let chunk = dataset.chunk().unwrap_or_default();
        let chunk = chunk.into_iter().try_fold(width, |product, n| product.checked_mul(n as u64));
        if logical != Some(0) && dataset.is_chunked() && chunk.is_none_or(|n| n > room) {
            let what =
                format!("its chunks need more than the file holds ({stored} bytes); the file is damaged");
            return Err(self.wrong(name, what));
        }
        Ok(Table { file: self, name: name.into(), dataset, shape: shape.iter().map(|&n| n as u64).collect() })
    }

    /// An error about a dataset or attribute of this file.
    pub(crate) fn wrong(&self, name: &str, what: impl Into<String>) -> IoError {
        IoError::dataset(&self.path, name, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_that_the_file_cannot_hold_are_refused_before_the_library_makes_room_for_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.h5");
        let file = File::create(&path).unwrap();
        let sizes = [("small", 4), ("large", 1 << 24)];
        for (name, chunk) in sizes {
            let dataset =
                file.new_dataset::<f64>().chunk(chunk).deflate(9).shape([3..]).create(name).unwrap();
            dataset.write_raw(&[1.0, 2.0, 3.0]).unwrap();
        }
        // Nothing is read from it.
        file.new_dataset::<f64>().chunk(1 << 24).shape([0..]).create("empty").unwrap();
        drop(file);
        let file = Hdf5File::open(&path).unwrap();
        assert_eq!(file.table("small", Numbers::Float).unwrap().floats(0..3).unwrap(), [1.0, 2.0, 3.0]);
        assert_eq!(file.table("empty", Numbers::Float).unwrap().shape, [0]);
        let message = file.table("large", Numbers::Float).unwrap_err().to_string();
        assert!(message.contains("`large`: its chunks need more than the file holds"), "{message}");
    }

    #[test]
    fn a_pipe_is_refused_before_anybody_waits_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let message = Hdf5File::open(&path).unwrap_err().to_string();
        assert!(
            message.contains("pipe: cannot be read: this is not a regular file but a FIFO; expected an HDF5"),
            "{message}"
        );
    }
}
