//! What one rank holds of a mesh: all that operations read and change. No messages here.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::elements::{Elements, INSIDE, number_of};
use super::identity::Identity;
use super::stars::Stars;
use super::vertices::{Freedom, Vertices};
use crate::geometry::{Curve, Point, Side, difference};
use crate::tensor::{self, Tensor};

/// Corners of the largest simplices, tetrahedra.
pub(crate) const MOST_CORNERS: usize = 4;

/// Squared lengths that differ from that of a bound by less than this fraction may be on either side of it by rounding.
const DOUBTFUL: f64 = 1.0 / (1u64 << 30) as f64;

/// A few local numbers.
pub type Numbers = SmallVec<[u32; FEW]>;

/// This many are stored in place.
const FEW: usize = 16;

/// The vertices and elements that one rank holds.
#[derive(Clone, Debug)]
pub struct Local<const D: usize> {
    pub(crate) rank: u32,
    pub(crate) vertices: Vertices<D>,
    pub(crate) elements: Elements<D>,
    pub(crate) stars: Stars,
    /// What the boundaries and interfaces are, by number less 1; straight where the list ends.
    pub(crate) sides: Vec<Side<D>>,
    /// Whether the elements of a region stay as they are, by region; no where the list ends.
    pub(crate) required: Vec<bool>,
}

/// A vertex at another position, with the metric there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved<const D: usize> {
    pub vertex: u32,
    pub position: Point<D>,
    pub metric: Tensor<D>,
}

/// Sorts numbers by keys that all differ. Of a few, as around a vertex, each goes to the place that as many smaller ones
/// leave it: unlike the steps of a sort, these comparisons decide no branch.
fn sort_by_key<K: Ord + Copy + Default>(numbers: &mut [u32], key: impl Fn(u32) -> K) {
    const FEW: usize = 12;
    let count = numbers.len();
    if count > FEW {
        return numbers.sort_unstable_by_key(|&number| key(number));
    }
    let (mut given, mut keys) = ([0; FEW], [K::default(); FEW]);
    given[..count].copy_from_slice(numbers);
    for (key_of, &number) in keys.iter_mut().zip(&*numbers) {
        *key_of = key(number);
    }
    let keys = &keys[..count];
    for (number, own) in given.iter().zip(keys) {
        let place: usize = keys.iter().map(|other| usize::from(other < own)).sum();
        numbers[place] = *number;
    }
}

impl<const D: usize> Local<D> {
    pub(crate) fn new(rank: usize, vertex_width: usize, element_width: usize) -> Local<D> {
        Local {
            rank: rank as u32,
            vertices: Vertices::new(vertex_width),
            elements: Elements::new(element_width),
            stars: Stars::default(),
            sides: Vec::new(),
            required: Vec::new(),
        }
    }

    /// The vertices.
    pub fn vertices(&self) -> &Vertices<D> {
        &self.vertices
    }

    /// The elements.
    pub fn elements(&self) -> &Elements<D> {
        &self.elements
    }

    /// The elements that touch a vertex: all of them for a vertex of this rank, in no particular order.
    #[inline]
    pub fn star(&self, v: u32) -> &[u32] {
        self.stars.get(v)
    }

    /// Whether the vertex belongs to this rank.
    #[inline]
    pub fn is_own(&self, v: u32) -> bool {
        self.vertices.owner[v as usize] == self.rank
    }

    /// This rank's vertices, by local number.
    pub fn own_vertices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.vertices.len() as u32).filter(|&v| self.is_own(v))
    }

    /// Whether an element belongs to this rank: its owner is that of its first vertex, the one of smallest identity.
    pub fn is_own_element(&self, e: u32) -> bool {
        self.is_own(self.elements.corners(e)[0])
    }

    /// The elements that belong to this rank, by local number.
    pub fn own_elements(&self) -> impl Iterator<Item = u32> + '_ {
        self.elements.iter().filter(|&e| self.is_own_element(e))
    }

    #[inline]
    pub(crate) fn identity(&self, v: u32) -> Identity {
        self.vertices.identity[v as usize]
    }

    #[inline]
    pub(crate) fn position(&self, v: u32) -> &Point<D> {
        &self.vertices.position[v as usize]
    }

    /// The metric at a vertex.
    #[inline]
    pub fn metric(&self, v: u32) -> &Tensor<D> {
        &self.vertices.metric[v as usize]
    }

    #[inline]
    pub(crate) fn freedom(&self, v: u32) -> Freedom {
        self.vertices.freedom[v as usize]
    }

    /// The ends, the one of smaller identity first.
    #[inline]
    pub(crate) fn ordered(&self, a: u32, b: u32) -> (u32, u32) {
        if self.identity(a) < self.identity(b) { (a, b) } else { (b, a) }
    }

    /// Length of an edge in the metric; the same bits in both directions.
    #[inline]
    pub fn length(&self, a: u32, b: u32) -> f64 {
        let (a, b) = self.ordered(a, b);
        tensor::length(&difference(self.position(a), self.position(b)), self.metric(a), self.metric(b))
    }

    /// How the length of an edge compares with a bound. Most edges need neither roots nor a logarithm: the length is between
    /// those in the metrics of the two ends.
    #[inline]
    pub(crate) fn compare_length(&self, a: u32, b: u32, bound: f64) -> Option<Ordering> {
        let edge = difference(self.position(a), self.position(b));
        let squares = [self.metric(a).quadratic(&edge), self.metric(b).quadratic(&edge)];
        let square = bound * bound;
        if squares.iter().all(|&s| s > (1.0 + DOUBTFUL) * square) {
            return Some(Ordering::Greater);
        }
        if squares.iter().all(|&s| s < (1.0 - DOUBTFUL) * square) {
            return Some(Ordering::Less);
        }
        self.length(a, b).partial_cmp(&bound)
    }

    /// The vertices that share an element with `v`, each once, in no particular order: all of them for a vertex of this
    /// rank.
    pub fn neighbours(&self, v: u32) -> Numbers {
        let star = self.star(v);
        let mut places = [0; FEW];
        if D == 2 && star.len() <= places.len() && self.freedom(v) == Freedom::Inside && self.is_own(v) {
            // Around a vertex inside, every neighbour comes next after it in exactly one triangle.
            for (place, &e) in places.iter_mut().zip(star) {
                let corners = self.elements.corners(e);
                let (first, second) = (corners[0] == v, corners[1] == v);
                *place = corners[if first { 1 } else { 2 * usize::from(second) }];
            }
            return Numbers::from_buf_and_len(places, star.len());
        }
        let mut found = Numbers::new();
        for &e in self.star(v) {
            for &c in self.elements.corners(e) {
                if c != v && !found.contains(&c) {
                    found.push(c);
                }
            }
        }
        found
    }

    /// Tag of the boundary facet at a boundary vertex that is not a corner.
    pub(crate) fn boundary_of(&self, v: u32) -> u16 {
        let facets =
            self.star(v).iter().flat_map(|&e| self.elements.corners(e).iter().zip(self.elements.tags(e)));
        facets.filter(|&(&c, &tag)| c != v && tag != INSIDE).map(|(_, &tag)| tag).next().unwrap_or(INSIDE)
    }

    /// The curve of a boundary, if it is curved.
    pub(crate) fn curve(&self, tag: u16) -> Option<&dyn Curve<D>> {
        self.side(tag).curve()
    }

    /// What a boundary is.
    pub(crate) fn side(&self, tag: u16) -> &Side<D> {
        usize::from(number_of(tag))
            .checked_sub(1)
            .and_then(|at| self.sides.get(at))
            .unwrap_or(&Side::Straight)
    }

    /// Whether an element is of a region that stays as it is.
    pub(crate) fn is_required(&self, e: u32) -> bool {
        self.required.get(usize::from(self.elements.region(e))).copied().unwrap_or(false)
    }

    /// Sorts local vertex numbers by identity, the order in which sums run.
    pub(crate) fn sort(&self, vertices: &mut [u32]) {
        sort_by_key(vertices, |v| self.identity(v));
    }

    /// The key by which elements are ordered: their corners' identities.
    pub(crate) fn element_key(&self, e: u32) -> [Identity; MOST_CORNERS] {
        let corners = self.elements.corners(e);
        std::array::from_fn(|i| self.identity(corners[i.min(D)]))
    }

    /// Sorts elements by their keys.
    pub(crate) fn sort_elements(&self, elements: &mut [u32]) {
        sort_by_key(elements, |e| self.element_key(e));
    }

    /// The elements that contain both vertices, in no particular order.
    pub(crate) fn around_edge(&self, a: u32, b: u32) -> Numbers {
        let mut found = Numbers::new();
        for &e in self.star(a) {
            if self.elements.corners(e).contains(&b) {
                found.push(e);
            }
        }
        found
    }

    /// Tag of the facet of an element opposite a corner.
    #[inline]
    pub(crate) fn tag_opposite(&self, e: u32, corner: u32) -> u16 {
        let at = self.elements.corners(e).iter().position(|&c| c == corner).expect("a corner of the element");
        self.elements.tags(e)[at]
    }

    #[inline]
    pub(super) fn points(&self, corners: &[u32]) -> [Point<D>; MOST_CORNERS] {
        let mut points = [[0.0; D]; MOST_CORNERS];
        for (point, &c) in points.iter_mut().zip(corners) {
            *point = *self.position(c);
        }
        points
    }

    #[inline]
    pub(super) fn metrics(&self, corners: &[u32]) -> [&Tensor<D>; MOST_CORNERS] {
        std::array::from_fn(|i| self.metric(corners[i.min(D)]))
    }

    /// Rotates corners and tags into the order in which elements are held: the vertex of smallest identity first, by an
    /// even permutation.
    pub(crate) fn rotate(&self, corners: &mut [u32], tags: &mut [u16]) {
        let first = (0..=D).min_by_key(|&i| self.identity(corners[i])).expect("an element has corners");
        if D.is_multiple_of(2) {
            // One place at a time: so few are moved faster than by `rotate_left`.
            for i in (0..first).flat_map(|_| 0..D) {
                corners.swap(i, i + 1);
                tags.swap(i, i + 1);
            }
        } else if first != 0 {
            let others = (1..=D).filter(|&i| i != first).collect::<SmallVec<[usize; MOST_CORNERS]>>();
            for (i, j) in [(0, first), (others[0], others[1])] {
                corners.swap(i, j);
                tags.swap(i, j);
            }
        }
    }

    /// Adds an element with values 0.
    pub(crate) fn add_element(&mut self, corners: &[u32], tags: &[u16], region: u16) -> u32 {
        let (mut turned, mut turned_tags) = ([0; MOST_CORNERS], [INSIDE; MOST_CORNERS]);
        turned[..=D].copy_from_slice(corners);
        turned_tags[..=D].copy_from_slice(tags);
        self.rotate(&mut turned[..=D], &mut turned_tags[..=D]);
        let e = self.elements.add(&turned[..=D], &turned_tags[..=D], region);
        for &c in corners {
            self.stars.add(c, e);
        }
        e
    }

    pub(crate) fn remove_element(&mut self, e: u32) {
        for i in 0..=D {
            self.stars.remove(self.elements.corners(e)[i], e);
        }
        self.elements.remove(e);
    }

    pub(crate) fn add_vertex(&mut self, vertex: &super::vertices::Vertex<D>, values: &[f64]) -> u32 {
        let v = self.vertices.add(vertex, values);
        self.stars.resize(self.vertices.len());
        v
    }

    /// The same mesh under other local numbers, with lists in another order.
    pub(crate) fn shuffle(&mut self, mut random: impl FnMut(usize) -> usize) {
        let mut permuted = |alive: Vec<u32>| {
            let mut order = alive;
            for i in (1..order.len()).rev() {
                order.swap(i, random(i + 1));
            }
            order
        };
        let vertices =
            permuted((0..self.vertices.len() as u32).filter(|&v| self.vertices.is_alive(v)).collect());
        let elements = permuted(self.elements.iter().collect());
        let mut local = Local::new(self.rank as usize, self.vertices.width, self.elements.width);
        let mut number = vec![super::NONE; self.vertices.len()];
        for v in vertices {
            number[v as usize] = local.add_vertex(&self.vertices.get(v), self.vertices.values(v));
        }
        for e in elements {
            let corners: Numbers = self.elements.corners(e).iter().map(|&c| number[c as usize]).collect();
            let new = local.add_element(&corners, self.elements.tags(e), self.elements.region(e));
            local.elements.values_mut(new).copy_from_slice(self.elements.values(e));
        }
        local.stars.shuffle(random);
        local.sides = std::mem::take(&mut self.sides);
        local.required = std::mem::take(&mut self.required);
        *self = local;
    }

    /// Marks a vertex for all kinds of operation.
    pub(crate) fn mark(&mut self, v: u32) {
        self.vertices.marks[v as usize] = u8::MAX;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Vertex, identity};

    /// Lengths up to a few ulps from the bound, and metrics that differ little or much.
    #[test]
    fn a_length_compares_with_a_bound_as_its_value_does() {
        let mut local = Local::<2>::new(0, 0, 0);
        for (i, metric) in [[4.0, 1.0, 9.0], [4.0, 1.0, 9.1], [400.0, 30.0, 25.0]].into_iter().enumerate() {
            let vertex = Vertex {
                position: [0.1 + 0.3 * i as f64, 0.7 / (1.0 + i as f64)],
                metric: Tensor([[metric[0], metric[1]], [metric[1], metric[2]]]),
                identity: identity::of_number(i as u64),
                owner: 0,
                freedom: Freedom::Inside,
                marks: 0,
            };
            local.add_vertex(&vertex, &[]);
        }
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let length = local.length(a, b);
            let near = (-4..=4).map(|ulps| f64::from_bits(length.to_bits().wrapping_add_signed(ulps)));
            let far =
                [1e-12, 1e-9, 1e-3, 0.5].into_iter().flat_map(|d| [length * (1.0 - d), length * (1.0 + d)]);
            for bound in near.chain(far) {
                assert_eq!(local.compare_length(a, b, bound), length.partial_cmp(&bound), "{length} {bound}");
            }
        }
    }
}
