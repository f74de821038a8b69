//! Whole meshes, and the blocks of them that ranks hold.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_partition::Primary;

/// This rank's blocks of a whole mesh.
pub fn block(comm: &Comm, whole: &Mesh) -> Mesh {
    let mut mesh = Mesh { sets: whole.sets.clone(), ..Mesh::default() };
    for map in &whole.maps {
        let rows = slice(comm, whole, map.from, map.arity, &map.rows);
        mesh.add_map(&map.name, map.from, map.to, map.arity, rows);
    }
    for dat in &whole.dats {
        let values = match &dat.values {
            Values::F64(v) => Values::F64(slice(comm, whole, dat.set, dat.dim, v)),
            Values::I32(v) => Values::I32(slice(comm, whole, dat.set, dat.dim, v)),
        };
        mesh.add_dat(&dat.name, dat.set, dat.dim, values);
    }
    mesh
}

/// This rank's blocks of values on every set.
pub fn block_values<T: Copy>(comm: &Comm, whole: &Mesh, values: &[Vec<T>]) -> Vec<Vec<T>> {
    values.iter().enumerate().map(|(set, values)| slice(comm, whole, set, 1, values)).collect()
}

fn slice<T: Copy>(comm: &Comm, whole: &Mesh, set: usize, dim: usize, values: &[T]) -> Vec<T> {
    let range = whole.blocks(set, comm).range(comm.rank());
    values[range.start as usize * dim..range.end as usize * dim].to_vec()
}

/// The kind of a cell in a [`grid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    Quad,
    /// Its last node is the third one again.
    Triangle,
    /// Absent; its nodes exist.
    Hole,
    /// Present, but no edge leads to it.
    Isolated,
}

/// A grid of `nx` by `ny` unit cells: sets nodes, edges, bedges, cells; Airfoil's maps; coordinates `x`; and an
/// integer and a double dat on every set, from the global id.
pub fn grid(nx: usize, ny: usize, kind: impl Fn(usize, usize) -> Cell) -> Mesh {
    let node = |i: usize, j: usize| (j * (nx + 1) + i) as u64;
    let mut number = vec![None; nx * ny];
    let (mut cell_nodes, mut cells) = (Vec::new(), 0);
    for j in 0..ny {
        for i in 0..nx {
            if kind(i, j) == Cell::Hole {
                continue;
            }
            let last = if kind(i, j) == Cell::Triangle { node(i + 1, j + 1) } else { node(i, j + 1) };
            cell_nodes.extend([node(i, j), node(i + 1, j), node(i + 1, j + 1), last]);
            number[j * nx + i] = Some(cells);
            cells += 1;
        }
    }
    let linked = |i: usize, j: usize| {
        let inside = i < nx && j < ny && kind(i, j) != Cell::Isolated;
        if inside { number[j * nx + i] } else { None }
    };
    let (mut edge_nodes, mut edge_cells) = (Vec::new(), Vec::new());
    let (mut bedge_nodes, mut bedge_cell) = (Vec::new(), Vec::new());
    let mut side = |nodes: [u64; 2], cells: [Option<u64>; 2]| match cells {
        [Some(a), Some(b)] => {
            edge_nodes.extend(nodes);
            edge_cells.extend([a, b]);
        }
        [Some(a), None] | [None, Some(a)] => {
            bedge_nodes.extend(nodes);
            bedge_cell.push(a);
        }
        [None, None] => {}
    };
    for j in 0..=ny {
        for i in 0..=nx {
            if i < nx {
                side([node(i, j), node(i + 1, j)], [linked(i, j), linked(i, j.wrapping_sub(1))]);
            }
            if j < ny {
                side([node(i, j), node(i, j + 1)], [linked(i, j), linked(i.wrapping_sub(1), j)]);
            }
        }
    }
    let mut mesh = Mesh::default();
    let nodes = mesh.add_set("nodes", ((nx + 1) * (ny + 1)) as u64);
    let edges = mesh.add_set("edges", edge_nodes.len() as u64 / 2);
    let bedges = mesh.add_set("bedges", bedge_cell.len() as u64);
    let cells = mesh.add_set("cells", cells);
    mesh.add_map("edge_nodes", edges, nodes, 2, edge_nodes);
    mesh.add_map("edge_cells", edges, cells, 2, edge_cells);
    mesh.add_map("bedge_nodes", bedges, nodes, 2, bedge_nodes);
    mesh.add_map("bedge_cell", bedges, cells, 1, bedge_cell);
    mesh.add_map("cell_nodes", cells, nodes, 4, cell_nodes);
    let x = (0..=ny).flat_map(|j| (0..=nx).flat_map(move |i| [i as f64, j as f64])).collect();
    mesh.add_dat("x", nodes, 2, Values::F64(x));
    add_numbered_dats(&mut mesh);
    mesh
}

/// Adds an integer and a double dat on every set, with values that encode the row and the component.
pub fn add_numbered_dats(mesh: &mut Mesh) {
    for set in 0..mesh.sets.len() {
        let (rows, dim) = (mesh.sets[set].rows as usize, 1 + set % 3);
        let integers = (0..rows * dim).map(|i| (1000 * set + i) as i32).collect();
        mesh.add_dat(&format!("integer{set}"), set, dim, Values::I32(integers));
        let doubles = (0..rows * (dim + 1)).map(|i| (1000 * set + i) as f64 + 0.5).collect();
        mesh.add_dat(&format!("double{set}"), set, dim + 1, Values::F64(doubles));
    }
}

/// The primary set of a [`grid`].
pub fn cells() -> Primary {
    Primary { nodes: Some("cell_nodes".into()), ..Primary::located("cells", "edge_cells") }
}
