//! `cfd mesh`: generate, inspect and convert meshes.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, MeshSet, Values};
use cfd_io::generate::mgcfd::Spec;
use cfd_io::{Boundaries, Case, ClosureDefect, IoError};

use crate::cli::{self, BoundaryArgs, GenerateArgs, GenerateCommand, LevelsArgs, MeshCommand};
use crate::console::{Console, say};
use crate::estimate::{Need, Purpose};
use crate::exit::Error;

/// A generator of meshes around an airfoil, of a size and with a number of decimals.
type Generate = fn(&Comm, u64, u64, Option<u32>) -> Result<Mesh, IoError>;

/// Runs a mesh command. Collective.
pub fn mesh(comm: &Comm, command: &MeshCommand) -> Result<(), Error> {
    let console = Console::new(comm.is_root());
    match command {
        MeshCommand::Generate(command) => {
            let around_airfoil = |case, generate: Generate, args: &GenerateArgs| {
                let GenerateArgs { size: [i, j], decimals, output, format } = args;
                Need::generated(case, &[*i, *j], Purpose::Mesh).check(comm, true)?;
                let mesh = generate(comm, *i, *j, *decimals)?;
                write(comm, console, case, &mesh, output, *format)
            };
            match command {
                GenerateCommand::Airfoil(args) => {
                    around_airfoil(Case::Airfoil, cfd_io::generate::airfoil, args)
                }
                GenerateCommand::Aero(args) => around_airfoil(Case::Aero, cfd_io::generate::aero, args),
                GenerateCommand::Mgcfd(LevelsArgs { shape, size, levels, output, format }) => {
                    let spec = Spec { shape: shape.parse()?, size: *size, levels: *levels };
                    Need::generated(Case::Mgcfd, size, Purpose::Mesh).check(comm, true)?;
                    let mesh = cfd_io::generate::mgcfd::generate(comm, &spec)?;
                    write(comm, console, Case::Mgcfd, &mesh, output, *format)
                }
            }
        }
        MeshCommand::Info { file, boundaries } => {
            Need::of_file(file).check(comm, false)?;
            let (case, mesh) = cfd_io::read_mesh_with(comm, file, &boundaries.into())?;
            describe(comm, console, file, case, &mesh);
            Ok(())
        }
        MeshCommand::Convert { input, output, levels, format, boundaries } => {
            Need::of_file(input).check(comm, false)?;
            let (case, mut mesh) = cfd_io::read_mesh_with(comm, input, &boundaries.into())?;
            if let Some(levels) = *levels {
                if case != Case::Mgcfd {
                    let what = format!(
                        "--levels: meshes of case \"{case}\" have no levels, only those of \"mgcfd\""
                    );
                    return Err(IoError::Case(what).into());
                }
                mesh = cfd_io::agglomerate(comm, mesh, levels)?;
            }
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

impl From<&BoundaryArgs> for Boundaries {
    fn from(args: &BoundaryArgs) -> Boundaries {
        Boundaries { wall: args.wall.clone(), far_field: args.far_field.clone() }
    }
}

impl From<cli::Format> for cfd_io::Format {
    fn from(format: cli::Format) -> cfd_io::Format {
        match format {
            cli::Format::H5 => cfd_io::Format::Hdf5,
            cli::Format::Op2Text => cfd_io::Format::Op2Text,
            cli::Format::Op2H5 => cfd_io::Format::Op2Hdf5,
            cli::Format::Mgcfd => cfd_io::Format::MgCfd,
        }
    }
}

/// Prints case, sizes, maps, dats, what dual cells are like, and hash. Collective.
fn describe(comm: &Comm, console: Console, path: &Path, case: Case, mesh: &Mesh) {
    let set = |index: usize| &mesh.sets[index].name;
    let names = mesh.sets.iter().map(|set| &set.name).chain(mesh.maps.iter().map(|map| &map.name));
    let width =
        names.chain(mesh.dats.iter().map(|dat| &dat.name)).map(String::len).max().unwrap_or(0).max(12);
    say!(console, "{}: a valid mesh for case \"{case}\"", path.display());
    for MeshSet { name, rows } in &mesh.sets {
        say!(console, "  set  {name:<width$} {rows:>12}");
    }
    for map in &mesh.maps {
        say!(console, "  map  {:<width$} {} to {} {}", map.name, set(map.from), map.arity, set(map.to));
    }
    for dat in &mesh.dats {
        let kind = match dat.values {
            Values::F64(_) => "double precision",
            Values::I32(_) => "integer",
        };
        say!(console, "  dat  {:<width$} {} on {}, {kind}", dat.name, dat.dim, set(dat.set));
    }
    if case == Case::Mgcfd {
        let ClosureDefect { level, node, defect } = cfd_io::closure_defect(comm, mesh);
        say!(
            console,
            "  dual cells close to {defect:.1e} of their largest face (worst: node {node} of level {level})"
        );
        let (node, volume) = cfd_io::smallest_volume(comm, mesh);
        say!(console, "  smallest dual cell of level 0: volume {volume:.3e} (node {node})");
    }
    say!(console, "  hash {}", cfd_io::mesh_hash(comm, mesh));
}
