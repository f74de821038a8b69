//! The residuals of the published Airfoil program on its mesh of 45,000 cells, by the program as users run it.
//!
//! The published program takes its constants, and so does `configs/airfoil-published.toml`, from single precision. Its
//! residuals are known to 12 and 10 digits; what differs beyond is the order of sums.

#[path = "cli/launch.rs"]
mod launch;

use launch::{Place, ways};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/airfoil-published.toml");

/// The residuals after these iterations.
const PUBLISHED: [(usize, f64); 2] = [(100, 5.09639642815e-04), (200, 3.033922770e-04)];

#[test]
fn the_mesh_of_45_000_cells_gives_the_published_residuals() {
    let place = Place::new();
    for ranks in ways() {
        let size = "mesh.generate.size=[100, 150]";
        place
            .run(ranks, &["--config", CONFIG, "--set", size, "--iterations", "200", "--out", "out"])
            .succeeded();
        assert_eq!(place.summary("out")["mesh"]["cells"], 45_000);
        for (iteration, published) in PUBLISHED {
            let residual = place.residuals("out")[iteration - 1];
            let off = (residual / published - 1.0).abs();
            assert!(off < 1e-9, "{ranks:?}: {residual:e} after {iteration} iterations, off by {off:e}");
        }
    }
}
