//! A cube in hexahedra with neighbors.
//!
//! Node (i, j, k), element (i, j, k): column i, row j, layer k, from 0, numbered with i the fastest. An element's nodes are
//! those at (i, j, k), (i+1, j, k), (i+1, j+1, k), (i, j+1, k), then the same of layer k+1.

use std::ops::Range;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values};

use crate::{FACE_FREE, FACE_INSIDE, FACE_SYMMETRY, MeshError};

/// The cube [0, `length`]^3, divided into `n` by `n` by `n` hexahedra. Its faces at x = 0, y = 0 and z = 0 are planes
/// of symmetry, the others are free. Node (i, j, k) is at `length` i / n, `length` j / n, `length` k / n, evaluated
/// from left to right.
///
/// # Errors
/// `n` of zero, a length that is not positive, or more elements than the ranks can hold.
///
/// # Example
/// ```
/// use cfd_engine::comm::Comm;
/// let mesh = cfd_mesh::generate::cube(&Comm::single(), 4, 1.0).unwrap();
/// let sizes: Vec<u64> = mesh.sets.iter().map(|set| set.rows).collect();
/// assert_eq!(sizes, [5 * 5 * 5, 4 * 4 * 4]);
/// ```
pub fn cube(comm: &Comm, n: u64, length: f64) -> Result<Mesh, MeshError> {
    let refuse = |what: String| Err(MeshError::Generate(what));
    if n == 0 {
        return refuse("a cube of 0 elements per edge is not possible; it has at least 1".into());
    }
    if !(length > 0.0 && length.is_finite()) {
        return refuse(format!("a cube whose edge is {length} is not possible; its length is positive"));
    }
    let side = u128::from(n) + 1;
    if side.saturating_mul(side).saturating_mul(side) > u128::from(u32::MAX) * comm.size() as u128 {
        return refuse(format!(
            "a cube of {n} elements per edge is too large for {} ranks; a rank holds fewer than 2^32 elements of a set",
            comm.size()
        ));
    }
    Ok(Cube { n, length }.mesh(comm))
}

struct Cube {
    n: u64,
    length: f64,
}

/// Column, row and layer of a number.
fn place(number: u64, side: u64) -> [u64; 3] {
    [number % side, number / side % side, number / side / side]
}

impl Cube {
    /// This rank's blocks.
    fn mesh(&self, comm: &Comm) -> Mesh {
        let own = |rows: u64| -> Range<u64> { Blocks::new(rows, comm.size()).range(comm.rank()) };
        let (n, side) = (self.n, self.n + 1);
        let mut mesh = Mesh::default();
        let nodes = mesh.add_set("nodes", side * side * side);
        let elems = mesh.add_set("elems", n * n * n);
        let of_nodes = || own(side * side * side).map(|node| place(node, side));
        let of_elems = || own(n * n * n).map(|elem| place(elem, n));
        let corners = of_elems().flat_map(|place| self.corners(place)).collect();
        mesh.add_map("elem_nodes", elems, nodes, 8, corners);
        let neighbours = of_elems().flat_map(|place| self.sides(place)).map(|(elem, _)| elem).collect();
        mesh.add_map("elem_elem", elems, elems, 6, neighbours);
        let x = of_nodes().flatten().map(|i| self.length * i as f64 / n as f64).collect();
        mesh.add_dat("x", nodes, 3, Values::F64(x));
        let held = of_nodes().flatten().map(|i| i32::from(i == 0)).collect();
        mesh.add_dat("node_symmetry", nodes, 3, Values::I32(held));
        let kinds = of_elems().flat_map(|place| self.sides(place)).map(|(_, kind)| kind).collect();
        mesh.add_dat("elem_sides", elems, 6, Values::I32(kinds));
        mesh
    }

    /// The nodes of an element.
    fn corners(&self, [i, j, k]: [u64; 3]) -> [u64; 8] {
        let side = self.n + 1;
        let first = i + side * (j + side * k);
        let base = [first, first + 1, first + side + 1, first + side];
        std::array::from_fn(|corner| base[corner % 4] + (corner / 4) as u64 * side * side)
    }

    /// The element across each face of an element, itself at the boundary, and the face's kind.
    fn sides(&self, place: [u64; 3]) -> [(u64, i32); 6] {
        let strides = [1, self.n, self.n * self.n];
        let own: u64 = place.iter().zip(strides).map(|(i, stride)| i * stride).sum();
        std::array::from_fn(|face| {
            let (i, stride, is_high) = (place[face / 2], strides[face / 2], face % 2 == 1);
            match is_high {
                false if i == 0 => (own, FACE_SYMMETRY),
                false => (own - stride, FACE_INSIDE),
                true if i + 1 == self.n => (own, FACE_FREE),
                true => (own + stride, FACE_INSIDE),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_lead_back_and_the_boundary_leads_to_itself() {
        for n in [1, 2, 5] {
            let mesh = cube(&Comm::single(), n, 1.0).unwrap();
            let beyond = mesh.maps[mesh.map("elem_elem").unwrap()].rows.as_chunks::<6>().0;
            let Values::I32(kinds) = &mesh.dats[mesh.dat("elem_sides").unwrap()].values else {
                panic!("flags")
            };
            for (elem, (beyond, kinds)) in beyond.iter().zip(kinds.as_chunks::<6>().0).enumerate() {
                for face in 0..6 {
                    let other = beyond[face] as usize;
                    assert_eq!(kinds[face] != FACE_INSIDE, other == elem);
                    assert!(kinds[face] != FACE_INSIDE || beyond_of(&mesh, other)[face ^ 1] == elem as u64);
                }
            }
            let count = |kind: i32| kinds.iter().filter(|&&k| k == kind).count() as u64;
            assert_eq!([count(FACE_SYMMETRY), count(FACE_FREE)], [3 * n * n; 2]);
        }
    }

    fn beyond_of(mesh: &Mesh, elem: usize) -> &[u64] {
        &mesh.maps[mesh.map("elem_elem").unwrap()].rows[6 * elem..6 * elem + 6]
    }

    #[test]
    fn places_are_evaluated_and_not_accumulated() {
        let mesh = cube(&Comm::single(), 10, 1.125).unwrap();
        let Values::F64(x) = &mesh.dats[0].values else { panic!("coordinates") };
        assert_eq!(x[3 * 7], 1.125 * 7.0 / 10.0);
        assert_eq!(&x[x.len() - 3..], [1.125; 3]);
        let nodes = &mesh.maps[0].rows;
        assert_eq!(nodes[..8], [0, 1, 12, 11, 121, 122, 133, 132]);
    }

    #[test]
    fn impossible_cubes_are_refused() {
        let comm = Comm::single();
        for (n, length, words) in [
            (0, 1.0, "at least 1"),
            (3, 0.0, "positive"),
            (3, f64::NAN, "positive"),
            (1 << 11, 1.0, "too large"),
            (u64::MAX, 1.0, "too large"),
        ] {
            let message = cube(&comm, n, length).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
