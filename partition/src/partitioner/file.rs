//! Part numbers from a text file.
//!
//! Line i (from 0) holds the part of the element with global id i. No rank reads the whole file:
//!
//! 1. Each rank parses the lines that begin in its share of the file's bytes.
//! 2. A prefix sum over the numbers of lines tells each rank to which elements its lines belong.
//! 3. The numbers go to the ranks that hold those elements' rows.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_engine::given;
use cfd_engine::mesh::{Blocks, Mesh};

use super::{Partitioner, Partitioning};
use crate::primary::find;
use crate::{Load, PartitionError, Primary};

/// The expected content.
const EXPECTED: &str = "a text file with a part number on each line";
/// Every valid line is shorter.
const LONGEST_LINE: u64 = 64;

/// Parts as written in a text file, one number per line, in global order.
#[derive(Clone, Debug)]
pub struct FromFile {
    /// The file.
    pub path: PathBuf,
}

impl Partitioner for FromFile {
    fn partition(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        load: &Load,
    ) -> Result<Partitioning, PartitionError> {
        let (set, parts) = (find(primary, mesh)?.set, load.parts());
        let blocks = mesh.blocks(set, comm);
        let path = self.path.display().to_string();
        let read = read_lines(comm, &self.path, parts, blocks.rows);
        let Lines { values, wrong } = comm.agree(
            read.map_err(|error| PartitionError::File { path: path.clone(), problem: error.to_string() }),
        )?;
        let count = values.len() as u64 + u64::from(wrong.is_some());
        let first = comm.exclusive_sum(count);
        comm.agree(match wrong {
            None => Ok(()),
            Some(text) => Err(PartitionError::FileLine {
                path: path.clone(),
                line: first + count,
                text,
                last: parts as u64 - 1,
            }),
        })?;
        let found = comm.sum(count);
        if found != blocks.rows {
            let set = mesh.sets[set].name.clone();
            return Err(PartitionError::FileLength { path, found, set, expected: blocks.rows });
        }
        let send = (0..comm.size())
            .map(|rank| {
                let wanted = blocks.range(rank);
                let local = |row: u64| (row.clamp(first, first + count) - first) as usize;
                values[local(wanted.start)..local(wanted.end)].to_vec()
            })
            .collect();
        Ok(Partitioning { parts, owners: comm.all_to_all(send).concat(), note: None })
    }
}

/// The lines of one rank's share.
struct Lines {
    values: Vec<u32>,
    /// The line after the last value, if it is not a part number; nothing is read beyond it.
    wrong: Option<String>,
}

/// Parses the lines that begin in this rank's share of the file.
fn read_lines(comm: &Comm, path: &Path, parts: usize, rows: u64) -> io::Result<Lines> {
    let mut file = given::open(path, EXPECTED)?;
    let length = file.metadata()?.len();
    if length / LONGEST_LINE > rows {
        let what = format!("its {length} bytes are too many for {rows} part numbers; expected {EXPECTED}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    let share = Blocks::new(length, comm.size()).range(comm.rank());
    let mut position = share.start;
    // A line begins after a line end: look for one, starting at the byte before the share.
    file.seek(SeekFrom::Start(position.saturating_sub(1)))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let mut next = |line: &mut Vec<u8>| {
        line.clear();
        (&mut reader).take(LONGEST_LINE).read_until(b'\n', line).map(|read| read as u64)
    };
    if position > 0 {
        position = position - 1 + next(&mut line)?;
    }
    let mut lines = Lines { values: Vec::new(), wrong: None };
    while position < share.end {
        let read = next(&mut line)?;
        position += read;
        // If a line is cut off, the rank on which it begins reports it.
        let whole = read < LONGEST_LINE || line.ends_with(b"\n");
        let text = String::from_utf8_lossy(&line);
        match text.trim().parse::<u32>() {
            Ok(part) if whole && (part as usize) < parts => lines.values.push(part),
            _ => {
                lines.wrong = Some(text.trim().chars().take(40).collect());
                break;
            }
        }
    }
    Ok(lines)
}
