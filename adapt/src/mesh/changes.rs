//! Messages from owners to the other ranks that hold part of a cavity that has changed.
//!
//! An operation replaces the elements that contain a vertex, or both ends of an edge, by others. The rank whose vertex
//! proposed it carries it out and tells every rank with a vertex in the cavity which elements have gone, and sends it
//! the new ones that touch a vertex of that rank. Cavities share no element, so their order does not matter.

use std::collections::BTreeMap;

use cfd_engine::comm::Comm;

use super::bytes::{Reader, Writer, put_element};
use super::exchange::Ghosts;
use super::identity::Identity;
use super::local::{Local, Numbers};

/// No second end: the elements around a single vertex have gone.
const ALONE: Identity = Identity::MAX;

/// Messages to the neighbours, and what this rank no longer needs.
pub(crate) struct Changes {
    /// The rank of each neighbour, and its message.
    messages: Vec<(u32, Writer)>,
    /// Elements of this rank that may no longer touch any of its vertices.
    loose: Vec<u32>,
    /// Vertices that may no longer be in any element.
    bare: Vec<u32>,
}

impl Changes {
    pub fn new(ghosts: &Ghosts) -> Changes {
        let messages = ghosts.neighbours.iter().map(|n| (n.rank as u32, Writer::default())).collect();
        Changes { messages, loose: Vec::new(), bare: Vec::new() }
    }

    /// Notes that an operation has replaced the elements around `gone` (one vertex, or the ends of an edge) by `new`.
    /// `ring` contains the other vertices of the cavity, including the ends of an edge.
    pub fn note<const D: usize>(&mut self, local: &Local<D>, gone: &[Identity], ring: &[u32], new: &[u32]) {
        if self.messages.is_empty() {
            return;
        }
        let owner = |v: u32| local.vertices.owner[v as usize];
        let mut ranks = Numbers::new();
        for &v in ring.iter().filter(|&&v| owner(v) != local.rank) {
            if !ranks.contains(&owner(v)) {
                ranks.push(owner(v));
            }
        }
        if ranks.is_empty() {
            return;
        }
        self.loose.extend_from_slice(new);
        self.bare.extend_from_slice(ring);
        for rank in ranks {
            let at =
                self.messages.binary_search_by_key(&rank, |m| m.0).expect("owners of ghosts are neighbours");
            let touches = |&&e: &&u32| local.elements.corners(e).iter().any(|&c| owner(c) == rank);
            let elements: Numbers = new.iter().filter(touches).copied().collect();
            write(&mut self.messages[at].1, local, gone, &elements);
        }
    }

    /// Carries out the changes on all ranks that hold part of them. Collective.
    pub fn exchange<const D: usize>(mut self, comm: &Comm, local: &mut Local<D>, ghosts: &mut Ghosts) {
        if comm.size() == 1 {
            return;
        }
        let index = Index::new(local, ghosts);
        let send: Vec<Vec<u8>> = std::mem::take(&mut self.messages).into_iter().map(|m| m.1.0).collect();
        let mut arrived = BTreeMap::new();
        for message in ghosts.swap_bytes(comm, &send) {
            self.read(local, &index, &mut arrived, Reader(&message));
        }
        self.tidy(local);
        ghosts.find(local);
    }

    fn read<const D: usize>(
        &mut self,
        local: &mut Local<D>,
        index: &Index,
        arrived: &mut BTreeMap<Identity, u32>,
        mut message: Reader,
    ) {
        while !message.is_empty() {
            let gone: [Identity; 2] = [message.get(), message.get()];
            self.remove(local, index, gone);
            let vertices: u32 = message.get();
            let mut numbers = Numbers::new();
            for _ in 0..vertices {
                let (vertex, values) = message.get_vertex::<D>(local.vertices.width);
                let known = index.find(vertex.identity);
                let known = known.or_else(|| arrived.get(&vertex.identity).copied());
                numbers.push(known.unwrap_or_else(|| {
                    assert_ne!(vertex.owner, local.rank, "a rank knows its own vertices");
                    let v = local.add_vertex(&vertex, &values);
                    arrived.insert(vertex.identity, v);
                    v
                }));
            }
            let elements: u32 = message.get();
            for _ in 0..elements {
                let corners: Numbers = (0..=D).map(|_| numbers[message.get::<u32>() as usize]).collect();
                let tags: Vec<u16> = message.get_all(D + 1);
                let region: u16 = message.get();
                let values: Vec<f64> = message.get_all(local.elements.width);
                let e = local.add_element(&corners, &tags, region);
                local.elements.values_mut(e).copy_from_slice(&values);
            }
        }
    }

    /// Removes the elements around a vertex or an edge, and marks those of their vertices that are this rank's.
    fn remove<const D: usize>(&mut self, local: &mut Local<D>, index: &Index, [one, other]: [Identity; 2]) {
        let find = |identity| index.find(identity);
        let elements: Numbers = match (find(one), other) {
            (None, _) => return,
            (Some(v), ALONE) => local.star(v).iter().copied().collect(),
            (Some(v), _) => match find(other) {
                Some(w) => local.around_edge(v, w),
                None => local.star(v).iter().copied().filter(|&e| has(local, e, other)).collect(),
            },
        };
        for e in elements {
            let corners: Numbers = local.elements.corners(e).iter().copied().collect();
            for c in corners {
                local.mark(c);
                self.bare.push(c);
            }
            local.remove_element(e);
        }
    }

    /// Drops elements that touch no vertex of this rank, and vertices in no element.
    fn tidy<const D: usize>(&mut self, local: &mut Local<D>) {
        for &e in &self.loose {
            if local.elements.is_alive(e) && !local.elements.corners(e).iter().any(|&c| local.is_own(c)) {
                local.remove_element(e);
            }
        }
        for &v in &self.bare {
            if local.vertices.is_alive(v) && local.star(v).is_empty() {
                local.vertices.remove(v);
            }
        }
    }
}

fn has<const D: usize>(local: &Local<D>, e: u32, identity: Identity) -> bool {
    local.elements.corners(e).iter().any(|&c| local.identity(c) == identity)
}

fn write<const D: usize>(to: &mut Writer, local: &Local<D>, gone: &[Identity], elements: &[u32]) {
    to.put(gone[0]);
    to.put(gone.get(1).copied().unwrap_or(ALONE));
    let mut vertices = Numbers::new();
    for &c in elements.iter().flat_map(|&e| local.elements.corners(e)) {
        if !vertices.contains(&c) {
            vertices.push(c);
        }
    }
    to.put(vertices.len() as u32);
    vertices.iter().for_each(|&v| to.put_vertex(&local.vertices.get(v), local.vertices.values(v)));
    to.put(elements.len() as u32);
    let number = |c| vertices.iter().position(|&v| v == c).expect("a corner of one of them") as u32;
    elements.iter().for_each(|&e| put_element(to, &local.elements, e, number));
}

/// Local numbers of the vertices that other ranks may name: ghosts, and this rank's own that are ghosts elsewhere.
struct Index(Vec<(Identity, u32)>);

impl Index {
    fn new<const D: usize>(local: &Local<D>, ghosts: &Ghosts) -> Index {
        let shared = ghosts.neighbours.iter().flat_map(|n| n.sends.iter().chain(&n.receives));
        let mut index: Vec<(Identity, u32)> = shared.map(|&v| (local.identity(v), v)).collect();
        index.sort_unstable();
        index.dedup();
        Index(index)
    }

    fn find(&self, identity: Identity) -> Option<u32> {
        self.0.binary_search_by_key(&identity, |entry| entry.0).ok().map(|at| self.0[at].1)
    }
}
