//! Colors: no two elements of one color share a target, and a coloring depends only on the mesh.

use cfd_engine::layout::Layout;
use cfd_engine::prelude::*;
use cfd_engine::strategy::coloring::Coloring;
use cfd_partition::Order;

use crate::harness::{Split, cells};
use crate::reproducible::coloring::{Target, distributed, greedy};
use crate::reproducible::random::Random;

/// Colors in global order, of the first set of a layout through some maps on simulated ranks.
fn colors(
    ranks: usize,
    coloring: Coloring,
    layout: impl Fn(&Comm) -> (Layout, usize, Vec<usize>) + Sync,
) -> Vec<u32> {
    let parts = Comm::simulate(ranks, |comm| {
        let (layout, set, maps) = layout(&comm);
        let colors = coloring.of(&comm, &layout, set, &maps);
        let set = &layout.sets[set];
        assert_eq!(colors.len(), set.owned);
        set.global_ids[..set.owned].iter().copied().zip(colors).collect::<Vec<_>>()
    });
    let mut rows = parts.concat();
    rows.sort_unstable();
    assert!(rows.iter().enumerate().all(|(i, (id, _))| *id == i as u64), "every element has one color");
    rows.into_iter().map(|(_, color)| color).collect()
}

#[track_caller]
fn assert_apart(elements: &[Vec<Target>], colors: &[u32]) {
    let mut taken = std::collections::BTreeMap::new();
    for (e, targets) in elements.iter().enumerate() {
        for &target in targets {
            let other = *taken.entry((target, colors[e])).or_insert(e);
            assert_eq!(other, e, "elements {other} and {e} have color {} and share {target:?}", colors[e]);
        }
    }
}

/// Edges of the airfoil mesh through `edge_cells`, their cells, and their canonical order.
fn airfoil(order: Order) -> (Vec<Vec<Target>>, Vec<usize>) {
    let comm = Comm::single();
    let mesh = cfd_mesh::generate::naca0012::cells(&comm, 47, 78, Some(6)).expect("a mesh");
    let keys = cfd_partition::canonical_keys(&comm, &mesh, order, "x").expect("keys");
    let (edges, sides) = (mesh.set("edges").expect("edges"), mesh.map("edge_cells").expect("a map"));
    let elements: Vec<Vec<Target>> = mesh.maps[sides]
        .rows
        .chunks_exact(2)
        .map(|cells| cells.iter().map(|&cell| (0, cell)).collect())
        .collect();
    let mut order: Vec<usize> = (0..elements.len()).collect();
    order.sort_by_key(|&edge| (keys[edges].get(edge).copied(), edge));
    (elements, order)
}

fn airfoil_colors(split: &Split, coloring: Coloring) -> Vec<u32> {
    colors(split.ranks, coloring, |comm| {
        let mesh = cfd_mesh::generate::naca0012::cells(comm, 47, 78, Some(6)).expect("a mesh");
        let (edges, sides) = (mesh.set("edges").expect("edges"), mesh.map("edge_cells").expect("a map"));
        let method = split.method.parse().expect("a partitioner");
        let options = cfd_partition::Options { method, ..cfd_partition::Options::default() };
        let layout = cfd_partition::layout(comm, mesh, &cells(), &options, split.order).expect("a layout");
        (layout, edges, vec![sides])
    })
}

const SPLITS: [(usize, &str); 4] = [(1, "block"), (2, "rcb"), (5, "random"), (8, "metis")];

#[test]
fn greedy_colors_are_those_of_the_definition_in_canonical_order_on_any_ranks() {
    for order in [Order::File, Order::Hilbert] {
        let (elements, canonical) = airfoil(order);
        let expected = greedy(&elements, &canonical);
        assert_apart(&elements, &expected);
        for (ranks, method) in SPLITS {
            let split = Split { order, ..Split::new(ranks, method) };
            assert!(airfoil_colors(&split, Coloring::Greedy) == expected, "{split:?}");
        }
    }
}

#[test]
fn distributed_colors_are_those_of_the_definition_in_either_order_on_any_ranks() {
    let (elements, _) = airfoil(Order::File);
    let expected = distributed(&elements);
    assert_apart(&elements, &expected);
    for order in [Order::File, Order::Hilbert] {
        for (ranks, method) in SPLITS {
            let split = Split { order, ..Split::new(ranks, method) };
            assert!(airfoil_colors(&split, Coloring::Distributed) == expected, "{split:?}");
        }
    }
}

#[test]
fn airfoil_needs_about_as_many_colors_as_published() {
    // Published for its edges: 4 and 14.
    let (elements, canonical) = airfoil(Order::File);
    let count = |colors: Vec<u32>| colors.into_iter().max().map_or(0, |most| most + 1);
    let (greedy, distributed) = (count(greedy(&elements, &canonical)), count(distributed(&elements)));
    assert!((4..=5).contains(&greedy), "{greedy} greedy colors");
    assert!((10..=16).contains(&distributed), "{distributed} distributed colors");
}

/// A mesh of sources that lead through two maps into two sets, with arbitrary owners.
fn random_layout(comm: &Comm, seed: u64) -> (Layout, usize, Vec<usize>) {
    let (mesh, maps) = random_mesh(comm, seed);
    let owner = |set: u64, row: u64| Random(seed ^ (set << 40) ^ row).below(comm.size() as u64) as u32;
    let owners: Vec<Vec<u32>> = (0..mesh.sets.len())
        .map(|set| mesh.blocks(set, comm).range(comm.rank()).map(|row| owner(set as u64, row)).collect())
        .collect();
    (cfd_partition::distribute(comm, mesh, &owners).expect("a layout"), 0, maps)
}

fn random_mesh(comm: &Comm, seed: u64) -> (cfd_engine::mesh::Mesh, Vec<usize>) {
    let mut mesh = cfd_engine::mesh::Mesh::default();
    let (sources, points, zones) =
        (mesh.add_set("sources", 150), mesh.add_set("points", 60), mesh.add_set("zones", 90));
    let mut random = Random(seed);
    let mut targets = |of: u64, arity: usize| -> Vec<u64> {
        let all: Vec<u64> = (0..150 * arity).map(|_| random.below(of)).collect();
        let own = mesh.blocks(sources, comm).range(comm.rank());
        all[own.start as usize * arity..own.end as usize * arity].to_vec()
    };
    let (to_points, to_zones, back) = (targets(60, 2), targets(90, 1), targets(60, 1));
    let maps = vec![
        mesh.add_map("points", sources, points, 2, to_points),
        mesh.add_map("zones", sources, zones, 1, to_zones),
        mesh.add_map("back", sources, points, 1, back),
    ];
    (mesh, maps)
}

#[test]
fn colorings_through_several_maps_keep_all_their_targets_apart_whoever_owns_what() {
    for seed in 1..6 {
        let (mesh, maps) = random_mesh(&Comm::single(), seed);
        let element = |e: usize| -> Vec<Target> {
            let through = |&map: &usize| {
                let map = &mesh.maps[map];
                map.rows[e * map.arity..(e + 1) * map.arity].iter().map(|&t| (map.to, t))
            };
            maps.iter().flat_map(through).collect()
        };
        let elements: Vec<Vec<Target>> = (0..150).map(element).collect();
        let file_order: Vec<usize> = (0..150).collect();
        for (coloring, expected) in [
            (Coloring::Greedy, greedy(&elements, &file_order)),
            (Coloring::Distributed, distributed(&elements)),
        ] {
            assert_apart(&elements, &expected);
            for ranks in [1, 2, 3, 6] {
                let found = colors(ranks, coloring, |comm| random_layout(comm, seed));
                assert_eq!(found, expected, "{coloring:?}, seed {seed}, {ranks} ranks");
            }
        }
    }
}
