//! Ways to divide the primary set.
//!
//! [`Method`] lists them, with what each does.
//!
//! All but METIS, PT-Scotch and a file give parts whose sizes differ by at most one element or, with [`Weights`], whose weights
//! differ from their shares by at most that of one element per cut.

mod block;
mod file;
pub(crate) mod graph;
mod hilbert;
mod list;
mod metis;
pub(crate) mod on_root;
mod random;
mod rcb;
mod scotch;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use crate::check::{check_mesh, check_owners_of_set};
use crate::primary::{Found, find};
use crate::{Load, PartitionError, Primary, Weights};

pub use block::Block;
pub(crate) use block::block_owners;
pub use file::FromFile;
pub use hilbert::Hilbert;
pub use list::Method;
pub use metis::Metis;
pub use random::Random;
pub use rcb::Rcb;
pub use scotch::{LIBRARY_PATH, PtScotch, library_found};

/// A partition of the primary set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partitioning {
    /// Number of parts; some may be empty.
    pub parts: usize,
    /// The part of every row of this rank's block.
    pub owners: Vec<u32>,
    /// What the user should know, the same on every rank: that another method had to be used, and why.
    pub note: Option<String>,
}

/// A way to divide the primary set.
///
/// The result depends on the mesh, the number of parts and the partitioner's own settings, not on the number of ranks
/// of `comm`; only that of [`PtScotch`] depends on the ranks, too.
pub trait Partitioner {
    /// Divides the primary set into the parts of `load`. Collective.
    ///
    /// # Errors
    /// The same on every rank. The caller has checked the mesh and that there are 1 to 2^32 - 1 parts.
    fn partition(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        load: &Load,
    ) -> Result<Partitioning, PartitionError>;
}

/// How the primary set is partitioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The partitioner.
    pub method: Method,
    /// Seed of `metis`, `pt-scotch` and `random`.
    pub seed: u64,
    /// Number of elements of the primary set above which `pt-scotch`, or else `rcb`, is taken in place of `metis`, which
    /// gathers the graph on one rank.
    pub metis_limit: u64,
    /// The costs of elements and the speeds of parts; none: all elements cost the same, and all parts have the same
    /// size.
    pub weights: Option<Weights>,
}

impl Default for Options {
    fn default() -> Options {
        Options { method: Method::Metis, seed: 0, metis_limit: 20_000_000, weights: None }
    }
}

fn not_finite(values: &Values) -> u64 {
    match values {
        Values::F64(values) => values.iter().filter(|value| !value.is_finite()).count() as u64,
        Values::I32(_) => 0,
    }
}

/// The owners of this rank's block of a set that is not divided.
pub(crate) fn undivided(comm: &Comm, mesh: &Mesh, set: usize) -> Vec<u32> {
    let rows = mesh.blocks(set, comm).range(comm.rank());
    vec![0; (rows.end - rows.start) as usize]
}

impl Method {
    /// Refuses weights that would change nothing.
    ///
    /// # Errors
    /// The parts come from a file.
    pub fn takes_weights(&self) -> Result<(), PartitionError> {
        match self {
            Method::File(_) => {
                let problem = "a partition file fixes where each element goes, whatever its weight".into();
                Err(PartitionError::Weights { problem })
            }
            _ => Ok(()),
        }
    }
}

/// Divides the primary set into `parts` parts, whatever the number of ranks. Collective.
///
/// # Errors
/// A mesh that does not fit together or lacks what `primary` names, an impossible number of parts, or the partitioner's
/// own error. The same on every rank.
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
    let Found { set, coordinates, members, .. } = find(primary, mesh)?;
    check_mesh(comm, mesh)?;
    // There is nothing to divide. A method still refuses what it would refuse otherwise: a wrong file, a missing library,
    // coordinates that are not finite.
    let may_refuse = match options.method {
        Method::File(_) | Method::PtScotch => true,
        Method::Hilbert | Method::Rcb => comm.sum(not_finite(&mesh.dats[coordinates].values)) > 0,
        Method::Metis | Method::Block | Method::Random => false,
    };
    if let Some(weights) = &options.weights {
        weights.check(mesh, parts)?;
        options.method.takes_weights()?;
    }
    if parts == 1 && !may_refuse {
        return Ok(Partitioning { parts, owners: undivided(comm, mesh, set), note: None });
    }
    let load = match (&options.weights, members) {
        (Some(weights), _) => Load::weighted(comm, mesh, primary, weights)?,
        (None, Some(members)) => Load::of_members(comm, mesh, members, parts),
        (None, None) => Load::even(mesh.sets[set].rows, parts),
    };
    let partitioning = options.partitioner().partition(comm, mesh, primary, &load)?;
    comm.agree(check_owners_of_set(comm, mesh, set, &partitioning.owners, parts))?;
    Ok(partitioning)
}
