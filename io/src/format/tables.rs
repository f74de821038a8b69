//! Shared by the HDF5 formats: a schema's tables as datasets, read and written by blocks.

use std::ops::Range;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_mesh::{Content, Schema, Table};

use super::{Format, Request};
use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::hdf5_output::{Attribute, Data, NewDataset};
use crate::source::MeshSource;
use crate::validate::checked_targets;

/// How a format lays out tables in HDF5: one dataset per map or dat, of shape (rows, dim).
pub(super) struct Layout {
    /// The dataset of a map or dat.
    pub(super) dataset: fn(&Table) -> &str,
    /// The dataset of one integer with a set's size; `None` if a set's size is the number of rows of its tables.
    pub(super) set_size: Option<fn(&str) -> &str>,
    /// Shapes if dim is 1.
    pub(super) single: Single,
    /// Whether datasets have the attributes that OP2 requires: `size`, `dim` and `type`.
    pub(super) op2_attributes: bool,
}

/// The shapes of tables with one value per row.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Single {
    /// (rows).
    Flat,
    /// (rows, 1).
    Column,
    /// Written as (rows, 1), read as either.
    Either,
}

/// Reads this rank's blocks of a mesh in one file, whose `schema` may depend on its contents. Collective.
pub(super) fn read(
    comm: &Comm,
    request: &Request<'_>,
    format: &'static Format,
    layout: &Layout,
    schema: impl FnOnce(&Hdf5File) -> Result<Schema, IoError>,
) -> Result<(Mesh, MeshSource), IoError> {
    let source = MeshSource::new(request.path, format.dataset);
    let opened = comm.agree(Hdf5File::open(request.path).and_then(|file| {
        let schema = schema(&file)?;
        let sizes = set_sizes(&file, &schema, layout)?;
        Ok((file, schema, sizes))
    }));
    let (file, schema, sizes) = opened?;
    let mut mesh = Mesh::default();
    for (set, &rows) in schema.sets.iter().zip(&sizes) {
        mesh.add_set(set, rows);
    }
    add_tables(comm, &mut mesh, &file, &source, &schema.tables)?;
    Ok((mesh, source))
}

/// Adds this rank's blocks of all tables of a file. Collective.
pub(super) fn add_tables(
    comm: &Comm,
    mesh: &mut Mesh,
    file: &Hdf5File,
    source: &MeshSource,
    tables: &[Table],
) -> Result<(), IoError> {
    for table in tables {
        let set = mesh.set(&table.set).expect("tables are on sets of the mesh");
        let own = mesh.blocks(set, comm).range(comm.rank());
        let added = add_table(mesh, file, source, table, set, own);
        comm.agree(added)?;
    }
    Ok(())
}

/// Adds a table's rows of this rank's block.
fn add_table(
    mesh: &mut Mesh,
    file: &Hdf5File,
    source: &MeshSource,
    table: &Table,
    set: usize,
    own: Range<u64>,
) -> Result<(), IoError> {
    let dataset = file.table(source.dataset(table), numbers(table))?;
    if table.content == Content::F64 {
        mesh.add_dat(&table.name, set, table.dim, Values::F64(dataset.floats(own)?));
        return Ok(());
    }
    add_integers(mesh, source, table, own.start, &dataset.integers(own)?)
}

/// Adds a map, or a dat of integers, from a file's rows of this rank's block; `start` is the first row's number.
pub(super) fn add_integers(
    mesh: &mut Mesh,
    source: &MeshSource,
    table: &Table,
    start: u64,
    values: &[i64],
) -> Result<(), IoError> {
    let set = mesh.set(&table.set).expect("a schema's tables are on its sets");
    if let Content::Map { to } = &table.content {
        let to = mesh.set(to).expect("a schema's maps lead to its sets");
        let rows = checked_targets(source, table, start, values, mesh.sets[to].rows)?;
        mesh.add_map(&table.name, set, to, table.dim, rows);
    } else {
        let values = small_integers(source, table, start, values)?;
        mesh.add_dat(&table.name, set, table.dim, Values::I32(values));
    }
    Ok(())
}

/// Integers of a dat, which must fit in 32 bits.
fn small_integers(
    source: &MeshSource,
    table: &Table,
    start: u64,
    values: &[i64],
) -> Result<Vec<i32>, IoError> {
    let narrow = |(k, &v): (usize, &i64)| {
        i32::try_from(v).map_err(|_| {
            let row = start + (k / table.dim) as u64;
            source.row(table, row, format!("the value {v} does not fit in 32 bits"))
        })
    };
    values.iter().enumerate().map(narrow).collect()
}

fn numbers(table: &Table) -> Numbers {
    match table.content {
        Content::F64 => Numbers::Float,
        Content::Map { .. } | Content::I32 => Numbers::Integer,
    }
}

/// The sets' sizes, which all tables agree on.
pub(super) fn set_sizes(file: &Hdf5File, schema: &Schema, layout: &Layout) -> Result<Vec<u64>, IoError> {
    let mut sizes: Vec<Option<(u64, &str)>> = Vec::new();
    for set in &schema.sets {
        sizes.push(match layout.set_size {
            Some(dataset) => Some((scalar_size(file, dataset(set))?, dataset(set))),
            None => None,
        });
    }
    for table in &schema.tables {
        let (rows, name) = (table_rows(file, table, layout)?, (layout.dataset)(table));
        let set =
            schema.sets.iter().position(|s| *s == table.set).expect("a schema's tables are on its sets");
        match sizes[set] {
            None => sizes[set] = Some((rows, name)),
            Some((size, by)) => agree(file, name, rows, &table.set, size, by)?,
        }
    }
    let known = sizes.into_iter().map(|size| size.expect("every set of a schema has a table").0);
    Ok(known.collect())
}

/// Checks that a dataset has as many rows as its set, whose size another dataset gives.
pub(super) fn agree(
    file: &Hdf5File,
    name: &str,
    rows: u64,
    set: &str,
    size: u64,
    by: &str,
) -> Result<(), IoError> {
    if rows == size {
        return Ok(());
    }
    Err(file.wrong(name, format!("{rows} rows, but `{by}` says there are {size} {set}")))
}

/// The rows of a table's dataset, which must have its type and shape.
pub(super) fn table_rows(file: &Hdf5File, table: &Table, layout: &Layout) -> Result<u64, IoError> {
    let name = (layout.dataset)(table);
    let shape = file.table(name, numbers(table))?.shape;
    let flat = table.dim == 1 && layout.single != Single::Column;
    let rows_of_dim = shape.len() == 2 && shape[1] == table.dim as u64;
    let fits = match flat {
        true => shape.len() == 1 || layout.single == Single::Either && rows_of_dim,
        false => rows_of_dim,
    };
    if !fits {
        let set = &table.set;
        let expected = if flat { format!("({set})") } else { format!("({set}, {})", table.dim) };
        return Err(file.wrong(name, format!("the shape is {shape:?}, expected {expected}")));
    }
    Ok(shape[0])
}

/// The single number in a set's dataset.
pub(super) fn scalar_size(file: &Hdf5File, set: &str) -> Result<u64, IoError> {
    let table = file.table(set, Numbers::Integer)?;
    let value = if table.shape.iter().all(|&n| n == 1) { table.first()? } else { -1 };
    u64::try_from(value)
        .map_err(|_| file.wrong(set, "expected one number, the size of the set, not negative"))
}

/// The sets' sizes as datasets of one integer, which rank 0 writes.
pub(super) fn size_outputs(
    comm: &Comm,
    mesh: &Mesh,
    schema: &Schema,
    dataset: fn(&str) -> &str,
) -> Vec<NewDataset<'static>> {
    let own = usize::from(comm.is_root());
    let output = |name: &String| {
        let set = &mesh.sets[mesh.set(name).expect("a checked mesh has its schema's sets")];
        NewDataset {
            name: dataset(name).into(),
            shape: vec![1],
            rows: 0..own,
            data: Data::I32(vec![set.rows as i32; own].into()),
            attributes: Vec::new(),
        }
    };
    schema.sets.iter().map(output).collect()
}

/// Refuses a mesh with a set of more elements than 32-bit integers, which `files` use, can count.
pub(super) fn check_sizes(mesh: &Mesh, files: &str, path: &Path) -> Result<(), IoError> {
    match mesh.sets.iter().find(|set| set.rows > i32::MAX as u64) {
        None => Ok(()),
        Some(set) => Err(IoError::write(
            path,
            format!("{files} at most 2^31 - 1 elements of a set, and there are {} {}", set.rows, set.name),
        )),
    }
}

/// This rank's rows of all tables.
pub(super) fn table_outputs<'a>(
    comm: &Comm,
    mesh: &'a Mesh,
    tables: &[Table],
    layout: &Layout,
) -> Vec<NewDataset<'a>> {
    let output = |table| {
        let (set, data) = table_data(mesh, table);
        output(comm, mesh, set, table, layout, data)
    };
    tables.iter().map(output).collect()
}

fn table_data<'a>(mesh: &'a Mesh, table: &Table) -> (usize, Data<'a>) {
    if let Content::Map { .. } = table.content {
        let map = &mesh.maps[mesh.map(&table.name).expect("a checked mesh has its schema's maps")];
        let data = if mesh.sets[map.to].rows <= i32::MAX as u64 {
            Data::I32(map.rows.iter().map(|&t| t as i32).collect())
        } else {
            Data::I64(map.rows.iter().map(|&t| t as i64).collect())
        };
        return (map.from, data);
    }
    let dat = &mesh.dats[mesh.dat(&table.name).expect("a checked mesh has its schema's dats")];
    let data = match &dat.values {
        Values::F64(v) => Data::F64((&v[..]).into()),
        Values::I32(v) => Data::I32((&v[..]).into()),
    };
    (dat.set, data)
}

/// This rank's rows of a table on a set.
pub(super) fn output<'a>(
    comm: &Comm,
    mesh: &Mesh,
    set: usize,
    table: &Table,
    layout: &Layout,
    data: Data<'a>,
) -> NewDataset<'a> {
    let rows = mesh.sets[set].rows as usize;
    let own = mesh.blocks(set, comm).range(comm.rank());
    let (kind, bytes) = match data {
        Data::F64(_) => ("double", 8),
        Data::I32(_) => ("int", 4),
        Data::I64(_) => ("long", 8),
        Data::U8(_) | Data::Text(_) => panic!("maps and dats are numbers"),
    };
    // OP2's `size` is a map's number of rows, and a dat's bytes in one row.
    let size = match table.content {
        Content::Map { .. } => rows as i32,
        Content::F64 | Content::I32 => bytes * table.dim as i32,
    };
    let flat = table.dim == 1 && layout.single == Single::Flat;
    let attributes = [
        ("size", Attribute::IntegerArray(size)),
        ("dim", Attribute::IntegerArray(table.dim as i32)),
        ("type", Attribute::ShortText(kind)),
    ];
    NewDataset {
        name: (layout.dataset)(table).into(),
        shape: if flat { vec![rows] } else { vec![rows, table.dim] },
        rows: own.start as usize..own.end as usize,
        data,
        attributes: if layout.op2_attributes { attributes.into() } else { Vec::new() },
    }
}
