//! The canonical order: keys of whole meshes, and their places after distribution.

use cfd_engine::comm::Comm;
use cfd_engine::layout::Layout;
use cfd_engine::mesh::{Mesh, Values};
use cfd_partition::{Order, PartitionError, canonical_keys, distribute, distribute_in_order};
use proptest::prelude::*;

use crate::brute_force;
use crate::global::{Cell, block, block_values, grid};
use crate::halo_lists::{any_grid, any_mesh, owners_of};

/// The keys of all rows of every set, computed by `ranks` ranks.
fn keys(whole: &Mesh, order: Order, coordinates: &str, ranks: usize) -> Vec<Vec<u64>> {
    let per_rank = Comm::simulate(ranks, |comm| {
        canonical_keys(&comm, &block(&comm, whole), order, coordinates).expect("a valid mesh")
    });
    (0..whole.sets.len()).map(|set| per_rank.iter().flat_map(|keys| keys[set].clone()).collect()).collect()
}

/// The keys straight from the definitions, in two dimensions: loops over the whole mesh, no messages.
fn keys_by_definition(whole: &Mesh, coordinates: &str) -> Vec<Vec<u64>> {
    let dat = &whole.dats[whole.dat(coordinates).expect("the dat is there")];
    let Values::F64(x) = &dat.values else { panic!("coordinates are doubles") };
    let points: Vec<[f64; 2]> = x.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
    let low = |axis: usize| points.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
    let high = |axis: usize| points.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
    let side = (high(0) - low(0)).max(high(1) - low(1));
    let key = |point: [f64; 2]| {
        let step = |axis: usize| ((point[axis] - low(axis)) / side * 2f64.powi(32)) as u32;
        along_curve(step(0), step(1), 32)
    };
    let first_map = |from: usize, leads: &dyn Fn(usize) -> bool| {
        whole.maps.iter().find(|m| m.from == from && m.arity > 0 && leads(m.to))
    };
    let mut known: Vec<Option<Vec<u64>>> = (0..whole.sets.len())
        .map(|set| {
            if set == dat.set {
                return Some(points.iter().copied().map(key).collect());
            }
            let map = first_map(set, &|to| to == dat.set)?;
            let mean = |nodes: &[u64], axis: usize| {
                nodes.iter().map(|&n| points[n as usize][axis]).fold(0.0, |a, b| a + b) / nodes.len() as f64
            };
            Some(
                map.rows.chunks_exact(map.arity).map(|nodes| key([mean(nodes, 0), mean(nodes, 1)])).collect(),
            )
        })
        .collect();
    loop {
        let next =
            whole.maps.iter().find(|m| known[m.from].is_none() && m.arity > 0 && known[m.to].is_some());
        if let Some(map) = next {
            let targets = known[map.to].as_ref().expect("it was looked for");
            known[map.from] =
                Some(map.rows.chunks_exact(map.arity).map(|row| targets[row[0] as usize]).collect());
            continue;
        }
        let referred =
            whole.maps.iter().find(|m| known[m.to].is_none() && m.arity > 0 && known[m.from].is_some());
        let Some(map) = referred else { break };
        let sources = known[map.from].as_ref().expect("it was looked for");
        let refers =
            |source: usize, target: u64| map.rows[source * map.arity..][..map.arity].contains(&target);
        let lowest = |target: u64| {
            let own = (0..sources.len()).filter(|&source| refers(source, target));
            own.map(|source| sources[source]).min().unwrap_or(u64::MAX)
        };
        known[map.to] = Some((0..whole.sets[map.to].rows).map(lowest).collect());
    }
    let rows = |set: usize| whole.sets[set].rows as usize;
    known.into_iter().enumerate().map(|(set, keys)| keys.unwrap_or(vec![0; rows(set)])).collect()
}

/// The Hilbert curve from its picture. A square of 2^bits steps per side consists of four squares, visited in the order
/// lower left, upper left, upper right, lower right; the first is mirrored at the diagonal, the last at the other one.
fn along_curve(x: u32, y: u32, bits: u32) -> u64 {
    if bits == 0 {
        return 0;
    }
    let half = 1u32 << (bits - 1);
    let last = half - 1;
    let (right, up) = (x & last, y & last);
    let (visit, right, up) = match (x >= half, y >= half) {
        (false, false) => (0, up, right),
        (false, true) => (1, right, up),
        (true, true) => (2, right, up),
        (true, false) => (3, last - up, last - right),
    };
    (visit << (2 * (bits - 1))) + along_curve(right, up, bits - 1)
}

fn distributed(whole: &Mesh, owners: &[Vec<u32>], keys: &[Vec<u64>], ranks: usize) -> Vec<Layout> {
    Comm::simulate(ranks, |comm| {
        let (owners, keys) = (block_values(&comm, whole, owners), block_values(&comm, whole, keys));
        distribute_in_order(&comm, block(&comm, whole), &owners, &keys).expect("a valid mesh")
    })
}

/// A mesh of any kind with coordinates on one of its sets, many of them equal, some negative.
fn any_located_mesh() -> impl Strategy<Value = Mesh> {
    let numbers = prop::collection::vec(prop_oneof![-2i32..3, -1000i32..1000], 8..64);
    (any_mesh(), any::<usize>(), numbers).prop_map(|(mut mesh, set, numbers)| {
        let set = set % mesh.sets.len();
        let count = 2 * mesh.sets[set].rows as usize;
        let x = numbers.iter().cycle().take(count).map(|&n| f64::from(n) / 7.0).collect();
        mesh.add_dat("x", set, 2, Values::F64(x));
        mesh
    })
}

fn agrees_with_definition(whole: &Mesh, owners: &[Vec<u32>], ranks: usize) -> Result<(), TestCaseError> {
    let expected = keys_by_definition(whole, "x");
    prop_assert_eq!(&keys(whole, Order::Hilbert, "x", ranks), &expected);
    let layouts = brute_force::layouts(whole, owners, &expected, ranks as u32);
    for (rank, (found, expected)) in
        distributed(whole, owners, &expected, ranks).iter().zip(&layouts).enumerate()
    {
        prop_assert_eq!(found, expected, "rank {}", rank);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn keys_of_any_sets_and_their_halo_copies_agree_with_the_definitions(
        whole in any_located_mesh(),
        choices in prop::collection::vec(any::<u32>(), 1..64),
        ranks in 1usize..9,
        used in 1u32..9,
    ) {
        let owners = owners_of(&whole, &choices, used.min(ranks as u32));
        agrees_with_definition(&whole, &owners, ranks)?;
    }

    #[test]
    fn keys_of_grids_and_their_halo_copies_agree_with_the_definitions(
        whole in any_grid(),
        choices in prop::collection::vec(any::<u32>(), 1..64),
        ranks in 1usize..9,
        used in 1u32..9,
    ) {
        let owners = owners_of(&whole, &choices, used.min(ranks as u32));
        agrees_with_definition(&whole, &owners, ranks)?;
    }
}

/// Quads and triangles around a hole, longest in the direction in which ranks hold pieces, so that no piece has the
/// bounding box of the whole; with an extra set of every kind: one that refers only to edges, one that refers to that
/// one, one to which the first refers, one that nothing connects.
fn connected() -> Mesh {
    let mut whole = grid(11, 13, |i, j| match (i, j) {
        (4..=8, 3..=6) => Cell::Hole,
        _ if (i + j) % 3 == 0 => Cell::Triangle,
        _ => Cell::Quad,
    });
    let edges = whole.set("edges").expect("a grid has edges");
    let faces = whole.add_set("faces", 9);
    let groups = whole.add_set("groups", 4);
    let parents = whole.add_set("parents", 3);
    whole.add_set("island", 6);
    whole.add_map("group_nothing", groups, 0, 0, vec![]);
    whole.add_map("group_faces", groups, faces, 2, vec![8, 1, 0, 2, 5, 5, 3, 0]);
    whole.add_map("face_parent", faces, parents, 1, vec![2, 0, 0, 0, 2, 0, 2, 2, 2]);
    whole.add_map("face_edges", faces, edges, 2, (0..18).map(|i| i * 7 % 40).collect());
    whole
}

#[test]
fn keys_are_the_same_on_1_2_and_5_ranks() {
    let whole = connected();
    let expected = keys(&whole, Order::Hilbert, "x", 1);
    assert_eq!(expected, keys_by_definition(&whole, "x"));
    for ranks in [2, 5] {
        assert_eq!(keys(&whole, Order::Hilbert, "x", ranks), expected, "{ranks} ranks");
    }
}

/// Nodes are ordered one component after another, each from its rim; an element has the place of its first node,
/// and other sets follow as on the curve.
#[test]
fn the_order_of_cuthill_and_mckee_is_the_same_on_any_ranks_and_leads_from_neighbour_to_neighbour() {
    let whole = connected();
    let expected = keys(&whole, Order::CuthillMckee, "x", 1);
    for ranks in [2, 3, 5] {
        assert_eq!(keys(&whole, Order::CuthillMckee, "x", ranks), expected, "{ranks} ranks");
    }
    let nodes = whole.dats[whole.dat("x").expect("coordinates")].set;
    let mut sorted = expected[nodes].clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..whole.sets[nodes].rows).collect::<Vec<u64>>());
    let mut widest = 0;
    for map in whole.maps.iter().filter(|map| map.to == nodes && map.arity > 0) {
        for (row, key) in map.rows.chunks_exact(map.arity).zip(&expected[map.from]) {
            let of: Vec<u64> = row.iter().map(|&node| expected[nodes][node as usize]).collect();
            let (least, most) = (*of.iter().min().unwrap(), *of.iter().max().unwrap());
            assert_eq!(*key, least);
            widest = widest.max(most - least);
        }
    }
    // The grid is 12 nodes wide; the file's numbers of neighbours are up to 14 apart, those of a random order hundreds.
    assert!(widest <= 28, "{widest}");
    let faces = &expected[whole.set("faces").expect("the set is there")];
    let edges = &expected[whole.set("edges").expect("the set is there")];
    assert!(faces.iter().enumerate().all(|(face, key)| *key == edges[2 * face * 7 % 40]));
}

#[test]
fn sets_without_nodes_take_the_key_of_their_first_target_or_lowest_source_and_lone_sets_the_files_order() {
    let whole = connected();
    let keys = keys(&whole, Order::Hilbert, "x", 3);
    let of = |set: &str| &keys[whole.set(set).expect("the set is there")];
    for (face, key) in of("faces").iter().enumerate() {
        assert_eq!(*key, of("edges")[2 * face * 7 % 40], "face {face}");
    }
    assert_eq!(of("groups")[..], [8, 0, 5, 3].map(|face: usize| of("faces")[face]));
    let first_child = |children: &[usize]| children.iter().map(|&face| of("faces")[face]).min();
    let parents = [first_child(&[1, 2, 3, 5]), None, first_child(&[0, 4, 6, 7, 8])];
    assert_eq!(of("parents")[..], parents.map(|key| key.unwrap_or(u64::MAX)));
    assert_eq!(of("island")[..], [0; 6]);
}

#[test]
fn the_order_of_nodes_leads_from_neighbour_to_neighbour() {
    // 16 by 16 nodes, and 8 by 8 by 8 points, fill the leading bits of the curve.
    let square = grid(15, 15, |_, _| Cell::Quad);
    let mut cube = Mesh::default();
    let points = cube.add_set("points", 512);
    let place = |id: usize| [id % 8, id / 8 % 8, id / 64];
    cube.add_dat("x", points, 3, Values::F64((0..512).flat_map(|id| place(id).map(|p| p as f64)).collect()));

    let in_order = |whole: &Mesh| -> Vec<usize> {
        let keys = keys(whole, Order::Hilbert, "x", 2).swap_remove(0);
        let mut ids: Vec<usize> = (0..keys.len()).collect();
        ids.sort_by_key(|&id| (keys[id], id));
        ids
    };
    for pair in in_order(&square).windows(2) {
        let steps = (pair[0] % 16).abs_diff(pair[1] % 16) + (pair[0] / 16).abs_diff(pair[1] / 16);
        assert_eq!(steps, 1, "{pair:?}");
    }
    for pair in in_order(&cube).windows(2) {
        let (a, b) = (place(pair[0]), place(pair[1]));
        assert_eq!((0..3).map(|axis| a[axis].abs_diff(b[axis])).sum::<usize>(), 1, "{pair:?}");
    }
}

#[test]
fn three_dimensions_have_21_bits_an_axis_and_two_have_32() {
    // A far corner sets the scale: `step` from the near one is one unit of the finest curve, less is nothing.
    let key_of = |dim: usize, offset: f64| {
        let mut mesh = Mesh::default();
        let points = mesh.add_set("points", 3);
        let x = [0.0, offset, 1.0].into_iter().flat_map(|x| vec![x; dim]).collect();
        mesh.add_dat("x", points, dim, Values::F64(x));
        keys(&mesh, Order::Hilbert, "x", 1)[0][1]
    };
    for (dim, bits) in [(2, 32), (3, 21)] {
        let step = 0.5f64.powi(bits);
        assert_eq!(key_of(dim, 0.999 * step), 0, "{dim} dimensions");
        assert!((1..1 << dim).contains(&key_of(dim, step)), "{dim} dimensions");
        assert!(key_of(dim, 1.0) > 1 << (dim as i32 * bits - 1), "{dim} dimensions");
    }
}

#[test]
fn the_files_order_has_no_keys_and_is_what_distribute_gives() {
    let whole = grid(5, 4, |_, _| Cell::Quad);
    assert_eq!(keys(&whole, Order::File, "not looked at", 2), vec![Vec::<u64>::new(); 4]);
    let owners = |comm: &Comm| -> Vec<Vec<u32>> {
        let rows = |set: usize| whole.blocks(set, comm).range(comm.rank()).count();
        (0..4).map(|set| vec![1 - comm.rank() as u32; rows(set)]).collect()
    };
    let layouts = Comm::simulate(2, |comm| {
        let keys = canonical_keys(&comm, &block(&comm, &whole), Order::File, "x").expect("a valid mesh");
        let plain = distribute(&comm, block(&comm, &whole), &owners(&comm)).expect("a valid mesh");
        let ordered = distribute_in_order(&comm, block(&comm, &whole), &owners(&comm), &keys);
        (plain, ordered.expect("a valid mesh"))
    });
    for (plain, ordered) in layouts {
        assert_eq!(plain, ordered);
        assert!(plain.sets.iter().all(|set| set.order_keys.is_empty()));
    }
}

#[test]
fn coordinates_that_cannot_place_elements_are_refused_on_every_rank() {
    let mut whole = grid(3, 3, |_, _| Cell::Quad);
    whole.add_dat("height", 0, 1, Values::F64(vec![0.0; 16]));
    whole.add_dat("flags", 0, 2, Values::I32(vec![0; 32]));
    let mut holed = vec![0.5; 32];
    holed[2 * 13 + 1] = f64::INFINITY;
    whole.add_dat("holed", 0, 2, Values::F64(holed));
    let error = |coordinates: &str| {
        let mut errors = Comm::simulate(3, |comm| {
            canonical_keys(&comm, &block(&comm, &whole), Order::Hilbert, coordinates).unwrap_err()
        });
        errors.dedup();
        assert_eq!(errors.len(), 1, "the same on every rank");
        errors.swap_remove(0)
    };
    assert_eq!(error("holed"), PartitionError::NotFinite { set: "nodes".into(), row: 13 });
    assert!(error("y").to_string().starts_with("the mesh has no dat \"y\"; it has x,"));
    assert!(error("height").to_string().contains("it has dimension 1, and must have 2 or 3"));
    assert!(error("flags").to_string().contains("it must be double precision"));
}

#[test]
fn orders_are_known_by_the_names_they_print() {
    let orders = [("file", Order::File), ("hilbert", Order::Hilbert), ("cuthill-mckee", Order::CuthillMckee)];
    for (name, order) in orders {
        assert_eq!(name.parse(), Ok(order));
        assert_eq!(order.to_string(), name);
    }
    let message = "Hilbert".parse::<Order>().unwrap_err().to_string();
    assert_eq!(message, "unknown order \"Hilbert\"; use file, hilbert or cuthill-mckee");
}
