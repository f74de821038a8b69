//! Names in a kernel: all targets of a map, several values of one `let`, dimensions and device functions.

use cfd_engine::kernel::{Access, Params};
use cfd_engine::prelude::*;

use super::{bits, call};

#[kernel]
fn at_targets(x: [Read<2>; 3], n: [Read<1, i32>; 3], res: [Inc<1>; 3], sum: Write<2>) {
    for i in 0..3 {
        let here = x[i];
        res[i][0] += here[0] * x[(i + 1) % 3][1];
        if n[i][0] > 1 {
            res[2 - i][0] -= far(x[2]);
        }
    }
    sum[0] = x[0][0] + x[1][0] + x[2][0];
    sum[1] = far(x[1]);
}

#[device]
fn far(x: [f64; 2]) -> f64 {
    3.0 * x[0] - x[1]
}

#[test]
fn parameters_at_all_targets_are_arrays_of_arrays() {
    let x = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.7]];
    let start = [[-0.0]; 3];
    let (_, _, res, sum) = call(at_targets, (x, [[0], [2], [3]], start, [f64::NAN; 2]), &());
    let far = |x: [f64; 2]| 3.0 * x[0] - x[1];
    let expected = [
        (-0.0 + x[0][0] * x[1][1]) - far(x[2]),
        (-0.0 + x[1][0] * x[2][1]) - far(x[2]),
        -0.0 + x[2][0] * x[0][1],
    ];
    assert_eq!(bits(res.map(|row| row[0])), bits(expected));
    assert_eq!(bits(sum), bits([(x[0][0] + x[1][0]) + x[2][0], far(x[1])]));
}

#[test]
fn parameters_at_all_targets_are_an_argument_for_each() {
    assert_eq!(at_targets::ARGUMENT_NAMES[..4], ["x[0]", "x[1]", "x[2]", "n[0]"]);
    let shapes = <at_targets as Kernel>::Params::argument_shapes();
    assert_eq!(shapes.len(), 10);
    assert_eq!(
        [shapes[2], shapes[3], shapes[8], shapes[9]],
        [
            (Access::Read, 2, false),
            (Access::Read, 1, true),
            (Access::Inc, 1, false),
            (Access::Write, 2, false),
        ]
    );
    let words: Vec<u64> = (0..14).collect();
    let locals = <at_targets as Kernel>::Params::from_words(&words);
    assert_eq!(locals.0[2].map(f64::to_bits), [4, 5]);
    assert_eq!(locals.1, [[6], [7], [8]]);
    assert_eq!(<at_targets as Kernel>::Params::words(&locals), words);
}

#[kernel]
fn opposite_targets(q: Read<2>, r: [Inc<2>; 4], s: Inc<2>) {
    for m in 0..2 {
        let f = 2.0 * q[m];
        r[3][m] += f;
        r[1][m] -= f;
        s[m] -= q[m];
        r[0][m] += q[m];
    }
}

#[test]
fn targets_that_receive_exact_negatives_are_known_among_themselves() {
    // q, r[0], r[1], r[2], r[3], s: target 3 has the negatives of target 1; s has those of target 0, but is another
    // parameter.
    assert_eq!(opposite_targets::ROW_SOURCES, [0, 1, 2, 3, 2, 5]);
}

#[kernel]
fn several_names(q: Read<3>, out: Write<6>) {
    let (a, mut b) = (q[0] * q[1], 2.0);
    b += q[2];
    let (a, b) = (b, a);
    let [x, _, z] = q;
    let [p, r]: [f64; 2] = halves(x);
    let (n, yes): (i32, bool) = (3, x < z);
    out[0] = a;
    out[1] = b;
    out[2] = x - z;
    out[3] = p;
    out[4] = r;
    out[5] = if yes && n == 3 { 1.0 } else { 0.0 };
}

#[device]
fn halves(x: f64) -> [f64; 2] {
    let (whole, part) = (x, 0.5 * x);
    [part, whole - 0.1 * part]
}

#[test]
fn the_values_of_a_let_come_before_its_names() {
    let q = [0.3, 0.7, 1.1];
    let (_, out) = call(several_names, (q, [f64::NAN; 6]), &());
    let part = 0.5 * q[0];
    let expected = [2.0 + q[2], q[0] * q[1], q[0] - q[2], part, q[0] - 0.1 * part, 1.0];
    assert_eq!(bits(out), bits(expected));
}

const SIZE: usize = 3;

/// A dimension whose value is given.
#[kernel(SIZE = 3)]
fn scale(q: Read<SIZE>, flat: Read<{ 2 * SIZE }>, out: Write<SIZE>) {
    let mut sum = [0.0; SIZE];
    for m in 0..SIZE {
        sum[m] = flat[m] + flat[SIZE + m];
        out[m] = q[m] * sum[m];
    }
}

#[device(dot2<2>, dot3<3>)]
fn dot<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    let mut sum = 0.0;
    for m in 0..N {
        sum += a[m] * b[m];
    }
    sum
}

#[device]
fn mean(a: f64, b: f64) -> f64 {
    0.5 * (a + b)
}

#[device]
fn least(a: f64, b: f64) -> f64 {
    a.min(b)
}

#[derive(Clone, Copy, Constants)]
struct Weights {
    of: f64,
}

/// Two kernels of one body.
#[kernel(first_mean<2, dot2, mean>, first_least<3, dot3, least>,)]
fn first<const DIM: usize, product: Device, of: Device>(q: Read<DIM>, out: Write<1>, c: &Weights) {
    out[0] = c.of * of(product(q, q), q[DIM - 1]);
}

#[test]
fn dimensions_and_device_functions_have_names() {
    let (q, flat) = ([0.1, 0.2, 0.3], [1.0, 2.0, 3.0, 0.4, 0.5, 0.6]);
    let (_, _, out) = call(scale, (q, flat, [f64::NAN; SIZE]), &());
    let expected = std::array::from_fn(|m| q[m] * (0.0 + (flat[m] + flat[SIZE + m])));
    assert_eq!(bits(out), bits(expected));
    let weights = Weights { of: 0.7 };
    let (_, out) = call(first_mean, ([0.1, 0.2], [f64::NAN]), &weights);
    assert_eq!(bits(out), bits([0.7 * (0.5 * ((0.1 * 0.1 + 0.2 * 0.2) + 0.2))]));
    let (_, out) = call(first_least, (q, [f64::NAN]), &weights);
    let dot = (0.0 + 0.1 * 0.1 + 0.2 * 0.2) + 0.3 * 0.3;
    assert_eq!(bits(out), bits([0.7 * f64::min(dot, 0.3)]));
    assert_eq!(first_mean::NAME, "first_mean");
    assert_eq!((first_mean::OPS.flops(), first_least::OPS.flops(), first_least::OPS.compare), (7, 7, 1));
}

/// Its name is that of a variable, a parameter, a loop variable and one of the generated code in the kernels below.
#[kernel]
fn speed(q: Read<2>, out: Write<1>) {
    out[0] = (q[0] * q[0] + q[1] * q[1]).sqrt();
}

#[kernel]
fn args(q: Read<1>, mask: Write<1>) {
    let mut otherwise = q[0];
    let speed = 2.0 * q[0];
    if speed > 1.0 {
        otherwise += speed;
    }
    let row = if otherwise < 0.0 { -otherwise } else { otherwise };
    mask[0] = row;
}

#[kernel]
fn mask(speed: Read<2>, args: Write<1>) {
    let mut row = 0.0;
    for otherwise in 0..2 {
        row += speed[otherwise];
    }
    let (speed, _) = (row, 1.0);
    args[0] = speed;
}

#[kernel]
fn otherwise(row: Rw<1>) {
    row[0] = row[0] + 1.0;
}

#[test]
fn a_kernel_leaves_its_name_to_variables() {
    let speed_of = call(speed, ([3.0, 4.0], [f64::NAN]), &()).1;
    let speed = 2.0;
    assert_eq!(speed_of, [5.0]);
    assert_eq!(call(args, ([speed], [f64::NAN]), &()).1, [6.0]);
    let args = call(mask, ([0.5, 0.25], [f64::NAN]), &()).1;
    assert_eq!(args, [0.75]);
    assert_eq!(call(otherwise, (args,), &()).0, [1.75]);
}

/// A kernel is seen from where its `fn` would be.
mod inner {
    use cfd_engine::prelude::*;

    #[kernel]
    pub(super) fn seen_outside(a: Rw<1>) {
        a[0] = 2.0 * a[0];
    }

    pub mod deep {
        use cfd_engine::prelude::*;

        #[kernel]
        pub(in super::super) fn seen_further_outside(a: Rw<1>) {
            a[0] = 3.0 * a[0];
        }

        #[kernel]
        pub(crate) fn seen_everywhere(a: Rw<1>) {
            a[0] = 5.0 * a[0];
        }

        #[kernel]
        pub(self) fn seen_here(a: Rw<1>) {
            a[0] = 7.0 * a[0];
        }

        pub fn ops() -> u32 {
            seen_here::OPS.flops()
        }
    }
}

#[test]
fn kernels_have_the_visibility_of_their_functions() {
    let a = call(inner::seen_outside, ([1.0],), &()).0;
    let a = call(inner::deep::seen_further_outside, (a,), &()).0;
    assert_eq!(call(inner::deep::seen_everywhere, (a,), &()).0, [30.0]);
    assert_eq!(inner::deep::ops(), 1);
}

#[device]
fn ends(q: [f64; 3]) -> [f64; 2] {
    [q[0], q[2]]
}

#[device]
fn span(ends: [f64; 2]) -> f64 {
    ends[1] - ends[0]
}

#[device]
fn count(x: f64) -> i32 {
    if x > 0.0 { 2 } else { 1 }
}

#[device]
fn is_positive(x: f64) -> bool {
    x > 0.0
}

/// What device functions return has the type that its use tells.
#[kernel]
fn returned(q: Read<3>, out: Write<9>, n: Write<1, i32>, a: Inc<2>, b: Inc<2>) {
    let row = ends(q);
    let copy = row;
    for m in 0..2 {
        a[m] += row[m];
        b[m] -= row[m];
        out[m] = copy[1 - m];
    }
    let passed_on = ends(q);
    let width = span(passed_on);
    let mut changed = ends(q);
    changed[0] = 2.0 * changed[0];
    if is_positive(width) {
        changed[1] -= 1.0;
    }
    out[2] = changed[0];
    out[3] = changed[1];
    let [first, last] = row;
    out[4] = -first + last;
    let number = count(width);
    n[0] = if number == 2 { number } else { 7 };
    let positive = is_positive(width);
    let mut depth = span(row);
    if positive && width < 5.0 {
        depth = 0.25;
    }
    out[5] = depth;
    let (left, right) = (ends(q), span(row));
    out[6] = left[0] * right;
    let kept: [f64; 2] = left;
    out[7] = kept[1];
    let chosen = if positive { right } else { 0.0 };
    out[8] = chosen;
}

#[test]
fn what_device_functions_return_needs_no_type() {
    let q = [0.5, 9.0, 2.0];
    let (_, out, n, a, b) = call(returned, (q, [f64::NAN; 9], [0], [-0.0; 2], [-0.0; 2]), &());
    assert_eq!(out, [2.0, 0.5, 1.0, 1.0, 1.5, 0.25, 0.75, 2.0, 1.5]);
    assert_eq!((n, a, b), ([2], [0.5, 2.0], [-0.5, -2.0]));
    // The increments of b are the negatives of those of a, which the engine uses.
    assert_eq!(returned::ROW_SOURCES, [0, 1, 2, 3, 3]);
}

/// Names for component numbers.
#[kernel]
fn next_corners(x: [Read<2>; 3], out: Write<3>) {
    let last: usize = 1;
    for j in 0..3 {
        let k = (j + 1) % 3;
        let (after, half) = ((k + 1) % 3, 0.5);
        let m: usize = 2 - j;
        out[m] = half * (x[k][0] - x[after][last]);
    }
}

#[test]
fn component_numbers_have_names() {
    let x = [[1.0, 20.0], [3.0, 40.0], [5.0, 60.0]];
    let (_, out) = call(next_corners, (x, [f64::NAN; 3]), &());
    assert_eq!(out, [0.5 * (1.0 - 40.0), 0.5 * (5.0 - 20.0), 0.5 * (3.0 - 60.0)]);
}
