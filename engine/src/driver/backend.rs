//! What runs a domain's loops: the processor, or a plug-in.

use std::error::Error;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::state::State;
use crate::cpu::record::Recorded;

/// Why loops could not be run. All ranks have the error of the lowest rank that failed.
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

    /// The same error, on this rank.
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
/// Even a call that fails has exchanged what other ranks wait for.
pub trait Backend {
    /// Runs the first `count` of these loops; `last` says whether a result is asked for after them.
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

    /// Swaps the backend's storages of two dats of the same shape.
    ///
    /// # Errors
    /// A device fails.
    fn swap(&mut self, _state: &mut State, _one: usize, _other: usize) -> Result<(), BackendError> {
        Ok(())
    }

    /// Fetches a dat's values to the state.
    ///
    /// # Errors
    /// A device fails.
    fn fetch(&mut self, _state: &mut State, _dat: usize) -> Result<(), BackendError> {
        Ok(())
    }

    /// Notes that the state has new values of a dat.
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

    /// A backend on the same device for the domain of another mesh; none if the domain's options make it.
    ///
    /// # Errors
    /// The device fails.
    fn renew(&self) -> Result<Option<Box<dyn Backend>>, BackendError> {
        Ok(None)
    }

    /// The device on which the loops run, in words; none when they run on the processor.
    fn device(&self) -> Option<String> {
        None
    }

    /// Bytes per second that a plain copy reads and writes on the device; none without a device.
    ///
    /// # Errors
    /// The device fails.
    fn copy_bandwidth(&mut self) -> Result<Option<f64>, BackendError> {
        Ok(None)
    }

    /// Bytes that the backend holds in addition to the state.
    fn bytes(&self) -> usize {
        0
    }
}
