//! Rows that rank 0 reads from a file, dealt out piece by piece while it reads.
//!
//! How many rows of a kind there are is known only at the end of the file, so pieces go to the ranks in turn, each row
//! with its number; [`Dealt::block`] then brings them to the ranks whose blocks they belong to.

use cfd_engine::comm::Comm;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::IoError;
use crate::field::block_of;

/// Numbers in a piece: 4 MiB.
const PIECE: usize = 1 << 19;

/// What rows are. Their values are 64-bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// The number that a file gives to a node, and its place in the file.
    Tag,
    /// The bits of a node's x, y, z.
    Point,
    /// A cell's place in the file and its four nodes, as the file numbers them; a triangle's last is repeated.
    Cell,
    /// A boundary edge's place in the file, its group and its two nodes.
    Side,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Tag, Kind::Point, Kind::Cell, Kind::Side];

    /// Values in a row.
    const fn width(self) -> usize {
        match self {
            Kind::Tag => 2,
            Kind::Point => 3,
            Kind::Cell => 5,
            Kind::Side => 4,
        }
    }
}

/// Rows of one kind that this rank was dealt.
#[derive(Default)]
struct Pile {
    ids: Vec<u64>,
    values: Vec<u64>,
}

/// The rows of a file, each on some rank.
pub(super) struct Dealt {
    rows: [u64; 4],
    piles: [Pile; 4],
}

impl Dealt {
    /// Rows of a kind, on all ranks together.
    pub(super) fn rows(&self, kind: Kind) -> u64 {
        self.rows[kind as usize]
    }

    /// This rank's block of the rows of a kind. Collective.
    pub(super) fn block(&self, comm: &Comm, kind: Kind) -> Vec<u64> {
        let Pile { ids, values } = &self.piles[kind as usize];
        block_of(comm, "listed", kind.width(), self.rows(kind), ids, values)
    }
}

/// Takes rows on rank 0 and hands them out.
pub(crate) struct Dealer<'a> {
    comm: &'a Comm,
    waiting: [Vec<u64>; 4],
    dealt: Dealt,
    turn: usize,
}

/// What rank 0 announces: rows of a kind for a rank, numbered from `first`; none at the end.
type Announced = Option<(Kind, u64, usize)>;

impl Dealer<'_> {
    /// Adds the next row of a kind.
    pub(crate) fn add<const WIDTH: usize>(&mut self, kind: Kind, row: [u64; WIDTH]) {
        debug_assert_eq!(WIDTH, kind.width());
        let waiting = &mut self.waiting[kind as usize];
        waiting.extend(row);
        if waiting.len() >= PIECE {
            self.flush(kind);
        }
    }

    fn flush(&mut self, kind: Kind) {
        let piece = std::mem::take(&mut self.waiting[kind as usize]);
        if piece.is_empty() {
            return;
        }
        let first = self.dealt.rows[kind as usize];
        let announced: Announced = Some((kind, first, self.turn));
        self.comm.broadcast(0, Some(announced));
        self.dealt.rows[kind as usize] += (piece.len() / kind.width()) as u64;
        let mut send = vec![Vec::new(); self.comm.size()];
        send[self.turn] = piece;
        self.turn = (self.turn + 1) % self.comm.size();
        self.dealt.receive(self.comm, kind, first, send);
    }
}

impl Dealt {
    fn receive(&mut self, comm: &Comm, kind: Kind, first: u64, send: Vec<Vec<u64>>) {
        let piece = comm.all_to_all(send).swap_remove(0);
        let pile = &mut self.piles[kind as usize];
        pile.ids.extend(first..first + (piece.len() / kind.width()) as u64);
        pile.values.extend(piece);
    }
}

/// Reads on rank 0 and deals out what `read` adds; also what it returns, on all ranks. Collective; an error of `read` is
/// returned on all ranks.
pub(super) fn deal<T: Serialize + DeserializeOwned>(
    comm: &Comm,
    read: impl FnOnce(&mut Dealer<'_>) -> Result<T, IoError>,
) -> Result<(T, Dealt), IoError> {
    let dealt = Dealt { rows: [0; 4], piles: Default::default() };
    let mut dealer = Dealer { comm, waiting: Default::default(), dealt, turn: 0 };
    let found = if comm.is_root() {
        let found = read(&mut dealer);
        if found.is_ok() {
            Kind::ALL.into_iter().for_each(|kind| dealer.flush(kind));
        }
        comm.broadcast::<Announced>(0, Some(None));
        found.map(Some)
    } else {
        while let Some((kind, first, _)) = comm.broadcast::<Announced>(0, None) {
            dealer.dealt.receive(comm, kind, first, vec![Vec::new(); comm.size()]);
        }
        Ok(None)
    };
    let found = comm.agree(found)?;
    let Dealer { mut dealt, .. } = dealer;
    let (found, rows) = comm.broadcast(0, found.map(|found| (found, dealt.rows)));
    dealt.rows = rows;
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
                let (text, dealt) = deal(&comm, |dealer| {
                    for i in 0..rows {
                        dealer.add(Kind::Side, [i, 10 * i, 7, 8]);
                        if i % 1000 == 0 {
                            dealer.add(Kind::Tag, [i, 3]);
                        }
                    }
                    Ok("read".to_string())
                })
                .unwrap();
                assert_eq!((text.as_str(), dealt.rows(Kind::Side)), ("read", rows));
                (dealt.block(&comm, Kind::Side), dealt.block(&comm, Kind::Tag))
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
