//! Heat equalising edge by edge: a loop that reads and changes the same values through a map.
//!
//! Operator splitting: in a time step every edge in turn lets its two cells exchange heat as if they were alone, by an
//! implicit Euler step that any time step leaves stable:
//!
//! ```text
//! A1 (T1' - T1) = -A2 (T2' - T2) = dt k (T2' - T1'),      k = side's length / distance of the two cells' middles
//! h = dt k (T2 - T1) / (1 + dt k (1/A1 + 1/A2)),          T1' = T1 + h/A1,      T2' = T2 - h/A2
//! ```
//!
//! with A a cell's area. An edge sees the changes of earlier edges, as in a Gauss-Seidel iteration, so their order
//! affects every digit. The engine colors the edges so that those of one color share no cell, and runs color by color:
//! the order depends only on the mesh, so the result is the same on any number of ranks.
//!
//! ```text
//! cargo run --release --example smooth
//! mpirun -n 4 target/release/examples/smooth [mesh file]
//! ```

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use cfd_engine::prelude::*;
use cfd_mesh::{Boundaries, CELL_EDGES};
use cfd_partition::{Method, Options, Order, set_up};

/// The initially hot region, and the time step.
#[derive(Clone, Copy, Constants)]
pub struct Heat {
    /// Middle of the hot disk.
    pub middle: [f64; 2],
    /// Its radius.
    pub radius: f64,
    /// The time step.
    pub dt: f64,
}

/// The disk around the airfoil's nose.
pub const HEAT: Heat = Heat { middle: [0.0, 0.0], radius: 0.5, dt: 0.01 };

/// A cell's area and centre; 1 in the hot disk, 0 outside.
#[kernel]
pub fn hot_disk(
    x1: Read<2>,
    x2: Read<2>,
    x3: Read<2>,
    x4: Read<2>,
    middle: Write<2>,
    area: Write<1>,
    t: Write<1>,
    c: &Heat,
) {
    area[0] = 0.5 * ((x3[0] - x1[0]) * (x4[1] - x2[1]) - (x4[0] - x2[0]) * (x3[1] - x1[1])).abs();
    let mx = 0.25 * (((x1[0] + x2[0]) + x3[0]) + x4[0]);
    let my = 0.25 * (((x1[1] + x2[1]) + x3[1]) + x4[1]);
    middle[0] = mx;
    middle[1] = my;
    let dx = mx - c.middle[0];
    let dy = my - c.middle[1];
    t[0] = if dx * dx + dy * dy < c.radius * c.radius { 1.0 } else { 0.0 };
}

/// k of an edge.
#[kernel]
pub fn conductance(a: Read<2>, b: Read<2>, middle1: Read<2>, middle2: Read<2>, k: Write<1>) {
    let sx = a[0] - b[0];
    let sy = a[1] - b[1];
    let dx = middle1[0] - middle2[0];
    let dy = middle1[1] - middle2[1];
    k[0] = (sx * sx + sy * sy).sqrt() / (dx * dx + dy * dy).sqrt();
}

/// Heat through an edge in one time step, from the cells' current temperatures to their next.
#[kernel]
pub fn exchange(k: Read<1>, area1: Read<1>, area2: Read<1>, t1: Rw<1>, t2: Rw<1>, c: &Heat) {
    let coupling = c.dt * k[0];
    let h = coupling * (t2[0] - t1[0]) / (1.0 + coupling * (1.0 / area1[0] + 1.0 / area2[0]));
    t1[0] += h / area1[0];
    t2[0] -= h / area2[0];
}

/// Total heat, and the lowest and highest temperature.
#[kernel]
pub fn measure(area: Read<1>, t: Read<1>, heat: Sum<1>, coldest: Min<1>, hottest: Max<1>) {
    heat[0] += area[0] * t[0];
    coldest[0] = t[0];
    hottest[0] = t[0];
}

/// The temperature of all cells, and its change.
pub struct Smooth {
    cells: Set,
    edges: Set,
    edge_cells: Map<2>,
    t: Dat<1>,
    area: Dat<1>,
    k: Dat<1>,
    heat: Global<Sum<1>>,
    coldest: Global<Min<1>>,
    hottest: Global<Max<1>>,
}

impl Smooth {
    /// The hot disk on a mesh of cells and edges.
    pub fn new(domain: &mut Domain, heat: &Heat) -> Result<Smooth, DomainError> {
        let (cells, edges) = (domain.set("cells")?, domain.set("edges")?);
        let (corners, ends): (Map<4>, Map<2>) = (domain.map("cell_nodes")?, domain.map("edge_nodes")?);
        let edge_cells: Map<2> = domain.map("edge_cells")?;
        let x: Dat<2> = domain.dat("x")?;
        let middle: Dat<2> = domain.new_dat(cells, "middle");
        let smooth = Smooth {
            cells,
            edges,
            edge_cells,
            t: domain.new_dat(cells, "t"),
            area: domain.new_dat(cells, "area"),
            k: domain.new_dat(edges, "k"),
            heat: domain.new_sum("heat"),
            coldest: domain.new_min("coldest"),
            hottest: domain.new_max("hottest"),
        };
        let (n1, n2) = (corners.target::<0>(), corners.target::<1>());
        let (n3, n4) = (corners.target::<2>(), corners.target::<3>());
        let operands = (x.at(n1), x.at(n2), x.at(n3), x.at(n4), middle, smooth.area, smooth.t);
        domain.par_loop(hot_disk, cells, operands, heat);
        let (a, b) = (ends.target::<0>(), ends.target::<1>());
        let (c1, c2) = (edge_cells.target::<0>(), edge_cells.target::<1>());
        let operands = (x.at(a), x.at(b), middle.at(c1), middle.at(c2), smooth.k);
        domain.par_loop(conductance, edges, operands, &());
        Ok(smooth)
    }

    /// One time step.
    pub fn step(&self, domain: &mut Domain, heat: &Heat) {
        let (c1, c2) = (self.edge_cells.target::<0>(), self.edge_cells.target::<1>());
        let (t, area) = (self.t, self.area);
        domain.par_loop(exchange, self.edges, (self.k, area.at(c1), area.at(c2), t.at(c1), t.at(c2)), heat);
    }

    /// Total heat, the lowest and the highest temperature.
    pub fn measure(&self, domain: &mut Domain) -> Result<(f64, Extremum, Extremum), BackendError> {
        let operands = (self.area, self.t, self.heat, self.coldest, self.hottest);
        domain.par_loop(measure, self.cells, operands, &());
        let ([heat], [coldest]) = (domain.get(self.heat)?, domain.extremum(self.coldest)?);
        let [hottest] = domain.extremum(self.hottest)?;
        Ok((heat, coldest, hottest))
    }

    /// The temperature of the cells.
    pub fn temperature(&self) -> Dat<1> {
        self.t
    }
}

fn main() -> ExitCode {
    #[cfg(feature = "mpi")]
    let comm = cfd_mpi::world().expect("MPI starts once, at the beginning");
    #[cfg(not(feature = "mpi"))]
    let comm = Comm::single();
    match smooth(&comm) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The same on every rank.
            if comm.is_root() {
                eprintln!("error: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

fn smooth(comm: &Comm) -> Result<(), Box<dyn Error>> {
    // The mesh: from a file, or a small generated one.
    let mesh = match std::env::args().nth(1) {
        Some(path) => cfd_io::read_derived(comm, Path::new(&path), &CELL_EDGES, &Boundaries::default())?,
        None => cfd_mesh::generate::naca0012::cells(comm, 40, 60, None)?,
    };
    let primary = CELL_EDGES.primary(&mesh);
    let options = Options { method: Method::Hilbert, ..Options::default() };
    let mut domain = set_up(comm, mesh, &primary, &options, Order::File, DomainOptions::default())?;

    let smooth = Smooth::new(&mut domain, &HEAT)?;
    let (all, _, _) = smooth.measure(&mut domain)?;
    for step in 1..=100 {
        smooth.step(&mut domain, &HEAT);
        if step % 10 == 0 {
            let (heat, coldest, hottest) = smooth.measure(&mut domain)?;
            if comm.is_root() {
                let lost = (heat - all) / all;
                println!(
                    "step {step:4}   heat {heat:.12} (change {lost:+.1e})   from {:.6} to {:.6}",
                    coldest.value, hottest.value
                );
            }
        }
    }
    let colors = domain.timers().iter().find(|timer| timer.name == "exchange").and_then(|t| t.colors);
    if comm.is_root() {
        println!("the edges have {} colors", colors.expect("exchange reads what it changes"));
    }
    Ok(())
}
