//! Where the elements of a set are.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values, fetch_rows};

use crate::PartitionError;
use crate::distinct::distinct;
use crate::numbering::Numbering;

/// The centroids of this rank's block of a set: `axes[a][i]` is coordinate a of row i.
///
/// `coordinates` is a double-precision dat of dimension 2 or 3; `nodes` is a map of positive arity from the set to the
/// dat's, or `None` if the set itself has the coordinates. An element's centroid is the mean of its nodes' coordinates,
/// added in map order, with a repeated node counted as often as it appears; or the element's own coordinates.
/// Collective.
///
/// # Errors
/// [`PartitionError::NotFinite`] if a coordinate is NaN or infinite.
pub(crate) fn centroids(
    comm: &Comm,
    mesh: &Mesh,
    nodes: Option<usize>,
    coordinates: usize,
) -> Result<Vec<Vec<f64>>, PartitionError> {
    let dat = &mesh.dats[coordinates];
    let Values::F64(coordinates) = &dat.values else {
        unreachable!("coordinates are found to be double precision")
    };
    let set = nodes.map_or(dat.set, |nodes| mesh.maps[nodes].from);
    let means = match nodes {
        None => coordinates.clone(),
        Some(nodes) => {
            let map = &mesh.maps[nodes];
            let wanted = distinct(&map.rows);
            let numbering = Numbering::new(&wanted);
            let x = fetch_rows(comm, mesh.blocks(map.to, comm), dat.dim, coordinates, &wanted);
            let mut means = Vec::with_capacity(map.rows.len() / map.arity * dat.dim);
            for element in map.rows.chunks_exact(map.arity) {
                let mut sum = [0.0; 3];
                for node in element {
                    let at = numbering.local(*node) as usize * dat.dim;
                    for axis in 0..dat.dim {
                        sum[axis] += x[at + axis];
                    }
                }
                means.extend(sum[..dat.dim].iter().map(|s| s / map.arity as f64));
            }
            means
        }
    };
    let start = mesh.blocks(set, comm).range(comm.rank()).start;
    comm.agree(match means.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(PartitionError::NotFinite {
            set: mesh.sets[set].name.clone(),
            row: start + (i / dat.dim) as u64,
        }),
    })?;
    Ok((0..dat.dim).map(|axis| means.iter().skip(axis).step_by(dat.dim).copied().collect()).collect())
}
