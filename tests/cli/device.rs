//! Devices through the program: the emulated one runs whole cases, and a missing GPU gives one clear error.

use std::time::Duration;

use crate::launch::{Place, Ranks};

const CASES: [&str; 3] = [
    "case = \"airfoil\"\nmesh.generate = { size = [12, 10], decimals = 6 }\nairfoil.iterations = 10\n",
    "case = \"aero\"\nmesh.generate = { size = [8, 10], decimals = 6 }\naero.iterations = 2\n",
    "case = \"mgcfd\"\nmesh.generate = { size = [12, 5, 6], levels = 2 }\nmgcfd.iterations = 3\n",
];

/// The cases that a test of many runs takes: one by day, all at night.
fn some_cases() -> &'static [&'static str] {
    if crate::matrix::is_whole() { &CASES } else { &CASES[..1] }
}

/// A place for runs that may first have to compile every loop's code.
fn place() -> Place {
    Place::with_limit(Duration::from_secs(300))
}

fn hashes(place: &Place) -> [String; 2] {
    let summary = place.summary("out");
    ["/hash/solution", "/history_hash"].map(|at| summary.pointer(at).expect("a hash").to_string())
}

/// Compiled texts, which all tests here share.
fn kernels() -> String {
    format!("execution.kernel_cache={}/device-texts", env!("CARGO_TARGET_TMPDIR"))
}

/// The options of a run on the emulated device.
fn on_device(settings: &[&str]) -> Vec<&'static str> {
    let kernels = kernels();
    let settings = ["execution.device_threads=64", &kernels].into_iter().chain(settings.iter().copied());
    let set = settings.flat_map(|setting| ["--set", setting.to_string().leak() as &str]);
    ["--config", "c.toml", "--backend", "emulated"].into_iter().chain(set).collect()
}

#[test]
fn every_case_has_the_hashes_of_the_processor_on_a_device() {
    let mut ways = vec![(Ranks::Alone, "auto")];
    if cfg!(feature = "mpi") {
        // The emulated device's memory is the host's, which every MPI library reaches.
        ways.extend([(Ranks::Launched(2), "off"), (Ranks::Launched(3), "on")]);
    }
    for case in CASES {
        let place = place();
        place.write("c.toml", case);
        place.run(Ranks::Alone, &["--config", "c.toml"]).succeeded();
        let processor = hashes(&place);
        for &(ranks, messages) in &ways {
            let ended =
                place.run(ranks, &on_device(&[&format!("execution.gpu_aware_mpi={messages}")])).succeeded();
            assert_eq!(hashes(&place), processor, "{case}, {ranks:?}, {messages}");
            assert_eq!(place.summary("out")["backend"], "emulated");
            let said = ended.stdout.lines().find_map(|line| line.trim().strip_prefix("halo messages "));
            let expected = match messages {
                "on" => Some("from device memory to device memory"),
                "off" => Some("through the host"),
                _ => None,
            };
            assert_eq!(said, expected, "{}", ended.stdout);
        }
    }
}

/// The processor's bits to the end, by a run on the device that continues from a checkpoint of the processor, and vice
/// versa.
#[test]
fn checkpoints_pass_between_device_and_processor() {
    for case in some_cases() {
        let place = place();
        place.write("c.toml", case);
        let all = if case.contains("aero") { ("1", "2") } else { ("2", "4") };
        place.run(Ranks::Alone, &["--config", "c.toml", "--iterations", all.1]).succeeded();
        let whole = hashes(&place);
        let device = on_device(&[]);
        let processor = ["--config", "c.toml"];
        for (first, second) in [(&processor[..], &device[..]), (&device, &processor), (&device, &device)] {
            let half = ["--iterations", all.0, "--out", "half", "--set", "output.checkpoint_every=1000"];
            place.run(Ranks::Alone, &[first, &half].concat()).succeeded();
            let rest = ["--iterations", all.1, "--restart", "half"];
            let ended = place.run(Ranks::Alone, &[second, &rest].concat()).succeeded();
            assert!(!ended.stderr.contains("has changed"), "a device changes no bits: {ended:#?}");
            assert_eq!(hashes(&place), whole, "{case}");
            std::fs::remove_dir_all(place.path("half")).expect("the first half");
        }
    }
}

#[test]
fn every_loop_leaves_the_processors_hash_in_the_trace() {
    for case in some_cases() {
        let place = place();
        place.write("c.toml", case);
        let trace = ["--iterations", "1", "--hash-trace", "1"];
        place.run(Ranks::Alone, &[&["--config", "c.toml", "--out", "cpu"][..], &trace].concat()).succeeded();
        place.run(Ranks::Alone, &[&on_device(&[])[..], &trace].concat()).succeeded();
        let (processor, device) = (place.read("cpu/trace.csv"), place.read("out/trace.csv"));
        assert!(processor.lines().count() > 5, "{processor}");
        assert_eq!(device, processor);
    }
}

#[test]
fn a_divergence_on_a_device_ends_with_code_3_and_names_cell_place_and_iteration() {
    let place = place();
    place.write("c.toml", CASES[0]);
    // A slow machine has time to show its progress.
    let options = ["--set", "airfoil.cfl=50", "--iterations", "500", "--progress", "never"];
    let ended = place.run(Ranks::Alone, &[&on_device(&[])[..], &options].concat());
    ended.refused(3, &["of cells at (", "in iteration "]);
    let processor = place.run(Ranks::Alone, &[&["--config", "c.toml"][..], &options].concat());
    assert_eq!(ended.stderr, processor.stderr, "the same cell in the same iteration");
}

#[cfg(feature = "mpi")]
#[test]
fn repro_compares_devices_with_the_processor() {
    let place = place();
    place.write("c.toml", CASES[0]);
    let kernels = kernels();
    let cube = ["repro", "--config", "c.toml", "--ranks", "1,3", "--strategy", "regions,temporary-array"];
    let device = ["--backend", "cpu,emulated", "--set", "execution.device_threads=64", "--set", &kernels];
    let ended = place.run(Ranks::Alone, &[cube.as_slice(), &device].concat()).succeeded();
    assert!(ended.stdout.contains("verdict            equal within each class"), "{ended:#?}");
    place.run(Ranks::Alone, &["--config", "c.toml"]).succeeded();
    let solution = place.summary("out")["hash"]["solution"].as_str().expect("a hash").to_string();
    let solution = &solution["blake3:".len()..][..16];
    let rows = |backend: &str| -> usize {
        let of = |line: &&str| line.contains(solution) && line.contains(&format!("  {backend} "));
        ended.stdout.lines().filter(of).count()
    };
    assert_eq!([rows("cpu"), rows("emulated")], [4, 4], "{ended:#?}");
}

#[cfg(feature = "mpi")]
#[test]
fn a_signal_stops_a_run_on_devices_with_a_checkpoint_that_continues_it() {
    use crate::restart::stopped::{signal, wait_for};
    let place = place();
    place.write("c.toml", CASES[0]);
    let endless = [&on_device(&["execution.gpu_aware_mpi=on"])[..], &["--iterations", "1000000000"]].concat();
    let running = place.start(Ranks::Launched(2), &endless);
    wait_for(&running, "it iterates", || {
        running.stdout().contains("iteration  ") && running.ranks().len() == 2
    });
    signal("-TERM", running.ranks()[1]);
    let ended = running.wait();
    assert_eq!(ended.code, 75, "{ended:#?}");
    let [file] = &crate::restart::checkpoints(&place, "out")[..] else { panic!("one checkpoint") };
    let done: u64 = file["checkpoint-".len()..file.len() - 3].parse().expect("the iteration");
    let total = (done + 2).to_string();
    let restart = format!("out/{file}");
    let rest = ["--iterations", &total, "--restart", &restart, "--out", "rest"];
    place.run(Ranks::Alone, &[&on_device(&[])[..], &rest].concat()).succeeded();
    let whole = ["--config", "c.toml", "--iterations", &total, "--out", "whole"];
    place.run(Ranks::Alone, &whole).succeeded();
    let solution = |out: &str| place.summary(out)["hash"]["solution"].clone();
    assert_eq!(solution("rest"), solution("whole"), "after {done} iterations");
}

#[test]
fn a_folder_for_compiled_kernels_that_is_none_is_named() {
    let place = place();
    place.write("c.toml", CASES[0]);
    let options = ["--config", "c.toml", "--backend", "emulated", "--set", "execution.kernel_cache=c.toml"];
    place.run(Ranks::Alone, &options).refused(1, &["c.toml", "cannot be used for compiled kernels"]);
    let place_of_cuda = ["--config", "c.toml", "--backend", "cuda", "--set", "execution.kernel_cache=c.toml"];
    let ended = place.run(Ranks::Alone, &place_of_cuda);
    assert!(ended.stderr.contains("c.toml: compiled kernels cannot be kept here"), "a warning: {ended:#?}");
}

#[cfg(feature = "mpi")]
#[test]
fn messages_in_gpu_memory_are_refused_where_the_library_cannot_reach_it() {
    let place = place();
    place.write("c.toml", CASES[0]);
    let info = place.run(Ranks::Launched(2), &["info"]).succeeded().stdout;
    if !info.contains("the MPI library cannot reach a GPU's") {
        return;
    }
    let options = ["--config", "c.toml", "--backend", "cuda", "--set", "execution.gpu_aware_mpi=on"];
    place.run(Ranks::Launched(2), &options).refused(2, &["gpu_aware_mpi = \"on\"", "\"auto\" and \"off\""]);
}

#[test]
fn the_numbers_of_threads_that_were_tried_out_are_kept_for_the_next_run() {
    let place = place();
    place.write("c.toml", CASES[0]);
    let options = ["--config", "c.toml", "--backend", "emulated", "--set", "execution.kernel_cache=kernels"];
    // Each loop except the copy, which is not executed, is called at least once per iteration, and 16 times until a
    // number is chosen.
    let options = [&options[..], &["--iterations", "20"]].concat();
    place.run(Ranks::Alone, &options).succeeded();
    let kept = || -> Vec<(String, String)> {
        let files = std::fs::read_dir(place.path("kernels")).expect("the kernels' folder");
        let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
        let mut choices: Vec<_> = names
            .filter(|name| name.ends_with(".threads"))
            .map(|name| (name.clone(), place.read(&format!("kernels/{name}"))))
            .collect();
        choices.sort();
        choices
    };
    let chosen = kept();
    for name in ["adt_calc-", "res_calc-", "bres_calc-", "update-"] {
        let choice = chosen.iter().find(|(file, _)| file.starts_with(name));
        let choice = &choice.unwrap_or_else(|| panic!("{name} in {chosen:?}")).1;
        assert!(["64", "128", "256", "512"].contains(&choice.trim()), "{name}: {choice}");
    }
    place.run(Ranks::Alone, &options).succeeded();
    assert_eq!(kept(), chosen, "what is known is not tried out again");
}

/// In fast mode the order of additions is not fixed, so the last bits may differ from the processor's.
#[test]
fn every_case_runs_by_every_strategy_that_a_device_has() {
    let other_gamma = format!("{}aero.gamma = 1.3\n", CASES[1]);
    for case in some_cases().iter().copied().chain([&other_gamma as &str]) {
        let place = place();
        place.write("c.toml", case);
        place.run(Ranks::Alone, &["--config", "c.toml"]).succeeded();
        let (exact, residual) = (hashes(&place), final_residual(&place));
        for strategy in ["regions", "temporary-array", "atomic", "colored-blocks"] {
            let reproducible = ["regions", "temporary-array"].contains(&strategy);
            let mode = if reproducible { "reproducible" } else { "fast" };
            let options = ["--strategy", strategy, "--mode", mode];
            place.run(Ranks::Alone, &[&on_device(&[])[..], &options].concat()).succeeded();
            let relative = final_residual(&place) / residual - 1.0;
            assert!(relative.abs() < 1e-9, "{strategy}: the residual is off by {relative:e}: {case}");
            assert!(!reproducible || hashes(&place) == exact, "{strategy}: {case}");
        }
    }
}

fn final_residual(place: &Place) -> f64 {
    place.summary("out")["residual"]["final"].as_f64().expect("a number")
}

#[cfg(not(feature = "cuda"))]
#[test]
fn a_program_that_is_built_without_gpus_says_so() {
    let place = place();
    place.write("c.toml", CASES[0]);
    let ended = place.run(Ranks::Alone, &["--config", "c.toml", "--backend", "cuda"]);
    ended.refused(1, &["built without GPUs", "feature \"cuda\"", "--backend cpu"]);
    place.run(Ranks::Alone, &["--config", "c.toml", "--backend", "auto"]).succeeded();
    assert_eq!(place.summary("out")["backend"], "cpu");
}

#[cfg(feature = "cuda")]
#[test]
fn without_a_gpu_the_error_says_what_is_missing() {
    if cfd_device::gpus().is_ok() {
        return;
    }
    let place = place();
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
    let place = place();
    place.write("c.toml", CASES[0]);
    for (option, message) in [
        ("execution.strategy=greedy-coloring", "strategy \"greedy-coloring\""),
        ("execution.sums=binned", "binned sums"),
        ("execution.device_threads=100", "a power of two from 32 to 1024, found 100"),
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
    for line in ["\nGPU          ", "\nNVRTC        ", "\nmessages     "] {
        assert!(ended.stdout.contains(line), "{line:?} in {}", ended.stdout);
    }
    // The error names what is missing and what to install.
    let without = [("LD_LIBRARY_PATH", ""), ("CUDA_HOME", "/nowhere"), ("CUDA_PATH", "/nowhere")];
    let text = Place::new().run_with(Ranks::Alone, &["info"], &without).succeeded().stdout;
    if text.contains("NVRTC is missing") {
        assert!(text.contains("install the CUDA toolkit's package cuda-nvrtc"), "{text}");
        assert!(text.contains("pip install nvidia-cuda-nvrtc-cu12"), "{text}");
    }
}

/// Processors for some ranks and devices for others give the hashes of either alone.
#[cfg(feature = "mpi")]
#[test]
fn ranks_with_and_without_devices_have_one_hash() {
    let kernels = kernels();
    let mut options = vec!["--config", "c.toml", "--backend", "auto", "--set", &kernels];
    options.extend(["--set", "execution.device_threads=64", "--set", "execution.chain=true"]);
    options.extend(["--set", "execution.gpu_aware_mpi=on"]);
    for case in CASES {
        let place = place();
        place.write("c.toml", case);
        place.run(Ranks::Alone, &["--config", "c.toml"]).succeeded();
        let processor = hashes(&place);
        for (emulated, backends) in
            [("1", ["cpu", "emulated", "cpu"]), ("0,2", ["emulated", "cpu", "emulated"])]
        {
            let ended =
                place.run_with(Ranks::Launched(3), &options, &[("CFD_TEST_EMULATED_RANKS", emulated)]);
            let ended = ended.succeeded();
            assert_eq!(hashes(&place), processor, "{case}, {emulated}");
            let summary = place.summary("out");
            assert_eq!(
                (&summary["backend"], &summary["backends"]),
                (&"mixed".into(), &backends.to_vec().into())
            );
            let devices = emulated.split(',').count();
            assert!(ended.stdout.contains(&format!("{devices} of 3 ranks on devices")), "{}", ended.stdout);
            assert!(ended.stderr.contains("chains of loops are off"), "{}", ended.stderr);
            assert!(!ended.stdout.contains("from device memory to device memory"), "{}", ended.stdout);
        }
    }
}

#[test]
fn where_devices_cannot_run_a_strategy_all_ranks_are_processors() {
    let place = place();
    place.write("c.toml", CASES[0]);
    for (setting, word) in
        [("execution.strategy=greedy-coloring", "greedy-coloring"), ("execution.sums=binned", "binned")]
    {
        let options = ["--config", "c.toml", "--backend", "auto", "--set", setting];
        let ended = place.run_with(Ranks::Alone, &options, &[("CFD_TEST_EMULATED_RANKS", "0")]).succeeded();
        assert!(
            ended.stderr.contains("all ranks run on processors") && ended.stderr.contains(word),
            "{}",
            ended.stderr
        );
        assert_eq!(place.summary("out")["backend"], "cpu");
    }
}

/// A device that fails in the middle of a run gives one error line and exit code 1, on whichever rank.
#[test]
fn a_device_that_fails_within_a_run_ends_all_ranks_with_code_1() {
    let place = place();
    place.write("c.toml", CASES[0]);
    let script = "#!/bin/sh\nfor word in \"$@\"; do\n  case \"$word\" in\n    *.cpp) grep -q 'update_kernel' \"$word\" && \
                  { echo out of luck >&2; exit 1; } ;;\n  esac\ndone\nexec c++ \"$@\"\n";
    place.write("compiler", script);
    assert_eq!(place.script("chmod +x compiler").code, 0);
    let compiler = place.path("compiler").display().to_string();
    let mut ways = vec![(Ranks::Alone, "0")];
    if cfg!(feature = "mpi") {
        ways.push((Ranks::Launched(3), "1"));
    }
    for (ranks, emulated) in ways {
        let options = ["--config", "c.toml", "--backend", "auto", "--set", "execution.kernel_cache=texts"];
        let variables = [("CFD_TEST_EMULATED_RANKS", emulated), ("CXX", &compiler)];
        let ended = place.run_with(ranks, &options, &variables);
        ended.refused(
            1,
            &[&format!("rank {emulated}:"), "the code of loop \"update\" does not compile", "out of luck"],
        );
    }
}
