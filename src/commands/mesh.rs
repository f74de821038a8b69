//! `cfd mesh`: generate, inspect and convert meshes.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, MeshSet, Values};
use cfd_io::{Case, IoError};

use crate::cli::{self, GenerateArgs, GenerateCommand, MeshCommand};
use crate::console::{Console, say};
use crate::exit::Error;

/// A generator of meshes around an airfoil, of a size and with a number of decimals.
type Generate = fn(&Comm, u64, u64, Option<u32>) -> Result<Mesh, IoError>;

/// Runs a mesh command. Collective.
pub fn mesh(comm: &Comm, command: &MeshCommand) -> Result<(), Error> {
    let console = Console::new(comm.is_root());
    match command {
        MeshCommand::Generate(command) => {
            let (case, generate, args): (_, Generate, _) = match command {
                GenerateCommand::Airfoil(args) => (Case::Airfoil, cfd_io::generate::airfoil, args),
                GenerateCommand::Aero(args) => (Case::Aero, cfd_io::generate::aero, args),
            };
            let GenerateArgs { size: [i, j], decimals, output, format } = args;
            let mesh = generate(comm, *i, *j, *decimals)?;
            write(comm, console, case, &mesh, output, *format)
        }
        MeshCommand::Info { file } => {
            let (case, mesh) = cfd_io::read_mesh(comm, file)?;
            describe(comm, console, file, case, &mesh);
            Ok(())
        }
        MeshCommand::Convert { input, output, format } => {
            let (case, mesh) = cfd_io::read_mesh(comm, input)?;
            write(comm, console, case, &mesh, output, *format)
        }
    }
}

fn write(
    comm: &Comm,
    console: Console,
    case: Case,
    mesh: &Mesh,
    path: &Path,
    format: Option<cli::Format>,
) -> Result<(), Error> {
    match format {
        None => cfd_io::write_mesh(comm, mesh, case, path)?,
        Some(format) => cfd_io::write_mesh_as(comm, mesh, case, path, format.into())?,
    }
    describe(comm, console, path, case, mesh);
    Ok(())
}

impl From<cli::Format> for cfd_io::Format {
    fn from(format: cli::Format) -> cfd_io::Format {
        match format {
            cli::Format::H5 => cfd_io::Format::Hdf5,
            cli::Format::Op2Text => cfd_io::Format::Op2Text,
            cli::Format::Op2H5 => cfd_io::Format::Op2Hdf5,
        }
    }
}

/// Prints case, sizes, maps, dats and hash.
fn describe(comm: &Comm, console: Console, path: &Path, case: Case, mesh: &Mesh) {
    let set = |index: usize| &mesh.sets[index].name;
    say!(console, "{}: a valid mesh for case \"{case}\"", path.display());
    for MeshSet { name, rows } in &mesh.sets {
        say!(console, "  set  {name:<12} {rows:>12}");
    }
    for map in &mesh.maps {
        say!(console, "  map  {:<12} {} to {} {}", map.name, set(map.from), map.arity, set(map.to));
    }
    for dat in &mesh.dats {
        let kind = match dat.values {
            Values::F64(_) => "double precision",
            Values::I32(_) => "integer",
        };
        say!(console, "  dat  {:<12} {} on {}, {kind}", dat.name, dat.dim, set(dat.set));
    }
    say!(console, "  hash {}", cfd_io::mesh_hash(comm, mesh));
}
