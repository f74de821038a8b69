//! Reading rows of datasets from HDF5 files that may be damaged or hostile.
//!
//! Shapes, types and stored sizes are checked before anything is allocated: a dataset can claim any shape while storing
//! nothing.

use std::ops::Range;
use std::path::{Path, PathBuf};

use cfd_engine::given;
use hdf5::dataset::Layout;
use hdf5::types::{FixedAscii, FixedUnicode, FloatSize, IntSize, TypeDescriptor, VarLenAscii, VarLenUnicode};
use hdf5::{Attribute, Dataset, File, Group, H5Type, Location, LocationType};
use ndarray::IxDyn;

use crate::IoError;

/// Compressed datasets may hold at most this many times the bytes that they take in the file.
const MOST_COMPRESSION: u64 = 256;
/// Longest text of fixed length that is read.
pub(crate) const TEXT: usize = 256;

/// The numbers that a dataset should hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Integers of any width.
    Integer,
    /// Single or double precision.
    Float,
    /// No numbers, but texts of fixed length.
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
        // First without the library, whose account of a missing file or permission is hard to read, and which would wait
        // for the writer of a FIFO.
        let found = given::open(path, "an HDF5 file").and_then(|file| file.metadata());
        let bytes = found.map_err(|e| IoError::read(path, e))?.len();
        let file = File::open(path).map_err(|e| IoError::read(path, format!("damaged HDF5 file: {e}")))?;
        Ok(Hdf5File { file, path: path.into(), bytes })
    }

    /// Whether there is something of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.file.link_exists(name)
    }

    /// A text attribute of the file, if there is one.
    pub(crate) fn text_attribute(&self, name: &str) -> Result<Option<String>, IoError> {
        let attribute = self.attribute(&self.file, name)?;
        attribute.map(|attribute| self.text(name, &attribute)).transpose()
    }

    /// A text attribute of a dataset, which must have it.
    pub(crate) fn text_of(&self, dataset: &str, name: &str) -> Result<String, IoError> {
        let (place, attribute) = self.attribute_of(dataset, name)?;
        self.text(&place, &attribute)
    }

    /// An integer attribute of a dataset, which must have it.
    pub(crate) fn integer_of(&self, dataset: &str, name: &str) -> Result<i64, IoError> {
        let (place, attribute) = self.attribute_of(dataset, name)?;
        self.integer(&place, &attribute)
    }

    /// An attribute of a dataset, and how messages call it.
    fn attribute_of(&self, dataset: &str, name: &str) -> Result<(String, Attribute), IoError> {
        let place = format!("{dataset}.{name}");
        let found = self.file.dataset(dataset);
        let found = found.map_err(|e| self.wrong(dataset, format!("damaged dataset: {e}")))?;
        match self.attribute(&found, name)? {
            Some(attribute) => Ok((place, attribute)),
            None => Err(self.wrong(&place, "the attribute is missing")),
        }
    }

    fn text(&self, name: &str, attribute: &Attribute) -> Result<String, IoError> {
        let descriptor = attribute.dtype().and_then(|t| t.to_descriptor());
        // As bytes: the bindings' own conversion takes a damaged file's bytes for UTF-8 unchecked.
        let bytes = match descriptor {
            Ok(TypeDescriptor::VarLenUnicode) => {
                attribute.read_scalar::<VarLenUnicode>().map(|s| s.as_bytes().to_vec())
            }
            Ok(TypeDescriptor::VarLenAscii) => {
                attribute.read_scalar::<VarLenAscii>().map(|s| s.as_bytes().to_vec())
            }
            Ok(TypeDescriptor::FixedUnicode(n)) if n <= TEXT => {
                attribute.read_scalar::<FixedUnicode<TEXT>>().map(|s| s.as_bytes().to_vec())
            }
            Ok(TypeDescriptor::FixedAscii(n)) if n <= TEXT => {
                attribute.read_scalar::<FixedAscii<TEXT>>().map(|s| s.as_bytes().to_vec())
            }
            _ => Err("it is not a text".into()),
        };
        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        text.map_err(|e| self.wrong(name, format!("the attribute cannot be read: {e}")))
    }

    /// An attribute of the file that is an array of bytes, if there is one.
    pub(crate) fn byte_attribute(&self, name: &str) -> Result<Option<Vec<u8>>, IoError> {
        let Some(attribute) = self.attribute(&self.file, name)? else { return Ok(None) };
        let is_bytes = matches!(
            attribute.dtype().and_then(|t| t.to_descriptor()),
            Ok(TypeDescriptor::Unsigned(IntSize::U1))
        );
        if !is_bytes || attribute.size() as u64 > self.bytes {
            return Err(self.wrong(name, "the attribute is not an array of bytes"));
        }
        let bytes = attribute.read_raw::<u8>();
        bytes.map(Some).map_err(|e| self.wrong(name, format!("the attribute cannot be read: {e}")))
    }

    /// An integer attribute of the file, if there is one.
    pub(crate) fn integer_attribute(&self, name: &str) -> Result<Option<i64>, IoError> {
        let attribute = self.attribute(&self.file, name)?;
        attribute.map(|attribute| self.integer(name, &attribute)).transpose()
    }

    fn integer(&self, name: &str, attribute: &Attribute) -> Result<i64, IoError> {
        let value = attribute.read_scalar::<i64>();
        value.map_err(|e| self.wrong(name, format!("the attribute is not an integer: {e}")))
    }

    fn attribute(&self, of: &Location, name: &str) -> Result<Option<Attribute>, IoError> {
        // Opening alone would not tell a missing attribute from a damaged one.
        let names = of.attr_names();
        let names = names.map_err(|e| self.wrong(name, format!("damaged attributes: {e}")))?;
        if !names.iter().any(|n| n == name) {
            return Ok(None);
        }
        let attribute = of.attr(name);
        attribute.map(Some).map_err(|e| self.wrong(name, format!("damaged attribute: {e}")))
    }

    /// Names of all datasets of a group, with the groups that they lie in, ordered by name.
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

    /// Names of all datasets, with the groups they lie in, ordered by name.
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
                    return Err(self.wrong(&name, "groups lie deeper in each other than any field's"));
                }
                LocationType::Group => {
                    let inner = group.group(&member).map_err(|e| damaged(&name, e))?;
                    self.add_datasets(&inner, &format!("{name}/"), deepest - 1, names)?;
                }
                // A type with a name is no data.
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a dataset has integers; else it has to have floating-point numbers.
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

    /// A dataset of `numbers`, all of which are in the file.
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
            Numbers::Text => "texts of at most 256 bytes, of fixed length",
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
            // A virtual dataset's data lie in other files.
            _ => return Err(self.wrong(name, "virtual datasets are not supported; use a plain dataset")),
        };
        if logical.is_none_or(|n| n > room) {
            return Err(self.wrong(
                name,
                format!("the shape {shape:?} needs more values than the file holds ({stored} bytes); the file is truncated or damaged"),
            ));
        }
        // The library reads a dataset chunk by chunk, each as a whole, however few rows there are.
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

/// A checked dataset.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    file: &'a Hdf5File,
    name: String,
    dataset: Dataset,
    /// Its shape.
    pub(crate) shape: Vec<u64>,
}

impl Table<'_> {
    /// Some rows, as integers.
    pub(crate) fn integers(&self, rows: Range<u64>) -> Result<Vec<i64>, IoError> {
        self.rows(rows)
    }

    /// The same table, unless its numbers have another precision: reading them would make other bits of them.
    pub(crate) fn double_precision(self) -> Result<Self, IoError> {
        match self.dataset.dtype().and_then(|t| t.to_descriptor()) {
            Ok(TypeDescriptor::Float(FloatSize::U8)) => Ok(self),
            _ => Err(self.file.wrong(&self.name, "the numbers are not in double precision (f64)")),
        }
    }

    /// Rows, and values of each: at least one, since rows of nothing can be any number and take no room in the file.
    pub(crate) fn rows_and_dim(&self) -> Result<[u64; 2], IoError> {
        match self.shape[..] {
            [rows, dim] if dim > 0 => Ok([rows, dim]),
            _ => {
                let what = format!("the shape is {:?}, expected (rows, values of a row)", self.shape);
                Err(self.file.wrong(&self.name, what))
            }
        }
    }

    /// Some rows, in double precision.
    pub(crate) fn floats(&self, rows: Range<u64>) -> Result<Vec<f64>, IoError> {
        self.rows(rows)
    }

    /// All texts of a table of texts.
    pub(crate) fn texts(&self) -> Result<Vec<String>, IoError> {
        let wrong = |e: String| self.file.wrong(&self.name, format!("it cannot be read: {e}"));
        let descriptor = self.dataset.dtype().and_then(|t| t.to_descriptor());
        // As bytes, like attributes.
        let bytes: hdf5::Result<Vec<Vec<u8>>> = match descriptor {
            Ok(TypeDescriptor::FixedUnicode(_)) => {
                let texts = self.dataset.read_raw::<FixedUnicode<TEXT>>();
                texts.map(|texts| texts.iter().map(|text| text.as_bytes().to_vec()).collect())
            }
            _ => {
                let texts = self.dataset.read_raw::<FixedAscii<TEXT>>();
                texts.map(|texts| texts.iter().map(|text| text.as_bytes().to_vec()).collect())
            }
        };
        let text = |(row, bytes): (usize, Vec<u8>)| {
            String::from_utf8(bytes).map_err(|_| wrong(format!("row {row} is no UTF-8")))
        };
        bytes.map_err(|e| wrong(e.to_string()))?.into_iter().enumerate().map(text).collect()
    }

    /// The value of a dataset that has only one.
    pub(crate) fn first(&self) -> Result<i64, IoError> {
        let values = self.dataset.read_raw::<i64>();
        let values = values.map_err(|e| self.file.wrong(&self.name, format!("it cannot be read: {e}")))?;
        values.first().copied().ok_or_else(|| self.file.wrong(&self.name, "it is empty, expected one number"))
    }

    fn rows<T: H5Type>(&self, rows: Range<u64>) -> Result<Vec<T>, IoError> {
        let rows = rows.start as usize..rows.end as usize;
        if rows.is_empty() || self.shape[1..].contains(&0) {
            return Ok(Vec::new());
        }
        let read = match self.shape.len() {
            1 => self.dataset.read_slice::<T, _, IxDyn>(rows.clone()),
            2 => self.dataset.read_slice::<T, _, IxDyn>((rows.clone(), ..)),
            n => Err(format!("a dataset of {n} dimensions has no rows").into()),
        };
        let read = read.map_err(|e| {
            self.file
                .wrong(&self.name, format!("rows {} to {} cannot be read: {e}", rows.start, rows.end - 1))
        })?;
        Ok(read.into_raw_vec_and_offset().0)
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
        // Nothing is read of it.
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
