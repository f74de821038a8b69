//! Devices through the program: the emulated one runs whole cases, and a GPU that is not there is one clear error.

use crate::launch::{Place, Ranks};

const CASES: [&str; 3] = [
    "case = \"airfoil\"\nmesh.generate = { size = [12, 10], decimals = 6 }\nairfoil.iterations = 10\n",
    "case = \"aero\"\nmesh.generate = { size = [8, 10], decimals = 6 }\naero.iterations = 2\n",
    "case = \"mgcfd\"\nmesh.generate = { size = [12, 5, 6], levels = 2 }\nmgcfd.iterations = 3\n",
];

fn hashes(place: &Place) -> [String; 2] {
    let summary = place.summary("out");
    ["/hash/solution", "/history_hash"].map(|at| summary.pointer(at).expect("a hash").to_string())
}

/// Compiled texts, which all tests here share.
fn kernels() -> String {
    format!("execution.kernel_cache={}/device-texts", env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn every_case_has_the_hashes_of_the_processor_on_a_device() {
    let mut ways = vec![Ranks::Alone];
    if cfg!(feature = "mpi") {
        ways.push(Ranks::Launched(2));
    }
    for case in CASES {
        let place = Place::new();
        place.write("c.toml", case);
        place.run(Ranks::Alone, &["--config", "c.toml"]).succeeded();
        let processor = hashes(&place);
        for &ranks in &ways {
            let options = [
                "--config",
                "c.toml",
                "--backend",
                "emulated",
                "--set",
                "execution.device_threads=64",
                "--set",
            ];
            let options: Vec<&str> = options.into_iter().chain([kernels().leak() as &str]).collect();
            place.run(ranks, &options).succeeded();
            assert_eq!(hashes(&place), processor, "{case}, {ranks:?}");
            assert_eq!(place.summary("out")["backend"], "emulated");
        }
    }
}

#[test]
fn without_a_gpu_the_error_says_what_is_missing() {
    if cfd_engine::device::gpus().is_ok() {
        return;
    }
    let place = Place::new();
    place.write("c.toml", CASES[0]);
    let ended = place.run(Ranks::Alone, &["--config", "c.toml", "--backend", "cuda"]);
    assert_eq!(ended.code, 1);
    assert!(
        ended.stderr.contains("error: no NVIDIA driver") || ended.stderr.contains("error: no GPU"),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains("--backend cpu") || ended.stderr.contains("nvidia-smi"),
        "{}",
        ended.stderr
    );
}

#[test]
fn what_a_device_does_not_offer_is_refused_before_the_run() {
    let place = Place::new();
    place.write("c.toml", CASES[0]);
    for (option, message) in [
        ("execution.strategy=greedy-coloring", "strategy \"greedy-coloring\""),
        ("execution.sums=binned", "binned sums"),
        ("execution.device_threads=100", "blocks of 100 threads"),
    ] {
        let ended =
            place.run(Ranks::Alone, &["--config", "c.toml", "--backend", "emulated", "--set", option]);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
}

#[test]
fn info_says_which_gpus_there_are() {
    let ended = Place::new().run(Ranks::Alone, &["info"]).succeeded();
    assert!(ended.stdout.contains("\nGPU          "), "{}", ended.stdout);
}
