//! The elements around this rank's nodes.

use std::ops::Range;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};

use crate::{ElementKind, ElementMesh};

/// The elements that touch a node of this rank's block, in the order (kind, row), and the coordinates of their nodes.
///
/// What belongs to an edge or a face can be worked out, without a message, by the rank that owns its lowest node: that
/// rank has all elements around it.
pub(crate) struct Stars {
    /// The place of each element in the order (kind, row) of all.
    pub(crate) places: Vec<u64>,
    pub(crate) kinds: Vec<ElementKind>,
    /// The group of each.
    pub(crate) groups: Vec<i32>,
    starts: Vec<usize>,
    /// Corners as indices into `ids`.
    corners: Vec<u32>,
    /// The nodes of these elements, ascending.
    pub(crate) ids: Vec<u64>,
    /// Their coordinates.
    x: Vec<f64>,
    dimension: usize,
    /// This rank's block of the nodes.
    pub(crate) own: Range<u64>,
}

impl Stars {
    /// Of the elements that fill the domain, or of those on its boundary. Collective.
    pub(crate) fn new(comm: &Comm, mesh: &ElementMesh, boundary: bool) -> Stars {
        let nodes = mesh.node_blocks(comm);
        let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
        let mut first = 0;
        for list in mesh.elements().iter().filter(|list| list.boundary == boundary) {
            let own = Blocks::new(list.rows, comm.size()).range(comm.rank());
            let rows = own.zip(list.nodes.chunks_exact(list.kind.nodes())).zip(list.groups);
            for ((row, corners), &group) in rows {
                let mut ranks: Vec<usize> = corners.iter().map(|&node| nodes.owner(node)).collect();
                ranks.sort_unstable();
                ranks.dedup();
                for rank in ranks {
                    let words = [first + row, list.kind as u64, group as u64];
                    send[rank].extend(words.iter().chain(corners));
                }
            }
            first += list.rows;
        }
        Stars::of_words(comm, mesh, &comm.all_to_all(send))
    }

    /// Sorts what the ranks have sent, and fetches coordinates.
    fn of_words(comm: &Comm, mesh: &ElementMesh, received: &[Vec<u64>]) -> Stars {
        let mut elements: Vec<&[u64]> = Vec::new();
        for mut words in received.iter().map(Vec::as_slice) {
            while !words.is_empty() {
                let (element, rest) = words.split_at(3 + ElementKind::ALL[words[1] as usize].nodes());
                elements.push(element);
                words = rest;
            }
        }
        elements.sort_unstable_by_key(|element| element[0]);
        let mut ids: Vec<u64> = elements.iter().flat_map(|element| &element[3..]).copied().collect();
        ids.sort_unstable();
        ids.dedup();
        let blocks = mesh.node_blocks(comm);
        let x = fetch_rows(comm, blocks, mesh.dimension(), mesh.x(), &ids);
        let mut stars = Stars {
            places: elements.iter().map(|element| element[0]).collect(),
            kinds: elements.iter().map(|element| ElementKind::ALL[element[1] as usize]).collect(),
            groups: elements.iter().map(|element| element[2] as i32).collect(),
            starts: vec![0],
            corners: Vec::new(),
            ids,
            x,
            dimension: mesh.dimension(),
            own: blocks.range(comm.rank()),
        };
        for element in elements {
            let local = |node: &u64| stars.ids.binary_search(node).expect("it is listed") as u32;
            stars.corners.extend(element[3..].iter().map(local));
            stars.starts.push(stars.corners.len());
        }
        stars
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// The corners of an element, as indices into `ids`.
    pub(crate) fn corners(&self, element: usize) -> &[u32] {
        &self.corners[self.starts[element]..self.starts[element + 1]]
    }

    /// The coordinates of a node, given by its index; 0 beyond the mesh's dimension.
    pub(crate) fn position(&self, node: u32) -> [f64; 3] {
        let x = &self.x[node as usize * self.dimension..][..self.dimension];
        [x[0], x[1], x.get(2).copied().unwrap_or(0.0)]
    }
}

/// An element of a mesh by its place in the order (kind, row): its kind and its row.
pub(crate) fn row_of(mesh: &ElementMesh, boundary: bool, mut place: u64) -> (ElementKind, u64) {
    for list in mesh.elements().iter().filter(|list| list.boundary == boundary) {
        if place < list.rows {
            return (list.kind, place);
        }
        place -= list.rows;
    }
    panic!("the mesh has an element of this place")
}
