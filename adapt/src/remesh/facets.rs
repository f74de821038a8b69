//! Facets on boundaries, between regions, and on lines that a mesh lists inside.

use std::collections::BTreeSet;

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementMesh, Elements, Interfaces};

use super::elements::unique;
use crate::mesh::{EMBEDDED, INTERFACE, Marks};

/// A line that the mesh lists.
struct Line {
    ends: [u64; 2],
    group: i32,
    /// The regions on both sides, if there are two.
    between: Option<[i32; 2]>,
}

/// This rank's lines that come back from an adaptation: all but those between regions whose group has no name but its
/// number, as another program may give all of them, unless they are marked.
pub(super) struct Listed {
    lines: Vec<Line>,
    /// The ends of those between regions, on all ranks, ascending.
    between: BTreeSet<[u64; 2]>,
}

impl Listed {
    /// Collective.
    pub fn of(
        comm: &Comm,
        mesh: &ElementMesh,
        lines: Option<&Elements<'_>>,
        interfaces: Option<&Interfaces>,
        marks: &Marks,
    ) -> Listed {
        let marked: BTreeSet<[u64; 2]> = marks.sides.iter().copied().collect();
        let has_name =
            |group: i32| mesh.groups.names(1, group).next().is_some_and(|name| name.parse::<i64>().is_err());
        let rows =
            lines.into_iter().flat_map(|lines| lines.nodes.as_chunks::<2>().0.iter().zip(lines.groups));
        let line = |(row, (&ends, &group)): (usize, (&[u64; 2], &i32))| {
            let between = interfaces.and_then(|interfaces| interfaces.lines[row]);
            Line { ends, group, between }
        };
        let is_kept = |line: &Line| {
            line.between.is_none() || has_name(line.group) || marked.contains(&in_order(line.ends))
        };
        let lines: Vec<Line> = rows.enumerate().map(line).filter(is_kept).collect();
        let own: Vec<[u64; 2]> =
            lines.iter().filter(|line| line.between.is_some()).map(|line| in_order(line.ends)).collect();
        Listed { lines, between: comm.all_gather(&own).concat().into_iter().collect() }
    }

    /// Groups of the lines that are not between regions.
    pub fn outer_groups(&self) -> Vec<i32> {
        self.lines.iter().filter(|line| line.between.is_none()).map(|line| line.group).collect()
    }
}

/// Facets and their tags, which count the boundaries, the interfaces without and with a name, and the sides of triangles that
/// stay.
pub(super) struct Facets {
    pub corners: Vec<u64>,
    pub tags: Vec<u16>,
    /// The regions of each interface without a name.
    pub pairs: Vec<[i32; 2]>,
    /// The group and the regions of each interface with a name.
    pub named: Vec<(i32, [i32; 2])>,
    /// Whether triangles that stay have sides that are nothing else.
    pub has_sides_of_triangles: bool,
}

impl Facets {
    /// With the groups of all ranks' lines that are not between regions. Collective.
    pub fn of(
        comm: &Comm,
        listed: &Listed,
        groups: &[i32],
        interfaces: Option<&Interfaces>,
        marks: &Marks,
    ) -> Facets {
        let sides = interfaces.map_or(&[][..], |interfaces| &interfaces.sides[..]);
        let sides: Vec<_> = sides.iter().filter(|(ends, _)| !listed.between.contains(ends)).collect();
        let pairs: Vec<[i32; 2]> = sides.iter().map(|(_, pair)| *pair).collect();
        let pairs = unique(comm.all_gather(&unique(pairs)).concat());
        let named = listed.lines.iter().filter_map(|line| line.between.map(|[a, b]| [line.group, a, b]));
        let named = unique(comm.all_gather(&unique(named.collect())).concat());
        let (of_pairs, of_named) = (groups.len() + 1, groups.len() + pairs.len() + 1);
        let mut facets = Facets {
            corners: Vec::new(),
            tags: Vec::new(),
            pairs,
            named: named.iter().map(|&[group, a, b]| (group, [a, b])).collect(),
            has_sides_of_triangles: false,
        };
        for Line { ends, group, between } in &listed.lines {
            let tag = match *between {
                None => groups.binary_search(group).expect("it is one of them") as u16 + 1,
                Some([a, b]) => {
                    let at = named.binary_search(&[*group, a, b]).expect("it is one of them");
                    INTERFACE | EMBEDDED | (of_named + at) as u16
                }
            };
            facets.add(*ends, tag);
        }
        for (ends, pair) in sides {
            let at = facets.pairs.binary_search(pair).expect("it is one of them");
            facets.add(*ends, INTERFACE | (of_pairs + at) as u16);
        }
        facets.add_sides_of_triangles(comm, marks, (of_named + named.len()) as u16);
        facets
    }

    fn add(&mut self, ends: [u64; 2], tag: u16) {
        self.corners.extend(ends);
        self.tags.push(tag);
    }

    /// Adds the sides of triangles that stay, unless they are there, on the first rank. Collective.
    fn add_sides_of_triangles(&mut self, comm: &Comm, marks: &Marks, tag: u16) {
        let of = |&[a, b, c]: &[u64; 3]| [[a, b], [b, c], [c, a]].map(in_order);
        let mut sides: BTreeSet<[u64; 2]> = marks.triangles.iter().flat_map(of).collect();
        let there = self.corners.as_chunks::<2>().0.iter().map(|&ends| in_order(ends));
        let there: Vec<[u64; 2]> = there.filter(|ends| sides.contains(ends)).collect();
        for ends in comm.all_gather(&there).concat() {
            sides.remove(&ends);
        }
        self.has_sides_of_triangles = !sides.is_empty();
        if comm.is_root() {
            sides.into_iter().for_each(|ends| self.add(ends, INTERFACE | tag));
        }
    }
}

fn in_order([a, b]: [u64; 2]) -> [u64; 2] {
    [a.min(b), a.max(b)]
}
