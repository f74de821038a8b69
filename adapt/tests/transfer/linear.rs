use cfd_engine::comm::Comm;

use crate::mesh::{FIRST, SECOND, SECOND_EXACT, adapt, at_centroids, at_vertices, largest_difference, start};

fn linear(p: &[f64; 2]) -> [f64; 2] {
    [1.0 + 2.0 * p[0] - 3.0 * p[1], 0.7 * p[1] - 5.0]
}

#[test]
fn linear_fields_at_vertices_stay_what_they_are() {
    Comm::simulate(3, |comm| {
        let mut mesh = start(&comm);
        mesh.add_vertex_field("v", 2, &at_vertices(&mesh, linear)).unwrap();
        for turn in 0..3 {
            adapt(&mut mesh, turn, 1);
        }
        let (found, exact) = (mesh.vertex_field("v").unwrap(), at_vertices(&mesh, linear));
        for v in mesh.local().own_vertices() {
            for i in 2 * v as usize..2 * v as usize + 2 {
                assert!((found[i] - exact[i]).abs() < 1e-13, "{} instead of {}", found[i], exact[i]);
            }
        }
    });
}

#[test]
fn linear_fields_of_second_order_stay_what_they_are_and_those_of_first_order_do_not() {
    for ranks in [1, 3] {
        Comm::simulate(ranks, |comm| {
            let mut mesh = start(&comm);
            for (name, rule) in [("first", FIRST), ("second", SECOND), ("exact", SECOND_EXACT)] {
                mesh.add_cell_field(name, 2, rule, &at_centroids(&mesh, linear)).unwrap();
            }
            for turn in 0..3 {
                adapt(&mut mesh, turn, 1);
            }
            let exact = at_centroids(&mesh, linear);
            let error = |name| largest_difference(&mesh, &mesh.cell_field(name).unwrap(), &exact, 2);
            assert!(error("second") < 1e-11, "{:e}", error("second"));
            assert!(error("exact") < 1e-11, "{:e}", error("exact"));
            assert!(error("first") > 1e-3, "{:e}", error("first"));
        });
    }
}
