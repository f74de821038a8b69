//! The whole mesh from the blocks of simulated ranks, for comparisons.

use cfd_engine::mesh::{Mesh, Values};

/// One rank's mesh of the blocks of all ranks, in their order.
pub(crate) fn whole(parts: Vec<Mesh>) -> Mesh {
    let join = |mut mesh: Mesh, part: Mesh| {
        assert_eq!(mesh.sets, part.sets);
        for (map, other) in mesh.maps.iter_mut().zip(part.maps) {
            map.rows.extend(other.rows);
        }
        for (dat, other) in mesh.dats.iter_mut().zip(part.dats) {
            match (&mut dat.values, other.values) {
                (Values::F64(values), Values::F64(others)) => values.extend(others),
                (Values::I32(values), Values::I32(others)) => values.extend(others),
                _ => panic!("a dat has one type"),
            }
        }
        mesh
    };
    parts.into_iter().reduce(join).expect("a rank at least")
}

/// Whether two meshes have the same bits.
pub(crate) fn same_bits(a: &Mesh, b: &Mesh) -> bool {
    // Printed values distinguish any two numbers, and the zeros.
    format!("{a:?}") == format!("{b:?}")
}
