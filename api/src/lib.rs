//! Solvers of your own on unstructured meshes: all that one needs, in one dependency.
//!
//! ```toml
//! [dependencies]
//! cfd-api = { version = "0.1", features = ["mpi"] }
//! ```
//!
//! ```
//! use cfd_api::prelude::*;
//!
//! /// Heat through an edge.
//! #[kernel]
//! fn flux(t: [Read<1>; 2], heat: [Inc<1>; 2]) {
//!     let f = t[1][0] - t[0][0];
//!     heat[0][0] += f;
//!     heat[1][0] -= f;
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let comm = ranks()?;
//! let mesh = cfd_api::mesh::generate::block(&comm, 8, 5)?;
//! let cells = CELL_EDGES.primary(&mesh);
//! let mut domain =
//!     set_up(&comm, mesh, &cells, &PartitionOptions::default(), Order::File, DomainOptions::default())?;
//!
//! let (cells, edges) = (domain.set("cells")?, domain.set("edges")?);
//! let sides: Map<2> = domain.map("edge_cells")?;
//! let (t, heat): (Dat<1>, Dat<1>) = (domain.new_dat(cells, "t"), domain.new_dat(cells, "heat"));
//! let warm: Vec<f64> = domain.global_ids(cells).iter().map(|&id| (id % 3) as f64).collect();
//! domain.write(t, &warm);
//! domain.par_loop(flux, edges, (t.all(sides), heat.all(sides)), &());
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("heat.h5");
//! let hash = save(&mut domain, &path, TimeLevel::default(), &[t.into(), heat.into()])?;
//! println!("{hash}"); // the same on any number of ranks and threads
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it has |
//! | --- | --- |
//! | [`prelude`] | what a solver needs |
//! | [`engine`] | sets, maps, dats, kernels, `par_loop`, ranks |
//! | [`mesh`] | elements of any kind with named groups; what schemes need beside them, derived; meshes made from formulas |
//! | [`partition`] | from a mesh to each rank's domain |
//! | `io` | mesh formats, solution files, hashes, VTK files (feature `hdf5`, on by default) |
//! | [`adapt`] | meshes of triangles adapted to a metric; rounds of it from domain to domain (`adapt::remesh`) |
//! | [`implicit`] | block matrices, GMRES, line preconditioners, conjugate gradients |
//! | [`chains`] | loops that run tile by tile: `DomainOptions { backend: Some(chains::backend), .. }` |
//! | [`device`] | loops on a GPU (feature `cuda`), or on the emulated one |
//! | [`loops`] | what loops cost, as a table |
//! | [`reducers`] | the strategies that plug in, and the list of all |
//! | `mpi` | the ranks of an MPI job (feature `mpi`) |
//!
//! # What is stable
//!
//! The prelude and what its types and functions take and give. Everything else may change with any version: it is public
//! because crates of this family use it. Two versions of one minor number give the same bits.

pub mod loops;
mod options;
#[cfg(feature = "hdf5")]
mod output;

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;

use cfd_engine::comm::{Comm, ending};

pub use cfd_adapt as adapt;
pub use cfd_chains as chains;
pub use cfd_device as device;
pub use cfd_engine as engine;
pub use cfd_implicit as implicit;
#[cfg(feature = "hdf5")]
pub use cfd_io as io;
pub use cfd_mesh as mesh;
#[cfg(feature = "mpi")]
pub use cfd_mpi as mpi;
pub use cfd_partition as partition;
pub use cfd_reducers as reducers;

pub use options::{Options, Usage};
#[cfg(feature = "hdf5")]
pub use output::{Grid, OutputError, Series, TimeLevel, load, save, write_vtu};

/// What a solver needs: `use cfd_api::prelude::*;`
pub mod prelude {
    pub use cfd_engine::handle::Target;
    pub use cfd_engine::mesh::Blocks;
    pub use cfd_engine::prelude::*;
    pub use cfd_implicit::gmres::Gmres;
    pub use cfd_implicit::lines::{LinePreconditioner, LineSet, Relaxation};
    pub use cfd_implicit::matrix::BlockMatrix;
    pub use cfd_implicit::points::BlockJacobi;
    pub use cfd_implicit::{Operator, Preconditioner};
    #[cfg(feature = "hdf5")]
    pub use cfd_io::{Digest, read_derived, read_element_mesh, read_field};
    pub use cfd_mesh::{
        BILINEAR, Boundaries, BoundaryKind, CELL_EDGES, DUAL, DUAL_LEVELS, Derived, ElementKind, ElementMesh,
        ElementMeshBuilder, Given, NEIGHBOURS, Named, TRIANGLES,
    };
    pub use cfd_partition::{Method, Options as PartitionOptions, Order, Primary, set_up};

    pub use crate::loops::loop_table;
    #[cfg(feature = "hdf5")]
    pub use crate::{Grid, Series, TimeLevel, load, save, write_vtu};
    pub use crate::{Options, ranks, run};
}

/// Runs a solver on all ranks ([`ranks`]): what `main` of a program is.
///
/// All ranks end together. The exit code is 2 if something that the user named is wrong, on the command line or in a file,
/// and otherwise 1 if anything went wrong on any of them. An error that all ranks return, as those of collective calls, is
/// one line from rank 0. If only some return one, the lowest of them says so, and ends the ranks that wait for it. A panic on
/// one of several ranks ends all, after its message.
///
/// ```
/// use cfd_api::prelude::*;
///
/// fn solve(comm: &Comm) -> Result<(), Box<dyn std::error::Error>> {
///     println!("rank {} of {}", comm.rank(), comm.size());
///     Ok(())
/// }
///
/// fn main() -> std::process::ExitCode {
///     run(solve)
/// }
/// ```
pub fn run(solver: impl FnOnce(&Comm) -> Result<(), Box<dyn Error>>) -> ExitCode {
    let comm = match ranks() {
        Ok(comm) => comm,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    if comm.size() > 1 {
        let message = std::panic::take_hook();
        ending::install_panic_hook(move |panic, rank| {
            message(panic);
            complain(&format!("rank {rank} panicked, and all ranks end"));
        });
        ending::end_with(&comm);
    }
    let result = solver(&comm);
    let is_help = |error: &(dyn Error + 'static)| error.downcast_ref().is_some_and(Usage::is_help);
    let code = comm.conclude(
        &result,
        |error| match () {
            () if is_help(&**error) => 0,
            () if is_input(&**error) => 2,
            () => 1,
        },
        |error, alone| match alone {
            _ if is_help(&**error) => println!("{error}"),
            Some(rank) => complain(&format!("rank {rank}: {error}")),
            None => complain(&error.to_string()),
        },
    );
    ending::forget();
    ExitCode::from(code)
}

/// Says what is wrong, in one piece: mpirun writes its own lines between the pieces of a rank's.
fn complain(what: &str) {
    let _ = std::io::stderr().lock().write_all(format!("error: {what}\n").as_bytes());
}

/// Whether something that the user named is wrong.
fn is_input(error: &(dyn Error + 'static)) -> bool {
    #[cfg(feature = "hdf5")]
    {
        let of_output = |error: &OutputError| matches!(error, OutputError::Io(error) if error.is_input());
        if error.downcast_ref().is_some_and(of_output)
            || error.downcast_ref().is_some_and(cfd_io::IoError::is_input)
        {
            return true;
        }
    }
    error.is::<Usage>()
}

/// All ranks of the MPI job, or the one rank there is where the program is built without the feature `mpi`.
///
/// # Errors
/// MPI was initialised before, or does not offer the thread support needed.
#[cfg(feature = "mpi")]
pub fn ranks() -> Result<Comm, cfd_mpi::MpiError> {
    cfd_mpi::world()
}

/// All ranks of the MPI job, or the one rank there is where the program is built without the feature `mpi`.
///
/// # Errors
/// None.
#[cfg(not(feature = "mpi"))]
pub fn ranks() -> Result<Comm, std::convert::Infallible> {
    Ok(Comm::single())
}
