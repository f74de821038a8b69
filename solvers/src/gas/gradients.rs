//! Gradients at the nodes, by least squares over the edges.
//!
//! The gradient g of a quantity at a node minimises the sum over the node's edges of (g . d - difference)^2. Its normal
//! equations are M g = b, with M = sum d d^T, which depends only on the mesh and is inverted once, and b = sum d
//! difference. It is exact for linear functions on any mesh.
//!
//! All edges have equal weight. With weights of 1 / |d|^2, the other usual choice, reconstruction makes even linear
//! advection unstable where a node's long and short edges have nearly the same direction, as behind a wing tip in flat,
//! skewed cells.
//!
//! An edge within a periodic boundary is there twice, and so is taken away once: `fewer_moments`, and `differences` with the
//! positions of its ends exchanged, which changes the sign.
//!
//! A gradient has D components for each quantity; `one` stands for kernels of a single quantity.

use cfd_engine::prelude::*;

/// Below this share of the product of M's mean diagonal, M's determinant counts as 0: the node's edges lie in a plane, or
/// on a line.
const SINGULAR: f64 = 1e-13;

/// M += d d^T at both ends, as (xx, xy, yy).
#[kernel]
pub fn moments_2d(x_a: Read<2>, x_b: Read<2>, m_a: Inc<3>, m_b: Inc<3>) {
    let d = [x_b[0] - x_a[0], x_b[1] - x_a[1]];
    let products = [d[0] * d[0], d[0] * d[1], d[1] * d[1]];
    for i in 0..3 {
        m_a[i] += products[i];
        m_b[i] += products[i];
    }
}

/// M += d d^T at both ends, as (xx, xy, xz, yy, yz, zz).
#[kernel]
pub fn moments_3d(x_a: Read<3>, x_b: Read<3>, m_a: Inc<6>, m_b: Inc<6>) {
    let d = [x_b[0] - x_a[0], x_b[1] - x_a[1], x_b[2] - x_a[2]];
    let products = [d[0] * d[0], d[0] * d[1], d[0] * d[2], d[1] * d[1], d[1] * d[2], d[2] * d[2]];
    for i in 0..6 {
        m_a[i] += products[i];
        m_b[i] += products[i];
    }
}

/// M -= d d^T at both ends: what an edge has added that is there twice.
#[kernel(scalar)]
pub fn fewer_moments_2d(x_a: Read<2>, x_b: Read<2>, m_a: Inc<3>, m_b: Inc<3>) {
    let d = [x_b[0] - x_a[0], x_b[1] - x_a[1]];
    let products = [d[0] * d[0], d[0] * d[1], d[1] * d[1]];
    for i in 0..3 {
        m_a[i] += -products[i];
        m_b[i] += -products[i];
    }
}

/// M -= d d^T at both ends: what an edge has added that is there twice.
#[kernel(scalar)]
pub fn fewer_moments_3d(x_a: Read<3>, x_b: Read<3>, m_a: Inc<6>, m_b: Inc<6>) {
    let d = [x_b[0] - x_a[0], x_b[1] - x_a[1], x_b[2] - x_a[2]];
    let products = [d[0] * d[0], d[0] * d[1], d[0] * d[2], d[1] * d[1], d[1] * d[2], d[2] * d[2]];
    for i in 0..6 {
        m_a[i] += -products[i];
        m_b[i] += -products[i];
    }
}

/// M becomes its inverse, or 0, which makes gradients 0, if it has none.
#[kernel]
pub fn invert_2d(m: Rw<3>) {
    let determinant = m[0] * m[2] - m[1] * m[1];
    let half = 0.5 * (m[0] + m[2]);
    let scale = if determinant > SINGULAR * (half * half) { 1.0 / determinant } else { 0.0 };
    m = [scale * m[2], -(scale * m[1]), scale * m[0]];
}

/// M becomes its inverse, or 0, which makes gradients 0, if it has none.
#[kernel]
pub fn invert_3d(m: Rw<6>) {
    let xx = m[3] * m[5] - m[4] * m[4];
    let xy = m[2] * m[4] - m[1] * m[5];
    let xz = m[1] * m[4] - m[2] * m[3];
    let yy = m[0] * m[5] - m[2] * m[2];
    let yz = m[1] * m[2] - m[0] * m[4];
    let zz = m[0] * m[3] - m[1] * m[1];
    let determinant = m[0] * xx + m[1] * xy + m[2] * xz;
    let third = (m[0] + m[3] + m[5]) / 3.0;
    let scale = if determinant > SINGULAR * (third * third * third) { 1.0 / determinant } else { 0.0 };
    m = [scale * xx, scale * xy, scale * xz, scale * yy, scale * yz, scale * zz];
}

/// b = 0.
#[kernel(clear_2d<8>, clear_3d<15>, clear_one_2d<2>, clear_one_3d<3>)]
pub fn clear<const G: usize>(b: Write<G>) {
    for i in 0..G {
        b[i] = 0.0;
    }
}

/// b += d (w_b - w_a) at both ends.
#[kernel(
    differences_2d<2, 4, 8>,
    differences_3d<3, 5, 15>,
    differences_one_2d<2, 1, 2>,
    differences_one_3d<3, 1, 3>
)]
pub fn differences<const D: usize, const N: usize, const G: usize>(
    x_a: Read<D>,
    x_b: Read<D>,
    w_a: Read<N>,
    w_b: Read<N>,
    b_a: Inc<G>,
    b_b: Inc<G>,
) {
    for m in 0..N {
        let difference = w_b[m] - w_a[m];
        for i in 0..D {
            let product = difference * (x_b[i] - x_a[i]);
            b_a[D * m + i] += product;
            b_b[D * m + i] += product;
        }
    }
}

/// b becomes the gradients, M^-1 b.
#[kernel(solve_2d<4, 8>, solve_one_2d<1, 2>)]
pub fn solve_in_plane<const N: usize, const G: usize>(inverse: Read<3>, b: Rw<G>) {
    for m in 0..N {
        let x = b[2 * m];
        let y = b[2 * m + 1];
        b[2 * m] = inverse[0] * x + inverse[1] * y;
        b[2 * m + 1] = inverse[1] * x + inverse[2] * y;
    }
}

/// b becomes the gradients, M^-1 b.
#[kernel(solve_3d<5, 15>, solve_one_3d<1, 3>)]
pub fn solve_in_space<const N: usize, const G: usize>(inverse: Read<6>, b: Rw<G>) {
    for m in 0..N {
        let x = b[3 * m];
        let y = b[3 * m + 1];
        let z = b[3 * m + 2];
        b[3 * m] = inverse[0] * x + inverse[1] * y + inverse[2] * z;
        b[3 * m + 1] = inverse[1] * x + inverse[3] * y + inverse[4] * z;
        b[3 * m + 2] = inverse[2] * x + inverse[4] * y + inverse[5] * z;
    }
}
