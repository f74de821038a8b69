//! The ways by name, and how each runs a loop.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::str::FromStr;

use cfd_engine::given::short;
use cfd_engine::plug::ThreadPool;

use super::deal::Deal;
use super::workers::on_all;

/// A way to share the items of a loop among the workers of a thread pool.
///
/// By name: `static`, `cyclic`, `dynamic:64` (chunks of 64 items; `dynamic` means one), `guided`, `work-sharing:8`
/// (pieces of 8 items; `work-sharing` means one).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// An equal number of consecutive items for each worker.
    Static,
    /// Items w, w + W, w + 2 W, ... for worker w of W (in OpenMP: static with chunk 1).
    Cyclic,
    /// The next chunk for the next free worker, from one counter.
    Dynamic {
        /// Items per chunk.
        chunk: NonZeroUsize,
    },
    /// The same with shrinking chunks: what is left, divided by the number of workers.
    ///
    /// Source: C. D. Polychronopoulos, D. J. Kuck, Guided self-scheduling, IEEE Transactions on Computers C-36
    /// (1987), DOI 10.1109/TC.1987.5009495.
    Guided,
    /// As static; a worker without items takes half of those of the worker that has the most.
    ///
    /// Source: G. Rokos, Scalable multithreaded algorithms for mutable irregular data with application to anisotropic
    /// mesh adaptivity, Imperial College London, 2014, Algorithms 20 to 22, with a compare-and-swap instead of the
    /// signal.
    WorkSharing {
        /// Items that a worker takes from its own at a time; no other can have these.
        piece: NonZeroUsize,
    },
}

/// No way has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{}\" is not a way to share a loop; use static, cyclic, dynamic:CHUNK, guided or work-sharing:PIECE, with at \
     least one item a chunk or piece",
    short(name)
)]
pub struct UnknownWay {
    /// What was given.
    pub name: String,
}

impl Way {
    /// Calls `body` once for each number below `items`, on any worker.
    ///
    /// # Panics
    /// With a panic of `body`, once the workers have ended; and if a call of the pool is already under way.
    pub fn for_each(self, pool: &ThreadPool, items: usize, body: impl Fn(usize) + Sync) {
        self.deal(pool, items, |_, range| range.for_each(&body));
    }

    /// Deals the numbers below `items`: calls `body` with a worker, on its thread, and a nonempty range for it. Each
    /// number is in one range.
    ///
    /// # Panics
    /// As for [`Way::for_each`].
    pub fn deal(self, pool: &ThreadPool, items: usize, body: impl Fn(usize, Range<usize>) + Sync) {
        let deal = Deal::new(self, items, pool.workers());
        on_all(pool, |worker| deal.hand(worker).for_each(|range| body(worker, range)));
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Static => f.write_str("static"),
            Way::Cyclic => f.write_str("cyclic"),
            Way::Dynamic { chunk } => write!(f, "dynamic:{chunk}"),
            Way::Guided => f.write_str("guided"),
            Way::WorkSharing { piece } => write!(f, "work-sharing:{piece}"),
        }
    }
}

impl FromStr for Way {
    type Err = UnknownWay;

    fn from_str(name: &str) -> Result<Way, UnknownWay> {
        let (kind, size) = match name.split_once(':') {
            Some((kind, size)) => (kind, size.parse().ok()),
            None => (name, Some(NonZeroUsize::MIN)),
        };
        match (kind, size) {
            ("dynamic", Some(chunk)) => Ok(Way::Dynamic { chunk }),
            ("work-sharing", Some(piece)) => Ok(Way::WorkSharing { piece }),
            _ => match name {
                "static" => Ok(Way::Static),
                "cyclic" => Ok(Way::Cyclic),
                "guided" => Ok(Way::Guided),
                _ => Err(UnknownWay { name: name.into() }),
            },
        }
    }
}
