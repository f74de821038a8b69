//! Calls a kernel's code on the host, to compare it with the Rust function bit by bit.

use std::fmt::Write;
use std::marker::PhantomData;
use std::path::Path;

use cfd_engine::kernel::{Constants, Kernel, Params};

use super::emulated::HostLibrary;
use super::error::DeviceError;
use super::kernel_code::{self, PRELUDE};

/// A kernel's CUDA C, compiled by the host's C++ compiler.
pub struct CompiledKernel<K> {
    /// Keeps `calls` loaded.
    _library: HostLibrary,
    calls: Calls,
    kernel: PhantomData<K>,
}

/// `calls(n, input, output, constants)`
type Calls = unsafe extern "C" fn(u64, *const u64, *mut u64, *const u64);

impl<K: Kernel> CompiledKernel<K> {
    /// Compiles the code; `directory` keeps compiled code.
    ///
    /// # Errors
    /// There is no C++ compiler, or it refuses the code.
    pub fn new(directory: &Path) -> Result<CompiledKernel<K>, DeviceError> {
        let library = HostLibrary::load(K::NAME, &source::<K>(), directory)?;
        // SAFETY: `source` defines `calls` with this type.
        let calls =
            unsafe { std::mem::transmute::<*const std::ffi::c_void, Calls>(library.symbol("calls")?) };
        Ok(CompiledKernel { _library: library, calls, kernel: PhantomData })
    }

    /// Calls the kernel once for each row of `input`, which has a word for each component of each parameter; returns
    /// the same words afterwards.
    ///
    /// # Panics
    /// If the input is not a whole number of rows.
    pub fn call(&self, input: &[u64], constants: &K::Constants) -> Vec<u64> {
        let width = width::<K>();
        assert_eq!(input.len() % width, 0, "rows of {width} words");
        let mut output = vec![0; input.len()];
        let mut fields = Vec::new();
        constants.push_words(&mut fields);
        fields.push(0);
        let rows = (input.len() / width) as u64;
        // SAFETY: `calls` reads and writes `rows` rows of `width` words, and reads the fields.
        unsafe { (self.calls)(rows, input.as_ptr(), output.as_mut_ptr(), fields.as_ptr()) };
        output
    }
}

/// Makes the same calls of the Rust function.
///
/// # Panics
/// If the input is not a whole number of rows.
pub fn call_in_rust<K: Kernel>(input: &[u64], constants: &K::Constants) -> Vec<u64> {
    let width = width::<K>();
    assert_eq!(input.len() % width, 0, "rows of {width} words");
    let mut output = Vec::with_capacity(input.len());
    for row in input.chunks_exact(width) {
        let mut locals = K::Params::from_words(row);
        K::call::<f64>(&mut locals, constants);
        output.extend(K::Params::words(&locals));
    }
    output
}

/// Components of all parameters.
fn width<K: Kernel>() -> usize {
    K::Params::argument_shapes().iter().map(|(_, dim, _)| dim).sum()
}

/// The kernel, and a function that calls it for rows of words.
fn source<K: Kernel>() -> String {
    let mut source = format!("#define CFD_THREADS 1\n{PRELUDE}{}", kernel_code::kernel_definitions::<K>());
    source.push_str("\n#line 1 \"calls\"\n");
    source
        .push_str("extern \"C\" void calls(u64 n, const u64* in, u64* out, const Constants* constants) {\n");
    writeln!(source, "for (u64 i = 0; i < n; ++i, in += {0}, out += {0}) {{", width::<K>())
        .expect("to a string");
    let (mut load, mut store, mut names, mut at) = (String::new(), String::new(), Vec::new(), 0);
    for (k, (_, dim, integer)) in K::Params::argument_shapes().iter().enumerate() {
        let ty = if *integer { "int" } else { "double" };
        load.push_str(&format!("Row<{ty}, {dim}> x{k};\n"));
        for m in 0..*dim {
            let (to, from) = match integer {
                true => (format!("(int)in[{at}]"), format!("(u64)(i64)x{k}[{m}]")),
                false => (format!("cfd_from_bits(in[{at}])"), format!("cfd_bits(x{k}[{m}])")),
            };
            load.push_str(&format!("x{k}[{m}] = {to};\n"));
            store.push_str(&format!("out[{at}] = {from};\n"));
            at += 1;
        }
        names.push(format!("x{k}"));
    }
    let call = format!("{}({}, *constants);\n", kernel_code::kernel_name(K::SOURCE), names.join(", "));
    source + &load + &call + &store + "}\n}\n"
}
