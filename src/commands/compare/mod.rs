//! `cfd compare`: in which bits two results differ, and by how much.
//!
//! ```text
//! solution     two solution.h5, streamed
//!   field      the figures of one field
//!   distance   relative difference, steps between doubles
//!   histogram  values by decade of their relative difference
//! trace        two trace.csv: the first loop that differs
//! history      two history.csv
//! summary      two summary.json
//! csv          rows of a CSV file
//! ```
//!
//! Every difference has the same three methods: `equal`, `verdict` (what differs, in a few words) and `text`.

pub mod csv;
pub mod distance;
pub mod field;
pub mod histogram;
pub mod history;
pub mod solution;
pub mod summary;
pub mod trace;

use std::io::{Read, Write};
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given;
use cfd_io::{IoError, write_atomically};
use serde::Serialize;

use self::history::HistoryDifference;
use self::solution::SolutionDifference;
use self::summary::SummaryDifference;
use self::trace::TraceDifference;
use crate::cli::CompareArgs;
use crate::console::{Console, say};
use crate::exit::Error;
use crate::plot::difference::{Series, svg};

/// What has been compared; a pair of directories has several parts.
#[derive(Clone, Debug, Default, Serialize)]
struct Comparison {
    /// The first file or directory.
    a: String,
    /// The second one.
    b: String,
    /// Whether all bits are equal.
    equal: bool,
    /// Fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<SolutionDifference>,
    /// Residuals and reported values.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<HistoryDifference>,
    /// Hashes after every loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceDifference>,
    /// Hashes of whole runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<SummaryDifference>,
}

/// Compares two files of one kind, or two output directories. Collective; rank 0 does the work.
///
/// # Errors
/// [`Error::Different`] when any bit differs; others when the two cannot be compared.
pub fn compare(comm: &Comm, args: &CompareArgs) -> Result<(), Error> {
    comm.agree(if comm.is_root() { compare_alone(args) } else { Ok(()) })
}

fn compare_alone(args: &CompareArgs) -> Result<(), Error> {
    let console = Console::new(true);
    let comparison = Comparison::of(&args.a, &args.b)?;
    match &comparison.solution {
        Some(solution) => {
            if let Some(path) = &args.plot {
                write_atomically(path, |file| file.write_all(picture(&comparison, solution).as_bytes()))?;
            }
        }
        None if args.plot.is_some() => {
            let reason = "there is no solution in what is compared, and so nothing to draw".into();
            return Err(Error::Argument { argument: "--plot".into(), reason });
        }
        None => {}
    }
    if args.json {
        let text = serde_json::to_string_pretty(&comparison).expect("comparisons have string keys");
        say!(console, "{text}");
    } else {
        say!(console, "A  {}\nB  {}\n", comparison.a, comparison.b);
        say!(console, "{}", comparison.text());
    }
    match comparison.verdict() {
        Some(what) => Err(Error::Different { a: comparison.a, b: comparison.b, what }),
        None => Ok(()),
    }
}

impl Comparison {
    fn of(a: &Path, b: &Path) -> Result<Comparison, Error> {
        let (kind_a, kind_b) = (Kind::of(a)?, Kind::of(b)?);
        if kind_a != kind_b {
            return Err(unlike(a, b, format!("{} and {}", kind_a.name(), kind_b.name())));
        }
        let [name_a, name_b] = [a, b].map(|path| path.display().to_string());
        let mut comparison = Comparison { a: name_a, b: name_b, ..Comparison::default() };
        match kind_a {
            Kind::Solution => comparison.solution = Some(solution::compare(a, b)?),
            Kind::Trace => comparison.trace = Some(trace::compare(a, b)?),
            Kind::History => comparison.history = Some(history::compare(a, b)?),
            Kind::Summary => comparison.summary = Some(summary::compare(a, b)?),
            Kind::Directory => {
                let both = |name: &str| (a.join(name), b.join(name));
                let (solution_a, solution_b) = both("solution.h5");
                comparison.solution = Some(solution::compare(&solution_a, &solution_b)?);
                let (history_a, history_b) = both("history.csv");
                comparison.history = Some(history::compare(&history_a, &history_b)?);
                // Only runs that were asked to write one have a trace.
                let (trace_a, trace_b) = both("trace.csv");
                if trace_a.exists() && trace_b.exists() {
                    comparison.trace = Some(trace::compare(&trace_a, &trace_b)?);
                }
            }
        }
        comparison.equal = comparison.verdict().is_none();
        Ok(comparison)
    }

    /// What differs, in a few words; a trace, which names the loop, comes first.
    fn verdict(&self) -> Option<String> {
        let trace = self.trace.as_ref().and_then(TraceDifference::verdict);
        let solution = self.solution.as_ref().and_then(SolutionDifference::verdict);
        let history = self.history.as_ref().and_then(HistoryDifference::verdict);
        let summary = self.summary.as_ref().and_then(SummaryDifference::verdict);
        let parts: Vec<String> = [trace, solution, history, summary].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn text(&self) -> String {
        let solution = self.solution.as_ref().map(SolutionDifference::text);
        let history = self.history.as_ref().map(HistoryDifference::text);
        let trace = self.trace.as_ref().map(TraceDifference::text);
        let summary = self.summary.as_ref().map(SummaryDifference::text);
        let parts: Vec<String> = [solution, history, trace, summary].into_iter().flatten().collect();
        let verdict = if self.equal { "verdict: EQUAL, all bits are the same" } else { "verdict: DIFFERENT" };
        format!("{}\n{verdict}", parts.join("\n"))
    }
}

/// The histograms of all fields, as SVG.
fn picture(comparison: &Comparison, solution: &SolutionDifference) -> String {
    let series: Vec<Series> = solution
        .fields
        .iter()
        .map(|field| Series {
            name: field.name.clone(),
            values: field.values,
            equal_bits: field.equal_bits,
            bars: field.histogram.bars().collect(),
        })
        .collect();
    svg(&format!("{} against {}", comparison.a, comparison.b), &series)
}

/// What can be compared, in words.
const EXPECTED: &str = "solution.h5, trace.csv, history.csv, summary.json, or an output directory";

/// What can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Directory,
    Solution,
    Trace,
    History,
    Summary,
}

impl Kind {
    /// Found from the content.
    fn of(path: &Path) -> Result<Kind, IoError> {
        let unreadable = |error: std::io::Error| IoError::read(path, error);
        if std::fs::metadata(path).map_err(unreadable)?.is_dir() {
            return Ok(Kind::Directory);
        }
        let mut start = Vec::new();
        let file = given::open(path, EXPECTED).map_err(unreadable)?;
        file.take(256).read_to_end(&mut start).map_err(unreadable)?;
        let begins = |text: String| start.starts_with(text.as_bytes());
        if start.starts_with(b"\x89HDF\r\n\x1a\n") {
            Ok(Kind::Solution)
        } else if begins(trace::HEADING.join(",")) {
            Ok(Kind::Trace)
        } else if begins(history::HEADING.join(",")) {
            Ok(Kind::History)
        } else if start.trim_ascii_start().starts_with(b"{") {
            Ok(Kind::Summary)
        } else {
            Err(IoError::file(path, format!("this is nothing that can be compared; expected {EXPECTED}")))
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Directory => "an output directory",
            Kind::Solution => "a solution",
            Kind::Trace => "a trace",
            Kind::History => "a history",
            Kind::Summary => "a summary",
        }
    }
}

/// The refusal to compare two things.
fn unlike(a: &Path, b: &Path, what: String) -> Error {
    Error::Argument {
        argument: format!("{} and {}", a.display(), b.display()),
        reason: format!("they cannot be compared: {what}"),
    }
}

/// The refusal to call nothing equal.
fn empty(path: &Path) -> Error {
    let what = "there is nothing to compare: it has no rows".into();
    IoError::File { path: path.display().to_string(), what }.into()
}
