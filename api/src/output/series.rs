//! VTK files of many time levels.

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::prelude::*;
use cfd_io::{Collection, IoError, VtkHdf};

use super::{Grid, OutputError, TimeLevel, write_vtu};

/// Results at many time levels, which ParaView shows as one.
///
/// ```
/// # use cfd_api::prelude::*;
/// # fn draw(domain: &mut Domain, grid: Grid, u: Dat<1>) -> Result<(), Box<dyn std::error::Error>> {
/// let mut series = Series::of_files("out", "flow");
/// for step in 0..3 {
///     // ... a step ...
///     let level = TimeLevel { step, time: 0.1 * step as f64 };
///     series.add(domain, level, &grid, &[u.into()])?; // out/flow-0.vtu, ..., listed in out/flow.pvd
/// }
/// # Ok(())
/// # }
/// ```
pub struct Series(Kind);

enum Kind {
    Files { directory: PathBuf, stem: String, list: Collection },
    OneFile(VtkHdf),
}

impl Series {
    /// A file (`DIRECTORY/STEM-STEP.vtu`, or one for each rank and `.pvtu`) for each time level, and `STEM.pvd`, which lists
    /// them with their times.
    pub fn of_files(directory: impl AsRef<Path>, stem: &str) -> Series {
        let list = Collection::default();
        Series(Kind::Files { directory: directory.as_ref().into(), stem: stem.into(), list })
    }

    /// The series that [`Series::of_files`] began here, up to a time level: what a run that continues from it adds to. Files
    /// of later times leave the list. Collective.
    pub fn continued(comm: &Comm, directory: impl AsRef<Path>, stem: &str, level: TimeLevel) -> Series {
        let directory = directory.as_ref();
        // Only rank 0 writes the list.
        let mut list = match comm.is_root() {
            true => Collection::read(&directory.join(format!("{stem}.pvd"))),
            false => Collection::default(),
        };
        list.files.retain(|(time, file)| *time <= level.time && directory.join(file).is_file());
        Series(Kind::Files { directory: directory.into(), stem: stem.into(), list })
    }

    /// One VTKHDF file (`.vtkhdf`), begun anew, of all time levels: the mesh once, and the same bytes on any number of
    /// ranks.
    pub fn in_one_file(path: impl AsRef<Path>) -> Series {
        Series(Kind::OneFile(VtkHdf::new(path.as_ref())))
    }

    /// Adds dats at a time level, drawn as by [`write_vtu`]. Levels of this time or later leave the list.
    /// Collective.
    ///
    /// # Errors
    /// As for [`write_vtu`].
    #[track_caller]
    pub fn add(
        &mut self,
        domain: &mut Domain,
        level: TimeLevel,
        grid: &Grid,
        dats: &[AnyDat],
    ) -> Result<(), OutputError> {
        let comm = domain.comm().clone();
        match &mut self.0 {
            Kind::Files { directory, stem, list } => {
                let name = format!("{stem}-{}", level.step);
                let file = write_vtu(domain, &directory, &name, level, grid, dats)?;
                list.files.retain(|(time, _)| *time < level.time);
                list.files.push((level.time, file));
                let path = directory.join(format!("{stem}.pvd"));
                let written: Result<(), IoError> = if comm.is_root() { list.write(&path) } else { Ok(()) };
                Ok(comm.agree(written)?)
            }
            Kind::OneFile(file) => {
                let drawn = grid.filled(domain, level, dats)?;
                Ok(file.add(&comm, level.time, &drawn, true)?)
            }
        }
    }
}
