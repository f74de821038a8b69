//! The `cfd` program: from the command line to its output files.
//!
//! ```text
//! cli            the command line
//! launcher       starting under mpirun; what a panic says
//! config/        the TOML file and its overrides, checked against the descriptions of all keys
//! run            a run in three stages
//!   session      what all parts of a run know of it
//!   prepare      from the configuration to the first iteration
//!   iterate      the iterations, and the checkpoints between them
//!   finish       the results, the report, the verdict
//!   setup        mesh, partition, domain; estimate: whether they fit into memory
//!   start        start values from the solution of another run; node_values: metrics and fields from files
//!   weights      what the partitioner balances, measured or from a file
//!   guarantee    what is promised of the bits
//!   colorings    greedy colorings, kept from run to run
//!   verify       the expected hash
//!   references/  benchmarks of known results, which their runs check by themselves
//!   checkpoint/  writing and reading checkpoints, being asked to stop
//!   trace        hashes after every loop, trace.csv
//!   during/      what is written while they go on: history.csv, probes.csv, VTU files of some of them
//!   grid         the grid that fields are shown on
//!   film         images of several moments, film.svg
//!   results      solution.h5, files for ParaView, pictures of the result
//!   energy       joules of the iterations, where they can be read
//!   history      residuals, history.csv
//!   provenance   which program, machine and command a run came from
//!   progress     a bar or lines on stderr
//!   output       the output directory; lock: one run at a time in it
//!   report/      loop table, halo table, summary.json, final block
//!   plot/        convergence.svg, cp.svg
//! commands/      mesh, partition, compare, plot, repro, reference, reductions, info, completions, man
//! bandwidth      what the memory delivers; arithmetic: what the processors do
//! console        stdout of the rank that speaks
//! exit           exit codes, the error type
//! machine        whose name is in messages; memory: of this process
//! ```
//!
//! The crates below are documented on their own: `cfd_engine` (sets, maps, dats, par_loop), `cfd_partition`,
//! `cfd_io`, `cfd_mesh`, `cfd_keys`, `cfd_reductions`, `cfd_solvers`.

pub mod arithmetic;
pub mod bandwidth;
pub mod checkpoint;
pub mod cli;
pub mod colorings;
pub mod commands;
pub mod config;
pub mod console;
pub mod device;
pub mod during;
pub mod energy;
pub mod estimate;
pub mod exit;
pub mod film;
pub mod finish;
pub mod grid;
pub mod guarantee;
pub mod history;
pub mod iterate;
pub mod launcher;
pub mod lock;
pub mod machine;
pub mod memory;
pub mod new_directories;
pub mod node_values;
pub mod output;
pub mod plot;
pub mod prepare;
pub mod progress;
pub mod provenance;
pub mod references;
pub mod report;
pub mod results;
pub mod run;
pub mod session;
pub mod setup;
pub mod start;
pub mod threads;
pub mod trace;
pub mod verify;
pub mod weights;

/// The programs in the guide compile and run.
#[cfg(doctest)]
#[doc = include_str!("../docs/writing-a-solver.md")]
pub struct WritingASolver;

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use cfd_engine::comm::{Comm, ending};
use cfd_engine::given::short;
use clap::Parser;
use clap::error::ContextValue;

use crate::checkpoint::signal::StopSignals;
use crate::cli::{Cli, Command};
use crate::console::Console;
use crate::exit::{Code, Error};

/// Parses the command line, executes it, and returns how it ended.
pub fn main() -> ExitCode {
    // Before anything slow: a batch system may ask a job to stop at any moment.
    let signals = StopSignals::watch();
    launcher::install_panic_hook();
    let code = match (Cli::try_parse(), signals) {
        (Ok(cli), Ok(signals)) => start(&cli, &signals),
        (Ok(_), Err(error)) => launcher::fail_apart(&Error::Signals { reason: error.to_string() }),
        (Err(message), _) => refuse(message),
    };
    // MPI is finalised when its last user drops it.
    ending::forget();
    ExitCode::from(code)
}

/// Joins the other ranks, if any, and executes the command with them.
fn start(cli: &Cli, signals: &StopSignals) -> u8 {
    if !matches!(cli.command, None | Some(Command::Run(_) | Command::Repro(_))) {
        signals.release();
    }
    // Without a launcher, only commands that usually run in parallel start MPI.
    let comm = match cli.command {
        Some(
            Command::Mesh(_)
            | Command::Compare(_)
            | Command::Plot(_)
            | Command::Info(_)
            | Command::Reference(_),
        ) => launcher::alone_or_world(),
        Some(Command::Completions { .. } | Command::Man { .. } | Command::Reductions(_)) => {
            launcher::alone_or_world()
        }
        Some(Command::Repro(_)) => launcher::alone(),
        Some(Command::Run(_) | Command::Partition(_)) | None => launcher::world(),
    };
    let comm = match comm {
        Ok(comm) => comm,
        Err(error) => return launcher::fail_apart(&error),
    };
    let result = execute(&comm, cli, signals).and_then(|()| match cli.is_there_to_print() {
        true => comm.agree(console::delivered()),
        false => Ok(()),
    });
    conclude(&comm, &result)
}

/// Prints what went wrong, once for all ranks; returns the exit code.
fn conclude(comm: &Comm, result: &Result<(), Error>) -> u8 {
    comm.conclude(
        result,
        |error| error.code() as u8,
        |error, alone| match (error, alone) {
            (Error::Interrupted { .. }, _) => console::complain(format_args!("{error}")),
            (_, Some(rank)) => console::complain(format_args!("error: rank {rank}: {error}")),
            (_, None) => console::complain(format_args!("error: {error}")),
        },
    )
}

fn execute(comm: &Comm, cli: &Cli, signals: &StopSignals) -> Result<(), Error> {
    match (&cli.command, &cli.run) {
        (Some(Command::Run(args)), _) | (None, Some(args)) => run::run(comm, args, signals),
        (Some(Command::Mesh(command)), _) => commands::mesh::mesh(comm, command),
        (Some(Command::Partition(args)), _) => commands::partition::partition(comm, args),
        (Some(Command::Compare(args)), _) => commands::compare::compare(comm, args),
        (Some(Command::Plot(args)), _) => commands::plot::plot(comm, args),
        (Some(Command::Repro(args)), _) => commands::repro::repro(args, signals),
        (Some(Command::Reference(args)), _) => commands::reference::reference(comm, args, signals),
        (Some(Command::Reductions(args)), _) => commands::reductions::reductions(comm, args, signals),
        (Some(Command::Info(args)), _) => commands::info::info(comm, args),
        (Some(Command::Completions { shell }), _) => {
            commands::manual::completions(Console::new(comm.is_root()), *shell);
            Ok(())
        }
        (Some(Command::Man { directory }), _) => commands::manual::pages(comm, directory),
        (None, None) => unreachable!("without any argument the help is printed"),
    }
}

/// Prints help, the version or a usage error, once for all ranks.
fn refuse(mut message: clap::Error) -> u8 {
    let long = message.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) => Some((kind, ContextValue::String(short(text).into_owned()))),
        _ => None,
    });
    for (kind, shown) in long.collect::<Vec<_>>() {
        message.insert(kind, shown);
    }
    let comm = launcher::alone_or_world().unwrap_or_else(|_| Comm::single());
    if message.use_stderr() {
        let print = |message: &clap::Error, _| write_whole(message);
        return comm.conclude(&Err(message), |_| Code::Input as u8, print);
    }
    console::note(if comm.is_root() { message.print() } else { Ok(()) });
    conclude(&comm, &comm.agree(console::delivered()))
}

/// Writes the message to stderr in one piece: mpirun puts lines of its own between pieces.
fn write_whole(message: &clap::Error) {
    let is_plain = !std::io::stderr().is_terminal()
        || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let text = message.render();
    let text = if is_plain { text.to_string() } else { text.ansi().to_string() };
    // Where stderr is closed, there is nobody to tell.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
