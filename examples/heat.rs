//! Steady heat conduction around an airfoil: a complete application on the engine's public API.
//!
//! The temperature is 1 on the wall and 0 far away. Finite volumes on the cells, solved by Jacobi iterations:
//!
//! ```text
//! sum over sides k (T_neighbour - T) = 0,      k = side's length / distance of the two cells' middles
//! T += (sum over sides k (T_neighbour - T)) / (sum over sides k)
//! ```
//!
//! ```text
//! cargo run --release --example heat
//! mpirun -n 4 target/release/examples/heat [mesh file]
//! ```

use std::error::Error;
use std::path::Path;

use cfd_engine::prelude::*;
use cfd_partition::{Method, Options, Order, Primary, set_up};
use cfd_topology::Topology;

/// The boundary's temperature.
#[derive(Clone, Copy, Constants)]
struct Walls {
    hot: f64,
    cold: f64,
}

/// The mean of a cell's corners.
#[kernel]
fn middle_of_cell(x1: Read<2>, x2: Read<2>, x3: Read<2>, x4: Read<2>, middle: Write<2>) {
    for m in 0..2 {
        middle[m] = 0.25 * (x1[m] + x2[m] + x3[m] + x4[m]);
    }
}

/// The distance of two points.
#[device]
fn distance(ax: f64, ay: f64, bx: f64, by: f64) -> f64 {
    ((ax - bx) * (ax - bx) + (ay - by) * (ay - by)).sqrt()
}

/// k of an edge, and its share of both cells' sums of k.
#[kernel]
fn conductance(
    a: Read<2>,
    b: Read<2>,
    middle1: Read<2>,
    middle2: Read<2>,
    k: Write<1>,
    sum1: Inc<1>,
    sum2: Inc<1>,
) {
    let side = distance(a[0], a[1], b[0], b[1]) / distance(middle1[0], middle1[1], middle2[0], middle2[1]);
    k[0] = side;
    sum1[0] += side;
    sum2[0] += side;
}

/// k of a boundary edge, to the middle of the edge.
#[kernel]
fn boundary_conductance(a: Read<2>, b: Read<2>, middle: Read<2>, k: Write<1>, sum: Inc<1>) {
    let to_edge = distance(middle[0], middle[1], 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]));
    k[0] = distance(a[0], a[1], b[0], b[1]) / to_edge;
    sum[0] += distance(a[0], a[1], b[0], b[1]) / to_edge;
}

/// Heat through an edge.
#[kernel]
fn flux(k: Read<1>, t1: Read<1>, t2: Read<1>, heat1: Inc<1>, heat2: Inc<1>) {
    let f = k[0] * (t2[0] - t1[0]);
    heat1[0] += f;
    heat2[0] -= f;
}

/// Heat through a boundary edge: hot on the wall (bound = 1), cold far away.
#[kernel]
fn boundary_flux(k: Read<1>, t: Read<1>, bound: Read<1, i32>, heat: Inc<1>, c: &Walls) {
    let outside = if bound[0] == 1 { c.hot } else { c.cold };
    heat[0] += k[0] * (outside - t[0]);
}

/// One Jacobi step; the sum of squared changes and the largest temperature.
#[kernel]
fn jacobi(sum: Read<1>, heat: Rw<1>, t: Rw<1>, change: Sum<1>, hottest: Max<1>) {
    let d = heat[0] / sum[0];
    t[0] += d;
    heat[0] = 0.0;
    change[0] += d * d;
    hottest[0] = t[0];
}

fn main() -> Result<(), Box<dyn Error>> {
    #[cfg(feature = "mpi")]
    let comm = cfd_mpi::world()?;
    #[cfg(not(feature = "mpi"))]
    let comm = Comm::single();

    // The mesh: from a file, or a small one made here.
    let mesh = match std::env::args().nth(1) {
        Some(path) => cfd_io::read_mesh(&comm, Path::new(&path))?.1,
        None => cfd_topology::generate::naca0012::cells(&comm, 40, 60, None)?,
    };

    // Who owns what: the cells are partitioned, everything else follows them.
    let primary = Primary::of(Topology::CellEdges, &mesh);
    let options = Options { method: Method::Hilbert, ..Options::default() };
    let mut domain = set_up(&comm, mesh, &primary, &options, Order::File, DomainOptions::default())?;

    // Handles to what the mesh has, and new dats for what the solver needs.
    let (cells, edges, bedges) = (domain.set("cells")?, domain.set("edges")?, domain.set("bedges")?);
    let corners: Map<4> = domain.map("cell_nodes")?;
    let ends: Map<2> = domain.map("edge_nodes")?;
    let sides: Map<2> = domain.map("edge_cells")?;
    let bends: Map<2> = domain.map("bedge_nodes")?;
    let inside = domain.map::<1>("bedge_cell")?.target::<0>();
    let (a, b) = (ends.target::<0>(), ends.target::<1>());
    let (c1, c2) = (sides.target::<0>(), sides.target::<1>());
    let x: Dat<2> = domain.dat("x")?;
    let bound: Dat<1, i32> = domain.dat("bound")?;
    let middle: Dat<2> = domain.new_dat(cells, "middle");
    let (k, bk): (Dat<1>, Dat<1>) = (domain.new_dat(edges, "k"), domain.new_dat(bedges, "bk"));
    let sum: Dat<1> = domain.new_dat(cells, "sum");
    let heat: Dat<1> = domain.new_dat(cells, "heat");
    let t: Dat<1> = domain.new_dat(cells, "t");
    let change = domain.new_sum::<1>("change");
    let hottest = domain.new_max::<1>("hottest");
    let walls = Walls { hot: 1.0, cold: 0.0 };

    // Set-up loops: recorded now, run when a result is asked for.
    let (n1, n2) = (corners.target::<0>(), corners.target::<1>());
    let (n3, n4) = (corners.target::<2>(), corners.target::<3>());
    domain.par_loop(middle_of_cell, cells, (x.at(n1), x.at(n2), x.at(n3), x.at(n4), middle), &());
    let operands = (x.at(a), x.at(b), middle.at(c1), middle.at(c2), k, sum.at(c1), sum.at(c2));
    domain.par_loop(conductance, edges, operands, &());
    let (ba, bb) = (bends.target::<0>(), bends.target::<1>());
    let operands = (x.at(ba), x.at(bb), middle.at(inside), bk, sum.at(inside));
    domain.par_loop(boundary_conductance, bedges, operands, &());

    for iteration in 1..=2000 {
        domain.par_loop(flux, edges, (k, t.at(c1), t.at(c2), heat.at(c1), heat.at(c2)), &());
        domain.par_loop(boundary_flux, bedges, (bk, t.at(inside), bound, heat.at(inside)), &walls);
        domain.par_loop(jacobi, cells, (sum, heat, t, change, hottest), &());
        if iteration % 200 == 0 {
            let [squares] = domain.get(change);
            let [peak] = domain.extremum(hottest);
            if comm.is_root() {
                let rms = (squares / domain.rows(cells) as f64).sqrt();
                let cell = peak.element.expect("there are cells");
                println!(
                    "iteration {iteration:5}   rms change {rms:.3e}   hottest {:.6} in cell {cell}",
                    peak.value
                );
            }
        }
    }
    Ok(())
}
