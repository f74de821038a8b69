//! Wrong input: exit code 2 and exactly one message that names the place, on one rank and on several.

use std::path::Path;

use cfd::checkpoint::{Dataset, Header, read_header};
use cfd_engine::comm::Comm;
use cfd_engine::lane::Width;
use cfd_io::{Digest, Field};
use cfd_partition::partitioner::LIBRARY_PATH;

use crate::launch::{Place, Ranks, some_ways, unlock, ways};

const CONFIG: &str = "case = \"airfoil\"\nmesh.file = \"mesh.dat\"\nairfoil.iterations = 2\n";

/// A folder with a valid small mesh in two formats and a configuration that uses it.
fn place() -> Place {
    let place = Place::new();
    let comm = Comm::single();
    let mesh = cfd_mesh::generate::naca0012::cells(&comm, 4, 3, Some(6)).expect("a small mesh");
    for name in ["mesh.dat", "mesh.h5"] {
        cfd_io::write_mesh(&comm, &mesh, &cfd_mesh::CELL_EDGES, &place.path(name)).expect("a mesh file");
    }
    place.write("c.toml", CONFIG);
    place
}

/// Runs the program alone, sometimes also on several ranks, and expects exit code 2 and one message with all of
/// `words`.
#[track_caller]
fn refused(place: &Place, args: &[&str], words: &[&str]) {
    for ranks in some_ways(&[args, words].concat()) {
        let ended = place.run(ranks, args);
        ended.refused(2, words);
    }
}

#[test]
fn usage_errors() {
    let place = place();
    for (args, words) in [
        (&["--confg", "c.toml"][..], &["--confg"][..]),
        (&["--config"], &["--config"]),
        (&["rum"], &["rum"]),
        (&["--config", "c.toml", "--progress", "sometimes"], &["sometimes", "never"]),
        (&["--config", "c.toml", "--hash-trace", "-1"], &["-1"]),
        (&["repro", "--config", "c.toml"], &["--ranks"]),
        (&["repro", "--config", "c.toml", "--ranks", "2,0"], &["--ranks"]),
        (&["partition", "--mesh", "mesh.dat", "--parts", "0"], &["--parts"]),
        (&["partition", "--mesh", "mesh.dat", "--parts", "2,x"], &["--parts"]),
        (
            &["partition", "--mesh", "mesh.dat", "--parts", "2", "--partitioner", "metiz"],
            &["metiz", "hilbert"],
        ),
    ] {
        refused(&place, args, words);
    }
}

#[test]
fn lanes_that_the_processor_or_the_build_lacks() {
    let place = place();
    let has: Vec<usize> = Width::available().map(Width::lanes).collect();
    for lanes in [2, 4, 8].into_iter().filter(|lanes| !has.contains(lanes)) {
        let forced = format!("execution.lanes={lanes}");
        refused(
            &place,
            &["--config", "c.toml", "--set", &forced],
            &["execution.lanes", &format!("{lanes} lanes: this "), "has 1"],
        );
    }
    refused(
        &place,
        &["--config", "c.toml", "--set", "execution.lanes=3"],
        &["execution.lanes", "1, 2, 4, 8"],
    );
}

#[test]
fn mesh_command_errors() {
    let place = place();
    for (args, words) in [
        (&["mesh", "generate", "airfoil", "--size", "10", "-o", "x.h5"][..], &["--size", "400,600"][..]),
        (&["mesh", "generate", "airfoil", "--size=-3,4", "-o", "x.h5"], &["--size"]),
        (
            &["mesh", "generate", "airfoil", "--size", "4,4", "--decimals", "99", "-o", "x.h5"],
            &["--decimals"],
        ),
        (&["mesh", "generate", "airfoil", "--size", "4,4", "-o", "x.txt"], &["x.txt"]),
        (&["mesh", "info", "nothing.h5"], &["nothing.h5", "No such file"]),
        (&["mesh", "convert", "mesh.dat", "x.unknown"], &["x.unknown"]),
    ] {
        refused(&place, args, words);
    }
}

#[test]
fn configuration_files() {
    let place = place();
    refused(&place, &["--config", "nothing.toml"], &["nothing.toml: cannot read"]);
    refused(&place, &["--config", "."], &[".: cannot read"]);
    for (text, words) in [
        (&b"case = \n"[..], &["c.toml:1:", "not valid TOML"][..]),
        (
            b"case = \"airfoil\"\n[airfoil]\n  clf = 1\n",
            &["c.toml:3:3: unknown key \"clf\" in [airfoil]", "\"cfl\"?"],
        ),
        (b"case = \"airfoil\"\n[airfol]\n", &["c.toml:2:2", "did you mean \"airfoil\"?"]),
        (b"case = \"airfoil\"\ncase = \"airfoil\"\n", &["c.toml:2:1", "duplicate"]),
        (b"case = \"wing\"\n", &["c.toml:1:8: case must be \"airfoil\", \"aero\", "]),
        (b"mesh.file = \"mesh.dat\"\n", &["missing key \"case\""]),
        (b"case = \"airfoil\"\n", &["missing the mesh"]),
        (b"case = \"airfoil\"\xff\n", &["c.toml:1:17", "not UTF-8"]),
        (b"", &["missing key \"case\""]),
    ] {
        place.write("c.toml", text);
        refused(&place, &["--config", "c.toml"], words);
    }
}

#[test]
fn values_in_the_configuration() {
    let place = place();
    for (line, words) in [
        ("airfoil.cfl = \"fast\"", &["c.toml:4:15: airfoil.cfl must be", "the string \"fast\""][..]),
        ("airfoil.gamma = 1.0", &["c.toml:4:17: airfoil.gamma must be", "greater than 1"]),
        ("airfoil.mach = nan", &["c.toml:4:16: airfoil.mach", "found nan"]),
        ("output.history_every = 0", &["an integer from 1 to 9223372036854775807, found 0"]),
        ("execution.overlap = 1", &["true or false, found 1"]),
        ("execution.mode = \"exact\"", &["\"reproducible\" or \"fast\"", "\"exact\""]),
        (
            "execution.strategy = \"scatter\"",
            &["c.toml:4:22: execution.strategy must be \"regions\"", "scatter"],
        ),
        ("execution.strategy = \"core\"", &["c.toml:4:11: ", "\"core\" is not reproducible", "\"regions\""]),
        ("execution.order = \"random\"", &["\"file\", \"hilbert\" or \"cuthill-mckee\""]),
        ("execution.sums = \"plain\"", &["\"exact\" or \"binned\""]),
        ("execution.region_size = -1", &["an integer from 0 to 9223372036854775807"]),
        ("execution.coloring_cache = \"\"", &["a non-empty string"]),
        ("partition.seed = 99999999999999999999999", &["partition.seed"]),
        ("mesh.generate.size = [4, 4]", &["exclude each other"]),
        ("output.formats = [\"vtk\"]", &["\"h5\"", "vtk"]),
        ("output.directory = \"\"", &["output.directory must be a non-empty string"]),
        // On the processor, too.
        ("execution.device_threads = 31", &["device_threads must be 0, or a power of two from 32 to 1024"]),
        ("partition.seed = -1", &["partition.seed must be an integer from 0 to 9223372036854775807"]),
    ] {
        place.write("c.toml", format!("{CONFIG}{line}\n"));
        refused(&place, &["--config", "c.toml"], words);
    }
    place.write("c.toml", "case = \"airfoil\"\nmesh.generate.size = [1, 0]\n");
    refused(
        &place,
        &["--config", "c.toml"],
        &["c.toml:2:22: mesh.generate.size must be 2 integers from 2 to 100000"],
    );
    place.write("c.toml", "case = \"airfoil\"\nmesh.file = \"mesh.dat\"\nairfoil.iterations = -5\n");
    refused(&place, &["--config", "c.toml"], &["c.toml:3:22: airfoil.iterations", "found -5"]);
}

/// Runs the case with these options.
#[track_caller]
fn run_refused(place: &Place, options: &[&str], words: &[&str]) {
    refused(place, &[&["--config", "c.toml"], options].concat(), words);
}

#[test]
fn a_library_for_graphs_that_is_not_there() {
    let place = place();
    let args = ["--config", "c.toml", "--partitioner", "pt-scotch"];
    for ranks in ways() {
        let ended = place.run_with(ranks, &args, &[(LIBRARY_PATH, "nowhere/libptscotch.so")]);
        let words =
            ["pt-scotch cannot be used", "nowhere/libptscotch.so", LIBRARY_PATH, "metis, rcb and hilbert"];
        ended.refused(2, &words);
        let info = place.run_with(Ranks::Alone, &["info"], &[(LIBRARY_PATH, "nowhere/libptscotch.so")]);
        assert!(info.succeeded().stdout.contains("PT-Scotch    none: its library is not found"));
    }
}

#[test]
fn settings_on_the_command_line() {
    let place = place();
    for (options, words) in [
        (&["--iterations", "-5"][..], &["--iterations -5: airfoil.iterations must be"][..]),
        (&["--seed", "many"], &["--seed many: partition.seed must be"]),
        (&["--partitioner", "metiz"], &["--partitioner metiz: partition.method must be", "hilbert"]),
        (&["--set", "airfoil.clf=1"], &["--set airfoil.clf=1: unknown key", "did you mean \"cfl\"?"]),
        (&["--set", "airfoil.cfl"], &["--set airfoil.cfl: expected key.path=value"]),
        (&["--set", "airfoil.cfl=0"], &["greater than 0, found 0"]),
        (&["--mode", "quick"], &["--mode quick: execution.mode must be"]),
        (&["--strategy", "core"], &["--strategy core: ", "is not reproducible", "\"temporary-array\""]),
        (
            &["--strategy", "greedy-coloring", "--set", "execution.greedy_limit=50"],
            &["execution.greedy_limit is 50", "edges", "distributed-coloring"],
        ),
    ] {
        run_refused(&place, options, words);
    }
}

/// Runs the program in every way in which it repeats a text that it is given, which may stand in a file name, in TOML
/// as `toml`, and in a place that takes a number as `number`. All lines that it prints are short and act on no terminal.
fn repeats(text: &str, toml: &str, number: &str) {
    let place = place();
    let word = |before: &str, after: &str| format!("{before}{text}{after}");
    place.write("mesh.txt", format!("4 1 4 4\n{number} 0\n")[..number.len().min(4000)].to_string() + " 1\n");
    let json = serde_json::json!({ "hash": { "solution": text }, "case": text, "ranks": text });
    place.write("a.json", json.to_string());
    place.write("a.csv", word("iteration,residual,", ",time_s\n1,1,1,1\n"));
    place.write("b.csv", word("iteration,residual,y,time_s\n1,", ",1,1\n"));
    place.write("input.dat", word("num_levels = ", "\n"));
    let key = format!("case = \"airfoil\"\n\"{toml}\" = 1\n");
    place.write("key.toml", key);
    let text_value = format!("\"{toml}\"");
    let float = format!("0.{number}");
    for (name, value) in [("text", text_value.as_str()), ("number", number), ("float", &float)] {
        place.write(&format!("{name}.toml"), format!("case = \"airfoil\"\nmesh.file = \"mesh.dat\"\nairfoil.cfl = {value}\nairfoil.iterations = {value}\n"));
    }
    for key in ["case", "partition.method", "partition.weights"] {
        place.write(&format!("{key}.toml"), format!("{CONFIG}{key} = {text_value}\n"));
    }
    place.write("file.toml", format!("case = \"airfoil\"\nmesh.file = {text_value}\n"));
    let weights =
        format!("{CONFIG}partition.weights = \"file:{toml}\"\npartition.method = \"file:{toml}\"\n");
    place.write("weights.toml", weights);
    let names = format!("case = \"airfoil\"\nmesh.file = \"mesh.dat\"\nboundaries.wall = [{text_value}]\n");
    place.write("names.toml", names);
    let run = ["--config", "c.toml", "--set", "output.checkpoint_every=2", "--out", "old"];
    place.run(Ranks::Alone, &run).succeeded();
    for part in ["version", "case", "mesh_hash", "config", "lineage", "changed", "dataset"] {
        let (from, to) = (place.path("old/checkpoint-00000002.h5"), format!("{part}.h5"));
        rewrite_header(&from, &place.path(&to), |header| match part {
            "version" => header.version = text.into(),
            "case" => header.case = text.into(),
            "mesh_hash" => header.mesh_hash = text.into(),
            "config" => header.config = header.config.replace("\"file\"", &text_value),
            "lineage" => header.lineage = text.into(),
            "changed" => header.changed = vec![text.into()],
            _ => header.datasets[0].name = text.into(),
        });
    }
    let cases: Vec<Vec<String>> = [
        &["--config", "FILE"][..],
        &["--config", "key.toml"],
        &["--config", "text.toml"],
        &["--config", "number.toml"],
        &["--config", "float.toml"],
        &["--config", "case.toml"],
        &["--config", "file.toml"],
        &["--config", "partition.method.toml"],
        &["--config", "partition.weights.toml"],
        &["--config", "weights.toml"],
        &["--config", "names.toml"],
        &["--config", "c.toml", "--set", "FILE"],
        &["--config", "c.toml", "--set", "airfoil.FILE=1"],
        &["--config", "c.toml", "--set", "airfoil.cfl=FILE"],
        &["--config", "c.toml", "--mode", "FILE"],
        &["--config", "c.toml", "--partitioner", "FILE"],
        &["--config", "c.toml", "--partitioner", "file:FILE"],
        &["--config", "c.toml", "--progress", "FILE"],
        &["--config", "c.toml", "--verify", "FILE"],
        &["--config", "c.toml", "--verify", "blake3:FILE"],
        &["--config", "c.toml", "--verify", "a.json"],
        &["--config", "c.toml", "--restart", "FILE"],
        &["--config", "c.toml", "--restart", "case.h5"],
        &["--config", "c.toml", "--restart", "mesh_hash.h5"],
        &["--config", "c.toml", "--restart", "lineage.h5"],
        &["--config", "c.toml", "--restart", "dataset.h5"],
        &["--FILE"],
        &["FILE"],
        &["mesh", "info", "FILE"],
        &["mesh", "info", "mesh.txt"],
        &["mesh", "info", "input.dat"],
        &["mesh", "convert", "mesh.dat", "FILE"],
        &["mesh", "convert", "mesh.dat", "FILE/mesh.h5"],
        &["mesh", "generate", "airfoil", "--size", "FILE", "-o", "x.h5"],
        &["partition", "--mesh", "mesh.dat", "--parts", "2", "--partitioner", "FILE"],
        &["compare", "a.csv", "FILE"],
        &["compare", "a.csv", "b.csv"],
        &["compare", "b.csv", "b.csv"],
        &["compare", "a.json", "a.json"],
        &["compare", "old", "old", "--map", "FILE=q"],
        &["plot", "a.csv", "--over", "not-FILE", "-o", "a.svg"],
        &["plot", "a.json", "--scaling", "FILE", "-o", "a.svg"],
        &["plot", "b.csv", "-o", "a.svg"],
    ]
    .iter()
    .map(|args| args.iter().map(|arg| arg.replace("FILE", text)).collect())
    .collect();
    let check = |args: &[&str], codes: &[i32]| {
        let shown: Vec<&str> = args.iter().map(|arg| &arg[..arg.len().min(30)]).collect();
        let ended = place.run(Ranks::Alone, args);
        assert!(codes.contains(&ended.code), "{shown:?}: {ended:?}");
        for line in ended.stderr.lines().chain(ended.stdout.lines()) {
            assert!(line.len() < 1000, "{shown:?}: a line of {} bytes: {}", line.len(), &line[..1000]);
            assert!(!line.contains(|c: char| c.is_control() || c == '\u{202e}'), "{shown:?}: {line:?}");
        }
    };
    // The system reports what it cannot create because of a long name.
    cases.iter().for_each(|args| check(&args.iter().map(String::as_str).collect::<Vec<_>>(), &[1, 2]));
    check(&["--config", "c.toml", "--out", text], &[0, 2]);
    for name in ["version.h5", "config.h5", "changed.h5"] {
        check(&["--config", "c.toml", "--restart", name, "--iterations", "3"], &[0]);
    }
}

/// Writes a copy of a checkpoint with another header, whose hash fits.
fn rewrite_header(from: &Path, to: &Path, change: impl FnOnce(&mut Header)) {
    let comm = Comm::single();
    let mut header = read_header(from).expect("a checkpoint");
    let read = |dataset: &Dataset| cfd_io::read_field(&comm, from, &dataset.name).expect("its dataset");
    let fields: Vec<Field> = header.datasets.iter().map(read).collect();
    change(&mut header);
    let text = serde_json::to_string(&header).expect("JSON");
    let hash = Digest(*blake3::hash(text.as_bytes()).as_bytes()).to_string();
    let attributes = [("checkpoint".to_string(), text), ("checkpoint_hash".to_string(), hash)];
    cfd_io::write_fields(&comm, to, &attributes, &fields).expect("a checkpoint");
    unlock(to);
}

#[test]
fn what_a_message_repeats_of_a_long_text_is_its_beginning_and_length() {
    let long = "x".repeat(60_000);
    repeats(&long, &long, &"9".repeat(60_000));
}

#[test]
fn what_a_message_repeats_does_not_control_a_terminal() {
    repeats("a\u{1b}[31m\r\u{7}\u{9b}b\u{202e}c", "a\\u001b[31m\\r\\u0007\\u009bb\\u202ec", "-9");
}

#[test]
fn files_and_hashes_on_the_command_line() {
    let place = place();
    place.write("no-summary.json", "{\"hash\": {}}");
    place.write("file", "");
    for (options, words) in [
        (&["--verify", "blake3:12"][..], &["--verify blake3:12", "64 hexadecimal digits"][..]),
        (&["--verify", "nothing.json"], &["--verify nothing.json", "cannot be read"]),
        (&["--verify", "no-summary.json"], &["not a summary.json"]),
        (&["--out", "file/below"], &["file/below: cannot write into the output directory"]),
        (&["--partitioner", "file:nothing.txt"], &["nothing.txt"]),
        (&["--set", "mesh.file=nothing.h5"], &["nothing.h5", "No such file"]),
        (&["--set", "mesh.file=."], &["error: .: "]),
    ] {
        run_refused(&place, options, words);
    }
}

#[test]
fn partition_files() {
    let place = place();
    let run = ["--config", "c.toml", "--partitioner", "file:parts.txt"];
    for (text, words) in [
        ("0\n".repeat(35), &["parts.txt", "35", "36"][..]),
        ("0\n".repeat(37), &["parts.txt", "36"]),
        (format!("{}-1\n", "0\n".repeat(35)), &["parts.txt:36"]),
        (format!("{}7\n", "0\n".repeat(35)), &["parts.txt:36"]),
    ] {
        place.write("parts.txt", text);
        refused(&place, &run, words);
    }
}

/// Lines of a text mesh: the first of each kind, counted from 0.
fn first_line(text: &str, kind: &str) -> usize {
    let counts: Vec<usize> =
        text.lines().next().expect("a heading").split(' ').map(|n| n.parse().unwrap()).collect();
    let [nodes, cells, edges, _] = counts[..] else { panic!("four sizes") };
    match kind {
        "node" => 1,
        "cell" => 1 + nodes,
        "edge" => 1 + nodes + cells,
        "bedge" => 1 + nodes + cells + edges,
        _ => unreachable!(),
    }
}

#[test]
fn meshes_as_text() {
    let place = place();
    let good = place.read("mesh.dat");
    let lines: Vec<String> = good.lines().map(String::from).collect();
    let change = |kind: &str, row: usize, edit: &dyn Fn(Vec<&str>) -> Vec<String>| {
        let mut lines = lines.clone();
        let at = first_line(&good, kind) + row;
        lines[at] = edit(lines[at].split(' ').collect()).join(" ");
        (lines.join("\n") + "\n", at + 1)
    };
    let set = |column: usize, value: &'static str| {
        move |mut fields: Vec<&str>| {
            fields[column] = value;
            fields.into_iter().map(String::from).collect::<Vec<_>>()
        }
    };
    let swap = |fields: Vec<&str>| [fields[1], fields[0], fields[2], fields[3]].map(String::from).to_vec();
    let reverse = |fields: Vec<&str>| fields.into_iter().rev().map(String::from).collect();
    for ((text, line), words) in [
        (change("cell", 3, &set(1, "99999")), &["99999"][..]),
        (change("cell", 3, &set(1, "-1")), &["-1"]),
        (change("cell", 3, &set(1, "one")), &["one"]),
        (change("node", 5, &set(0, "nan")), &["finite"]),
        (change("node", 5, &set(0, "inf")), &["finite"]),
        (change("bedge", 2, &set(3, "7")), &["7"]),
        (change("edge", 4, &swap), &["edge"]),
        (change("cell", 4, &reverse), &["cell"]),
    ] {
        place.write("bad.dat", text);
        let place_of_error = format!("bad.dat:{line}");
        let words: Vec<&str> = words.iter().copied().chain([&place_of_error[..]]).collect();
        refused(&place, &["--config", "c.toml", "--set", "mesh.file=bad.dat"], &words);
    }
    // Missing, extra and doubled rows.
    let without_last = lines[..lines.len() - 1].join("\n") + "\n";
    let doubled_cell = {
        let mut lines = lines.clone();
        let cells = first_line(&good, "cell");
        lines[cells + 1] = lines[cells].clone();
        lines.join("\n") + "\n"
    };
    for text in
        [&without_last[..], &format!("{good}0 1 2 3\n"), &doubled_cell, "", "no mesh at all\n", &good[..200]]
    {
        place.write("bad.dat", text);
        refused(&place, &["mesh", "info", "bad.dat"], &["bad.dat"]);
    }
}

#[test]
fn truncated_meshes() {
    let place = place();
    let good = std::fs::read(place.path("mesh.h5")).unwrap();
    for share in [0, 1, 50, 99] {
        place.write("bad.h5", &good[..good.len() * share / 100]);
        refused(&place, &["mesh", "info", "bad.h5"], &["bad.h5"]);
    }
}

/// The message speaks of keys, which a user has, for a mesh from a file and for a generated one.
#[test]
fn a_boundary_without_a_condition_is_refused_with_the_keys_that_give_one() {
    let place = place();
    place.write(
        "flow.toml",
        "case = \"flow\"\n[mesh.generate]\nsize = [4, 4]\n[flow.boundaries]\nx_min = \"slip\"\n",
    );
    let words = ["\"x_max\"", "boundaries.slip", "table `boundaries`"];
    refused(&place, &["--config", "flow.toml"], &words);
}
