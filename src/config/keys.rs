//! All tables of keys: the program's own, and those that the cases describe.
//!
//! Checking, defaults, `--print-config` and the reference page `docs/config.md` all follow from them.

use std::path::PathBuf;
use std::sync::LazyLock;

use cfd_engine::global::Sums;
use cfd_engine::lane::{Width, WidthError};
use cfd_engine::strategy::{Mode, Strategy};
use cfd_keys::{Key, Keys, Kind, Table};
use cfd_partition::{Method, Order};
use cfd_reducers::strategies;
use cfd_solvers::CASES;
use cfd_solvers::case::Case;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The table of the generators' keys.
pub const GENERATE: &str = "mesh.generate";
/// The table of the boundaries' names.
pub const BOUNDARIES: &str = "boundaries";

/// Names of the cases.
const CASE_NAMES: [&str; CASES.len()] = {
    let mut names = [""; CASES.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = CASES[at].name;
        at += 1;
    }
    names
};

cfd_keys::table! {
    /// What is solved
    pub struct Top = "", partial {
        /// the application; must be given
        case: String, Choice(&CASE_NAMES), required = true;
    }
}

cfd_keys::table! {
    /// Where the mesh comes from: `file` or `generate`, one of them
    pub struct MeshKeys = "mesh" {
        /// mesh file, relative to the working directory; its format is found from its content
        file: Option<PathBuf>, Text;
    }
}

cfd_keys::choice! {
    /// What runs the loops.
    pub enum Backend {
        /// The processor.
        Cpu = "cpu",
        /// A GPU for each rank.
        Cuda = "cuda",
        /// A GPU for as many ranks of a machine as it has, the processor for the others.
        Auto = "auto",
        /// A device that runs the GPU's code on the processor.
        Emulated = "emulated",
    }
}

cfd_keys::choice! {
    /// `execution.device_layout`.
    pub enum DeviceLayout {
        /// As loops use each dat.
        Auto = "auto",
        /// Row by row.
        Rows = "rows",
        /// Component by component.
        Columns = "columns",
    }
}

cfd_keys::choice! {
    /// `execution.gpu_aware_mpi`.
    pub enum GpuAwareMpi {
        /// Where the MPI library says that it can.
        Auto = "auto",
        /// Always.
        On = "on",
        /// Never.
        Off = "off",
    }
}

/// `execution.lanes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lanes {
    /// As many as the processor has.
    Auto,
    /// This many.
    #[serde(untagged)]
    Forced(usize),
}

impl Lanes {
    /// The width, if the processor has it.
    ///
    /// # Errors
    /// It has not; the widths that it has.
    pub fn width(self) -> Result<Width, WidthError> {
        match self {
            Lanes::Auto => Ok(Width::widest()),
            Lanes::Forced(lanes) => Width::new(lanes),
        }
    }
}

/// A strategy, the engine's or one that is plugged in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByName(pub Strategy);

impl Serialize for ByName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de> Deserialize<'de> for ByName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByName, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = strategies::named(&name).map(ByName);
        known.ok_or_else(|| D::Error::custom(format_args!("no strategy is called {name:?}")))
    }
}

cfd_keys::table! {
    /// How loops run
    pub struct Execution = "execution", partial {
        /// what is promised of the bits: the same on any number of ranks, or only on the same number
        mode: Mode, Choice(&["reproducible", "fast"]), default = "reproducible";
        /// how loops that change values through maps run (docs/reproducibility.md); unset: "regions" in reproducible mode,
        /// "core" in fast mode, which alone allows it and those named after it
        strategy: ByName, Choice(strategies::NAMES);
        /// canonical order, which fixes the bits: that of the mesh file, or along a Hilbert curve, for files with a bad order
        order: Order, Choice(&["file", "hilbert"]), default = "file";
        /// about how many targets a region has (docs/loops.md); 0: one region a thread
        region_size: u64, Integer(0, LARGEST), default = 0, unit = "targets";
        /// global sums of reproducible mode: correctly rounded, or within 80 bits of the largest term; in fast mode sums are
        /// plain
        sums: Sums, Choice(&["exact", "binned"]), default = "exact";
        /// largest set that greedy coloring, which holds the whole set on one rank, may be given
        greedy_limit: u64, Integer(0, LARGEST), default = 20000000, unit = "elements";
        /// directory in which greedy colorings are kept from run to run; unset: colorings in the output directory
        coloring_cache: Option<PathBuf>, Text;
        /// run the core of a loop while its halo exchange is under way; off, for comparison, waits first
        overlap: bool, Bool, default = true;
        /// prefetch memory in loops over more than the cores' own caches hold; off, for comparison,
        /// leaves that to the processor
        look_ahead: bool, Bool, default = true;
        /// elements in a block of strategy "colored-blocks", targets in one of "block-private", "block-lock" and "block-cas"
        block_size: u64, Integer(1, LARGEST), default = 1024, unit = "elements";
        /// threads of each rank; unset: 1 under a launcher, else as many as there are processors to use
        threads: Option<u64>, Integer(1, 4096), unit = "threads";
        /// how many a kernel works on together, of what the processor has; auto: as many as it can; no bit depends on it
        lanes: Lanes, AutoOr(&[1, 2, 4, 8]), default = "auto", unit = "elements";
        /// run chains of loops tile by tile where that moves fewer bytes; off, every loop by itself
        chain: bool, Bool, default = false;
        /// elements of a chain's tile; 0: as many as the cache takes, and chains only where they pay
        tile_size: u64, Integer(0, LARGEST), default = 0, unit = "elements";
        /// what runs the loops: the processor; a GPU for each rank (docs/loops.md); auto, a GPU for as many ranks of a machine as
        /// it has GPUs, and the processor for the others; or a device that runs the GPU's code on the processor, threads in
        /// random order, for tests
        backend: Backend, Choice(Backend::WORDS), default = "cpu";
        /// threads of a block on a device; 0: tried out in the first calls of each loop, and kept with the compiled kernels
        device_threads: u64, PowerOfTwo(32, 1024), default = 0, unit = "threads";
        /// how a device stores values of several components: row by row what loops reach through maps and component by
        /// component the rest, all row by row, or all component by component
        device_layout: DeviceLayout, Choice(DeviceLayout::WORDS), default = "auto";
        /// directory in which kernels compiled for a device are kept from run to run; unset: kernels in the output directory
        kernel_cache: Option<PathBuf>, Text;
        /// halo messages are sent from and received into a device's memory, without the host: where the MPI library says that
        /// it can, always, or never (docs/loops.md)
        gpu_aware_mpi: GpuAwareMpi, Choice(GpuAwareMpi::WORDS), default = "auto";
    }
}

cfd_keys::table! {
    /// How the mesh is cut into one part a rank
    pub struct Partition = "partition" {
        /// the partitioner; a file holds one part number a line, in global order
        method: String, ChoiceOrFile(Method::NAMES), default = "metis";
        /// seed of the partitioners that draw random numbers (metis, random)
        seed: u64, Integer(0, LARGEST), default = 0;
        /// largest primary set that METIS, which holds the whole graph on one rank, may be given
        metis_limit: u64, Integer(0, LARGEST), default = 20000000, unit = "elements";
        /// what the parts balance: numbers of elements; costs of elements and speeds of ranks as a few steps show them, which
        /// are run before the iterations and discarded, and written to weights.toml; or those of such a file
        weights: String, ChoiceOrFile(&["none", "measured", "file:PATH"]), default = "none";
    }
}

cfd_keys::table! {
    /// What is written
    pub struct Output = "output" {
        /// where everything is written, relative to the working directory; made when missing
        directory: PathBuf, Text, default = "out";
        /// iterations between rows of history.csv; the last iteration is always there
        history_every: u64, Integer(1, LARGEST), default = 1, unit = "iterations";
        /// iterations between VTU files of the fields, solution-ITERATION.vtu (with several ranks .pvtu), which solution.pvd lists;
        /// 0: fields are written only at the end
        every: u64, Integer(0, LARGEST), default = 0, unit = "iterations";
        /// points whose nearest elements' values stand in probes.csv, for every iteration that has a row in history.csv
        /// (docs/formats.md)
        probes: Vec<Vec<f64>>, Points, default = [];
        /// iterations between checkpoints; the last iteration writes one, too; 0: only when the run is asked to stop (SIGUSR1,
        /// SIGTERM, SIGINT, --time-limit)
        checkpoint_every: u64, Integer(0, LARGEST), default = 0, unit = "iterations";
        /// checkpoints kept; older ones are removed when a new one is complete
        checkpoint_keep: u64, Integer(1, LARGEST), default = 2, unit = "files";
        /// solution files: h5 is solution.h5; vtu is solution.vtu, or with several ranks solution.pvtu and its pieces, for
        /// ParaView; vtkhdf is solution.vtkhdf, one file for any number of ranks and steps, for ParaView 5.12 or newer; an
        /// empty list writes none
        formats: Vec<String>, Choices(&["h5", "vtu", "vtkhdf"]), default = ["h5"];
        /// store the mesh in solution.h5, too: coordinates and cells, in the group mesh, outside of every hash
        mesh: bool, Bool, default = false;
        /// draw convergence.svg, and the pictures that the case has, like cp.svg and mach.svg
        pictures: bool, Bool, default = true;
        /// write report.html, a page that shows the run with its pictures and needs nothing beside itself
        report: bool, Bool, default = true;
        /// measure the memory's bandwidth and the processors' arithmetic after the iterations, in about a second, and show
        /// each loop's share of them
        bandwidth: bool, Bool, default = false;
        /// write profile.json: where the time went, as a tree that Hatchet reads (docs/benchmarks.md)
        profile: bool, Bool, default = false;
    }
}

/// The names of boundaries, a key for each kind that some case knows.
static BOUNDARY_TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut keys: Vec<Key> = Vec::new();
    for kind in CASES.iter().flat_map(|case| case.boundaries) {
        if keys.iter().all(|key| key.name != kind.name) {
            let known: Vec<String> = kind.known.iter().map(|name| format!("\"{name}\"")).collect();
            let meaning = format!("names of {}, besides those known: {}", kind.meaning, known.join(", "));
            let meaning = meaning.leak();
            keys.push(Key {
                name: kind.name,
                kind: Kind::Names,
                default: None,
                required: false,
                unit: "",
                meaning,
            });
        }
    }
    let about = "What the named boundaries of a Gmsh or SU2 mesh are, where their names do not say it (docs/formats.md)";
    Table { name: BOUNDARIES, about, keys: keys.leak() }
});

/// All tables, in the order in which they are printed; one of [`GENERATE`] for each way to make a mesh.
pub fn tables() -> &'static [&'static Table] {
    static ALL: LazyLock<Vec<&Table>> = LazyLock::new(|| {
        let mut all = vec![Top::TABLE, MeshKeys::TABLE];
        for generator in CASES.iter().filter_map(|case| case.generator) {
            if !all.contains(&generator.table) {
                all.push(generator.table);
            }
        }
        all.extend([&*BOUNDARY_TABLE, Execution::TABLE, Partition::TABLE]);
        all.extend(CASES.iter().map(|case| case.table));
        all.push(Output::TABLE);
        all
    });
    &ALL
}

/// The tables of a name, that of a case first where there are several.
pub fn named(name: &str, case: Option<&Case>) -> impl Iterator<Item = &'static Table> {
    let own = case.and_then(|case| case.generator).map(|generator| generator.table);
    let own = own.filter(|own| own.name == name);
    let others = tables().iter().copied().filter(move |table| Some(*table) != own);
    own.into_iter().chain(others.filter(move |table| table.name == name))
}

/// The keys of a path, that of a case first where there are several.
pub fn find(path: &str, case: Option<&Case>) -> Vec<(&'static Table, &'static Key)> {
    let (table, name) = path.rsplit_once('.').unwrap_or(("", path));
    named(table, case).filter_map(|table| Some((table, table.key(name)?))).collect()
}

/// Whether there is a table of this name.
pub fn is_table(name: &str) -> bool {
    tables().iter().any(|table| table.name == name && !name.is_empty())
}

/// The case of a name.
pub fn case(name: &str) -> Option<&'static Case> {
    CASES.iter().find(|case| case.name == name)
}
