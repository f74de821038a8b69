//! MG-CFD's loops conserve to rounding, on every level, what the Euler equations conserve: the free stream without a
//! body, and mass, momentum and energy of any flow.

use cfd_engine::mesh::Mesh;
use cfd_engine::prelude::*;
use cfd_mesh::generate::hexahedra::{Cuboid, Shape, Spec, cuboid, generate};
use cfd_solvers::Solver;
use cfd_solvers::mgcfd::euler::kernels;
use cfd_solvers::mgcfd::{Config, Cycle, Flow, Limiter, Mgcfd, TimeStep};

use crate::harness::{Split, domain_by};

const SPLITS: [(usize, &str); 3] = [(1, "block"), (3, "metis"), (8, "random")];

/// Runs `body` with each split.
fn on_all_splits(body: impl Fn(&Comm, &Split) + Sync) {
    for (ranks, method) in SPLITS {
        let split = Split::new(ranks, method);
        Comm::simulate(ranks, |comm| body(&comm, &split));
    }
}

/// A box of skewed hexahedra on three levels, far field all around.
fn skewed_box(comm: &Comm) -> Mesh {
    let shape = Cuboid { lengths: [3.0, 2.0, 1.0], distortion: 0.2, ..Cuboid::default() };
    cuboid(comm, [8, 8, 4], 2, &shape).expect("a mesh")
}

fn wing(comm: &Comm) -> Mesh {
    generate(comm, &Spec { shape: Shape::Wing, size: [16, 7, 8], levels: 3 }).expect("a mesh")
}

fn domain(comm: &Comm, mesh: Mesh, split: &Split) -> Domain {
    let primary = cfd_mesh::DUAL_LEVELS.primary(&mesh);
    domain_by(comm, mesh, split, &primary)
}

#[test]
fn the_free_stream_stays_on_every_level_where_there_is_no_body() {
    for (cycle, limiter, time_step) in [
        (Cycle::V, Limiter::VanAlbada, TimeStep::Matrix),
        (Cycle::W, Limiter::Venkatakrishnan, TimeStep::Scalar),
        (Cycle::W, Limiter::None, TimeStep::Matrix),
    ] {
        let config = Config { cycle, limiter, time_step, post_steps: 1, ..Config::default() };
        on_all_splits(|comm, split| {
            let mut domain = domain(comm, skewed_box(comm), split);
            let mut solver = Mgcfd::new(&mut domain, &config).expect("a mesh for MG-CFD");
            for _ in 0..20 {
                solver.step(&mut domain, false).expect("a flow that stays sound");
            }
            let expected = Flow::new(&config).qinf;
            for (level, q) in solver.variables().into_iter().enumerate() {
                for q in domain.read(q).unwrap().as_chunks::<5>().0 {
                    let off = (0..5).map(|m| (q[m] - expected[m]).abs() / expected[4]).fold(0.0, f64::max);
                    assert!(off < 1e-13, "{config:?}, {split:?}, level {level}: {off:e}");
                }
            }
        });
    }
}

/// The sum over all nodes, and the sum of the absolute values, to which rounding is relative.
#[kernel]
fn total(res: Rw<5>, sum: Sum<5>, size: Sum<5>) {
    for m in 0..5 {
        sum[m] += res[m];
        size[m] += res[m].abs();
        res[m] = 0.0;
    }
}

fn totals(domain: &mut Domain, res: Dat<5>) -> ([f64; 5], [f64; 5]) {
    let (sum, size) = (domain.new_sum::<5>("sum"), domain.new_sum::<5>("size"));
    domain.par_loop(total, res.set(), (res, sum, size), &());
    (domain.get(sum).unwrap(), domain.get(size).unwrap())
}

#[test]
fn the_residuals_of_all_nodes_add_up_to_the_flux_through_the_boundary_on_every_level() {
    let config = Config { mach: Some(0.5), ..Config::default() };
    on_all_splits(|comm, split| {
        let mut domain = domain(comm, wing(comm), split);
        let mut solver = Mgcfd::new(&mut domain, &config).expect("a mesh for MG-CFD");
        for _ in 0..4 {
            solver.step(&mut domain, false).expect("a flow that stays sound");
        }
        let variables = solver.variables();
        for (level, q) in variables.into_iter().enumerate() {
            let euler = solver.euler().expect("the Euler scheme");
            // What a step left there is not part of the current state's residual.
            let res = euler.residual_dat(level);
            totals(&mut domain, res);
            euler.record_residual(&mut domain, level);
            let (sum, size) = totals(&mut domain, res);

            let name = |what: &str| format!("level{level}/{what}");
            let bnodes = domain.set(&name("bnodes")).expect("the mesh's set");
            let bnode: Map<1> = domain.map(&name("bnode_node")).expect("the mesh's map");
            let w: Dat<3> = domain.dat(&name("bnode_weights")).expect("the mesh's weights");
            let group: Dat<1, i32> = domain.dat(&name("bnode_group")).expect("the mesh's groups");
            let through: Dat<5> = domain.new_dat(q.set(), &name("through the boundary"));
            let at = bnode.target::<0>();
            domain.par_loop(
                kernels::boundary_flux,
                bnodes,
                (q.at(at), w, group, through.at(at)),
                &Flow::new(&config),
            );
            let (boundary, most) = totals(&mut domain, through);
            for m in 0..5 {
                assert!(size[m] > 1e-6, "level {level}: something flows: {size:?}");
                let off = (sum[m] - boundary[m]).abs();
                let scale = size[m].max(most[m]);
                assert!(off < 1e-13 * scale, "{split:?}, level {level}, component {m}: {off:e} of {scale:e}");
            }
        }
    });
}
