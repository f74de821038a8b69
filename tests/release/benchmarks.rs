//! The benchmarks, by the optimised program: each checks its own result against the known one.

use std::time::Duration;

use cfd::references;

use crate::launch::{Place, Ranks};

/// Those that take minutes; the published ones are tests of their own.
const LONG: [&str; 3] = ["airfoil-published", "aero-published", "mgcfd"];

#[test]
fn every_benchmark_has_its_known_result() {
    let place = Place::with_limit(Duration::from_secs(1800));
    for reference in references::known().iter().filter(|reference| !LONG.contains(&reference.name.as_str())) {
        let out = ["--out", "out", "--set", "output.pictures=false"];
        let args = ["--config", &reference.name, "--threads", "1", "--progress", "never"];
        let ended = place.run(Ranks::Alone, &[&args[..], &out].concat()).succeeded();
        let words: Vec<&str> = ended.stdout.split_whitespace().collect();
        let said = words.join(" ");
        assert!(said.contains(&format!("reference matched ({})", reference.name)), "{ended:#?}");
    }
}
