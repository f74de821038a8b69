//! The linear operator of a Newton step: v = K p from the cells' matrices, with far-field nodes constrained.

use cfd_engine::handle::Target;
use cfd_engine::prelude::*;

use super::Corners;
use super::kernels::{diagonal, dirichlet, spmv};
use cfd_implicit::cg::Operator;

/// The stiffness of all cells.
#[derive(Clone, Copy)]
pub(super) struct Stiffness {
    pub(super) cells: Set,
    pub(super) bnodes: Set,
    pub(super) corner: Corners,
    /// The node of a far-field node.
    pub(super) far: Target<1, 0>,
    /// The ten different entries of a cell's matrix.
    pub(super) k: Dat<10>,
}

/// A cell's matrix from its ten different entries: value p is K_jk and K_kj with j = p mod 4, k = (p + p / 4) mod 4.
pub fn matrix(entries: &[f64; 10]) -> [[f64; 4]; 4] {
    let mut k = [[0.0; 4]; 4];
    for (p, &value) in entries.iter().enumerate() {
        let (row, column) = (p % 4, (p + p / 4) % 4);
        (k[row][column], k[column][row]) = (value, value);
    }
    k
}

impl Operator for Stiffness {
    fn apply(&self, domain: &mut Domain, p: Dat<1>, v: Dat<1>) {
        let ((p0, p1, p2, p3), (v0, v1, v2, v3)) = (self.corner.of(p), self.corner.of(v));
        domain.par_loop(spmv, self.cells, (self.k, p0, p1, p2, p3, v0, v1, v2, v3), &());
        domain.par_loop(dirichlet, self.bnodes, (v.at(self.far),), &());
    }

    fn diagonal(&self, domain: &mut Domain, d: Dat<1>) {
        let (d0, d1, d2, d3) = self.corner.of(d);
        domain.par_loop(diagonal, self.cells, (self.k, d0, d1, d2, d3), &());
    }
}
