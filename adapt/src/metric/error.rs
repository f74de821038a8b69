//! What can be wrong with a metric or its settings, and what would be right.

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::given::short;
use serde::{Deserialize, Serialize};

/// Why a metric could not be made.
///
/// Serialisable, so that one rank's error becomes the error of all ([`Comm::agree`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum MetricError {
    /// No analytic metric has this name.
    #[error("unknown metric \"{}\"; {hint}", short(name))]
    Unknown {
        /// What was given.
        name: String,
        /// A similar name, or all names.
        hint: String,
    },
    /// An analytic metric is for another dimension.
    #[error("the metric \"{name}\" is for {needs} dimensions, the mesh has {dimension}")]
    Dimension {
        /// Its name.
        name: String,
        /// Its dimension.
        needs: usize,
        /// The mesh's dimension.
        dimension: usize,
    },
    /// A setting is out of range.
    #[error("{name} = {value}; use {expected}")]
    Setting {
        /// Its name.
        name: String,
        /// Its value, as text because it may be NaN.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// A list does not have the length that the mesh's vertices require.
    #[error("{what}: {found} values for {vertices} vertices; expected {each} for each, {}", each * vertices)]
    Length {
        /// What the list contains.
        what: String,
        /// Its length.
        found: usize,
        /// Number of vertices.
        vertices: usize,
        /// Values per vertex.
        each: usize,
    },
    /// The data of a vertex are unusable.
    #[error("vertex {} at {}: {problem}", name(*identity), point(position))]
    Vertex {
        /// Its identity.
        identity: u128,
        /// Its position.
        position: Vec<f64>,
        /// What is wrong and what would be right.
        problem: String,
    },
}

/// Ids in files are numbers; identities made by adaptation are hashes.
fn name(identity: u128) -> String {
    if identity <= u128::from(u64::MAX) { identity.to_string() } else { format!("{identity:032x}") }
}

fn point(position: &[f64]) -> String {
    let coordinates: Vec<String> = position.iter().map(|x| x.to_string()).collect();
    format!("({})", coordinates.join(", "))
}

/// An error unless a setting is as expected.
pub(super) fn require(holds: bool, name: &str, value: f64, expected: &str) -> Result<(), MetricError> {
    if holds {
        return Ok(());
    }
    Err(MetricError::Setting { name: name.into(), value: value.to_string(), expected: expected.into() })
}

/// Among the faulty vertices of all ranks, the one of the least identity becomes the error of all, so that messages do
/// not depend on ranks either. `fault` is this rank's one of the least identity.
pub(super) fn least_fault(comm: &Comm, fault: Option<MetricError>) -> Result<(), MetricError> {
    let mut least = match &fault {
        Some(MetricError::Vertex { identity, .. }) => halves(*identity),
        _ => [u64::MAX; 2],
    };
    let own = least;
    comm.all_reduce(&mut least, ReduceOp::Record { sums: 0 });
    comm.agree(match fault {
        Some(error) if own == least => Err(error),
        _ => Ok(()),
    })
}

/// The upper and the lower word of an identity.
pub(super) fn halves(identity: u128) -> [u64; 2] {
    [(identity >> 64) as u64, identity as u64]
}
