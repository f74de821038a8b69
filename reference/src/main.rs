//! `cfd-reference MESH.dat ITERATIONS [--single]` runs Airfoil, `cfd-reference --box NX,NY,NZ LEVELS CYCLES` MG-CFD in a
//! box of unit cubes, `cfd-reference --blast SIZE` LULESH to its end; prints residuals or energies, and times.

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use cfd_reference::lulesh::{Lulesh, nearest_cube_root};
use cfd_reference::mgcfd::{self, LAST_WALL, Mgcfd, Side, box_levels};
use cfd_reference::sum::ExactSum;
use cfd_reference::{Airfoil, Constants, LOOPS, Mesh};

const USAGE: &str =
    "usage: cfd-reference MESH.dat ITERATIONS [--single] (--single rounds the constants to f32)
       cfd-reference --box NX,NY,NZ LEVELS CYCLES (cells that can be halved once a further level)
       cfd-reference --blast SIZE (elements an edge)";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cfd-reference: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--box", cells, levels, cycles] => mgcfd(cells, levels, cycles),
        ["--blast", size] => blast(size),
        [file, iterations] => airfoil(file, iterations, Constants::default()),
        [file, iterations, "--single"] => airfoil(file, iterations, Constants::default().rounded_to_single()),
        _ => Err(USAGE.into()),
    }
}

fn airfoil(file: &str, iterations: &str, constants: Constants) -> Result<(), Box<dyn Error>> {
    let iterations: u32 = iterations.parse().map_err(|_| USAGE)?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let mesh: Mesh = text.parse().map_err(|error| format!("{file}: {error}"))?;
    let mut airfoil = Airfoil::new(mesh, constants).map_err(|error| format!("{file}: {error}"))?;
    for iteration in 1..=iterations {
        let rms = airfoil.iterate();
        if iteration % 100 == 0 || iteration == iterations {
            println!("{iteration:6} {rms:.13e}");
        }
    }
    print_times(&LOOPS, &airfoil.times());
    Ok(())
}

/// A box with a wall at its far end, where the stream is stopped.
fn mgcfd(cells: &str, levels: &str, cycles: &str) -> Result<(), Box<dyn Error>> {
    let cells: Vec<usize> = cells.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| USAGE)?;
    let cells: [usize; 3] = cells.try_into().map_err(|_| USAGE)?;
    let (levels, cycles): (u32, u32) =
        (levels.parse().map_err(|_| USAGE)?, cycles.parse().map_err(|_| USAGE)?);
    let halved = |n: &usize| *n > 0 && n.trailing_zeros() + 1 >= levels;
    if levels == 0 || !cells.iter().all(halved) {
        return Err(format!("{cells:?} cells an axis cannot make {levels} levels\n{USAGE}").into());
    }
    let wall = Side { axis: 0, high: true };
    let group = |side| if side == wall { 0 } else { LAST_WALL + 1 };
    let mut run = Mgcfd::new(box_levels(cells, [1.0; 3], levels as usize, group), mgcfd::Options::default())?;
    for cycle in 1..=cycles {
        println!("{cycle:6} {:.13e}", run.cycle::<ExactSum>());
    }
    print_times(&mgcfd::LOOPS, &run.times());
    Ok(())
}

/// A point blast to its end.
fn blast(size: &str) -> Result<(), Box<dyn Error>> {
    let size = size.parse().ok().filter(|size| (1..=1000).contains(size)).ok_or(USAGE)?;
    let mut run = Lulesh::new(size, nearest_cube_root);
    let begin = Instant::now();
    let cycles = run.run().map_err(|stop| format!("the blast ends early: {stop:?}"))?;
    let (seconds, energy) = (begin.elapsed().as_secs_f64(), run.state()[0].e);
    println!("{cycles} cycles, energy at the origin {energy:?} ({:#x})", energy.to_bits());
    let [largest, total, relative] = run.asymmetry();
    println!("asymmetry: largest {largest:e}, in all {total:e}, relative {relative:e}");
    let zones = (size * size * size) as f64 * cycles as f64;
    println!("{seconds:.3} s, {:.3} million zones a second", zones / seconds / 1e6);
    Ok(())
}

fn print_times(names: &[&str], times: &[Duration]) {
    for (name, time) in names.iter().zip(times) {
        println!("{name:16} {:8.3} s", time.as_secs_f64());
    }
    println!("{:16} {:8.3} s", "all", times.iter().sum::<Duration>().as_secs_f64());
}
