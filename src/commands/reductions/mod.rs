//! `cfd reductions`: sums over ranks along many trees, simulated, and by the MPI library of this program.
//!
//! ```text
//! terms        numbers from a file
//! effort       what it takes
//! simulate     what is found out of the trees, for a number of ranks
//! calls        scans and reduce-scatters; delays: messages that are late
//! library      the message passing library's own sums
//! measure      trees over real messages, beside the library's; messages: how they are executed
//! table        for people; lengths: lengths.svg; csv: reductions.csv
//! ```

mod calls;
mod csv;
mod delays;
mod effort;
mod lengths;
#[cfg(feature = "mpi")]
mod library;
#[cfg(feature = "mpi")]
mod measure;
#[cfg(feature = "mpi")]
mod messages;
mod simulate;
mod table;
mod terms;

use cfd_engine::comm::Comm;
use cfd_reductions::cost::Parameters;
use cfd_reductions::data::{Source, Synthetic, Terms};
use cfd_reductions::placement::Map;
use cfd_reductions::study::Summed;
use cfd_reductions::tree::Tree;

use self::simulate::Simulated;
use crate::checkpoint::signal::StopSignals;
use crate::cli::ReductionsArgs;
use crate::console::{Console, say};
use crate::exit::Error;
use crate::output::OutputDirectory;
use crate::plot::reductions::svg;

/// Node sizes when none are given.
const NODES: [u32; 6] = [1, 2, 4, 6, 8, 64];
/// Beyond this many ranks, only the usual nodes.
const FEW_RANKS: u32 = 1 << 16;
/// The node sizes in the tables, if requested.
const USUAL_NODE: u32 = 8;

/// What to study.
#[derive(Clone, Debug)]
struct Study {
    sources: Vec<Source>,
    args: ReductionsArgs,
    parameters: Parameters,
    maps: Vec<Map>,
}

/// What a library's sums are.
#[derive(Clone, Debug)]
struct LibrarySum {
    /// The call, `MPI_Reduce` or `MPI_Allreduce`.
    call: &'static str,
    ranks: u32,
    /// Which rank has which number: in rank order, or cyclically over nodes of this many ranks.
    map: Map,
    node_ranks: u32,
    elements: u64,
    data: Vec<OfKind>,
    /// Whether all ranks have the same bits.
    is_one: bool,
    /// The tree that gives these bits.
    same_as: String,
}

/// A library's sums of one kind of data.
#[derive(Clone, Debug)]
struct OfKind {
    name: &'static str,
    sets: u64,
    differ_from_binomial: u64,
    differ_from_exact: u64,
}

/// The time of a sum over real messages, or of a call of the library.
#[derive(Clone, Debug)]
struct Measured {
    name: String,
    /// None for a call of the library.
    tree: Option<Tree>,
    /// The cores per node that the tree has been told of.
    told: Option<u32>,
    ranks: u32,
    elements: u64,
    rounds: u64,
    /// The median.
    time_s: f64,
    worst_s: f64,
    /// Whether the sums have the bits of the simulation; none for a call of the library.
    is_as_simulated: Option<bool>,
}

/// Simulates, queries the library if there is one, and writes the findings. Collective.
///
/// # Errors
/// A file is missing or damaged, or has too few numbers; a tree or its number does not exist; more is asked for than
/// takes an hour; the directory cannot be written.
pub fn reductions(comm: &Comm, args: &ReductionsArgs, signals: &StopSignals) -> Result<(), Error> {
    let console = Console::new(comm.is_root());
    let study = Study::new(comm, args)?;
    let numbers = effort::numbers(&study)?;
    let mut output = OutputDirectory::open(comm, &args.output, signals)?;
    say!(console, "cfd {}    reductions, {}", env!("CARGO_PKG_VERSION"), study.words());
    let library = library_sums(comm, &study);
    say!(console, "{}", table::library(comm, &library_name(), &library));
    let measured = if args.measure { measured(comm, &study)? } else { Vec::new() };
    if args.measure {
        say!(console, "{}", table::measured(&measured));
    }
    let summed = Summed::default();
    let simulate = |&ranks: &u32| {
        let simulated = Simulated::of(&study, ranks, &summed);
        say!(console, "{}", table::simulated(&study, &simulated));
        simulated
    };
    let all: Vec<Simulated> = match comm.is_root() {
        true => effort::reported(numbers, &summed, || args.ranks.iter().map(simulate).collect()),
        false => Vec::new(),
    };
    output.write(comm, "reductions.csv", || csv::text(&all, &library, &measured))?;
    output.write(comm, "reductions.svg", || svg(&table::picture(&study, &all)))?;
    if args.measure || args.relative_to.is_some() {
        output.write(comm, "lengths.svg", || lengths::picture(&study, &all, &measured))?;
    }
    say!(console, "files        {}", output.files().join(", "));
    Ok(())
}

#[cfg(feature = "mpi")]
fn library_sums(comm: &Comm, study: &Study) -> Vec<LibrarySum> {
    library::sums(comm, study)
}

#[cfg(not(feature = "mpi"))]
fn library_sums(_: &Comm, _: &Study) -> Vec<LibrarySum> {
    Vec::new()
}

#[cfg(feature = "mpi")]
fn measured(comm: &Comm, study: &Study) -> Result<Vec<Measured>, Error> {
    measure::times(comm, study)
}

#[cfg(not(feature = "mpi"))]
fn measured(_: &Comm, _: &Study) -> Result<Vec<Measured>, Error> {
    Ok(Vec::new())
}

#[cfg(feature = "mpi")]
fn library_name() -> String {
    crate::launcher::mpi_library()
}

#[cfg(not(feature = "mpi"))]
fn library_name() -> String {
    "none: built without MPI".into()
}

impl Study {
    /// Reads the input on rank 0, and checks the options. Collective.
    fn new(comm: &Comm, args: &ReductionsArgs) -> Result<Study, Error> {
        let mut args = args.clone();
        check(&args, comm.size())?;
        if args.trees.is_empty() {
            args.trees = Tree::ALL.into();
        }
        args.trees.extend(args.relative_to.filter(|tree| !args.trees.contains(tree)));
        if args.nodes.is_empty() {
            args.nodes = if args.ranks.iter().any(|&ranks| ranks > FEW_RANKS) {
                vec![USUAL_NODE]
            } else {
                NODES.into()
            };
        }
        let mut parameters = Parameters::CLUSTER;
        for &(place, value) in &args.cost {
            let (_, _, parameter) = Parameters::NAMED[place];
            *parameter(&mut parameters) = value;
        }
        let maps = args.placements.iter().filter_map(|name| Map::named(name, args.seed)).collect();
        let sources = if args.data.as_os_str() == "synthetic" {
            Synthetic::ALL.map(|kind| Source::Synthetic(kind, args.seed)).into()
        } else {
            vec![Source::Terms(Terms::new(terms::read(comm, &args)?))]
        };
        Ok(Study { sources, args, parameters, maps })
    }

    /// What is summed, in words.
    fn words(&self) -> String {
        match &self.sources[..] {
            [Source::Terms(terms)] => {
                let args = &self.args;
                let minus = args.minus.as_ref().map(|file| format!(" less {}, squared", file.display()));
                let sum = terms.exact();
                format!(
                    "{} terms of {}{}, sum {sum:e}",
                    terms.len(),
                    args.data.display(),
                    minus.unwrap_or_default()
                )
            }
            _ => format!("synthetic numbers, seed {}", self.args.seed),
        }
    }

    /// Number of data sets for this many ranks.
    fn sets(&self, ranks: u32) -> u64 {
        self.args.sets.unwrap_or(match ranks {
            0..=256 => 400,
            257..=4096 => 100,
            _ => ((1 << 22) / u64::from(ranks)).clamp(4, 100),
        })
    }

    /// Trees that exist for this many ranks. Default trees that do not exist there are omitted.
    fn trees(&self, ranks: u32) -> impl Iterator<Item = Tree> {
        self.args.trees.iter().copied().filter(move |tree| tree.rank().is_none_or(|rank| rank < ranks))
    }

    /// Node sizes; of those that hold all of this many ranks, only one.
    fn nodes(&self, ranks: u32) -> Vec<u32> {
        let smaller: Vec<u32> = self.args.nodes.iter().copied().filter(|&node| node < ranks).collect();
        let usual = self.usual_node();
        if smaller.contains(&usual) { smaller } else { smaller.into_iter().chain([usual]).collect() }
    }

    /// The cores per node that a tree is told of, on nodes of `node_ranks`; none if it uses no nodes.
    fn told(&self, tree: Tree, ranks: u32, node_ranks: u32) -> Vec<Option<u32>> {
        if !(tree.knows_nodes() || tree == Tree::Exact) {
            return vec![None];
        }
        if self.args.told.is_empty() {
            return vec![Some(node_ranks)];
        }
        // All that have room for every rank are one.
        let mut told: Vec<u32> = self.args.told.iter().map(|&told| told.min(ranks)).collect();
        told.sort_unstable();
        told.dedup();
        told.into_iter().map(Some).collect()
    }

    /// The nodes of the tables.
    fn usual_node(&self) -> u32 {
        let nodes = &self.args.nodes;
        if nodes.contains(&USUAL_NODE) { USUAL_NODE } else { nodes[nodes.len() - 1] }
    }
}

/// The most ranks for which every message is looked at.
const MOST_RANKS: u32 = 4096;
/// The longest vector that is sent.
const LONGEST: u64 = 1 << 24;

/// Refuses ranks that do not exist, and what would take too long.
fn check(args: &ReductionsArgs, size: usize) -> Result<(), Error> {
    let most = args.ranks.iter().copied().max().unwrap_or(1);
    for (option, is_given) in [("--calls", !args.calls.is_empty()), ("--jitter", args.jitter.is_some())] {
        if is_given && most > MOST_RANKS {
            let reason = format!("this is for at most {MOST_RANKS} ranks, but --ranks names {most}");
            return Err(Error::Argument { argument: option.into(), reason });
        }
    }
    if args.measure && size == 1 {
        let reason =
            "there is one rank, which sends nothing; start several, such as mpirun -n 4 cfd reductions"
                .into();
        return Err(Error::Argument { argument: "--measure".into(), reason });
    }
    if let Some(&long) = args.elements.iter().find(|&&elements| args.measure && elements > LONGEST) {
        let reason = format!("with --measure, vectors have at most {LONGEST} numbers");
        return Err(Error::Argument { argument: format!("--elements {long}"), reason });
    }
    let fewest = args.ranks.iter().copied().min().unwrap_or(1);
    let named = args.trees.iter().map(|tree| ("--trees", tree));
    for (option, tree) in named.chain(args.relative_to.iter().map(|tree| ("--relative-to", tree))) {
        if let Some(rank) = tree.rank().filter(|&rank| rank >= fewest) {
            let reason = format!("there is no rank {rank} of {fewest} (--ranks); give one below {fewest}");
            return Err(Error::Argument { argument: format!("{option} {tree}"), reason });
        }
    }
    let is_synthetic = args.data.as_os_str() == "synthetic";
    for (option, is_given) in [("--minus", args.minus.is_some()), ("--field", args.field.is_some())] {
        if is_given && is_synthetic {
            let reason = "this is for numbers from a file; name one with --data".into();
            return Err(Error::Argument { argument: option.into(), reason });
        }
    }
    Ok(())
}
