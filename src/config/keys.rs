//! The one table of configuration keys.
//!
//! Checking, defaults, `--print-config` and the reference page `docs/config.md` all follow from it.

use std::fmt;

/// Type and range of a key's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A non-empty string.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of any of these words.
    Choices(&'static [&'static str]),
    /// A partitioner: its name, or `file:PATH`.
    Partitioner,
    /// `true` or `false`.
    Bool,
    /// An integer in a closed range.
    Integer(u64, u64),
    /// As many integers, each in a closed range.
    Integers(usize, u64, u64),
    /// A finite number in a range.
    Number(Bound, Bound),
}

/// One end of a range of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// No limit.
    Free,
    /// The limit itself is allowed.
    Closed(f64),
    /// The limit itself is not allowed.
    Open(f64),
}

impl Kind {
    /// True when a number lies in the range of a [`Kind::Number`].
    pub fn allows(self, value: f64) -> bool {
        let Kind::Number(low, high) = self else { return false };
        let above = match low {
            Bound::Free => true,
            Bound::Closed(limit) => value >= limit,
            Bound::Open(limit) => value > limit,
        };
        let below = match high {
            Bound::Free => true,
            Bound::Closed(limit) => value <= limit,
            Bound::Open(limit) => value < limit,
        };
        value.is_finite() && above && below
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |words: &[&str]| {
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            match &quoted[..] {
                [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
                _ => quoted.join(""),
            }
        };
        match *self {
            Kind::Text => write!(f, "a non-empty string"),
            Kind::Choice(words) => write!(f, "{}", quoted(words)),
            Kind::Choices(words) => write!(f, "a list of any of {}", quoted(words)),
            Kind::Partitioner => {
                write!(f, "\"metis\", \"rcb\", \"hilbert\", \"block\", \"random\" or \"file:PATH\"")
            }
            Kind::Bool => write!(f, "true or false"),
            Kind::Integer(low, LARGEST) => write!(f, "an integer of at least {low}"),
            Kind::Integer(low, high) => write!(f, "an integer from {low} to {high}"),
            Kind::Integers(count, low, high) => write!(f, "{count} integers from {low} to {high}"),
            Kind::Number(low, high) => {
                write!(f, "a finite number")?;
                match low {
                    Bound::Free => {}
                    Bound::Closed(limit) => write!(f, " of at least {limit}")?,
                    Bound::Open(limit) => write!(f, " greater than {limit}")?,
                }
                match high {
                    Bound::Free => Ok(()),
                    Bound::Closed(limit) => write!(f, ", at most {limit}"),
                    Bound::Open(limit) => write!(f, ", less than {limit}"),
                }
            }
        }
    }
}

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

/// The largest integer TOML guarantees.
pub const LARGEST: u64 = i64::MAX as u64;

/// The key of a path.
pub fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

/// What a table is for, in the order in which tables are printed.
pub const TABLES: &[(&str, &str)] = &[
    ("", "What is solved"),
    ("mesh", "Where the mesh comes from: `file` or `generate`, one of them"),
    ("mesh.generate", "A mesh made at start: NACA0012, 3 I J cells"),
    ("execution", "How loops run"),
    ("partition", "How the mesh is cut into one part a rank"),
    ("airfoil", "Flow around an airfoil: 2D Euler equations, cell-centred finite volume"),
    ("aero", "Potential flow around an airfoil: finite elements, Newton's method, conjugate gradients"),
    ("output", "What is written"),
];

/// Names of the strategies.
const STRATEGIES: &[&str] =
    &["regions", "temporary-array", "trivial-coloring", "greedy-coloring", "distributed-coloring", "core"];

/// Every key, by table.
pub const KEYS: &[Key] = &[
    Key {
        path: "case",
        kind: Kind::Choice(&["airfoil", "aero"]),
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
        kind: Kind::Integers(2, 2, 100_000),
        default: None,
        unit: "cells",
        meaning: "I and J: a third of the cells along the airfoil and its wake, and the cells away from it",
    },
    Key {
        path: "mesh.generate.decimals",
        kind: Kind::Integer(0, 17),
        default: None,
        unit: "digits",
        meaning: "decimals to which coordinates are rounded; unset: not rounded",
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
                  reproducible mode, \"core\", which only fast mode allows, in fast mode",
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
        meaning: "largest number of targets in a region; 0: one region for what needs no halo, one for the rest",
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
        path: "output.formats",
        kind: Kind::Choices(&["h5"]),
        default: Some("[\"h5\"]"),
        unit: "",
        meaning: "solution files: h5 is solution.h5; an empty list writes none",
    },
];
