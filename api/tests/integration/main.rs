//! Results in one call each, on any ranks, from a crate that knows nothing but `cfd-api`.

use std::path::Path;

use cfd_api::partition::distribute;
use cfd_api::prelude::*;
use cfd_api::{OutputError, io};

/// The guide's solver: stopped and continued, on any ranks.
mod advection;
/// Many time levels.
mod series;
/// State in files, and from files.
mod state;

#[kernel]
fn gather(x: [Read<2>; 4], middle: Write<2>, visits: [Inc<1, i32>; 4]) {
    for m in 0..2 {
        middle[m] = 0.25 * ((x[0][m] + x[1][m]) + (x[2][m] + x[3][m]));
    }
    for i in 0..4 {
        visits[i][0] += 1;
    }
}

/// Quadrilaterals, the last corner of every fifth twice.
fn domain(comm: &Comm) -> Domain {
    let (n, rows) =
        (6, |count: u64| cfd_api::engine::mesh::Blocks::new(count, comm.size()).range(comm.rank()));
    let mut mesh = Mesh::default();
    let (nodes, cells) = (mesh.add_set("nodes", (n + 1) * (n + 1)), mesh.add_set("cells", n * n));
    let corners = rows(n * n).flat_map(|cell| {
        let first = cell / n * (n + 1) + cell % n;
        let last = if cell % 5 == 0 { first + n + 2 } else { first + n + 1 };
        [first, first + 1, first + n + 2, last]
    });
    mesh.add_map("cell_nodes", cells, nodes, 4, corners.collect());
    let x = rows((n + 1) * (n + 1)).flat_map(|i| [(i % (n + 1)) as f64 / 7.0, (i / (n + 1)) as f64]);
    mesh.add_dat("x", nodes, 2, Values::F64(x.collect()));
    let owner = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32 % comm.size() as u32;
    let owners = [(n + 1) * (n + 1), n * n].map(|count| rows(count).map(owner).collect());
    let layout = distribute(comm, mesh, &owners).unwrap();
    Domain::new(comm.clone(), layout, DomainOptions::default())
}

/// Runs a loop and writes its results; the hash, the file to open, what `write_vtu` refuses, and the table of loops.
fn results(comm: &Comm, folder: &Path) -> (Digest, String, [String; 2], String) {
    let mut domain = domain(comm);
    let (nodes, cells) = (domain.set("nodes").unwrap(), domain.set("cells").unwrap());
    let corners: Map<4> = domain.map("cell_nodes").unwrap();
    let x: Dat<2> = domain.dat("x").unwrap();
    let middle: Dat<2> = domain.new_dat(cells, "middle");
    let visits: Dat<1, i32> = domain.new_dat(nodes, "visits");
    domain.par_loop(gather, cells, (x.all(corners), middle, visits.all(corners)), &());
    let (level, dats) = (TimeLevel { step: 7, time: 0.25 }, [middle.into(), visits.into()]);
    let hash = save(&mut domain, folder.join("solution.h5"), level, &dats).unwrap();
    let grid = Grid::new(ElementKind::Quadrilateral, corners, x);
    let file = write_vtu(&mut domain, folder, "drawn", level, &grid, &dats).unwrap();
    let mut refused = |grid: Grid| {
        let error = write_vtu(&mut domain, folder, "other", level, &grid, &[]).unwrap_err();
        assert!(matches!(error, OutputError::Grid(_)), "{error}");
        error.to_string()
    };
    let wrong = [
        refused(Grid::new(ElementKind::Triangle, corners, x)),
        refused(Grid::new(ElementKind::Quadrilateral, corners, middle)),
    ];
    (hash, file, wrong, loop_table(&mut domain, std::time::Duration::from_secs(1)))
}

#[test]
fn results_are_the_same_on_any_ranks_and_say_what_cannot_be_drawn() {
    let mut first = None;
    for ranks in [1, 2, 5] {
        let folder = tempfile::tempdir().unwrap();
        let all = Comm::simulate(ranks, |comm| results(&comm, folder.path()));
        for (hash, file, wrong, _) in all {
            assert_eq!(*first.get_or_insert(hash), hash, "{ranks} ranks");
            assert_eq!(file, if ranks == 1 { "drawn.vtu" } else { "drawn.pvtu" });
            assert!(wrong[0].contains("a triangle has 3 corners, the map leads to 4"), "{}", wrong[0]);
            assert!(wrong[1].contains("coordinates are two or three components on the set"), "{}", wrong[1]);
        }
        let comm = Comm::single();
        let visits = io::read_field(&comm, &folder.path().join("solution.h5"), "visits").unwrap();
        // Every cell visits four corners; a repeated one counts twice.
        assert_eq!((visits.dim, visits.rows, visits.block.values().iter().sum::<f64>()), (1, 49, 4.0 * 36.0));
        let pieces: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "vtu"))
            .map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned())
            .collect();
        assert_eq!(pieces.len(), ranks);
        let cells = pieces.iter().map(|piece| {
            let number = piece.split("NumberOfCells=\"").nth(1).and_then(|rest| rest.split('"').next());
            assert!(piece.contains("Name=\"middle\" NumberOfComponents=\"3\""), "a vector in space");
            assert!(piece.contains("type=\"Int32\" Name=\"visits\""), "integers stay integers");
            assert!(piece.contains("Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">2.5e-1<"));
            assert!(piece.contains("Name=\"step\" NumberOfTuples=\"1\" format=\"ascii\">7<"));
            number.and_then(|number| number.parse::<usize>().ok()).expect("a number of cells")
        });
        assert_eq!(cells.sum::<usize>(), 36);
    }
}

#[test]
fn copies_of_the_halo_are_as_new_as_their_owners_values() {
    for ranks in [1, 3] {
        Comm::simulate(ranks, |comm| {
            let mut domain = domain(&comm);
            let (nodes, cells) = (domain.set("nodes").unwrap(), domain.set("cells").unwrap());
            let corners: Map<4> = domain.map("cell_nodes").unwrap();
            let name: Dat<1> = domain.new_dat(nodes, "name");
            for shift in [0.0, 100.0] {
                let own: Vec<f64> = domain.global_ids(nodes).iter().map(|&id| id as f64 + shift).collect();
                domain.write(name, &own);
                let values = domain.read_with_halo(name).unwrap();
                assert_eq!(values[..own.len()], own);
                let ids = domain.target_ids(corners);
                assert_eq!(domain.targets(corners).len(), domain.global_ids(cells).len());
                for (rows, ids) in domain.targets(corners).iter().zip(ids) {
                    for (&row, id) in rows.iter().zip(ids) {
                        assert_eq!(values[row as usize], id as f64 + shift);
                    }
                }
            }
        });
    }
}
