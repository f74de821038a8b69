//! PLOT3D's structured blocks, in text, in two and three dimensions.
//!
//! ```text
//! 2                       blocks
//! 17 33  65 65            nodes of each block in each direction: 2 numbers in the plane, 3 in space
//! x ... y ... (z ...)     of the first block: x of all nodes, the first direction fastest, then y
//! x ... y ... (z ...)     of the next
//! ```
//!
//! Blocks become one mesh of elements: where faces of blocks lie on each other, also two parts of one face like the cut
//! of a C-grid behind an airfoil, their nodes become one ([`join`]). What remains is the boundary. Its names are in a
//! neutral map file beside the mesh ([`nmf`]); without one, it is called by the faces of blocks: `imin`, `imax`, `jmin`, ..., of
//! several blocks `block1_imin`.
//!
//! Sources: P. Walatka et al., PLOT3D User's Manual, NASA TM-101067 (1990);
//! <https://geolab.larc.nasa.gov/Volume/Doc/nmf.htm>.

mod blocks;
mod collapse;
mod join;
mod nmf;
mod read;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

use self::blocks::Grid;
use super::{Format, Holds, Reading, Request, Signs, Start};
use crate::IoError;
use crate::listed::{Contents, GroupList, NO_GROUP, Numbering, OwnElements, Position, Rows, assemble, deal};
use crate::read::Notes;

/// PLOT3D.
pub static PLOT3D: Format = Format {
    name: "PLOT3D",
    option: "plot3d",
    endings: &[".p2dfmt", ".p3dfmt", ".p2d", ".p3d", ".x", ".xyz"],
    derived: &[],
    signs: Signs {
        hdf5: None,
        other: Some("blocks of PLOT3D in text, which begin with the number of blocks"),
    },
    dataset: crate::source::dataset,
    detect,
    read,
    write: None,
};

/// The first line is the number of blocks, alone; the next begins with a number, too.
fn detect(start: &Start) -> Result<Option<Holds>, IoError> {
    let mut lines = start.bytes.split(|byte| *byte == b'\n').map(|line| line.trim_ascii());
    let is_number = |line: &[u8]| !line.is_empty() && line.iter().all(u8::is_ascii_digit);
    let found = lines.next().is_some_and(is_number)
        && lines.find(|line| !line.is_empty()).is_some_and(|line| line[0].is_ascii_digit());
    Ok(found.then_some(Holds::Elements))
}

fn read(comm: &Comm, request: &Request<'_>) -> Result<Reading, IoError> {
    let path = request.path;
    let (read::Found { grid, groups, merged }, mut rows) = deal(comm, |dealer| read::read(path, dealer))?;
    let contents = Contents {
        dimension: Some(grid.dimension),
        groups: GroupList::Listed(groups),
        numbering: Numbering::From(0),
        position: Position::Cell(grid.blocks.iter().map(|block| block.cells()).collect()),
        dropped: Vec::new(),
        periodic: Vec::new(),
    };
    let added = add_cells(comm, &grid, &merged, &mut rows).map_err(|cell| {
        let what = "some of its corners lie on each other, and what is left is no element; expected a cell, or one with a \
                    whole side or face drawn together";
        contents.error(path, cell, what.into())
    });
    comm.agree(added)?;
    let reading = assemble(comm, &PLOT3D, path, &contents, rows)?;
    let merged = merged.len() as u64;
    // Nodes that have become others are in no cell.
    let unused = reading.notes.unused - merged;
    Ok(Reading { notes: Notes { merged, unused, ..reading.notes }, ..reading })
}

/// Adds this rank's cells; an error is a cell that is no element. Collective.
fn add_cells(comm: &Comm, grid: &Grid, merged: &[[u64; 2]], rows: &mut Rows) -> Result<(), u64> {
    let all = grid.blocks.iter().map(|block| block.cells().iter().product::<u64>()).sum();
    let node = |node: u64| {
        let found = merged.binary_search_by_key(&node, |pair| pair[0]);
        found.map_or(node, |found| merged[found][1])
    };
    let mut own = OwnElements::default();
    let mut wrong = Ok(());
    for cell in Blocks::new(all, comm.size()).range(comm.rank()) {
        let corners: Vec<u64> = grid.corners(cell).into_iter().map(node).collect();
        match collapse::element(&corners) {
            Some((kind, nodes)) => own.push(kind, cell, NO_GROUP, nodes),
            None => wrong = wrong.and(Err(cell)),
        }
    }
    rows.add_in_order(comm, own);
    wrong
}
