//! Starting from the solution of another run, on the same mesh or another one.

use crate::launch::{Ended, Place, Ranks, ways};
use crate::restart::hashes;

const BOX: &str = "case = \"flow\"\nmesh.generate = { size = [8, 6], elements = \"mixed\", distortion = 0.2 }\n\
                   output.mesh = true\n\
                   [flow]\nmach = 0.4\nscheme = \"newton\"\niterations = 3\n\
                   boundaries = { x_min = \"inlet\", x_max = { kind = \"outlet\", pressure = 0.68 }, \
                   y_min = \"slip\", y_max = \"symmetry\" }\n";

const AIRFOIL: &str = "case = \"flow\"\nmesh.generate = { shape = \"naca0012\", size = [43, 13], wall = 0.03 }\n\
                       output.mesh = true\n\
                       [flow]\nmach = 0.4\nalpha = 2.0\nscheme = \"newton\"\nlimiter = \"none\"\n\
                       iterations = 300\ntolerance = 1e-8\n\
                       boundaries = { airfoil = \"slip\", far_field = \"far_field\" }\n";

fn place() -> Place {
    let place = Place::new();
    place.write("box.toml", BOX);
    place.write("airfoil.toml", AIRFOIL);
    place
}

fn run(place: &Place, ranks: Ranks, config: &str, out: &str, settings: &[&str]) -> Ended {
    let sets = settings.iter().flat_map(|setting| ["--set", setting]);
    let args: Vec<&str> = ["--config", config, "--out", out].into_iter().chain(sets).collect();
    place.run(ranks, &args)
}

const FROM: &str = "flow.start_from=first/solution.h5";

#[test]
fn on_the_same_mesh_a_run_goes_on_from_the_solution_itself() {
    let place = place();
    // The mesh need not be in the file.
    run(&place, Ranks::Alone, "box.toml", "first", &["output.mesh=false"]).succeeded();
    for ranks in ways() {
        let ended = run(&place, ranks, "box.toml", "same", &[FROM, "flow.iterations=0"]).succeeded();
        assert!(ended.stdout.contains("first/solution.h5: on the same mesh"), "{ended:#?}");
        assert_eq!(hashes(&place, "same")[0], hashes(&place, "first")[0]);
        let start = &place.summary("same")["start_from"];
        assert_eq!(start["solution_hash"], place.summary("first")["hash"]["solution"]);
        assert_eq!(start["interpolated"], false);
    }
}

#[test]
fn on_another_mesh_the_bits_do_not_depend_on_the_ranks_of_either_run() {
    let place = place();
    let all: &[usize] = if cfg!(feature = "mpi") { &[1, 2, 3] } else { &[1] };
    let on = |ranks: usize| if ranks == 1 { Ranks::Alone } else { Ranks::Launched(ranks) };
    let mut expected = None;
    for &ranks in all {
        // The first run on the other ends of the list: 3, 2, 1.
        run(&place, on(all.len() + 1 - ranks), "box.toml", "first", &[]).succeeded();
        let other = ["mesh.generate.size=[11,9]", "mesh.generate.elements=\"triangles\"", FROM];
        let ended = run(&place, on(ranks), "box.toml", "other", &other).succeeded();
        assert!(ended.stdout.contains("interpolated from another mesh"), "{ended:#?}");
        assert_eq!(place.summary("other")["start_from"]["interpolated"], true);
        let found = hashes(&place, "other");
        assert_eq!(*expected.get_or_insert(found.clone()), found, "{ranks} ranks");
    }
}

#[test]
fn in_space_too_and_with_walls_that_the_flow_sticks_to() {
    let place = place();
    let space = [
        "mesh.generate.size=[4,3,3]",
        "flow.boundaries={ x_min = \"inlet\", x_max = { kind = \"outlet\", pressure = 0.68 }, y_min = \"no_slip\", \
         y_max = \"symmetry\", z_min = \"slip\", z_max = \"far_field\" }",
        "flow.equations=\"laminar\"",
        "flow.reynolds=100.0",
    ];
    run(&place, Ranks::Alone, "box.toml", "first", &space).succeeded();
    let finer = [&space[1..], &["mesh.generate.size=[6,4,5]", FROM]].concat();
    let found = ways().into_iter().map(|ranks| {
        run(&place, ranks, "box.toml", "finer", &finer).succeeded();
        hashes(&place, "finer")
    });
    let found: Vec<_> = found.collect();
    assert!(found.iter().all(|hashes| *hashes == found[0]), "{found:?}");
}

/// The coarse solution is close to the fine one, so less is left to do.
#[test]
fn a_fine_run_that_starts_from_a_coarse_one_takes_fewer_steps() {
    let place = place();
    run(&place, Ranks::Alone, "airfoil.toml", "first", &[]).succeeded();
    let fine = "mesh.generate.size=[57,17]";
    let from_far = run(&place, Ranks::Alone, "airfoil.toml", "far", &[fine]).succeeded();
    let from_first = run(&place, Ranks::Alone, "airfoil.toml", "near", &[fine, FROM]).succeeded();
    let [far, near] = ["far", "near"].map(|out| place.summary(out));
    assert!(far["converged"] == true && near["converged"] == true, "{from_far:#?}, {from_first:#?}");
    let steps = |summary: &serde_json::Value| summary["iterations"].as_u64().unwrap();
    assert!(steps(&near) < steps(&far), "{} steps, {} from the free stream", steps(&near), steps(&far));
    let lift = |summary: &serde_json::Value| summary["values"]["lift"].as_f64().unwrap();
    assert!((lift(&near) - lift(&far)).abs() < 1e-5, "{}, {}", lift(&near), lift(&far));
}

#[test]
fn what_no_run_can_start_from_is_refused_with_the_way_out() {
    let place = place();
    run(&place, Ranks::Alone, "box.toml", "first", &["output.mesh=false"]).succeeded();
    run(&place, Ranks::Alone, "box.toml", "whole", &[]).succeeded();
    place.write("heat.toml", "case = \"heat\"\nmesh.generate.size = [6, 6]\n");
    run(&place, Ranks::Alone, "heat.toml", "heat", &[]).succeeded();
    place.write("text.h5", "no HDF5");
    let comm = cfd_engine::comm::Comm::single();
    let block = cfd_mesh::generate::block(&comm, 2, 2).unwrap();
    cfd_io::write_mesh(&comm, &block, &cfd_mesh::CELL_EDGES, &place.path("mesh.h5")).unwrap();
    let field = cfd_io::Field { name: "density".into(), dim: 1, rows: 2, block: vec![1.0, 2.0].into() };
    let mesh = place.summary("first")["mesh"]["hash"].as_str().unwrap().to_string();
    let texts = [("case".to_string(), "flow".to_string()), ("mesh_hash".to_string(), mesh)];
    cfd_io::write_solution(&comm, &place.path("density.h5"), &texts, &[field]).unwrap();
    for file in ["mesh.h5", "density.h5"] {
        crate::launch::unlock(&place.path(file));
    }
    let space = "mesh.generate={ size = [3, 3, 3] }";
    let sides = "flow.boundaries={ x_min = \"inlet\", x_max = \"far_field\", y_min = \"slip\", y_max = \"slip\", \
                 z_min = \"slip\", z_max = \"slip\" }";
    let cases: [(&str, &[&str], &[&str]); 8] = [
        ("nowhere.h5", &[], &["nowhere.h5", "No such file"]),
        ("text.h5", &[], &["text.h5", "HDF5"]),
        ("mesh.h5", &[], &["mesh.h5: this is a mesh, not a solution file"]),
        ("heat/solution.h5", &[], &["heat/solution.h5", "case \"heat\"", "\"flow\""]),
        (
            "density.h5",
            &[],
            &["density.h5: there is no field `variables` to start from; its fields: density"],
        ),
        ("first/solution.h5", &["mesh.generate.size=[7,7]"], &["another mesh", "output.mesh = true"]),
        ("whole/solution.h5", &[space, sides], &["2 dimensions", "3 dimensions"]),
        ("whole/solution.h5", &["flow.start=\"vortex\""], &["flow.start_from", "keep one"]),
    ];
    for (file, settings, words) in cases {
        let from = format!("flow.start_from=\"{file}\"");
        let settings = [settings, &[from.as_str()]].concat();
        for ranks in crate::launch::some_ways(&[file, words[0]]) {
            run(&place, ranks, "box.toml", "x", &settings).refused(2, words);
        }
    }
}
