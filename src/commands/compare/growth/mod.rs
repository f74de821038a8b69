//! `cfd compare A B --growth`: how two runs differ from checkpoint to checkpoint.
//!
//! Siklósi, Mudalige and Reguly, "Enabling bitwise reproducibility for the unstructured computational motif", Applied
//! Sciences 14(2):639, 2024, DOI 10.3390/app14020639, Figure 3: runs on two numbers of processes, after 10 and after 100
//! steps. Here the differences of all values are measured at every checkpoint that both runs have.
//!
//! ```text
//! step         the differences of a field after an iteration
//! ```

mod step;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use cfd_engine::given::short;
use cfd_io::{IoError, SolutionFile, write_atomically};
use serde::Serialize;

use self::step::{Step, Sums};
use super::csv::Csv;
use super::solution::{each_piece, names, rows_of_a_piece, same_shape};
use super::unlike;
use crate::checkpoint::{Header, folder, read_header};
use crate::cli::CompareArgs;
use crate::console::{Console, say};
use crate::exit::Error;
use crate::plot::growth::{Curve, Point, svg};

/// The fields of a checkpoint from which the next iteration starts.
const STATE: &str = "state/";
/// Columns of the table.
const HEADING: &str = "iteration,field,values,different,not_finite,largest_absolute,mean_absolute,largest_relative,\
                       mean_relative,largest_scaled";

/// How two runs differ, from checkpoint to checkpoint.
#[derive(Clone, Debug, Serialize)]
pub struct Growth {
    /// The first output directory.
    pub a: String,
    /// The second one.
    pub b: String,
    /// By iteration, then by field.
    pub steps: Vec<Step>,
    /// Iterations after which only one of them has a checkpoint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<u64>,
}

/// Compares all checkpoints that two runs have in common, and writes the differences into `table`.
///
/// # Errors
/// [`Error::Different`] when any bit differs; others when the two cannot be compared.
pub fn compare(args: &CompareArgs, table: &Path) -> Result<(), Error> {
    let console = Console::new(true);
    let growth = Growth::of(&args.a, &args.b)?;
    write_atomically(table, |file| file.write_all(growth.csv().as_bytes()))?;
    if let Some(path) = &args.plot {
        let svg = svg(&format!("{} against {}", growth.a, growth.b), "", &growth.curves());
        write_atomically(path, |file| file.write_all(svg.as_bytes()))?;
    }
    let what = growth.verdict();
    if args.json {
        let text = serde_json::to_string_pretty(&growth).expect("differences have string keys");
        say!(console, "{text}");
    } else {
        let outcome = if what.is_some() { "DIFFERENT" } else { "EQUAL, all bits are the same" };
        say!(console, "A  {}\nB  {}\n\n{}\nverdict: {outcome}", growth.a, growth.b, growth.text());
    }
    match what {
        Some(what) => Err(Error::Different { a: growth.a, b: growth.b, what }),
        None => Ok(()),
    }
}

impl Growth {
    /// Compares the checkpoints of two output directories.
    ///
    /// # Errors
    /// A checkpoint cannot be read; no iteration has one in both; one iteration has several; they are of other cases,
    /// meshes or fields.
    pub fn of(a: &Path, b: &Path) -> Result<Growth, Error> {
        let (in_a, mut in_b) = (checkpoints(a)?, checkpoints(b)?);
        let all = |found: &BTreeMap<u64, PathBuf>| {
            let iterations: Vec<String> = found.keys().map(u64::to_string).collect();
            if iterations.is_empty() { "none".into() } else { short(&iterations.join(", ")).into_owned() }
        };
        let [of_a, of_b] = [&in_a, &in_b].map(all);
        let (mut steps, mut left_out) = (Vec::new(), Vec::new());
        for (iteration, one) in in_a {
            match in_b.remove(&iteration) {
                Some(other) => add(&mut steps, iteration, &one, &other)?,
                None => left_out.push(iteration),
            }
        }
        left_out.extend(in_b.into_keys());
        left_out.sort_unstable();
        if steps.is_empty() {
            let what = format!(
                "they have no checkpoint after the same iteration: those of A are after {of_a}, those of B after \
                 {of_b}; run both with one output.checkpoint_every, and an output.checkpoint_keep that keeps all"
            );
            return Err(unlike(a, b, what));
        }
        let [a, b] = [a, b].map(|path| path.display().to_string());
        Ok(Growth { a, b, steps, left_out })
    }

    /// What differs first, in a few words.
    pub fn verdict(&self) -> Option<String> {
        let Step { iteration, field, values, different, .. } =
            self.steps.iter().find(|step| step.different > 0)?;
        Some(format!("{different} of {values} values of field {} after iteration {iteration}", short(field)))
    }

    /// The table.
    pub fn csv(&self) -> String {
        let row = |step: &Step| {
            let Step { iteration, field, values, different, not_finite, .. } = step;
            let figures = step.figures().map(|figure| format!(",{figure:e}")).concat();
            format!("{iteration},{field},{values},{different},{not_finite}{figures}\n")
        };
        format!("{HEADING}\n{}", self.steps.iter().map(row).collect::<String>())
    }

    /// The table, for people.
    pub fn text(&self) -> String {
        let width = self.steps.iter().map(|step| step.field.chars().count()).max().unwrap_or(0).max(5);
        let mut text = format!(
            "{:>9}  {:<width$}  {:>19}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}\n{:>9}  {:<width$}  {:>19}  {:>8}  {:>8}  \
             {:>8}  {:>8}  {:>8}\n",
            "",
            "",
            "different bits",
            "largest",
            "mean",
            "largest",
            "mean",
            "largest",
            "iteration",
            "field",
            "of all",
            "abs",
            "abs",
            "rel",
            "rel",
            "scaled"
        );
        for step in &self.steps {
            let Step { iteration, field, values, different, .. } = step;
            let share = 100.0 * *different as f64 / (*values).max(1) as f64;
            let figures = step.figures().map(|figure| format!("  {:>8}", number(figure))).concat();
            text += &format!("{iteration:>9}  {field:<width$}  {different:>10} {share:>6.2} %{figures}\n");
        }
        let not_finite: u64 = self.steps.iter().map(|step| step.not_finite).sum();
        if not_finite > 0 {
            text +=
                &format!("not finite: {not_finite} pairs of different bits, in no figure but the first\n");
        }
        if !self.left_out.is_empty() {
            let list: Vec<String> = self.left_out.iter().map(u64::to_string).collect();
            text += &format!("not compared: iterations with one checkpoint, {}\n", short(&list.join(", ")));
        }
        text
    }

    /// A curve for each field.
    pub fn curves(&self) -> Vec<Curve> {
        by_field(&self.steps)
    }
}

/// A figure in a few letters; zero is exact.
fn number(figure: f64) -> String {
    if figure == 0.0 { "0".into() } else { format!("{figure:.1e}") }
}

/// The only checkpoint after each iteration.
fn checkpoints(directory: &Path) -> Result<BTreeMap<u64, PathBuf>, Error> {
    let mut found: BTreeMap<u64, PathBuf> = BTreeMap::new();
    for (iteration, path) in folder::list(directory).map_err(|error| IoError::read(directory, error))? {
        if let Some(other) = found.insert(iteration, path.clone()) {
            let what = format!(
                "there are two checkpoints after iteration {iteration}; compare directories of one run"
            );
            return Err(unlike(&other, &path, what));
        }
    }
    Ok(found)
}

/// Compares two checkpoints field by field.
fn add(steps: &mut Vec<Step>, iteration: u64, a: &Path, b: &Path) -> Result<(), Error> {
    let [of_a, of_b]: [Header; 2] = [read_header(a)?, read_header(b)?];
    for (what, in_a, in_b) in [("case", &of_a.case, &of_b.case), ("mesh", &of_a.mesh_hash, &of_b.mesh_hash)] {
        if in_a != in_b {
            return Err(unlike(
                a,
                b,
                format!("one has the {what} {}, the other {}", short(in_a), short(in_b)),
            ));
        }
    }
    let files = [SolutionFile::open(a)?, SolutionFile::open(b)?];
    let [fields_a, fields_b] = files
        .each_ref()
        .map(|file| file.fields().iter().filter(|field| field.name.starts_with(STATE)).collect::<Vec<_>>());
    if names(&fields_a) != names(&fields_b) {
        return Err(unlike(
            a,
            b,
            "their states have different fields; compare runs with the same keys".into(),
        ));
    }
    for (in_a, in_b) in fields_a.into_iter().zip(fields_b) {
        same_shape(in_a, in_b).map_err(|what| unlike(a, b, what))?;
        let mut sums = Sums::new(in_a.dim);
        each_piece(&files, (in_a, in_b), rows_of_a_piece(in_a), |_, a, b| sums.add(a, b))?;
        steps.push(sums.step(iteration, &in_a.name[STATE.len()..]));
    }
    Ok(())
}

/// A curve for each field, in the order of their first steps.
fn by_field(steps: &[Step]) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for step in steps {
        let point = Point::of(step.iteration, step.largest_scaled, step.different, step.values);
        match curves.iter_mut().find(|curve| curve.label == step.field) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { label: step.field.clone(), points: vec![point] }),
        }
    }
    curves
}

/// The curves of a table of differences: one for each field, or with a `label` one for all of them, with the largest of
/// the fields' differences.
///
/// # Errors
/// The table is damaged.
pub fn read(path: &Path, label: Option<&str>) -> Result<Vec<Curve>, IoError> {
    let mut csv = Csv::open(path)?;
    let mut steps = Vec::new();
    while let Some(row) = csv.next_row()? {
        let whole = |column| row.parse::<u64>(column, "a whole number");
        let figure = |column| row.parse::<f64>(column, "a number");
        steps.push(Step {
            iteration: whole(0)?,
            field: row.text(1).into(),
            values: whole(2)?,
            different: whole(3)?,
            not_finite: whole(4)?,
            largest_absolute: figure(5)?,
            mean_absolute: figure(6)?,
            largest_relative: figure(7)?,
            mean_relative: figure(8)?,
            largest_scaled: figure(9)?,
        });
    }
    let Some(label) = label else { return Ok(by_field(&steps)) };
    let mut points: BTreeMap<u64, (f64, u64, u64)> = BTreeMap::new();
    for step in &steps {
        let (largest, different, values) = points.entry(step.iteration).or_default();
        *largest = largest.max(step.largest_scaled);
        *different += step.different;
        *values += step.values;
    }
    let point = |(iteration, (largest, different, values))| Point::of(iteration, largest, different, values);
    Ok(vec![Curve { label: label.into(), points: points.into_iter().map(point).collect() }])
}

/// Whether a file is such a table.
///
/// # Errors
/// It cannot be read.
pub fn is_table(path: &Path) -> Result<bool, IoError> {
    Ok(Csv::open(path)?.heading().join(",") == HEADING)
}

#[cfg(test)]
mod tests;
