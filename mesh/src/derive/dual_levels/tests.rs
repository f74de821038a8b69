//! Each rule for meshes with levels is broken once, in an otherwise good mesh.

use crate::generate::hexahedra::{Cuboid, cuboid};
use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use super::DUAL_LEVELS;
use crate::Defect;
use crate::derive::cell_edges::tests::{KINDS, assert_parts, set};

/// 64 nodes and 144 edges, of which 0 1, 0 4 and 0 16 are the first three; 8 coarse nodes and 12 coarse edges.
fn good(comm: &Comm) -> Mesh {
    cuboid(comm, [3, 3, 3], 2, &Cuboid { distortion: 0.2, ..Cuboid::default() }).unwrap()
}

fn check(comm: &Comm, mesh: &Mesh) -> Result<(), Defect> {
    DUAL_LEVELS.check(comm, mesh, KINDS)
}

/// The message for a broken mesh, the same on 1 and 3 ranks.
fn message(change: impl Fn(&Comm, &mut Mesh) + Sync) -> String {
    let check = |comm: Comm| {
        let mut mesh = good(&comm);
        change(&comm, &mut mesh);
        check(&comm, &mesh)
    };
    let errors: Vec<Defect> =
        [1, 3].into_iter().flat_map(|n| Comm::simulate(n, check)).map(|r| r.unwrap_err()).collect();
    assert!(errors.iter().all(|e| *e == errors[0]), "{errors:?}");
    errors[0].to_string()
}

/// Changes one row of a dat of numbers.
fn set_numbers(comm: &Comm, mesh: &mut Mesh, dat: &str, row: u64, values: [f64; 3]) {
    let dat = mesh.dat(dat).unwrap();
    let own = mesh.blocks(mesh.dats[dat].set, comm).range(comm.rank());
    let Values::F64(numbers) = &mut mesh.dats[dat].values else { panic!("numbers are f64") };
    if own.contains(&row) {
        let at = 3 * (row - own.start) as usize;
        numbers[at..at + 3].copy_from_slice(&values);
    }
}

#[test]
fn good_meshes_pass_on_any_number_of_ranks() {
    for ranks in [1, 2, 5, 70] {
        Comm::simulate(ranks, |comm| check(&comm, &good(&comm)).unwrap());
    }
}

#[test]
fn an_index_out_of_range_names_level_row_and_range() {
    let m = message(|comm, mesh| set(comm, mesh, "level0/edge_nodes", 100, 1, 64));
    assert_eq!(
        m,
        "`level0/edge_nodes` row 100: index 64 is out of range; allowed are the level0/nodes 0 to 63"
    );
    let m = message(|comm, mesh| set(comm, mesh, "level0/node_mg_node", 63, 0, 8));
    assert_parts(&m, &["`level0/node_mg_node` row 63: index 8", "the level1/nodes 0 to 7"]);
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let m = message(|comm, mesh| set_numbers(comm, mesh, "level1/edge_weights", 11, [0.0, 0.0, f64::NAN]));
    assert_parts(&m, &["`level1/edge_weights` row 11: the value NaN is not a finite number"]);
    let m = message(|comm, mesh| set_numbers(comm, mesh, "level0/x", 40, [f64::INFINITY, 0.0, 0.0]));
    assert_parts(&m, &["`level0/node_coordinates` row 40: the coordinate inf is not a finite number"]);
}

#[test]
fn an_unknown_group_is_refused() {
    for bad in [-1, 8] {
        let m = message(|comm, mesh| {
            let dat = mesh.dat("level1/bnode_group").unwrap();
            let own = mesh.blocks(mesh.dats[dat].set, comm).range(comm.rank());
            let Values::I32(groups) = &mut mesh.dats[dat].values else { panic!("groups are integers") };
            if own.contains(&5) {
                groups[(5 - own.start) as usize] = bad;
            }
        });
        assert_parts(&m, &["`level1/bnode_group` row 5: the group ", "0 to 2 (wall) or 3 to 7 (far field)"]);
    }
}

#[test]
fn an_edge_between_a_node_and_itself_is_refused() {
    let m = message(|comm, mesh| set(comm, mesh, "level0/edge_nodes", 2, 1, 0));
    assert_parts(&m, &["`level0/edge_nodes` row 2: degenerate edge: both its nodes are 0"]);
}

#[test]
fn two_edges_between_the_same_nodes_are_refused_in_either_direction() {
    let m = message(|comm, mesh| {
        set(comm, mesh, "level0/edge_nodes", 1, 0, 1);
        set(comm, mesh, "level0/edge_nodes", 1, 1, 0);
    });
    assert_parts(&m, &["`level0/edge_nodes` row 1: duplicate edge: row 0 has the same nodes"]);
}

#[test]
fn a_node_whose_cell_has_no_volume_is_an_extra_row() {
    let m = message(|comm, mesh| {
        for edge in 0..3 {
            set_numbers(comm, mesh, "level0/edge_weights", edge, [0.0; 3]);
        }
    });
    assert_parts(&m, &["`level0/node_coordinates` row 0: extra row", "no volume"]);
}

#[test]
fn a_coarse_node_without_children_is_refused() {
    let m = message(|comm, mesh| {
        for node in 0..64 {
            let up = mesh.map("level0/node_mg_node").unwrap();
            let own = mesh.blocks(mesh.maps[up].from, comm).range(comm.rank());
            if own.contains(&node) && mesh.maps[up].rows[(node - own.start) as usize] == 6 {
                set(comm, mesh, "level0/node_mg_node", node, 0, 7);
            }
        }
    });
    assert_parts(&m, &["`level0/node_mg_node`: no row leads to row 6 of level1/nodes"]);
}

#[test]
fn a_mesh_without_its_levels_is_refused() {
    let m = message(|_, mesh| {
        mesh.maps.retain(|map| map.name != "level0/node_mg_node");
    });
    assert_parts(&m, &["`level0/node_mg_node`: the mesh has no `level0/node_mg_node`"]);
    let nothing = check(&Comm::single(), &Mesh::default()).unwrap_err().to_string();
    assert_parts(&nothing, &["level0/edge_nodes", "the mesh has no set `level0/edges`"]);
}
