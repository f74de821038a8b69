//! What an unknown key could have meant.

use cfd_solvers::case::Case;

use super::keys;

/// A similar name in the key's table, the same name in another table, or all keys.
pub fn hint(table: &str, name: &str, case: Option<&Case>) -> String {
    let siblings: Vec<&str> = children(table, case);
    if let Some(sibling) = cfd_keys::nearest(name, siblings.iter().copied()) {
        return format!("; did you mean \"{sibling}\"?");
    }
    let own = case.into_iter().flat_map(Case::tables);
    let elsewhere = own.chain(keys::tables().iter().copied());
    if let Some(path) = elsewhere.filter_map(|table| Some(table.path(table.key(name)?))).next() {
        return format!("; did you mean \"{path}\"?");
    }
    let quoted: Vec<String> = siblings.iter().map(|sibling| format!("\"{sibling}\"")).collect();
    format!("; the keys here are {}", quoted.join(", "))
}

/// Names of the keys and tables directly in a table; of generators, whose tables share their name, the case's own.
fn children(table: &str, case: Option<&Case>) -> Vec<&'static str> {
    let most = if table == keys::GENERATE { 1 } else { usize::MAX };
    let own = keys::named(table, case).take(most).flat_map(|table| table.keys).map(|key| key.name);
    let inside = |path: &'static str| match table {
        "" => Some(path),
        _ => path.strip_prefix(table)?.strip_prefix('.'),
    };
    let tables = keys::tables().iter().filter_map(|table| inside(table.name)?.split('.').next());
    let mut names = Vec::new();
    for name in own.chain(tables) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
