//! Waiting that leaves the processor to others: MPI's own blocking calls spin for as long as they wait.
//!
//! Beside other work, a rank that spins has used up its share of the processor by the time its message comes, and then
//! waits for its next turn, some milliseconds; so does the rank that should send it. Yielding is no better: it gives the
//! whole turn away. A rank that has slept is woken in its turn.

use std::time::{Duration, Instant};

/// A wait up to this long spins: longer than ranks of equal work wait for one another.
const SPIN: Duration = Duration::from_micros(50);

/// A long message only moves on while MPI is polled: what it may take spins, too.
const NANOSECONDS_PER_BYTE: u64 = 1;

/// Bounds of one sleep.
const LEAST: Duration = Duration::from_micros(5);
const MOST: Duration = Duration::from_micros(50);

/// A sleep is this part of the wait so far, and delays its end by no more.
const PART: u32 = 8;

/// How much later than asked for the system may end a sleep of this thread, instead of 50 microseconds.
const SLACK: Duration = Duration::from_micros(1);

/// Lets this thread's sleeps end on time, where the system can.
pub(crate) fn sharpen_sleeps() {
    #[cfg(target_os = "linux")]
    // SAFETY: the call changes a number of this thread's.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, SLACK.as_nanos() as libc::c_ulong);
    }
}

/// Polls MPI, which moves this many bytes, until it says that it is done.
pub(crate) fn wait(bytes: usize, is_done: impl FnMut() -> bool) {
    wait_for(bytes, is_done, None);
}

/// The same, but for no longer than `patience`, if there is one; whether MPI is done.
pub(crate) fn wait_for(bytes: usize, mut is_done: impl FnMut() -> bool, patience: Option<Duration>) -> bool {
    if is_done() {
        return true;
    }
    let since = Instant::now();
    let spin = SPIN + Duration::from_nanos(NANOSECONDS_PER_BYTE * bytes as u64);
    while !is_done() {
        let waited = since.elapsed();
        if patience.is_some_and(|patience| waited > patience) {
            return false;
        }
        if waited < spin {
            std::hint::spin_loop();
        } else {
            std::thread::sleep((waited / PART).clamp(LEAST, MOST));
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_long_wait_looks_seldom_and_ends_with_patience() {
        let looks = Cell::new(0);
        let patience = Duration::from_millis(50);
        let since = Instant::now();
        let look = || {
            looks.set(looks.get() + 1);
            false
        };
        assert!(!wait_for(0, look, Some(patience)));
        assert!(since.elapsed() >= patience);
        // A wait that spins looks a hundred times as often.
        assert!(looks.get() < 10_000, "{} looks", looks.get());
        wait(0, || since.elapsed() > patience);
        assert!(wait_for(0, || true, Some(Duration::ZERO)));
    }
}
