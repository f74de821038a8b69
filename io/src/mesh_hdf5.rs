//! Meshes in HDF5: the project's layout and OP2's, both read and written from a case's schema.
//!
//! * The project's: attributes `case` and `schema`; one dataset a map or dat, of shape (rows, dim), or (rows) when dim
//!   is 1. A set's size is the rows of its datasets. Indices are i32 where they fit, else i64.
//! * OP2's: one dataset of one integer a set, with its size; one dataset a map or dat, of shape (rows, dim), with
//!   attributes `size`, `dim` and `type`. Indices are int or long. Datasets beyond the schema are ignored.

use std::ops::Range;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::hdf5_output::{Attribute, Data, Output, write_file};
use crate::place::Place;
use crate::schema::{Case, Content, Format, Schema, Table, level_name};
use crate::validate::checked_targets;

/// Version of the layout, the attribute `schema`.
const SCHEMA: i32 = 1;

/// The case of an HDF5 mesh file and which layout it has. Not collective.
pub(crate) fn detect(path: &Path) -> Result<(Case, Format), IoError> {
    let file = Hdf5File::open(path)?;
    if let Some(case) = file.text_attribute("case")? {
        let case: Case = case.parse().map_err(|e: IoError| file.wrong("case", e.to_string()))?;
        let version = file.integer_attribute("schema")?;
        if version != Some(i64::from(SCHEMA)) {
            let found = version.map_or("missing".into(), |v| v.to_string());
            return Err(file.wrong("schema", format!("the attribute is {found}, expected {SCHEMA}")));
        }
        return Ok((case, Format::Hdf5));
    }
    let has_all = |names: &[&str]| names.iter().all(|name| file.has(name));
    if has_all(&["nodes", "cells", "bedges"]) || file.has("pcell") {
        // Both cases call a set `bedges`; only Airfoil has edges.
        let edges = ["edges", "pedge", "pecell", "pbecell"].iter().any(|name| file.has(name));
        Ok((if edges { Case::Airfoil } else { Case::Aero }, Format::Op2Hdf5))
    } else if has_all(&["edge-->node", "node_coordinates"]) {
        Ok((Case::Mgcfd, Format::MgCfd))
    } else {
        Err(IoError::file(
            path,
            "this HDF5 file is not a mesh: it has neither the attribute `case` nor OP2's datasets (`nodes`, `cells`, `bedges`, `pcell`, ...) nor MG-CFD's (`edge-->node`, ...)",
        ))
    }
}

/// Reads this rank's blocks; unvalidated, except that every index is in range. Collective.
pub(crate) fn read(comm: &Comm, case: Case, format: Format, path: &Path) -> Result<(Mesh, Place), IoError> {
    let place = Place::hdf5(path, format);
    let opened = comm.agree(Hdf5File::open(path).and_then(|file| {
        let schema = case.schema(if case == Case::Mgcfd { levels(&file)? } else { 1 });
        let sizes = set_sizes(&file, &schema, format)?;
        Ok((file, schema, sizes))
    }));
    let (file, schema, sizes) = opened?;
    let mut mesh = Mesh::default();
    for (set, &rows) in schema.sets.iter().zip(&sizes) {
        mesh.add_set(&set.name, rows);
    }
    for table in &schema.tables {
        let set = mesh.set(&table.set).expect("a schema's tables are on its sets");
        let own = mesh.blocks(set, comm).range(comm.rank());
        let added = add_table(&mut mesh, &file, &place, table, set, own);
        comm.agree(added)?;
    }
    Ok((mesh, place))
}

/// Adds a table's rows of this rank's block.
pub(crate) fn add_table(
    mesh: &mut Mesh,
    file: &Hdf5File,
    place: &Place,
    table: &Table,
    set: usize,
    own: Range<u64>,
) -> Result<(), IoError> {
    let dataset = file.table(place.dataset(table), numbers(table))?;
    if table.content == Content::F64 {
        mesh.add_dat(&table.name, set, table.dim, Values::F64(dataset.floats(own)?));
        return Ok(());
    }
    add_integers(mesh, place, table, own.start, &dataset.integers(own)?)
}

/// Adds a map, or a dat of integers, whose rows of this rank's block a file has; `start` is the first row's number.
pub(crate) fn add_integers(
    mesh: &mut Mesh,
    place: &Place,
    table: &Table,
    start: u64,
    values: &[i64],
) -> Result<(), IoError> {
    let set = mesh.set(&table.set).expect("a schema's tables are on its sets");
    if let Content::Map { to } = &table.content {
        let to = mesh.set(to).expect("a schema's maps lead to its sets");
        let rows = checked_targets(place, table, start, values, mesh.sets[to].rows)?;
        mesh.add_map(&table.name, set, to, table.dim, rows);
    } else {
        let values = small_integers(place, table, start, values)?;
        mesh.add_dat(&table.name, set, table.dim, Values::I32(values));
    }
    Ok(())
}

/// Integers of a dat, which must fit 32 bits.
fn small_integers(place: &Place, table: &Table, start: u64, values: &[i64]) -> Result<Vec<i32>, IoError> {
    let narrow = |(k, &v): (usize, &i64)| {
        i32::try_from(v).map_err(|_| {
            let row = start + (k / table.dim) as u64;
            place.row(table, row, format!("the value {v} does not fit 32 bits"))
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

/// The number of levels of a Mgcfd file: of its groups `level0`, `level1`, ... without a gap.
fn levels(file: &Hdf5File) -> Result<usize, IoError> {
    let levels = (0..).take_while(|&level| file.has(&format!("level{level}"))).count();
    let beyond = level_name(levels.saturating_sub(1), "node_mg_node");
    if levels == 0 {
        Err(file.wrong("level0", "the group of the finest level is missing"))
    } else if file.has(&beyond) {
        Err(file
            .wrong(&format!("level{levels}"), format!("the group is missing, but `{beyond}` leads to it")))
    } else {
        Ok(levels)
    }
}

/// The sets' sizes, which all tables agree on.
pub(crate) fn set_sizes(file: &Hdf5File, schema: &Schema, format: Format) -> Result<Vec<u64>, IoError> {
    let mut sizes: Vec<Option<(u64, &str)>> = Vec::new();
    for set in &schema.sets {
        sizes.push(match format {
            Format::Op2Hdf5 => Some((scalar_size(file, set.op2)?, set.op2)),
            _ => None,
        });
    }
    for table in &schema.tables {
        let name = if format == Format::Hdf5 { &table.dataset[..] } else { table.op2 };
        let shape = file.table(name, numbers(table))?.shape;
        let flat = table.dim == 1 && format != Format::Op2Hdf5;
        let rows_of_dim = shape.len() == 2 && shape[1] == table.dim as u64;
        let fits = match flat {
            true => shape.len() == 1 || format == Format::MgCfd && rows_of_dim,
            false => rows_of_dim,
        };
        if !fits {
            let set = &table.set;
            let expected = if flat { format!("({set})") } else { format!("({set}, {})", table.dim) };
            return Err(file.wrong(name, format!("the shape is {shape:?}, expected {expected}")));
        }
        let set =
            schema.sets.iter().position(|s| s.name == table.set).expect("a schema's tables are on its sets");
        match sizes[set] {
            None => sizes[set] = Some((shape[0], name)),
            Some((rows, by)) if rows != shape[0] => {
                let what = format!("{} rows, but `{by}` says there are {rows} {}", shape[0], table.set);
                return Err(file.wrong(name, what));
            }
            Some(_) => {}
        }
    }
    let known = sizes.into_iter().map(|size| size.expect("every set of a schema has a table").0);
    Ok(known.collect())
}

/// The single number in a set's dataset.
fn scalar_size(file: &Hdf5File, set: &str) -> Result<u64, IoError> {
    let table = file.table(set, Numbers::Integer)?;
    let value = if table.shape.iter().all(|&n| n == 1) { table.first()? } else { -1 };
    u64::try_from(value)
        .map_err(|_| file.wrong(set, "expected one number, the size of the set, not negative"))
}

/// Writes a mesh in the project's layout or OP2's. Collective.
pub(crate) fn write(
    comm: &Comm,
    mesh: &Mesh,
    schema: &Schema,
    format: Format,
    path: &Path,
) -> Result<(), IoError> {
    let mut outputs = Vec::new();
    let mut attributes = Vec::new();
    if format == Format::Hdf5 {
        // Of fixed length: texts of variable length lie in a heap, in which the library can hang when it is damaged.
        attributes.push(("case", Attribute::ShortText(schema.case.name())));
        attributes.push(("schema", Attribute::Integer(SCHEMA)));
    } else {
        let too_large = mesh.sets.iter().find(|set| set.rows > i32::MAX as u64);
        if let Some(set) = too_large {
            let what = format!(
                "OP2's HDF5 holds at most 2^31 - 1 elements of a set, and there are {} {}",
                set.rows, set.name
            );
            return Err(IoError::write(path, what));
        }
        outputs.extend(schema.sets.iter().map(|names| {
            let set = &mesh.sets[mesh.set(&names.name).expect("a checked mesh has its schema's sets")];
            Output {
                name: names.op2.into(),
                shape: vec![1],
                rows: if comm.is_root() { 0..1 } else { 0..0 },
                data: Data::I32(if comm.is_root() {
                    vec![set.rows as i32].into()
                } else {
                    Vec::new().into()
                }),
                attributes: Vec::new(),
            }
        }));
    }
    outputs.extend(schema.tables.iter().map(|table| table_output(comm, mesh, table, format)));
    if format == Format::Op2Hdf5 {
        outputs.extend(op2_state(comm, mesh, schema.case));
        if schema.case == Case::Airfoil {
            outputs.extend(AirfoilConstants::published().outputs(comm));
        }
    }
    write_file(comm, path, &attributes, &outputs)
}

/// This rank's rows of a table.
pub(crate) fn table_output<'a>(comm: &Comm, mesh: &'a Mesh, table: &Table, format: Format) -> Output<'a> {
    let (set, data) = table_data(mesh, table);
    output(comm, mesh, set, table, format, data)
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

fn output<'a>(
    comm: &Comm,
    mesh: &Mesh,
    set: usize,
    table: &Table,
    format: Format,
    data: Data<'a>,
) -> Output<'a> {
    let rows = mesh.sets[set].rows as usize;
    let own = mesh.blocks(set, comm).range(comm.rank());
    let op2 = format != Format::Hdf5;
    let (kind, bytes) = match data {
        Data::F64(_) => ("double", 8),
        Data::I32(_) => ("int", 4),
        Data::I64(_) => ("long", 8),
    };
    // OP2's `size` is a map's number of rows, and a dat's bytes in one row.
    let size = match table.content {
        Content::Map { .. } => rows as i32,
        Content::F64 | Content::I32 => bytes * table.dim as i32,
    };
    Output {
        name: if op2 { table.op2 } else { &table.dataset[..] }.into(),
        shape: if table.dim == 1 && !op2 { vec![rows] } else { vec![rows, table.dim] },
        rows: own.start as usize..own.end as usize,
        data,
        attributes: if op2 {
            vec![
                ("size", Attribute::IntegerArray(size)),
                ("dim", Attribute::IntegerArray(table.dim as i32)),
                ("type", Attribute::ShortText(kind)),
            ]
        } else {
            Vec::new()
        },
    }
}

/// The constants of the published Airfoil program, which its form for HDF5 reads from the mesh's file.
struct AirfoilConstants {
    gamma: f64,
    cfl: f64,
    eps: f64,
    mach: f64,
    /// In radians; the program reads it and does not use it.
    alpha: f64,
}

impl AirfoilConstants {
    /// Rounded to single precision, as the program has them.
    fn published() -> AirfoilConstants {
        let [gamma, cfl, eps, mach] = [1.4f32, 0.9, 0.05, 0.4].map(f64::from);
        AirfoilConstants { gamma, cfl, eps, mach, alpha: 3f64.to_radians() }
    }

    /// p = rho = 1, along x.
    fn free_stream(&self) -> [f64; 4] {
        let u = self.gamma.sqrt() * self.mach;
        [1.0, u, 0.0, 1.0 / (self.gamma - 1.0) + 0.5 * u * u]
    }

    /// The constants as OP2 writes them: datasets of their own, with their dimension and type. Rank 0 writes them.
    fn outputs(&self, comm: &Comm) -> Vec<Output<'static>> {
        let &AirfoilConstants { gamma, cfl, eps, mach, alpha } = self;
        let numbers = [
            ("gam", gamma),
            ("gm1", gamma - 1.0),
            ("cfl", cfl),
            ("eps", eps),
            ("mach", mach),
            ("alpha", alpha),
        ];
        let constants = numbers.map(|(name, number)| (name, vec![number]));
        let output = |(name, values): (&str, Vec<f64>)| {
            let dim = values.len();
            let own = if comm.is_root() { dim } else { 0 };
            Output {
                name: name.into(),
                shape: vec![dim],
                rows: 0..own,
                data: Data::F64(values[..own].to_vec().into()),
                attributes: vec![
                    ("dim", Attribute::IntegerArray(dim as i32)),
                    ("type", Attribute::ShortText("double")),
                ],
            }
        };
        constants.into_iter().chain([("qinf", self.free_stream().to_vec())]).map(output).collect()
    }
}

/// The state that OP2's programs read with the mesh, and start from.
fn op2_state(comm: &Comm, mesh: &Mesh, case: Case) -> Vec<Output<'static>> {
    let rows = |set: &str| {
        let set = mesh.set(set).expect("a checked mesh has its schema's sets");
        let own = mesh.blocks(set, comm).range(comm.rank());
        (own.end - own.start) as usize
    };
    let constant = |op2: &'static str, set: &'static str, row: &[f64]| {
        op2_dat(comm, mesh, op2, set, row.len(), row.repeat(rows(set)))
    };
    match case {
        Case::Airfoil => vec![
            constant("p_q", "cells", &AirfoilConstants::published().free_stream()),
            constant("p_qold", "cells", &[0.0; 4]),
            constant("p_adt", "cells", &[0.0]),
            constant("p_res", "cells", &[0.0; 4]),
        ],
        // The potential of a free stream of Mach 0.1, M x.
        Case::Aero => {
            let Values::F64(x) = &mesh.dats[mesh.dat("x").expect("a checked mesh has coordinates")].values
            else {
                panic!("a checked mesh has coordinates in double precision")
            };
            let potential = x.chunks_exact(2).map(|x| 0.1 * x[0]).collect();
            let mut state = vec![op2_dat(comm, mesh, "p_phim", "nodes", 1, potential)];
            state.extend(["p_resm", "p_V", "p_P", "p_U"].map(|name| constant(name, "nodes", &[0.0])));
            state.push(constant("p_none", "nodes", &[0.0; 4]));
            state.push(constant("p_K", "cells", &[0.0; 16]));
            state
        }
        Case::Mgcfd => Vec::new(),
    }
}

fn op2_dat(
    comm: &Comm,
    mesh: &Mesh,
    op2: &'static str,
    set: &'static str,
    dim: usize,
    values: Vec<f64>,
) -> Output<'static> {
    let table =
        Table { name: op2.into(), set: set.into(), dim, content: Content::F64, dataset: op2.into(), op2 };
    let set = mesh.set(set).expect("a checked mesh has its schema's sets");
    output(comm, mesh, set, &table, Format::Op2Hdf5, Data::F64(values.into()))
}
