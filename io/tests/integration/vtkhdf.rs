//! Steps of a file for ParaView, left for VTK, which must find them (`./test`).

use std::path::Path;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Values};
use cfd_io::{Array, CellList, Datum, Grid, VtkHdf};
use cfd_mesh::{ElementKind, Groups};

/// `n` x `n` quadrilaterals of the unit square, or with `cut` the triangles that they are cut into, with the step on the cells and
/// 10 times the step plus x on the points.
fn grid(comm: &Comm, n: u64, cut: bool, step: u32) -> Grid {
    let block = |rows: u64| Blocks::new(rows, comm.size()).range(comm.rank());
    let (side, pieces) = (n + 1, if cut { 2 } else { 1 });
    let place = |point: u64| [(point % side) as f64 / n as f64, (point / side) as f64 / n as f64];
    let (points, cells) = (side * side, pieces * n * n);
    let corners = |cell: u64| {
        let (square, part) = (cell / pieces, cell % pieces);
        let first = square / n * side + square % n;
        let around = [first, first + 1, first + side + 1, first + side];
        match (cut, part) {
            (false, _) => around.to_vec(),
            (true, 0) => around[..3].to_vec(),
            (true, _) => vec![around[0], around[2], around[3]],
        }
    };
    let kind = if cut { ElementKind::Triangle } else { ElementKind::Quadrilateral };
    let array = |name: &str, dim: usize, values: Vec<f64>| Array {
        name: name.into(),
        dim,
        components: Vec::new(),
        values: Values::F64(values),
    };
    let time = f64::from(step);
    Grid {
        dimension: 2,
        points,
        x: block(points).flat_map(|p| [place(p)[0], place(p)[1], 0.0]).collect(),
        cells: vec![CellList {
            name: "connectivity",
            rows: cells,
            kinds: block(cells).map(|_| kind).collect(),
            nodes: block(cells).flat_map(corners).collect(),
            groups: Vec::new(),
        }],
        point_data: vec![array("p", 1, block(points).map(|p| 10.0 * time + place(p)[0]).collect())],
        cell_data: vec![array("v", 3, block(cells).flat_map(|c| [time, c as f64, 0.0]).collect())],
        field_data: vec![Datum::count("iteration", 5 * u64::from(step)), Datum::text("case", "squares")],
        groups: Groups::default(),
    }
}

#[test]
fn steps_on_a_mesh_that_stays_and_on_a_new_one_are_left_for_vtk() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vtkhdf");
    std::fs::create_dir_all(&place).unwrap();
    let files = [1, 3].map(|ranks| {
        let path = place.join(format!("ranks-{ranks}.vtkhdf"));
        Comm::simulate(ranks, |comm| {
            let mut file = VtkHdf::new(&path);
            for (step, n, cut, same) in
                [(0, 4, false, false), (1, 4, false, true), (2, 3, true, false), (3, 3, true, true)]
            {
                file.add(&comm, 0.5 * f64::from(step), &grid(&comm, n, cut, step), same).unwrap();
            }
        });
        std::fs::read(path).unwrap()
    });
    assert!(files[0] == files[1], "the same bytes on any ranks");
}
