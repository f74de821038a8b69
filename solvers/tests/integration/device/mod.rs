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
                        crate::device::bits::compare(&cfd_device::HostCall::of::<super::kernels::$kernel>());
                    }
                    #[test]
                    fn compiles_for_gpus_without_contraction() {
                        crate::device::ptx::compiles(
                            stringify!($kernel),
                            cfd_device::direct_loop::<super::kernels::$kernel>(),
                        );
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
    let tested: Vec<&str> = tested.iter().map(|word| word.trim_end_matches(';')).collect();
    for (path, text) in paths.iter().zip(&texts) {
        for name in kernel_names(text) {
            // What a macro names is tested by the names that it is given.
            let listed = tested.contains(&name) || name.starts_with('$');
            assert!(listed, "{}: {name} stands in no device::kernels!", path.display());
        }
    }
}

/// The names of the kernels of a file: of functions marked `#[kernel]` or `#[kernel(DIM = 3)]`, and those that
/// `#[kernel(flux_2d<2>, flux_3d<3>)]` makes.
fn kernel_names(text: &str) -> Vec<&str> {
    let begins_line =
        |at: usize| text[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
    let marks = text.match_indices("#[kernel").filter(|&(at, _)| begins_line(at));
    let names = marks.flat_map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let (arguments, item) = match rest.strip_prefix('(') {
            Some(rest) => rest.split_once(")]").expect("an end"),
            None => ("", rest),
        };
        let instances = arguments.split('>').filter_map(|instance| instance.split_once('<'));
        let mut names: Vec<&str> =
            instances.map(|(name, _)| name.rsplit(',').next().expect("a name").trim()).collect();
        if names.is_empty() {
            let function = item.split("fn ").nth(1).expect("a function");
            names.extend(function.split(['(', '<']).next());
        }
        names
    });
    names.collect()
}

#[test]
fn kernels_are_found_by_all_their_names() {
    let text = "//! Not `#[kernel]`.\n#[kernel]\npub fn one(q: Rw<1>) {}\n#[kernel(\n    two<2, f>,\n    three<3, g>,\n)]\n\
                fn any<const D: usize, h: Device>(q: Rw<D>) {}\n    #[kernel(N = 4)]\n    fn four(q: Rw<N>) {}\n\
                #[kernel(N = 5, five<1>)]\nfn other<const D: usize>(q: Rw<D>) {}\n";
    assert_eq!(kernel_names(text), ["one", "two", "three", "four", "five"]);
}
