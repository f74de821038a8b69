//! Whether a mesh and a run fit into memory, before they take it.
//!
//! The bytes for each element are lower bounds: nine tenths or less of what was measured with one rank and one thread. So a run
//! that fits is never refused; one that is not refused may still fail, by [`crate::memory::Allocator`].

use std::path::Path;

use cfd_engine::comm::Comm;

use crate::cases::Case;
use crate::exit::Error;
use crate::machine;
use crate::memory;

/// What memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Making a mesh.
    Mesh,
    /// A run.
    Run,
}

/// Elements of a mesh, and the least bytes that something takes on all ranks together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// How many of what.
    pub what: String,
    /// The bytes.
    pub bytes: u64,
}

/// Bytes for each element that sizes count: cells for airfoil and aero, nodes of the finest level for mgcfd.
fn bytes_each(case: Case, purpose: Purpose) -> u64 {
    match (case, purpose) {
        (Case::Airfoil, Purpose::Mesh) => 130,
        (Case::Airfoil, Purpose::Run) => 480,
        (Case::Aero, Purpose::Mesh) => 45,
        (Case::Aero, Purpose::Run) => 480,
        (Case::Mgcfd, Purpose::Mesh) => 700,
        (Case::Mgcfd, Purpose::Run) => 1200,
    }
}

/// The name of those elements.
fn element(case: Case) -> &'static str {
    match case {
        Case::Airfoil | Case::Aero => "cells",
        Case::Mgcfd => "nodes",
    }
}

impl Need {
    /// What so many elements take.
    pub fn of(case: Case, elements: u64, purpose: Purpose) -> Need {
        let bytes = elements.saturating_mul(bytes_each(case, purpose));
        Need { what: format!("a mesh of {elements} {}", element(case)), bytes }
    }

    /// What a mesh takes that is made by a formula.
    pub fn generated(case: Case, size: &[u64], purpose: Purpose) -> Need {
        let blocks = if case == Case::Mgcfd { 1 } else { 3 };
        Need::of(case, size.iter().fold(blocks, |product: u64, &side| product.saturating_mul(side)), purpose)
    }

    /// What a file takes: in any format at least a quarter of its own size. Nothing if it cannot be looked at, which its
    /// reader will say.
    pub fn of_file(path: &Path) -> Need {
        let size = std::fs::metadata(path).map_or(0, |found| found.len());
        Need { what: path.display().to_string(), bytes: size / 4 }
    }

    /// Refuses what does not fit on some machine of the job; `named` where the user gave a size, which could be smaller.
    /// Collective.
    ///
    /// # Errors
    /// What is needed and what there is.
    pub fn check(&self, comm: &Comm, named: bool) -> Result<(), Error> {
        let names = comm.all_gather(machine::identity().as_bytes());
        let here = names.iter().filter(|name| **name == names[comm.rank()]).count() as u64;
        let memory::Room { machine, process } = memory::room();
        let room = process.min(machine / here);
        let needed = self.bytes / comm.size() as u64;
        let refused = (needed > room).then(|| Error::Memory {
            what: self.what.clone(),
            needed: in_words(needed),
            room: in_words(room),
            named,
        });
        comm.agree(refused.map_or(Ok(()), Err))
    }
}

/// Bytes in a unit that can be read.
fn in_words(bytes: u64) -> String {
    match bytes {
        0..10_000_000 => format!("{} kB", bytes / 1000),
        10_000_000..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_any_magnitude_have_an_estimate() {
        let huge = Need::generated(Case::Mgcfd, &[u64::MAX, 3, 2], Purpose::Run);
        assert_eq!(huge.bytes, u64::MAX);
        let small = Need::generated(Case::Airfoil, &[2, 3], Purpose::Mesh);
        assert_eq!((small.what.as_str(), small.bytes), ("a mesh of 18 cells", 18 * 130));
        for ranks in [1, 3] {
            let results = Comm::simulate(ranks, |comm| (small.check(&comm, true), huge.check(&comm, true)));
            for (small, huge) in results {
                small.unwrap();
                let message = huge.unwrap_err().to_string();
                assert!(message.contains("at least") && message.contains("GB"), "{message}");
            }
        }
    }
}
