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

use crate::MeshError;
use crate::level::{self, Level, to_mesh};

pub(crate) use coarsen::coarsen;

/// Makes coarse levels for a valid mesh of dual edges, `levels` in total including the finest; drops its other levels.
///
/// Agglomerates grow around seeds, no two of which have a common neighbour (`select`), so a level has about a tenth of
/// the nodes of the one before. They depend only on the mesh, not on the ranks. Collective.
///
/// # Errors
/// [`MeshError::Generate`] if a level would have fewer than two nodes.
pub fn agglomerate(comm: &Comm, mut mesh: Mesh, levels: usize) -> Result<Mesh, MeshError> {
    // They belong to the finest level.
    let shown = std::mem::take(&mut mesh.shown);
    let mut finest = Level::finest(mesh);
    finest.volumes = weights_of_means(comm, &finest);
    let (mut made, mut ups) = (vec![finest], Vec::new());
    while made.len() < levels {
        let fine = made.last().expect("there is a finest level");
        let (up, nodes) = select::agglomerates(comm, fine);
        if nodes < 2 {
            return Err(MeshError::Generate(format!(
                "a mesh of {} nodes cannot have {levels} levels; 1 to {} are possible, because a level has about a \
                 tenth of the nodes of the one before and at least two",
                made[0].nodes,
                made.len()
            )));
        }
        let coarse = coarsen(comm, fine, &up, nodes);
        made.push(coarse);
        ups.push(up);
    }
    if levels == 0 {
        return Err(MeshError::Generate("a mesh has at least one level".into()));
    }
    Ok(Mesh { shown, ..to_mesh(made, ups) })
}

/// The volumes of dual cells; if they are not all positive, which published meshes do not promise, a sixth of the sums of
/// |x_b - x_a| |w| for all. Collective.
fn weights_of_means(comm: &Comm, level: &Level) -> Vec<f64> {
    let Level { nodes, x, edge_nodes, edge_weights, .. } = level;
    let volumes = level::volumes(comm, *nodes, x, edge_nodes, edge_weights);
    let mut word = [u64::from(volumes.iter().all(|&v| v > 0.0))];
    comm.all_reduce(&mut word, ReduceOp::Min);
    match word {
        [1] => volumes,
        _ => level::unsigned_volumes(comm, *nodes, x, edge_nodes, edge_weights),
    }
}

#[cfg(test)]
mod tests;
