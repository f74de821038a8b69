//! The residuals of the published Airfoil program on its mesh of 45,000 cells, by the program as users run it.
//!
//! The published program takes its constants, and so does `configs/airfoil-published.toml`, from single precision. Its
//! residuals are known to 12 and 10 digits, and all of them agree.

use crate::launch::{Place, ways};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/airfoil-published.toml");

/// Iterations, and the residual after them as printed: its decimals and its text.
const PRINTED: [(usize, usize, &str); 2] = [(100, 11, "5.09639642815e-4"), (200, 9, "3.033922770e-4")];

#[test]
fn the_mesh_of_45_000_cells_gives_the_published_residuals() {
    let place = Place::new();
    let mut bits = Vec::new();
    for ranks in ways() {
        let size = "mesh.generate.size=[100, 150]";
        place
            .run(ranks, &["--config", CONFIG, "--set", size, "--iterations", "200", "--out", "out"])
            .succeeded();
        let summary = place.summary("out");
        assert_eq!(summary["mesh"]["cells"], 45_000);
        bits.push((summary["hash"].clone(), summary["history_hash"].clone()));
        for (iteration, decimals, printed) in PRINTED {
            let residual = place.residuals("out")[iteration - 1];
            assert_eq!(format!("{residual:.decimals$e}"), printed, "{ranks:?}, after {iteration} iterations");
        }
    }
    assert!(bits.iter().all(|other| *other == bits[0]), "the same bits on any ranks: {bits:?}");
}
