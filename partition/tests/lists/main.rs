//! The partition crate as its users see it, on simulated ranks.

mod brute_force;
mod figure3;
mod follow;
mod global;
mod halo_lists;
mod lines_of_nodes;
mod mixed_elements;
mod order;
mod partition_file;
mod partitioners;
mod quality;
mod weights;
