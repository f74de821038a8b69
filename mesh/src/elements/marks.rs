//! What an adaptation must keep of a plane mesh: corners, nodes, lines and triangles that another program has marked.
//!
//! Each kind of mark is a set of its own with a map to nodes, so that a mesh without marks has no further sets, and no
//! further bits.

use cfd_engine::comm::Comm;
use serde::{Deserialize, Serialize};

use super::ElementMesh;
use crate::MeshError;
use crate::blocks_of;

/// A kind of mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// A node that is a corner of the outline and stays.
    Corner,
    /// A node that stays.
    Node,
    /// A side that stays, with its ends.
    Line,
    /// A triangle that stays, with its sides.
    Triangle,
}

impl Mark {
    /// All kinds.
    pub const ALL: [Mark; 4] = [Mark::Corner, Mark::Node, Mark::Line, Mark::Triangle];

    /// Nodes of what is marked.
    pub const fn nodes(self) -> usize {
        match self {
            Mark::Corner | Mark::Node => 1,
            Mark::Line => 2,
            Mark::Triangle => 3,
        }
    }

    /// The set and the map to its nodes.
    const fn names(self) -> [&'static str; 2] {
        match self {
            Mark::Corner => ["corners", "corner_nodes"],
            Mark::Node => ["required_nodes", "required_node_nodes"],
            Mark::Line => ["required_lines", "required_line_nodes"],
            Mark::Triangle => ["required_triangles", "required_triangle_nodes"],
        }
    }
}

impl ElementMesh {
    /// What this rank has of a kind of mark: [`Mark::nodes`] nodes each.
    pub fn marked(&self, mark: Mark) -> &[u64] {
        let [_, map] = mark.names();
        self.mesh.map(map).map_or(&[], |map| &self.mesh.maps[map].rows)
    }

    /// Marks nodes, lines or triangles in a mesh without marks of this kind: those of all ranks in their order. Collective.
    pub fn mark(&mut self, comm: &Comm, mark: Mark, nodes: &[u64]) {
        let (rows, own) = blocks_of(comm, mark.nodes(), nodes);
        if rows > 0 {
            let [set, map] = mark.names();
            let to = self.mesh.set("nodes").expect("a mesh of elements has nodes");
            let from = self.mesh.add_set(set, rows);
            self.mesh.add_map(map, from, to, mark.nodes(), own);
        }
    }

    /// Whether marks, if there are any, have the shape of marks.
    pub(super) fn check_marks(&self) -> Result<(), MeshError> {
        for mark in Mark::ALL {
            let [set_name, map_name] = mark.names();
            let Some(set) = self.mesh.set(set_name) else { continue };
            let map = self.mesh.map(map_name).map(|map| &self.mesh.maps[map]);
            let fits = map.is_some_and(|map| {
                map.from == set && Some(map.to) == self.mesh.set("nodes") && map.arity == mark.nodes()
            });
            if !fits {
                return Err(MeshError::Unsuitable(format!(
                    "this is not a mesh of elements: there is a set `{set_name}`, but no map `{map_name}` from it to {} of \
                     `nodes`",
                    mark.nodes()
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ElementBlock, ElementKind, Groups};

    fn triangle(comm: &Comm) -> ElementMesh {
        let nodes = cfd_engine::mesh::Blocks::new(3, comm.size()).range(comm.rank());
        let x = nodes.flat_map(|node| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]][node as usize]).collect();
        let own = if comm.is_root() { vec![0, 1, 2] } else { vec![] };
        let groups = vec![0; own.len() / 3];
        let block = ElementBlock { kind: ElementKind::Triangle, rows: 1, nodes: own, groups };
        ElementMesh::from_blocks(2, 3, x, vec![block], Groups::default())
    }

    #[test]
    fn marks_come_back_in_the_order_of_ranks_and_a_mesh_without_any_is_as_before() {
        let found = Comm::simulate(2, |comm| {
            let plain = triangle(&comm);
            let mut marked = plain.clone();
            marked.mark(&comm, Mark::Corner, &[]);
            assert_eq!(marked, plain);
            let own: &[u64] = if comm.is_root() { &[0, 1, 1, 2] } else { &[2, 0] };
            marked.mark(&comm, Mark::Line, own);
            marked.mark(&comm, Mark::Node, if comm.is_root() { &[] } else { &[1] });
            assert_eq!(ElementMesh::new(marked.mesh.clone(), Groups::default()).as_ref(), Ok(&marked));
            let all = |mark| comm.all_gather(marked.marked(mark)).concat();
            Mark::ALL.map(all)
        });
        assert_eq!(found[0], [vec![], vec![1], vec![0, 1, 1, 2, 2, 0], vec![]]);
    }

    #[test]
    fn marks_of_another_shape_are_refused() {
        let comm = Comm::single();
        let mut found = triangle(&comm);
        found.mark(&comm, Mark::Line, &[0, 1]);
        let map = found.mesh.map("required_line_nodes").unwrap();
        found.mesh.maps[map].arity = 1;
        let message = ElementMesh::new(found.mesh, Groups::default()).unwrap_err().to_string();
        assert!(message.contains("no map `required_line_nodes` from it to 2 of `nodes`"), "{message}");
    }
}
