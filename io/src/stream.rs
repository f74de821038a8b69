//! Passes blocks of rows through rank 0, piece by piece, so no rank ever holds a whole set.

use std::ops::Range;

use bytemuck::Pod;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

use crate::IoError;

/// Size of one piece.
const PIECE_BYTES: u64 = 4 << 20;

fn rows_per_piece<T>(dim: usize) -> u64 {
    (PIECE_BYTES / (dim.max(1) * size_of::<T>().max(1)) as u64).max(1)
}

fn pieces(rows: u64, piece: u64) -> impl Iterator<Item = Range<u64>> {
    (0..rows.div_ceil(piece)).map(move |k| k * piece..rows.min((k + 1) * piece))
}

/// The part of `piece` that lies in `block`, relative to the start of `block`.
fn within(piece: &Range<u64>, block: &Range<u64>) -> Range<usize> {
    let start = piece.start.clamp(block.start, block.end);
    let end = piece.end.clamp(block.start, block.end);
    (start - block.start) as usize..(end - block.start) as usize
}

/// Hands all rows, in global order, to `take` on rank 0, in pieces that do not depend on the ranks. Collective.
pub(crate) fn to_root<T: Pod>(comm: &Comm, rows: u64, dim: usize, block: &[T], take: impl FnMut(&[T])) {
    to_root_by(comm, rows, dim, block, rows_per_piece::<T>(dim), take);
}

fn to_root_by<T: Pod>(
    comm: &Comm,
    rows: u64,
    dim: usize,
    block: &[T],
    piece: u64,
    mut take: impl FnMut(&[T]),
) {
    let own = Blocks::new(rows, comm.size()).range(comm.rank());
    assert_eq!(block.len() as u64, (own.end - own.start) * dim as u64, "a block of dim values a row");
    for piece in pieces(rows, piece) {
        let part = within(&piece, &own);
        let part = &block[part.start * dim..part.end * dim];
        if comm.size() == 1 {
            take(part);
            continue;
        }
        let received = comm.gather(part.to_vec());
        if comm.is_root() {
            take(&received.concat());
        }
    }
}

/// Distributes rows that `produce` creates on rank 0, piece by piece in global order; returns this rank's block.
/// Collective; an error of `produce` is returned on all ranks.
pub(crate) fn from_root<T: Pod>(
    comm: &Comm,
    rows: u64,
    dim: usize,
    produce: impl FnMut(Range<u64>) -> Result<Vec<T>, IoError>,
) -> Result<Vec<T>, IoError> {
    from_root_by(comm, rows, dim, rows_per_piece::<T>(dim), produce)
}

fn from_root_by<T: Pod>(
    comm: &Comm,
    rows: u64,
    dim: usize,
    piece: u64,
    mut produce: impl FnMut(Range<u64>) -> Result<Vec<T>, IoError>,
) -> Result<Vec<T>, IoError> {
    let blocks = Blocks::new(rows, comm.size());
    let mut block = Vec::new();
    for piece in pieces(rows, piece) {
        let made = if comm.is_root() { produce(piece.clone()) } else { Ok(Vec::new()) };
        let made = comm.agree(made)?;
        let send = (0..comm.size())
            .map(|rank| {
                let to = blocks.range(rank);
                let start = piece.start.clamp(to.start, to.end);
                let end = piece.end.clamp(to.start, to.end);
                if made.is_empty() || start == end {
                    return Vec::new();
                }
                made[(start - piece.start) as usize * dim..(end - piece.start) as usize * dim].to_vec()
            })
            .collect();
        block.extend_from_slice(&comm.all_to_all(send)[0]);
    }
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_arrive_in_global_order_whatever_the_piece() {
        for (ranks, rows, piece) in [(1, 10, 3), (4, 10, 3), (5, 3, 1), (3, 100, 7), (3, 0, 7)] {
            let results = Comm::simulate(ranks, |comm| {
                let block: Vec<u64> =
                    from_root_by(&comm, rows, 2, piece, |r| Ok(r.flat_map(|i| [i, 100 + i]).collect()))
                        .unwrap();
                let own = Blocks::new(rows, comm.size()).range(comm.rank());
                assert_eq!(block, own.flat_map(|i| [i, 100 + i]).collect::<Vec<_>>());
                let mut all = Vec::new();
                to_root_by(&comm, rows, 2, &block, piece, |part| all.extend_from_slice(part));
                all
            });
            assert_eq!(results[0], (0..rows).flat_map(|i| [i, 100 + i]).collect::<Vec<_>>());
            assert!(results[1..].iter().all(Vec::is_empty));
        }
    }

    #[test]
    fn an_error_while_producing_reaches_all_ranks() {
        let results = Comm::simulate(3, |comm| {
            from_root_by::<u64>(&comm, 10, 1, 4, |r| {
                if r.start < 4 { Ok(r.collect()) } else { Err(IoError::read("a".as_ref(), "stop")) }
            })
        });
        assert!(results.iter().all(|r| *r == Err(IoError::read("a".as_ref(), "stop"))));
    }
}
