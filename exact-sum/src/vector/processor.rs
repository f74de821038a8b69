//! Which registers this processor has, detected once, without the standard library's macro for it.

use core::sync::atomic::{AtomicU8, Ordering};

/// Registers in which slices of terms are added, narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Registers {
    /// Whatever the compiler makes of arrays.
    Portable = 1,
    /// Four lanes, and fused operations.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Eight lanes.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Registers {
    /// The widest registers that this processor has.
    #[inline(always)]
    pub(crate) fn widest() -> Registers {
        static FOUND: AtomicU8 = AtomicU8::new(0);
        match FOUND.load(Ordering::Relaxed) {
            found if found == Registers::Portable as u8 => Registers::Portable,
            #[cfg(target_arch = "x86_64")]
            found if found == Registers::Avx2 as u8 => Registers::Avx2,
            #[cfg(target_arch = "x86_64")]
            found if found == Registers::Avx512 as u8 => Registers::Avx512,
            _ => {
                let found = find();
                FOUND.store(found as u8, Ordering::Relaxed);
                found
            }
        }
    }

    /// The registers that this processor has, narrowest first.
    pub(crate) fn available() -> impl Iterator<Item = Registers> {
        #[cfg(target_arch = "x86_64")]
        let all = [Registers::Portable, Registers::Avx2, Registers::Avx512];
        #[cfg(not(target_arch = "x86_64"))]
        let all = [Registers::Portable];
        all.into_iter().filter(|registers| *registers <= Registers::widest())
    }

    /// 1 for arrays.
    pub(crate) fn lanes(self) -> usize {
        match self {
            Registers::Portable => 1,
            #[cfg(target_arch = "x86_64")]
            Registers::Avx2 => 4,
            #[cfg(target_arch = "x86_64")]
            Registers::Avx512 => 8,
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn find() -> Registers {
    Registers::Portable
}

/// By the processor's manual: the operating system saves the registers (`OSXSAVE`, and their bits in XCR0), and the
/// processor has the instructions.
#[cfg(target_arch = "x86_64")]
#[cold]
fn find() -> Registers {
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    const OSXSAVE: u32 = 1 << 27;
    const FMA: u32 = 1 << 12;
    const AVX2: u32 = 1 << 5;
    const AVX512F: u32 = 1 << 16;
    const YMM: u64 = 0b110;
    const ZMM: u64 = 0b1110_0110;
    // SAFETY: every x86-64 processor has the instruction.
    #[allow(unused_unsafe, reason = "older compilers call it unsafe")]
    let (leaves, features) = unsafe { (__cpuid(0).eax, __cpuid(1).ecx) };
    if leaves < 7 || features & OSXSAVE == 0 || features & FMA == 0 {
        return Registers::Portable;
    }
    // SAFETY: as above.
    #[allow(unused_unsafe, reason = "older compilers call it unsafe")]
    let has = unsafe { __cpuid_count(7, 0).ebx };
    // SAFETY: `OSXSAVE` says that the instruction exists.
    let saved = unsafe { xcr0() };
    match () {
        () if saved & ZMM == ZMM && has & AVX512F != 0 => Registers::Avx512,
        () if saved & YMM == YMM && has & AVX2 != 0 => Registers::Avx2,
        () => Registers::Portable,
    }
}

/// The registers that the operating system saves.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "xsave")]
fn xcr0() -> u64 {
    // SAFETY: register 0 exists wherever the instruction does.
    unsafe { core::arch::x86_64::_xgetbv(0) }
}
