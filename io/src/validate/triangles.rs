//! Checks triangles and boundary facets individually.

use cfd_engine::mesh::{Values, fetch_rows};

use super::View;
use crate::IoError;

/// The largest tag of a boundary.
const MOST: i32 = 65535;

/// Corners, areas, tags.
pub(super) fn check(view: &View<'_>) -> Result<(), IoError> {
    let x = fetch_rows(view.comm, view.blocks("vertices"), 2, view.x(), view.map("element_vertices"));
    view.comm.agree(corners(view))?;
    view.comm.agree(areas(view, &x))?;
    view.comm.agree(tags(view))
}

fn corners(view: &View<'_>) -> Result<(), IoError> {
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

fn areas(view: &View<'_>, x: &[f64]) -> Result<(), IoError> {
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

fn tags(view: &View<'_>) -> Result<(), IoError> {
    let Values::I32(tags) = view.dat("boundary") else { panic!("types are checked") };
    match tags.iter().position(|tag| !(1..=MOST).contains(tag)) {
        None => Ok(()),
        Some(k) => {
            let what = format!("the boundary's tag is {}; tags are 1 to {MOST}", tags[k]);
            Err(view.error("boundary", view.start("facets") + k as u64, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cfd_engine::comm::Comm;
    use cfd_engine::mesh::{Mesh, Values};
    use cfd_topology::{Topology, generate};

    use crate::validate;

    fn check(change: impl Fn(&mut Mesh) + Sync) -> Result<(), String> {
        let results = Comm::simulate(2, |comm| {
            let mut mesh = generate::triangles(&comm, [3, 2]).unwrap();
            if comm.rank() == 1 {
                change(&mut mesh);
            }
            validate(&comm, &mesh, Topology::Triangles, Path::new("a.h5")).map_err(|error| error.to_string())
        });
        assert_eq!(results[0], results[1], "the same on all ranks");
        results.into_iter().next().expect("two ranks")
    }

    #[test]
    fn a_square_is_valid() {
        assert_eq!(check(|_| ()), Ok(()));
    }

    #[test]
    fn defects_are_found_with_dataset_and_row() {
        let refused = |change: &(dyn Fn(&mut Mesh) + Sync), words: [&str; 2]| {
            let message = check(change).unwrap_err();
            assert!(words.iter().all(|word| message.contains(word)), "{message}");
        };
        let twice = |mesh: &mut Mesh| mesh.maps[0].rows[1] = mesh.maps[0].rows[0];
        refused(&twice, ["element_vertices", "degenerate triangle: it has vertex 4 twice"]);
        let facet = |mesh: &mut Mesh| mesh.maps[1].rows[1] = mesh.maps[1].rows[0];
        refused(&facet, ["facet_vertices", "degenerate facet"]);
        let line = |mesh: &mut Mesh| mesh.maps[0].rows[..3].copy_from_slice(&[0, 1, 2]);
        refused(&line, ["element_vertices", "its area is 0e0"]);
        for tag in [0, -1, 65536] {
            let tagged = move |mesh: &mut Mesh| {
                let Values::I32(tags) = &mut mesh.dats[1].values else { panic!("tags are integers") };
                tags[2] = tag;
            };
            refused(&tagged, ["facet_boundary", &format!("the boundary's tag is {tag}")]);
        }
        let nowhere = |mesh: &mut Mesh| {
            let Values::F64(x) = &mut mesh.dats[0].values else { panic!("coordinates are f64") };
            x[0] = f64::NAN;
        };
        refused(&nowhere, ["vertex_coordinates", "not a finite number"]);
    }
}
