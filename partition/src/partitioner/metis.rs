//! k-way graph partitioning by METIS.
//!
//! G. Karypis and V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM Journal
//! on Scientific Computing 20 (1998), DOI 10.1137/S1064827595287997. METIS is a serial library: rank 0 gathers the
//! graph, partitions it and sends every rank its rows. Graphs too large for that go to PT-Scotch where it can be used;
//! inputs on which METIS fails, or is known to crash, to recursive coordinate bisection. A note says so.

use std::sync::{Mutex, PoisonError};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use metis::option::Seed;

use super::graph::Graph;
use super::on_root::{MIN_ROWS_PER_PART, MOST_WEIGHTS, divide_on_root, rcb_instead};
use super::{Partitioner, Partitioning, PtScotch, undivided};
use crate::primary::find;
use crate::{Load, PartitionError, Primary};

/// METIS draws from the C library's random numbers, a single sequence per process: only one call at a time (simulated
/// ranks and tests are threads), or the seed would not determine the result.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// METIS k-way on the graph of the primary set.
#[derive(Clone, Copy, Debug)]
pub struct Metis {
    /// Seed of METIS's random numbers, taken modulo 2^31.
    pub seed: u64,
    /// Number of elements above which a distributed partitioner takes its place, as one rank would hold the graph.
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
        let (rows, parts) = (mesh.sets[found.set].rows, load.parts());
        if parts == 1 {
            return Ok(Partitioning { parts, owners: undivided(comm, mesh, found.set), note: None });
        }
        let fall_back = |reason: &str| rcb_instead(comm, mesh, primary, load, "metis", reason);
        if rows < MIN_ROWS_PER_PART * parts as u64 {
            return fall_back(&format!("{rows} elements are fewer than {MIN_ROWS_PER_PART} per part"));
        }
        let limit = self.limit.min(i32::MAX as u64);
        if rows > limit {
            return self.distributed(comm, mesh, primary, load, limit);
        }
        if !load.is_even() && rows > MOST_WEIGHTS {
            return fall_back(&format!("it cannot weigh more than {MOST_WEIGHTS} elements"));
        }
        let divide = |graph, weights: Option<Vec<i32>>| self.divide(graph, weights.as_deref(), load);
        match divide_on_root(comm, mesh, &found, load, divide) {
            Ok(owners) => Ok(Partitioning { parts, owners, note: None }),
            Err(reason) => fall_back(&reason),
        }
    }
}

impl Metis {
    /// The best distributed partitioner that there is, for a graph that one rank should not hold.
    fn distributed(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        load: &Load,
        limit: u64,
    ) -> Result<Partitioning, PartitionError> {
        let too_many = format!("it gathers at most {limit} elements on one rank");
        let scotch = PtScotch { seed: self.seed };
        if let Err(problem) = scotch.check(comm) {
            return rcb_instead(comm, mesh, primary, load, "metis", &format!("{too_many}; {problem}"));
        }
        let found = scotch.partition(comm, mesh, primary, load)?;
        let instead = found.note.unwrap_or_else(|| "pt-scotch is used instead".into());
        let note = format!("metis cannot divide \"{}\" ({too_many}); {instead}", primary.set);
        Ok(Partitioning { note: Some(note), ..found })
    }

    /// The part of every vertex, or why METIS cannot be used or has failed.
    fn divide(&self, graph: Graph<i32>, weights: Option<&[i32]>, load: &Load) -> Result<Vec<u32>, String> {
        let parts = load.parts();
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

/// Each part's share of the total weight; they add up to 1.
fn shares(load: &Load) -> Vec<f32> {
    let starts = load.starts();
    let whole = starts[load.parts()].max(1) as f64;
    starts.windows(2).map(|pair| ((pair[1] - pair[0]) as f64 / whole) as f32).collect()
}
