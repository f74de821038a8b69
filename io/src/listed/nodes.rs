//! Converts the file's node numbers to rows; drops nodes that are in no cell; in two dimensions, the rest must lie in a
//! plane.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};

use super::rows::{Kind, Rows};
use super::{Numbering, Source};
use crate::IoError;
use crate::field::block_of;

/// Allowed spread in z of a plane mesh's nodes, as a share of its extent.
const FLAT: f64 = 1e-9;

/// The row of a node that is in no cell.
pub(super) const NONE: u64 = u64::MAX;

/// The nodes that belong to cells.
pub(super) struct Nodes {
    /// How many, on all ranks together.
    pub(super) rows: u64,
    /// x and y, or x, y and z of this rank's.
    pub(super) x: Vec<f64>,
    /// Their numbers in the file.
    numbers: Vec<u64>,
    /// The number of nodes, over all ranks, that no cell has.
    pub(super) unused: u64,
}

impl Nodes {
    /// How nodes are distributed.
    pub(super) fn blocks(&self, comm: &Comm) -> Blocks {
        Blocks::new(self.rows, comm.size())
    }
}

/// What the nodes of a list mean to the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Those of cells are the mesh's.
    Cells,
    /// Those of boundary elements must be among them.
    Boundary,
    /// Others are no longer rows: [`NONE`].
    Marks,
}

/// Rows of this rank, which end with the numbers of nodes.
pub(super) struct Listed<'a> {
    pub(super) rows: &'a mut [u64],
    /// Values in a row; the first is its position in the file.
    pub(super) width: usize,
    /// Where the nodes begin.
    pub(super) first: usize,
    /// What their nodes mean to the mesh.
    pub(super) role: Role,
}

impl Listed<'_> {
    fn nodes(&self) -> impl Iterator<Item = u64> + Clone {
        self.rows.chunks_exact(self.width).flat_map(|row| row[self.first..].iter().copied())
    }

    /// Replaces each node by what `row` gives for its place in the list and its number. An error is the position of the
    /// first row with a node for which there is [`NONE`], and its number.
    fn replace(&mut self, row: impl Fn(usize, u64) -> u64) -> Result<(), (u64, u64)> {
        let mut at = 0;
        let mut replaced = Ok(());
        for values in self.rows.chunks_exact_mut(self.width) {
            let place = values[0];
            for node in &mut values[self.first..] {
                let found = row(at, *node);
                if found == NONE {
                    replaced = replaced.and(Err((place, *node)));
                }
                *node = found;
                at += 1;
            }
        }
        replaced
    }
}

/// Replaces the file's numbers in `lists` by rows, and returns the nodes, with `dimension` coordinates. Collective.
pub(super) fn settle(
    comm: &Comm,
    source: Source<'_>,
    dimension: usize,
    numbering: Numbering,
    dealt: &mut Rows,
    lists: &mut [Listed<'_>],
) -> Result<Nodes, IoError> {
    let listed_rows = dealt.nodes();
    let blocks = Blocks::new(listed_rows, comm.size());
    let own = blocks.range(comm.rank());
    let (tagged, base) = match numbering {
        Numbering::From(base) => (false, base),
        Numbering::Tagged | Numbering::TaggedOrPlaces => (true, 0),
    };
    let tags = if tagged { dealt.block(comm, Kind::Tag) } else { Vec::new() };
    // What follows one by one needs no directory.
    let consecutive = if tagged { consecutive_from(comm, own.start, &tags) } else { None };
    let consecutive = consecutive.filter(|first| *first == 0 || numbering == Numbering::Tagged);
    let base = consecutive.unwrap_or(base);
    let directory = match tagged && consecutive.is_none() {
        true => Some(Directory::new(comm, source, own.start, &tags)?),
        false => None,
    };
    // By the file's numbers, if there are some for all that elements name; otherwise by place.
    let found = directory.map(|directory| {
        lists.iter().map(|list| directory.find(comm, list.nodes())).collect::<Vec<Vec<u64>>>()
    });
    let by_place = |found: &[Vec<u64>]| {
        let unknown = found.iter().flatten().filter(|row| **row == NONE).count() as u64;
        let highest = comm.max(lists.iter().flat_map(Listed::nodes).max().unwrap_or(0));
        numbering == Numbering::TaggedOrPlaces && comm.sum(unknown) > 0 && highest < listed_rows
    };
    let found = found.filter(|found| !by_place(found));
    let names_its_own = found.is_some() || consecutive.is_some();
    for (k, list) in lists.iter_mut().enumerate() {
        let replaced = match &found {
            Some(found) => list.replace(|node, _| found[k][node]),
            None => list.replace(|_, number| {
                number.checked_sub(base).filter(|row| *row < listed_rows).unwrap_or(NONE)
            }),
        };
        let allowed = if names_its_own {
            "expected one of the nodes that the mesh lists".into()
        } else {
            format!("expected one of the nodes {base} to {}", (base + listed_rows).saturating_sub(1))
        };
        let unknown = |(place, number): (u64, u64)| {
            source.error(place, format!("there is no node {number}; {allowed}"))
        };
        comm.agree(replaced.map_err(unknown))?;
    }

    // Which nodes belong to cells, and their new rows.
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    let mut rows = vec![NONE; (own.end - own.start) as usize];
    for node in lists.iter().filter(|list| list.role == Role::Cells).flat_map(Listed::nodes) {
        match own.contains(&node) {
            true => rows[(node - own.start) as usize] = 0,
            false => send[blocks.owner(node)].push(node),
        }
    }
    for node in comm.all_to_all(send).concat() {
        rows[(node - own.start) as usize] = 0;
    }
    let used = rows.iter().filter(|row| **row != NONE).count() as u64;
    let kept = comm.sum(used);
    let first = comm.exclusive_sum(used);
    for (new, row) in (first..).zip(rows.iter_mut().filter(|row| **row != NONE)) {
        *row = new;
    }
    // If all do, rows stay as they are.
    let all_stay = kept == listed_rows;
    for list in lists.iter_mut().filter(|_| !all_stay) {
        let wanted: Vec<u64> = list.nodes().collect();
        let new = fetch_rows(comm, blocks, 1, &rows, &wanted);
        let lost = list.replace(|node, _| new[node]);
        // Only boundary elements and marks can have a node that is in no cell.
        let lost = if list.role == Role::Marks { Ok(()) } else { lost };
        let lost = lost.map_err(|(place, _)| {
            let (what, of) = if dimension == 2 { ("edge", "side") } else { ("element", "face") };
            let what =
                format!("this boundary {what} has a node that is in no cell; expected a {of} of a cell");
            source.error(place, what)
        });
        comm.agree(lost)?;
    }

    let points = dealt.points(comm);
    let (mut ids, mut values) = (Vec::new(), Vec::new());
    for (k, (&row, point)) in rows.iter().zip(points.chunks_exact(3)).enumerate() {
        if row != NONE {
            let number = if tagged { tags[2 * k] } else { base + own.start + k as u64 };
            ids.push(row);
            values.extend([point[0], point[1], point[2], number]);
        }
    }
    if !all_stay {
        values = block_of(comm, "nodes", 4, kept, &ids, &values);
    }
    let column = |k: usize| values.chunks_exact(4).map(move |row| row[k]);
    let z: Vec<f64> = column(2).map(f64::from_bits).collect();
    let numbers: Vec<u64> = column(3).collect();
    let x =
        values.chunks_exact(4).flat_map(|row| row[..dimension].iter().copied().map(f64::from_bits)).collect();
    let nodes = Nodes { rows: kept, x, numbers, unused: listed_rows - kept };
    if dimension == 2 {
        plane(comm, source, &nodes, &z)?;
    }
    Ok(nodes)
}

/// The number of the first node, if the others follow one by one. Collective.
fn consecutive_from(comm: &Comm, start: u64, tags: &[u64]) -> Option<u64> {
    let tags = tags.as_chunks::<2>().0;
    let first = tags.first().and_then(|[tag, _]| tag.checked_sub(start)).unwrap_or(0);
    let follow = tags.iter().zip(start..).all(|([tag, _], row)| first.checked_add(row) == Some(*tag));
    // A rank without nodes agrees with the others.
    let own = if tags.is_empty() { Vec::new() } else { vec![u64::from(follow), first] };
    let mut all = comm.all_gather(&own).into_iter().filter(|of_rank| !of_rank.is_empty());
    let one = all.next()?;
    (one[0] == 1 && all.all(|other| other == one)).then_some(one[1])
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

    /// The row of each node, or [`NONE`]. Collective.
    fn find(&self, comm: &Comm, numbers: impl Iterator<Item = u64> + Clone) -> Vec<u64> {
        let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
        numbers.clone().for_each(|number| send[rank_of(comm, number)].push(number));
        let answer = |number: &u64| {
            let at = self.entries.binary_search_by_key(number, |entry| entry[0]);
            at.map_or(NONE, |at| self.entries[at][1])
        };
        let answers: Vec<Vec<u64>> =
            comm.all_to_all(send).iter().map(|numbers| numbers.iter().map(answer).collect()).collect();
        let mut answers: Vec<_> = comm.all_to_all(answers).into_iter().map(Vec::into_iter).collect();
        numbers
            .map(|number| answers[rank_of(comm, number)].next().expect("an answer for each number"))
            .collect()
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
