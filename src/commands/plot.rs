//! `cfd plot`: the residuals of several runs in one picture; or their scaling; or how pairs of runs differ.

use std::io::Write;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_io::{IoError, write_atomically};

use super::compare::csv::Csv;
use super::compare::growth;
use crate::cli::PlotArgs;
use crate::exit::Error;
use crate::plot;
use crate::plot::convergence::{Curve, curves};

/// The column that makes runs of different methods comparable.
const WORK: &str = "work";
/// The column that every history has.
const ITERATION: &str = "iteration";

/// Draws histories, the scaling of runs, or tables of differences. Collective; rank 0 does the work.
///
/// # Errors
/// A history or table is missing, damaged, or lacks a column; the numbers of names and files differ; or only some files
/// are tables of differences.
pub fn plot(comm: &Comm, args: &PlotArgs) -> Result<(), Error> {
    comm.agree(if comm.is_root() { plot_alone(args) } else { Ok(()) })
}

fn plot_alone(args: &PlotArgs) -> Result<(), Error> {
    if let Some(table) = &args.scaling {
        return super::scaling::plot(args, table);
    }
    let files: Vec<PathBuf> = args.histories.iter().map(|path| file(path)).collect();
    if !args.labels.is_empty() && args.labels.len() != files.len() {
        let reason = format!("{} names for {} files; give each one a name", args.labels.len(), files.len());
        return Err(Error::Argument { argument: "--labels".into(), reason });
    }
    let tables = files.iter().map(|file| growth::is_table(file)).collect::<Result<Vec<_>, _>>()?;
    if let Some(table) = tables.iter().position(|is_table| *is_table) {
        return match tables.iter().position(|is_table| !is_table) {
            None => plot_growth(args, &files),
            Some(other) => Err(Error::Argument {
                argument: format!("{} and {}", files[table].display(), files[other].display()),
                reason: "one is a table of differences, the other is not; draw them separately".into(),
            }),
        };
    }
    let over = match &args.over {
        Some(column) => column.clone(),
        None => {
            let have_work = files.iter().map(|file| has(file, WORK)).collect::<Result<Vec<_>, _>>()?;
            if have_work.into_iter().all(|has| has) { WORK.into() } else { ITERATION.to_string() }
        }
    };
    let mut drawn = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let label = args.labels.get(at).cloned().unwrap_or_else(|| args.histories[at].display().to_string());
        drawn.push(Curve { label, points: points(file, &over)? });
    }
    let spent = match over.as_str() {
        WORK => "work: evaluations of the finest level's residual",
        other => other,
    };
    let svg = curves(args.title.as_deref().unwrap_or("convergence"), "", spent, &drawn);
    Ok(write_atomically(&args.output, |file| file.write_all(svg.as_bytes()))?)
}

/// Draws tables of differences: the fields of one, or several, each with its largest differences.
fn plot_growth(args: &PlotArgs, files: &[PathBuf]) -> Result<(), Error> {
    if args.over.is_some() {
        let reason = "differences are drawn over iterations; leave it out".into();
        return Err(Error::Argument { argument: "--over".into(), reason });
    }
    let mut drawn = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let label = args.labels.get(at).cloned().unwrap_or_else(|| file.display().to_string());
        let is_alone = files.len() == 1 && args.labels.is_empty();
        drawn.extend(growth::read(file, Some(label.as_str()).filter(|_| !is_alone))?);
    }
    let svg = plot::growth::svg(args.title.as_deref().unwrap_or("differences"), "", &drawn);
    Ok(write_atomically(&args.output, |file| file.write_all(svg.as_bytes()))?)
}

/// The history that a path names.
fn file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("history.csv") } else { path.into() }
}

fn has(file: &Path, column: &str) -> Result<bool, IoError> {
    Ok(Csv::open(file)?.heading().iter().any(|name| name == column))
}

/// The values of a column and the residuals.
fn points(file: &Path, over: &str) -> Result<Vec<(f64, f64)>, IoError> {
    let mut csv = Csv::open(file)?;
    let column = |name: &str| {
        let found = csv.heading().iter().position(|column| column == name);
        let columns = csv.heading().join(",");
        let missing = || IoError::File {
            path: file.display().to_string(),
            what: format!("there is no column \"{}\"; the columns are {}", short(name), short(&columns)),
        };
        found.ok_or_else(missing)
    };
    let (x, y) = (column(over)?, column("residual")?);
    let mut points = Vec::new();
    while let Some(row) = csv.next_row()? {
        // Values not reported in a row are empty.
        if !row.text(x).is_empty() {
            points.push((row.parse(x, "a number")?, row.parse(y, "a number")?));
        }
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(histories: &[&str], over: Option<&str>, labels: &[&str]) -> Result<String, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: String| folder.path().join(name);
        let histories = (0..).zip(histories).map(|(at, text)| {
            let directory = path(format!("run{at}"));
            std::fs::create_dir(&directory).unwrap();
            std::fs::write(directory.join("history.csv"), text).unwrap();
            directory
        });
        let args = PlotArgs {
            histories: histories.collect(),
            over: over.map(String::from),
            labels: labels.iter().map(|label| label.to_string()).collect(),
            title: Some("t".into()),
            scaling: None,
            loops: None,
            output: path("a.svg".into()),
        };
        plot(&Comm::single(), &args)?;
        Ok(std::fs::read_to_string(&args.output).unwrap())
    }

    const MULTIGRID: &str = "iteration,residual,work,time_s\n1,1e-1,1e0,0.1\n2,1e-3,8e0,0.2\n";
    const PLAIN: &str = "iteration,residual,time_s\n1,1e-1,0.1\n2,5e-2,0.2\n";

    #[test]
    fn histories_are_drawn_over_work_where_all_have_it() {
        let svg = drawn(&[MULTIGRID, MULTIGRID], None, &["one", "two"]).unwrap();
        assert!(svg.contains("work: evaluations") && svg.contains("one") && svg.contains("two"));
        let svg = drawn(&[MULTIGRID, PLAIN], None, &[]).unwrap();
        assert!(svg.contains("iteration") && svg.contains("run1"));
    }

    #[test]
    fn missing_columns_files_and_names_are_refused() {
        let message = |result: Result<String, Error>| result.unwrap_err().to_string();
        assert!(message(drawn(&[PLAIN], Some("work"), &[])).contains("no column \"work\""));
        assert!(message(drawn(&[PLAIN], None, &["a", "b"])).contains("2 names for 1 files"));
        assert!(message(drawn(&["iteration,residual\n1,x\n"], None, &[])).contains("\"x\" is not a number"));
    }
}
