//! Each rule for hexahedra with neighbors is broken once, in an otherwise good mesh.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values, fetch_rows};

use super::NEIGHBOURS;
use crate::derive::cell_edges::tests::{KINDS, assert_parts, set};
use crate::{Defect, generate};

fn check(comm: &Comm, mesh: &Mesh) -> Result<(), Defect> {
    NEIGHBOURS.check(comm, mesh, KINDS)
}

/// The message for a broken cube of 3 elements per edge (64 nodes, 27 elements), the same on 1 and 3 ranks.
fn message(change: impl Fn(&Comm, &mut Mesh) + Sync) -> String {
    let check = |comm: Comm| {
        let mut mesh = generate::cube(&comm, 3, 1.5).unwrap();
        change(&comm, &mut mesh);
        check(&comm, &mesh)
    };
    let errors: Vec<Defect> =
        [1, 3].into_iter().flat_map(|n| Comm::simulate(n, check)).map(|r| r.unwrap_err()).collect();
    assert!(errors.iter().all(|e| *e == errors[0]), "{errors:?}");
    errors[0].to_string()
}

/// Changes a value of a dat; each rank changes its own block.
fn set_dat(comm: &Comm, mesh: &mut Mesh, dat: &str, row: u64, k: usize, value: f64) {
    let dat = mesh.dat(dat).unwrap();
    let own = mesh.blocks(mesh.dats[dat].set, comm).range(comm.rank());
    if own.contains(&row) {
        let at = (row - own.start) as usize * mesh.dats[dat].dim + k;
        match &mut mesh.dats[dat].values {
            Values::F64(values) => values[at] = value,
            Values::I32(values) => values[at] = value as i32,
        }
    }
}

#[test]
fn cubes_pass_on_any_number_of_ranks() {
    for ranks in [1, 2, 5, 40] {
        Comm::simulate(ranks, |comm| {
            for n in [1, 2, 4] {
                check(&comm, &generate::cube(&comm, n, 1.125).unwrap()).unwrap();
            }
        });
    }
}

#[test]
fn a_node_twice_in_an_element_is_refused() {
    let m = message(|comm, mesh| set(comm, mesh, "elem_nodes", 0, 6, 5));
    assert_parts(&m, &["row 0: degenerate element: node 5 is both its node 2 and its node 6"]);
}

#[test]
fn an_element_turned_inside_out_is_refused() {
    let m = message(|comm, mesh| {
        // The base and the opposite face are swapped.
        let nodes: [u64; 8] = [16, 17, 21, 20, 0, 1, 5, 4];
        (0..8).for_each(|k| set(comm, mesh, "elem_nodes", 0, k, nodes[k]));
    });
    assert_parts(&m, &["`elem_nodes` row 0: degenerate element: its volume is -1.25e-1"]);
}

#[test]
fn unknown_flags_are_refused() {
    let m = message(|comm, mesh| set_dat(comm, mesh, "elem_sides", 20, 3, 3.0));
    assert_parts(&m, &["`elem_sides` row 20: the flag 3 is unknown", "1 (symmetry)"]);
    let m = message(|comm, mesh| set_dat(comm, mesh, "node_symmetry", 40, 2, -1.0));
    assert_parts(&m, &["`node_symmetry` row 40: the flag -1 is unknown"]);
    let m = message(|comm, mesh| set_dat(comm, mesh, "x", 9, 1, f64::NAN));
    assert_parts(&m, &["`node_coordinates` row 9: the coordinate NaN"]);
}

#[test]
fn neighbours_that_do_not_fit_are_refused() {
    let m = message(|comm, mesh| set(comm, mesh, "elem_elem", 0, 0, 1));
    assert_parts(&m, &["`elem_elem` row 0: face 0: it is at the boundary, but leads to element 1"]);
    let m = message(|comm, mesh| set(comm, mesh, "elem_elem", 13, 1, 12));
    assert_parts(&m, &["`elem_elem` row 13: face 1: element 12 has other nodes on its opposite face"]);
    // An element that its neighbour does not know.
    let m = message(|comm, mesh| {
        set(comm, mesh, "elem_elem", 14, 0, 14);
        set_dat(comm, mesh, "elem_sides", 14, 0, 2.0);
    });
    assert_parts(&m, &["`elem_elem` row 13: face 1: element 14 leads back to element 14, not to this one"]);
}

#[test]
fn a_node_of_no_element_is_refused() {
    let m = message(|comm, mesh| {
        let blocks = mesh.blocks(0, comm);
        let Values::F64(x) = &mesh.dats[0].values else { panic!("coordinates") };
        let last = fetch_rows(comm, blocks, 3, x, &[63]);
        mesh.sets[0].rows = 65;
        // The blocks of 65 nodes, from those of 64.
        let all: Vec<u64> = mesh.blocks(0, comm).range(comm.rank()).map(|id| id.min(63)).collect();
        let moved = fetch_rows(comm, blocks, 3, x, &all);
        assert_eq!(last.len(), 3);
        mesh.dats[0].values = Values::F64(moved);
        mesh.dats[1].values = Values::I32(vec![0; 3 * all.len()]);
    });
    assert_parts(&m, &["`node_coordinates` row 64: extra row: the node belongs to no element"]);
}
