//! The header and the Fortran module declare what the library has, and C and Fortran programs linked with it get the
//! same bits as Rust, on any number of ranks.

use std::path::{Path, PathBuf};
use std::process::Command;

use exact_sum::{BYTES, DOT_BYTES, DOT_WORDS, ExactSum, WORDS};

const HEADER: &str = include_str!("../include/exact_sum.h");
const MODULE: &str = include_str!("../fortran/exact_sum.f90");
const SOURCES: [&str; 3] =
    [include_str!("../src/border.rs"), include_str!("../src/dot.rs"), include_str!("../src/sum.rs")];

/// Numbers of ranks for the examples.
const RANKS: [usize; 4] = [1, 2, 5, 16];

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder for this test alone.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder in the target directory");
    folder
}

/// The static library, which lies next to the tests.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    test.parent().expect("a folder").join("libexact_sum_c.a")
}

/// Whether a program is installed.
fn is_there(program: &str) -> bool {
    runs(Command::new(program).arg("--version"))
}

fn runs(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// MPI's compiler, which calls this one.
fn mpi_compiler(name: &str, fortran: &str) -> Command {
    let mut compiler = Command::new(name);
    compiler.env("OMPI_FC", fortran).env("MPICH_FC", fortran);
    compiler
}

#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// A declaration with its blanks squeezed.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(", )", ")")
}

/// The functions of the library as C declares them.
fn declarations() -> Vec<String> {
    let types = [
        ("*const Sum", "const exact_sum *"),
        ("*mut Sum", "exact_sum *"),
        ("*const Dot", "const exact_dot *"),
        ("*mut Dot", "exact_dot *"),
        ("*const c_double", "const double *"),
        ("*mut c_double", "double *"),
        ("*const c_float", "const float *"),
        ("*mut c_float", "float *"),
        ("*const c_char", "const char *"),
        ("*mut c_int", "int *"),
        ("*const u64", "const uint64_t *"),
        ("*mut u64", "uint64_t *"),
        ("*const u8", "const uint8_t *"),
        ("*mut u8", "uint8_t *"),
        ("c_double", "double "),
        ("c_float", "float "),
        ("c_int", "int "),
        ("usize", "size_t "),
    ];
    let in_c =
        |rust: &str| types.iter().find(|(name, _)| *name == rust).unwrap_or_else(|| panic!("{rust}")).1;
    let mut declarations = Vec::new();
    for source in SOURCES {
        for function in source.split("extern \"C\" fn ").skip(1) {
            let (name, rest) = function.split_once('(').expect("parameters");
            let (parameters, rest) = rest.split_once(") -> ").expect("a result");
            let (result, _) = rest.split_once(" {").expect("a body");
            let parameter = |text: &str| {
                let (name, rust) = text.trim().split_once(": ").expect("a type");
                format!("{}{name}", in_c(rust))
            };
            let parameters: Vec<String> =
                parameters.split(',').filter(|text| !text.trim().is_empty()).map(parameter).collect();
            declarations.push(format!("{}{name}({});", in_c(result), parameters.join(", ")));
        }
    }
    declarations
}

#[test]
fn the_header_and_the_module_declare_every_function_and_no_other() {
    let declarations = declarations();
    assert!(declarations.len() > 20, "{declarations:?}");
    for declaration in &declarations {
        assert!(squeezed(HEADER).contains(declaration), "exact_sum.h lacks {declaration}");
        let name =
            declaration.split(['(', ' ', '*']).find(|word| word.starts_with("exact_")).expect("a name");
        if name != "exact_sum_message" {
            assert!(MODULE.contains(&format!("function {name}(")), "exact_sum.f90 lacks {name}");
        }
    }
    let declared = HEADER.lines().filter(|line| line.ends_with(");") && !line.starts_with(' ')).count();
    assert_eq!(declared, declarations.len(), "functions of exact_sum.h");
    assert_eq!(MODULE.matches(") bind(c)\n").count(), declarations.len() - 1, "functions of exact_sum.f90");
    // Statuses, and the sizes that Fortran declares; C's are printed by its program.
    for (name, value) in [("OK", 0), ("POINTER", 1), ("DAMAGED", 2), ("VERSION", 3), ("STATE", 4)] {
        assert!(HEADER.contains(&format!("#define EXACT_SUM_{name} {value} ")), "{name}");
        assert!(MODULE.contains(&format!("exact_sum_{} = {value}", name.to_lowercase())), "{name}");
    }
    for (name, value) in ["BUFFER", "BUFFERED", "PENDING"].into_iter().zip(ExactSum::BUFFER_LAYOUT) {
        assert!(HEADER.contains(&format!("#define EXACT_SUM_{name} {value} ")), "{name}");
    }
    for text in [
        format!("exact_sum_words = {WORDS}, exact_dot_words = {DOT_WORDS}\n"),
        format!("exact_sum_bytes = {BYTES}, exact_dot_bytes = {DOT_BYTES}\n"),
        format!("opaque({}) = 0", size_of::<exact_sum_c::Sum>() / 8),
        format!("opaque({}) = 0", size_of::<exact_sum_c::Dot>() / 8),
    ] {
        assert!(MODULE.contains(&text), "exact_sum.f90 lacks {text}");
    }
}

#[test]
fn a_c_program_can_call_every_function() {
    if !is_there("gcc") {
        eprintln!("There is no C compiler (gcc) here: its program was not run.");
        return;
    }
    let program = folder("exact-sum-functions").join("functions");
    let sizes =
        [size_of::<exact_sum_c::Sum>(), size_of::<exact_sum_c::Dot>(), WORDS, BYTES, DOT_WORDS, DOT_BYTES];
    for inline in [&[][..], &["-DEXACT_SUM_NO_INLINE"]] {
        let mut compiler = Command::new("gcc");
        compiler.arg("-std=c99").args(STRICT).args(inline).args(["-g", "-I"]).arg(here().join("include"));
        compiler.arg(here().join("tests/functions.c")).arg("-o").arg(&program).arg(library());
        run(compiler.args(["-lpthread", "-ldl", "-lm"]));
        let output = Command::new(&program).output().expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let printed = format!("{}\n", sizes.map(|size| size.to_string()).join(" "));
        assert_eq!(String::from_utf8_lossy(&output.stdout), printed);
    }
}

#[test]
fn a_cpp_program_gets_the_same_sums() {
    for (compiler, standard) in [
        ("g++", "-std=c++11"),
        ("g++", "-std=c++20"),
        ("clang++", "-std=c++17"),
        ("clang++-19", "-std=c++17"),
    ] {
        if !is_there(compiler) {
            eprintln!("There is no C++ compiler ({compiler}) here: its program was not run.");
            continue;
        }
        let program = folder("exact-sum-cpp").join(format!("wrapper{compiler}{standard}"));
        let mut command = Command::new(compiler);
        command.args(STRICT).arg(standard).args(["-I"]).arg(here().join("include"));
        command.arg(here().join("tests/wrapper.cpp")).arg("-o").arg(&program).arg(library());
        run(command.args(["-lpthread", "-ldl", "-lm"]));
        assert_eq!(run(&mut Command::new(&program)), "");
    }
}

#[test]
fn ranks_agree_on_errors_and_operations_merge_sums_and_dot_products() {
    if !is_there("mpicc") || !is_there("mpirun") {
        eprintln!("There is no MPI (mpicc, mpirun) here: its program was not run.");
        return;
    }
    let program = folder("exact-sum-ranks").join("ranks");
    let mut compiler = Command::new("mpicc");
    compiler.arg("-std=c99").args(STRICT).arg("-I").arg(here().join("include"));
    compiler.arg(here().join("tests/ranks.c")).arg("-o").arg(&program).arg(library());
    run(compiler.args(["-lpthread", "-ldl", "-lm"]));
    for ranks in RANKS {
        let mut launcher = Command::new("mpirun");
        launcher.args(["-n", &ranks.to_string(), "--oversubscribe"]).arg(&program);
        assert_eq!(run(&mut launcher), "0\n", "{ranks} ranks");
    }
}

/// The bits that the examples should print.
fn expected() -> String {
    let mut sum = ExactSum::new();
    for i in 0..100_003i64 {
        sum.add(((i * 7919 % 10007) as f64 / 10007.0 - 0.5) * 2f64.powi((i % 61) as i32 - 30));
    }
    format!("{:016x}\n", sum.value().to_bits())
}

#[track_caller]
fn same_on_all_ranks(program: &Path) {
    for ranks in RANKS {
        let mut launcher = Command::new("mpirun");
        launcher.args(["-n", &ranks.to_string(), "--oversubscribe"]).arg(program);
        assert_eq!(run(&mut launcher).to_lowercase(), expected(), "{} on {ranks} ranks", program.display());
    }
}

#[test]
fn the_example_in_c_has_one_result_on_any_number_of_ranks() {
    if !is_there("mpicc") || !is_there("mpirun") {
        eprintln!("There is no MPI (mpicc, mpirun) here: the example in C was not run.");
        return;
    }
    let program = folder("exact-sum-c").join("sum");
    let mut compiler = Command::new("mpicc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I"]).arg(here().join("include"));
    compiler.arg(here().join("examples/sum.c")).arg("-o").arg(&program).arg(library());
    run(compiler.args(["-lpthread", "-ldl", "-lm"]));
    same_on_all_ranks(&program);
}

#[test]
fn the_example_in_fortran_has_one_result_on_any_number_of_ranks() {
    let names = ["gfortran", "gfortran-14", "gfortran-13", "gfortran-12"];
    let works = |name: &&str| is_there(name) && runs(mpi_compiler("mpifort", name).arg("--version"));
    let Some(fortran) = names.into_iter().find(works).filter(|_| is_there("mpirun")) else {
        eprintln!(
            "There is no Fortran compiler (gfortran) with MPI here: the example in Fortran was not run."
        );
        return;
    };
    let folder = folder("exact-sum-fortran");
    let program = folder.join("sum");
    let mut compiler = mpi_compiler("mpifort", fortran);
    compiler.args(["-std=f2018", "-Wall", "-Werror", "-J"]).arg(&folder);
    compiler.arg(here().join("fortran/exact_sum.f90")).arg(here().join("examples/sum.f90"));
    compiler.arg("-o").arg(&program).arg(library());
    run(compiler.args(["-lpthread", "-ldl", "-lm"]));
    same_on_all_ranks(&program);
}
