//! Every kernel of Airfoil gives, in each of 4 or 8 lanes, the bits that it gives alone.

use cfd_engine::kernel::{Kernel, Params};
use cfd_engine::lane::Lanes;
use cfd_solvers::airfoil::kernels::{
    adt_calc, bres_calc, cell_middle, check_state, free_stream, res_calc, save_soln, update, wall_force,
    wall_pressure,
};
use cfd_solvers::airfoil::{Config, Flow};

/// The local variables of a kernel, one value a lane, assembled from those of single elements and taken apart.
trait Pack<const W: usize>: Copy + std::fmt::Debug {
    /// The same in lanes.
    type Lanes: Copy;
    fn pack(elements: [Self; W]) -> Self::Lanes;
    fn unpack(lanes: Self::Lanes, lane: usize) -> Self;
    /// The bits of all values; all NaNs count as one.
    fn bits(self) -> Vec<u64>;
}

macro_rules! pack_array {
    ($scalar:ty, |$value:ident| $bits:expr) => {
        impl<const W: usize, const D: usize> Pack<W> for [$scalar; D] {
            type Lanes = [Lanes<W, $scalar>; D];
            fn pack(elements: [Self; W]) -> Self::Lanes {
                std::array::from_fn(|m| Lanes(elements.map(|element| element[m])))
            }
            fn unpack(lanes: Self::Lanes, lane: usize) -> Self {
                lanes.map(|component| component.0[lane])
            }
            fn bits(self) -> Vec<u64> {
                self.into_iter().map(|$value| $bits).collect()
            }
        }
    };
}

pack_array!(f64, |value| if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() });
pack_array!(i32, |value| u64::from(value as u32));

macro_rules! pack_tuple {
    ($($element:ident $i:tt),*) => {
        impl<const W: usize, $($element: Pack<W>),*> Pack<W> for ($($element,)*) {
            type Lanes = ($($element::Lanes,)*);
            fn pack(elements: [Self; W]) -> Self::Lanes {
                ($($element::pack(elements.map(|element| element.$i)),)*)
            }
            fn unpack(lanes: Self::Lanes, lane: usize) -> Self {
                ($($element::unpack(lanes.$i, lane),)*)
            }
            fn bits(self) -> Vec<u64> {
                [$(self.$i.bits()),*].concat()
            }
        }
    };
}

pack_tuple!(A 0);
pack_tuple!(A 0, B 1);
pack_tuple!(A 0, B 1, C 2);
pack_tuple!(A 0, B 1, C 2, D 3, E 4);
pack_tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
pack_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
pack_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

/// The local variables of a kernel in some lanes.
type Locals<K, R> = <<K as Kernel>::Params as Params>::Locals<R>;

/// Calls a kernel 50 times for `W` elements together, and for each alone.
fn check<const W: usize, K: Kernel>(
    _: fn() -> K,
    random: &mut Random,
    element: impl Fn(&mut Random) -> Locals<K, f64>,
    constants: &K::Constants,
) where
    Locals<K, f64>: Pack<W, Lanes = Locals<K, Lanes<W>>>,
{
    let mut changed = false;
    for _ in 0..50 {
        let elements: [_; W] = std::array::from_fn(|_| element(random));
        let mut together = Pack::pack(elements);
        K::call::<Lanes<W>>(&mut together, constants);
        for (lane, before) in elements.into_iter().enumerate() {
            let mut alone = before;
            K::call::<f64>(&mut alone, constants);
            let bits = Locals::<K, f64>::unpack(together, lane).bits();
            assert_eq!(bits, alone.bits(), "{}, lane {lane} of {W}: {before:?}", K::NAME);
            changed |= bits != before.bits();
        }
    }
    assert!(changed, "{} computes something", K::NAME);
}

/// Pseudo-random numbers: Marsaglia's xorshift generator (Journal of Statistical Software 8 (2003), DOI
/// 10.18637/jss.v008.i14).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number in [low, high).
    fn number(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn point(&mut self) -> [f64; 2] {
        std::array::from_fn(|_| self.number(-2.0, 2.0))
    }

    /// Conserved variables; occasionally of an impossible gas, whose sound speed is not a number.
    fn state(&mut self) -> [f64; 4] {
        let energy = if self.next().is_multiple_of(16) { 0.01 } else { self.number(2.0, 4.0) };
        [self.number(0.5, 2.0), self.number(-0.5, 0.5), self.number(-0.5, 0.5), energy]
    }

    fn step(&mut self) -> [f64; 1] {
        [self.number(0.1, 20.0)]
    }

    /// Wall or far field, both among the lanes of one call.
    fn bound(&mut self) -> [i32; 1] {
        [if self.next().is_multiple_of(2) { 1 } else { 2 }]
    }
}

/// Increments start from the exact identity of addition.
const NONE: [f64; 4] = [-0.0; 4];
/// What a kernel must not read.
const UNSET: f64 = f64::NAN;

fn check_all_kernels<const W: usize>() {
    let flow = Flow::new(&Config { alpha: 3.0, ..Config::default() });
    let r = &mut Random(2_463_534_242);
    check::<W, _>(free_stream, r, |_| ([UNSET; 4],), &flow);
    check::<W, _>(save_soln, r, |r| (r.state(), [UNSET; 4]), &());
    let corners = |r: &mut Random| (r.point(), r.point(), r.point(), r.point());
    let cell = |r: &mut Random| {
        let (x1, x2, x3, x4) = corners(r);
        (x1, x2, x3, x4, r.state(), [UNSET], [UNSET])
    };
    check::<W, _>(adt_calc, r, cell, &flow);
    let edge = |r: &mut Random| (r.point(), r.point(), r.state(), r.state(), r.step(), r.step(), NONE, NONE);
    check::<W, _>(res_calc, r, edge, &flow);
    let bedge = |r: &mut Random| (r.point(), r.point(), r.state(), r.step(), NONE, r.bound());
    check::<W, _>(bres_calc, r, bedge, &flow);
    check::<W, _>(update, r, |r| (r.state(), [UNSET; 4], r.state(), r.step(), [-0.0]), &());
    check::<W, _>(check_state, r, |r| (r.state(), [UNSET]), &flow);
    let middle = |r: &mut Random| {
        let (x1, x2, x3, x4) = corners(r);
        (x1, x2, x3, x4, [UNSET; 2])
    };
    check::<W, _>(cell_middle, r, middle, &());
    let force = |r: &mut Random| (r.point(), r.point(), r.state(), r.bound(), [-0.0; 2]);
    check::<W, _>(wall_force, r, force, &flow);
    let wall = |r: &mut Random| (r.point(), r.point(), r.state(), r.bound(), [UNSET; 4]);
    check::<W, _>(wall_pressure, r, wall, &flow);
}

#[test]
fn airfoil_kernels_have_the_same_bits_alone_and_in_four_lanes() {
    check_all_kernels::<4>();
}

#[test]
fn airfoil_kernels_have_the_same_bits_alone_and_in_eight_lanes() {
    check_all_kernels::<8>();
}
