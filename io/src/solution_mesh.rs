//! The mesh that a solution file may hold, as elements again.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;
use cfd_mesh::{ElementKind, ElementMesh, ElementMeshBuilder};

use crate::IoError;
use crate::grid::LISTS;
use crate::hdf5_file::{Hdf5File, Numbers};
use crate::solution::MESH_GROUP;

/// The elements that fill the domain of a solution on a mesh ([`crate::write_solution_on`]), without their groups and without
/// those of the boundary; `None` if the file holds no mesh. Nodes have the order of the run's. Collective.
///
/// # Errors
/// The mesh is damaged, or its cells are no elements.
pub fn read_solution_mesh(comm: &Comm, path: &Path) -> Result<Option<ElementMesh>, IoError> {
    let file = comm.agree(Hdf5File::open(path))?;
    let [x, cells] = ["coordinates", LISTS[0]].map(|name| format!("{MESH_GROUP}/{name}"));
    if !(file.has(MESH_GROUP) && file.has(&x) && file.has(&cells)) {
        return Ok(None);
    }
    let builder = comm.agree(collect(comm, &file, &x, &cells))?;
    builder.build(comm).map(Some).map_err(|error| IoError::of_mesh(path, error))
}

/// This rank's blocks of the nodes and elements.
fn collect(comm: &Comm, file: &Hdf5File, x: &str, cells: &str) -> Result<ElementMeshBuilder, IoError> {
    let table = file.table(x, Numbers::Float)?;
    let [nodes, dimension] = table.rows_and_dim()?;
    if !matches!(dimension, 2 | 3) {
        return Err(file.wrong(x, format!("{dimension} coordinates of a node, expected 2 or 3")));
    }
    let own = |rows: u64| Blocks::new(rows, comm.size()).range(comm.rank());
    let mut builder = ElementMeshBuilder::new(dimension as usize);
    builder.add_nodes(table.floats(own(nodes))?);
    let table = file.table(cells, Numbers::Integer)?;
    let [rows, width] = table.rows_and_dim()?;
    let own = own(rows);
    for (row, cell) in own.clone().zip(table.integers(own)?.chunks_exact(width as usize)) {
        let (corners, kind) = element(cell, dimension as usize).ok_or_else(|| {
            let what =
                format!("row {row}: {cell:?} are not the nodes of an element of {dimension} dimensions");
            file.wrong(cells, what)
        })?;
        builder.add_elements(kind, 0, corners);
    }
    Ok(builder)
}

/// The corners of a cell, whose last is repeated where others have more, and what it is.
fn element(cell: &[i64], dimension: usize) -> Option<(Vec<u64>, ElementKind)> {
    let repeated = cell.iter().rev().skip(1).take_while(|node| Some(*node) == cell.last()).count();
    let corners = &cell[..cell.len() - repeated];
    let is_it = |kind: &ElementKind| kind.dimension() == dimension && kind.nodes() == corners.len();
    let kind = ElementKind::ALL.into_iter().find(is_it)?;
    let corners: Option<Vec<u64>> = corners.iter().map(|&node| u64::try_from(node).ok()).collect();
    Some((corners?, kind))
}

#[cfg(test)]
mod tests {
    use cfd_mesh::generate::element_box::{ElementBox, Filling};

    use super::*;
    use crate::grid::Grid;
    use crate::solution::{Field, write_solution, write_solution_on};

    fn field(comm: &Comm, rows: u64) -> Field {
        let own = Blocks::new(rows, comm.size()).range(comm.rank());
        Field { name: "q".into(), dim: 1, rows, block: own.map(|row| row as f64).collect() }
    }

    #[test]
    fn the_elements_come_back_on_any_ranks() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.h5");
        for filling in Filling::ALL {
            let shape = ElementBox { filling, cells: [4, 3, 2], lengths: [1.0; 3], distortion: 0.1 };
            let shape =
                ElementBox { cells: if filling.dimension() == 2 { [4, 3, 1] } else { [4, 3, 2] }, ..shape };
            Comm::simulate(2, |comm| {
                let mesh = shape.mesh(&comm).unwrap();
                let grid = Grid::of_elements(&comm, &mesh, false);
                write_solution_on(&comm, &path, &[], &[field(&comm, grid.points)], &grid).unwrap();
            });
            Comm::simulate(3, |comm| {
                let (mesh, found) =
                    (shape.mesh(&comm).unwrap(), read_solution_mesh(&comm, &path).unwrap().unwrap());
                assert_eq!(found.x(), mesh.x());
                let lists = |mesh: &ElementMesh| -> Vec<(ElementKind, Vec<u64>)> {
                    let lists = mesh.elements().into_iter().filter(|list| !list.boundary);
                    lists.map(|list| (list.kind, list.nodes.to_vec())).collect()
                };
                assert_eq!(lists(&found), lists(&mesh), "{filling:?}");
            });
        }
    }

    #[test]
    fn a_solution_without_a_mesh_has_none_and_a_damaged_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.h5");
        let comm = Comm::single();
        write_solution(&comm, &path, &[], &[field(&comm, 3)]).unwrap();
        assert_eq!(read_solution_mesh(&comm, &path).unwrap(), None);
        let file = hdf5::File::create(&path).unwrap();
        let x = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
        file.new_dataset::<f64>().shape([3, 2]).create("mesh/coordinates").unwrap().write_raw(&x).unwrap();
        let cells = file.new_dataset::<i64>().shape([1, 4]).create("mesh/connectivity").unwrap();
        let refused = |nodes: [i64; 4], words: &str| {
            cells.write_raw(&nodes).unwrap();
            file.flush().unwrap();
            let message = read_solution_mesh(&comm, &path).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        };
        refused(
            [0, 1, 1, 1],
            "`mesh/connectivity`: row 0: [0, 1, 1, 1] are not the nodes of an element of 2",
        );
        refused([0, 1, -2, -2], "are not the nodes of an element");
        refused([0, 1, 3, 3], "triangle 0: there is no node 3; expected one of the nodes 0 to 2");
    }
}
