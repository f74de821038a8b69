//! Heat in an insulated square with a source that changes in time: elementary functions in kernels.
//!
//! Cell-centred finite volumes on a grid of squares of side h, explicit Euler steps of h^2 / 8:
//!
//! ```text
//! dT/dt = d2T/dx2 + d2T/dy2 + s(x, y, t)              0 <= x, y <= 1, no heat through the boundary
//! T_cell += dt ((sum over sides (T_neighbour - T_cell)) / h^2 + s)
//! ```
//!
//! The source is chosen so that T = cos(3 t) cos(pi x) cos(pi y). So the error is known: it falls by a factor of four
//! when h is halved. `cos` and `sin` are those of `same-math`, the same in every lane, on every processor and on GPUs;
//! so are the digits here.
//!
//! ```text
//! cargo run --release --example heated_square
//! mpirun -n 4 target/release/examples/heated_square
//! ```

use std::error::Error;
use std::f64::consts::PI;
use std::process::ExitCode;

use cfd_engine::mesh::{Mesh, Values};
use cfd_engine::prelude::*;
use cfd_mesh::CELL_EDGES;
use cfd_partition::{Options, Order, set_up};

/// Of a time step.
#[derive(Clone, Copy, Constants)]
pub struct Now {
    /// The time at its beginning.
    pub t: f64,
    /// Its length.
    pub dt: f64,
    /// The cells' side.
    pub h: f64,
}

/// The solution.
#[device]
pub fn exact(x: f64, y: f64, t: f64) -> f64 {
    (3.0 * t).cos() * (PI * x).cos() * (PI * y).cos()
}

/// The source for it: dT/dt minus the second derivatives.
#[device]
pub fn source(x: f64, y: f64, t: f64) -> f64 {
    (2.0 * PI * PI * (3.0 * t).cos() - 3.0 * (3.0 * t).sin()) * (PI * x).cos() * (PI * y).cos()
}

/// A cell's centre, and its initial temperature.
#[kernel]
pub fn start(corners: [Read<2>; 4], middle: Write<2>, temperature: Write<1>, c: &Now) {
    for m in 0..2 {
        middle[m] = 0.25 * (corners[0][m] + corners[1][m] + corners[2][m] + corners[3][m]);
    }
    let x = 0.25 * (corners[0][0] + corners[1][0] + corners[2][0] + corners[3][0]);
    let y = 0.25 * (corners[0][1] + corners[1][1] + corners[2][1] + corners[3][1]);
    temperature[0] = exact(x, y, c.t);
}

/// The flux through a side.
#[kernel]
pub fn flux(temperature: [Read<1>; 2], heat: [Inc<1>; 2]) {
    let f = temperature[1][0] - temperature[0][0];
    heat[0][0] += f;
    heat[1][0] -= f;
}

/// One time step.
#[kernel]
pub fn advance(middle: Read<2>, heat: Rw<1>, temperature: Rw<1>, c: &Now) {
    temperature[0] += c.dt * (heat[0] / (c.h * c.h) + source(middle[0], middle[1], c.t));
    heat[0] = 0.0;
}

/// The sum of squared errors.
#[kernel]
pub fn compare(middle: Read<2>, temperature: Read<1>, squares: Sum<1>, c: &Now) {
    let error = temperature[0] - exact(middle[0], middle[1], c.t);
    squares[0] += error * error;
}

/// The unit square in `n` by `n` cells.
pub fn square(comm: &Comm, n: u64) -> Result<Mesh, Box<dyn Error>> {
    let mut mesh = cfd_mesh::generate::block(comm, n, n)?;
    let x = mesh.dat("x").expect("a block has coordinates");
    let nodes = mesh.blocks(mesh.dats[x].set, comm).range(comm.rank());
    let place = |node: u64| [node % (n + 1), node / (n + 1)].map(|step| step as f64 / n as f64);
    mesh.dats[x].values = Values::F64(nodes.flat_map(place).collect());
    Ok(mesh)
}

/// Half a unit of time on a grid of `n` by `n` cells: the root of the mean squared error, and the temperatures of this rank.
///
/// # Errors
/// The domain cannot be created, or a device fails.
pub fn run(comm: &Comm, n: u64, options: DomainOptions) -> Result<(f64, Vec<f64>), Box<dyn Error>> {
    let mesh = square(comm, n)?;
    let primary = CELL_EDGES.primary(&mesh);
    let mut domain = set_up(comm, mesh, &primary, &Options::default(), Order::File, options)?;
    let (cells, edges) = (domain.set("cells")?, domain.set("edges")?);
    let (corners, sides): (Map<4>, Map<2>) = (domain.map("cell_nodes")?, domain.map("edge_cells")?);
    let x: Dat<2> = domain.dat("x")?;
    let (middle, temperature): (Dat<2>, Dat<1>) =
        (domain.new_dat(cells, "middle"), domain.new_dat(cells, "temperature"));
    let heat: Dat<1> = domain.new_dat(cells, "heat");
    let squares = domain.new_sum::<1>("squares");

    let steps = 4 * n * n;
    let mut now = Now { t: 0.0, dt: 0.5 / steps as f64, h: 1.0 / n as f64 };
    domain.par_loop(start, cells, (x.all(corners), middle, temperature), &now);
    for k in 1..=steps {
        domain.par_loop(flux, edges, (temperature.all(sides), heat.all(sides)), &());
        domain.par_loop(advance, cells, (middle, heat, temperature), &now);
        now.t = k as f64 * now.dt;
    }
    domain.par_loop(compare, cells, (middle, temperature, squares), &now);
    let [squares] = domain.get(squares)?;
    Ok(((squares / (n * n) as f64).sqrt(), domain.read(temperature)?))
}

fn main() -> ExitCode {
    #[cfg(feature = "mpi")]
    let comm = cfd_mpi::world().expect("MPI starts once, at the beginning");
    #[cfg(not(feature = "mpi"))]
    let comm = Comm::single();
    match table(&comm) {
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

fn table(comm: &Comm) -> Result<(), Box<dyn Error>> {
    let mut before = None;
    for n in [8, 16, 32] {
        let (error, _) = run(comm, n, DomainOptions::default())?;
        if comm.is_root() {
            let order = before
                .map_or(String::new(), |before: f64| format!("   order {:.3}", (before / error).log2()));
            println!("{n:3} x {n:<3}   error {error:.12e}{order}");
        }
        before = Some(error);
    }
    Ok(())
}
