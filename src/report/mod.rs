//! What a run reports.
//!
//! ```text
//! loops      cost of each loop over all ranks: console table, loops.csv
//! halo       halo sizes, imbalance, memory of the ranks
//! stages     seconds and memory of the stages of setting up
//! summary    summary.json
//! profile    profile.json
//! verdict    the final block on the console
//! page/      report.html
//! ```

pub mod halo;
pub mod loops;
pub mod page;
pub mod profile;
pub mod stages;
pub mod summary;
pub mod verdict;
