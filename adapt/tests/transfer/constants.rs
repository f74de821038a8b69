use cfd_adapt::transfer::Conserve;
use cfd_engine::comm::Comm;

use crate::mesh::{FIRST, FIRST_EXACT, SECOND, SECOND_EXACT, adapt, at_centroids, at_vertices, start};

const VALUES: [f64; 2] = [0.1, -1234.567];

#[test]
fn constants_stay_what_they_are_to_the_last_bit() {
    for ranks in [1, 3] {
        Comm::simulate(ranks, |comm| {
            let mut mesh = start(&comm);
            mesh.add_vertex_field("v", 2, &at_vertices(&mesh, |_| VALUES)).unwrap();
            mesh.add_cell_field("first", 2, FIRST, &at_centroids(&mesh, |_| VALUES)).unwrap();
            mesh.add_cell_field("second", 2, SECOND, &at_centroids(&mesh, |_| VALUES)).unwrap();
            let values = at_vertices(&mesh, |_| VALUES);
            mesh.add_nodal_field("n", 2, Conserve::Rounding, None, &values).unwrap();
            for turn in 0..3 {
                adapt(&mut mesh, turn, 1);
            }
            for values in [mesh.vertex_field("v").unwrap(), mesh.nodal_field("n").unwrap()] {
                for v in mesh.local().own_vertices() {
                    assert_eq!(values[2 * v as usize..][..2], VALUES);
                }
            }
            for name in ["first", "second"] {
                let cells = mesh.cell_field(name).unwrap();
                for e in mesh.local().own_elements() {
                    assert_eq!(cells[2 * e as usize..][..2], VALUES, "{name}");
                }
            }
        });
    }
}

/// A unit is about 2^-60 of the whole mass, or less, an element a thousandth of the whole.
#[test]
fn constants_of_exact_fields_stay_what_they_are_to_a_unit_an_element() {
    Comm::simulate(2, |comm| {
        let mut mesh = start(&comm);
        for (name, rule) in [("first", FIRST_EXACT), ("second", SECOND_EXACT)] {
            mesh.add_cell_field(name, 1, rule, &at_centroids(&mesh, |_| [0.1])).unwrap();
        }
        mesh.add_nodal_field("n", 1, Conserve::Exact, None, &at_vertices(&mesh, |_| [0.1])).unwrap();
        for turn in 0..3 {
            adapt(&mut mesh, turn, 1);
        }
        for name in ["first", "second"] {
            let cells = mesh.cell_field(name).unwrap();
            let worst =
                mesh.local().own_elements().map(|e| (cells[e as usize] - 0.1).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-13, "{name}: {worst:e}");
        }
        let nodes = mesh.nodal_field("n").unwrap();
        let worst = mesh.local().own_vertices().map(|v| (nodes[v as usize] - 0.1).abs()).fold(0.0, f64::max);
        // Shares are rounded in each operation that a vertex sees.
        assert!(worst < 2e-15, "{worst:e}");
    });
}
