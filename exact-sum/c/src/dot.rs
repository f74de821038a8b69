//! Sums of products.

use std::ffi::{c_double, c_float, c_int};

use exact_sum::{DOT_BYTES, DOT_WORDS, ExactDot};

use crate::border::{Accumulator, Status, array, exclusive, from, guarded, into, shared, strided};
use crate::sum::Sum;

/// `exact_dot`: an accumulator, and room for later versions.
#[repr(C)]
pub struct Dot {
    dot: ExactDot,
    reserved: [u64; Dot::RESERVED],
}

impl Dot {
    /// Words of `exact_dot`.
    pub const WORDS: usize = 416;

    /// Words reserved for later versions.
    const RESERVED: usize = Dot::WORDS - size_of::<ExactDot>() / 8;
}

impl Accumulator for Dot {
    fn is_intact(&self) -> bool {
        self.dot.is_intact()
    }
}

/// [`ExactDot::new`], in place.
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_init(dot: *mut Dot) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        if dot.is_null() || !dot.is_aligned() {
            return Err(Status::Pointer);
        }
        dot.write(Dot { dot: ExactDot::new(), reserved: [0; Dot::RESERVED] });
        Ok(())
    })
}

/// [`ExactDot::add_product`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_add_product(dot: *mut Dot, a: c_double, b: c_double) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(dot)?.dot.add_product(a, b);
        Ok(())
    })
}

/// [`ExactDot::add_products`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_add_products(
    dot: *mut Dot,
    a: *const c_double,
    b: *const c_double,
    count: usize,
) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(dot)?.dot.add_products(array(a, count)?, array(b, count)?);
        Ok(())
    })
}

/// [`ExactDot::merge`], also of a sum with itself.
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_merge(dot: *mut Dot, other: *const Dot) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        let other = from(other)?.dot.clone();
        into(dot)?.dot.merge(&other);
        Ok(())
    })
}

/// [`ExactDot::value`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_value(dot: *const Dot, value: *mut c_double) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(value)? = from(dot)?.dot.value();
        Ok(())
    })
}

/// [`ExactDot::value_f32`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_value_float(dot: *const Dot, value: *mut c_float) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(value)? = from(dot)?.dot.value_f32();
        Ok(())
    })
}

/// [`ExactDot::words`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_to_words(dot: *const Dot, words: *mut u64) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(words.cast::<[u64; DOT_WORDS]>())? = from(dot)?.dot.words();
        Ok(())
    })
}

/// [`ExactDot::from_words`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_from_words(dot: *mut Dot, words: *const u64) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        exclusive(dot)?.dot = ExactDot::from_words(shared(words.cast::<[u64; DOT_WORDS]>())?);
        Ok(())
    })
}

/// [`ExactDot::to_bytes`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_to_bytes(dot: *const Dot, bytes: *mut u8) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(bytes.cast::<[u8; DOT_BYTES]>())? = from(dot)?.dot.to_bytes();
        Ok(())
    })
}

/// [`ExactDot::from_bytes`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_from_bytes(dot: *mut Dot, bytes: *const u8, count: usize) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        exclusive(dot)?.dot = ExactDot::from_bytes(array(bytes, count)?)?;
        Ok(())
    })
}

/// [`ExactDot::subtract_product`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_subtract_product(dot: *mut Dot, a: c_double, b: c_double) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(dot)?.dot.subtract_product(a, b);
        Ok(())
    })
}

/// [`ExactDot::subtract_products`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_subtract_products(
    dot: *mut Dot,
    a: *const c_double,
    b: *const c_double,
    count: usize,
) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(dot)?.dot.subtract_products(array(a, count)?, array(b, count)?);
        Ok(())
    })
}

/// [`ExactDot::add_f32_products`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_add_float_products(
    dot: *mut Dot,
    a: *const c_float,
    b: *const c_float,
    count: usize,
) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(dot)?.dot.add_f32_products(array(a, count)?, array(b, count)?);
        Ok(())
    })
}

/// Adds the products of `count` numbers, of which every `stride`-th is a factor.
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_add_strided(
    dot: *mut Dot,
    a: *const c_double,
    a_stride: usize,
    b: *const c_double,
    b_stride: usize,
    count: usize,
) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        let (a, b) = (strided(a, count, a_stride)?, strided(b, count, b_stride)?);
        into(dot)?.dot.extend(a.zip(b));
        Ok(())
    })
}

/// [`ExactDot::add_squares`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_add_squares(
    dot: *mut Dot,
    numbers: *const c_double,
    count: usize,
) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(dot)?.dot.add_squares(array(numbers, count)?);
        Ok(())
    })
}

/// [`ExactDot::merge_sum`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_merge_sum(dot: *mut Dot, sum: *const Sum) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        let sum = from(sum)?.sum();
        into(dot)?.dot.merge_sum(sum);
        Ok(())
    })
}

/// [`ExactDot::subtract_dot`], also of a sum from itself.
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_subtract_dot(dot: *mut Dot, other: *const Dot) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        let other = from(other)?.dot.clone();
        into(dot)?.dot.subtract_dot(&other);
        Ok(())
    })
}

/// [`ExactDot::is_zero`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_is_zero(dot: *const Dot, is_zero: *mut c_int) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(is_zero)? = c_int::from(from(dot)?.dot.is_zero());
        Ok(())
    })
}

/// [`ExactDot::sqrt`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_dot_sqrt(dot: *const Dot, root: *mut c_double) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(root)? = from(dot)?.dot.sqrt();
        Ok(())
    })
}
