//! Sums over the copies of nodes on periodic boundaries.

use cfd_engine::prelude::*;

/// The values of a node, for its copies, or of a copy, for its node; and back.
#[kernel(
    scalar,
    take_number<1>,
    take_vector_2d<2>,
    take_vector_3d<3>,
    take_wall_2d<5>,
    take_wall_3d<6>,
    take_matrix_2d<3>,
    take_matrix_3d<6>,
    take_gradient_2d<8>,
    take_gradient_3d<15>,
    take_state_2d<4>,
    take_state_3d<5>,
    take_block_2d<16>,
    take_block_3d<25>
)]
pub fn take<const N: usize>(from: Read<N>, to: Write<N>) {
    for m in 0..N {
        to[m] = from[m];
    }
}

/// The part of a copy is added to its node.
#[kernel(
    scalar,
    add_number<1>,
    add_vector_2d<2>,
    add_vector_3d<3>,
    add_to_wall_2d<5>,
    add_to_wall_3d<6>,
    add_matrix_2d<3>,
    add_matrix_3d<6>,
    add_gradient_2d<8>,
    add_gradient_3d<15>,
    add_state_2d<4>,
    add_state_3d<5>,
    add_block_2d<16>,
    add_block_3d<25>
)]
pub fn add<const N: usize>(part: Read<N>, sum: Inc<N>) {
    for m in 0..N {
        sum[m] += part[m];
    }
}
