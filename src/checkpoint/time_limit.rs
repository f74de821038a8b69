//! `--time-limit`: when a run must stop to have written a checkpoint before its time is up.
//!
//! A run stops when the next iteration and two checkpoints, each as long as the last one, would not fit into the time
//! left. A run that has written none by half-time writes one then, to learn how long that takes.

use std::time::{Duration, Instant};

use super::signal::Request;

/// A run's time limit, on the clock of rank 0.
#[derive(Clone, Debug)]
pub struct TimeLimit {
    /// When the program started.
    start: Instant,
    limit: Option<Duration>,
    /// How long the last checkpoint took.
    save: Option<Duration>,
    /// How long the last iteration took, and when it ended.
    iteration: Duration,
    seen: Duration,
}

impl TimeLimit {
    /// The time that a run has from the start of the program; unlimited without a limit.
    pub fn new(start: Instant, limit: Option<Duration>) -> TimeLimit {
        TimeLimit { start, limit, save: None, iteration: Duration::ZERO, seen: Duration::MAX }
    }

    /// Records how long a checkpoint took.
    pub fn note_save(&mut self, took: Duration) {
        self.save = Some(took);
        // It is not part of an iteration.
        self.seen = self.start.elapsed();
    }

    /// What is due after an iteration, or before the first one.
    pub fn due(&mut self) -> Option<Request> {
        self.due_at(self.start.elapsed())
    }

    fn due_at(&mut self, now: Duration) -> Option<Request> {
        self.iteration = now.saturating_sub(self.seen);
        self.seen = now;
        let limit = self.limit?;
        let reserve = self.iteration + 2 * self.save.unwrap_or_default();
        match self.save {
            _ if now + reserve >= limit => Some(Request::Stop(NAME)),
            None if now >= limit / 2 => Some(Request::Save),
            _ => None,
        }
    }
}

/// What stopped the run, in messages.
const NAME: &str = "its time limit";

/// A time as `H:MM:SS`.
///
/// # Errors
/// What would be right.
pub fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || "expected hours, minutes and seconds as H:MM:SS, for example 1:30:00".to_string();
    let fields: Vec<&str> = text.split(':').collect();
    let number = |field: &str| {
        let is_number = !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit());
        field.parse::<u64>().ok().filter(|_| is_number)
    };
    let &[hours, minutes, seconds] = &fields[..] else { return Err(wrong()) };
    let sixtieths = |field: &str| number(field).filter(|&value| value < 60 && field.len() == 2);
    let total =
        || number(hours)?.checked_mul(3600)?.checked_add(60 * sixtieths(minutes)? + sixtieths(seconds)?);
    match total() {
        Some(total @ 1..) => Ok(Duration::from_secs(total)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_hours_minutes_and_seconds() {
        assert_eq!(parse("1:30:05"), Ok(Duration::from_secs(5405)));
        assert_eq!(parse("100:00:00"), Ok(Duration::from_secs(360_000)));
        assert_eq!(parse("0:00:01"), Ok(Duration::from_secs(1)));
        for wrong in [
            "",
            "90",
            "1:30",
            "1:60:00",
            "1:00:60",
            "1:2:03",
            "0:00:00",
            "-1:00:00",
            "+1:00:00",
            "1:00:00:00",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse(&format!("{}:00:00", u64::MAX)).is_err());
    }

    #[test]
    fn a_run_stops_in_time_for_an_iteration_and_two_checkpoints() {
        let seconds = Duration::from_secs;
        let mut limit = TimeLimit::new(Instant::now(), Some(seconds(100)));
        assert_eq!(limit.due_at(seconds(10)), None, "before the first iteration");
        assert_eq!(limit.due_at(seconds(49)), None);
        assert_eq!(limit.due_at(seconds(50)), Some(Request::Save), "to know how long it takes");
        limit.save = Some(seconds(12));
        limit.seen = seconds(62);
        assert_eq!(limit.due_at(seconds(68)), None, "68 + 6 + 24");
        assert_eq!(limit.due_at(seconds(74)), Some(Request::Stop(NAME)), "74 + 6 + 24");
        let mut late = TimeLimit::new(Instant::now(), Some(seconds(5)));
        assert_eq!(late.due_at(seconds(6)), Some(Request::Stop(NAME)));
        let mut endless = TimeLimit::new(Instant::now(), None);
        assert_eq!(endless.due_at(seconds(1_000_000)), None);
    }
}
