//! The layers of docs/architecture.md: a file uses only what lies below it, and only small groups of files form
//! circles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The folders of `src/`, the lowest first.
const LAYERS: [&str; 8] = ["base", "comm", "model", "store", "schedule", "cpu", "driver", "domain"];

/// Most files in a circle: a folder's `mod.rs` and two that share its traits.
const LARGEST_CIRCLE: usize = 3;

/// Modules by path, `store::halo`, and the modules that each uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The text of every module of a folder.
fn modules(folder: &Path, path: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let file = entry.expect("a folder's entry").path();
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let below = if path.is_empty() { name.clone() } else { format!("{path}::{name}") };
        if file.is_dir() {
            modules(&file, &below, found);
        } else if file.extension().is_some_and(|extension| extension == "rs") {
            let module = if name == "mod" { path.to_string() } else { below };
            let text = std::fs::read_to_string(&file).expect("Rust is text");
            found.insert(module, text);
        }
    }
}

/// Code without comments, and without the tests at the end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().expect("splitting gives a first part");
    text.lines().map(|line| line.split("//").next().expect("a first part")).collect::<Vec<_>>().join("\n")
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    // A word in a text, not an import.
    if !tree.starts_with(|first: char| first.is_alphabetic()) {
        return Vec::new();
    }
    let Some((prefix, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().expect("a path").trim().to_string()];
    };
    let inner = &rest[..rest.rfind('}').expect("a closing brace")];
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in inner.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("there is one").push(letter);
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| expand(part)).map(|path| format!("{prefix}{path}")).collect()
}

/// Paths that begin with `crate::` or `super::`: of use lines, and of everything else.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        match statement
            .rfind("use ")
            .filter(|&at| statement[..at].trim_end().is_empty() || is_start(&statement[..at]))
        {
            Some(at) => {
                rest.push_str(&statement[..at]);
                found.extend(expand(
                    &statement[at + 4..statement.len() - 1].split_whitespace().collect::<Vec<_>>().join(" "),
                ));
            }
            None => rest.push_str(statement),
        }
    }
    for start in ["crate::", "super::"] {
        for (at, _) in rest.match_indices(start) {
            let whole =
                at == 0 || !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            let path: String =
                rest[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == ':').collect();
            if whole {
                found.push(path.trim_end_matches(':').to_string());
            }
        }
    }
    found
}

/// Whether the text before `use` ends a line or an attribute, or makes it public.
fn is_start(before: &str) -> bool {
    let before =
        before.trim_end_matches("pub(crate) ").trim_end_matches("pub(super) ").trim_end_matches("pub ");
    before.trim_end_matches(' ').ends_with(['\n', ']', '{', '}'])
}

/// The module to which a path in module `at` leads, if it is one of the crate's.
fn target(at: &str, path: &str, known: &BTreeMap<String, String>) -> Option<String> {
    let mut parts: Vec<&str> = at.split("::").collect();
    let mut steps = path.split("::").peekable();
    match steps.peek() {
        Some(&"crate") => parts.clear(),
        Some(&"super") => {}
        Some(&"self") => {}
        _ => return None,
    }
    for step in steps {
        match step {
            "crate" | "self" => {}
            "super" => _ = parts.pop(),
            name => parts.push(name),
        }
    }
    // A module's items are in its file.
    while !parts.is_empty() && !known.contains_key(&parts.join("::")) {
        parts.pop();
    }
    (!parts.is_empty()).then(|| parts.join("::"))
}

fn uses() -> Uses {
    let mut known = BTreeMap::new();
    modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut known);
    known.remove("lib");
    assert!(known.len() > 60, "{} modules", known.len());
    let of = |(at, text): (&String, &String)| {
        let targets = paths(&code(text)).into_iter().filter_map(|path| target(at, &path, &known));
        (at.clone(), targets.filter(|to| to != at).collect())
    };
    known.iter().map(of).collect()
}

fn layer(module: &str) -> usize {
    let folder = module.split("::").next().expect("a first part");
    let found = LAYERS.iter().position(|layer| *layer == folder);
    found.unwrap_or_else(|| panic!("{module} lies in none of the layers {LAYERS:?}"))
}

/// All modules that a module reaches.
fn reach<'a>(uses: &'a Uses, from: &'a str) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(uses[module].iter().map(String::as_str).filter(|to| reached.insert(*to)));
    }
    reached
}

#[test]
fn imports_point_down() {
    let uses = uses();
    let edges = uses.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)));
    let up: Vec<_> = edges
        .filter(|(from, to)| layer(from) < layer(to))
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect();
    assert!(up.is_empty(), "a layer uses those below it:\n{}", up.join("\n"));
}

#[test]
fn circles_are_small() {
    let uses = uses();
    for module in uses.keys() {
        let circle: Vec<&str> = reach(&uses, module)
            .into_iter()
            .filter(|other| reach(&uses, other).contains(&module[..]))
            .collect();
        assert!(circle.len() <= LARGEST_CIRCLE, "these files go round in a circle: {}", circle.join(", "));
    }
}

#[test]
fn imports_of_every_form_are_seen() {
    let text = "//! crate::no\nuse std::fmt;\npub(crate) use super::{a::B, c::{D, E as F}};\n\
                use crate::x::\n    y;\nfn f() { crate::z::g(); super::w!(); }\n// crate::no\n\
                #[cfg(test)]\nmod tests { use crate::no; }\n";
    let text = text.replace("mod tests { use", "mod tests {\n use");
    let found = paths(&code(&text));
    let own: Vec<&str> = found.iter().map(String::as_str).filter(|path| *path != "std::fmt").collect();
    assert_eq!(own, ["super::a::B", "super::c::D", "super::c::E", "crate::x:: y", "crate::z::g", "super::w"]);
    let known: BTreeMap<String, String> =
        ["m", "m::a", "m::b", "z"].map(|module| (module.into(), String::new())).into();
    assert_eq!(target("m::a", "super::b::T", &known).as_deref(), Some("m::b"));
    assert_eq!(target("m::a", "super::T", &known).as_deref(), Some("m"));
    assert_eq!(target("m", "self::a::T", &known).as_deref(), Some("m::a"));
    assert_eq!(target("m::a", "crate::z::g", &known).as_deref(), Some("z"));
    assert_eq!(target("m::a", "std::fmt", &known), None);
}
