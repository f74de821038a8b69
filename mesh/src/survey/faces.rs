//! Faces that lie neither between two elements nor on a named boundary, and the nodes next to boundaries.

use std::collections::BTreeMap;

use cfd_engine::comm::Comm;

use super::shape::{cross, dot, length, subtract};
use crate::ElementMesh;
use crate::derive::faces::{Defect, Face, Met, Wrong, each, explain, ring};
use crate::derive::stars::Stars;

/// Faces of elements that fill the domain: sides of those in the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Faces {
    /// How many lie between two elements.
    pub interior: u64,
    /// How many belong to one element and to a named boundary.
    pub boundary: u64,
    /// What is wrong with others, by kind.
    pub defects: Vec<FaceDefect>,
}

/// A kind of defect.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceDefect {
    /// Its word: `unnamed`, `hanging`, `many`, `folded`, `inside`, `alone` or `twice`.
    pub kind: &'static str,
    /// What it is, of several faces.
    pub about: &'static str,
    /// How many faces have it.
    pub count: u64,
    /// The first, in words, with its element and coordinates.
    pub first: String,
    /// The middle of its nodes.
    pub at: [f64; 3],
}

/// The kinds of defects, each with its word and what it is.
const KINDS: [(&str, &str); 7] = [
    ("unnamed", "belong to one element and to no named boundary"),
    ("hanging", "lie on faces of other sizes on their other side: hanging nodes"),
    ("many", "belong to more than two elements"),
    ("folded", "have two elements on the same side"),
    ("inside", "of the boundary lie between two elements"),
    ("alone", "of the boundary are no faces of an element"),
    ("twice", "of the boundary are listed twice"),
];

/// The index of the kind that unnamed faces become where they hang.
const HANGING: usize = 1;

fn kind_of(wrong: Wrong) -> usize {
    match wrong {
        Wrong::Unnamed => 0,
        Wrong::Many(_) => 2,
        Wrong::Folded => 3,
        Wrong::Inside => 4,
        Wrong::Alone => 5,
        Wrong::Twice => 6,
    }
}

/// Counts faces; also gives, for each group of the boundary, the smallest and the largest distance of a node next to it.
/// Collective.
pub(super) fn survey(comm: &Comm, mesh: &ElementMesh) -> (Faces, BTreeMap<i32, [f64; 2]>) {
    let (stars, outer) = (Stars::new(comm, mesh, false), Stars::new(comm, mesh, true));
    let (mut interior, mut boundary) = (0, 0);
    let mut found: Vec<(usize, Defect, Face)> = Vec::new();
    let mut spacings: BTreeMap<i32, [f64; 2]> = BTreeMap::new();
    each(&stars, &outer, |met| {
        match met {
            Met::Interior(_) => interior += 1,
            Met::Boundary(face, element) => {
                boundary += 1;
                let distance = spacing(&stars, face);
                let range = spacings.entry(outer.groups[element as usize]).or_insert([distance; 2]);
                *range = [range[0].min(distance), range[1].max(distance)];
            }
            Met::Wrong(defect, face) => found.push((kind_of(defect.wrong), defect, face)),
        }
        true
    });
    let hanging = hanging(comm, mesh, &stars, &found);
    found.iter_mut().zip(hanging).filter(|(_, hangs)| *hangs).for_each(|((kind, ..), _)| *kind = HANGING);
    let of_kind = |(kind, (word, about)): (usize, (&'static str, &'static str))| {
        let own: Vec<&Defect> =
            found.iter().filter(|(of, ..)| *of == kind).map(|(_, defect, _)| defect).collect();
        let count = comm.sum(own.len() as u64);
        if count == 0 {
            return None;
        }
        // The one of the first element, whose lowest node comes first.
        let first = own.into_iter().min_by_key(|defect| (defect.place, defect.nodes.clone()));
        let place = |defect: &Defect| vec![defect.place, defect.nodes[0]];
        let all = comm.all_gather(&first.map_or_else(Vec::new, place));
        let holders = (0..comm.size()).filter(|rank| !all[*rank].is_empty());
        let rank = holders.min_by_key(|rank| all[*rank].clone()).expect("a rank has it");
        let defect: Defect = comm.broadcast(rank, first.filter(|_| rank == comm.rank()).cloned());
        let at = [0, 1, 2].map(|axis| defect.middle[axis]);
        let first = explain(mesh, &defect).to_string();
        Some(FaceDefect { kind: word, about, count, first, at })
    };
    let defects = KINDS.into_iter().enumerate().filter_map(of_kind).collect();
    let faces = Faces { interior: comm.sum(interior), boundary: comm.sum(boundary), defects };
    (faces, all_spacings(comm, &spacings))
}

/// The smallest distance to a face of the nodes of its element that are not on it.
fn spacing(stars: &Stars, face: Face) -> f64 {
    let at = |id: u64| stars.position(stars.ids.binary_search(&id).expect("it is listed") as u32);
    let nodes: Vec<u64> = ring(stars, face).collect();
    let normal = normal(&nodes.iter().map(|&node| at(node)).collect::<Vec<_>>());
    let from = at(nodes[0]);
    let ids = stars.corners(face.element as usize).iter().map(|&corner| stars.ids[corner as usize]);
    let others = ids.filter(|id| !nodes.contains(id));
    others.map(|id| dot(subtract(at(id), from), normal).abs()).fold(f64::INFINITY, f64::min)
}

/// The outward unit normal of a face by its nodes around it; in the plane of a side, counter-clockwise.
fn normal(x: &[[f64; 3]]) -> [f64; 3] {
    let n = match x {
        [a, b] => cross(subtract(*b, *a), [0.0, 0.0, 1.0]),
        [a, b, c] => cross(subtract(*b, *a), subtract(*c, *a)),
        [a, b, c, d] => cross(subtract(*c, *a), subtract(*d, *b)),
        _ => unreachable!("faces have two to four nodes"),
    };
    let length = length(n);
    n.map(|n| n / length)
}

/// Which unnamed faces have another one on their other side that covers a part of them: at a node of both, their normals are
/// opposite, and they extend to the same side. Collective.
fn hanging(comm: &Comm, mesh: &ElementMesh, stars: &Stars, found: &[(usize, Defect, Face)]) -> Vec<bool> {
    /// How nearly normals are opposite.
    const OPPOSITE: f64 = 1e-6;
    // Index here, node, normal, direction from the node into the face.
    let blocks = mesh.node_blocks(comm);
    let mut send: Vec<Vec<[u64; 8]>> = vec![Vec::new(); comm.size()];
    for (index, (_, defect, face)) in found.iter().enumerate() {
        if defect.wrong != Wrong::Unnamed {
            continue;
        }
        let nodes: Vec<u64> = ring(stars, *face).collect();
        let at = |id: u64| stars.position(stars.ids.binary_search(&id).expect("it is listed") as u32);
        let x: Vec<[f64; 3]> = nodes.iter().map(|&node| at(node)).collect();
        let n = normal(&x);
        for (k, &node) in nodes.iter().enumerate() {
            let sides = [x[(k + 1) % x.len()], x[(k + x.len() - 1) % x.len()]].map(|end| {
                let side = subtract(end, x[k]);
                let length = length(side);
                side.map(|s| s / length)
            });
            let into = [0, 1, 2].map(|axis| 0.5 * (sides[0][axis] + sides[1][axis]));
            let mut row = [0; 8];
            (row[0], row[1]) = (index as u64, node);
            row[2..]
                .iter_mut()
                .zip(n.into_iter().chain(into))
                .for_each(|(word, value)| *word = value.to_bits());
            send[blocks.owner(node)].push(row);
        }
    }
    let received = comm.all_to_all(send);
    let mut all: Vec<(u64, usize, &[u64; 8])> = received
        .iter()
        .enumerate()
        .flat_map(|(rank, rows)| rows.iter().map(move |row| (row[1], rank, row)))
        .collect();
    all.sort_unstable();
    let vector = |row: &[u64; 8], from: usize| [0, 1, 2].map(|axis| f64::from_bits(row[from + axis]));
    let covers = |a: &[u64; 8], b: &[u64; 8]| {
        dot(vector(a, 2), vector(b, 2)) < OPPOSITE - 1.0 && dot(vector(a, 5), vector(b, 5)) > 0.0
    };
    let mut answer: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    for at_node in all.chunk_by(|a, b| a.0 == b.0) {
        for (k, (_, rank, row)) in at_node.iter().enumerate() {
            if at_node.iter().enumerate().any(|(other, (.., with))| other != k && covers(row, with)) {
                answer[*rank].push(row[0]);
            }
        }
    }
    let mut hangs = vec![false; found.len()];
    comm.all_to_all(answer).concat().into_iter().for_each(|index| hangs[index as usize] = true);
    hangs
}

/// The ranges of all ranks. Collective.
fn all_spacings(comm: &Comm, own: &BTreeMap<i32, [f64; 2]>) -> BTreeMap<i32, [f64; 2]> {
    let words = |(group, range): (&i32, &[f64; 2])| {
        [u64::from(group.cast_unsigned()), range[0].to_bits(), range[1].to_bits()]
    };
    let own: Vec<u64> = own.iter().flat_map(words).collect();
    let mut all: BTreeMap<i32, [f64; 2]> = BTreeMap::new();
    for words in comm.all_gather(&own).concat().as_chunks::<3>().0 {
        let [low, high] = [f64::from_bits(words[1]), f64::from_bits(words[2])];
        let range = all.entry((words[0] as u32).cast_signed()).or_insert([low, high]);
        *range = [range[0].min(low), range[1].max(high)];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ElementKind::{Line, Quadrilateral, Triangle};
    use crate::ElementMeshBuilder;

    /// A square of side 2, to its right two of side 1, one above the other; `change` adds to it.
    fn of(ranks: usize, change: impl Fn(&mut ElementMeshBuilder) + Sync) -> Faces {
        let mut found = Comm::simulate(ranks, |comm| {
            let mut builder = ElementMeshBuilder::new(2);
            if comm.is_root() {
                builder.name_group(1, 1, "around");
                builder.add_nodes([0., 0., 2., 0., 2., 2., 0., 2., 2., 1., 3., 0., 3., 1., 3., 2.]);
                builder.add_elements(Quadrilateral, 0, [0, 1, 2, 3, 1, 5, 6, 4, 4, 6, 7, 2]);
                builder.add_elements(Line, 1, [0, 1, 2, 3, 3, 0, 1, 5, 5, 6, 6, 7, 7, 2]);
                change(&mut builder);
            }
            survey(&comm, &builder.build(&comm).unwrap()).0
        });
        assert!(found.iter().all(|other| *other == found[0]));
        found.swap_remove(0)
    }

    fn kinds(faces: &Faces) -> Vec<(&str, u64)> {
        faces.defects.iter().map(|defect| (defect.kind, defect.count)).collect()
    }

    #[test]
    fn hanging_nodes_are_told_from_boundaries_without_a_name() {
        for ranks in [1, 2, 4] {
            let faces = of(ranks, |_| {});
            assert_eq!((faces.interior, faces.boundary, kinds(&faces)), (1, 7, vec![("hanging", 3)]));
            assert!(faces.defects[0].first.contains("nodes 1, 2 of quadrilateral 0, at (2, 1)"), "{faces:?}");
            assert_eq!(faces.defects[0].at, [2.0, 1.0, 0.0]);
            // A cell apart from the others.
            let faces = of(ranks, |builder| {
                builder.add_nodes([5.0, 0.0, 6.0, 0.0, 5.0, 1.0]);
                builder.add_elements(Triangle, 0, [8, 9, 10]);
            });
            assert_eq!(kinds(&faces), [("unnamed", 3), ("hanging", 3)]);
        }
    }

    #[test]
    fn every_defect_is_counted_and_located() {
        for ranks in [1, 3] {
            let faces = of(ranks, |builder| {
                // On the side of nodes 4 and 6, above the cell that is there already.
                builder.add_nodes([2.5, 1.5]);
                builder.add_elements(Triangle, 0, [4, 6, 8]);
                builder.add_elements(Line, 1, [4, 8, 6, 8, 0, 1, 0, 2]);
            });
            assert_eq!(kinds(&faces), [("hanging", 3), ("many", 1), ("alone", 1), ("twice", 1)]);
            let first: Vec<&str> = faces.defects.iter().map(|defect| defect.first.as_str()).collect();
            assert!(first[1].contains("belongs to 3 elements"), "{first:?}");
            assert!(first[2].contains("boundary line 10 of nodes 0, 2, at (1, 1)"), "{first:?}");
            assert!(first[3].contains("has been listed before"), "{first:?}");
        }
    }
}
