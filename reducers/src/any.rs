//! The reducer chosen at run time.

// All reducers and adders, so that a new one need not be named here.
use super::list::for_each_reducer;
use super::*;

macro_rules! any {
    ($(
        $(#[doc = $about:literal])+
        $kind:ident = $name:literal {
            deterministic: $deterministic:literal, blocks: $blocks:literal, reducer: $reducer:ty, adder: $adder:ty
        }
    )+) => {
        /// A reducer of any kind.
        #[derive(Debug)]
        pub enum AnyReducer<T> {
            $($(#[doc = $about])+ $kind($reducer),)+
        }

        /// An adder of any kind: every addition first checks which, a branch that goes the same way each time.
        #[derive(Debug)]
        pub enum AnyAdder<'a, T: Addend, const D: usize> {
            $($(#[doc = $about])+ $kind($adder),)+
        }

        impl<T: Addend> Reducer<T> for AnyReducer<T> {
            type Adder<'a, const D: usize> = AnyAdder<'a, T, D>;

            fn new(workers: usize, options: Options) -> Self {
                match options.kind {
                    $(Kind::$kind => AnyReducer::$kind(<$reducer as Reducer<T>>::new(workers, options)),)+
                }
            }

            fn workers(&self) -> usize {
                match self {
                    $(AnyReducer::$kind(reducer) => Reducer::<T>::workers(reducer),)+
                }
            }

            fn begin(&mut self, shape: Shape) {
                match self {
                    $(AnyReducer::$kind(reducer) => Reducer::<T>::begin(reducer, shape),)+
                }
            }

            fn adder<'a, const D: usize>(&'a self, target: Target<'a, T>, worker: usize) -> AnyAdder<'a, T, D> {
                match self {
                    $(AnyReducer::$kind(reducer) => AnyAdder::$kind(reducer.adder(target, worker)),)+
                }
            }

            fn merge(&self, part: Part<'_, T>) {
                match self {
                    $(AnyReducer::$kind(reducer) => reducer.merge(part),)+
                }
            }

            fn bytes(&self) -> usize {
                match self {
                    $(AnyReducer::$kind(reducer) => Reducer::<T>::bytes(reducer),)+
                }
            }
        }

        impl<T: Addend, const D: usize> Adder<T, D> for AnyAdder<'_, T, D> {
            #[inline(always)]
            fn add_row(&mut self, row: usize, values: [T; D]) {
                match self {
                    $(AnyAdder::$kind(adder) => adder.add_row(row, values),)+
                }
            }
        }
    };
}

for_each_reducer!(any);
