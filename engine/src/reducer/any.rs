//! The reducer that is chosen when the program runs.

use super::atomic::{Atomic, AtomicAdder};
use super::block::{BlockAdder, BlockCas, BlockLock, BlockPrivate};
use super::claim::{Locks, Never, Owners};
use super::dense::{Dense, DenseAdder};
use super::keeper::{Keeper, KeeperAdder};
use super::map::{Map, MapAdder};
use super::target::{Part, Target};
use super::{Addend, Adder, Kind, Options, Reducer, Shape};

macro_rules! any {
    ($($kind:ident($reducer:ty, $adder:ty)),* $(,)?) => {
        /// A reducer of any kind.
        #[derive(Debug)]
        pub enum AnyReducer<T> {
            $(#[doc = concat!("[`", stringify!($kind), "`](Kind::", stringify!($kind), ")")] $kind($reducer),)*
        }

        /// An adder of any kind: every addition first looks which, a branch that goes the same way each time.
        #[derive(Debug)]
        pub enum AnyAdder<'a, T: Addend, const D: usize> {
            $(#[doc = concat!("[`", stringify!($kind), "`](Kind::", stringify!($kind), ")")] $kind($adder),)*
        }

        impl<T: Addend> Reducer<T> for AnyReducer<T> {
            type Adder<'a, const D: usize> = AnyAdder<'a, T, D>;

            fn new(workers: usize, options: Options) -> Self {
                match options.kind {
                    $(Kind::$kind => AnyReducer::$kind(<$reducer as Reducer<T>>::new(workers, options)),)*
                }
            }

            fn workers(&self) -> usize {
                match self {
                    $(AnyReducer::$kind(reducer) => Reducer::<T>::workers(reducer),)*
                }
            }

            fn begin(&mut self, shape: Shape) {
                match self {
                    $(AnyReducer::$kind(reducer) => Reducer::<T>::begin(reducer, shape),)*
                }
            }

            fn adder<'a, const D: usize>(&'a self, target: Target<'a, T>, worker: usize) -> AnyAdder<'a, T, D> {
                match self {
                    $(AnyReducer::$kind(reducer) => AnyAdder::$kind(reducer.adder(target, worker)),)*
                }
            }

            fn merge(&self, part: Part<'_, T>) {
                match self {
                    $(AnyReducer::$kind(reducer) => reducer.merge(part),)*
                }
            }

            fn bytes(&self) -> usize {
                match self {
                    $(AnyReducer::$kind(reducer) => Reducer::<T>::bytes(reducer),)*
                }
            }
        }

        impl<T: Addend, const D: usize> Adder<T, D> for AnyAdder<'_, T, D> {
            #[inline(always)]
            fn add_row(&mut self, row: usize, values: [T; D]) {
                match self {
                    $(AnyAdder::$kind(adder) => adder.add_row(row, values),)*
                }
            }
        }
    };
}

any! {
    Atomic(Atomic, AtomicAdder<'a, T, D>),
    Dense(Dense<T>, DenseAdder<'a, T, D>),
    Map(Map<T>, MapAdder<'a, T, D>),
    BlockPrivate(BlockPrivate<T>, BlockAdder<'a, T, Never, D>),
    BlockLock(BlockLock<T>, BlockAdder<'a, T, Locks, D>),
    BlockCas(BlockCas<T>, BlockAdder<'a, T, Owners, D>),
    Keeper(Keeper<T>, KeeperAdder<'a, T, D>),
}
