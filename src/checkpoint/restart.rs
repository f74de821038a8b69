//! Continuing from a checkpoint: whether it fits the run, and what has changed since it was written.

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::given::short;
use cfd_engine::mesh::Mesh;
use cfd_io::IoError;
use cfd_solvers::Solver;
use cfd_solvers::case::Limits;
use serde::Serialize;

use super::choose::{self, Candidate};
use super::lineage::{Lineage, Timestamp};
use super::{Checkpoint, folder};
use crate::config::{Config, Run};
use crate::console::Console;
use crate::exit::Error;
use crate::film::Film;
use crate::history::History;

/// What `--restart` names, checked before the mesh is read, which may take a while.
#[derive(Clone, Debug)]
pub enum Named {
    /// A checkpoint.
    File(Box<Restart>),
    /// A directory of checkpoints; the mesh decides which one.
    Directory(PathBuf, Vec<Candidate>),
}

/// The checkpoint that a run continues from.
#[derive(Clone, Debug, Serialize)]
pub struct Restart {
    /// The file.
    pub file: PathBuf,
    /// Iterations already done.
    pub iteration: u64,
    /// Keys changed on the way here that can change the bits of what follows, by this run (`execution.order: "file" ->
    /// "hilbert"`) or by those before (`execution.order: "file" -> "hilbert" after iteration 40`).
    pub changed: Vec<String>,
    /// Keys that this run has changed.
    #[serde(skip)]
    changes: Vec<String>,
    #[serde(skip)]
    written: Timestamp,
    #[serde(skip)]
    checkpoint: Checkpoint,
}

impl Named {
    /// Reads the checkpoint that is named, or the headers of those in a directory. Collective.
    ///
    /// # Errors
    /// It is missing or damaged (then the error names an intact one next to it), or belongs to another case.
    pub fn look(comm: &Comm, named: &Path, config: &Config, console: Console) -> Result<Named, Error> {
        if comm.broadcast(0, comm.is_root().then(|| named.is_dir())) {
            let candidates = folder::candidates(comm, named, console)?;
            if candidates.is_empty() {
                return Err(none_intact(named));
            }
            return Ok(Named::Directory(named.into(), candidates));
        }
        let checkpoint = match Checkpoint::read(comm, named) {
            Ok(checkpoint) => checkpoint,
            Err(error) => return Err(folder::with_alternative(comm, named, error)),
        };
        let (case, theirs) = (config.run.case.name(), &checkpoint.header.case);
        if theirs != case {
            let theirs = short(theirs);
            let what = format!("this is a checkpoint of case \"{theirs}\", but the run is \"{case}\"");
            return Err(IoError::file(named, what).into());
        }
        Ok(Named::File(Box::new(Restart::new(comm, named, checkpoint, config))))
    }

    /// The checkpoint to continue from on this mesh. Collective.
    ///
    /// # Errors
    /// It belongs to another mesh, or a directory has no suitable one.
    pub fn choose(
        self,
        comm: &Comm,
        config: &Config,
        mesh_hash: &str,
        console: Console,
    ) -> Result<Restart, Error> {
        let (directory, candidates) = match self {
            Named::Directory(directory, candidates) => (directory, candidates),
            Named::File(restart) => {
                let theirs = &restart.checkpoint.header.mesh_hash;
                if theirs == mesh_hash {
                    return Ok(*restart);
                }
                let what = format!(
                    "this is a checkpoint on another mesh: that mesh's hash is {}, the run's mesh has {mesh_hash}",
                    short(theirs)
                );
                return Err(IoError::file(&restart.file, what).into());
            }
        };
        let changes = |header: &super::Header| config.changes_since(&header.config);
        let chosen = choose::choose(&candidates, config.run.case.name(), mesh_hash, changes)
            .map_err(|what| IoError::file(&directory, what))?;
        let (found, checkpoint) =
            folder::first_intact(comm, chosen, console).ok_or_else(|| none_intact(&directory))?;
        Ok(Restart::new(comm, &found.path, checkpoint, config))
    }
}

fn none_intact(directory: &Path) -> Error {
    IoError::file(directory, "no intact checkpoint-*.h5 in this directory").into()
}

impl Restart {
    fn new(comm: &Comm, file: &Path, checkpoint: Checkpoint, config: &Config) -> Restart {
        let header = &checkpoint.header;
        let changes = config.changes_since(&header.config);
        let changed = changes.iter().chain(&header.changed).cloned().collect();
        let modified = comm.is_root().then(|| folder::modified(file));
        let written = header.written.unwrap_or_else(|| comm.broadcast(0, modified));
        Restart { file: file.into(), iteration: header.iteration, changed, changes, written, checkpoint }
    }

    /// The directory that the checkpoint is in.
    pub fn directory(&self) -> &Path {
        self.file.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Names of the fields of the state, with their values of a row.
    pub fn state(&self) -> Vec<(String, usize)> {
        let datasets = self.checkpoint.header.datasets.iter();
        datasets.filter_map(|of| Some((of.name.strip_prefix("state/")?.to_string(), of.dim))).collect()
    }

    /// The lineage of what follows. Collective.
    pub fn lineage(&self, comm: &Comm) -> Lineage {
        Lineage::after(comm, &self.checkpoint.header, self.written, &self.changes)
    }

    /// The mesh to continue on, if it differs from the one the run was given. Collective.
    ///
    /// # Errors
    /// The checkpoint lacks part of it, or it is not a valid mesh.
    pub fn new_mesh(&self, comm: &Comm, run: &Run) -> Result<Option<Mesh>, Error> {
        let mesh = self.checkpoint.new_mesh(comm, &self.file)?;
        if let Some(mesh) = &mesh {
            cfd_io::validate_with(comm, mesh, run.case.facts().needs[0], &self.file, &run.boundaries)?;
        }
        Ok(mesh)
    }

    /// Restores a solver and its history to the state of the checkpoint's run. Collective.
    ///
    /// # Errors
    /// The checkpoint lacks part of the solver's state.
    pub fn apply(
        &self,
        comm: &Comm,
        domain: &mut Domain,
        solver: &mut dyn Solver,
        history: &mut History,
    ) -> Result<(), Error> {
        self.checkpoint.restore(comm, &self.file, domain, solver, history)
    }

    /// The film of the checkpoint's run. Collective.
    ///
    /// # Errors
    /// The checkpoint lacks part of it.
    pub fn film(&self, comm: &Comm) -> Result<Film, Error> {
        Ok(self.checkpoint.film(comm, &self.file)?)
    }

    /// Says where the run continues, and warns about what makes it a different run, or leaves nothing to do after the
    /// checkpoint's residual.
    pub fn announce(&self, console: Console, limits: Limits, residual: Option<f64>) {
        console.entry("restart", &format!("{}, after iteration {}", self.file.display(), self.iteration));
        if !self.changed.is_empty() {
            let changed: Vec<_> = self.changed.iter().map(|change| short(change)).collect();
            let changed = changed.join(", ");
            console.warn(format_args!(
                "the configuration has changed since the checkpoint ({changed}): the result is not that of an \
                 uninterrupted run"
            ));
        }
        if let Some(residual) = residual.filter(|&residual| limits.is_met(residual)) {
            console.warn(format_args!(
                "nothing left to do: the checkpoint's residual {residual:.3e} is below the tolerance {:e}",
                limits.tolerance
            ));
        } else if self.iteration >= limits.iterations {
            console.warn(format_args!(
                "nothing left to do: the checkpoint is after iteration {}, the limit is {}",
                self.iteration, limits.iterations
            ));
        }
    }
}
