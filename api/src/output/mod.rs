//! A solver's results as files, in one call each.
//!
//! ```text
//! state    dats in HDF5, to continue from
//! grid     the cells that dats are drawn on, and one VTK file
//! series   VTK files of many time levels
//! ```

mod grid;
mod series;
mod state;

use cfd_engine::backend::BackendError;
use cfd_io::IoError;

pub use self::grid::{Grid, write_vtu};
pub use self::series::Series;
pub use self::state::{load, save};

/// Why results could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A device has failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// A file cannot be written, or is not what it should be.
    #[error(transparent)]
    Io(#[from] IoError),
    /// What should be drawn does not fit together.
    #[error("{0}")]
    Grid(String),
}

/// How far a solver has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeLevel {
    /// Steps done.
    pub step: u64,
    /// The time that the state belongs to.
    pub time: f64,
}
