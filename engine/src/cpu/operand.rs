//! What a loop is called with: operands, matched to the kernel's parameters by the compiler.
//!
//! ```text
//! parameter        operand
//! Read<D, T>       Dat<D, T> (direct) or dat.at(map.target::<I>()) (indirect)      same for Write, Rw, Inc, Min, Max
//! [Read<D, T>; N]  dat.all(map), at all N targets of the map                      the same for Inc, Min, Max
//! Sum<D> Min Max   Global<Sum<D>> ...
//! ```
//!
//! A dat of another dimension or type does not compile, nor does a wrong number of operands:
//!
//! ```compile_fail
//! # use cfd_engine::prelude::*;
//! # #[kernel]
//! # pub fn double(a: Rw<1>) { a[0] = a[0] + a[0]; }
//! fn run(domain: &mut Domain, cells: Set, q: Dat<4>) {
//!     domain.par_loop(double, cells, (q,), &());
//! }
//! # fn main() { let _: fn(&mut Domain, Set, Dat<4>) = run; }
//! ```
//!
//! [`Operand::bind`] turns an operand into a [`BoundArgument`], with which the executor loads the
//! kernel's local variable for an element and stores it back.

use std::ops::Range;

use crate::base::share::share;
use crate::cpu::bound::{
    AllTargets, BoundArgument, BoundArguments, DatParam, DirectRows, IndirectRows, LoopContext, OneTarget,
    gather_rows,
};
use crate::cpu::running::{RunningExtremum, RunningSum};
use crate::model::handle::{All, At, Dat, Global, Map};
use crate::model::kernel::{Access, Max, Min, Param, Params, Sum, first_arguments};
use crate::model::loop_info::{ArgInfo, Place};
use crate::schedule::steps::Schedule;
use crate::store::dat_storage::Stored;
use crate::store::local::Local;

/// An operand that can be given for parameter `P`.
#[diagnostic::on_unimplemented(
    message = "this operand does not fit the kernel's parameter `{P}`",
    label = "of another dimension, element type or kind than `{P}`"
)]
pub trait Operand<P: Param>: Copy + Sync + 'static {
    /// The operand bound to storage.
    type Bound: BoundArgument<P>;
    #[doc(hidden)]
    fn push_infos(&self, infos: &mut Vec<ArgInfo>);
    /// Binds the operand, whose first argument is number `arg` of its loop.
    #[doc(hidden)]
    fn bind(&self, context: &LoopContext<'_>, arg: usize) -> Self::Bound;
    /// Combines a worker's share of the dat with what has been buffered for it, if this operand has the first argument
    /// that is buffered.
    ///
    /// # Safety
    /// As for [`BoundArgument`].
    #[doc(hidden)]
    unsafe fn gather(
        &self,
        _local: &Local,
        _schedule: &Schedule,
        _arg: usize,
        _worker: usize,
        _workers: usize,
    ) {
    }
}

impl<const D: usize, T: Stored, P: DatParam<D, T>> Operand<P> for Dat<D, T> {
    type Bound = DirectRows<D, T>;
    fn push_infos(&self, infos: &mut Vec<ArgInfo>) {
        let place = Place::Direct { dat: self.id as usize };
        infos.push(ArgInfo { place, access: P::ACCESS, domain: self.set.domain, map_domain: None });
    }
    fn bind(&self, context: &LoopContext<'_>, arg: usize) -> DirectRows<D, T> {
        DirectRows::new(context, self.id as usize, arg)
    }
}

impl<const D: usize, T: Stored, const N: usize, const I: usize, P: DatParam<D, T>> Operand<P>
    for At<D, T, N, I>
{
    type Bound = OneTarget<D, T, N, I>;
    fn push_infos(&self, infos: &mut Vec<ArgInfo>) {
        infos.push(at_target(self.dat, self.map, I, P::ACCESS));
    }
    fn bind(&self, context: &LoopContext<'_>, arg: usize) -> OneTarget<D, T, N, I> {
        OneTarget(IndirectRows::new(context, self.dat.id as usize, self.map.id as usize, P::ACCESS, arg))
    }
    unsafe fn gather(&self, local: &Local, schedule: &Schedule, arg: usize, worker: usize, workers: usize) {
        // SAFETY: the caller's conditions.
        unsafe {
            gather_share::<D, T, P>(local, schedule, self.dat.id as usize, arg..arg + 1, worker, workers)
        }
    }
}

impl<const D: usize, T: Stored, const N: usize, P: DatParam<D, T>> Operand<[P; N]> for All<D, T, N> {
    type Bound = AllTargets<D, T, N>;
    fn push_infos(&self, infos: &mut Vec<ArgInfo>) {
        infos.extend((0..N).map(|index| at_target(self.dat, self.map, index, P::ACCESS)));
    }
    fn bind(&self, context: &LoopContext<'_>, arg: usize) -> AllTargets<D, T, N> {
        AllTargets(IndirectRows::new(context, self.dat.id as usize, self.map.id as usize, P::ACCESS, arg))
    }
    unsafe fn gather(&self, local: &Local, schedule: &Schedule, arg: usize, worker: usize, workers: usize) {
        // SAFETY: the caller's conditions.
        unsafe {
            gather_share::<D, T, P>(local, schedule, self.dat.id as usize, arg..arg + N, worker, workers)
        }
    }
}

/// A dat at a target of a map.
fn at_target<const D: usize, T, const N: usize>(
    dat: Dat<D, T>,
    map: Map<N>,
    index: usize,
    access: Access,
) -> ArgInfo {
    let place = Place::Indirect { dat: dat.id as usize, map: map.id as usize, index };
    ArgInfo { place, access, domain: dat.set.domain, map_domain: Some(map.from.domain) }
}

/// Combines a worker's share of a dat with what has been buffered for it, if these arguments include the first that is
/// buffered.
///
/// # Safety
/// As for [`BoundArgument`].
unsafe fn gather_share<const D: usize, T: Stored, P: DatParam<D, T>>(
    local: &Local,
    schedule: &Schedule,
    dat: usize,
    args: Range<usize>,
    worker: usize,
    workers: usize,
) {
    if let Some(gather) = schedule.gathers.iter().find(|g| args.contains(&g.arg)) {
        let buffered = schedule.buffered[gather.arg].expect("what is gathered has been buffered");
        let targets = share(gather.starts.len() - 1, worker, workers);
        // SAFETY: the caller's conditions; `share` gives every worker targets of its own.
        unsafe { gather_rows::<D, T, P>(local, gather, buffered, dat, targets) }
    }
}

macro_rules! global_operand {
    ($param:ident, $bound:ty) => {
        impl<const D: usize> Operand<$param<D>> for Global<$param<D>> {
            type Bound = $bound;
            fn push_infos(&self, infos: &mut Vec<ArgInfo>) {
                let place = Place::Global { global: self.id as usize };
                infos.push(ArgInfo { place, access: Access::$param, domain: self.domain, map_domain: None });
            }
            fn bind(&self, context: &LoopContext<'_>, _arg: usize) -> $bound {
                <$bound>::new(context, self.id as usize)
            }
        }
    };
}

global_operand!(Sum, RunningSum<D>);
global_operand!(Min, RunningExtremum<D, Min<D>>);
global_operand!(Max, RunningExtremum<D, Max<D>>);

/// The operands of a loop: a tuple, matched one by one to the kernel's parameters.
#[diagnostic::on_unimplemented(
    message = "these operands do not fit the kernel's parameters",
    note = "the number of operands, or an operand's dimension, element type or kind, differs from the kernel's signature"
)]
pub trait Operands<P: Params>: Copy + Sync + 'static {
    /// The operands bound to storage.
    type Bound: BoundArguments<P>;
    #[doc(hidden)]
    fn infos(&self) -> Vec<ArgInfo>;
    #[doc(hidden)]
    fn bind(&self, context: &LoopContext<'_>) -> Self::Bound;
    /// See [`Operand::gather`].
    ///
    /// # Safety
    /// As for [`BoundArguments`].
    #[doc(hidden)]
    unsafe fn gather(&self, local: &Local, schedule: &Schedule, worker: usize, workers: usize);
}

macro_rules! operands_tuple {
    ($($p:ident $a:ident $i:tt),*) => {
        impl<$($p: Param, $a: Operand<$p>),*> Operands<($($p,)*)> for ($($a,)*) {
            type Bound = ($($a::Bound,)*);
            fn infos(&self) -> Vec<ArgInfo> {
                let mut infos = Vec::new();
                $(self.$i.push_infos(&mut infos);)*
                infos
            }
            fn bind(&self, context: &LoopContext<'_>) -> Self::Bound {
                let first = const { first_arguments([$($p::ARGUMENTS),*]) };
                ($(self.$i.bind(context, first[$i]),)*)
            }
            unsafe fn gather(&self, local: &Local, schedule: &Schedule, worker: usize, workers: usize) {
                let first = const { first_arguments([$($p::ARGUMENTS),*]) };
                // SAFETY: the caller's conditions.
                unsafe { $(self.$i.gather(local, schedule, first[$i], worker, workers);)* }
            }
        }
    };
}

crate::model::kernel::for_each_tuple!(operands_tuple);
