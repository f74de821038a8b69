//! Pieces of a shuffled order.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use super::{Partitioner, Partitioning};
use crate::primary::find;
use crate::select::split_by_key;
use crate::{Load, PartitionError, Primary};

/// Cuts the order of a hash of (seed, global id) into equal pieces: a random part for every element, in balance.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    /// Different seeds give different shuffles.
    pub seed: u64,
}

impl Partitioner for Random {
    fn partition(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        load: &Load,
    ) -> Result<Partitioning, PartitionError> {
        let blocks = mesh.blocks(find(primary, mesh)?.set, comm);
        let salt = mix(self.seed);
        let keys: Vec<u128> = blocks.range(comm.rank()).map(|id| u128::from(mix(salt ^ id))).collect();
        let owners = split_by_key(comm, blocks, load, 64, &keys);
        Ok(Partitioning { parts: load.parts(), owners, note: None })
    }
}

/// A bijective hash of 64 bits: the output function of SplitMix64 (Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014, DOI 10.1145/2660193.2660195).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
