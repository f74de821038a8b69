//! The provenance of a run: which program, on which machine, when, by which command. It is printed at the start, stored
//! in `summary.json` and the attributes of `solution.h5`, and is not part of any hash or comparison.

use std::time::{Duration, SystemTime};

use cfd_engine::comm::Comm;
use serde::Serialize;

use crate::{commands, machine};

/// The provenance of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// The commit that the program was built from; "unknown" if the build was not told.
    pub commit: &'static str,
    /// The compiler, its target and its optimisation level.
    pub compiler: &'static str,
    /// The MPI library.
    pub mpi: String,
    /// The version of the HDF5 library.
    pub hdf5: String,
    /// The machine of rank 0, and how many others there are.
    pub host: String,
    /// The processor of rank 0.
    pub processor: String,
    /// When the run began, in UTC.
    pub date: String,
    /// The command line of rank 0, without the launcher's part.
    pub command: String,
}

impl Provenance {
    /// The provenance of a run that begins now. Collective; only rank 0 knows the entries about rank 0.
    pub fn of_run(comm: &Comm) -> Provenance {
        Provenance {
            commit: env!("CFD_BUILT_FROM"),
            compiler: env!("CFD_COMPILER"),
            mpi: commands::info::mpi_library(),
            hdf5: cfd_io::hdf5_info(comm).version,
            host: hosts(comm),
            processor: machine::processor(),
            date: utc(SystemTime::now()),
            command: std::env::args_os()
                .map(|word| quoted(&word.to_string_lossy()))
                .collect::<Vec<_>>()
                .join(" "),
        }
    }

    /// Names and texts, in the order of `summary.json`.
    pub fn entries(&self) -> [(&'static str, &str); 8] {
        let Provenance { commit, compiler, mpi, hdf5, host, processor, date, command } = self;
        [
            ("commit", commit),
            ("compiler", compiler),
            ("mpi", mpi),
            ("hdf5", hdf5),
            ("host", host),
            ("processor", processor),
            ("date", date),
            ("command", command),
        ]
    }
}

/// The name of this machine, and how many others the ranks are on.
fn hosts(comm: &Comm) -> String {
    let mut names = comm.all_gather(machine::identity().as_bytes());
    names.sort_unstable();
    names.dedup();
    match names.len() - 1 {
        0 => machine::host(),
        1 => format!("{} and another", machine::host()),
        others => format!("{} and {others} others", machine::host()),
    }
}

/// A word quoted for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A time as `2026-11-25T09:30:00Z`.
fn utc(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let (days, seconds) = (since / 86_400, since % 86_400);
    let (year, month, day) = date(days);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

/// Year, month and day of the Gregorian calendar this many days after 1 January 1970.
fn date(days: u64) -> (u64, u64, u64) {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut left) = (1970 + 400 * (days / 146_097), days % 146_097);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    (year, month, left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let at = |seconds: u64| utc(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_709_251_200), "2024-03-01T00:00:00Z");
        assert_eq!(at(1_795_600_000), "2026-11-25T09:46:40Z");
        assert_eq!(at(4_107_542_399), "2100-02-28T23:59:59Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn a_shell_takes_a_command_for_the_words_that_it_was() {
        assert_eq!(quoted("--set"), "--set");
        assert_eq!(quoted("airfoil.mach=0.4"), "airfoil.mach=0.4");
        assert_eq!(quoted("output.formats=[\"h5\"]"), "'output.formats=[\"h5\"]'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn what_is_listed_is_what_the_summary_has() {
        let provenance = Provenance::of_run(&Comm::single());
        let json = serde_json::to_value(&provenance).unwrap();
        assert_eq!(json.as_object().unwrap().len(), provenance.entries().len());
        for (name, text) in provenance.entries() {
            assert_eq!(json[name], text);
            assert!(!text.is_empty(), "{name}");
        }
    }
}
