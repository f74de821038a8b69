//! The reference page of all keys, `docs/config.md`.

use cfd_keys::{Key, Kind, Table};
use cfd_solvers::CASES;

use super::keys::{GENERATE, tables};

/// The page, as Markdown, from the tables of keys.
pub fn page() -> String {
    let mut page = String::from(
        "# Configuration\n\n\
         One TOML file describes a run. Unknown keys, wrong types and out-of-range values are refused with file, line\n\
         and column. `--set key.path=value` on the command line overrides any key; `--mode`, `--strategy`,\n\
         `--partitioner`, `--seed`, `--iterations` and `--out` are short forms for the keys they name.\n\
         `cfd --config FILE --print-config` prints the complete configuration; a run with it gives the same result.\n\
         Paths are relative to the working directory.\n\n\
         `cfd info --config-reference` writes this page; a test checks that it is up to date.\n",
    );
    for table in tables() {
        page.push_str(&format!("\n## {}\n\n{}.\n\n", title(table), table.about));
        page.push_str(
            "| key | type and range | default | unit | meaning |\n| --- | --- | --- | --- | --- |\n",
        );
        page.extend(table.keys.iter().map(row));
        page.extend(table.keys.iter().map(|key| conditions(table, key)));
    }
    page
}

/// What can stand for a boundary, if that is what a key's table is for: each word, and the keys of its values.
fn conditions(table: &Table, key: &Key) -> String {
    let Kind::Boundaries(kinds) = key.kind else { return String::new() };
    let mut text = format!(
        "\n### `[{}.{}]`\n\n| kind | what it is | keys beside `kind` |\n| --- | --- | --- |\n",
        table.name, key.name
    );
    for kind in kinds {
        let of = |key: &Key| {
            let required = if key.required { "; required" } else { "" };
            format!("`{}`: {} ({}{required})", key.name, key.meaning, key.kind)
        };
        let keys: Vec<String> = kind.keys.iter().map(of).collect();
        let keys = if keys.is_empty() { "-".into() } else { keys.join("<br>") };
        text.push_str(&format!("| `\"{}\"` | {} | {keys} |\n", kind.name, kind.about));
    }
    text
}

/// The heading of a table; if several have its name, with the cases that use its keys.
fn title(table: &Table) -> String {
    if table.name.is_empty() {
        return "Top level".into();
    }
    let has = |table: &Table| {
        let cases = CASES
            .iter()
            .filter(|case| case.facts().generator.is_some_and(|generator| generator.table == table));
        cases.map(|case| case.name()).collect::<Vec<_>>().join(", ")
    };
    let users = || CASES.iter().filter(|case| case.tables().any(|of| of == table)).map(|case| case.name());
    let is_shared = tables().iter().filter(|other| other.name == table.name).count() > 1;
    let cases = match table.name {
        GENERATE => format!(" for {}", has(table)),
        _ if is_shared => format!(" for {}", users().collect::<Vec<_>>().join(", ")),
        _ => String::new(),
    };
    format!("`[{}]`{cases}", table.name)
}

fn row(key: &Key) -> String {
    let default = key.default.map_or("-".into(), |default| format!("`{default}`"));
    let unit = if key.unit.is_empty() { "-" } else { key.unit };
    format!("| `{}` | {} | {default} | {unit} | {} |\n", key.name, key.kind, key.meaning)
}
