//! What a mesh marks as staying, on all ranks.

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementMesh, Mark};

use crate::mesh::Marks;

/// The marks of all ranks: as much as a boundary, which every rank holds. Collective.
pub(super) fn all_marks(comm: &Comm, mesh: &ElementMesh) -> Marks {
    let all = |mark: Mark| comm.all_gather(mesh.marked(mark)).concat();
    let mut marks = Marks {
        corners: all(Mark::Corner),
        vertices: all(Mark::Node),
        sides: all(Mark::Line).as_chunks().0.to_vec(),
        triangles: all(Mark::Triangle).as_chunks().0.to_vec(),
    };
    marks.sides.iter_mut().for_each(|side| side.sort_unstable());
    marks
}
