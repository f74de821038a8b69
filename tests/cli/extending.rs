//! docs/extending.md is true: what it names exists, and a case, a strategy, a partitioner and a format are known only
//! in the places that it names.

use std::path::{Path, PathBuf};

use cfd_mesh::STORED;
use cfd_partition::Method;
use cfd_reducers::strategies;
use cfd_solvers::CASES;

const PAGE: &str = include_str!("../../docs/extending.md");

/// Folders of the program's sources and of all crates, the cases' apart.
const SOURCES: [&str; 12] = [
    "src",
    "keys/src",
    "mesh/src",
    "io/src",
    "partition/src",
    "chains/src",
    "device/src",
    "reducers/src",
    "engine/src",
    "exact-sum/src",
    "lanes/src",
    "mpi/src",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file below these folders, and its text without comments and unit tests.
fn sources(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let mut waiting: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut files = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() {
                waiting.push(path);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).expect("a source file");
                let own = text.split("#[cfg(test)]").next().unwrap_or_default();
                let code = own.lines().map(|line| line.split("//").next().unwrap_or_default());
                let code = code.collect::<Vec<_>>().join("\n");
                files.push((path.strip_prefix(root()).expect("below the root").to_path_buf(), code));
            }
        }
    }
    files.sort();
    files
}

/// The files in which a word is a complete string.
fn files_with(word: &str, folders: &[&str]) -> Vec<PathBuf> {
    let quoted = format!("\"{word}\"");
    sources(folders).into_iter().filter(|(_, code)| code.contains(&quoted)).map(|(path, _)| path).collect()
}

#[test]
fn what_the_page_names_is_there() {
    let mut seen = 0;
    for path in PAGE.split('`').skip(1).step_by(2) {
        let is_path = path.contains('/') && !path.contains(['<', '(', ' ', '*', '{']);
        if is_path {
            assert!(root().join(path).exists(), "docs/extending.md names {path}");
            seen += 1;
        }
    }
    assert!(seen > 10, "the page names {seen} paths");
}

#[test]
fn a_case_is_known_in_its_folder_alone() {
    // Words of mesh files: the first cases' names are their attribute `case`, one is a format, one a usual name of a wall.
    for case in CASES {
        let name = case.name();
        let folder = root().join("solvers/src").join(name);
        assert!(folder.join("case.rs").exists(), "{}", folder.display());
        assert!(root().join("docs").join(format!("{name}.md")).exists(), "{name} has a page");
        let mut elsewhere = files_with(name, &SOURCES);
        if STORED.iter().any(|stored| stored.tag == name) {
            elsewhere.retain(|path| {
                let is_boundary = path == Path::new("mesh/src/generate/plane/airfoil.rs");
                !is_boundary
                    && !path.starts_with("mesh/src/derive")
                    && path != Path::new("io/src/format/mgcfd/mod.rs")
            });
        }
        assert!(elsewhere.is_empty(), "{name} is known in {elsewhere:?}");
    }
    // The names as words of the code, not only as strings.
    for (path, code) in sources(&SOURCES) {
        let words = code.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        assert!(words.into_iter().all(|word| word != "heat"), "{} knows heat", path.display());
    }
}

#[test]
fn a_strategy_is_known_in_its_list_alone() {
    for strategy in strategies::all() {
        let found = files_with(strategy.name(), &SOURCES);
        // Those of the reducers are listed with them.
        let lists = ["engine/src/schedule/strategy", "reducers/src"];
        let here = found.iter().filter(|path| lists.iter().any(|list| path.starts_with(list))).count();
        assert_eq!(here, 1, "{} is in {found:?}", strategy.name());
        let has_other_meanings = ["core", "map"].contains(&strategy.name());
        let program = found.iter().filter(|path| path.starts_with("src")).count();
        assert!(program == 0 || has_other_meanings, "{} is in {found:?}", strategy.name());
    }
}

#[test]
fn a_partitioner_is_known_in_the_partitioners_folder_alone() {
    // The default is the program's choice; an order along the same curve has the curve's name.
    let allowed = |name: &str, path: &Path| match name {
        "metis" => path == Path::new("src/config/keys.rs"),
        // Weights come from a file as well.
        "file:PATH" => path == Path::new("src/config/keys.rs"),
        "hilbert" => path == Path::new("src/config/keys.rs") || path == Path::new("partition/src/order.rs"),
        _ => false,
    };
    for &name in Method::NAMES {
        for path in files_with(name, &SOURCES) {
            let own = path.starts_with("partition/src/partitioner");
            assert!(own || allowed(name, &path), "{name} is known in {}", path.display());
        }
    }
}

#[test]
fn a_mesh_format_is_known_in_its_module_alone() {
    // Some are words of output.formats, too.
    let is_output = |option: &str| ["h5", "vtu", "vtkhdf"].contains(&option);
    for format in cfd_io::FORMATS.into_iter().filter(|format| !is_output(format.option)) {
        let found = files_with(format.option, &["io/src", "src"]);
        assert_eq!(found.len(), 1, "{} is in {found:?}", format.option);
        assert!(found[0].starts_with("io/src/format"), "{} is in {found:?}", format.option);
    }
}
