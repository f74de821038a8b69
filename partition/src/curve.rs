//! The Hilbert curve through the cube around a mesh.
//!
//! 1. Integer reductions find the bounding box: the extreme coordinates are compared as integers of the same order, so
//!    the box is the same on any number of ranks.
//! 2. All axes are scaled alike, so that the longest side has 2^32 steps.
//! 3. A point's position along the curve is found by J. Skilling's method ("Programming the Hilbert curve", AIP
//!    Conference Proceedings 707, 2004, DOI 10.1063/1.1751381): undo the rotations and reflections of the sub-cubes
//!    from the coarsest to the finest, then convert the Gray code to a number.

use cfd_engine::comm::{Comm, ReduceOp};

use crate::select::{ordered_key, ordered_value};

/// Bits of a position per axis. The leading `b` bits per axis are the position along the curve of 2^b steps per side.
pub(crate) const AXIS_BITS: u32 = 32;

/// A cube around points: its low corner and the length of its sides.
///
/// Both are halved, so that the extent of any finite coordinates is finite.
pub(crate) struct Cube {
    half_low: Vec<f64>,
    half_side: f64,
}

impl Cube {
    /// The cube whose sides are as long as the longest side of the bounding box of all ranks' points;
    /// `axes[a][i]` is coordinate a of point i. Collective.
    pub(crate) fn around(comm: &Comm, axes: &[Vec<f64>]) -> Cube {
        let mut low: Vec<u64> = axes.iter().map(|x| extreme(x, u64::MAX, u64::min)).collect();
        let mut high: Vec<u64> = axes.iter().map(|x| extreme(x, u64::MIN, u64::max)).collect();
        comm.all_reduce(&mut low, ReduceOp::Min);
        comm.all_reduce(&mut high, ReduceOp::Max);
        // Without points, there is no box, and no point to need it.
        let half = |keys: &[u64]| keys.iter().map(|&key| 0.5 * ordered_value(key)).collect::<Vec<f64>>();
        let (half_low, half_high) = (half(&low), half(&high));
        let half_side = half_low.iter().zip(&half_high).map(|(l, h)| h - l).fold(0.0, f64::max);
        Cube { half_low, half_side }
    }

    /// The positions of points of 2 or 3 coordinates along the curve, [`AXIS_BITS`] bits per axis. A point outside the
    /// cube has the position of the nearest one inside.
    pub(crate) fn positions(&self, axes: &[Vec<f64>]) -> Vec<u128> {
        let step = |axis: usize, i: usize| {
            let offset = 0.5 * axes[axis][i] - self.half_low[axis];
            // The conversion saturates, which is right at the far end; a side of 0 gives NaN, hence step 0.
            (offset / self.half_side * 4294967296.0) as u32
        };
        (0..axes[0].len())
            .map(|i| match axes.len() {
                2 => curve_position([step(0, i), step(1, i)]),
                _ => curve_position([step(0, i), step(1, i), step(2, i)]),
            })
            .collect()
    }
}

fn extreme(x: &[f64], none: u64, pick: fn(u64, u64) -> u64) -> u64 {
    x.iter().map(|&x| ordered_key(x)).fold(none, pick)
}

/// The position of a point along the Hilbert curve through the cube of 2^32 steps per side: `32 * N` bits.
///
/// Masks replace branches, which no processor could predict.
fn curve_position<const N: usize>(mut x: [u32; N]) -> u128 {
    for bit in (1..32).rev() {
        let below = (1u32 << bit) - 1;
        for axis in 0..N {
            let flips = mask(x[axis], bit) & below;
            let exchanged = (x[0] ^ x[axis]) & below & !flips;
            x[axis] ^= exchanged;
            x[0] ^= exchanged ^ flips;
        }
    }
    for axis in 1..N {
        x[axis] ^= x[axis - 1];
    }
    let flipped = (1..32).fold(0, |flipped, bit| flipped ^ (mask(x[N - 1], bit) & ((1u32 << bit) - 1)));
    let x = x.map(|coordinate| coordinate ^ flipped);
    // From half the bits per axis, so that one word is enough.
    let half = |shift: u32| {
        (shift..shift + 16)
            .rev()
            .flat_map(|bit| x.map(|coordinate| coordinate >> bit & 1))
            .fold(0u64, |position, bit| position << 1 | u64::from(bit))
    };
    u128::from(half(16)) << (16 * N) | u128::from(half(0))
}

/// All bits set where that bit of `x` is set, none otherwise.
fn mask(x: u32, bit: u32) -> u32 {
    (x >> bit & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks the curve through a coarse grid: in sorted order, the positions of the grid's cells lead from neighbour to
    /// neighbour and fill the whole range evenly.
    fn walk<const N: usize>(bits: u32) {
        let side = 1u32 << bits;
        let cells = (side as usize).pow(N as u32);
        let mut path: Vec<(u128, [u32; N])> = (0..cells)
            .map(|cell| {
                let point: [u32; N] = std::array::from_fn(|axis| cell as u32 / side.pow(axis as u32) % side);
                (curve_position(point.map(|x| x << (32 - bits))) >> ((32 - bits) * N as u32), point)
            })
            .collect();
        path.sort();
        for (step, (position, _)) in path.iter().enumerate() {
            assert_eq!(*position, step as u128);
        }
        for pair in path.windows(2) {
            let distance: u32 = (0..N).map(|axis| pair[0].1[axis].abs_diff(pair[1].1[axis])).sum();
            assert_eq!(distance, 1, "{pair:?}");
        }
    }

    #[test]
    fn positions_are_those_of_the_published_method_bit_by_bit() {
        fn published<const N: usize>(mut x: [u32; N]) -> u128 {
            for bit in (1..32).rev() {
                for axis in 0..N {
                    if x[axis] >> bit & 1 == 1 {
                        x[0] ^= (1 << bit) - 1;
                    } else {
                        let exchanged = (x[0] ^ x[axis]) & ((1 << bit) - 1);
                        x[0] ^= exchanged;
                        x[axis] ^= exchanged;
                    }
                }
            }
            (1..N).for_each(|axis| x[axis] ^= x[axis - 1]);
            let flips = (1..32).filter(|bit| x[N - 1] >> bit & 1 == 1);
            let flipped = flips.fold(0, |flipped, bit| flipped ^ ((1u32 << bit) - 1));
            let bits = (0..32).rev().flat_map(|bit| x.map(|c| u128::from((c ^ flipped) >> bit & 1)));
            bits.fold(0, |position, bit| position << 1 | bit)
        }
        let mut word = 1u32;
        let mut next = || {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            word ^ word >> 16
        };
        for _ in 0..2000 {
            let [a, b, c] = [next(), next(), next()];
            assert_eq!(curve_position([a, b]), published([a, b]));
            assert_eq!(curve_position([a, b, c]), published([a, b, c]));
        }
        assert_eq!(curve_position([0, u32::MAX, 0]), published([0, u32::MAX, 0]));
    }

    #[test]
    fn the_curve_visits_every_cell_once_and_steps_to_a_neighbour() {
        walk::<2>(4);
        walk::<3>(3);
    }

    #[test]
    fn extreme_and_degenerate_boxes_give_keys() {
        let comm = Comm::single();
        let keys = |axes: &[Vec<f64>]| Cube::around(&comm, axes).positions(axes);
        let far = keys(&[vec![f64::MIN, f64::MAX, 0.0], vec![0.0, 0.0, 0.0]]);
        assert!(far[0] < far[2] && far[2] < far[1], "{far:?}");
        assert_eq!(keys(&[vec![3.0, 3.0], vec![-1.0, -1.0]]), [0, 0]);
        assert!(keys(&[vec![], vec![]]).is_empty());
    }
}
