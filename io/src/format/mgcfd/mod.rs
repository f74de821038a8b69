//! MG-CFD's meshes: one HDF5 file per level, with datasets named like `edge-->node`, and an `input.dat` that names
//! them.

mod input;

use std::io::Write;
use std::path::{Path, PathBuf};

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::mesh::{Blocks, Mesh};
use cfd_mesh::{DUAL_LEVELS, Derived, Given, Schema, Table};

use self::input::Input;
use super::tables::{self, Layout, Single};
use super::{Format, Holds, Reading, Request, Signs, Start, Writer};
use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::hdf5_output::write_file;
use crate::source::MeshSource;

/// MG-CFD's `input.dat` and one HDF5 file per level.
pub static MGCFD: Format = Format {
    name: "MG-CFD",
    option: "mgcfd",
    endings: &[".dat"],
    derived: &[&DUAL_LEVELS],
    signs: Signs { hdf5: Some("MG-CFD's (`edge-->node`, ...)"), other: Some("MG-CFD's input.dat") },
    dataset: LAYOUT.dataset,
    detect,
    read,
    write: Some(Writer::Derived(write)),
};

const LAYOUT: Layout = Layout { dataset, set_size: None, single: Single::Either, op2_attributes: true };

/// Maps and dats, and MG-CFD's names for them where they differ.
const NAMES: [(&str, &str); 6] = [
    ("edge_nodes", "edge-->node"),
    ("bnode_node", "bnd_node-->node"),
    ("x", "node_coordinates"),
    ("bnode_weights", "bnd_node_weights"),
    ("bnode_group", "bnd_node-->group"),
    ("node_mg_node", "node-->mg_node"),
];

fn dataset(table: &Table) -> &str {
    let name = table.name.split_once('/').map_or(&table.name[..], |(_, name)| name);
    NAMES.iter().find(|(own, _)| *own == name).map_or(name, |(_, theirs)| theirs)
}

fn detect(start: &Start) -> Result<Option<Holds>, IoError> {
    let found = match &start.hdf5 {
        Some(file) => ["edge-->node", "node_coordinates"].iter().all(|name| file.has(name)),
        None => input::detect(&start.bytes),
    };
    Ok(found.then_some(Holds::Derived(&DUAL_LEVELS)))
}

/// Reads the levels that an `input.dat` names, or the one level that is in an HDF5 file.
fn read(comm: &Comm, request: &Request<'_>) -> Result<Reading, IoError> {
    let path = request.path;
    let input = match comm.is_root() {
        true if request.is_hdf5 => Ok(Some(Input { files: vec![path.into()], base: None })),
        true => input::read(path).map(Some),
        false => Ok(None),
    };
    let input = comm.agree(input)?.map(|input| (input.files, input.base));
    let (paths, base): (Vec<PathBuf>, Option<u8>) = comm.broadcast(0, input);

    let schema = DUAL_LEVELS.schema(paths.len());
    let parts: Vec<Schema> = (0..paths.len()).map(|level| schema.of_level(level)).collect();
    let opened = paths.iter().zip(&parts).map(|(path, part)| {
        let file = Hdf5File::open(path)?;
        let sizes = tables::set_sizes(&file, part, &LAYOUT)?;
        Ok((file, sizes))
    });
    let (files, sizes): (Vec<Hdf5File>, Vec<Vec<u64>>) =
        comm.agree(opened.collect::<Result<Vec<_>, IoError>>())?.into_iter().unzip();

    let base = match base {
        Some(base) => base,
        None => lowest_index(comm, &files[0])?,
    };
    let source = MeshSource::levels(paths, base, MGCFD.dataset);
    let mut mesh = Mesh::default();
    for (part, sizes) in parts.iter().zip(&sizes) {
        for (set, &rows) in part.sets.iter().zip(sizes) {
            mesh.add_set(set, rows);
        }
    }
    for (file, part) in files.iter().zip(&parts) {
        tables::add_tables(comm, &mut mesh, file, &source, &part.tables)?;
    }
    Ok(Reading::new(Given::derived(&DUAL_LEVELS, mesh), source))
}

/// The number of the first node in a file that does not say: every node of a usable mesh has an edge, so it is the
/// lowest node of any edge. MG-CFD's older files count from 0, newer ones from 1. Collective.
fn lowest_index(comm: &Comm, file: &Hdf5File) -> Result<u8, IoError> {
    let lowest = || -> Result<Option<i64>, IoError> {
        let edges = file.table("edge-->node", Numbers::Integer)?;
        let own = Blocks::new(edges.shape[0], comm.size()).range(comm.rank());
        Ok(edges.integers(own)?.into_iter().min())
    };
    let lowest = comm.agree(lowest())?;
    // Only 1 is distinguished from the rest; a negative one is out of range in any case.
    let mut word = [lowest.map_or(u64::MAX, |v| v.max(0) as u64)];
    comm.all_reduce(&mut word, ReduceOp::Min);
    Ok(u8::from(word[0] == 1))
}

/// Writes the levels next to `path`, then `path`, which names them.
fn write(comm: &Comm, derived: &'static Derived, given: &Given, path: &Path) -> Result<(), IoError> {
    let mesh = given.content();
    tables::check_sizes(mesh, "MG-CFD's files hold", path)?;
    let (levels, schema) = (derived.levels(mesh), derived.schema_of(mesh));
    for level in 0..levels {
        let outputs = tables::table_outputs(comm, mesh, &schema.of_level(level).tables, &LAYOUT);
        write_file(comm, &input::level_file(path, level), &[], &outputs)?;
    }
    let written = if comm.is_root() {
        let text = input::text(path, mesh.sets[0].rows, levels);
        crate::write_atomically(path, |file| file.write_all(text.as_bytes()))
    } else {
        Ok(())
    };
    comm.agree(written)
}
