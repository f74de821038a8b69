//! Solutions on two meshes: what the one has at the nodes of the other.

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_io::IoError;
use cfd_mesh::{ElementMesh, interpolated};

use super::unlike;
use crate::exit::Error;

/// The meshes of two solutions, of the same dimension.
pub struct Meshes {
    a: ElementMesh,
    b: ElementMesh,
    shares: Vec<f64>,
}

impl Meshes {
    /// Reads those that the files of two solutions hold.
    ///
    /// # Errors
    /// A file is damaged or does not hold its mesh, or one mesh is plane and the other is not.
    pub fn read(a: &Path, b: &Path) -> Result<Meshes, Error> {
        let [of_a, of_b] = [read(a)?, read(b)?];
        let [in_a, in_b] = [&of_a, &of_b].map(ElementMesh::dimension);
        if in_a != in_b {
            return Err(unlike(a, b, format!("their meshes have {in_a} and {in_b} dimensions")));
        }
        Ok(Meshes { shares: shares(&of_a), a: of_a, b: of_b })
    }

    /// Nodes of the two meshes.
    pub fn nodes(&self) -> [u64; 2] {
        [&self.a, &self.b].map(|mesh| mesh.node_blocks(&Comm::single()).rows)
    }

    /// Each node's share of the volume of A's mesh: an equal part of each of its elements. The sum over the nodes of share
    /// times value is the integral of the function that is linear within triangles and tetrahedra.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// What B's nodes have, `dim` values each, at the nodes of A.
    pub fn at_nodes_of_a(&self, dim: usize, values: &[f64]) -> Vec<f64> {
        let (comm, x) = (Comm::single(), self.a.x());
        match self.a.dimension() {
            2 => interpolated(&comm, &self.b, dim, values, x.as_chunks::<2>().0),
            _ => interpolated(&comm, &self.b, dim, values, x.as_chunks::<3>().0),
        }
    }
}

fn read(path: &Path) -> Result<ElementMesh, Error> {
    cfd_io::read_solution_mesh(&Comm::single(), path)?.ok_or_else(|| {
        let what = "this file does not hold the mesh of its solution; expected one that was written with output.mesh = true";
        IoError::file(path, what).into()
    })
}

fn shares(mesh: &ElementMesh) -> Vec<f64> {
    let (dimension, x) = (mesh.dimension(), mesh.x());
    let mut shares = vec![0.0; x.len() / dimension];
    for list in mesh.elements().iter().filter(|list| !list.boundary) {
        let corners = list.kind.nodes();
        for nodes in list.nodes.chunks_exact(corners) {
            let places: Vec<f64> = nodes
                .iter()
                .flat_map(|&node| &x[node as usize * dimension..][..dimension])
                .copied()
                .collect();
            let share = list.kind.measure(dimension, &places) / corners as f64;
            nodes.iter().for_each(|&node| shares[node as usize] += share);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use cfd_mesh::{ElementKind, ElementMeshBuilder};

    use super::*;

    /// Quadrilaterals of the unit square, narrow near x = 0, wide near x = 1.
    fn graded(n: u64) -> ElementMesh {
        let mut builder = ElementMeshBuilder::new(2);
        let at = |i: u64| (i as f64 / n as f64).powi(2);
        builder.add_nodes((0..=n).flat_map(|j| (0..=n).flat_map(move |i| [at(i), j as f64 / n as f64])));
        for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
            let node = |i: u64, j: u64| i + (n + 1) * j;
            let corners = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            builder.add_elements(ElementKind::Quadrilateral, 0, corners);
        }
        builder.build(&Comm::single()).expect("a mesh")
    }

    fn meshes(a: u64, b: u64) -> Meshes {
        let [a, b] = [a, b].map(graded);
        Meshes { shares: shares(&a), a, b }
    }

    #[test]
    fn linear_functions_of_one_mesh_are_those_of_the_other() {
        let meshes = meshes(7, 4);
        let f = |x: &[f64; 2]| [1.0 + 2.0 * x[0] - x[1], x[1] - 0.25];
        let values: Vec<f64> = meshes.b.x().as_chunks::<2>().0.iter().flat_map(f).collect();
        let found = meshes.at_nodes_of_a(2, &values);
        assert_eq!((meshes.nodes(), found.len()), ([64, 25], 128));
        for (x, found) in meshes.a.x().as_chunks::<2>().0.iter().zip(found.as_chunks::<2>().0) {
            for (a, b) in f(x).iter().zip(found) {
                assert!((a - b).abs() < 1e-14, "{x:?}: {a}, {b}");
            }
        }
    }

    /// The mean over the nodes would be 0.36.
    #[test]
    fn shares_give_the_integral_however_the_nodes_lie() {
        let meshes = meshes(7, 1);
        let x = meshes.a.x().as_chunks::<2>().0;
        let integral = |f: fn(&[f64; 2]) -> f64| -> f64 {
            meshes.shares().iter().zip(x).map(|(share, x)| share * f(x)).sum()
        };
        assert!((integral(|_| 1.0) - 1.0).abs() < 1e-14);
        assert!((integral(|x| x[0]) - 0.5).abs() < 1e-14, "{}", integral(|x| x[0]));
    }
}
