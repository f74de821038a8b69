//! From a mesh of elements to triangles by vertices, and back.

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementKind, ElementMesh, Groups, Interfaces, TRIANGLES};

use super::RemeshError;
use super::facets::{Facets, Listed};
use super::marks::all_marks;
use crate::mesh::canonical::Canonical;
use crate::mesh::{Input, MOST};

/// Stands between the names of two regions in the name of their interface.
pub(crate) const BETWEEN: &str = "|";

/// The name of the sides of triangles that stay.
const OF_TRIANGLES: &str = "required triangles";

/// Groups of a mesh: those of its boundaries in the order of their tags, and those of its triangles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tags {
    /// Group t - 1 has tag t; 0 for interfaces that the mesh does not list.
    groups: Vec<i32>,
    names: Groups,
    /// The groups of triangles, ascending: region r is the group at r.
    regions: Vec<i32>,
}

impl Tags {
    /// The tags of a mesh of triangles, and the mesh in the form for adaptation. Collective.
    ///
    /// # Errors
    /// Elements of other kinds; boundary elements without a group; too many groups.
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
        let regions = mesh.regions(comm);
        let interfaces = Interfaces::of(comm, mesh);
        let marks = all_marks(comm, mesh);
        let listed = Listed::of(comm, mesh, of(true), interfaces.as_ref(), &marks);
        let groups = unique(comm.all_gather(&unique(listed.outer_groups())).concat());
        let facets = Facets::of(comm, &listed, &groups, interfaces.as_ref(), &marks);
        if groups.contains(&0) || facets.named.iter().any(|(group, _)| *group == 0) {
            return unsuitable("a boundary element has no group; expected each to have one".into());
        }
        let name = |dimension: usize| {
            move |group: &i32| {
                mesh.groups.names(dimension, *group).next().map_or(group.to_string(), String::from)
            }
        };
        let between = |pair: &[i32; 2]| pair.map(|region| name(2)(&region)).join(BETWEEN);
        let boundaries: Vec<String> = groups
            .iter()
            .map(name(1))
            .chain(facets.pairs.iter().map(between))
            .chain(facets.named.iter().map(|(group, _)| name(1)(group)))
            .chain(facets.has_sides_of_triangles.then(|| OF_TRIANGLES.into()))
            .collect();
        let between = std::iter::repeat_n(None, groups.len() + facets.pairs.len())
            .chain(facets.named.iter().map(|(_, pair)| Some(between(pair))))
            .collect();
        let most_regions = usize::from(u16::MAX);
        if boundaries.len() > MOST || regions.len() > most_regions {
            return unsuitable(format!(
                "{} boundaries and interfaces of {} regions; at most {MOST} of {most_regions} are possible",
                boundaries.len(),
                regions.len()
            ));
        }
        let region_names = regions.iter().map(name(2)).collect();
        let region = |group: &i32| regions.binary_search(group).expect("it is one of them") as u16;
        let input = Input {
            rows: [mesh.node_blocks(comm).rows, rows(false), comm.sum(facets.tags.len() as u64)],
            positions: mesh.x().as_chunks::<2>().0.to_vec(),
            elements: nodes(false),
            regions: interfaces.is_some().then(|| own(false).iter().map(region).collect()),
            region_names,
            facets: facets.corners,
            tags: facets.tags,
            boundaries,
            between,
            marks,
            ..Input::default()
        };
        let unlisted = |_: &[i32; 2]| 0;
        let of_triangles = facets.has_sides_of_triangles.then_some(0);
        let groups = groups
            .iter()
            .copied()
            .chain(facets.pairs.iter().map(unlisted))
            .chain(facets.named.iter().map(|(group, _)| *group))
            .chain(of_triangles)
            .collect();
        Ok((Tags { groups, names: mesh.groups.clone(), regions }, input))
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
            _ => self.regions[group as usize],
        });
        mesh.groups = self.names.clone();
        mesh
    }
}

/// The values in ascending order, each once.
pub(super) fn unique<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
    values
}
