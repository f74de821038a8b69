//! The energies of the published LULESH program, by the program as users run it, on one rank and on two.
//!
//! Its cube roots are the C library's; ours are correctly rounded, which changes the last bits. On 30^3 elements more
//! digits are known than were printed. This takes half a minute of the optimised program, 45^3 elements a few minutes,
//! and so is a stage of its own: `cargo test --release --test release lulesh_published`; with the variable
//! `CFD_TEST_MATRIX=all` it takes both (`run-scripts/nightly published`).

use std::time::Duration;

use crate::launch::{Place, Ranks};

/// A published run.
struct Published {
    size: u64,
    cycles: u64,
    /// The energy at the origin.
    energy: f64,
    /// Within this, relative: what the digits tell.
    accepted: f64,
    /// The largest relative asymmetry that is accepted.
    asymmetry: f64,
    /// Our own energy, as bits, where any machine must give them.
    bits: Option<u64>,
}

const RUNS: [Published; 2] = [
    Published {
        size: 30,
        cycles: 932,
        energy: 202_507.478_507_199_38,
        accepted: 1e-12,
        asymmetry: 2e-11,
        bits: Some(0x4108_b85b_d3fb_9521),
    },
    Published { size: 45, cycles: 1477, energy: 4.234875e5, accepted: 1.2e-7, asymmetry: 2e-11, bits: None },
];

#[track_caller]
fn assert_published(run: &Published) {
    let mut ways = vec![(1, Ranks::Alone)];
    if cfg!(feature = "mpi") {
        ways.push((2, Ranks::Launched(2)));
    }
    let mut hashes = Vec::new();
    for (count, ranks) in ways {
        let place = Place::with_limit(Duration::from_secs(1800));
        place
            .write("c.toml", format!("case = \"lulesh\"\nlulesh.size = {}\noutput.formats = []\n", run.size));
        place.run(ranks, &["--config", "c.toml", "--set", "output.history_every=1000"]).succeeded();
        let summary = place.summary("out");
        let value = |name: &str| summary["values"][name].as_f64().expect("a number");
        let (energy, asymmetry) = (value("origin_energy"), value("max_rel_diff"));
        let off = energy / run.energy - 1.0;
        println!("{} on {count} ranks: {energy:?}, off by {off:.1e}, asymmetry {asymmetry:.1e}", run.size);
        assert_eq!(value("cycles"), run.cycles as f64);
        assert!(off.abs() < run.accepted, "{energy:e}, off by {off:e}");
        assert!(asymmetry < run.asymmetry, "{asymmetry:e}");
        assert!(run.bits.is_none_or(|bits| bits == energy.to_bits()), "{energy:?}, {:#x}", energy.to_bits());
        hashes.push((summary["hash"].clone(), summary["history_hash"].clone()));
    }
    assert!(hashes.iter().all(|other| *other == hashes[0]), "the same bits on any ranks: {hashes:?}");
}

#[test]
fn a_cube_of_30_elements_an_edge_gives_the_published_energy() {
    assert_published(&RUNS[0]);
}

#[test]
fn a_cube_of_45_elements_an_edge_gives_the_published_energy() {
    if crate::matrix::is_whole() {
        assert_published(&RUNS[1]);
    }
}
