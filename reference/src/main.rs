//! `cfd-reference MESH.dat ITERATIONS [--single]`: runs the reference and prints residuals and times.

use std::error::Error;
use std::process::ExitCode;

use cfd_reference::{Airfoil, Constants, LOOPS, Mesh};

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
    let usage = "usage: cfd-reference MESH.dat ITERATIONS [--single] (--single rounds the constants to f32)";
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(iterations)) = (arguments.next(), arguments.next()) else {
        return Err(usage.into());
    };
    let iterations: u32 = iterations.parse().map_err(|_| usage)?;
    let constants = match arguments.next().as_deref() {
        None => Constants::default(),
        Some("--single") => Constants::default().rounded_to_single(),
        Some(_) => return Err(usage.into()),
    };
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let mesh: Mesh = text.parse().map_err(|error| format!("{file}: {error}"))?;
    let mut airfoil = Airfoil::new(mesh, constants).map_err(|error| format!("{file}: {error}"))?;
    for iteration in 1..=iterations {
        let rms = airfoil.iterate();
        if iteration % 100 == 0 || iteration == iterations {
            println!("{iteration:6} {rms:.13e}");
        }
    }
    for (name, time) in LOOPS.iter().zip(airfoil.times()) {
        println!("{name:10} {:8.3} s", time.as_secs_f64());
    }
    println!("{:10} {:8.3} s", "all", airfoil.times().iter().sum::<std::time::Duration>().as_secs_f64());
    Ok(())
}
