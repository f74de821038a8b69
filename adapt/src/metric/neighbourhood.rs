//! Vertices within a few edges of a vertex, including those that another rank has to send.

use std::collections::BTreeMap;

use cfd_engine::comm::Comm;

use super::error::halves;
use super::star::Neighbours;
use super::view::{View, at_vertices, owned};

/// Vertices that this rank knows, each with a value: local ones by their local numbers, then those fetched from other
/// ranks. The neighbours of owned vertices are known from the start; [`Neighbourhood::fetch`] adds those of all
/// vertices known so far, one more ring.
pub(super) struct Neighbourhood<const D: usize> {
    identity: Vec<u128>,
    owner: Vec<u32>,
    position: Vec<[f64; D]>,
    value: Vec<f64>,
    /// Neighbours by identity; None where they have not been fetched.
    ring: Vec<Option<Box<[u32]>>>,
    /// Place of each known vertex among all by identity, and the vertex at each place.
    place: Vec<u32>,
    at_place: Vec<u32>,
    /// Number of each known vertex; empty on a single rank, which asks no other.
    number: BTreeMap<u128, u32>,
}

impl<const D: usize> Neighbourhood<D> {
    /// Starts with the values of owned vertices; those of ghosts are not read.
    pub fn new<V: View<D>>(view: &V, values: &[f64]) -> Neighbourhood<D> {
        let neighbours = Neighbours::new(view);
        let local = 0..view.vertices() as u32;
        let owner = at_vertices(view, |_| view.comm().rank() as u32);
        let value = at_vertices(view, |v| values[v as usize]);
        let identity: Vec<u128> = local.clone().map(|v| view.identity(v)).collect();
        let named = if view.comm().size() == 1 { &[] } else { &identity[..] };
        let mut ring = vec![None; view.vertices()];
        owned(view).for_each(|v| ring[v as usize] = Some(neighbours.of(v).into()));
        let mut known = Neighbourhood {
            number: named.iter().copied().zip(local.clone()).collect(),
            position: local.map(|v| view.position(v)).collect(),
            identity,
            owner,
            value,
            ring,
            place: Vec::new(),
            at_place: Vec::new(),
        };
        known.sort();
        known
    }

    fn sort(&mut self) {
        self.at_place = (0..self.identity.len() as u32).collect();
        self.at_place.sort_unstable_by_key(|&v| self.identity[v as usize]);
        self.place = vec![0; self.at_place.len()];
        for (place, &v) in self.at_place.iter().enumerate() {
            self.place[v as usize] = place as u32;
        }
    }

    /// The position of a known vertex.
    pub fn position(&self, v: u32) -> [f64; D] {
        self.position[v as usize]
    }

    /// Its value.
    pub fn value(&self, v: u32) -> f64 {
        self.value[v as usize]
    }

    /// The vertices within `rings` edges of an owned vertex, including itself, by identity; needs `rings` - 1 earlier
    /// fetches. `found` is cleared first.
    pub fn within(&self, v: u32, rings: usize, found: &mut Vec<u32>) {
        found.clear();
        found.push(self.place[v as usize]);
        for _ in 0..rings {
            for k in 0..found.len() {
                let ring = &self.ring[self.at_place[found[k] as usize] as usize];
                let ring = ring.as_ref().expect("fetched before");
                found.extend(ring.iter().map(|&w| self.place[w as usize]));
            }
            found.sort_unstable();
            found.dedup();
        }
        found.iter_mut().for_each(|place| *place = self.at_place[*place as usize]);
    }

    /// Asks the owners for the unknown neighbours of all known vertices. Called by all ranks.
    pub fn fetch(&mut self, comm: &Comm) {
        let mut asked: Vec<Vec<u32>> = vec![Vec::new(); comm.size()];
        for v in (0..self.ring.len()).filter(|&v| self.ring[v].is_none()) {
            asked[self.owner[v] as usize].push(v as u32);
        }
        let questions =
            asked.iter().map(|of| of.iter().flat_map(|&v| halves(self.identity[v as usize])).collect());
        let questions: Vec<Vec<u64>> = comm.all_to_all(questions.collect());
        let answers = comm.all_to_all(questions.iter().map(|words| self.answer(words)).collect());
        for (asked, answer) in asked.iter().zip(answers) {
            let mut words = answer.into_iter();
            for &v in asked {
                let ring = self.read(&mut words);
                self.ring[v as usize] = Some(ring);
            }
        }
        self.sort();
    }

    /// For each vertex asked for: the number of its neighbours, and the identity, owner, value and position of each.
    fn answer(&self, questions: &[u64]) -> Vec<u64> {
        let mut words = Vec::new();
        for pair in questions.chunks_exact(2) {
            let v = self.number[&whole(pair[0], pair[1])];
            let ring = self.ring[v as usize].as_ref().expect("an owner has the neighbours");
            words.push(ring.len() as u64);
            for &w in ring {
                let w = w as usize;
                words.extend(halves(self.identity[w]));
                words.extend([u64::from(self.owner[w]), self.value[w].to_bits()]);
                words.extend(self.position[w].map(f64::to_bits));
            }
        }
        words
    }

    /// Reads the neighbours of one vertex from an answer; new ones become known.
    fn read(&mut self, words: &mut impl Iterator<Item = u64>) -> Box<[u32]> {
        let mut next = || words.next().expect("an answer for each question");
        (0..next())
            .map(|_| {
                let identity = whole(next(), next());
                let (owner, value) = (next() as u32, f64::from_bits(next()));
                let position = std::array::from_fn(|_| f64::from_bits(next()));
                let new = self.identity.len() as u32;
                let number = *self.number.entry(identity).or_insert(new);
                if number == new {
                    self.identity.push(identity);
                    self.owner.push(owner);
                    self.value.push(value);
                    self.position.push(position);
                    self.ring.push(None);
                }
                number
            })
            .collect()
    }
}

/// The identity that these words form.
fn whole(upper: u64, lower: u64) -> u128 {
    u128::from(upper) << 64 | u128::from(lower)
}
