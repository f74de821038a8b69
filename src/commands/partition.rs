//! `cfd partition`: halo figures of a mesh for several numbers of parts.

use std::time::Instant;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_io::IoError;
use cfd_mesh::{Boundaries, Derived, Given, Named, Request, STORED};
use cfd_partition::{Counting, Method, Options};
use serde::Serialize;

use crate::cli::PartitionArgs;
use crate::console::{Console, say};
use crate::exit::Error;

/// Figures of one partition, over the elements of all sets.
#[derive(Clone, Debug, Serialize)]
struct Figures {
    parts: usize,
    /// Mean and largest number of parts that a part exchanges copies with.
    neighbours_mean: f64,
    neighbours_max: u64,
    /// Mean and largest number of elements in a part, owned and imported.
    elements_mean: f64,
    elements_max: u64,
    /// Mean over parts of the share of imported elements.
    halo_share: f64,
    /// The same, counting only imported elements that are executed.
    exec_halo_share: f64,
    /// Graph elements whose targets are in several parts.
    edge_cut: u64,
    /// Largest over mean number of owned elements of the primary set.
    imbalance: f64,
    /// Parts without elements of the primary set.
    empty_parts: usize,
    /// Time to find the parts of the primary set.
    partition_s: f64,
    /// Time for the other sets and the halo figures.
    halo_s: f64,
}

/// What is partitioned of a mesh: the sets that the file holds, or those that a case would derive from its elements.
/// Collective.
fn divided(comm: &Comm, args: &PartitionArgs) -> Result<(&'static Derived, Mesh), Error> {
    match cfd_io::read_mesh(comm, &args.mesh)? {
        Given::Derived { derived, mesh, .. } => Ok((derived, mesh)),
        Given::Elements(elements) => {
            let dimension = elements.dimension();
            let derived = STORED.into_iter().find(|derived| derived.dimensions.contains(&dimension));
            let derived = derived.expect("there is a scheme in two dimensions and one in three");
            let wanted = Boundaries::from(&args.boundaries);
            // Without names the boundaries' kinds do not matter.
            let named = match wanted.is_empty() {
                true => Named::default(),
                false => wanted.resolve(&elements).map_err(|error| IoError::of_mesh(&args.mesh, error))?,
            };
            let request = Request { boundaries: &named, levels: 1.into() };
            let mesh = derived.derive(comm, &elements, &request);
            Ok((derived, mesh.map_err(|error| IoError::of_mesh(&args.mesh, error))?))
        }
    }
}

/// Partitions the mesh into each number of parts and prints the figures. Collective, on any number of ranks.
pub fn partition(comm: &Comm, args: &PartitionArgs) -> Result<(), Error> {
    let console = Console::new(comm.is_root());
    let method: Method = args.partitioner.parse()?;
    let (derived, mesh) = divided(comm, args)?;
    let primary = derived.primary(&mesh);
    let options = Options { method, seed: args.seed, ..Options::default() };
    if !args.json {
        let sizes: Vec<String> = mesh.sets.iter().map(|set| format!("{} {}", set.rows, set.name)).collect();
        say!(console, "{}: {}", args.mesh.display(), sizes.join(", "));
        say!(console, "{} by {}, seed {}\n", primary.set, args.partitioner, args.seed);
        say!(console, "{HEADING}");
    }
    let mut rows = Vec::new();
    for &parts in &args.parts {
        let parts = parts as usize;
        let start = Instant::now();
        let owners = cfd_partition::partition(comm, &mesh, &primary, parts, &options)?;
        if let Some(note) = &owners.note {
            console.warn(format_args!("{note}"));
        }
        let partition_s = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let owners = cfd_partition::follow(comm, &mesh, &primary, owners)?;
        let quality = cfd_partition::quality(comm, &mesh, &primary, &owners, parts)?;
        let all = quality.summary(&Counting::default());
        let exec = quality.summary(&Counting { exec_only: true, ..Counting::default() });
        let figures = Figures {
            parts,
            neighbours_mean: all.neighbours_mean,
            neighbours_max: all.neighbours_max,
            elements_mean: all.elements_mean,
            elements_max: all.elements_max,
            halo_share: all.halo_share,
            exec_halo_share: exec.halo_share,
            edge_cut: quality.edge_cut,
            imbalance: quality.imbalance(),
            empty_parts: quality.empty_parts(),
            partition_s,
            halo_s: start.elapsed().as_secs_f64(),
        };
        if !args.json {
            say!(console, "{}", figures.row());
        }
        rows.push(figures);
    }
    if args.json {
        let text = serde_json::to_string_pretty(&rows).expect("figures have string keys");
        say!(console, "{text}");
    }
    Ok(())
}

const HEADING: &str = "   parts  neighbours  (max)   elements      (max)  halo %  exec halo %    edge cut  imbalance   empty      time s";

impl Figures {
    fn row(&self) -> String {
        format!(
            "{:>8}  {:>10.2}  {:>5}  {:>9.0}  {:>9}  {:>6.2}  {:>11.2}  {:>10}  {:>9.4}  {:>6}  {:>10.2}",
            self.parts,
            self.neighbours_mean,
            self.neighbours_max,
            self.elements_mean,
            self.elements_max,
            100.0 * self.halo_share,
            100.0 * self.exec_halo_share,
            self.edge_cut,
            self.imbalance,
            self.empty_parts,
            self.partition_s + self.halo_s
        )
    }
}
