//! The reducers as strategies for loops, and the list of all strategies.

use std::cell::UnsafeCell;

use cfd_engine::strategy::{Accumulate, Accumulation, Increments, Merge, Plug, Strategy};

use crate::list::for_each_reducer;
use crate::{Adder, AnyReducer, Kind, Options, Reducer, Reduction};

macro_rules! plugs {
    ($(
        $(#[doc = $about:literal])+
        $kind:ident = $name:literal { deterministic: $deterministic:literal, $($rest:tt)+ }
    )+) => {
        /// The reducers as strategies.
        pub static PLUGS: [Plug; Kind::ALL.len()] = [$(Plug {
            name: $name,
            about: concat!($($about),+),
            is_repeatable: $deterministic,
            make: |workers, block_rows| {
                let reducer = AnyReducer::new(workers, Options { kind: Kind::$kind, block_rows });
                Box::new(Reduced(reducer))
            },
        }),+];
    };
}

for_each_reducer!(plugs);

/// The names of all strategies, the engine's and these.
pub const NAMES: &[&str] = &{
    let (own, plugged) = (Strategy::NAMES, Kind::NAMES);
    let mut names = [""; Strategy::NAMES.len() + Kind::NAMES.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = if at < own.len() { own[at] } else { plugged[at - own.len()] };
        at += 1;
    }
    names
};

/// All strategies, in the order of [`NAMES`].
pub fn all() -> impl Iterator<Item = Strategy> + Clone {
    Strategy::ALL.into_iter().chain(PLUGS.iter().map(Strategy::Plugged))
}

/// The strategy with this name.
pub fn named(name: &str) -> Option<Strategy> {
    all().find(|strategy| strategy.name() == name)
}

/// The strategy that hands increments to a reducer of this kind.
pub const fn of(kind: Kind) -> Strategy {
    Strategy::Plugged(&PLUGS[kind as usize])
}

/// A reducer of one dat.
struct Reduced(AnyReducer<f64>);

impl Accumulate for Reduced {
    unsafe fn begin<'a>(
        &'a mut self,
        values: &'a [UnsafeCell<f64>],
        dim: usize,
    ) -> Box<dyn Accumulation<'a> + 'a> {
        let dim = if dim <= LARGEST_ROW { dim } else { 1 };
        // SAFETY: the caller's condition.
        Box::new(Step { reduction: unsafe { Reduction::of_cells(&mut self.0, values, dim) }, dim })
    }

    fn bytes(&self) -> usize {
        Reducer::bytes(&self.0)
    }
}

/// Rows up to this length are added as a whole, longer ones number by number.
const LARGEST_ROW: usize = 8;

/// A reduction into the values of a dat.
struct Step<'a> {
    reduction: Reduction<'a, f64, AnyReducer<f64>>,
    /// Numbers added at once.
    dim: usize,
}

impl<'a> Accumulation<'a> for Step<'a> {
    fn add(&self, worker: usize, increments: &Increments<'_>) {
        match self.dim {
            1 => self.add_rows::<1>(worker, increments),
            2 => self.add_rows::<2>(worker, increments),
            3 => self.add_rows::<3>(worker, increments),
            4 => self.add_rows::<4>(worker, increments),
            5 => self.add_rows::<5>(worker, increments),
            6 => self.add_rows::<6>(worker, increments),
            7 => self.add_rows::<7>(worker, increments),
            8 => self.add_rows::<8>(worker, increments),
            dim => unreachable!("rows of {dim} are added number by number"),
        }
    }

    fn into_parts(self: Box<Self>) -> Vec<Merge<'a>> {
        let parts = self.reduction.into_parts().into_iter();
        parts.map(|part| Box::new(move || part.merge()) as Merge<'a>).collect()
    }
}

impl Step<'_> {
    fn add_rows<const D: usize>(&self, worker: usize, increments: &Increments<'_>) {
        macro_rules! add {
            ($(
                $(#[doc = $about:literal])+ $kind:ident = $name:literal { $($rest:tt)+ }
            )+) => {
                // The kind is checked once for all increments.
                match self.reduction.adder::<D>(worker) {
                    $(crate::AnyAdder::$kind(adder) => add_to(adder, increments),)+
                }
            };
        }
        for_each_reducer!(add)
    }
}

/// Adds element by element, then slot by slot.
fn add_to<const D: usize>(mut adder: impl Adder<f64, D>, increments: &Increments<'_>) {
    let pieces = increments.dim / D;
    let (rows, _) = increments.stored.as_chunks::<D>();
    let mut rows = rows.iter();
    for element in 0..increments.elements {
        for slot in increments.slots {
            let target = slot.targets[element * slot.arity + slot.index] as usize;
            for (piece, row) in (&mut rows).take(pieces).enumerate() {
                adder.add_row(target * pieces + piece, *row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reducer_is_a_strategy_that_promises_no_bits() {
        assert_eq!(NAMES.len(), all().count());
        for (strategy, &name) in all().zip(NAMES) {
            assert_eq!((strategy.name(), named(name)), (name, Some(strategy)));
            let about = strategy.about();
            assert!(about.ends_with('.') && about.len() > 20 && about == about.trim(), "{about:?}");
            assert!(all().all(|other| other == strategy || other.about() != about), "{about}");
        }
        for kind in Kind::ALL {
            let strategy = of(kind);
            assert_eq!((strategy.name(), strategy.is_reproducible()), (kind.name(), false));
            assert_eq!(strategy.is_repeatable(), kind.is_deterministic(), "{}", kind.name());
        }
    }

    #[test]
    fn rows_of_any_length_arrive_where_they_belong() {
        for (plug, dim) in PLUGS.iter().flat_map(|plug| (1..=LARGEST_ROW + 3).map(move |dim| (plug, dim))) {
            let mut accumulate = (plug.make)(2, 4);
            let values: Vec<UnsafeCell<f64>> = (0..10 * dim).map(|_| UnsafeCell::new(1.0)).collect();
            // Three elements with two targets each.
            let targets = [0, 9, 3, 4, 9, 0];
            let stored: Vec<f64> = (0..6 * dim).map(|i| i as f64).collect();
            let slot = |index| cfd_engine::strategy::Slot { targets: &targets, arity: 2, index };
            let increments = Increments { elements: 3, dim, stored: &stored, slots: &[slot(0), slot(1)] };
            // SAFETY: the values belong to this test.
            let step = unsafe { accumulate.begin(&values, dim) };
            step.add(0, &increments);
            step.add(1, &increments);
            step.into_parts().into_iter().for_each(|merge| merge());
            let mut expected = vec![1.0; 10 * dim];
            for (row, stored) in targets.iter().zip(stored.chunks(dim)) {
                for m in 0..dim {
                    expected[*row as usize * dim + m] += 2.0 * stored[m];
                }
            }
            let found: Vec<f64> = values.into_iter().map(UnsafeCell::into_inner).collect();
            assert_eq!(found, expected, "{}, rows of {dim}", plug.name);
            assert_eq!(accumulate.bytes() > 0, plug.name != "atomic", "{}", plug.name);
        }
    }
}
