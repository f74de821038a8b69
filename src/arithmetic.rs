//! The arithmetic rate of the processors: the yardstick for loops that do much work on few bytes.
//!
//! A kernel of additions and multiplications in twelve independent chains, run like any loop: by all threads of all
//! ranks at once, in the run's lanes, and without fused operations, because kernels have none.

use std::time::Instant;

use cfd_engine::comm::Comm;
use cfd_engine::lane::Width;
use cfd_engine::layout::{Layout, LocalDat, LocalSet};
use cfd_engine::mesh::Values;
use cfd_engine::prelude::*;

use crate::bandwidth::{ROUNDS, Rate};

/// Elements per thread. Their values stay in its cache, and there are enough of them to hide the cost of waking the
/// thread.
const ELEMENTS: usize = 1 << 13;

/// Calls in a round.
const CALLS: usize = 10;

/// Values per element, each of which begins a chain: more chains than a processor has operations in flight.
const CHAINS: usize = 12;

/// s <- 3/4 s + 1/4, thirty-two times in twelve chains. Tends to 1, and never to numbers that take longer.
#[kernel]
pub fn multiply_and_add(x: Read<12>, y: Write<1>) {
    let mut s = [x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11]];
    for step in 0..32 {
        for i in 0..12 {
            s[i] = s[i] * 0.75 + 0.25;
        }
    }
    let mut sum = s[0];
    for i in 1..12 {
        sum += s[i];
    }
    y[0] = sum;
}

/// 10^9 operations per second of all ranks with this many threads each, in these lanes. Collective; the same on every
/// rank.
pub fn measure(comm: &Comm, threads: usize, lanes: Width) -> Rate {
    let elements = ELEMENTS * threads;
    let options = DomainOptions { threads, lanes, ..DomainOptions::default() };
    let mut domain = Domain::new(Comm::single(), layout(elements), options);
    let set = domain.set("elements").expect("the layout has it");
    let x = domain.dat::<CHAINS, f64>("x").expect("the layout has it");
    let y = domain.new_dat::<1, f64>(set, "y");
    let mut round = || {
        comm.barrier();
        let start = Instant::now();
        for _ in 0..CALLS {
            domain.par_loop(multiply_and_add, set, (x, y), &());
        }
        domain.flush().expect("the processor does not fail");
        start.elapsed()
    };
    round();
    let times = std::array::from_fn::<_, ROUNDS, _>(|_| round());
    let operations = <multiply_and_add as Kernel>::OPS.flops() as usize;
    Rate::of(comm, CALLS * elements * operations, &times)
}

/// One set, and a dat of as many values as there are chains.
fn layout(elements: usize) -> Layout {
    let set = LocalSet {
        name: "elements".into(),
        global_rows: elements as u64,
        core: elements,
        owned: elements,
        global_ids: (0..elements as u64).collect(),
        ..LocalSet::default()
    };
    let values = (0..elements * CHAINS).map(|i| 1.0 + (i % CHAINS) as f64).collect();
    let x = LocalDat { name: "x".into(), set: 0, dim: CHAINS, values: Values::F64(values) };
    Layout { sets: vec![set], maps: Vec::new(), dats: vec![x] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_of_all_ranks_count() {
        let rates = Comm::simulate(2, |comm| measure(&comm, 2, Width::widest()));
        assert_eq!(rates[0], rates[1], "the same on all ranks");
        assert!(rates[0].best >= rates[0].median && rates[0].median > 0.0);
    }

    #[test]
    fn every_operation_is_counted() {
        assert_eq!(<multiply_and_add as Kernel>::OPS.flops(), 2 * 32 * 12 + 11);
    }
}
