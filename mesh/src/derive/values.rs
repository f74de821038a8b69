//! Shapes, index ranges and single values.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};

use super::view::{Defect, View};
use crate::{Content, Table};

/// Checks that a mesh has the tables and their sets, and this rank its block of them. Not collective.
///
/// # Errors
/// The first table that is missing or of another shape.
pub fn shapes(comm: &Comm, mesh: &Mesh, tables: &[Table]) -> Result<(), Defect> {
    for table in tables {
        let wrong = |what: String| Defect::Table { table: Box::new(table.clone()), what };
        let set =
            mesh.set(&table.set).ok_or_else(|| wrong(format!("the mesh has no set `{}`", table.set)))?;
        let missing = || wrong(format!("the mesh has no `{}`", table.name));
        let (on, dim, len) = match &table.content {
            Content::Map { to } => {
                let map = &mesh.maps[mesh.map(&table.name).ok_or_else(missing)?];
                if mesh.sets[map.to].name != *to {
                    let found = &mesh.sets[map.to].name;
                    return Err(wrong(format!("the map leads to `{found}`, expected `{to}`")));
                }
                (map.from, map.arity, map.rows.len())
            }
            Content::F64 | Content::I32 => {
                let dat = &mesh.dats[mesh.dat(&table.name).ok_or_else(missing)?];
                let right = matches!(
                    (&table.content, &dat.values),
                    (Content::F64, Values::F64(_)) | (Content::I32, Values::I32(_))
                );
                if !right {
                    return Err(wrong(format!("the values' type is wrong, expected {:?}", table.content)));
                }
                (dat.set, dat.dim, dat.values.len())
            }
        };
        if on != set || dim != table.dim {
            return Err(wrong(format!(
                "it has {dim} values on each of `{}`, expected {} on each of `{}`",
                mesh.sets[on].name, table.dim, table.set
            )));
        }
        let own = mesh.blocks(set, comm).range(comm.rank());
        if len as u64 != (own.end - own.start) * dim as u64 {
            return Err(wrong(format!(
                "rank {} has {len} values, expected {dim} for each of its rows {own:?}",
                comm.rank()
            )));
        }
    }
    Ok(())
}

/// Checks that every index of every map is a row of its target set. Not collective.
///
/// # Errors
/// This rank's first index that is not.
pub fn ranges(comm: &Comm, mesh: &Mesh, tables: &[Table]) -> Result<(), Defect> {
    for table in tables {
        let Content::Map { .. } = table.content else { continue };
        let map = &mesh.maps[mesh.map(&table.name).expect("shapes are checked")];
        let start = Blocks::new(mesh.sets[map.from].rows, comm.size()).range(comm.rank()).start;
        let targets = mesh.sets[map.to].rows;
        if let Some(k) = map.rows.iter().position(|&t| t >= targets) {
            let (row, what) = (start + (k / table.dim) as u64, table.out_of_range(0, map.rows[k], targets));
            return Err(Defect::Row { table: Box::new(table.clone()), row, what });
        }
    }
    Ok(())
}

/// All numbers, mostly coordinates, are finite.
pub(super) fn finite(view: &View<'_>) -> Result<(), Defect> {
    for table in view.schema.tables.iter().filter(|table| table.content == Content::F64) {
        let values = view.numbers(&table.name);
        if let Some(k) = values.iter().position(|v| !v.is_finite()) {
            let row = view.start(&table.set) + (k / table.dim) as u64;
            let what = if table.dataset.ends_with("node_coordinates") { "coordinate" } else { "value" };
            let what = format!("the {what} {} is not a finite number", values[k]);
            return Err(view.error(&table.name, row, what));
        }
    }
    Ok(())
}
