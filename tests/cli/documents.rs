//! The documents: every page is in the book's contents, and every link, anchor and picture in them leads somewhere, on
//! paper (the files as they are) and in the book (`mdbook build`).

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use crate::launch::{Place, Ranks};

/// The lines of a page outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// Targets of the links `[text](target)` and pictures `![text](target)` of a page.
fn links(text: &str) -> Vec<String> {
    let targets = |line: &str| -> Vec<String> {
        // Text between backquotes is code.
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
        let ends = plain.match_indices("](").map(|(at, _)| &plain[at + 2..]);
        ends.filter_map(|rest| Some(rest[..rest.find(')')?].to_string())).collect()
    };
    prose(text).flat_map(targets).collect()
}

/// The names by which links reach the headings of a page: small letters, digits and strokes, blanks as strokes; a name that
/// has been there before gets a number.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for heading in prose(text)
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')))
    {
        let kept = heading.trim().chars().filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ => c.is_alphanumeric().then_some(c),
        });
        let name: String = kept.flat_map(char::to_lowercase).collect();
        let numbered = (1..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !anchors.contains(name));
        anchors.extend(free);
    }
    anchors
}

fn read(page: &Path) -> String {
    std::fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// The book's pages.
fn pages() -> Vec<PathBuf> {
    pages_in("docs")
}

/// The dated notes, which are not part of it.
fn notes() -> Vec<PathBuf> {
    pages_in("notes")
}

fn pages_in(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the documents").map(|e| e.expect("an entry").path());
    let mut pages: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    pages
}

/// The pages outside the book.
fn others() -> [PathBuf; 4] {
    ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "meshes/README.md"].map(PathBuf::from)
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(plain.pop(), "{} leaves the repository", path.display()),
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn every_page_is_in_the_contents_once_and_nothing_else_is() {
    let contents = links(&read(Path::new("docs/SUMMARY.md")));
    let mut listed: Vec<PathBuf> = contents.iter().map(|link| Path::new("docs").join(link)).collect();
    listed.sort();
    let pages: Vec<PathBuf> = pages().into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    assert_eq!(listed, pages);
}

#[test]
fn every_link_leads_to_a_file_and_to_a_heading_in_it() {
    let (mut files, mut headings) = (0, 0);
    for page in pages().into_iter().chain(notes()).chain(others()) {
        let folder = page.parent().expect("a file is in a folder");
        let in_book = page.starts_with("docs");
        for link in links(&read(&page)) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.clone() } else { plain(&folder.join(file)) };
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
            // The book holds nothing else.
            assert!(
                !in_book || target.starts_with("docs"),
                "{}: {link} leads out of the book",
                page.display()
            );
            files += 1;
            if !anchor.is_empty() {
                let there = anchors(&read(&target));
                assert!(
                    there.contains(anchor),
                    "{}: {link}: no such heading; there are {there:?}",
                    page.display()
                );
                headings += 1;
            }
        }
    }
    assert!(files > 80 && headings > 3, "{files} links, {headings} of them to headings");
}

/// Tables, addresses, and what a program has printed, may be wider.
#[test]
fn no_line_is_wider_than_a_screen() {
    for page in pages().into_iter().chain(others()) {
        for (number, line) in read(&page).lines().enumerate() {
            let free = line.starts_with('|') || line.contains("://");
            let width = line.chars().count();
            assert!(free || width <= 120, "{}:{}: {width} columns", page.display(), number + 1);
        }
    }
}

#[test]
fn the_guide_lists_the_methods_of_kernels() {
    let list = read(Path::new("engine/kernel/src/ir.rs"));
    let names = list.split("Elementary { name: \"").skip(1).filter_map(|rest| rest.split('"').next());
    let guide = read(Path::new("docs/writing-a-solver.md"));
    let row = guide.lines().find(|line| line.starts_with("| methods |")).expect("a row of methods");
    let methods: Vec<&str> = names.chain(["sqrt", "abs", "min", "max", "powi"]).collect();
    let missing: Vec<&&str> = methods.iter().filter(|name| !row.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty() && methods.len() > 20, "{missing:?} of {methods:?}");
}

#[test]
fn every_picture_is_shown_on_some_page() {
    let shown: BTreeSet<PathBuf> = pages()
        .into_iter()
        .chain(notes())
        .chain(others())
        .flat_map(|page| {
            let folder = page.parent().expect("a file is in a folder").to_path_buf();
            let here = links(&read(&page)).into_iter().filter(|link| !link.contains("://"));
            here.map(move |link| plain(&folder.join(link))).collect::<Vec<_>>()
        })
        .collect();
    for folder in ["docs", "docs/pictures", "notes"] {
        for entry in std::fs::read_dir(folder).expect("the documents") {
            let path = entry.expect("an entry").path();
            let is_picture = path.extension().is_some_and(|e| e == "svg" || e == "png");
            assert!(!is_picture || shown.contains(&path), "{} is shown nowhere", path.display());
        }
    }
}

#[test]
fn headings_get_the_names_that_github_and_mdbook_give_them() {
    let text = "# Gmsh (`.msh`) and SU2\n```text\n# no heading\n```\n## What it is\n## What it is\n#tag\n";
    let expected = ["gmsh-msh-and-su2", "what-it-is", "what-it-is-1"].map(String::from);
    assert_eq!(anchors(text), BTreeSet::from(expected));
    assert_eq!(links("[a](b.md#c) `[x](y)` ![p](q.svg)\n```\n[d](e)\n```\n"), ["b.md#c", "q.svg"]);
}

/// The code blocks of a page in one language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line == format!("```{language}") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            found.push(block.join("\n"));
        }
    }
    found
}

#[test]
fn pages_quote_their_examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (page, language, file, least) in [
        ("writing-a-solver.md", "rs", "advection/src/main.rs", 7),
        ("writing-a-solver.md", "toml", "advection/Cargo.toml", 1),
        ("adaptation.md", "rs", "remesh/src/main.rs", 2),
    ] {
        let program = read(&folder.join("examples").join(file));
        let blocks = blocks(&read(&folder.join("docs").join(page)), language);
        assert!(blocks.len() >= least, "{} blocks of {language}", blocks.len());
        for block in blocks {
            assert!(program.contains(&block), "examples/{file} has no such lines:\n{block}");
        }
    }
}

/// A reader's crate depends on nothing else.
#[test]
fn the_guide_needs_one_crate() {
    let guide = read(Path::new("docs/writing-a-solver.md"));
    for language in ["rust", "rust,no_run", "rs", "toml"] {
        for block in blocks(&guide, language) {
            let other = block.replace("cfd_api", "").replace("cfd-api", "");
            assert!(!other.contains("cfd_") && !other.contains("cfd-"), "another crate:\n{block}");
        }
    }
}

/// The commands that a page tells users to type, one per line, without launcher arguments and comments.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for block in ["console", "sh"].into_iter().flat_map(|language| blocks(text, language)) {
        // With prompts, what has none is what commands print.
        let has_prompts = block.starts_with("$ ");
        for line in block.replace("\\\n", " ").lines().filter(|line| !has_prompts || line.starts_with("$ ")) {
            let line = line.strip_prefix("$ ").unwrap_or(line).split(" #").next().unwrap_or_default();
            let words = line.split_whitespace().map(|word| word.trim_matches(['\'', '"']).to_string());
            let mut words = words.skip_while(|word| word != "cfd" && !word.ends_with("/cfd"));
            if words.next().is_some()
                && !line.starts_with("docker")
                && !line.contains('|')
                && !line.contains("<(")
            {
                found.push(words.collect());
            }
        }
    }
    found
}

/// Options, keys and configurations named in the documents exist.
#[test]
fn commands_of_the_documents_are_understood() {
    let mut count = 0;
    for page in pages().into_iter().chain(others()) {
        for command in commands(&read(&page)) {
            let config = command.iter().skip_while(|word| *word != "--config").nth(1);
            let is_run = command.first().is_some_and(|word| word.starts_with("--"));
            let printed = is_run && config.is_some_and(|file| Path::new(file).exists());
            let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_cfd"));
            run.args(&command).arg(if printed { "--print-config" } else { "--help" });
            let ended = run.output().expect("the program starts");
            let said = String::from_utf8_lossy(&ended.stderr);
            assert!(ended.status.success(), "{}: {command:?}: {said}", page.display());
            count += 1;
        }
    }
    assert!(count > 40, "{count} commands");
}

const FLOW: &str = "case = \"flow\"\nmesh.generate = { shape = \"naca0012\", size = [43, 13], wall = 0.03 }\n\
                    [flow]\nequations = \"spalart-allmaras\"\nmach = 0.2\nreynolds = 1e5\nscheme = \"newton\"\n\
                    target_lift = 0.2\nboundaries = { airfoil = \"no_slip\", far_field = \"far_field\" }\n";

/// What the page calls a name with a boundary or a level in it.
fn pattern(name: &str) -> String {
    match name.split('.').collect::<Vec<_>>()[..] {
        ["forces", _, coefficient] => format!("forces.NAME.{coefficient}"),
        [kind @ ("heat" | "mass_flow"), _] => format!("{kind}.NAME"),
        _ if name.starts_with("residual_level") => "residual_levelL".into(),
        _ => name.into(),
    }
}

/// The keys of a summary, of lists those of the first entry; not names of sets, fields and keys of the configuration.
fn keys(value: &Value, names: &mut BTreeSet<String>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        names.insert(pattern(key));
        if !["config", "mesh", "hash"].contains(&&key[..]) {
            keys(value.get(0).unwrap_or(value), names);
        }
    }
}

/// The keys that a source file's structures give a summary, also those that only some machines or runs have.
fn fields(file: &str) -> Vec<String> {
    let text = read(Path::new(file));
    let mut found = Vec::new();
    for structure in text.split("Serialize)]\npub struct ").skip(1) {
        let lines: Vec<&str> = structure.lines().take_while(|line| *line != "}").collect();
        let named =
            lines.windows(2).filter(|pair| !pair[0].contains("(flatten)") && !pair[0].contains("(rename"));
        let field = |line: &str| Some(line.strip_prefix("    pub ")?.split_once(':')?.0.to_string());
        found.extend(named.filter_map(|pair| field(pair[1])));
    }
    found
}

#[test]
fn the_page_of_what_a_run_leaves_has_every_key_and_column() {
    let sources = "src/report/summary.rs src/report/halo.rs src/bandwidth.rs src/checkpoint/restart.rs src/start.rs \
                   src/energy/mod.rs src/provenance.rs src/references/mod.rs api/src/loops.rs";
    let mut names: BTreeSet<String> = sources.split(' ').flat_map(fields).collect();
    let place = Place::new();
    place.write("flow.toml", FLOW);
    for (config, mesh) in [
        ("heat", "mesh.generate.size=[6,6]"),
        ("airfoil-small", "mesh.generate.size=[6,6]"),
        ("aero-small", "mesh.generate.size=[6,6]"),
        ("mgcfd-small", "mesh.generate={size=[16,6,4],levels=2}"),
        ("lulesh", "lulesh.size=3"),
        ("adaptation-metrics", "mesh.generate.size=[4,4]"),
        ("flow.toml", "output.mesh=true"),
    ] {
        let settings = ["--out", "o", "--iterations", "1", "--set", mesh, "--set", "output.pictures=false"];
        place.run(Ranks::Alone, &[&["--config", config], &settings[..]].concat()).succeeded();
        keys(&place.summary("o"), &mut names);
        for file in ["o/history.csv", "o/loops.csv"] {
            names.extend(place.read(file).lines().take(1).flat_map(|line| line.split(',')).map(pattern));
        }
    }
    let page = read(Path::new("docs/outputs.md"));
    let missing: Vec<_> = names.iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty() && names.len() > 150, "{missing:?} of {} names", names.len());
}

#[test]
fn the_container_is_built_of_every_crate() {
    let manifest: toml::Table = toml::from_str(&read(Path::new("Cargo.toml"))).expect("a manifest");
    let members = manifest["workspace"]["members"].as_array().expect("a list of crates");
    let mut needed: BTreeSet<&str> =
        ["Cargo.toml", "Cargo.lock", "build.rs", "README.md", "src", "configs", "docs", "run-scripts"].into();
    needed.extend(
        members.iter().filter_map(|member| member.as_str()?.split('/').next()).filter(|top| *top != "."),
    );
    let recipe = read(Path::new("cfd.def"));
    let files =
        recipe.split("%files\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("files to copy");
    let copied: BTreeSet<&str> = files.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let missing: Vec<_> = needed.difference(&copied).collect();
    assert!(missing.is_empty(), "cfd.def does not copy {missing:?}");
}
