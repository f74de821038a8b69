//! Meshes of Gmsh and SU2: runs, their boundaries in the configuration and on the command line, bad files.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_mesh::{ElementKind, ElementMeshBuilder};

use crate::launch::{Place, Ranks, ways};

/// The meshes shipped with the program.
const MESHES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes");

/// Four squares in a row, with their lower sides as the wall, in SU2's format.
fn squares(wall: &str, far_field: &str) -> String {
    let nodes: String = (0..10).map(|k| format!("{} {}\n", k % 5, k / 5)).collect();
    let cells: String = (0..4).map(|k| format!("9 {k} {} {} {}\n", k + 1, k + 6, k + 5)).collect();
    let bottom: String = (0..4).map(|k| format!("3 {k} {}\n", k + 1)).collect();
    let top: String = (0..4).map(|k| format!("3 {} {}\n", k + 5, k + 6)).collect();
    format!(
        "NDIME= 2\nNELEM= 4\n{cells}NPOIN= 10\n{nodes}NMARK= 2\nMARKER_TAG= {wall}\nMARKER_ELEMS= 4\n{bottom}\
         MARKER_TAG= {far_field}\nMARKER_ELEMS= 6\n{top}3 0 5\n3 9 4\n"
    )
}

/// A folder with a mesh whose boundaries are called "floor" and "sky", and a configuration that gives their kinds.
fn place() -> Place {
    let place = Place::new();
    place.write("squares.su2", squares("floor", "sky"));
    place.write("c.toml", config("wall = [\"floor\"]\nfar_field = [\"sky\"]\n"));
    place
}

fn config(boundaries: &str) -> String {
    format!(
        "case = \"airfoil\"\nmesh.file = \"squares.su2\"\nairfoil.iterations = 3\n[boundaries]\n{boundaries}"
    )
}

#[test]
fn the_meshes_that_come_with_the_program_give_one_solution_on_any_number_of_ranks() {
    let place = Place::new();
    for (config, cells) in [("cylinder", 11_520), ("multi-element", 13_113), ("flow-multi-element", 20_370)] {
        let text = std::fs::read_to_string(format!("{MESHES}/../configs/{config}.toml")).unwrap();
        place.write("c.toml", text.replace("\"meshes/", &format!("\"{MESHES}/")));
        let mut hashes = Vec::new();
        for ranks in ways() {
            place.run(ranks, &["--config", "c.toml", "--iterations", "5", "--out", "o"]).succeeded();
            let summary = place.summary("o");
            let rows =
                ["triangles", "quadrilaterals"].map(|kind| summary["mesh"][kind].as_u64().unwrap_or(0));
            assert_eq!(rows[0] + rows[1], cells, "{config}");
            hashes.push((summary["mesh"]["hash"].clone(), summary["hash"]["solution"].clone()));
        }
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{config}: {hashes:?}");
    }
}

#[test]
fn boundaries_that_do_not_fit_the_mesh_are_refused() {
    let place = place();
    for ranks in ways() {
        place.run(ranks, &["--config", "c.toml"]).succeeded();
    }
    for (boundaries, words) in [
        (
            "wall = [\"floor\"]\n",
            &[
                "squares.su2: the boundary \"sky\"",
                "boundaries.wall or boundaries.far_field",
                "--far-field",
                "\"floor\", \"sky\"",
            ][..],
        ),
        ("wall = [\"flor\"]\n", &["there is no boundary \"flor\"; did you mean \"floor\"?"]),
        ("wall = [\"floor\"]\nfar_field = [\"sky\", \"floor\"]\n", &["\"floor\" is given both as wall"]),
        (
            "wall = \"floor\"\n",
            &["boundaries.wall must be a list of non-empty strings, found the string \"floor\""],
        ),
        ("wall = []\n", &["boundaries.wall must be a list of non-empty strings"]),
        ("walls = [\"floor\"]\n", &["unknown key \"walls\" in [boundaries]; did you mean \"wall\"?"]),
    ] {
        place.write("c.toml", config(boundaries));
        for ranks in ways() {
            place.run(ranks, &["--config", "c.toml"]).refused(2, words);
        }
    }
}

#[test]
fn boundaries_are_for_meshes_that_have_names() {
    let place = place();
    for ranks in ways() {
        let generated = ["--config", "c.toml", "--set", "mesh.generate.size=[4, 4]"];
        place.run(ranks, &generated).refused(2, &["mesh.generate and boundaries.wall exclude each other"]);
        let levels = ["--config", "c.toml", "--set", "case=mgcfd"];
        place
            .run(ranks, &levels)
            .refused(2, &["squares.su2: this is a mesh of 2 dimensions, but dual edges"]);
        let heat = ["--config", "c.toml", "--set", "case=heat"];
        place.run(ranks, &heat).refused(2, &["boundaries.wall has no meaning for case \"heat\""]);
        let elements = ["--config", "c.toml", "--set", "case=aero", "--iterations", "2", "--out", "aero"];
        place.run(ranks, &elements).succeeded();
    }
    let names = ["--wall", "floor", "--far-field", "sky"];
    place.run(ways()[0], &["mesh", "convert", "squares.su2", "a.h5"]).succeeded();
    place.run(ways()[0], &[&["mesh", "convert", "squares.su2", "a.dat"], &names[..]].concat()).succeeded();
    for ranks in ways() {
        // The first file has the elements and their names, the second what is derived from them, with flags.
        let solution = |file: &str| {
            let file = format!("mesh.file={file}");
            place.run(ranks, &["--config", "c.toml", "--set", &file, "--out", "o"]).succeeded();
            let summary = place.summary("o");
            (summary["mesh"]["hash"].clone(), summary["hash"]["solution"].clone())
        };
        assert_eq!(solution("a.h5"), solution("squares.su2"));
        let converted = ["--config", "c.toml", "--set", "mesh.file=a.dat"];
        place.run(ranks, &converted).refused(
            2,
            &["a.dat: names of boundaries have no meaning for a mesh of cells with edges", "remove them"],
        );
    }
}

#[test]
fn mesh_commands_take_the_boundaries_as_options() {
    let place = place();
    let names = ["--wall", "floor", "--far-field", "sky"];
    for ranks in ways() {
        let info = place.run(ranks, &["mesh", "info", "squares.su2"]).succeeded();
        assert_eq!(
            info.stdout.lines().collect::<Vec<_>>()[..6],
            [
                "squares.su2: a valid mesh of elements in 2 dimensions (SU2)",
                "  nodes                        10",
                "  quadrilaterals                4",
                "  boundary lines               10",
                "  boundary floor                4   length 4, first node at 1",
                "  boundary sky                  6   length 6, first node at 1",
            ]
        );
        let hash = |text: &str| text.lines().find(|line| line.contains("hash")).map(String::from);
        place.run(ranks, &["mesh", "convert", "squares.su2", "a.h5"]).succeeded();
        let converted = place.run(ranks, &["mesh", "info", "a.h5"]).succeeded();
        assert_eq!(hash(&converted.stdout), hash(&info.stdout));
        // What the boundaries are matters where something is derived.
        place
            .run(ranks, &["mesh", "convert", "squares.su2", "a.dat"])
            .refused(2, &["\"floor\"", "--wall", "--far-field"]);
        let wrong = ["mesh", "info", "squares.su2", "--wall", "flor"];
        place.run(ranks, &wrong).refused(2, &["no boundary \"flor\"; did you mean \"floor\"?"]);
        for file in ["squares.su2", "a.h5"] {
            place.run(ranks, &[&["mesh", "info", file], &names[..]].concat()).succeeded();
            let derived = place.run(ranks, &[&["mesh", "convert", file, "a.dat"], &names[..]].concat());
            let derived = derived.succeeded();
            assert!(derived.stdout.contains("a valid mesh of cells with edges (for airfoil, heat)"));
            let read = place.run(ranks, &["mesh", "info", "a.dat"]).succeeded();
            assert_eq!(hash(&read.stdout), hash(&derived.stdout));
        }
        let parts = ["partition", "--mesh", "squares.su2", "--parts", "2"];
        place.run(ranks, &[&parts, &names[..]].concat()).succeeded();
    }
}

#[test]
fn information_is_short_complete_and_the_same_on_any_number_of_ranks() {
    let place = place();
    let mut before: Option<(String, serde_json::Value)> = None;
    for ranks in ways() {
        let text = place.run(ranks, &["mesh", "info", "squares.su2"]).succeeded().stdout;
        assert!((10..=45).contains(&text.lines().count()), "{text}");
        let json = place.run(ranks, &["mesh", "info", "squares.su2", "--json"]).succeeded().stdout;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["valid"], &json["format"]), (&true.into(), &"SU2".into()));
        assert_eq!((&json["nodes"], &json["elements"]["quadrilaterals"]), (&10.into(), &4.into()));
        assert_eq!((&json["area"]["total"], &json["extent"]["max"][0]), (&4.0.into(), &4.0.into()));
        assert_eq!(
            (&json["angles"]["min"]["value"], &json["aspect_ratio"]["max"]["value"]),
            (&90.0.into(), &1.0.into())
        );
        assert_eq!(json["boundaries"][0]["names"][0], "floor");
        assert_eq!(
            (&json["boundaries"][0]["length"], &json["boundaries"][0]["first_node"]["max"]),
            (&4.0.into(), &1.0.into())
        );
        assert!(text.contains(json["hash"].as_str().unwrap()), "{text}");
        if let Some(before) = &before {
            assert_eq!((&text, &json), (&before.0, &before.1));
        }
        before = Some((text, json));
    }
}

#[test]
fn problems_of_a_mesh_are_counted_and_located() {
    let place = place();
    let good = squares("wall", "outer");
    // The side at the right end has no name.
    assert!(good.contains("3 9 4\n") && good.contains("MARKER_ELEMS= 6"), "{good}");
    let lacking = good.replace("3 9 4\n", "").replace("MARKER_ELEMS= 6", "MARKER_ELEMS= 5");
    place.write("lacking.su2", lacking);
    for ranks in ways() {
        let text = place.run(ranks, &["mesh", "info", "lacking.su2"]).succeeded().stdout;
        for part in [
            "lacking.su2: a mesh with problems, of elements in 2 dimensions (SU2)",
            "1 faces belong to one element and to no named boundary; the first: the side of nodes 4, 9 of quadrilateral 3, \
             at (4, 0.5), belongs to no other element",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let json = place.run(ranks, &["mesh", "info", "lacking.su2", "--json"]).succeeded().stdout;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let problem = &json["problems"][0];
        assert_eq!(
            (&json["valid"], &problem["kind"], &problem["count"]),
            (&false.into(), &"unnamed".into(), &1.into())
        );
        assert_eq!(problem["at"], serde_json::json!([4.0, 0.5]));
    }
}

#[test]
fn shapes_are_generated_in_every_format_that_is_written() {
    let place = place();
    for (shape, name, boundaries) in [
        ("flat-plate --size 35,25", "a.su2", "far_field inlet outlet symmetry wall"),
        ("bump --size 45,21", "a.msh", "inlet outlet symmetry top wall"),
        ("bump-3d --size 12,3,3", "a.b8.ugrid", "inlet outlet symmetry top wall"),
        ("naca0012 --size 57,17", "a.mesh", "airfoil far_field"),
        ("onera-m6 --size 17,7,9", "b.meshb", "far_field symmetry wing"),
        ("cylinder --size 17,9", "a.vtkhdf", "cylinder far_field"),
        ("wedge --size 7,4", "a.h5", "inlet lower outlet upper"),
        ("channel --size 5,4", "a.meshb", "inlet lower outlet upper"),
        ("box --size 2,2,2 --elements mixed-space", "a.lb8.ugrid", "x_max x_min y_max y_min z_max z_min"),
    ] {
        let words: Vec<&str> =
            ["mesh", "generate"].into_iter().chain(shape.split(' ')).chain(["-o", name]).collect();
        place.run(ways()[0], &words).succeeded();
        let json = place.run(ways()[0], &["mesh", "info", name, "--json"]).succeeded().stdout;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let names: Vec<&str> = json["boundaries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|of| of["names"][0].as_str().unwrap())
            .collect();
        assert_eq!(
            (json["valid"].as_bool(), names.join(" ").as_str()),
            (Some(true), boundaries),
            "{shape}: {json}"
        );
    }
    place
        .run(ways()[0], &["mesh", "generate", "flat-plate", "--size", "36,25", "-o", "a.su2"])
        .refused(2, &["a grid of 36 x 25 nodes is not possible", "one more than a multiple of 17: 35, 69"]);
}

#[test]
fn bad_files_are_refused_with_their_place() {
    let place = place();
    let good = squares("wall", "outer");
    let cylinder = std::fs::read_to_string(format!("{MESHES}/cylinder.msh")).unwrap();
    for (content, words) in [
        (good.replace("9 0 1 6 5", "9 0 1 6 50"), &["bad.msh:3: there is no node 50"][..]),
        (
            good.replace("3 9 4\n", ""),
            &["bad.msh:26:1: MARKER_ELEMS= 6: 6 do not fit in the rest of a file of"],
        ),
        (
            good.replace("3 9 4\n", "3 9 3\n"),
            &["bad.msh: the boundary line 9 of nodes 3, 9, at (3.5, 0.5), is not a side of an element"],
        ),
        (cylinder.replace("4.1 0 8", "3.0 0 8"), &["bad.msh:2:1: ", "version \"3.0\"", "expected"]),
        (cylinder[..cylinder.len() / 2].into(), &["bad.msh:", "the file ends here"]),
        (
            cylinder.replace("1 1 \"cylinder\"", "1 1 \"rotor\""),
            &["the boundary \"rotor\"", "\"far_field\", \"rotor\""],
        ),
    ] {
        place.write("bad.msh", content);
        for ranks in ways() {
            place.run(ranks, &["mesh", "convert", "bad.msh", "out.dat"]).refused(2, words);
        }
    }
}

#[test]
fn a_mesh_of_any_sets_is_described_and_runs_no_case() {
    let place = place();
    let mut mesh = Mesh::default();
    let (stars, planets) = (mesh.add_set("stars", 2), mesh.add_set("planets", 3));
    mesh.add_map("star", planets, stars, 1, vec![0, 1, 1]);
    mesh.add_dat("mass", planets, 1, Values::F64(vec![1.0, 2.0, 3.0]));
    cfd_io::write_any_mesh(&Comm::single(), &mesh, &place.path("any.h5")).unwrap();
    for ranks in ways() {
        let told = place.run(ranks, &["mesh", "info", "any.h5"]).succeeded();
        for words in [
            "valid sets, maps and dats (for solvers of your own)",
            "planets",
            "star ",
            "mass",
            "hash blake3:",
        ] {
            assert!(told.stdout.contains(words), "{words} in {told:#?}");
        }
    }
    place.run(Ranks::Alone, &["mesh", "convert", "any.h5", "b.h5"]).refused(2, &["not a mesh of elements"]);
    // A mesh of elements that is damaged is not described as something else.
    let mut builder = ElementMeshBuilder::new(2);
    builder.add_nodes([0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    builder.add_elements(ElementKind::Triangle, 0, [0, 1, 2]);
    let mut mesh = builder.build(&Comm::single()).unwrap();
    mesh.mesh.maps[0].rows[2] = 1;
    cfd_io::write_element_mesh(&Comm::single(), &mesh, &place.path("damaged.h5")).unwrap();
    let info = place.run(Ranks::Alone, &["mesh", "info", "damaged.h5"]);
    info.refused(2, &["damaged.h5: `maps/triangle_nodes` row 0: degenerate triangle"]);
}
