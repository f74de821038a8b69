//! The CUDA C of all kernels: it compiles, and it gives the bits of the Rust functions.

pub mod bits;
pub mod ptx;

/// The tests of each kernel of some modules: `kernels! { module: path => kernel kernel; }`, in the case's folder.
macro_rules! kernels {
    ($($module:ident: $path:path => $($kernel:ident)*;)*) => {
        mod device {
            $(mod $module {
                use $path as kernels;
                $(mod $kernel {
                    #[test]
                    fn has_the_bits_of_rust() {
                        crate::device::bits::compare::<super::kernels::$kernel>();
                    }
                    #[test]
                    fn compiles_for_gpus_without_contraction() {
                        crate::device::ptx::compiles::<super::kernels::$kernel>();
                    }
                })*
            })*
        }
    };
}
pub(crate) use kernels;

/// All Rust files below a folder.
fn sources(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let paths =
        std::fs::read_dir(folder).expect("the sources are there").map(|entry| entry.expect("a file").path());
    paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

#[test]
fn every_kernel_is_tested() {
    let paths = sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let texts: Vec<_> =
        paths.iter().map(|path| std::fs::read_to_string(path).expect("Rust is text")).collect();
    let mut tested = Vec::new();
    for text in &texts {
        let lists = text.split("\ncrate::device::kernels! {").skip(1);
        tested.extend(lists.flat_map(|list| list.split("\n}").next().expect("an end").split_whitespace()));
    }
    for (path, text) in paths.iter().zip(&texts) {
        for kernel in text.split("#[kernel]\n").skip(1) {
            let name = kernel.split("pub fn ").nth(1).expect("a function").split('(').next().expect("a name");
            // What a macro names is tested by the names that it is given.
            let listed =
                tested.iter().any(|word| word.trim_end_matches(';') == name) || name.starts_with('$');
            assert!(listed, "{}: {name} stands in no device::kernels!", path.display());
        }
    }
}
