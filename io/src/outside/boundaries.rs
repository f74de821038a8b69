//! Names of boundaries and their kinds.

use std::path::Path;

use cfd_engine::given::short;
use cfd_mesh::{BoundaryKind, FAR_FIELD, WALL};

use crate::IoError;
use crate::error::or;

/// The kinds that a mesh's named boundaries can be, and names that are unknown or mean something unusual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundaries {
    /// The available kinds of boundaries; their flags become the mesh's.
    pub kinds: &'static [BoundaryKind],
    /// Names of boundaries for the name of a kind.
    pub given: Vec<(String, Vec<String>)>,
}

impl Default for Boundaries {
    /// Walls and the far field, known by their usual names.
    fn default() -> Boundaries {
        const USUAL: [BoundaryKind; 2] = [WALL, FAR_FIELD];
        Boundaries::new(&USUAL)
    }
}

impl Boundaries {
    /// Boundaries of some kinds, known by their usual names.
    pub fn new(kinds: &'static [BoundaryKind]) -> Boundaries {
        Boundaries { kinds, given: Vec::new() }
    }

    /// Adds names of boundaries of a kind; they take precedence over the known ones.
    pub fn give<S: Into<String>>(mut self, kind: &str, names: impl IntoIterator<Item = S>) -> Boundaries {
        self.given.push((kind.into(), names.into_iter().map(Into::into).collect()));
        self
    }

    /// True when nothing is named.
    pub fn is_empty(&self) -> bool {
        self.given.iter().all(|(_, names)| names.is_empty())
    }

    /// The names of the kinds.
    fn names(&self) -> Vec<String> {
        self.kinds.iter().map(|kind| kind.name.to_string()).collect()
    }

    /// The given names, each with its kind.
    fn all_given(&self, path: &Path) -> Result<Vec<(&str, &'static BoundaryKind)>, IoError> {
        let mut all = Vec::new();
        for (name, boundaries) in &self.given {
            let Some(kind) = self.kinds.iter().find(|kind| kind.name == name) else {
                let known = or(&self.names());
                let what = format!("there is no kind of boundary \"{}\"; use {known}", short(name));
                return Err(IoError::file(path, what));
            };
            all.extend(boundaries.iter().map(|boundary| (&boundary[..], kind)));
        }
        Ok(all)
    }

    /// The flag of each group of boundary edges; a group's names must agree.
    ///
    /// # Errors
    /// A given name that the mesh lacks or that is given twice, a name in the mesh that is neither given nor known, or
    /// two names of one group that disagree.
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
        let given = self.all_given(path)?;
        let mut rest = &given[..];
        while let Some(((name, kind), others)) = rest.split_first() {
            if let Some((_, other)) =
                others.iter().find(|(other, other_kind)| other == name && other_kind != kind)
            {
                let (kind, other, name) = (kind.words(), other.words(), short(name));
                let what = format!(
                    "the boundary \"{name}\" is given both as {kind} and as {other}; keep one of them"
                );
                return Err(IoError::file(path, what));
            }
            rest = others;
        }
        for (name, _) in &given {
            if !names.contains(name) {
                let similar = nearest(name, &names)
                    .map_or(String::new(), |similar| format!("; did you mean \"{}\"?", short(similar)));
                let name = short(name);
                return Err(IoError::file(path, format!("there is no boundary \"{name}\"{similar} ({all})")));
            }
        }
        let kind = |name: &str| {
            let known = |kind: &&BoundaryKind| kind.known.iter().any(|own| plain(own) == plain(name));
            let named = given.iter().find(|(own, _)| *own == name).map(|(_, kind)| *kind);
            named.or_else(|| self.kinds.iter().find(known)).ok_or_else(|| self.unknown(path, name, &all))
        };
        let of_group = |group: &Vec<String>| {
            let kinds = group.iter().map(|name| kind(name)).collect::<Result<Vec<_>, IoError>>()?;
            let (first, rest) = kinds.split_first().expect("a group has a name");
            match rest.iter().position(|other| other != first) {
                None => Ok(first.flag),
                Some(k) => Err(IoError::file(
                    path,
                    format!(
                        "an edge is on two boundaries, \"{}\" and \"{}\", one {} and one {}; both must be the same",
                        short(&group[0]),
                        short(&group[k + 1]),
                        first.words(),
                        rest[k].words(),
                    ),
                )),
            }
        };
        groups.iter().map(of_group).collect()
    }

    /// A boundary of the mesh whose name implies no kind.
    fn unknown(&self, path: &Path, name: &str, all: &str) -> IoError {
        let kinds: Vec<String> = self.kinds.iter().map(BoundaryKind::words).collect();
        let kinds = match &kinds[..] {
            [only] => format!("not {only}"),
            [first, second] => format!("neither {first} nor {second}"),
            _ => format!("none of {}", kinds.join(", ")),
        };
        let what = format!("the boundary \"{}\" is {kinds} by its name ({all})", short(name));
        IoError::UnknownBoundary { path: path.display().to_string(), what, kinds: self.names() }
    }
}

/// A name without what may vary: case, blanks and dashes.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !['_', '-', ' '].contains(c)).flat_map(char::to_lowercase).collect()
}

/// The name most similar to an unknown one.
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

    fn flags(
        wall: &[&'static str],
        far_field: &[&'static str],
        names: &[&[&str]],
    ) -> Result<Vec<i32>, String> {
        let list = |names: &[&'static str]| names.to_vec();
        let boundaries = Boundaries::default().give("wall", list(wall)).give("far_field", list(far_field));
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
                "\"wing\" is neither wall nor far field by its name (the boundaries of this mesh are \"wing\"); give it a kind, wall or \
                 far_field (Boundaries::give)",
            ),
            (&["a"], &["a"], &[&["a"]], "\"a\" is given both as wall and as far field"),
            (
                &["a"],
                &["b"],
                &[&["a", "b"]],
                "an edge is on two boundaries, \"a\" and \"b\", one wall and one far field",
            ),
        ] {
            let message = flags(wall, far_field, names).unwrap_err();
            assert!(message.starts_with("a.msh: ") && message.contains(words), "{message}");
        }
    }

    #[test]
    fn other_kinds_have_their_own_flags_names_and_messages() {
        const KINDS: [BoundaryKind; 3] = [
            BoundaryKind { name: "hot_wall", flag: 3, known: &["hot"], meaning: "heated walls" },
            BoundaryKind { name: "cold_wall", flag: 4, known: &["cold"], meaning: "cooled walls" },
            FAR_FIELD,
        ];
        let flags = |boundaries: &Boundaries, names: &[&[&str]]| {
            boundaries.of_groups(Path::new("a.msh"), &groups(names)).map_err(|error| error.to_string())
        };
        let boundaries = Boundaries::new(&KINDS);
        assert!(boundaries.is_empty() && boundaries.clone().give("hot_wall", [""; 0]).is_empty());
        assert_eq!(flags(&boundaries, &[&["HOT"], &["cold"], &["outer"]]), Ok(vec![3, 4, 2]));
        let given = boundaries.clone().give("cold_wall", ["hot"]);
        assert!(!given.is_empty());
        assert_eq!(flags(&given, &[&["hot"]]), Ok(vec![4]));
        let message = flags(&boundaries, &[&["wall"]]).unwrap_err();
        assert_eq!(
            message,
            "a.msh: the boundary \"wall\" is none of hot wall, cold wall, far field by its name (the boundaries of this mesh \
             are \"wall\"); give it a kind, hot_wall, cold_wall or far_field (Boundaries::give)"
        );
        let message = flags(&boundaries.give("wall", ["hot"]), &[&["hot"]]).unwrap_err();
        assert!(
            message.contains("there is no kind of boundary \"wall\"; use hot_wall, cold_wall or far_field"),
            "{message}"
        );
    }
}
