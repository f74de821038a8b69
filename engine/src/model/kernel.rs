//! What a kernel is: its parameters, their access modes, and the one function that every processor runs.
//!
//! Kernels are written with `#[kernel]`, which implements [`Kernel`] for a type of the function's name:
//!
//! ```
//! use cfd_engine::prelude::*;
//!
//! #[derive(Clone, Copy, Constants)]
//! pub struct Material {
//!     pub conductivity: f64,
//! }
//!
//! /// Heat flux through an edge.
//! #[kernel]
//! pub fn flux(t1: Read<1>, t2: Read<1>, res1: Inc<1>, res2: Inc<1>, c: &Material) {
//!     let f = c.conductivity * (t1[0] - t2[0]);
//!     res1[0] -= f;
//!     res2[0] += f;
//! }
//!
//! assert_eq!(flux::OPS.flops(), 4);
//! ```

pub use cfd_lanes::Element;
#[doc(hidden)]
pub mod elementary;

use cfd_lanes::Real;

use crate::model::source::KernelSource;

/// Constants a kernel reads: a plain struct of `f64`, `[f64; N]` and `i32` fields, with `#[derive(Constants)]`.
pub trait Constants: Copy + Send + Sync + 'static {
    /// The fields, in their order.
    const FIELDS: &'static [ConstantField];
    /// Appends the fields' values, one word for each component: an f64's bits, or a sign-extended i32.
    fn push_words(&self, words: &mut Vec<u64>);
    /// The constants that these words encode.
    fn from_words(words: &[u64]) -> Self;
}

impl Constants for () {
    const FIELDS: &'static [ConstantField] = &[];
    fn push_words(&self, _words: &mut Vec<u64>) {}
    fn from_words(_words: &[u64]) {}
}

/// A field of a kernel's constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantField {
    /// Its name.
    pub name: &'static str,
    /// Number of components.
    pub components: usize,
    /// `i32`; otherwise `f64`.
    pub integer: bool,
}

/// How a loop uses an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Values are read.
    Read,
    /// Values are written, every component, without being read.
    Write,
    /// Values are read and written.
    Rw,
    /// Values are added to.
    Inc,
    /// A global sum.
    Sum,
    /// A minimum: global, or of a dat's values and the elements' candidates.
    Min,
    /// A maximum, likewise.
    Max,
}

impl Access {
    /// Whether the loop uses the values from before it.
    pub const fn reads(self) -> bool {
        matches!(self, Access::Read | Access::Rw)
    }

    /// Whether the loop changes the values of a dat.
    #[inline]
    pub const fn modifies(self) -> bool {
        matches!(self, Access::Write | Access::Rw) || self.combines()
    }

    /// Whether a dat's values are combined with what each element contributes: added up, or compared.
    #[inline]
    pub const fn combines(self) -> bool {
        matches!(self, Access::Inc | Access::Min | Access::Max)
    }
}

/// A kernel parameter: what the kernel sees of an operand for one element. An operand is one argument of its loop, or
/// several: one for each target of a map.
pub trait Param: 'static {
    /// The kernel's local variable, in the lanes of `R`.
    type Local<R: Real>: Copy;
    /// The access mode.
    const ACCESS: Access;
    /// Number of components of each argument.
    const DIM: usize;
    /// The components are `i32`; otherwise `f64`.
    const INTEGER: bool;
    /// Number of arguments.
    const ARGUMENTS: usize = 1;
    /// Appends the components of a local variable, one word each.
    fn push_words(local: &Self::Local<f64>, words: &mut Vec<u64>);
    /// The local variable that these words encode.
    fn from_words(words: &[u64]) -> Self::Local<f64>;
}

macro_rules! dat_param {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<const D: usize, T = f64>(std::marker::PhantomData<T>);

        impl<const D: usize, T: Element> Param for $name<D, T> {
            type Local<R: Real> = [T::Lane<R>; D];
            const ACCESS: Access = Access::$name;
            const DIM: usize = D;
            const INTEGER: bool = T::INTEGER;
            fn push_words(local: &[T::Lane<f64>; D], words: &mut Vec<u64>) {
                words.extend(local.iter().map(|&value| T::to_word(value)));
            }
            fn from_words(words: &[u64]) -> [T::Lane<f64>; D] {
                std::array::from_fn(|m| T::from_word(words[m]))
            }
        }
    };
}

dat_param!(
    /// `D` values that the kernel reads.
    Read
);
dat_param!(
    /// `D` values that the kernel sets, all of them, without reading them first.
    Write
);
dat_param!(
    /// `D` values that the kernel reads and sets.
    Rw
);
dat_param!(
    /// `D` values that the kernel adds to (`+=`, `-=`) and cannot read.
    ///
    /// The additions of one kernel call are first summed among themselves, starting from -0.0 (the exact identity of
    /// addition); the target then receives that one value.
    Inc
);

/// A dat at all `N` targets of a map, `x: [Read<2>; 3]`: `x[1][0]` is component 0 at target 1.
///
/// Everything is as with `N` parameters, one for each target, in their order.
impl<P: Param, const N: usize> Param for [P; N] {
    type Local<R: Real> = [P::Local<R>; N];
    const ACCESS: Access = P::ACCESS;
    const DIM: usize = P::DIM;
    const INTEGER: bool = P::INTEGER;
    const ARGUMENTS: usize = N * P::ARGUMENTS;
    fn push_words(locals: &[P::Local<f64>; N], words: &mut Vec<u64>) {
        locals.iter().for_each(|local| P::push_words(local, words));
    }
    fn from_words(words: &[u64]) -> [P::Local<f64>; N] {
        let width = words.len() / N;
        std::array::from_fn(|target| P::from_words(&words[target * width..][..width]))
    }
}

macro_rules! global_param {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<const D: usize>;

        impl<const D: usize> Param for $name<D> {
            type Local<R: Real> = [R; D];
            const ACCESS: Access = Access::$name;
            const DIM: usize = D;
            const INTEGER: bool = false;
            fn push_words(local: &[f64; D], words: &mut Vec<u64>) {
                words.extend(local.iter().map(|value| value.to_bits()));
            }
            fn from_words(words: &[u64]) -> [f64; D] {
                std::array::from_fn(|m| f64::from_bits(words[m]))
            }
        }
    };
}

global_param!(
    /// `D` global sums that the kernel adds to (`+=`, `-=`).
    Sum
);
global_param!(
    /// `D` minima: the kernel sets (`=`) its element's candidates; an unset one is +infinity.
    ///
    /// Given a global, the loop finds the least candidate of all elements. Given a dat, it leaves in each row the least
    /// of the values that were there and of the candidates of all elements that lead to the row. Both by the
    /// [order of minima](crate::global::Ordered), so that the elements' order does not matter.
    Min
);
global_param!(
    /// `D` maxima: the kernel sets (`=`) its element's candidates; an unset one is -infinity. Otherwise as [`Min`].
    Max
);

/// The parameters of a kernel: a tuple of [`Param`]s.
pub trait Params: 'static {
    /// The kernel's local variables, in the lanes of `R`.
    type Locals<R: Real>: Copy;
    /// Of every parameter: access mode, number of components of each argument, and whether they are `i32`.
    const SHAPES: &'static [(Access, usize, bool)];
    /// Number of arguments of every parameter.
    const ARGUMENTS: &'static [usize];
    /// The shapes of all arguments.
    fn argument_shapes() -> Vec<(Access, usize, bool)> {
        let of = |(&shape, &arguments)| std::iter::repeat_n(shape, arguments);
        Self::SHAPES.iter().zip(Self::ARGUMENTS).flat_map(of).collect()
    }
    /// The components of all local variables, one word each.
    fn words(locals: &Self::Locals<f64>) -> Vec<u64>;
    /// The local variables that these words encode.
    fn from_words(words: &[u64]) -> Self::Locals<f64>;
}

/// The number of every parameter's first argument, given how many each has.
pub(crate) const fn first_arguments<const N: usize>(arguments: [usize; N]) -> [usize; N] {
    let mut first = [0; N];
    let mut i = 1;
    while i < N {
        first[i] = first[i - 1] + arguments[i - 1];
        i += 1;
    }
    first
}

/// Calls a macro with `P0 A0 0, P1 A1 1, ...` for every number of parameters a kernel can have.
macro_rules! for_each_tuple {
    ($macro:ident) => {
        crate::model::kernel::for_each_tuple!(@ $macro []
            P0 A0 0, P1 A1 1, P2 A2 2, P3 A3 3, P4 A4 4, P5 A5 5, P6 A6 6, P7 A7 7, P8 A8 8, P9 A9 9, P10 A10 10,
            P11 A11 11, P12 A12 12, P13 A13 13, P14 A14 14, P15 A15 15, P16 A16 16, P17 A17 17, P18 A18 18,
            P19 A19 19, P20 A20 20, P21 A21 21, P22 A22 22, P23 A23 23, P24 A24 24, P25 A25 25, P26 A26 26,
            P27 A27 27, P28 A28 28, P29 A29 29, P30 A30 30, P31 A31 31,);
    };
    (@ $macro:ident [$($done:tt)*]) => {};
    (@ $macro:ident [] $p:ident $a:ident $i:tt, $($rest:tt)*) => {
        $macro!($p $a $i);
        crate::model::kernel::for_each_tuple!(@ $macro [$p $a $i] $($rest)*);
    };
    (@ $macro:ident [$($done:tt)+] $p:ident $a:ident $i:tt, $($rest:tt)*) => {
        $macro!($($done)+, $p $a $i);
        crate::model::kernel::for_each_tuple!(@ $macro [$($done)+, $p $a $i] $($rest)*);
    };
}
pub(crate) use for_each_tuple;

macro_rules! params_tuple {
    ($($p:ident $a:ident $i:tt),*) => {
        impl<$($p: Param),*> Params for ($($p,)*) {
            type Locals<R: Real> = ($($p::Local<R>,)*);
            const SHAPES: &'static [(Access, usize, bool)] = &[$(($p::ACCESS, $p::DIM, $p::INTEGER)),*];
            const ARGUMENTS: &'static [usize] = &[$($p::ARGUMENTS),*];
            fn words(locals: &Self::Locals<f64>) -> Vec<u64> {
                let mut words = Vec::new();
                $($p::push_words(&locals.$i, &mut words);)*
                words
            }
            fn from_words(mut words: &[u64]) -> Self::Locals<f64> {
                let mut take = |components: usize| {
                    let (here, rest) = words.split_at(components);
                    words = rest;
                    here
                };
                ($($p::from_words(take($p::DIM * $p::ARGUMENTS)),)*)
            }
        }
    };
}

for_each_tuple!(params_tuple);

/// Operations of one kernel call, counted by `#[kernel]` from the source; both branches of a select count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpCount {
    /// Additions, subtractions, negations.
    pub add: u32,
    /// Multiplications.
    pub mul: u32,
    /// Divisions.
    pub div: u32,
    /// Square roots.
    pub sqrt: u32,
    /// Comparisons, selects, minima, maxima, absolute values.
    pub compare: u32,
}

impl OpCount {
    /// No operations.
    pub const NONE: OpCount = OpCount { add: 0, mul: 0, div: 0, sqrt: 0, compare: 0 };

    /// Floating-point operations as usually counted: addition, multiplication, division and square root count one each.
    pub const fn flops(self) -> u32 {
        self.add + self.mul + self.div + self.sqrt
    }

    /// Whether there is any operation.
    pub const fn computes(self) -> bool {
        self.flops() + self.compare > 0
    }

    /// The sum of two counts.
    pub const fn plus(self, other: OpCount) -> OpCount {
        self.plus_times(other, 1)
    }

    /// This count and `n` times another.
    pub const fn plus_times(self, other: OpCount, n: u32) -> OpCount {
        OpCount {
            add: self.add + n * other.add,
            mul: self.mul + n * other.mul,
            div: self.div + n * other.div,
            sqrt: self.sqrt + n * other.sqrt,
            compare: self.compare + n * other.compare,
        }
    }
}

/// What `#[device]` generates in addition to a function: its operation count and its source.
#[diagnostic::on_unimplemented(
    message = "a kernel calls a function that has no `#[device]`",
    label = "write `#[device]` before this function: kernels run on every processor, and so must what they call"
)]
pub trait DeviceFunction {}

/// Compiles only if there is a device function of that name.
#[doc(hidden)]
pub const fn called_as_device_function<F: DeviceFunction>() {}

/// A kernel: the arithmetic of one loop for one element. Implemented by `#[kernel]`.
pub trait Kernel: Copy + 'static {
    /// The parameters, in order.
    type Params: Params;
    /// The constants, `()` if there are none.
    type Constants: Constants;
    /// The kernel's name, which is also its loop's name and timer.
    const NAME: &'static str;
    /// The names of the arguments, for messages: of the parameters, or `x[0]`, `x[1]`, ... at all targets of a map.
    const ARGUMENT_NAMES: &'static [&'static str];
    /// Operations of one call.
    const OPS: OpCount;
    /// True when the kernel copies its first parameter to its second, and does nothing else.
    const COPIES: bool;
    /// True when the kernel is compiled for one element at a time only.
    const SCALAR: bool = false;
    /// For every argument, the argument whose rows are stored for it: its own number, or that of an [`Inc`] argument
    /// whose increments are exactly the negatives of its own in every call. Both are parameters of one argument, or
    /// arguments of one parameter.
    const ROW_SOURCES: &'static [usize];
    /// The kernel's source in CUDA C.
    const SOURCE: &'static KernelSource;
    /// The kernel itself, in the lanes of `R`.
    fn call<R: Real>(args: &mut <Self::Params as Params>::Locals<R>, constants: &Self::Constants);
}
