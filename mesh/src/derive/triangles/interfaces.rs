//! Where triangles of different regions meet.

use cfd_engine::comm::Comm;

use crate::{ElementKind, ElementMesh};

/// The regions of a mesh of triangles, which are their groups, and the sides between two of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Interfaces {
    /// All regions, ascending.
    pub regions: Vec<i32>,
    /// Sides between two regions: vertices and regions, each in ascending order. Every side is on one rank.
    pub sides: Vec<([u64; 2], [i32; 2])>,
    /// The regions on both sides of each of this rank's lines that is such a side.
    pub lines: Vec<Option<[i32; 2]>>,
}

/// Marks a line among the rows that meet.
const LINE: u64 = u64::MAX;

impl Interfaces {
    /// `None` for triangles of one region. Collective.
    pub fn of(comm: &Comm, mesh: &ElementMesh) -> Option<Interfaces> {
        let lists = mesh.elements();
        let of = |kind: ElementKind| lists.iter().find(|list| list.kind == kind);
        let (triangles, lines) = (of(ElementKind::Triangle), of(ElementKind::Line));
        let own = triangles.map_or(&[][..], |list| list.groups);
        let regions = mesh.regions(comm);
        if regions.len() < 2 {
            return None;
        }
        let owners = mesh.node_blocks(comm);
        // Vertices; the triangle's region, or that it is a line; the row of a line.
        let mut send: Vec<Vec<[u64; 4]>> = vec![Vec::new(); comm.size()];
        let mut meet = |a: u64, b: u64, of: u64, row: u64| {
            send[owners.owner(a.min(b))].push([a.min(b), a.max(b), of, row])
        };
        let corners = triangles.map_or(&[][..], |list| list.nodes);
        for (corners, &region) in corners.as_chunks::<3>().0.iter().zip(own) {
            let at = regions.binary_search(&region).expect("it is one of them") as u64;
            (0..3).for_each(|k| meet(corners[k], corners[(k + 1) % 3], at, 0));
        }
        let ends = lines.map_or(&[][..], |list| list.nodes).as_chunks::<2>().0;
        (0..).zip(ends).for_each(|(row, ends)| meet(ends[0], ends[1], LINE, row));
        let mut met: Vec<([u64; 4], usize)> = Vec::new();
        for (rank, rows) in comm.all_to_all(send).into_iter().enumerate() {
            met.extend(rows.into_iter().map(|row| (row, rank)));
        }
        met.sort_unstable();
        let (mut sides, mut found) = (Vec::new(), vec![Vec::new(); comm.size()]);
        for same in met.chunk_by(|one, other| one.0[..2] == other.0[..2]) {
            let (triangles, lines) = same.split_at(same.partition_point(|one| one.0[2] != LINE));
            if let [([a, b, one, _], _), ([_, _, other, _], _)] = *triangles
                && one != other
            {
                sides.push(([a, b], [one, other].map(|at| regions[at as usize])));
                lines.iter().for_each(|&([.., row], rank)| found[rank].push([row, one, other]));
            }
        }
        let mut lines = vec![None; ends.len()];
        for [row, one, other] in comm.all_to_all(found).concat() {
            lines[row as usize] = Some([one, other].map(|at| regions[at as usize]));
        }
        Some(Interfaces { regions, sides, lines })
    }
}
