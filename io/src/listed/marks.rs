//! Marks of a file: nodes and elements of a plane mesh that an adaptation must keep.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_mesh::{ElementKind, Mark};

use super::Source;
use super::nodes::{Listed, NONE, Role};
use super::rows::{Kind, Rows};
use crate::IoError;

/// This rank's marks by kind: position in the file, and number of the node or, from 1, of the element.
pub(super) struct Marks([(Mark, Vec<u64>); Mark::ALL.len()]);

/// The elements that a mark is on, with their name in messages; none of a node.
fn elements(mark: Mark) -> Option<(ElementKind, &'static str)> {
    match mark {
        Mark::Corner | Mark::Node => None,
        Mark::Line => Some((ElementKind::Line, "edge")),
        Mark::Triangle => Some((ElementKind::Triangle, "triangle")),
    }
}

impl Marks {
    /// Those of a plane mesh; of another one none. Collective.
    pub fn take(comm: &Comm, dimension: usize, dealt: &mut Rows) -> Marks {
        Marks(Mark::ALL.map(|mark| {
            let rows = dealt.block(comm, Kind::Marked(mark));
            (mark, if dimension == 2 { rows } else { Vec::new() })
        }))
    }

    /// Those on nodes, whose numbers become rows with those of elements.
    pub fn nodes(&mut self) -> impl Iterator<Item = Listed<'_>> {
        let of_nodes = self.0.iter_mut().filter(|(mark, _)| elements(*mark).is_none());
        of_nodes.map(|(_, rows)| Listed { rows, width: 2, first: 1, role: Role::Marks })
    }

    /// The nodes of all that is marked: `lists` has the elements, each with its position and its group before its nodes.
    /// Collective.
    ///
    /// # Errors
    /// A number of an element that is not there, with its place in the file.
    pub fn marked(
        self,
        comm: &Comm,
        source: Source<'_>,
        lists: &[(ElementKind, Vec<u64>)],
    ) -> Result<Vec<(Mark, Vec<u64>)>, IoError> {
        let nodes = |(mark, rows): (Mark, Vec<u64>)| {
            let rows = rows.as_chunks::<2>().0;
            let Some((kind, what)) = elements(mark) else {
                // Of a node in no cell, nothing is left.
                let there = rows.iter().map(|[_, node]| *node).filter(|node| *node != NONE);
                return Ok((mark, there.collect()));
            };
            let width = 2 + kind.nodes();
            let own = lists.iter().find(|(of, _)| *of == kind).map_or(&[][..], |(_, own)| own);
            let count = comm.sum((own.len() / width) as u64);
            let wrong = rows.iter().find(|[_, number]| !(1..=count).contains(number));
            let checked = wrong.map_or(Ok(()), |[place, number]| {
                let what = format!("there is no {what} {number}; expected one of the {what}s 1 to {count}");
                Err(source.error(*place, what))
            });
            comm.agree(checked)?;
            let corners: Vec<u64> =
                own.chunks_exact(width).flat_map(|row| row[2..].iter().copied()).collect();
            let wanted: Vec<u64> = rows.iter().map(|[_, number]| number - 1).collect();
            let blocks = Blocks::new(count, comm.size());
            Ok((mark, fetch_rows(comm, blocks, kind.nodes(), &corners, &wanted)))
        };
        self.0.into_iter().map(nodes).collect()
    }
}
