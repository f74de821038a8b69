//! The residuals of the published Airfoil program on the standard mesh of 720,000 cells, on one rank and on two.
//!
//! The published program accepts a relative difference of 1e-7 after 1,000 iterations; on the way its residuals are
//! known to 6 digits. This takes a minute or two of the optimised program, and so is a stage of its own:
//! `cargo test --release --test release airfoil_published`. The output stays in `target/tmp/airfoil_published`.

use std::time::Duration;

use crate::launch::{Place, Ranks};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/airfoil-published.toml");

/// The residual after 1,000 iterations.
const PUBLISHED: f64 = 0.0001060114637578;

/// The residuals after 100, 200, ... iterations, as they were printed.
const PRINTED: [&str; 10] = [
    "5.02186e-4",
    "3.41746e-4",
    "2.63430e-4",
    "2.16288e-4",
    "1.84659e-4",
    "1.60866e-4",
    "1.42253e-4",
    "1.27627e-4",
    "1.15810e-4",
    "1.06011e-4",
];

#[test]
fn the_mesh_of_720_000_cells_gives_the_published_residuals() {
    let place = Place::with_limit(Duration::from_secs(1800));
    let mut ways = vec![(1, Ranks::Alone)];
    if cfg!(feature = "mpi") {
        ways.push((2, Ranks::Launched(2)));
    }
    let mut bits = Vec::new();
    for (count, ranks) in ways {
        let out = format!("{}/airfoil_published/ranks-{count}", env!("CARGO_TARGET_TMPDIR"));
        place.run(ranks, &["--config", CONFIG, "--out", &out]).succeeded();
        let summary = place.summary(&out);
        assert_eq!(summary["mesh"]["cells"], 720_000);
        bits.push((summary["hash"].clone(), summary["history_hash"].clone()));
        let residuals = place.residuals(&out);
        assert_eq!(residuals.len(), 1000);
        let off = residuals[999] / PUBLISHED - 1.0;
        println!("{count} ranks: residual {:e}, off by {off:.1e}", residuals[999]);
        assert!(off.abs() < 1e-7, "{ranks:?}: {:e}, off by {off:e}", residuals[999]);
        let rounded: Vec<String> =
            residuals.iter().skip(99).step_by(100).map(|r| format!("{r:.5e}")).collect();
        assert_eq!(rounded, PRINTED, "{ranks:?}");
    }
    assert!(bits.iter().all(|other| *other == bits[0]), "the same bits on any ranks: {bits:?}");
}
