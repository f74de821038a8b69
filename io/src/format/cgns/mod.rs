//! CGNS in HDF5: unstructured zones with sections of elements and boundary conditions.
//!
//! ```text
//! Base/                           CGNSBase_t: dimension of the cells, of space
//!   Zone/                         Zone_t: numbers of nodes, cells
//!     GridCoordinates/            CoordinateX, CoordinateY(, CoordinateZ)
//!     Section/                    Elements_t: type; ElementRange, ElementConnectivity(, ElementStartOffset)
//!     ZoneBC/Name/                BC_t: elements or nodes of a boundary, in a list or a range; FamilyName
//!     ZoneGridConnectivity/Name/  GridConnectivity_t: nodes that are those of another zone
//! ```
//!
//! Every node of the tree is a group with the attribute `label`; its values are in the dataset ` data`. A boundary is
//! called as its family, if its condition is that of the family, otherwise as its `BC_t`; elements of a boundary for which
//! there is none, as their section. Several zones are regions of one mesh.
//!
//! Sources: The CFD General Notation System, Standard Interface Data Structures; HDF5 File Mapping Manual
//! (<https://cgns.github.io/standard/>).

mod boundaries;
mod sections;
mod tree;
mod zones;

use cfd_engine::comm::Comm;

use super::{Format, Holds, Reading, Request, Signs, Start};
use crate::IoError;
use crate::hdf5_file::Hdf5File;
use crate::listed::{Contents, GroupList, ListedGroup, Numbering, Position, Rows, assemble};
use crate::read::Notes;

/// CGNS.
pub static CGNS: Format = Format {
    name: "CGNS",
    option: "cgns",
    endings: &[".cgns"],
    derived: &[],
    signs: Signs { hdf5: Some("CGNS's tree (a group with the label `CGNSBase_t`)"), other: None },
    dataset: crate::source::dataset,
    detect,
    read,
    write: None,
};

fn detect(start: &Start) -> Result<Option<Holds>, IoError> {
    let is_cgns = match &start.hdf5 {
        Some(file) => file.has("CGNSLibraryVersion") || tree::bases(file)?.next().is_some(),
        None => is_adf(&start.bytes),
    };
    Ok(is_cgns.then_some(Holds::Elements))
}

/// Whether a file is in CGNS's older database.
fn is_adf(start: &[u8]) -> bool {
    start.get(4..).is_some_and(|rest| rest.starts_with(b"ADF Database"))
}

fn read(comm: &Comm, request: &Request<'_>) -> Result<Reading, IoError> {
    let path = request.path;
    if !request.is_hdf5 {
        let what = "this CGNS file is an ADF database; convert it to HDF5: `adf2hdf in.cgns out.cgns`, or `cgnsconvert -h \
                    in.cgns out.cgns`, of the CGNS tools";
        return Err(IoError::file(path, what));
    }
    // Every rank opens the file, which has no more than a few nodes of the tree besides the mesh.
    let opened = Hdf5File::open(path).and_then(|file| {
        let base = zones::Base::of(&file, path)?;
        Ok((file, base))
    });
    let (file, base) = comm.agree(opened)?;
    let merged = comm.agree(base.merged_nodes(&file))?;
    let mut rows = Rows::default();
    comm.agree(base.add_nodes(comm, &file, &mut rows))?;
    let mut names = boundaries::Names::default();
    for zone in &base.zones {
        let sections = comm.agree(sections::Section::all(&file, zone))?;
        let boundaries = comm.agree(boundaries::Boundary::all(&file, zone))?;
        let mut elements = comm.agree(sections::own_elements(comm, &file, zone, &sections))?;
        let region = (base.zones.len() > 1).then_some(&zone.name[..]);
        let (sections, boundaries) = (&sections[..], &boundaries[..]);
        let of = boundaries::Of { file: &file, dimension: base.dimension, zone, sections, boundaries };
        boundaries::give(comm, &of, region, &mut elements, &mut names)?;
        elements.iter().for_each(|elements| sections::add(comm, zone, elements, &merged, &mut rows));
    }
    let contents = contents(&base, names);
    let reading = assemble(comm, &CGNS, path, &contents, rows)?;
    let gone = merged.len() as u64;
    let notes = Notes { merged: gone, unused: reading.notes.unused.saturating_sub(gone), ..reading.notes };
    Ok(Reading { notes, ..reading })
}

fn contents(base: &zones::Base, names: boundaries::Names) -> Contents {
    let group = |(id, (dimension, name)): (i32, (usize, String))| ListedGroup {
        dimension,
        ids: vec![id],
        names: vec![name],
    };
    Contents {
        dimension: Some(base.dimension),
        groups: GroupList::Listed((1..).zip(names.0).map(group).collect()),
        numbering: Numbering::From(0),
        position: Position::Element,
        dropped: Vec::new(),
        periodic: Vec::new(),
    }
}
