//! Sums a vector of 100,003 numbers over 60 binades, distributed over the ranks, and prints the bits of the sum, the same on
//! any number of ranks: those of `../c/examples/sum.c`.
//!
//! ```sh
//! cd exact-sum/ranks
//! cargo build --release && mpirun -n 3 target/release/exact-sum-ranks
//! ```

use exact_sum::{ExactSum, WORDS, round};
use mpi::collective::SystemOperation;
use mpi::traits::*;

const LENGTH: i64 = 100_003;

fn term(i: i64) -> f64 {
    ((i * 7919 % 10007) as f64 / 10007.0 - 0.5) * 2f64.powi((i % 61) as i32 - 30)
}

fn main() {
    let universe = mpi::initialize().expect("MPI is initialised once");
    let world = universe.world();
    let (rank, ranks) = (i64::from(world.rank()), i64::from(world.size()));
    let sum: ExactSum = (LENGTH * rank / ranks..LENGTH * (rank + 1) / ranks).map(term).sum();
    let mut total = [0u64; WORDS];
    world.all_reduce_into(&sum.words()[..], &mut total[..], SystemOperation::sum());
    if rank == 0 {
        println!("{:016x}", round(&total).to_bits());
    }
}
