use std::path::Path;

use cfd_api::prelude::*;

#[allow(dead_code)]
#[path = "../../../examples/advection/src/main.rs"]
mod solver;

/// The hash at the end of a run with these options.
fn run(ranks: usize, out: &Path, more: &[&str]) -> String {
    let words = ["advection", "--out", out.to_str().unwrap()];
    let options = Options::of(words.iter().chain(more)).unwrap();
    let hashes = Comm::simulate(ranks, |comm| solver::solve(&comm, &options).unwrap().to_string());
    assert!(hashes.iter().all(|hash| *hash == hashes[0]));
    hashes[0].clone()
}

/// Files and times that a series lists.
fn listed(folder: &Path) -> Vec<(f64, String)> {
    cfd_api::io::Collection::read(&folder.join("bump.pvd")).files
}

#[test]
fn the_guides_solver_continues_from_its_checkpoint_on_any_ranks_as_if_never_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let whole = run(1, &folder.path().join("whole"), &[]);
    assert!(
        include_str!("../../../docs/writing-a-solver.md").contains(&whole),
        "the guide shows another hash"
    );
    let checkpoint = folder.path().join("whole/checkpoint-20.h5");
    for (ranks, more) in [(1, &["--threads", "2"][..]), (2, &["--partitioner", "random"]), (3, &[])] {
        let out = folder.path().join(ranks.to_string());
        let restart = ["--restart", checkpoint.to_str().unwrap()];
        assert_eq!(run(ranks, &out, &[&restart, more].concat()), whole, "{ranks} ranks");
        assert_eq!(listed(&out).len(), 2, "from step 20 on");
    }
    // In the same directory, on other ranks: the list keeps what came before.
    let out = folder.path().join("whole");
    let before = listed(&out);
    assert_eq!(run(3, &out, &["--restart", checkpoint.to_str().unwrap()]), whole);
    let after = listed(&out);
    let times = |files: &[(f64, String)]| files.iter().map(|(time, _)| *time).collect::<Vec<_>>();
    assert_eq!(times(&after), times(&before));
    assert_eq!((&after[1].1[..], &after[2].1[..]), ("bump-20.vtu", "bump-30.pvtu"));
}
