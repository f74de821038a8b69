//! What the user sees on stdout: rank 0 speaks.

use std::fmt::Arguments;
use std::io::Write;

/// Prints a line on stderr. One that cannot be written, because a log's disk is full, changes no exit code.
pub fn complain(line: Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Stdout of the rank that speaks; silent on the others.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    speaks: bool,
}

impl Console {
    /// A console that prints on the rank that speaks.
    pub fn new(speaks: bool) -> Console {
        Console { speaks }
    }

    /// Prints a line. A closed pipe (`cfd ... | head`) does not stop a run: its files are still wanted.
    pub fn say(&self, line: Arguments<'_>) {
        if self.speaks {
            let mut out = std::io::stdout().lock();
            let _ = writeln!(out, "{line}").and_then(|()| out.flush());
        }
    }

    /// Prints a warning on stderr.
    pub fn warn(&self, warning: Arguments<'_>) {
        if self.speaks {
            let _ = writeln!(std::io::stderr().lock(), "warning: {warning}");
        }
    }
}

/// Prints a line on a [`Console`], formatted as by `println!`.
macro_rules! say {
    ($console:expr) => { $console.say(format_args!("")) };
    ($console:expr, $($line:tt)*) => { $console.say(format_args!($($line)*)) };
}
pub(crate) use say;
