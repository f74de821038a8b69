//! Moves vertices to other ranks.

use cfd_engine::comm::Comm;

use super::Mesh;
use super::assemble::{NamedElement, assemble};
use super::bytes::{Reader, Writer, put_element};
use super::identity::Identity;
use super::local::{Local, Numbers};
use crate::transfer::Slopes;

impl<const D: usize> Mesh<D> {
    /// Assigns every vertex to a rank. `owner(v)` is called for this rank's vertices. Collective.
    ///
    /// Changes only who holds what, not the mesh.
    pub fn migrate(&mut self, owner: impl Fn(u32) -> usize) {
        let mut marks = std::mem::take(&mut self.local.vertices.marks);
        self.update_ghosts(&mut marks);
        self.local.vertices.marks = marks;
        let mut owners = self.local.vertices.owner.clone();
        for v in self.local.own_vertices() {
            owners[v as usize] = owner(v) as u32;
        }
        self.update_ghosts(&mut owners);
        let received = self.comm.all_to_all(parcels(&self.comm, &self.local, &owners));
        let widths = [self.local.vertices.width, self.local.elements.width];
        let (mut vertices, mut elements) = (Vec::new(), Vec::new());
        for message in &received {
            let mut message = Reader(message);
            while !message.is_empty() {
                let count: u32 = message.get();
                vertices.extend((0..count).map(|_| message.get_vertex::<D>(widths[0])));
                let count: u32 = message.get();
                elements.extend((0..count).map(|_| NamedElement {
                    corners: message.get_all::<Identity>(D + 1),
                    tags: message.get_all(D + 1),
                    region: message.get(),
                    values: message.get_all(widths[1]),
                }));
            }
        }
        let sides = std::mem::take(&mut self.local.sides);
        let required = std::mem::take(&mut self.local.required);
        self.local = assemble(self.comm.rank(), vertices, elements, widths);
        self.slopes = Slopes::default();
        (self.local.sides, self.local.required) = (sides, required);
        self.ghosts.find(&self.local);
    }
}

/// For each rank, the elements that touch one of its future vertices, sent by the rank to which they belong now, with
/// their vertices.
fn parcels<const D: usize>(comm: &Comm, local: &Local<D>, owners: &[u32]) -> Vec<Vec<u8>> {
    let mut elements: Vec<Vec<u32>> = vec![Vec::new(); comm.size()];
    for e in local.own_elements() {
        let mut ranks = Numbers::new();
        for rank in local.elements.corners(e).iter().map(|&c| owners[c as usize]) {
            if !ranks.contains(&rank) {
                ranks.push(rank);
                elements[rank as usize].push(e);
            }
        }
    }
    elements.iter().map(|elements| parcel(local, owners, elements)).collect()
}

fn parcel<const D: usize>(local: &Local<D>, owners: &[u32], elements: &[u32]) -> Vec<u8> {
    let mut message = Writer::default();
    if elements.is_empty() {
        return message.0;
    }
    let mut vertices: Vec<u32> = elements.iter().flat_map(|&e| local.elements.corners(e)).copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    message.put(vertices.len() as u32);
    for &v in &vertices {
        let mut vertex = local.vertices.get(v);
        vertex.owner = owners[v as usize];
        message.put_vertex(&vertex, local.vertices.values(v));
    }
    message.put(elements.len() as u32);
    for &e in elements {
        put_element(&mut message, &local.elements, e, |c| local.identity(c));
    }
    message.0
}
