//! `cfd reference`: what it prints is what case.rs states.

use crate::launch::{Place, ways};

const HEAT: &str = include_str!("../../solvers/src/heat/case.rs");

#[test]
fn the_block_is_that_of_the_case_on_any_ranks_and_no_file_stays() {
    let place = Place::new();
    place.write(
        "c.toml",
        "case = 'heat'\nmesh.generate = { size = [20, 30], decimals = 6 }\nheat.iterations = 200\noutput.every = 3\n",
    );
    let block = &HEAT[HEAT.find("    const REFERENCES").unwrap()..];
    let block = &block[..block.find("    }];").unwrap()];
    for ranks in ways() {
        let ended = place.run(ranks, &["reference", "--config", "c.toml"]).succeeded();
        let printed: Vec<&str> = ended.stdout.lines().collect();
        assert_eq!(printed.last(), Some(&"    }];"), "{ended:#?}");
        let stated: Vec<&str> = block.lines().collect();
        assert_eq!(printed[..printed.len() - 1], stated, "{ranks:?}");
    }
    let files: Vec<_> =
        std::fs::read_dir(place.path("")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files, ["c.toml"]);
}

#[test]
fn what_can_be_no_reference_is_refused() {
    let place = Place::new();
    place.write("c.toml", "case = 'heat'\nmesh.generate = { size = [6, 8] }\nheat.iterations = 50\n");
    let refused = |set: &str, words: &[&str]| {
        place.run(ways()[0], &["reference", "--config", "c.toml", "--set", set]).refused(2, words);
    };
    refused("execution.order=hilbert", &["c.toml", "remove execution.order"]);
    refused("execution.mode=fast", &["c.toml", "remove execution.mode"]);
    refused("mesh.file=m.h5", &["c.toml", "remove mesh.file"]);
    refused("heat.tolerance=0.5", &["c.toml", "ends by itself after", "heat.iterations = "]);
    refused("heat.iterations=x", &["heat.iterations"]);
}
