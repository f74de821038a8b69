//! Shapes, index ranges and single values.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_topology::{BoundaryKind, Content, Table};

use super::View;
use crate::IoError;
use crate::place::Place;

/// The mesh has the tables and their sets, and each rank has its block of them.
pub(crate) fn shapes(comm: &Comm, mesh: &Mesh, tables: &[Table], place: &Place) -> Result<(), IoError> {
    for table in tables {
        let set = mesh
            .set(&table.set)
            .ok_or_else(|| place.table(table, format!("the mesh has no set `{}`", table.set)))?;
        let missing = || place.table(table, format!("the mesh has no `{}`", table.name));
        let (on, dim, len) = match &table.content {
            Content::Map { to } => {
                let map = &mesh.maps[mesh.map(&table.name).ok_or_else(missing)?];
                if mesh.sets[map.to].name != *to {
                    return Err(place.table(
                        table,
                        format!("the map leads to `{}`, expected `{to}`", mesh.sets[map.to].name),
                    ));
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
                    return Err(place
                        .table(table, format!("the values' type is wrong, expected {:?}", table.content)));
                }
                (dat.set, dat.dim, dat.values.len())
            }
        };
        if on != set || dim != table.dim {
            let what = format!(
                "it has {dim} values on each of `{}`, expected {} on each of `{}`",
                mesh.sets[on].name, table.dim, table.set
            );
            return Err(place.table(table, what));
        }
        let own = mesh.blocks(set, comm).range(comm.rank());
        if len as u64 != (own.end - own.start) * dim as u64 {
            let what =
                format!("rank {} has {len} values, expected {dim} for each of its rows {own:?}", comm.rank());
            return Err(place.table(table, what));
        }
    }
    Ok(())
}

/// Every index of every map is a row of its target set.
pub(crate) fn ranges(comm: &Comm, mesh: &Mesh, tables: &[Table], place: &Place) -> Result<(), IoError> {
    for table in tables {
        let Content::Map { .. } = table.content else { continue };
        let map = &mesh.maps[mesh.map(&table.name).expect("shapes are checked")];
        let start = Blocks::new(mesh.sets[map.from].rows, comm.size()).range(comm.rank()).start;
        let targets = mesh.sets[map.to].rows;
        if let Some(k) = map.rows.iter().position(|&t| t >= targets) {
            return Err(out_of_range(place, table, start, k, map.rows[k], targets));
        }
    }
    Ok(())
}

/// Converts a file's indices, counted from its base, to rows of a set of `targets` elements; `start` is the first row's
/// number.
pub(crate) fn checked_targets(
    place: &Place,
    table: &Table,
    start: u64,
    values: &[i64],
    targets: u64,
) -> Result<Vec<u64>, IoError> {
    let from_zero = |value: i64| value.checked_sub(place.base()).and_then(|value| u64::try_from(value).ok());
    let check = |(k, &value): (usize, &i64)| match from_zero(value) {
        Some(target) if target < targets => Ok(target),
        _ => Err(out_of_range(place, table, start, k, value, targets)),
    };
    values.iter().enumerate().map(check).collect()
}

fn out_of_range(
    place: &Place,
    table: &Table,
    start: u64,
    k: usize,
    value: impl std::fmt::Display,
    targets: u64,
) -> IoError {
    let Content::Map { to } = &table.content else { panic!("only maps have indices") };
    let row = start + (k / table.dim) as u64;
    let allowed = match targets {
        0 => format!("there are no {to}"),
        _ => format!("allowed are the {to} {} to {}", place.base(), place.base() as u64 + targets - 1),
    };
    place.row(table, row, format!("index {value} is out of range; {allowed}"))
}

/// All numbers, mostly coordinates, are finite.
pub(super) fn finite(view: &View<'_>) -> Result<(), IoError> {
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

/// Flags are those of known kinds of boundaries.
pub(super) fn flags(view: &View<'_>, kinds: &[BoundaryKind]) -> Result<(), IoError> {
    let Values::I32(bound) = view.dat("bound") else { panic!("types are checked") };
    match bound.iter().position(|&flag| !kinds.iter().any(|kind| kind.flag == flag)) {
        None => Ok(()),
        Some(k) => {
            let known: Vec<String> =
                kinds.iter().map(|kind| format!("{} ({})", kind.flag, kind.words())).collect();
            let what = format!("the flag {} is unknown; a boundary edge is {}", bound[k], known.join(" or "));
            Err(view.error("bound", view.start("bedges") + k as u64, what))
        }
    }
}
