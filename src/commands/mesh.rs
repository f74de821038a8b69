//! `cfd mesh`: generate, inspect and convert meshes.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, MeshSet, Values};
use cfd_io::Boundaries;
use cfd_topology::generate::{hexahedra, naca0012};
use cfd_topology::{ClosureDefect, MeshError, Topology};
use clap::ValueEnum;

use crate::cases::Case;
use crate::cli::{self, BoundaryArgs, GenerateArgs, GenerateCommand, LevelsArgs, MeshCommand};
use crate::console::{Console, say};
use crate::estimate::{Need, Purpose};
use crate::exit::Error;

/// A generator of meshes around an airfoil, of a size and with a number of decimals.
type Generate = fn(&Comm, u64, u64, Option<u32>) -> Result<Mesh, MeshError>;

/// Runs a mesh command. Collective.
pub fn mesh(comm: &Comm, command: &MeshCommand) -> Result<(), Error> {
    let console = Console::new(comm.is_root());
    match command {
        MeshCommand::Generate(command) => {
            let around_airfoil = |case: Case, generate: Generate, args: &GenerateArgs| {
                let GenerateArgs { size: [i, j], decimals, output, format } = args;
                Need::generated(case, &[*i, *j], Purpose::Mesh).check(comm, true)?;
                let mesh = generate(comm, *i, *j, *decimals)?;
                write(comm, console, case.topology(), &mesh, output, *format)
            };
            match command {
                GenerateCommand::Airfoil(args) => around_airfoil(Case::Airfoil, naca0012::cells, args),
                GenerateCommand::Aero(args) => around_airfoil(Case::Aero, naca0012::elements, args),
                GenerateCommand::Mgcfd(LevelsArgs { shape, size, levels, output, format }) => {
                    let spec = hexahedra::Spec { shape: shape.parse()?, size: *size, levels: *levels };
                    Need::generated(Case::Mgcfd, size, Purpose::Mesh).check(comm, true)?;
                    let mesh = hexahedra::generate(comm, &spec)?;
                    write(comm, console, Topology::DualEdges, &mesh, output, *format)
                }
            }
        }
        MeshCommand::Info { file, boundaries } => {
            Need::of_file(file).check(comm, false)?;
            let (topology, mesh) = cfd_io::read_mesh_with(comm, file, &boundaries.into())?;
            describe(comm, console, file, topology, &mesh);
            Ok(())
        }
        MeshCommand::Convert { input, output, levels, format, boundaries } => {
            Need::of_file(input).check(comm, false)?;
            let (topology, mut mesh) = cfd_io::read_mesh_with(comm, input, &boundaries.into())?;
            if let Some(levels) = *levels {
                if topology != Topology::DualEdges {
                    let what = format!(
                        "--levels: meshes of case \"{}\" have no levels, only those of \"mgcfd\"",
                        topology.tag()
                    );
                    return Err(MeshError::Unsuitable(what).into());
                }
                mesh = cfd_topology::agglomerate(comm, mesh, levels)?;
            }
            write(comm, console, topology, &mesh, output, *format)
        }
    }
}

fn write(
    comm: &Comm,
    console: Console,
    topology: Topology,
    mesh: &Mesh,
    path: &Path,
    format: Option<cli::Format>,
) -> Result<(), Error> {
    match format {
        None => cfd_io::write_mesh(comm, mesh, topology, path)?,
        Some(format) => cfd_io::write_mesh_as(comm, mesh, topology, path, format.into())?,
    }
    describe(comm, console, path, topology, mesh);
    Ok(())
}

impl From<&BoundaryArgs> for Boundaries {
    fn from(args: &BoundaryArgs) -> Boundaries {
        Boundaries::default().give("wall", args.wall.clone()).give("far_field", args.far_field.clone())
    }
}

impl From<cli::Format> for &'static cfd_io::Format {
    fn from(format: cli::Format) -> &'static cfd_io::Format {
        let option = format.to_possible_value().expect("no format is hidden");
        cfd_io::Format::of_option(option.get_name()).expect("the options are those of formats")
    }
}

/// Prints case, sizes, maps, dats, what dual cells are like, and hash. Collective.
fn describe(comm: &Comm, console: Console, path: &Path, topology: Topology, mesh: &Mesh) {
    let set = |index: usize| &mesh.sets[index].name;
    let names = mesh.sets.iter().map(|set| &set.name).chain(mesh.maps.iter().map(|map| &map.name));
    let width =
        names.chain(mesh.dats.iter().map(|dat| &dat.name)).map(String::len).max().unwrap_or(0).max(12);
    say!(console, "{}: a valid mesh for case \"{}\"", path.display(), topology.tag());
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
    if topology == Topology::DualEdges {
        let ClosureDefect { level, node, defect } = cfd_topology::closure_defect(comm, mesh);
        say!(
            console,
            "  dual cells close to {defect:.1e} of their largest face (worst: node {node} of level {level})"
        );
        let (node, volume) = cfd_topology::smallest_volume(comm, mesh);
        say!(console, "  smallest dual cell of level 0: volume {volume:.3e} (node {node})");
    }
    say!(console, "  hash {}", cfd_io::mesh_hash(comm, mesh));
}
