//! The boundary faces of dual cells, a set for each kind of condition.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use super::face_nodes;
use crate::blocks::blocks_of;
use crate::derive::boundary::Named;
use crate::derive::dual_levels::dual::Part;
use crate::derive::periodic::PERIODIC;

/// Adds the faces of each kind of boundary, in the order of the boundary elements' nodes. Collective.
///
/// `parts` are the faces that this rank has worked out; ranks have them in order.
pub(super) fn add(
    comm: &Comm,
    mesh: &mut Mesh,
    dim: usize,
    parts: Vec<Part>,
    boundaries: &Named,
    is_simplicial: bool,
) {
    let width = face_nodes(dim);
    let nodes = mesh.set("nodes").expect("nodes come first");
    let mut kinds: Vec<&str> = boundaries.iter().map(|boundary| boundary.kind.name).collect();
    // Periodic boundaries lie within cells.
    kinds.retain(|&kind| kind != PERIODIC);
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let is_of_kind =
            |part: &&Part| boundaries.of_group(part.group).is_some_and(|boundary| boundary.kind.name == kind);
        let own: Vec<&Part> = parts.iter().filter(is_of_kind).collect();
        let rings: Vec<u64> = own.iter().flat_map(|part| &part.ring[..width]).copied().collect();
        let areas: Vec<f64> = own.iter().flat_map(|part| part.inward[..dim].iter().map(|a| -a)).collect();
        let middles: Vec<f64> =
            own.iter().flat_map(|part| middle(part, dim, is_simplicial)[..width].to_vec()).collect();
        let numbers: Vec<i32> = own.iter().map(|part| part.group).collect();
        let (rows, rings) = blocks_of(comm, width, &rings);
        let (_, areas) = blocks_of(comm, dim, &areas);
        let (_, middles) = blocks_of(comm, width, &middles);
        let (_, numbers) = blocks_of(comm, 1, &numbers);
        let set = mesh.add_set(kind, rows);
        mesh.add_map(&format!("{kind}_nodes"), set, nodes, width, rings);
        mesh.add_dat(&format!("{kind}_area"), set, dim, Values::F64(areas));
        mesh.add_dat(&format!("{kind}_middle"), set, width, Values::F64(middles));
        mesh.add_dat(&format!("{kind}_boundary"), set, 1, Values::I32(numbers));
    }
}

/// The shares of its nodes in a face's middle, or, without moments of edges, in the point that makes up for them.
fn middle(part: &Part, dim: usize, is_simplicial: bool) -> [f64; 4] {
    match (is_simplicial, dim) {
        (false, _) => part.middle,
        (true, 2) => [5.0 / 6.0, 1.0 / 6.0, 0.0, 0.0],
        (true, _) => [0.75, 0.125, 0.125, 0.0],
    }
}
