//! Being asked to stop: SIGUSR1 (which mpirun and srun forward) and SIGTERM.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cfd_engine::comm::Comm;
use signal_hook::consts::{SIGTERM, SIGUSR1};

/// Notes the signals that ask a run to stop.
#[derive(Clone, Debug)]
pub struct StopSignals {
    seen: Arc<AtomicUsize>,
}

impl StopSignals {
    /// Begins to note them; from now on they do not end the process.
    ///
    /// # Errors
    /// The system refuses a signal handler.
    pub fn watch() -> std::io::Result<StopSignals> {
        let seen = Arc::new(AtomicUsize::new(0));
        for signal in [SIGTERM, SIGUSR1] {
            signal_hook::flag::register_usize(signal, Arc::clone(&seen), signal as usize)?;
        }
        Ok(StopSignals { seen })
    }

    /// The name of a signal that any rank has got, the same on every rank. Collective.
    pub fn agreed(&self, comm: &Comm) -> Option<&'static str> {
        match comm.max(self.seen.load(Ordering::Relaxed) as u64) {
            0 => None,
            signal if signal == SIGTERM as u64 => Some("SIGTERM"),
            _ => Some("SIGUSR1"),
        }
    }
}
