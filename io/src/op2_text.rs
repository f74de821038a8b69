//! OP2's text mesh `new_grid.dat`.
//!
//! One row a line, numbers separated by blanks, indices from 0:
//!
//! ```text
//! nodes cells edges bedges            the numbers of elements
//! x y                                 for each node
//! n1 n2 n3 n4                         for each cell, its nodes
//! n1 n2 c1 c2                         for each edge, its nodes and cells
//! n1 n2 c bound                       for each boundary edge, its nodes, its cell and its flag
//! ```
//!
//! Rank 0 reads and writes the file, piece by piece; the other ranks only ever have their blocks.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use crate::IoError;
use crate::atomic::write_collectively;
use crate::mesh_hdf5::small_integers;
use crate::place::Place;
use crate::schema::{Case, Schema};
use crate::stream::{from_root, to_root};
use crate::validate::checked_targets;

/// No line of a mesh is longer.
const LONGEST_LINE: u64 = 4096;

/// Reads this rank's blocks; unvalidated, except that every index is in range. Collective.
pub(crate) fn read(comm: &Comm, schema: &'static Schema, path: &Path) -> Result<(Mesh, Place), IoError> {
    let opened = if comm.is_root() { Reader::open(path).map(Some) } else { Ok(None) };
    let mut reader = comm.agree(opened)?;
    let header = reader.as_ref().map(|(_, header)| *header);
    let header: [u64; 4] = comm.broadcast(0, header);
    let [nodes, cells, edges, bedges] = header;
    let place = Place::text(
        path,
        vec![
            ("nodes", 2),
            ("cells", 2 + nodes),
            ("edges", 2 + nodes + cells),
            ("bedges", 2 + nodes + cells + edges),
        ],
    );
    // In the order of the file.
    let x = table::<f64>(comm, &mut reader, nodes, 2, "a node: x y")?;
    let cell_rows = table::<i64>(comm, &mut reader, cells, 4, "a cell: n1 n2 n3 n4")?;
    let edge_rows = table::<i64>(comm, &mut reader, edges, 4, "an edge: n1 n2 c1 c2")?;
    let bedge_rows = table::<i64>(comm, &mut reader, bedges, 4, "a boundary edge: n1 n2 c bound")?;
    let end = reader.map_or(Ok(()), |(mut reader, _)| reader.end());
    comm.agree(end)?;

    let mut mesh = Mesh::default();
    for (set, rows) in [("nodes", nodes), ("edges", edges), ("bedges", bedges), ("cells", cells)] {
        mesh.add_set(set, rows);
    }
    let columns = |rows: &[i64], from: usize, to: usize| -> Vec<i64> {
        rows.chunks_exact(4).flat_map(|row| &row[from..to]).copied().collect()
    };
    let maps = [
        ("edge_nodes", columns(&edge_rows, 0, 2), "nodes", nodes),
        ("edge_cells", columns(&edge_rows, 2, 4), "cells", cells),
        ("bedge_nodes", columns(&bedge_rows, 0, 2), "nodes", nodes),
        ("bedge_cell", columns(&bedge_rows, 2, 3), "cells", cells),
        ("cell_nodes", cell_rows, "nodes", nodes),
    ];
    let set = |mesh: &Mesh, name: &str| mesh.set(name).expect("all sets have been added");
    for (name, values, to, targets) in maps {
        let table = schema.table(name);
        let from = set(&mesh, table.set);
        let start = mesh.blocks(from, comm).range(comm.rank()).start;
        let rows = comm.agree(checked_targets(&place, table, start, &values, targets))?;
        let to = set(&mesh, to);
        mesh.add_map(name, from, to, table.dim, rows);
    }
    let (nodes, bedges) = (set(&mesh, "nodes"), set(&mesh, "bedges"));
    let start = mesh.blocks(bedges, comm).range(comm.rank()).start;
    let bound = small_integers(&place, schema.table("bound"), start, &columns(&bedge_rows, 3, 4));
    mesh.add_dat("x", nodes, 2, Values::F64(x));
    mesh.add_dat("bound", bedges, 1, Values::I32(comm.agree(bound)?));
    Ok((mesh, place))
}

fn table<T: bytemuck::Pod + Number>(
    comm: &Comm,
    reader: &mut Option<(Reader, [u64; 4])>,
    rows: u64,
    dim: usize,
    what: &str,
) -> Result<Vec<T>, IoError> {
    from_root(comm, rows, dim, |range| {
        let (reader, _) = reader.as_mut().expect("rows are produced on rank 0, which has the file");
        let mut values = Vec::with_capacity((range.end - range.start) as usize * dim);
        for _ in range {
            reader.row(what, dim, &mut values)?;
        }
        Ok(values)
    })
}

/// What a line holds.
trait Number: FromStr {
    const NAME: &'static str;
}

impl Number for f64 {
    const NAME: &'static str = "a number";
}

impl Number for i64 {
    const NAME: &'static str = "an integer";
}

/// The file, line by line, on rank 0.
struct Reader {
    input: BufReader<File>,
    path: PathBuf,
    line: u64,
    text: Vec<u8>,
}

impl Reader {
    /// Opens the file and reads its first line.
    fn open(path: &Path) -> Result<(Reader, [u64; 4]), IoError> {
        let file = File::open(path).map_err(|e| IoError::read(path, e))?;
        let bytes = file.metadata().map_err(|e| IoError::read(path, e))?.len();
        let mut reader = Reader { input: BufReader::new(file), path: path.into(), line: 0, text: Vec::new() };
        let mut header = Vec::new();
        let what = "the header of new_grid.dat: nodes cells edges bedges";
        reader.row::<i64>(what, 4, &mut header)?;
        let mut sizes = [0; 4];
        for (size, &value) in sizes.iter_mut().zip(&header) {
            *size = u64::try_from(value).map_err(|_| {
                reader.error(0, format!("{value} is not a number of elements; expected {what}"))
            })?;
        }
        // Every number takes a digit and a blank at least: nothing is allocated that the file cannot hold.
        let [nodes, cells, edges, bedges] = sizes.map(u128::from);
        let least = 4 * nodes + 8 * (cells + edges + bedges);
        if least > u128::from(bytes) {
            let what = format!(
                "{nodes} nodes, {cells} cells, {edges} edges and {bedges} boundary edges do not fit a file of {bytes} bytes; the file is truncated or the header wrong"
            );
            return Err(reader.error(0, what));
        }
        Ok((reader, sizes))
    }

    /// Reads the next line's `dim` numbers.
    fn row<T: Number>(&mut self, what: &str, dim: usize, values: &mut Vec<T>) -> Result<(), IoError> {
        if !self.next_line()? {
            return Err(self.error(0, format!("the file ends here; expected {what}")));
        }
        let mut found = 0;
        let mut column = 0;
        for token in self.text.split(u8::is_ascii_whitespace) {
            let start = column;
            column += token.len() + 1;
            if token.is_empty() {
                continue;
            }
            if found == dim {
                return Err(self.error(start, format!("more than {dim} values; expected {what}")));
            }
            let value = std::str::from_utf8(token).ok().and_then(|t| t.parse().ok());
            let Some(value) = value else {
                let token = String::from_utf8_lossy(token);
                return Err(self.error(start, format!("\"{token}\" is not {}; expected {what}", T::NAME)));
            };
            values.push(value);
            found += 1;
        }
        if found < dim {
            let end = self.text.trim_ascii_end().len();
            return Err(self.error(end, format!("{found} values instead of {dim}; expected {what}")));
        }
        Ok(())
    }

    /// Checks that nothing but blank lines is left.
    fn end(&mut self) -> Result<(), IoError> {
        while self.next_line()? {
            if let Some(column) = self.text.iter().position(|b| !b.is_ascii_whitespace()) {
                return Err(self
                    .error(column, "extra rows; the header's numbers end the file before this line".into()));
            }
        }
        Ok(())
    }

    /// Reads a line, without its end; false at the end of the file.
    fn next_line(&mut self) -> Result<bool, IoError> {
        self.line += 1;
        self.text.clear();
        let read = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut self.text);
        let read = read.map_err(|e| IoError::read(&self.path, e))?;
        if read as u64 == LONGEST_LINE {
            return Err(self.error(0, "the line is too long for a mesh".into()));
        }
        if self.text.last() == Some(&b'\n') {
            self.text.pop();
        }
        Ok(read > 0)
    }

    /// An error at a column, from 0, of the present line.
    fn error(&self, column: usize, what: String) -> IoError {
        IoError::Text {
            path: self.path.display().to_string(),
            line: self.line,
            column: column as u64 + 1,
            what,
        }
    }
}

/// Writes a mesh. Coordinates are the shortest decimal numbers that read back to the same bits. Collective.
pub(crate) fn write(comm: &Comm, mesh: &Mesh, case: Case, path: &Path) -> Result<(), IoError> {
    assert_eq!(case, Case::Airfoil, "the only case with a schema");
    let rows = |set: &str| mesh.sets[mesh.set(set).expect("a checked mesh has its schema's sets")].rows;
    let map = |name: &str| &mesh.maps[mesh.map(name).expect("a checked mesh has its schema's maps")].rows;
    let dat = |name: &str| &mesh.dats[mesh.dat(name).expect("a checked mesh has its schema's dats")].values;
    let (Values::F64(x), Values::I32(bound)) = (dat("x"), dat("bound")) else {
        panic!("a checked mesh has dats of its schema's types")
    };
    let edge_rows: Vec<u64> = map("edge_nodes")
        .chunks_exact(2)
        .zip(map("edge_cells").chunks_exact(2))
        .flat_map(|(n, c)| [n[0], n[1], c[0], c[1]])
        .collect();
    let bedge_rows: Vec<i64> = map("bedge_nodes")
        .chunks_exact(2)
        .zip(map("bedge_cell"))
        .zip(bound)
        .flat_map(|((n, &c), &flag)| [n[0] as i64, n[1] as i64, c as i64, i64::from(flag)])
        .collect();
    let sizes = ["nodes", "cells", "edges", "bedges"].map(rows);

    write_collectively(comm, path, |temporary| {
        let failed = |e: std::io::Error| IoError::write(path, e);
        let created =
            if comm.is_root() { File::create(temporary).map(Some).map_err(failed) } else { Ok(None) };
        let mut output = comm.agree(created)?.map(BufWriter::new);
        let mut result = Ok(());
        // After an error the rest of the rows still arrive, and are dropped.
        let mut put = |line: std::fmt::Arguments<'_>| {
            if let (Some(output), Ok(())) = (&mut output, &result) {
                result = output.write_fmt(line);
            }
        };
        put(format_args!("{} {} {} {}\n", sizes[0], sizes[1], sizes[2], sizes[3]));
        to_root(comm, sizes[0], 2, x, |part| {
            part.chunks_exact(2).for_each(|r| put(format_args!("{:?} {:?}\n", r[0], r[1])));
        });
        for (rows, table) in [(sizes[1], map("cell_nodes")), (sizes[2], &edge_rows)] {
            to_root(comm, rows, 4, table, |part| {
                part.chunks_exact(4).for_each(|r| put(format_args!("{} {} {} {}\n", r[0], r[1], r[2], r[3])));
            });
        }
        to_root(comm, sizes[3], 4, &bedge_rows, |part| {
            part.chunks_exact(4).for_each(|r| put(format_args!("{} {} {} {}\n", r[0], r[1], r[2], r[3])));
        });
        result.and_then(|()| output.map_or(Ok(()), |mut output| output.flush())).map_err(failed)
    })
}
