//! The final block on the console: residual, figure of merit, time, hash, verdict, files.

use std::fmt::Write;
use std::path::Path;

use super::summary::Summary;
use crate::console::entry;
use crate::history::is_count;
use crate::verify::Expected;

/// Columns of the labels that lines begin with, including the space after them.
const LABEL: usize = 18;

/// What was requested of the run in addition to its iterations.
#[derive(Clone, Debug, PartialEq)]
pub struct Requested {
    /// The tolerance; 0 for none.
    pub tolerance: f64,
    /// The expected hashes.
    pub expected: Option<Expected>,
    /// What else has ended the run before its last iteration.
    pub settled: Option<String>,
}

/// The final block.
pub fn block(summary: &Summary, requested: &Requested, directory: &Path, files: &[String]) -> String {
    let mut block = String::new();
    let mut line = |label: &str, text: String| {
        writeln!(block, "{}", entry(label, LABEL, &text)).expect("writing to a string");
    };
    let iterations = summary.iterations;
    line(
        "residual",
        match summary.residual.last {
            Some(residual) => format!("{residual:.13e} after {iterations} iterations"),
            None => "none: no iteration was requested".into(),
        },
    );
    for (name, value) in &summary.values {
        line(name, if is_count(*value) { format!("{value}") } else { format!("{value:.13e}") });
    }
    let Summary { fom, time, .. } = summary;
    line("figure of merit", format!("{:.3} million {}", fom.value, fom.name));
    line(
        "time",
        format!(
            "{:.2} s: set-up {:.2} s, iterations {:.2} s, output {:.2} s",
            time.total_s, time.setup_s, time.solve_s, time.io_s
        ),
    );
    if let Some(energy) = &summary.energy {
        line("energy", energy.text(time.solve_s));
    }
    if let Some(hash) = summary.hash.get("solution").and_then(|hash| hash.as_str()) {
        line("solution hash", hash.into());
    }
    if let Some(hash) = &summary.mesh_hash {
        line("mesh hash", hash.clone());
    }
    line("verdict", verdict(summary, requested));
    line("files", format!("in {}: {}", directory.display(), files.join(", ")));
    let (pictures, _): (Vec<&String>, _) = files.iter().partition(|file| file.ends_with(".svg"));
    let pictures: Vec<String> =
        pictures.iter().map(|file| directory.join(file).display().to_string()).collect();
    if !pictures.is_empty() {
        line("pictures", pictures.join(", "));
    }
    block.trim_end().to_string()
}

/// How the run ended, in a line.
pub fn verdict(summary: &Summary, requested: &Requested) -> String {
    let iterations = summary.iterations;
    let mut verdict = if summary.converged {
        format!("converged: residual below {:e} after {iterations} iterations", requested.tolerance)
    } else if let Some(settled) = &requested.settled {
        let residual = match requested.tolerance {
            0.0 => String::new(),
            tolerance => format!("; residual not below {tolerance:e}"),
        };
        format!("{settled}, after {iterations} iterations{residual}")
    } else if requested.tolerance > 0.0 {
        format!("NOT converged: residual not below {:e} within {iterations} iterations", requested.tolerance)
    } else {
        format!("completed {iterations} iterations")
    };
    match (summary.verified, &requested.expected) {
        (Some(true), _) => verdict.push_str("; VERIFIED: the solution has the expected hash"),
        (Some(false), Some(expected)) => {
            let solution = expected.solution;
            write!(verdict, "; FAILED: expected hash {solution}").expect("writing to a string");
        }
        _ => {}
    }
    if let Some(reference) = &summary.reference {
        write!(verdict, "; {}", reference.text()).expect("writing to a string");
    }
    verdict
}
