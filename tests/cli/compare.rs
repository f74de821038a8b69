//! `cfd compare`: its report on two results, and its exit code.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_io::{Field, write_solution};

use crate::launch::{Ended, Place, Ranks, unlock, ways};

/// Rows of `level0/variables` in the solutions of these tests; `a` has one value per row.
const ROWS: u64 = 6;

/// Writes a solution of two fields; `change` is applied to `level0/variables`, of three values per row.
fn solution(place: &Place, name: &str, change: impl FnOnce(&mut Vec<f64>)) {
    let mut block: Vec<f64> = (0..ROWS * 3).map(|k| 1.0 + k as f64).collect();
    change(&mut block);
    let variables =
        Field { name: "level0/variables".into(), dim: 3, rows: block.len() as u64 / 3, block: block.into() };
    let a = Field { name: "a".into(), dim: 1, rows: 2, block: vec![0.5, 0.25].into() };
    write(&place.path(name), &[variables, a]);
}

fn write(path: &Path, fields: &[Field]) {
    write_solution(&Comm::single(), path, &[], fields).expect("a solution file");
    unlock(path);
}

fn compare(place: &Place, args: &[&str]) -> Ended {
    place.run(Ranks::Alone, &[&["compare"], args].concat())
}

/// A trace of one hash after each of two loops of each of three iterations; `hash` gives it by line.
fn trace(place: &Place, name: &str, hash: impl Fn(usize) -> u8) {
    let mut text = String::from("iteration,loop,name,dat,hash\n");
    let steps = (1..=3).flat_map(|i| [(i, 1, "res_calc", "res"), (i, 2, "update", "q")]);
    for (line, (iteration, number, name, dat)) in (2..).zip(steps) {
        let hash = format!("{:02x}", hash(line)).repeat(32);
        text += &format!("{iteration},{number},{name},{dat},blake3:{hash}\n");
    }
    place.write(name, text);
}

#[test]
fn equal_solutions_are_equal_and_this_is_said_once_on_any_ranks() {
    let place = Place::new();
    solution(&place, "a.h5", |_| ());
    solution(&place, "b.h5", |_| ());
    for ranks in ways() {
        let ended = place.run(ranks, &["compare", "a.h5", "b.h5"]).succeeded();
        assert_eq!(ended.stdout.matches("EQUAL").count(), 1, "{ended:#?}");
        assert!(ended.stdout.contains("18 of 18 values (100 %)"), "{ended:#?}");
    }
}

#[test]
fn one_flipped_last_bit_is_found_on_any_ranks() {
    let place = Place::new();
    solution(&place, "a.h5", |_| ());
    solution(&place, "b.h5", |values| values[3 * 4 + 1] = values[3 * 4 + 1].next_up());
    for ranks in ways() {
        let ended = place.run(ranks, &["compare", "a.h5", "b.h5"]);
        ended.refused(4, &["1 of 18 values of field level0/variables", "global id 4, component 1"]);
        for words in [
            "field a: 2 rows of 1 value\n  equal bits          2 of 2 values (100 %)",
            "17 of 18 values (94.44 %)",
            "A 14.0",
            "bits 402c000000000000",
            "B 14.000000000000002",
            "bits 402c000000000001",
            "largest in ulp      1 at global id 4, component 1",
            "1e-16 to 1e-15                 1  #",
            "verdict: DIFFERENT",
        ] {
            assert_eq!(ended.stdout.matches(words).count(), 1, "\"{words}\" in {}", ended.stdout);
        }
    }
}

#[test]
fn json_has_every_figure_and_nothing_else_is_on_stdout() {
    let place = Place::new();
    solution(&place, "a.h5", |_| ());
    solution(&place, "b.h5", |values| {
        values[5] = -values[5];
        values[7] = f64::NAN;
    });
    let ended = compare(&place, &["a.h5", "b.h5", "--json"]);
    ended.refused(4, &["global id 1, component 2"]);
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&json["a"], &json["equal"]), (&"a.h5".into(), &false.into()));
    let field = &json["solution"]["fields"][1];
    assert_eq!(
        (&field["name"], &field["rows"], &field["dim"]),
        (&"level0/variables".into(), &6.into(), &3.into())
    );
    assert_eq!(
        (&field["values"], &field["equal_bits"], &field["not_finite"]),
        (&18.into(), &16.into(), &1.into())
    );
    assert_eq!(field["max_absolute"], serde_json::json!({"value": 12.0, "global_id": 1, "component": 2}));
    assert_eq!(field["max_relative"]["value"], 2.0);
    // -6 and 6: twice 6, in units of 2^-50.
    assert_eq!(field["max_ulp"]["value"].as_u64(), Some(12 << 50));
    assert_eq!(field["norms"]["l1"], 12.0 / 17.0);
    assert_eq!(field["first"]["b"], serde_json::json!({"decimal": "-6.0", "bits": "c018000000000000"}));
    assert_eq!(field["histogram"][16], serde_json::json!({"decade": 0, "values": 1}));
    let ended = compare(&place, &["a.h5", "a.h5", "--json"]).succeeded();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&ended.stdout).expect("JSON")["equal"], true);
}

#[test]
fn the_histogram_is_drawn_where_it_is_asked_for() {
    let place = Place::new();
    solution(&place, "a.h5", |_| ());
    solution(&place, "b.h5", |values| values.iter_mut().for_each(|v| *v *= 1.0 + 3e-9));
    compare(&place, &["a.h5", "b.h5", "--plot", "d.svg"]).refused(4, &["18 of 18 values"]);
    let svg = place.read("d.svg");
    for words in ["a.h5 against b.h5", "relative difference", "number of values", "2 of 20 values are equal"]
    {
        assert!(svg.contains(words), "{words}");
    }
    compare(&place, &["a.h5", "a.h5", "--plot", "e.svg"]).succeeded();
    assert!(place.read("e.svg").contains("20 of 20 values are equal"));
    compare(&place, &["a.h5", "a.h5", "--plot", "no/such/d.svg"]).refused(1, &["no/such/d.svg"]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let place = Place::new();
    solution(&place, "a.h5", |_| ());
    solution(&place, "longer.h5", |values| values.extend([0.0; 3]));
    let other = Field { name: "phi".into(), dim: 1, rows: 2, block: vec![0.5, 0.25].into() };
    write(&place.path("other.h5"), &[other]);
    let bytes = std::fs::read(place.path("a.h5")).expect("a file");
    place.write("short.h5", &bytes[..bytes.len() - 64]);
    place.write("text", "no result\n");
    trace(&place, "trace.csv", |_| 1);
    place.write("headless.csv", "iteration,loop,name,dat,hash\n");
    place.write("bad.csv", "iteration,loop,name,dat,hash\n1,1,update,q,blake3:12\n");
    place.write("bad.json", "{\"hash\": {}}");
    place.run(Ranks::Alone, &["mesh", "generate", "airfoil", "--size", "4,3", "-o", "mesh.h5"]).succeeded();
    for directory in ["empty", "meshes"] {
        std::fs::create_dir(place.path(directory)).expect("a directory");
    }
    std::fs::copy(place.path("mesh.h5"), place.path("meshes/mesh.h5")).expect("a mesh");
    for (b, words) in [
        ("longer.h5", &["level0/variables", "(6, 3) and (7, 3)", "same mesh"][..]),
        ("other.h5", &["a, level0/variables and phi", "same case"]),
        ("missing.h5", &["missing.h5", "No such file"]),
        ("short.h5", &["short.h5"]),
        ("text", &["this cannot be compared", "solution.h5"]),
        ("trace.csv", &["a solution and a trace"]),
        ("mesh.h5", &["mesh.h5: this is a mesh, not a solution file"]),
        (".", &["a solution and an output directory"]),
    ] {
        compare(&place, &["a.h5", b]).refused(2, words);
    }
    for ranks in ways() {
        place.run(ranks, &["compare", "a.h5", "longer.h5"]).refused(2, &["(6, 3) and (7, 3)"]);
    }
    for (a, words) in [
        ("bad.csv", &["bad.csv:2:14: \"blake3:12\" is not a hash"][..]),
        ("headless.csv", &["headless.csv: there is nothing to compare"]),
        ("bad.json", &["bad.json: this is not a summary: it has no hash.solution"]),
        ("empty", &["solution.h5", "No such file"]),
        ("meshes", &["their HDF5 files are mesh.h5 and mesh.h5; ", "this is a mesh"]),
    ] {
        compare(&place, &[a, a]).refused(2, words);
    }
    compare(&place, &["trace.csv", "trace.csv", "--plot", "d.svg"]).refused(2, &["--plot", "no solution"]);
    assert_eq!(compare(&place, &["a.h5"]).code, 2);
}

#[test]
fn the_first_loop_in_which_two_traces_part_is_named() {
    let place = Place::new();
    trace(&place, "a.csv", |_| 1);
    trace(&place, "b.csv", |line| if line < 6 { 1 } else { 2 });
    compare(&place, &["a.csv", "a.csv"]).succeeded();
    let ended = compare(&place, &["a.csv", "b.csv"]);
    ended.refused(4, &["first difference: iteration 3, loop 1 (res_calc), dat res"]);
    assert!(ended.stdout.contains("4 of 6 hashes are equal"), "{ended:#?}");
    let short: String = place.read("a.csv").split_inclusive('\n').take(4).collect();
    place.write("short.csv", short);
    compare(&place, &["a.csv", "short.csv"]).refused(4, &["B ends before line 5"]);
}

#[test]
fn runs_are_compared_by_their_directories_and_summaries() {
    let place = Place::new();
    let config =
        "case = \"airfoil\"\nmesh.generate = { size = [10, 8], decimals = 6 }\nairfoil.iterations = 12\n";
    place.write("c.toml", config);
    for (out, cfl) in [("one", "0.9"), ("two", "0.9"), ("three", "0.9000000000000001")] {
        let cfl = format!("airfoil.cfl={cfl}");
        place.run(Ranks::Alone, &["--config", "c.toml", "--set", &cfl, "--out", out]).succeeded();
    }
    let ended = compare(&place, &["one", "two"]).succeeded();
    assert!(ended.stdout.contains("history: 12 of 12 rows have equal bits"), "{ended:#?}");
    compare(&place, &["one/summary.json", "two/summary.json"]).succeeded();
    compare(&place, &["one/history.csv", "two/history.csv"]).succeeded();

    let ended = compare(&place, &["one", "three", "--plot", "d.svg"]);
    ended.refused(4, &["values of field q", "the histories in line"]);
    assert!(place.path("d.svg").is_file());
    let ended = compare(&place, &["one/summary.json", "three/summary.json"]);
    ended.refused(4, &["the summaries in hash.q, hash.solution, history_hash, residual.final_bits"]);

    place.write("two/history.csv", place.read("two/history.csv").replace("\n12,", "\n13,"));
    compare(&place, &["one", "two"]).refused(4, &["the histories in line 13, iteration 12: iteration"]);
    std::fs::remove_file(place.path("two/history.csv")).expect("the file was there");
    compare(&place, &["one", "two"]).refused(2, &["two/history.csv", "No such file"]);
}

#[test]
fn within_a_tolerance_the_fields_decide() {
    let place = Place::new();
    solution(&place, "a.h5", |_| ());
    solution(&place, "b.h5", |values| values.iter_mut().for_each(|v| *v *= 1.0 + 3e-9));
    let ended = compare(&place, &["a.h5", "b.h5", "--rtol", "1e-8"]).succeeded();
    for words in
        ["verdict: EQUAL within a tolerance of rtol 1e-8, atol 0e0", "beyond tolerance    0 of 18 values"]
    {
        assert!(ended.stdout.contains(words), "{words} in {ended:#?}");
    }
    let ended = compare(&place, &["a.h5", "b.h5", "--rtol", "1e-9", "--atol", "1e-12"]);
    ended.refused(
        4,
        &["18 of 18 values of field level0/variables by more than the tolerance, the first at global id 0"],
    );
    let ended = compare(&place, &["a.h5", "b.h5", "--atol", "1e-6", "--json"]).succeeded();
    let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((&json["equal"], &json["within_tolerance"]), (&false.into(), &true.into()));
    assert_eq!(json["tolerance"], serde_json::json!({"rtol": 0.0, "atol": 1e-6}));
    for wrong in ["-1", "nan", "1e-10x"] {
        let ended = compare(&place, &["a.h5", "b.h5", &format!("--rtol={wrong}")]);
        assert!(ended.code == 2 && ended.stderr.contains("expected a number of at least 0"), "{ended:#?}");
    }
    trace(&place, "t.csv", |_| 1);
    compare(&place, &["t.csv", "t.csv", "--rtol", "1"]).refused(2, &["--rtol", "a trace has hashes"]);

    let history = "iteration,residual,time_s\n1,1e-3,0.1\n2,5e-4,0.2\n";
    place.write("a.csv", history);
    place.write("b.csv", history.replace("5e-4", "5.0001e-4"));
    compare(&place, &["a.csv", "b.csv", "--rtol", "1e-4"]).succeeded();
    compare(&place, &["a.csv", "b.csv", "--rtol", "1e-5"]).refused(4, &["the histories in line 3"]);
}

#[test]
fn directories_of_other_applications_are_compared_by_their_files() {
    let place = Place::new();
    for (directory, last) in [("one", 1.0), ("two", 1.0), ("three", 1.5)] {
        std::fs::create_dir(place.path(directory)).expect("a directory");
        let field = Field { name: "t".into(), dim: 1, rows: 2, block: vec![0.5, last].into() };
        write(&place.path(directory).join("heat.h5"), &[field]);
    }
    let ended = compare(&place, &["one", "two"]).succeeded();
    assert!(ended.stdout.contains("field heat.h5: t: 2 rows"), "{ended:#?}");
    compare(&place, &["one", "three"])
        .refused(4, &["1 of 2 values of field heat.h5: t, the first at global id 1"]);
    std::fs::rename(place.path("two/heat.h5"), place.path("two/cold.h5")).expect("a file");
    compare(&place, &["one", "two"]).refused(2, &["their HDF5 files are heat.h5 and cold.h5"]);
}

#[test]
fn derived_fields_count_on_request_and_those_of_one_version_alone_are_said() {
    let place = Place::new();
    let solution = |name: &str, derived: &[(&str, f64)]| {
        let field =
            |name: String, value: f64| Field { name, dim: 1, rows: 2, block: vec![value, 0.5].into() };
        let mut fields = vec![field("q".into(), 2.0)];
        fields.extend(derived.iter().map(|&(name, value)| field(format!("derived/{name}"), value)));
        write(&place.path(name), &fields);
    };
    solution("old.h5", &[("mach", 0.5)]);
    solution("new.h5", &[("mach", 0.5), ("cp", 1.0)]);
    solution("other.h5", &[("mach", 0.25)]);
    compare(&place, &["old.h5", "new.h5"]).succeeded();
    compare(&place, &["old.h5", "other.h5"]).succeeded();
    let ended = compare(&place, &["old.h5", "new.h5", "--derived"]).succeeded();
    assert!(ended.stdout.contains("not compared: derived/cp (only in B)"), "{ended:#?}");
    compare(&place, &["old.h5", "other.h5", "--derived"])
        .refused(4, &["1 of 2 values of field derived/mach"]);
}

#[test]
fn fields_of_other_names_are_compared_by_a_map_in_either_order() {
    let place = Place::new();
    let field = |name: &str, dim: usize, first: f64| {
        let block = (0..3 * dim).map(|k| first + k as f64).collect();
        Field { name: name.into(), dim, rows: 3, block }
    };
    // As OP2's Airfoil writes it, with its mesh and its other dats.
    write(&place.path("op2.h5"), &[field("p_q", 4, 1.0), field("p_x", 2, 0.0), field("p_adt", 1, 0.5)]);
    write(&place.path("own.h5"), &[field("q", 4, 1.0), field("derived/mach", 1, 0.5)]);
    write(&place.path("off.h5"), &[field("q", 4, 1.5)]);
    compare(&place, &["op2.h5", "own.h5"]).refused(2, &["p_adt, p_q, p_x and q;", "--map NAME=NAME"]);
    for args in [["op2.h5", "own.h5", "--map", "p_q=q"], ["own.h5", "op2.h5", "--map", "p_q=q"]] {
        let ended = compare(&place, &args).succeeded();
        for words in ["12 of 12 values (100 %)", "p_x (only in "] {
            assert!(ended.stdout.contains(words), "{words}: {ended:#?}");
        }
    }
    let ended =
        compare(&place, &["op2.h5", "own.h5", "--map", "p_q=q", "--map", "p_adt=derived/mach"]).succeeded();
    assert!(ended.stdout.contains("field p_adt=derived/mach: 3 rows"), "{ended:#?}");
    compare(&place, &["op2.h5", "off.h5", "--map", "p_q=q"])
        .refused(4, &["12 of 12 values of field p_q=q, the first at global id 0"]);
    compare(&place, &["op2.h5", "own.h5", "--map", "p_Q=q"]).refused(2, &["--map p_Q=q", "p_adt, p_q, p_x"]);
    compare(&place, &["op2.h5", "own.h5", "--map", "p_x=q"]).refused(2, &["(3, 2) and (3, 4)"]);
    compare(&place, &["op2.h5", "own.h5", "--map", "p_q"]).refused(2, &["'p_q'", "such as p_q=q"]);
    trace(&place, "trace.csv", |_| 1);
    compare(&place, &["trace.csv", "trace.csv", "--map", "p_q=q"]).refused(2, &["--map", "no solution"]);
}

#[test]
fn a_comparison_can_be_a_page() {
    let place = Place::new();
    solution(&place, "a.h5", |_| ());
    solution(&place, "b.h5", |values| values[3] += 1e-9);
    compare(&place, &["a.h5", "b.h5", "--report", "c.html"]).refused(4, &["1 of 18 values"]);
    let page = place.read("c.html");
    for words in ["<!DOCTYPE html>", "verdict bad", "level0/variables", "<svg viewBox=", "relative L2"] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("http:") && !page.contains("https:"));
    compare(&place, &["a.h5", "a.h5", "--report", "c.html"]).succeeded();
    assert!(place.read("c.html").contains("verdict good"));
}

/// A flow that hardly depends on the mesh, on two of them; of Airfoil, whose fields belong to cells, only one file has a mesh.
#[test]
fn solutions_on_different_meshes_are_compared_where_nodes_of_the_first_are() {
    let place = Place::new();
    let run = |out: &str, config: &str| {
        place.write("c.toml", config);
        place.run(Ranks::Alone, &["--config", "c.toml", "--out", out]).succeeded();
    };
    let flow = |size: &str, mesh: bool| {
        format!(
            "case = \"flow\"\nmesh.generate = {{ shape = \"box\", size = {size}, elements = \"triangles\" }}\n[flow]\n\
             boundaries = {{ x_min = \"inlet\", x_max = \"outlet\", y_min = \"slip\", y_max = \"slip\" }}\n\
             iterations = 2\n[output]\nmesh = {mesh}\n"
        )
    };
    run("coarse", &flow("[6, 5]", true));
    run("fine", &flow("[11, 8]", true));
    run("bare", &flow("[11, 8]", false));
    let with = |args: &[&str]| compare(&place, args);
    with(&["coarse", "fine"]).refused(2, &["the same mesh, or on two with --interpolate"]);
    with(&["coarse", "bare", "--interpolate"]).refused(2, &["bare/solution.h5", "output.mesh = true"]);
    with(&["coarse/history.csv", "fine/history.csv", "--interpolate"])
        .refused(2, &["--interpolate", "no fields"]);
    let ended = with(&["coarse", "fine", "--interpolate", "--atol", "0.5", "--json"]).succeeded();
    let found: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(found["solution"]["interpolated"], serde_json::json!([42, 108]), "{found:#}");
    assert_eq!((&found["history"], &found["within_tolerance"]), (&serde_json::Value::Null, &true.into()));
    // The same mesh, on both sides: what the nodes have is what they have.
    run("again", &flow("[6, 5]", true));
    let ended = with(&["coarse", "again", "--interpolate"]).succeeded();
    assert!(ended.stdout.contains("interpolated: B's 42 nodes at A's 42"), "{ended:#?}");
    // Under a launcher, one rank does the work, and the others say nothing.
    for ranks in ways() {
        let args = ["compare", "coarse", "fine", "--interpolate"];
        let within = place.run(ranks, &[&args[..], &["--atol", "0.5", "--json"]].concat()).succeeded();
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&within.stdout).expect("JSON"),
            found,
            "{ranks:?}"
        );
        place.run(ranks, &args).refused(4, &["values of field variables, the first at"]);
    }
    // A difference of one everywhere has norms of one; one at a corner counts as much as its one or two triangles of 60.
    for (rows, least, most) in [(42, 1.0 - 1e-12, 1.0 + 1e-12), (1, 0.9 / 180.0, 2.1 / 180.0)] {
        std::fs::copy(place.path("coarse/solution.h5"), place.path("shifted.h5")).expect("a copy");
        raise(&place.path("shifted.h5"), rows);
        let ended = with(&["coarse/solution.h5", "shifted.h5", "--interpolate", "--json"]);
        assert_eq!(ended.code, 4, "{ended:#?}");
        let found: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        for field in found["solution"]["fields"].as_array().expect("fields") {
            let mean = field["norms"]["l1"].as_f64().expect("a number");
            assert!((least..=most).contains(&mean), "{field:#}");
        }
    }
    run(
        "cells",
        "case = \"airfoil\"\nmesh.generate = { size = [8, 6] }\nairfoil.iterations = 1\noutput.mesh = true\n",
    );
    with(&["cells", "cells", "--interpolate"]).refused(2, &["no field has a value for each node"]);
}

/// Adds one to the values of the first rows of every field of a solution.
fn raise(path: &Path, rows: usize) {
    let fields = cfd_io::SolutionFile::open(path).expect("a solution").fields().to_vec();
    let file = hdf5::File::open_rw(path).expect("a solution");
    for field in fields {
        let dataset = file.dataset(&field.name).expect("a field");
        let mut values = dataset.read_dyn::<f64>().expect("numbers");
        for mut row in values.outer_iter_mut().take(rows) {
            row.mapv_inplace(|value| value + 1.0);
        }
        dataset.write(&values).expect("a field is written");
    }
    drop(file);
    unlock(path);
}
