//! What runs a domain's loops: the processor, or what plugs in.

use std::error::Error;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::state::State;
use crate::cpu::record::Recorded;

/// Why loops could not be run. All ranks have the one of the lowest rank that failed.
#[derive(Clone, Debug, thiserror::Error, Serialize, Deserialize)]
#[error("rank {rank}: {message}")]
pub struct BackendError {
    /// The rank that failed.
    pub rank: usize,
    /// What failed.
    pub message: String,
    #[serde(skip)]
    cause: Option<Arc<dyn Error + Send + Sync>>,
}

impl BackendError {
    /// What failed, on the rank that failed, if it is an `E`.
    pub fn cause<E: Error + 'static>(&self) -> Option<&E> {
        self.cause.as_ref()?.downcast_ref()
    }

    /// The same, of this rank.
    pub(crate) fn on(self, rank: usize) -> BackendError {
        BackendError { rank, ..self }
    }
}

impl PartialEq for BackendError {
    fn eq(&self, other: &BackendError) -> bool {
        (self.rank, &self.message) == (other.rank, &other.message)
    }
}

impl<E: Error + Send + Sync + 'static> From<Arc<E>> for BackendError {
    fn from(cause: Arc<E>) -> BackendError {
        BackendError { rank: 0, message: cause.to_string(), cause: Some(cause) }
    }
}

/// What runs a domain's loops.
///
/// All ranks make the same calls in the same order. Values are those of [`State`], unless the backend keeps newer ones.
/// A call that fails has exchanged what other ranks wait for, all the same.
pub trait Backend {
    /// Runs the first `count` of these loops; a result is asked for after the `last`.
    ///
    /// # Errors
    /// A device fails.
    fn run(
        &mut self,
        state: &mut State,
        records: &[Box<dyn Recorded>],
        count: usize,
        last: bool,
    ) -> Result<(), BackendError>;

    /// Runs one loop.
    ///
    /// # Errors
    /// A device fails.
    fn run_loop(&mut self, state: &mut State, record: &dyn Recorded) -> Result<(), BackendError>;

    /// Exchanges what the backend keeps of two dats of one shape.
    ///
    /// # Errors
    /// A device fails.
    fn exchange(&mut self, _state: &mut State, _one: usize, _other: usize) -> Result<(), BackendError> {
        Ok(())
    }

    /// Fetches a dat's values to the state.
    ///
    /// # Errors
    /// A device fails.
    fn fetch(&mut self, _state: &mut State, _dat: usize) -> Result<(), BackendError> {
        Ok(())
    }

    /// Notes that a dat's values have been changed in the state.
    fn changed_by_host(&mut self, _dat: usize) {}

    /// Brings the results of loops to the state.
    ///
    /// # Errors
    /// A device fails.
    fn collect_results(&mut self, _state: &mut State) -> Result<(), BackendError> {
        Ok(())
    }

    /// Waits for the loops so far and adds their times to the timers.
    ///
    /// # Errors
    /// A device fails.
    fn collect_times(&mut self, _state: &mut State) -> Result<(), BackendError> {
        Ok(())
    }

    /// The device the loops run on, in words; none when they run on the processor.
    fn device(&self) -> Option<String> {
        None
    }

    /// Bytes a second that a plain copy reads and writes on the device; none when there is no device.
    ///
    /// # Errors
    /// The device fails.
    fn copy_bandwidth(&mut self) -> Result<Option<f64>, BackendError> {
        Ok(None)
    }

    /// Bytes that the backend holds beside the state.
    fn bytes(&self) -> usize {
        0
    }
}
