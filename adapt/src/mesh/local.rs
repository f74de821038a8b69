//! What one rank holds of a mesh: all that operations read and change. No messages here.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::elements::{Elements, INSIDE};
use super::identity::Identity;
use super::stars::Stars;
use super::vertices::{Freedom, Vertices};
use crate::geometry::{Geometry, Point, Space, difference};
use crate::tensor::{self, Tensor};

/// Corners of the largest simplices, tetrahedra.
pub(crate) const MOST_CORNERS: usize = 4;

/// A few local numbers.
pub type Few = SmallVec<[u32; 16]>;

/// The vertices and elements that one rank holds.
#[derive(Clone, Debug)]
pub struct Local<const D: usize> {
    pub(crate) rank: u32,
    pub(crate) vertices: Vertices<D>,
    pub(crate) elements: Elements<D>,
    pub(crate) stars: Stars,
}

/// A vertex at another place, with the metric there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved<const D: usize> {
    pub vertex: u32,
    pub position: Point<D>,
    pub metric: Tensor<D>,
}

impl<const D: usize> Local<D> {
    pub(crate) fn new(rank: usize, vertex_width: usize, element_width: usize) -> Local<D> {
        Local {
            rank: rank as u32,
            vertices: Vertices::new(vertex_width),
            elements: Elements::new(element_width),
            stars: Stars::default(),
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

    /// An element belongs to the owner of its vertex of smallest identity, its first.
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

    #[inline]
    pub(crate) fn metric(&self, v: u32) -> &Tensor<D> {
        &self.vertices.metric[v as usize]
    }

    #[inline]
    pub(crate) fn freedom(&self, v: u32) -> Freedom {
        self.vertices.freedom[v as usize]
    }

    /// The ends with that of smaller identity first.
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

    /// The vertices that share an element with `v`, each once, in no particular order: all for a vertex of this rank.
    pub fn neighbours(&self, v: u32) -> Few {
        let mut found = Few::new();
        for &e in self.star(v) {
            for &c in self.elements.corners(e) {
                if c != v && !found.contains(&c) {
                    found.push(c);
                }
            }
        }
        found
    }

    /// Sorts local vertex numbers by identity, the order in which sums run.
    pub(crate) fn sort(&self, vertices: &mut [u32]) {
        vertices.sort_unstable_by_key(|&v| self.identity(v));
    }

    /// Sorts elements by their corners' identities.
    pub(crate) fn sort_elements(&self, elements: &mut [u32]) {
        elements.sort_unstable_by_key(|&e| {
            let corners = self.elements.corners(e);
            (self.identity(corners[0]), self.identity(corners[1]), self.identity(corners[2]))
        });
    }

    /// The elements that contain both vertices, in no particular order.
    pub(crate) fn around_edge(&self, a: u32, b: u32) -> Few {
        self.star(a).iter().copied().filter(|&e| self.elements.corners(e).contains(&b)).collect()
    }

    /// Tag of a facet of an element, the one opposite a corner.
    #[inline]
    pub(crate) fn tag_opposite(&self, e: u32, corner: u32) -> u16 {
        let at = self.elements.corners(e).iter().position(|&c| c == corner).expect("a corner of the element");
        self.elements.tags(e)[at]
    }

    #[inline]
    fn points(&self, corners: &[u32]) -> [Point<D>; MOST_CORNERS] {
        let mut points = [[0.0; D]; MOST_CORNERS];
        for (point, &c) in points.iter_mut().zip(corners) {
            *point = *self.position(c);
        }
        points
    }

    #[inline]
    fn metrics(&self, corners: &[u32]) -> [&Tensor<D>; MOST_CORNERS] {
        std::array::from_fn(|i| self.metric(corners[i.min(D)]))
    }

    /// Corners and tags in the order in which elements are held: the vertex of smallest identity first, by an even
    /// permutation.
    pub(crate) fn rotate(&self, corners: &mut [u32], tags: &mut [u16]) {
        let first = (0..=D).min_by_key(|&i| self.identity(corners[i])).expect("an element has corners");
        if D.is_multiple_of(2) {
            corners.rotate_left(first);
            tags.rotate_left(first);
        } else if first != 0 {
            let others = (1..=D).filter(|&i| i != first).collect::<SmallVec<[usize; MOST_CORNERS]>>();
            for (i, j) in [(0, first), (others[0], others[1])] {
                corners.swap(i, j);
                tags.swap(i, j);
            }
        }
    }

    /// Adds an element with values 0.
    pub(crate) fn add_element(&mut self, corners: &[u32], tags: &[u16]) -> u32 {
        let (mut turned, mut turned_tags) = ([0; MOST_CORNERS], [INSIDE; MOST_CORNERS]);
        turned[..=D].copy_from_slice(corners);
        turned_tags[..=D].copy_from_slice(tags);
        self.rotate(&mut turned[..=D], &mut turned_tags[..=D]);
        let e = self.elements.add(&turned[..=D], &turned_tags[..=D]);
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

    /// The same under other local numbers, with lists in another order.
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
            let corners: Few = self.elements.corners(e).iter().map(|&c| number[c as usize]).collect();
            let new = local.add_element(&corners, self.elements.tags(e));
            local.elements.values_mut(new).copy_from_slice(self.elements.values(e));
        }
        local.stars.shuffle(random);
        *self = local;
    }

    /// Marks a vertex for all kinds of operation.
    pub(crate) fn mark(&mut self, v: u32) {
        self.vertices.marks[v as usize] = u8::MAX;
    }
}

impl<const D: usize> Local<D>
where
    Space<D>: Geometry<D>,
{
    /// The corners in the order in which they are held.
    fn turned(&self, corners: &[u32]) -> [u32; MOST_CORNERS] {
        let (mut turned, mut tags) = ([0; MOST_CORNERS], [INSIDE; MOST_CORNERS]);
        turned[..=D].copy_from_slice(corners);
        self.rotate(&mut turned[..=D], &mut tags[..=D]);
        turned
    }

    /// Whether an element with these corners would not be inverted.
    pub(crate) fn is_positive(&self, corners: &[u32]) -> bool {
        <Space<D> as Geometry<D>>::orientation(&self.points(corners)[..=D]) == Ordering::Greater
    }

    /// Quality of an element that has, or would have, these corners in any rotation.
    pub(crate) fn quality_of(&self, corners: &[u32]) -> f64 {
        let turned = self.turned(corners);
        <Space<D> as Geometry<D>>::quality(&self.points(&turned)[..=D], &self.metrics(&turned)[..=D])
    }

    /// Quality of an element.
    #[inline]
    pub fn quality(&self, e: u32) -> f64 {
        let corners = self.elements.corners(e);
        <Space<D> as Geometry<D>>::quality(&self.points(corners)[..=D], &self.metrics(corners)[..=D])
    }

    /// Area or volume of an element.
    pub fn measure(&self, e: u32) -> f64 {
        <Space<D> as Geometry<D>>::measure(&self.points(self.elements.corners(e))[..=D])
    }

    /// Quality of an element if a corner were moved; `None` if that would invert it.
    pub(crate) fn quality_moved(&self, e: u32, moved: &Moved<D>) -> Option<f64> {
        let corners = self.elements.corners(e);
        let (mut points, mut metrics) = (self.points(corners), self.metrics(corners));
        let at = corners.iter().position(|&c| c == moved.vertex).expect("a corner of the element");
        points[at] = moved.position;
        metrics[at] = &moved.metric;
        let positive = <Space<D> as Geometry<D>>::orientation(&points[..=D]) == Ordering::Greater;
        positive.then(|| <Space<D> as Geometry<D>>::quality(&points[..=D], &metrics[..=D]))
    }

    /// The barycentric coordinates of a place in an element, or `None` where it lies outside. Exact orientations decide
    /// which.
    pub(crate) fn shares(&self, e: u32, place: &Point<D>) -> Option<[f64; MOST_CORNERS]> {
        let points = self.points(self.elements.corners(e));
        let mut shares = [0.0; MOST_CORNERS];
        let mut total = 0.0;
        for i in 0..=D {
            let mut part = points;
            part[i] = *place;
            if <Space<D> as Geometry<D>>::orientation(&part[..=D]) == Ordering::Less {
                return None;
            }
            shares[i] = <Space<D> as Geometry<D>>::measure(&part[..=D]).max(0.0);
            total += shares[i];
        }
        shares.iter_mut().for_each(|share| *share /= total);
        Some(shares)
    }

    /// Derivative of an element's quality with respect to a corner's place.
    pub(crate) fn quality_gradient(&self, e: u32, v: u32) -> Point<D> {
        let corners = self.elements.corners(e);
        let at = corners.iter().position(|&c| c == v).expect("a corner of the element");
        let (points, metrics) = (self.points(corners), self.metrics(corners));
        <Space<D> as Geometry<D>>::quality_gradient(&points[..=D], &metrics[..=D], at)
    }

    /// The lowest quality round a vertex.
    pub(crate) fn worst_around(&self, v: u32) -> f64 {
        self.star(v).iter().map(|&e| self.quality(e)).fold(f64::INFINITY, f64::min)
    }
}
