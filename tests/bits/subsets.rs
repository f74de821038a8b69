//! Loops over a subset change its elements and no others, once, on any ranks, in every strategy, in chains and on the
//! emulated device; what a subset is called and how it is numbered.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cfd_engine::prelude::*;
use cfd_mesh::generate::naca0012;

use crate::harness::cube::reproducible;
use crate::harness::{Split, domain, in_global_order};

const SIZE: [u64; 2] = [7, 9];

/// The cells of a subset, one in three or none.
type Keep = fn(u64) -> bool;
const KEEPS: [Keep; 3] = [|id| id % 3 == 1, |id| id < 40, |_| false];

#[kernel]
fn number(id: Write<1>) {
    id[0] = 1.0;
}

/// The element's own value from the whole set's; its neighbour in the set does not matter.
#[kernel]
fn scale(whole: Read<1>, own: Write<1>, total: Sum<1>) {
    own[0] = 0.1 * whole[0];
    total[0] += own[0];
}

/// Back to the whole set.
#[kernel]
fn give(own: Read<1>, whole: Inc<1>) {
    whole[0] += own[0] * own[0];
}

/// Every value of the whole set goes to its neighbours, so halo copies matter.
#[kernel]
fn spread(whole: [Read<1>; 2], sum: [Inc<1>; 2]) {
    sum[0][0] += whole[1][0] / 3.0;
    sum[1][0] += whole[0][0] / 3.0;
}

/// A run's results: values of the whole set and the subset in global order, and the sum.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    whole: Vec<[f64; 1]>,
    sums: Vec<[f64; 1]>,
    own: Vec<[f64; 1]>,
    total: u64,
}

fn run(split: &Split, keep: Keep) -> Outcome {
    let parts = Comm::simulate(split.ranks, |comm| {
        let mesh = naca0012::cells(&comm, SIZE[0], SIZE[1], Some(6)).expect("a mesh");
        let mut domain = domain(&comm, mesh, split);
        let (cells, edges) = (domain.set("cells").unwrap(), domain.set("edges").unwrap());
        let sides: Map<2> = domain.map("edge_cells").unwrap();
        let [whole, sum]: [Dat<1>; 2] = ["whole", "sum"].map(|name| domain.new_dat(cells, name));
        let (subset, of) = domain.new_subset(cells, "some", keep);
        assert_eq!(domain.map::<1>("some_cells").unwrap(), of);
        let (own, total): (Dat<1>, _) = (domain.new_dat(subset, "own"), domain.new_sum("total"));
        let start: Vec<f64> = domain.global_ids(cells).iter().map(|&id| 1.0 + id as f64 / 7.0).collect();
        domain.write(whole, &start);
        let at = of.target::<0>();
        for _ in 0..3 {
            domain.par_loop(scale, subset, (whole.at(at), own, total), &());
            domain.par_loop(give, subset, (own, whole.at(at)), &());
            domain.par_loop(spread, edges, (whole.all(sides), sum.all(sides)), &());
        }
        let [total] = domain.get(total).unwrap();
        let part = |domain: &mut Domain, dat: Dat<1>| {
            (domain.global_ids(dat.set()).to_vec(), domain.read(dat).unwrap())
        };
        // The subset's elements are on the ranks of the set's elements that they represent.
        let ids = domain.global_ids(cells).iter().filter(|&&id| keep(id)).count();
        assert_eq!(domain.global_ids(subset).len(), ids);
        let parts = [whole, sum, own].map(|dat| part(&mut domain, dat));
        (parts, total.to_bits(), domain.rows(subset))
    });
    assert!(parts.iter().all(|part| part.1 == parts[0].1 && part.2 == parts[0].2), "one sum on all ranks");
    let total = parts[0].1;
    let of = |at: usize| parts.iter().map(|(parts, ..)| parts[at].clone()).collect::<Vec<_>>();
    let [whole, sums, own] = [0, 1, 2].map(|at| in_global_order(of(at)));
    assert_eq!(own.len() as u64, parts[0].2);
    Outcome { whole, sums, own, total }
}

/// The elements of a subset in plain loops.
fn plain(keep: Keep) -> (Vec<f64>, Vec<f64>) {
    let cells = 3 * SIZE[0] * SIZE[1];
    let mut whole: Vec<f64> = (0..cells).map(|id| 1.0 + id as f64 / 7.0).collect();
    let chosen: Vec<usize> = (0..cells).filter(|&id| keep(id)).map(|id| id as usize).collect();
    let mut own = vec![0.0; chosen.len()];
    for _ in 0..3 {
        for (own, &at) in own.iter_mut().zip(&chosen) {
            *own = 0.1 * whole[at];
            whole[at] += *own * *own;
        }
    }
    (whole, own)
}

#[test]
fn loops_over_a_subset_have_the_bits_of_plain_ones_everywhere() {
    for keep in KEEPS {
        let expected = run(&Split::new(1, "block"), keep);
        let (whole, own) = plain(keep);
        assert_eq!(expected.whole.as_flattened(), whole, "in the order of the whole set");
        assert_eq!(expected.own.as_flattened(), own, "in the order of the whole set");
        for strategy in reproducible() {
            for (ranks, method, threads) in [(1, "block", 3), (3, "random", 2), (8, "metis", 1)] {
                let split = Split::new(ranks, method).with(|options| {
                    options.strategy = Some(strategy);
                    options.threads = threads;
                    options.grain = 5;
                });
                let found = run(&split, keep);
                // Additions by edges have their own order in each class; the subset's values do not.
                assert_eq!(
                    (&found.whole, &found.own, found.total),
                    (&expected.whole, &expected.own, expected.total)
                );
                let same_class = strategy.class() == cfd_engine::strategy::HashClass::Sequential;
                assert!(!same_class || found == expected, "{split:?}");
            }
        }
        let chains = Split::new(3, "hilbert").with(|options| {
            options.backend = cfd_chains::backend_if(true);
            options.tile_rows = 20;
            options.cache_bytes = Some(0);
        });
        assert_eq!(run(&chains, keep), expected, "in chains");
        assert_eq!(run(&Split::new(2, "rcb").on_device(5), keep), expected, "on the emulated device");
    }
}

#[test]
fn reading_through_a_subsets_map_needs_no_halo() {
    let words = Comm::simulate(3, |comm| {
        let mesh = naca0012::cells(&comm, SIZE[0], SIZE[1], Some(6)).expect("a mesh");
        let mut domain = domain(&comm, mesh, &Split::new(3, "random"));
        let cells = domain.set("cells").unwrap();
        let whole: Dat<1> = domain.new_dat(cells, "whole");
        let (subset, of) = domain.new_subset(cells, "some", KEEPS[0]);
        let (own, total): (Dat<1>, _) = (domain.new_dat(subset, "own"), domain.new_sum("total"));
        domain.par_loop(number, cells, (whole,), &());
        domain.par_loop(scale, subset, (whole.at(of.target::<0>()), own, total), &());
        domain.par_loop(give, subset, (own, whole.at(of.target::<0>())), &());
        domain.flush().unwrap();
        domain.exchanges().messages
    });
    assert_eq!(words, [0; 3]);
}

#[test]
fn a_subset_has_a_name_of_its_own() {
    let mesh = naca0012::cells(&Comm::single(), SIZE[0], SIZE[1], Some(6)).expect("a mesh");
    let mut domain = domain(&Comm::single(), mesh, &Split::new(1, "block"));
    let cells = domain.set("cells").unwrap();
    domain.new_subset(cells, "some", KEEPS[0]);
    let again = catch_unwind(AssertUnwindSafe(|| domain.new_subset(cells, "some", KEEPS[1])));
    let panic = again.expect_err("the name is taken");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("\"some\""), "{message}");
}
