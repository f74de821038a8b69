//! Reads blocks on rank 0: coordinates are distributed as they come, the faces of blocks are kept and joined.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::blocks::{Block, Grid};
use super::collapse;
use super::join::{Face, join};
use super::nmf::{self, Patch};
use crate::IoError;
use crate::listed::{Dealer, Kind, ListedGroup, Scan};

/// The most blocks of a file.
const MOST_BLOCKS: u64 = 1 << 20;

/// What a file has besides coordinates.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) grid: Grid,
    pub(super) groups: Vec<ListedGroup>,
    /// Nodes that have become one with another, ascending, each with that.
    pub(super) merged: Vec<[u64; 2]>,
}

/// The nodes on the faces of blocks.
#[derive(Default)]
struct Surface {
    /// Their numbers, ascending.
    nodes: Vec<u64>,
    x: Vec<[f64; 3]>,
}

/// Reads a file and distributes coordinates and boundary.
pub(super) fn read(path: &Path, dealer: &mut Dealer<'_>) -> Result<Found, IoError> {
    let mut scan = Scan::open(path, None)?;
    let (grid, coordinates) = header(&mut scan, path)?;
    let mut surface = Surface::default();
    for block in &grid.blocks {
        points(&mut scan, &grid, block, coordinates, &mut surface, dealer)?;
    }
    if scan.skip_blanks()? {
        scan.text("the end of the file")?;
        let what = "the file goes on after the last coordinate; expected blocks without iblank, in double precision text";
        return Err(scan.error(what));
    }
    let map = path.with_extension("nmf");
    let patches = nmf::read(&map, &grid)?;
    let (groups, merged) = boundary(path, &map, &grid, &patches.unwrap_or_default(), &surface, dealer)?;
    Ok(Found { grid, groups, merged })
}

/// Reads the sizes of the blocks; also returns the number of coordinates of a node.
fn header(scan: &mut Scan, path: &Path) -> Result<(Grid, usize), IoError> {
    let what = "the number of blocks";
    let blocks = scan.count(what, 4)?;
    if !(1..=MOST_BLOCKS).contains(&blocks) {
        return Err(scan.error(format!("{blocks} is not {what}; expected 1 to {MOST_BLOCKS}")));
    }
    // The numbers of the first line or lines: whether they are two or three for a block, their count says.
    let what = "the nodes of a block in each direction";
    let mut sizes = Vec::new();
    let mut in_one_line = true;
    while sizes.len() < 3 * blocks as usize && scan.next_is_integer()? {
        sizes.push(scan.size(what)?);
        let ends_line = !scan.has_more_in_line()?;
        // Then coordinates without decimals may follow.
        if ends_line && in_one_line && sizes.len() == 2 * blocks as usize {
            break;
        }
        in_one_line &= !ends_line;
    }
    let given = sizes.len() as u64;
    if given != 2 * blocks && given != 3 * blocks {
        return Err(scan.error(format!(
            "{given} sizes of {blocks} blocks; expected {} in two dimensions, {} in three",
            2 * blocks,
            3 * blocks
        )));
    }
    let coordinates = (given / blocks) as usize;
    // Blocks with one layer of nodes are in the plane.
    let is_plane = coordinates == 2 || sizes.chunks_exact(3).all(|block| block[2] == 1);
    let dimension = if is_plane { 2 } else { 3 };
    let mut grid = Grid { dimension, blocks: Vec::new() };
    let mut first = 0u64;
    for (k, sizes) in sizes.chunks_exact(coordinates).enumerate() {
        if let Some(size) = sizes[..dimension].iter().find(|size| **size < 2) {
            let what = format!("block {} has {size} nodes in a direction; expected 2 or more", k + 1);
            return Err(IoError::file(path, what));
        }
        let nodes = [sizes[0], sizes[1], sizes.get(2).copied().unwrap_or(1)];
        let count = nodes.iter().try_fold(1u64, |product, nodes| product.checked_mul(*nodes));
        let next = count.and_then(|count| first.checked_add(count));
        let block = Block { first, nodes };
        grid.blocks.push(block);
        first = next
            .ok_or_else(|| IoError::file(path, format!("block {} has too many nodes: {sizes:?}", k + 1)))?;
    }
    scan.check_count(first, "the nodes of all blocks", coordinates as u64)?;
    Ok((grid, coordinates))
}

/// Reads the coordinates of a block.
fn points(
    scan: &mut Scan,
    grid: &Grid,
    block: &Block,
    coordinates: usize,
    surface: &mut Surface,
    dealer: &mut Dealer<'_>,
) -> Result<(), IoError> {
    let begin = surface.x.len();
    for axis in 0..coordinates {
        let mut next = begin;
        let [ni, nj, nk] = block.nodes;
        for node in 0..block.count() {
            let x = scan.double("a coordinate")?;
            dealer.add(Kind::Coordinate(axis), [x.to_bits()]);
            let at = [node % ni, node / ni % nj, node / (ni * nj)];
            let ends = at.iter().zip([ni, nj, nk]).take(grid.dimension);
            if !ends.into_iter().any(|(at, nodes)| *at == 0 || *at == nodes - 1) {
                continue;
            }
            if axis == 0 {
                surface.nodes.push(block.first + node);
                surface.x.push([0.0; 3]);
            }
            surface.x[next][axis] = x;
            next += 1;
        }
    }
    Ok(())
}

/// Joins the faces of blocks and distributes those that remain; returns their groups, and the nodes that have become one with
/// others.
fn boundary(
    path: &Path,
    map: &Path,
    grid: &Grid,
    patches: &[Patch],
    surface: &Surface,
    dealer: &mut Dealer<'_>,
) -> Result<(Vec<ListedGroup>, Vec<[u64; 2]>), IoError> {
    let mut faces = Vec::new();
    // The cell of each, the name of its side, and the patch that it belongs to.
    let mut cells = Vec::new();
    for side in grid.sides() {
        let of_side = |patch: &&Patch| {
            (patch.block, patch.direction, patch.last) == (side.block, side.direction, side.last)
        };
        let patches: Vec<&Patch> = patches.iter().filter(of_side).collect();
        let along = grid.along(side);
        for (cell, nodes) in grid.faces(side) {
            let covers = |patch: &&&Patch| {
                along.iter().all(|&axis| (patch.cells[axis][0]..=patch.cells[axis][1]).contains(&cell[axis]))
            };
            let mut covering = patches.iter().filter(covers);
            let patch = covering.next().copied();
            if let Some(second) = covering.next() {
                let what = format!(
                    "a face of this patch belongs to the patch in line {} as well",
                    patch.map_or(0, |p| p.line)
                );
                return Err(IoError::Row { place: format!("{}:{}", map.display(), second.line), what });
            }
            let index =
                |node: &u64| surface.nodes.binary_search(node).expect("it is on a face of a block") as u32;
            let open = patch.is_none_or(|patch| patch.name.is_none());
            faces.push(Face { nodes: nodes.iter().map(index).collect(), open });
            cells.push((grid.cell(side.block, cell), side, patch));
        }
    }
    let joined = join(&surface.x, &faces).map_err(|three| {
        let at = surface.x[faces[three[0]].nodes[0] as usize];
        let sides = three.map(|face| {
            let side = cells[face].1;
            format!("block {}, {}", side.block + 1, grid.name(side))
        });
        let what = format!(
            "three faces of blocks lie on each other at {at:?}: {}; blocks overlap",
            sides.join("; ")
        );
        IoError::file(path, what)
    })?;
    let mut names: Vec<String> = Vec::new();
    for (number, (cell, side, patch)) in cells.into_iter().enumerate() {
        if !joined.boundary[number] {
            continue;
        }
        let name = match patch {
            None => grid.name(side),
            Some(Patch { name: Some(name), .. }) => name.clone(),
            Some(patch) => {
                let x = surface.x[faces[number].nodes[0] as usize];
                let what =
                    format!("a face of this patch, at {x:?}, lies on no other; expected one that it joins");
                return Err(IoError::Row { place: format!("{}:{}", map.display(), patch.line), what });
            }
        };
        let group = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        let nodes: Vec<u64> = faces[number]
            .nodes
            .iter()
            .map(|&node| surface.nodes[joined.points[node as usize] as usize])
            .collect();
        let Some((kind, nodes)) = collapse::face(&nodes) else {
            let x = surface.x[faces[number].nodes[0] as usize];
            let what = format!("{}: a face at {x:?} is folded onto itself", grid.name(side));
            return Err(IoError::file(path, what));
        };
        dealer.add_element(kind, cell, group as u64, &nodes);
    }
    let group = |(id, name): (i32, String)| ListedGroup {
        dimension: grid.dimension - 1,
        ids: vec![id],
        names: vec![name],
    };
    let merged = (0..).zip(&joined.points).filter(|(node, first)| node != *first);
    let merged =
        merged.map(|(node, first): (u32, &u32)| [node, *first].map(|node| surface.nodes[node as usize]));
    Ok(((1..).zip(names).map(group).collect(), merged.collect()))
}
