//! Meshes with levels: generated, converted, coarsened, refused.

use super::launch::{Ended, Place, Ranks, ways};

fn printed_hash(ended: &Ended) -> String {
    let line = ended.stdout.lines().find(|line| line.trim_start().starts_with("hash")).map(str::trim);
    line.unwrap_or_else(|| panic!("{ended:#?}")).to_string()
}

#[test]
fn meshes_with_levels_are_generated_inspected_and_converted_on_any_ranks() {
    let place = Place::new();
    let mut hashes = Vec::new();
    for ranks in ways() {
        let run = |args: &[&str]| place.run(ranks, args).succeeded();
        let size = ["--size", "16,7,8", "--levels", "2"];
        let generated = run(&[&["mesh", "generate", "mgcfd", "-o", "m.h5"], &size[..]].concat());
        let words: Vec<&str> = generated.stdout.split_whitespace().collect();
        // Beyond the tip, layers 4 to 8, the first of 8 rows of 16 nodes has 9.
        for size in [["level0/nodes", "1117"], ["level1/nodes", "128"]] {
            assert!(words.windows(2).any(|pair| pair == size), "{size:?} in {generated:#?}");
        }
        assert!(generated.stdout.contains("dual cells close to "), "{generated:#?}");
        hashes.push(printed_hash(&generated));
        hashes.push(printed_hash(&run(&["mesh", "convert", "m.h5", "input.dat"])));
        hashes.push(printed_hash(&run(&["mesh", "convert", "input.dat", "n", "--format", "h5"])));
        hashes.push(printed_hash(&run(&["mesh", "info", "n"])));
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn a_mesh_of_one_level_is_given_levels_that_do_not_depend_on_the_ranks() {
    let place = Place::new();
    let generate = ["mesh", "generate", "mgcfd", "--shape", "bump", "--size", "12,8,6", "--levels", "1"];
    place.run(Ranks::Alone, &[&generate[..], &["-o", "m.h5"]].concat()).succeeded();
    let hashes: Vec<String> = ways()
        .into_iter()
        .map(|ranks| {
            let converted =
                place.run(ranks, &["mesh", "convert", "m.h5", "n.h5", "--levels", "2"]).succeeded();
            assert!(converted.stdout.contains("level1/nodes"), "{converted:#?}");
            printed_hash(&converted)
        })
        .collect();
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn impossible_meshes_with_levels_are_refused() {
    let place = Place::new();
    let generate = ["mesh", "generate", "mgcfd", "-o", "m.h5"];
    for (args, words) in [
        (&["--size", "8,8"][..], &["--size", "128,48,64"][..]),
        (&["--size", "8,8,8", "--levels", "9"], &["8 x 8 x 8 hexahedra cannot have 9 levels", "1 to 2"]),
        (&["--shape", "cube"], &["--shape", "wing"]),
        (&["--levels", "0"], &["--levels"]),
        (&["--size", "9,8,8", "--levels", "1"], &["even"]),
        (
            &["--size", "8,8,8", "--levels", "1", "--format", "op2-text"],
            &["m.h5", "dual edges with levels cannot be written as OP2 text"],
        ),
    ] {
        for ranks in ways() {
            place.run(ranks, &[&generate[..], args].concat()).refused(2, words);
        }
    }
    let airfoil = ["mesh", "generate", "airfoil", "--size", "4,3", "-o", "a.h5"];
    place.run(Ranks::Alone, &airfoil).succeeded();
    let convert = ["mesh", "convert", "a.h5", "b.h5", "--levels", "2"];
    place.run(Ranks::Alone, &convert).refused(2, &["--levels", "cells with edges have no levels"]);
}
