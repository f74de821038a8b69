//! Mesh formats: one module each, which holds its [`Format`], and the list of them.
//!
//! ```text
//! hdf5        the project's HDF5 layout for derived sets
//! general/    any sets, maps and dats in HDF5: meshes of elements, and what solvers of one's own read
//! op2_hdf5    OP2's HDF5 layout
//! op2_text/   OP2's text formats new_grid.dat and FE_grid.dat
//! mgcfd/      MG-CFD's input.dat and one HDF5 file a level
//! cgns/       CGNS in HDF5
//! gmsh/       Gmsh's formats 2.2 and 4.1
//! su2         SU2's format
//! medit/      Medit's format, in text and binary; values at nodes
//! plot3d/     PLOT3D's blocks in text, with NASA's neutral map files
//! ugrid/      UGRID, in text and binary
//! vtk/        VTKHDF and VTU of our own runs
//! mapbc       names of boundaries beside a mesh
//! tables      what the HDF5 formats share: tables of a schema as datasets
//! ```
//!
//! Detection, reading, the choice by file name, writing and their messages go through [`FORMATS`]. What formats share that
//! list nodes, elements and named groups is in the module `listed`.

mod cgns;
pub(crate) mod general;
mod gmsh;
mod hdf5;
mod mapbc;
pub(crate) mod medit;
mod mgcfd;
mod op2_hdf5;
mod op2_text;
mod plot3d;
mod su2;
mod tables;
mod ugrid;
mod vtk;

use std::fmt;
use std::io::Read;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given;
use cfd_mesh::{Derived, ElementMesh, Given, STORED, Table};

pub use self::cgns::CGNS;
pub use self::general::GENERAL;
pub use self::gmsh::GMSH;
pub use self::hdf5::HDF5;
pub use self::medit::MEDIT;
pub use self::mgcfd::MGCFD;
pub use self::op2_hdf5::OP2_HDF5;
pub use self::op2_text::OP2_TEXT;
pub use self::plot3d::PLOT3D;
pub use self::su2::SU2;
pub use self::ugrid::UGRID;
pub use self::vtk::{VTKHDF, VTU};
use crate::IoError;
use crate::hdf5_file::Hdf5File;
use crate::read::Notes;
use crate::source::MeshSource;

/// All formats, in the order in which they are tried: those with a mark of their own, then text that begins with numbers, in
/// which UGRID has another count of them than OP2; SU2's keywords would pass for MG-CFD's.
pub static FORMATS: [&Format; 13] = [
    &HDF5, &GENERAL, &CGNS, &VTKHDF, &VTU, &GMSH, &MEDIT, &PLOT3D, &UGRID, &OP2_TEXT, &OP2_HDF5, &SU2, &MGCFD,
];

/// A mesh file format.
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// Its name on the command line.
    pub option: &'static str,
    /// Endings of its file names, in lower case.
    pub endings: &'static [&'static str],
    /// The derived sets that its files can hold; empty for a format of elements.
    pub derived: &'static [&'static Derived],
    /// How its files are recognised, in words.
    pub(crate) signs: Signs,
    /// The name of a map or dat in its files.
    pub(crate) dataset: fn(&Table) -> &str,
    /// What a file holds, if it is of this format. Not collective.
    pub(crate) detect: fn(&Start) -> Result<Option<Holds>, IoError>,
    /// Reads this rank's blocks: elements, or derived sets that are not validated but for the range of every index.
    /// Collective.
    pub(crate) read: Reader,
    /// Writes a mesh; `None` if the format is read-only. Collective.
    pub(crate) write: Option<Writer>,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Elements.
    Elements,
    /// Sets that a scheme computes on.
    Derived(&'static Derived),
}

impl Holds {
    /// What a mesh is written as.
    pub fn of(given: &Given) -> Holds {
        match given {
            Given::Elements(_) => Holds::Elements,
            Given::Derived { derived, .. } => Holds::Derived(derived),
        }
    }
}

impl fmt::Display for Holds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Holds::Elements => "elements",
            Holds::Derived(derived) => derived.about,
        })
    }
}

/// What a file gave.
pub(crate) struct Reading {
    pub(crate) given: Given,
    /// Where its rows are in the file.
    pub(crate) source: MeshSource,
    pub(crate) notes: Notes,
}

impl Reading {
    /// A mesh that is as it is in its file.
    pub(crate) fn new(given: Given, source: MeshSource) -> Reading {
        Reading { given, source, notes: Notes::default() }
    }
}

/// Reads what was requested.
pub(crate) type Reader = fn(&Comm, &Request<'_>) -> Result<Reading, IoError>;

/// Writes a mesh. Collective.
#[derive(Clone, Copy)]
pub(crate) enum Writer {
    /// Of elements.
    Elements(fn(&Comm, &ElementMesh, &Path) -> Result<(), IoError>),
    /// Of derived sets.
    Derived(fn(&Comm, &'static Derived, &Given, &Path) -> Result<(), IoError>),
}

/// How files of a format are recognised, in words: HDF5 files, and others.
pub(crate) struct Signs {
    /// The mark of an HDF5 file of the format.
    pub(crate) hdf5: Option<&'static str>,
    /// The description of any other file of the format.
    pub(crate) other: Option<&'static str>,
}

/// The beginning of a file.
pub(crate) struct Start {
    /// Its name, in lower case.
    pub(crate) name: String,
    /// Its first bytes.
    pub(crate) bytes: Vec<u8>,
    /// The number of all its bytes.
    pub(crate) length: u64,
    /// The file as HDF5, if it is one.
    pub(crate) hdf5: Option<Hdf5File>,
}

/// What to read.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The file.
    pub(crate) path: &'a Path,
    /// Whether it is itself HDF5.
    pub(crate) is_hdf5: bool,
    /// The sets that it holds, unless it holds elements.
    pub(crate) derived: Option<&'static Derived>,
}

impl Request<'_> {
    /// The sets that a file holds in a format of derived sets.
    pub(crate) fn derived(&self) -> &'static Derived {
        self.derived.expect("a format of derived sets detects which a file holds")
    }
}

/// What a file turned out to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Its format.
    pub(crate) format: &'static Format,
    /// The sets that it holds, unless it holds elements.
    pub(crate) derived: Option<&'static Derived>,
    /// Whether it is itself HDF5.
    pub(crate) is_hdf5: bool,
}

/// The signature of HDF5 files.
const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Detects from its content what a file is. Collective.
pub(crate) fn detect(comm: &Comm, path: &Path) -> Result<Found, IoError> {
    // One rank looks first, so a missing file costs one query to the file system.
    let found = if comm.is_root() { look(path).map(Some) } else { Ok(None) };
    let (format, stored, is_hdf5): (usize, Option<usize>, bool) = comm.broadcast(0, comm.agree(found)?);
    Ok(Found { format: FORMATS[format], derived: stored.map(|place| STORED[place]), is_hdf5 })
}

impl Start {
    fn of(path: &Path) -> Result<Start, IoError> {
        let mut bytes = Vec::new();
        let read = given::open(path, "a mesh file").and_then(|file| {
            let length = file.metadata()?.len();
            file.take(256).read_to_end(&mut bytes)?;
            Ok(length)
        });
        let length = read.map_err(|e| IoError::read(path, e))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_hdf5 = bytes.starts_with(HDF5_SIGNATURE);
        let hdf5 = if is_hdf5 { Some(Hdf5File::open(path)?) } else { None };
        Ok(Start { name, bytes, length, hdf5 })
    }
}

/// The index of a file's format in the list, that of the sets it holds among the stored ones, and whether it is HDF5.
fn look(path: &Path) -> Result<(usize, Option<usize>, bool), IoError> {
    let start = Start::of(path)?;
    let is_hdf5 = start.hdf5.is_some();
    for (place, format) in FORMATS.iter().enumerate() {
        if let Some(holds) = (format.detect)(&start)? {
            let stored = match holds {
                Holds::Elements => None,
                Holds::Derived(derived) => STORED.iter().position(|known| *known == derived),
            };
            return Ok((place, stored, is_hdf5));
        }
    }
    let signs =
        FORMATS.iter().filter_map(|format| if is_hdf5 { format.signs.hdf5 } else { format.signs.other });
    let signs: Vec<&str> = signs.collect();
    Err(IoError::file(
        path,
        if is_hdf5 {
            format!("this HDF5 file is not a mesh: it has neither {}", signs.join(", nor "))
        } else {
            format!("this is not a mesh file; expected HDF5, or {}", signs.join(", or "))
        },
    ))
}

impl Format {
    /// The format named on the command line; of several of one name, the one that can hold this.
    pub fn of_option(option: &str, holds: Holds) -> Option<&'static Format> {
        let named = FORMATS.iter().copied().filter(|format| format.option == option);
        named.clone().find(|format| format.can_hold(holds)).or(named.clone().next())
    }

    /// Whether its files can hold this.
    pub fn can_hold(&self, holds: Holds) -> bool {
        match holds {
            Holds::Elements => self.derived.is_empty(),
            Holds::Derived(derived) => self.derived.contains(&derived),
        }
    }

    /// The name of a map or dat in its files.
    pub fn dataset<'a>(&self, table: &'a Table) -> &'a str {
        (self.dataset)(table)
    }

    /// Whether meshes can be written in it; all formats are read.
    pub fn is_written(&self) -> bool {
        self.write.is_some()
    }

    /// The format implied by a file name: the one with the longest matching ending; of several, one whose files can hold
    /// this.
    ///
    /// # Errors
    /// The name has no format's ending.
    pub fn from_name(path: &Path, holds: Holds) -> Result<&'static Format, IoError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let asked = |format: &&Format| {
            let endings = format.endings.iter().filter(|end| name.ends_with(*end));
            let longest = endings.map(|end| end.len()).max()?;
            Some((longest, format.can_hold(holds)))
        };
        let candidates = FORMATS.iter().copied().filter_map(|format| Some((asked(&format)?, format)));
        // The first of equal ones, which `max_by_key` gives for the reversed order.
        let chosen = candidates.rev().max_by_key(|(key, _)| *key).map(|(_, format)| format);
        chosen.ok_or_else(|| {
            let what = format!("cannot tell the mesh format from this name; use {}", written(holds));
            IoError::file(path, what)
        })
    }
}

/// The formats that this can be written in, with the endings of their names.
pub(crate) fn written(holds: Holds) -> String {
    let formats = FORMATS.iter().filter(|f| f.is_written() && f.can_hold(holds));
    let names = formats.map(|format| format!("{} ({format})", format.endings.join(" or ")));
    names.collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Format").field(&self.name).finish()
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.option == other.option
    }
}

impl Eq for Format {}

#[cfg(test)]
mod tests {
    use super::*;
    use cfd_mesh::{CELL_EDGES, DUAL_LEVELS};

    #[test]
    fn file_names_choose_the_format() {
        let format = |name: &str| Format::from_name(Path::new(name), Holds::Derived(&CELL_EDGES));
        assert_eq!(format("a/new_grid.dat"), Ok(&OP2_TEXT));
        assert_eq!(Format::from_name(Path::new("a/input.dat"), Holds::Derived(&DUAL_LEVELS)), Ok(&MGCFD));
        assert_eq!(format("a/grid.h5"), Ok(&HDF5));
        assert_eq!(format("a/grid.OP2.h5"), Ok(&OP2_HDF5));
        assert_eq!(format("a/grid.msh"), Ok(&GMSH));
        let of_elements = Format::from_name(Path::new("a/grid.h5"), Holds::Elements).unwrap();
        assert!(std::ptr::eq(of_elements, &GENERAL));
        assert_eq!(
            format("a/grid.txt").unwrap_err().to_string(),
            "a/grid.txt: cannot tell the mesh format from this name; use .h5 or .hdf5 (HDF5), .dat (OP2 text), .op2.h5 or \
             .op2.hdf5 (OP2 HDF5)"
        );
    }

    #[test]
    fn every_format_has_a_name_a_word_and_a_sign_of_its_own() {
        for format in FORMATS {
            // One for derived sets and one for elements may have the same name: they are told apart by what they hold.
            let holds = match format.derived {
                [] => Holds::Elements,
                [first, ..] => Holds::Derived(first),
            };
            let found = Format::of_option(format.option, holds).map(|found| std::ptr::eq(found, format));
            assert_eq!(found, Some(true), "{format}");
            assert!(format.signs.hdf5.is_some() || format.signs.other.is_some(), "{format}");
            assert!(!format.endings.is_empty(), "{format}");
            assert!(format.endings.iter().all(|end| end.to_lowercase() == *end && end.starts_with('.')));
        }
        assert_eq!(Format::of_option("h6", Holds::Elements), None);
    }
}
