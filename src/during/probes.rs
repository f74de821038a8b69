//! `probes.csv`: the values of the elements nearest to chosen points, after every iteration that has a row in the history.
//!
//! An element stays the same as long as the mesh does, even if its nodes move; on a new mesh it is searched for again.
//! There is one for every set with positions (cells, nodes) whose fields are written. A run that continues another
//! keeps the rows of that run's file up to the checkpoint, so the file matches that of an uninterrupted run.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_mesh::Derived;
use cfd_solvers::{Field, Solver};

use super::nearest::{Middles, middles};
use super::series::Series;
use crate::checkpoint::restart::Restart;
use crate::console::Console;
use crate::exit::Error;
use crate::grid::fields;
use crate::history::History;

/// The file.
pub const FILE: &str = "probes.csv";
/// Names of the coordinates.
const AXES: [&str; 3] = ["x", "y", "z"];

/// The points of a run, and the sources of their values.
pub struct Probes {
    points: Vec<Vec<f64>>,
    derived: &'static Derived,
    places: Vec<ProbedElements>,
    /// The first line of the file.
    heading: String,
    /// Rank 0 has it.
    series: Option<Series>,
}

/// The elements of a set that are nearest to the points.
struct ProbedElements {
    middles: Middles,
    elements: Vec<u64>,
    /// Their rows, where this rank owns them.
    rows: Vec<Option<usize>>,
}

impl ProbedElements {
    /// For each of its columns, whether it is the element's id rather than a field's value.
    fn columns(&self, fields: &[Field]) -> impl Iterator<Item = bool> {
        let of_set = fields.iter().filter(|field| field.dat.set() == self.middles.set);
        let values = of_set.map(|field| field.dat.dim()).sum();
        [true].into_iter().chain(std::iter::repeat_n(false, values))
    }
}

impl Probes {
    /// Finds the nearest elements. Collective.
    ///
    /// # Errors
    /// A point does not have as many coordinates as the mesh.
    pub fn new(
        comm: &Comm,
        points: &[Vec<f64>],
        derived: &'static Derived,
        domain: &mut Domain,
        solver: &dyn Solver,
    ) -> Result<Probes, Error> {
        let dim = domain.any_dat(derived.cells.coordinates)?.dim();
        if let Some(at) = points.iter().position(|point| point.len() != dim) {
            let has = points[at].len();
            let reason = format!("point {} has {has} coordinates, but the mesh has {dim} dimensions", at + 1);
            return Err(Error::Argument { argument: "output.probes".into(), reason });
        }
        let (points, places, heading) = (points.to_vec(), Vec::new(), String::new());
        let mut probes = Probes { points, derived, places, heading, series: None };
        probes.locate(comm, domain, solver)?;
        probes.heading = probes.columns(dim, &fields(domain, solver)?);
        Ok(probes)
    }

    /// Finds the nearest elements on the current mesh. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn locate(&mut self, comm: &Comm, domain: &mut Domain, solver: &dyn Solver) -> Result<(), Error> {
        let fields = fields(domain, solver)?;
        self.places.clear();
        for middles in comm.agree(middles(comm, domain, self.derived))? {
            let is_used = fields.iter().any(|field| field.dat.set() == middles.set);
            if is_used && domain.rows(middles.set) > 0 {
                let elements = middles.nearest(comm, &self.points);
                let rows = elements.iter().map(|&id| middles.row(id)).collect();
                self.places.push(ProbedElements { middles, elements, rows });
            }
        }
        Ok(())
    }

    /// The heading: the point and its coordinates; then for each set the element and the components of its fields.
    fn columns(&self, dim: usize, fields: &[Field]) -> String {
        let mut text = format!("iteration,probe,{}", AXES[..dim].join(","));
        for ProbedElements { middles, .. } in &self.places {
            write!(text, ",{}", middles.name).expect("writing to a string");
            for field in fields.iter().filter(|field| field.dat.set() == middles.set) {
                for component in 0..field.dat.dim() {
                    let name = match field.components.get(component) {
                        Some(_) if field.dat.dim() == 1 => field.name.clone(),
                        Some(name) => format!("{}.{name}", field.name),
                        None => format!("{}.{component}", field.name),
                    };
                    write!(text, ",{name}").expect("writing to a string");
                }
            }
        }
        text.push('\n');
        text
    }

    /// The start of a point's rows, after the iteration.
    fn beginning(&self, probe: usize) -> String {
        let coordinates = self.points[probe].iter().map(|x| format!(",{x:e}"));
        format!("{probe}{}", coordinates.collect::<String>())
    }

    /// Begins the file, or continues that of the checkpoint's run. Collective.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin(
        &mut self,
        comm: &Comm,
        directory: &Path,
        restart: Option<&Restart>,
        history: &History,
        console: Console,
    ) -> Result<(), Error> {
        let begin = || {
            let mut text = self.heading.clone();
            if let Some(restart) = restart.filter(|restart| restart.iteration > 0) {
                let before = restart.directory().join(FILE);
                match self.kept(&before, restart.iteration, history) {
                    Ok(rows) => text += &rows,
                    Err(what) => console.warn(format_args!(
                        "{FILE} begins after iteration {}: {}: {what}",
                        restart.iteration,
                        before.display()
                    )),
                }
            }
            Series::begin(&directory.join(FILE), &text, console)
        };
        let begun = if comm.is_root() { begin().map(Some) } else { Ok(None) };
        // Errors are shared with all ranks; the file is not.
        comm.agree(begun.as_ref().map(|_| ()).map_err(Clone::clone))?;
        self.series = begun?;
        Ok(())
    }

    /// The rows of an earlier file that an uninterrupted run would have by that iteration.
    fn kept(&self, path: &PathBuf, until: u64, history: &History) -> Result<String, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let Some(rows) = text.strip_prefix(&self.heading) else {
            return Err("it has other columns".into());
        };
        let mut kept = String::new();
        let mut probe = 0;
        for line in rows.split_inclusive('\n') {
            let Some((iteration, rest)) = line.split_once(',') else { break };
            let Some(iteration) = iteration.parse().ok().filter(|&number: &u64| number <= until) else {
                break;
            };
            // Its last line may be incomplete on disk.
            if !line.ends_with('\n') {
                break;
            }
            if !rest.starts_with(&format!("{},", self.beginning(probe))) {
                return Err("it is for other points".into());
            }
            probe = (probe + 1) % self.points.len();
            if history.has_row(iteration) {
                kept.push_str(line);
            }
        }
        Ok(kept)
    }

    /// Adds the rows of an iteration. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn record(
        &mut self,
        comm: &Comm,
        domain: &mut Domain,
        solver: &dyn Solver,
        iteration: u64,
    ) -> Result<(), Error> {
        let fields = fields(domain, solver)?;
        // This rank's part of the table: point, column and the value's bits.
        let mut own: Vec<[u64; 3]> = Vec::new();
        let mut column = 0;
        for ProbedElements { middles, elements, rows } in &self.places {
            let owned = rows.iter().enumerate().filter_map(|(probe, row)| Some((probe, (*row)?)));
            let (probes, rows): (Vec<usize>, Vec<usize>) = owned.unzip();
            own.extend(probes.iter().map(|&probe| [probe as u64, column, elements[probe]]));
            column += 1;
            for field in fields.iter().filter(|field| field.dat.set() == middles.set) {
                let values = field.dat.rows_f64(domain, &rows)?;
                for (values, &probe) in values.chunks_exact(field.dat.dim()).zip(&probes) {
                    let bits = (column..).zip(values).map(|(at, value)| [probe as u64, at, value.to_bits()]);
                    own.extend(bits);
                }
                column += field.dat.dim() as u64;
            }
        }
        let mut table = comm.gather(own).concat();
        table.sort_unstable();
        let text = self.rows(iteration, &fields, &table);
        if let Some(series) = &mut self.series {
            series.add(|| text);
        }
        Ok(())
    }

    /// Rows of the file: each point's number, column and bits, ascending.
    fn rows(&self, iteration: u64, fields: &[Field], table: &[[u64; 3]]) -> String {
        let is_id: Vec<bool> = self.places.iter().flat_map(|place| place.columns(fields)).collect();
        let mut text = String::new();
        for (probe, row) in table.chunk_by(|a, b| a[0] == b[0]).enumerate() {
            write!(text, "{iteration},{}", self.beginning(probe)).expect("writing to a string");
            for &[_, column, bits] in row {
                match is_id[column as usize] {
                    true => write!(text, ",{bits}"),
                    false => write!(text, ",{:e}", f64::from_bits(bits)),
                }
                .expect("writing to a string");
            }
            text.push('\n');
        }
        text
    }

    /// Writes all rows so far, because what continues from the checkpoint that follows keeps those in the file.
    pub fn before_checkpoint(&mut self) {
        if let Some(series) = &mut self.series {
            series.write();
        }
    }

    /// Ends the file. Collective.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn end(&mut self, comm: &Comm) -> Result<(), Error> {
        Ok(comm.agree(self.series.as_mut().map_or(Ok(()), Series::end))?)
    }
}
