//! Grids of validation in a configuration, of quadrilaterals or cut into triangles.

use crate::launch::{Place, Ranks};

fn config(generate: &str) -> String {
    format!(
        "case = \"flow\"\n[mesh]\ngenerate = {{ {generate} }}\n[flow]\nequations = \"laminar\"\nreynolds = 1e4\nmach = 0.2\n\
         iterations = 2\n[flow.boundaries]\nwall = \"no_slip\"\nsymmetry = \"symmetry\"\ninlet = \"inlet\"\n\
         outlet = \"outlet\"\nfar_field = \"far_field\"\n"
    )
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
