//! The reference page of all keys, `docs/config.md`.

use super::keys::{KEYS, TABLES};

/// The page, as Markdown, from the table of keys.
pub fn page() -> String {
    let mut page = String::from(
        "# Configuration\n\n\
         A run is described by one TOML file. Unknown keys, wrong types and values out of range are refused, with file, line\n\
         and column. Any key can be overridden on the command line with `--set key.path=value`; `--mode`, `--strategy`,\n\
         `--partitioner`, `--seed`, `--iterations` and `--out` are short for the keys they name.\n\
         `cfd --config FILE --print-config` prints the complete configuration; a run from that gives the same result. Paths\n\
         are relative to the working directory.\n\n\
         This page is written by `cfd info --config-reference`; a test checks that it is up to date.\n",
    );
    for (table, about) in TABLES {
        let title = if table.is_empty() { "Top level".to_string() } else { format!("`[{table}]`") };
        page.push_str(&format!("\n## {title}\n\n{about}.\n\n"));
        let rows: Vec<String> = KEYS
            .iter()
            .filter(|key| key.split().0 == *table)
            .map(|key| {
                let default = key.default.map_or("-".into(), |default| format!("`{default}`"));
                let unit = if key.unit.is_empty() { "-" } else { key.unit };
                format!("| `{}` | {} | {default} | {unit} | {} |\n", key.split().1, key.kind, key.meaning)
            })
            .collect();
        page.push_str(
            "| key | type and range | default | unit | meaning |\n| --- | --- | --- | --- | --- |\n",
        );
        page.push_str(&rows.concat());
    }
    page
}
