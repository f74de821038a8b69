//! The hashes of the solution and of the history, of the sequential class, the greedy and the distributed one: on any
//! machine, on any ranks, in any build.

use cfd_engine::strategy::HashClass;
use cfd_solvers::case::Reference;

/// A case's hashes.
pub type Hashes = [[&'static str; 2]; 3];

/// The hashes that a case of the program states.
pub fn stated(reference: &Reference) -> Hashes {
    [HashClass::Sequential, HashClass::Greedy, HashClass::Distributed].map(|class| {
        let hashes = reference.hashes.iter().find(|hashes| hashes.class == class);
        let hashes = hashes.unwrap_or_else(|| panic!("a reference has the hashes of {class:?}"));
        [hashes.solution, hashes.history]
    })
}

/// MG-CFD's published scheme in a box of 12 by 8 by 10 hexahedra, 3 levels, 4 cycles, with area vectors scaled up to
/// make the order of additions show.
pub const SCALED_PROXY: Hashes = [
    [
        "blake3:66e9bf67ee070aaf3920fdb717cb4b64cbdab3a4f1b444a31bcad54b2b38ca3a",
        "blake3:ad53d4f9638f0d1dc8a8388320aeb3fd0cfcd9b49cef47efac452ac5fb5e8589",
    ],
    [
        "blake3:53f45e9826925cfebe89787e78693bb9f920d4f093f9c03fd0cab6126f08c28e",
        "blake3:b53b94273f1a839955b9fd39147bdcf7a6182aa3e9bd47f56c5ec573b3ffbda8",
    ],
    [
        "blake3:899c00b9d55b19704f56891d1b4146684cef50cc84076d2bad10483347b5a7d8",
        "blake3:b53b94273f1a839955b9fd39147bdcf7a6182aa3e9bd47f56c5ec573b3ffbda8",
    ],
];

/// The hashes of a class, if it has any.
pub fn of(hashes: &Hashes, class: HashClass) -> [&'static str; 2] {
    hashes[match class {
        HashClass::Sequential => 0,
        HashClass::Greedy => 1,
        HashClass::Distributed => 2,
        HashClass::None => panic!("fast strategies promise no bits"),
    }]
}
