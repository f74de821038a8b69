//! What the user sees on stdout: rank 0 speaks.

use std::fmt::Arguments;
use std::io::{self, Write};
use std::sync::OnceLock;

use crate::exit::Error;

/// Why something could not be printed on stdout, the first time.
static LOST: OnceLock<String> = OnceLock::new();

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

    /// Prints a line. What cannot be printed does not stop a run, whose files are still wanted; [`delivered`] tells.
    pub fn say(&self, line: Arguments<'_>) {
        if self.speaks {
            let mut out = io::stdout().lock();
            note(writeln!(out, "{line}").and_then(|()| out.flush()));
        }
    }

    /// Prints a warning on stderr.
    pub fn warn(&self, warning: Arguments<'_>) {
        if self.speaks {
            let _ = writeln!(std::io::stderr().lock(), "warning: {warning}");
        }
    }
}

/// Remembers that something could not be printed. Who closes the pipe (`cfd ... | head`) has what they want.
pub fn note(printed: io::Result<()>) {
    if let Err(error) = printed
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        LOST.get_or_init(|| error.to_string());
    }
}

/// An error when something was not printed, for commands that are there for what they print.
pub fn delivered() -> Result<(), Error> {
    LOST.get().map_or(Ok(()), |reason| Err(Error::Stdout { reason: reason.clone() }))
}

/// Prints a line on a [`Console`], formatted as by `println!`.
macro_rules! say {
    ($console:expr) => { $console.say(format_args!("")) };
    ($console:expr, $($line:tt)*) => { $console.say(format_args!($($line)*)) };
}
pub(crate) use say;
