//! From rows in rank order, any number on each rank, to blocks.

use bytemuck::Pod;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

/// Redistributes rows that are contiguous in rank order to blocks: returns the number of all rows and this rank's
/// block. Collective.
///
/// # Panics
/// If the values are not whole rows.
pub fn blocks_of<T: Pod>(comm: &Comm, dim: usize, part: &[T]) -> (u64, Vec<T>) {
    assert_eq!(part.len() % dim, 0, "rows of {dim} values");
    let count = (part.len() / dim) as u64;
    let (rows, first) = (comm.sum(count), comm.exclusive_sum(count));
    let blocks = Blocks::new(rows, comm.size());
    let send = (0..comm.size()).map(|rank| {
        let to = blocks.range(rank);
        let within = |row: u64| (row.clamp(first, first + count) - first) as usize * dim;
        part[within(to.start)..within(to.end)].to_vec()
    });
    (rows, comm.all_to_all(send.collect()).concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uneven_parts_become_blocks_in_the_same_order() {
        for (ranks, sizes) in [(1, vec![4]), (3, vec![0, 7, 1]), (4, vec![0, 0, 0, 2]), (2, vec![0, 0])] {
            let total: u64 = sizes.iter().sum();
            let results = Comm::simulate(ranks, |comm| {
                let first: u64 = sizes[..comm.rank()].iter().sum();
                let part: Vec<u64> =
                    (first..first + sizes[comm.rank()]).flat_map(|row| [row, 100 + row]).collect();
                blocks_of(&comm, 2, &part)
            });
            for (rank, (rows, block)) in results.into_iter().enumerate() {
                let own = Blocks::new(total, ranks).range(rank);
                assert_eq!(rows, total);
                assert_eq!(block, own.flat_map(|row| [row, 100 + row]).collect::<Vec<_>>());
            }
        }
    }
}
