//! Progress on stderr: a bar on a terminal, one line every few seconds in a log.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use crate::cli;
use crate::console::complain;
use crate::launcher;

/// Time between lines in a log.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Redraws of the bar per second.
const REDRAWS: u8 = 8;

/// Progress of a run towards its last iteration.
#[derive(Debug)]
pub enum Progress {
    /// A bar.
    Bar(ProgressBar),
    /// Lines.
    Lines(Lines),
    /// Nothing.
    Silent,
}

/// Lines in a log.
#[derive(Debug)]
pub struct Lines {
    /// When the run began.
    start: Instant,
    /// When the next line is due, from the start.
    next: Duration,
    /// Iterations done before this run.
    done: u64,
    /// The last iteration.
    total: u64,
}

impl Lines {
    fn new(done: u64, total: u64) -> Lines {
        Lines { start: Instant::now(), next: LINE_EVERY, done, total }
    }

    /// The line after an iteration, if one is due at this time after the start.
    fn line(&mut self, elapsed: Duration, iteration: u64, residual: f64) -> Option<String> {
        if elapsed < self.next {
            return None;
        }
        self.next = elapsed + LINE_EVERY;
        let (total, seconds) = (self.total, elapsed.as_secs_f64());
        // The rate is that of this run.
        let rate = iteration.saturating_sub(self.done) as f64 / seconds;
        let left = total.saturating_sub(iteration) as f64 / rate;
        let share = 100.0 * iteration as f64 / total as f64;
        Some(format!(
            "{iteration}/{total} iterations ({share:.0} %), residual {residual:.3e}, {rate:.3} per second, \
             {seconds:.0} s so far, about {left:.0} s left"
        ))
    }
}

impl Progress {
    /// Progress as requested, after `done` iterations of a run that this one continues; silent on ranks that do not
    /// print.
    pub fn new(when: cli::Progress, speaks: bool, done: u64, total: u64) -> Progress {
        let terminal = io::stderr().is_terminal();
        match when {
            cli::Progress::Never => Progress::Silent,
            _ if !speaks || total <= done => Progress::Silent,
            cli::Progress::Auto if !terminal => Progress::Lines(Lines::new(done, total)),
            // A launcher forwards its ranks' output piece by piece, between its own lines.
            _ if launcher::own_claim().is_some() => Progress::Lines(Lines::new(done, total)),
            _ => {
                let target = if terminal {
                    ProgressDrawTarget::stderr_with_hz(REDRAWS)
                } else {
                    ProgressDrawTarget::term_like_with_hz(Box::new(Pipe), REDRAWS)
                };
                let style = ProgressStyle::with_template(
                    "{bar:30} {pos}/{len} iterations, {per_sec}, {eta} left, residual {msg}",
                )
                .expect("the template is valid");
                let bar = ProgressBar::with_draw_target(Some(total), target).with_style(style);
                // The rate is that of this run.
                bar.set_position(done);
                bar.reset_eta();
                Progress::Bar(bar)
            }
        }
    }

    /// An iteration is done.
    pub fn update(&mut self, iteration: u64, residual: f64) {
        match self {
            Progress::Bar(bar) => {
                // The message costs an allocation, so it is updated only occasionally.
                if iteration.is_multiple_of(16) {
                    bar.set_message(format!("{residual:.3e}"));
                }
                bar.set_position(iteration);
            }
            Progress::Lines(lines) => {
                if let Some(line) = lines.line(lines.start.elapsed(), iteration, residual) {
                    complain(format_args!("{line}"));
                }
            }
            Progress::Silent => {}
        }
    }

    /// The number of iterations is now better known.
    pub fn expect(&mut self, total: u64) {
        match self {
            Progress::Bar(bar) => bar.set_length(total),
            Progress::Lines(lines) => lines.total = total,
            Progress::Silent => {}
        }
    }

    /// Prints a line on stdout without tearing the bar.
    pub fn suspend(&self, print: impl FnOnce()) {
        match self {
            Progress::Bar(bar) => bar.suspend(print),
            _ => print(),
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Stderr that is not a terminal itself but leads to one, through a program that forwards control sequences.
#[derive(Debug)]
struct Pipe;

impl Pipe {
    fn put(&self, text: &str) -> io::Result<()> {
        io::stderr().lock().write_all(text.as_bytes())
    }

    fn move_cursor(&self, n: usize, direction: char) -> io::Result<()> {
        if n == 0 { Ok(()) } else { self.put(&format!("\x1b[{n}{direction}")) }
    }
}

impl TermLike for Pipe {
    fn width(&self) -> u16 {
        100
    }
    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'A')
    }
    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'B')
    }
    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'C')
    }
    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.move_cursor(n, 'D')
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.put(&format!("{text}\n"))
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.put(text)
    }
    fn clear_line(&self) -> io::Result<()> {
        self.put("\r\x1b[2K")
    }
    fn flush(&self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gets_a_line_every_few_seconds_with_residual_rate_and_time_left() {
        // Continued after iteration 100; ten iterations per second from there.
        let mut lines = Lines::new(100, 400);
        let mut printed = Vec::new();
        for iteration in 101..=400u64 {
            let elapsed = Duration::from_millis(100 * (iteration - 100));
            printed.extend(lines.line(elapsed, iteration, 1.5e-4));
        }
        assert_eq!(printed.len(), 6, "{printed:#?}");
        assert_eq!(
            printed[0],
            "150/400 iterations (38 %), residual 1.500e-4, 10.000 per second, 5 s so far, about 25 s left"
        );
        assert!(printed[5].ends_with("30 s so far, about 0 s left"), "{printed:#?}");
    }

    #[test]
    fn only_the_rank_that_speaks_shows_progress_and_only_of_iterations_to_come() {
        let silent = |progress: &Progress| matches!(progress, Progress::Silent);
        for when in [cli::Progress::Auto, cli::Progress::Always] {
            assert!(silent(&Progress::new(when, false, 0, 10)));
            assert!(silent(&Progress::new(when, true, 10, 10)));
            assert!(!silent(&Progress::new(when, true, 9, 10)));
        }
        assert!(silent(&Progress::new(cli::Progress::Never, true, 0, 10)));
    }
}
