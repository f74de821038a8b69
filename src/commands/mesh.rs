//! `cfd mesh`: generate, inspect and convert meshes.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_engine::mesh::{Mesh, MeshSet, Values};
use cfd_io::{Boundaries, Format};
use cfd_solvers::CASES;
use cfd_topology::{ClosureDefect, MeshError, Topology};

use crate::cli::{BoundaryArgs, Generate, MeshCommand};
use crate::console::{Console, say};
use crate::estimate::{Need, Purpose};
use crate::exit::Error;

/// Runs a mesh command. Collective.
pub fn mesh(comm: &Comm, command: &MeshCommand) -> Result<(), Error> {
    let console = Console::new(comm.is_root());
    match command {
        MeshCommand::Generate(Generate { case, generator, keys, made }) => {
            Need::generated(case, generator, keys, Purpose::Mesh).check(comm, true)?;
            let mesh = generator.mesh(comm, keys)?;
            write(comm, console, case.topology, &mesh, &made.output, made.format.as_deref())
        }
        MeshCommand::Info { file, boundaries } => {
            Need::of_file(file).check(comm, false)?;
            if cfd_io::is_any_mesh(comm, file)? {
                describe(comm, console, file, None, &cfd_io::read_any_mesh(comm, file)?);
                return Ok(());
            }
            let (topology, mesh) = cfd_io::read_mesh_with(comm, file, &boundaries.into())?;
            describe(comm, console, file, Some(topology), &mesh);
            Ok(())
        }
        MeshCommand::Convert { input, output, levels, format, boundaries } => {
            Need::of_file(input).check(comm, false)?;
            let (topology, mut mesh) = cfd_io::read_mesh_with(comm, input, &boundaries.into())?;
            if let Some(levels) = *levels {
                if topology != Topology::DualEdges {
                    let what = format!("--levels: {topology} have no levels, only {}", Topology::DualEdges);
                    return Err(MeshError::Unsuitable(what).into());
                }
                mesh = cfd_topology::agglomerate(comm, mesh, levels)?;
            }
            write(comm, console, topology, &mesh, output, format.as_deref())
        }
    }
}

/// Writes a mesh and says what it is. `format` is a format's word.
fn write(
    comm: &Comm,
    console: Console,
    topology: Topology,
    mesh: &Mesh,
    path: &Path,
    format: Option<&str>,
) -> Result<(), Error> {
    match format.and_then(Format::of_option) {
        None => cfd_io::write_mesh(comm, mesh, topology, path)?,
        Some(format) => cfd_io::write_mesh_as(comm, mesh, topology, path, format)?,
    }
    describe(comm, console, path, Some(topology), mesh);
    Ok(())
}

impl From<&BoundaryArgs> for Boundaries {
    fn from(args: &BoundaryArgs) -> Boundaries {
        Boundaries::default().give("wall", &args.wall).give("far_field", &args.far_field)
    }
}

/// Prints topology (if any), sizes, maps, dats, figures of dual cells, and hash. Collective.
fn describe(comm: &Comm, console: Console, path: &Path, topology: Option<Topology>, mesh: &Mesh) {
    let set = |index: usize| short(&mesh.sets[index].name);
    let names = mesh.sets.iter().map(|set| &set.name).chain(mesh.maps.iter().map(|map| &map.name));
    let names = names.chain(mesh.dats.iter().map(|dat| &dat.name));
    let width = names.map(|name| short(name).chars().count()).max().unwrap_or(0).max(12);
    let kind = topology.map_or("sets, maps and dats (for solvers of your own)".to_string(), |topology| {
        let cases = CASES.iter().filter(|case| case.topology == topology);
        let cases: Vec<&str> = cases.map(|case| case.name).collect();
        format!("{topology} (for {})", cases.join(", "))
    });
    say!(console, "{}: a valid mesh of {kind}", path.display());
    for MeshSet { name, rows } in &mesh.sets {
        say!(console, "  set  {:<width$} {rows:>12}", short(name));
    }
    for map in &mesh.maps {
        say!(
            console,
            "  map  {:<width$} {} to {} {}",
            short(&map.name),
            set(map.from),
            map.arity,
            set(map.to)
        );
    }
    for dat in &mesh.dats {
        let kind = match dat.values {
            Values::F64(_) => "double precision",
            Values::I32(_) => "integer",
        };
        say!(console, "  dat  {:<width$} {} on {}, {kind}", short(&dat.name), dat.dim, set(dat.set));
    }
    if topology == Some(Topology::DualEdges) {
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
