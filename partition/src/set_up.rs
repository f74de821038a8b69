//! From a mesh in blocks of global rows to each rank's domain, in one place.
//!
//! 1. [`partition`]: a part for every element of the primary set.
//! 2. [`follow`](crate::follow()): the other sets go where the primary set went.
//! 3. [`canonical_keys`]: the canonical order.
//! 4. [`distribute_in_order`](crate::distribute_in_order): each rank's [`Layout`].
//! 5. [`Domain::new`].
//!
//! ```
//! use cfd_engine::{comm::Comm, domain::DomainOptions};
//! use cfd_partition::{Method, Options, Order, Primary, set_up};
//! use cfd_mesh::{CELL_EDGES, generate};
//!
//! let comm = Comm::single();
//! let mesh = generate::block(&comm, 4, 3)?;
//! let primary = CELL_EDGES.primary(&mesh);
//! let options = Options { method: Method::Rcb, ..Options::default() };
//! let domain = set_up(&comm, mesh, &primary, &options, Order::File, DomainOptions::default())?;
//! assert_eq!(domain.rows(domain.set("cells")?), 12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainOptions};
use cfd_engine::layout::Layout;
use cfd_engine::mesh::Mesh;

use crate::distribute::distribute_checked;
use crate::follow::follow_checked;
use crate::primary::find;
use crate::{Options, Order, PartitionError, Primary, canonical_keys, partition};

/// A stage reached in setting up, for an observer ([`set_up_observed`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage<'a> {
    /// Every element of the primary set has its part.
    Partitioned {
        /// The partitioner's note: that another method had to be used, and why.
        note: Option<&'a str>,
    },
    /// Every element of the other sets has its owner.
    Followed,
    /// Every row has its key in the canonical order.
    Ordered,
    /// Every rank has its rows of all sets; there is no domain yet.
    Distributed,
}

/// Partitions a mesh, one part per rank, and returns this rank's domain. Collective.
///
/// # Errors
/// A mesh that does not fit together or lacks what `primary` names, or the partitioner's own error; the same on every
/// rank.
pub fn set_up(
    comm: &Comm,
    mesh: Mesh,
    primary: &Primary,
    options: &Options,
    order: Order,
    domain: DomainOptions,
) -> Result<Domain, PartitionError> {
    set_up_observed(comm, mesh, primary, options, order, domain, |_| Ok::<(), PartitionError>(()))
}

/// As [`set_up`], with an observer that is told of each stage on every rank, and may end setting up there. Collective.
///
/// # Errors
/// As for [`set_up`], and those of `observe`, which returns them on every rank or on none.
pub fn set_up_observed<E: From<PartitionError>>(
    comm: &Comm,
    mesh: Mesh,
    primary: &Primary,
    options: &Options,
    order: Order,
    domain: DomainOptions,
    observe: impl FnMut(Stage<'_>) -> Result<(), E>,
) -> Result<Domain, E> {
    let layout = observed(comm, mesh, primary, options, order, observe)?;
    Ok(Domain::new(comm.clone(), layout, domain))
}

/// Partitions and distributes a mesh as [`set_up`] does, for several domains with one layout. Collective.
///
/// # Errors
/// As [`set_up`].
pub fn layout(
    comm: &Comm,
    mesh: Mesh,
    primary: &Primary,
    options: &Options,
    order: Order,
) -> Result<Layout, PartitionError> {
    observed(comm, mesh, primary, options, order, |_| Ok::<(), PartitionError>(()))
}

fn observed<E: From<PartitionError>>(
    comm: &Comm,
    mesh: Mesh,
    primary: &Primary,
    options: &Options,
    order: Order,
    mut observe: impl FnMut(Stage<'_>) -> Result<(), E>,
) -> Result<Layout, E> {
    let parts = partition(comm, &mesh, primary, comm.size(), options)?;
    observe(Stage::Partitioned { note: parts.note.as_deref() })?;
    // The partitioner's arguments and results are sound.
    let owners = follow_checked(comm, &mesh, &find(primary, &mesh)?, parts);
    observe(Stage::Followed)?;
    let keys = canonical_keys(comm, &mesh, order, &primary.coordinates)?;
    observe(Stage::Ordered)?;
    let layout = distribute_checked(comm, mesh, &owners, &keys)?;
    observe(Stage::Distributed)?;
    Ok(layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;
    use cfd_mesh::{BILINEAR, CELL_EDGES, DUAL_LEVELS, NEIGHBOURS, STORED, TRIANGLES, generate};

    #[test]
    fn the_observer_is_told_of_each_stage_and_may_end_it() {
        let stages = |stop_at: usize| {
            Comm::simulate(3, |comm| {
                let mesh = generate::block(&comm, 5, 4).expect("a mesh");
                let primary = CELL_EDGES.primary(&mesh);
                let options = Options { method: Method::Block, ..Options::default() };
                let mut seen = Vec::new();
                let observe = |stage: Stage<'_>| {
                    seen.push(format!("{stage:?}"));
                    if seen.len() == stop_at { Err(PartitionError::Parts { parts: 0 }) } else { Ok(()) }
                };
                let domain = DomainOptions::default();
                let made = set_up_observed(&comm, mesh, &primary, &options, Order::File, domain, observe);
                (made.is_ok(), seen)
            })
        };
        let all = ["Partitioned { note: None }", "Followed", "Ordered", "Distributed"].map(String::from);
        for end in 1..=all.len() {
            assert_eq!(stages(end), vec![(false, all[..end].to_vec()); 3]);
        }
        assert_eq!(stages(9), vec![(true, all.to_vec()); 3]);
    }

    #[test]
    fn every_derivation_s_primary_set_is_in_its_meshes() {
        use cfd_mesh::generate::hexahedra::{Cuboid, cuboid};
        let comm = Comm::single();
        let meshes = [
            (&CELL_EDGES, generate::block(&comm, 5, 4)),
            (&BILINEAR, generate::square(&comm, 3, 0.0)),
            (&TRIANGLES, generate::triangles(&comm, [4, 3])),
            (&DUAL_LEVELS, cuboid(&comm, [7, 7, 7], 3, &Cuboid::default())),
            (&NEIGHBOURS, generate::cube(&comm, 3, 1.0)),
        ];
        assert_eq!(meshes.len(), STORED.len());
        for (derived, mesh) in meshes {
            let mesh = mesh.expect("a mesh");
            let primary = derived.primary(&mesh);
            assert_eq!(primary.coarser.len(), derived.levels(&mesh).saturating_sub(1));
            let made =
                layout(&comm, mesh, &primary, &Options::default(), Order::Hilbert).expect("a sound mesh");
            assert!(made.sets.iter().all(|set| !set.order_keys.is_empty()), "{derived}");
        }
    }
}
