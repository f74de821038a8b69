//! Names of boundaries: which are walls, which the far field.

use std::path::Path;

use cfd_engine::given::short;
use serde::Deserialize;

use crate::IoError;

/// Names of walls that need no configuration. Upper and lower case are the same, and so are `_`, `-`, a blank and none.
pub const WALLS: [&str; 11] = [
    "wall",
    "walls",
    "lower_wall",
    "upper_wall",
    "airfoil",
    "aerofoil",
    "body",
    "cylinder",
    "slat",
    "main",
    "flap",
];

/// The same of the far field.
pub const FAR_FIELDS: [&str; 9] =
    ["far_field", "outer", "free_stream", "inlet", "outlet", "inflow", "outflow", "inlets", "outlets"];

/// The flag of a wall in `bound`.
const WALL: i32 = 1;
/// The flag of the far field.
const FAR_FIELD: i32 = 2;

/// Names of a mesh's boundaries, beyond those that are known ([`WALLS`], [`FAR_FIELDS`]), or against them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Boundaries {
    /// Inviscid walls.
    pub wall: Vec<String>,
    /// Boundaries with the free stream outside.
    pub far_field: Vec<String>,
}

impl Boundaries {
    /// True when nothing is named.
    pub fn is_empty(&self) -> bool {
        self.wall.is_empty() && self.far_field.is_empty()
    }

    /// The flag of each group of boundary edges; a group's names must agree.
    ///
    /// # Errors
    /// A name that is given here but not in the mesh, or here twice, or in the mesh but neither here nor known, or two
    /// names of one group that do not agree.
    pub(super) fn of_groups(&self, path: &Path, groups: &[Vec<String>]) -> Result<Vec<i32>, IoError> {
        let mut names: Vec<&str> = Vec::new();
        for name in groups.iter().flatten() {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let all = if names.is_empty() {
            "the mesh has no named boundary".to_string()
        } else {
            format!("the boundaries of this mesh are {}", quoted(&names))
        };
        if let Some(name) = self.wall.iter().find(|name| self.far_field.contains(name)) {
            let what = format!(
                "the boundary \"{}\" is given both as a wall and as far field; keep one of them",
                short(name)
            );
            return Err(IoError::file(path, what));
        }
        for name in self.wall.iter().chain(&self.far_field) {
            if !names.contains(&name.as_str()) {
                let similar = nearest(name, &names)
                    .map_or(String::new(), |similar| format!("; did you mean \"{}\"?", short(similar)));
                let name = short(name);
                return Err(IoError::file(path, format!("there is no boundary \"{name}\"{similar} ({all})")));
            }
        }
        let flag = |name: &str| {
            let is = |list: &[String]| list.iter().any(|own| own == name);
            let known = |list: &[&str]| list.iter().any(|own| plain(own) == plain(name));
            match () {
                () if is(&self.wall) => Ok(WALL),
                () if is(&self.far_field) => Ok(FAR_FIELD),
                () if known(&WALLS) => Ok(WALL),
                () if known(&FAR_FIELDS) => Ok(FAR_FIELD),
                () => Err(IoError::file(
                    path,
                    format!(
                        "the boundary \"{}\" is neither a wall nor far field by its name; add it to boundaries.wall or \
                         boundaries.far_field (cfd mesh: --wall, --far-field; {all})",
                        short(name)
                    ),
                )),
            }
        };
        let of_group = |group: &Vec<String>| {
            let flags = group.iter().map(|name| flag(name)).collect::<Result<Vec<i32>, IoError>>()?;
            let (first, rest) = flags.split_first().expect("a group has a name");
            match rest.iter().position(|other| other != first) {
                None => Ok(*first),
                Some(k) => Err(IoError::file(
                    path,
                    format!(
                        "an edge is on two boundaries, \"{}\" and \"{}\", of which one is a wall and one far field; both \
                         must be the same",
                        short(&group[0]),
                        short(&group[k + 1])
                    ),
                )),
            }
        };
        groups.iter().map(of_group).collect()
    }
}

/// A name without what may differ: case, blanks and strokes.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !['_', '-', ' '].contains(c)).flat_map(char::to_lowercase).collect()
}

/// The name most like one that there is not.
fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let likeness = |other: &str| strsim::normalized_damerau_levenshtein(&plain(other), &plain(name));
    let scored = names.iter().map(|other| (likeness(other), *other)).filter(|(score, _)| *score > 0.5);
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{}\"", short(name))).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(names: &[&[&str]]) -> Vec<Vec<String>> {
        names.iter().map(|group| group.iter().map(|name| name.to_string()).collect()).collect()
    }

    fn flags(wall: &[&str], far_field: &[&str], names: &[&[&str]]) -> Result<Vec<i32>, String> {
        let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let boundaries = Boundaries { wall: list(wall), far_field: list(far_field) };
        boundaries.of_groups(Path::new("a.msh"), &groups(names)).map_err(|error| error.to_string())
    }

    #[test]
    fn known_names_need_no_configuration_and_given_names_go_before() {
        assert_eq!(
            flags(&[], &[], &[&["Airfoil"], &["FARFIELD"], &["far-field"], &["flap"]]),
            Ok(vec![1, 2, 2, 1])
        );
        assert_eq!(flags(&["outer"], &["7"], &[&["outer"], &["7"], &["wall"]]), Ok(vec![1, 2, 1]));
        assert_eq!(flags(&[], &[], &[&["wall", "body"]]), Ok(vec![1]));
    }

    #[test]
    fn names_that_do_not_fit_are_refused_with_those_there_are() {
        for (wall, far_field, names, words) in [
            (
                &["falp"][..],
                &[][..],
                &[&["flap"][..], &["outer"]][..],
                "no boundary \"falp\"; did you mean \"flap\"? (the boundaries of this mesh are \"flap\", \"outer\")",
            ),
            (&["x"], &[], &[], "the mesh has no named boundary"),
            (
                &[],
                &[],
                &[&["wing"]],
                "\"wing\" is neither a wall nor far field by its name; add it to boundaries.wall",
            ),
            (&["a"], &["a"], &[&["a"]], "\"a\" is given both as a wall and as far field"),
            (&["a"], &["b"], &[&["a", "b"]], "an edge is on two boundaries, \"a\" and \"b\""),
        ] {
            let message = flags(wall, far_field, names).unwrap_err();
            assert!(message.starts_with("a.msh: ") && message.contains(words), "{message}");
        }
    }
}
