//! The kinds of reducers by name.

use serde::{Deserialize, Serialize};

/// A way to add to one array from several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Every addition is one atomic step on the target.
    Atomic,
    /// A private copy of the array for every worker but the first.
    Dense,
    /// Private sums in a hash table.
    Map,
    /// Private copies of blocks.
    BlockPrivate,
    /// A lock for each block; private copies for those who find it taken.
    BlockLock,
    /// Blocks claimed by compare-and-swap; private copies for those who come second.
    BlockCas,
    /// Every worker keeps a part of the array; others send it their additions.
    Keeper,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] = [
        Kind::Atomic,
        Kind::Dense,
        Kind::Map,
        Kind::BlockPrivate,
        Kind::BlockLock,
        Kind::BlockCas,
        Kind::Keeper,
    ];

    /// Its name in configurations and tables.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Atomic => "atomic",
            Kind::Dense => "dense",
            Kind::Map => "map",
            Kind::BlockPrivate => "block-private",
            Kind::BlockLock => "block-lock",
            Kind::BlockCas => "block-cas",
            Kind::Keeper => "keeper",
        }
    }

    /// True when the order of additions to a row, and so the bits of floating-point sums, follows from what each
    /// worker adds and in which order; false when it depends on who comes first, too.
    pub fn is_deterministic(self) -> bool {
        matches!(self, Kind::Dense | Kind::Map | Kind::BlockPrivate | Kind::Keeper)
    }

    /// True when it has blocks, whose size is an option.
    pub fn has_blocks(self) -> bool {
        matches!(self, Kind::BlockPrivate | Kind::BlockLock | Kind::BlockCas)
    }
}

/// Which reducer, and its parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which one.
    pub kind: Kind,
    /// Rows in a block, rounded up to a power of two, for the kinds that have blocks.
    pub block_rows: usize,
}

impl Options {
    /// Rows in a block where nothing is said: the published measurements find little difference from 1,024 on.
    pub const BLOCK_ROWS: usize = 1024;

    /// A kind with the default block size.
    pub fn new(kind: Kind) -> Options {
        Options { kind, block_rows: Options::BLOCK_ROWS }
    }
}
