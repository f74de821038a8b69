//! Loop chains: recorded loops that are executed tile by tile, so that what one loop leaves for the next stays in the
//! cache. `notes/chains.md` explains them.
//!
//! ```text
//! sequence     cached loop sequences: how a sequence of loops is executed, found again when it comes again
//! cut          where a sequence is cut into chains
//! liveness     which dats are live before and after loops
//! analysis     for every argument: where a tile finds the dat
//! space        rows and maps a rank knows, and the ways back through maps
//! tiling       tiles of the owned rows
//! deep_halo    rows beyond the halo, from their owners
//! growth       tile growth, backwards through the chain: which rows each loop executes
//! tile         one tile's lists
//! plan         all of these, with the byte model
//! run          executes a tile
//! drive        executes a chain: exchange, tiles, buffer swap
//! ```

mod analysis;
mod cut;
mod deep_halo;
mod drive;
mod growth;
mod liveness;
mod plan;
mod run;
mod sequence;
mod space;
mod tile;
mod tiling;

use std::sync::Mutex;

use cfd_engine::plug::{Backend, DatStorage};

use self::run::PrivateStorage;
use self::sequence::{Known, LoopSequence};

/// What a domain keeps for chains.
#[derive(Default)]
pub(crate) struct Chains {
    sequences: Vec<LoopSequence>,
    known: Vec<Known>,
    /// By dat: the second storage, which takes its next values.
    second: Vec<Option<DatStorage>>,
    /// By worker.
    storages: Vec<Mutex<PrivateStorage>>,
}

/// The backend that runs chains of loops tile by tile, and other loops one by one: for
/// [`DomainOptions::backend`](cfd_engine::domain::DomainOptions).
pub fn backend() -> Box<dyn Backend> {
    Box::new(Chains::default())
}

/// [`backend`], if chains are wanted.
pub fn backend_if(chains: bool) -> Option<fn() -> Box<dyn Backend>> {
    chains.then_some(backend)
}
