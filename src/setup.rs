//! From the configuration to a domain: the mesh, then its distribution.

use std::sync::Arc;

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainOptions};
use cfd_engine::lane::Width;
use cfd_engine::mesh::Mesh;
use cfd_engine::strategy::Strategy;
use cfd_io::IoError;
use cfd_mesh::{ElementMesh, Given, Named, Prepared};
use cfd_partition::{Method, Options, Primary, Stage, Weights, set_up_observed};
use cfd_solvers::case::Environment;

use crate::checkpoint::signal::StopSignals;
use crate::colorings::Colorings;
use crate::config::{self, Run};
use crate::console::{Console, say};
use crate::device::{self, Backends};
use crate::estimate::{self, Need};
use crate::exit::Error;
use crate::report::stages::Stages;
use crate::report::summary::Entries;
use crate::threads;
use crate::weights::{self, Measured, Requested};

/// Facts about the mesh that are kept after distributing it.
#[derive(Clone, Debug)]
pub struct MeshFacts {
    /// The file, or how it was generated.
    pub source: String,
    /// Sets and their rows, in the order of the mesh.
    pub sets: Vec<(String, u64)>,
    /// Hash of its content.
    pub hash: String,
}

impl MeshFacts {
    /// The facts about a mesh. Collective.
    pub fn of(comm: &Comm, source: String, given: &Given) -> MeshFacts {
        MeshFacts {
            source,
            sets: given.content().sets.iter().map(|set| (set.name.clone(), set.rows)).collect(),
            hash: cfd_io::given_hash(comm, given).to_string(),
        }
    }

    /// The entries of `mesh` in `summary.json`.
    pub fn entries(&self) -> Entries {
        let rows = self.sets.iter().map(|(name, rows)| (name.clone(), (*rows).into()));
        rows.chain([("hash".to_string(), self.hash.clone().into())]).collect()
    }
}

/// A distributed case, ready for its solver.
pub struct Distributed {
    /// This rank's part.
    pub domain: Domain,
    /// What was partitioned.
    pub primary: Primary,
    /// What runs the loops of each rank.
    pub backends: Backends,
    /// The measurement that the parts follow from, if there was one.
    pub measured: Option<Measured>,
}

/// What every step of a run's set-up needs.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// All ranks.
    pub comm: &'a Comm,
    /// The run.
    pub run: &'a Run,
    /// Where lines go.
    pub console: Console,
    /// Requests to stop.
    pub signals: &'a StopSignals,
    /// What the stages take.
    pub stages: &'a Stages,
}

impl Setup<'_> {
    /// Reads or generates the mesh, prints what it is, and derives what the case needs. Collective.
    ///
    /// # Errors
    /// Something the run names is wrong or does not fit, or a signal asks to stop.
    pub fn read(&self) -> Result<(Prepared, MeshFacts), Error> {
        let Setup { comm, run, console, signals, stages } = *self;
        comm.agree(run.execution.lanes.width())?;
        threads::try_out(comm, threads::count(run.execution.threads))?;
        let (source, given) = match &run.mesh {
            config::Mesh::File(path) => {
                Need::of_file(path).check(comm, false)?;
                (path.display().to_string(), cfd_io::read_mesh_of(comm, path, run.boundaries.kinds)?)
            }
            config::Mesh::Generate(generator, keys) => {
                (format!("generated {}", generator.describe(keys)), generator.mesh(comm, keys)?)
            }
        };
        stages.end("mesh");
        let facts = MeshFacts::of(comm, source, &given);
        stages.end("its hash");
        let rows: Vec<String> = facts.sets.iter().map(|(name, rows)| format!("{rows} {name}")).collect();
        console.entry("mesh", &format!("{}: {}", facts.source, rows.join(", ")));
        say!(console, "             {}", facts.hash);
        signals.check(comm)?;
        let case = run.case;
        let prepared = given.prepare(comm, case.facts().needs, &run.boundaries, case.levels(&run.keys));
        let prepared = prepared.map_err(|error| match &run.mesh {
            config::Mesh::File(path) => IoError::of_mesh(path, error),
            config::Mesh::Generate(..) => error.into(),
        })?;
        stages.end("derived sets");
        Ok((prepared, facts))
    }

    /// What surrounds the solver. Collective.
    ///
    /// # Errors
    /// There is no such partitioner.
    pub fn environment(
        &self,
        boundaries: Named,
        elements: Option<ElementMesh>,
    ) -> Result<Environment, Error> {
        let partition = partition_options(&self.run.partition, None)?;
        let room = estimate::room(self.comm);
        let output = &self.run.output;
        let film = if output.pictures { output.film } else { 0 };
        Ok(Environment { boundaries, elements, partition, room, film, ..Environment::default() })
    }

    /// Partitions and distributes a mesh, with weights if any; if they are to be measured and `measures` says that there
    /// will be iterations, it is distributed in equal parts first. Collective.
    ///
    /// # Errors
    /// The mesh does not suit this run, or a signal asks to stop.
    pub fn distribute(
        &self,
        mesh: Mesh,
        facts: &MeshFacts,
        environment: &Environment,
        measures: bool,
    ) -> Result<Distributed, Error> {
        let Setup { comm, run, console, .. } = *self;
        let lanes = comm.agree(run.execution.lanes.width())?;
        run.case.check_mesh(comm, &mesh, &run.keys)?;
        check_greedy_limit(&run.execution, &mesh)?;
        let options = domain_options(run, lanes, facts, console);
        threads::warn_if_bound(comm, options.threads, console);
        let backends = comm.agree(device::open(comm, run, &options, console))?;
        let primary = run.case.facts().needs[0].primary(&mesh);
        let parts = Parts { setup: self, primary: &primary, options, backends: &backends };
        let (weights, measured) = match weights::requested(self, measures)? {
            Requested::Known(weights) => (weights, None),
            Requested::Measured => {
                let sets = mesh.sets.iter().map(|set| (set.name.clone(), set.rows)).collect::<Vec<_>>();
                let silent = Console::new(false);
                let measured =
                    weights::measure(self, parts.domain(mesh.clone(), None, silent)?, &sets, environment)?;
                (Some(measured.weights().clone()), Some(measured))
            }
        };
        let mut domain = parts.domain(mesh, weights, console)?;
        self.announce(&mut domain, &backends)?;
        Ok(Distributed { domain, primary, backends, measured })
    }

    /// Prints the devices. Collective.
    fn announce(&self, domain: &mut Domain, backends: &Backends) -> Result<(), Error> {
        let Setup { comm, console, .. } = *self;
        if backends.listed().is_some() {
            let (devices, ranks) = (backends.devices(), comm.size());
            say!(console, "backends     {devices} of {ranks} ranks on devices, the others on processors");
        }
        let bandwidth = match backends.have_gpus() {
            true => comm.agree(domain.device_copy_bandwidth())?,
            false => None,
        };
        if let Some(description) = domain.device() {
            say!(console, "device       {description}");
            if comm.size() > 1 {
                say!(console, "             halo messages {}", backends.messages());
            }
            if let Some(bandwidth) = bandwidth {
                let rate = bandwidth / 1e9;
                say!(console, "             copy bandwidth {rate:.0} GB/s, read and written bytes together");
            }
        }
        Ok(())
    }
}

/// How a mesh becomes a domain on each rank.
struct Parts<'a> {
    setup: &'a Setup<'a>,
    primary: &'a Primary,
    options: DomainOptions,
    backends: &'a Backends,
}

impl Parts<'_> {
    /// This rank's part of a mesh. Collective.
    fn domain(&self, mesh: Mesh, weights: Option<Weights>, console: Console) -> Result<Domain, Error> {
        let Setup { comm, run, signals, stages, .. } = *self.setup;
        stages.end("before");
        let observe = |stage: Stage<'_>| {
            if let Stage::Partitioned { note: Some(note) } = stage {
                console.warn(format_args!("{note}"));
            }
            stages.end(match stage {
                Stage::Partitioned { .. } => "partition",
                Stage::Followed => "owners",
                Stage::Ordered => "order",
                Stage::Distributed => "distribution",
            });
            signals.check(comm)
        };
        let (partition, order) = (partition_options(&run.partition, weights)?, run.execution.order);
        let options = self.options.clone();
        let mut domain = set_up_observed(comm, mesh, self.primary, &partition, order, options, observe)?;
        comm.agree(self.backends.run_loops_of(&mut domain))?;
        stages.end("domain");
        Ok(domain)
    }
}

fn domain_options(run: &Run, lanes: Width, mesh: &MeshFacts, console: Console) -> DomainOptions {
    let execution = &run.execution;
    let directory = execution.coloring_cache.clone();
    let directory = directory.unwrap_or_else(|| run.output.directory.join("colorings"));
    // No rank has more rows than local numbering can count.
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    DomainOptions {
        overlap: execution.overlap,
        look_ahead: execution.look_ahead,
        mode: execution.mode,
        strategy: Some(execution.strategy.0),
        region_rows: count(execution.region_size),
        block_rows: count(execution.block_size),
        threads: threads::count(execution.threads),
        lanes,
        backend: cfd_chains::backend_if(execution.chain),
        tile_rows: count(execution.tile_size),
        sums: execution.sums,
        color_cache: Some(Arc::new(Colorings::new(&directory, &mesh.hash, execution.order, console))),
        ..DomainOptions::default()
    }
}

/// Refuses greedy coloring if one rank would have to hold too much: the largest set that a map starts from.
fn check_greedy_limit(execution: &config::Execution, mesh: &Mesh) -> Result<(), Error> {
    let limit = execution.greedy_limit;
    let sources = mesh.maps.iter().map(|map| &mesh.sets[map.from]);
    match sources.max_by_key(|set| set.rows) {
        Some(set) if execution.strategy.0 == Strategy::GreedyColoring && set.rows > limit => {
            Err(Error::GreedyLimit { set: set.name.clone(), rows: set.rows, limit })
        }
        _ => Ok(()),
    }
}

fn partition_options(partition: &config::Partition, weights: Option<Weights>) -> Result<Options, Error> {
    let config::Partition { method, seed, metis_limit, weights: _ } = partition;
    let method: Method = method.parse()?;
    Ok(Options { method, seed: *seed, metis_limit: *metis_limit, weights })
}
