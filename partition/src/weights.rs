//! The costs of elements and the speeds of parts.

use std::collections::BTreeMap;

use cfd_engine::mesh::Mesh;
use serde::{Deserialize, Serialize};

use crate::PartitionError;

/// The largest cost of an element, so that no sum overflows.
const LARGEST_COST: u32 = 1_000_000_000;

/// What parts of unequal size balance: an element of the primary set weighs its own cost plus the costs of the elements
/// of other sets that follow it ([`follow`](crate::follow)); a part gets weight in proportion to its speed.
///
/// Costs and speeds are integers in any unit: only their proportions count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// The speed of each part, at least 1.
    pub speeds: Vec<u32>,
    /// The cost of an element of each set, by the set's name, at most 10^9; a set not listed costs nothing.
    pub costs: BTreeMap<String, u32>,
}

impl Weights {
    /// Refuses weights that do not fit this mesh or this many parts.
    pub(crate) fn check(&self, mesh: &Mesh, parts: usize) -> Result<(), PartitionError> {
        let problem = if self.speeds.len() != parts {
            let speeds = self.speeds.len();
            format!("they have {speeds} speeds, one per part, but there are {parts} parts")
        } else if let Some(part) = self.speeds.iter().position(|&speed| speed == 0) {
            format!("the speed of part {part} is 0, but it must be at least 1")
        } else if let Some(set) = self.costs.keys().find(|set| mesh.set(set).is_none()) {
            let known: Vec<&str> = mesh.sets.iter().map(|set| &set.name[..]).collect();
            format!("they have a cost of \"{set}\", but the mesh has the sets {}", known.join(", "))
        } else if let Some((set, cost)) = self.costs.iter().find(|(_, cost)| **cost > LARGEST_COST) {
            format!("the cost of \"{set}\" is {cost}, but it must be at most {LARGEST_COST}")
        } else {
            return Ok(());
        };
        Err(PartitionError::Weights { problem })
    }
}
