//! Quality figures against the lists from which they are made.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_partition::{Counting, Method, Options, Quality, follow, partition, quality};

use crate::brute_force;
use crate::global::{Cell, block, block_values, cells, grid};

fn owners(whole: &Mesh, method: Method, parts: usize) -> Vec<Vec<u32>> {
    let comm = Comm::single();
    let options = Options { method, ..Options::default() };
    let primary = partition(&comm, whole, &cells(), parts, &options).expect("a valid mesh");
    follow(&comm, whole, &cells(), primary).expect("a valid mesh")
}

fn measured(whole: &Mesh, owners: &[Vec<u32>], parts: usize, ranks: usize) -> Vec<Quality> {
    Comm::simulate(ranks, |comm| {
        let owners = block_values(&comm, whole, owners);
        quality(&comm, &block(&comm, whole), &cells(), &owners, parts).expect("a valid mesh")
    })
}

#[test]
fn counts_of_every_part_are_those_of_the_lists_for_any_parts_on_any_ranks() {
    let whole = grid(12, 9, |i, j| if (i + 2 * j) % 5 == 0 { Cell::Triangle } else { Cell::Quad });
    for (method, parts) in [(Method::Rcb, 7), (Method::Random, 3), (Method::Hilbert, 1), (Method::Rcb, 120)] {
        let owners = owners(&whole, method, parts);
        for ranks in [1, 3, 8] {
            let found = measured(&whole, &owners, parts, ranks);
            assert!(found.iter().all(|q| *q == found[0]), "the same on every rank");
            for part in 0..parts {
                let halos = brute_force::halos(&whole, &owners, part as u32);
                for (set, counts) in found[0].sets.iter().enumerate() {
                    let owned = owners[set].iter().filter(|&&o| o as usize == part).count() as u64;
                    assert_eq!(counts.owned[part], owned);
                    assert_eq!(counts.exec[part], halos.exec[set].len() as u64);
                    assert_eq!(counts.nonexec[part], halos.nonexec[set].len() as u64);
                }
            }
        }
    }
}

#[test]
fn four_strips_have_the_figures_counted_by_hand() {
    // 8 by 4 cells in 4 strips of 8 by 1, one strip per row: 3 cuts of 8 edges.
    let whole = grid(8, 4, |_, _| Cell::Quad);
    let owners = owners(&whole, Method::Block, 4);
    let found = &measured(&whole, &owners, 4, 2)[0];
    assert_eq!(found.edge_cut, 24);
    assert_eq!(found.imbalance(), 1.0);
    assert_eq!(found.empty_parts(), 0);
    let cells = Counting { sets: vec!["cells".into()], exec_only: false };
    let summary = found.summary(&cells);
    assert_eq!(summary.neighbours_mean, 1.5);
    assert_eq!(summary.neighbours_max, 2);
    // An inner strip has copies of the 8 cells above and the 8 below, an outer one of 8.
    assert_eq!(summary.halo_mean, 12.0);
    assert_eq!(summary.elements_mean, 20.0);
    assert_eq!(summary.elements_max, 24);
    assert_eq!(summary.halo_share, (0.5 + 16.0 / 24.0) / 2.0);
    // At a cut, both strips execute its 8 edges; the 7 edges leading away from it on the upper side touch nodes that
    // follow the lower strip, which also executes them.
    let edges = Counting { sets: vec!["edges".into()], exec_only: true };
    assert_eq!(found.sets[1].exec.iter().sum::<u64>(), 3 * (8 + 7));
    assert_eq!(found.summary(&edges).elements_mean, (whole.sets[1].rows + 45) as f64 / 4.0);
}

#[test]
fn parts_without_elements_are_counted_and_do_not_disturb_the_means() {
    let whole = grid(2, 2, |_, _| Cell::Quad);
    let owners = owners(&whole, Method::Block, 8);
    let found = &measured(&whole, &owners, 8, 3)[0];
    assert_eq!(found.empty_parts(), 4);
    assert_eq!(found.imbalance(), 2.0);
    let summary = found.summary(&Counting::default());
    assert!(summary.halo_share > 0.0 && summary.halo_share < 1.0);
}
