//! Modes, and classes of strategies by their bits.

use serde::{Deserialize, Serialize};

/// What a run promises about its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The same bits on any number of ranks, with any partitioner.
    #[default]
    Reproducible,
    /// Whatever is fastest.
    Fast,
}

/// Strategies with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HashClass {
    /// The bits of the plain sequential loop in canonical order.
    Sequential,
    /// The bits of the loop by greedy color, then canonical order.
    Greedy,
    /// The bits of the loop by distributed color, then canonical order.
    Distributed,
    /// Bits that depend on the partition.
    None,
}

impl HashClass {
    /// The name in `summary.json`.
    pub fn name(self) -> &'static str {
        match self {
            HashClass::Sequential => "sequential",
            HashClass::Greedy => "greedy",
            HashClass::Distributed => "distributed",
            HashClass::None => "none",
        }
    }
}
