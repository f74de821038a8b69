//! Fields that an adaptation carries along, and metrics that always come from the first mesh, from outside.

use cfd_engine::comm::Comm;
use serde_json::Value;

use crate::adaptation::{named_square, results, run};
use crate::launch::{Place, Ranks, ways};

/// A flow with a shock, and its solution.
fn flow() -> Place {
    let place = Place::new();
    place.write("square.su2", named_square(9));
    let flow = "case = \"flow\"\nmesh.file = \"square.su2\"\noutput.mesh = true\n[flow]\nmach = 2.0\nalpha = -10.0\n\
                scheme = \"explicit\"\ncfl = 0.5\niterations = 60\n[flow.boundaries]\nfloor = \"slip\"\n\
                ceiling = \"supersonic_inlet\"\nentry = \"supersonic_inlet\"\nexit = \"supersonic_outlet\"\n";
    place.write("flow.toml", flow);
    place.run(Ranks::Alone, &["--config", "flow.toml", "--out", "flow"]).succeeded();
    place
}

fn config(mesh: &str, keys: &str) -> String {
    format!(
        "case = \"adaptation\"\nmesh.{mesh}\n[adaptation]\nmetric = \"field\"\nfield = \"mach\"\n\
         solution = \"flow/solution.h5\"\ncomplexity = 150.0\nh_max = 0.3\ngradation = 1.5\niterations = 3\n{keys}\n\
         [output]\ndirectory = \"out\"\ncheckpoint_every = 1\ncheckpoint_keep = 9\n"
    )
}

const SQUARE: &str = "file = \"square.su2\"";

/// The integral of a field at the vertices, component by component.
fn integral(place: &Place, directory: &str, name: &str) -> Vec<f64> {
    let comm = Comm::single();
    let mesh =
        cfd_io::read_element_mesh(&comm, &place.path(&format!("{directory}/adapted.h5"))).expect("a mesh");
    let field =
        cfd_io::read_field(&comm, &place.path(&format!("{directory}/solution.h5")), name).expect("a field");
    let x = mesh.x().as_chunks::<2>().0;
    let mut sums = vec![0.0; field.dim];
    for corners in mesh.elements()[0].nodes.as_chunks::<3>().0 {
        let [a, b, c] = corners.map(|v| x[v as usize]);
        let area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
        for (i, sum) in sums.iter_mut().enumerate() {
            let values = corners.map(|v| field.block.values()[v as usize * field.dim + i]);
            *sum += area * values.iter().sum::<f64>() / 3.0;
        }
    }
    sums
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// To the last bit where that is asked for, over several iterations and a restart between them, on any ranks.
#[test]
fn integrals_of_fields_and_their_components_are_conserved_as_far_as_a_table_says() {
    let place = flow();
    let keys = "fields = [\"derived/velocity\", \"derived/pressure\", \"mach\"]\n[adaptation.transfer]\n\
                velocity = \"exact\"\n\"derived/pressure\" = \"conservative\"";
    place.write("c.toml", config(SQUARE, keys));
    run(&place, Ranks::Alone, &["--out", "before", "--iterations", "0"]);
    run(&place, Ranks::Alone, &["--out", "whole"]);
    let [before, whole] = ["before", "whole"].map(|directory| place.summary(directory)["integrals"].clone());
    assert!(before.get("mach").is_none(), "{before}");
    let velocity = numbers(&before["velocity"]);
    assert!(velocity.len() >= 2 && velocity[0] > 0.5, "{before}");
    let bits = |value: &Value| numbers(value).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&whole["velocity"]), bits(&before["velocity"]));
    // What the files say, independently: up to rounding where it is conserved.
    let off = |name: &str| {
        let [one, other] = ["before", "whole"].map(|directory| integral(&place, directory, name));
        one.iter().zip(&other).map(|(a, b)| ((a - b) / a.abs().max(0.1)).abs()).fold(0.0, f64::max)
    };
    assert!(off("velocity") < 1e-13 && off("pressure") < 1e-13, "{} {}", off("velocity"), off("pressure"));
    assert!(off("mach") > 1e-6, "a linear field conserves nothing: {}", off("mach"));
    for ranks in ways() {
        run(&place, ranks, &["--out", "other", "--partitioner", "random", "--threads", "2"]);
        assert_eq!(results(&place.summary("other")), results(&place.summary("whole")), "{ranks:?}");
        assert_eq!(place.summary("other")["integrals"], whole, "{ranks:?}");
        run(&place, ranks, &["--iterations", "2", "--out", "part"]);
        run(&place, Ranks::Alone, &["--restart", "part", "--out", "rest"]);
        assert_eq!(results(&place.summary("rest"))[..3], results(&place.summary("whole"))[..3], "{ranks:?}");
        assert_eq!(place.summary("rest")["integrals"], whole, "{ranks:?}");
    }
    for (keys, words) in [
        (
            "fields = [\"mach\"]\n[adaptation.transfer]\npressure = \"exact\"",
            &["adaptation.transfer has \"pressure\", which is none of adaptation.fields"][..],
        ),
        (
            "fields = [\"mach\"]\n[adaptation.transfer]\nmach = \"exactly\"",
            &["adaptation.transfer.mach", "\"exact\""],
        ),
        ("fields = [\"mach\", \"derived/mach\"]", &["another field of this name"]),
    ] {
        place.write("c.toml", config(SQUARE, keys));
        place.run(Ranks::Alone, &["--config", "c.toml", "--out", "no"]).refused(2, words);
    }
}

/// Sizes that change quickly, at the vertices of a fine mesh: what passes from mesh to mesh drifts away from them.
#[test]
fn a_metric_may_come_from_the_first_mesh_in_every_iteration() {
    let place = Place::new();
    let n = 24;
    place.write("fine.su2", named_square(n));
    let sizes: String = (0..(n + 1) * (n + 1))
        .map(|k| (k % (n + 1)) as f64 / n as f64)
        .map(|x| if x < 0.5 { 0.03 } else { 0.03 + 0.1 * (30.0 * x).sin().abs() })
        .map(|h| format!("{h}\n"))
        .collect();
    let count = (n + 1) * (n + 1);
    place.write(
        "sizes.sol",
        format!("MeshVersionFormatted 2\nDimension 2\nSolAtVertices\n{count}\n1 1\n{sizes}End\n"),
    );
    let config = |keys: &str| {
        format!(
            "case = \"adaptation\"\nmesh.file = \"fine.su2\"\n[adaptation]\nmetric = \"file:sizes.sol\"\niterations = 4\n\
             {keys}\n[output]\ndirectory = \"out\"\ncheckpoint_every = 1\ncheckpoint_keep = 9\n"
        )
    };
    // How much the complexity has changed after three iterations.
    let drift = |directory: &str| {
        let rows = place.read(&format!("{directory}/history.csv"));
        let column = rows.lines().next().expect("a head").split(',').position(|name| name == "complexity");
        let values: Vec<f64> = rows
            .lines()
            .skip(1)
            .map(|row| {
                row.split(',').nth(column.expect("a column")).expect("a value").parse().expect("a number")
            })
            .collect();
        (values[values.len() - 1] / values[0] - 1.0).abs()
    };
    place.write("c.toml", config(""));
    run(&place, Ranks::Alone, &["--out", "carried"]);
    assert_eq!(place.summary("carried")["metric_from"], "previous mesh");
    place.write("c.toml", config("background = true"));
    let stdout = run(&place, Ranks::Alone, &["--out", "whole"]);
    assert!(stdout.contains("from the first mesh in every iteration"), "{stdout}");
    let whole = place.summary("whole");
    assert_eq!(whole["metric_from"], "first mesh");
    assert_ne!(whole["mesh_hash"], place.summary("carried")["mesh_hash"]);
    assert!(drift("whole") < 0.8 * drift("carried"), "{} {}", drift("whole"), drift("carried"));
    for ranks in ways() {
        run(&place, ranks, &["--out", "other", "--partitioner", "random", "--threads", "2"]);
        assert_eq!(results(&place.summary("other")), results(&whole), "{ranks:?}");
        run(&place, ranks, &["--iterations", "2", "--out", "part"]);
        for other in ways() {
            run(&place, other, &["--restart", "part", "--out", "rest"]);
            assert_eq!(
                results(&place.summary("rest"))[..3],
                results(&whole)[..3],
                "{ranks:?} then {other:?}"
            );
        }
    }
    place.write("c.toml", config("background = true").replace("file:sizes.sol", "ramp"));
    place.run(Ranks::Alone, &["--config", "c.toml", "--out", "no"]).refused(
        2,
        &[
            "adaptation.background is for metrics at the vertices of the first mesh",
            "\"ramp\" is known on every mesh",
        ],
    );
}

/// Also the metric of a field; a metric of the mesh itself.
#[test]
fn the_metric_of_a_field_or_of_the_mesh_may_come_from_the_first_mesh() {
    let place = flow();
    for keys in ["background = true", "background = true\nfields = [\"derived/pressure\"]"] {
        place.write("c.toml", config(SQUARE, keys));
        run(&place, Ranks::Alone, &["--out", "whole"]);
        let whole = results(&place.summary("whole"));
        for ranks in ways() {
            run(&place, ranks, &["--iterations", "2", "--out", "part"]);
            run(&place, ranks, &["--restart", "part", "--out", "rest"]);
            assert_eq!(results(&place.summary("rest"))[..3], whole[..3], "{ranks:?}");
        }
    }
    let generated = "case = \"adaptation\"\nmesh.generate = { size = [9, 9] }\nadaptation = { metric = \"mesh\", background = \
                     true, iterations = 3 }\noutput = { directory = \"out\", checkpoint_every = 1 }\n";
    place.write("c.toml", generated);
    run(&place, Ranks::Alone, &["--out", "whole"]);
    for ranks in ways() {
        run(&place, ranks, &["--iterations", "2", "--out", "part"]);
        run(&place, ranks, &["--restart", "part", "--out", "rest"]);
        assert_eq!(results(&place.summary("rest"))[..3], results(&place.summary("whole"))[..3], "{ranks:?}");
    }
}
