//! Finds the sets, maps and dats of a file and reads them.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_engine::mesh::Mesh;
use cfd_mesh::{Content, Groups, Table};

use super::{DEEPEST, MOST_NAMES, SCHEMA, is_general, table};
use crate::IoError;
use crate::format::tables;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::source::{MeshSource, dataset};

/// [`read_any_mesh`], with names of groups; also returns the positions of rows.
pub(crate) fn read(comm: &Comm, path: &Path) -> Result<(Mesh, Groups, MeshSource), IoError> {
    let source = MeshSource::new(path, dataset);
    let opened = Hdf5File::open(path).and_then(|file| {
        let header = header(&file, path)?;
        Ok((file, header))
    });
    let (file, Header { sets, tables, groups }) = comm.agree(opened)?;
    let mut mesh = Mesh::default();
    for (set, rows) in &sets {
        mesh.add_set(set, *rows);
    }
    tables::add_tables(comm, &mut mesh, &file, &source, &tables)?;
    Ok((mesh, groups, source))
}

/// The contents of a file, without the rows.
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

/// The names of groups, if the file has any.
pub(crate) fn groups(file: &Hdf5File) -> Result<Groups, IoError> {
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
    if rows > MOST_NAMES {
        return Err(file.wrong("groups/name", format!("{rows} names; expected at most {MOST_NAMES}")));
    }
    for (table, other) in [(&dimension, "dimension"), (&id, "id")] {
        if table.shape[0] != rows {
            let what = format!("{} rows, but `groups/name` has {rows}", table.shape[0]);
            return Err(file.wrong(&format!("groups/{other}"), what));
        }
    }
    let (dimensions, ids) = (dimension.integers(0..rows)?, id.integers(0..rows)?);
    for (row, (text, (dimension, id))) in name.texts()?.iter().zip(dimensions.iter().zip(&ids)).enumerate() {
        let wrong = |column: &str, value: i64, expected: &str| {
            let what = format!("row {row}: {value} is not a {column} of a group; expected {expected}");
            file.wrong(&format!("groups/{column}"), what)
        };
        let known = usize::try_from(*dimension).ok().filter(|dimension| (1..=3).contains(dimension));
        let known = known.ok_or_else(|| wrong("dimension", *dimension, "1, 2 or 3"))?;
        let id = i32::try_from(*id).map_err(|_| wrong("id", *id, "a 32-bit integer"))?;
        groups.add(known, id, text);
    }
    Ok(groups)
}
