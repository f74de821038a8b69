//! Global ids beyond 2^32: blocks and fetches of rows, loops, extrema, hashes, partitioners. No mesh of that size fits
//! into a test; the ids of small ones are shifted up, and arrays that are never touched take no memory.

use cfd_engine::layout::Layout;
use cfd_engine::mesh::{Blocks, Mesh, Values, fetch_rows};
use cfd_engine::prelude::*;
use cfd_engine::strategy::Strategy;
use cfd_io::field_hash;
use cfd_mesh::generate;
use cfd_partition::partitioner::{Metis, Partitioner};
use cfd_partition::{Load, Primary};
use cfd_solvers::Solver;
use cfd_solvers::airfoil::{Airfoil, Config};

use crate::harness::{Split, cells, in_global_order, layout_by};

const TWO_TO_32: u64 = 1 << 32;

/// How far the ids of a set are shifted: across 2^32 for the sources of increments, in the middle of their rows; far
/// beyond it for the rest.
fn offset(set: &str, rows: u64) -> u64 {
    match set {
        "edges" | "bedges" => TWO_TO_32 - rows / 2,
        "nodes" => 2 * TWO_TO_32 - rows / 3,
        _ => 5_000_000_000,
    }
}

fn move_up(layout: &mut Layout) {
    for set in &mut layout.sets {
        let offset = offset(&set.name, set.global_rows);
        set.global_rows += offset;
        set.global_ids.iter_mut().for_each(|id| *id += offset);
    }
}

#[kernel]
fn lowest_and_sum(x: Read<2>, lowest: Min<1>, sum: Sum<1>) {
    lowest[0] = x[0];
    sum[0] += x[1];
}

/// A run's results on a mesh, with ids as if they began at 0.
#[derive(Debug, PartialEq)]
struct Outcome {
    q: Vec<[f64; 4]>,
    sum: f64,
    lowest: Extremum,
    /// The coordinates of the node with the lowest value, requested by its id.
    place: [f64; 2],
}

fn run(ranks: usize, strategy: Strategy, moved: bool) -> Outcome {
    let split = Split::new(ranks, "hilbert").with(|options| options.strategy = Some(strategy));
    let mut runs = Comm::simulate(ranks, |comm| {
        let mesh = generate::naca0012::cells(&comm, 16, 24, Some(6)).expect("a mesh");
        let (nodes, cells_rows) = (mesh.sets[mesh.set("nodes").unwrap()].rows, 3 * 16 * 24);
        let mut layout = layout_by(&comm, mesh, &split, &cells());
        if moved {
            move_up(&mut layout);
        }
        let mut domain = Domain::new(comm, layout, split.options.clone());
        let mut airfoil = Airfoil::new(&mut domain, &Config::default()).expect("an airfoil mesh");
        (0..20).for_each(|_| drop(airfoil.step(&mut domain, true).expect("a sound flow")));
        let (lowest, sum) = (domain.new_min("lowest"), domain.new_sum("sum"));
        let (x, set): (Dat<2>, Set) = (domain.dat("x").unwrap(), domain.set("nodes").unwrap());
        domain.par_loop(lowest_and_sum, set, (x, lowest, sum), &());
        let [found] = domain.extremum(lowest).unwrap();
        let place = domain.element(x, found.element.expect("there are nodes")).unwrap();
        let back = |set: &str, rows: u64| if moved { offset(set, rows) } else { 0 };
        let element = found.element.map(|id| id - back("nodes", nodes));
        let [sum] = domain.get(sum).unwrap();
        let q = airfoil.q();
        let ids = domain.global_ids(q.set()).iter().map(|id| id - back("cells", cells_rows)).collect();
        ((ids, domain.read(q).unwrap()), (sum, Extremum { element, ..found }, place))
    });
    let (sum, lowest, place) = runs[0].1;
    assert!(runs.iter().all(|(_, known)| *known == runs[0].1), "all ranks know the same");
    Outcome { q: in_global_order(runs.drain(..).map(|(part, _)| part).collect()), sum, lowest, place }
}

#[test]
fn loops_give_the_bits_and_places_of_small_ids() {
    let expected = run(1, Strategy::Regions, false);
    assert!(expected.lowest.element.is_some_and(|id| id > 0), "{:?}", expected.lowest);
    for strategy in [Strategy::Regions, Strategy::TemporaryArray, Strategy::TrivialColoring] {
        for ranks in [1, 3, 8] {
            assert!(run(ranks, strategy, true) == expected, "{strategy:?} on {ranks} ranks");
        }
    }
}

#[test]
fn distributed_colors_of_large_ids_are_the_same_on_any_ranks() {
    let expected = run(1, Strategy::DistributedColoring, true);
    for ranks in [3, 8] {
        assert!(run(ranks, Strategy::DistributedColoring, true) == expected, "{ranks} ranks");
    }
    // Colors are drawn from the ids.
    assert!(run(1, Strategy::DistributedColoring, false).q != expected.q);
}

#[test]
fn blocks_of_many_rows_meet_and_know_their_rows() {
    for rows in [TWO_TO_32 - 1, TWO_TO_32, TWO_TO_32 + 1, 150_000_000_007, u64::MAX] {
        for parts in [1, 2, 7, 1000, 100_000] {
            let blocks = Blocks::new(rows, parts);
            assert_eq!((blocks.range(0).start, blocks.range(parts - 1).end), (0, rows));
            for part in [0, parts / 3, parts - 1] {
                let range = blocks.range(part);
                assert!((range.end - range.start).abs_diff(rows / parts as u64) <= 1);
                assert_eq!([range.start, range.end - 1].map(|row| blocks.owner(row)), [part; 2]);
            }
        }
    }
}

#[test]
fn rows_beyond_2_to_32_are_fetched_from_their_owners() {
    let rows = TWO_TO_32 + 4096;
    // Rows that are not 0, on both sides of 2^32 and at the blocks' ends.
    let marked = |row: u64| (row % 251 + 1) as u8;
    let marks = [0, TWO_TO_32 / 3, TWO_TO_32 - 1, TWO_TO_32, TWO_TO_32 + 7, rows - 1];
    let fetched = Comm::simulate(3, |comm| {
        let blocks = Blocks::new(rows, comm.size());
        let own = blocks.range(comm.rank());
        // Fresh zeros: only the pages of the marked rows are ever touched.
        let mut block = vec![0u8; (own.end - own.start) as usize];
        for row in marks.into_iter().filter(|row| own.contains(row)) {
            block[(row - own.start) as usize] = marked(row);
        }
        let wanted: Vec<u64> = marks.into_iter().rev().flat_map(|row| [row, row / 2 + 1]).collect();
        fetch_rows(&comm, blocks, 1, &block, &wanted)
    });
    let expected: Vec<u8> = marks.into_iter().rev().flat_map(|row| [marked(row), 0]).collect();
    assert!(fetched.iter().all(|values| *values == expected), "{fetched:?}");
}

#[test]
fn the_hash_of_a_field_counts_its_rows_in_64_bits() {
    // Rows without values: only their number is hashed.
    let rows = TWO_TO_32 + 1;
    let mut bytes = b"nothing\0".to_vec();
    bytes.extend(rows.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    let expected = format!("blake3:{}", blake3::hash(&bytes).to_hex());
    let hashes =
        Comm::simulate(2, |comm| field_hash(&comm, "nothing", 0, rows, &[]).expect("no value").to_string());
    assert_eq!(hashes, [&expected[..]; 2]);
}

#[test]
fn more_elements_than_metis_can_count_go_to_another_partitioner() {
    let mut mesh = Mesh::default();
    let (nodes, edges) = (mesh.add_set("nodes", 5_000_000_000), mesh.add_set("edges", 0));
    mesh.add_map("edge_nodes", edges, nodes, 2, Vec::new());
    mesh.add_dat("x", nodes, 3, Values::F64(Vec::new()));
    let primary = Primary::located("nodes", "edge_nodes");
    let (load, metis) = (Load::even(5_000_000_000, 4), Metis { seed: 0, limit: u64::MAX });
    // The mesh has none of its rows, so that none of them gets a part.
    let found = metis.partition(&Comm::single(), &mesh, &primary, &load).expect("a partitioner of any size");
    let note = found.note.expect("a note");
    assert!(note.contains("at most 2147483647 elements") && note.ends_with("rcb is used instead"), "{note}");
}
