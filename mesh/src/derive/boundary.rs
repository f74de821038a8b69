//! Named boundaries of a mesh: which kinds there are, and which kind each boundary is.

use cfd_engine::given::short;

use super::periodic::{PERIODIC, Pair, Periodic};
use crate::{ElementMesh, MeshError};

/// A kind of boundary that a mesh's named boundaries can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundaryKind {
    /// Its name in configurations, words divided by `_`.
    pub name: &'static str,
    /// Its flag in the dat `bound`.
    pub flag: i32,
    /// Names of boundaries of this kind that need no configuration. Case does not matter, nor whether words are
    /// separated by `_`, `-`, a blank or nothing.
    pub known: &'static [&'static str],
    /// A description of the boundaries, in the plural.
    pub meaning: &'static str,
}

impl BoundaryKind {
    /// Its name in words.
    pub fn words(&self) -> String {
        self.name.replace('_', " ")
    }
}

/// Inviscid walls, and planes of symmetry.
pub const WALL: BoundaryKind = BoundaryKind {
    name: "wall",
    flag: 1,
    known: &[
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
    ],
    meaning: "inviscid walls",
};

/// The far field, with the free stream outside.
pub const FAR_FIELD: BoundaryKind = BoundaryKind {
    name: "far_field",
    flag: 2,
    known: &[
        "far_field",
        "outer",
        "free_stream",
        "inlet",
        "outlet",
        "inflow",
        "outflow",
        "inlets",
        "outlets",
    ],
    meaning: "boundaries with the free stream outside",
};

/// Boundaries of a case for which none of them means anything: it takes those of any names.
pub const ANY: BoundaryKind = BoundaryKind { name: "boundary", flag: 0, known: &[], meaning: "boundaries" };

/// The kinds that a mesh's named boundaries can be, and names that are unknown or mean something unusual.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundaries {
    /// The available kinds of boundaries; without any, every boundary is [`ANY`].
    pub kinds: &'static [BoundaryKind],
    /// Names of boundaries for the name of a kind.
    pub given: Vec<(String, Vec<String>)>,
    /// Periodic boundaries.
    pub pairs: Vec<Periodic>,
}

impl Default for Boundaries {
    /// Walls and the far field, known by their usual names.
    fn default() -> Boundaries {
        const USUAL: [BoundaryKind; 2] = [WALL, FAR_FIELD];
        Boundaries::new(&USUAL)
    }
}

/// The named boundaries of a mesh, by group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named {
    list: Vec<NamedBoundary>,
    pairs: Vec<Pair>,
}

/// A named boundary of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBoundary {
    /// The group of its boundary elements.
    pub group: i32,
    /// Its name; the first, if it has several.
    pub name: String,
    /// What it is.
    pub kind: &'static BoundaryKind,
}

impl Named {
    /// The boundaries of a mesh that has flags of kinds instead of groups with names.
    pub fn by_flag(kinds: &'static [BoundaryKind]) -> Named {
        let named =
            |kind: &'static BoundaryKind| NamedBoundary { group: kind.flag, name: kind.name.into(), kind };
        Named { list: kinds.iter().map(named).collect(), pairs: Vec::new() }
    }

    /// All of them, by group.
    pub fn iter(&self) -> impl Iterator<Item = &NamedBoundary> {
        self.list.iter()
    }

    /// The boundary of a group, if the group has a name.
    pub fn of_group(&self, group: i32) -> Option<&NamedBoundary> {
        self.list.iter().find(|boundary| boundary.group == group)
    }

    /// The pairs of periodic boundaries.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The flag of a group's kind; 0 for a group without a name.
    pub fn flag(&self, group: i32) -> i32 {
        self.of_group(group).map_or(0, |boundary| boundary.kind.flag)
    }
}

impl Boundaries {
    /// Boundaries of some kinds, known by their usual names.
    pub fn new(kinds: &'static [BoundaryKind]) -> Boundaries {
        Boundaries { kinds, given: Vec::new(), pairs: Vec::new() }
    }

    /// Adds names of boundaries of a kind; they take precedence over the known ones.
    pub fn give<S: Into<String>>(mut self, kind: &str, names: impl IntoIterator<Item = S>) -> Boundaries {
        self.given.push((kind.into(), names.into_iter().map(Into::into).collect()));
        self
    }

    /// Adds two periodic boundaries, which are of the kind [`PERIODIC`].
    pub fn pair(mut self, pair: Periodic) -> Boundaries {
        self = self.give(PERIODIC, pair.names.clone());
        self.pairs.push(pair);
        self
    }

    /// With the pairs of periodic boundaries that the mesh itself states, where neither of both has another condition.
    fn with_pairs_of(&self, mesh: &ElementMesh) -> Boundaries {
        if self.kinds.iter().all(|kind| kind.name != PERIODIC) {
            return self.clone();
        }
        let is_given = |name: &String| self.given.iter().any(|(_, names)| names.contains(name));
        let pairs = mesh.groups.periodic.iter().filter(|pair| !pair.names.iter().any(is_given));
        pairs.cloned().fold(self.clone(), Boundaries::pair)
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
    fn all_given(&self) -> Result<Vec<(&str, &'static BoundaryKind)>, MeshError> {
        let mut all = Vec::new();
        for (name, boundaries) in &self.given {
            let Some(kind) = self.kinds.iter().find(|kind| kind.name == name) else {
                let known = or(&self.names());
                let what = format!("there is no kind of boundary \"{}\"; use {known}", short(name));
                return Err(MeshError::Unsuitable(what));
            };
            all.extend(boundaries.iter().map(|boundary| (&boundary[..], kind)));
        }
        Ok(all)
    }

    /// The named boundaries of a mesh, each with its kind; the names of a group must agree. Pairs of periodic boundaries that
    /// the mesh states need not be given.
    ///
    /// # Errors
    /// Given names that the mesh lacks or that are given twice, names in the mesh that are neither given nor known, or
    /// two names of one group that disagree; with the names that there are.
    pub fn resolve(&self, mesh: &ElementMesh) -> Result<Named, MeshError> {
        self.with_pairs_of(mesh).resolve_given(mesh)
    }

    fn resolve_given(&self, mesh: &ElementMesh) -> Result<Named, MeshError> {
        let groups = mesh.groups.of_dimension(mesh.dimension() - 1);
        let mut names: Vec<&str> = groups.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        names.sort_unstable();
        names.dedup();
        let all = match names.is_empty() {
            true => "the mesh has no named boundary".to_string(),
            false => format!("the boundaries of this mesh are {}", quoted(&names)),
        };
        let given = self.all_given()?;
        check_given(&given, &names, &all)?;
        let kind = |name: &&str| {
            if self.kinds.is_empty() {
                return Some(&ANY);
            }
            let known = |kind: &&BoundaryKind| kind.known.iter().any(|own| plain(own) == plain(name));
            let named = given.iter().find(|(own, _)| own == name).map(|(_, kind)| *kind);
            named.or_else(|| self.kinds.iter().find(known))
        };
        let unknown: Vec<&str> = names.iter().copied().filter(|name| kind(name).is_none()).collect();
        if !unknown.is_empty() {
            return Err(self.unknown(&unknown, &all));
        }
        let of_group = |(group, names): &(i32, Vec<&str>)| {
            let kinds: Vec<&'static BoundaryKind> = names.iter().filter_map(kind).collect();
            match kinds.iter().position(|other| *other != kinds[0]) {
                None => Ok(NamedBoundary { group: *group, name: names[0].into(), kind: kinds[0] }),
                Some(k) => Err(MeshError::Unsuitable(format!(
                    "elements are on two boundaries, \"{}\" and \"{}\", one {} and one {}; both must be the same",
                    short(names[0]),
                    short(names[k]),
                    kinds[0].words(),
                    kinds[k].words(),
                ))),
            }
        };
        let list: Vec<NamedBoundary> = groups.iter().map(of_group).collect::<Result<_, MeshError>>()?;
        let pairs = self.resolve_pairs(&list, &groups)?;
        for Pair { given, .. } in &pairs {
            let refused = |what| format!("the periodic boundary \"{}\" {what}", short(&given.names[0]));
            given.motion.check(mesh.dimension()).map_err(refused).map_err(MeshError::Unsuitable)?;
        }
        Ok(Named { pairs, list })
    }

    /// The groups of each pair of periodic boundaries; every such boundary is in one pair.
    fn resolve_pairs(
        &self,
        list: &[NamedBoundary],
        groups: &[(i32, Vec<&str>)],
    ) -> Result<Vec<Pair>, MeshError> {
        let of_name = |name: &String| -> Vec<i32> {
            let has_name = |names: &[&str]| names.contains(&&name[..]);
            groups.iter().filter(|(_, names)| has_name(names)).map(|(group, _)| *group).collect()
        };
        let resolved =
            |given: &Periodic| Pair { given: given.clone(), groups: given.names.each_ref().map(of_name) };
        let pairs: Vec<Pair> = self.pairs.iter().map(resolved).collect();
        for boundary in list.iter().filter(|boundary| boundary.kind.name == PERIODIC) {
            let sides = pairs.iter().flat_map(|pair| &pair.groups);
            let what = match sides.filter(|groups| groups.contains(&boundary.group)).count() {
                0 => "has no partner; expected the name of the boundary at which it continues",
                1 => continue,
                _ => "is in more than one pair; expected each pair once, given for one of its two boundaries",
            };
            let name = short(&boundary.name);
            return Err(MeshError::Unsuitable(format!("the periodic boundary \"{name}\" {what}")));
        }
        Ok(pairs)
    }

    /// Boundaries of the mesh whose names imply no kind.
    fn unknown(&self, unknown: &[&str], all: &str) -> MeshError {
        let kinds: Vec<String> = self.kinds.iter().map(BoundaryKind::words).collect();
        let kinds = match &kinds[..] {
            [only] => format!("not {only}"),
            [first, second] => format!("neither {first} nor {second}"),
            _ => format!("none of {}", kinds.join(", ")),
        };
        let (boundary, is, its) = match unknown {
            [_] => ("boundary", "is", "its name"),
            _ => ("boundaries", "are", "their names"),
        };
        let what = format!("the {boundary} {} {is} {kinds} by {its} ({all})", quoted(unknown));
        MeshError::Boundary { what, kinds: self.names() }
    }
}

/// Refuses names that are given to two kinds, and names that the mesh lacks.
fn check_given(given: &[(&str, &BoundaryKind)], names: &[&str], all: &str) -> Result<(), MeshError> {
    for (k, (name, kind)) in given.iter().enumerate() {
        if let Some((_, other)) = given[..k].iter().find(|(other, of)| other == name && of != kind) {
            let (kind, other, name) = (other.words(), kind.words(), short(name));
            return Err(MeshError::Unsuitable(format!(
                "the boundary \"{name}\" is given both as {kind} and as {other}; keep one of them"
            )));
        }
    }
    let lacking: Vec<&str> =
        given.iter().map(|(name, _)| *name).filter(|name| !names.contains(name)).collect();
    match lacking[..] {
        [] => Ok(()),
        [name] => {
            let similar = nearest(name, names)
                .map_or(String::new(), |similar| format!("; did you mean \"{}\"?", short(similar)));
            let what = format!("there is no boundary \"{}\"{similar} ({all})", short(name));
            Err(MeshError::Unsuitable(what))
        }
        _ => Err(MeshError::Unsuitable(format!("there are no boundaries {} ({all})", quoted(&lacking)))),
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

/// Words with commas, and "or" before the last.
pub fn or(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ElementBlock, ElementKind, Groups};

    /// A triangle whose boundary has groups with these names, numbered from 1.
    fn mesh(names: &[&[&str]]) -> ElementMesh {
        let nodes = vec![0, 1, 2];
        let triangle = ElementBlock { kind: ElementKind::Triangle, rows: 1, nodes, groups: vec![1] };
        let mut groups = Groups::default();
        groups.add(2, 1, "gas");
        (1..).zip(names).for_each(|(id, names)| names.iter().for_each(|name| groups.add(1, id, name)));
        ElementMesh::from_blocks(2, 3, vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0], vec![triangle], groups)
    }

    /// The flag of each group.
    fn flags(boundaries: &Boundaries, names: &[&[&str]]) -> Result<Vec<i32>, String> {
        let named = boundaries.resolve(&mesh(names)).map_err(|error| error.to_string())?;
        Ok((1..).zip(names).map(|(id, _)| named.flag(id)).collect())
    }

    fn usual(wall: &[&'static str], far_field: &[&'static str]) -> Boundaries {
        Boundaries::default().give("wall", wall.to_vec()).give("far_field", far_field.to_vec())
    }

    #[test]
    fn known_names_need_no_configuration_and_given_names_go_before() {
        assert_eq!(
            flags(&usual(&[], &[]), &[&["Airfoil"], &["FARFIELD"], &["far-field"], &["flap"]]),
            Ok(vec![1, 2, 2, 1])
        );
        assert_eq!(flags(&usual(&["outer"], &["7"]), &[&["outer"], &["7"], &["wall"]]), Ok(vec![1, 2, 1]));
        assert_eq!(flags(&usual(&[], &[]), &[&["wall", "body"]]), Ok(vec![1]));
    }

    #[test]
    fn a_boundary_has_its_first_name_and_a_group_without_a_name_is_none() {
        let named = usual(&[], &[]).resolve(&mesh(&[&["outer"], &["wall", "body"]])).unwrap();
        let all: Vec<_> = named.iter().map(|of| (of.group, &of.name[..], of.kind)).collect();
        assert_eq!(all, [(1, "outer", &FAR_FIELD), (2, "wall", &WALL)]);
        assert_eq!((named.of_group(3), named.flag(3)), (None, 0));
        let by_flag = Named::by_flag(&[FAR_FIELD, WALL]);
        assert_eq!(by_flag.of_group(1).map(|of| (&of.name[..], of.kind)), Some(("wall", &WALL)));
        assert_eq!(by_flag.flag(2), 2);
    }

    #[test]
    fn names_that_do_not_fit_are_refused_with_those_there_are() {
        for (wall, far_field, names, words) in [
            (
                &["falp"][..],
                &[][..],
                &[&["flap"][..], &["outer"]][..],
                "there is no boundary \"falp\"; did you mean \"flap\"? (the boundaries of this mesh are \"flap\", \"outer\")",
            ),
            (
                &["x", "y"],
                &[],
                &[&["flap"]],
                "there are no boundaries \"x\", \"y\" (the boundaries of this mesh are \"flap\")",
            ),
            (&["x"], &[], &[], "there is no boundary \"x\" (the mesh has no named boundary)"),
            (
                &[],
                &[],
                &[&["wing"]],
                "the boundary \"wing\" is neither wall nor far field by its name (the boundaries of this mesh are \"wing\"); \
                 give it a kind, wall or far_field (Boundaries::give)",
            ),
            (
                &[],
                &[],
                &[&["wing"], &["wall"], &["tail"]],
                "the boundaries \"tail\", \"wing\" are neither wall nor far field by their names (the boundaries of this \
                 mesh are \"tail\", \"wall\", \"wing\"); give it a kind, wall or far_field",
            ),
            (
                &["a"],
                &["a"],
                &[&["a"]],
                "the boundary \"a\" is given both as wall and as far field; keep one of them",
            ),
            (
                &["a"],
                &["b"],
                &[&["a", "b"]],
                "elements are on two boundaries, \"a\" and \"b\", one wall and one far field; both must be the same",
            ),
        ] {
            let message = flags(&usual(wall, far_field), names).unwrap_err();
            assert!(message.starts_with(words), "{message}");
        }
    }

    #[test]
    fn other_kinds_have_their_own_flags_names_and_messages() {
        const KINDS: [BoundaryKind; 3] = [
            BoundaryKind { name: "hot_wall", flag: 3, known: &["hot"], meaning: "heated walls" },
            BoundaryKind { name: "cold_wall", flag: 4, known: &["cold"], meaning: "cooled walls" },
            FAR_FIELD,
        ];
        let boundaries = Boundaries::new(&KINDS);
        assert!(boundaries.is_empty() && boundaries.clone().give("hot_wall", [""; 0]).is_empty());
        assert_eq!(flags(&boundaries, &[&["HOT"], &["cold"], &["outer"]]), Ok(vec![3, 4, 2]));
        let given = boundaries.clone().give("cold_wall", ["hot"]);
        assert!(!given.is_empty());
        assert_eq!(flags(&given, &[&["hot"]]), Ok(vec![4]));
        let message = flags(&boundaries, &[&["wall"]]).unwrap_err();
        assert_eq!(
            message,
            "the boundary \"wall\" is none of hot wall, cold wall, far field by its name (the boundaries of this mesh are \
             \"wall\"); give it a kind, hot_wall, cold_wall or far_field (Boundaries::give)"
        );
        let message = flags(&boundaries.give("wall", ["hot"]), &[&["hot"]]).unwrap_err();
        assert_eq!(message, "there is no kind of boundary \"wall\"; use hot_wall, cold_wall or far_field");
    }
}
