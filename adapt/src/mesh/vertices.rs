//! The vertices that one rank holds.

use super::NONE;
use super::identity::Identity;
use crate::geometry::Point;
use crate::tensor::Tensor;

/// How far a vertex may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Freedom {
    /// Anywhere.
    Inside,
    /// Along its boundary.
    Boundary,
    /// Nowhere.
    Corner,
}

impl Freedom {
    /// The freedom that a byte of a message encodes.
    pub(crate) fn of_byte(byte: u8) -> Freedom {
        match byte {
            0 => Freedom::Inside,
            1 => Freedom::Boundary,
            _ => Freedom::Corner,
        }
    }
}

/// The vertices that one rank holds, its own and ghosts, by local number; some numbers are free.
#[derive(Clone, Debug, Default)]
pub struct Vertices<const D: usize> {
    /// Their positions.
    pub(crate) position: Vec<Point<D>>,
    /// The metric there.
    pub(crate) metric: Vec<Tensor<D>>,
    /// Their names on all ranks.
    pub(crate) identity: Vec<Identity>,
    /// The ranks to which they belong; `NONE` for a free number.
    pub(crate) owner: Vec<u32>,
    pub(crate) freedom: Vec<Freedom>,
    /// A bit for each kind of operation: something around the vertex has changed since it last looked.
    pub(crate) marks: Vec<u8>,
    /// Values of the fields, `width` per vertex.
    pub(crate) values: Vec<f64>,
    pub(crate) width: usize,
    free: Vec<u32>,
}

/// A vertex without its local number.
#[derive(Clone, Copy, Debug)]
pub struct Vertex<const D: usize> {
    pub(crate) position: Point<D>,
    pub(crate) metric: Tensor<D>,
    pub(crate) identity: Identity,
    pub(crate) owner: u32,
    pub(crate) freedom: Freedom,
    pub(crate) marks: u8,
}

impl<const D: usize> Vertices<D> {
    pub(crate) fn new(width: usize) -> Vertices<D> {
        Vertices { width, ..Default::default() }
    }

    /// Number of local numbers, including free ones.
    pub fn len(&self) -> usize {
        self.owner.len()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Number of vertices.
    pub fn count(&self) -> usize {
        self.owner.len() - self.free.len()
    }

    /// Whether the number is not free.
    #[inline]
    pub fn is_alive(&self, v: u32) -> bool {
        self.owner[v as usize] != NONE
    }

    /// Where a vertex is.
    pub fn position(&self, v: u32) -> &Point<D> {
        &self.position[v as usize]
    }

    pub(crate) fn get(&self, v: u32) -> Vertex<D> {
        let i = v as usize;
        Vertex {
            position: self.position[i],
            metric: self.metric[i],
            identity: self.identity[i],
            owner: self.owner[i],
            freedom: self.freedom[i],
            marks: self.marks[i],
        }
    }

    /// The fields' values.
    pub(crate) fn values(&self, v: u32) -> &[f64] {
        &self.values[v as usize * self.width..][..self.width]
    }

    pub(crate) fn values_mut(&mut self, v: u32) -> &mut [f64] {
        &mut self.values[v as usize * self.width..][..self.width]
    }

    /// Gives every vertex more values, initially 0.
    pub(crate) fn widen(&mut self, more: usize) {
        self.values = super::widened(&self.values, self.len(), self.width, more);
        self.width += more;
    }

    pub(crate) fn add(&mut self, vertex: &Vertex<D>, values: &[f64]) -> u32 {
        let v = self.free.pop().unwrap_or_else(|| self.grow());
        let i = v as usize;
        self.position[i] = vertex.position;
        self.metric[i] = vertex.metric;
        self.identity[i] = vertex.identity;
        self.owner[i] = vertex.owner;
        self.freedom[i] = vertex.freedom;
        self.marks[i] = vertex.marks;
        self.values[i * self.width..][..self.width].copy_from_slice(values);
        v
    }

    fn grow(&mut self) -> u32 {
        let v = u32::try_from(self.owner.len()).expect("fewer than 2^32 vertices a rank");
        self.position.push([0.0; D]);
        self.metric.push(Tensor([[0.0; D]; D]));
        self.identity.push(0);
        self.owner.push(NONE);
        self.freedom.push(Freedom::Inside);
        self.marks.push(0);
        self.values.resize(self.values.len() + self.width, 0.0);
        v
    }

    pub(crate) fn remove(&mut self, v: u32) {
        debug_assert!(self.is_alive(v));
        self.owner[v as usize] = NONE;
        self.marks[v as usize] = 0;
        self.free.push(v);
    }
}
