//! The reducers: one entry each.
//!
//! A new one is another file in this folder and an entry here. The enums that know all of them follow from it, as does
//! a strategy for loops that hands increments to it ([`crate::strategies`]).

/// Passes the list to a macro, after the given tokens.
macro_rules! for_each_reducer {
    ($make:ident $($before:tt)*) => {
        $make! {
            $($before)*
            /// Every addition is one atomic step on the target.
            Atomic = "atomic" {
                deterministic: false, blocks: false, reducer: Atomic, adder: AtomicAdder<'a, T, D>
            }
            /// A private copy of the array for every worker but the first.
            Dense = "dense" {
                deterministic: true, blocks: false, reducer: Dense<T>, adder: DenseAdder<'a, T, D>
            }
            /// Private sums in a hash table.
            Map = "map" {
                deterministic: true, blocks: false, reducer: Map<T>, adder: MapAdder<'a, T, D>
            }
            /// Private copies of blocks.
            BlockPrivate = "block-private" {
                deterministic: true, blocks: true, reducer: BlockPrivate<T>, adder: BlockAdder<'a, T, Never, D>
            }
            /// A lock for each block; private copies for those who find it taken.
            BlockLock = "block-lock" {
                deterministic: false, blocks: true, reducer: BlockLock<T>, adder: BlockAdder<'a, T, Locks, D>
            }
            /// Blocks claimed by compare-and-swap; private copies for those who come second.
            BlockCas = "block-cas" {
                deterministic: false, blocks: true, reducer: BlockCas<T>, adder: BlockAdder<'a, T, Owners, D>
            }
            /// Every worker keeps a part of the array; others send it their additions.
            Keeper = "keeper" {
                deterministic: true, blocks: false, reducer: Keeper<T>, adder: KeeperAdder<'a, T, D>
            }
        }
    };
}

pub(crate) use for_each_reducer;
