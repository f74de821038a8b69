//! Requests to stop: by SIGUSR1 (which mpirun and srun forward), SIGTERM or SIGINT.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use cfd_engine::comm::Comm;
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::{flag, low_level};

use crate::exit::Error;

/// The signals and their names.
const SIGNALS: [(i32, &str); 3] = [(SIGTERM, "SIGTERM"), (SIGUSR1, "SIGUSR1"), (SIGINT, "SIGINT")];

/// What a run is asked to do between iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Write a checkpoint and go on.
    Save,
    /// Write a checkpoint and end; names the requester in messages.
    Stop(&'static str),
}

/// The number of [`Request::Save`], below those of all signals.
const SAVE: u64 = 1;
/// The number of a [`Request::Stop`] without a signal.
const STOP: u64 = u64::MAX;

/// Records the signals that ask the program to stop. The default value records none.
#[derive(Clone, Debug)]
pub struct StopSignals {
    /// When the program started.
    start: Instant,
    /// The last signal, or 0.
    seen: Arc<AtomicUsize>,
    /// Signals end the process, as they do without this.
    released: Arc<AtomicBool>,
}

impl Default for StopSignals {
    fn default() -> StopSignals {
        StopSignals { start: Instant::now(), seen: Arc::default(), released: Arc::default() }
    }
}

impl StopSignals {
    /// Starts recording; from now on they do not end the process, except for a second SIGINT. A SIGINT that the parent
    /// process set to be ignored stays ignored, as in a shell's background jobs.
    ///
    /// # Errors
    /// The system refuses a signal handler.
    pub fn watch() -> std::io::Result<StopSignals> {
        let signals = StopSignals::default();
        let interrupted = Arc::new(AtomicBool::new(false));
        for (signal, _) in SIGNALS {
            if signal == SIGINT && is_ignored(signal) {
                continue;
            }
            flag::register_conditional_default(signal, Arc::clone(&signals.released))?;
            if signal == SIGINT {
                // Checked before it is set: only the second one finds it set.
                flag::register_conditional_default(signal, Arc::clone(&interrupted))?;
                flag::register(signal, Arc::clone(&interrupted))?;
            }
            flag::register_usize(signal, Arc::clone(&signals.seen), signal as usize)?;
        }
        Ok(signals)
    }

    /// Lets the signals end the process again, immediately if one has arrived: for commands that have nothing to save.
    pub fn release(&self) {
        self.released.store(true, Ordering::SeqCst);
        if let Some(signal) = self.seen() {
            let _ = low_level::emulate_default_handler(signal);
        }
    }

    /// When the program started.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// The signal that this process has received.
    pub fn seen(&self) -> Option<i32> {
        let signal = self.seen.load(Ordering::Relaxed);
        // Stored only with numbers of signals.
        (signal != 0).then_some(signal as i32)
    }

    /// The name of the signal that this process has received.
    pub fn name(&self) -> Option<&'static str> {
        name(self.seen.load(Ordering::Relaxed) as u64)
    }

    /// The name of a signal that any rank has received, the same on every rank. Collective.
    pub fn agreed(&self, comm: &Comm) -> Option<&'static str> {
        name(comm.max(self.seen.load(Ordering::Relaxed) as u64))
    }

    /// The request of a signal that any rank has received, or else rank 0's own request; the same on every rank.
    /// Collective.
    pub fn request(&self, comm: &Comm, own: Option<Request>) -> Option<Request> {
        let (own, by) = match own.filter(|_| comm.is_root()) {
            None => (0, ""),
            Some(Request::Save) => (SAVE, ""),
            Some(Request::Stop(by)) => (STOP, by),
        };
        match comm.max(own.max(self.seen.load(Ordering::Relaxed) as u64)) {
            0 => None,
            SAVE => Some(Request::Save),
            // Only rank 0 names it in messages.
            STOP => Some(Request::Stop(by)),
            signal => name(signal).map(Request::Stop),
        }
    }

    /// Ends a run that was asked to stop while it had nothing to save. Collective.
    ///
    /// # Errors
    /// A rank has received a signal.
    pub fn check(&self, comm: &Comm) -> Result<(), Error> {
        match self.agreed(comm) {
            Some(signal) => Err(nothing_to_save(signal)),
            None => Ok(()),
        }
    }
}

fn name(number: u64) -> Option<&'static str> {
    SIGNALS.iter().find(|(signal, _)| *signal as u64 == number).map(|(_, name)| *name)
}

/// The end of a run that a signal stopped before its first iteration.
pub fn nothing_to_save(signal: &str) -> Error {
    Error::Interrupted { signal: signal.into(), state: ": nothing to save yet".into() }
}

/// True if the parent process set the signal to be ignored.
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: a null second argument makes this a query; the structure is read after the call has filled it in.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
