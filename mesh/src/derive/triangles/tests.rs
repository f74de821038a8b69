//! Each rule for triangles is broken once, in an otherwise good mesh.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};

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

/// The result for a square of 12 triangles and 10 facets with other rows, on one rank and on three.
fn of_rows(change: fn(&mut Vec<[u64; 3]>, &mut Vec<[u64; 2]>)) -> Result<(), String> {
    let whole = generate::triangles(&Comm::single(), [3, 2]).unwrap();
    let mut triangles = whole.maps[0].rows.as_chunks::<3>().0.to_vec();
    let mut facets = whole.maps[1].rows.as_chunks::<2>().0.to_vec();
    change(&mut triangles, &mut facets);
    let Values::F64(x) = &whole.dats[0].values else { panic!("coordinates are f64") };
    let of_ranks = |ranks: usize| {
        let results = Comm::simulate(ranks, |comm| {
            let own = |rows: usize| {
                let range = Blocks::new(rows as u64, ranks).range(comm.rank());
                range.start as usize..range.end as usize
            };
            let mut mesh = Mesh::default();
            let vertices = mesh.add_set("vertices", whole.sets[0].rows);
            let elements = mesh.add_set("elements", triangles.len() as u64);
            let facet_set = mesh.add_set("facets", facets.len() as u64);
            let corners = triangles[own(triangles.len())].as_flattened().to_vec();
            let ends = facets[own(facets.len())].as_flattened().to_vec();
            let x = x[2 * own(x.len() / 2).start..2 * own(x.len() / 2).end].to_vec();
            let tags = vec![1; own(facets.len()).len()];
            mesh.add_map("element_vertices", elements, vertices, 3, corners);
            mesh.add_map("facet_vertices", facet_set, vertices, 2, ends);
            mesh.add_dat("x", vertices, 2, Values::F64(x));
            mesh.add_dat("boundary", facet_set, 1, Values::I32(tags));
            TRIANGLES.check(&comm, &mesh, KINDS).map_err(|error| error.to_string())
        });
        assert!(results.iter().all(|result| *result == results[0]), "the same on all ranks");
        results.into_iter().next().expect("a rank")
    };
    let [one, three] = [1, 3].map(of_ranks);
    assert_eq!(one, three);
    one
}

#[test]
fn rows_that_are_missing_doubled_or_added_are_found_by_their_sides() {
    let message = |change| of_rows(change).unwrap_err();
    assert_eq!(of_rows(|_, _| ()), Ok(()));
    assert_eq!(
        message(|triangles, _| {
            triangles.remove(2);
        }),
        "`facet_vertices` row 1: the side between vertices 1 and 2 belongs to no triangle; expected a side of one"
    );
    assert_eq!(
        message(|triangles, _| triangles.push(triangles[2])),
        "`element_vertices` row 12: the side between vertices 1 and 5 already belongs to rows 0 and 2; expected two \
         triangles at most"
    );
    assert_eq!(
        message(|triangles, _| triangles.push([1, 5, 7])),
        "`element_vertices` row 12: the side between vertices 1 and 5 already belongs to rows 0 and 2; expected two \
         triangles at most"
    );
    assert_eq!(
        message(|triangles, _| triangles.push([0, 6, 11])),
        "`element_vertices` row 12: the side between vertices 0 and 6 belongs to no other triangle and to no \
         facet; a row is missing there"
    );
    assert_eq!(
        message(|_, facets| {
            facets.remove(0);
        }),
        "`element_vertices` row 0: the side between vertices 0 and 1 belongs to no other triangle and to no \
         facet; a row is missing there"
    );
    assert_eq!(
        message(|_, facets| facets.push([1, 0])),
        "`facet_vertices` row 10: the side between vertices 0 and 1 already belongs to row 0; expected one facet"
    );
    // A line inside, once and twice.
    assert_eq!(of_rows(|_, facets| facets.push([1, 5])), Ok(()));
    assert_eq!(
        message(|_, facets| facets.extend([[1, 5], [5, 1]])),
        "`facet_vertices` row 11: the side between vertices 1 and 5 already belongs to row 10; expected one facet"
    );
    assert_eq!(
        message(|_, facets| facets.push([0, 11])),
        "`facet_vertices` row 10: the side between vertices 0 and 11 belongs to no triangle; expected a side of one"
    );
    // A corner with its facets.
    let message = message(|triangles, facets| {
        triangles.retain(|triangle| !triangle.contains(&0));
        facets.retain(|facet| !facet.contains(&0));
        facets.push([1, 5]);
        facets.push([5, 4]);
    });
    assert_eq!(
        message,
        "`vertex_coordinates` row 0: extra row: the node belongs to no element; remove it or add the missing elements"
    );
}
