//! A file that rank 0 writes from its beginning to its end, of rows that all ranks have in order.

use std::io::{self, Write};
use std::path::Path;

use bytemuck::Pod;
use cfd_engine::comm::Comm;

use crate::IoError;
use crate::atomic::Begun;
use crate::stream::to_root;

/// Bytes written at once.
const PIECE: usize = 1 << 20;

/// The file. Every rank makes the same calls; no rank ever holds more than a few MiB of the others' rows.
pub(crate) struct RowFile<'a> {
    comm: &'a Comm,
    path: &'a Path,
    /// On rank 0.
    begun: Option<Begun>,
    buffer: Vec<u8>,
    /// After an error, the remaining rows still arrive and are dropped.
    result: io::Result<()>,
}

impl<'a> RowFile<'a> {
    /// Begins a file, which appears under its name when it is finished. Collective.
    pub(crate) fn begin(comm: &'a Comm, path: &'a Path) -> Result<RowFile<'a>, IoError> {
        let begun = if comm.is_root() { Begun::new(path).map(Some) } else { Ok(None) };
        comm.agree(begun.as_ref().map(|_| ()).map_err(IoError::clone))?;
        Ok(RowFile { comm, path, begun: begun?, buffer: Vec::new(), result: Ok(()) })
    }

    /// Appends bytes, on rank 0.
    pub(crate) fn put(&mut self, bytes: impl AsRef<[u8]>) {
        if self.begun.is_some() {
            self.buffer.extend_from_slice(bytes.as_ref());
            self.flush(PIECE);
        }
    }

    /// Appends what `put` makes of each row, in global order: `block` is this rank's block of `rows` rows of `dim` values.
    /// Collective.
    pub(crate) fn rows<T: Pod>(
        &mut self,
        rows: u64,
        dim: usize,
        block: &[T],
        mut put: impl FnMut(&mut Vec<u8>, &[T]),
    ) {
        self.pieces(rows, dim, block, |file, piece| {
            for row in piece.chunks_exact(dim) {
                put(&mut file.buffer, row);
                file.flush(PIECE);
            }
        });
    }

    /// Calls `take` on rank 0 with all rows in pieces, which are the same on any number of ranks. Collective.
    pub(crate) fn pieces<T: Pod>(
        &mut self,
        rows: u64,
        dim: usize,
        block: &[T],
        mut take: impl FnMut(&mut RowFile<'a>, &[T]),
    ) {
        let comm = self.comm;
        to_root(comm, rows, dim, block, |part| take(self, part));
    }

    /// Writes the buffer, if it has at least this many bytes.
    fn flush(&mut self, least: usize) {
        if let (Some(begun), true) = (&mut self.begun, self.buffer.len() >= least) {
            if self.result.is_ok() {
                self.result = begun.file.write_all(&self.buffer);
            }
            self.buffer.clear();
        }
    }

    /// Puts the complete file under its name. Collective.
    pub(crate) fn finish(mut self) -> Result<(), IoError> {
        self.flush(1);
        let written = self.result.map_err(|e| IoError::write(self.path, e));
        self.comm.agree(written.and_then(|()| self.begun.map_or(Ok(()), Begun::commit)))
    }
}

/// Appends numbers, separated by blanks, and the end of the line. Coordinates are the shortest decimal numbers that read
/// back to the same bits.
pub(crate) fn put_line<T: std::fmt::Debug>(buffer: &mut Vec<u8>, values: &[T]) {
    for (k, value) in values.iter().enumerate() {
        let blank = if k == 0 { "" } else { " " };
        write!(buffer, "{blank}{value:?}").expect("writing to memory");
    }
    buffer.push(b'\n');
}
