//! Parts of unequal speeds, elements of unequal costs.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_partition::{Method, Options, PartitionError, Partitioning, Weights, partition};

use crate::global::{Cell, block, cells, grid};
use crate::partitioners::graph_partitioners;

fn weights(speeds: &[u32], costs: &[(&str, u32)]) -> Weights {
    let costs = costs.iter().map(|&(set, cost)| (set.to_string(), cost)).collect();
    Weights { speeds: speeds.to_vec(), costs }
}

fn divide(whole: &Mesh, method: &Method, weights: &Weights, ranks: usize) -> Partitioning {
    let options = Options { method: method.clone(), weights: Some(weights.clone()), ..Options::default() };
    let parts = weights.speeds.len();
    let per_rank = Comm::simulate(ranks, |comm| {
        partition(&comm, &block(&comm, whole), &cells(), parts, &options).expect("weights for this mesh")
    });
    let owners = per_rank.iter().flat_map(|p| p.owners.clone()).collect();
    Partitioning { owners, ..per_rank[0].clone() }
}

/// The weight of every cell, by definition: its own cost, and those of the edges and boundary edges whose first cell it
/// is.
fn cell_weights(whole: &Mesh, weights: &Weights) -> Vec<u64> {
    let cost = |set: &str| u64::from(weights.costs.get(set).copied().unwrap_or(0));
    let mut sums = vec![cost("cells").max(1); whole.sets[3].rows as usize];
    for (map, set) in [("edge_cells", "edges"), ("bedge_cell", "bedges")] {
        let map = &whole.maps[whole.map(map).expect("a map of the grid")];
        map.rows.iter().step_by(map.arity).for_each(|&cell| sums[cell as usize] += cost(set));
    }
    sums
}

/// The total weight of each part's elements.
fn part_weights(found: &Partitioning, weights: &[u64]) -> Vec<u64> {
    let mut sums = vec![0; found.parts];
    found.owners.iter().zip(weights).for_each(|(&part, weight)| sums[part as usize] += weight);
    sums
}

#[test]
fn each_part_gets_the_weight_of_its_speed_on_any_number_of_ranks() {
    let whole = grid(37, 29, |i, j| match (i * 7 + j * 3) % 11 {
        0 => Cell::Triangle,
        1 => Cell::Hole,
        _ => Cell::Quad,
    });
    for speeds in [&[1, 1][..], &[5, 1, 2], &[1, 1, 1, 1, 30, 7, 1]] {
        let weights = weights(speeds, &[("cells", 30), ("edges", 14), ("bedges", 600)]);
        let each = cell_weights(&whole, &weights);
        let heaviest = *each.iter().max().expect("there are cells");
        let (all, fast): (u64, u32) = (each.iter().sum(), speeds.iter().sum());
        let others = [Method::Rcb, Method::Hilbert, Method::Block, Method::Random];
        for method in others.into_iter().chain(graph_partitioners()) {
            let found = divide(&whole, &method, &weights, 1);
            for ranks in [2, 5] {
                assert_eq!(divide(&whole, &method, &weights, ranks), found, "{method}, {ranks} ranks");
            }
            assert_eq!(found.note, None);
            let sums = part_weights(&found, &each);
            for (part, (&sum, &speed)) in sums.iter().zip(speeds).enumerate() {
                let share = all * u64::from(speed) / u64::from(fast);
                // Both ends of a part are cut to within an element; graph partitioners balance to within some percent.
                let divides_a_graph = matches!(method, Method::Metis | Method::PtScotch);
                let slack = 2 * heaviest + if divides_a_graph { share / 10 } else { 0 };
                assert!(sum.abs_diff(share) <= slack, "{method}, part {part}: {sum}, its share is {share}");
            }
        }
    }
}

#[test]
fn costly_boundaries_make_the_parts_there_smaller() {
    let whole = grid(40, 40, |_, _| Cell::Quad);
    // Sixteen squares, four of which have no boundary.
    let weights = weights(&[1; 16], &[("cells", 1), ("bedges", 40)]);
    let found = divide(&whole, &Method::Rcb, &weights, 3);
    let mut sizes = [0; 16];
    found.owners.iter().for_each(|&part| sizes[part as usize] += 1);
    let (smallest, largest) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(largest > &(3 * smallest), "{sizes:?}");
}

#[test]
fn weights_that_do_not_fit_are_refused_with_the_reason() {
    let whole = grid(6, 5, |_, _| Cell::Quad);
    let good = weights(&[1, 1, 1], &[("cells", 1)]);
    let refused = |method: Method, weights: Weights, parts: usize, words: &str| {
        let options = Options { method, weights: Some(weights), ..Options::default() };
        let errors = Comm::simulate(2, |comm| {
            partition(&comm, &block(&comm, &whole), &cells(), parts, &options).unwrap_err()
        });
        assert_eq!(errors[0], errors[1]);
        let message = errors[0].to_string();
        assert!(matches!(errors[0], PartitionError::Weights { .. }) && message.contains(words), "{message}");
    };
    refused(Method::Rcb, good.clone(), 2, "3 speeds, one per part, but there are 2 parts");
    refused(Method::Rcb, good.clone(), 1, "3 speeds");
    refused(Method::Metis, weights(&[1, 0], &[]), 2, "the speed of part 1 is 0");
    refused(Method::Hilbert, weights(&[1], &[("cell", 1)]), 1, "cost of \"cell\", but the mesh has the sets");
    refused(Method::Hilbert, weights(&[1], &[("cells", 1_000_000_001)]), 1, "at most 1000000000");
    refused(Method::File("parts.txt".into()), good, 3, "fixes where each element goes");
}
