//! Grids of validation in a configuration, of quadrilaterals and hexahedra, or cut into triangles and tetrahedra.

use crate::launch::{Place, Ranks, ways};

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

/// On the wing of ONERA M6, hexahedra and tetrahedra: a steady flow with the same bits on any ranks, the pressure around
/// its sections, and a lift near the published 0.28 (SU2's 108,396 nodes), of which a grid as coarse as this has a part.
#[test]
fn flow_around_a_wing_converges_on_hexahedra_and_tetrahedra_and_is_shown_in_sections() {
    let place = Place::new();
    let config = include_str!("../../configs/flow-wing.toml").replace("1e-8", "1e-4");
    let mut hashes = Vec::new();
    let cases = ways().into_iter().map(|ranks| (ranks, "hexahedra")).chain([(Ranks::Alone, "tetrahedra")]);
    for (ranks, elements) in cases {
        let generate = format!("shape = \"onera-m6\", size = [33, 11, 13], elements = \"{elements}\"");
        place.write("c.toml", config.replace("shape = \"onera-m6\", size = [65, 24, 25]", &generate));
        let stations = "flow.stations=[0.0, 0.44, 0.8]";
        place.run(ranks, &["--config", "c.toml", "--out", "out", "--set", stations]).succeeded();
        let summary = place.summary("out");
        let (lift, drag) = (&summary["values"]["lift"], &summary["values"]["drag"]);
        let (lift, drag) = (lift.as_f64().expect("a lift"), drag.as_f64().expect("a drag"));
        assert!((0.2..0.32).contains(&lift) && (0.01..0.06).contains(&drag), "{elements}: {lift} {drag}");
        assert!(*place.residuals("out").last().expect("a residual") < 1e-4, "{elements}");
        let table = place.read("out/cp.csv");
        let rows: Vec<Vec<f64>> = table
            .lines()
            .skip(1)
            .map(|line| line.split(',').map(|number| number.parse().expect("a number")).collect())
            .collect();
        let at = |station: f64| rows.iter().filter(move |row| row[0] == station);
        // At the root, the nodes of the section themselves.
        assert_eq!(at(0.0).count(), 32, "{elements}");
        // Between the layers of nodes: the section there has its own chord, and is 9.74 % as thick.
        let thick = at(0.44).map(|row| row[3]).fold(0.0, f64::max);
        let chord = 0.8059 * (1.0 - 0.438 * 0.44);
        assert!((thick / (0.0487 * chord) - 1.0).abs() < 0.03, "{elements}: {thick} of {chord}");
        // At leading edges the pressure comes near that of air at rest, 1.189, within what is lost and won on few cells.
        let highest = |station| at(station).map(|row| row[4]).fold(f64::MIN, f64::max);
        let highest = [0.0, 0.44, 0.8].map(highest);
        assert!(highest.iter().all(|cp| (0.7..1.25).contains(cp)), "{elements}: {highest:?}");
        // The upper side comes first, from the trailing edge on.
        for station in [0.0, 0.44, 0.8] {
            let section: Vec<_> = at(station).collect();
            let nose = section.iter().position(|row| row[2] == 0.0).expect("a leading edge");
            let mean = |side: &[&Vec<f64>]| side.iter().map(|row| row[4]).sum::<f64>() / side.len() as f64;
            assert!(
                mean(&section[..nose]) < mean(&section[nose..]) - 0.1,
                "{elements} at {station}: {table}"
            );
        }
        hashes.push((elements, summary["hash"].clone(), table));
    }
    let hexahedra: Vec<_> = hashes.iter().filter(|(elements, ..)| *elements == "hexahedra").collect();
    assert!(hexahedra.windows(2).all(|pair| pair[0] == pair[1]), "{hexahedra:?}");
    let (wing, plane) = ("shape = \"onera-m6\", size = [65, 24, 25]", "size = [4, 4]");
    let (named, sides) = (
        "wing = \"slip\"\nsymmetry = \"symmetry\"\nfar_field = \"far_field\"",
        ["x_min", "x_max", "y_min", "y_max"],
    );
    let slip = sides.map(|side| format!("{side} = \"slip\"")).join("\n");
    place.write("plane.toml", config.replace(wing, plane).replace(named, &slip));
    place
        .run(Ranks::Alone, &["--config", "plane.toml"])
        .refused(2, &["flow.stations are sections of walls in three dimensions"]);
}
