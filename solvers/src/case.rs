//! What the program, the tests and the documents need to know about a case, and how a case provides it.
//!
//! A case implements [`Application`] in its folder, for its solver type. [`Case::of`] turns that into a value of a type
//! common to all cases, with its configuration as JSON; [`CASES`](crate::CASES) lists them. Everything else finds what
//! it needs there: the keys and their reference page, `cfd mesh generate`, partitioning, output, the tests of stored
//! hashes.

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_engine::strategy::HashClass;
use cfd_keys::{Keys, Table, typed};
use cfd_topology::{BoundaryKind, MeshError, Topology};
use serde_json::Value as Json;

use crate::Solver;

/// A case, implemented by its solver type.
pub trait Application: Solver + Sized + 'static {
    /// Its keys, in the table of the case's name.
    type Config: Keys;
    /// Its name in titles; empty if it is the table's name, capitalised.
    const TITLE: &'static str = "";
    /// The topology of its meshes.
    const TOPOLOGY: Topology;
    /// The kinds of boundaries of its meshes; empty if no boundary can be named.
    const BOUNDARIES: &'static [BoundaryKind] = &[];
    /// Whether its loops can run on devices; false for a case without loops.
    const DEVICES: bool = true;
    /// The generator of its meshes, if any.
    const GENERATOR: Option<Generator>;
    /// The key in its own table that generates the mesh, and so replaces `[mesh]`, if any.
    const MESH_KEY: Option<&'static str> = None;
    /// The memory that its meshes and runs need.
    const MEMORY: Memory;
    /// Its known results.
    const REFERENCES: &'static [Reference];

    /// When a run ends. A case without steps has one iteration.
    fn limits(config: &Self::Config) -> Limits;

    /// What is computed, in a few words: "Mach 0.4, angle of attack 3 degrees".
    fn conditions(_config: &Self::Config) -> String {
        String::new()
    }

    /// How it is computed, in a few words: "CFL 0.9".
    fn method(_config: &Self::Config) -> String {
        String::new()
    }

    /// The values of the generator's keys that [`Application::MESH_KEY`] stands for, if it is set.
    fn mesh(_config: &Self::Config) -> Option<Json> {
        None
    }

    /// Refuses a valid mesh that this configuration cannot use. Collective.
    ///
    /// # Errors
    /// What is wrong with it, and what would be right.
    fn check_mesh(_comm: &Comm, _mesh: &Mesh, _config: &Self::Config) -> Result<(), MeshError> {
        Ok(())
    }

    /// The solver with its start values on a domain of this topology. Collective.
    ///
    /// # Errors
    /// The mesh lacks something.
    fn new(domain: &mut Domain, config: &Self::Config) -> Result<Self, DomainError>;
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Iterations at most.
    pub iterations: u64,
    /// Residual below which the run ends; 0: never.
    pub tolerance: f64,
}

impl Limits {
    /// Whether an iteration of this residual ends the run.
    pub fn is_met(&self, residual: f64) -> bool {
        self.tolerance > 0.0 && residual < self.tolerance
    }
}

/// Bytes per element of the counted kind, on all ranks together: lower bounds, at most nine tenths of what was measured
/// with one rank and one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The elements' name.
    pub element: &'static str,
    /// For generating a mesh.
    pub mesh: u64,
    /// For a run.
    pub run: u64,
}

/// Bits that a case must give on any machine, in any build, on any ranks, threads, lanes and devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Keys that differ from their defaults, and their values as TOML.
    pub settings: &'static [(&'static str, &'static str)],
    /// Each class's hashes.
    pub hashes: &'static [Hashes],
}

/// The hashes of a class of strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// The class.
    pub class: HashClass,
    /// Of the solution.
    pub solution: &'static str,
    /// Of all residuals.
    pub history: &'static str,
}

/// A mesh generator, with its keys in `[mesh.generate]`.
pub trait Generate: 'static {
    /// The keys.
    type Keys: Keys;
    /// What it generates, in a line without a full stop.
    const ABOUT: &'static str;
    /// The values that `cfd mesh generate` uses for required keys not given, as TOML.
    const USUAL: &'static [(&'static str, &'static str)];

    /// How many elements, of the kind named in [`Memory::element`], a mesh has.
    fn elements(keys: &Self::Keys) -> u64;

    /// The mesh in a few words.
    fn describe(keys: &Self::Keys) -> String;

    /// Generates this rank's blocks of the mesh. Collective.
    ///
    /// # Errors
    /// A size that is not possible.
    fn mesh(comm: &Comm, keys: &Self::Keys) -> Result<Mesh, MeshError>;
}

/// A [`Generate`], whatever its keys.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// The keys.
    pub table: &'static Table,
    /// What is made.
    pub about: &'static str,
    /// The values that `cfd mesh generate` uses for required keys.
    pub usual: &'static [(&'static str, &'static str)],
    elements: fn(&Json) -> u64,
    describe: fn(&Json) -> String,
    mesh: fn(&Comm, &Json) -> Result<Mesh, MeshError>,
}

impl Generator {
    /// The value of a generator.
    pub const fn of<G: Generate>() -> Generator {
        Generator {
            table: G::Keys::TABLE,
            about: G::ABOUT,
            usual: G::USUAL,
            elements: |keys| G::elements(&typed(keys)),
            describe: |keys| G::describe(&typed(keys)),
            mesh: |comm, keys| G::mesh(comm, &typed(keys)),
        }
    }

    /// [`Generate::elements`]; `keys` are the checked values of [`Generator::table`].
    pub fn elements(&self, keys: &Json) -> u64 {
        (self.elements)(keys)
    }

    /// [`Generate::describe`].
    pub fn describe(&self, keys: &Json) -> String {
        (self.describe)(keys)
    }

    /// [`Generate::mesh`]. Collective.
    ///
    /// # Errors
    /// As there.
    pub fn mesh(&self, comm: &Comm, keys: &Json) -> Result<Mesh, MeshError> {
        (self.mesh)(comm, keys)
    }
}

/// An [`Application`], whatever its type.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its name, which is also its table's.
    pub name: &'static str,
    title: &'static str,
    /// Its keys.
    pub table: &'static Table,
    /// The topology of its meshes.
    pub topology: Topology,
    /// The kinds of boundaries.
    pub boundaries: &'static [BoundaryKind],
    /// Whether it can run on devices.
    pub devices: bool,
    /// The generator of its meshes.
    pub generator: Option<Generator>,
    /// The key in its own table that replaces `[mesh]`.
    pub mesh_key: Option<&'static str>,
    /// The memory it needs.
    pub memory: Memory,
    /// Its known results.
    pub references: &'static [Reference],
    limits: fn(&Json) -> Limits,
    conditions: fn(&Json) -> String,
    method: fn(&Json) -> String,
    mesh: fn(&Json) -> Option<Json>,
    check_mesh: fn(&Comm, &Mesh, &Json) -> Result<(), MeshError>,
    new: New,
}

/// Makes a solver from a domain and the values of the case's keys.
type New = fn(&mut Domain, &Json) -> Result<Box<dyn Solver>, DomainError>;

impl Case {
    /// The value of a case.
    pub const fn of<A: Application>() -> Case {
        Case {
            name: A::Config::TABLE.name,
            title: A::TITLE,
            table: A::Config::TABLE,
            topology: A::TOPOLOGY,
            boundaries: A::BOUNDARIES,
            devices: A::DEVICES,
            generator: A::GENERATOR,
            mesh_key: A::MESH_KEY,
            memory: A::MEMORY,
            references: A::REFERENCES,
            limits: |config| A::limits(&typed(config)),
            conditions: |config| A::conditions(&typed(config)),
            method: |config| A::method(&typed(config)),
            mesh: |config| A::mesh(&typed(config)),
            check_mesh: |comm, mesh, config| A::check_mesh(comm, mesh, &typed(config)),
            new: |domain, config| Ok(Box::new(A::new(domain, &typed(config))?)),
        }
    }

    /// Its name in titles.
    pub fn title(&self) -> String {
        let mut letters = self.name.chars();
        match (self.title, letters.next()) {
            ("", Some(first)) => first.to_uppercase().chain(letters).collect(),
            (title, _) => title.into(),
        }
    }

    /// [`Application::limits`]; `config` are the checked values of [`Case::table`].
    pub fn limits(&self, config: &Json) -> Limits {
        (self.limits)(config)
    }

    /// [`Application::conditions`].
    pub fn conditions(&self, config: &Json) -> String {
        (self.conditions)(config)
    }

    /// [`Application::method`].
    pub fn method(&self, config: &Json) -> String {
        (self.method)(config)
    }

    /// [`Application::mesh`].
    pub fn mesh(&self, config: &Json) -> Option<Json> {
        (self.mesh)(config)
    }

    /// [`Application::check_mesh`]. Collective.
    ///
    /// # Errors
    /// As there.
    pub fn check_mesh(&self, comm: &Comm, mesh: &Mesh, config: &Json) -> Result<(), MeshError> {
        (self.check_mesh)(comm, mesh, config)
    }

    /// [`Application::new`]. Collective.
    ///
    /// # Errors
    /// As there.
    pub fn solver(&self, domain: &mut Domain, config: &Json) -> Result<Box<dyn Solver>, DomainError> {
        (self.new)(domain, config)
    }
}
