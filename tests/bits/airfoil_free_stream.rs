//! The loops conserve to rounding what the equations conserve: the free stream without a body, gas at rest between
//! walls, and mass, momentum and energy of any flow.

use cfd_engine::mesh::{Mesh, Values};
use std::collections::BTreeMap;

use cfd_engine::prelude::*;
use cfd_mesh::generate;
use cfd_solvers::Solver;
use cfd_solvers::airfoil::kernels::{adt_calc, bres_calc, res_calc, save_soln, update};
use cfd_solvers::airfoil::{Airfoil, Config, Flow};

use crate::harness::{Split, domain};

/// The last has more ranks than some of these meshes have cells.
const SPLITS: [(usize, &str); 4] = [(1, "block"), (3, "metis"), (8, "random"), (16, "rcb")];

/// `bound` of an inviscid wall.
const WALL: i32 = 1;

/// Runs `body` with each split.
fn on_all_splits(body: impl Fn(&Comm, &Split) + Sync) {
    for (ranks, method) in SPLITS {
        let split = Split::new(ranks, method);
        Comm::simulate(ranks, |comm| body(&comm, &split));
    }
}

/// The same mesh with walls all around.
fn closed(mut mesh: Mesh) -> Mesh {
    let bound = mesh.dat("bound").expect("an airfoil mesh has bounds");
    let Values::I32(bounds) = &mut mesh.dats[bound].values else { panic!("bounds are integers") };
    bounds.fill(WALL);
    mesh
}

/// Iterates on `mesh`; every residual and, at the end, every cell stays at the free stream, to rounding.
fn assert_nothing_happens(comm: &Comm, split: &Split, mesh: Mesh, config: &Config) {
    let mut domain = domain(comm, mesh, split);
    let mut airfoil = Airfoil::new(&mut domain, config).expect("an airfoil mesh");
    for iteration in 1..=100 {
        let residual = airfoil.step(&mut domain, false).expect("a flow that stays sound").residual;
        assert!(residual < 1e-15, "{split:?}, {config:?}: residual {residual:e} in iteration {iteration}");
    }
    let expected = Flow::new(config).qinf;
    for q in domain.read(airfoil.q()).unwrap().as_chunks::<4>().0 {
        let off = |m: usize| (q[m] - expected[m]).abs() / expected[3];
        assert!((0..4).all(|m| off(m) < 1e-15), "{split:?}, {config:?}: {q:?}, expected {expected:?}");
    }
}

#[test]
fn the_free_stream_stays_where_there_is_no_body() {
    for alpha in [0.0, 3.0] {
        let config = Config { alpha, ..Config::default() };
        on_all_splits(|comm, split| {
            let mesh = generate::block(comm, 15, 12).expect("a mesh");
            assert_nothing_happens(comm, split, mesh, &config);
        });
    }
}

#[test]
fn the_free_stream_stays_on_a_single_cell_and_on_meshes_of_one_row() {
    for [i, j] in [[1, 1], [5, 1], [1, 7]] {
        on_all_splits(|comm, split| {
            let mesh = generate::block(comm, i, j).expect("a mesh");
            assert_nothing_happens(
                comm,
                split,
                mesh,
                &Config { alpha: -7.0, mach: 0.8, ..Config::default() },
            );
        });
    }
}

#[test]
fn gas_at_rest_stays_at_rest_between_walls() {
    on_all_splits(|comm, split| {
        let mesh = closed(generate::block(comm, 9, 11).expect("a mesh"));
        assert_nothing_happens(comm, split, mesh, &Config { mach: 0.0, ..Config::default() });
    });
}

/// The sum over all cells, and the sum of the absolute values, to which rounding is relative.
#[kernel]
fn total(res: Read<4>, sum: Sum<4>, size: Sum<4>) {
    for m in 0..4 {
        sum[m] += res[m];
        size[m] += res[m].abs();
    }
}

/// What a step took from a cell, in units of its residual: (q_old - q) adt.
#[kernel]
fn change(q_old: Read<4>, q: Read<4>, adt: Read<1>, taken: Write<4>) {
    for m in 0..4 {
        taken[m] = (q_old[m] - q[m]) * adt[0];
    }
}

/// The loops of one sub-step, one by one, on the state of a solver.
struct Loops {
    flow: Flow,
    cells: Set,
    q: Dat<4>,
    q_old: Dat<4>,
    adt: Dat<1>,
    interior: Dat<4>,
    boundary: Dat<4>,
    both: Dat<4>,
}

impl Loops {
    /// Runs all fluxes at the solver's current state: those of interior and boundary edges separately, and together.
    fn fluxes(domain: &mut Domain, airfoil: &Airfoil, config: &Config) -> Loops {
        let cells = domain.set("cells").unwrap();
        let (edges, bedges) = (domain.set("edges").unwrap(), domain.set("bedges").unwrap());
        let corners: Map<4> = domain.map("cell_nodes").unwrap();
        let (ends, sides): (Map<2>, Map<2>) =
            (domain.map("edge_nodes").unwrap(), domain.map("edge_cells").unwrap());
        let bends: Map<2> = domain.map("bedge_nodes").unwrap();
        let inside: Map<1> = domain.map("bedge_cell").unwrap();
        let (x, bound): (Dat<2>, Dat<1, i32>) = (domain.dat("x").unwrap(), domain.dat("bound").unwrap());
        let lowest = domain.new_min::<1>("lowest of the test");
        let loops = Loops {
            flow: Flow::new(config),
            cells,
            q: airfoil.q(),
            q_old: domain.new_dat(cells, "q_old of the test"),
            adt: domain.new_dat(cells, "adt of the test"),
            interior: domain.new_dat(cells, "interior"),
            boundary: domain.new_dat(cells, "boundary"),
            both: domain.new_dat(cells, "both"),
        };
        let Loops { flow, q, q_old, adt, interior, boundary, both, .. } = loops;
        let (n1, n2, n3, n4) =
            (corners.target::<0>(), corners.target::<1>(), corners.target::<2>(), corners.target::<3>());
        domain.par_loop(save_soln, cells, (q, q_old), &());
        domain.par_loop(adt_calc, cells, (x.at(n1), x.at(n2), x.at(n3), x.at(n4), q, adt, lowest), &flow);
        for res in [interior, both] {
            let (a, b, c1, c2) =
                (ends.target::<0>(), ends.target::<1>(), sides.target::<0>(), sides.target::<1>());
            let operands =
                (x.at(a), x.at(b), q.at(c1), q.at(c2), adt.at(c1), adt.at(c2), res.at(c1), res.at(c2));
            domain.par_loop(res_calc, edges, operands, &flow);
        }
        for res in [boundary, both] {
            let (a, b, c) = (bends.target::<0>(), bends.target::<1>(), inside.target::<0>());
            let operands = (x.at(a), x.at(b), q.at(c), adt.at(c), res.at(c), bound);
            domain.par_loop(bres_calc, bedges, operands, &flow);
        }
        loops
    }

    /// The sum of a residual over all cells and the sum of its absolute values.
    fn total(&self, domain: &mut Domain, res: Dat<4>) -> ([f64; 4], [f64; 4]) {
        let (sum, size) = (domain.new_sum::<4>("sum"), domain.new_sum::<4>("size"));
        domain.par_loop(total, self.cells, (res, sum, size), &());
        (domain.get(sum).unwrap(), domain.get(size).unwrap())
    }
}

/// An Airfoil run that is under way, and its loops.
fn under_way(comm: &Comm, split: &Split, mesh: Mesh, config: &Config) -> (Domain, Loops) {
    let mut domain = domain(comm, mesh, split);
    let mut airfoil = Airfoil::new(&mut domain, config).expect("an airfoil mesh");
    for _ in 0..20 {
        airfoil.step(&mut domain, false).expect("a flow that stays sound");
    }
    let loops = Loops::fluxes(&mut domain, &airfoil, config);
    (domain, loops)
}

const TURNED: Config = Config {
    gamma: 1.4,
    cfl: 0.9,
    eps: 0.05,
    mach: 0.5,
    alpha: 2.0,
    iterations: 0,
    tolerance: 0.0,
    boundaries: BTreeMap::new(),
};

#[test]
fn what_leaves_a_cell_through_an_interior_edge_enters_its_neighbour() {
    on_all_splits(|comm, split| {
        let mesh = generate::naca0012::cells(comm, 8, 9, Some(6)).expect("a mesh");
        let (mut domain, loops) = under_way(comm, split, mesh, &TURNED);
        let (sum, size) = loops.total(&mut domain, loops.interior);
        for m in 0..4 {
            assert!(size[m] > 1.0, "there is a flux: {size:?}");
            assert!(
                sum[m].abs() < 1e-14 * size[m],
                "{split:?}: component {m}: {:e} of {:e}",
                sum[m],
                size[m]
            );
        }
    });
}

#[test]
fn all_cells_together_change_by_what_passes_the_boundary() {
    on_all_splits(|comm, split| {
        let mesh = generate::naca0012::cells(comm, 8, 9, Some(6)).expect("a mesh");
        let (mut domain, loops) = under_way(comm, split, mesh, &TURNED);
        let (boundary, _) = loops.total(&mut domain, loops.boundary);
        let rms = domain.new_sum::<1>("rms of the test");
        let changed: Dat<4> = domain.new_dat(loops.cells, "change");
        let Loops { cells, q, q_old, adt, both, .. } = loops;
        domain.par_loop(update, cells, (q_old, q, both, adt, rms), &());
        domain.par_loop(change, cells, (q_old, q, adt, changed), &());
        let (sum, _) = loops.total(&mut domain, changed);
        // The difference q_old - q has lost digits: rounding is relative to q adt, which is about 10 per cell.
        let scale = 10.0 * domain.rows(cells) as f64;
        for m in 0..4 {
            assert!(boundary[m].abs() > 1e-3, "something passes the boundary: {boundary:?}");
            let off = (sum[m] - boundary[m]).abs();
            assert!(
                off < 1e-15 * scale,
                "{split:?}: component {m}: {:e}, expected {:e}",
                sum[m],
                boundary[m]
            );
        }
    });
}

#[test]
fn neither_mass_nor_energy_passes_a_wall() {
    on_all_splits(|comm, split| {
        // A closed box that starts in motion: the gas piles up at one side and leaves the other.
        let mesh = closed(generate::block(comm, 9, 11).expect("a mesh"));
        let (mut domain, loops) = under_way(comm, split, mesh, &TURNED);
        let (sum, size) = loops.total(&mut domain, loops.both);
        for m in [0, 3] {
            assert!(size[m] > 1.0, "there is a flux: {size:?}");
            assert!(
                sum[m].abs() < 1e-14 * size[m],
                "{split:?}: component {m}: {:e} of {:e}",
                sum[m],
                size[m]
            );
        }
        assert!(sum[1].abs() > 0.1, "the walls push: {sum:?}");
    });
}
