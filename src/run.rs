//! A run: prepare, iterate, finish.
//!
//! ```text
//! session    what all parts of a run know of it
//! prepare    from the configuration to the first iteration: mesh, domain, solver, checkpoint, files
//! iterate    the iterations, and what is written between them
//! finish     the results, the report, the verdict
//! ```

use cfd_engine::comm::Comm;

use crate::checkpoint::signal::StopSignals;
use crate::cli::RunArgs;
use crate::config::Config;
use crate::console::{Console, say};
use crate::exit::Error;
use crate::progress::Progress;
use crate::session::Session;

/// Runs what the arguments request. Collective; the same result on every rank.
///
/// # Errors
/// Anything that ends a run early.
pub fn run(comm: &Comm, args: &RunArgs, signals: &StopSignals) -> Result<(), Error> {
    let config = Config::load(comm, &args.config, &args.overrides()?)?;
    if args.print_config {
        say!(Console::new(comm.is_root()), "{}", config.to_toml().trim_end());
        return Ok(());
    }
    run_config(comm, &config, args, signals)
}

/// Runs a configuration; only arguments that are not keys count. Collective; the same result on every rank.
///
/// # Errors
/// Anything that ends a run early.
pub fn run_config(comm: &Comm, config: &Config, args: &RunArgs, signals: &StopSignals) -> Result<(), Error> {
    let Some(mut session) = Session::prepare(comm, config, args, signals)? else { return Ok(()) };
    let (done, last) = (session.history.iterations(), session.limits.iterations);
    let ended = session.iterate(Progress::new(args.progress, comm.is_root(), done, last));
    session.finish(ended)
}
