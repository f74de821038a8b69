//! Each rule is broken once, in an otherwise good mesh; the message names file, dataset and row.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use super::CELL_EDGES;
use crate::{BoundaryKind, Defect, FAR_FIELD, WALL, generate};

/// The usual kinds of boundaries.
pub(in crate::derive) const KINDS: &[BoundaryKind] = &[WALL, FAR_FIELD];

/// Breaks a value at a global position of a map; each rank changes its own block.
pub(in crate::derive) fn set(comm: &Comm, mesh: &mut Mesh, map: &str, row: u64, k: usize, value: u64) {
    let map = mesh.map(map).unwrap();
    let own = mesh.blocks(mesh.maps[map].from, comm).range(comm.rank());
    if own.contains(&row) {
        let arity = mesh.maps[map].arity;
        mesh.maps[map].rows[(row - own.start) as usize * arity + k] = value;
    }
}

pub(in crate::derive) fn set_x(comm: &Comm, mesh: &mut Mesh, row: u64, k: usize, value: f64) {
    let own = mesh.blocks(0, comm).range(comm.rank());
    if own.contains(&row) {
        let Values::F64(x) = &mut mesh.dats[0].values else { panic!("coordinates are f64") };
        x[2 * (row - own.start) as usize + k] = value;
    }
}

/// The message for a broken 4 x 3 block (20 nodes, 17 edges, 14 boundary edges, 12 cells), the same on 1 and 3 ranks.
fn message(change: impl Fn(&Comm, &mut Mesh) + Sync) -> String {
    let check = |comm: Comm| {
        let mut mesh = generate::block(&comm, 4, 3).unwrap();
        change(&comm, &mut mesh);
        CELL_EDGES.check(&comm, &mesh, KINDS)
    };
    let errors: Vec<Defect> =
        [1, 3].into_iter().flat_map(|n| Comm::simulate(n, check)).map(|r| r.unwrap_err()).collect();
    assert!(errors.iter().all(|e| *e == errors[0]), "{errors:?}");
    errors[0].to_string()
}

pub(in crate::derive) fn assert_parts(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no {part:?} in {message:?}");
    }
}

#[test]
fn good_meshes_pass_on_any_number_of_ranks() {
    for ranks in [1, 2, 5, 40] {
        Comm::simulate(ranks, |comm| {
            let check = |mesh: Mesh| CELL_EDGES.check(&comm, &mesh, KINDS).unwrap();
            check(generate::block(&comm, 1, 1).unwrap());
            check(generate::block(&comm, 5, 4).unwrap());
            for (i, j, decimals) in [(2, 1, None), (3, 2, Some(6)), (10, 15, None), (10, 15, Some(6))] {
                check(generate::naca0012::cells(&comm, i, j, decimals).unwrap());
            }
        });
    }
}

#[test]
fn a_fine_airfoil_mesh_passes() {
    // More columns than the surface has points, so that the spline is extrapolated at the trailing edge.
    let comm = Comm::single();
    let mesh = generate::naca0012::cells(&comm, 600, 4, Some(6)).unwrap();
    CELL_EDGES.check(&comm, &mesh, KINDS).unwrap();
}

#[test]
fn triangles_among_quadrilaterals_pass() {
    // Quadrilateral 0 1 4 3 and triangle 1 2 4, then the free sides.
    let mut mesh = Mesh::default();
    let nodes = mesh.add_set("nodes", 5);
    let edges = mesh.add_set("edges", 1);
    let bedges = mesh.add_set("bedges", 5);
    let cells = mesh.add_set("cells", 2);
    mesh.add_map("edge_nodes", edges, nodes, 2, vec![1, 4]);
    mesh.add_map("edge_cells", edges, cells, 2, vec![1, 0]);
    mesh.add_map("bedge_nodes", bedges, nodes, 2, vec![1, 0, 2, 1, 4, 2, 3, 4, 0, 3]);
    mesh.add_map("bedge_cell", bedges, cells, 1, vec![0, 1, 1, 0, 0]);
    mesh.add_map("cell_nodes", cells, nodes, 4, vec![0, 1, 4, 3, 1, 2, 4, 4]);
    mesh.add_dat("x", nodes, 2, Values::F64(vec![0., 0., 1., 0., 2., 0., 0., 1., 1., 1.]));
    mesh.add_dat("bound", bedges, 1, Values::I32(vec![2; 5]));
    let check = |mesh: &Mesh| CELL_EDGES.check(&Comm::single(), mesh, KINDS);
    check(&mesh).unwrap();
    mesh.maps[4].rows[7] = 1;
    let message = check(&mesh).unwrap_err().to_string();
    assert_parts(&message, &["`cell_nodes` row 1: degenerate cell: node 1 is both"]);
}

#[test]
fn an_index_out_of_range_names_row_value_and_range() {
    let m = message(|comm, mesh| set(comm, mesh, "edge_cells", 11, 1, 12));
    assert_eq!(m, "`edge_cells` row 11: index 12 is out of range; allowed are the cells 0 to 11");
    let m = message(|comm, mesh| set(comm, mesh, "cell_nodes", 7, 3, u64::MAX));
    assert_parts(&m, &["`cell_nodes` row 7", "allowed are the nodes 0 to 19"]);
}

#[test]
fn the_lowest_of_several_bad_rows_is_named() {
    let m = message(|comm, mesh| {
        for row in [13, 5, 9] {
            set(comm, mesh, "edge_nodes", row, 0, 99);
        }
    });
    assert_parts(&m, &["`edge_nodes` row 5: index 99"]);
}

#[test]
fn a_coordinate_that_is_not_finite_is_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let m = message(|comm, mesh| set_x(comm, mesh, 13, 1, bad));
        assert_parts(&m, &["`node_coordinates` row 13: the coordinate ", "not a finite number"]);
    }
}

#[test]
fn an_unknown_flag_is_refused() {
    for bad in [0, 3, -1] {
        let m = message(|comm, mesh| {
            let own = mesh.blocks(2, comm).range(comm.rank());
            let Values::I32(bound) = &mut mesh.dats[1].values else { panic!("flags are i32") };
            if own.contains(&6) {
                bound[(6 - own.start) as usize] = bad;
            }
        });
        assert_parts(&m, &[&format!("`bedge_bound` row 6: the flag {bad} is unknown"), "1 (wall) or 2"]);
    }
}

#[test]
fn a_repeated_node_is_a_degenerate_cell() {
    let m = message(|comm, mesh| set(comm, mesh, "cell_nodes", 4, 1, 5));
    assert_parts(&m, &["`cell_nodes` row 4: degenerate cell: node 5"]);
}

#[test]
fn a_clockwise_or_flat_cell_is_refused() {
    // Node 6 is the upper right corner of cell 0; beyond the opposite corner it turns cells over.
    let m = message(|comm, mesh| {
        set_x(comm, mesh, 6, 0, -9.0);
        set_x(comm, mesh, 6, 1, -9.0);
    });
    assert_parts(&m, &["`cell_nodes` row 0: degenerate cell: its area is -", "counter-clockwise"]);
    let m = message(|comm, mesh| {
        for node in 0..20 {
            set_x(comm, mesh, node, 1, 0.0);
        }
    });
    assert_parts(&m, &["`cell_nodes` row 0: degenerate cell: its area is 0e0"]);
}

#[test]
fn a_duplicate_cell_is_refused_even_when_rotated() {
    let m = message(|comm, mesh| {
        for (k, node) in [1, 6, 5, 0].into_iter().enumerate() {
            set(comm, mesh, "cell_nodes", 9, k, node);
        }
    });
    assert_parts(&m, &["`cell_nodes` row 9: duplicate cell: row 0 has the same nodes"]);
}

#[test]
fn a_node_of_no_cell_is_an_extra_row() {
    let check = |comm: Comm| {
        let mut mesh = generate::block(&comm, 4, 3).unwrap();
        mesh.sets[0].rows = 21;
        let own = mesh.blocks(0, &comm).range(comm.rank());
        let Values::F64(x) = &mut mesh.dats[0].values else { panic!("coordinates are f64") };
        // Good cells on every rank, whatever coordinates the blocks now have: one cell's corners repeat.
        *x = own.flat_map(|r| [(r % 5) as f64, (r / 5) as f64]).collect();
        CELL_EDGES.check(&comm, &mesh, KINDS).unwrap_err().to_string()
    };
    for m in [1, 3].into_iter().flat_map(|n| Comm::simulate(n, check)) {
        assert_parts(&m, &["`node_coordinates` row 20: extra row: the node belongs to no cell"]);
    }
}

#[test]
fn an_edge_between_a_cell_and_itself_is_refused() {
    // Edge 0 is the top of cell 0.
    let m = message(|comm, mesh| set(comm, mesh, "edge_cells", 0, 1, 0));
    assert_parts(&m, &["`edge_cells` row 0: both cells are 0"]);
}

#[test]
fn an_edge_whose_nodes_are_not_its_cells_is_refused() {
    let m = message(|comm, mesh| set(comm, mesh, "edge_nodes", 0, 1, 12));
    assert_parts(&m, &["`edge_nodes` row 0: the nodes 5 and 12 are not a side of cell 0 nor of cell 4"]);
    // Its nodes are a side of one cell, and the other cell is not near.
    let m = message(|comm, mesh| set(comm, mesh, "edge_cells", 0, 1, 11));
    assert_parts(
        &m,
        &["`edge_nodes` row 0: ", "not a side of cell 11, and no side of it lies at the same place"],
    );
}

#[test]
fn a_boundary_edge_whose_nodes_are_not_its_cells_is_refused() {
    let m = message(|comm, mesh| set(comm, mesh, "bedge_cell", 2, 0, 9));
    assert_parts(&m, &["`bedge_nodes` row 2: the nodes 3 and 2 are not a side of cell 9"]);
}

#[test]
fn wrong_orientation_is_refused() {
    // Edge 0 has nodes 5, 6 and cells 0, 4; boundary edge 0 nodes 1, 0.
    let m = message(|comm, mesh| {
        set(comm, mesh, "edge_nodes", 0, 0, 6);
        set(comm, mesh, "edge_nodes", 0, 1, 5);
    });
    assert_parts(&m, &["`edge_nodes` row 0: wrong orientation", "right", "swap the nodes"]);
    let m = message(|comm, mesh| {
        set(comm, mesh, "edge_cells", 0, 0, 4);
        set(comm, mesh, "edge_cells", 0, 1, 0);
    });
    assert_parts(&m, &["`edge_nodes` row 0: wrong orientation"]);
    let m = message(|comm, mesh| {
        set(comm, mesh, "bedge_nodes", 0, 0, 0);
        set(comm, mesh, "bedge_nodes", 0, 1, 1);
    });
    assert_parts(&m, &["`bedge_nodes` row 0: wrong orientation"]);
}

#[test]
fn wrong_orientation_on_the_cut_line_is_refused() {
    let comm = Comm::single();
    let mut mesh = generate::naca0012::cells(&comm, 4, 3, None).unwrap();
    let check = |mesh: &Mesh| CELL_EDGES.check(&comm, mesh, KINDS).unwrap_err().to_string();
    // Edge 0 is on the cut line.
    mesh.maps[1].rows.swap(0, 1);
    assert_parts(&check(&mesh), &["`edge_nodes` row 0: wrong orientation"]);
    mesh.maps[1].rows.swap(0, 1);
    // Another cell on the cut line, whose side is elsewhere.
    mesh.maps[1].rows[0] -= 1;
    assert_parts(&check(&mesh), &["`edge_nodes` row 0: ", "no side of it lies at the same place"]);
}

#[test]
fn two_edges_on_one_side_are_refused() {
    // Edge 2 becomes a copy of edge 0.
    let m = message(|comm, mesh| {
        for (k, node) in [5, 6].into_iter().enumerate() {
            set(comm, mesh, "edge_nodes", 2, k, node);
        }
        set(comm, mesh, "edge_cells", 2, 0, 0);
        set(comm, mesh, "edge_cells", 2, 1, 4);
    });
    assert_parts(
        &m,
        &[
            "`edge_nodes` row 2: the side between nodes 6 and 5 of cell 0 already belongs to `edge_nodes` row 0",
        ],
    );
}

#[test]
fn a_side_without_edge_is_a_missing_row() {
    // The last boundary edge is gone: the left side of cell 0.
    let check = |comm: Comm| {
        let mut mesh = generate::block(&comm, 4, 3).unwrap();
        let (rows, bedges) = (13, mesh.set("bedges").unwrap());
        let all: Vec<u64> = comm.all_gather(&mesh.maps[2].rows).concat();
        let cells: Vec<u64> = comm.all_gather(&mesh.maps[3].rows).concat();
        mesh.sets[bedges].rows = rows;
        let own = mesh.blocks(bedges, &comm).range(comm.rank());
        let own = own.start as usize..own.end as usize;
        mesh.maps[2].rows = all[2 * own.start..2 * own.end].to_vec();
        mesh.maps[3].rows = cells[own.clone()].to_vec();
        mesh.dats[1].values = Values::I32(vec![2; own.len()]);
        CELL_EDGES.check(&comm, &mesh, KINDS).unwrap_err().to_string()
    };
    for m in [1, 3].into_iter().flat_map(|n| Comm::simulate(n, check)) {
        assert_parts(
            &m,
            &["`cell_nodes` row 0: the side between nodes 5 and 0 belongs to no edge", "missing"],
        );
    }
}

#[test]
fn a_mesh_of_another_shape_is_refused() {
    let m = message(|_, mesh| {
        mesh.maps.remove(4);
    });
    assert_parts(&m, &["`cell_nodes`: the mesh has no `cell_nodes`"]);
    let m = message(|_, mesh| mesh.dats[1].values = Values::F64(vec![1.0]));
    assert_parts(&m, &["`bedge_bound`", "expected I32"]);
    let m = message(|_, mesh| mesh.maps[0].arity = 4);
    assert_parts(&m, &["`edge_nodes`: it has 4 values on each of `edges`, expected 2"]);
}
