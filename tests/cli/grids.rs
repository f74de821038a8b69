//! Grids of validation in a configuration, of quadrilaterals or cut into triangles.

use crate::launch::{Place, Ranks};

fn config(generate: &str) -> String {
    format!(
        "case = \"flow\"\n[mesh]\ngenerate = {{ {generate} }}\n[flow]\nequations = \"laminar\"\nreynolds = 1e4\nmach = 0.2\n\
         iterations = 2\n[flow.boundaries]\nwall = \"no_slip\"\nsymmetry = \"symmetry\"\ninlet = \"inlet\"\n\
         outlet = \"outlet\"\nfar_field = \"far_field\"\n"
    )
}

/// On thin triangles, too, whose long sides couple what is far apart: the coefficient of friction at 0.97 within 2 % of FUN3D's
/// 0.00254337 on these points cut into triangles (NASA's Turbulence Modeling Resource).
#[test]
fn turbulent_flow_along_a_plate_converges_on_triangles() {
    let place = Place::new();
    let generate = "shape = \"flat-plate\", size = [35, 25], elements = \"triangles\"";
    place.write("c.toml", config(generate));
    let settings = [
        "equations=\"spalart-allmaras\"",
        "reynolds=5e6",
        "scheme=\"newton\"",
        "limiter=\"none\"",
        "kappa=0.5",
    ];
    let more = [
        "iterations=200",
        "tolerance=1e-5",
        "boundaries.inlet={kind=\"inlet\",total_pressure=0.73448571,total_temperature=1.008}",
    ];
    let settings: Vec<String> =
        settings.iter().chain(&more).map(|setting| format!("flow.{setting}")).collect();
    let mut arguments = vec!["--config", "c.toml", "--out", "out"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    place.run(Ranks::Alone, &arguments).succeeded();
    let residual = *place.residuals("out").last().expect("a residual");
    assert!(residual < 1e-5, "{residual}");
    let wall: Vec<Vec<f64>> = place
        .read("out/wall.csv")
        .lines()
        .filter_map(|line| {
            Some(
                line.strip_prefix("wall,")?
                    .split(',')
                    .map(|value| value.parse().expect("a number"))
                    .collect(),
            )
        })
        .collect();
    let mut friction: Vec<[f64; 2]> = wall.iter().map(|row| [row[0], row[3]]).collect();
    friction.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let next = friction.iter().position(|[x, _]| *x > 0.97).expect("the plate is longer");
    let ([x, f], [to, g]) = (friction[next - 1], friction[next]);
    let found = f + (g - f) * (0.97 - x) / (to - x);
    assert!((found / 0.00254337 - 1.0).abs() < 0.02, "{found}");
}

#[test]
fn a_grid_can_be_cut_into_triangles_and_into_nothing_else() {
    let place = Place::new();
    let plate = "shape = \"flat-plate\", size = [35, 25]";
    let mut hashes = Vec::new();
    for elements in ["", ", elements = \"quadrilaterals\"", ", elements = \"triangles\""] {
        place.write("c.toml", config(&format!("{plate}{elements}")));
        place.run(Ranks::Alone, &["--config", "c.toml", "--out", "out"]).succeeded();
        hashes.push(place.summary("out").pointer("/mesh/hash").expect("a hash").to_string());
    }
    assert!(hashes[0] == hashes[1] && hashes[0] != hashes[2], "{hashes:?}");
    place.write("c.toml", config(&format!("{plate}, elements = \"mixed\"")));
    place.run(Ranks::Alone, &["--config", "c.toml"]).refused(
        2,
        &["elements = \"mixed\" is not for shape = \"flat-plate\"", "\"quadrilaterals\" or \"triangles\""],
    );
}
