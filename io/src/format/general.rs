//! Meshes of any sets, maps and dats in HDF5, without a topology.
//!
//! ```text
//! sets/NAME   one integer: the elements of a set
//! maps/NAME   (rows of the source set, arity): i32 where the target set has fewer than 2^31 elements, else i64;
//!             attributes `from` and `to`, names of sets
//! dats/NAME   (rows of the set, dim): f64 or i32; attribute `set`
//! groups/     names of groups of elements, of meshes that have some: datasets `dimension`, `id`, `name`, a row a name
//! ```
//!
//! Sets, maps and dats have the attribute `index`, their place in the mesh among their kind. The file has the attributes
//! `layout` ("general") and `schema` (1).

use std::collections::BTreeSet;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_engine::mesh::{Mesh, MeshSet, Values};
use cfd_topology::{Content, Groups, Table};

use super::hdf5::{HDF5, dataset};
use super::tables::{self, Layout, Single};
use crate::IoError;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::hdf5_output::{Attribute, Data, Output, name as fixed, write_file};
use crate::place::Place;
use crate::validate::{ranges, shapes};

const LAYOUT: Layout = Layout { dataset, set_size: None, single: Single::Column, op2_attributes: false };

/// The attribute `layout`.
const NAME: &str = "general";

/// Version of the layout, the attribute `schema`.
const SCHEMA: i32 = 1;

/// How deep names may lie in groups: `a/b/c/d` does.
const DEEPEST: usize = 3;

/// Whether a file has this layout.
pub(super) fn is_general(file: &Hdf5File) -> Result<bool, IoError> {
    Ok(file.text_attribute("layout")?.as_deref() == Some(NAME))
}

/// Writes a mesh of any sets, maps and dats as HDF5, each rank its block; `docs/formats.md` has the layout. Collective; the
/// file appears complete or not at all.
///
/// # Errors
/// A mesh that does not fit together, names that no file can have, or [`IoError::Write`]; the same on every rank.
pub fn write_any_mesh(comm: &Comm, mesh: &Mesh, path: &Path) -> Result<(), IoError> {
    write(comm, mesh, &Groups::default(), path)
}

/// Reads a mesh that [`write_any_mesh`] has written, on any number of ranks; of a mesh of elements without the names of its
/// groups. Collective.
///
/// # Errors
/// The file is missing, damaged or of another layout: something missing, of another type or shape than it should be, or an
/// index out of range, with dataset and row; the same on every rank.
pub fn read_any_mesh(comm: &Comm, path: &Path) -> Result<Mesh, IoError> {
    Ok(read(comm, path)?.0)
}

/// [`write_any_mesh`], with names of groups.
pub(crate) fn write(comm: &Comm, mesh: &Mesh, groups: &Groups, path: &Path) -> Result<(), IoError> {
    let checked = check(comm, mesh, path).and_then(|tables| outputs(comm, mesh, &tables, groups, path));
    let outputs = comm.agree(checked)?;
    let attributes = [("layout", Attribute::ShortText(NAME)), ("schema", Attribute::Integer(SCHEMA))];
    write_file(comm, path, &attributes, &outputs)
}

/// The tables of a mesh that fits together.
fn check(comm: &Comm, mesh: &Mesh, path: &Path) -> Result<Vec<Table>, IoError> {
    check_names(path, "sets", mesh.sets.iter().map(|set| &set.name))?;
    check_names(path, "maps", mesh.maps.iter().map(|map| &map.name))?;
    check_names(path, "dats", mesh.dats.iter().map(|dat| &dat.name))?;
    if let Some(set) = mesh.sets.iter().find(|set| i64::try_from(set.rows).is_err()) {
        let what = format!("{} elements; a set has at most 2^63 - 1", set.rows);
        return Err(IoError::dataset(path, &format!("sets/{}", set.name), what));
    }
    let set_name = |kind: &str, name: &str, set: usize| match mesh.sets.get(set) {
        Some(set) => Ok(set.name.clone()),
        None => {
            let what = format!("it is on set number {set}, but there are {} sets", mesh.sets.len());
            Err(IoError::dataset(path, &format!("{kind}/{name}"), what))
        }
    };
    let mut tables = Vec::new();
    for map in &mesh.maps {
        let set = set_name("maps", &map.name, map.from)?;
        let content = Content::Map { to: set_name("maps", &map.name, map.to)? };
        tables.push(table("maps", &map.name, set, map.arity, content));
    }
    for dat in &mesh.dats {
        let set = set_name("dats", &dat.name, dat.set)?;
        let content = match dat.values {
            Values::F64(_) => Content::F64,
            Values::I32(_) => Content::I32,
        };
        tables.push(table("dats", &dat.name, set, dat.dim, content));
    }
    let place = Place::new(path, &HDF5);
    shapes(comm, mesh, &tables, &place)?;
    ranges(comm, mesh, &tables, &place)?;
    Ok(tables)
}

/// A map or dat of a mesh: `kind` is its group in files.
pub(crate) fn table(kind: &str, name: &str, set: String, dim: usize, content: Content) -> Table {
    Table { name: name.into(), set, dim, content, dataset: format!("{kind}/{name}") }
}

/// Checks that names can be those of datasets of one group, each of one.
fn check_names<'a>(
    path: &Path,
    kind: &str,
    names: impl Iterator<Item = &'a String> + Clone,
) -> Result<(), IoError> {
    let all: BTreeSet<&str> = names.clone().map(String::as_str).collect();
    let mut seen = BTreeSet::new();
    for name in names {
        let wrong = |what: String| Err(IoError::dataset(path, &format!("{kind}/{name}"), what));
        let parts = name.split('/').count();
        if fixed(name).is_none() || name.split('/').any(|part| ["", ".", ".."].contains(&part)) {
            return wrong(
                "this cannot be the name of a dataset; expected a name of at most 255 bytes, with `/` only between its parts"
                    .into(),
            );
        }
        if parts > DEEPEST + 1 {
            return wrong(format!("the name has {parts} parts; expected at most {}", DEEPEST + 1));
        }
        if !seen.insert(name) {
            return wrong("there are two of this name; expected one".into());
        }
        let inside = name.match_indices('/').map(|(end, _)| &name[..end]).find(|part| all.contains(part));
        if let Some(part) = inside {
            return wrong(format!(
                "there is also `{part}`, which cannot be a dataset and a group; rename one of them"
            ));
        }
    }
    Ok(())
}

/// Everything that a file has, this rank's rows of it.
fn outputs<'a>(
    comm: &Comm,
    mesh: &'a Mesh,
    tables: &[Table],
    groups: &Groups,
    path: &Path,
) -> Result<Vec<Output<'a>>, IoError> {
    let own = usize::from(comm.is_root());
    let set = |(index, set): (usize, &MeshSet)| Output {
        name: format!("sets/{}", set.name),
        shape: vec![1],
        rows: 0..own,
        data: Data::I64(vec![set.rows as i64; own].into()),
        attributes: vec![("index", Attribute::Integer(index as i32))],
    };
    let mut outputs: Vec<Output<'a>> = mesh.sets.iter().enumerate().map(set).collect();
    let text = |name: &str| Attribute::Name(Box::new(fixed(name).expect("names are checked")));
    let mut made = tables::table_outputs(comm, mesh, tables, &LAYOUT);
    for (place, (table, output)) in tables.iter().zip(&mut made).enumerate() {
        let (index, sets) = match &table.content {
            Content::Map { to } => (place, vec![("from", text(&table.set)), ("to", text(to))]),
            _ => (place - mesh.maps.len(), vec![("set", text(&table.set))]),
        };
        output.attributes = sets;
        output.attributes.push(("index", Attribute::Integer(index as i32)));
    }
    outputs.append(&mut made);
    outputs.extend(group_outputs(own, groups, path)?);
    Ok(outputs)
}

/// The names of groups, which rank 0 writes; nothing where there are none.
fn group_outputs(own: usize, groups: &Groups, path: &Path) -> Result<Vec<Output<'static>>, IoError> {
    let rows = groups.iter().count();
    if rows == 0 {
        return Ok(Vec::new());
    }
    let names = groups.iter().map(|group| {
        fixed(&group.name).ok_or_else(|| {
            let what = format!(
                "the name of a group, \"{}\", cannot be stored; expected at most 255 bytes, none of them zero",
                short(&group.name)
            );
            IoError::dataset(path, "groups/name", what)
        })
    });
    let names: Vec<_> = names.collect::<Result<_, IoError>>()?;
    let dimensions: Vec<i32> = groups.iter().map(|group| group.dimension as i32).collect();
    let ids: Vec<i32> = groups.iter().map(|group| group.id).collect();
    let output = |name: &str, data: Data<'static>| Output {
        name: format!("groups/{name}"),
        shape: vec![rows],
        rows: 0..own * rows,
        data,
        attributes: Vec::new(),
    };
    let here = own * rows;
    Ok(vec![
        output("dimension", Data::I32(dimensions[..here].to_vec().into())),
        output("id", Data::I32(ids[..here].to_vec().into())),
        output("name", Data::Text(names[..here].to_vec())),
    ])
}

/// [`read_any_mesh`], with names of groups; also where rows stand.
pub(crate) fn read(comm: &Comm, path: &Path) -> Result<(Mesh, Groups, Place), IoError> {
    let place = Place::new(path, &HDF5);
    let opened = Hdf5File::open(path).and_then(|file| {
        let header = header(&file, path)?;
        Ok((file, header))
    });
    let (file, Header { sets, tables, groups }) = comm.agree(opened)?;
    let mut mesh = Mesh::default();
    for (set, rows) in &sets {
        mesh.add_set(set, *rows);
    }
    tables::add_tables(comm, &mut mesh, &file, &place, &tables)?;
    Ok((mesh, groups, place))
}

/// What a file has, without the rows.
struct Header {
    sets: Vec<(String, u64)>,
    /// Maps, then dats, each in order.
    tables: Vec<Table>,
    groups: Groups,
}

fn header(file: &Hdf5File, path: &Path) -> Result<Header, IoError> {
    if !is_general(file)? {
        let what = "this is not a mesh in the general layout: it has no attribute `layout` \"general\"";
        return Err(IoError::file(path, what));
    }
    let version = file.integer_attribute("schema")?;
    if version != Some(i64::from(SCHEMA)) {
        let found = version.map_or("missing".into(), |v| v.to_string());
        return Err(file.wrong("schema", format!("the attribute is {found}, expected {SCHEMA}")));
    }
    let mut sets = Vec::new();
    for name in members(file, "sets")? {
        let dataset = format!("sets/{name}");
        let rows = tables::scalar_size(file, &dataset)?;
        sets.push((name, rows));
    }
    let size = |dataset: &str, attribute: &str| {
        let name = file.text_of(dataset, attribute)?;
        match sets.iter().find(|(set, _)| *set == name) {
            Some((_, rows)) => Ok((name, *rows)),
            None => {
                let what = format!("there is no set \"{}\" in the group `sets`", short(&name));
                Err(file.wrong(&format!("{dataset}.{attribute}"), what))
            }
        }
    };
    let mut tables = Vec::new();
    for kind in ["maps", "dats"] {
        for name in members(file, kind)? {
            let dataset = format!("{kind}/{name}");
            let (set, rows) = size(&dataset, if kind == "maps" { "from" } else { "set" })?;
            let content = if kind == "maps" {
                Content::Map { to: size(&dataset, "to")?.0 }
            } else if file.has_integers(&dataset)? {
                Content::I32
            } else {
                file.table(&dataset, Numbers::Float)?.double_precision()?;
                Content::F64
            };
            let numbers = if content == Content::F64 { Numbers::Float } else { Numbers::Integer };
            let shape = file.table(&dataset, numbers)?.shape;
            let [_, dim] = shape[..] else {
                let what = format!("the shape is {shape:?}, expected ({set}, values of each)");
                return Err(file.wrong(&dataset, what));
            };
            tables::agree(file, &dataset, shape[0], &set, rows, &format!("sets/{set}"))?;
            tables.push(table(kind, &name, set, dim as usize, content));
        }
    }
    let groups = groups(file)?;
    Ok(Header { sets, tables, groups })
}

/// The names of a group's datasets, in the order of their attribute `index`.
fn members(file: &Hdf5File, kind: &str) -> Result<Vec<String>, IoError> {
    if kind != "sets" && !file.has(kind) {
        return Ok(Vec::new());
    }
    let names = file.datasets_of(kind, DEEPEST)?;
    let mut ordered: Vec<Option<String>> = vec![None; names.len()];
    for name in &names {
        let index = file.integer_of(name, "index")?;
        let place = usize::try_from(index).ok().and_then(|index| ordered.get_mut(index));
        match place {
            Some(place @ None) => *place = Some(name[kind.len() + 1..].to_string()),
            _ => {
                let what = format!(
                    "the attribute is {index}; expected each of 0 to {} once in the group `{kind}`",
                    names.len() - 1
                );
                return Err(file.wrong(&format!("{name}.index"), what));
            }
        }
    }
    Ok(ordered.into_iter().flatten().collect())
}

/// The names of groups; none where the file has none.
fn groups(file: &Hdf5File) -> Result<Groups, IoError> {
    let mut groups = Groups::default();
    if !file.has("groups") {
        return Ok(groups);
    }
    let column = |name: &str, numbers| {
        let table = file.table(&format!("groups/{name}"), numbers)?;
        match table.shape[..] {
            [_] => Ok(table),
            _ => Err(file.wrong(
                &format!("groups/{name}"),
                format!("the shape is {:?}, expected (groups)", table.shape),
            )),
        }
    };
    let (dimension, id) = (column("dimension", Numbers::Integer)?, column("id", Numbers::Integer)?);
    let name = column("name", Numbers::Text)?;
    let rows = name.shape[0];
    for (table, other) in [(&dimension, "dimension"), (&id, "id")] {
        if table.shape[0] != rows {
            let what = format!("{} rows, but `groups/name` has {rows}", table.shape[0]);
            return Err(file.wrong(&format!("groups/{other}"), what));
        }
    }
    let (dimensions, ids) = (dimension.integers(0..rows)?, id.integers(0..rows)?);
    for (row, (text, (dimension, id))) in name.texts()?.iter().zip(dimensions.iter().zip(&ids)).enumerate() {
        let wrong = |column: &str, value: i64, expected: &str| {
            let what = format!("row {row}: {value} is no {column} of a group; expected {expected}");
            file.wrong(&format!("groups/{column}"), what)
        };
        let known = usize::try_from(*dimension).ok().filter(|dimension| (1..=3).contains(dimension));
        let known = known.ok_or_else(|| wrong("dimension", *dimension, "1, 2 or 3"))?;
        let id = i32::try_from(*id).map_err(|_| wrong("id", *id, "an integer of 32 bits"))?;
        groups.add(known, id, text);
    }
    Ok(groups)
}
