//! Assembles a mesh from vertices and elements in any order.

use cfd_engine::comm::Comm;

use super::identity::Identity;
use super::local::Local;
use super::vertices::Vertex;
use super::{Ghosts, INTERFACE, Input, Mesh};
use crate::transfer::{Fields, Slopes};

/// An element whose corners are named by identity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedElement {
    pub corners: Vec<Identity>,
    pub tags: Vec<u16>,
    pub region: u16,
    pub values: Vec<f64>,
}

/// What a rank holds, with its vertices in the order of identity. Vertices and elements may be given several times;
/// every corner is among the vertices, and every element touches a vertex of this rank.
pub(crate) fn assemble<const D: usize>(
    rank: usize,
    mut vertices: Vec<(Vertex<D>, Vec<f64>)>,
    mut elements: Vec<NamedElement>,
    widths: [usize; 2],
) -> Local<D> {
    vertices.sort_by_key(|v| v.0.identity);
    vertices.dedup_by_key(|v| v.0.identity);
    elements.sort_by(|a, b| a.corners.cmp(&b.corners));
    elements.dedup_by(|a, b| a.corners == b.corners);
    let mut local = Local::new(rank, widths[0], widths[1]);
    for (vertex, values) in &vertices {
        local.add_vertex(vertex, values);
    }
    let number = |identity: Identity| {
        let at = vertices.binary_search_by_key(&identity, |v| v.0.identity);
        at.expect("every corner is among the vertices") as u32
    };
    for element in elements {
        let corners: Vec<u32> = element.corners.iter().map(|&c| number(c)).collect();
        let e = local.add_element(&corners, &element.tags, element.region);
        local.elements.values_mut(e).copy_from_slice(&element.values);
    }
    local
}

impl<const D: usize> Mesh<D> {
    /// Collective.
    pub(super) fn of_local(comm: &Comm, local: Local<D>, input: &Input<D>, input_rows: Vec<u64>) -> Mesh<D> {
        let is_interface = |&tag: &u16| tag & INTERFACE != 0;
        let here = local.elements.iter().any(|e| local.elements.tags(e).iter().any(is_interface));
        let has_interfaces = comm.max(u64::from(here)) > 0;
        let mut ghosts = Ghosts::default();
        ghosts.find(&local);
        Mesh {
            comm: comm.clone(),
            local,
            ghosts,
            boundaries: input.boundaries.clone(),
            between: input.between.clone(),
            region_names: input.region_names.clone(),
            has_regions: input.regions.is_some(),
            has_interfaces,
            pairs: Vec::new(),
            refinements: 0,
            identity_bits: super::identity::BITS,
            input_vertices: input.rows[0],
            input_rows,
            fields: Fields::default(),
            slopes: Slopes::default(),
        }
    }
}
