//! Operations of the functions of `same-math` on their common range.

use super::OpCount;

const fn count(add: u32, mul: u32, div: u32, sqrt: u32, compare: u32) -> OpCount {
    OpCount { add, mul, div, sqrt, compare }
}

/// Of `exp`.
pub const EXP: OpCount = count(20, 18, 0, 0, 2);
/// Of `exp2`.
pub const EXP2: OpCount = count(22, 18, 0, 0, 2);
/// Of `exp_m1`.
pub const EXP_M1: OpCount = count(33, 25, 0, 0, 5);
/// Of `ln`.
pub const LN: OpCount = count(26, 17, 1, 0, 2);
/// Of `log2`.
pub const LOG2: OpCount = count(28, 18, 1, 0, 2);
/// Of `ln_1p`.
pub const LN_1P: OpCount = count(37, 20, 1, 0, 5);
/// Of `cbrt`.
pub const CBRT: OpCount = count(22, 19, 1, 0, 5);
/// Of `sin`.
pub const SIN: OpCount = count(30, 23, 0, 0, 13);
/// Of `cos`.
pub const COS: OpCount = count(30, 23, 0, 0, 11);
/// Of `tan`.
pub const TAN: OpCount = count(60, 41, 1, 0, 10);
/// Of `asin`.
pub const ASIN: OpCount = count(23, 21, 1, 1, 11);
/// Of `acos`.
pub const ACOS: OpCount = count(23, 23, 1, 1, 14);
/// Of `atan`.
pub const ATAN: OpCount = count(31, 22, 1, 0, 17);
/// Of `atan2`.
pub const ATAN2: OpCount = count(32, 22, 1, 0, 28);
/// Of `sinh`.
pub const SINH: OpCount = count(32, 24, 0, 0, 4);
/// Of `cosh`.
pub const COSH: OpCount = count(33, 24, 0, 0, 3);
/// Of `tanh`.
pub const TANH: OpCount = count(58, 31, 1, 0, 6);
/// Of `powf`.
pub const POWF: OpCount = count(67, 46, 1, 0, 6);

/// Of `powi`: up to the 16th power, squares and products in two parts each; beyond, `powf`.
pub const fn powi(n: i32) -> OpCount {
    let size = n.unsigned_abs();
    match n {
        0 | 1 => count(0, 0, 0, 0, 1 + (n == 0) as u32),
        2 => count(0, 1, 0, 0, 1),
        -1 => count(0, 0, 1, 0, 1),
        -16..=16 => {
            let (squares, products) = (size.ilog2() - 1, size.count_ones() - 1);
            let power = count(4, 5, 0, 0, 3).plus_times(count(8, 7, 0, 0, 0), squares);
            power.plus_times(count(11, 7, 0, 0, 0), products).plus_times(count(6, 4, 1, 0, 0), (n < 0) as u32)
        }
        _ => POWF.plus(count(0, 0, 0, 0, 1)),
    }
}
