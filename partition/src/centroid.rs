//! Where the elements of the primary set are.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values, fetch_rows};

use crate::PartitionError;
use crate::primary::Found;

/// The centroids of this rank's block of the primary set: `axes[a][i]` is coordinate a of row i.
///
/// An element's centroid is the mean of its nodes' coordinates, added in map order, a repeated node as often as
/// it appears; or the element's own coordinates when it has them. Collective.
///
/// # Errors
/// [`PartitionError::NotFinite`] when a coordinate is NaN or infinite.
pub(crate) fn centroids(comm: &Comm, mesh: &Mesh, primary: &Found) -> Result<Vec<Vec<f64>>, PartitionError> {
    let dat = &mesh.dats[primary.coordinates];
    let Values::F64(coordinates) = &dat.values else {
        unreachable!("the coordinates of a found primary set are double precision")
    };
    let means = match primary.nodes {
        None => coordinates.clone(),
        Some(nodes) => {
            let map = &mesh.maps[nodes];
            let mut wanted = map.rows.clone();
            wanted.sort_unstable();
            wanted.dedup();
            let x = fetch_rows(comm, mesh.blocks(map.to, comm), dat.dim, coordinates, &wanted);
            let mut means = Vec::with_capacity(map.rows.len() / map.arity * dat.dim);
            for element in map.rows.chunks_exact(map.arity) {
                let mut sum = [0.0; 3];
                for node in element {
                    let at = wanted.binary_search(node).expect("every node was fetched") * dat.dim;
                    for axis in 0..dat.dim {
                        sum[axis] += x[at + axis];
                    }
                }
                means.extend(sum[..dat.dim].iter().map(|s| s / map.arity as f64));
            }
            means
        }
    };
    let start = mesh.blocks(primary.set, comm).range(comm.rank()).start;
    comm.agree(match means.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(PartitionError::NotFinite {
            set: mesh.sets[primary.set].name.clone(),
            row: start + (i / dat.dim) as u64,
        }),
    })?;
    Ok((0..dat.dim).map(|axis| means.iter().skip(axis).step_by(dat.dim).copied().collect()).collect())
}
