//! The reference against hand calculations, and its refusals.

use cfd_reference::{Airfoil, Constants, Mesh, WALL};

/// A channel of `n` by `n` slanted cells, `sides` for all its boundary edges.
fn channel(n: u32, sides: i32) -> Mesh {
    let node = |i: u32, j: u32| i + (n + 1) * j;
    let cell = |i: u32, j: u32| i + n * j;
    let mut mesh = Mesh::default();
    for j in 0..=n {
        for i in 0..=n {
            mesh.x.push([f64::from(i) + 0.3 * f64::from(j), f64::from(j) - 0.1 * f64::from(i)]);
        }
    }
    for j in 0..n {
        for i in 0..n {
            mesh.cell_nodes.push([node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]);
            if i > 0 {
                mesh.edge_nodes.push([node(i, j), node(i, j + 1)]);
                mesh.edge_cells.push([cell(i, j), cell(i - 1, j)]);
            }
            if j > 0 {
                mesh.edge_nodes.push([node(i, j), node(i + 1, j)]);
                mesh.edge_cells.push([cell(i, j - 1), cell(i, j)]);
            }
        }
    }
    let mut bedge = |nodes, cell| {
        mesh.bedge_nodes.push(nodes);
        mesh.bedge_cell.push(cell);
        mesh.bedge_bound.push(sides);
    };
    for k in 0..n {
        bedge([node(k + 1, 0), node(k, 0)], cell(k, 0));
        bedge([node(k, n), node(k + 1, n)], cell(k, n - 1));
        bedge([node(0, k), node(0, k + 1)], cell(0, k));
        bedge([node(n, k + 1), node(n, k)], cell(n - 1, k));
    }
    mesh
}

#[test]
fn the_free_stream_stays_where_there_is_no_body() {
    let constants = Constants { alpha: 7.0, ..Constants::default() };
    let mut airfoil = Airfoil::new(channel(8, 2), constants).unwrap();
    for _ in 0..20 {
        assert!(airfoil.iterate() < 1e-14);
    }
    for q in airfoil.q() {
        for (value, expected) in q.iter().zip(constants.free_stream()) {
            assert!((value - expected).abs() < 1e-14);
        }
    }
}

#[test]
fn nothing_flows_through_walls_around_gas_at_rest() {
    let constants = Constants { mach: 0.0, ..Constants::default() };
    let mut airfoil = Airfoil::new(channel(8, WALL), constants).unwrap();
    for _ in 0..20 {
        assert!(airfoil.iterate() < 1e-14);
    }
}

#[test]
fn a_closed_box_in_motion_feels_its_walls() {
    let mut airfoil = Airfoil::new(channel(8, WALL), Constants::default()).unwrap();
    assert!(airfoil.iterate() > 1e-3);
}

#[test]
fn an_angle_of_attack_turns_the_free_stream_and_keeps_its_speed() {
    let straight = Constants::default().free_stream();
    let turned = Constants { alpha: 90.0, ..Constants::default() }.free_stream();
    assert_eq!((straight[0], straight[2], straight[3]), (turned[0], 0.0, turned[3]));
    assert!((turned[2] - straight[1]).abs() < 1e-15 && turned[1].abs() < 1e-15);
    assert_eq!(straight[1], 1.4f64.sqrt() * 0.4);
}

#[test]
fn a_text_mesh_is_read_and_its_faults_are_named() {
    let good = "4 1 0 4\n0 0\n1 0\n1 1\n0 1\n0 1 2 3\n1 0 0 1\n2 1 0 2\n3 2 0 2\n0 3 0 2\n";
    let mesh: Mesh = good.parse().unwrap();
    assert_eq!(mesh.x[2], [1.0, 1.0]);
    assert_eq!((mesh.cell_nodes[0], mesh.bedge_nodes[1]), ([0, 1, 2, 3], [2, 1]));
    assert_eq!((&mesh.bedge_cell[..], &mesh.bedge_bound[..]), (&[0; 4][..], &[1, 2, 2, 2][..]));
    for (text, message) in [
        (good.replace("4 1 0 4", "4 1 0 x"), "word 3 (\"x\") is no number of a header"),
        (good.replace("0 3 0 2", "0 3"), "the file ends inside a boundary edge"),
        (format!("{good}7"), "word 32 (\"7\") after the last boundary edge"),
    ] {
        assert_eq!(text.parse::<Mesh>().unwrap_err().to_string(), message);
    }
}

#[test]
fn an_index_that_names_no_row_and_maps_of_different_lengths_are_refused() {
    let refusal = |mesh| Airfoil::new(mesh, Constants::default()).err().unwrap().to_string();
    let mut mesh = channel(2, 2);
    mesh.edge_cells[1][0] = 4;
    assert_eq!(refusal(mesh), "edge_cells: row 1 is [4, 2], but there are 4 rows");
    let mut mesh = channel(2, 2);
    mesh.bedge_bound.pop();
    assert_eq!(refusal(mesh), "bedge_bound: 7 rows, expected 8");
}
