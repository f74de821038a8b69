//! How a program of several ranks ends: all together, with one message and one exit code, whatever happens on one rank.
//!
//! ```text
//! an Err on every rank     one message, from rank 0
//! an Err on some           one message, from the lowest of them; if the others wait for messages that never come, they
//!                          are ended as soon as patience has run out
//! a panic on any           its message, and the end of all
//! ```

use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::Comm;

/// How long a rank that has failed waits for the others to end, too. Ranks that fail together do so within milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// The exit code after a panic.
const PANICKED: i32 = 1;

/// No rank has failed.
const NONE: u64 = u64::MAX;

/// This process's rank, for messages of any of its threads.
static RANK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The communicator that a panic aborts, from the thread that may pass messages. Another thread ends its process
    /// instead, and the launcher ends the others.
    static RANKS: RefCell<Option<Comm>> = const { RefCell::new(None) };
}

impl Comm {
    /// Ends a program: every rank calls it once, as the last use of the communicator, and returns the exit code from
    /// `main`. The code is that of the lowest rank that has failed, or 0; that rank calls `say` with its error, and with
    /// its own number unless all ranks have failed.
    ///
    /// A rank that has failed on its own ends those that still wait for it, after some seconds: then this does not
    /// return.
    pub fn conclude<E>(
        &self,
        result: &Result<(), E>,
        code: impl Fn(&E) -> u8,
        say: impl FnOnce(&E, Option<usize>),
    ) -> u8 {
        let rank = self.rank();
        // The lowest failed rank with its code; 0 if any rank has not failed.
        let (mut words, patience) = match result {
            Ok(()) => ([NONE, 0], None),
            Err(error) => ([(rank as u64) << 8 | u64::from(code(error)), 1], Some(PATIENCE)),
        };
        let together = self.transport.end(&mut words, patience);
        let [first, all] = words;
        if let Err(error) = result
            && (!together || first >> 8 == rank as u64)
        {
            say(error, (!together || all == 0).then_some(rank));
            if !together {
                self.abort(code(error).into());
            }
        }
        // A launcher ends all ranks as soon as one fails: not before the message is out.
        self.barrier();
        if first == NONE { 0 } else { first as u8 }
    }
}

/// Lets a panic on this thread end all ranks of `comm`, once [`install_panic_hook`] has been called; until [`forget`].
pub fn end_with(comm: &Comm) {
    RANK.store(comm.rank(), Ordering::Relaxed);
    RANKS.with_borrow_mut(|ranks| *ranks = Some(comm.clone()));
}

/// Drops the communicator of [`end_with`].
pub fn forget() {
    RANKS.with_borrow_mut(|ranks| *ranks = None);
}

/// Makes a panic the end of all ranks, with exit code 1, after `say` has told of it, with this process's rank. Without that,
/// the other ranks would wait for ever; unwinding, too, might wait for their messages.
pub fn install_panic_hook(say: impl Fn(&PanicHookInfo<'_>, usize) + Send + Sync + 'static) {
    std::panic::set_hook(Box::new(move |panic| {
        say(panic, RANK.load(Ordering::Relaxed));
        let comm = RANKS.with(|ranks| ranks.try_borrow().ok().and_then(|ranks| ranks.clone()));
        match comm {
            Some(comm) => comm.abort(PANICKED),
            None => std::process::exit(PANICKED),
        }
    }));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// What ranks with these exit codes return, and what is said.
    fn ends(codes: &[u8]) -> (Vec<u8>, Vec<(u8, Option<usize>)>) {
        let said = Mutex::new(Vec::new());
        let returned = Comm::simulate(codes.len(), |comm| {
            let result = match codes[comm.rank()] {
                0 => Ok(()),
                code => Err(code),
            };
            comm.conclude(
                &result,
                |&code| code,
                |&code, alone| said.lock().expect("no rank panics").push((code, alone)),
            )
        });
        (returned, said.into_inner().expect("no rank panics"))
    }

    #[test]
    fn one_rank_speaks_and_all_end_with_its_code() {
        assert_eq!(ends(&[0, 0, 0]), (vec![0; 3], vec![]));
        assert_eq!(ends(&[3, 3, 3]), (vec![3; 3], vec![(3, None)]));
        assert_eq!(ends(&[0, 2, 75]), (vec![2; 3], vec![(2, Some(1))]));
        assert_eq!(ends(&[4]), (vec![4], vec![(4, None)]));
    }
}
