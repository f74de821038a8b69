//! LULESH as a case of the program.

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_engine::strategy::HashClass;
use cfd_mesh::derive::neighbours;
use cfd_mesh::{MeshError, NEIGHBOURS};
use serde_json::{Value as Json, json};

use super::cube::edge;
use super::{Config, Cube, END, Lulesh};
use crate::case::{Application, Environment, Facts, Generator, Hashes, Limits, Memory, Reference};

const REFERENCES: &[Reference] = &[Reference {
    settings: &[("lulesh.size", "8"), ("lulesh.iterations", "60")],
    hashes: &[
        Hashes {
            class: HashClass::Sequential,
            solution: "blake3:a1005cd096f1fd2ec89c688022f6c18539e0a524c4bd2831f1048e65e8320b4f",
            history: "blake3:1069c47174e4e451ebe963b143c54d8ad99e6c66205acb4f0ce725f96c7c49ba",
        },
        Hashes {
            class: HashClass::Greedy,
            solution: "blake3:c090da14b3ddaf5899520974be4df5b9ee4a6e26f05d83163102268a5beb7f95",
            history: "blake3:4bd59178dca9d76ce25099cfed528be8c3364956256b29b7143ed15421504875",
        },
        Hashes {
            class: HashClass::Distributed,
            solution: "blake3:47b2fef7fb01738d6d93771b5834e876eb5bbb550b67a64555603f675df6e0bb",
            history: "blake3:3ef5f2daa2241ac4cc951425b71b49bb1284b02d4d5ea5ece81a72616c07f8de",
        },
    ],
}];

impl Application for Lulesh {
    type Config = Config;
    const FACTS: Facts = Facts {
        boundaries: &neighbours::KINDS,
        title: "LULESH",
        residual: "time step",
        generator: Some(Generator::of::<Cube>()),
        mesh_key: Some("size"),
        references: REFERENCES,
        needs: &[&NEIGHBOURS],
        memory: Memory { element: "elems", mesh: 100, run: 700 },
        ..Facts::NONE
    };

    fn limits(config: &Config) -> Limits {
        Limits { iterations: config.iterations, tolerance: 0.0 }
    }

    fn conditions(_config: &Config) -> String {
        format!("point blast to t = {END}")
    }

    fn method(config: &Config) -> String {
        format!("{} regions, cost {}", config.regions, config.cost)
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

    fn new(domain: &mut Domain, config: &Config, _environment: &Environment) -> Result<Lulesh, DomainError> {
        Lulesh::new(domain, config)
    }
}
