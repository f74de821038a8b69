//! Meshes of public test suites, in the folder that CFD_REAL_MESHES names; they are not part of the project. Numbers of nodes
//! and elements and volumes are those that meshio 5.3.5 reads, or that a few lines of Python sum over the file.

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::fetch_rows;
use cfd_io::{FieldKind, Notes, given_hash, read_element_mesh, read_node_fields, read_noted};
use cfd_mesh::{ElementMesh, Given};

/// Name; nodes, elements, elements of the boundary; area or volume; boundaries, each with its number of elements.
type Row = (&'static str, [u64; 3], f64, &'static str);

#[rustfmt::skip]
const MESHES: &[Row] = &[
    ("refine_facebody_polar-2_square-circle.meshb", [68, 103, 31], 0.8052948938934545, "1 8, 2 4, 3 7, 4 4, 5 8"),
    ("su2_brick_hex.su2", [16000, 14079, 3686], 2.0, "x_m 361, x_p 361, y_m 741, y_p 741, z_m 741, z_p 741"),
    ("su2_brick_prism.su2", [16800, 29640, 5284], 2.0, "x_m 380, x_p 380, y_m 780, y_p 780, z_m 1482, z_p 1482"),
    ("su2_brick_pyra.su2", [14030, 72625, 6631], 2.0, "x_m 722, x_p 722, y_m 1482, y_p 1482, z_m 741, z_p 1482"),
    ("su2_brick_tets.su2", [11703, 59156, 7372], 2.0, "x_m 722, x_p 722, y_m 1482, y_p 1482, z_m 1482, z_p 1482"),
    ("su2_cylinder_lam.su2", [13336, 26192, 480], 705.3461661800969, "cylinder 400, farfield 80"),
    ("su2_flatplate_lam_65x65.su2", [4225, 4096, 256], 0.0109728, "farfield 64, inlet 64, outlet 64, symmetry 20, wall 44"),
    ("su2_flatplate_turb_035x025.su2", [875, 816, 116], 2.33333, "farfield 34, inlet 24, outlet 24, symmetry 6, wall 28"),
    ("su2_flatplate_turb_69x49.su2", [3381, 3264, 232], 2.33333, "farfield 68, inlet 48, outlet 48, symmetry 12, wall 56"),
    ("su2_mms_TriAdapt.su2", [2304, 4592, 14], 4.0, "PeriodicBottom 2, PeriodicLeft 5, PeriodicRight 5, PeriodicTop 2"),
    ("su2_mms_square.su2", [81, 128, 32], 1.0, "left 8, lower 8, right 8, upper 8"),
    ("su2_n0012_113-33.su2", [3704, 3584, 240], 875484.3579032032, "airfoil 64, farfield 176"),
    ("su2_naca0012_inv.su2", [5233, 10216, 250], 1253.250499986825, "airfoil 200, farfield 50"),
    ("su2_naca0012_lam_hybrid_v1.su2", [8741, 13156, 250], 1253.2504997232236, "airfoil 200, farfield 50"),
    ("su2_poiseuille_periodic.su2", [2601, 2500, 200], 1.0, "left 50, lower 50, right 50, upper 50"),
    ("su2_ramp_unst.su2", [6482, 12646, 316], 2.6985571547305494, "inlet 39, lower 119, outlet 39, upper 119"),
    ("su2_wedge_inv.cgns", [3750, 3626, 246], 1.4118365096457737, "inlet 49, lower 74, outlet 49, upper 74"),
    ("su2_wedge_inv.su2", [3750, 3626, 246], 1.4118365096457737, "inlet 49, lower 74, outlet 49, upper 74"),
    ("tmr_bump_3levelsdown_177x81.p2dfmt", [14337, 14080, 512], 257.48313159841774,
        "back_pressure 80, subsonic_inflow_pt 80, symmetry_z_strong 272, viscous_solid 80"),
    ("tmr_bump_4levelsdown_89x41.p2dfmt", [3649, 3520, 256], 257.4831513072835, "imax 40, imin 40, jmax 88, jmin 88"),
    ("tmr_bump_5levelsdown_45x21.p2dfmt", [945, 880, 128], 257.4832284492023, "imax 20, imin 20, jmax 44, jmin 44"),
    ("tmr_flatplate_clust2_2levelsdown_137x97.p2dfmt", [13289, 13056, 464], 2.33333,
        "back_pressure 96, farfield_riem 136, subsonic_inflow_pt 96, symmetry_z_strong 24, viscous_solid 112"),
    ("tmr_flatplate_clust2_3levelsdown_69x49.p2dfmt", [3381, 3264, 232], 2.33333, "imax 48, imin 48, jmax 68, jmin 68"),
    ("tmr_flatplate_clust2_4levelsdown_35x25.p2dfmt", [875, 816, 116], 2.33333, "imax 24, imin 24, jmax 34, jmin 34"),
    ("tmr_flatplate_clust2_4levelsdown_35x25.p3dfmt", [1750, 816, 1748], 2.33333,
        "imax 816, imin 816, jmax 24, jmin 24, kmax 34, kmin 34"),
    ("tmr_n0012_113-33.p2dfmt", [3704, 3584, 240], 875484.3579032033, "imax 32, imin 32, jmax 112, jmin 64"),
    ("tmr_n0012_225-65.p2dfmt", [14576, 14336, 480], 875541.0439036479, "imax 64, imin 64, jmax 224, jmin 128"),
    ("tmr_shear_3levelsdown.p2dfmt", [5265, 5120, 288], 21000.0, "block1_imin 32, block1_jmin 16, block2_imin 32, \
        block2_jmax 16, block3_imax 64, block3_jmax 64, block3_jmin 64"),
    ("ugawg_cube-cylinder.mesh", [286, 952, 418], 0.8046848951208928, "1 48, 2 52, 3 16, 4 52, 5 186, 6 16, 7 48"),
    ("ugawg_cube-cylinder.meshb", [286, 952, 418], 0.8046848951208928, "1 48, 2 52, 3 16, 4 52, 5 186, 6 16, 7 48"),
    ("ugawg_cube-cylinder.ugrid", [395, 1937, 296], 0.8039657193408811, "1 16, 2 36, 3 32, 4 36, 5 128, 6 32, 7 16"),
    ("ugawg_cube-linear-00.mesh", [64, 162, 108], 1.0, "1 18, 2 18, 3 18, 4 18, 5 18, 6 18"),
    ("ugawg_onera_curvAdapt.meshb", [1544, 6495, 1670], 1991127.793588976,
        "1 134, 10 256, 11 3, 12 3, 2 247, 3 354, 4 351, 5 28, 6 27, 7 240, 8 12, 9 15"),
];

/// The folder; without one, says that the test is skipped.
fn folder(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CFD_REAL_MESHES").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("{test}: skipped, because CFD_REAL_MESHES names no folder with meshes of public suites");
    }
    folder
}

/// The area or volume of all elements that fill the domain.
fn volume(comm: &Comm, mesh: &ElementMesh) -> f64 {
    let dimension = mesh.dimension();
    let mut all = 0.0;
    for list in mesh.elements().into_iter().filter(|list| !list.boundary) {
        let x = fetch_rows(comm, mesh.node_blocks(comm), dimension, mesh.x(), list.nodes);
        all += x
            .chunks_exact(list.kind.nodes() * dimension)
            .map(|x| list.kind.measure(dimension, x))
            .sum::<f64>();
    }
    all
}

/// The boundaries of a mesh on one rank, each with its number of elements.
fn boundaries(mesh: &ElementMesh) -> String {
    let groups = mesh.groups.of_dimension(mesh.dimension() - 1).into_iter().map(|(group, names)| {
        let lists = mesh.elements().into_iter().filter(|list| list.boundary);
        format!(
            "{} {}",
            names.join(","),
            lists.flat_map(|list| list.groups).filter(|of| **of == group).count()
        )
    });
    groups.collect::<Vec<_>>().join(", ")
}

#[test]
fn every_mesh_is_read_as_it_is_and_is_one_on_any_number_of_ranks() {
    let Some(folder) = folder("every_mesh") else { return };
    for (name, [nodes, cells, faces], expected, names) in MESHES {
        let path = folder.join(name);
        let comm = Comm::single();
        let (given, ..) = read_noted(&comm, &path, &[]).unwrap();
        let hash = given_hash(&comm, &given);
        let Given::Elements(mesh) = given else { panic!("{name} has elements") };
        let rows = |boundary| {
            mesh.elements().iter().filter(|list| list.boundary == boundary).map(|list| list.rows).sum()
        };
        let found: [u64; 3] = [mesh.node_blocks(&comm).rows, rows(false), rows(true)];
        assert_eq!((found, boundaries(&mesh).as_str()), ([*nodes, *cells, *faces], *names), "{name}");
        let found = volume(&comm, &mesh);
        assert!((found / expected - 1.0).abs() < 1e-12, "{name}: {found} instead of {expected}");
        for ranks in [2, 7] {
            for other in Comm::simulate(ranks, |comm| {
                let (given, ..) = read_noted(&comm, &path, &[]).unwrap();
                given_hash(&comm, &given)
            }) {
                assert_eq!(other, hash, "{name} on {ranks} ranks");
            }
        }
    }
}

#[test]
fn one_geometry_in_two_formats_is_one_mesh() {
    let Some(folder) = folder("one_geometry") else { return };
    let read = |name: &str| read_element_mesh(&Comm::single(), &folder.join(name)).unwrap();
    assert_eq!(read("su2_wedge_inv.cgns"), read("su2_wedge_inv.su2"));
}

#[test]
fn nodes_of_cuts_and_blocks_are_merged_and_counted() {
    let Some(folder) = folder("nodes_of_cuts") else { return };
    let notes = |name: &str| read_noted(&Comm::single(), &folder.join(name), &[]).unwrap().1;
    // The cut, with the trailing edge: 25 of 113 nodes on each side.
    assert_eq!(notes("tmr_n0012_113-33.p2dfmt"), Notes { merged: 25, turned: 0, unused: 0 });
    // 17 between the first two blocks, 33 + 33 - 1 of both with the third.
    assert_eq!(notes("tmr_shear_3levelsdown.p2dfmt"), Notes { merged: 17 + 65, turned: 0, unused: 0 });
}

#[test]
fn values_at_nodes_fit_their_meshes() {
    let Some(folder) = folder("values_at_nodes") else { return };
    for (name, mesh, kind) in [
        ("ugawg_cube-linear-00.sol", "ugawg_cube-linear-00.mesh", FieldKind::Metric),
        ("ugawg_onera_curvAdapt-mach.solb", "ugawg_onera_curvAdapt.meshb", FieldKind::Scalar),
        ("ugawg_onera_curvAdapt-metric.solb", "ugawg_onera_curvAdapt.meshb", FieldKind::Metric),
    ] {
        let comm = Comm::single();
        let fields = read_node_fields(&comm, &folder.join(name)).unwrap();
        let nodes = read_element_mesh(&comm, &folder.join(mesh)).unwrap().node_blocks(&comm).rows;
        assert_eq!((fields.dimension, fields.nodes), (3, nodes), "{name}");
        assert_eq!(fields.fields.iter().map(|field| field.kind).collect::<Vec<_>>(), [kind], "{name}");
        let values = &fields.fields[0].values;
        if kind == FieldKind::Metric {
            // Metrics are positive definite.
            for m in values.chunks_exact(6) {
                let minors = [m[0], m[0] * m[2] - m[1] * m[1]];
                assert!(minors.iter().all(|minor| *minor > 0.0), "{name}: {m:?}");
            }
        } else {
            assert!(values.iter().all(|mach| (0.0..3.0).contains(mach)), "{name}");
        }
        for ranks in [2, 7] {
            let parts = Comm::simulate(ranks, |comm| read_node_fields(&comm, &folder.join(name)).unwrap());
            let joined: Vec<f64> = parts.iter().flat_map(|part| part.fields[0].values.clone()).collect();
            assert_eq!(joined, *values, "{name} on {ranks} ranks");
        }
    }
}

#[test]
fn what_is_no_mesh_is_refused_with_the_reason_and_the_way_out() {
    let Some(folder) = folder("what_is_no_mesh") else { return };
    let refusal = |name: &str| message(&folder.join(name));
    let adf = refusal("su2_bump_89x41.cgns");
    assert!(
        adf.contains("this CGNS file is an ADF database; convert it to HDF5: `adf2hdf in.cgns out.cgns`"),
        "{adf}"
    );
    for name in ["ugawg_cube-linear-00.sol", "ugawg_onera_curvAdapt-mach.solb"] {
        let values = refusal(name);
        assert!(
            values.contains("values at the nodes of a mesh (SolAtVertices), without the mesh"),
            "{values}"
        );
    }
}

fn message(path: &Path) -> String {
    read_element_mesh(&Comm::single(), path).unwrap_err().to_string()
}
