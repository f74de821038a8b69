//! Vertices and elements as the bytes of messages.

use bytemuck::Pod;

use super::elements::Elements;
use super::identity::Identity;
use super::vertices::{Freedom, Vertex};
use crate::tensor::Tensor;

/// Appends numbers to a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn put<T: Pod>(&mut self, value: T) {
        self.0.extend_from_slice(bytemuck::bytes_of(&value));
    }

    pub fn put_all<T: Pod>(&mut self, values: &[T]) {
        self.0.extend_from_slice(bytemuck::cast_slice(values));
    }

    pub fn put_vertex<const D: usize>(&mut self, vertex: &Vertex<D>, values: &[f64]) {
        self.put(vertex.identity);
        self.put_all(&vertex.position);
        for row in &vertex.metric.0 {
            self.put_all(row);
        }
        self.put(vertex.owner);
        self.put(vertex.freedom as u8);
        self.put(vertex.marks);
        self.put_all(values);
    }
}

/// Reads numbers from a message in the order in which they were written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get<T: Pod>(&mut self) -> T {
        let (head, rest) = self.0.split_at(size_of::<T>());
        self.0 = rest;
        bytemuck::pod_read_unaligned(head)
    }

    pub fn get_all<T: Pod>(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| self.get()).collect()
    }

    pub fn get_vertex<const D: usize>(&mut self, width: usize) -> (Vertex<D>, Vec<f64>) {
        let vertex = Vertex {
            identity: self.get::<Identity>(),
            position: std::array::from_fn(|_| self.get()),
            metric: Tensor(std::array::from_fn(|_| std::array::from_fn(|_| self.get()))),
            owner: self.get(),
            freedom: Freedom::of_byte(self.get()),
            marks: self.get(),
        };
        (vertex, self.get_all(width))
    }
}

/// Appends an element: its corners, as numbers that both sides know, its tags, its region and its values.
pub(crate) fn put_element<const D: usize, C: Pod>(
    to: &mut Writer,
    elements: &Elements<D>,
    e: u32,
    name: impl Fn(u32) -> C,
) {
    elements.corners(e).iter().for_each(|&c| to.put(name(c)));
    to.put_all(elements.tags(e));
    to.put(elements.region(e));
    to.put_all(elements.values(e));
}
