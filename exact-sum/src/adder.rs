//! Terms on their way to a total: through the window, if they fit, or past it.

use crate::buckets;
use crate::fixed_point::{FixedPoint, SUM_DIGITS};
use crate::slices::{Left, Slices, UNROLLED, largest_finite};
#[cfg(target_arch = "x86_64")]
use crate::vector::Fused;
use crate::vector::processor::Registers;
#[cfg(target_arch = "x86_64")]
use crate::vector::x86::{F64x4, F64x8};
use crate::vector::{Vector, groups};

/// Groups that must fit between two that do not for the window to pay: where terms would otherwise be added one by one, and
/// where they would go to buckets, many at once.
const FEW: u64 = 4;
const MANY: u64 = 16;

/// A total and the window before it.
pub(crate) struct Adder<'a> {
    /// What is not yet in the total.
    pub(crate) slices: &'a mut Slices,
    pub(crate) total: &'a mut FixedPoint<SUM_DIGITS>,
}

impl Adder<'_> {
    /// Adds all terms, in these registers.
    #[inline]
    pub(crate) fn add_slice(&mut self, registers: Registers, terms: &[f64]) {
        match registers {
            Registers::Portable => self.add_groups::<2, [f64; 2]>(terms, buckets::add),
            // SAFETY: the processor has the registers.
            #[cfg(target_arch = "x86_64")]
            Registers::Avx2 => unsafe { self.add_slice_avx2(terms) },
            // SAFETY: the processor has the registers.
            #[cfg(target_arch = "x86_64")]
            Registers::Avx512 => unsafe { self.add_slice_avx512(terms) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn add_slice_avx2(&mut self, terms: &[f64]) {
        self.add_groups::<4, F64x4>(terms, |terms, total| buckets::add_avx2(terms, total));
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx2")]
    fn add_slice_avx512(&mut self, terms: &[f64]) {
        self.add_groups::<8, F64x8>(terms, |terms, total| buckets::add_avx2(terms, total));
    }

    /// Adds products, whose errors have a window of their own, up to the first that does not fit, or a few more or fewer;
    /// returns how many it has added. A product of at least `least` has an exact error.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
    pub(crate) fn add_products(
        &mut self,
        registers: Registers,
        errors: &mut Slices,
        factors: [&[f64]; 2],
        least: f64,
    ) -> usize {
        match registers {
            Registers::Portable => 0,
            // SAFETY: the processor has the registers.
            #[cfg(target_arch = "x86_64")]
            Registers::Avx2 => unsafe { self.add_products_avx2(errors, factors, least) },
            // SAFETY: the processor has the registers.
            #[cfg(target_arch = "x86_64")]
            Registers::Avx512 => unsafe { self.add_products_avx512(errors, factors, least) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn add_products_avx2(&mut self, errors: &mut Slices, factors: [&[f64]; 2], least: f64) -> usize {
        self.add_fitting_products::<4, F64x4>(errors, factors, least)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx2,fma")]
    fn add_products_avx512(&mut self, errors: &mut Slices, factors: [&[f64]; 2], least: f64) -> usize {
        self.add_fitting_products::<8, F64x8>(errors, factors, least)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn add_fitting_products<const W: usize, R: Fused<W>>(
        &mut self,
        errors: &mut Slices,
        [a, b]: [&[f64]; 2],
        least: f64,
    ) -> usize {
        let factors = [groups::<W>(a).0, groups::<W>(b).0];
        let leave = |rest: &[f64; W]| self.total.add_numbers(rest);
        W * Slices::take_products::<W, R>([self.slices, errors], factors, least, leave)
    }

    /// Adds a term in each lane.
    #[inline(always)]
    pub(crate) fn add_lanes<const W: usize, R: Vector<W>>(&mut self, terms: R) {
        if self.slices.pauses() {
            return self.total.add_numbers(&terms.to_array());
        }
        if self.add_group(terms, FEW) || !self.slices.are_scattered() {
            return;
        }
        self.slices.begin_pause();
    }

    /// Adds a term in each lane; returns whether they fitted in the window.
    #[inline(always)]
    fn add_group<const W: usize, R: Vector<W>>(&mut self, terms: R, enough: u64) -> bool {
        match self.slices.take(terms) {
            Some(Left::Nothing) => return true,
            Some(Left::Rest(rest)) => self.add_rest(&terms.to_array(), &rest.to_array(), enough),
            None => self.add_outside(&terms.to_array(), enough),
        }
        false
    }

    /// Adds terms in groups of as many as lanes; scattered ones by `add_scattered`, if they are many.
    #[inline(always)]
    fn add_groups<const W: usize, R: Vector<W>>(
        &mut self,
        terms: &[f64],
        add_scattered: impl Fn(&[f64], &mut FixedPoint<SUM_DIGITS>),
    ) {
        if terms.len() < buckets::FEWEST && self.slices.pauses() {
            return self.total.add_numbers(terms);
        }
        let enough = if terms.len() < buckets::FEWEST { FEW } else { MANY };
        let mut rest = terms;
        while !rest.is_empty() {
            rest = self.add_fitting::<W, R>(rest, enough);
            if !rest.is_empty() && self.slices.are_scattered() {
                let (scattered, others) = rest.split_at(rest.len().min(buckets::MOST));
                match scattered.len() {
                    ..buckets::FEWEST => self.total.add_numbers(scattered),
                    _ => add_scattered(scattered, self.total),
                }
                rest = others;
                self.slices.begin_pause();
            }
        }
    }

    /// Adds terms up to the first that do not fit in the window, and these; returns the others.
    #[inline(always)]
    fn add_fitting<'a, const W: usize, R: Vector<W>>(&mut self, terms: &'a [f64], enough: u64) -> &'a [f64] {
        let (groups, tail) = groups::<W>(terms);
        let mut left = false;
        let taken = self.slices.take_groups::<W, R>(groups, |rest| {
            left = true;
            self.total.add_numbers(rest);
        });
        if left {
            self.slices.note_misfit(enough);
            if self.slices.is_too_high(UNROLLED) {
                self.move_window(&terms[W * (taken - UNROLLED)..W * taken]);
            }
            return &terms[W * taken..];
        }
        // Terms too large for the window, or too few for a batch.
        for (i, group) in groups[taken..].iter().enumerate() {
            if !self.add_group(R::load(group), enough) || i == UNROLLED {
                return &terms[W * (taken + i + 1)..];
            }
        }
        if !tail.is_empty() {
            let mut group = [0.0; W];
            group[..tail.len()].copy_from_slice(tail);
            self.add_group(R::load(&group), enough);
        }
        &[]
    }

    /// Adds terms that did not fit in the window of slices.
    #[cold]
    #[inline(never)]
    fn add_outside(&mut self, terms: &[f64], enough: u64) {
        self.slices.note_misfit(enough);
        self.move_window(terms);
        self.total.add_numbers(terms);
    }

    /// Adds the rest that the window of slices has left of terms.
    #[cold]
    #[inline(never)]
    fn add_rest(&mut self, terms: &[f64], rest: &[f64], enough: u64) {
        self.slices.note_misfit(enough);
        if self.slices.is_too_high(1) {
            self.move_window(terms);
        }
        self.total.add_numbers(rest);
    }

    /// Moves the window so that terms like these fit in it.
    #[cold]
    #[inline(never)]
    fn move_window(&mut self, terms: &[f64]) {
        self.slices.open(largest_finite(terms), self.total);
    }
}
