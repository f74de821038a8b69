//! The boundary faces of dual cells, a set for each kind of condition.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use super::face_nodes;
use crate::blocks::blocks_of;
use crate::derive::boundary::Named;
use crate::derive::dual_levels::dual::Part;
use crate::derive::dual_levels::level::DualLevel;
use crate::derive::dual_levels::level_name;
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
    for kind in kinds(boundaries) {
        let own: Vec<&Part> = parts.iter().filter(|part| is_of(boundaries, kind, part.group)).collect();
        let own = Own {
            rings: own.iter().flat_map(|part| &part.ring[..width]).copied().collect(),
            areas: own.iter().flat_map(|part| part.inward[..dim].iter().map(|a| -a)).collect(),
            middles: own.iter().flat_map(|part| middle(part, dim, is_simplicial)[..width].to_vec()).collect(),
            numbers: own.iter().map(|part| part.group).collect(),
        };
        own.add(comm, mesh, dim, kind, nodes);
    }
    add_periodic(comm, mesh, width, &parts, boundaries);
}

/// The faces of periodic boundaries, which no loop runs over: the way back to elements needs them.
const PERIODIC_FACES: &str = "periodic_faces";

fn add_periodic(comm: &Comm, mesh: &mut Mesh, width: usize, parts: &[Part], boundaries: &Named) {
    if boundaries.pairs().is_empty() {
        return;
    }
    let own: Vec<&Part> = parts.iter().filter(|part| is_of(boundaries, PERIODIC, part.group)).collect();
    let rings: Vec<u64> = own.iter().flat_map(|part| &part.ring[..width]).copied().collect();
    let numbers: Vec<i32> = own.iter().map(|part| part.group).collect();
    let (rows, rings) = blocks_of(comm, width, &rings);
    let (_, numbers) = blocks_of(comm, 1, &numbers);
    let nodes = mesh.set("nodes").expect("nodes come first");
    let set = mesh.add_set(PERIODIC_FACES, rows);
    mesh.add_map(&format!("{PERIODIC_FACES}_nodes"), set, nodes, width, rings);
    mesh.add_dat(&format!("{PERIODIC_FACES}_boundary"), set, 1, Values::I32(numbers));
}

/// Ways that an area vector may point: along an axis or against it, whichever is nearest.
const WAYS: i32 = 6;

fn way(area: &[f64]) -> i32 {
    let larger = |a: usize, b: usize| if area[b].abs() > area[a].abs() { b } else { a };
    let axis = (1..area.len()).fold(0, larger);
    2 * axis as i32 + i32::from(area[axis] < 0.0)
}

/// Gives the finest level of a mesh its boundary faces, of all kinds, with outward areas. A group is that of a boundary and of a
/// [`way`]: the areas of faces that point in opposite ways would cancel in an agglomerate.
pub(crate) fn gather(mesh: &Mesh, boundaries: &Named, level: &mut DualLevel) {
    for kind in kinds(boundaries) {
        let dat = |what: &str| {
            &mesh.dats[mesh.dat(&format!("{kind}_{what}")).expect("a kind's faces have it")].values
        };
        let (Values::F64(areas), Values::I32(numbers)) = (dat("area"), dat("boundary")) else {
            unreachable!("areas are real numbers, boundaries integers")
        };
        let map = &mesh.maps[mesh.map(&format!("{kind}_nodes")).expect("faces have nodes")];
        level.bnode_node.extend(map.rows.iter().step_by(map.arity));
        level.bnode_weights.extend(areas);
        let ways = areas.chunks_exact(level.dim).map(way);
        level.bnode_group.extend(numbers.iter().zip(ways).map(|(number, way)| WAYS * number + way));
    }
}

/// Adds the boundary faces of a coarse level, one for each agglomerate, boundary and [`way`], whose nodes are all the agglomerate.
/// Collective.
pub(crate) fn add_coarse(
    comm: &Comm,
    mesh: &mut Mesh,
    at: usize,
    level: &DualLevel,
    nodes: usize,
    boundaries: &Named,
) {
    let (dim, width) = (level.dim, face_nodes(level.dim));
    for kind in kinds(boundaries) {
        let mut own = Own::default();
        let numbers = level.bnode_group.iter().map(|group| group / WAYS);
        let faces = level.bnode_node.iter().zip(numbers).zip(level.bnode_weights.chunks_exact(dim));
        for ((&node, number), area) in faces.filter(|((_, number), _)| is_of(boundaries, kind, *number)) {
            own.rings.extend(std::iter::repeat_n(node, width));
            own.areas.extend(area);
            own.middles.extend((0..width).map(|k| if k == 0 { 1.0 } else { 0.0 }));
            own.numbers.push(number);
        }
        own.add(comm, mesh, dim, &level_name(at, kind), nodes);
    }
}

/// The kinds of conditions that boundaries have; periodic boundaries lie within cells.
fn kinds(boundaries: &Named) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = boundaries.iter().map(|boundary| boundary.kind.name).collect();
    kinds.retain(|&kind| kind != PERIODIC);
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn is_of(boundaries: &Named, kind: &str, group: i32) -> bool {
    boundaries.of_group(group).is_some_and(|boundary| boundary.kind.name == kind)
}

/// The faces of a kind that this rank has worked out.
#[derive(Default)]
struct Own {
    rings: Vec<u64>,
    areas: Vec<f64>,
    middles: Vec<f64>,
    numbers: Vec<i32>,
}

impl Own {
    /// Adds them as a set with its map and dats. Collective.
    fn add(self, comm: &Comm, mesh: &mut Mesh, dim: usize, name: &str, nodes: usize) {
        let width = face_nodes(dim);
        let (rows, rings) = blocks_of(comm, width, &self.rings);
        let (_, areas) = blocks_of(comm, dim, &self.areas);
        let (_, middles) = blocks_of(comm, width, &self.middles);
        let (_, numbers) = blocks_of(comm, 1, &self.numbers);
        let set = mesh.add_set(name, rows);
        mesh.add_map(&format!("{name}_nodes"), set, nodes, width, rings);
        mesh.add_dat(&format!("{name}_area"), set, dim, Values::F64(areas));
        mesh.add_dat(&format!("{name}_middle"), set, width, Values::F64(middles));
        mesh.add_dat(&format!("{name}_boundary"), set, 1, Values::I32(numbers));
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
