//! The loops' kernels, for blocks of N x N with N from 1 to 6; row i, column j of a block is component N i + j.

use cfd_engine::prelude::*;

/// Coefficients of eight vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Constants)]
pub struct Eight {
    /// One for each vector.
    pub h: [f64; 8],
}

/// A factor.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Factor {
    /// The factor.
    pub factor: f64,
}

/// x = 0.
#[kernel(clear_1<1>, clear_2<2>, clear_3<3>, clear_4<4>, clear_5<5>, clear_6<6>, clear_7<7>, clear_9<9>, clear_16<16>, clear_25<25>, clear_36<36>)]
pub fn clear<const N: usize>(x: Write<N>) {
    for m in 0..N {
        x[m] = 0.0;
    }
}

/// y = x.
#[kernel(copy_1<1>, copy_2<2>, copy_3<3>, copy_4<4>, copy_5<5>, copy_6<6>, copy_7<7>)]
pub fn copy<const N: usize>(x: Read<N>, y: Write<N>) {
    for m in 0..N {
        y[m] = x[m];
    }
}

/// x = factor x.
#[kernel(scale_1<1>, scale_2<2>, scale_3<3>, scale_4<4>, scale_5<5>, scale_6<6>, scale_7<7>)]
pub fn scale<const N: usize>(x: Rw<N>, c: &Factor) {
    for m in 0..N {
        x[m] = c.factor * x[m];
    }
}

/// r = b - r; the global sum of r . r.
#[kernel(residual_1<1>, residual_2<2>, residual_3<3>, residual_4<4>, residual_5<5>, residual_6<6>, residual_7<7>)]
pub fn residual<const N: usize>(b: Read<N>, r: Rw<N>, rr: Sum<1>) {
    for m in 0..N {
        let left = b[m] - r[m];
        r[m] = left;
        rr[0] += left * left;
    }
}

/// r = b - r.
#[kernel(
    subtract_from_1<1>, subtract_from_2<2>, subtract_from_3<3>, subtract_from_4<4>, subtract_from_5<5>,
    subtract_from_6<6>, subtract_from_7<7>
)]
pub fn subtract_from<const N: usize>(b: Read<N>, r: Rw<N>) {
    for m in 0..N {
        r[m] = b[m] - r[m];
    }
}

/// The sum of an agglomerate's nodes, vectors or blocks.
#[kernel(
    add_up_1<1>, add_up_2<2>, add_up_3<3>, add_up_4<4>, add_up_5<5>, add_up_6<6>, add_up_7<7>, add_up_9<9>, add_up_16<16>,
    add_up_25<25>, add_up_36<36>
)]
pub fn add_up<const N: usize>(x: Read<N>, sum: Inc<N>) {
    for m in 0..N {
        sum[m] += x[m];
    }
}

/// z += factor times the agglomerate's value.
#[kernel(add_down_1<1>, add_down_2<2>, add_down_3<3>, add_down_4<4>, add_down_5<5>, add_down_6<6>, add_down_7<7>)]
pub fn add_down<const N: usize>(coarse: Read<N>, z: Rw<N>, c: &Factor) {
    for m in 0..N {
        z[m] += c.factor * coarse[m];
    }
}

/// A coarse matrix's blocks of a finer edge: on the coarse edge in its direction (1) or against it (-1), or, inside an
/// agglomerate (0), on the diagonal.
#[kernel(add_edge_1<1>, add_edge_2<4>, add_edge_3<9>, add_edge_4<16>, add_edge_5<25>, add_edge_6<36>)]
pub fn add_edge<const NN: usize>(
    direction: Read<1, i32>,
    upper: Read<NN>,
    lower: Read<NN>,
    coarse_upper: Inc<NN>,
    coarse_lower: Inc<NN>,
    diagonal: Inc<NN>,
) {
    let forward = if direction[0] == 1 { 1.0 } else { 0.0 };
    let backward = if direction[0] == -1 { 1.0 } else { 0.0 };
    let inside = if direction[0] == 0 { 1.0 } else { 0.0 };
    for m in 0..NN {
        coarse_upper[m] += forward * upper[m] + backward * lower[m];
        coarse_lower[m] += forward * lower[m] + backward * upper[m];
        diagonal[m] += inside * (upper[m] + lower[m]);
    }
}

/// y = D x, D the block of each node.
#[kernel(product_1<1, 1>, product_2<2, 4>, product_3<3, 9>, product_4<4, 16>, product_5<5, 25>, product_6<6, 36>)]
pub fn product<const N: usize, const NN: usize>(d: Read<NN>, x: Read<N>, y: Write<N>) {
    for i in 0..N {
        let mut sum = d[N * i] * x[0];
        for j in 1..N {
            sum += d[N * i + j] * x[j];
        }
        y[i] = sum;
    }
}

/// y += A x for an edge from a to b: y_a += U x_b, y_b += L x_a.
#[kernel(
    add_products_1<1, 1>, add_products_2<2, 4>, add_products_3<3, 9>, add_products_4<4, 16>, add_products_5<5, 25>,
    add_products_6<6, 36>
)]
pub fn add_products<const N: usize, const NN: usize>(
    upper: Read<NN>,
    lower: Read<NN>,
    x: [Read<N>; 2],
    y: [Inc<N>; 2],
) {
    for i in 0..N {
        let mut to_a = upper[N * i] * x[1][0];
        let mut to_b = lower[N * i] * x[0][0];
        for j in 1..N {
            to_a += upper[N * i + j] * x[1][j];
            to_b += lower[N * i + j] * x[0][j];
        }
        y[0][i] += to_a;
        y[1][i] += to_b;
    }
}

/// y -= A x for an edge that is no link of a line.
#[kernel(
    subtract_products_1<1, 1>, subtract_products_2<2, 4>, subtract_products_3<3, 9>, subtract_products_4<4, 16>,
    subtract_products_5<5, 25>, subtract_products_6<6, 36>
)]
pub fn subtract_products<const N: usize, const NN: usize>(
    along: Read<1, i32>,
    upper: Read<NN>,
    lower: Read<NN>,
    x: [Read<N>; 2],
    y: [Inc<N>; 2],
) {
    let share = if along[0] == 0 { 1.0 } else { 0.0 };
    for i in 0..N {
        let mut to_a = upper[N * i] * x[1][0];
        let mut to_b = lower[N * i] * x[0][0];
        for j in 1..N {
            to_a += upper[N * i + j] * x[1][j];
            to_b += lower[N * i + j] * x[0][j];
        }
        y[0][i] -= share * to_a;
        y[1][i] -= share * to_b;
    }
}

/// h_k = w . v_k.
#[kernel(dots_1<1>, dots_2<2>, dots_3<3>, dots_4<4>, dots_5<5>, dots_6<6>, dots_7<7>)]
pub fn dots<const N: usize>(
    w: Read<N>,
    v0: Read<N>,
    v1: Read<N>,
    v2: Read<N>,
    v3: Read<N>,
    v4: Read<N>,
    v5: Read<N>,
    v6: Read<N>,
    v7: Read<N>,
    h: Sum<8>,
) {
    for m in 0..N {
        h[0] += w[m] * v0[m];
        h[1] += w[m] * v1[m];
        h[2] += w[m] * v2[m];
        h[3] += w[m] * v3[m];
        h[4] += w[m] * v4[m];
        h[5] += w[m] * v5[m];
        h[6] += w[m] * v6[m];
        h[7] += w[m] * v7[m];
    }
}

/// h_k = w . v_k for two vectors.
#[kernel(two_dots_1<1>, two_dots_2<2>, two_dots_3<3>, two_dots_4<4>, two_dots_5<5>, two_dots_6<6>, two_dots_7<7>)]
pub fn two_dots<const N: usize>(w: Read<N>, v0: Read<N>, v1: Read<N>, h: Sum<2>) {
    for m in 0..N {
        h[0] += w[m] * v0[m];
        h[1] += w[m] * v1[m];
    }
}

/// h = w . v.
#[kernel(dot_1<1>, dot_2<2>, dot_3<3>, dot_4<4>, dot_5<5>, dot_6<6>, dot_7<7>)]
pub fn dot<const N: usize>(w: Read<N>, v: Read<N>, h: Sum<1>) {
    for m in 0..N {
        h[0] += w[m] * v[m];
    }
}

/// w += h_0 v_0 + h_1 v_1 + ..., term by term.
#[kernel(combine_1<1>, combine_2<2>, combine_3<3>, combine_4<4>, combine_5<5>, combine_6<6>, combine_7<7>)]
pub fn combine<const N: usize>(
    v0: Read<N>,
    v1: Read<N>,
    v2: Read<N>,
    v3: Read<N>,
    v4: Read<N>,
    v5: Read<N>,
    v6: Read<N>,
    v7: Read<N>,
    w: Rw<N>,
    c: &Eight,
) {
    for m in 0..N {
        let mut sum = w[m] + c.h[0] * v0[m];
        sum += c.h[1] * v1[m];
        sum += c.h[2] * v2[m];
        sum += c.h[3] * v3[m];
        sum += c.h[4] * v4[m];
        sum += c.h[5] * v5[m];
        sum += c.h[6] * v6[m];
        sum += c.h[7] * v7[m];
        w[m] = sum;
    }
}

/// w += h_0 v_0 + h_1 v_1.
#[kernel(two_combine_1<1>, two_combine_2<2>, two_combine_3<3>, two_combine_4<4>, two_combine_5<5>, two_combine_6<6>, two_combine_7<7>)]
pub fn two_combine<const N: usize>(v0: Read<N>, v1: Read<N>, w: Rw<N>, c: &Eight) {
    for m in 0..N {
        let mut sum = w[m] + c.h[0] * v0[m];
        sum += c.h[1] * v1[m];
        w[m] = sum;
    }
}

/// The product of two blocks.
#[device(times_1<1, 1>, times_2<2, 4>, times_3<3, 9>, times_4<4, 16>, times_5<5, 25>, times_6<6, 36>)]
pub fn times<const N: usize, const NN: usize>(a: [f64; NN], b: [f64; NN]) -> [f64; NN] {
    let mut c = [0.0; NN];
    for i in 0..N {
        for j in 0..N {
            let mut sum = a[N * i] * b[j];
            for k in 1..N {
                sum += a[N * i + k] * b[N * k + j];
            }
            c[N * i + j] = sum;
        }
    }
    c
}

/// The inverse of a block, by elimination; in each column, the row with the largest number comes first.
#[device(inverse_1<1, 1>, inverse_2<2, 4>, inverse_3<3, 9>, inverse_4<4, 16>, inverse_5<5, 25>, inverse_6<6, 36>)]
pub fn inverse<const N: usize, const NN: usize>(matrix: [f64; NN]) -> [f64; NN] {
    let mut a = matrix;
    let mut b = [0.0; NN];
    let mut is_done = [0.0; N];
    for i in 0..N {
        b[N * i + i] = 1.0;
    }
    for k in 0..N {
        // Of the rows that are left, the one with the largest number in this column comes to its place.
        for s in 1..N {
            if is_done[(k + s) % N] == 0.0 && a[N * ((k + s) % N) + k].abs() > a[N * k + k].abs() {
                for j in 0..N {
                    let (x, y) = (a[N * k + j], b[N * k + j]);
                    a[N * k + j] = a[N * ((k + s) % N) + j];
                    a[N * ((k + s) % N) + j] = x;
                    b[N * k + j] = b[N * ((k + s) % N) + j];
                    b[N * ((k + s) % N) + j] = y;
                }
            }
        }
        is_done[k] = 1.0;
        let scale = 1.0 / a[N * k + k];
        for j in 0..N {
            a[N * k + j] *= scale;
            b[N * k + j] *= scale;
        }
        for s in 1..N {
            let factor = a[N * ((k + s) % N) + k];
            for j in 0..N {
                a[N * ((k + s) % N) + j] -= factor * a[N * k + j];
                b[N * ((k + s) % N) + j] -= factor * b[N * k + j];
            }
        }
    }
    b
}

/// A block's factors, with rows exchanged: P A = L U. In each column, the row with the largest number comes first. The first NN
/// numbers are U on and above the diagonal and L below it, whose diagonal is 1; the last N say which row came to the place of each.
#[allow(unused_mut, unused_variables, reason = "blocks of one have one row")]
#[device(lu_1<1, 1, 2>, lu_2<2, 4, 6>, lu_3<3, 9, 12>, lu_4<4, 16, 20>, lu_5<5, 25, 30>, lu_6<6, 36, 42>)]
pub fn lu<const N: usize, const NN: usize, const M: usize>(matrix: [f64; NN]) -> [f64; M] {
    let mut a = matrix;
    let mut place = [0.0; N];
    for i in 1..N {
        place[i] = place[i - 1] + 1.0;
    }
    let mut came = [0.0; N];
    let mut is_done = [0.0; N];
    for k in 0..N {
        came[k] = place[k];
        let mut largest = a[N * k + k].abs();
        for s in 1..N {
            if is_done[(k + s) % N] == 0.0 && a[N * ((k + s) % N) + k].abs() > largest {
                largest = a[N * ((k + s) % N) + k].abs();
                came[k] = place[(k + s) % N];
            }
        }
        for s in 1..N {
            if place[(k + s) % N] == came[k] {
                for j in 0..N {
                    let x = a[N * k + j];
                    a[N * k + j] = a[N * ((k + s) % N) + j];
                    a[N * ((k + s) % N) + j] = x;
                }
            }
        }
        is_done[k] = 1.0;
        for s in 1..N {
            if is_done[(k + s) % N] == 0.0 {
                let factor = a[N * ((k + s) % N) + k] / a[N * k + k];
                a[N * ((k + s) % N) + k] = factor;
                for t in 1..N {
                    if is_done[(k + t) % N] == 0.0 {
                        a[N * ((k + s) % N) + (k + t) % N] -= factor * a[N * k + (k + t) % N];
                    }
                }
            }
        }
    }
    let mut factors = [0.0; M];
    for i in 0..NN {
        factors[i] = a[i];
    }
    for i in 0..N {
        factors[NN + i] = came[i];
    }
    factors
}

/// The solution x of A x = b, from A's factors.
#[allow(unused_mut, unused_variables, reason = "blocks of one have one row")]
#[device(
    lu_solve_1<1, 1, 2>, lu_solve_2<2, 4, 6>, lu_solve_3<3, 9, 12>, lu_solve_4<4, 16, 20>, lu_solve_5<5, 25, 30>,
    lu_solve_6<6, 36, 42>
)]
pub fn lu_solve<const N: usize, const NN: usize, const M: usize>(factors: [f64; M], b: [f64; N]) -> [f64; N] {
    let mut x = b;
    let mut place = [0.0; N];
    for i in 1..N {
        place[i] = place[i - 1] + 1.0;
    }
    for k in 0..N {
        for s in 1..N {
            if place[(k + s) % N] == factors[NN + k] {
                let first = x[k];
                x[k] = x[(k + s) % N];
                x[(k + s) % N] = first;
            }
        }
    }
    let mut is_below = [1.0; N];
    for k in 0..N {
        is_below[k] = 0.0;
        for s in 1..N {
            if is_below[(k + s) % N] == 1.0 {
                x[(k + s) % N] -= factors[N * ((k + s) % N) + k] * x[k];
            }
        }
    }
    let mut is_above = [1.0; N];
    for k in 0..N {
        let from_below = N - 1 - k;
        x[from_below] /= factors[N * from_below + from_below];
        is_above[from_below] = 0.0;
        for s in 1..N {
            if is_above[(from_below + s) % N] == 1.0 {
                x[(from_below + s) % N] -= factors[N * ((from_below + s) % N) + from_below] * x[from_below];
            }
        }
    }
    x
}

/// E = D^-1.
#[kernel(
    invert_1<1, inverse_1>, invert_2<4, inverse_2>, invert_3<9, inverse_3>, invert_4<16, inverse_4>,
    invert_5<25, inverse_5>, invert_6<36, inverse_6>
)]
pub fn invert<const NN: usize, inverse: Device>(d: Read<NN>, e: Write<NN>) {
    let found: [f64; NN] = inverse(d);
    e = found;
}

/// Whether an edge is a link of a line: 1 if its second end follows its first, -1 if the first follows the second, else 0.
#[kernel(scalar)]
pub fn find_links(line: [Read<1, i32>; 2], place: [Read<1, i32>; 2], along: Write<1, i32>) {
    let ahead = place[1][0] - place[0][0];
    along[0] = if line[0][0] == line[1][0] && ahead * ahead == 1 { ahead } else { 0 };
}

/// At the nodes of a link, the blocks to the node before and to the node after: L and U, which are 0 before.
#[kernel(
    add_link_1<1>, add_link_2<4>, add_link_3<9>, add_link_4<16>, add_link_5<25>, add_link_6<36>
)]
pub fn add_link<const NN: usize>(
    along: Read<1, i32>,
    upper: Read<NN>,
    lower: Read<NN>,
    to_before: [Inc<NN>; 2],
    to_after: [Inc<NN>; 2],
) {
    let forward = if along[0] == 1 { 1.0 } else { 0.0 };
    let backward = if along[0] == -1 { 1.0 } else { 0.0 };
    for m in 0..NN {
        to_before[1][m] += forward * lower[m];
        to_after[0][m] += forward * upper[m];
        to_before[0][m] += backward * upper[m];
        to_after[1][m] += backward * lower[m];
    }
}

/// Elimination along a line: M = L E_before, E = (D - M U_before)^-1; M is L before. `ends` says whether a node is the first, and
/// the last, of its line.
#[kernel(
    factor_1<1, times_1, inverse_1>, factor_2<4, times_2, inverse_2>, factor_3<9, times_3, inverse_3>,
    factor_4<16, times_4, inverse_4>, factor_5<25, times_5, inverse_5>, factor_6<36, times_6, inverse_6>
)]
pub fn factor<const NN: usize, times: Device, inverse: Device>(
    ends: Read<2, i32>,
    d: Read<NN>,
    u_before: Read<NN>,
    e_before: Read<NN>,
    m: Rw<NN>,
    e: Rw<NN>,
) {
    let own: [f64; NN] = times(m, e_before);
    let change: [f64; NN] = times(own, u_before);
    let mut left = d;
    let mut product = [0.0; NN];
    if ends[0] == 0 {
        for i in 0..NN {
            product[i] = own[i];
            left[i] = d[i] - change[i];
        }
    }
    m = product;
    let found: [f64; NN] = inverse(left);
    e = found;
}

/// U = E U.
#[kernel(
    scale_after_1<1, times_1>, scale_after_2<4, times_2>, scale_after_3<9, times_3>, scale_after_4<16, times_4>,
    scale_after_5<25, times_5>, scale_after_6<36, times_6>
)]
pub fn scale_after<const NN: usize, times: Device>(e: Read<NN>, u: Rw<NN>) {
    let scaled: [f64; NN] = times(e, u);
    u = scaled;
}

/// Forward along a line: z = r - M z_before.
#[kernel(
    solve_forward_1<1, 1>, solve_forward_2<2, 4>, solve_forward_3<3, 9>, solve_forward_4<4, 16>, solve_forward_5<5, 25>,
    solve_forward_6<6, 36>
)]
pub fn solve_forward<const N: usize, const NN: usize>(
    ends: Read<2, i32>,
    m: Read<NN>,
    r: Read<N>,
    z_before: Read<N>,
    z: Rw<N>,
) {
    for i in 0..N {
        let mut sum = m[N * i] * z_before[0];
        for j in 1..N {
            sum += m[N * i + j] * z_before[j];
        }
        z[i] = if ends[0] == 1 { r[i] } else { r[i] - sum };
    }
}

/// Backward along a line: z = E z - V z_after, V = E U.
#[kernel(
    solve_backward_1<1, 1>, solve_backward_2<2, 4>, solve_backward_3<3, 9>, solve_backward_4<4, 16>,
    solve_backward_5<5, 25>, solve_backward_6<6, 36>
)]
pub fn solve_backward<const N: usize, const NN: usize>(
    ends: Read<2, i32>,
    e: Read<NN>,
    v: Read<NN>,
    z_after: Read<N>,
    z: Rw<N>,
) {
    let mut x = [0.0; N];
    for i in 0..N {
        let mut sum = v[N * i] * z_after[0];
        let mut own = e[N * i] * z[0];
        for j in 1..N {
            sum += v[N * i + j] * z_after[j];
            own += e[N * i + j] * z[j];
        }
        x[i] = if ends[1] == 1 { own } else { own - sum };
    }
    z = x;
}
