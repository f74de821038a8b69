//! Lines of nodes through boundary layers stay whole, and parts have equally many nodes, whoever divides.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;
use cfd_mesh::derive::lines::names;
use cfd_mesh::{DUAL, ElementKind, ElementMeshBuilder, Named, Request, WALL};
use cfd_partition::{Options, follow, partition, quality};

use crate::partitioners::methods;

/// The dual cells of 60 x 40 elements over a plate: each layer is higher than the one below, the upper ones have triangles.
fn plate(comm: &Comm) -> Mesh {
    let (columns, layers) = (60, 40);
    let heights = (0..layers).scan(0.0, |y, layer| {
        *y += 0.0005 * 1.2_f64.powi(layer.min(30));
        Some(*y)
    });
    let heights: Vec<f64> = [0.0].into_iter().chain(heights).collect();
    let at = |i: u64, j: u64| i + (columns + 1) * j;
    let mut builder = ElementMeshBuilder::new(2);
    if comm.is_root() {
        builder.add_nodes(heights.iter().flat_map(|&y| (0..=columns).flat_map(move |i| [0.1 * i as f64, y])));
        for (i, j) in (0..columns * layers as u64).map(|k| (k % columns, k / columns)) {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            match j < 30 {
                true => builder.add_elements(ElementKind::Quadrilateral, 0, [a, b, c, d]),
                false => builder.add_elements(ElementKind::Triangle, 0, [a, b, c, a, c, d]),
            }
        }
    }
    if comm.is_root() {
        let top = layers as u64;
        let along = (0..columns).flat_map(|i| [at(i, 0), at(i + 1, 0), at(i + 1, top), at(i, top)]);
        let up = (0..top).flat_map(|j| [at(columns, j), at(columns, j + 1), at(0, j + 1), at(0, j)]);
        builder.add_elements(ElementKind::Line, WALL.flag, along.chain(up));
    }
    let mesh = builder.build(comm).expect("a sound mesh");
    DUAL.derive(comm, &mesh, &Request { boundaries: &Named::by_flag(&[WALL]), levels: 1.into() })
        .expect("a sound mesh")
}

#[test]
fn every_partitioner_keeps_lines_whole_and_balances_their_nodes() {
    for method in methods() {
        for (ranks, parts) in [(1, 4), (3, 7)] {
            let imbalances = Comm::simulate(ranks, |comm| {
                let mesh = plate(&comm);
                let primary = DUAL.primary(&mesh);
                let lines = mesh.sets[mesh.set(names::LINES).unwrap()].rows;
                assert!(lines < mesh.sets[mesh.set("nodes").unwrap()].rows / 2, "{lines} lines are long");
                let options = Options { method: method.clone(), ..Options::default() };
                let divided = partition(&comm, &mesh, &primary, parts, &options).expect("a sound mesh");
                assert_eq!(divided.note, None);
                let owners = follow(&comm, &mesh, &primary, divided).expect("a sound mesh");
                // Along a line a node and the one after it have one owner.
                let (map, set) = (mesh.map(names::AFTER).unwrap(), mesh.set("nodes").unwrap());
                let all = comm.all_gather(&owners[set]).concat();
                for (own, &after) in owners[set].iter().zip(&mesh.maps[map].rows) {
                    assert_eq!(*own, all[after as usize], "{method} cuts a line");
                }
                let figures = quality(&comm, &mesh, &primary, &owners, parts).expect("a sound mesh");
                assert_eq!(figures.sets[figures.balanced].name, "nodes");
                assert_eq!(figures.empty_parts(), 0);
                figures.imbalance()
            });
            // To within the longest line, 41 nodes of 625 or of 357, at both ends.
            assert!(imbalances[0] < 1.15, "{method}, {parts} parts: {imbalances:?}");
        }
    }
}
