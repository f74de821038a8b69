//! The grid that a case's fields are shown on: cells with corners, from the distributed domain.
//!
//! [`piece`] is this rank's own part, for pictures and VTU files; [`global`] is its block in global order, for files that are the
//! same on any ranks.

use std::collections::BTreeMap;

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::{Blocks, Shown, Values, fetch_rows, rows_to_blocks};
use cfd_io::{Array, CellList, FieldData, GlobalGrid, Piece, to_blocks};
use cfd_solvers::{Field, Solver};
use cfd_topology::{ElementKind, Topology};

/// Names in a solution file of elements kept for display only: the domain's, then its boundary's.
const LISTS: [&str; 2] = ["connectivity", "surface"];

/// This rank's cells, their corners' coordinates and all fields on cells and corners. If the mesh has elements kept for
/// display only, these are the cells, one block per rank. Collective.
///
/// # Errors
/// The mesh lacks something that meshes of its topology have; a device has failed.
pub fn piece(
    comm: &Comm,
    domain: &mut Domain,
    topology: Topology,
    solver: &dyn Solver,
    shown: &[Shown],
) -> Result<Piece, DomainError> {
    let cells = topology.cells();
    let (set, nodes) = (domain.set(cells.set)?, domain.set(cells.nodes)?);
    let x = domain.any_dat(cells.coordinates)?;
    let coordinates = FieldData::owned(domain, "coordinates", x)?;
    let (kinds, corners, global_ids) = if shown.is_empty() {
        let map = domain.any_map(cells.corners)?;
        let targets = domain.any_target_ids(map);
        let corners: Vec<Vec<u64>> =
            targets.chunks_exact(map.arity()).map(|cell| around(cell, cells.ring)).collect();
        (corners.iter().map(|cell| kind_of(cell.len())).collect(), corners, domain.global_ids(set).to_vec())
    } else {
        shown_cells(comm, shown)
    };
    let numbers = Numbers::of(&corners);
    let points = numbers.fetch(comm, &coordinates);
    let mut piece = Piece {
        kinds,
        points: points.chunks_exact(coordinates.dim).map(in_space).collect(),
        cells: corners.iter().map(|cell| cell.iter().map(|node| numbers.local[node]).collect()).collect(),
        global_ids,
        cell_data: shown_data(shown),
        ..Piece::default()
    };
    for field in fields(domain, solver)? {
        let on = field.dat.set();
        if on == set && shown.is_empty() {
            let values = FieldData::owned(domain, &field.name, field.dat)?.values;
            piece.cell_data.extend(arrays(&field, values));
        } else if on == nodes {
            let rows = FieldData::owned(domain, &field.name, field.dat)?;
            piece.point_data.extend(arrays(&field, numbers.fetch(comm, &rows)));
        }
    }
    Ok(piece)
}

/// This rank's blocks of cells, corners and all fields on them, in global order. Collective.
///
/// # Errors
/// As [`piece`].
pub fn global(
    comm: &Comm,
    domain: &mut Domain,
    topology: Topology,
    solver: &dyn Solver,
    shown: &[Shown],
) -> Result<GlobalGrid, DomainError> {
    let cells = topology.cells();
    let (set, nodes) = (domain.set(cells.set)?, domain.set(cells.nodes)?);
    let x = domain.any_dat(cells.coordinates)?;
    let coordinates = FieldData::owned(domain, "coordinates", x)?;
    let lists = if shown.is_empty() {
        let map = domain.any_map(cells.corners)?;
        let rows = domain.rows(set);
        let targets = domain.any_target_ids(map);
        let blocks = Blocks::new(rows, comm.size());
        let ids = domain.global_ids(set);
        let targets = rows_to_blocks(comm, cells.corners, blocks, map.arity(), ids, &targets);
        let corners: Vec<Vec<u64>> =
            targets.chunks_exact(map.arity()).map(|cell| around(cell, cells.ring)).collect();
        vec![CellList {
            name: LISTS[0],
            rows,
            kinds: corners.iter().map(|cell| kind_of(cell.len())).collect(),
            nodes: corners.concat(),
            groups: Vec::new(),
        }]
    } else {
        let list = |(shown, name): (&Shown, &'static str)| CellList {
            name,
            rows: shown.rows,
            kinds: vec![kind_of(shown.corners); shown.nodes.len() / shown.corners],
            nodes: shown.nodes.clone(),
            groups: shown.groups.clone(),
        };
        shown.iter().zip(LISTS).map(list).collect()
    };
    let mut grid = GlobalGrid {
        dimension: coordinates.dim,
        points: coordinates.rows,
        x: to_blocks(comm, &coordinates).values().chunks_exact(coordinates.dim).flat_map(in_space).collect(),
        cells: lists,
        cell_data: shown_data(shown),
        ..GlobalGrid::default()
    };
    for field in fields(domain, solver)? {
        let on = field.dat.set();
        let is_cell_data = on == set && shown.is_empty();
        if is_cell_data || on == nodes {
            let rows = FieldData::owned(domain, &field.name, field.dat)?;
            let arrays = arrays(&field, to_blocks(comm, &rows).into_values());
            if is_cell_data { grid.cell_data.extend(arrays) } else { grid.point_data.extend(arrays) }
        }
    }
    Ok(grid)
}

/// The solution and the fields derived from it.
fn fields(domain: &mut Domain, solver: &dyn Solver) -> Result<Vec<Field>, DomainError> {
    let mut fields = solver.fields();
    fields.extend(solver.derived_fields(domain)?);
    Ok(fields)
}

fn in_space(row: &[f64]) -> [f64; 3] {
    [row[0], row[1], row.get(2).copied().unwrap_or(0.0)]
}

/// Corners go around a line, a triangle or a quadrilateral; eight corners are a hexahedron's.
fn kind_of(corners: usize) -> ElementKind {
    match corners {
        2 => ElementKind::Line,
        3 => ElementKind::Triangle,
        8 => ElementKind::Hexahedron,
        _ => ElementKind::Quadrilateral,
    }
}

/// Of the elements kept for display only, the lists of polygons.
pub fn surfaces(shown: &[Shown]) -> Vec<Shown> {
    shown.iter().filter(|list| kind_of(list.corners).dimension() == 2).cloned().collect()
}

/// Kinds, corners and numbers of this rank's blocks of elements kept for display only; numbering continues from list to
/// list.
fn shown_cells(comm: &Comm, shown: &[Shown]) -> (Vec<ElementKind>, Vec<Vec<u64>>, Vec<u64>) {
    let (mut kinds, mut corners, mut ids, mut before) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for list in shown {
        let cells = list.nodes.chunks_exact(list.corners);
        kinds.extend(cells.clone().map(|_| kind_of(list.corners)));
        corners.extend(cells.map(<[u64]>::to_vec));
        let own = Blocks::new(list.rows, comm.size()).range(comm.rank());
        ids.extend(own.map(|row| before + row));
        before += list.rows;
    }
    (kinds, corners, ids)
}

/// What distinguishes elements kept for display only: their dimension, and their group, 0 if they have none.
fn shown_data(shown: &[Shown]) -> Vec<Array> {
    if shown.is_empty() {
        return Vec::new();
    }
    let (mut dimensions, mut groups) = (Vec::new(), Vec::new());
    for list in shown {
        let rows = list.nodes.len() / list.corners;
        dimensions.extend(vec![kind_of(list.corners).dimension() as i32; rows]);
        groups.extend((0..rows).map(|row| list.groups.get(row).copied().unwrap_or(0)));
    }
    let array = |name: &str, values| Array {
        name: name.into(),
        dim: 1,
        components: Vec::new(),
        values: Values::I32(values),
    };
    vec![array("dimension", dimensions), array("group", groups)]
}

/// A field as arrays that viewers understand.
fn arrays(field: &Field, values: Vec<f64>) -> Vec<Array> {
    let name = field.name.strip_prefix("level0/").unwrap_or(&field.name);
    Array::of_field(name, field.components, field.dat.dim(), Values::F64(values))
}

/// The corners of a cell in order around it; those of a triangle, one of which is repeated, only once each.
fn around(cell: &[u64], ring: Option<[usize; 4]>) -> Vec<u64> {
    let mut corners: Vec<u64> = match ring {
        Some(ring) => ring.map(|place| cell[place]).to_vec(),
        None => cell.to_vec(),
    };
    corners.dedup();
    if corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    corners
}

/// The nodes that this rank's cells touch, by ascending global id.
struct Numbers {
    ids: Vec<u64>,
    local: BTreeMap<u64, u32>,
}

impl Numbers {
    fn of(cells: &[Vec<u64>]) -> Numbers {
        let mut ids: Vec<u64> = cells.iter().flatten().copied().collect();
        ids.sort_unstable();
        ids.dedup();
        let local = ids.iter().copied().zip(0..).collect();
        Numbers { ids, local }
    }

    /// Values at these nodes, whichever rank owns them. Collective.
    fn fetch(&self, comm: &Comm, field: &FieldData) -> Vec<f64> {
        let block = to_blocks(comm, field);
        fetch_rows(comm, Blocks::new(field.rows, comm.size()), field.dim, block.values(), &self.ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_go_around_a_cell_and_a_triangle_has_three() {
        assert_eq!(around(&[4, 5, 7, 6], Some([0, 1, 3, 2])), [4, 5, 6, 7]);
        for twice in [[1, 1, 2, 3], [1, 2, 2, 3], [1, 2, 3, 3], [1, 2, 3, 1]] {
            assert_eq!(around(&twice, None), [1, 2, 3], "{twice:?}");
        }
    }
}
