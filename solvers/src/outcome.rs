//! What a run reports in addition to its history and fields: figures for `summary.json`, tables, pictures.

use serde_json::{Map, Value as Json};

/// Figures of the result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Entries of `summary.json`.
    pub entries: Map<String, Json>,
    /// Entries of its `time`, in seconds.
    pub times: Map<String, Json>,
}

/// A table of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csv {
    /// Name of the file.
    pub file: &'static str,
    /// Its lines, on rank 0.
    pub text: String,
}

/// A picture of the result.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    /// The sides of the mesh's cells.
    Sides {
        /// Name of the file without its ending.
        file: &'static str,
        /// What is shown.
        title: &'static str,
    },
    /// A histogram.
    Histogram {
        /// Name of the file without its ending.
        file: &'static str,
        /// What is counted.
        title: &'static str,
        /// Name of the values.
        axis: &'static str,
        /// Lower end of the first bin and upper end of the last; all bins have equal width.
        range: [f64; 2],
        /// The number of values in each bin.
        counts: Vec<u64>,
        /// Values to mark, as limits of the target range.
        marks: Vec<f64>,
    },
    /// A number for each name.
    Bars {
        /// Name of the file without its ending.
        file: &'static str,
        /// What is shown.
        title: &'static str,
        /// Name and unit of the numbers.
        axis: &'static str,
        /// The names and their numbers.
        bars: Vec<(String, f64)>,
    },
}

impl Drawing {
    /// Name of the file without its ending.
    pub fn file(&self) -> &'static str {
        match self {
            Drawing::Sides { file, .. } | Drawing::Histogram { file, .. } | Drawing::Bars { file, .. } => {
                file
            }
        }
    }
}
