//! Each rule for bilinear elements is broken once, in an otherwise good mesh.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use super::BILINEAR;
use crate::derive::cell_edges::tests::{KINDS, assert_parts, set, set_x};
use crate::{Boundaries, Defect, ElementKind, ElementMeshBuilder, Given, generate};

fn check(comm: &Comm, mesh: &Mesh) -> Result<(), Defect> {
    BILINEAR.check(comm, mesh, KINDS)
}

/// The message for a broken 4 x 4 square (25 nodes, 16 cells, 16 boundary nodes), the same on 1 and 3 ranks.
fn message(change: impl Fn(&Comm, &mut Mesh) + Sync) -> String {
    let check = |comm: Comm| {
        let mut mesh = generate::square(&comm, 4, 0.2).unwrap();
        change(&comm, &mut mesh);
        check(&comm, &mesh)
    };
    let errors: Vec<Defect> =
        [1, 3].into_iter().flat_map(|n| Comm::simulate(n, check)).map(|r| r.unwrap_err()).collect();
    assert!(errors.iter().all(|e| *e == errors[0]), "{errors:?}");
    errors[0].to_string()
}

#[test]
fn good_meshes_pass_on_any_number_of_ranks() {
    for ranks in [1, 2, 5, 40] {
        Comm::simulate(ranks, |comm| {
            for (n, perturb) in [(1, 0.0), (4, 0.0), (6, 0.249)] {
                check(&comm, &generate::square(&comm, n, perturb).unwrap()).unwrap();
            }
            for (i, j, decimals) in [(2, 1, None), (3, 2, Some(6)), (10, 15, None), (10, 15, Some(6))] {
                check(&comm, &generate::naca0012::elements(&comm, i, j, decimals).unwrap()).unwrap();
            }
        });
    }
}

#[test]
fn fine_meshes_around_the_airfoil_pass() {
    // The second has more columns than the surface has points, so the spline is extrapolated at the trailing edge.
    let comm = Comm::single();
    for (i, j) in [(100, 150), (600, 4)] {
        check(&comm, &generate::naca0012::elements(&comm, i, j, Some(6)).unwrap()).unwrap();
    }
}

#[test]
fn triangles_among_quadrilaterals_pass() {
    // Quadrilateral 0 1 4 3, and triangle 1 2 4 next to it.
    let mut mesh = Mesh::default();
    let nodes = mesh.add_set("nodes", 5);
    let cells = mesh.add_set("cells", 2);
    let bnodes = mesh.add_set("bnodes", 1);
    mesh.add_map("cell_nodes", cells, nodes, 4, vec![0, 1, 3, 4, 1, 2, 4, 4]);
    mesh.add_map("bnode_node", bnodes, nodes, 1, vec![2]);
    mesh.add_dat("x", nodes, 2, Values::F64(vec![0., 0., 1., 0., 2., 0., 0., 1., 1., 1.]));
    check(&Comm::single(), &mesh).unwrap();
    mesh.maps[0].rows[7] = 1;
    let message = check(&Comm::single(), &mesh).unwrap_err().to_string();
    assert_parts(&message, &["`cell_nodes` row 1: degenerate cell: node 1 is both"]);
}

#[test]
fn an_index_out_of_range_names_row_value_and_range() {
    let m = message(|comm, mesh| set(comm, mesh, "cell_nodes", 7, 3, 25));
    assert_eq!(m, "`cell_nodes` row 7: index 25 is out of range; allowed are the nodes 0 to 24");
    let m = message(|comm, mesh| set(comm, mesh, "bnode_node", 15, 0, u64::MAX));
    assert_parts(&m, &["`bnode_node` row 15: index 18446744073709551615 is out of range"]);
}

#[test]
fn a_coordinate_that_is_not_finite_is_refused() {
    for bad in [f64::NAN, f64::INFINITY] {
        let m = message(|comm, mesh| set_x(comm, mesh, 13, 1, bad));
        assert_parts(&m, &["`node_coordinates` row 13: the coordinate ", "not a finite number"]);
    }
}

#[test]
fn a_repeated_node_is_a_degenerate_cell() {
    let m = message(|comm, mesh| set(comm, mesh, "cell_nodes", 4, 2, 6));
    assert_parts(&m, &["`cell_nodes` row 4: degenerate cell: node 6 is both its node 1 and its node 2"]);
}

#[test]
fn a_cell_in_counter_clockwise_order_is_refused() {
    // Cell 5 is 6 7 11 12; around it, 6 7 12 11: a bow tie, whose area is of the order of the perturbation.
    let around = |comm: &Comm, mesh: &mut Mesh| {
        set(comm, mesh, "cell_nodes", 5, 2, 12);
        set(comm, mesh, "cell_nodes", 5, 3, 11);
    };
    assert_parts(&message(around), &["`cell_nodes` row 5: folded cell", "(0,0), (1,0), (0,1), (1,1)"]);
    let comm = Comm::single();
    let mut even = generate::square(&comm, 4, 0.0).unwrap();
    around(&comm, &mut even);
    let m = check(&comm, &even).unwrap_err().to_string();
    assert_parts(&m, &["`cell_nodes` row 5: degenerate cell: its area is 0e0", "(0,0), (1,0), (0,1), (1,1)"]);
}

#[test]
fn a_mirrored_cell_has_negative_area() {
    let m = message(|comm, mesh| {
        for (k, node) in [7, 6, 12, 11].into_iter().enumerate() {
            set(comm, mesh, "cell_nodes", 5, k, node);
        }
    });
    assert_parts(&m, &["`cell_nodes` row 5: degenerate cell: its area is -"]);
}

#[test]
fn a_cell_folded_at_one_corner_is_refused_though_its_area_is_positive() {
    // The upper right corner of cell 0, and no other cell's node, near the lower left one.
    let comm = Comm::single();
    let mut mesh = generate::square(&comm, 1, 0.0).unwrap();
    set_x(&comm, &mut mesh, 3, 0, 0.35);
    set_x(&comm, &mut mesh, 3, 1, 0.35);
    assert_eq!(mesh.dats[0].values, Values::F64(vec![0., 0., 1., 0., 0., 1., 0.35, 0.35]));
    let m = check(&comm, &mesh).unwrap_err().to_string();
    assert_parts(&m, &["`cell_nodes` row 0: folded cell: at its Gauss point (0.789, 0.789)", "convex"]);
}

#[test]
fn a_duplicate_cell_is_refused_even_when_turned() {
    let m = message(|comm, mesh| {
        for (k, node) in [6, 1, 5, 0].into_iter().enumerate() {
            // Cell 0, rotated by a quarter turn.
            set(comm, mesh, "cell_nodes", 9, [1, 0, 3, 2][k], node);
        }
    });
    assert_parts(&m, &["`cell_nodes` row 9: duplicate cell: row 0 has the same nodes"]);
}

#[test]
fn overlapping_cells_are_refused() {
    // The upper left corner of cell 9 (11 12 16 17) becomes that of cell 13, so that both run from 22 to 21.
    let m = message(|comm, mesh| {
        set(comm, mesh, "cell_nodes", 9, 2, 21);
        set(comm, mesh, "cell_nodes", 9, 3, 22);
    });
    assert_parts(
        &m,
        &["`cell_nodes` row 13: the side between nodes 22 and 21 belongs to cell 9 in the same direction"],
    );
}

#[test]
fn a_node_of_no_cell_is_an_extra_row() {
    let check = |comm: Comm| {
        let mut mesh = generate::square(&comm, 4, 0.0).unwrap();
        mesh.sets[0].rows = 26;
        let own = mesh.blocks(0, &comm).range(comm.rank());
        let place = |r: u64| [(r % 5) as f64, (r / 5) as f64];
        mesh.dats[0].values = Values::F64(own.flat_map(place).collect());
        check(&comm, &mesh).unwrap_err().to_string()
    };
    for m in [1, 3].into_iter().flat_map(|n| Comm::simulate(n, check)) {
        assert_parts(&m, &["`node_coordinates` row 25: extra row: the node belongs to no cell"]);
    }
}

#[test]
fn a_far_field_node_named_twice_is_refused() {
    let m = message(|comm, mesh| set(comm, mesh, "bnode_node", 12, 0, 3));
    assert_parts(&m, &["`bnode_node` row 12: duplicate far-field node: row 3 is also node 3"]);
}

#[test]
fn a_mesh_of_another_shape_is_refused() {
    let m = message(|_, mesh| {
        mesh.maps.remove(1);
    });
    assert_parts(&m, &["`bnode_node`: the mesh has no `bnode_node`"]);
    let cells = generate::naca0012::cells(&Comm::single(), 3, 2, None).unwrap();
    assert_parts(&check(&Comm::single(), &cells).unwrap_err().to_string(), &["no set `bnodes`"]);
}

#[test]
fn a_folded_quadrilateral_is_refused_with_its_row_when_elements_are_made() {
    let found = |comm: Comm| {
        let mut builder = ElementMeshBuilder::new(2);
        if comm.is_root() {
            // One of the corners of the quadrilateral points into it: its area is positive.
            builder.add_nodes([0., 0., 1., 0., 1., 1., 0., 1., 0.25, 0.75]);
            builder.add_elements(ElementKind::Triangle, 0, [0, 1, 4]);
            builder.add_elements(ElementKind::Quadrilateral, 0, [4, 2, 3, 0]);
            builder.add_elements(ElementKind::Triangle, 0, [1, 2, 4]);
            builder.add_elements(ElementKind::Line, 1, [0, 1, 1, 2, 2, 3, 3, 0]);
        }
        builder.name_group(1, 1, "outer");
        let given = Given::Elements(builder.build(&comm).unwrap());
        given.prepare(&comm, &[&BILINEAR], &Boundaries::default(), 1).unwrap_err().to_string()
    };
    let messages: Vec<String> = [1, 3].into_iter().flat_map(|ranks| Comm::simulate(ranks, found)).collect();
    assert!(messages.iter().all(|other| *other == messages[0]), "{messages:?}");
    assert_parts(
        &messages[0],
        &[
            "quadrilateral 0, at (0.3125, 0.6875), is folded: at its Gauss point (0.211, 0.211) the Jacobian",
            "expected a convex cell",
        ],
    );
}
