use cfd_adapt::mesh::Mesh;
use cfd_engine::comm::Comm;

use crate::mesh::{FIRST, SECOND, adapt, at_centroids, start};

fn disk(p: &[f64; 2]) -> [f64; 1] {
    let inside = (p[0] - 0.4) * (p[0] - 0.4) + (p[1] - 0.5) * (p[1] - 0.5) < 0.09;
    [if inside { 1.0 } else { 0.0 }]
}

/// The integral of |u - u_0|, by midpoints; lowest and highest value.
fn spread(mesh: &Mesh<2>, name: &str) -> [f64; 3] {
    let (values, exact) = (mesh.cell_field(name).unwrap(), at_centroids(mesh, disk));
    let own = || mesh.local().own_elements().map(|e| e as usize);
    let error = own().map(|e| (values[e] - exact[e]).abs() * mesh.local().measure(e as u32));
    let low = own().map(|e| values[e]).fold(f64::INFINITY, f64::min);
    let high = own().map(|e| values[e]).fold(f64::NEG_INFINITY, f64::max);
    [mesh.exact_sum(error), low, high]
}

#[test]
fn a_step_spreads_without_new_extremes_in_first_order_and_less_in_second() {
    Comm::simulate(1, |comm| {
        let mut mesh = start(&comm);
        mesh.add_cell_field("first", 1, FIRST, &at_centroids(&mesh, disk)).unwrap();
        mesh.add_cell_field("second", 1, SECOND, &at_centroids(&mesh, disk)).unwrap();
        for turn in 0..10 {
            adapt(&mut mesh, turn, 1);
        }
        let [first, second] = ["first", "second"].map(|name| spread(&mesh, name));
        eprintln!("first {first:?}, second {second:?}");
        assert!(first[1] >= 0.0 && first[2] <= 1.0, "{first:?}");
        assert!(second[1] >= -0.05 && second[2] <= 1.05, "{second:?}");
        assert!(second[0] < 0.75 * first[0], "{second:?} {first:?}");
    });
}
