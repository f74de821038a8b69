//! Memory bandwidth, the yardstick for loops that do little work on many bytes, and all yardsticks together.
//!
//! ```text
//! copy     a[i] = b[i]                16 bytes an element
//! triad    a[i] = b[i] + s c[i]       24 bytes an element
//! ```
//!
//! after J. D. McCalpin's STREAM. All threads of all ranks sweep at the same time, each over arrays of its own that it
//! has touched first; together the arrays of a machine are four times as large as its last-level caches. The bytes
//! counted are those the program names: a processor that reads a line before storing it moves half as many again in a
//! copy, and a third more in a triad. Non-temporal stores, which bypass the caches, avoid that, so both kinds are
//! measured; loops use them for data that they only write, if it exceeds the cache.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use cfd_engine::comm::Comm;
use cfd_engine::lane::Width;
use cfd_engine::memory;
use serde::Serialize;

use crate::arithmetic;

/// Sweeps that count, after one warm-up sweep.
pub const ROUNDS: usize = 9;

/// Size of the arrays, in multiples of the caches.
const TIMES_CACHE: usize = 4;

/// Bytes of last-level cache to assume if the system does not tell.
const CACHE: usize = 64 << 20;

/// Smallest and largest size in bytes of one thread's array.
const ARRAY_BYTES: (usize, usize) = (4 << 20, 1 << 30);

/// Doubles copied at a time: few enough that the processor's ordinary stores do it.
const BLOCK: usize = 64;

/// 10^9 bytes, or operations, per second of all threads of all ranks together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Of the fastest round.
    pub best: f64,
    /// The median of the rounds.
    pub median: f64,
}

impl Rate {
    /// The rates at which all ranks together do this much work per rank in each of these times. Collective; the same on
    /// every rank.
    pub fn of(comm: &Comm, amount: usize, times: &[Duration; ROUNDS]) -> Rate {
        let nanoseconds =
            |time: &Duration| u64::try_from(time.as_nanos()).expect("a round takes less than 500 years");
        let mut slowest = times.map(|time| comm.max(nanoseconds(&time)));
        slowest.sort_unstable();
        let amount = comm.sum(amount as u64) as f64;
        // One in a nanosecond is 10^9 in a second.
        let rate = |nanoseconds: u64| amount / nanoseconds.max(1) as f64;
        Rate { best: rate(slowest[0]), median: rate(slowest[ROUNDS / 2]) }
    }
}

/// What memory and processors deliver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bandwidth {
    /// Threads per rank.
    pub threads: usize,
    /// Bytes of one thread's array.
    pub array_bytes: usize,
    /// Copy with ordinary stores.
    pub copy: Rate,
    /// Triad with ordinary stores.
    pub triad: Rate,
    /// Copy with non-temporal stores; `None` if none are known for the processor.
    pub copy_non_temporal: Option<Rate>,
    /// Triad with non-temporal stores.
    pub triad_non_temporal: Option<Rate>,
    /// Additions and multiplications, in the run's lanes.
    pub arithmetic: Rate,
}

/// Measures the bandwidth of all ranks with this many threads each, and their arithmetic rate in these lanes.
/// Collective; the same on every rank.
///
/// This takes about half a second per machine.
pub fn measure(comm: &Comm, threads: usize, lanes: Width) -> Bandwidth {
    let array_bytes = array_bytes(comm, threads);
    let kernels = if NON_TEMPORAL { &KERNELS[..] } else { &KERNELS[..2] };
    let rates = rates(comm, threads, array_bytes / size_of::<f64>(), kernels);
    Bandwidth {
        threads,
        array_bytes,
        copy: rates[0],
        triad: rates[1],
        copy_non_temporal: rates.get(2).copied(),
        triad_non_temporal: rates.get(3).copied(),
        arithmetic: arithmetic::measure(comm, threads, lanes),
    }
}

impl Bandwidth {
    /// The lines of `cfd info`.
    pub fn text(&self, ranks: usize) -> String {
        let of = |name: &str, stores: &str, rate: Rate| {
            let Rate { best, median } = rate;
            format!("{name:<13}{best:>8.2} GB/s best, {median:>8.2} median of {ROUNDS}, {stores} stores")
        };
        let mut lines = vec![
            format!(
                "bandwidth    {ranks} x {} threads, arrays of {:.0} MB for each",
                self.threads,
                self.array_bytes as f64 / 1e6
            ),
            of("copy", "ordinary", self.copy),
            of("triad", "ordinary", self.triad),
        ];
        lines.extend(self.copy_non_temporal.map(|rate| of("copy", "non-temporal", rate)));
        lines.extend(self.triad_non_temporal.map(|rate| of("triad", "non-temporal", rate)));
        let Rate { best, median } = self.arithmetic;
        lines.push(format!(
            "arithmetic   {best:>8.2} GFLOP/s best, {median:>5.2} median of {ROUNDS}, additions and multiplications"
        ));
        lines.join("\n")
    }
}

/// A sweep over arrays a, b, c.
#[derive(Clone, Copy)]
struct Kernel {
    sweep: fn(&mut [f64], &[f64], &[f64]),
    /// Bytes counted per element.
    bytes: usize,
}

const KERNELS: [Kernel; 4] = [
    Kernel { sweep: copy, bytes: 16 },
    Kernel { sweep: triad, bytes: 24 },
    Kernel { sweep: non_temporal::copy, bytes: 16 },
    Kernel { sweep: non_temporal::triad, bytes: 24 },
];

/// The factor of the triad.
const S: f64 = 0.5;

fn copy(a: &mut [f64], b: &[f64], _c: &[f64]) {
    for (a, b) in a.chunks_exact_mut(BLOCK).zip(b.chunks_exact(BLOCK)) {
        // Hidden from the compiler, which would otherwise call the library's copy, whose stores depend on the size.
        black_box(a).copy_from_slice(b);
    }
}

fn triad(a: &mut [f64], b: &[f64], c: &[f64]) {
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = b + S * c;
    }
}

/// Stores that bypass the caches.
#[cfg(target_arch = "x86_64")]
mod non_temporal {
    use std::arch::x86_64::{_mm_add_pd, _mm_loadu_pd, _mm_mul_pd, _mm_set1_pd, _mm_sfence, _mm_stream_pd};

    use super::{BLOCK, S};

    /// The part of an array from its first 16-byte-aligned address on.
    fn aligned(a: &mut [f64]) -> (usize, &mut [f64]) {
        let skip = a.as_ptr().align_offset(16).min(a.len());
        (skip, &mut a[skip..])
    }

    pub fn copy(a: &mut [f64], b: &[f64], _c: &[f64]) {
        let (skip, a) = aligned(a);
        for (a, b) in a.chunks_exact_mut(BLOCK).zip(b[skip..].chunks_exact(BLOCK)) {
            for i in (0..BLOCK).step_by(2) {
                // SAFETY: i and i + 1 lie in the blocks; a's are aligned to 16 bytes, as BLOCK is even.
                unsafe { _mm_stream_pd(a.as_mut_ptr().add(i), _mm_loadu_pd(b.as_ptr().add(i))) }
            }
        }
        // SAFETY: every x86-64 processor has it. Only after it do others see streaming stores in order.
        unsafe { _mm_sfence() }
    }

    pub fn triad(a: &mut [f64], b: &[f64], c: &[f64]) {
        let (skip, a) = aligned(a);
        let blocks = a.chunks_exact_mut(BLOCK).zip(b[skip..].chunks_exact(BLOCK));
        for ((a, b), c) in blocks.zip(c[skip..].chunks_exact(BLOCK)) {
            for i in (0..BLOCK).step_by(2) {
                // SAFETY: as in `copy`.
                unsafe {
                    let product = _mm_mul_pd(_mm_set1_pd(S), _mm_loadu_pd(c.as_ptr().add(i)));
                    let sum = _mm_add_pd(_mm_loadu_pd(b.as_ptr().add(i)), product);
                    _mm_stream_pd(a.as_mut_ptr().add(i), sum);
                }
            }
        }
        // SAFETY: as in `copy`.
        unsafe { _mm_sfence() }
    }
}

#[cfg(target_arch = "x86_64")]
const NON_TEMPORAL: bool = true;

/// No such stores are known here; these are placeholders and never run.
#[cfg(not(target_arch = "x86_64"))]
use crate::bandwidth as non_temporal;

#[cfg(not(target_arch = "x86_64"))]
const NON_TEMPORAL: bool = false;

/// Sweeps by all threads of all ranks at once; the same on every rank.
fn rates(comm: &Comm, threads: usize, len: usize, kernels: &[Kernel]) -> Vec<Rate> {
    let barrier = Barrier::new(threads);
    let sweep = |kernel: &Kernel, arrays: &mut Arrays| {
        barrier.wait();
        let start = Instant::now();
        (kernel.sweep)(black_box(&mut arrays.a), black_box(&arrays.b), black_box(&arrays.c));
        barrier.wait();
        start.elapsed()
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| {
                let mut arrays = Arrays::new(len);
                for kernel in kernels {
                    (0..=ROUNDS).for_each(|_| {
                        sweep(kernel, &mut arrays);
                    });
                }
            });
        }
        // Only this thread sends messages.
        let mut arrays = Arrays::new(len);
        let rate = |kernel: &Kernel| {
            let mut sweep = || {
                comm.barrier();
                sweep(kernel, &mut arrays)
            };
            sweep();
            let times = std::array::from_fn(|_| sweep());
            Rate::of(comm, threads * len * kernel.bytes, &times)
        };
        kernels.iter().map(rate).collect()
    })
}

/// The arrays of one thread, touched by it.
struct Arrays {
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
}

impl Arrays {
    fn new(len: usize) -> Arrays {
        let filled = |value: f64| {
            let mut values = memory::zeroed(len);
            values.fill(value);
            black_box(values)
        };
        Arrays { a: filled(0.5), b: filled(1.0), c: filled(2.0) }
    }
}

/// The size of one thread's array, the same on all ranks.
fn array_bytes(comm: &Comm, threads: usize) -> usize {
    // Ranks with the same words share a machine, and its caches.
    let own = machine();
    let beside = comm.all_gather(&[own]).iter().filter(|other| other[0] == own).count();
    let share = TIMES_CACHE * caches().unwrap_or(CACHE) / (beside * threads);
    let (least, most) = ARRAY_BYTES;
    let largest = comm.max(share.clamp(least, most) as u64);
    let block = BLOCK * size_of::<f64>();
    usize::try_from(largest).expect("at most 2^30").next_multiple_of(block)
}

/// A number for the machine: the start of its name's hash.
fn machine() -> u64 {
    let hash = blake3::hash(crate::machine::host().as_bytes());
    u64::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
}

/// Bytes of all last-level caches of the machine, if the system tells.
fn caches() -> Option<usize> {
    let mut found = std::collections::BTreeMap::new();
    for entry in std::fs::read_dir("/sys/devices/system/cpu").ok()?.flatten() {
        let folder = entry.path().join("cache/index3");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        if let (Some(shared_by), Some(size)) = (read("shared_cpu_list"), read("size")) {
            found.insert(shared_by, memory::size(&size)?);
        }
    }
    (!found.is_empty()).then(|| found.values().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ordinary and streaming sweeps, on arrays that begin at any double.
    #[test]
    fn sweeps_compute_what_they_say() {
        let (b, c): (Vec<f64>, Vec<f64>) = (0..259).map(|i| (f64::from(i), f64::from(3 * i))).unzip();
        for start in 0..3 {
            for [copy, triad] in [[KERNELS[0], KERNELS[1]], [KERNELS[2], KERNELS[3]]] {
                let (b, c) = (&b[start..], &c[start..]);
                let mut a = vec![-1.0; b.len()];
                (copy.sweep)(&mut a, b, c);
                // A copy may omit ends shorter than a block.
                let changed = (0..b.len()).filter(|&i| a[i] != -1.0);
                assert!(changed.clone().all(|i| a[i] == b[i]) && changed.count() >= 192);
                let mut a = vec![-1.0; b.len()];
                (triad.sweep)(&mut a, b, c);
                let changed = (0..b.len()).filter(|&i| a[i] != -1.0);
                assert!(changed.clone().all(|i| a[i] == b[i] + 0.5 * c[i]) && changed.count() >= 192);
            }
        }
    }

    #[test]
    fn all_threads_of_all_ranks_count() {
        let rates = Comm::simulate(2, |comm| rates(&comm, 3, 1 << 12, &KERNELS));
        assert_eq!((rates[0].len(), &rates[0]), (4, &rates[1]), "the same on all ranks");
        assert!(rates[0].iter().all(|rate| rate.best >= rate.median && rate.median > 0.0));
    }

    #[test]
    fn arrays_of_a_machine_are_larger_than_its_caches() {
        let sizes = Comm::simulate(2, |comm| array_bytes(&comm, 2));
        let cache = caches().unwrap_or(CACHE);
        assert!(sizes[0] == sizes[1] && sizes[0].is_multiple_of(8));
        assert!(4 * sizes[0] >= TIMES_CACHE * cache.min(ARRAY_BYTES.1));
    }
}
