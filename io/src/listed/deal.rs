//! Rows that rank 0 reads from a file, distributed piece by piece while it reads.
//!
//! The number of rows of a kind is known only at the end of the file, so pieces go to the ranks in turn, each row with
//! its number; [`Rows::block`] then sends them to the ranks whose blocks they belong to.

use cfd_engine::comm::Comm;
use cfd_mesh::ElementKind;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::rows::{Kind, NO_GROUP, Rows};
use crate::IoError;

/// Numbers in a piece: 4 MiB.
const PIECE: usize = 1 << 19;

/// Takes rows on rank 0 and distributes them.
pub(crate) struct Dealer<'a> {
    comm: &'a Comm,
    /// By kind.
    waiting: Vec<Vec<u64>>,
    dealt: Rows,
    turn: usize,
}

/// Rank 0's announcement: rows of a kind, numbered from here; `None` at the end.
type Announced = Option<(Kind, u64)>;

impl Dealer<'_> {
    /// Adds the next row of a kind.
    pub(crate) fn add<const WIDTH: usize>(&mut self, kind: Kind, row: [u64; WIDTH]) {
        self.add_values(kind, &row);
    }

    fn add_values(&mut self, kind: Kind, row: &[u64]) {
        debug_assert_eq!(row.len(), kind.width());
        let waiting = &mut self.waiting[kind.place()];
        waiting.extend(row);
        if waiting.len() >= PIECE {
            self.flush(kind);
        }
    }

    /// Adds the next element: its position in the file, its group or [`NO_GROUP`], and its nodes. A line without a
    /// group is not a boundary, and is dropped.
    pub(crate) fn add_element(&mut self, kind: ElementKind, place: u64, group: u64, nodes: &[u64]) {
        if kind == ElementKind::Line && group == NO_GROUP {
            return;
        }
        let mut row = [place, group, 0, 0, 0, 0, 0, 0, 0, 0];
        row[2..2 + nodes.len()].copy_from_slice(nodes);
        self.add_values(Kind::Element(kind), &row[..2 + nodes.len()]);
    }

    fn flush(&mut self, kind: Kind) {
        let piece = std::mem::take(&mut self.waiting[kind.place()]);
        if piece.is_empty() {
            return;
        }
        let first = self.dealt.count(kind);
        let announced: Announced = Some((kind, first));
        self.comm.broadcast(0, Some(announced));
        self.dealt.set_count(kind, first + (piece.len() / kind.width()) as u64);
        let mut send = vec![Vec::new(); self.comm.size()];
        send[self.turn] = piece;
        self.turn = (self.turn + 1) % self.comm.size();
        self.receive(kind, first, send);
    }

    fn receive(&mut self, kind: Kind, first: u64, send: Vec<Vec<u64>>) {
        let piece = self.comm.all_to_all(send).swap_remove(0);
        self.dealt.add(kind, first, &piece);
    }
}

/// Reads on rank 0 and distributes the rows that `read` adds; returns `read`'s result on all ranks. Collective; an
/// error of `read` is returned on all ranks.
pub(crate) fn deal<T: Serialize + DeserializeOwned>(
    comm: &Comm,
    read: impl FnOnce(&mut Dealer<'_>) -> Result<T, IoError>,
) -> Result<(T, Rows), IoError> {
    let waiting = Kind::all().map(|_| Vec::new()).collect();
    let mut dealer = Dealer { comm, waiting, dealt: Rows::default(), turn: 0 };
    let found = if comm.is_root() {
        let found = read(&mut dealer);
        if found.is_ok() {
            Kind::all().for_each(|kind| dealer.flush(kind));
        }
        comm.broadcast::<Announced>(0, Some(None));
        found.map(Some)
    } else {
        while let Some((kind, first)) = comm.broadcast::<Announced>(0, None) {
            dealer.receive(kind, first, vec![Vec::new(); comm.size()]);
        }
        Ok(None)
    };
    let found = comm.agree(found)?;
    let Dealer { mut dealt, .. } = dealer;
    let (found, counts) = comm.broadcast(0, found.map(|found| (found, dealt.counts())));
    dealt.set_counts(counts);
    Ok((found, dealt))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_arrives_in_its_block_whatever_the_pieces_and_the_ranks() {
        // More than two pieces of sides, mixed with a few tags.
        let rows = (2 * PIECE / 4 + 100) as u64;
        for ranks in [1, 2, 5] {
            let blocks = Comm::simulate(ranks, |comm| {
                let (text, mut dealt) = deal(&comm, |dealer| {
                    for i in 0..rows {
                        dealer.add(Kind::Element(ElementKind::Line), [i, 10 * i, 7, 8]);
                        if i % 1000 == 0 {
                            dealer.add(Kind::Tag, [i, 3]);
                        }
                    }
                    Ok("read".to_string())
                })
                .unwrap();
                assert_eq!((text.as_str(), dealt.count(Kind::Element(ElementKind::Line))), ("read", rows));
                (dealt.block(&comm, Kind::Element(ElementKind::Line)), dealt.block(&comm, Kind::Tag))
            });
            let sides: Vec<u64> = blocks.iter().flat_map(|(sides, _)| sides.clone()).collect();
            assert_eq!(sides, (0..rows).flat_map(|i| [i, 10 * i, 7, 8]).collect::<Vec<_>>());
            let tags: Vec<u64> = blocks.iter().flat_map(|(_, tags)| tags.clone()).collect();
            assert_eq!(tags, (0..rows).step_by(1000).flat_map(|i| [i, 3]).collect::<Vec<_>>());
        }
    }

    fn stop() -> IoError {
        IoError::read("a".as_ref(), "stop")
    }

    #[test]
    fn an_error_while_reading_reaches_all_ranks() {
        let results = Comm::simulate(3, |comm| {
            deal::<u64>(&comm, |dealer| {
                (0..PIECE as u64).for_each(|i| dealer.add(Kind::Tag, [i, 0]));
                Err(stop())
            })
            .map(|(found, _)| found)
        });
        assert!(results.iter().all(|r| *r == Err(stop())));
    }
}
