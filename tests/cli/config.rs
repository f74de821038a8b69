//! The configuration as a whole: files, options, defaults, messages, the reference page.

use cfd::config::{Config, ConfigError, Lanes, Mesh, Override, keys, reference};
use cfd::exit::{Code, Error};
use cfd_engine::comm::Comm;
use cfd_engine::lane::Width;
use cfd_engine::strategy::Strategy;
use cfd_keys::{Key, Kind, Table, typed};
use cfd_reducers::strategies;
use cfd_solvers::{CASE_NAMES, CASES, airfoil};
use serde_json::{Value as Json, json};

const MINIMAL: &str = "case = \"airfoil\"\nmesh.file = \"a.h5\"\n";

fn parse(text: &str, overrides: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let overrides: Vec<Override> = overrides
        .iter()
        .map(|(path, value)| Override {
            flag: format!("--set {path}={value}"),
            path: path.to_string(),
            value: value.to_string(),
            bare: false,
        })
        .collect();
    Config::parse("c.toml", text, &overrides)
}

fn error(text: &str, overrides: &[(&str, &str)]) -> String {
    parse(text, overrides).unwrap_err().to_string()
}

#[test]
fn the_defaults_are_those_of_the_libraries() {
    for case in CASES {
        let text = format!("case = \"{}\"\nmesh.file = \"a.h5\"\n", case.name());
        let of = |table: &Table| -> serde_json::Map<String, Json> {
            let of_key = |key: &Key| Some((key.name.to_string(), key.default_value()?.to_json()));
            table.keys.iter().filter_map(of_key).collect()
        };
        let mut defaults = of(case.table());
        let beside = case.beside().iter();
        defaults.extend(beside.map(|(name, table)| (name.to_string(), Json::Object(of(table)))));
        assert_eq!(parse(&text, &[]).unwrap().run.keys, Json::Object(defaults));
    }
    let aero = parse("case = \"aero\"\nmesh.file = \"a.h5\"\n", &[]).unwrap();
    assert!(aero.to_toml().contains("\n[aero]\nboundaries = {}\ngamma = 1.4\n"), "{}", aero.to_toml());
    let config = parse(MINIMAL, &[]).unwrap();
    let defaults = cfd_partition::Options::default();
    assert_eq!(config.run.partition.method, defaults.method.to_string());
    assert_eq!(config.run.partition.seed, defaults.seed);
    assert_eq!(config.run.partition.metis_limit, defaults.metis_limit);
    assert_eq!(config.run.output.formats, ["h5"]);
    let (execution, defaults) = (config.run.execution, cfd_engine::domain::DomainOptions::default());
    assert_eq!((execution.mode, execution.strategy.0), (defaults.mode, defaults.strategy()));
    assert_eq!((execution.sums, execution.overlap), (defaults.sums, defaults.overlap));
    assert_eq!(execution.look_ahead, defaults.look_ahead);
    assert_eq!(execution.region_size, defaults.region_rows as u64);
    assert_eq!((execution.chain, execution.tile_size), (false, defaults.tile_rows as u64));
    assert_eq!(execution.order, cfd_partition::Order::default());
}

#[test]
fn the_strategies_are_those_of_the_engine() {
    let Kind::Choice(names) = keys::find("execution.strategy", None)[0].1.kind else { panic!("a choice") };
    assert_eq!(names, strategies::all().map(Strategy::name).collect::<Vec<_>>());
    for strategy in strategies::all() {
        let name = strategy.name();
        let fast = parse(MINIMAL, &[("execution.mode", "fast"), ("execution.strategy", name)]).unwrap();
        assert_eq!(fast.run.execution.strategy.0, strategy);
        let reproducible = parse(MINIMAL, &[("execution.strategy", name)]);
        assert_eq!(reproducible.is_ok(), strategy.is_reproducible(), "{name}");
    }
}

#[test]
fn an_unset_strategy_follows_from_the_mode_and_is_printed() {
    let strategy = |overrides: &[(&str, &str)]| {
        let config = parse(MINIMAL, overrides).unwrap();
        let printed = parse(&config.to_toml(), &[]).unwrap();
        assert_eq!(printed.run.execution.strategy, config.run.execution.strategy);
        config.run.execution.strategy.0
    };
    assert_eq!(strategy(&[]), Strategy::Regions);
    assert_eq!(strategy(&[("execution.mode", "fast")]), Strategy::Core);
    assert_eq!(strategy(&[("execution.mode", "fast"), ("execution.strategy", "regions")]), Strategy::Regions);
}

#[test]
fn a_strategy_that_is_not_reproducible_is_refused_where_it_was_chosen() {
    let remedy = "execution.strategy \"core\" is not reproducible; use one of \"regions\", \"temporary-array\", \
                  \"trivial-coloring\", \"greedy-coloring\", \"distributed-coloring\", or execution.mode = \"fast\"";
    let text = format!("{MINIMAL}[execution]\nmode = \"fast\"\nstrategy = \"core\"\n");
    assert!(parse(&text, &[]).is_ok());
    assert_eq!(error(&text, &[("execution.mode", "reproducible")]), format!("c.toml:5:1: {remedy}"));
    let chosen = error(MINIMAL, &[("execution.strategy", "core")]);
    assert_eq!(chosen, format!("--set execution.strategy=core: {remedy}"));
}

#[test]
fn an_option_changes_one_value_of_a_boundary_and_keeps_the_others() {
    let text = "case = \"flow\"\nmesh.file = \"a.h5\"\n[flow]\nmach = 0.5\n[flow.boundaries]\nwall = \"slip\"\n\
                inlet = { kind = \"inlet\", total_pressure = 1.2, direction = [1.0, 0.0] }\n";
    let of = |overrides: &[(&str, &str)], boundary: &str| {
        parse(text, overrides).unwrap().run.keys["boundaries"][boundary].clone()
    };
    let inlet = of(&[("flow.boundaries.inlet.total_pressure", "1.5")], "inlet");
    assert_eq!(inlet, json!({"kind": "inlet", "total_pressure": 1.5, "direction": [1.0, 0.0]}));
    // The value of a kind that the same command names.
    let outlet = [("flow.boundaries.wall", "outlet"), ("flow.boundaries.wall.pressure", "0.7")];
    assert_eq!(of(&outlet, "wall"), json!({"kind": "outlet", "pressure": 0.7}));
    // Another kind has none of the old values.
    assert_eq!(of(&[("flow.boundaries.inlet.kind", "slip")], "inlet"), json!({"kind": "slip"}));
    let message = error(text, &[("flow.boundaries.wall.pressure", "0.7")]);
    assert!(message.contains("flow.boundaries.wall") && message.contains("without values"), "{message}");
    let message = error(text, &[("flow.boundaries.other.pressure", "0.7")]);
    assert!(message.contains("a table with the key `kind`"), "{message}");
}

#[test]
fn names_of_boundaries_are_lists_and_survive_printing() {
    let text = format!("{MINIMAL}[boundaries]\nwall = [\"flap\", \"1\"]\n");
    let config = parse(&text, &[("boundaries.far_field", "[\"sky \\\"a\\\"\"]")]).unwrap();
    let printed = parse(&config.to_toml(), &[]).unwrap();
    for config in [config, printed] {
        let mut given = config.run.boundaries.given;
        given.sort();
        let named = [("far_field", vec!["sky \"a\""]), ("wall", vec!["flap", "1"])];
        assert_eq!(
            given,
            named.map(|(kind, names)| (kind.into(), names.into_iter().map(String::from).collect()))
        );
    }
    assert!(parse(MINIMAL, &[]).unwrap().run.boundaries.is_empty());
    assert!(!parse(MINIMAL, &[]).unwrap().to_toml().contains("[boundaries]"));
    for wrong in ["[\"a\", \"\"]", "[1]", "[]", "flap"] {
        let message = error(MINIMAL, &[("boundaries.wall", wrong)]);
        assert!(message.contains("boundaries.wall must be a list of non-empty strings"), "{message}");
    }
}

#[test]
fn a_generated_mesh_has_the_numbers_its_case_needs() {
    let mgcfd = "case = \"mgcfd\"\nmesh.generate = { size = [8, 4, 2], levels = 2, shape = \"box\" }\n";
    assert!(parse(mgcfd, &[]).is_ok());
    for (text, expected) in [
        (
            "case = \"mgcfd\"\nmesh.generate = { size = [8, 4] }\n",
            "c.toml:2:19: mesh.generate.size must be 3 integers from 1 to 100000 for case \"mgcfd\", found [8, 4]",
        ),
        (
            "case = \"aero\"\nmesh.generate = { size = [8, 4, 2] }\n",
            "c.toml:2:19: mesh.generate.size must be 2 integers from 2 to 100000 for case \"aero\", found [8, 4, 2]",
        ),
        (
            "case = \"aero\"\nmesh.generate = { size = [8, 4], levels = 2 }\n",
            "c.toml:2:34: mesh.generate.levels has no meaning for case \"aero\"; remove it",
        ),
        (
            "case = \"mgcfd\"\nmesh.generate = { size = [8, 4, 2], decimals = 6 }\n",
            "c.toml:2:37: mesh.generate.decimals has no meaning for case \"mgcfd\"; remove it",
        ),
    ] {
        assert_eq!(error(text, &[]), expected);
    }
}

#[test]
fn every_key_has_one_description_and_a_default_that_passes_its_own_check() {
    let mut paths = Vec::new();
    for table in keys::tables() {
        for key in table.keys {
            key.default_value();
            assert!(!key.meaning.is_empty() && !key.meaning.ends_with('.'), "{}", table.path(key));
            assert!(!(key.required && key.default.is_some()), "{}", table.path(key));
            // Each way to generate a mesh has its own keys.
            if table.name != keys::GENERATE {
                paths.push(table.path(key));
            }
        }
    }
    let all = paths.len();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), all, "no two keys have one path");
}

#[test]
fn the_printed_configuration_gives_the_same_configuration_bit_for_bit() {
    let text = "case = \"airfoil\"\n[mesh.generate]\nsize = [40, 60]\ndecimals = 6\n[airfoil]\n\
                gamma = 1.39999997615814208984375\ncfl = 1\ntolerance = 1e-300\n[output]\nformats = []\n\
                directory = \"a \\\"quoted\\\" \\\\ name\\n\"\n";
    let first = parse(text, &[("partition.method", "file:a b.txt"), ("airfoil.eps", "0.1")]).unwrap();
    let printed = first.to_toml();
    let second = parse(&printed, &[]).unwrap();
    assert_eq!(second.to_toml(), printed);
    assert_eq!(first.to_json(), second.to_json());
    assert_eq!(typed::<airfoil::Config>(&second.run.keys).gamma.to_bits(), f64::from(1.4f32).to_bits());
    assert_eq!(typed::<airfoil::Config>(&second.run.keys).eps, 0.1);
    // Complete: every key with a default is there, except in the tables of other cases.
    let airfoil = keys::case("airfoil").unwrap();
    for table in keys::tables().iter().filter(|table| keys::is_for(table, airfoil)) {
        for key in table.keys.iter().filter(|key| key.default.is_some()) {
            assert!(printed.contains(&format!("{} = ", key.name)), "{} is printed", table.path(key));
        }
    }
}

#[test]
fn the_table_of_another_case_is_kept_as_it_is_given() {
    let config = parse(MINIMAL, &[("aero.mach", "0.3"), ("airfoil.mach", "0.5")]).unwrap();
    let printed = config.to_toml();
    assert!(printed.contains("\n[aero]\nmach = 0.3\n\n[output]\n"), "{printed}");
    assert!(!parse(MINIMAL, &[]).unwrap().to_toml().contains("[aero]"));
}

#[test]
fn later_settings_win() {
    let text = format!("{MINIMAL}[airfoil]\ncfl = 0.5\n");
    let overrides = [("airfoil.cfl", "0.6"), ("airfoil.cfl", "0.7")];
    assert_eq!(typed::<airfoil::Config>(&parse(&text, &overrides).unwrap().run.keys).cfl, 0.7);
    // A mesh named on the command line replaces one generated by the file, and the other way round.
    let generated = "case = \"airfoil\"\nmesh.generate = { size = [4, 4], decimals = 6 }\n";
    let config = parse(generated, &[("mesh.file", "b.h5")]).unwrap();
    assert!(matches!(&config.run.mesh, Mesh::File(path) if path.to_str() == Some("b.h5")));
    let config =
        parse(MINIMAL, &[("mesh.generate.size", "[3, 5]"), ("mesh.generate.decimals", "4")]).unwrap();
    let size_and_decimals = |config: &Config| match &config.run.mesh {
        Mesh::Generate(_, keys) => (keys["size"].clone(), keys.get("decimals").cloned()),
        Mesh::File(_) => panic!("a generated mesh"),
    };
    assert_eq!(size_and_decimals(&config), (serde_json::json!([3, 5]), Some(4.into())));
    let config = parse(MINIMAL, &[("mesh.generate", "{ size = [3, 5] }")]).unwrap();
    assert_eq!(size_and_decimals(&config), (serde_json::json!([3, 5]), None));
}

#[test]
fn bare_text_is_taken_for_a_string_where_one_is_expected_unless_it_is_of_another_type() {
    let config = parse(MINIMAL, &[("output.directory", "20-24"), ("partition.method", "rcb")]).unwrap();
    assert_eq!(config.run.output.directory.to_str(), Some("20-24"));
    assert_eq!(config.run.partition.method, "rcb");
    for (value, found) in [
        ("true", "true"),
        ("2024", "2024"),
        ("1e3", "1e3"),
        ("[1, 2]", "the list [1, 2]"),
        ("{ a = 1 }", "a table"),
        ("2024-12-01", "the date 2024-12-01"),
    ] {
        for key in ["mesh.file", "output.directory", "partition.method"] {
            let message = error(MINIMAL, &[(key, value)]);
            let end = format!(", found {found}; a string of these characters is '\"{value}\"'");
            assert!(message.starts_with(&format!("--set {key}={value}: {key} must be ")), "{message}");
            assert!(message.ends_with(&end), "{message}");
        }
    }
    // An option of its own is always the string.
    let out = Override {
        flag: "--out 2024".into(),
        path: "output.directory".into(),
        value: "2024".into(),
        bare: true,
    };
    let config = Config::parse("c.toml", MINIMAL, &[out]).unwrap();
    assert_eq!(config.run.output.directory.to_str(), Some("2024"));
    let config = parse(MINIMAL, &[("output.directory", "\"quoted\"")]).unwrap();
    assert_eq!(config.run.output.directory.to_str(), Some("quoted"));
}

#[test]
fn errors_name_place_and_remedy() {
    let cases = Kind::Choice(CASE_NAMES).to_string();
    let with = |lines: &str| format!("{MINIMAL}{lines}");
    for (text, expected) in [
        (
            with("\n[airfoil]\n    clf = 1\n"),
            "c.toml:5:5: unknown key \"clf\" in [airfoil]; did you mean \"cfl\"?",
        ),
        (with("[airfol]\n"), "c.toml:3:2: unknown key \"airfol\"; did you mean \"airfoil\"?"),
        (with("cfl = 1\n"), "c.toml:3:1: unknown key \"cfl\"; did you mean \"airfoil.cfl\"?"),
        (
            "case = \"airfoil\"\n[mesh.generate]\nsize = [4, 4]\nzzz = 1\n".into(),
            "c.toml:4:1: unknown key \"zzz\" in [mesh.generate]; the keys here are \"size\", \"decimals\"",
        ),
        (
            with("[airfoil]\ncfl = \"fast\"\n"),
            "c.toml:4:7: airfoil.cfl must be a finite number greater than 0, found the string \"fast\"",
        ),
        (
            with("airfoil.cfl = -1\n"),
            "c.toml:3:15: airfoil.cfl must be a finite number greater than 0, found -1",
        ),
        (
            with("airfoil.cfl = nan\n"),
            "c.toml:3:15: airfoil.cfl must be a finite number greater than 0, found nan",
        ),
        (
            with("airfoil.iterations = -5\n"),
            "c.toml:3:22: airfoil.iterations must be an integer from 0 to 9223372036854775807, found -5",
        ),
        (
            with("airfoil.iterations = 1.5\n"),
            "c.toml:3:22: airfoil.iterations must be an integer from 0 to 9223372036854775807, found 1.5",
        ),
        (with("airfoil = 3\n"), "c.toml:3:11: airfoil must be a table, found 3"),
        (
            with("mesh.generate.size = [4, 4]\n"),
            "c.toml:3:15: mesh.file and mesh.generate exclude each other; keep one of them",
        ),
        (
            with("output.formats = [\"h5\", \"vtk\"]\n"),
            "c.toml:3:18: output.formats must be a list of any of \"h5\", \"vtu\" or \"vtkhdf\", found the list [the string \"h5\", the string \"vtk\"] (did you mean \"vtkhdf\"?)",
        ),
        (
            "case = \"airfoil\"\n".into(),
            "c.toml: missing the mesh; add file = \"...\" or generate = { size = [400, 600] } to [mesh]",
        ),
        (
            "mesh.file = \"a\"\n".into(),
            "c.toml: missing key \"case\"; add case = \"airfoil\" as the first line",
        ),
        (
            "case = \"burgers\"\n".into(),
            &*format!("c.toml:1:8: case must be {cases}, found the string \"burgers\""),
        ),
    ] {
        assert_eq!(error(&text, &[]), expected);
    }
}

#[test]
fn a_key_of_the_case_can_stand_for_the_mesh() {
    let text = "case = \"lulesh\"\nlulesh.size = 7\n";
    let size = |config: &Config| match &config.run.mesh {
        Mesh::Generate(_, keys) => keys["size"][0].clone(),
        Mesh::File(file) => Json::String(file.display().to_string()),
    };
    let config = parse(text, &[]).unwrap();
    assert_eq!(size(&config), 7);
    assert_eq!(size(&parse(&config.to_toml(), &[]).unwrap()), 7, "{}", config.to_toml());
    // Of two sources, the later one counts.
    assert_eq!(size(&parse(text, &[("lulesh.size", "9")]).unwrap()), 9);
    assert_eq!(size(&parse(text, &[("mesh.file", "a.h5")]).unwrap()), "a.h5");
    assert_eq!(size(&parse(text, &[("mesh.generate.size", "[3]")]).unwrap()), 3);
    let generate = "case = \"lulesh\"\nmesh.generate.size = [4]\n";
    assert_eq!(size(&parse(generate, &[]).unwrap()), 4);
    let config = parse(generate, &[("lulesh.size", "6")]).unwrap();
    assert_eq!(
        (size(&config), config.to_toml().contains("[mesh")),
        (6.into(), false),
        "{}",
        config.to_toml()
    );
    // From one source they exclude each other, in any order; for another case the key is merely kept.
    for text in [
        "case = \"lulesh\"\nmesh.file = \"a.h5\"\nlulesh.size = 7\n",
        "case = \"lulesh\"\nlulesh.size = 7\nmesh.generate.size = [4]\n",
    ] {
        let message = error(text, &[]);
        assert!(message.contains("and lulesh.size exclude each other; keep one of them"), "{message}");
    }
    let other = "case = \"airfoil\"\nmesh.file = \"a.h5\"\nlulesh.size = 7\n";
    assert_eq!(size(&parse(other, &[]).unwrap()), "a.h5");
    assert_eq!(
        error("case = \"lulesh\"\n", &[]),
        "c.toml: missing the mesh; add size to [lulesh], or file = \"...\" or generate = { size = [30] } to [mesh]"
    );
    assert!(error("case = \"lulesh\"\nlulesh.size = 0\n", &[]).contains("an integer from 1 to 100000"));
}

#[test]
fn columns_count_characters_not_bytes() {
    let text = "case = \"airfoil\"\nmesh.file = \"äöü\"\n";
    let text = format!("{text}output = {{ directory = \"äöü\", evry = 1 }}\n");
    assert!(
        error(&text, &[]).starts_with("c.toml:3:31: unknown key \"evry\" in [output]"),
        "{}",
        error(&text, &[])
    );
}

#[test]
fn syntax_errors_have_one_line_and_a_place() {
    for (text, place) in [
        ("case = \n", "c.toml:1:"),
        ("case = \"airfoil\"\n[mesh\n", "c.toml:2:"),
        ("case = \"airfoil\"\ncase = \"airfoil\"\n", "c.toml:2:1"),
        ("= 3", "c.toml:1:1"),
    ] {
        let message = error(text, &[]);
        assert!(message.starts_with(place) && message.contains("not valid TOML"), "{message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn command_line_errors_name_the_option() {
    for (path, value, expected) in [
        ("airfoil.clf", "1", "--set airfoil.clf=1: unknown key \"clf\" in [airfoil]; did you mean \"cfl\"?"),
        (
            "airfoil.cfl",
            "0",
            "--set airfoil.cfl=0: airfoil.cfl must be a finite number greater than 0, found 0",
        ),
        (
            "airfoil.cfl",
            "",
            "--set airfoil.cfl=: airfoil.cfl must be a finite number greater than 0, found an empty string",
        ),
        ("airfoil", "1", "--set airfoil=1: airfoil must be a table, found 1"),
    ] {
        assert_eq!(error(MINIMAL, &[(path, value)]), expected);
    }
}

#[test]
fn the_iterations_option_is_that_of_the_case() {
    let given = [Override {
        flag: "--iterations 7".into(),
        path: "{case}.iterations".into(),
        value: "7".into(),
        bare: true,
    }];
    assert_eq!(Config::parse("c.toml", MINIMAL, &given).unwrap().run.limits().iterations, 7);
}

#[test]
fn all_ranks_get_one_configuration_or_one_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.toml");
    std::fs::write(&path, MINIMAL).unwrap();
    let configs =
        Comm::simulate(3, |comm| Config::load(&comm, path.to_str().unwrap(), &[]).unwrap().to_toml());
    assert!(configs.iter().all(|config| *config == configs[0]));
    let errors =
        Comm::simulate(3, |comm| Config::load(&comm, "no/such/file.toml", &[]).unwrap_err().to_string());
    assert!(
        errors.iter().all(|error| *error == errors[0] && error.starts_with("no/such/file.toml: cannot read"))
    );
    std::fs::write(&path, b"case = \"airfoil\"\n# caf\xe9\n").unwrap();
    let message = Config::load(&Comm::single(), path.to_str().unwrap(), &[]).unwrap_err().to_string();
    assert!(message.ends_with("c.toml:2:6: not valid TOML: the file is not UTF-8 text"), "{message}");
}

#[test]
fn the_reference_page_is_up_to_date() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/config.md")).unwrap_or_default();
    assert!(
        page == reference::page(),
        "docs/config.md is out of date: cargo run -- info --config-reference > docs/config.md"
    );
}

#[test]
fn the_configurations_of_the_repository_are_valid() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/configs");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        Config::parse(path.to_str().unwrap(), &text, &[]).unwrap();
        seen += 1;
    }
    assert!(seen >= 3);
}

#[test]
fn lanes_that_the_processor_lacks_are_refused_as_wrong_input_with_those_it_has() {
    let lanes = |value: &str| parse(MINIMAL, &[("execution.lanes", value)]).unwrap().run.execution.lanes;
    assert_eq!(lanes("auto").width(), Ok(Width::widest()));
    assert_eq!(lanes("1").width(), Ok(Width::SCALAR));
    let error = Error::from(Lanes::Forced(16).width().unwrap_err());
    assert_eq!(error.code(), Code::Input);
    let text = error.to_string();
    assert!(text.starts_with("execution.lanes: 16 lanes: this processor has 1"), "{text}");
}

#[test]
fn paths_and_lists_of_any_depth_are_refused() {
    for deep in ["a".to_string(), "mesh.generate".to_string()] {
        let path = format!("{deep}{}", ".a".repeat(200_000));
        let message = error(MINIMAL, &[(&path, "1")]);
        assert!(message.contains("unknown key"), "{}", &message[message.len().saturating_sub(300)..]);
    }
    for text in
        ["a.".repeat(100_000) + "a = 1", "a = ".to_string() + &"[".repeat(100_000), "a={".repeat(100_000)]
    {
        assert!(error(&text, &[]).contains("c.toml:1:"));
    }
}

#[test]
fn a_file_without_end_is_refused() {
    let message = Config::load(&Comm::single(), "/dev/zero", &[]).unwrap_err().to_string();
    assert!(message.contains("/dev/zero") && message.contains("a character device"), "{message}");
}

#[test]
fn a_generator_s_settings_are_those_of_the_case_that_runs_whatever_the_order() {
    let text = "mesh.generate = { size = [8, 4, 2], shape = \"bump\" }\ncase = \"mgcfd\"\n";
    assert!(parse(text, &[]).is_ok());
    let other = parse(text, &[("case", "airfoil"), ("mesh.file", "a.h5")]).unwrap();
    assert!(matches!(other.run.mesh, Mesh::File(_)));
    let message = error("case = \"airfoil\"\nmesh.generate.decimals = 3\n", &[]);
    let expected = "c.toml: missing key \"mesh.generate.size\"; add size = [400, 600] to [mesh.generate]";
    assert_eq!(message, expected);
}
