//! Faces between agglomerates. Where one is bent, parts of its area vector A cancel, but not what waves do: of its size s
//! they would miss some. So a face counts as half of its size at least: what |A| misses of that is made up for in all
//! directions alike, with the speed |u| + a of the fastest wave.

use cfd_engine::prelude::*;

use crate::flow::gas::Gas;
use crate::gas::state::{conserved_2d, conserved_3d};
use crate::gas::waves::{face_block_2d, face_block_3d};

/// The share of the parts' sizes that a face counts as, at least.
const LEAST: f64 = 0.5;

/// (|u| + a) (LEAST s - |A|) / 2, if that is positive, with the mean of both states.
#[device(missed_2d<2, 4>, missed_3d<3, 5>)]
pub fn missed<const D: usize, const N: usize>(
    w_a: [f64; N],
    w_b: [f64; N],
    area: [f64; D],
    size: f64,
    c: &Gas,
) -> f64 {
    let mut a2 = 0.0;
    let mut s2 = 0.0;
    for i in 0..D {
        let u = 0.5 * (w_a[1 + i] + w_b[1 + i]);
        a2 += area[i] * area[i];
        s2 += u * u;
    }
    let sound = (c.gamma * (w_a[N - 1] + w_b[N - 1]) / (w_a[0] + w_b[0])).sqrt();
    0.5 * (s2.sqrt() + sound) * (LEAST * size - a2.sqrt()).max(0.0)
}

/// What waves through the missed part carry from a to b: -(|u| + a) (LEAST s - |A|) (q_b - q_a) / 2.
#[kernel(missed_flux_2d<2, 4, missed_2d, conserved_2d>, missed_flux_3d<3, 5, missed_3d, conserved_3d>)]
pub fn missed_flux<const D: usize, const N: usize, missed: Device, conserved: Device>(
    w_a: Read<N>,
    w_b: Read<N>,
    area: Read<D>,
    size: Read<1>,
    res_a: Inc<N>,
    res_b: Inc<N>,
    c: &Gas,
) {
    let speed: f64 = missed(w_a, w_b, area, size[0], c);
    let a: [f64; N] = conserved(w_a, c.gm1);
    let b: [f64; N] = conserved(w_b, c.gm1);
    for m in 0..N {
        let f = speed * (a[m] - b[m]);
        res_a[m] += f;
        res_b[m] -= f;
    }
}

/// Both ends' time steps of each wave: the missed part slows all alike.
#[kernel(
    missed_waves_2d<2, 4, 7, missed_2d, face_block_2d>,
    missed_waves_3d<3, 5, 11, missed_3d, face_block_3d>
)]
pub fn missed_waves<const D: usize, const N: usize, const P: usize, missed: Device, face_block: Device>(
    w_a: Read<N>,
    w_b: Read<N>,
    area: Read<D>,
    size: Read<1>,
    block_a: Inc<P>,
    block_b: Inc<P>,
    c: &Gas,
) {
    let speed: f64 = missed(w_a, w_b, area, size[0], c);
    let nothing = [0.0; D];
    let part: [f64; P] = face_block(nothing, 0.0, nothing, speed);
    for i in 0..P {
        block_a[i] += part[i];
        block_b[i] += part[i];
    }
}

/// Both ends' sums of |A| and of s.
#[kernel(scalar, add_sizes_2d<2>, add_sizes_3d<3>)]
pub fn add_sizes<const D: usize>(area: Read<D>, size: Read<1>, sums_a: Inc<2>, sums_b: Inc<2>) {
    let mut a2 = 0.0;
    for i in 0..D {
        a2 += area[i] * area[i];
    }
    let sums = [a2.sqrt(), size[0]];
    for k in 0..2 {
        sums_a[k] += sums[k];
        sums_b[k] += sums[k];
    }
}

/// What is left of the sizes of an agglomerate's faces in their area vectors: 1 if they are flat, 0 around a ring.
#[kernel(scalar)]
pub fn flatness(sums: Read<2>, least: Min<1>) {
    least[0] = sums[0] / sums[1];
}
