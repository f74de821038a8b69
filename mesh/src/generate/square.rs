//! The unit square, in bilinear elements.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use super::bilinear::Elements;
use crate::MeshError;
use crate::noise::noise;

/// From here on a shift could fold a cell: the Jacobian of an element whose nodes are shifted by at most p cell widths
/// along each axis is at least (1 - 2 p)^2 - (2 p)^2 = 1 - 4 p of the unshifted one's.
const FOLDING: f64 = 0.25;

/// The unit square in `n` by `n` bilinear elements, all of whose boundary nodes are in `bnodes`: a mesh with known
/// solutions.
///
/// Inner nodes are shifted along each axis by up to `perturb` cell widths, by a pseudo-random amount that depends only
/// on the node's number; boundary nodes stay in place. The mesh is the same on any number of ranks and machines.
///
/// # Errors
/// `n` of zero, `perturb` not in [0, 0.25), or more elements than the ranks can hold.
///
/// # Example
/// ```
/// use cfd_engine::comm::Comm;
/// let mesh = cfd_mesh::generate::square(&Comm::single(), 8, 0.2).unwrap();
/// let sizes: Vec<u64> = mesh.sets.iter().map(|set| set.rows).collect();
/// assert_eq!(sizes, [9 * 9, 8 * 8, 4 * 8]);
/// ```
pub fn square(comm: &Comm, n: u64, perturb: f64) -> Result<Mesh, MeshError> {
    if n == 0 || n >= 1 << 32 {
        return Err(MeshError::Generate(format!(
            "a square of {n} x {n} cells is not possible; its size is at least 1 and below 2^32"
        )));
    }
    if !(0.0..FOLDING).contains(&perturb) {
        return Err(MeshError::Generate(format!(
            "a square whose nodes are shifted by {perturb} cell widths is not possible; the shift is at least 0 and below {FOLDING}"
        )));
    }
    let elements = Elements::new(comm, n, n, 0)?;
    Ok(elements.mesh(comm, |i, j| {
        let inner = |k: u64| k > 0 && k < n;
        let shift = if inner(i) && inner(j) { perturb } else { 0.0 };
        let node = j * (n + 1) + i;
        let at = |k: u64, seed: u64| (k as f64 + shift * noise(seed)) / n as f64;
        [at(i, 2 * node), at(j, 2 * node + 1)]
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfd_engine::mesh::Values;

    fn x(mesh: &Mesh) -> &[f64] {
        let Values::F64(x) = &mesh.dats[0].values else { panic!("coordinates are f64") };
        x
    }

    #[test]
    fn exactly_the_nodes_on_the_boundary_are_boundary_nodes_and_stay() {
        for n in [1, 2, 5] {
            let mesh = square(&Comm::single(), n, 0.2).unwrap();
            let even = square(&Comm::single(), n, 0.0).unwrap();
            let bnodes = &mesh.maps[mesh.map("bnode_node").unwrap()].rows;
            for (node, (p, q)) in x(&mesh).chunks_exact(2).zip(x(&even).chunks_exact(2)).enumerate() {
                let on_boundary = q.iter().any(|&v| v == 0.0 || v == 1.0);
                assert_eq!(bnodes.contains(&(node as u64)), on_boundary, "node {node} of {n} x {n}");
                assert_eq!(p == q, on_boundary);
                assert!(p.iter().zip(q).all(|(p, q)| (p - q).abs() <= 0.2 / n as f64));
            }
            assert!(bnodes.is_sorted() && bnodes.len() as u64 == 4 * n);
        }
    }

    #[test]
    fn impossible_squares_are_refused() {
        let comm = Comm::single();
        assert!(square(&comm, 0, 0.0).unwrap_err().to_string().contains("at least 1"));
        for perturb in [0.25, -0.1, f64::NAN] {
            assert!(square(&comm, 3, perturb).unwrap_err().to_string().contains("below 0.25"));
        }
        assert!(square(&comm, 1 << 20, 0.0).unwrap_err().to_string().contains("too large"));
    }
}
