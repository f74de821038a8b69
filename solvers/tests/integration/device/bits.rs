//! Each kernel's text, compiled by the host's C++ compiler, against the Rust function.

use std::path::Path;

use cfd_device::HostCall;

/// Batches of calls of every kernel: one of each kind, or a hundred.
fn batches() -> usize {
    if crate::matrix::is_whole() { 100 } else { 4 }
}

/// Calls that are compared at a time.
const BATCH: usize = 10_000;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number: mostly of ordinary size, so that results are numbers, and sometimes of each special kind.
    fn real(&mut self, special: bool) -> f64 {
        let ordinary = (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 1.0;
        if !special {
            return ordinary;
        }
        match self.next() % 24 {
            0 => 0.0,
            1 => -0.0,
            2 => f64::from_bits(self.next() >> 12),
            3 => -f64::from_bits(self.next() >> 12),
            4 => f64::INFINITY,
            5 => f64::NEG_INFINITY,
            6 => f64::NAN,
            7 => f64::from_bits(self.next()),
            8 => f64::MIN_POSITIVE,
            9 => 1.0,
            _ => ordinary,
        }
    }

    fn word(&mut self, integer: bool, special: bool) -> u64 {
        match integer {
            true => self.next() % 4,
            false => self.real(special).to_bits(),
        }
    }
}

/// NaNs count as equal: their bits vary between processors.
fn alike(a: u64, b: u64, integer: bool) -> bool {
    a == b || !integer && f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan()
}

pub fn compare(kernel: &HostCall) {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
    let compiled = kernel.compile(&directory).unwrap_or_else(|error| panic!("{error}"));
    let mut random = Random(kernel.name.len() as u64);
    let integers: Vec<bool> =
        kernel.arguments.iter().flat_map(|&(_, dim, integer)| vec![integer; dim]).collect();
    let width = integers.len();
    for batch in 0..batches() {
        let special = batch % 2 == 1;
        let mut constants = Vec::new();
        for field in kernel.constants {
            constants
                .extend((0..field.components).map(|_| random.word(field.integer, special && batch % 4 == 1)));
        }
        let input: Vec<u64> =
            (0..BATCH * width).map(|at| random.word(integers[at % width], special)).collect();
        let (here, there) = (kernel.in_rust(&input, &constants), compiled.call(&input, &constants));
        for (at, (&a, &b)) in here.iter().zip(&there).enumerate() {
            assert!(
                alike(a, b, integers[at % width]),
                "{}: component {} of call {}: {a:#018x} in Rust, {b:#018x} in C; input {:?}",
                kernel.name,
                at % width,
                at / width,
                input[at / width * width..][..width].iter().map(|&w| f64::from_bits(w)).collect::<Vec<_>>()
            );
        }
    }
}
