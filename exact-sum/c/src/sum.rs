//! Sums.

use std::ffi::{c_double, c_float, c_int};

use exact_sum::{BYTES, ExactSum, WORDS};

use crate::border::{Accumulator, Status, array, exclusive, from, guarded, into, shared, strided};

/// `exact_sum`: an accumulator, and room for later versions.
#[repr(C)]
pub struct Sum {
    sum: ExactSum,
    reserved: [u64; Sum::RESERVED],
}

impl Sum {
    /// Words of `exact_sum`.
    pub const WORDS: usize = 192;

    /// Words reserved for later versions.
    const RESERVED: usize = Sum::WORDS - size_of::<ExactSum>() / 8;

    /// The sum.
    pub(crate) fn sum(&self) -> &ExactSum {
        &self.sum
    }
}

impl Accumulator for Sum {
    fn is_intact(&self) -> bool {
        self.sum.is_intact()
    }
}

/// [`ExactSum::new`], in place.
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_init(sum: *mut Sum) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        if sum.is_null() || !sum.is_aligned() {
            return Err(Status::Pointer);
        }
        sum.write(Sum { sum: ExactSum::new(), reserved: [0; Sum::RESERVED] });
        Ok(())
    })
}

/// [`ExactSum::add`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_add(sum: *mut Sum, term: c_double) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(sum)?.sum.add(term);
        Ok(())
    })
}

/// [`ExactSum::subtract`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_subtract(sum: *mut Sum, term: c_double) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(sum)?.sum.subtract(term);
        Ok(())
    })
}

/// [`ExactSum::add_slice`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_add_array(sum: *mut Sum, terms: *const c_double, count: usize) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(sum)?.sum.add_slice(array(terms, count)?);
        Ok(())
    })
}

/// [`ExactSum::add_f32_slice`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_add_float_array(
    sum: *mut Sum,
    terms: *const c_float,
    count: usize,
) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(sum)?.sum.add_f32_slice(array(terms, count)?);
        Ok(())
    })
}

/// [`ExactSum::merge`], also of a sum with itself.
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_merge(sum: *mut Sum, other: *const Sum) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        let other = from(other)?.sum.clone();
        into(sum)?.sum.merge(&other);
        Ok(())
    })
}

/// [`ExactSum::subtract_sum`], also of a sum from itself.
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_subtract_sum(sum: *mut Sum, other: *const Sum) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        let other = from(other)?.sum.clone();
        into(sum)?.sum.subtract_sum(&other);
        Ok(())
    })
}

/// [`ExactSum::is_zero`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_is_zero(sum: *const Sum, is_zero: *mut c_int) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(is_zero)? = c_int::from(from(sum)?.sum.is_zero());
        Ok(())
    })
}

/// [`ExactSum::value`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_value(sum: *const Sum, value: *mut c_double) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(value)? = from(sum)?.sum.value();
        Ok(())
    })
}

/// [`ExactSum::value_f32`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_value_float(sum: *const Sum, value: *mut c_float) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(value)? = from(sum)?.sum.value_f32();
        Ok(())
    })
}

/// [`ExactSum::words`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_to_words(sum: *const Sum, words: *mut u64) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(words.cast::<[u64; WORDS]>())? = from(sum)?.sum.words();
        Ok(())
    })
}

/// [`ExactSum::from_words`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_from_words(sum: *mut Sum, words: *const u64) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        exclusive(sum)?.sum = ExactSum::from_words(shared(words.cast::<[u64; WORDS]>())?);
        Ok(())
    })
}

/// [`ExactSum::to_bytes`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_to_bytes(sum: *const Sum, bytes: *mut u8) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        *exclusive(bytes.cast::<[u8; BYTES]>())? = from(sum)?.sum.to_bytes();
        Ok(())
    })
}

/// [`ExactSum::from_bytes`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_from_bytes(sum: *mut Sum, bytes: *const u8, count: usize) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        exclusive(sum)?.sum = ExactSum::from_bytes(array(bytes, count)?)?;
        Ok(())
    })
}

/// [`ExactSum::add_f32`].
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_add_float(sum: *mut Sum, term: c_float) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(sum)?.sum.add_f32(term);
        Ok(())
    })
}

/// Adds every `stride`-th of `count` terms.
///
/// # Safety
/// As for [`crate`].
// SAFETY: no other library has names that begin in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exact_sum_add_strided(
    sum: *mut Sum,
    terms: *const c_double,
    count: usize,
    stride: usize,
) -> c_int {
    // SAFETY: the caller's condition.
    guarded(|| unsafe {
        into(sum)?.sum.extend(strided(terms, count, stride)?);
        Ok(())
    })
}
