//! From a mesh of elements to triangles by vertices, and back.

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementKind, ElementMesh, Elements, Groups, Interfaces, TRIANGLES};

use super::RemeshError;
use crate::mesh::canonical::Canonical;
use crate::mesh::{INTERFACE, Input, MOST};

/// Stands between the names of two regions in the name of their interface.
pub(crate) const BETWEEN: &str = "|";

/// Groups of a mesh: those of its boundaries in the order of their tags, and those of its triangles.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tags {
    /// Group t - 1 has tag t; 0 for interfaces.
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
        // Lines between regions do not come back from an adaptation, so neither would their groups.
        let outer = own(true).iter().enumerate().filter(|&(row, _)| !is_between(interfaces.as_ref(), row));
        let groups = unique(outer.map(|(_, &group)| group).collect());
        let groups = unique(comm.all_gather(&groups).concat());
        if groups.contains(&0) {
            return unsuitable("a boundary element has no group; expected each to have one".into());
        }
        let facets = Facets::of(comm, of(true), &groups, interfaces.as_ref());
        let name = |dimension: usize| {
            move |group: &i32| {
                mesh.groups.names(dimension, *group).next().map_or(group.to_string(), String::from)
            }
        };
        let between = facets.pairs.iter().map(|pair| pair.map(|region| name(2)(&region)).join(BETWEEN));
        let boundaries: Vec<String> = groups.iter().map(name(1)).chain(between).collect();
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
            ..Input::default()
        };
        let groups = groups.iter().copied().chain(facets.pairs.iter().map(|_| 0)).collect();
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

/// Whether a line of the mesh lies between two regions.
fn is_between(interfaces: Option<&Interfaces>, row: usize) -> bool {
    interfaces.is_some_and(|interfaces| interfaces.lines[row])
}

/// Facets on boundaries and between regions.
struct Facets {
    corners: Vec<u64>,
    tags: Vec<u16>,
    /// The regions of each interface; their tags follow those of the boundaries.
    pairs: Vec<[i32; 2]>,
}

impl Facets {
    /// The mesh's lines but those between regions, with the tags of their groups, and all sides between regions. Collective.
    fn of(
        comm: &Comm,
        lines: Option<&Elements<'_>>,
        groups: &[i32],
        interfaces: Option<&Interfaces>,
    ) -> Facets {
        let mut facets = Facets { corners: Vec::new(), tags: Vec::new(), pairs: Vec::new() };
        let rows =
            lines.into_iter().flat_map(|lines| lines.nodes.as_chunks::<2>().0.iter().zip(lines.groups));
        for (_, (corners, group)) in rows.enumerate().filter(|&(row, _)| !is_between(interfaces, row)) {
            facets.corners.extend(corners);
            facets.tags.push(groups.binary_search(group).expect("it is one of them") as u16 + 1);
        }
        let Some(Interfaces { sides, .. }) = interfaces else { return facets };
        let own: Vec<[i32; 2]> = sides.iter().map(|(_, pair)| *pair).collect();
        let mut pairs = comm.all_gather(&unique(own)).concat();
        pairs = unique(pairs);
        for (corners, pair) in sides {
            let at = groups.len() + pairs.binary_search(pair).expect("it is one of them");
            facets.corners.extend(corners);
            facets.tags.push(INTERFACE | (at + 1) as u16);
        }
        Facets { pairs, ..facets }
    }
}

/// The values in ascending order, each once.
fn unique<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
    values
}
