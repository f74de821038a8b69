//! The example `smooth`, whose loop reads and changes values through a map: the bits of a plain program that visits the
//! edges by color, then by row, on any ranks.

use cfd_engine::mesh::{Mesh, Values};
use cfd_engine::prelude::*;
use cfd_reducers::strategies;

use crate::harness::{Split, domain, in_global_order};
use crate::oracle::sum::correctly_rounded;
use crate::reproducible::coloring::{Target, distributed};

#[path = "../../../examples/smooth.rs"]
#[allow(dead_code)]
mod example;

use example::{HEAT, Smooth};

const SIZE: [u64; 2] = [20, 25];
const STEPS: usize = 20;

fn mesh(comm: &Comm) -> Mesh {
    cfd_mesh::generate::naca0012::cells(comm, SIZE[0], SIZE[1], Some(6)).expect("a mesh")
}

/// The example's results: temperatures, then total heat, and the lowest and highest temperature with their cells.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    t: Vec<u64>,
    heat: u64,
    extrema: [(u64, u64); 2],
}

fn run(split: &Split) -> Outcome {
    let results = Comm::simulate(split.ranks, |comm| {
        let mut domain = domain(&comm, mesh(&comm), split);
        let smooth = Smooth::new(&mut domain, &HEAT).expect("a mesh of cells and edges");
        (0..STEPS).for_each(|_| smooth.step(&mut domain, &HEAT));
        let (heat, coldest, hottest) = smooth.measure(&mut domain).unwrap();
        let ids = domain.global_ids(smooth.temperature().set()).to_vec();
        let place = |e: Extremum| (e.value.to_bits(), e.element.expect("there are cells"));
        (
            (ids, domain.read(smooth.temperature()).unwrap()),
            (heat.to_bits(), [place(coldest), place(hottest)]),
        )
    });
    let (heat, extrema) = results[0].1;
    assert!(results.iter().all(|r| r.1 == (heat, extrema)), "{split:?}: all ranks know the same");
    let t = in_global_order::<1>(results.into_iter().map(|r| r.0).collect());
    Outcome { t: t.into_iter().map(|[t]| t.to_bits()).collect(), heat, extrema }
}

/// The edges by color, then row.
fn by_color(mesh: &Mesh) -> Vec<usize> {
    let elements: Vec<Vec<Target>> =
        map::<2>(mesh, "edge_cells").iter().map(|cells| cells.map(|cell| (0, cell)).to_vec()).collect();
    let colors = distributed(&elements);
    let mut order: Vec<usize> = (0..elements.len()).collect();
    order.sort_by_key(|&edge| (colors[edge], edge));
    order
}

fn map<'a, const N: usize>(mesh: &'a Mesh, name: &str) -> &'a [[u64; N]] {
    mesh.maps[mesh.map(name).expect("an airfoil mesh has the map")].rows.as_chunks().0
}

/// The example as a plain program on whole arrays, its edges in this order.
fn plain(mesh: &Mesh, order: &[usize]) -> Outcome {
    let Values::F64(x) = &mesh.dats[mesh.dat("x").expect("coordinates")].values else {
        panic!("coordinates are numbers")
    };
    let x = |node: u64| [x[2 * node as usize], x[2 * node as usize + 1]];
    let (mut middle, mut area, mut t) = (Vec::new(), Vec::new(), Vec::new());
    for nodes in map::<4>(mesh, "cell_nodes") {
        let [a, b, c, d] = nodes.map(x);
        area.push(0.5 * ((c[0] - a[0]) * (d[1] - b[1]) - (d[0] - b[0]) * (c[1] - a[1])).abs());
        let mean = [0, 1].map(|m| 0.25 * (((a[m] + b[m]) + c[m]) + d[m]));
        let [dx, dy] = [0, 1].map(|m| mean[m] - HEAT.middle[m]);
        t.push(if dx * dx + dy * dy < HEAT.radius * HEAT.radius { 1.0 } else { 0.0 });
        middle.push(mean);
    }
    let length = |a: [f64; 2], b: [f64; 2]| {
        let [dx, dy] = [0, 1].map(|m| a[m] - b[m]);
        (dx * dx + dy * dy).sqrt()
    };
    for _ in 0..STEPS {
        for &edge in order {
            let [a, b] = map::<2>(mesh, "edge_nodes")[edge].map(x);
            let [one, two] = map::<2>(mesh, "edge_cells")[edge].map(|cell| cell as usize);
            let coupling = HEAT.dt * (length(a, b) / length(middle[one], middle[two]));
            let h = coupling * (t[two] - t[one]) / (1.0 + coupling * (1.0 / area[one] + 1.0 / area[two]));
            t[one] += h / area[one];
            t[two] -= h / area[two];
        }
    }
    let extremum = |better: fn(f64, f64) -> bool| {
        let best = (1..t.len()).fold(0, |best, cell| if better(t[cell], t[best]) { cell } else { best });
        (t[best].to_bits(), best as u64)
    };
    Outcome {
        heat: correctly_rounded(area.iter().zip(&t).map(|(area, t)| area * t)).to_bits(),
        extrema: [extremum(|a, b| a < b), extremum(|a, b| a > b)],
        t: t.into_iter().map(f64::to_bits).collect(),
    }
}

#[test]
fn any_ranks_give_the_bits_of_the_plain_program_by_color() {
    let mesh = mesh(&Comm::single());
    let expected = plain(&mesh, &by_color(&mesh));
    for ranks in [1, 2, 3, 8, 16] {
        for (method, overlap) in
            [("block", true), ("metis", false), ("rcb", true), ("hilbert", false), ("random", true)]
        {
            let split = Split::new(ranks, method).with(|options| options.overlap = overlap);
            assert!(run(&split) == expected, "{split:?}");
        }
    }
}

#[test]
fn strategies_regions_and_canonical_order_change_nothing() {
    let mesh = mesh(&Comm::single());
    let colored = plain(&mesh, &by_color(&mesh));
    for strategy in strategies::all() {
        for (region_rows, order) in [(0, cfd_partition::Order::Hilbert), (9, cfd_partition::Order::File)] {
            let split = Split::new(3, "rcb").with(|options| {
                options.strategy = Some(strategy);
                // Such a loop has its own order in every strategy, even in those that guarantee none for other loops.
                options.mode = if strategy.is_reproducible() { Mode::Reproducible } else { Mode::Fast };
                options.region_rows = region_rows;
            });
            let split = Split { order, ..split };
            let found = run(&split);
            let expected = match strategy {
                // Other colors, which follow from the canonical order.
                Strategy::GreedyColoring => {
                    let alone = Split::new(1, "block").with(|options| options.strategy = Some(strategy));
                    run(&Split { order, ..alone })
                }
                _ => colored.clone(),
            };
            assert_eq!(expected == colored, strategy != Strategy::GreedyColoring);
            // Fast mode sums the heat in any order.
            let heat = if strategy.is_reproducible() { expected.heat } else { found.heat };
            assert!(found == Outcome { heat, ..expected }, "{split:?}");
        }
    }
}

#[test]
fn the_order_of_the_edges_decides_the_bits_but_not_the_physics() {
    let mesh = mesh(&Comm::single());
    let colored = plain(&mesh, &by_color(&mesh));
    let in_file_order = plain(&mesh, &(0..map::<2>(&mesh, "edge_cells").len()).collect::<Vec<_>>());
    let differing = colored.t.iter().zip(&in_file_order.t).filter(|(a, b)| a != b).count();
    assert!(differing > colored.t.len() / 2, "{differing} of {} cells differ", colored.t.len());
    for outcome in [&colored, &in_file_order] {
        let [coldest, hottest] = outcome.extrema.map(|(value, _)| f64::from_bits(value));
        assert!((0.0..=1.0).contains(&coldest) && (0.0..=1.0).contains(&hottest) && coldest < hottest);
    }
    let change = f64::from_bits(colored.heat) / f64::from_bits(in_file_order.heat) - 1.0;
    assert!(change.abs() < 1e-12, "no heat is lost in either: {change:e}");
}
