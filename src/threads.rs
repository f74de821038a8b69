//! How many threads a rank has, and whether it has the processors for them.

use std::sync::{Mutex, mpsc};
use std::{io, thread};

use cfd_engine::comm::Comm;

use crate::console::Console;
use crate::exit::Error;
use crate::launcher;

/// The threads per rank: as many as requested; otherwise one under a launcher, which starts a rank for every processor,
/// and without a launcher one per processor available to this process.
pub fn count(asked: Option<u64>) -> usize {
    let asked = asked.map(|threads| usize::try_from(threads).unwrap_or(usize::MAX));
    asked.unwrap_or_else(|| if launcher::own_claim().is_some() { 1 } else { processors().unwrap_or(1) })
}

/// Starts this many threads on every rank at once, and ends them again, to find out before preparing a long run whether
/// they can be had. Collective.
///
/// # Errors
/// Some rank cannot start them.
pub fn try_out(comm: &Comm, threads: usize) -> Result<(), Error> {
    let (gate, (up, started)) = (Mutex::new(()), mpsc::channel());
    let wait = || {
        let _ = up.send(());
        drop(gate.lock());
    };
    thread::scope(|scope| {
        let closed = gate.lock();
        let own = (1..threads).try_for_each(|thread| {
            let failed = |error: io::Error| Error::Threads {
                rank: comm.rank(),
                asked: threads,
                started: thread,
                reason: error.to_string(),
            };
            thread::Builder::new().spawn_scoped(scope, wait).map_err(failed)?;
            // One by one, so the system refuses here.
            let _ = started.recv();
            Ok(())
        });
        // Ranks on one machine share its limits, so all threads stay until every rank has started its own.
        let all = comm.agree(own);
        drop(closed);
        all
    })
}

/// Warns if some rank has fewer processors than threads, and says how to start it with more. Collective.
pub fn warn_if_bound(comm: &Comm, threads: usize, console: Console) {
    let own = processors().unwrap_or(threads);
    let fewest = comm.all_gather(&[own as u64]).concat().into_iter().min().unwrap_or(0) as usize;
    if fewest < threads {
        let variable = launcher::own_claim().map(|claim| claim.variable);
        console.warn(format_args!("{}", warning(threads, fewest, variable)));
    }
}

/// Processors this process may use, by its affinity mask and its quota.
fn processors() -> Option<usize> {
    std::thread::available_parallelism().ok().map(usize::from)
}

/// The warning for `threads` threads on `processors` processors, started by the launcher that sets `variable`.
fn warning(threads: usize, processors: usize, variable: Option<&str>) -> String {
    let has = match processors {
        1 => "1 processor".into(),
        more => format!("{more} processors"),
    };
    let remedy = match variable {
        Some(name) if name.starts_with("OMPI") => {
            format!("start with mpirun --map-by slot:PE={threads} (or --bind-to none)")
        }
        Some(name) if name.starts_with("SLURM") => format!("start with srun --cpus-per-task={threads}"),
        Some(_) => format!("start with mpiexec -bind-to core:{threads} (or -bind-to none)"),
        None => {
            format!("set execution.threads to {processors}, or start it with a wider affinity mask (taskset)")
        }
    };
    format!(
        "{threads} threads per rank, but a rank may use only {has}, which its threads must share; {remedy}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_names_the_flag_of_the_launcher_at_work() {
        let of = |variable| warning(4, 1, variable);
        assert!(of(Some("OMPI_COMM_WORLD_SIZE")).contains("mpirun --map-by slot:PE=4 (or --bind-to none)"));
        assert!(of(Some("PMI_SIZE")).contains("mpiexec -bind-to core:4 (or -bind-to none)"));
        assert!(of(Some("SLURM_NTASKS")).contains("srun --cpus-per-task=4"));
        assert!(of(None).contains("set execution.threads to 1"));
        assert!(of(None).starts_with("4 threads per rank, but a rank may use only 1 processor"));
    }

    #[test]
    fn a_number_that_was_asked_for_is_what_a_rank_gets() {
        assert_eq!(count(Some(3)), 3);
    }
}
