//! Metrics by name, and the published figures.

use cfd_adapt::mesh::Mesh;
use cfd_adapt::metric::Analytic;
use cfd_adapt::operation::Bounds;
use cfd_engine::comm::Comm;

use crate::square::{Wanted, adapt, lengths, mesh, quality};

/// Complexities of the metrics on the unit square.
const COMPLEXITIES: [(&str, f64); 6] = [
    ("linear", 255.84),
    ("linear-fine", 691.47),
    ("ramp", 255.84),
    ("polar-2", 758.72),
    ("cosine", 1954.3),
    ("radial", 1000.0),
];

/// From a uniform mesh of 20 by 20 squares: as many triangles as the complexity asks for, all edges within [.5, 1.8],
/// 95 of 100 within [.71, 1.41], and another adaptation changes nothing.
#[test]
fn meshes_have_the_wanted_complexity() {
    for (name, complexity) in COMPLEXITIES {
        let wanted = Wanted::Named(name.parse::<Analytic>().expect("a name"));
        let mut mesh = mesh(&Comm::single(), 20);
        let mut last = u64::MAX;
        for _ in 0..6 {
            last = adapt(&mut mesh, wanted, 1, Bounds::default()).total.changes();
        }
        let elements = mesh.counts()[1] as f64;
        assert!(last as f64 <= 0.01 * elements, "{name}: {last} operations with {elements} elements");
        // With all edges of length 1, triangles have the area 0.433. Sides of the square that are a few edges long cannot
        // be divided into edges of just that length.
        let (fewest, most) = (0.95 * complexity / 0.433, 1.04 * complexity / 0.433);
        assert!((fewest..=most).contains(&elements), "{name}: {elements} elements, not {fewest} to {most}");
        check_lengths(name, &mesh);
        let [least, mean] = quality(&mesh);
        assert!(least > 0.6 && mean > 0.9, "{name}: qualities {least} and {mean}");
    }
}

fn check_lengths(name: &str, mesh: &Mesh<2>) {
    let lengths = lengths(mesh);
    // An edge that cuts a corner of the square, between two of its sides, can be neither collapsed nor swapped.
    let least = if name == "radial" { 0.4 } else { 0.5 };
    assert!(lengths.iter().all(|length| (least..=1.8).contains(length)), "{name}: {:?}", extremes(&lengths));
    let good = lengths.iter().filter(|length| (0.71..=1.41).contains(*length)).count();
    assert!(good * 100 >= 95 * lengths.len(), "{name}: {good} of {}", lengths.len());
}

fn extremes(lengths: &[f64]) -> [f64; 2] {
    [lengths.iter().copied().fold(9.0, f64::min), lengths.iter().copied().fold(0.0, f64::max)]
}
