//! Mesh adaptation as a case of the program.

use cfd_adapt::remesh::{Adapting, Remesh};
use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_engine::strategy::HashClass;
use cfd_mesh::{Boundaries, Given, MeshError, TRIANGLES, generate};

use super::metric::Source;
use super::{Adaptation, Config, fields};
use crate::case::{
    Application, Environment, Facts, Generate, Generator, Hashes, Limits, Memory, NodeValues, Reference,
};

cfd_keys::table! {
    /// The unit square, divided into 2 I J triangles
    pub struct Sizes = "mesh.generate" {
        /// I and J: rectangles along x and along y, each cut into two triangles
        size: [u64; 2], Integers(OneOf(&[2]), &[1, 1], 100_000), unit = "cells", required = true;
    }
}

/// The unit square in triangles.
pub enum Square {}

impl Generate for Square {
    type Keys = Sizes;
    const ABOUT: &'static str = "the unit square in 2 I J triangles";
    const USUAL: &'static [(&'static str, &'static str)] = &[("size", "[200, 200]")];

    fn elements(keys: &Sizes) -> u64 {
        keys.size.iter().fold(2, |product: u64, &side| product.saturating_mul(side))
    }

    fn describe(keys: &Sizes) -> String {
        format!("unit square ({}, {})", keys.size[0], keys.size[1])
    }

    fn mesh(comm: &Comm, keys: &Sizes) -> Result<Given, MeshError> {
        Ok(Given::derived(&TRIANGLES, generate::triangles(comm, keys.size)?))
    }
}

/// There are no loops whose order could matter, so every class has the same bits.
const fn of(class: HashClass) -> Hashes {
    Hashes {
        class,
        solution: "blake3:daa202c8afe7c0a156882120dd557a50da792efb71eda662e231347250b30a3c",
        history: "blake3:2256425b64a79e5df296233136c118d17122390ef5c78fee275dc2fb09b51f86",
    }
}

const REFERENCES: &[Reference] = &[Reference {
    settings: &[
        ("mesh.generate.size", "[12, 12]"),
        ("adaptation.eta", "0.05"),
        ("adaptation.time_step", "10.0"),
        ("adaptation.iterations", "2"),
    ],
    hashes: &[of(HashClass::Sequential), of(HashClass::Greedy), of(HashClass::Distributed)],
}];

impl Application for Adaptation {
    type Config = Config;
    const FACTS: Facts = Facts {
        devices: false,
        generator: Some(Generator::of::<Square>()),
        references: REFERENCES,
        needs: &[&TRIANGLES],
        memory: Memory { element: "elements", mesh: 38, run: 600 },
        ..Facts::NONE
    };

    fn limits(config: &Config) -> Limits {
        Limits { iterations: config.iterations, tolerance: config.tolerance }
    }

    fn conditions(config: &Config) -> String {
        let metric = match config.complexity {
            Some(complexity) => format!("metric {}, complexity {complexity}", config.metric),
            None if config.metric == "front" => format!("metric front, eta {}", config.eta),
            None => format!("metric {}", config.metric),
        };
        if config.background { metric + ", from the first mesh in every iteration" } else { metric }
    }

    fn node_values(config: &Config) -> Vec<NodeValues> {
        // Keys that do not belong together are refused with the mesh, before any of these would be used.
        if config.check().is_err() {
            return Vec::new();
        }
        let field = |name: &String, most: usize| NodeValues::Field {
            file: config.solution.clone().unwrap_or_default().into(),
            name: name.clone(),
            most,
        };
        let first = match Source::of(config) {
            Source::Medit(path) => Some(NodeValues::Metric(path)),
            Source::Field => Some(field(&config.field.clone().unwrap_or_default(), 1)),
            _ => None,
        };
        let others = config.intersect.iter().flatten().map(|path| NodeValues::Metric(path.into()));
        // Those that are carried along come last.
        let carried = config.fields.iter().flatten().map(|name| field(name, fields::MOST));
        first.into_iter().chain(others).chain(carried).collect()
    }

    fn needs_first_mesh(config: &Config) -> bool {
        config.background
    }

    fn check_mesh(comm: &Comm, mesh: &Mesh, config: &Config) -> Result<(), MeshError> {
        config.check().map_err(MeshError::Unsuitable)?;
        let elements = TRIANGLES.elements.expect("triangles keep their elements");
        let remesh = Remesh::new(Adaptation::FACTS.needs, Boundaries::new(&[]));
        let adapting = Adapting::new(&remesh, comm, &elements(comm, mesh));
        adapting.map(drop).map_err(|error| MeshError::Unsuitable(error.to_string()))
    }

    fn new(
        domain: &mut Domain,
        config: &Config,
        environment: &Environment,
    ) -> Result<Adaptation, DomainError> {
        Adaptation::new(domain, config, environment)
    }
}
