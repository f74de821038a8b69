//! `cfd info`: what this program was built with and runs on.

use cfd_engine::comm::Comm;
use cfd_engine::lane::Width;

use crate::cli::InfoArgs;
use crate::config::reference;
use crate::console::{Console, say};
use crate::exit::Error;
use crate::history::is_count;
use crate::{bandwidth, machine, references, threads};

/// Prints it. Collective.
///
/// # Errors
/// The measuring threads cannot be started.
pub fn info(comm: &Comm, args: &InfoArgs) -> Result<(), Error> {
    let console = Console::new(comm.is_root());
    if args.config_reference {
        say!(console, "{}", reference::page().trim_end());
        return Ok(());
    }
    if args.benchmarks {
        for line in benchmarks() {
            say!(console, "{line}");
        }
        return Ok(());
    }
    say!(console, "cfd          {}", env!("CARGO_PKG_VERSION"));
    say!(console, "commit       {}", env!("CFD_BUILT_FROM"));
    say!(console, "compiler     {}", env!("CFD_COMPILER"));
    say!(console, "features     {}", features().join(", "));
    say!(console, "ranks        {}", ranks(comm));
    say!(console, "files        {}", cfd_io::hdf5_info(comm));
    say!(console, "METIS        {}", "5, built in");
    let library = cfd_partition::partitioner::library_found();
    say!(console, "PT-Scotch    {}", library.unwrap_or_else(|problem| format!("none: {problem}")));
    say!(console, "processor    {}", processor());
    for gpu in crate::device::gpus() {
        say!(console, "GPU          {gpu}");
    }
    say!(console, "NVRTC        {}", crate::device::compiler());
    say!(console, "messages     {}", crate::device::gpu_messages(comm));
    if args.bandwidth {
        let threads = threads::count(args.threads);
        threads::try_out(comm, threads)?;
        say!(console, "{}", bandwidth::measure(comm, threads, Width::widest()).text(comm.size()));
    }
    Ok(())
}

/// The benchmarks: name, size of the mesh, iterations, and some of their final values.
fn benchmarks() -> Vec<String> {
    let row = |name: &str, size: &str, iterations: &str, values: &str| {
        format!("{name:<20} {size:>17} {iterations:>10}  {values}").trim_end().to_string()
    };
    let known = references::known().iter().map(|reference| {
        let values = reference.values.iter().filter(|(_, value)| !is_count(**value));
        let values: Vec<String> = values.take(2).map(|(name, value)| format!("{name} {value:.6}")).collect();
        row(&reference.name, &reference.size, &reference.iterations.to_string(), &values.join(", "))
    });
    [row("name", "mesh", "iterations", "ends with")].into_iter().chain(known).collect()
}

/// Number of ranks, and how they communicate.
pub fn ranks(comm: &Comm) -> String {
    format!("{} ({})", comm.size(), mpi_library())
}

/// The MPI library, or that there is none.
#[cfg(feature = "mpi")]
pub fn mpi_library() -> String {
    crate::launcher::mpi_library()
}

/// The MPI library, or that there is none.
#[cfg(not(feature = "mpi"))]
pub fn mpi_library() -> String {
    "built without MPI".into()
}

fn features() -> Vec<&'static str> {
    let mut features = Vec::new();
    if cfg!(feature = "mpi") {
        features.push("mpi");
    }
    if cfg!(feature = "mpio") {
        features.push("mpio");
    }
    features.push(if cfg!(debug_assertions) { "debug checks" } else { "optimised" });
    features
}

/// Architecture, processors this process may use, and vector instructions.
fn processor() -> String {
    let processors = std::thread::available_parallelism().map_or("unknown".into(), |n| n.to_string());
    let instructions = vector_instructions().join(", ");
    let instructions = if instructions.is_empty() { "none known".into() } else { instructions };
    format!(
        "{} ({}), {processors} processors available, vector instructions: {instructions}",
        machine::processor(),
        std::env::consts::ARCH
    )
}

#[cfg(target_arch = "x86_64")]
fn vector_instructions() -> Vec<&'static str> {
    let known = [
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512dq", is_x86_feature_detected!("avx512dq")),
        ("avx512vl", is_x86_feature_detected!("avx512vl")),
    ];
    known.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

#[cfg(target_arch = "aarch64")]
fn vector_instructions() -> Vec<&'static str> {
    // Part of the architecture.
    vec!["neon"]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn vector_instructions() -> Vec<&'static str> {
    Vec::new()
}
