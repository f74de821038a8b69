//! Products on their way to a sum: each is two numbers, itself rounded and the error of that, with a window for either.

use super::{ALWAYS, AS_MANY_LANES, BINS, Slices, are_zero, cut_all};
use crate::vector::Fused;

/// Groups of products that are checked together.
const UNROLLED: usize = 2;

/// A rounded product is at least this times its error.
const ABOVE_ERROR: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;

impl Slices {
    /// Takes the products of groups of factors, with the sums in registers, while they fit, their errors are exact, and
    /// nothing is left of them; returns how many groups it has taken. If something is left of the last ones, passes it to
    /// `leave`. A product of at least `least`, or with a factor that is zero, has an exact error.
    #[inline(always)]
    pub(crate) fn take_products<const W: usize, R: Fused<W>>(
        [products, errors]: [&mut Slices; 2],
        [a, b]: [&[[f64; W]]; 2],
        least: f64,
        mut leave: impl FnMut(&[f64; W]),
    ) -> usize {
        let room = products.window.room.min(errors.window.room) as usize;
        let most = a.len().min(room);
        // Errors fit if their products do.
        let limit = R::splat(products.window.limit.min(errors.window.limit * ABOVE_ERROR));
        let (least, zeros) = (R::splat(least), R::splat(0.0));
        // Loops, not closures: these are compiled for the caller's registers.
        let mut sums = [[zeros; BINS]; 2];
        for (sums, window) in sums.iter_mut().zip([&products.window, &errors.window]) {
            for (sum, stored) in sums.iter_mut().zip(&window.sums) {
                *sum = R::load(stored.first_chunk().expect(AS_MANY_LANES));
            }
        }
        let mut taken = 0;
        for (a, b) in a[..most].chunks_exact(UNROLLED).zip(b[..most].chunks_exact(UNROLLED)) {
            let (a, b) = ([R::load(&a[0]), R::load(&a[1])], [R::load(&b[0]), R::load(&b[1])]);
            let products = [a[0].mul(b[0]), a[1].mul(b[1])];
            let sizes = [products[0].abs(), products[1].abs()];
            // The comparison is false for NaN, too.
            if !R::all(sizes[0].at_most(limit) & sizes[1].at_most(limit)) {
                break;
            }
            let large = [least.at_most(sizes[0]), least.at_most(sizes[1])];
            if !R::all(large[0] & large[1]) {
                let mut exact = large;
                for i in 0..UNROLLED {
                    exact[i] = R::either(exact[i], R::either(a[i].equals(zeros), b[i].equals(zeros)));
                }
                if !R::all(exact[0] & exact[1]) {
                    break;
                }
            }
            let errors = [a[0].mul_sub(b[0], products[0]), a[1].mul_sub(b[1], products[1])];
            let mut rests = [products, errors];
            taken += UNROLLED;
            for (sums, rests) in sums.iter_mut().zip(&mut rests) {
                cut_all::<W, R>(sums, rests, 0..ALWAYS);
            }
            if are_zero::<W, R>(&together(rests)) {
                continue;
            }
            for (sums, rests) in sums.iter_mut().zip(&mut rests) {
                cut_all::<W, R>(sums, rests, ALWAYS..BINS - 1);
            }
            if are_zero::<W, R>(&together(rests)) {
                continue;
            }
            for (sums, rests) in sums.iter_mut().zip(&mut rests) {
                cut_all::<W, R>(sums, rests, BINS - 1..BINS);
            }
            let rests = together(rests);
            if !are_zero::<W, R>(&rests) {
                for rest in rests {
                    leave(&rest.to_array());
                }
                break;
            }
        }
        for (sums, window) in sums.into_iter().zip([&mut products.window, &mut errors.window]) {
            window.room -= taken as u64;
            for (sum, stored) in sums.into_iter().zip(&mut window.sums) {
                sum.store(stored.first_chunk_mut().expect(AS_MANY_LANES));
            }
        }
        taken
    }
}

/// All registers.
#[inline(always)]
fn together<R: Copy>([[a, b], [c, d]]: [[R; UNROLLED]; 2]) -> [R; 2 * UNROLLED] {
    [a, b, c, d]
}
