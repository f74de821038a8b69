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
use crate::report::halo::{RankShare, Shares};
use crate::threads;

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
}

/// A distributed case, ready for its solver.
pub struct Distributed {
    /// This rank's part.
    pub domain: Domain,
    /// What was partitioned.
    pub primary: Primary,
    /// What runs the loops of each rank.
    pub backends: Backends,
}

/// Reads or generates the mesh, prints what it is, and derives what the case needs. Collective.
///
/// # Errors
/// Something the run names is wrong or does not fit, or a signal asks to stop.
pub fn read(
    comm: &Comm,
    run: &Run,
    console: Console,
    signals: &StopSignals,
) -> Result<(Prepared, MeshFacts), Error> {
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
    let facts = MeshFacts::of(comm, source, &given);
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
    Ok((prepared, facts))
}

/// Partitions and distributes a mesh, with weights if any. Collective.
///
/// # Errors
/// The mesh does not suit this run, or a signal asks to stop.
pub fn distribute(
    comm: &Comm,
    run: &Run,
    mesh: Mesh,
    weights: Option<Weights>,
    facts: &MeshFacts,
    console: Console,
    signals: &StopSignals,
) -> Result<Distributed, Error> {
    let lanes = comm.agree(run.execution.lanes.width())?;
    run.case.check_mesh(comm, &mesh, &run.keys)?;
    check_greedy_limit(&run.execution, &mesh)?;
    let primary = run.case.facts().needs[0].primary(&mesh);
    let options = partition_options(&run.partition, weights)?;
    let domain = domain_options(run, lanes, facts, console);
    threads::warn_if_bound(comm, domain.threads, console);
    let observe = |stage: Stage<'_>| {
        if let Stage::Partitioned { note: Some(note) } = stage {
            console.warn(format_args!("{note}"));
        }
        signals.check(comm)
    };
    let order = run.execution.order;
    let mut domain = set_up_observed(comm, mesh, &primary, &options, order, domain, observe)?;
    let backends = comm.agree(device::use_device(comm, run, &mut domain, console))?;
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
            say!(
                console,
                "             copy bandwidth {:.0} GB/s, read and written bytes together",
                bandwidth / 1e9
            );
        }
    }
    Ok(Distributed { domain, primary, backends })
}

/// The shares of all ranks. Collective.
pub fn shares(comm: &Comm, domain: &Domain, primary: &Primary) -> Shares {
    Shares::gather(comm, &RankShare::measure(domain.local_sets(), &primary.set, domain.memory()))
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

/// What surrounds the solver of a run. Collective.
///
/// # Errors
/// There is no such partitioner.
pub fn environment(
    comm: &Comm,
    run: &Run,
    boundaries: Named,
    elements: Option<ElementMesh>,
) -> Result<Environment, Error> {
    let partition = partition_options(&run.partition, None)?;
    Ok(Environment { boundaries, elements, partition, room: estimate::room(comm) })
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
