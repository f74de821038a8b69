//! Checks whether a mesh and a run fit into memory before they use it.
//!
//! The bytes for each element are lower bounds: at most nine tenths of what was measured with one rank and one thread.
//! So a run that fits is never refused; one that is not refused may still fail, in [`crate::memory::Allocator`].

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_solvers::case::{Generator, Memory};
use serde_json::Value as Json;

use crate::exit::Error;
use crate::{machine, memory};

/// What the memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Making a mesh.
    Mesh,
    /// A run.
    Run,
}

/// Elements of a mesh, and the minimum bytes on all ranks together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// How many of what.
    pub what: String,
    /// The bytes.
    pub bytes: u64,
}

impl Need {
    /// The memory for this many elements.
    pub fn of(memory: &Memory, elements: u64, purpose: Purpose) -> Need {
        let each = match purpose {
            Purpose::Mesh => memory.mesh,
            Purpose::Run => memory.run,
        };
        Need {
            what: format!("a mesh of {elements} {}", memory.element),
            bytes: elements.saturating_mul(each),
        }
    }

    /// The memory for a generated mesh.
    pub fn generated(memory: &Memory, generator: &Generator, keys: &Json, purpose: Purpose) -> Need {
        Need::of(memory, generator.elements(keys), purpose)
    }

    /// The memory for a mesh file: in any format at least a quarter of its size. Zero if the file cannot be examined,
    /// which its reader will report.
    pub fn of_file(path: &Path) -> Need {
        let size = std::fs::metadata(path).map_or(0, |found| found.len());
        Need { what: path.display().to_string(), bytes: size / 4 }
    }

    /// Refuses what does not fit on some machine of the job; `named`: the user gave a size, which could be smaller.
    /// Collective.
    ///
    /// # Errors
    /// What is needed and what is available.
    pub fn check(&self, comm: &Comm, named: bool) -> Result<(), Error> {
        let room = room(comm);
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

/// Bytes that this rank may still use: its limit, or its share of what is left on its machine. Collective.
pub fn room(comm: &Comm) -> u64 {
    let names = comm.all_gather(machine::identity().as_bytes());
    let here = names.iter().filter(|name| **name == names[comm.rank()]).count() as u64;
    let memory::Room { machine, process } = memory::room();
    process.min(machine / here)
}

/// Bytes in a readable unit.
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
    fn sizes_of_generated_meshes_are_counted_in_the_elements_of_the_case() {
        for &case in cfd_solvers::CASES {
            let Some(generator) = case.facts().generator else { continue };
            let size = |side: u64| {
                let sides = generator.usual[0].1.matches(',').count() + 1;
                serde_json::json!({ "size": vec![side; sides] })
            };
            let need =
                |side: u64| Need::generated(&case.facts().memory, &generator, &size(side), Purpose::Run);
            let elements = generator.elements(&size(4));
            assert_eq!(need(4).what, format!("a mesh of {elements} {}", case.facts().memory.element));
            assert_eq!(need(4).bytes, elements * case.facts().memory.run);
            assert_eq!(need(u64::MAX).bytes, u64::MAX);
        }
    }

    #[test]
    fn sizes_of_any_magnitude_have_an_estimate() {
        let memory = Memory { element: "cells", mesh: 130, run: 480 };
        let huge = Need::of(&memory, u64::MAX, Purpose::Run);
        assert_eq!(huge.bytes, u64::MAX);
        let small = Need::of(&memory, 18, Purpose::Mesh);
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
