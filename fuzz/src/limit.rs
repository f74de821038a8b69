//! An allocator that ends the program when an input costs far more memory than its size explains.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What any input may cost: buffers of fixed size, the threads of simulated ranks.
const BASE: usize = 32 << 20;
/// What each byte of an input may cost beside it.
const PER_BYTE: usize = 1 << 10;

/// Bytes in use.
static LIVE: AtomicUsize = AtomicUsize::new(0);
/// Bytes that may be in use.
static CEILING: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The system's allocator, which counts; to be the global one of a program that uses [`bounded`].
#[derive(Debug)]
pub struct Counting;

/// Runs `body`; the program ends with a message as soon as it has more memory in use than an input of so many bytes
/// explains. One at a time.
pub fn bounded<R>(input: usize, body: impl FnOnce() -> R) -> R {
    let ceiling = LIVE.load(Ordering::Relaxed) + BASE + PER_BYTE * input;
    CEILING.store(ceiling, Ordering::Relaxed);
    let result = body();
    CEILING.store(usize::MAX, Ordering::Relaxed);
    result
}

fn grow(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
    let ceiling = CEILING.load(Ordering::Relaxed);
    // A panic's own message may need more, and says what is wrong.
    if live > ceiling && !std::thread::panicking() {
        // The message itself may allocate.
        CEILING.store(usize::MAX, Ordering::Relaxed);
        let mut stderr = std::io::stderr();
        let _ =
            writeln!(stderr, "a request of {bytes} bytes exceeds what the input explains ({ceiling} in all)");
        std::process::abort();
    }
}

// SAFETY: every call is handed on to the system's allocator as it is; counting touches no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promise about `layout`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promise about `layout`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise about `memory` and `layout`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise about `memory`, `layout` and `size`.
        unsafe { System.realloc(memory, layout, size) }
    }
}
