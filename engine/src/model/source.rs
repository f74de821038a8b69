//! Kernel source: CUDA C of kernels, as `#[kernel]` and `#[device]` leave it.

/// The source of one kernel or device function, in CUDA C; made by `#[kernel]` and `#[device]`.
#[derive(Debug)]
pub struct KernelSource {
    /// The function's name in the Rust source.
    pub name: &'static str,
    /// The module it is in.
    pub module: &'static str,
    /// The file it was written in.
    pub file: &'static str,
    /// The definition.
    pub pieces: &'static [SourcePiece],
}

impl KernelSource {
    /// No source.
    pub const NONE: KernelSource = KernelSource { name: "", module: "", file: "", pieces: &[] };
}

/// A piece of a function's definition.
#[derive(Debug)]
pub enum SourcePiece {
    /// Text.
    Source(&'static str),
    /// What follows was written in this line of the file, counted from 1.
    Line(u32),
    /// The name of the function itself.
    OwnName,
    /// The name of another function.
    Call(&'static KernelSource),
    /// A function of `same-math`, by its name in C.
    SameMath(&'static str),
    /// A number, exactly.
    Real(f64),
    /// An integer.
    Int(i32),
}
