//! Calls a kernel's code on the host, to compare it with the Rust function bit by bit.

use std::fmt::Write;
use std::path::Path;

use cfd_engine::kernel::{Access, ConstantField, Constants, Kernel, Params};
use cfd_engine::source::KernelSource;

use super::emulated::HostLibrary;
use super::error::DeviceError;
use super::kernel_code::{self, PRELUDE};

/// A kernel without its type: what there is to call, here and in its CUDA C. Code that works with a `HostCall` is compiled
/// once, not again for each kernel.
pub struct HostCall {
    /// The kernel's name.
    pub name: &'static str,
    /// The fields of its constants.
    pub constants: &'static [ConstantField],
    /// Its arguments: access mode, number of components, and whether they are `i32`.
    pub arguments: Vec<(Access, usize, bool)>,
    source: &'static KernelSource,
    in_rust: InRust,
}

/// `in_rust(row, constants, output)`: calls the Rust function for a row, and appends its words afterwards.
type InRust = fn(&[u64], &[u64], &mut Vec<u64>);

/// `calls(n, input, output, constants)`
type Calls = unsafe extern "C" fn(u64, *const u64, *mut u64, *const u64);

/// A kernel's CUDA C, compiled by the host's C++ compiler.
pub struct CompiledKernel {
    /// Keeps `calls` loaded.
    _library: HostLibrary,
    calls: Calls,
    width: usize,
    constants: usize,
}

impl HostCall {
    /// That of a kernel.
    pub fn of<K: Kernel>() -> HostCall {
        HostCall {
            name: K::NAME,
            constants: K::Constants::FIELDS,
            arguments: K::Params::argument_shapes(),
            source: K::SOURCE,
            in_rust: |row, constants, output| {
                let mut locals = K::Params::from_words(row);
                K::call::<f64>(&mut locals, &K::Constants::from_words(constants));
                output.extend(K::Params::words(&locals));
            },
        }
    }

    /// Components of all arguments: words of a row.
    pub fn width(&self) -> usize {
        self.arguments.iter().map(|(_, dim, _)| dim).sum()
    }

    /// Calls the Rust function once for each row of `input`, which has a word for each component of each argument;
    /// returns the same words afterwards. `constants` has a word for each component of each field.
    ///
    /// # Panics
    /// If the input is not a whole number of rows, or constants are missing.
    pub fn in_rust(&self, input: &[u64], constants: &[u64]) -> Vec<u64> {
        let width = self.width();
        assert_eq!(input.len() % width, 0, "rows of {width} words");
        let mut output = Vec::with_capacity(input.len());
        for row in input.chunks_exact(width) {
            (self.in_rust)(row, constants, &mut output);
        }
        output
    }

    /// Compiles the code; `directory` keeps compiled code.
    ///
    /// # Errors
    /// There is no C++ compiler, or it refuses the code.
    pub fn compile(&self, directory: &Path) -> Result<CompiledKernel, DeviceError> {
        let library = HostLibrary::load(self.name, &self.calls(), directory)?;
        // SAFETY: the code defines `calls` with this type.
        let calls =
            unsafe { std::mem::transmute::<*const std::ffi::c_void, Calls>(library.symbol("calls")?) };
        let constants = self.constants.iter().map(|field| field.components).sum();
        Ok(CompiledKernel { _library: library, calls, width: self.width(), constants })
    }

    /// The kernel, and a function that calls it for rows of words.
    fn calls(&self) -> String {
        let definitions = kernel_code::definitions(self.source, self.constants);
        let mut source = format!("#define CFD_THREADS 1\n{PRELUDE}{definitions}");
        source.push_str("\n#line 1 \"calls\"\n");
        source.push_str(
            "extern \"C\" void calls(u64 n, const u64* in, u64* out, const Constants* constants) {\n",
        );
        writeln!(source, "for (u64 i = 0; i < n; ++i, in += {0}, out += {0}) {{", self.width())
            .expect("to a string");
        let (mut load, mut store, mut names, mut at) = (String::new(), String::new(), Vec::new(), 0);
        for (k, (_, dim, integer)) in self.arguments.iter().enumerate() {
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
        let call = format!("{}({}, *constants);\n", kernel_code::kernel_name(self.source), names.join(", "));
        source + &load + &call + &store + "}\n}\n"
    }
}

impl CompiledKernel {
    /// Makes the same calls as [`HostCall::in_rust`].
    ///
    /// # Panics
    /// If the input is not a whole number of rows, or constants are missing.
    pub fn call(&self, input: &[u64], constants: &[u64]) -> Vec<u64> {
        assert_eq!(input.len() % self.width, 0, "rows of {} words", self.width);
        assert_eq!(constants.len(), self.constants, "a word for each constant");
        let mut output = vec![0; input.len()];
        // The code's struct is never empty.
        let constants = [constants, &[0]].concat();
        let rows = (input.len() / self.width) as u64;
        // SAFETY: `calls` reads and writes `rows` rows of `width` words, and reads the fields.
        unsafe { (self.calls)(rows, input.as_ptr(), output.as_mut_ptr(), constants.as_ptr()) };
        output
    }
}
