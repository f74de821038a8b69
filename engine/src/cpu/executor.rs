//! The executor: runs a kernel over a sequence of elements, as many at once as there are lanes.
//!
//! ```text
//! load     each bound argument turns the rows of W elements into lanes
//! call     the kernel, once for all lanes
//! store    direct ones turn lanes into rows; then element by element, in order, what changes through maps
//! ```
//!
//! The last elements, too few to fill the lanes, run one by one. Whatever the width, targets thus receive their
//! increments in the order of the elements, then of the arguments: the bits do not depend on it.
//!
//! One program serves all processors: each loop is compiled for every width, and a [`Width`] that the processor has is
//! chosen when the loop runs. A development build leaves widths out (`lanes/build.rs`). Everything on the way is inlined into
//! the function that is compiled for the width's instructions; anything called would be compiled for the baseline
//! processor.

use cfd_lanes::width::{Registers, built};
#[cfg(target_arch = "x86_64")]
use cfd_lanes::x86::{avx2::F64x4, avx512::F64x8, gather};
use cfd_lanes::{F64x2, Vector, Width};

use crate::cpu::bound::BoundArguments;
use crate::cpu::element_block::{ElementBlock, Sequence, Singles};
use crate::cpu::prefetch::{Prefetch, STEP};
use crate::model::kernel::Kernel;

/// Above this many operations, a kernel is too large to compile for every width and kind of sequence: it runs in lanes
/// only where that gains most, along consecutive rows in four or eight lanes.
const LARGE: u32 = 2000;

/// Above this many operations, listed rows run one by one. A development build compiles less of what has the same bits.
const LARGE_FOR_LISTS: u32 = if cfg!(debug_assertions) { 50 } else { LARGE };

/// Up to this many operations, a kernel leaves registers for the next elements' values while these elements' are
/// stored.
const SMALL: u32 = 400;

/// A kernel's loops. They are methods of the kernel because the compiler makes one unit of code of every module and the
/// methods of its types, and every kernel's type has its own module: kernels are thus compiled in parallel, and again
/// only when they have changed. Functions of this module would be one unit.
pub(crate) trait Execute: Kernel {
    /// Runs the kernel over all elements of a sequence and prefetches what follows them; returns the arguments with
    /// what they have accumulated.
    ///
    /// # Safety
    /// As for [`BoundArguments`], for every element of the sequence.
    unsafe fn execute<B: BoundArguments<Self::Params>, S: Sequence>(
        width: Width,
        prefetch: &mut Prefetch<'_>,
        arguments: B,
        constants: &Self::Constants,
        sequence: S,
    ) -> B {
        // SAFETY: the caller's conditions; the width is one that the processor has.
        unsafe {
            // A kernel that only moves values gains nothing.
            if const {
                Self::SCALAR || !Self::OPS.computes() || Self::OPS.flops() > LARGE_FOR_LISTS && S::IS_LISTED
            } {
                return Self::one_by_one(prefetch, arguments, constants, sequence.singles(0));
            }
            let arguments = match width.registers() {
                Registers::Scalar => {
                    return Self::one_by_one(prefetch, arguments, constants, sequence.singles(0));
                }
                Registers::Two if const { built::TWO_LANES && Self::OPS.flops() <= LARGE } => {
                    in_lanes::<2, F64x2, Self, B, S>(prefetch, arguments, constants, sequence)
                }
                #[cfg(target_arch = "x86_64")]
                Registers::Four if const { built::FOUR_LANES } => {
                    Self::in_four_lanes(prefetch, arguments, constants, sequence)
                }
                #[cfg(target_arch = "x86_64")]
                Registers::Eight
                    if const { built::GATHERED_LANES && B::READS_SINGLES_THROUGH_MAPS }
                        && gather::is_chosen() =>
                {
                    Self::in_eight_lanes::<true, B, S>(prefetch, arguments, constants, sequence)
                }
                #[cfg(target_arch = "x86_64")]
                Registers::Eight if const { built::EIGHT_LANES } => {
                    Self::in_eight_lanes::<false, B, S>(prefetch, arguments, constants, sequence)
                }
                _ => return Self::one_by_one(prefetch, arguments, constants, sequence.singles(0)),
            };
            let rest = sequence.singles(sequence.len() - sequence.len() % width.lanes());
            if rest.len() > 0 { Self::one_by_one(prefetch, arguments, constants, rest) } else { arguments }
        }
    }

    /// # Safety
    /// As [`execute`](Execute::execute).
    #[inline(never)]
    unsafe fn one_by_one<B: BoundArguments<Self::Params>>(
        prefetch: &mut Prefetch<'_>,
        mut arguments: B,
        constants: &Self::Constants,
        elements: Singles,
    ) -> B {
        // A copy, which no store can change, stays in registers.
        let constants = *constants;
        for at in 0..elements.len() {
            // SAFETY: the element is the sequence's; the caller's conditions.
            unsafe {
                let block = elements.block(at);
                prefetch_next::<1, Self, B, _>(prefetch, &arguments, &block, at);
                let mut locals = arguments.load::<1, f64>(&block);
                Self::call::<f64>(&mut locals, &constants);
                arguments.store::<1, f64, Self>(&block, &locals);
            }
        }
        arguments
    }

    /// # Safety
    /// As [`execute`](Execute::execute), and the processor has these instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn in_four_lanes<B: BoundArguments<Self::Params>, S: Sequence>(
        prefetch: &mut Prefetch<'_>,
        arguments: B,
        constants: &Self::Constants,
        sequence: S,
    ) -> B {
        // SAFETY: the caller's conditions.
        unsafe { in_lanes::<4, F64x4, Self, B, S>(prefetch, arguments, constants, sequence) }
    }

    /// # Safety
    /// As [`execute`](Execute::execute), and the processor has these instructions.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    unsafe fn in_eight_lanes<const GATHERS: bool, B: BoundArguments<Self::Params>, S: Sequence>(
        prefetch: &mut Prefetch<'_>,
        arguments: B,
        constants: &Self::Constants,
        sequence: S,
    ) -> B {
        // SAFETY: the caller's conditions.
        unsafe { in_lanes::<8, F64x8<GATHERS>, Self, B, S>(prefetch, arguments, constants, sequence) }
    }
}

impl<K: Kernel> Execute for K {}

/// Runs the elements that fill `W` lanes.
///
/// # Safety
/// As [`Execute::execute`].
#[inline(always)]
unsafe fn in_lanes<const W: usize, R: Vector<W>, K: Kernel, B: BoundArguments<K::Params>, S: Sequence>(
    prefetch: &mut Prefetch<'_>,
    mut arguments: B,
    constants: &K::Constants,
    sequence: S,
) -> B {
    // A copy, which no store can change, stays in registers.
    let constants = *constants;
    let chunks = sequence.len() / W;
    if chunks == 0 {
        return arguments;
    }
    if const { !B::STORES_ROW_BY_ROW || K::OPS.flops() > SMALL } {
        for chunk in 0..chunks {
            // SAFETY: the elements are the sequence's.
            unsafe {
                let block = sequence.block::<W>(chunk * W);
                prefetch_next::<W, K, B, _>(prefetch, &arguments, &block, chunk);
                let mut locals = arguments.load::<W, R>(&block);
                K::call::<R>(&mut locals, &constants);
                arguments.store::<W, R, K>(&block, &locals);
            }
        }
        return arguments;
    }
    // SAFETY: the elements are the sequence's.
    unsafe {
        let mut block = sequence.block::<W>(0);
        let mut locals = arguments.load::<W, R>(&block);
        for chunk in 1..=chunks {
            prefetch_next::<W, K, B, _>(prefetch, &arguments, &block, chunk);
            K::call::<R>(&mut locals, &constants);
            let (done, results) = (block, locals);
            block = sequence.block(chunk.min(chunks - 1) * W);
            locals = arguments.load::<W, R>(&block);
            arguments.store::<W, R, K>(&done, &results);
        }
    }
    arguments
}

/// Every few elements, prefetches what follows them.
///
/// # Safety
/// As [`Execute::execute`].
#[inline(always)]
unsafe fn prefetch_next<const W: usize, K: Kernel, B: BoundArguments<K::Params>, E: ElementBlock<W>>(
    prefetch: &mut Prefetch<'_>,
    arguments: &B,
    block: &E,
    chunk: usize,
) {
    if const { W < E::STEP } && !chunk.is_multiple_of(E::STEP / W) {
        return;
    }
    match prefetch {
        Prefetch::Nothing => {}
        // SAFETY: the caller's conditions.
        Prefetch::Operands => unsafe { arguments.prefetch(block) },
        Prefetch::Tile(queue) => {
            if chunk.is_multiple_of(const { STEP.div_ceil(W) }) {
                queue.step();
            }
        }
    }
}
