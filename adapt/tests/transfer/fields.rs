use cfd_adapt::mesh::Mesh;
use cfd_adapt::mesh::canonical::names;
use cfd_adapt::transfer::{Conserve, FieldError};
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;

use crate::mesh::{DIVISIONS, FIRST, FIRST_EXACT, adapt, at_centroids, at_vertices, scatter, square, start};

fn plane(p: &[f64; 2]) -> [f64; 1] {
    [p[0] - 2.0 * p[1]]
}

#[test]
fn fields_are_read_as_they_were_added() {
    Comm::simulate(3, |comm| {
        let mut mesh = start(&comm);
        let vertices = at_vertices(&mesh, |p| [p[0], p[1]]);
        mesh.add_vertex_field("place", 2, &vertices).unwrap();
        let cells = at_centroids(&mesh, plane);
        mesh.add_cell_field("plane", 1, FIRST, &cells).unwrap();
        mesh.add_cell_field("exact", 1, FIRST_EXACT, &cells).unwrap();
        mesh.add_nodal_field("nodal", 2, Conserve::Rounding, None, &vertices).unwrap();
        assert_eq!(mesh.vertex_field("place").unwrap(), vertices);
        assert_eq!(mesh.nodal_field("nodal").unwrap(), vertices);
        assert_eq!(mesh.cell_field("plane").unwrap(), cells);
        let exact = mesh.cell_field("exact").unwrap();
        assert!(exact.iter().zip(&cells).all(|(a, b)| (a - b).abs() < 1e-14));
        let (mass, [(units, unit)]) =
            (mesh.total("exact").unwrap()[0], mesh.total_units("exact").unwrap()[..].try_into().unwrap());
        assert!((mass - units as f64 * unit).abs() < 1e-15);
        let canonical = mesh.canonical_with_fields().mesh;
        let of = |name: &str| match &canonical.dats.iter().find(|d| d.name == name).unwrap().values {
            Values::F64(values) => values.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(of("place"), of(names::X));
        assert_eq!(of("nodal"), of(names::X));
    });
}

/// Ghosts and copies have their owners' values, whatever the caller passes for them.
#[test]
fn only_values_of_a_ranks_own_count() {
    Comm::simulate(2, |comm| {
        let mut mesh = start(&comm);
        let spoilt = |values: Vec<f64>, own: Vec<u32>| -> Vec<f64> {
            let is_own = |i: usize| own.contains(&(i as u32));
            values.iter().enumerate().map(|(i, v)| if is_own(i) { *v } else { f64::NAN }).collect()
        };
        let vertices = spoilt(at_vertices(&mesh, plane), mesh.local().own_vertices().collect());
        let cells = spoilt(at_centroids(&mesh, plane), mesh.local().own_elements().collect());
        mesh.add_vertex_field("v", 1, &vertices).unwrap();
        mesh.add_cell_field("c", 1, FIRST, &cells).unwrap();
        mesh.add_nodal_field("n", 1, Conserve::Rounding, None, &vertices).unwrap();
        mesh.add_nodal_field("e", 1, Conserve::Exact, None, &vertices).unwrap();
        assert_eq!(mesh.vertex_field("v").unwrap(), at_vertices(&mesh, plane));
        assert_eq!(mesh.nodal_field("n").unwrap(), at_vertices(&mesh, plane));
        let exact = mesh.nodal_field("e").unwrap();
        assert!(exact.iter().zip(at_vertices(&mesh, plane)).all(|(a, b)| (a - b).abs() < 1e-15));
        assert_eq!(mesh.cell_field("c").unwrap(), at_centroids(&mesh, plane));
        mesh.check().unwrap();
    });
}

#[test]
fn what_is_wrong_with_a_field_is_said_on_all_ranks() {
    Comm::simulate(2, |comm| {
        let mut mesh = start(&comm);
        let cells = at_centroids(&mesh, plane);
        mesh.add_cell_field("u", 1, FIRST, &cells).unwrap();
        let mut error = |name: &str, dim, values: &[f64]| {
            mesh.add_cell_field(name, dim, FIRST, values).unwrap_err().to_string()
        };
        assert!(error("", 1, &cells).contains("it needs a name"));
        assert!(error("u", 1, &cells).contains("another field has that name"));
        assert!(error(names::X, 1, &cells).contains("the mesh itself"));
        assert!(error("w", 0, &[]).contains("no component"));
        assert!(error("w", 2, &cells).contains("instead of"));
        let mut spoilt = cells.clone();
        if comm.rank() == 1 {
            spoilt.fill(f64::INFINITY);
        }
        assert!(error("w", 1, &spoilt).contains("inf"));
        let unknown = mesh.cell_field("w").unwrap_err().to_string();
        assert_eq!(unknown, "the mesh has no cell field \"w\"; it has u");
        assert_eq!(mesh.total_units("u"), Err(FieldError::NoUnits { name: "u".into() }));
        assert!(mesh.vertex_field("u").unwrap_err().to_string().contains("it has none"));
        let vertices = at_vertices(&mesh, plane);
        mesh.add_nodal_field("n", 1, Conserve::Rounding, None, &vertices).unwrap();
        let unknown = mesh.nodal_field("u").unwrap_err().to_string();
        assert_eq!(unknown, "the mesh has no nodal field \"u\"; it has n");
        assert_eq!(
            mesh.total("w").unwrap_err().to_string(),
            "the mesh has no conserved field \"w\"; it has u, n"
        );
        assert_eq!(mesh.nodal_masses("n"), Err(FieldError::NoUnits { name: "n".into() }));
        let mut error = |name: &str, values: &[f64], masses: Option<&[f64]>| {
            let added = mesh.add_nodal_field_with_masses(name, 1, Conserve::Exact, None, values, masses);
            added.unwrap_err().to_string()
        };
        assert!(error("u", &vertices, None).contains("another field has that name"));
        assert!(error("w", &vertices[1..], None).contains("instead of"));
        assert!(error("w", &vertices, Some(&vertices)).contains("instead of"));
    });
}

/// A mass that is more than the value says, by less than a digit.
#[test]
fn a_mass_counts_where_the_value_is_still_its_mean() {
    Comm::simulate(2, |comm| {
        let mut mesh = start(&comm);
        let values = at_vertices(&mesh, |p| [0.3 + p[0]]);
        mesh.add_nodal_field("n", 1, Conserve::Exact, None, &values).unwrap();
        adapt(&mut mesh, 0, 1);
        let (mut values, mut masses) = (mesh.nodal_field("n").unwrap(), mesh.nodal_masses("n").unwrap());
        let totals = |mesh: &Mesh<2>, name: &str| mesh.total_units(name).unwrap()[0];
        let (units, unit) = totals(&mesh, "n");
        let add = |mesh: &mut Mesh<2>, name: &str, values: &[f64], masses: Option<&[f64]>| {
            mesh.add_nodal_field_with_masses(name, 1, Conserve::Exact, None, values, masses).unwrap();
            assert_eq!(totals(mesh, name).1, unit);
            totals(mesh, name).0
        };
        assert_eq!(add(&mut mesh, "with", &values, Some(&masses)), units);
        assert_ne!(add(&mut mesh, "without", &values, None), units);
        // Seven units more at each vertex.
        masses.chunks_exact_mut(2).for_each(|mass| mass[1] += 7.0 * unit);
        let vertices = i128::from(mesh.counts()[0]);
        assert_eq!(add(&mut mesh, "more", &values, Some(&masses)), units + 7 * vertices);
        // A change of the values counts instead.
        values.iter_mut().for_each(|value| *value *= 1.0 + 1e-12);
        let changed = add(&mut mesh, "changed", &values, Some(&masses));
        assert!(((changed - units) as f64 / units as f64 - 1e-12).abs() < 1e-15);
        for (name, more) in [("with", 0.0), ("more", 0.0), ("changed", 1e-12)] {
            let (found, expected) = (mesh.nodal_field(name).unwrap(), mesh.nodal_field("n").unwrap());
            let off = |v: u32| (found[v as usize] / expected[v as usize] - 1.0 - more).abs();
            assert!(mesh.local().own_vertices().all(|v| off(v) < 1e-15), "{name}");
        }
    });
}

/// Numbers of rows, to tell values in blocks apart.
#[test]
fn values_of_the_inputs_blocks_reach_the_ranks_that_have_the_vertices_and_elements() {
    for ranks in [1, 3] {
        Comm::simulate(ranks, |comm| {
            let input = square(&comm, DIVISIONS);
            let mut mesh = start(&comm);
            if ranks > 1 {
                scatter(&mut mesh, 1);
            }
            let places: Vec<f64> = input.positions.iter().flatten().copied().collect();
            let found = mesh.vertex_values_of(&input, 2, &places).unwrap();
            let expected = at_vertices(&mesh, |p| *p);
            for v in mesh.local().own_vertices() {
                assert_eq!(found[2 * v as usize..][..2], expected[2 * v as usize..][..2]);
            }
            // Sums of the corners' numbers, which reveal a missing corner.
            let sum = |corners: &[u64]| corners.iter().sum::<u64>() as f64;
            let sums: Vec<f64> = input.elements.chunks_exact(3).map(sum).collect();
            let found = mesh.cell_values_of(&input, 1, &sums).unwrap();
            let number = |p: &[f64; 2]| {
                let j = (p[1] * DIVISIONS as f64).round();
                j * (DIVISIONS + 1) as f64 + (p[0] / (1.0 - 0.3 * p[1]) * DIVISIONS as f64).round()
            };
            let vertices = mesh.local().vertices();
            for e in mesh.local().own_elements() {
                let corners = mesh.local().elements().corners(e).iter();
                let expected: f64 = corners.map(|&c| number(vertices.position(c))).sum();
                assert_eq!(found[e as usize], expected);
            }
            assert!(
                mesh.cell_values_of(&input, 2, &sums).unwrap_err().to_string().contains("with 2 values each")
            );
            adapt(&mut mesh, 0, 1);
            assert!(mesh.vertex_values_of(&input, 2, &places).is_err());
            assert!(mesh.cell_values_of(&input, 1, &sums).is_err());
        });
    }
}
