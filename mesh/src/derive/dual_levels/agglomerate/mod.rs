//! Coarse levels of an edge-based mesh, by agglomerating nodes.
//!
//! ```text
//! graph     each node's strong neighbours and the sizes of the faces between them
//! select    which nodes go together
//! coarsen   the coarse level of a given map from fine to coarse nodes
//! ```

mod coarsen;
mod graph;
mod select;

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::mesh::Mesh;

use super::level::{self, DualLevel, to_mesh};
use crate::MeshError;

pub(crate) use coarsen::coarsen;

/// Makes coarse levels for a valid mesh of dual edges, `levels` in total including the finest; drops its other levels.
///
/// Agglomerates grow around seeds, no two of which have a common neighbour (`select`), so a level has about a tenth of
/// the nodes of the one before. They depend only on the mesh, not on the ranks. Collective.
///
/// # Errors
/// [`MeshError::Generate`] if a level would have fewer than two nodes.
pub fn agglomerate(comm: &Comm, mesh: Mesh, count: usize) -> Result<Mesh, MeshError> {
    let mut finest = DualLevel::finest(mesh);
    finest.volumes = weights_of_means(comm, &finest);
    let (levels, ups) = levels(comm, finest, count)?;
    Ok(to_mesh(levels, ups))
}

/// The levels, the finest first, and the map from each to the next.
type Levels = (Vec<DualLevel>, Vec<Vec<u64>>);

/// A level, which has volumes, and the coarser ones made from it: `count` in total. Collective.
///
/// # Errors
/// As [`agglomerate`].
pub(crate) fn levels(comm: &Comm, finest: DualLevel, count: usize) -> Result<Levels, MeshError> {
    if count == 0 {
        return Err(MeshError::Generate("a mesh has at least one level".into()));
    }
    let nodes = finest.nodes;
    let (levels, ups) = up_to(comm, finest, count);
    if levels.len() < count {
        return Err(MeshError::Generate(format!(
            "a mesh of {nodes} nodes cannot have {count} levels; 1 to {} are possible, because a level has about a tenth \
             of the nodes of the one before and at least two",
            levels.len()
        )));
    }
    Ok((levels, ups))
}

/// A level, which has volumes, and the coarser ones made from it: at most `most` in total, each of at least two nodes.
/// Collective.
pub(crate) fn up_to(comm: &Comm, finest: DualLevel, most: usize) -> Levels {
    let (mut made, mut ups) = (vec![finest], Vec::new());
    while made.len() < most {
        let fine = made.last().expect("there is a finest level");
        let (up, nodes) = select::agglomerates(comm, fine);
        // Boundaries that are turned stay apart, and so may leave nothing to put together.
        if nodes < 2 || nodes == fine.nodes {
            break;
        }
        let coarse = coarsen(comm, fine, &up, nodes);
        made.push(coarse);
        ups.push(up);
    }
    (made, ups)
}

/// The volumes of dual cells; if they are not all positive, which published meshes do not promise, a sixth of the sums of
/// |x_b - x_a| |w| for all. Collective.
fn weights_of_means(comm: &Comm, level: &DualLevel) -> Vec<f64> {
    let volumes = level::volumes(comm, level);
    let mut word = [u64::from(volumes.iter().all(|&v| v > 0.0))];
    comm.all_reduce(&mut word, ReduceOp::Min);
    match word {
        [1] => volumes,
        _ => level::unsigned_volumes(comm, level),
    }
}

#[cfg(test)]
mod tests;
