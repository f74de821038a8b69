//! The mesh as metric computations see it.

use bytemuck::Pod;
use cfd_engine::comm::Comm;

use super::Mesh;
use crate::metric::View;

impl<const D: usize> View<D> for Mesh<D> {
    fn comm(&self) -> &Comm {
        &self.comm
    }

    fn vertices(&self) -> usize {
        self.local.vertices.len()
    }

    fn is_owned(&self, v: u32) -> bool {
        self.local.is_own(v)
    }

    fn position(&self, v: u32) -> [f64; D] {
        *self.local.position(v)
    }

    fn identity(&self, v: u32) -> u128 {
        self.local.identity(v)
    }

    fn elements_of(&self, v: u32) -> &[u32] {
        self.local.star(v)
    }

    fn corners(&self, e: u32) -> &[u32] {
        self.local.elements.corners(e)
    }

    fn update_ghosts<T: Pod>(&self, values: &mut [T]) {
        Mesh::update_ghosts(self, values);
    }
}
