//! `cfd mesh`: generate, inspect and convert meshes.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_engine::mesh::{Mesh, MeshSet, Values};
use cfd_io::{Format, Holds, IoError};
use cfd_mesh::{Boundaries, DUAL_LEVELS, Derived, ElementMesh, Given, Groups, MeshError};
use cfd_solvers::CASES;

use crate::cli::{BoundaryArgs, Generate, MeshCommand};
use crate::console::{Console, say};
use crate::estimate::{Need, Purpose};
use crate::exit::Error;

/// Runs a mesh command. Collective.
pub fn mesh(comm: &Comm, command: &MeshCommand) -> Result<(), Error> {
    let console = Console::new(comm.is_root());
    match command {
        MeshCommand::Generate(Generate { case, generator, keys, made }) => {
            Need::generated(*case, generator, keys, Purpose::Mesh).check(comm, true)?;
            let given = generator.mesh(comm, keys)?;
            let format = format(&made.output, made.format.as_deref(), Holds::of(&given))?;
            write(comm, console, &given, &made.output, format)
        }
        MeshCommand::Info { file, boundaries } => {
            Need::of_file(file).check(comm, false)?;
            let given = match cfd_io::is_any_mesh(comm, file)? {
                true => match cfd_io::read_mesh(comm, file) {
                    Ok(given) => given,
                    Err(error) => {
                        let mesh = cfd_io::read_any_mesh(comm, file)?;
                        if ElementMesh::new(mesh.clone(), Groups::default()).is_ok() {
                            return Err(error.into());
                        }
                        say!(
                            console,
                            "{}: valid sets, maps and dats (for solvers of your own)",
                            file.display()
                        );
                        describe_sets(console, &mesh);
                        say!(console, "  hash {}", cfd_io::mesh_hash(comm, &mesh));
                        return Ok(());
                    }
                },
                false => cfd_io::read_mesh(comm, file)?,
            };
            let boundaries = Boundaries::from(boundaries);
            if let (false, Given::Elements(elements)) = (boundaries.is_empty(), &given) {
                boundaries.resolve(elements).map_err(|error| IoError::of_mesh(file, error))?;
            }
            describe(comm, console, file, &given);
            Ok(())
        }
        MeshCommand::Convert { input, output, levels, format: option, boundaries } => {
            Need::of_file(input).check(comm, false)?;
            let given = with_levels(comm, cfd_io::read_mesh(comm, input)?, *levels, input, boundaries)?;
            let format = format(output, option.as_deref(), Holds::of(&given))?;
            let given = fitted(comm, given, format, input, boundaries)?;
            write(comm, console, &given, output, format)
        }
    }
}

/// The format of a file to write, from its option or its name.
fn format(path: &Path, option: Option<&str>, holds: Holds) -> Result<&'static Format, Error> {
    match option.and_then(|option| Format::of_option(option, holds)) {
        Some(format) => Ok(format),
        None => Ok(Format::from_name(path, holds)?),
    }
}

/// A mesh with the number of levels asked for. Collective.
fn with_levels(
    comm: &Comm,
    given: Given,
    levels: Option<usize>,
    input: &Path,
    boundaries: &BoundaryArgs,
) -> Result<Given, Error> {
    let Some(levels) = levels else { return Ok(given) };
    match given {
        Given::Derived { derived, mesh, elements } if derived == &DUAL_LEVELS => {
            let mesh = cfd_mesh::agglomerate(comm, mesh, levels)?;
            Ok(Given::Derived { derived, mesh, elements })
        }
        Given::Elements(elements) if elements.dimension() == 3 => {
            derived(comm, &DUAL_LEVELS, elements, levels, input, boundaries)
        }
        given => {
            let what = format!("--levels: {} have no levels, only {DUAL_LEVELS}", Holds::of(&given));
            Err(MeshError::Unsuitable(what).into())
        }
    }
}

/// What a format can hold of a mesh. Collective.
fn fitted(
    comm: &Comm,
    given: Given,
    format: &Format,
    input: &Path,
    boundaries: &BoundaryArgs,
) -> Result<Given, Error> {
    let holds = Holds::of(&given);
    if format.can_hold(holds) {
        return Ok(given);
    }
    let Some(elements) = given.clone().elements(comm) else { return Ok(given) };
    if format.can_hold(Holds::Elements) {
        return Ok(Given::Elements(elements));
    }
    let dimension = elements.dimension();
    let fitting = format.derived.iter().find(|derived| derived.dimensions.contains(&dimension));
    match fitting {
        Some(of) => derived(comm, of, elements, 1, input, boundaries),
        None => Ok(given),
    }
}

/// Sets derived from the elements of a file, whose boundaries are named by the arguments. Collective.
fn derived(
    comm: &Comm,
    of: &'static Derived,
    elements: ElementMesh,
    levels: usize,
    input: &Path,
    boundaries: &BoundaryArgs,
) -> Result<Given, Error> {
    let mut boundaries = Boundaries::from(boundaries);
    if of == &DUAL_LEVELS {
        let case = CASES.iter().find(|case| case.facts().needs == [of]);
        boundaries.kinds = case.map_or(boundaries.kinds, |case| case.facts().boundaries);
    }
    let prepared = Given::Elements(elements).prepare(comm, &[of], &boundaries, levels);
    let prepared = prepared.map_err(|error| IoError::of_mesh(input, error))?;
    Ok(Given::Derived { derived: of, mesh: prepared.mesh, elements: prepared.elements })
}

/// Writes a mesh and says what it is.
fn write(comm: &Comm, console: Console, given: &Given, path: &Path, format: &Format) -> Result<(), Error> {
    cfd_io::write_given(comm, given, path, format)?;
    describe(comm, console, path, given);
    Ok(())
}

impl From<&BoundaryArgs> for Boundaries {
    fn from(args: &BoundaryArgs) -> Boundaries {
        Boundaries::default().give("wall", &args.wall).give("far_field", &args.far_field)
    }
}

/// Prints what a mesh is, its sizes, groups or figures of dual cells, and its hash. Collective.
fn describe(comm: &Comm, console: Console, path: &Path, given: &Given) {
    match given {
        Given::Elements(elements) => {
            let dimension = elements.dimension();
            say!(console, "{}: a valid mesh of elements in {dimension} dimensions", path.display());
            describe_elements(comm, console, elements);
        }
        Given::Derived { derived, mesh, .. } => {
            let cases = CASES.iter().filter(|case| case.facts().needs == [*derived]);
            let cases: Vec<&str> = cases.map(|case| case.name()).collect();
            let cases = cases.join(", ");
            say!(console, "{}: a valid mesh of {derived} (for {cases})", path.display());
            describe_sets(console, mesh);
            if *derived == &DUAL_LEVELS {
                let worst = cfd_mesh::closure_defect(comm, mesh);
                let (level, node, defect) = (worst.level, worst.node, worst.defect);
                say!(
                    console,
                    "  dual cells close to {defect:.1e} of their largest face (worst: node {node} of level {level})"
                );
                let (node, volume) = cfd_mesh::smallest_volume(comm, mesh);
                say!(console, "  smallest dual cell of level 0: volume {volume:.3e} (node {node})");
            }
        }
    }
    say!(console, "  hash {}", cfd_io::given_hash(comm, given));
}

/// Prints numbers of nodes and elements, and the groups by name. Collective.
fn describe_elements(comm: &Comm, console: Console, mesh: &ElementMesh) {
    say!(console, "  {:<18} {:>12}", "nodes", mesh.node_blocks(comm).rows);
    let lists = mesh.elements();
    for list in &lists {
        let name = if list.boundary { "boundary " } else { "" };
        say!(console, "  {:<18} {:>12}", format!("{name}{}", list.kind.plural()), list.rows);
    }
    for boundary in [true, false] {
        let dimension = mesh.dimension() - usize::from(boundary);
        for (group, names) in mesh.groups.of_dimension(dimension) {
            let of_group = lists.iter().filter(|list| list.boundary == boundary);
            let own = of_group.flat_map(|list| list.groups).filter(|&&of| of == group).count();
            let what = if boundary { "boundary" } else { "region" };
            say!(console, "  {what} {:<9} {:>12}", names.join(", "), comm.sum(own as u64));
        }
    }
}

/// Prints sets, maps and dats.
fn describe_sets(console: Console, mesh: &Mesh) {
    let set = |index: usize| short(&mesh.sets[index].name);
    let names = mesh.sets.iter().map(|set| &set.name).chain(mesh.maps.iter().map(|map| &map.name));
    let names = names.chain(mesh.dats.iter().map(|dat| &dat.name));
    let width = names.map(|name| short(name).chars().count()).max().unwrap_or(0).max(12);
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
}
