//! Ways to divide the primary set.
//!
//! ```text
//! metis    k-way graph partitioning: the smallest halos; gathers the graph on one rank
//! rcb      recursive coordinate bisection: compact boxes; distributed
//! hilbert  equal pieces of a space-filling curve: compact, each piece one run of the curve; distributed
//! block    equal pieces of the file's order: as good as that order
//! random   equal pieces of a shuffled order: the worst halos, for tests
//! file     part numbers from a text file
//! ```
//!
//! All but METIS and a file give parts whose sizes differ by at most one element.

mod block;
mod file;
mod graph;
mod hilbert;
mod metis;
mod random;
mod rcb;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use crate::check::{check_mesh, check_owners_of_set};
use crate::{PartitionError, Primary};

pub use block::Block;
pub(crate) use block::block_owners;
pub use file::FromFile;
pub use hilbert::Hilbert;
pub use metis::Metis;
pub use random::Random;
pub use rcb::Rcb;

/// A partition of the primary set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partitioning {
    /// Number of parts; some may be empty.
    pub parts: usize,
    /// The part of every row of this rank's block.
    pub owners: Vec<u32>,
    /// What the user should know, the same on every rank: another method had to be used, and why.
    pub note: Option<String>,
}

/// A way to divide the primary set.
///
/// The result depends on the mesh, the number of parts and the partitioner's own settings; it does not depend on
/// the number of ranks of `comm`.
pub trait Partitioner {
    /// The name users choose it by.
    fn name(&self) -> &'static str;

    /// Divides the primary set into `parts` parts. Collective.
    ///
    /// # Errors
    /// The same on every rank. The caller has checked the mesh and that there are 1 to 2^32 - 1 parts.
    fn partition(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        parts: usize,
    ) -> Result<Partitioning, PartitionError>;
}

/// A partitioner by name: `metis`, `rcb`, `hilbert`, `block`, `random` or `file:PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// METIS k-way.
    Metis,
    /// Recursive coordinate bisection.
    Rcb,
    /// Pieces of a Hilbert curve.
    Hilbert,
    /// Pieces of the file's order.
    Block,
    /// Pieces of a shuffled order.
    Random,
    /// Part numbers from a text file.
    File(PathBuf),
}

impl FromStr for Method {
    type Err = PartitionError;

    fn from_str(name: &str) -> Result<Method, PartitionError> {
        Ok(match name {
            "metis" => Method::Metis,
            "rcb" => Method::Rcb,
            "hilbert" => Method::Hilbert,
            "block" => Method::Block,
            "random" => Method::Random,
            _ => match name.strip_prefix("file:") {
                Some(path) if !path.is_empty() => Method::File(path.into()),
                _ => return Err(PartitionError::UnknownMethod { name: name.into() }),
            },
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Metis => f.write_str("metis"),
            Method::Rcb => f.write_str("rcb"),
            Method::Hilbert => f.write_str("hilbert"),
            Method::Block => f.write_str("block"),
            Method::Random => f.write_str("random"),
            Method::File(path) => write!(f, "file:{}", path.display()),
        }
    }
}

/// How the primary set is partitioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The partitioner.
    pub method: Method,
    /// Seed of `metis` and `random`.
    pub seed: u64,
    /// Elements of the primary set above which `metis` refuses to gather the graph on one rank.
    pub metis_limit: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { method: Method::Metis, seed: 0, metis_limit: 20_000_000 }
    }
}

impl Options {
    /// The partitioner these options describe.
    pub fn partitioner(&self) -> Box<dyn Partitioner> {
        match &self.method {
            Method::Metis => Box::new(Metis { seed: self.seed, limit: self.metis_limit }),
            Method::Rcb => Box::new(Rcb),
            Method::Hilbert => Box::new(Hilbert),
            Method::Block => Box::new(Block),
            Method::Random => Box::new(Random { seed: self.seed }),
            Method::File(path) => Box::new(FromFile { path: path.clone() }),
        }
    }
}

/// Divides the primary set into `parts` parts, whatever the number of ranks. Collective.
///
/// # Errors
/// A mesh that does not fit together or has not what `primary` names, a number of parts that cannot be, and what
/// the partitioner refuses. The same on every rank.
pub fn partition(
    comm: &Comm,
    mesh: &Mesh,
    primary: &Primary,
    parts: usize,
    options: &Options,
) -> Result<Partitioning, PartitionError> {
    if parts == 0 || u32::try_from(parts).is_err() {
        return Err(PartitionError::Parts { parts: parts as u64 });
    }
    let set = primary.find(mesh)?.set;
    check_mesh(comm, mesh)?;
    let partitioning = options.partitioner().partition(comm, mesh, primary, parts)?;
    comm.agree(check_owners_of_set(comm, mesh, set, &partitioning.owners, parts))?;
    Ok(partitioning)
}
