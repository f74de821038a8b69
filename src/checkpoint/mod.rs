//! Checkpoints: everything the next iteration needs, in global order, so any number of ranks can continue from it.
//!
//! ```text
//! mod (here)   one checkpoint: what it holds, writing, reading
//! mesh         the mesh of a checkpoint, where it is another one than the run was given
//! numbers      the solver's numbers, in JSON
//! lineage      which checkpoints belong together
//! folder       the checkpoints of a directory: names, the last few kept, which are intact
//! choose       those of a directory that a run may continue from
//! restart      continuing: which checkpoint, whether it fits, what has changed
//! signal       being asked to stop
//! time_limit   stopping before the time is over
//! ```
//!
//! A file holds the solver's state (`state/NAME`), the residuals of all iterations so far, the reported rows of the
//! history and the images of a film, each a dataset in double precision, and the attribute `checkpoint`: a [`Header`]
//! in JSON with the hash of every dataset, followed by the attribute `checkpoint_hash`, the hash of that text. Both are
//! arrays of bytes. A reader gets exactly what the writer had, or an error.

pub mod choose;
pub mod folder;
pub mod lineage;
mod mesh;
mod numbers;
pub mod restart;
pub mod signal;
pub mod time_limit;

use std::path::Path;
use std::time::Duration;

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::given::short;
use cfd_engine::mesh::{Blocks, Mesh};
use cfd_io::{Digest, Field, IoError, bits_hash, read_fields, write_fields};
use cfd_solvers::Solver;
use serde::{Deserialize, Serialize};

use self::lineage::{Lineage, Timestamp};
pub use self::mesh::MeshShape;
use crate::config::Config;
use crate::exit::Error;
use crate::film::{Film, FilmShape};
use crate::history::{History, Row};

/// Version of the file's layout.
const SCHEMA: u64 = 2;
/// Most digits of a lineage.
const LONGEST_LINEAGE: usize = 64;
/// Names of the attributes.
const HEADER: &str = "checkpoint";
const HEADER_HASH: &str = "checkpoint_hash";
/// Names of the datasets other than the state.
const RESIDUALS: &str = "history/residuals";
const ROWS: &str = "history/rows";
/// Numbers in a row of [`ROWS`] in addition to the reported values: iteration, residual, seconds, whether it has
/// values.
const ROW_HEAD: usize = 4;

/// A checkpoint's description of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the layout.
    pub schema: u64,
    /// Version of the program that wrote it.
    pub version: String,
    /// The application.
    pub case: String,
    /// Hash of the mesh that the run was given.
    pub mesh_hash: String,
    /// The mesh that the solver replaced it with, if any; its content is in datasets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_mesh: Option<MeshShape>,
    /// The complete configuration of the run, as TOML.
    pub config: String,
    /// Iterations done.
    pub iteration: u64,
    /// The solver's numbers.
    #[serde(with = "numbers")]
    pub numbers: Vec<f64>,
    /// Every dataset and its hash.
    pub datasets: Vec<Dataset>,
    /// The lineage; empty in files of versions without lineages, which count as one lineage.
    #[serde(default)]
    pub lineage: String,
    /// When it was written; those versions do not say.
    #[serde(default)]
    pub written: Option<Timestamp>,
    /// Keys that changed between the runs that led here.
    #[serde(default)]
    pub changed: Vec<String>,
    /// The run's film so far; its images are in datasets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub film: Option<FilmShape>,
}

/// A dataset of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// Its name.
    pub name: String,
    /// Rows.
    pub rows: u64,
    /// Values of a row.
    pub dim: usize,
    /// Hash of its content.
    pub hash: Digest,
}

/// A run's description of itself in its checkpoints.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// Hash of the mesh that the run was given.
    pub mesh_hash: &'a str,
    /// The mesh that the solver replaced it with.
    pub new_mesh: Option<&'a Mesh>,
    /// The lineage it belongs to.
    pub lineage: &'a Lineage,
    /// Its film so far.
    pub film: &'a Film,
}

/// Writes a checkpoint. Collective; the file appears complete or not at all.
///
/// # Errors
/// The state holds a value that is not a number, or the file system refuses.
pub fn save(
    comm: &Comm,
    path: &Path,
    origin: Origin<'_>,
    domain: &mut Domain,
    solver: &dyn Solver,
    history: &History,
) -> Result<(), Error> {
    let mut fields = Vec::new();
    let mut datasets = Vec::new();
    for field in solver.state() {
        let field = Field::of(domain, &format!("state/{}", field.name), field.dat)?;
        let hash = field.hash(comm)?;
        datasets.push(Dataset { name: field.name.clone(), rows: field.rows, dim: field.dim, hash });
        fields.push(field);
    }
    let series = series(history).map(|(name, dim, values)| block_of_series(comm, name, dim, &values));
    let images = origin.film.series().into_iter();
    let images = images.map(|(name, values)| block_of_series(comm, &name, 1, &values));
    for field in series.into_iter().chain(images).chain(origin.new_mesh.map(mesh::fields).unwrap_or_default())
    {
        let hash = hash_of_bits(comm, &field);
        datasets.push(Dataset { name: field.name.clone(), rows: field.rows, dim: field.dim, hash });
        fields.push(field);
    }
    let header = Header {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").into(),
        case: origin.config.run.case.name().into(),
        mesh_hash: origin.mesh_hash.into(),
        new_mesh: origin.new_mesh.map(MeshShape::of),
        config: origin.config.to_toml(),
        iteration: history.iterations(),
        numbers: solver.numbers(),
        datasets,
        lineage: origin.lineage.id.clone(),
        written: Some(origin.lineage.now()),
        changed: origin.lineage.changed.clone(),
        film: origin.film.shape(),
    };
    let text = serde_json::to_string(&header).expect("a header is plain data");
    let hash = text_hash(&text);
    write_fields(comm, path, &[(HEADER.into(), text), (HEADER_HASH.into(), hash)], &fields)?;
    Ok(())
}

/// A checkpoint whose content has been verified.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// Its header.
    pub header: Header,
    /// This rank's blocks of all datasets, in the header's order.
    fields: Vec<Field>,
}

impl Checkpoint {
    /// Reads a checkpoint and compares every dataset with its hash. Collective.
    ///
    /// # Errors
    /// It is missing, not a checkpoint, truncated or changed.
    pub fn read(comm: &Comm, path: &Path) -> Result<Checkpoint, IoError> {
        let header = comm.agree(read_header(path))?;
        let fields = read_fields(comm, path, header.datasets.iter().map(|dataset| dataset.name.as_str()))?;
        for (field, dataset) in fields.iter().zip(&header.datasets) {
            let shape = (field.rows, field.dim) == (dataset.rows, dataset.dim);
            if !shape || hash_of_bits(comm, field) != dataset.hash {
                let what = "the content is not what was written: its hash differs; the file is damaged";
                return Err(IoError::dataset(path, &dataset.name, what));
            }
        }
        Ok(Checkpoint { header, fields })
    }

    /// This rank's blocks of all datasets, in the header's order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// This rank's blocks of the mesh to continue on, if it differs from the one the run was given. Collective.
    ///
    /// # Errors
    /// The checkpoint lacks part of it, or its parts do not fit together.
    pub fn new_mesh(&self, comm: &Comm, path: &Path) -> Result<Option<Mesh>, IoError> {
        let Some(shape) = &self.header.new_mesh else { return Ok(None) };
        let mesh = shape.mesh(comm, &self.fields);
        comm.agree(mesh.map_err(|(name, what)| IoError::dataset(path, &name, what))).map(Some)
    }

    /// Restores a solver and its history to the state of the checkpoint's run. Collective.
    ///
    /// # Errors
    /// The checkpoint lacks part of the solver's state.
    pub fn restore(
        &self,
        comm: &Comm,
        path: &Path,
        domain: &mut Domain,
        solver: &mut dyn Solver,
        history: &mut History,
    ) -> Result<(), Error> {
        let wrong = |name: &str, what: String| IoError::dataset(path, name, what);
        for field in solver.state() {
            let name = format!("state/{}", field.name);
            let found = self.fields.iter().find(|f| f.name == name);
            let found = found.ok_or_else(|| wrong(&name, "the dataset is missing".into()))?;
            found.write(domain, field.dat).map_err(|what| wrong(&name, what))?;
        }
        if !solver.takes(&self.header.numbers) {
            let what = format!(
                "the solver's {} numbers are not those of this run, which begins with {}; continue with the program \
                 and the configuration that wrote it",
                self.header.numbers.len(),
                solver.numbers().len()
            );
            return Err(wrong(HEADER, what).into());
        }
        let (_, residuals) = self.whole(comm, path, RESIDUALS)?;
        if residuals.len() as u64 != self.header.iteration {
            let what = format!("{} residuals of {} iterations", residuals.len(), self.header.iteration);
            return Err(wrong(RESIDUALS, what).into());
        }
        let (dim, rows) = self.whole(comm, path, ROWS)?;
        if dim != ROW_HEAD + history.columns() {
            let (found, expected) = (dim.saturating_sub(ROW_HEAD), history.columns());
            let what = format!(
                "{found} reported values per iteration, but this run reports {expected}; continue with the \
                 configuration that wrote it"
            );
            return Err(wrong(ROWS, what).into());
        }
        let rows = rows.chunks_exact(dim).map(row_of);
        history.resume(residuals, rows.collect());
        solver.resume(self.header.iteration, &self.header.numbers);
        Ok(())
    }

    /// The film so far. Collective.
    ///
    /// # Errors
    /// The checkpoint lacks part of it.
    pub fn film(&self, comm: &Comm, path: &Path) -> Result<Film, IoError> {
        let Some(shape) = &self.header.film else { return Ok(Film::default()) };
        let film = shape.film(|name| self.whole(comm, path, name).map(|(_, values)| values))?;
        film.ok_or_else(|| {
            IoError::dataset(path, HEADER, "the film's images are not those that it describes")
        })
    }

    /// All values of a dataset, and how many a row has. Collective.
    fn whole(&self, comm: &Comm, path: &Path, name: &str) -> Result<(usize, Vec<f64>), IoError> {
        let field = self.fields.iter().find(|field| field.name == name);
        let field = field.ok_or_else(|| IoError::dataset(path, name, "the dataset is missing"))?;
        Ok((field.dim, comm.all_gather(field.block.values()).concat()))
    }
}

/// The header of a checkpoint file. Not collective.
///
/// # Errors
/// The file is missing, damaged, or not a checkpoint of this program.
pub fn read_header(path: &Path) -> Result<Header, IoError> {
    let [Some(header), Some(hash)] = cfd_io::read_byte_attributes(path, [HEADER, HEADER_HASH])? else {
        return Err(IoError::file(path, "this is not a checkpoint: it has no attribute \"checkpoint\""));
    };
    let [header, hash] = [header, hash].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if text_hash(&header) != hash {
        return Err(IoError::file(
            path,
            "the checkpoint's header is not what was written; the file is damaged",
        ));
    }
    let schema: u64 = serde_json::from_str::<serde_json::Value>(&header)
        .ok()
        .and_then(|value| value.get("schema")?.as_u64())
        .unwrap_or(0);
    if schema != SCHEMA {
        let what = format!("a checkpoint of layout {schema}; this program reads layout {SCHEMA}");
        return Err(IoError::file(path, what));
    }
    let header: Header = serde_json::from_str(&header)
        .map_err(|e| IoError::file(path, format!("damaged checkpoint header: {}", short(&e.to_string()))))?;
    // It becomes part of file names.
    if header.lineage.len() > LONGEST_LINEAGE || !header.lineage.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        let what = format!("the lineage \"{}\" is not a hexadecimal number", short(&header.lineage));
        return Err(IoError::file(path, what));
    }
    Ok(header)
}

fn text_hash(text: &str) -> String {
    Digest(*blake3::hash(text.as_bytes()).as_bytes()).to_string()
}

/// The history as datasets: name, values of a row, values.
fn series(history: &History) -> [(&'static str, usize, Vec<f64>); 2] {
    let dim = ROW_HEAD + history.columns();
    let mut rows = Vec::with_capacity(dim * history.rows().len());
    for row in history.rows() {
        let seconds = row.time.as_secs_f64();
        let reported = f64::from(u8::from(!row.values.is_empty()));
        rows.extend([row.iteration as f64, row.residual, seconds, reported]);
        rows.extend((0..history.columns()).map(|at| row.values.get(at).copied().unwrap_or(0.0)));
    }
    [(RESIDUALS, 1, history.residuals().to_vec()), (ROWS, dim, rows)]
}

fn row_of(numbers: &[f64]) -> Row {
    let reported = numbers[3] != 0.0;
    Row {
        iteration: numbers[0] as u64,
        residual: numbers[1],
        time: Duration::try_from_secs_f64(numbers[2]).unwrap_or_default(),
        values: if reported { numbers[ROW_HEAD..].to_vec() } else { Vec::new() },
    }
}

/// This rank's block of data that every rank has.
fn block_of_series(comm: &Comm, name: &str, dim: usize, values: &[f64]) -> Field {
    let rows = (values.len() / dim) as u64;
    let own = Blocks::new(rows, comm.size()).range(comm.rank());
    let block = values[own.start as usize * dim..own.end as usize * dim].to_vec();
    Field { name: name.into(), dim, rows, block: block.into() }
}

/// The hash of a field, whose values may be anything.
fn hash_of_bits(comm: &Comm, field: &Field) -> Digest {
    let own: Vec<u64> = Blocks::new(field.rows, comm.size()).range(comm.rank()).collect();
    let words: Vec<u64> = field.block.values().iter().map(|value| value.to_bits()).collect();
    bits_hash(comm, &field.name, field.dim, field.rows, &own, &words)
}
