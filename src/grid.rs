//! The grid that a case's fields are shown on: cells with corners, from the distributed domain.

use std::collections::BTreeMap;

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::{Blocks, Values, fetch_rows};
use cfd_io::{Array, FieldData, Piece, to_blocks};
use cfd_solvers::{Field, Solver};
use cfd_topology::{ElementKind, Topology};

/// This rank's cells, their corners' coordinates and all fields on cells and corners. Collective.
///
/// # Errors
/// The mesh lacks something that meshes of its topology have.
pub fn piece(
    comm: &Comm,
    domain: &mut Domain,
    topology: Topology,
    solver: &dyn Solver,
) -> Result<Piece, DomainError> {
    let shown = topology.cells();
    let (cells, nodes) = (domain.set(shown.set)?, domain.set(shown.nodes)?);
    let map = domain.any_map(shown.corners)?;
    let targets = domain.any_target_ids(map);
    let corners: Vec<Vec<u64>> =
        targets.chunks_exact(map.arity()).map(|cell| around(cell, shown.ring)).collect();
    let x = domain.any_dat(shown.coordinates)?;
    let coordinates = FieldData::owned(domain, "coordinates", x)?;
    let numbers = Numbers::of(&corners);
    let cells_of = |cell: &Vec<u64>| cell.iter().map(|node| numbers.local[node]).collect();
    let x = numbers.fetch(comm, &coordinates);
    let point = |row: &[f64]| [row[0], row[1], row.get(2).copied().unwrap_or(0.0)];
    // Corners go around what is shown, a line, a triangle or a quadrilateral; eight are those of a hexahedron.
    let kind = |cell: &Vec<u64>| match cell.len() {
        2 => ElementKind::Line,
        3 => ElementKind::Triangle,
        8 => ElementKind::Hexahedron,
        _ => ElementKind::Quadrilateral,
    };
    let mut piece = Piece {
        kinds: corners.iter().map(kind).collect(),
        points: x.chunks_exact(coordinates.dim).map(point).collect(),
        cells: corners.iter().map(cells_of).collect(),
        global_ids: domain.global_ids(cells).to_vec(),
        ..Piece::default()
    };
    let mut fields = solver.fields();
    fields.extend(solver.derived_fields(domain)?);
    for field in &fields {
        let on = field.dat.set();
        if on == cells {
            piece.cell_data.push(array(field, FieldData::owned(domain, &field.name, field.dat)?.values));
        } else if on == nodes {
            let rows = FieldData::owned(domain, &field.name, field.dat)?;
            piece.point_data.push(array(field, numbers.fetch(comm, &rows)));
        }
    }
    Ok(piece)
}

fn array(field: &Field, values: Vec<f64>) -> Array {
    let components = if field.dat.dim() == 1 { &[] } else { field.components };
    Array {
        name: field.name.clone(),
        dim: field.dat.dim(),
        components: components.iter().map(|name| name.to_string()).collect(),
        values: Values::F64(values),
    }
}

/// The corners of a cell in order around it; those of a triangle, one of which comes twice, once each.
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

    /// Values at these nodes, whoever owns them. Collective.
    fn fetch(&self, comm: &Comm, field: &FieldData) -> Vec<f64> {
        let block = to_blocks(comm, field);
        fetch_rows(comm, Blocks::new(field.rows, comm.size()), field.dim, &block, &self.ids)
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
