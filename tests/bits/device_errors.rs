//! What a device refuses: code that does not compile, and more memory than it has.

use std::rc::Rc;

use cfd_device::{Device, DeviceError, DeviceOptions, Emulated, Source, direct_loop};
use cfd_engine::prelude::*;
use cfd_mesh::generate;
use cfd_solvers::{Solver, Stopped};

use crate::harness::{self, Split};

#[kernel]
fn scale(value: Read<1>, scaled: Write<1>) {
    let factor = 3.0 + value[0];
    scaled[0] = value[0] * factor;
}

/// The line of the product.
const LINE: u32 = line!() - 4;

#[test]
fn the_host_compiler_names_the_loop_and_the_line_of_the_rust_source() {
    let (text, entry) = direct_loop::<scale>();
    let wrong = text.replacen("value_0[0] * factor", "value_0[0] * missing", 1);
    let wrong = match wrong == text {
        // Names in the text are the generator's affair; the factor's name is in it.
        true => text.replacen("* factor", "* missing", 1),
        false => wrong,
    };
    assert_ne!(text, wrong, "{text}");
    let device = Emulated::new(&harness::texts(), 1);
    let source = Source { name: "scale", text: &wrong, entries: &[entry] };
    let Err(DeviceError::Compile { name, log }) = device.compile(source) else { panic!("the text is wrong") };
    assert_eq!(name, "scale");
    assert!(
        log.contains(&format!("device_errors.rs:{LINE}:")) && log.contains("missing"),
        "line {LINE}: {log}"
    );
}

/// How far loops get on a device with blocks of this many threads.
fn run_on(device: Emulated, threads: usize, loops: impl FnOnce(&mut Domain)) -> Result<(), DeviceError> {
    let comm = Comm::single();
    let mesh = generate::naca0012::cells(&comm, 9, 13, None).expect("a mesh");
    let mut domain = harness::domain(&comm, mesh, &Split::new(1, "block"));
    let options = DeviceOptions { threads: Some(threads), ..DeviceOptions::default() };
    cfd_device::use_device(&mut domain, Rc::new(device), options)?;
    loops(&mut domain);
    domain.flush().map_err(|error| error.cause::<DeviceError>().expect("a device's error").clone())
}

/// The same with this many bytes of device memory.
fn with_memory(bytes: u64) -> Result<(), DeviceError> {
    run_on(Emulated::new(&harness::texts(), 1).with_memory(bytes), 64, |domain| {
        let cells = domain.set("cells").expect("the cells");
        let (value, scaled): (Dat<1>, Dat<1>) =
            (domain.new_dat(cells, "value"), domain.new_dat(cells, "scaled"));
        domain.par_loop(scale, cells, (value, scaled), &());
    })
}

#[kernel]
fn add_many(value: Read<1>, sum: Sum<12>) {
    for i in 0..12 {
        sum[i] += value[0];
    }
}

#[test]
fn more_sums_than_a_block_has_memory_for_are_refused() {
    let refused = run_on(Emulated::new(&harness::texts(), 1), 64, |domain| {
        let cells = domain.set("cells").expect("the cells");
        let (value, sum): (Dat<1>, _) = (domain.new_dat(cells, "value"), domain.new_sum("many"));
        domain.par_loop(add_many, cells, (value, sum), &());
    });
    let Err(error @ DeviceError::Unsupported { .. }) = refused else {
        panic!("they do not fit: {refused:?}")
    };
    let text = error.to_string();
    assert!(text.contains("add_many: sums and extrema of 50688 bytes a block"), "{text}");
}

#[kernel]
fn renew(long: Rw<15>) {
    for i in 0..15 {
        long[i] += 1.0;
    }
}

#[kernel]
fn look(long: Read<15>, seen: Write<1>) {
    seen[0] = long[14];
}

#[test]
fn blocks_become_smaller_when_rows_begin_to_pass_through_shared_memory() {
    let done = run_on(Emulated::new(&harness::texts(), 1), 1024, |domain| {
        let (cells, edges) = (domain.set("cells").expect("cells"), domain.set("edges").expect("edges"));
        let (long, seen): (Dat<15>, Dat<1>) = (domain.new_dat(cells, "long"), domain.new_dat(edges, "seen"));
        let sides: Map<2> = domain.map("edge_cells").expect("the map");
        // By components, until the second loop reaches it through a map.
        domain.par_loop(renew, cells, (long,), &());
        domain.par_loop(look, edges, (long.at(sides.target::<0>()), seen), &());
        domain.par_loop(renew, cells, (long,), &());
        domain.par_loop(look, edges, (long.at(sides.target::<1>()), seen), &());
        assert!(domain.read(seen).unwrap().iter().all(|&value| value == 2.0));
    });
    assert_eq!(done, Ok(()));
}

#[test]
fn too_little_memory_says_what_for_and_how_much_is_needed_and_there() {
    assert_eq!(with_memory(1 << 20), Ok(()));
    // Room for one of the two dats of 351 cells.
    let error = with_memory(4000).expect_err("not enough");
    let DeviceError::OutOfMemory { what, needed, used, free, total } = &error else { panic!("{error}") };
    assert_eq!(
        (what.as_str(), *needed, *used, *free, *total),
        ("scaled", 8 * 351, 8 * 351, 4000 - 8 * 351, 4000)
    );
    let text = error.to_string();
    for word in ["scaled", "2808 bytes", "1192 bytes of 4000 bytes are free", "use more GPUs"] {
        assert!(text.contains(word), "\"{word}\" in {text}");
    }
}

/// Whichever loop a device fails in, the call that requests the result tells every rank, even one without a device.
#[test]
fn a_device_that_fails_is_an_error_on_every_rank() {
    // From too little for the first dat to enough for all.
    let outcomes = (1..13).map(|step| 1 << (2 * step)).map(|bytes: u64| {
        let mut results = Comm::simulate(3, |comm| {
            let mesh = generate::naca0012::cells(&comm, 9, 13, None).expect("a mesh");
            let rank = comm.rank();
            let mut domain = harness::domain(&comm, mesh, &Split::new(3, "hilbert"));
            match rank {
                1 => domain.expect_failures(),
                _ => {
                    let bytes = if rank == 2 { bytes } else { 1 << 24 };
                    let device = Emulated::new(&harness::texts(), 1).with_memory(bytes);
                    let options = DeviceOptions { threads: Some(64), ..DeviceOptions::default() };
                    cfd_device::use_device(&mut domain, Rc::new(device), options).expect("a device");
                }
            }
            let mut airfoil =
                cfd_solvers::airfoil::Airfoil::new(&mut domain, &Default::default()).expect("a mesh");
            for _ in 0..3 {
                if let Err(stopped) = airfoil.step(&mut domain, true) {
                    let Stopped::Backend(error) = stopped else { panic!("{stopped}") };
                    // And so does every later call, whatever it requests.
                    assert_eq!(
                        airfoil.check(&mut domain).map_err(|error| error.to_string()),
                        Err(error.to_string())
                    );
                    assert_eq!(airfoil.fields()[0].dat.read(&mut domain).err(), Some(error.clone()));
                    return Err(error);
                }
            }
            Ok(())
        });
        let own = results.pop().expect("three ranks");
        assert!(results.iter().all(|other| *other == own), "{own:?} and {results:?}");
        if let Err(error) = &own {
            assert_eq!(error.rank, 2);
            assert!(
                error.cause::<DeviceError>().is_some() && error.message.contains("out of device memory"),
                "{error}"
            );
        }
        own
    });
    let failed = outcomes.map(|outcome| outcome.is_err()).collect::<Vec<_>>();
    assert!(failed[0] && !failed[failed.len() - 1], "{failed:?}");
}
