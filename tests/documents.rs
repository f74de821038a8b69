//! The documents: every page is in the book's contents, and every link in them leads somewhere.

use std::path::{Path, PathBuf};

/// Targets of the links `[text](target)` of a page, code blocks left out.
fn links(text: &str) -> Vec<String> {
    let mut in_code = false;
    let mut links = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            let ends = line.match_indices("](").map(|(at, _)| &line[at + 2..]);
            links.extend(ends.filter_map(|rest| Some(rest[..rest.find(')')?].to_string())));
        }
    }
    links
}

fn pages() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("docs").expect("the documents").map(|e| e.expect("an entry").path());
    let mut pages: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    pages
}

#[test]
fn every_page_is_in_the_contents_once_and_nothing_else_is() {
    let contents = links(&std::fs::read_to_string("docs/SUMMARY.md").unwrap());
    let mut listed: Vec<PathBuf> = contents.iter().map(|link| Path::new("docs").join(link)).collect();
    listed.sort();
    let pages: Vec<PathBuf> = pages().into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    assert_eq!(listed, pages);
}

#[test]
fn every_link_leads_to_a_file() {
    let mut checked = 0;
    let readme = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "meshes/README.md"].map(PathBuf::from);
    for page in pages().into_iter().chain(readme) {
        let folder = page.parent().expect("a file is in a folder");
        for link in links(&std::fs::read_to_string(&page).unwrap()) {
            let file = link.split('#').next().expect("splitting gives a part");
            if file.is_empty() || file.contains("://") {
                continue;
            }
            assert!(folder.join(file).exists(), "{}: {link} leads nowhere", page.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} links");
}
