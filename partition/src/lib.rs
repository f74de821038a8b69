//! From a mesh in blocks of global rows to what each rank holds: ownership, and the owner-compute halos.
//!
//! ```text
//! Mesh ─► partition    a part for every element of the primary set      partitioner/, load, select, centroid
//!           │
//!           ▼
//!         follow       the other sets go where the primary set went     follow
//!           │
//!           ├──────►   quality      halo sizes for any number of parts  quality
//!           ▼                       (the same lists: halo)
//!         distribute   lists, local numbering, local maps, fresh dats   halo, distribute, numbering ─► Layout
//!           ▲          (one rank has everything: whole)
//! Mesh ─► canonical_keys   the canonical order: file, Hilbert curve,    order, centroid, curve,
//!                          or reverse Cuthill-McKee                    cuthill_mckee
//! ```
//!
//! [`set_up`] does all of it and returns the [`Domain`](cfd_engine::domain::Domain). Every step is collective and
//! distributed, and its result depends only on the mesh and the options, never on the number of ranks that compute it.
//! Only METIS gathers the graph of the primary set on one rank.
//!
//! ```
//! use cfd_engine::{comm::Comm, mesh::{Mesh, Values}};
//! use cfd_partition::{Method, Options, Order, Primary};
//! use cfd_partition::{canonical_keys, distribute, distribute_in_order, follow, partition};
//!
//! // Four cells in a row, three edges between them, on one rank.
//! let mut mesh = Mesh::default();
//! let (cells, edges) = (mesh.add_set("cells", 4), mesh.add_set("edges", 3));
//! mesh.add_map("edge_cells", edges, cells, 2, vec![0, 1, 1, 2, 2, 3]);
//! mesh.add_dat("centre", cells, 2, Values::F64(vec![0.5, 0.5, 1.5, 0.5, 2.5, 0.5, 3.5, 0.5]));
//! let primary = Primary { coordinates: "centre".into(), ..Primary::located("cells", "edge_cells") };
//!
//! let comm = Comm::single();
//! let options = Options { method: Method::Rcb, ..Options::default() };
//! let halves = partition(&comm, &mesh, &primary, 2, &options)?;
//! assert_eq!(halves.owners, [0, 0, 1, 1]);
//! let owners = follow(&comm, &mesh, &primary, halves)?;
//! assert_eq!(owners[edges], [0, 0, 1]);
//!
//! let whole = partition(&comm, &mesh, &primary, 1, &options)?;
//! let owners = follow(&comm, &mesh, &primary, whole)?;
//! let layout = distribute(&comm, mesh.clone(), &owners)?;
//! assert_eq!(layout.sets[cells].core, 4);
//! assert!(layout.sets[cells].order_keys.is_empty(), "the file's order");
//!
//! // Another canonical order than the file's, if that is a bad one.
//! let keys = canonical_keys(&comm, &mesh, Order::Hilbert, "centre")?;
//! let layout = distribute_in_order(&comm, mesh, &owners, &keys)?;
//! assert!(layout.sets[cells].order_keys.is_sorted(), "the curve runs along the row");
//! # Ok::<(), cfd_partition::PartitionError>(())
//! ```

mod centroid;
mod check;
mod curve;
mod cuthill_mckee;
mod distinct;
mod distribute;
mod error;
mod follow;
mod halo;
mod load;
mod numbering;
mod order;
pub mod partitioner;
mod primary;
mod quality;
mod select;
mod set_up;
mod weights;
mod whole;

pub use cfd_mesh::Primary;
pub use distribute::{distribute, distribute_in_order};
pub use error::PartitionError;
pub use follow::follow;
pub use load::Load;
pub use order::{Order, canonical_keys, curve_keys};
pub use partitioner::{Method, Options, Partitioner, Partitioning, partition};
pub use quality::{Counting, Quality, SetCounts, Summary, quality};
pub use set_up::{Stage, layout, set_up, set_up_observed};
pub use weights::Weights;
