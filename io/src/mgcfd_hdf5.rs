//! MG-CFD's meshes: one HDF5 file a level, with datasets named like `edge-->node`.

use std::io::Write;
use std::path::{Path, PathBuf};

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::mesh::{Blocks, Mesh};

use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::hdf5_output::write_file;
use crate::mesh_hdf5::{add_table, set_sizes, table_output};
use crate::mgcfd_input::{self, Input};
use crate::place::Place;
use crate::schema::{Case, Format, Schema};

/// Reads this rank's blocks of the levels that an `input.dat` names, or of the one level that is in an HDF5 file;
/// unvalidated, except that every index is in range. Collective.
pub(crate) fn read(comm: &Comm, path: &Path, is_level: bool) -> Result<(Mesh, Place), IoError> {
    let input = match comm.is_root() {
        true if is_level => Ok(Some(Input { files: vec![path.into()], base: None })),
        true => mgcfd_input::read(path).map(Some),
        false => Ok(None),
    };
    let input = comm.agree(input)?.map(|input| (input.files, input.base));
    let (paths, base): (Vec<PathBuf>, Option<u8>) = comm.broadcast(0, input);

    let schema = Case::Mgcfd.schema(paths.len());
    let parts: Vec<Schema> = (0..paths.len()).map(|level| schema.of_level(level)).collect();
    let opened = paths.iter().zip(&parts).map(|(path, part)| {
        let file = Hdf5File::open(path)?;
        let sizes = set_sizes(&file, part, Format::MgCfd)?;
        Ok((file, sizes))
    });
    let (files, sizes): (Vec<Hdf5File>, Vec<Vec<u64>>) =
        comm.agree(opened.collect::<Result<Vec<_>, IoError>>())?.into_iter().unzip();

    let base = match base {
        Some(base) => base,
        None => lowest_index(comm, &files[0])?,
    };
    let place = Place::levels(paths, base);
    let mut mesh = Mesh::default();
    for (part, sizes) in parts.iter().zip(&sizes) {
        for (set, &rows) in part.sets.iter().zip(sizes) {
            mesh.add_set(&set.name, rows);
        }
    }
    for (file, part) in files.iter().zip(&parts) {
        for table in &part.tables {
            let set = mesh.set(&table.set).expect("a schema's tables are on its sets");
            let own = mesh.blocks(set, comm).range(comm.rank());
            let added = add_table(&mut mesh, file, &place, table, set, own);
            comm.agree(added)?;
        }
    }
    Ok((mesh, place))
}

/// The number of the first node in a file that does not say: every node of a usable mesh has an edge, so it is the lowest
/// that an edge has. MG-CFD's older files count from 0, newer ones from 1. Collective.
fn lowest_index(comm: &Comm, file: &Hdf5File) -> Result<u8, IoError> {
    let lowest = || {
        let edges = file.table("edge-->node", Numbers::Integer)?;
        let own = Blocks::new(edges.shape[0], comm.size()).range(comm.rank());
        Ok(edges.integers(own)?.into_iter().min())
    };
    let lowest: Option<i64> = comm.agree(lowest())?;
    // Only 1 is told from the rest; a negative one is out of range in any case.
    let mut word = [lowest.map_or(u64::MAX, |v| v.max(0) as u64)];
    comm.all_reduce(&mut word, ReduceOp::Min);
    Ok(u8::from(word[0] == 1))
}

/// Writes the levels beside `path`, then `path`, which names them. Collective.
pub(crate) fn write(comm: &Comm, mesh: &Mesh, schema: &Schema, path: &Path) -> Result<(), IoError> {
    if let Some(set) = mesh.sets.iter().find(|set| set.rows > i32::MAX as u64) {
        let what = format!(
            "MG-CFD's files hold at most 2^31 - 1 elements of a set, and there are {} {}",
            set.rows, set.name
        );
        return Err(IoError::write(path, what));
    }
    let levels = schema.levels();
    for level in 0..levels {
        let part = schema.of_level(level);
        let outputs: Vec<_> =
            part.tables.iter().map(|table| table_output(comm, mesh, table, Format::MgCfd)).collect();
        write_file(comm, &mgcfd_input::level_file(path, level), &[], &outputs)?;
    }
    let written = if comm.is_root() {
        let text = mgcfd_input::text(path, mesh.sets[0].rows, levels);
        crate::write_atomically(path, |file| file.write_all(text.as_bytes()))
    } else {
        Ok(())
    };
    comm.agree(written)
}
