//! k-way graph partitioning by METIS.
//!
//! G. Karypis and V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM Journal
//! on Scientific Computing 20 (1998), DOI 10.1137/S1064827595287997. METIS is a serial library: rank 0 gathers the
//! graph, partitions it and sends every rank its rows. Inputs on which METIS fails, or is known to crash, go to
//! recursive coordinate bisection instead, with a note.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use metis::option::Seed;

use super::graph::{self, Graph, NoGraph};
use super::{Partitioner, Partitioning, Rcb};
use crate::primary::find;
use crate::{Load, PartitionError, Primary};

/// Fewest elements per part for METIS: with hardly more vertices than parts, it crashes in coarsening or leaves parts
/// empty.
const MIN_ROWS_PER_PART: u64 = 4;

/// Most elements with weights: METIS adds weights in 32 bits, and each is at least 1.
const MOST_WEIGHTS: u64 = 1 << 30;

/// METIS draws from the C library's random numbers, a single sequence per process: only one call at a time (simulated
/// ranks and tests are threads), or the seed would not determine the result.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// METIS k-way on the graph of the primary set.
#[derive(Clone, Copy, Debug)]
pub struct Metis {
    /// Seed of METIS's random numbers, taken modulo 2^31.
    pub seed: u64,
    /// Number of elements above which it refuses to gather the graph on one rank.
    pub limit: u64,
}

impl Partitioner for Metis {
    fn partition(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        load: &Load,
    ) -> Result<Partitioning, PartitionError> {
        let found = find(primary, mesh)?;
        let (blocks, parts) = (mesh.blocks(found.set, comm), load.parts());
        let (set, rows) = (&mesh.sets[found.set].name, blocks.rows);
        let limit = self.limit.min(i32::MAX as u64);
        if rows > limit {
            return Err(PartitionError::TooLargeForMetis { set: set.clone(), rows, limit });
        }
        let fall_back = |reason: String| {
            let note =
                format!("metis cannot divide \"{set}\" into {parts} parts ({reason}); rcb is used instead");
            Ok(Partitioning { note: Some(note), ..Rcb.partition(comm, mesh, primary, load)? })
        };
        if parts == 1 {
            let range = blocks.range(comm.rank());
            let owners = vec![0; (range.end - range.start) as usize];
            return Ok(Partitioning { parts, owners, note: None });
        }
        if rows < MIN_ROWS_PER_PART * parts as u64 {
            return fall_back(format!("{rows} elements are fewer than {MIN_ROWS_PER_PART} per part"));
        }
        if !load.is_even() && rows > MOST_WEIGHTS {
            return fall_back(format!("it cannot weigh more than {MOST_WEIGHTS} elements"));
        }
        let weights = (!load.is_even()).then(|| comm.gather(small_weights(load, blocks.range(comm.rank()))));
        let weights = weights.map(|weights| weights.concat());
        let divided =
            graph::gather(comm, mesh, &found).map(|graph| self.divide(graph, weights.as_deref(), load));
        let failure = divided.as_ref().map(|result| result.as_ref().err().cloned());
        if let Some(reason) = comm.broadcast(0, failure) {
            return fall_back(reason);
        }
        let send = match divided {
            Some(Ok(all)) => {
                let range = |rank| blocks.range(rank).start as usize..blocks.range(rank).end as usize;
                (0..comm.size()).map(|rank| all[range(rank)].to_vec()).collect()
            }
            _ => vec![Vec::new(); comm.size()],
        };
        let owners = comm.all_to_all(send).swap_remove(0);
        Ok(Partitioning { parts, owners, note: None })
    }
}

impl Metis {
    /// The part of every vertex, or why METIS cannot be used or has failed.
    fn divide(
        &self,
        graph: Result<Graph, NoGraph>,
        weights: Option<&[i32]>,
        load: &Load,
    ) -> Result<Vec<u32>, String> {
        let parts = load.parts();
        let graph = graph.map_err(|problem| match problem {
            NoGraph::TooLarge => "its graph has more than 2^31 adjacencies".to_string(),
            NoGraph::Memory(error) => format!("its graph does not fit into memory: {error}"),
        })?;
        // Long chains of vertices are known to crash METIS (github.com/KarypisLab/METIS, thread 42).
        match graph.max_degree() {
            0 => return Err("its graph has no edges".into()),
            1 | 2 => return Err("its graph has only chains".into()),
            _ => {}
        }
        let seed = (self.seed % (1 << 31)) as i32;
        let count = i32::try_from(parts).map_err(|_| format!("{parts} parts are more than 2^31 - 1"))?;
        let mut part = vec![0i32; graph.starts.len() - 1];
        let one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut problem = metis::Graph::new(1, count, &graph.starts, &graph.neighbours)
            .map_err(|error| error.to_string())?
            .set_option(Seed(seed));
        let shares = shares(load);
        if let Some(weights) = weights {
            problem = problem.set_vwgt(weights).set_tpwgts(&shares);
        }
        problem.part_kway(&mut part).map_err(|error| format!("METIS: {error}"))?;
        drop(one);
        part.into_iter().map(|p| u32::try_from(p).map_err(|_| format!("METIS: part number {p}"))).collect()
    }
}

/// The weights of rows in proportion, at least 1, with a total below 2^31 over at most [`MOST_WEIGHTS`] rows.
fn small_weights(load: &Load, rows: Range<u64>) -> Vec<i32> {
    let whole = load.starts()[load.parts()];
    let shift = (u64::BITS - whole.leading_zeros()).saturating_sub(30);
    (0..(rows.end - rows.start) as usize).map(|i| (load.weight(i) >> shift).max(1) as i32).collect()
}

/// Each part's share of the total weight; they add up to 1.
fn shares(load: &Load) -> Vec<f32> {
    let starts = load.starts();
    let whole = starts[load.parts()].max(1) as f64;
    starts.windows(2).map(|pair| ((pair[1] - pair[0]) as f64 / whole) as f32).collect()
}
