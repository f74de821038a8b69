//! What can be wrong with a partition, and what would be right.

use cfd_engine::given::{short, short_name};
use serde::{Deserialize, Serialize};

use crate::Method;

/// The most elements of a set, owned and halo, that a rank can hold in a [`Layout`](cfd_engine::layout::Layout).
pub(crate) const MOST_LOCAL_ROWS: u64 = (1 << 31) - 1;

/// Why a mesh could not be partitioned or distributed.
///
/// Serialisable, so that one rank's error becomes the error of all ([`Comm::agree`](cfd_engine::comm::Comm::agree)).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum PartitionError {
    /// No partitioner has this name.
    #[error(
        "unknown partitioner \"{}\"; use one of {}",
        short(name),
        Method::NAMES.join(", ")
    )]
    UnknownMethod {
        /// What was given.
        name: String,
    },
    /// No canonical order has this name.
    #[error("unknown order \"{}\"; use file, hilbert or cuthill-mckee", short(name))]
    UnknownOrder {
        /// What was given.
        name: String,
    },
    /// The graph of the mesh is too large for one rank.
    #[error("execution.order = \"cuthill-mckee\": \"{set}\" cannot be ordered ({reason}); use \"hilbert\"")]
    NotOrdered {
        /// The set with the coordinates.
        set: String,
        /// Why.
        reason: String,
    },
    /// No parts, or more than a part number can count.
    #[error("cannot partition into {parts} parts; use 1 to {}", u32::MAX)]
    Parts {
        /// The number asked for.
        parts: u64,
    },
    /// The mesh has no set, map or dat of this name.
    #[error("the mesh has no {kind} \"{name}\"; it has {known}")]
    Missing {
        /// "set", "map" or "dat".
        kind: String,
        /// The name looked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A map or dat exists but cannot serve its purpose.
    #[error("\"{name}\" cannot be used as {role}: {problem}")]
    Unsuitable {
        /// Name of the map or dat.
        name: String,
        /// Its purpose.
        role: String,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A rank's block of a map, of a dat, of owners or of keys does not have the length of its set's block.
    #[error("{what}: rank {rank} holds {found} values where its block has {expected}")]
    Length {
        /// The map, dat or set.
        what: String,
        /// The rank.
        rank: usize,
        /// The number of values found.
        found: u64,
        /// The number of values expected.
        expected: u64,
    },
    /// A map's target is not a row of its target set.
    #[error(
        "map \"{map}\", row {row}, target {position}: {target} is not below {rows}, the size of \"{set}\""
    )]
    Target {
        /// Name of the map.
        map: String,
        /// Global id of the source element.
        row: u64,
        /// Position among the row's targets.
        position: usize,
        /// The target.
        target: u64,
        /// Name of the target set.
        set: String,
        /// Elements of the target set.
        rows: u64,
    },
    /// A coordinate is NaN or infinite.
    #[error(
        "\"{set}\" row {row}: its coordinates are not finite, so it has no place in a geometric partition or order"
    )]
    NotFinite {
        /// Name of the set.
        set: String,
        /// Global id.
        row: u64,
    },
    /// The owner of an element is not a part.
    #[error("\"{set}\" row {row}: owner {owner} is not below {parts}, the number of parts")]
    Owner {
        /// Name of the set.
        set: String,
        /// Global id.
        row: u64,
        /// The owner given.
        owner: u32,
        /// The number of parts.
        parts: u64,
    },
    /// Owners or keys are not one vector per set.
    #[error("{what} are given for {found} sets, but the mesh has {expected}")]
    SetCount {
        /// "owners" or "keys".
        what: String,
        /// The number of vectors found.
        found: usize,
        /// The number of sets.
        expected: usize,
    },
    /// The weights do not fit the mesh, the number of parts or the partitioner.
    #[error("the weights of the partition do not fit: {problem}")]
    Weights {
        /// What is wrong and what would be right.
        problem: String,
    },
    /// PT-Scotch cannot be used here.
    #[error("pt-scotch cannot be used: {problem}; metis, rcb and hilbert need no such library")]
    PtScotch {
        /// What is wrong and what would be right.
        problem: String,
    },
    /// Halo rows note their maps in the bits of one word.
    #[error("the mesh has {maps} maps; at most 64 can be distributed")]
    TooManyMaps {
        /// Number of maps.
        maps: usize,
    },
    /// Local rows are counted in 31 bits.
    #[error(
        "rank {rank} would hold {rows} elements of \"{set}\", more than the {MOST_LOCAL_ROWS} local indices; \
         use more ranks"
    )]
    TooManyLocalRows {
        /// The rank.
        rank: usize,
        /// Name of the set.
        set: String,
        /// Owned and halo elements.
        rows: u64,
    },
    /// A partition file could not be read.
    #[error("{}: {problem}", short_name(path))]
    File {
        /// The file.
        path: String,
        /// The operating system's message.
        problem: String,
    },
    /// A line of a partition file is not a part number.
    #[error("{path}:{line}: \"{text}\" is not a part number; each line holds one number from 0 to {last}")]
    FileLine {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// Its text.
        text: String,
        /// The largest part number.
        last: u64,
    },
    /// A partition file has too few or too many lines.
    #[error(
        "{path}: {found} lines, but \"{set}\" has {expected} elements; expected one line per element, in global order"
    )]
    FileLength {
        /// The file.
        path: String,
        /// The number of lines found.
        found: u64,
        /// Name of the primary set.
        set: String,
        /// The number of lines expected.
        expected: u64,
    },
}
