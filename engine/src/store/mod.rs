//! What a rank holds.
//!
//! ```text
//! mesh         the mesh as read: sets, maps, dats in blocks of global rows
//! layout       what one rank holds after partitioning: local rows, halos
//! tables       what is known of maps and dats in addition to their values
//! dat_storage  values of a dat; local: all of a rank's, as loops see them
//! global       sums, minima and maxima over all ranks
//! reduction    combining them
//! halo         halo exchange; partial_halo: of the rows that loops reach
//! lines        sequences of elements along which loops sweep
//! ```

pub mod dat_storage;
pub mod global;
pub mod halo;
pub mod layout;
pub mod lines;
pub mod local;
pub mod mesh;
pub mod partial_halo;
pub mod reduction;
pub mod tables;
