//! Rows of checked datasets.

use std::ops::Range;

use hdf5::types::{FixedAscii, FixedUnicode, FloatSize, TypeDescriptor};
use hdf5::{Dataset, H5Type};
use ndarray::IxDyn;

use super::{Hdf5File, TEXT};
use crate::IoError;

/// A checked dataset.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    pub(super) file: &'a Hdf5File,
    pub(super) name: String,
    pub(super) dataset: Dataset,
    /// Its shape.
    pub(crate) shape: Vec<u64>,
}

impl Table<'_> {
    /// Whether it is stored in chunks, of at most so many bytes in the file.
    pub(super) fn is_chunked_up_to(&self, most: u64) -> bool {
        self.dataset.is_chunked() && self.dataset.storage_size() <= most
    }

    /// Some rows, as integers.
    pub(crate) fn integers(&self, rows: Range<u64>) -> Result<Vec<i64>, IoError> {
        self.rows(rows)
    }

    /// The same table, unless its numbers have another precision: reading would change their bits.
    pub(crate) fn double_precision(self) -> Result<Self, IoError> {
        match self.dataset.dtype().and_then(|t| t.to_descriptor()) {
            Ok(TypeDescriptor::Float(FloatSize::U8)) => Ok(self),
            _ => Err(self.file.wrong(&self.name, "the numbers are not in double precision (f64)")),
        }
    }

    /// Rows, and values per row: at least one, because any number of empty rows would take no room in the file.
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

    /// All strings of a table of strings.
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
            String::from_utf8(bytes).map_err(|_| wrong(format!("row {row} is not UTF-8")))
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
