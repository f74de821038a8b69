//! Checks triangles and boundary facets individually, and how they meet.

use cfd_engine::mesh::fetch_rows;

use crate::derive::cells::unused_nodes;
use crate::derive::view::{Defect, View};

/// The largest tag of a boundary.
const MOST: i32 = 65535;

/// Corners, areas, tags, sides, unused vertices.
pub(super) fn check(view: &View<'_>) -> Result<(), Defect> {
    let x = fetch_rows(view.comm, view.blocks("vertices"), 2, view.x(), view.map("element_vertices"));
    view.comm.agree(corners(view))?;
    view.comm.agree(areas(view, &x))?;
    view.comm.agree(tags(view))?;
    let sides = sides(view);
    view.comm.agree(sides)?;
    let unused = unused_nodes(view, "vertices", "element_vertices", "element");
    view.comm.agree(unused)
}

/// Every side belongs to two triangles, or to one triangle and one facet; a facet between two triangles is an embedded line.
/// Sides meet at the owner of their lower vertex.
fn sides(view: &View<'_>) -> Result<(), Defect> {
    let owners = view.blocks("vertices");
    // Vertices; 0 of a triangle, 1 of a facet; row.
    let mut send: Vec<Vec<[u64; 4]>> = vec![Vec::new(); view.comm.size()];
    let mut meet = |a: u64, b: u64, kind: u64, row: u64| {
        send[owners.owner(a.min(b))].push([a.min(b), a.max(b), kind, row]);
    };
    for (row, corners) in (view.start("elements")..).zip(view.map("element_vertices").chunks_exact(3)) {
        (0..3).for_each(|k| meet(corners[k], corners[(k + 1) % 3], 0, row));
    }
    for (row, ends) in (view.start("facets")..).zip(view.map("facet_vertices").chunks_exact(2)) {
        meet(ends[0], ends[1], 1, row);
    }
    let mut met: Vec<[u64; 4]> = view.comm.all_to_all(send).concat();
    met.sort_unstable();
    met.chunk_by(|one, other| one[..2] == other[..2]).try_for_each(|same| side(view, same))
}

/// Checks everything that has one side: triangles, then facets.
fn side(view: &View<'_>, same: &[[u64; 4]]) -> Result<(), Defect> {
    let (triangles, facets) = same.split_at(same.partition_point(|one| one[2] == 0));
    let [a, b, ..] = same[0];
    let (table, row, what) = match (triangles, facets) {
        ([_, _] | [_], [_]) | ([_, _], []) => return Ok(()),
        ([one], []) => {
            let what = "belongs to no other triangle and to no facet; a row is missing there".into();
            ("element_vertices", one[3], what)
        }
        ([one, other, third, ..], _) => {
            let what = format!(
                "already belongs to rows {} and {}; expected two triangles at most",
                one[3], other[3]
            );
            ("element_vertices", third[3], what)
        }
        ([], _) => ("facet_vertices", same[0][3], "belongs to no triangle; expected a side of one".into()),
        (_, [facet, again, ..]) => {
            ("facet_vertices", again[3], format!("already belongs to row {}; expected one facet", facet[3]))
        }
    };
    Err(view.error(table, row, format!("the side between vertices {a} and {b} {what}")))
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
