//! A run from its mesh to its verdict: all that its stages know of it.

use std::rc::Rc;
use std::time::{Duration, Instant};

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::mesh::Mesh;
use cfd_partition::Primary;
use cfd_solvers::case::Limits;
use cfd_solvers::{NewMesh, Solver};

use crate::checkpoint::folder::Folder;
use crate::checkpoint::lineage::Lineage;
use crate::checkpoint::restart::Restart;
use crate::checkpoint::signal::StopSignals;
use crate::checkpoint::time_limit::TimeLimit;
use crate::config::Config;
use crate::console::Console;
use crate::device::Backends;
use crate::during::During;
use crate::energy::Energy;
use crate::film::Film;
use crate::history::History;
use crate::output::OutputDirectory;
use crate::plot::heading;
use crate::provenance::Provenance;
use crate::results::Results;
use crate::setup::MeshFacts;
use crate::start::StartFrom;
use crate::trace::Trace;
use crate::verify::Expected;

/// A run.
pub struct Session<'a> {
    /// All ranks.
    pub comm: &'a Comm,
    /// The configuration.
    pub config: &'a Config,
    /// Where lines go.
    pub console: Console,
    /// Requests to stop.
    pub signals: &'a StopSignals,
    /// Where and by what the run is made.
    pub provenance: Provenance,
    /// When it ends.
    pub limits: Limits,
    /// The time after which it stops.
    pub time_limit: TimeLimit,
    /// The hashes that it should have.
    pub expected: Option<Expected>,
    /// The mesh that it was given.
    pub mesh: Rc<MeshFacts>,
    /// The mesh with which the solver has replaced that one.
    pub new_mesh: Option<Mesh>,
    /// The set that was partitioned.
    pub primary: Primary,
    /// What runs the loops of each rank.
    pub backends: Backends,
    /// This rank's part of the mesh, and all data on it.
    pub domain: Domain,
    /// The case.
    pub solver: Box<dyn Solver>,
    /// Residuals and values so far.
    pub history: History,
    /// Hashes after every loop.
    pub trace: Option<Trace>,
    /// The checkpoint that it continues from.
    pub restart: Option<Restart>,
    /// The solution of another run that it starts from.
    pub start_from: Option<StartFrom>,
    /// The lineage of its checkpoints.
    pub lineage: Lineage,
    /// Where they are; rank 0 has it.
    pub folder: Option<Folder>,
    /// The files that it has written.
    pub output: OutputDirectory,
    /// Files that grow with the iterations: not begun before there is something to write, which a refusal must not leave.
    pub during: During,
    /// What its film has shown so far.
    pub film: Film,
    /// Files of the result.
    pub results: Results<'a>,
    /// Where its time went.
    pub clock: Clock,
    /// The energy of its iterations.
    pub energy: Option<Energy>,
}

/// Where a run's time went.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// When it began.
    pub start: Instant,
    /// From the start to the first iteration.
    pub setup: Duration,
    /// All iterations, without the files between them.
    pub solve: Duration,
    /// Those files.
    pub files: Duration,
}

impl Session<'_> {
    /// Number of elements of the set whose updates are counted.
    pub fn work_rows(&self) -> u64 {
        self.domain.set(self.solver.work(0).set).map_or(0, |set| self.domain.rows(set))
    }

    /// The subtitle of pictures.
    pub fn subtitle(&self, state: &str) -> String {
        heading::subtitle(self.work_rows(), self.solver.work(0).set, &self.mesh.source, state)
    }

    /// Adds what the solver has left for the film. Collective.
    pub fn take_frames(&mut self) {
        for frame in self.solver.frames() {
            self.film.add(self.comm, &frame);
        }
    }

    /// The solver has replaced the mesh, if it has. Returns whether.
    pub fn take_new_mesh(&mut self) -> bool {
        let Some(mesh) = self.solver.new_mesh() else { return false };
        let NewMesh { sets, elements } = mesh;
        self.new_mesh = Some(sets);
        self.results.new_mesh(elements);
        true
    }
}
