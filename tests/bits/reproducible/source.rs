//! What the sources must not contain because it would make bits depend on ranks, runs or machines.

use std::path::{Path, PathBuf};

/// The only places where ranks pass messages; the second one is the only one that speaks to a library for it.
const COMM: [&str; 2] = ["engine/src/comm/", "mpi/src/"];

/// The one exception: the library's own floating-point sums, which are examined but never used.
const LIBRARY_SUMS: &str = "mpi/src/library_sums.rs";
/// Who looks at them.
const LOOKS: &str = "src/commands/reductions/";

/// Where operations are fused: roots, which are correctly rounded all the same, and the rounding errors of products, which are
/// exact.
const FUSED: [&str; 3] = ["lanes/src/x86/root.rs", "exact-sum/src/dot.rs", "exact-sum/src/vector/x86.rs"];

/// A line of code without its comment.
struct Line {
    file: String,
    number: usize,
    code: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("a folder's entry").path();
        if path.is_dir() {
            if !path.ends_with("target") {
                files(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The folders of the workspace's crates, the program's own empty.
fn members() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("Cargo.toml")).expect("the workspace is there");
    let list = text.split("\nmembers = [").nth(1).and_then(|rest| rest.split(']').next()).expect("members");
    let names = list.split(',').map(|name| name.trim().trim_matches('"')).filter(|name| !name.is_empty());
    names.map(|name| if name == "." { String::new() } else { format!("{name}/") }).collect()
}

fn lines() -> Vec<Line> {
    let mut found = Vec::new();
    for member in members() {
        let before = found.len();
        files(&root().join(&member).join("src"), &mut found);
        assert!(found.len() > before, "{member} has no sources");
    }
    files(&root().join("examples"), &mut found);
    let mut lines = Vec::new();
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let file = path.strip_prefix(root()).expect("below the root").display().to_string();
        for (i, line) in text.lines().enumerate() {
            let code = line.split("//").next().expect("splitting gives a first part").to_string();
            lines.push(Line { file: file.clone(), number: i + 1, code });
        }
    }
    assert!(lines.len() > 10_000, "only {} lines of source found", lines.len());
    lines
}

/// The words of a line of code.
fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[track_caller]
fn assert_none(what: &str, wrong: impl Fn(&Line) -> bool) {
    let found: Vec<String> = lines()
        .into_iter()
        .filter(wrong)
        .map(|line| format!("{}:{}: {}", line.file, line.number, line.code.trim()))
        .collect();
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

fn passes_messages(line: &Line) -> bool {
    COMM.iter().any(|folder| line.file.starts_with(folder))
}

fn has(line: &Line, forbidden: &[&str]) -> bool {
    words(&line.code).any(|word| forbidden.contains(&word))
}

#[test]
fn ranks_exchange_bytes_and_integers_and_reduce_integers_alone() {
    assert_none("a floating-point number in the communicator, whose reductions are of integers", |line| {
        passes_messages(line)
            && line.file != LIBRARY_SUMS
            && (has(line, &["f64", "f32"]) || line.code.contains("DOUBLE") || line.code.contains("FLOAT"))
    });
    let reductions =
        ["SystemOperation", "UserOperation", "MPI_Allreduce", "MPI_Reduce", "MPI_Scan", "MPI_Exscan"];
    let calls = ["all_reduce_into", "reduce_into", "reduce_into_root", "scan_into", "exclusive_scan_into"];
    assert_none("a reduction of the message passing library outside the communicator", |line| {
        // The study names the calls that it examines, which only the library's sums use.
        let names = has(line, &reductions) && !line.file.starts_with(LOOKS);
        !passes_messages(line) && (names || has(line, &calls))
    });
    let names = ["library_sums", "LibrarySums"];
    assert!(
        lines().iter().any(|line| line.file.starts_with(LOOKS) && has(line, &names)),
        "{LOOKS} looks at them"
    );
    assert_none("a use of the library's own sums outside the study of them", |line| {
        let declares = line.file == "mpi/src/lib.rs" && line.code == "pub mod library_sums;";
        !line.file.starts_with(LOOKS) && line.file != LIBRARY_SUMS && !declares && has(line, &names)
    });
    // The communicator's calls take words, so the compiler refuses floating-point numbers.
    let declared = "fn all_reduce(&self, values: &mut [u64], op: ReduceOp)";
    let offers = lines().iter().any(|l| l.file == "engine/src/comm/mod.rs" && l.code.contains(declared));
    assert!(offers, "Comm has \"{declared}\"");
}

#[test]
fn no_arithmetic_is_contracted_or_reordered() {
    let forbidden = ["mul_add", "fmaf", "core_intrinsics", "fadd_fast", "fmul_fast", "fadd_algebraic"];
    // As in _mm512_fmadd_pd, of x86-64, and vfmaq_f64, of ARM.
    let instructions = ["fmadd", "fmsub", "fnmadd", "fnmsub", "vfma", "vfms"];
    let wishes = ["fast-math", "fp-contract=fast", "fmad=true"];
    let fuses = |line: &Line| instructions.iter().any(|name| line.code.contains(name));
    for file in FUSED {
        assert!(lines().iter().any(|line| line.file == file && fuses(line)), "{file} has none any more");
    }
    assert_none("a fused or reordered operation", |line| {
        has(line, &forbidden)
            || !FUSED.contains(&&line.file[..]) && fuses(line)
            || wishes.iter().any(|f| line.code.contains(f))
    });
    for file in [".cargo/config.toml", ".cargo/config", "Cargo.toml"] {
        let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        assert!(!text.contains("fast-math") && !text.contains("fp-contract"), "{file}");
    }
}

#[test]
fn no_set_or_map_has_an_order_of_its_own() {
    assert_none(
        "a hashed collection, whose order differs from run to run; take BTreeMap or a sorted vector",
        |line| has(line, &["HashMap", "HashSet", "RandomState", "DefaultHasher"]),
    );
}

/// Everything with a manifest is a crate of the workspace, so its sources are checked.
#[test]
fn every_crate_is_a_member() {
    let is_workspace = |path: &Path| {
        let text = std::fs::read_to_string(path).expect("a manifest");
        text.lines().any(|line| line == "[workspace]")
    };
    fn manifests(folder: &Path, is_workspace: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("a folder's entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            // Fuzzing, comparisons with other libraries and examples are workspaces of their own, of which no program
            // is made.
            if path.is_dir() && !name.starts_with('.') && !["target", "fuzz", "examples"].contains(&&name[..])
            {
                manifests(&path, is_workspace, found);
            } else if name == "Cargo.toml" && (folder == root() || !is_workspace(&path)) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    manifests(root(), &is_workspace, &mut found);
    let members = members();
    assert_eq!(found.len(), members.len(), "{found:?} and {members:?}");
    for path in found {
        let folder = path.parent().expect("a folder").strip_prefix(root()).expect("below the root");
        let name = if folder == Path::new("") { String::new() } else { format!("{}/", folder.display()) };
        assert!(members.contains(&name), "{} is no member of the workspace", path.display());
    }
}

/// Fuzzing has a lock file of its own, which is used as it is.
#[test]
fn fuzzing_locks_the_crates_that_there_are() {
    let text =
        |file: &str| std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    let lock = text("fuzz/Cargo.lock");
    // The program is fuzzed without MPI, and nothing of it needs the reference or what others depend on.
    let needless = ["mpi/", "reference/", "same-math/c/", "exact-sum/c/"];
    for member in members().into_iter().filter(|member| !needless.contains(&&member[..])) {
        let manifest = text(&format!("{member}Cargo.toml"));
        let package =
            manifest.split("[package]\n").nth(1).and_then(|rest| rest.lines().next()).expect("a name");
        assert!(
            lock.contains(&format!("\n{package}\n")),
            "fuzz/Cargo.lock lacks {package}: cargo update --workspace"
        );
    }
}

/// A file that no module names does not run.
#[test]
fn every_file_of_tests_is_a_module() {
    let mut found = Vec::new();
    for member in members() {
        let folder = root().join(&member).join("tests");
        if folder.exists() {
            files(&folder, &mut found);
        }
    }
    let mut modules = 0;
    for path in found {
        let (folder, name) = (path.parent().expect("a folder"), path.file_stem().expect("a name"));
        let names_it = |list: &str| {
            let text = std::fs::read_to_string(folder.join(list)).unwrap_or_default();
            text.lines().any(|line| line.trim_start_matches("pub ") == format!("mod {};", name.display()))
        };
        // Programs of one file, and the cases of compile-fail, need none.
        let has_list = ["main.rs", "mod.rs"].iter().any(|list| folder.join(list).exists());
        if has_list && name != "main" && name != "mod" {
            assert!(["main.rs", "mod.rs"].into_iter().any(names_it), "{} is in no module", path.display());
            modules += 1;
        }
    }
    assert!(modules > 80, "{modules} modules");
}
