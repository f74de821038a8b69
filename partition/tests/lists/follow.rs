//! Where the sets that are not themselves partitioned go.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_partition::{Method, Options, PartitionError, Partitioning, Primary, follow, partition};

use crate::global::{Cell, block, cells, grid};

fn followed(whole: &Mesh, parts: usize, ranks: usize) -> Vec<Vec<u32>> {
    followed_by(whole, &cells(), parts, ranks)
}

fn followed_by(whole: &Mesh, primary: &Primary, parts: usize, ranks: usize) -> Vec<Vec<u32>> {
    let options = Options { method: Method::Random, seed: 3, ..Options::default() };
    let per_rank = Comm::simulate(ranks, |comm| {
        let mesh = block(&comm, whole);
        let divided = partition(&comm, &mesh, primary, parts, &options).expect("a valid mesh");
        follow(&comm, &mesh, primary, divided).expect("a valid mesh")
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
        // edge_nodes comes first in the mesh; a node of no edge is looked up in bedge_nodes, then in cell_nodes.
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

/// 60 fine, 17 coarse and 4 coarsest elements with their links and marks, every element's parent drawn at random;
/// parent 3 has no child.
fn levels() -> (Mesh, Primary) {
    let mut mesh = Mesh::default();
    let sizes = [60u64, 17, 4];
    let nodes: Vec<usize> =
        (0..3).map(|level| mesh.add_set(&format!("level{level}/nodes"), sizes[level])).collect();
    let mut draw = (0u64..).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33);
    let mut targets = |count: u64, below: u64| -> Vec<u64> {
        draw.by_ref().map(|d| d % below).filter(|&t| t != 3).take(count as usize).collect()
    };
    for level in 0..3 {
        let edges = mesh.add_set(&format!("level{level}/edges"), 2 * sizes[level]);
        let ends = targets(4 * sizes[level], sizes[level]);
        mesh.add_map(&format!("level{level}/edge_nodes"), edges, nodes[level], 2, ends);
        if level < 2 {
            let parents = targets(sizes[level], sizes[level + 1]);
            let name = format!("level{level}/node_mg_node");
            mesh.add_map(&name, nodes[level], nodes[level + 1], 1, parents);
        }
    }
    let x = (0..60).flat_map(|i| [f64::from(i % 8), f64::from(i / 8)]).collect();
    mesh.add_dat("level0/x", nodes[0], 2, Values::F64(x));
    let primary = Primary {
        coordinates: "level0/x".into(),
        coarser: vec!["level0/node_mg_node".into(), "level1/node_mg_node".into()],
        ..Primary::located("level0/nodes", "level0/edge_nodes")
    };
    (mesh, primary)
}

#[test]
fn a_coarse_element_goes_where_most_of_its_children_are_level_by_level() {
    let (whole, primary) = levels();
    let owners = followed_by(&whole, &primary, 5, 3);
    let (mut ties, mut majorities) = (0, 0);
    for (finer, coarser) in [(0, 1), (1, 2)] {
        let name = format!("level{finer}/node_mg_node");
        let parents = &whole.maps[whole.map(&name).expect("added above")].rows;
        let blocks = Blocks::new(whole.sets[coarser].rows, 5);
        for parent in 0..whole.sets[coarser].rows {
            let mut children = [0; 5];
            for (child, _) in parents.iter().enumerate().filter(|(_, p)| **p == parent) {
                children[owners[finer][child] as usize] += 1;
            }
            let most = children.iter().max().expect("five parts");
            let first = children.iter().position(|c| c == most).expect("it is one of them");
            let expected = if *most == 0 { blocks.owner(parent) } else { first };
            assert_eq!(
                owners[coarser][parent as usize], expected as u32,
                "level {coarser}, element {parent}"
            );
            ties += usize::from(*most > 0 && children.iter().filter(|c| *c == most).count() > 1);
            majorities += usize::from(first > children.iter().position(|c| *c > 0).unwrap_or(5));
        }
    }
    assert!(ties > 0 && majorities > 0, "both rules decide: {ties} ties, {majorities} majorities");
}

#[test]
fn what_belongs_to_a_level_follows_its_own_elements() {
    let (whole, primary) = levels();
    let owners = followed_by(&whole, &primary, 5, 2);
    for level in 0..3 {
        let map = &whole.maps[whole.map(&format!("level{level}/edge_nodes")).expect("added above")];
        for (edge, ends) in map.rows.chunks_exact(2).enumerate() {
            assert_eq!(owners[map.from][edge], owners[level][ends[0] as usize], "level {level}, edge {edge}");
        }
    }
}

#[test]
fn levels_follow_alike_on_any_number_of_ranks() {
    let (whole, primary) = levels();
    let expected = followed_by(&whole, &primary, 7, 1);
    for ranks in [2, 3, 5, 8, 16] {
        assert_eq!(followed_by(&whole, &primary, 7, ranks), expected, "{ranks} ranks");
    }
}
