use cfd_adapt::transfer::Admits;
use cfd_engine::comm::Comm;

use crate::mesh::{
    FIRST, FIRST_EXACT, SECOND, SECOND_EXACT, adapt, at_centroids, at_vertices, scatter, start,
};
use crate::nodal::BOTH;

fn field(p: &[f64; 2]) -> [f64; 2] {
    let step = if p[0] + p[1] < 0.8 { 1.0 } else { 0.0 };
    [step + 0.3 * p[0] * p[1], 1.0 / (0.3 + p[0] + p[1] * p[1])]
}

/// The hash of mesh and fields after two adaptations, with vertices changing ranks in between.
fn hash(ranks: usize, threads: usize, seed: Option<u64>) -> String {
    let hashes = Comm::simulate(ranks, |comm| {
        let mut mesh = start(&comm);
        if let Some(seed) = seed {
            scatter(&mut mesh, seed);
        }
        mesh.add_vertex_field("v", 2, &at_vertices(&mesh, field)).unwrap();
        let rules = [("a", FIRST), ("b", SECOND), ("c", FIRST_EXACT), ("d", SECOND_EXACT)];
        for (name, rule) in rules {
            mesh.add_cell_field(name, 2, rule, &at_centroids(&mesh, field)).unwrap();
        }
        let admits: Admits = |u| u[1] > 0.0 && u[0] > 0.1 * u[1] - 0.3;
        for (name, conserve) in BOTH {
            mesh.add_nodal_field(name, 2, conserve, Some(admits), &at_vertices(&mesh, field)).unwrap();
        }
        for turn in 0..2 {
            adapt(&mut mesh, turn, threads);
            if let Some(seed) = seed {
                scatter(&mut mesh, seed + turn as u64 + 1);
                mesh.check().unwrap();
            }
        }
        let canonical = mesh.canonical_with_fields();
        assert_eq!(canonical.mesh.dats.len(), 2 + 7);
        cfd_io::mesh_hash(&comm, &canonical.mesh).to_string()
    });
    hashes[0].clone()
}

#[test]
fn fields_have_the_same_bits_on_any_ranks_and_threads_and_for_any_partition() {
    let expected = hash(1, 1, None);
    for (ranks, threads, seed) in
        [(1, 2, None), (2, 1, None), (2, 2, Some(3)), (3, 1, Some(1)), (5, 1, Some(2)), (5, 3, None)]
    {
        let found = hash(ranks, threads, seed);
        assert_eq!(found, expected, "{ranks} ranks, {threads} threads, seed {seed:?}");
    }
}

#[test]
fn fields_do_not_change_the_mesh() {
    let hashes = [false, true].map(|with_fields| {
        let hashes = Comm::simulate(2, |comm| {
            let mut mesh = start(&comm);
            if with_fields {
                mesh.add_vertex_field("v", 2, &at_vertices(&mesh, field)).unwrap();
                mesh.add_cell_field("a", 2, SECOND, &at_centroids(&mesh, field)).unwrap();
            }
            adapt(&mut mesh, 0, 1);
            cfd_io::mesh_hash(&comm, &mesh.canonical().mesh).to_string()
        });
        hashes[0].clone()
    });
    assert_eq!(hashes[0], hashes[1]);
}
