//! All tables of keys: the program's own and those of the cases.
//!
//! Checking, defaults, `--print-config` and the reference page `docs/config.md` all follow from them.

use std::path::PathBuf;
use std::sync::LazyLock;

use cfd_engine::global::Sums;
use cfd_engine::lane::{Width, WidthError};
use cfd_engine::strategy::{Mode, Strategy};
use cfd_keys::{Key, Keys, Kind, Table};
use cfd_mesh::PERIODIC;
use cfd_partition::{Method, Order};
use cfd_reducers::strategies;
use cfd_solvers::case::Case;
use cfd_solvers::{CASE_NAMES, CASES};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The table of the generators' keys.
pub const GENERATE: &str = "mesh.generate";
/// The table of the boundaries' names.
pub const BOUNDARIES: &str = "boundaries";

cfd_keys::table! {
    /// What is solved
    pub struct Top = "", partial {
        /// the application; required
        case: String, Choice(CASE_NAMES), required = true;
    }
}

cfd_keys::table! {
    /// Where the mesh comes from: either `file` or `generate`
    pub struct MeshKeys = "mesh" {
        /// mesh file, relative to the working directory; the format is detected from its content
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
        /// GPUs for as many ranks of a machine as it has GPUs, the processor for the others.
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
    /// It does not; names the widths it has.
    pub fn width(self) -> Result<Width, WidthError> {
        match self {
            Lanes::Auto => Ok(Width::widest()),
            Lanes::Forced(lanes) => Width::new(lanes),
        }
    }
}

/// A strategy, built into the engine or plugged in.
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
        known.ok_or_else(|| D::Error::custom(format_args!("there is no strategy {name:?}")))
    }
}

cfd_keys::table! {
    /// How loops run
    pub struct Execution = "execution", partial {
        /// guarantee about bits: the same on any number of ranks, or only on the same number
        mode: Mode, Choice(&["reproducible", "fast"]), default = "reproducible";
        /// strategy for loops that change values through maps (docs/reproducibility.md); unset: "regions" in
        /// reproducible mode, "core" in fast mode; "core" and the names after it need fast mode
        strategy: ByName, Choice(strategies::NAMES);
        /// canonical order, which fixes the bits: that of the mesh file's rows, along a Hilbert curve, or the reverse
        /// Cuthill-McKee order of the nodes, whose graph one rank holds
        order: Order, Choice(&["file", "hilbert", "cuthill-mckee"]), default = "file";
        /// approximate number of targets per region (docs/loops.md); 0: one region per thread
        region_size: u64, Integer(0, LARGEST), default = 0, unit = "targets";
        /// global sums in reproducible mode: correctly rounded, or within 80 bits of the largest term; fast mode uses
        /// plain sums
        sums: Sums, Choice(&["exact", "binned"]), default = "exact";
        /// largest set allowed for greedy coloring, which holds the whole set on one rank
        greedy_limit: u64, Integer(0, LARGEST), default = 20000000, unit = "elements";
        /// directory that keeps greedy colorings from run to run; unset: colorings/ in the output directory
        coloring_cache: Option<PathBuf>, Text;
        /// run a loop's core during its halo exchange; false, for comparison, waits for the exchange first
        overlap: bool, Bool, default = true;
        /// prefetch memory in loops over more data than the cores' own caches hold; false, for comparison, leaves that
        /// to the processor
        look_ahead: bool, Bool, default = true;
        /// elements per block of strategy "colored-blocks"; targets per block of "block-private", "block-lock" and
        /// "block-cas"
        block_size: u64, Integer(1, LARGEST), default = 1024, unit = "elements";
        /// threads per rank; unset: 1 under a launcher, otherwise one per available processor
        threads: Option<u64>, Integer(1, 4096), unit = "threads";
        /// number that a kernel works on at once, if the processor supports it; auto: as many as it supports; no bit
        /// depends on it
        lanes: Lanes, AutoOr(&[1, 2, 4, 8]), default = "auto", unit = "elements";
        /// run chains of loops tile by tile where that moves fewer bytes; false runs every loop by itself
        chain: bool, Bool, default = false;
        /// elements per tile of a chain; 0: as many as fit in the cache, and chains only where they pay off
        tile_size: u64, Integer(0, LARGEST), default = 0, unit = "elements";
        /// what runs the loops: the processor; one GPU per rank (docs/loops.md); auto: GPUs for as many ranks of a
        /// machine as it has GPUs, the processor for the others; or, for tests, an emulated device that runs the GPU's
        /// code on the processor, with threads in random order
        backend: Backend, Choice(Backend::WORDS), default = "cpu";
        /// threads per block on a device; 0: tuned in the first calls of each loop and stored with the compiled kernels
        device_threads: u64, PowerOfTwo(32, 1024), default = 0, unit = "threads";
        /// how a device stores values of several components: row by row where loops reach them through maps and
        /// component by component elsewhere, all row by row, or all component by component
        device_layout: DeviceLayout, Choice(DeviceLayout::WORDS), default = "auto";
        /// directory that keeps kernels compiled for a device from run to run; unset: kernels/ in the output directory
        kernel_cache: Option<PathBuf>, Text;
        /// send and receive halo messages directly in a device's memory, bypassing the host: where the MPI library says
        /// that it can, always, or never (docs/loops.md)
        gpu_aware_mpi: GpuAwareMpi, Choice(GpuAwareMpi::WORDS), default = "auto";
    }
}

cfd_keys::table! {
    /// How the mesh is cut into one part per rank
    pub struct Partition = "partition" {
        /// the partitioner; a file holds one part number per line, in global order
        method: String, ChoiceOrFile(Method::NAMES), default = "metis";
        /// seed for the partitioners that draw random numbers (metis, pt-scotch, random)
        seed: u64, Integer(0, LARGEST), default = 0;
        /// largest primary set for METIS, which holds the whole graph on one rank; beyond, pt-scotch takes its
        /// place, or rcb
        metis_limit: u64, Integer(0, LARGEST), default = 20000000, unit = "elements";
        /// what the parts balance: numbers of elements; costs of elements and speeds of ranks, measured in a few steps
        /// that are run before the iterations and discarded, and written to weights.toml; or the weights in such a file
        weights: String, ChoiceOrFile(&["none", "measured", "file:PATH"]), default = "none";
    }
}

cfd_keys::table! {
    /// What is written
    pub struct OutputSettings = "output" {
        /// output directory, relative to the working directory; created if missing
        directory: PathBuf, Text, default = "out";
        /// iterations between rows of history.csv; the last iteration always has a row
        history_every: u64, Integer(1, LARGEST), default = 1, unit = "iterations";
        /// iterations between VTU files of the fields, solution-ITERATION.vtu (.pvtu on several ranks), listed in
        /// solution.pvd; 0: fields are written only at the end
        every: u64, Integer(0, LARGEST), default = 0, unit = "iterations";
        /// points to probe: probes.csv has the values of the elements nearest to them, for every iteration with a row
        /// in history.csv (docs/result-formats.md)
        probes: Vec<Vec<f64>>, Points, default = [];
        /// iterations between checkpoints; the last iteration also writes one; 0: only when the run is asked to stop
        /// (SIGUSR1, SIGTERM, SIGINT, --time-limit)
        checkpoint_every: u64, Integer(0, LARGEST), default = 0, unit = "iterations";
        /// number of checkpoints to keep; older ones are removed when a new one is complete
        checkpoint_keep: u64, Integer(1, LARGEST), default = 2, unit = "files";
        /// solution files: h5 is solution.h5; vtu is solution.vtu, or on several ranks solution.pvtu and its pieces,
        /// for ParaView; vtkhdf is solution.vtkhdf, one file for any number of ranks and steps, for ParaView 5.12 or
        /// newer; an empty list writes none
        formats: Vec<String>, Choices(&["h5", "vtu", "vtkhdf"]), default = ["h5"];
        /// also store the mesh in solution.h5: coordinates and cells, in the group mesh, not part of any hash
        mesh: bool, Bool, default = false;
        /// draw convergence.svg and the case's pictures, such as cp.svg and mach.svg
        pictures: bool, Bool, default = true;
        /// frames of film.svg, a strip of meshes and of the Mach numbers on them, of a flow that adapts its mesh: of
        /// meshes whose adaptations are evenly apart or, in unsteady flow, of times evenly apart; 0: no film
        film: u64, Integer(0, 100), default = 0, unit = "frames";
        /// write report.html, a self-contained page that shows the run and its pictures
        report: bool, Bool, default = true;
        /// measure memory bandwidth and arithmetic rate after the iterations, in about a second, and show each loop's
        /// share of both
        bandwidth: bool, Bool, default = false;
        /// power of one machine at rest, as far as its counters show it: subtracted from the energy that they show
        standby_watts: Option<f64>, Number(Closed(0.0), Free), unit = "watts";
        /// thermal design power of one machine, processors and GPUs together: an estimate of the energy, this power over the
        /// iterations, with or without counters
        design_watts: Option<f64>, Number(Open(0.0), Free), unit = "watts";
        /// write profile.json: where the time went, as a tree that Hatchet reads (docs/benchmarks.md)
        profile: bool, Bool, default = false;
    }
}

/// The names of boundaries: one key for each kind that any case knows, but for that which needs a partner.
static BOUNDARY_TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut keys: Vec<Key> = Vec::new();
    for kind in CASES.iter().flat_map(|case| case.facts().boundaries).filter(|kind| kind.name != PERIODIC) {
        if keys.iter().all(|key| key.name != kind.name) {
            let known: Vec<String> = kind.known.iter().map(|name| format!("\"{name}\"")).collect();
            let meaning =
                format!("names of {}, in addition to the known ones: {}", kind.meaning, known.join(", "));
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
    let about = "What the named boundaries of a mesh are, unless their names say so \
                 (docs/mesh-formats.md)";
    Table { name: BOUNDARIES, about, keys: keys.leak() }
});

/// All tables, in printing order; one [`GENERATE`] table for each way to generate a mesh.
pub fn tables() -> &'static [&'static Table] {
    static ALL: LazyLock<Vec<&Table>> = LazyLock::new(|| {
        let mut all = vec![Top::TABLE, MeshKeys::TABLE];
        for generator in CASES.iter().filter_map(|case| case.facts().generator) {
            if !all.contains(&generator.table) {
                all.push(generator.table);
            }
        }
        all.extend([&*BOUNDARY_TABLE, Execution::TABLE, Partition::TABLE]);
        for table in CASES.iter().flat_map(|case| case.tables()) {
            if !all.contains(&table) {
                all.push(table);
            }
        }
        all.push(OutputSettings::TABLE);
        all
    });
    &ALL
}

/// The tables of a name, the case's first if there are several.
pub fn named(name: &str, case: Option<&Case>) -> impl Iterator<Item = &'static Table> {
    let own = case.and_then(|case| case.facts().generator).map(|generator| generator.table);
    let own = own.filter(|own| own.name == name);
    let others = tables().iter().copied().filter(move |table| Some(*table) != own);
    own.into_iter().chain(others.filter(move |table| table.name == name))
}

/// The keys of a path, the case's first if there are several.
pub fn find(path: &str, case: Option<&Case>) -> Vec<(&'static Table, &'static Key)> {
    let (table, name) = path.rsplit_once('.').unwrap_or(("", path));
    named(table, case).filter_map(|table| Some((table, table.key(name)?))).collect()
}

/// Whether there is a table of this name.
pub fn is_table(name: &str) -> bool {
    tables().iter().any(|table| table.name == name && !name.is_empty())
}

/// Whether a table is of a case's keys, and not of another's only.
pub fn is_for(table: &Table, case: &Case) -> bool {
    let mut users = CASES.iter().filter(|case| case.tables().any(|of| of == table)).peekable();
    users.peek().is_none() || users.any(|user| user.name() == case.name())
}

/// The case of a name.
pub fn case(name: &str) -> Option<&'static Case> {
    CASES.iter().copied().find(|case| case.name() == name)
}
