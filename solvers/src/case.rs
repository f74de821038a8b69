//! What the program, the tests and the documents need to know about a case, and how a case provides it.
//!
//! A case implements [`Application`] in its folder, for its solver type. [`AnyCase`] is the same for all of them, with
//! configurations as JSON; [`CASES`](crate::CASES) lists them. Everything else finds what it needs there: the keys and
//! their reference page, `cfd mesh generate`, what is derived from a mesh, partitioning, output, the tests of stored hashes.

use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_engine::strategy::HashClass;
use cfd_keys::{Keys, Table, typed};
use cfd_mesh::{BoundaryKind, Derived, ElementMesh, Given, Levels, MeshError, Named};
use cfd_partition::Options;
use serde_json::Value as Json;

use crate::Solver;

/// A case, implemented by its solver type.
pub trait Application: Solver + Sized + 'static {
    /// Its keys, in the table of the case's name.
    type Config: Keys;
    /// What is known of it whatever its configuration.
    const FACTS: Facts;

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

    /// The values of the generator's keys that [`Facts::mesh_key`] stands for, if it is set.
    fn mesh(_config: &Self::Config) -> Option<Json> {
        None
    }

    /// The memory that meshes and runs need.
    fn memory(_config: &Self::Config) -> Memory {
        Self::FACTS.memory
    }

    /// The levels to derive from a mesh of elements.
    fn levels(_config: &Self::Config) -> Levels {
        1.into()
    }

    /// The solution file of another run whose fields are the start values, if one is named.
    fn start_from(_config: &Self::Config) -> Option<String> {
        None
    }

    /// What the run takes from files at the nodes of its mesh; the program reads it ([`Environment::node_values`]).
    fn node_values(_config: &Self::Config) -> Vec<NodeValues> {
        Vec::new()
    }

    /// Whether a run that continues on another mesh needs the first one and its values ([`Environment::first`]).
    fn needs_first_mesh(_config: &Self::Config) -> bool {
        false
    }

    /// Refuses a valid mesh that this configuration cannot use. Collective.
    ///
    /// # Errors
    /// What is wrong with it, and what would be right.
    fn check_mesh(_comm: &Comm, _mesh: &Mesh, _config: &Self::Config) -> Result<(), MeshError> {
        Ok(())
    }

    /// The solver with its start values on a domain of what the case needs. Collective.
    ///
    /// # Errors
    /// The mesh lacks something.
    fn new(
        domain: &mut Domain,
        config: &Self::Config,
        environment: &Environment,
    ) -> Result<Self, DomainError>;

    /// The same, of another type where the domain asks for it: a case of several dimensions has one for each. Collective.
    ///
    /// # Errors
    /// The mesh lacks something.
    fn solver(
        domain: &mut Domain,
        config: &Self::Config,
        environment: &Environment,
    ) -> Result<Box<dyn Solver>, DomainError> {
        Ok(Box::new(Self::new(domain, config, environment)?))
    }
}

/// Values at the nodes of a mesh, from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeValues {
    /// A metric in Medit's format (`.sol`, `.solb`), a size or a symmetric matrix at each node of the mesh: xx, xy, yy.
    Metric(PathBuf),
    /// A field of a solution (`solution.h5`) on this mesh or, interpolated, on another one that the file holds.
    Field {
        /// The file.
        file: PathBuf,
        /// The field, or `derived/` and its name.
        name: String,
        /// The most values at a node; 1: a scalar.
        most: usize,
    },
}

/// This rank's block of values at the nodes of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeBlock {
    /// Values at a node.
    pub dim: usize,
    /// Those of this rank's nodes.
    pub values: Vec<f64>,
}

/// What surrounds a solver, apart from its configuration.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The named boundaries of the mesh, by the numbers that the domain has for them.
    pub boundaries: Named,
    /// The elements from which the mesh was derived, if they are known.
    pub elements: Option<ElementMesh>,
    /// How to divide another mesh among the ranks.
    pub partition: Options,
    /// Bytes that this rank may still use.
    pub room: u64,
    /// This rank's block of what [`Application::node_values`] names, in that order; for the mesh of a checkpoint only if the
    /// case [`needs`](Application::needs_first_mesh) the first mesh.
    pub node_values: Vec<NodeBlock>,
    /// The elements of the mesh that the run was given, if the run continues on another one and the case needs it.
    pub first: Option<ElementMesh>,
    /// Names of the fields in the state of the checkpoint that the run continues from, with their values of a row.
    pub state: Vec<(String, usize)>,
    /// Frames that a film of the run should have; 0: no film.
    pub film: u64,
}

impl Default for Environment {
    /// No names, the default partitioner, and unlimited memory.
    fn default() -> Environment {
        let (boundaries, partition) = (Named::default(), Options::default());
        Environment {
            boundaries,
            elements: None,
            partition,
            room: u64::MAX,
            node_values: Vec::new(),
            first: None,
            state: Vec::new(),
            film: 0,
        }
    }
}

/// What is known of a case whatever its configuration.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Its name in titles; empty if it is the table's name, capitalised.
    pub title: &'static str,
    /// What its residual is called under a picture; "residual" if this is empty.
    pub residual: &'static str,
    /// What it computes on, derived from the mesh's elements; the first is partitioned.
    pub needs: &'static [&'static Derived],
    /// The kinds of boundaries of its meshes; empty if no boundary can be named.
    pub boundaries: &'static [BoundaryKind],
    /// Whether its loops can run on devices; false for a case without loops.
    pub devices: bool,
    /// The generator of its meshes, if any.
    pub generator: Option<Generator>,
    /// The key in its own table that generates the mesh, and so replaces `[mesh]`, if any.
    pub mesh_key: Option<&'static str>,
    /// The memory that its meshes and runs need, at least.
    pub memory: Memory,
    /// Its known results.
    pub references: &'static [Reference],
}

impl Facts {
    /// Nothing but that the case runs on processors and devices: what a case begins with.
    pub const NONE: Facts = Facts {
        title: "",
        residual: "",
        needs: &[],
        boundaries: &[],
        devices: true,
        generator: None,
        mesh_key: None,
        memory: Memory { element: "elements", mesh: 0, run: 0 },
        references: &[],
    };
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
    fn mesh(comm: &Comm, keys: &Self::Keys) -> Result<Given, MeshError>;
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
    mesh: fn(&Comm, &Json) -> Result<Given, MeshError>,
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
    pub fn mesh(&self, comm: &Comm, keys: &Json) -> Result<Given, MeshError> {
        (self.mesh)(comm, keys)
    }
}

/// An [`Application`], whatever its type; configurations are the checked values of [`AnyCase::table`].
pub trait AnyCase: Sync {
    /// Its keys.
    fn table(&self) -> &'static Table;

    /// Further tables of keys that it uses, and the names under which its configuration has their values.
    fn beside(&self) -> &'static [(&'static str, &'static Table)];

    /// [`Application::FACTS`].
    fn facts(&self) -> &'static Facts;

    /// [`Application::limits`].
    fn limits(&self, config: &Json) -> Limits;

    /// [`Application::conditions`].
    fn conditions(&self, config: &Json) -> String;

    /// [`Application::method`].
    fn method(&self, config: &Json) -> String;

    /// [`Application::memory`].
    fn memory(&self, config: &Json) -> Memory;

    /// [`Application::mesh`].
    fn mesh(&self, config: &Json) -> Option<Json>;

    /// [`Application::levels`].
    fn levels(&self, config: &Json) -> Levels;

    /// [`Application::start_from`].
    fn start_from(&self, config: &Json) -> Option<String>;

    /// [`Application::node_values`].
    fn node_values(&self, config: &Json) -> Vec<NodeValues>;

    /// [`Application::needs_first_mesh`].
    fn needs_first_mesh(&self, config: &Json) -> bool;

    /// [`Application::check_mesh`]. Collective.
    ///
    /// # Errors
    /// As there.
    fn check_mesh(&self, comm: &Comm, mesh: &Mesh, config: &Json) -> Result<(), MeshError>;

    /// [`Application::new`]. Collective.
    ///
    /// # Errors
    /// As there.
    fn solver(
        &self,
        domain: &mut Domain,
        config: &Json,
        environment: &Environment,
    ) -> Result<Box<dyn Solver>, DomainError>;
}

/// Any case.
pub type Case = dyn AnyCase;

impl Case {
    /// Its name, which is also its table's.
    pub fn name(&self) -> &'static str {
        self.table().name
    }

    /// All tables of keys that it uses, its own first.
    pub fn tables(&self) -> impl Iterator<Item = &'static Table> {
        std::iter::once(self.table()).chain(self.beside().iter().map(|(_, table)| *table))
    }

    /// Its name in titles.
    pub fn title(&self) -> String {
        let mut letters = self.name().chars();
        match (self.facts().title, letters.next()) {
            ("", Some(first)) => first.to_uppercase().chain(letters).collect(),
            (title, _) => title.into(),
        }
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Case").field(&self.name()).finish()
    }
}

impl PartialEq for Case {
    fn eq(&self, other: &Case) -> bool {
        self.name() == other.name()
    }
}

/// The case of an application.
pub struct Of<A>(PhantomData<fn() -> A>);

impl<A> Of<A> {
    /// The only value.
    pub const CASE: Of<A> = Of(PhantomData);
}

impl<A: Application> AnyCase for Of<A> {
    fn table(&self) -> &'static Table {
        A::Config::TABLE
    }

    fn beside(&self) -> &'static [(&'static str, &'static Table)] {
        A::Config::BESIDE
    }

    fn facts(&self) -> &'static Facts {
        &A::FACTS
    }

    fn limits(&self, config: &Json) -> Limits {
        A::limits(&typed(config))
    }

    fn conditions(&self, config: &Json) -> String {
        A::conditions(&typed(config))
    }

    fn method(&self, config: &Json) -> String {
        A::method(&typed(config))
    }

    fn mesh(&self, config: &Json) -> Option<Json> {
        A::mesh(&typed(config))
    }

    fn memory(&self, config: &Json) -> Memory {
        A::memory(&typed(config))
    }

    fn levels(&self, config: &Json) -> Levels {
        A::levels(&typed(config))
    }

    fn start_from(&self, config: &Json) -> Option<String> {
        A::start_from(&typed(config))
    }

    fn node_values(&self, config: &Json) -> Vec<NodeValues> {
        A::node_values(&typed(config))
    }

    fn needs_first_mesh(&self, config: &Json) -> bool {
        A::needs_first_mesh(&typed(config))
    }

    fn check_mesh(&self, comm: &Comm, mesh: &Mesh, config: &Json) -> Result<(), MeshError> {
        A::check_mesh(comm, mesh, &typed(config))
    }

    fn solver(
        &self,
        domain: &mut Domain,
        config: &Json,
        environment: &Environment,
    ) -> Result<Box<dyn Solver>, DomainError> {
        A::solver(domain, &typed(config), environment)
    }
}

/// The list of cases, and of their names, which keys need when the program is compiled.
macro_rules! cases {
    ($($(#[$about:meta])* $application:ty),+ $(,)?) => {
        /// All cases.
        pub static CASES: &[&$crate::case::Case] = &[$(&$crate::case::Of::<$application>::CASE),+];

        /// Their names.
        pub const CASE_NAMES: &[&str] = &[$(
            <<$application as $crate::case::Application>::Config as ::cfd_keys::Keys>::TABLE.name
        ),+];
    };
}
pub(crate) use cases;
