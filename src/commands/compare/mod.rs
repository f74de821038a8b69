//! `cfd compare`: in which bits two results differ, and by how much.
//!
//! ```text
//! solution     two solution.h5, streamed
//!   field      the figures of one field
//!   meshes     what one has at the nodes of the other
//!   distance   relative difference, units in the last place, tolerances
//!   norm       norms of the difference
//!   histogram  values by decade of their relative difference
//! trace        two trace.csv: the first loop that differs
//! history      two history.csv
//! summary      two summary.json
//! growth       the checkpoints of two runs, iteration by iteration
//! csv          rows of a CSV file
//! page         the comparison as an HTML page
//! ```
//!
//! Every difference has the same three methods: `equal`, `verdict` (what differs, in a few words) and `text`.

pub mod csv;
pub mod distance;
pub mod field;
pub mod growth;
pub mod histogram;
pub mod history;
mod meshes;
pub mod norm;
mod page;
pub mod solution;
pub mod summary;
pub mod trace;

use std::io::{Read, Write};
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given;
use cfd_io::{IoError, write_atomically};
use serde::Serialize;

use self::distance::Tolerance;
use self::history::HistoryDifference;
use self::solution::SolutionDifference;
use self::summary::SummaryDifference;
use self::trace::TraceDifference;
use crate::cli::CompareArgs;
use crate::console::{Console, say};
use crate::exit::Error;
use crate::plot::difference::{Series, svg};

/// Options of the comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompareOptions<'a> {
    /// Fields derived from others count, too.
    pub derived: bool,
    /// Names of fields in one file, and in the other; unless empty, only fields in both files count.
    pub map: &'a [(String, String)],
    /// Solutions are on two meshes: B's is interpolated at the nodes of A.
    pub interpolate: bool,
    /// What counts as a difference; `None`: any bit.
    pub tolerance: Option<Tolerance>,
}

/// The parts compared; a pair of directories has several.
#[derive(Clone, Debug, Default, Serialize)]
struct Comparison {
    /// The first file or directory.
    a: String,
    /// The second one.
    b: String,
    /// Whether all bits are equal; for directories compared within a tolerance, all bits of the fields.
    equal: bool,
    /// The tolerance, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerance: Option<Tolerance>,
    /// Whether no difference is larger than the tolerance.
    #[serde(skip_serializing_if = "Option::is_none")]
    within_tolerance: Option<bool>,
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
    if let Some(table) = &args.growth {
        return growth::compare(args, table);
    }
    let console = Console::new(true);
    let tolerance = (args.rtol.is_some() || args.atol.is_some())
        .then(|| Tolerance { rtol: args.rtol.unwrap_or(0.0), atol: args.atol.unwrap_or(0.0) });
    let (derived, map, interpolate) = (args.derived, &args.map, args.interpolate);
    let options = CompareOptions { derived, map, interpolate, tolerance };
    let comparison = Comparison::of(&args.a, &args.b, options)?;
    match &comparison.solution {
        Some(solution) => {
            if let Some(path) = &args.plot {
                write_atomically(path, |file| file.write_all(picture(&comparison, solution).as_bytes()))?;
            }
        }
        None => {
            for (option, is_given) in [
                ("--plot", args.plot.is_some()),
                ("--map", !args.map.is_empty()),
                ("--interpolate", args.interpolate),
            ] {
                if is_given {
                    let reason = "what is compared has no solution, and so no fields".into();
                    return Err(Error::Argument { argument: option.into(), reason });
                }
            }
        }
    }
    if let Some(path) = &args.report {
        write_atomically(path, |file| file.write_all(page::html(&comparison).as_bytes()))?;
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
    fn of(a: &Path, b: &Path, options: CompareOptions<'_>) -> Result<Comparison, Error> {
        let (kind_a, kind_b) = (Kind::of(a)?, Kind::of(b)?);
        if kind_a != kind_b {
            return Err(unlike(a, b, format!("{} and {}", kind_a.name(), kind_b.name())));
        }
        let [name_a, name_b] = [a, b].map(|path| path.display().to_string());
        let tolerance = options.tolerance;
        let mut comparison = Comparison { a: name_a, b: name_b, tolerance, ..Comparison::default() };
        if tolerance.is_some() && matches!(kind_a, Kind::Trace | Kind::Summary) {
            let reason =
                format!("{} has hashes, which are equal or not; compare without a tolerance", kind_a.name());
            return Err(Error::Argument { argument: "--rtol, --atol".into(), reason });
        }
        match kind_a {
            Kind::Solution => comparison.solution = Some(solution::compare(a, b, options)?),
            Kind::Trace => comparison.trace = Some(trace::compare(a, b)?),
            Kind::History => comparison.history = Some(history::compare(a, b, tolerance)?),
            Kind::Summary => comparison.summary = Some(summary::compare(a, b)?),
            Kind::Directory => {
                let both = |name: &str| (a.join(name), b.join(name));
                comparison.solution = Some(solutions(a, b, options)?);
                // Runs on two meshes have other histories and traces.
                let is_there = |path: &Path| !options.interpolate && path.exists();
                // A user's own application need not write one.
                let (history_a, history_b) = both("history.csv");
                if is_there(&history_a) || is_there(&history_b) {
                    comparison.history = Some(history::compare(&history_a, &history_b, tolerance)?);
                }
                // Only runs asked to write a trace have one.
                let (trace_a, trace_b) = both("trace.csv");
                if is_there(&trace_a) && is_there(&trace_b) {
                    comparison.trace = Some(trace::compare(&trace_a, &trace_b)?);
                }
            }
        }
        let fields_equal = comparison.solution.as_ref().is_none_or(SolutionDifference::equal);
        comparison.within_tolerance = tolerance.map(|_| comparison.verdict().is_none());
        comparison.equal = comparison.verdict().is_none() && fields_equal;
        Ok(comparison)
    }

    /// What differs, in a few words; a trace, which names the loop, comes first. With a tolerance, the fields decide if
    /// there are any: runs may differ on the way there.
    fn verdict(&self) -> Option<String> {
        if let (Some(_), Some(solution)) = (self.tolerance, &self.solution) {
            return solution.verdict();
        }
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
        format!("{}\nverdict: {}", parts.join("\n"), self.outcome())
    }

    /// The outcome in a line.
    fn outcome(&self) -> String {
        let tolerance =
            self.tolerance.map(|t| format!("a tolerance of rtol {:e}, atol {:e}", t.rtol, t.atol));
        match (self.equal, self.within_tolerance, tolerance) {
            (true, None, _) => "EQUAL, all bits are the same".into(),
            (true, Some(_), _) if self.solution.is_some() => {
                "EQUAL, all bits of the fields are the same".into()
            }
            (_, Some(true), Some(tolerance)) => format!("EQUAL within {tolerance}"),
            (_, Some(false), Some(tolerance)) => format!("DIFFERENT by more than {tolerance}"),
            _ => "DIFFERENT".into(),
        }
    }
}

/// The solutions of two directories: `solution.h5`; if neither has one, the HDF5 files that both have, as users' own
/// applications write them.
fn solutions(a: &Path, b: &Path, options: CompareOptions<'_>) -> Result<SolutionDifference, Error> {
    let (solution_a, solution_b) = (a.join("solution.h5"), b.join("solution.h5"));
    let names_a = files(a)?;
    if solution_a.exists() || solution_b.exists() || names_a.is_empty() {
        return solution::compare(&solution_a, &solution_b, options);
    }
    let names_b = files(b)?;
    let mut all = SolutionDifference::default();
    for name in names_a.iter().filter(|name| names_b.contains(name)) {
        let (of_a, of_b) = (a.join(name), b.join(name));
        match cfd_io::SolutionFile::open(&of_a).and_then(|_| cfd_io::SolutionFile::open(&of_b)) {
            Ok(_) => all.add(name, solution::compare(&of_a, &of_b, options)?),
            // The mesh that a solver read may be there, too.
            Err(error) => all.left_out.push(error.to_string()),
        }
    }
    if all.fields.is_empty() {
        let why = all.left_out.iter().map(|error| format!("; {error}")).collect::<String>();
        let what = format!("their HDF5 files are {} and {}{why}", names_a.join(", "), names_b.join(", "));
        return Err(unlike(a, b, what));
    }
    let only = |names: &[String], others: &[String], side: &str| -> Vec<String> {
        let single = names.iter().filter(|name| !others.contains(name));
        single.map(|name| format!("{name} (only in {side})")).collect()
    };
    all.left_out.extend(only(&names_a, &names_b, "A"));
    all.left_out.extend(only(&names_b, &names_a, "B"));
    Ok(all)
}

/// Names of a directory's HDF5 files other than checkpoints, in order.
fn files(directory: &Path) -> Result<Vec<String>, Error> {
    let entries = std::fs::read_dir(directory).map_err(|error| IoError::read(directory, error))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let is_ours = |name: &String| {
        (name.ends_with(".h5") || name.ends_with(".hdf5"))
            && !name.starts_with("checkpoint-")
            && !name.starts_with('.')
    };
    let mut names: Vec<String> = names.filter(is_ours).collect();
    names.sort();
    Ok(names)
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
    /// Detected from the content.
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
            Err(IoError::file(path, format!("this cannot be compared; expected {EXPECTED}")))
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

/// Refuses to call two empty things equal.
fn empty(path: &Path) -> Error {
    let what = "there is nothing to compare: it has no rows".into();
    IoError::File { path: path.display().to_string(), what }.into()
}
