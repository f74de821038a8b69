//! Progress on stderr: a bar on a terminal, one line every few seconds in a log.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use crate::cli;

/// Time between lines in a log.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Redraws of the bar in a second.
const REDRAWS: u8 = 8;

/// Progress of a run towards its last iteration.
#[derive(Debug)]
pub enum Progress {
    /// A bar.
    Bar(ProgressBar),
    /// Lines.
    Lines {
        /// When the run began.
        start: Instant,
        /// When the next line is due, since the start.
        next: Duration,
        /// Iterations done before this run.
        done: u64,
        /// The last iteration.
        total: u64,
    },
    /// Nothing.
    Silent,
}

impl Progress {
    /// Progress as asked for, after `done` iterations of a run that this one continues; silent on ranks that do not
    /// speak.
    pub fn new(when: cli::Progress, speaks: bool, done: u64, total: u64) -> Progress {
        let terminal = io::stderr().is_terminal();
        match when {
            cli::Progress::Never => Progress::Silent,
            _ if !speaks || total <= done => Progress::Silent,
            cli::Progress::Auto if !terminal => {
                Progress::Lines { start: Instant::now(), next: LINE_EVERY, done, total }
            }
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
                // The message costs an allocation: only now and then.
                if iteration.is_multiple_of(16) {
                    bar.set_message(format!("{residual:.3e}"));
                }
                bar.set_position(iteration);
            }
            Progress::Lines { start, next, done, total } => {
                let elapsed = start.elapsed();
                if elapsed >= *next {
                    *next = elapsed + LINE_EVERY;
                    let left = elapsed.as_secs_f64() / (iteration - *done) as f64
                        * total.saturating_sub(iteration) as f64;
                    let share = 100.0 * iteration as f64 / *total as f64;
                    let _ = writeln!(
                        io::stderr().lock(),
                        "{iteration}/{total} iterations ({share:.0} %), residual {residual:.3e}, {:.0} s so far, about {left:.0} s left",
                        elapsed.as_secs_f64()
                    );
                }
            }
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

/// Stderr that is not a terminal itself but leads to one, as under mpirun, which passes control sequences on.
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
