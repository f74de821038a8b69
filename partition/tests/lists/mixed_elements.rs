//! Meshes of mixed elements are distributed like any other: nodes are partitioned, elements of all kinds follow.

use crate::partitioners::graph_partitioners;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;
use cfd_mesh::{ElementKind, ElementMesh, ElementMeshBuilder};
use cfd_partition::{Method, Options, Order, Primary, follow, layout, partition, quality};

/// A square of n x n squares, every third of which is cut into triangles; the boundary is in group 3.
fn mesh(comm: &Comm, n: u64) -> ElementMesh {
    let mut builder = ElementMeshBuilder::new(2);
    let at = |i: u64, j: u64| i + (n + 1) * j;
    // Rank 0 adds everything.
    if comm.is_root() {
        builder.add_nodes(
            (0..(n + 1) * (n + 1)).flat_map(|k| [k % (n + 1), k / (n + 1)]).map(|x| x as f64 / n as f64),
        );
        for (i, j) in (0..n * n).map(|k| (k % n, k / n)) {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            match (i + j) % 3 {
                0 => builder.add_elements(ElementKind::Triangle, 0, [a, b, c, a, c, d]),
                _ => builder.add_elements(ElementKind::Quadrilateral, 0, [a, b, c, d]),
            }
        }
        for k in 0..n {
            builder.add_elements(ElementKind::Line, 3, [at(k, 0), at(k + 1, 0), at(n, k), at(n, k + 1)]);
            builder.add_elements(ElementKind::Line, 3, [at(k + 1, n), at(k, n), at(0, k + 1), at(0, k)]);
        }
    }
    builder.build(comm).expect("a sound mesh")
}

#[test]
fn every_element_of_every_kind_has_one_owner_that_holds_its_nodes() {
    for method in [Method::Hilbert, Method::Rcb, Method::Metis] {
        for ranks in [1, 3, 4] {
            let found = Comm::simulate(ranks, |comm| {
                let mesh = mesh(&comm, 6);
                let primary = mesh.primary();
                let options = Options { method: method.clone(), ..Options::default() };
                let local = layout(&comm, mesh.mesh.clone(), &primary, &options, Order::Hilbert)
                    .expect("a sound mesh");
                local.check();
                // Areas of owned elements and lengths of owned lines, from local rows.
                let Values::F64(x) = &local.dats[0].values else { panic!("coordinates are numbers") };
                let mut sizes = [0.0; 3];
                for of_kind in mesh.elements() {
                    let map = &local.maps[of_kind.map];
                    let owned = &map.indices[..local.sets[of_kind.set].owned * map.arity];
                    for element in owned.chunks_exact(map.arity) {
                        let corners: Vec<f64> = element
                            .iter()
                            .flat_map(|&row| [x[2 * row as usize], x[2 * row as usize + 1]])
                            .collect();
                        sizes[of_kind.kind.dimension()] += of_kind.kind.measure(2, &corners);
                    }
                }
                let ids: Vec<Vec<u64>> =
                    local.sets.iter().map(|set| set.global_ids[..set.owned].to_vec()).collect();
                let rows: Vec<u64> = mesh.mesh.sets.iter().map(|set| set.rows).collect();
                (sizes, ids, rows)
            });
            let total = |d: usize| found.iter().map(|(sizes, ..)| sizes[d]).sum::<f64>();
            assert!(
                (total(2) - 1.0).abs() < 1e-12 && (total(1) - 4.0).abs() < 1e-12,
                "{method:?}, {ranks} ranks"
            );
            assert_eq!(found[0].2, [49, 24, 24, 24]);
            for (set, &rows) in found[0].2.iter().enumerate() {
                let mut ids: Vec<u64> = found.iter().flat_map(|(_, ids, _)| ids[set].clone()).collect();
                ids.sort_unstable();
                assert_eq!(ids, (0..rows).collect::<Vec<_>>(), "{method:?}, {ranks} ranks, set {set}");
            }
        }
    }
}

/// Two squares of n x n elements side by side: quadrilaterals on the left, triangles on the right.
fn halves(n: u64) -> ElementMesh {
    let mut builder = ElementMeshBuilder::new(2);
    let at = |i: u64, j: u64| i + (2 * n + 1) * j;
    builder.add_nodes(
        (0..(2 * n + 1) * (n + 1)).flat_map(|k| [k % (2 * n + 1), k / (2 * n + 1)]).map(|x| x as f64),
    );
    for (i, j) in (0..2 * n * n).map(|k| (k % (2 * n), k / (2 * n))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        match i < n {
            true => builder.add_elements(ElementKind::Quadrilateral, 0, [a, b, c, d]),
            false => builder.add_elements(ElementKind::Triangle, 0, [a, b, c, a, c, d]),
        }
    }
    builder.build(&Comm::single()).expect("a sound mesh")
}

#[test]
fn elements_of_several_kinds_are_one_graph() {
    let comm = Comm::single();
    let mesh = halves(24);
    let cut_into = |primary: &Primary, method: &Method| {
        let options = Options { method: method.clone(), ..Options::default() };
        let divided = partition(&comm, &mesh.mesh, primary, 6, &options).expect("a sound mesh");
        assert_eq!(divided.note, None);
        let owners = follow(&comm, &mesh.mesh, primary, divided).expect("a sound mesh");
        // Counted over all kinds, whatever the partitioner saw.
        quality(&comm, &mesh.mesh, &mesh.primary(), &owners, 6).expect("a sound mesh").edge_cut
    };
    assert_eq!(mesh.primary().graph, ["triangle_nodes", "quadrilateral_nodes"]);
    let boxes = cut_into(&mesh.primary(), &Method::Rcb);
    for method in graph_partitioners() {
        let (all, one) = (
            cut_into(&mesh.primary(), &method),
            cut_into(&Primary::located("nodes", "triangle_nodes"), &method),
        );
        assert!(all * 2 < 3 * boxes, "{method}: {all} elements are cut, by boxes {boxes}");
        assert!(one > 2 * all, "{method}: {one} are cut where one kind is seen, {all} where all are");
    }
}
