//! What a device refuses: texts that do not compile, and more memory than there is.

mod harness;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use cfd_engine::device::{Device, DeviceError, DeviceOptions, Emulated, Source, direct_loop};
use cfd_engine::prelude::*;
use cfd_io::generate;
use harness::Split;

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

/// How far a few loops come with so many bytes of device memory.
fn with_memory(bytes: u64) -> Result<(), DeviceError> {
    let comm = Comm::single();
    let mesh = generate::airfoil(&comm, 9, 13, None).expect("a mesh");
    let mut domain = harness::domain(&comm, mesh, &Split::new(1, "block"));
    let device = Emulated::new(&harness::texts(), 1).with_memory(bytes);
    domain.use_device(Rc::new(device), DeviceOptions { threads: Some(64), ..DeviceOptions::default() })?;
    let cells = domain.set("cells").expect("the cells");
    let (value, scaled): (Dat<1>, Dat<1>) = (domain.new_dat(cells, "value"), domain.new_dat(cells, "scaled"));
    let run = catch_unwind(AssertUnwindSafe(|| {
        domain.par_loop(scale, cells, (value, scaled), &());
        domain.flush();
    }));
    run.map_err(|payload| *payload.downcast::<DeviceError>().expect("a device's error"))
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
