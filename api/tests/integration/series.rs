use cfd_api::io::SolutionFile;
use cfd_api::prelude::*;

use crate::domain;

/// Adds three time levels of a field of four components.
fn draw(comm: &Comm, series: &mut Series, from: u64) -> String {
    let mut domain = domain(comm);
    let cells = domain.set("cells").unwrap();
    let corners: Map<4> = domain.map("cell_nodes").unwrap();
    let x: Dat<2> = domain.dat("x").unwrap();
    let q: Dat<4> = domain.new_dat(cells, "q");
    let grid = Grid::new(ElementKind::Quadrilateral, corners, x)
        .components(q, ["density", "momentum_x", "momentum_y", "energy"]);
    for step in from..from + 3 {
        let values: Vec<f64> =
            domain.global_ids(cells).iter().flat_map(|&id| [1.0, id as f64, step as f64, 2.5]).collect();
        domain.write(q, &values);
        series.add(&mut domain, TimeLevel { step, time: 0.5 * step as f64 }, &grid, &[q.into()]).unwrap();
    }
    loop_table(&mut domain, std::time::Duration::from_secs(1))
}

#[test]
fn a_series_lists_its_files_with_their_times_and_names_of_components() {
    let folder = tempfile::tempdir().unwrap();
    Comm::simulate(2, |comm| draw(&comm, &mut Series::of_files(folder.path(), "flow"), 0));
    let list = std::fs::read_to_string(folder.path().join("flow.pvd")).unwrap();
    for (time, step) in [("0", 0), ("0.5", 1), ("1", 2)] {
        assert!(
            list.contains(&format!("timestep=\"{time}\" part=\"0\" file=\"flow-{step}.pvtu\"")),
            "{list}"
        );
    }
    let piece = std::fs::read(folder.path().join("flow-1-0001.vtu")).unwrap();
    let piece = String::from_utf8_lossy(&piece);
    assert!(piece.contains("Name=\"density\" NumberOfComponents=\"1\""), "{piece}");
    assert!(piece.contains("Name=\"momentum\" NumberOfComponents=\"3\" ComponentName0=\"x\""), "{piece}");
    // Continued after the second level: the third is replaced, the first two stay.
    let level = TimeLevel { step: 1, time: 0.5 };
    Comm::simulate(1, |comm| {
        let mut series = Series::continued(&comm, folder.path(), "flow", level);
        draw(&comm, &mut series, 2)
    });
    let list = std::fs::read_to_string(folder.path().join("flow.pvd")).unwrap();
    let files: Vec<&str> =
        list.lines().filter_map(|line| line.split("file=\"").nth(1)?.split('"').next()).collect();
    assert_eq!(files, ["flow-0.pvtu", "flow-1.pvtu", "flow-2.vtu", "flow-3.vtu", "flow-4.vtu"]);
}

#[test]
fn one_file_holds_all_time_levels_with_the_same_bytes_on_any_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |ranks: usize| {
        let path = folder.path().join(format!("{ranks}.vtkhdf"));
        Comm::simulate(ranks, |comm| draw(&comm, &mut Series::in_one_file(&path), 0));
        (std::fs::read(&path).unwrap(), path)
    };
    let (one, path) = bytes(1);
    assert!(one == bytes(3).0);
    let file = SolutionFile::open(&path).unwrap();
    let shape = |name: &str| {
        file.fields().iter().find(|f| f.name == format!("VTKHDF/{name}")).map(|f| (f.rows, f.dim))
    };
    assert_eq!(shape("Points"), Some((49, 3)), "the mesh is there once");
    assert_eq!(shape("CellData/density"), Some((3 * 36, 1)));
    assert_eq!(shape("CellData/momentum"), Some((3 * 36, 3)));
    assert_eq!(file.rows("VTKHDF/Steps/Values", 0..3).unwrap(), [0.0, 0.5, 1.0]);
}

#[test]
fn the_table_of_loops_is_rank_0s_and_has_every_loop() {
    let folder = tempfile::tempdir().unwrap();
    let tables = Comm::simulate(2, |comm| crate::results(&comm, folder.path()).3);
    assert!(tables[1].is_empty());
    let lines: Vec<&str> = tables[0].lines().collect();
    assert!(lines[0].starts_with("loop ") && lines[0].contains("halo s"), "{}", tables[0]);
    assert!(lines[1].starts_with("gather ") && lines[1].contains(" 1 "), "{}", tables[0]);
}
