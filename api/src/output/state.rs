//! A solver's state in HDF5: written, and read to continue from it.

use std::path::Path;

use cfd_engine::prelude::*;
use cfd_io::{Datum, Digest, Field, IoError, read_count, read_number, read_state, write_state};

use super::{OutputError, TimeLevel};

/// The file's attributes.
const STEP: &str = "step";
const TIME: &str = "time";
const RUN: &str = "run";

/// Writes dats to an HDF5 file, each a dataset of its name and of shape (rows, components) in the order of global ids, and
/// gives the solution's hash: the same on any number of ranks and threads where the bits are. Integers are stored as double
/// precision, in which they stand exactly. The file has the attributes `step`, `time`, and `run`, the command that wrote it;
/// each dataset has its `hash`. The file appears complete or not at all. Collective.
///
/// `h5py.File(path)["q"][...]` reads a dataset in Python, and `h5py.File(path).attrs["time"]` the time.
///
/// # Errors
/// A value is not finite; a device has failed; the file cannot be written.
#[track_caller]
pub fn save(
    domain: &mut Domain,
    path: impl AsRef<Path>,
    level: TimeLevel,
    dats: &[AnyDat],
) -> Result<Digest, OutputError> {
    let comm = domain.comm().clone();
    let mut fields = Vec::new();
    for &dat in dats {
        let name = domain.name_of(dat).to_string();
        fields.push(Field::of(domain, &name, dat)?);
    }
    let run: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let attributes =
        [Datum::count(STEP, level.step), Datum::number(TIME, level.time), Datum::text(RUN, &run.join(" "))];
    Ok(write_state(&comm, path.as_ref(), &attributes, &fields)?)
}

/// Gives dats the values that [`save`] has written under their names, on whatever ranks; returns the time level to
/// continue from. Dats change only if all of them can be read. Collective.
///
/// ```
/// # use cfd_api::prelude::*;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let comm = ranks()?;
/// # let mesh = cfd_api::mesh::generate::block(&comm, 8, 5)?;
/// # let cells = CELL_EDGES.primary(&mesh);
/// # let mut domain =
/// #     set_up(&comm, mesh, &cells, &PartitionOptions::default(), Order::File, DomainOptions::default())?;
/// # let cells = domain.set("cells")?;
/// # let u: Dat<1> = domain.new_dat(cells, "u");
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("checkpoint.h5");
/// save(&mut domain, &path, TimeLevel { step: 20, time: 0.5 }, &[u.into()])?;
/// let TimeLevel { step, time } = load(&mut domain, &path, &[u.into()])?;
/// assert_eq!((step, time), (20, 0.5));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The file is missing or damaged, lacks one of the dats, or holds another number of rows or components; the same on all
/// ranks.
#[track_caller]
pub fn load(domain: &mut Domain, path: impl AsRef<Path>, dats: &[AnyDat]) -> Result<TimeLevel, OutputError> {
    let (comm, path) = (domain.comm().clone(), path.as_ref());
    let level = || -> Result<TimeLevel, IoError> {
        Ok(TimeLevel { step: read_count(path, STEP)?, time: read_number(path, TIME)? })
    };
    let level = comm.agree(level())?;
    let mut fields = Vec::new();
    for &dat in dats {
        let field = read_state(&comm, path, domain.name_of(dat))?;
        field.check(domain, dat).map_err(|what| IoError::dataset(path, &field.name, what))?;
        fields.push(field);
    }
    for (field, &dat) in fields.iter().zip(dats) {
        field.write(domain, dat).expect("it has been checked");
    }
    Ok(level)
}
