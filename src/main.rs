//! The `cfd` program: everything is in the library of the same name.

/// When memory runs out, the program says so.
#[global_allocator]
static ALLOCATOR: cfd::memory::Allocator = cfd::memory::Allocator;

fn main() -> std::process::ExitCode {
    cfd::main()
}
