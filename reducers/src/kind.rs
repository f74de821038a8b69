//! The kinds of reducers by name.

use serde::{Deserialize, Serialize};

use super::list::for_each_reducer;

macro_rules! kinds {
    ($(
        $(#[doc = $about:literal])+
        $kind:ident = $name:literal { deterministic: $deterministic:literal, blocks: $blocks:literal, $($types:tt)+ }
    )+) => {
        /// A way to add to one array from several threads.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Kind {
            $($(#[doc = $about])+ #[serde(rename = $name)] $kind,)+
        }

        impl Kind {
            /// Their names.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// All kinds.
            pub const ALL: [Kind; Kind::NAMES.len()] = [$(Kind::$kind),+];

            /// Its name in configurations and tables.
            pub fn name(self) -> &'static str {
                Kind::NAMES[self as usize]
            }

            /// True if the order of additions to a row, and thus the bits of floating-point sums, depends only on what
            /// each worker adds and in which order; false if it also depends on which worker comes first.
            pub fn is_deterministic(self) -> bool {
                match self {
                    $(Kind::$kind => $deterministic,)+
                }
            }

            /// Whether it has blocks, whose size is an option.
            pub fn has_blocks(self) -> bool {
                match self {
                    $(Kind::$kind => $blocks,)+
                }
            }
        }
    };
}

for_each_reducer!(kinds);

/// A reducer and its parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Its kind.
    pub kind: Kind,
    /// Rows in a block, rounded up to a power of two, for the kinds that have blocks.
    pub block_rows: usize,
}

impl Options {
    /// Default rows in a block: the published measurements find little difference from 1,024 on.
    pub const BLOCK_ROWS: usize = 1024;

    /// A kind with the default block size.
    pub fn new(kind: Kind) -> Options {
        Options { kind, block_rows: Options::BLOCK_ROWS }
    }
}
