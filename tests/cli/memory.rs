//! What does not fit into memory is refused in advance, and a refusal during a run ends it with one line.

use crate::launch::{Place, ways};
use crate::restart::AIRFOIL;

fn place() -> Place {
    let place = Place::new();
    place.write("c.toml", AIRFOIL);
    place
}

const HUGE: &str = "mesh.generate.size=[90000,90000]";

#[test]
fn a_size_that_does_not_fit_is_refused_with_what_is_needed_and_what_there_is() {
    let place = place();
    for ranks in ways() {
        let ended = place.run(ranks, &["--config", "c.toml", "--set", HUGE]);
        ended.refused(
            2,
            &["a mesh of 24300000000 cells needs at least ", " GB per rank, and there is ", "smaller size"],
        );
        let mgcfd = ["--config", "m.toml", "--set", "mesh.generate.size=[50000,5000,5000]"];
        place.write("m.toml", "case = \"mgcfd\"\nmesh.generate = { size = [16, 7, 8], levels = 3 }\n");
        place.run(ranks, &mgcfd).refused(2, &["a mesh of 1250000000000 nodes needs"]);
        for case in ["airfoil", "aero"] {
            let args = ["mesh", "generate", case, "--size", "90000,90000", "-o", "m.h5"];
            place.run(ranks, &args).refused(2, &["a mesh of 24300000000 cells"]);
        }
    }
}

#[test]
fn a_dry_run_of_a_generated_mesh_does_not_need_its_memory() {
    let place = place();
    for ranks in ways() {
        let ended = place.run(ranks, &["--config", "c.toml", "--set", HUGE, "--dry-run"]).succeeded();
        assert!(ended.stdout.contains("a mesh of 24300000000 cells needs at least"), "{ended:#?}");
        assert!(ended.stdout.contains("its halos are unknown"), "{ended:#?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_the_process_counts_and_a_refusal_on_the_way_is_one_line() {
    let place = place();
    let limited = |kilobytes: u64, args: &str| {
        place.script(&format!("ulimit -v {kilobytes}; ulimit -c 0; exec $CFD {args} --progress never"))
    };
    // Seven million cells: three gigabytes and more.
    let args = "--config c.toml --set execution.threads=1 --set mesh.generate.size=[1500,1600]";
    limited(2_000_000, args).refused(2, &["a mesh of 7200000 cells needs at least 3456 MB", "there is "]);
    // A file that unexpectedly takes much more than its own size.
    let text = "case = \"airfoil\"\nmesh.file = \"m.h5\"\nexecution.threads = 1\nairfoil.iterations = 1\n";
    place.write("f.toml", text);
    place.script("$CFD mesh generate airfoil --size 600,900 -o m.h5");
    let ended = limited(700_000, "--config f.toml");
    ended.refused(1, &["error: not enough memory: "]);
}
