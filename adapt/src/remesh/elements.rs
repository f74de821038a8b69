//! From a mesh of elements to triangles by vertices, and back.

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementKind, ElementMesh, Groups, TRIANGLES};

use super::RemeshError;
use crate::mesh::Input;
use crate::mesh::canonical::Canonical;

/// Groups of a mesh: those of its boundaries in the order of their tags, and that of its triangles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tags {
    /// Group t - 1 has tag t.
    groups: Vec<i32>,
    names: Groups,
    region: i32,
}

impl Tags {
    /// The tags of a mesh of triangles, and the mesh in the form for adaptation. Collective.
    ///
    /// # Errors
    /// Elements of other kinds; triangles of several groups, or boundary elements without one.
    pub fn of(comm: &Comm, mesh: &ElementMesh) -> Result<(Tags, Input<2>), RemeshError> {
        let lists = mesh.elements();
        let unsuitable = |what: String| Err(RemeshError::Unsuitable(what));
        if mesh.dimension() != 2 {
            return unsuitable(
                "this is a mesh of 3 dimensions; only meshes of triangles can be adapted".into(),
            );
        }
        if let Some(other) = lists.iter().find(|list| !list.boundary && list.kind != ElementKind::Triangle) {
            return unsuitable(format!(
                "the mesh has {} {}; only meshes of triangles can be adapted",
                other.rows,
                other.kind.plural()
            ));
        }
        let of = |boundary: bool| lists.iter().find(|list| list.boundary == boundary);
        let rows = |boundary: bool| of(boundary).map_or(0, |list| list.rows);
        let nodes = |boundary: bool| of(boundary).map_or(Vec::new(), |list| list.nodes.to_vec());
        let own = |boundary: bool| of(boundary).map_or(&[][..], |list| list.groups);
        let all = |boundary: bool| {
            let mut groups: Vec<u64> = own(boundary).iter().map(|&group| group as u64).collect();
            groups.sort_unstable();
            groups.dedup();
            let mut groups = comm.all_gather(&groups).concat();
            groups.sort_unstable();
            groups.dedup();
            groups.into_iter().map(|group| group as i32).collect::<Vec<i32>>()
        };
        let (regions, groups) = (all(false), all(true));
        let [region] = regions[..] else {
            return unsuitable(format!(
                "the triangles are of {} groups; only meshes of one can be adapted, since lines between groups would move",
                regions.len()
            ));
        };
        if groups.contains(&0) {
            return unsuitable("a boundary element has no group; expected each to have one".into());
        }
        if groups.len() > usize::from(u16::MAX) {
            return unsuitable(format!("{} boundaries; at most {} are possible", groups.len(), u16::MAX));
        }
        let tag = |group: &i32| groups.binary_search(group).expect("it is one of them") as u16 + 1;
        let name = |group: &i32| mesh.groups.names(1, *group).next().map_or(group.to_string(), String::from);
        let input = Input {
            rows: [mesh.node_blocks(comm).rows, rows(false), rows(true)],
            positions: mesh.x().as_chunks::<2>().0.to_vec(),
            elements: nodes(false),
            facets: nodes(true),
            tags: own(true).iter().map(tag).collect(),
            boundaries: groups.iter().map(name).collect(),
            ..Input::default()
        };
        Ok((Tags { groups, names: mesh.groups.clone(), region }, input))
    }

    /// Further tags, each for the group of a boundary that is there already.
    pub fn extend(&mut self, boundaries: &[u16]) {
        let groups: Vec<i32> = boundaries.iter().map(|&of| self.groups[usize::from(of)]).collect();
        self.groups.extend(groups);
    }

    /// The mesh of elements of an adapted mesh. Collective.
    pub fn elements(&self, comm: &Comm, canonical: &Canonical) -> ElementMesh {
        let elements = TRIANGLES.elements.expect("triangles keep their elements");
        let mut mesh = elements(comm, &canonical.mesh);
        mesh.map_groups(|kind, group| match kind {
            ElementKind::Line => self.groups[group as usize - 1],
            _ => self.region,
        });
        mesh.groups = self.names.clone();
        mesh
    }
}
