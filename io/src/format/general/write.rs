//! Checks a mesh of any sets, maps and dats and writes it.

use std::collections::BTreeSet;
use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_engine::mesh::{Mesh, MeshSet, Values};
use cfd_mesh::derive::values::{ranges, shapes};
use cfd_mesh::{Content, Groups, Table};

use super::{DEEPEST, LAYOUT, MOST_NAMES, NAME, SCHEMA, table};
use crate::IoError;
use crate::format::tables;
use crate::hdf5_output::{Attribute, Data, NewDataset, name as fixed, write_file};
use crate::source::{MeshSource, dataset};

/// [`write_any_mesh`], with names of groups.
pub(crate) fn write(comm: &Comm, mesh: &Mesh, groups: &Groups, path: &Path) -> Result<(), IoError> {
    let checked = check(comm, mesh, path).and_then(|tables| outputs(comm, mesh, &tables, groups, path));
    let outputs = comm.agree(checked)?;
    let attributes = [("layout", Attribute::ShortText(NAME)), ("schema", Attribute::Integer(SCHEMA))];
    write_file(comm, path, &attributes, &outputs)
}

/// The tables of a consistent mesh.
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
    let source = MeshSource::new(path, dataset);
    let checked = shapes(comm, mesh, &tables).and_then(|()| ranges(comm, mesh, &tables));
    checked.map_err(|defect| source.defect(defect))?;
    Ok(tables)
}

/// Checks that names can be distinct datasets of one group.
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
            return wrong("two have this name; expected one".into());
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

/// Everything in a file, with this rank's rows.
fn outputs<'a>(
    comm: &Comm,
    mesh: &'a Mesh,
    tables: &[Table],
    groups: &Groups,
    path: &Path,
) -> Result<Vec<NewDataset<'a>>, IoError> {
    let own = usize::from(comm.is_root());
    let set = |(index, set): (usize, &MeshSet)| NewDataset {
        name: format!("sets/{}", set.name),
        shape: vec![1],
        rows: 0..own,
        data: Data::I64(vec![set.rows as i64; own].into()),
        attributes: vec![("index", Attribute::Integer(index as i32))],
    };
    let mut outputs: Vec<NewDataset<'a>> = mesh.sets.iter().enumerate().map(set).collect();
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

/// The names of groups, which rank 0 writes; nothing if there are none.
fn group_outputs(own: usize, groups: &Groups, path: &Path) -> Result<Vec<NewDataset<'static>>, IoError> {
    let rows = groups.iter().count();
    if rows == 0 {
        return Ok(Vec::new());
    }
    if rows as u64 > MOST_NAMES {
        let what = format!("{rows} names of groups; expected at most {MOST_NAMES}");
        return Err(IoError::dataset(path, "groups/name", what));
    }
    if let Some(group) = groups.iter().find(|group| !(1..=3).contains(&group.dimension)) {
        let what = format!(
            "the group \"{}\" has {} dimensions; expected 1, 2 or 3",
            short(&group.name),
            group.dimension
        );
        return Err(IoError::dataset(path, "groups/dimension", what));
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
    let output = |name: &str, data: Data<'static>| NewDataset {
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
