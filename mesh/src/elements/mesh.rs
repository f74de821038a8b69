//! A mesh of elements: its sets, maps and dats, and its names.

use std::collections::{BTreeMap, BTreeSet};

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};

use super::{ElementKind, Groups};
use crate::MeshError;
use crate::derive::primary::Primary;

/// One rank's blocks of a mesh of elements, and the names of its groups.
///
/// Sets: `nodes`; one for every kind of element that occurs, named in the plural (`triangles`, `tetrahedra`, ...); on
/// the boundary, which has one dimension less, the same with the prefix `boundary_` (`boundary_lines`, ...). For each
/// set of elements, the map to its nodes (`triangle_nodes`, `boundary_line_nodes`, ...) and the dat of its groups
/// (`triangle_group`, ...): one `i32`, 0 if an element is in no group. The dat `x` has the coordinates of the nodes, 2
/// or 3 each. A mesh may have further sets, maps and dats.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementMesh {
    /// Sets, maps and dats.
    pub mesh: Mesh,
    /// Names of groups.
    pub groups: Groups,
}

/// The elements of one kind in a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elements<'a> {
    /// Their kind.
    pub kind: ElementKind,
    /// Whether they lie on the boundary.
    pub boundary: bool,
    /// The index of their set.
    pub set: usize,
    /// The index of the map to their nodes.
    pub map: usize,
    /// The number of elements, over all ranks.
    pub rows: u64,
    /// Nodes of this rank's elements, `kind.nodes()` each.
    pub nodes: &'a [u64],
    /// Groups of this rank's elements.
    pub groups: &'a [i32],
}

/// This rank's block of the elements of one kind, for building a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementBlock {
    /// Their kind.
    pub kind: ElementKind,
    /// The number of elements, over all ranks.
    pub rows: u64,
    /// Nodes of this rank's elements, `kind.nodes()` each.
    pub nodes: Vec<u64>,
    /// Groups of this rank's elements.
    pub groups: Vec<i32>,
}

/// The most groups that a mesh may have, which every rank holds.
pub const MOST_GROUPS: usize = 1 << 20;

/// The names of the set, the map and the dat of elements of a kind.
fn names(kind: ElementKind, boundary: bool) -> [String; 3] {
    let prefix = if boundary { "boundary_" } else { "" };
    [
        format!("{prefix}{}", kind.plural()),
        format!("{prefix}{}_nodes", kind.name()),
        format!("{prefix}{}_group", kind.name()),
    ]
}

/// The kinds that a mesh of some dimension can have, first its own, then those of its boundary.
fn kinds(dimension: usize) -> impl Iterator<Item = (ElementKind, bool)> {
    let own = ElementKind::ALL.into_iter().filter(move |kind| kind.dimension() == dimension);
    let boundary = ElementKind::ALL.into_iter().filter(move |kind| kind.dimension() + 1 == dimension);
    own.map(|kind| (kind, false)).chain(boundary.map(|kind| (kind, true)))
}

impl ElementMesh {
    /// What may be partitioned: the nodes, with the elements of every kind as one graph.
    pub fn primary(&self) -> Primary {
        let filling = self.elements().into_iter().filter(|of_kind| !of_kind.boundary);
        let graph = filling.map(|of_kind| self.mesh.maps[of_kind.map].name.clone()).collect();
        Primary { graph, ..Primary::located("nodes", "") }
    }

    /// A mesh of this rank's blocks: of `nodes` nodes over all ranks with the coordinates `x`, `dimension` each, and of
    /// elements, which are sorted by kind. Kinds without elements are omitted.
    ///
    /// # Panics
    /// If a kind occurs twice or belongs neither to meshes of the dimension nor to their boundaries.
    pub fn from_blocks(
        dimension: usize,
        nodes: u64,
        x: Vec<f64>,
        mut blocks: Vec<ElementBlock>,
        groups: Groups,
    ) -> ElementMesh {
        let mut mesh = Mesh::default();
        let node_set = mesh.add_set("nodes", nodes);
        mesh.add_dat("x", node_set, dimension, Values::F64(x));
        for (kind, boundary) in kinds(dimension) {
            let Some(at) = blocks.iter().position(|block| block.kind == kind) else { continue };
            let ElementBlock { rows, nodes, groups, .. } = blocks.swap_remove(at);
            if rows > 0 {
                let [set, map, group] = names(kind, boundary);
                let set = mesh.add_set(&set, rows);
                mesh.add_map(&map, set, node_set, kind.nodes(), nodes);
                mesh.add_dat(&group, set, 1, Values::I32(groups));
            }
        }
        assert!(
            blocks.is_empty(),
            "no mesh of {dimension} dimensions has two lists of one kind, or {:?}",
            blocks.first()
        );
        ElementMesh { mesh, groups }
    }

    /// A mesh that has the sets, maps and dats of a mesh of elements, and names.
    ///
    /// # Errors
    /// Something is missing, or has the wrong shape or type.
    pub fn new(mesh: Mesh, groups: Groups) -> Result<ElementMesh, MeshError> {
        let wrong =
            |what: String| Err(MeshError::Unsuitable(format!("this is not a mesh of elements: {what}")));
        let Some(nodes) = mesh.set("nodes") else { return wrong("there is no set `nodes`".into()) };
        let dimension = match mesh.dat("x").map(|x| &mesh.dats[x]) {
            Some(x) if x.set == nodes && matches!(x.dim, 2 | 3) && matches!(x.values, Values::F64(_)) => {
                x.dim
            }
            Some(_) => return wrong("the dat `x` is not f64, 2 or 3 on each of `nodes`".into()),
            None => return wrong("there is no dat `x`, the coordinates of the nodes".into()),
        };
        let mut cells = 0;
        for (kind, boundary) in kinds(dimension) {
            let [set_name, map, group] = names(kind, boundary);
            let Some(set) = mesh.set(&set_name) else { continue };
            match mesh.map(&map).map(|map| &mesh.maps[map]) {
                Some(found) if (found.from, found.to, found.arity) == (set, nodes, kind.nodes()) => {}
                Some(_) => {
                    return wrong(format!(
                        "the map `{map}` does not lead from `{set_name}` to {} of `nodes`",
                        kind.nodes()
                    ));
                }
                None => return wrong(format!("there is no map `{map}`, but a set `{set_name}`")),
            }
            match mesh.dat(&group).map(|dat| &mesh.dats[dat]) {
                Some(dat) if (dat.set, dat.dim) == (set, 1) && matches!(dat.values, Values::I32(_)) => {}
                Some(_) => return wrong(format!("the dat `{group}` is not i32, 1 on each of `{set_name}`")),
                None => return wrong(format!("there is no dat `{group}`, but a set `{set_name}`")),
            }
            cells += if boundary { 0 } else { mesh.sets[set].rows };
        }
        if cells == 0 {
            let known: Vec<&str> =
                kinds(dimension).filter(|(_, boundary)| !boundary).map(|(kind, _)| kind.plural()).collect();
            return wrong(format!(
                "in {dimension} dimensions there are no elements; expected some {}",
                known.join(" or ")
            ));
        }
        let found = ElementMesh { mesh, groups };
        found.check_marks()?;
        Ok(found)
    }

    /// The same mesh with groups numbered from 1 in each dimension, in the order of their names; groups of the same names
    /// become one, and a group without a name is called by its number. So the numbers do not depend on a file's format.
    /// Collective.
    ///
    /// # Errors
    /// More groups than 32-bit integers can count, or than ranks should hold.
    pub fn with_groups_by_name(mut self, comm: &Comm) -> Result<ElementMesh, MeshError> {
        let dimension = self.dimension();
        let mut present: Vec<[u64; 2]> = Vec::new();
        for list in self.elements() {
            let own: BTreeSet<i32> = list.groups.iter().copied().filter(|&group| group != 0).collect();
            present.extend(own.into_iter().map(|id| [list.kind.dimension() as u64, id as u64]));
        }
        let present: BTreeSet<[u64; 2]> = comm.all_gather(&present).concat().into_iter().collect();
        if present.len() > MOST_GROUPS {
            let what = format!("{} groups of elements; expected at most {MOST_GROUPS}", present.len());
            return Err(MeshError::Unsuitable(what));
        }
        let mut groups = Groups::default();
        groups.periodic.clone_from(&self.groups.periodic);
        for of in [dimension, dimension - 1] {
            let mut by_names: BTreeMap<Vec<String>, Vec<i32>> = BTreeMap::new();
            for [_, id] in present.iter().filter(|[at, _]| *at == of as u64) {
                let id = *id as i32;
                let mut names: Vec<String> = self.groups.names(of, id).map(String::from).collect();
                names.sort_unstable();
                if names.is_empty() {
                    names.push(id.to_string());
                }
                by_names.entry(names).or_default().push(id);
            }
            let mut numbers: BTreeMap<i32, i32> = BTreeMap::new();
            for (number, (names, ids)) in (1..).zip(by_names) {
                names.iter().for_each(|name| groups.add(of, number, name));
                numbers.extend(ids.into_iter().map(|id| (id, number)));
            }
            let number = |id: i32| if id == 0 { 0 } else { numbers[&id] };
            self.map_groups(|kind, id| if kind.dimension() == of { number(id) } else { id });
        }
        Ok(ElementMesh { groups, ..self })
    }

    /// Replaces the group of every element, by its kind and group.
    pub fn map_groups(&mut self, group: impl Fn(ElementKind, i32) -> i32) {
        for (kind, boundary) in kinds(self.dimension()) {
            let [.., dat] = names(kind, boundary);
            let Some(dat) = self.mesh.dat(&dat) else { continue };
            let Values::I32(values) = &mut self.mesh.dats[dat].values else { continue };
            values.iter_mut().for_each(|id| *id = group(kind, *id));
        }
    }

    /// 2 or 3: the number of coordinates of nodes, and the dimension of the elements that fill the domain.
    pub fn dimension(&self) -> usize {
        self.mesh.dats[self.mesh.dat("x").expect("a mesh of elements has coordinates")].dim
    }

    /// The distribution of the nodes.
    pub fn node_blocks(&self, comm: &Comm) -> Blocks {
        self.mesh.blocks(self.mesh.set("nodes").expect("a mesh of elements has nodes"), comm)
    }

    /// This rank's coordinates, [`ElementMesh::dimension`] per node.
    pub fn x(&self) -> &[f64] {
        let dat = self.mesh.dat("x").expect("a mesh of elements has coordinates");
        let Values::F64(x) = &self.mesh.dats[dat].values else { panic!("coordinates are numbers") };
        x
    }

    /// The regions: the groups of all ranks' elements that fill the domain, ascending. Collective.
    pub fn regions(&self, comm: &Comm) -> Vec<i32> {
        let lists = self.elements();
        let own = lists.iter().filter(|list| !list.boundary).flat_map(|list| list.groups).copied();
        let own: BTreeSet<i32> = own.collect();
        let all = comm.all_gather(&own.into_iter().collect::<Vec<i32>>()).concat();
        all.into_iter().collect::<BTreeSet<i32>>().into_iter().collect()
    }

    /// The elements of each kind that occurs: those that fill the domain, by kind, then those of the boundary.
    pub fn elements(&self) -> Vec<Elements<'_>> {
        let mesh = &self.mesh;
        let of_kind = |(kind, boundary): (ElementKind, bool)| {
            let [set, map, group] = names(kind, boundary);
            let set = mesh.set(&set)?;
            let (map, dat) = (mesh.map(&map)?, mesh.dat(&group)?);
            let Values::I32(groups) = &mesh.dats[dat].values else { return None };
            let nodes = &mesh.maps[map].rows;
            Some(Elements { kind, boundary, set, map, rows: mesh.sets[set].rows, nodes, groups })
        };
        kinds(self.dimension()).filter_map(of_kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh() -> ElementMesh {
        let x = vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
        let block = |kind, nodes: &[u64], group| ElementBlock {
            kind,
            rows: 1,
            nodes: nodes.to_vec(),
            groups: vec![group],
        };
        let none = ElementBlock { kind: ElementKind::Quadrilateral, rows: 0, nodes: vec![], groups: vec![] };
        let blocks =
            vec![block(ElementKind::Line, &[0, 1], 3), none, block(ElementKind::Triangle, &[0, 1, 2], 0)];
        ElementMesh::from_blocks(2, 3, x, blocks, Groups::default())
    }

    #[test]
    fn kinds_that_occur_have_a_set_a_map_and_a_dat_of_their_groups() {
        let found = mesh();
        let sets: Vec<&str> = found.mesh.sets.iter().map(|set| &set.name[..]).collect();
        assert_eq!(sets, ["nodes", "triangles", "boundary_lines"]);
        let maps: Vec<&str> = found.mesh.maps.iter().map(|map| &map.name[..]).collect();
        assert_eq!(maps, ["triangle_nodes", "boundary_line_nodes"]);
        let dats: Vec<&str> = found.mesh.dats.iter().map(|dat| &dat.name[..]).collect();
        assert_eq!(dats, ["x", "triangle_group", "boundary_line_group"]);
        let seen: Vec<_> =
            found.elements().iter().map(|e| (e.kind, e.boundary, e.nodes.len(), e.groups)).collect();
        assert_eq!(
            seen,
            [(ElementKind::Triangle, false, 3, &[0][..]), (ElementKind::Line, true, 2, &[3][..])]
        );
        assert_eq!(ElementMesh::new(found.mesh.clone(), Groups::default()), Ok(found));
    }

    #[test]
    fn a_mesh_that_lacks_something_or_has_it_otherwise_is_none_of_elements() {
        let refused = |change: &dyn Fn(&mut Mesh), words: &str| {
            let mut found = mesh().mesh;
            change(&mut found);
            let message = ElementMesh::new(found, Groups::default()).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        };
        refused(&|mesh| mesh.sets[0].name = "points".into(), "no set `nodes`");
        refused(&|mesh| mesh.dats[0].name = "y".into(), "no dat `x`");
        refused(&|mesh| mesh.dats[0].dim = 1, "the dat `x` is not f64");
        refused(&|mesh| mesh.maps[0].name = "corners".into(), "no map `triangle_nodes`");
        refused(
            &|mesh| mesh.maps[0].arity = 4,
            "`triangle_nodes` does not lead from `triangles` to 3 of `nodes`",
        );
        refused(&|mesh| mesh.dats[1].name = "group".into(), "no dat `triangle_group`");
        refused(&|mesh| mesh.dats[2].values = Values::F64(vec![0.0]), "`boundary_line_group` is not i32");
        refused(
            &|mesh| mesh.sets[1].rows = 0,
            "in 2 dimensions there are no elements; expected some triangles or quad",
        );
    }
}
