use cfd_adapt::mesh::canonical::names;
use cfd_adapt::transfer::FieldError;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;

use crate::mesh::{FIRST, FIRST_EXACT, at_centroids, at_vertices, start};

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
        assert_eq!(mesh.vertex_field("place").unwrap(), vertices);
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
    });
}

/// Ghosts and copies have their owners' values, whatever the caller says of them.
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
        assert_eq!(mesh.vertex_field("v").unwrap(), at_vertices(&mesh, plane));
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
    });
}
