//! 32-bit integers in as many lanes as a register has numbers. They are few and rare in kernels: an array suffices.

use std::marker::PhantomData;
use std::ops::{Add, Mul, Sub};

use crate::{Int, Mask};

/// A mask with access to its lanes.
pub trait LaneMask<const W: usize>: Mask + 'static {
    /// From one truth value per lane.
    fn from_lanes(lanes: [bool; W]) -> Self;
    /// One truth value per lane.
    fn to_lanes(self) -> [bool; W];
}

/// `W` integers whose comparisons give masks of type `M`.
#[derive(Debug)]
pub struct Ints<const W: usize, M> {
    pub(super) lanes: [i32; W],
    mask: PhantomData<M>,
}

impl<const W: usize, M> Clone for Ints<W, M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<const W: usize, M> Copy for Ints<W, M> {}

impl<const W: usize, M> Ints<W, M> {
    #[inline(always)]
    pub(super) fn new(lanes: [i32; W]) -> Self {
        Ints { lanes, mask: PhantomData }
    }
}

macro_rules! lane_wise {
    ($trait:ident, $method:ident, $assign:tt) => {
        impl<const W: usize, M> $trait for Ints<W, M> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                for i in 0..W {
                    self.lanes[i] $assign other.lanes[i];
                }
                self
            }
        }
    };
}

lane_wise!(Add, add, +=);
lane_wise!(Sub, sub, -=);
lane_wise!(Mul, mul, *=);

impl<const W: usize, M: LaneMask<W>> Int for Ints<W, M> {
    type Mask = M;
    #[inline(always)]
    fn splat(value: i32) -> Self {
        Ints::new([value; W])
    }
    #[inline(always)]
    fn lt(self, other: Self) -> M {
        let mut lanes = [false; W];
        for i in 0..W {
            lanes[i] = self.lanes[i] < other.lanes[i];
        }
        M::from_lanes(lanes)
    }
    #[inline(always)]
    fn le(self, other: Self) -> M {
        let mut lanes = [false; W];
        for i in 0..W {
            lanes[i] = self.lanes[i] <= other.lanes[i];
        }
        M::from_lanes(lanes)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> M {
        let mut lanes = [false; W];
        for i in 0..W {
            lanes[i] = self.lanes[i] == other.lanes[i];
        }
        M::from_lanes(lanes)
    }
    #[inline(always)]
    fn select(mask: M, then: Self, otherwise: Self) -> Self {
        let (mask, mut lanes) = (mask.to_lanes(), otherwise.lanes);
        for i in 0..W {
            if mask[i] {
                lanes[i] = then.lanes[i];
            }
        }
        Ints::new(lanes)
    }
}
