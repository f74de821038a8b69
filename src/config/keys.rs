//! The one table of configuration keys.
//!
//! Checking, defaults, `--print-config` and the reference page `docs/config.md` all follow from it.

pub use super::kind::{Bound, Count, Kind, LARGEST};

/// One configuration key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Path: table and name, separated by dots.
    pub path: &'static str,
    /// Type and range.
    pub kind: Kind,
    /// Default, as TOML; none for a key that is unset or must be given.
    pub default: Option<&'static str>,
    /// Unit; empty for a pure number or a word.
    pub unit: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

impl Key {
    /// The table the key stands in, and its name in it.
    pub fn split(&self) -> (&'static str, &'static str) {
        self.path.rsplit_once('.').unwrap_or(("", self.path))
    }
}

/// The key of a path.
pub fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

/// What a table is for, in the order in which tables are printed.
pub const TABLES: &[(&str, &str)] = &[
    ("", "What is solved"),
    ("mesh", "Where the mesh comes from: `file` or `generate`, one of them"),
    ("mesh.generate", "A mesh made at start: NACA0012, 3 I J cells; for mgcfd I J K hexahedra"),
    (
        "boundaries",
        "What the named boundaries of a Gmsh or SU2 mesh are, where their names do not say it (docs/formats.md)",
    ),
    ("execution", "How loops run"),
    ("partition", "How the mesh is cut into one part a rank"),
    ("airfoil", "Flow around an airfoil: 2D Euler equations, cell-centred finite volume"),
    ("aero", "Potential flow around an airfoil: finite elements, Newton's method, conjugate gradients"),
    ("mgcfd", "Flow around a wing: 3D Euler equations, node-centred finite volume, multigrid"),
    ("output", "What is written"),
];

/// Names of the strategies.
const STRATEGIES: &[&str] = &[
    "regions",
    "temporary-array",
    "trivial-coloring",
    "greedy-coloring",
    "distributed-coloring",
    "core",
    "colored-blocks",
    "atomic",
    "dense",
    "map",
    "block-private",
    "block-lock",
    "block-cas",
    "keeper",
];

/// Meshes with levels that can be made.
const SHAPES: &[&str] = &["wing", "bump", "box"];

/// Every key, by table.
pub const KEYS: &[Key] = &[
    Key {
        path: "case",
        kind: Kind::Choice(&["airfoil", "aero", "mgcfd"]),
        default: None,
        unit: "",
        meaning: "the application; must be given",
    },
    Key {
        path: "mesh.file",
        kind: Kind::Text,
        default: None,
        unit: "",
        meaning: "mesh file, relative to the working directory; its format is found from its content",
    },
    Key {
        path: "mesh.generate.size",
        kind: Kind::Integers(Count::OneOf(&[2, 3]), &[2, 1, 1], 100_000),
        default: None,
        unit: "cells",
        meaning: "I and J: a third of the cells along the airfoil and its wake, and the cells away from it; for mgcfd I, \
                  J, K: around the section, away from it, along the span; around a wing I is at least 4 and K at least 2",
    },
    Key {
        path: "mesh.generate.decimals",
        kind: Kind::Integer(0, 17),
        default: None,
        unit: "digits",
        meaning: "decimals to which coordinates are rounded; unset: not rounded; not for mgcfd",
    },
    Key {
        path: "mesh.generate.levels",
        kind: Kind::Integer(1, 20),
        default: None,
        unit: "levels",
        meaning: "levels of a mesh for mgcfd; unset: 4",
    },
    Key {
        path: "mesh.generate.shape",
        kind: Kind::Choice(SHAPES),
        default: None,
        unit: "",
        meaning: "what a mesh for mgcfd surrounds: the ONERA M6 wing, a bump in a channel, or nothing; unset: \"wing\"",
    },
    Key {
        path: "boundaries.wall",
        kind: Kind::Names,
        default: None,
        unit: "",
        meaning: "names of inviscid walls; unset: none but those known, like \"wall\", \"airfoil\" or \"cylinder\"",
    },
    Key {
        path: "boundaries.far_field",
        kind: Kind::Names,
        default: None,
        unit: "",
        meaning: "names of boundaries with the free stream outside; unset: none but those known, like \"far_field\", \
                  \"outer\" or \"inlet\"",
    },
    Key {
        path: "execution.mode",
        kind: Kind::Choice(&["reproducible", "fast"]),
        default: Some("\"reproducible\""),
        unit: "",
        meaning: "what is promised of the bits: the same on any number of ranks, or only on the same number",
    },
    Key {
        path: "execution.strategy",
        kind: Kind::Choice(STRATEGIES),
        default: None,
        unit: "",
        meaning: "how loops that change values through maps run (docs/reproducibility.md); unset: \"regions\" in \
                  reproducible mode, \"core\" in fast mode, which alone allows it and those named after it",
    },
    Key {
        path: "execution.order",
        kind: Kind::Choice(&["file", "hilbert"]),
        default: Some("\"file\""),
        unit: "",
        meaning: "canonical order, which fixes the bits: that of the mesh file, or along a Hilbert curve, for files \
                  with a bad order",
    },
    Key {
        path: "execution.region_size",
        kind: Kind::Integer(0, LARGEST),
        default: Some("0"),
        unit: "targets",
        meaning: "about how many targets a region has (docs/threads.md); 0: one region a thread",
    },
    Key {
        path: "execution.sums",
        kind: Kind::Choice(&["exact", "binned"]),
        default: Some("\"exact\""),
        unit: "",
        meaning: "global sums of reproducible mode: correctly rounded, or within 80 bits of the largest term; in fast \
                  mode sums are plain",
    },
    Key {
        path: "execution.greedy_limit",
        kind: Kind::Integer(0, LARGEST),
        default: Some("20000000"),
        unit: "elements",
        meaning: "largest set that greedy coloring, which holds the whole set on one rank, may be given",
    },
    Key {
        path: "execution.coloring_cache",
        kind: Kind::Text,
        default: None,
        unit: "",
        meaning: "directory in which greedy colorings are kept from run to run; unset: colorings in the output \
                  directory",
    },
    Key {
        path: "execution.overlap",
        kind: Kind::Bool,
        default: Some("true"),
        unit: "",
        meaning: "run the core of a loop while its halo exchange is under way; off, for comparison, waits first",
    },
    Key {
        path: "execution.look_ahead",
        kind: Kind::Bool,
        default: Some("true"),
        unit: "",
        meaning: "ask for memory a way ahead of its use in loops over more than the cores' own caches hold; off, for \
                  comparison, leaves that to the processor",
    },
    Key {
        path: "execution.block_size",
        kind: Kind::Integer(1, LARGEST),
        default: Some("1024"),
        unit: "elements",
        meaning: "elements in a block of strategy \"colored-blocks\", targets in one of \"block-private\", \"block-lock\" and \"block-cas\"",
    },
    Key {
        path: "execution.threads",
        kind: Kind::Integer(1, 4096),
        default: None,
        unit: "threads",
        meaning: "threads of each rank; unset: 1 under a launcher, else as many as there are processors to use",
    },
    Key {
        path: "execution.lanes",
        kind: Kind::AutoOr(&[1, 2, 4, 8]),
        default: Some("\"auto\""),
        unit: "elements",
        meaning: "how many a kernel works on together, of what the processor has; auto: as many as it can; no bit \
                  depends on it",
    },
    Key {
        path: "execution.chain",
        kind: Kind::Bool,
        default: Some("false"),
        unit: "",
        meaning: "run chains of loops tile by tile where that moves fewer bytes; off, every loop by itself",
    },
    Key {
        path: "execution.tile_size",
        kind: Kind::Integer(0, LARGEST),
        default: Some("0"),
        unit: "elements",
        meaning: "elements of a chain's tile; 0: as many as the cache takes, and chains only where they pay",
    },
    Key {
        path: "execution.backend",
        kind: Kind::Choice(&["cpu", "cuda", "emulated"]),
        default: Some("\"cpu\""),
        unit: "",
        meaning: "what runs the loops: the processor; a GPU for each rank (docs/gpu.md); or a device that runs the GPU's \
                  text on the processor, threads in random order, for tests",
    },
    Key {
        path: "execution.device_threads",
        kind: Kind::PowerOfTwo(32, 1024),
        default: Some("0"),
        unit: "threads",
        meaning: "threads of a block on a device; 0: tried out in the first calls of each loop, and \
                  kept with the compiled kernels",
    },
    Key {
        path: "execution.device_layout",
        kind: Kind::Choice(&["auto", "rows", "columns"]),
        default: Some("\"auto\""),
        unit: "",
        meaning: "how a device stores values of several components: row by row what loops reach through maps and component by \
                  component the rest, all row by row, or all component by component",
    },
    Key {
        path: "execution.kernel_cache",
        kind: Kind::Text,
        default: None,
        unit: "",
        meaning: "directory in which kernels compiled for a device are kept from run to run; unset: kernels in the output \
                  directory",
    },
    Key {
        path: "execution.gpu_aware_mpi",
        kind: Kind::Choice(&["auto", "on", "off"]),
        default: Some("\"auto\""),
        unit: "",
        meaning: "halo messages are sent from and received into a device's memory, without the host: where the MPI library \
                  says that it can, always, or never (docs/gpu.md)",
    },
    Key {
        path: "partition.method",
        kind: Kind::Partitioner,
        default: Some("\"metis\""),
        unit: "",
        meaning: "the partitioner; a file holds one part number a line, in global order",
    },
    Key {
        path: "partition.seed",
        kind: Kind::Integer(0, LARGEST),
        default: Some("0"),
        unit: "",
        meaning: "seed of the partitioners that draw random numbers (metis, random)",
    },
    Key {
        path: "partition.metis_limit",
        kind: Kind::Integer(0, LARGEST),
        default: Some("20000000"),
        unit: "elements",
        meaning: "largest primary set that METIS, which holds the whole graph on one rank, may be given",
    },
    Key {
        path: "airfoil.gamma",
        kind: Kind::Number(Bound::Open(1.0), Bound::Closed(3.0)),
        default: Some("1.4"),
        unit: "",
        meaning: "ratio of specific heats",
    },
    Key {
        path: "airfoil.cfl",
        kind: Kind::Number(Bound::Open(0.0), Bound::Free),
        default: Some("0.9"),
        unit: "",
        meaning: "Courant number of the local time step",
    },
    Key {
        path: "airfoil.eps",
        kind: Kind::Number(Bound::Closed(0.0), Bound::Free),
        default: Some("0.05"),
        unit: "",
        meaning: "dissipation coefficient",
    },
    Key {
        path: "airfoil.mach",
        kind: Kind::Number(Bound::Open(0.0), Bound::Closed(100.0)),
        default: Some("0.4"),
        unit: "",
        meaning: "Mach number of the free stream",
    },
    Key {
        path: "airfoil.alpha",
        kind: Kind::Number(Bound::Closed(-180.0), Bound::Closed(180.0)),
        default: Some("0.0"),
        unit: "degrees",
        meaning: "angle of attack",
    },
    Key {
        path: "airfoil.iterations",
        kind: Kind::Integer(0, LARGEST),
        default: Some("1000"),
        unit: "iterations",
        meaning: "iterations (predictor and corrector) at most; 0 writes the initial state",
    },
    Key {
        path: "airfoil.tolerance",
        kind: Kind::Number(Bound::Closed(0.0), Bound::Free),
        default: Some("0.0"),
        unit: "",
        meaning: "stop when the residual is below this; 0: never",
    },
    Key {
        path: "aero.gamma",
        kind: Kind::Number(Bound::Open(1.0), Bound::Closed(3.0)),
        default: Some("1.4"),
        unit: "",
        meaning: "ratio of specific heats",
    },
    Key {
        path: "aero.mach",
        kind: Kind::Number(Bound::Open(0.0), Bound::Open(1.0)),
        default: Some("0.1"),
        unit: "",
        meaning: "Mach number of the free stream",
    },
    Key {
        path: "aero.iterations",
        kind: Kind::Integer(0, LARGEST),
        default: Some("20"),
        unit: "iterations",
        meaning: "Newton steps at most; 0 writes the initial state",
    },
    Key {
        path: "aero.tolerance",
        kind: Kind::Number(Bound::Closed(0.0), Bound::Free),
        default: Some("0.0"),
        unit: "",
        meaning: "stop when the residual is below this; 0: never",
    },
    Key {
        path: "aero.cg",
        kind: Kind::Choice(&["standard", "single-reduction"]),
        default: Some("\"standard\""),
        unit: "",
        meaning: "form of the conjugate gradients: two messages between all ranks a step, or one and a few more operations",
    },
    Key {
        path: "aero.cg_tolerance",
        kind: Kind::Number(Bound::Open(0.0), Bound::Open(1.0)),
        default: Some("0.1"),
        unit: "",
        meaning: "the residual of each linear system is reduced to this fraction",
    },
    Key {
        path: "aero.cg_iterations",
        kind: Kind::Integer(1, LARGEST),
        default: Some("200"),
        unit: "iterations",
        meaning: "steps of the conjugate gradients for one linear system at most; reaching them is no error",
    },
    Key {
        path: "aero.preconditioner",
        kind: Kind::Choice(&["none", "jacobi"]),
        default: Some("\"none\""),
        unit: "",
        meaning: "preconditioner of the conjugate gradients: none, or the inverse of the diagonal",
    },
    Key {
        path: "mgcfd.scheme",
        kind: Kind::Choice(&["euler", "proxy"]),
        default: Some("\"euler\""),
        unit: "",
        meaning: "the Euler equations, or the published performance proxy (docs/mgcfd.md)",
    },
    Key {
        path: "mgcfd.gamma",
        kind: Kind::Number(Bound::Open(1.0), Bound::Closed(3.0)),
        default: Some("1.4"),
        unit: "",
        meaning: "ratio of specific heats",
    },
    Key {
        path: "mgcfd.mach",
        kind: Kind::Number(Bound::Open(0.0), Bound::Closed(100.0)),
        default: None,
        unit: "",
        meaning: "Mach number of the free stream; unset: 0.84, and 1.2 in the proxy",
    },
    Key {
        path: "mgcfd.alpha",
        kind: Kind::Number(Bound::Closed(-180.0), Bound::Closed(180.0)),
        default: None,
        unit: "degrees",
        meaning: "angle of attack; unset: 3.06, and 0 in the proxy",
    },
    Key {
        path: "mgcfd.up",
        kind: Kind::Choice(&["y", "z"]),
        default: Some("\"y\""),
        unit: "",
        meaning: "the axis that points upwards; x points downstream, the third one along the span",
    },
    Key {
        path: "mgcfd.levels",
        kind: Kind::Integer(0, 20),
        default: Some("0"),
        unit: "levels",
        meaning: "levels that are used, the finest first; 0: all that the mesh has; 1: a single grid",
    },
    Key {
        path: "mgcfd.iterations",
        kind: Kind::Integer(0, LARGEST),
        default: Some("100"),
        unit: "cycles",
        meaning: "multigrid cycles at most; 0 writes the initial state",
    },
    Key {
        path: "mgcfd.tolerance",
        kind: Kind::Number(Bound::Closed(0.0), Bound::Free),
        default: Some("0.0"),
        unit: "",
        meaning: "stop when the residual is below this; 0: never",
    },
    Key {
        path: "mgcfd.smoothing",
        kind: Kind::Number(Bound::Closed(0.0), Bound::Free),
        default: Some("0.2"),
        unit: "",
        meaning: "dissipation coefficient of the proxy, rounded to single precision",
    },
    Key {
        path: "mgcfd.limiter",
        kind: Kind::Choice(&["none", "van-albada", "venkatakrishnan"]),
        default: Some("\"van-albada\""),
        unit: "",
        meaning: "what keeps the linear reconstruction from overshooting",
    },
    Key {
        path: "mgcfd.limiter_k",
        kind: Kind::Number(Bound::Closed(0.0), Bound::Free),
        default: Some("5.0"),
        unit: "1/length",
        meaning: "differences below (limiter_k times the edge's length)^1.5 are hardly limited",
    },
    Key {
        path: "mgcfd.entropy_fix",
        kind: Kind::Number(Bound::Closed(0.0), Bound::Free),
        default: Some("0.1"),
        unit: "",
        meaning: "waves slower than this share of the speed of sound are damped as if they were faster",
    },
    Key {
        path: "mgcfd.stages",
        kind: Kind::Numbers(Count::OneOf(&[3, 5]), Bound::Open(0.0), Bound::Closed(1.0)),
        default: Some("[0.0695, 0.1602, 0.2898, 0.506, 1.0]"),
        unit: "",
        meaning: "coefficients of the Runge-Kutta stages; the number of coefficients is the number of stages",
    },
    Key {
        path: "mgcfd.coarse_stages",
        kind: Kind::Numbers(Count::OneOf(&[3, 5]), Bound::Open(0.0), Bound::Closed(1.0)),
        default: Some("[0.0533, 0.1263, 0.2375, 0.4414, 1.0]"),
        unit: "",
        meaning: "the same on the other levels, which are of first order",
    },
    Key {
        path: "mgcfd.time_step",
        kind: Kind::Choice(&["matrix", "scalar"]),
        default: Some("\"matrix\""),
        unit: "",
        meaning: "local time steps: one for each wave, or that of the fastest for all",
    },
    Key {
        path: "mgcfd.cfl",
        kind: Kind::Number(Bound::Open(0.0), Bound::Free),
        default: Some("1.15"),
        unit: "",
        meaning: "Courant number of the local time steps on the finest level",
    },
    Key {
        path: "mgcfd.coarse_cfl",
        kind: Kind::Number(Bound::Open(0.0), Bound::Free),
        default: Some("1.5"),
        unit: "",
        meaning: "the same on the other levels",
    },
    Key {
        path: "mgcfd.cycle",
        kind: Kind::Choice(&["V", "W"]),
        default: Some("\"W\""),
        unit: "",
        meaning: "whether a level visits the next coarser one once or twice in a cycle",
    },
    Key {
        path: "mgcfd.pre_steps",
        kind: Kind::Integer(1, 1000),
        default: Some("1"),
        unit: "steps",
        meaning: "Runge-Kutta steps on a level before the coarser ones",
    },
    Key {
        path: "mgcfd.post_steps",
        kind: Kind::Integer(0, 1000),
        default: Some("0"),
        unit: "steps",
        meaning: "Runge-Kutta steps on a level after them",
    },
    Key {
        path: "mgcfd.coarsest_steps",
        kind: Kind::Integer(1, 1000),
        default: Some("1"),
        unit: "steps",
        meaning: "Runge-Kutta steps on the coarsest level",
    },
    Key {
        path: "mgcfd.reference_area",
        kind: Kind::Number(Bound::Open(0.0), Bound::Free),
        default: Some("1.0"),
        unit: "length^2",
        meaning: "area that lift and drag are relative to",
    },
    Key {
        path: "mgcfd.stations",
        kind: Kind::Numbers(Count::UpTo(20), Bound::Closed(0.0), Bound::Closed(1.0)),
        default: Some("[0.2, 0.44, 0.65, 0.8, 0.9, 0.95]"),
        unit: "span",
        meaning: "where the pressure on the wall is written and drawn",
    },
    Key {
        path: "output.directory",
        kind: Kind::Text,
        default: Some("\"out\""),
        unit: "",
        meaning: "where everything is written, relative to the working directory; made when missing",
    },
    Key {
        path: "output.history_every",
        kind: Kind::Integer(1, LARGEST),
        default: Some("1"),
        unit: "iterations",
        meaning: "iterations between rows of history.csv; the last iteration is always there",
    },
    Key {
        path: "output.checkpoint_every",
        kind: Kind::Integer(0, LARGEST),
        default: Some("0"),
        unit: "iterations",
        meaning: "iterations between checkpoints; the last iteration writes one, too; 0: only when the run is asked to \
                  stop (SIGUSR1, SIGTERM, SIGINT)",
    },
    Key {
        path: "output.checkpoint_keep",
        kind: Kind::Integer(1, LARGEST),
        default: Some("2"),
        unit: "files",
        meaning: "checkpoints kept; older ones are removed when a new one is complete",
    },
    Key {
        path: "output.formats",
        kind: Kind::Choices(&["h5", "vtu"]),
        default: Some("[\"h5\"]"),
        unit: "",
        meaning: "solution files: h5 is solution.h5; vtu is solution.vtu, or with several ranks solution.pvtu and its \
                  pieces, for ParaView; an empty list writes none",
    },
    Key {
        path: "output.pictures",
        kind: Kind::Bool,
        default: Some("true"),
        unit: "",
        meaning: "draw convergence.svg, and cp.svg and mach.svg where the case has them",
    },
    Key {
        path: "output.bandwidth",
        kind: Kind::Bool,
        default: Some("false"),
        unit: "",
        meaning: "measure the memory's bandwidth and the processors' arithmetic after the iterations, in about a second, \
                  and show each loop's share of them",
    },
];
