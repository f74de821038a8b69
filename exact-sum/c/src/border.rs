//! From pointers to references, and from panics to statuses.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use exact_sum::BytesError;

/// What a function returns.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The function did what it says.
    Ok = 0,
    /// A pointer is null, or not aligned to its type.
    Pointer = 1,
    /// The bytes are not those of such a sum, or are damaged.
    Damaged = 2,
    /// The bytes are of another version.
    Version = 3,
    /// The accumulator was never initialised, or was overwritten.
    State = 4,
}

impl From<BytesError> for Status {
    fn from(error: BytesError) -> Status {
        match error {
            BytesError::Version(_) => Status::Version,
            _ => Status::Damaged,
        }
    }
}

thread_local! {
    /// Whether this thread is in the body of a function.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs the body of a function. A panic, which only an overwritten accumulator can cause, becomes a status.
pub(crate) fn guarded(body: impl FnOnce() -> Result<(), Status>) -> c_int {
    keep_panics_silent();
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(body));
    GUARDED.set(outer);
    let status = match result {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(_) => Status::State,
    };
    status as c_int
}

/// Nothing is printed about panics in a function; others are reported as before.
fn keep_panics_silent() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                report(panic);
            }
        }));
    });
}

/// What a pointer points to.
///
/// # Safety
/// If it is neither null nor misaligned, it points to a `T` that nothing changes meanwhile.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T) -> Result<&'a T, Status> {
    if pointer.is_aligned() {
        // SAFETY: the caller's condition.
        unsafe { pointer.as_ref() }.ok_or(Status::Pointer)
    } else {
        Err(Status::Pointer)
    }
}

/// What a pointer points to, for changing.
///
/// # Safety
/// If it is neither null nor misaligned, it points to a `T` that nothing else accesses meanwhile.
pub(crate) unsafe fn exclusive<'a, T>(pointer: *mut T) -> Result<&'a mut T, Status> {
    if pointer.is_aligned() {
        // SAFETY: the caller's condition.
        unsafe { pointer.as_mut() }.ok_or(Status::Pointer)
    } else {
        Err(Status::Pointer)
    }
}

/// A value in memory that may never have been initialised.
pub(crate) trait Accumulator {
    /// Whether the memory holds one.
    fn is_intact(&self) -> bool;
}

/// An accumulator.
///
/// # Safety
/// As for [`shared`].
pub(crate) unsafe fn from<'a, T: Accumulator>(pointer: *const T) -> Result<&'a T, Status> {
    // SAFETY: the caller's condition.
    let accumulator = unsafe { shared(pointer)? };
    if accumulator.is_intact() { Ok(accumulator) } else { Err(Status::State) }
}

/// An accumulator, for changing.
///
/// # Safety
/// As for [`exclusive`].
pub(crate) unsafe fn into<'a, T: Accumulator>(pointer: *mut T) -> Result<&'a mut T, Status> {
    // SAFETY: the caller's condition.
    let accumulator = unsafe { exclusive(pointer)? };
    if accumulator.is_intact() { Ok(accumulator) } else { Err(Status::State) }
}

/// `count` values behind a pointer, which may be null if there are none.
///
/// # Safety
/// If it is neither null nor misaligned, it points to `count` values that nothing changes meanwhile.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], Status> {
    match count {
        0 => Ok(&[]),
        _ if pointer.is_null() || !pointer.is_aligned() => Err(Status::Pointer),
        // SAFETY: the caller's condition.
        _ => Ok(unsafe { std::slice::from_raw_parts(pointer, count) }),
    }
}

/// Every `stride`-th of `count` values behind a pointer, which may be null if there are none.
///
/// # Safety
/// As for [`array`], of as many values as there are up to the last one.
pub(crate) unsafe fn strided<'a>(
    pointer: *const f64,
    count: usize,
    stride: usize,
) -> Result<impl Iterator<Item = f64> + use<'a>, Status> {
    let all = match count.checked_sub(1) {
        Some(others) => {
            others.checked_mul(stride).and_then(|last| last.checked_add(1)).ok_or(Status::Pointer)?
        }
        None => 0,
    };
    // SAFETY: the caller's condition.
    let values = unsafe { array::<f64>(pointer, all)? };
    Ok((0..count).map(move |i| values[i * stride]))
}

/// The message for a status; never freed.
// SAFETY: no other library has names that begin like this.
#[unsafe(no_mangle)]
pub extern "C" fn exact_sum_message(status: c_int) -> *const c_char {
    let text: &CStr = match status {
        0 => c"done",
        1 => c"a pointer is null, or not aligned to its type",
        2 => c"these bytes are not those of such a sum, or they were damaged",
        3 => c"these bytes are of another version of the library",
        4 => c"an accumulator was never initialised, or it was overwritten",
        _ => c"no status of this library",
    };
    text.as_ptr()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_panic_in_a_function_is_a_status_and_nothing_is_printed() {
        let reports = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&reports);
        set_hook(Box::new(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        }));
        assert_eq!(guarded(|| panic!("an overwritten accumulator")), Status::State as c_int);
        assert_eq!(reports.load(Ordering::Relaxed), 0);
        assert_eq!(guarded(|| Ok(())), Status::Ok as c_int);
        assert!(catch_unwind(|| panic!("elsewhere")).is_err());
        assert_eq!(reports.load(Ordering::Relaxed), 1);
    }
}
