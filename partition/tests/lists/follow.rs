//! Where the sets that are not partitioned go.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh};
use cfd_partition::{Method, Options, PartitionError, Partitioning, follow, partition};

use crate::global::{Cell, block, cells, grid};

fn followed(whole: &Mesh, parts: usize, ranks: usize) -> Vec<Vec<u32>> {
    let options = Options { method: Method::Random, seed: 3, ..Options::default() };
    let per_rank = Comm::simulate(ranks, |comm| {
        let mesh = block(&comm, whole);
        let primary = partition(&comm, &mesh, &cells(), parts, &options).expect("a valid mesh");
        follow(&comm, &mesh, &cells(), primary).expect("a valid mesh")
    });
    (0..whole.sets.len()).map(|set| per_rank.iter().flat_map(|o| o[set].clone()).collect()).collect()
}

/// Quads, triangles, a hole that leaves nodes alone, and an isolated cell.
fn patchy() -> Mesh {
    grid(9, 7, |i, j| match (i, j) {
        (3..=6, 2..=4) => Cell::Hole,
        (0, 0) => Cell::Isolated,
        _ if (i + j) % 3 == 0 => Cell::Triangle,
        _ => Cell::Quad,
    })
}

#[test]
fn edges_and_boundary_edges_go_to_the_owner_of_their_first_cell() {
    let whole = patchy();
    let owners = followed(&whole, 5, 3);
    let (edges, bedges, cells) = (1, 2, 3);
    let owner_of =
        |map: usize, row: usize| owners[cells][whole.maps[map].rows[row * whole.maps[map].arity] as usize];
    for (edge, &owner) in owners[edges].iter().enumerate() {
        assert_eq!(owner, owner_of(1, edge), "edge {edge}");
    }
    for (bedge, &owner) in owners[bedges].iter().enumerate() {
        assert_eq!(owner, owner_of(3, bedge), "boundary edge {bedge}");
    }
}

#[test]
fn nodes_go_to_the_first_source_that_refers_to_them_and_lone_nodes_to_blocks() {
    let whole = patchy();
    let owners = followed(&whole, 5, 3);
    let mut lone = 0;
    for node in 0..whole.sets[0].rows {
        // edge_nodes comes first in the mesh; a node of no edge is looked for in bedge_nodes, then cell_nodes.
        let found = [0, 2, 4].iter().find_map(|&map| {
            let map = &whole.maps[map];
            let source = map.rows.iter().position(|&t| t == node)? / map.arity;
            Some(owners[map.from][source])
        });
        lone += usize::from(found.is_none());
        let expected = found.unwrap_or(Blocks::new(whole.sets[0].rows, 5).owner(node) as u32);
        assert_eq!(owners[0][node as usize], expected, "node {node}");
    }
    assert!(lone > 0, "the hole has inner nodes");
}

#[test]
fn sets_follow_alike_on_any_number_of_ranks() {
    let whole = patchy();
    let expected = followed(&whole, 7, 1);
    for ranks in [2, 3, 5, 8] {
        assert_eq!(followed(&whole, 7, ranks), expected, "{ranks} ranks");
    }
}

#[test]
fn sets_without_any_connection_go_to_blocks_and_those_that_point_to_them_follow() {
    let mut whole = grid(4, 4, |_, _| Cell::Quad);
    let island = whole.add_set("island", 6);
    let visitor = whole.add_set("visitor", 3);
    let empty = whole.add_set("empty", 0);
    whole.add_map("visitor_island", visitor, island, 1, vec![5, 0, 2]);
    let owners = followed(&whole, 3, 2);
    assert_eq!(owners[island], [0, 0, 1, 1, 2, 2]);
    assert_eq!(owners[visitor], [2, 0, 1]);
    assert!(owners[empty].is_empty());
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let whole = grid(2, 2, |_, _| Cell::Quad);
    let comm = Comm::single();
    let short = Partitioning { parts: 2, owners: vec![0; 3], note: None };
    assert!(matches!(follow(&comm, &whole, &cells(), short), Err(PartitionError::Length { found: 3, .. })));
    let high = Partitioning { parts: 2, owners: vec![0, 1, 2, 0], note: None };
    assert!(matches!(follow(&comm, &whole, &cells(), high), Err(PartitionError::Owner { row: 2, .. })));
}
