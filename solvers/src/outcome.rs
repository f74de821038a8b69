//! What a run reports beside its history and its fields: figures for `summary.json`, pictures.

use serde_json::{Map, Value as Json};

/// Figures of the result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Entries of `summary.json`.
    pub entries: Map<String, Json>,
    /// Entries of its `time`, in seconds.
    pub times: Map<String, Json>,
}

/// A picture that is drawn of the result.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    /// The sides of the mesh's cells.
    Sides {
        /// Name of the file without its ending.
        file: &'static str,
        /// What is shown.
        title: &'static str,
    },
    /// How often values occur.
    Histogram {
        /// Name of the file without its ending.
        file: &'static str,
        /// What is counted.
        title: &'static str,
        /// Name of the values.
        axis: &'static str,
        /// Least value of the first class, greatest of the last; all classes are equally wide.
        range: [f64; 2],
        /// How many values each class has.
        counts: Vec<u64>,
        /// Values that are marked, as borders of what is wanted.
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
