//! What the user sees on stdout, printed by rank 0.

use std::fmt::Arguments;
use std::io::{self, Write};
use std::sync::OnceLock;

use cfd_engine::given::{short_name, visible, visible_lines};

use crate::exit::Error;

/// Why something could not be printed on stdout, the first time.
static LOST: OnceLock<String> = OnceLock::new();

/// Prints a line on stderr. A failure to write, such as a full disk, does not change the exit code.
///
/// A single write keeps lines of several processes from mixing. Whatever text of the user's a message repeats, it does
/// not fill or control the terminal.
pub fn complain(line: Arguments<'_>) {
    let _ = std::io::stderr().lock().write_all(format!("{}\n", visible_lines(&line.to_string())).as_bytes());
}

/// Maximum columns of lines on stdout, as far as their words allow.
pub const COLUMNS: usize = 120;
/// Columns of the labels of a run's first lines, including the space after them.
const LABEL: usize = 13;

/// A label and its text, from column `indent` on: wrapped if it would exceed [`COLUMNS`]. Words are not broken.
pub fn entry(label: &str, indent: usize, text: &str) -> String {
    let mut lines = vec![format!("{label:<0$}", indent - 1)];
    for word in text.split(' ').map(short_name) {
        let last = lines.last_mut().expect("there is one");
        let (used, added) = (last.chars().count(), 1 + word.chars().count());
        if used + added > COLUMNS && used >= indent {
            lines.push(format!("{:<1$}{word}", "", indent));
        } else {
            last.push(' ');
            last.push_str(&word);
        }
    }
    lines.join("\n")
}

/// Stdout of the printing rank; silent on the others.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    speaks: bool,
}

impl Console {
    /// A console that prints on one rank.
    pub fn new(speaks: bool) -> Console {
        Console { speaks }
    }

    /// Prints a label and its text, wrapped if it would be too long.
    pub fn entry(&self, label: &str, text: &str) {
        self.say(format_args!("{}", entry(label, LABEL, text)));
    }

    /// Prints a line. A failure to print does not stop a run, whose files are still wanted; [`delivered`] reports it.
    pub fn say(&self, line: Arguments<'_>) {
        if self.speaks {
            let mut out = io::stdout().lock();
            let text = format!("{line}\n");
            note(out.write_all(visible(&text).as_bytes()).and_then(|()| out.flush()));
        }
    }

    /// Prints a warning on stderr.
    pub fn warn(&self, warning: Arguments<'_>) {
        if self.speaks {
            complain(format_args!("warning: {warning}"));
        }
    }
}

/// Records that something could not be printed. A closed pipe (`cfd ... | head`) is not a failure.
pub fn note(printed: io::Result<()>) {
    if let Err(error) = printed
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        LOST.get_or_init(|| error.to_string());
    }
}

/// An error if something was not printed, for commands whose purpose is to print.
pub fn delivered() -> Result<(), Error> {
    LOST.get().map_or(Ok(()), |reason| Err(Error::Stdout { reason: reason.clone() }))
}

/// Prints a line on a [`Console`], formatted as by `println!`.
macro_rules! say {
    ($console:expr) => { $console.say(format_args!("")) };
    ($console:expr, $($line:tt)*) => { $console.say(format_args!($($line)*)) };
}
pub(crate) use say;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_for_a_line_goes_on_below_its_beginning() {
        assert_eq!(entry("mesh", 13, "45,000 cells"), "mesh         45,000 cells");
        let words = "promise ".repeat(39);
        let text = entry("guarantee", 13, words.trim());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(
            lines.iter().all(|line| line.len() <= COLUMNS && line[13..].starts_with("promise")),
            "{text}"
        );
        assert_eq!(text.matches("promise").count(), 39);
        let path = "p/".repeat(80);
        let text = entry("files", 13, &format!("in {path}: a, b"));
        assert_eq!(text.lines().nth(1).unwrap().trim(), format!("{path}:"), "words stay whole");
    }
}
