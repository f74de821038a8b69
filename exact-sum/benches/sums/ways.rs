//! The sums being compared.

use exact_sum::{BinnedSum, ExactSum, LaneSum, WORDS};

/// A way to add up slices of terms.
pub struct Way {
    pub name: &'static str,
    /// None if the processor lacks the registers.
    pub sum: Sum,
    /// Bytes of an accumulator and of its message; 0 for a variant of a way already listed with its bytes.
    pub bytes: usize,
    pub message: usize,
}

type Sum = fn(&mut dyn Iterator<Item = &[f64]>) -> Option<f64>;

/// Independent partial sums of the plain vector sum.
const LANES: usize = 32;

/// The first is the one with which the others are compared.
pub const WAYS: [Way; 14] = [
    Way { name: "plain", sum: plain, bytes: 8, message: 8 },
    Way { name: "plain, 32 partial sums", sum: vector, bytes: 0, message: 0 },
    Way { name: "compensated: Kahan", sum: kahan, bytes: 16, message: 16 },
    Way { name: "compensated: Neumaier", sum: neumaier, bytes: 16, message: 16 },
    Way { name: "double-double", sum: double_double, bytes: 16, message: 16 },
    Way { name: "binned, one by one", sum: binned_one_by_one, bytes: 0, message: 0 },
    Way { name: "binned, slices", sum: binned, bytes: size_of::<BinnedSum>(), message: 64 },
    Way { name: "exact, one by one", sum: exact_one_by_one, bytes: 0, message: 0 },
    Way { name: "exact, slices", sum: exact, bytes: size_of::<ExactSum>(), message: 8 * WORDS },
    Way { name: "exact, slices in arrays", sum: exact_in::<1>, bytes: 0, message: 0 },
    Way { name: "exact, slices in AVX2", sum: exact_in::<4>, bytes: 0, message: 0 },
    Way { name: "exact, slices in AVX-512", sum: exact_in::<8>, bytes: 0, message: 0 },
    Way { name: "exact, in a loop's lanes, AVX2", sum: exact_in_loop_4, bytes: 0, message: 0 },
    Way { name: "exact, in a loop's lanes, AVX-512", sum: exact_in_loop_8, bytes: 0, message: 0 },
];

fn plain(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    Some(slices.fold(0.0, |sum, terms| terms.iter().fold(sum, |sum, term| sum + term)))
}

fn vector(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    let mut lanes = [0.0; LANES];
    for terms in slices {
        let (groups, tail) = terms.as_chunks::<LANES>();
        groups.iter().for_each(|group| lanes.iter_mut().zip(group).for_each(|(lane, term)| *lane += term));
        lanes.iter_mut().zip(tail).for_each(|(lane, term)| *lane += term);
    }
    Some(lanes.iter().sum())
}

/// W. Kahan, "Further remarks on reducing truncation errors", Commun. ACM 8(1) (1965).
fn kahan(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    let (mut sum, mut lost) = (0.0, 0.0);
    for &term in slices.flatten() {
        let term = term - lost;
        let next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    Some(sum)
}

/// A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", Z. Angew. Math. Mech. 54
/// (1974).
fn neumaier(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    let (mut sum, mut lost) = (0.0f64, 0.0);
    for &term in slices.flatten() {
        let next = sum + term;
        lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
        sum = next;
    }
    Some(sum + lost)
}

/// Y. Hida, X. S. Li, D. H. Bailey, "Library for Double-Double and Quad-Double Arithmetic" (2007).
fn double_double(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    let (mut high, mut low) = (0.0f64, 0.0f64);
    for &term in slices.flatten() {
        let sum = high + term;
        let other = sum - high;
        let error = (high - (sum - other)) + (term - other);
        let rest = low + error;
        high = sum + rest;
        low = rest - (high - sum);
    }
    Some(high + low)
}

fn binned_one_by_one(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    let mut sum = BinnedSum::new();
    slices.for_each(|terms| terms.iter().for_each(|&term| sum.add(term)));
    Some(sum.value())
}

fn binned(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    let mut sum = BinnedSum::new();
    slices.for_each(|terms| sum.add_slice(terms));
    Some(sum.value())
}

fn exact_one_by_one(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    let mut sum = Aligned(ExactSum::new());
    slices.for_each(|terms| terms.iter().for_each(|&term| sum.0.add(term)));
    Some(sum.0.value())
}

fn exact(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    let mut sum = Aligned(ExactSum::new());
    slices.for_each(|terms| sum.0.add_slice(terms));
    Some(sum.0.value())
}

fn exact_in<const LANES: usize>(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    let mut sum = Aligned(ExactSum::new());
    for terms in slices {
        sum.0.add_slice_in_lanes(LANES, terms).then_some(())?;
    }
    Some(sum.0.value())
}

/// When stored, each register lies in one cache line.
#[repr(align(64))]
struct Aligned(ExactSum);

/// Adds as a loop does that has one register of terms at a time: no sum stays in a register.
#[inline(always)]
fn in_loop<const W: usize>(slices: &mut dyn Iterator<Item = &[f64]>) -> f64 {
    let mut sum = Aligned(ExactSum::new());
    for terms in slices {
        let (groups, tail) = terms.as_chunks::<W>();
        groups.iter().for_each(|&group| sum.0.add_lanes(group));
        tail.iter().for_each(|&term| sum.0.add(term));
    }
    sum.0.value()
}

#[cfg(target_arch = "x86_64")]
fn exact_in_loop_4(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    #[target_feature(enable = "avx2")]
    fn avx2(slices: &mut dyn Iterator<Item = &[f64]>) -> f64 {
        in_loop::<4>(slices)
    }
    // SAFETY: the processor has the registers.
    is_x86_feature_detected!("avx2").then(|| unsafe { avx2(slices) })
}

#[cfg(target_arch = "x86_64")]
fn exact_in_loop_8(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
    fn avx512(slices: &mut dyn Iterator<Item = &[f64]>) -> f64 {
        in_loop::<8>(slices)
    }
    let found = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    // SAFETY: the processor has the registers.
    found.then(|| unsafe { avx512(slices) })
}

#[cfg(not(target_arch = "x86_64"))]
fn exact_in_loop_4(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    Some(in_loop::<4>(slices))
}

#[cfg(not(target_arch = "x86_64"))]
fn exact_in_loop_8(slices: &mut dyn Iterator<Item = &[f64]>) -> Option<f64> {
    Some(in_loop::<8>(slices))
}
