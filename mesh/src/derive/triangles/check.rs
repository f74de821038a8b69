//! Checks triangles and boundary facets individually.

use cfd_engine::mesh::fetch_rows;

use crate::derive::view::{Defect, View};

/// The largest tag of a boundary.
const MOST: i32 = 65535;

/// Corners, areas, tags.
pub(super) fn check(view: &View<'_>) -> Result<(), Defect> {
    let x = fetch_rows(view.comm, view.blocks("vertices"), 2, view.x(), view.map("element_vertices"));
    view.comm.agree(corners(view))?;
    view.comm.agree(areas(view, &x))?;
    view.comm.agree(tags(view))
}

fn corners(view: &View<'_>) -> Result<(), Defect> {
    for (table, set, width, what) in
        [("element_vertices", "elements", 3, "triangle"), ("facet_vertices", "facets", 2, "facet")]
    {
        for (row, corners) in (view.start(set)..).zip(view.map(table).chunks_exact(width)) {
            let repeated = (1..width).find(|&k| corners[..k].contains(&corners[k]));
            if let Some(k) = repeated {
                let what = format!("degenerate {what}: it has vertex {} twice", corners[k]);
                return Err(view.error(table, row, what));
            }
        }
    }
    Ok(())
}

fn areas(view: &View<'_>, x: &[f64]) -> Result<(), Defect> {
    for (row, x) in (view.start("elements")..).zip(x.chunks_exact(6)) {
        let area = 0.5 * ((x[2] - x[0]) * (x[5] - x[1]) - (x[4] - x[0]) * (x[3] - x[1]));
        // NaN, from overflow, is refused, too.
        if area.is_nan() || area == 0.0 {
            let what =
                format!("degenerate triangle: its area is {area:e}; its vertices must not be on one line");
            return Err(view.error("element_vertices", row, what));
        }
    }
    Ok(())
}

fn tags(view: &View<'_>) -> Result<(), Defect> {
    let tags = view.integers("boundary");
    match tags.iter().position(|tag| !(1..=MOST).contains(tag)) {
        None => Ok(()),
        Some(k) => {
            let what = format!("the boundary's tag is {}; tags are 1 to {MOST}", tags[k]);
            Err(view.error("boundary", view.start("facets") + k as u64, what))
        }
    }
}
