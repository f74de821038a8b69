//! One mesh on any number of ranks and threads, under any local numbering.

use cfd_adapt::metric::Analytic;
use cfd_adapt::operation::{Balance, Bounds};
use cfd_engine::comm::Comm;
use cfd_partition::{Method, Options};

use crate::square::{Wanted, adapt, adapt_balanced, hash, mesh, random};

const FRONT: Wanted = Wanted::Front { eta: 0.05, time: 0.0 };

/// Adapts a small mesh and returns its hash: on ranks and threads, with vertices distributed by a method or left where
/// they were read.
fn hash_on(wanted: Wanted, ranks: usize, threads: usize, method: Option<Method>, seed: u64) -> String {
    let hashes = Comm::simulate(ranks, |comm| {
        let mut mesh = mesh(&comm, 12);
        if let Some(method) = &method {
            let options = Options { method: method.clone(), seed, ..Options::default() };
            mesh.balance(&options).expect("parts");
        }
        adapt(&mut mesh, wanted, threads, Bounds::default());
        hash(&mesh)
    });
    hashes.into_iter().next().expect("a rank")
}

#[test]
fn ranks_threads_partitioners_and_seeds_change_nothing() {
    for wanted in [FRONT, Wanted::Front { eta: 0.05, time: 13.0 }, Wanted::Front { eta: 0.05, time: 50.0 }] {
        let one = hash_on(wanted, 1, 1, None, 0);
        let points = [
            (1, 4, None, 0),
            (2, 1, None, 0),
            (3, 2, Some(Method::Hilbert), 0),
            (5, 1, Some(Method::Random), 1),
            (8, 1, Some(Method::Rcb), 0),
            (16, 1, Some(Method::Metis), 2),
        ];
        for (ranks, threads, method, seed) in points {
            let here = format!("{wanted:?} on {ranks} ranks, {threads} threads, {method:?}, seed {seed}");
            assert_eq!(hash_on(wanted, ranks, threads, method, seed), one, "{here}");
        }
    }
}

/// Elements are aligned with the metric first, as they are where they are stretched.
#[test]
fn an_aligned_mesh_is_the_same_everywhere() {
    for (aspect, direction) in [(300.0, 20.0), (1000.0, 45.0)] {
        let wanted = Wanted::Stretched { long: 0.5, aspect, direction };
        let one = hash_on(wanted, 1, 1, None, 0);
        let points = [
            (1, 4, None, 0),
            (2, 2, Some(Method::Rcb), 0),
            (3, 1, Some(Method::Random), 1),
            (6, 1, Some(Method::Hilbert), 0),
            (16, 1, Some(Method::Metis), 2),
        ];
        for (ranks, threads, method, seed) in points {
            let here = format!("{wanted:?} on {ranks} ranks, {threads} threads, {method:?}, seed {seed}");
            assert_eq!(hash_on(wanted, ranks, threads, method, seed), one, "{here}");
        }
    }
}

/// The metrics defined by a formula.
const NAMES: [&str; 6] = ["linear", "linear-fine", "ramp", "polar-2", "cosine", "radial"];

#[test]
fn metrics_by_formula_give_one_mesh() {
    for name in NAMES {
        let wanted = Wanted::Named(name.parse::<Analytic>().expect("a name"));
        let one = hash_on(wanted, 1, 1, None, 0);
        assert_eq!(hash_on(wanted, 3, 1, Some(Method::Random), 5), one, "{name}");
        assert_eq!(hash_on(wanted, 1, 3, None, 0), one, "{name}");
    }
}

/// The published benchmark at full size, and every metric, on all numbers of ranks and threads; partitioners, seeds and
/// repartition in rotation.
#[test]
#[ignore = "takes minutes; a stage of the nightly checks"]
fn full_size() {
    let methods = [Method::Block, Method::Hilbert, Method::Random, Method::Rcb, Method::Metis];
    let fronts = [0.0, 13.0, 50.0].map(|time| (200, Wanted::Front { eta: 1e-3, time }));
    let named = NAMES.map(|name| (20, Wanted::Named(name.parse().expect("a name"))));
    for (n, wanted) in fronts.into_iter().chain(named) {
        let mut one = None;
        for (point, (ranks, threads)) in
            [1, 2, 3, 5, 8, 16].into_iter().flat_map(|r| [1, 2, 4].map(|t| (r, t))).enumerate()
        {
            let method = methods[point % methods.len()].clone();
            let options = Options { method, seed: point as u64, ..Options::default() };
            let balance = Balance { options: &options, above: 1.05 };
            let hashes = Comm::simulate(ranks, |comm| {
                let mut mesh = mesh(&comm, n);
                mesh.balance(&options).expect("parts");
                let balance = (point % 2 == 0).then_some(balance);
                adapt_balanced(&mut mesh, wanted, threads, Bounds::default(), balance);
                hash(&mesh)
            });
            let here = format!("{wanted:?} on {ranks} ranks, {threads} threads, {options:?}");
            println!("{here}: {}", hashes[0]);
            assert_eq!(*one.get_or_insert_with(|| hashes[0].clone()), hashes[0], "{here}");
        }
    }
}

/// The hash is the same for any machine and build.
#[test]
fn the_mesh_is_the_stored_one() {
    let stored = include_str!("stored_hash").trim();
    assert_eq!(hash_on(FRONT, 2, 1, Some(Method::Hilbert), 0), stored);
}

#[test]
fn local_numbers_and_the_order_of_lists_change_nothing() {
    let shuffled = |seed: Option<u64>| {
        let hashes = Comm::simulate(2, |comm| {
            let mut mesh = mesh(&comm, 12);
            if let Some(seed) = seed {
                mesh.shuffle(random(seed + comm.rank() as u64));
            }
            adapt(&mut mesh, FRONT, 1, Bounds::default());
            hash(&mesh)
        });
        hashes[0].clone()
    };
    let plain = shuffled(None);
    for seed in 1..4 {
        assert_eq!(shuffled(Some(seed)), plain, "seed {seed}");
    }
}

/// Vertices may change ranks between two adaptations.
#[test]
fn migration_between_adaptations_changes_nothing() {
    let twice = |ranks: usize, migrate: bool| {
        let hashes = Comm::simulate(ranks, |comm| {
            let mut mesh = mesh(&comm, 10);
            adapt(&mut mesh, FRONT, 1, Bounds::default());
            if migrate {
                let mut draw = random(7 + comm.rank() as u64);
                let owners: Vec<usize> =
                    (0..mesh.local().vertices().len()).map(|_| draw(comm.size())).collect();
                mesh.migrate(|v| owners[v as usize]);
                mesh.check().expect("a sound mesh");
            }
            adapt(&mut mesh, Wanted::Front { eta: 0.05, time: 10.0 }, 1, Bounds::default());
            hash(&mesh)
        });
        hashes[0].clone()
    };
    let one = twice(1, false);
    assert_eq!(twice(3, false), one);
    assert_eq!(twice(3, true), one);
}

/// Vertices are redistributed among the ranks between passes, by any method.
#[test]
fn repartition_between_passes_changes_nothing() {
    let balanced = |ranks: usize, method: Option<Method>| {
        let hashes = Comm::simulate(ranks, |comm| {
            let mut mesh = mesh(&comm, 12);
            let options =
                Options { method: method.clone().unwrap_or(Method::Block), seed: 3, ..Options::default() };
            // Always out of balance.
            let balance = method.as_ref().map(|_| Balance { options: &options, above: 0.5 });
            adapt_balanced(&mut mesh, FRONT, 1, Bounds::default(), balance);
            hash(&mesh)
        });
        hashes[0].clone()
    };
    let one = balanced(1, None);
    for method in [Method::Hilbert, Method::Random, Method::Metis] {
        assert_eq!(balanced(4, Some(method.clone())), one, "{method:?}");
    }
}

#[test]
fn a_hundred_runs_give_one_mesh() {
    let one = hash_on(FRONT, 2, 2, None, 0);
    let runs = if cfg!(debug_assertions) { 5 } else { 100 };
    for run in 1..runs {
        assert_eq!(hash_on(FRONT, 2, 2, None, 0), one, "run {run}");
    }
}
