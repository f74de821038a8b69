//! Converts the file's node numbers to rows; drops nodes that are in no cell; in two dimensions, the rest must lie in a
//! plane.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};

use super::Source;
use super::deal::{Dealt, Kind};
use crate::IoError;
use crate::field::block_of;

/// Allowed spread in z of a plane mesh's nodes, as a share of its extent.
const FLAT: f64 = 1e-9;

/// The row of a node that is in no cell.
const NONE: u64 = u64::MAX;

/// The nodes that belong to cells.
pub(super) struct Nodes {
    /// How many, on all ranks together.
    pub(super) rows: u64,
    /// x and y, or x, y and z of this rank's.
    pub(super) x: Vec<f64>,
    /// Their numbers in the file.
    numbers: Vec<u64>,
}

impl Nodes {
    /// How nodes are distributed.
    pub(super) fn blocks(&self, comm: &Comm) -> Blocks {
        Blocks::new(self.rows, comm.size())
    }
}

/// Rows of this rank, which end with the numbers of nodes.
pub(super) struct Listed<'a> {
    pub(super) rows: &'a mut [u64],
    /// Values in a row; the first is its position in the file.
    pub(super) width: usize,
    /// Where the nodes begin.
    pub(super) first: usize,
    /// Whether they are cells, whose nodes are the mesh's, or lie on the boundary.
    pub(super) are_cells: bool,
}

impl Listed<'_> {
    fn nodes(&self) -> impl Iterator<Item = u64> {
        self.rows.chunks_exact(self.width).flat_map(|row| row[self.first..].iter().copied())
    }
}

/// Replaces the file's numbers in `lists` by rows, and returns the nodes, with `dimension` coordinates. Collective.
pub(super) fn settle(
    comm: &Comm,
    source: Source<'_>,
    dimension: usize,
    tagged: bool,
    dealt: &Dealt,
    lists: &mut [Listed<'_>],
) -> Result<Nodes, IoError> {
    let listed_rows = dealt.rows(Kind::Point);
    let blocks = Blocks::new(listed_rows, comm.size());
    let own = blocks.range(comm.rank());
    let tags = if tagged { dealt.block(comm, Kind::Tag) } else { Vec::new() };
    let directory = if tagged { Some(Directory::new(comm, source, own.start, &tags)?) } else { None };
    for Listed { rows, width, first, .. } in lists.iter_mut() {
        let found = match &directory {
            Some(directory) => directory.find(comm, rows, *width, *first),
            None => in_order(rows, *width, *first, listed_rows),
        };
        let allowed = if tagged {
            "expected one of the nodes that the mesh lists".into()
        } else {
            format!("expected one of the nodes 0 to {}", listed_rows.saturating_sub(1))
        };
        let unknown = |(place, number): (u64, u64)| {
            source.error(place, format!("there is no node {number}; {allowed}"))
        };
        comm.agree(found.map_err(unknown))?;
    }

    // Which nodes belong to cells, and their new rows.
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    for node in lists.iter().filter(|list| list.are_cells).flat_map(Listed::nodes) {
        send[blocks.owner(node)].push(node);
    }
    let mut rows = vec![NONE; (own.end - own.start) as usize];
    for node in comm.all_to_all(send).concat() {
        rows[(node - own.start) as usize] = 0;
    }
    let used = rows.iter().filter(|row| **row != NONE).count() as u64;
    let kept = comm.sum(used);
    let first = comm.exclusive_sum(used);
    for (new, row) in (first..).zip(rows.iter_mut().filter(|row| **row != NONE)) {
        *row = new;
    }
    for list in lists.iter_mut() {
        let wanted: Vec<u64> = list.nodes().collect();
        let mut new = fetch_rows(comm, blocks, 1, &rows, &wanted).into_iter();
        let mut lost = Ok(());
        for row in list.rows.chunks_exact_mut(list.width) {
            for k in list.first..list.width {
                row[k] = new.next().expect("a row for each node that was asked for");
                if row[k] == NONE {
                    lost = lost.and(Err(row[0]));
                }
            }
        }
        // Only boundary elements can have a node that is in no cell.
        let lost = lost.map_err(|place| {
            let (what, of) = if dimension == 2 { ("edge", "side") } else { ("element", "face") };
            let what =
                format!("this boundary {what} has a node that is in no cell; expected a {of} of a cell");
            source.error(place, what)
        });
        comm.agree(lost)?;
    }

    let points = dealt.block(comm, Kind::Point);
    let (mut ids, mut values) = (Vec::new(), Vec::new());
    for (k, (&row, point)) in rows.iter().zip(points.chunks_exact(3)).enumerate() {
        if row != NONE {
            let number = if tagged { tags[2 * k] } else { own.start + k as u64 };
            ids.push(row);
            values.extend([point[0], point[1], point[2], number]);
        }
    }
    let values = block_of(comm, "nodes", 4, kept, &ids, &values);
    let column = |k: usize| values.chunks_exact(4).map(move |row| row[k]);
    let z: Vec<f64> = column(2).map(f64::from_bits).collect();
    let numbers: Vec<u64> = column(3).collect();
    let x =
        values.chunks_exact(4).flat_map(|row| row[..dimension].iter().copied().map(f64::from_bits)).collect();
    let nodes = Nodes { rows: kept, x, numbers };
    if dimension == 2 {
        plane(comm, source, &nodes, &z)?;
    }
    Ok(nodes)
}

/// Checks numbers that are already rows. An error is the position of the row, and the number.
fn in_order(rows: &[u64], width: usize, first: usize, nodes: u64) -> Result<(), (u64, u64)> {
    for row in rows.chunks_exact(width) {
        if let Some(&number) = row[first..].iter().find(|&&number| number >= nodes) {
            return Err((row[0], number));
        }
    }
    Ok(())
}

/// Rows by number: each is on the rank given by its number's remainder.
struct Directory {
    /// Numbers and rows, sorted.
    entries: Vec<[u64; 2]>,
}

impl Directory {
    /// The directory of all ranks' `tags`, which are numbers with their positions. Collective.
    fn new(comm: &Comm, source: Source<'_>, start: u64, tags: &[u64]) -> Result<Directory, IoError> {
        let mut send: Vec<Vec<[u64; 3]>> = vec![Vec::new(); comm.size()];
        for (row, tag) in (start..).zip(tags.chunks_exact(2)) {
            send[rank_of(comm, tag[0])].push([tag[0], row, tag[1]]);
        }
        let mut entries = comm.all_to_all(send).concat();
        entries.sort_unstable();
        // The first in the file, on any number of ranks.
        let twice = entries.windows(2).filter(|w| w[0][0] == w[1][0]).map(|w| [w[1][1], w[1][2], w[1][0]]);
        let twice: Vec<u64> = twice.min().into_iter().flatten().collect();
        let twice = comm.all_gather(&twice).into_iter().filter(|found| !found.is_empty()).min();
        if let Some(found) = twice {
            let what = format!("node {} has been listed before; each number stands for one node", found[2]);
            return Err(source.error(found[1], what));
        }
        Ok(Directory { entries: entries.into_iter().map(|[number, row, _]| [number, row]).collect() })
    }

    /// Replaces the numbers in each row from column `first` on. An error is the position of the row, and the number
    /// that no node has. Collective.
    fn find(&self, comm: &Comm, rows: &mut [u64], width: usize, first: usize) -> Result<(), (u64, u64)> {
        let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
        for &number in rows.chunks_exact(width).flat_map(|row| &row[first..]) {
            send[rank_of(comm, number)].push(number);
        }
        let answer = |number: &u64| {
            let at = self.entries.binary_search_by_key(number, |entry| entry[0]);
            at.map_or(NONE, |at| self.entries[at][1])
        };
        let answers: Vec<Vec<u64>> =
            comm.all_to_all(send).iter().map(|numbers| numbers.iter().map(answer).collect()).collect();
        let mut answers: Vec<_> = comm.all_to_all(answers).into_iter().map(Vec::into_iter).collect();
        let mut found = Ok(());
        for row in rows.chunks_exact_mut(width) {
            for k in first..width {
                let number = row[k];
                row[k] = answers[rank_of(comm, number)].next().expect("an answer for each number");
                if row[k] == NONE && found.is_ok() {
                    found = Err((row[0], number));
                }
            }
        }
        found
    }
}

fn rank_of(comm: &Comm, number: u64) -> usize {
    (number % comm.size() as u64) as usize
}

/// All nodes have the same z. Collective.
fn plane(comm: &Comm, source: Source<'_>, nodes: &Nodes, z: &[f64]) -> Result<(), IoError> {
    let first = fetch_rows(comm, nodes.blocks(comm), 1, z, &[0])[0];
    // Lowest and highest x and y of all ranks.
    let mut extent = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    let widen = |extent: &mut [f64; 4], low: &[f64], high: &[f64]| {
        for axis in 0..2 {
            extent[axis] = extent[axis].min(low[axis]);
            extent[2 + axis] = extent[2 + axis].max(high[axis]);
        }
    };
    nodes.x.chunks_exact(2).for_each(|x| widen(&mut extent, x, x));
    for other in comm.all_gather(&extent) {
        widen(&mut extent, &other[..2], &other[2..]);
    }
    let size = (extent[2] - extent[0]).max(extent[3] - extent[1]);
    let off = z.iter().position(|z| (z - first).abs() > FLAT * size);
    let off = off.map_or(Ok(()), |k| {
        let what = format!(
            "node {} is at z = {}, another at z = {first}: the mesh does not lie in a plane of constant z; expected a mesh \
             of two dimensions",
            nodes.numbers[k], z[k]
        );
        Err(IoError::file(source.path, what))
    });
    comm.agree(off)
}
