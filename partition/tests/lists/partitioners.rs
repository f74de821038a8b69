//! What every partitioner promises: all rows, balance, the same parts on any number of ranks.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_partition::partitioner::library_found;
use cfd_partition::{Method, Options, PartitionError, Partitioning, Primary, follow, partition, quality};

use crate::global::{Cell, block, cells, grid};

/// Whether PT-Scotch is on this machine, as it must be where [`REQUIRED`] says so.
fn has_pt_scotch() -> bool {
    let found = library_found();
    assert!(found.is_ok() || std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, but {found:?}");
    found.is_ok()
}

const REQUIRED: &str = "CFD_REQUIRE_PTSCOTCH";

/// All methods that need no file, on this machine.
pub fn methods() -> impl Iterator<Item = Method> {
    let names = Method::NAMES.iter().filter(|name| !name.ends_with("PATH"));
    let methods = names.map(|name| name.parse().expect("a known name"));
    methods.filter(|method| *method != Method::PtScotch || has_pt_scotch())
}

/// Those of them that divide a graph.
pub fn graph_partitioners() -> impl Iterator<Item = Method> {
    methods().filter(divides_a_graph)
}

fn divides_a_graph(method: &Method) -> bool {
    matches!(method, Method::Metis | Method::PtScotch)
}

fn options(method: &Method) -> Options {
    Options { method: method.clone(), ..Options::default() }
}

fn divide(whole: &Mesh, parts: usize, options: &Options, ranks: usize) -> Partitioning {
    divide_set(whole, &cells(), parts, options, ranks)
}

fn divide_set(
    whole: &Mesh,
    primary: &Primary,
    parts: usize,
    options: &Options,
    ranks: usize,
) -> Partitioning {
    let per_rank = Comm::simulate(ranks, |comm| {
        partition(&comm, &block(&comm, whole), primary, parts, options).expect("a valid mesh")
    });
    let owners = per_rank.iter().flat_map(|p| p.owners.clone()).collect();
    for rank in &per_rank {
        assert_eq!((rank.parts, &rank.note), (parts, &per_rank[0].note), "the same on every rank");
    }
    Partitioning { owners, ..per_rank[0].clone() }
}

fn sizes(partitioning: &Partitioning) -> Vec<usize> {
    let mut sizes = vec![0; partitioning.parts];
    for &part in &partitioning.owners {
        sizes[part as usize] += 1;
    }
    sizes
}

fn cut(whole: &Mesh, partitioning: Partitioning) -> u64 {
    let comm = Comm::single();
    let parts = partitioning.parts;
    let owners = follow(&comm, whole, &cells(), partitioning).expect("a valid mesh");
    quality(&comm, whole, &cells(), &owners, parts).expect("a valid mesh").edge_cut
}

fn patchy(nx: usize, ny: usize) -> Mesh {
    grid(nx, ny, |i, j| match (i * 7 + j * 3) % 11 {
        0 => Cell::Triangle,
        1 => Cell::Hole,
        2 => Cell::Isolated,
        _ => Cell::Quad,
    })
}

#[test]
fn parts_are_the_same_on_1_2_and_5_ranks() {
    let whole = patchy(23, 17);
    for method in methods() {
        for parts in [1, 2, 3, 7, 16] {
            let expected = divide(&whole, parts, &options(&method), 1);
            assert_eq!(expected.owners.len() as u64, whole.sets[3].rows);
            for ranks in [2, 5] {
                assert_eq!(
                    divide(&whole, parts, &options(&method), ranks),
                    expected,
                    "{method}, {parts} parts"
                );
            }
        }
    }
}

#[test]
fn part_sizes_differ_by_at_most_one_also_for_odd_numbers_of_parts() {
    let whole = patchy(23, 17);
    let rows = whole.sets[3].rows as usize;
    for method in methods().filter(|method| !divides_a_graph(method)) {
        for parts in [1, 2, 3, 5, 7, 13, 100, rows, rows + 7] {
            let sizes = sizes(&divide(&whole, parts, &options(&method), 3));
            let (least, most) = (rows / parts, rows.div_ceil(parts));
            assert!(sizes.iter().all(|&s| s == least || s == most), "{method}, {parts} parts: {sizes:?}");
        }
    }
}

#[test]
fn graph_partitioners_keep_their_balance_and_cut_about_as_little_as_boxes_do() {
    let whole = grid(40, 30, |_, _| Cell::Quad);
    // METIS's random numbers are the C library's: allow for worse luck with another one.
    for (method, parts) in
        graph_partitioners().flat_map(|method| [2, 5, 12].map(|parts| (method.clone(), parts)))
    {
        let found = divide(&whole, parts, &options(&method), 2);
        assert_eq!(found.note, None);
        let mean = 1200.0 / parts as f64;
        assert!(
            sizes(&found).iter().all(|&s| s as f64 <= 1.05 * mean + 1.0),
            "{method}: {:?}",
            sizes(&found)
        );
        let boxes = divide(&whole, parts, &options(&Method::Rcb), 2);
        assert!(cut(&whole, found) as f64 <= 1.6 * cut(&whole, boxes) as f64, "{method}, {parts} parts");
    }
}

#[test]
fn compact_partitions_cut_far_less_than_random_ones() {
    let whole = grid(32, 32, |_, _| Cell::Quad);
    let methods = [Method::Metis, Method::Rcb, Method::Hilbert, Method::Block, Method::Random];
    let [metis, rcb, hilbert, block, random] =
        methods.map(|method| cut(&whole, divide(&whole, 16, &options(&method), 1)));
    // 16 squares of 8 by 8 cells: equal squares cut at least 6 lines of 32 edges.
    assert_eq!(rcb, 192);
    assert_eq!(hilbert, 192);
    assert!(metis <= 300, "{metis}");
    assert_eq!(block, 15 * 32);
    assert!(random > 1700, "{random} of 1984");
}

#[test]
fn another_seed_gives_other_parts_and_the_same_seed_the_same() {
    let whole = grid(30, 30, |_, _| Cell::Quad);
    for method in graph_partitioners().chain([Method::Random]) {
        let with_seed = |seed| divide(&whole, 8, &Options { seed, ..options(&method) }, 1).owners;
        assert_eq!(with_seed(1), with_seed(1), "{method}");
        assert_ne!(with_seed(1), with_seed(2), "{method}");
        assert_ne!(with_seed(1), with_seed(1 << 20), "{method}");
    }
}

#[test]
fn equal_coordinates_are_divided_by_global_id() {
    let mut whole = Mesh::default();
    let points = whole.add_set("points", 10);
    let edges = whole.add_set("edges", 0);
    whole.add_map("edge_points", edges, points, 2, vec![]);
    whole.add_dat("x", points, 3, Values::F64([1.0, 0.0, -0.0].repeat(10)));
    let primary = Primary::located("points", "edge_points");
    for method in [Method::Rcb, Method::Hilbert] {
        for ranks in [1, 4] {
            let found = divide_set(&whole, &primary, 4, &options(&method), ranks);
            assert_eq!(found.owners, [0, 0, 1, 1, 1, 2, 2, 3, 3, 3], "{method}");
        }
    }
}

#[test]
fn a_cube_of_points_is_divided_into_smaller_cubes() {
    let mut whole = Mesh::default();
    let points = whole.add_set("points", 512);
    let edges = whole.add_set("edges", 0);
    whole.add_map("edge_points", edges, points, 2, vec![]);
    let x = (0..512).flat_map(|i| [i % 8, i / 8 % 8, i / 64].map(f64::from)).collect();
    whole.add_dat("x", points, 3, Values::F64(x));
    let primary = Primary::located("points", "edge_points");
    for method in [Method::Rcb, Method::Hilbert] {
        let found = divide_set(&whole, &primary, 8, &options(&method), 3);
        for (id, part) in found.owners.iter().enumerate() {
            let octant = |id: usize| [id % 8 / 4, id / 8 % 8 / 4, id / 64 / 4];
            let first = found.owners.iter().position(|p| p == part).expect("it is there");
            assert_eq!(octant(id), octant(first), "{method}: point {id}");
        }
    }
}

#[test]
fn graph_partitioners_hand_over_to_bisection_with_a_note_where_they_would_fail() {
    let expect = |method: &Method, whole: &Mesh, parts: usize, words: &str| {
        let rcb = divide(whole, parts, &options(&Method::Rcb), 2);
        let found = divide(whole, parts, &options(method), 2);
        let note = found.note.expect("a note");
        assert!(note.starts_with(&method.to_string()), "{note}");
        assert!(note.contains(words) && note.contains("rcb is used"), "{note}");
        assert_eq!(found.owners, rcb.owners);
    };
    for method in graph_partitioners() {
        expect(&method, &grid(3, 3, |_, _| Cell::Quad), 20, "9 elements are fewer than 4 per part");
        expect(&method, &grid(6, 6, |_, _| Cell::Isolated), 3, "no edges");
    }
    expect(&Method::Metis, &grid(50, 1, |_, _| Cell::Quad), 3, "chains");
}

#[test]
fn what_is_too_large_for_metis_goes_to_the_best_distributed_partitioner_with_a_note() {
    let whole = grid(8, 8, |_, _| Cell::Quad);
    let small = Options { metis_limit: 63, ..options(&Method::Metis) };
    let instead = if has_pt_scotch() { Method::PtScotch } else { Method::Rcb };
    let (found, expected) = (divide(&whole, 4, &small, 2), divide(&whole, 4, &options(&instead), 2));
    assert_eq!(found.owners, expected.owners);
    let note = found.note.expect("a note");
    assert!(note.contains("at most 63 elements"), "{note}");
    assert!(note.ends_with(&format!("{instead} is used instead")), "{note}");
    let enough = Options { metis_limit: 64, ..small };
    assert_eq!(divide(&whole, 4, &enough, 2).note, None);
    assert_eq!(divide(&whole, 1, &Options { metis_limit: 1, ..enough }, 2).note, None, "nothing to divide");
}

#[test]
fn coordinates_that_are_not_finite_are_refused_with_the_row() {
    let mut whole = grid(3, 3, |_, _| Cell::Quad);
    let Values::F64(x) = &mut whole.dats[0].values else { panic!("x holds doubles") };
    x[2 * 15] = f64::NAN; // The upper right corner of the last cell.
    // With one part, too, for which coordinates are not needed.
    for (method, parts) in [(Method::Rcb, 2), (Method::Hilbert, 2), (Method::Rcb, 1), (Method::Hilbert, 1)] {
        let errors = Comm::simulate(3, |comm| {
            partition(&comm, &block(&comm, &whole), &cells(), parts, &options(&method)).unwrap_err()
        });
        assert_eq!(errors, vec![PartitionError::NotFinite { set: "cells".into(), row: 8 }; 3]);
    }
}

#[test]
fn no_parts_are_refused() {
    let whole = grid(2, 2, |_, _| Cell::Quad);
    let error = partition(&Comm::single(), &whole, &cells(), 0, &Options::default()).unwrap_err();
    assert_eq!(error, PartitionError::Parts { parts: 0 });
}
