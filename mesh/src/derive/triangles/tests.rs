//! Each rule for triangles is broken once, in an otherwise good mesh.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use super::TRIANGLES;
use crate::derive::cell_edges::tests::KINDS;
use crate::generate;

fn check(change: impl Fn(&mut Mesh) + Sync) -> Result<(), String> {
    let results = Comm::simulate(2, |comm| {
        let mut mesh = generate::triangles(&comm, [3, 2]).unwrap();
        if comm.rank() == 1 {
            change(&mut mesh);
        }
        TRIANGLES.check(&comm, &mesh, KINDS).map_err(|error| error.to_string())
    });
    assert_eq!(results[0], results[1], "the same on all ranks");
    results.into_iter().next().expect("two ranks")
}

#[test]
fn a_square_is_valid() {
    assert_eq!(check(|_| ()), Ok(()));
}

#[test]
fn defects_are_found_with_dataset_and_row() {
    let refused = |change: &(dyn Fn(&mut Mesh) + Sync), words: [&str; 2]| {
        let message = check(change).unwrap_err();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    let twice = |mesh: &mut Mesh| mesh.maps[0].rows[1] = mesh.maps[0].rows[0];
    refused(&twice, ["element_vertices", "degenerate triangle: it has vertex 4 twice"]);
    let facet = |mesh: &mut Mesh| mesh.maps[1].rows[1] = mesh.maps[1].rows[0];
    refused(&facet, ["facet_vertices", "degenerate facet"]);
    let line = |mesh: &mut Mesh| mesh.maps[0].rows[..3].copy_from_slice(&[0, 1, 2]);
    refused(&line, ["element_vertices", "its area is 0e0"]);
    for tag in [0, -1, 65536] {
        let tagged = move |mesh: &mut Mesh| {
            let Values::I32(tags) = &mut mesh.dats[1].values else { panic!("tags are integers") };
            tags[2] = tag;
        };
        refused(&tagged, ["facet_boundary", &format!("the boundary's tag is {tag}")]);
    }
    let nowhere = |mesh: &mut Mesh| {
        let Values::F64(x) = &mut mesh.dats[0].values else { panic!("coordinates are f64") };
        x[0] = f64::NAN;
    };
    refused(&nowhere, ["vertex_coordinates", "not a finite number"]);
}
