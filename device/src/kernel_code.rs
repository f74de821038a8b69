//! CUDA C of kernels, assembled from the pieces that `#[kernel]` and `#[device]` generate.

use std::fmt::Write;

use cfd_engine::kernel::{ConstantField, Constants, Kernel};
use cfd_engine::source::{KernelSource, SourcePiece};

/// The beginning of every loop's code.
pub(crate) const PRELUDE: &str = include_str!("prelude.cuh");

/// The name under which a loop's code calls its kernel.
pub(crate) fn kernel_name(kernel: &KernelSource) -> String {
    format!("{}_kernel", kernel.name)
}

/// The definitions of a kernel, of its constants and of all functions it calls, each after those that it calls itself.
pub(crate) fn definitions(kernel: &'static KernelSource, constants: &[ConstantField]) -> String {
    let mut code = String::from("struct Constants {\n");
    for ConstantField { name, components, integer } in constants {
        let ty = if *integer { "i64" } else { "double" };
        let array = if *components == 1 { String::new() } else { format!("[{components}]") };
        writeln!(code, "    {ty} {name}_{array};").expect("writing to a string succeeds");
    }
    if constants.is_empty() {
        code.push_str("    u64 none_;\n");
    }
    code.push_str("};\n");
    let mut linked = Linked { code, functions: Vec::new(), needs_same_math: false };
    linked.add(kernel, kernel_name(kernel));
    // Only if called: it is as long as all the rest.
    let library = if linked.needs_same_math { same_math::CPP_TEXT } else { "" };
    format!("{library}{}", linked.code)
}

/// The definitions so far, and the functions that have one, with their names in the code.
struct Linked {
    code: String,
    functions: Vec<(&'static KernelSource, String)>,
    needs_same_math: bool,
}

impl Linked {
    /// The name of a function, which is added if it is not yet there.
    fn name(&mut self, function: &'static KernelSource) -> String {
        // By content: a constant may have several addresses.
        let same = |known: &KernelSource| known.name == function.name && known.module == function.module;
        if let Some((_, name)) = self.functions.iter().find(|(known, _)| same(known)) {
            return name.clone();
        }
        let name = format!("{}_{}", function.name, self.functions.len());
        self.functions.push((function, name.clone()));
        self.add(function, name.clone());
        name
    }

    fn add(&mut self, function: &'static KernelSource, own_name: String) {
        let mut code = String::new();
        for piece in function.pieces {
            match piece {
                SourcePiece::Source(source) => code.push_str(source),
                SourcePiece::Line(line) => code.push_str(&format!("\n#line {line} {:?}\n", function.file)),
                SourcePiece::OwnName => code.push_str(&own_name),
                SourcePiece::Call(callee) => {
                    let name = self.name(callee);
                    code.push_str(&name);
                }
                SourcePiece::SameMath(function) => {
                    self.needs_same_math = true;
                    code.push_str(&format!("same_math::{function}"));
                }
                SourcePiece::Real(value) => code.push_str(&real(*value)),
                SourcePiece::Int(i32::MIN) => code.push_str("(-2147483647 - 1)"),
                SourcePiece::Int(value) => code.push_str(&format!("({value})")),
            }
        }
        self.code.push_str(&code);
    }
}

/// A number in hexadecimal digits, which every compiler reads as the same bits.
fn real(value: f64) -> String {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    let sign = if value.is_sign_negative() { "-" } else { "" };
    match exponent {
        0x7ff => format!("cfd_from_bits({bits:#x}ULL)"),
        0 if fraction == 0 => format!("({sign}0.0)"),
        0 => format!("({sign}0x0.{fraction:013x}p-1022)"),
        _ => format!("({sign}0x1.{fraction:013x}p{})", exponent - 1023),
    }
}

/// A kernel's own code: constants, functions and the kernel, without a loop around it.
pub fn kernel_definitions<K: Kernel>() -> String {
    definitions(K::SOURCE, K::Constants::FIELDS)
}

#[cfg(test)]
mod tests {
    use super::real;

    #[test]
    fn numbers_are_written_with_all_their_bits() {
        assert_eq!(real(1.0), "(0x1.0000000000000p0)");
        assert_eq!(real(-0.0), "(-0.0)");
        assert_eq!(real(0.1), "(0x1.999999999999ap-4)");
        assert_eq!(real(-5e-324), "(-0x0.0000000000001p-1022)");
        assert_eq!(real(f64::NAN), "cfd_from_bits(0x7ff8000000000000ULL)");
    }
}
