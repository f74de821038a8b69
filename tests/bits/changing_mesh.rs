//! A mesh retrieved from a domain, and values carried on to another mesh.

use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_engine::prelude::*;
use cfd_mesh::generate::naca0012;

use crate::harness::{Split, domain};

#[kernel]
fn spread(x: [Read<2>; 2], heat: [Inc<2>; 2]) {
    for m in 0..2 {
        let f = 0.1 * (x[1][m] - x[0][m]);
        heat[0][m] += f;
        heat[1][m] -= f;
    }
}

const SIZES: (u64, u64) = (9, 13);

fn run(domain: &mut Domain) {
    let (nodes, edges) = (domain.set("nodes").unwrap(), domain.set("edges").unwrap());
    let ends: Map<2> = domain.map("edge_nodes").unwrap();
    let x: Dat<2> = domain.dat("x").unwrap();
    let heat: Dat<2> = match domain.dat("heat") {
        Ok(heat) => heat,
        Err(_) => domain.new_dat(nodes, "heat"),
    };
    domain.par_loop(spread, edges, (x.all(ends), heat.all(ends)), &());
}

/// All blocks of a mesh, in sequence.
fn whole(meshes: Vec<Mesh>) -> Mesh {
    let mut meshes = meshes.into_iter();
    let mut all = meshes.next().expect("a rank");
    for mesh in meshes {
        for (map, more) in all.maps.iter_mut().zip(mesh.maps) {
            map.rows.extend(more.rows);
        }
        for (dat, more) in all.dats.iter_mut().zip(mesh.dats) {
            match (&mut dat.values, more.values) {
                (Values::F64(values), Values::F64(more)) => values.extend(more),
                (Values::I32(values), Values::I32(more)) => values.extend(more),
                _ => panic!("a dat of two types"),
            }
        }
    }
    all
}

#[test]
fn a_domain_gives_back_the_mesh_it_was_made_from_with_the_values_of_now() {
    let given = whole(Comm::simulate(1, |comm| naca0012::cells(&comm, SIZES.0, SIZES.1, None).unwrap()));
    let mut after: Option<Mesh> = None;
    for (ranks, method) in [(1, "block"), (3, "random"), (8, "rcb")] {
        let meshes = Comm::simulate(ranks, |comm| {
            let mesh = naca0012::cells(&comm, SIZES.0, SIZES.1, None).unwrap();
            let split = Split::new(ranks, method);
            let mut first = domain(&comm, mesh.clone(), &split);
            let untouched = first.to_mesh().unwrap();
            assert_eq!(untouched, mesh);
            run(&mut first);
            // Redistributed in another way, the run continues.
            let mesh = first.to_mesh().unwrap();
            let mut second = domain(&comm, mesh, &Split { seed: 7, ..Split::new(ranks, "random") });
            run(&mut second);
            second.to_mesh().unwrap()
        });
        let mesh = whole(meshes);
        assert_eq!((&mesh.sets, &mesh.maps), (&given.sets, &given.maps), "{ranks} ranks");
        assert_eq!(mesh.dats[..given.dats.len()], given.dats[..], "{ranks} ranks");
        assert_eq!(mesh.dats.len(), given.dats.len() + 1);
        assert_eq!(*after.get_or_insert(mesh.clone()), mesh, "{ranks} ranks");
    }
    let Values::F64(heat) = &after.expect("a run").dats.pop().expect("heat").values else { panic!("of f64") };
    assert!(heat.iter().any(|&value| value != 0.0));
}

#[test]
fn any_dat_and_ids_go_on_to_the_rows_of_another_mesh() {
    for ranks in [1, 3] {
        Comm::simulate(ranks, |comm| {
            let mesh = naca0012::cells(&comm, SIZES.0, SIZES.1, None).unwrap();
            let whole = Comm::simulate(1, |alone| naca0012::cells(&alone, SIZES.0, SIZES.1, None).unwrap());
            // A finer mesh, each of whose rows comes from one here: two from every third.
            let from = |rows: u64| -> Vec<u64> {
                let all: Vec<u64> =
                    (0..rows).flat_map(|i| vec![rows - 1 - i; 1 + usize::from(i % 3 == 0)]).collect();
                let own = Blocks::new(all.len() as u64, comm.size()).range(comm.rank());
                all[own.start as usize..own.end as usize].to_vec()
            };
            for (index, dat) in mesh.dats.iter().enumerate() {
                let rows = from(mesh.sets[dat.set].rows);
                let at = |k: usize, m: usize| rows[k] as usize * dat.dim + m;
                let places = (0..rows.len()).flat_map(|k| (0..dat.dim).map(move |m| (k, m)));
                let expected = match &whole[0].dats[index].values {
                    Values::F64(all) => Values::F64(places.map(|(k, m)| all[at(k, m)]).collect()),
                    Values::I32(all) => Values::I32(places.map(|(k, m)| all[at(k, m)]).collect()),
                };
                assert_eq!(mesh.fetch(&comm, index, &rows), expected, "{}", dat.name);
            }
            let map = &mesh.maps[0];
            let rows = from(mesh.sets[map.from].rows);
            let fetched = fetch_rows(&comm, mesh.blocks(map.from, &comm), map.arity, &map.rows, &rows);
            let all = &whole[0].maps[0].rows;
            let expected: Vec<u64> =
                rows.iter().flat_map(|&row| &all[row as usize * map.arity..][..map.arity]).copied().collect();
            assert_eq!(fetched, expected);
        });
    }
}
