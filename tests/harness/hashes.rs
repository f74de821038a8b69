//! The hashes of the solution and of the history, of the sequential class, the greedy and the distributed one: on any
//! machine, on any ranks, in any build.

use cfd_engine::strategy::HashClass;

/// A case's hashes.
pub type Hashes = [[&'static str; 2]; 3];

/// Airfoil around NACA0012, 47 by 78 by 3 cells, 6 decimals, 100 iterations.
pub const AIRFOIL: Hashes = [
    [
        "blake3:55780b9cc1d9fbbf70bb9fa0450c2f53b42c0a1478b542bf8a8fb2db2f29c55b",
        "blake3:d6288b598f2107bc031756253da93ad003663d6abc64c67984698cfbc46cd3d6",
    ],
    [
        "blake3:863b9d9ddaf1c6ba1ade52a296dbc517e7732eed0ba0c4aa710b5c347b7e94f3",
        "blake3:4fc8528f42afb2f9bf45d5f20206f9e2519437b77013431bc6aea6d931711c10",
    ],
    [
        "blake3:22966aaaeed919a46b2ec5e3e7ab958a88e897ae2f4d914db6be00f514248a62",
        "blake3:a0195cf8fb33e1a974276372d46c3590df743b0d47e701fd08691e1ec50da5ff",
    ],
];

/// Aero around NACA0012, 30 by 50 by 3 elements, 6 decimals, 4 Newton steps.
pub const AERO: Hashes = [
    [
        "blake3:e214669aef2a9e2bdde0dbd95cc1c6b282c87c5231225256c82bcb147c439e98",
        "blake3:5743cde6cd2f1c58885a0290cb732024c358df94dc17865b1ed4c246daa76d60",
    ],
    [
        "blake3:8cf6ef582a9f3a313f3322e858bed3e1d9d82749721c1dc894b3e1b0c9d879da",
        "blake3:839951a122d7a9914fad7175d02c9232996bc8af08d7d783780421dc94eb810b",
    ],
    [
        "blake3:76a1b4bd1f1a5f195afe31830ac87d834dee4a203e9d7958d04a5bea66767a04",
        "blake3:386da2fea7d3f7e303774dc7e237e4f7b22c54769a87cea86dea815273904280",
    ],
];

/// MG-CFD's Euler scheme around a wing, 16 by 7 by 8 hexahedra, 3 levels, 3 cycles.
pub const EULER: Hashes = [
    [
        "blake3:77e09c16b726a9d23a513966d86254e79a3282a00c6249078400aad7ca3519f8",
        "blake3:93250d57d6b979dfcdde4e876a25428a7f4dfd432b433ed9ffb53e0f0d58d087",
    ],
    [
        "blake3:91025361937abc4f78b5b37ecf6f3f0738b76a9567bc0d166fa0f88ee1b5c000",
        "blake3:6a555f1041a20fce369f705a9af877156615b17355d52368adcd71eb6a4e44b6",
    ],
    [
        "blake3:45dee11e0c74edb4d906044af774c35b14cb83a2206bf76aa60f827835152951",
        "blake3:a6e0cf3b416c6cf6c8a8d8d80670b056b0993945e17fe61fe58ddf11fa3755d0",
    ],
];

/// MG-CFD's published scheme in a box of 12 by 8 by 10 hexahedra, 3 levels, 4 cycles. It hardly moves the state.
pub const PROXY: Hashes = [
    [
        "blake3:869b10af5aba346ed687bf7f9d2b09b65bd416ed403b3a575891da1949f66a11",
        "blake3:7458bd5cfaf8fa3b3bf087a202af8d255cb811d74b582508e62b33d7ae8920b1",
    ],
    [
        "blake3:0ffbd6ac1cdfa592c4c2659e56f6af3a7bf34e31cd58e1010df67ce89145fbd1",
        "blake3:7458bd5cfaf8fa3b3bf087a202af8d255cb811d74b582508e62b33d7ae8920b1",
    ],
    [
        "blake3:91c865d5a9466276b792827c00fa528a37ced13a3835a0393e4b6e9a15a5e811",
        "blake3:7458bd5cfaf8fa3b3bf087a202af8d255cb811d74b582508e62b33d7ae8920b1",
    ],
];

/// The same with area vectors scaled up, so that the order of additions shows.
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

/// The hashes of a class that has some.
pub fn of(hashes: &Hashes, class: HashClass) -> [&'static str; 2] {
    hashes[match class {
        HashClass::Sequential => 0,
        HashClass::Greedy => 1,
        HashClass::Distributed => 2,
        HashClass::None => panic!("fast strategies promise no bits"),
    }]
}
