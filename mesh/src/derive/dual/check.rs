//! Checks dual cells and edges one by one.

use crate::derive::view::{Defect, View};

/// Positive volumes, distinct ends.
pub(super) fn check(view: &View<'_>) -> Result<(), Defect> {
    view.comm.agree(volumes(view))?;
    view.comm.agree(distinct_ends(view))
}

fn volumes(view: &View<'_>) -> Result<(), Defect> {
    let volumes = view.numbers("volume");
    let wrong = volumes.iter().position(|volume| *volume <= 0.0);
    wrong.map_or(Ok(()), |k| {
        let what = format!("the dual cell has the volume {:e}; expected a positive one", volumes[k]);
        Err(view.error("volume", view.start("nodes") + k as u64, what))
    })
}

fn distinct_ends(view: &View<'_>) -> Result<(), Defect> {
    let wrong = view.map("edge_nodes").chunks_exact(2).position(|ends| ends[0] == ends[1]);
    wrong.map_or(Ok(()), |k| {
        let what = "degenerate edge: both its nodes are the same; an edge joins two nodes".to_string();
        Err(view.error("edge_nodes", view.start("edges") + k as u64, what))
    })
}
