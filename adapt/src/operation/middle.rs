//! Vertices that split edges.

use crate::mesh::{Bytes, INSIDE, INTERFACE, Identity, Local, Mesh, Vertex, Writer};
use crate::tensor::Tensor;

/// An edge, smaller identity first.
pub type Edge = (u32, u32);

/// The middle of an edge.
pub struct Middle<const D: usize> {
    pub edge: Edge,
    pub vertex: Vertex<D>,
    pub values: Vec<f64>,
}

/// Tag of the boundary or interface on which an edge lies.
pub fn tag_of(local: &Local<2>, a: u32, b: u32) -> Option<u16> {
    let e = *local.around_edge(a, b).first()?;
    let third = local.elements.corners(e).iter().position(|&c| c != a && c != b)?;
    Some(local.elements.tags(e)[third]).filter(|&tag| tag != INSIDE)
}

/// Puts the middles of edges of curved interfaces where their owners put them. Collective.
pub fn tell(mesh: &Mesh<2>, middles: &mut [Middle<2>]) {
    let local = &mesh.local;
    let is_curved = |tag: u16| tag & INTERFACE != 0 && local.curve(tag).is_some();
    if mesh.comm.size() == 1
        || !local.sides.iter().any(|side| side.curve().is_some())
        || !mesh.has_interfaces()
    {
        return;
    }
    let mut at: Vec<usize> = (0..middles.len())
        .filter(|&i| tag_of(local, middles[i].edge.0, middles[i].edge.1).is_some_and(is_curved))
        .collect();
    at.sort_unstable_by_key(|&i| middles[i].vertex.identity);
    let mut messages = vec![Writer::default(); mesh.ghosts.neighbours.len()];
    for middle in at.iter().map(|&i| &middles[i]).filter(|middle| middle.vertex.owner == local.rank) {
        let elements = local.around_edge(middle.edge.0, middle.edge.1);
        let mut ranks: Vec<u32> = elements
            .iter()
            .flat_map(|&e| local.elements.corners(e))
            .map(|&c| local.vertices.owner[c as usize])
            .filter(|&rank| rank != local.rank)
            .collect();
        ranks.sort_unstable();
        ranks.dedup();
        for rank in ranks {
            let to = mesh.ghosts.neighbours.iter().position(|neighbour| neighbour.rank as u32 == rank);
            let message = &mut messages[to.expect("owners of ghosts are neighbours")];
            message.put(middle.vertex.identity);
            message.put_all(&middle.vertex.position);
            message.put_all(middle.vertex.metric.0.as_flattened());
        }
    }
    let messages: Vec<Vec<u8>> = messages.into_iter().map(|message| message.0).collect();
    for message in mesh.ghosts.swap_bytes(&mesh.comm, &messages) {
        let mut message = Bytes(&message);
        while !message.is_empty() {
            let identity: Identity = message.get();
            let position = std::array::from_fn(|_| message.get());
            let metric = Tensor(std::array::from_fn(|_| std::array::from_fn(|_| message.get())));
            let found = at.binary_search_by_key(&identity, |&i| middles[i].vertex.identity);
            let vertex = &mut middles[at[found.expect("all ranks split the same edges")]].vertex;
            (vertex.position, vertex.metric) = (position, metric);
        }
    }
}
