//! LULESH as a case of the program.

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_engine::strategy::HashClass;
use cfd_topology::{MeshError, Topology};
use serde_json::{Value as Json, json};

use super::cube::edge;
use super::{Config, Cube, Lulesh};
use crate::case::{Application, Generator, Hashes, Limits, Memory, Reference};

impl Application for Lulesh {
    type Config = Config;
    const TOPOLOGY: Topology = Topology::Hexahedra;
    const GENERATOR: Option<Generator> = Some(Generator::of::<Cube>());
    const MESH_KEY: Option<&'static str> = Some("size");
    const MEMORY: Memory = Memory { element: "elems", mesh: 100, run: 700 };
    const REFERENCES: &'static [Reference] = &[Reference {
        settings: &[("lulesh.size", "10"), ("lulesh.iterations", "60")],
        hashes: &[
            Hashes { class: HashClass::Sequential, solution: "blake3:0", history: "blake3:0" },
            Hashes { class: HashClass::Greedy, solution: "blake3:0", history: "blake3:0" },
            Hashes { class: HashClass::Distributed, solution: "blake3:0", history: "blake3:0" },
        ],
    }];

    fn limits(config: &Config) -> Limits {
        Limits { iterations: config.iterations, tolerance: 0.0 }
    }

    fn mesh(config: &Config) -> Option<Json> {
        config.size.map(|size| json!({ "size": [size] }))
    }

    fn check_mesh(_comm: &Comm, mesh: &Mesh, _config: &Config) -> Result<(), MeshError> {
        let rows = |name: &str| mesh.set(name).map_or(0, |set| mesh.sets[set].rows);
        let (elems, nodes) = (rows("elems"), rows("nodes"));
        match edge(elems) {
            Some(n) if nodes == (n + 1) * (n + 1) * (n + 1) => Ok(()),
            _ => Err(MeshError::Unsuitable(format!(
                "a blast needs a cube of N^3 elements and (N + 1)^3 nodes; this mesh has {elems} elements and {nodes} nodes"
            ))),
        }
    }

    fn new(domain: &mut Domain, config: &Config) -> Result<Lulesh, DomainError> {
        Lulesh::new(domain, config)
    }
}
