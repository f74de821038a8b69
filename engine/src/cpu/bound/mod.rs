//! Operands bound to one rank's storage: how a kernel's local variables are loaded and stored, for as many elements at
//! once as there are lanes.
//!
//! A loop finds what it *reads* through a map by the element's row in the map. It finds what it *changes* through a map
//! by the element's position in the schedule. A schedule can therefore send changes elsewhere than the map says: to a
//! scratch row where another worker owns the target, or to an increment buffer.
//!
//! ```text
//! direct      dats on the loop's own set
//! indirect    dats reached through a map
//! rows        rows of several elements on their way from registers to where they are stored
//! ```
//!
//! Global results are bound in [`running`](crate::cpu::running).

mod direct;
mod indirect;
mod rows;

use std::hint::black_box;

use cfd_lanes::{Element, Real, Vector};

pub use self::direct::DirectRows;
pub(crate) use self::indirect::gather_rows;
pub use self::indirect::{AllTargets, IndirectRows, OneTarget};
use self::rows::Rows;
use crate::cpu::element_block::ElementBlock;
use crate::model::kernel::{Access, Inc, Kernel, Max, Min, Param, Params, Read, Rw, Write, first_arguments};
use crate::schedule::steps::{Buffered, Targets};
use crate::store::dat_storage::Stored;
use crate::store::global::{GlobalStore, Ordered};
use crate::store::local::Local;

/// Loop context: what the operands of a loop are bound to for a stretch of its elements.
pub struct LoopContext<'a> {
    pub(crate) local: &'a Local,
    /// The worker's part of the global results.
    pub(crate) globals: &'a [GlobalStore],
    /// The loop's set.
    pub(crate) set: usize,
    /// Where changes through maps go, if not where the maps say.
    pub(crate) targets: Option<&'a Targets>,
    /// For every argument, its place in an increment buffer; empty when increments are added at once.
    pub(crate) buffered: &'a [Option<Buffered>],
    /// Where a tile of a chain finds each argument; empty outside chains.
    pub(crate) placed: &'a [Placed],
    /// The loop touches more than the cache holds.
    pub(crate) streaming: bool,
    /// The rows at a tile's positions, where elements are found by position; empty elsewhere.
    pub(crate) ids_of: &'a [u32],
}

/// Where a tile of a chain finds an argument.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    base: *mut u8,
    /// Rows at `base`.
    rows: usize,
    /// A tile's rows, found by position; on the loop's own set, stored for every element, not only for owned ones.
    private: bool,
    indices: *const u32,
    /// Number of indices.
    count: usize,
}

impl Placed {
    /// `rows` rows of the rank at `base`, found by row.
    pub fn in_dat_storage(base: *mut u8, rows: usize) -> Placed {
        Placed { base, rows, private: false, indices: std::ptr::null(), count: 0 }
    }

    /// `rows` rows of a tile at `base`, found by position.
    pub fn private(base: *mut u8, rows: usize) -> Placed {
        Placed { private: true, ..Placed::in_dat_storage(base, rows) }
    }

    /// An argument without storage of its own.
    pub fn nowhere() -> Placed {
        Placed::in_dat_storage(std::ptr::null_mut(), 0)
    }

    /// The same rows, found through these indices, which are listed by position.
    pub fn through(self, indices: &[u32]) -> Placed {
        Placed { indices: indices.as_ptr(), count: indices.len(), ..self }
    }
}

/// A bound argument: an operand bound to one rank's storage.
///
/// # Safety
///
/// `load`, `store` and `store_row` access the storage without synchronisation: the block must belong to the schedule
/// for which the operand was bound, the storage must outlive the call, and nothing else may access it meanwhile; `e` is
/// below `W`, and rows are those that `store` has returned. Arguments that store row by row have rows of one type if
/// their parameters have the same access and the same number and type of components, and [`BoundArgument::VALUE_BYTES`]
/// are the same.
pub unsafe trait BoundArgument<P: Param>: Copy {
    /// What changes through a map, row by row, until it is stored.
    type Rows<const W: usize>: Rows;
    /// Whether anything changes through a map.
    const STORES_ROW_BY_ROW: bool = false;
    /// Bytes of a stored value.
    const VALUE_BYTES: usize = 0;
    /// Whether single values are read through a map.
    const READS_SINGLES_THROUGH_MAPS: bool = false;
    /// The kernel's local variable.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn load<const W: usize, R: Vector<W>>(&self, block: &impl ElementBlock<W>) -> P::Local<R>;
    /// Stores what the kernel left in its local variable where no two elements meet, and global results; returns the
    /// rows that must wait for their turn, for arguments that are their own source.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn store<const W: usize, R: Vector<W>>(
        &mut self,
        block: &impl ElementBlock<W>,
        local: &P::Local<R>,
        sources: RowSources,
    ) -> Self::Rows<W>;
    /// Stores the rows of element number `e` of the block, or their negatives, in the order of the arguments.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn store_row<const W: usize>(
        &self,
        _block: &impl ElementBlock<W>,
        _e: usize,
        _rows: &Self::Rows<W>,
        _sources: RowSources,
    ) {
    }
    /// As [`store_row`](BoundArgument::store_row), into the increment buffer if increments are buffered.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn buffer_row<const W: usize>(
        &self,
        _block: &impl ElementBlock<W>,
        _e: usize,
        _rows: &Self::Rows<W>,
        _sources: RowSources,
    ) {
    }
    /// True when the argument's increments are buffered.
    #[inline(always)]
    fn is_buffered(&self) -> bool {
        false
    }
    /// Prefetches what later elements will need, if the block is consecutive.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn prefetch<const W: usize>(&self, _block: &impl ElementBlock<W>) {}
    /// Hands accumulated results over after a stretch of elements.
    #[inline(always)]
    fn finish(&self, _globals: &mut [GlobalStore]) {}
}

/// The sources of an operand's rows.
#[derive(Clone, Copy, Debug)]
pub struct RowSources {
    /// [`Kernel::ROW_SOURCES`].
    all: &'static [usize],
    /// The operand's first argument.
    first: usize,
    /// The rows come from another operand, and this operand stores their negatives.
    negative: bool,
}

impl RowSources {
    /// The argument, among the operand's `N`, whose rows are stored for number `index`: itself, or one that is its own
    /// source.
    #[inline(always)]
    fn among<const N: usize>(self, index: usize) -> usize {
        let own = |argument: usize| self.all[argument] == argument;
        match self.all[self.first + index].checked_sub(self.first) {
            Some(source) if source < N && own(self.first + source) => source,
            _ => index,
        }
    }
}

/// For every operand, the operand whose rows it stores: itself, or the one whose negatives it has, if each is a single
/// argument and they are alike.
const fn operand_sources<const N: usize>(
    all: &[usize],
    shapes: &[(Access, usize, bool)],
    arguments: [usize; N],
    stores: [bool; N],
    value_bytes: [usize; N],
) -> [usize; N] {
    let first = first_arguments(arguments);
    let mut sources = [0; N];
    let mut i = 0;
    while i < N {
        sources[i] = i;
        let mut of = 0;
        while of < N {
            let alike = shapes[of].0 as u8 == shapes[i].0 as u8
                && shapes[of].1 == shapes[i].1
                && shapes[of].2 == shapes[i].2
                && value_bytes[of] == value_bytes[i];
            let single = arguments[of] == 1 && arguments[i] == 1 && stores[of] && stores[i];
            if single && alike && all[first[i]] == first[of] && all[first[of]] == first[of] {
                sources[i] = of;
            }
            of += 1;
        }
        i += 1;
    }
    sources
}

/// A parameter for `D` values of a dat: how they are loaded and stored.
#[diagnostic::on_unimplemented(
    message = "a dat of {D} {T} an element does not fit the kernel's parameter `{Self}`",
    label = "of another dimension, element type or kind than `{Self}`"
)]
pub trait DatParam<const D: usize, T: Element>: Param {
    /// What the components of the local variable start from, if not from the dat's values.
    #[doc(hidden)]
    const START: T;
    /// The local variable of these lanes.
    #[doc(hidden)]
    fn local<R: Real>(lanes: [T::Lane<R>; D]) -> Self::Local<R>;
    /// The lanes of a local variable.
    #[doc(hidden)]
    fn lanes<R: Real>(local: &Self::Local<R>) -> &[T::Lane<R>; D];
    #[doc(hidden)]
    fn store(row: &mut [T; D], local: &[T; D]);
}

macro_rules! dat_param {
    ($param:ty, $value:ty, $start:expr, |$row:ident, $local:ident| $store:expr) => {
        impl<const D: usize> DatParam<D, $value> for $param {
            const START: $value = $start;
            #[inline(always)]
            fn local<R: Real>(lanes: [<$value as Element>::Lane<R>; D]) -> [<$value as Element>::Lane<R>; D] {
                lanes
            }
            #[inline(always)]
            fn lanes<R: Real>(
                local: &[<$value as Element>::Lane<R>; D],
            ) -> &[<$value as Element>::Lane<R>; D] {
                local
            }
            #[inline(always)]
            fn store($row: &mut [$value; D], $local: &[$value; D]) {
                $store
            }
        }
    };
}

/// What stands in a parameter, and the values of the dats that fit it.
macro_rules! dat_params {
    ($($computed:ty: $value:ty),*) => {
        $(
            dat_param!(Read<D, $computed>, $value, <$value>::ZERO, |_row, _local| {});
            // The kernel sets every component before the store; the macro checks it.
            dat_param!(Write<D, $computed>, $value, <$value>::ZERO, |row, local| *row = *local);
            dat_param!(Rw<D, $computed>, $value, <$value>::ZERO, |row, local| *row = *local);
            dat_param!(Inc<D, $computed>, $value, <$value>::INC_START, |row, local| {
                for m in 0..D {
                    row[m] = row[m].plus(local[m]);
                }
            });
        )*
    };
}

// A kernel computes in double precision, whether the dat holds f64 or f32.
dat_params!(f64: f64, f64: f32, i32: i32);
dat_param!(Min<D>, f64, Self::UNSET, |row, local| {
    for m in 0..D {
        row[m] = Self::earlier(row[m], local[m]);
    }
});
dat_param!(Max<D>, f64, Self::UNSET, |row, local| {
    for m in 0..D {
        row[m] = Self::earlier(row[m], local[m]);
    }
});

/// The local variable of a parameter that does not start from the dat's values.
#[inline(always)]
fn start<const D: usize, T: Stored, P: DatParam<D, T>, R: Real>() -> P::Local<R> {
    P::local::<R>([P::START.splat::<R>(); D])
}

/// The bound arguments of a loop; the tuple form of [`BoundArgument`].
///
/// # Safety
/// As [`BoundArgument`].
pub unsafe trait BoundArguments<P: Params>: Copy {
    /// Whether anything changes through a map.
    const STORES_ROW_BY_ROW: bool;
    /// Whether single values are read through a map.
    const READS_SINGLES_THROUGH_MAPS: bool;
    /// Loads all local variables.
    ///
    /// # Safety
    /// See [`BoundArgument`].
    unsafe fn load<const W: usize, R: Vector<W>>(&self, block: &impl ElementBlock<W>) -> P::Locals<R>;
    /// Stores all local variables; what changes through maps is stored element by element, in argument order. Where an
    /// operand's increments are the negatives of another's, the other's are subtracted.
    ///
    /// # Safety
    /// See [`BoundArgument`]; the kernel has produced the local variables.
    unsafe fn store<const W: usize, R: Vector<W>, K: Kernel<Params = P>>(
        &mut self,
        block: &impl ElementBlock<W>,
        locals: &P::Locals<R>,
    );
    /// Prefetches what later elements will need, if the block is consecutive.
    ///
    /// # Safety
    /// See [`BoundArgument`].
    unsafe fn prefetch<const W: usize>(&self, block: &impl ElementBlock<W>);
    /// Hands accumulated results over.
    fn finish(&self, globals: &mut [GlobalStore]);
}

macro_rules! bound_arguments {
    ($($p:ident $a:ident $i:tt),*) => {
        // SAFETY: passes the conditions on.
        unsafe impl<$($p: Param, $a: BoundArgument<$p>),*> BoundArguments<($($p,)*)> for ($($a,)*) {
            const STORES_ROW_BY_ROW: bool = false $(|| $a::STORES_ROW_BY_ROW)*;
            const READS_SINGLES_THROUGH_MAPS: bool = false $(|| $a::READS_SINGLES_THROUGH_MAPS)*;
            #[inline(always)]
            unsafe fn load<const W: usize, R: Vector<W>>(
                &self,
                block: &impl ElementBlock<W>,
            ) -> <($($p,)*) as Params>::Locals<R> {
                // SAFETY: the caller's conditions.
                unsafe { ($(self.$i.load::<W, R>(block),)*) }
            }
            #[inline(always)]
            unsafe fn store<const W: usize, R: Vector<W>, K: Kernel<Params = ($($p,)*)>>(
                &mut self,
                block: &impl ElementBlock<W>,
                locals: &<($($p,)*) as Params>::Locals<R>,
            ) {
                let first = const { first_arguments([$($p::ARGUMENTS),*]) };
                let source = const {
                    let shapes = <($($p,)*) as Params>::SHAPES;
                    operand_sources(
                        K::ROW_SOURCES,
                        shapes,
                        [$($p::ARGUMENTS),*],
                        [$($a::STORES_ROW_BY_ROW),*],
                        [$($a::VALUE_BYTES),*],
                    )
                };
                let sources_of = |i: usize| {
                    RowSources { all: K::ROW_SOURCES, first: first[i], negative: source[i] != i }
                };
                // SAFETY: the caller's conditions; `e` is below W. An operand that changes rows finds them at its
                // source, which is its own source and so has returned rows. Both store row by row, and their parameters
                // and values are alike, so their rows are of one type.
                unsafe {
                    let rows = ($(
                        if source[$i] == $i {
                            self.$i.store::<W, R>(block, &locals.$i, sources_of($i))
                        } else {
                            Rows::none()
                        },
                    )*);
                    if W > 1 && (false $(|| $a::STORES_ROW_BY_ROW)*) {
                        // Keeps the rows in memory: the compiler would assemble the first ones from single values.
                        black_box(&rows);
                    }
                    let all = [$((&raw const rows.$i).cast::<u8>()),*];
                    let sources = ($(&*all[source[$i]].cast::<$a::Rows<W>>(),)*);
                    if false $(|| self.$i.is_buffered())* {
                        for e in 0..W {
                            $(<$a as BoundArgument<$p>>::buffer_row(&self.$i, block, e, sources.$i, sources_of($i));)*
                        }
                    } else {
                        for e in 0..W {
                            $(<$a as BoundArgument<$p>>::store_row(&self.$i, block, e, sources.$i, sources_of($i));)*
                        }
                    }
                }
            }
            #[inline(always)]
            unsafe fn prefetch<const W: usize>(&self, block: &impl ElementBlock<W>) {
                // SAFETY: the caller's conditions.
                unsafe { $(<$a as BoundArgument<$p>>::prefetch(&self.$i, block);)* }
            }
            #[inline(always)]
            fn finish(&self, globals: &mut [GlobalStore]) {
                $(self.$i.finish(globals);)*
            }
        }
    };
}

crate::model::kernel::for_each_tuple!(bound_arguments);
