//! Edges that are one: both of two periodic boundaries have those within them.
//!
//! Each has the part of the face on its own side. Fluxes through the parts are not that through the whole, so the first of the
//! edges gets the whole face, and the others none: a boundary leaves no trace in what is computed.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values, fetch_rows};

use super::copies::{NO_TURN, Turn, United, back, turned};
use crate::blocks::blocks_of;
use crate::derive::dual_levels::level::{padded, sorted_at_owners};

/// The set of edges that are another one.
pub const COPY_EDGES: &str = "copy_edges";
/// The map to their nodes.
pub const COPY_EDGE_NODES: &str = "copy_edge_nodes";
/// Edges are one if they differ by less than this share of their length; nodes usually match far more exactly.
const NEAR: f64 = 0.05;

/// Names of a mesh's sets and dats.
pub(crate) struct Names<'a> {
    /// Before those of sets and maps.
    pub(crate) prefix: &'a str,
    /// That of the area vectors of edges, whole.
    pub(crate) areas: &'a str,
    /// That of the moments of their faces, whole; a mesh may have none.
    pub(crate) moments: &'a str,
    /// That of how strongly diffusion couples their ends; a mesh may have none.
    pub(crate) couplings: &'a str,
}

/// The face of an edge: its area vector, its moments, 3 x 3, row by row, and how strongly diffusion couples the edge's ends
/// through it.
#[derive(Clone, Copy)]
struct Face {
    area: [f64; 3],
    moments: [f64; 9],
    coupling: f64,
}

/// Numbers of a face.
const NUMBERS: usize = 3 + 9 + 1;

/// A face that is none.
const NONE: Face = Face { area: [0.0; 3], moments: [0.0; 9], coupling: 0.0 };

impl Face {
    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.area.into_iter().chain(self.moments).chain([self.coupling])
    }

    /// With the numbers that `number` gives.
    fn of(number: impl Fn(usize) -> f64) -> Face {
        Face {
            area: std::array::from_fn(&number),
            moments: std::array::from_fn(|k| number(3 + k)),
            coupling: number(12),
        }
    }

    /// Turned, and the other way if `sign` is -1.
    fn turned(&self, turn: &Turn, sign: f64) -> Face {
        let row = |j: usize| turned(turn, std::array::from_fn(|i| self.moments[3 * j + i]));
        let rows: [[f64; 3]; 3] = std::array::from_fn(row);
        let column = |i: usize| turned(turn, std::array::from_fn(|j| rows[j][i]));
        let columns: [[f64; 3]; 3] = std::array::from_fn(column);
        Face {
            area: turned(turn, self.area).map(|component| sign * component),
            moments: std::array::from_fn(|at| sign * columns[at % 3][at / 3]),
            coupling: self.coupling,
        }
    }

    fn plus(&self, other: &Face) -> Face {
        Face {
            area: std::array::from_fn(|k| self.area[k] + other.area[k]),
            moments: std::array::from_fn(|k| self.moments[k] + other.moments[k]),
            coupling: self.coupling + other.coupling,
        }
    }

    /// Becomes that of a row.
    fn put(&self, mesh: &mut Mesh, names: &Names<'_>, row: usize) {
        let mut put = |name: &str, entry: &dyn Fn(usize, usize) -> f64| {
            let Some(dat) = mesh.dat(name) else { return };
            let dat = &mut mesh.dats[dat];
            let Values::F64(values) = &mut dat.values else { panic!("faces are of real numbers") };
            let own = &mut values[dat.dim * row..dat.dim * (row + 1)];
            own.iter_mut().enumerate().for_each(|(at, value)| *value = entry(dat.dim, at));
        };
        put(names.areas, &|_, at| self.area[at]);
        put(names.moments, &|dim, at| {
            let width = if dim == 4 { 2 } else { 3 };
            self.moments[3 * (at / width) + at % width]
        });
        put(names.couplings, &|_, _| self.coupling);
    }
}

/// An edge between nodes that are one with others, as it is seen at the lowest of those that one of its ends is.
#[derive(Clone, Copy)]
struct Seen {
    /// The lowest nodes, the lower first, from which it is seen.
    nodes: [u64; 2],
    id: u64,
    ends: [u64; 2],
    /// From there to the other node.
    d: [f64; 3],
    face: Face,
    /// From vectors there to the edge's own, and -1 if its own direction is the other one.
    turn: Turn,
    sign: f64,
}

/// Words of a record of an edge.
const WORDS: usize = 5 + 3 + NUMBERS + 9 + 1;

impl Seen {
    fn to_words(self) -> [u64; WORDS] {
        let Seen { nodes, id, ends, d, face, turn, sign } = self;
        let numbers = d.into_iter().chain(face.numbers()).chain(turn).chain([sign]).map(f64::to_bits);
        let words: Vec<u64> = nodes.into_iter().chain([id]).chain(ends).chain(numbers).collect();
        words.try_into().expect("a word for each number")
    }

    fn from_words(words: &[u64; WORDS]) -> Seen {
        let number = |at: usize| f64::from_bits(words[5 + at]);
        Seen {
            nodes: [words[0], words[1]],
            id: words[2],
            ends: [words[3], words[4]],
            d: std::array::from_fn(number),
            face: Face::of(|k| number(3 + k)),
            turn: std::array::from_fn(|k| number(3 + NUMBERS + k)),
            sign: number(3 + NUMBERS + 9),
        }
    }

    /// 1 if another edge between the same nodes is this one, -1 if it is in the other direction: one from a node to its copy
    /// begins at either.
    fn direction(&self, other: &Seen) -> Option<f64> {
        let square = |v: [f64; 3]| v.iter().map(|component| component * component).sum::<f64>();
        let is_near = |sign: f64| {
            square(std::array::from_fn(|k| self.d[k] - sign * other.d[k])) < NEAR * NEAR * square(self.d)
        };
        let is_loop = self.nodes[0] == self.nodes[1];
        [1.0, -1.0].into_iter().find(|&sign| (sign > 0.0 || is_loop) && is_near(sign))
    }
}

/// Adds the set [`COPY_EDGES`] to a mesh with edges between nodes, some of which are one: of edges that are one, all but the
/// first, which gets the faces of all. Collective.
pub(crate) fn add(comm: &Comm, united: &United, mesh: &mut Mesh, names: &Names<'_>) {
    let map = mesh.map(&format!("{}edge_nodes", names.prefix)).expect("edges come first");
    let (node_set, blocks) = (mesh.maps[map].to, mesh.blocks(mesh.maps[map].from, comm));
    let (mut copies, mut faces) = (Vec::new(), Vec::new());
    for edges in seen(comm, united, mesh, names).chunk_by(|a, b| a.nodes == b.nodes) {
        let mut firsts: Vec<(&Seen, Face)> = Vec::new();
        for edge in edges {
            let known = firsts.iter_mut().find_map(|(first, whole)| Some((first.direction(edge)?, whole)));
            match known {
                None => firsts.push((edge, edge.face)),
                Some((sign, whole)) => {
                    *whole = whole.plus(&edge.face.turned(&NO_TURN, sign));
                    copies.extend(edge.ends);
                    faces.push((edge.id, NONE));
                }
            }
        }
        if firsts.len() < edges.len() {
            faces.extend(
                firsts.iter().map(|(first, whole)| (first.id, whole.turned(&first.turn, first.sign))),
            );
        }
    }
    let mut send: Vec<Vec<[u64; 1 + NUMBERS]>> = vec![Vec::new(); comm.size()];
    for (id, face) in faces {
        let mut words = [id; 1 + NUMBERS];
        words[1..].iter_mut().zip(face.numbers()).for_each(|(word, number)| *word = number.to_bits());
        send[blocks.owner(id)].push(words);
    }
    let start = blocks.range(comm.rank()).start;
    for row in comm.all_to_all(send).concat() {
        let face = Face::of(|k| f64::from_bits(row[1 + k]));
        face.put(mesh, names, (row[0] - start) as usize);
    }
    let (count, nodes) = blocks_of(comm, 2, &copies);
    let set = mesh.add_set(&format!("{}{COPY_EDGES}", names.prefix), count);
    mesh.add_map(&format!("{}{COPY_EDGE_NODES}", names.prefix), set, node_set, 2, nodes);
}

/// The edges of which both ends are one with others, by the lowest of those and then by edge: those whose lower node is in this
/// rank's block. Collective.
fn seen(comm: &Comm, united: &United, mesh: &Mesh, names: &Names<'_>) -> Vec<Seen> {
    let map = &mesh.maps[mesh.map(&format!("{}edge_nodes", names.prefix)).expect("edges come first")];
    let (blocks, first) = (mesh.blocks(map.to, comm), mesh.blocks(map.from, comm).range(comm.rank()).start);
    let is_one = fetch_rows(comm, blocks, 1, &is_one(comm, blocks, united), &map.rows);
    let within = is_one.as_chunks::<2>().0.iter().enumerate();
    let within: Vec<usize> = within.filter(|(_, is_one)| **is_one == [1, 1]).map(|(row, _)| row).collect();
    let ends: Vec<u64> = within.iter().flat_map(|row| map.rows[2 * row..2 * row + 2].to_vec()).collect();
    let lowest = fetch_rows(comm, blocks, 1, &united.lowest, &ends);
    let turns = match comm.sum(united.turns.len() as u64) {
        0 => vec![NO_TURN; ends.len()],
        _ => fetch_rows(comm, blocks, 9, united.turns.as_flattened(), &ends).as_chunks::<9>().0.to_vec(),
    };
    let numbers = |name: &str| {
        let dat = &mesh.dats[mesh.dat(name)?];
        let Values::F64(values) = &dat.values else { panic!("{name} are real numbers") };
        Some((dat.dim, values))
    };
    let (dim, x) = numbers(&format!("{}x", names.prefix)).expect("nodes have coordinates");
    let x = fetch_rows(comm, blocks, dim, x, &ends);
    let (_, areas) = numbers(names.areas).expect("edges have faces");
    let (moments, couplings) = (numbers(names.moments), numbers(names.couplings));
    let edge = |(k, row): (usize, &usize)| {
        let [low, high, sign] = if lowest[2 * k] <= lowest[2 * k + 1] { [0, 1, 1] } else { [1, 0, -1] };
        let place = |end: usize| padded(&x[dim * (2 * k + end)..dim * (2 * k + end + 1)]);
        let (from, to) = (place(low as usize), place(high as usize));
        let [low, high] = [low, high].map(|end| 2 * k + end as usize);
        let moment = |at: usize| match moments {
            Some((_, moments)) if at / 3 < dim && at % 3 < dim => {
                moments[dim * (dim * row + at / 3) + at % 3]
            }
            _ => 0.0,
        };
        let (own, sign) = (back(&turns[low]), f64::from(sign));
        let face = Face {
            area: padded(&areas[dim * row..dim * (row + 1)]),
            moments: std::array::from_fn(moment),
            coupling: couplings.map_or(0.0, |(_, couplings)| couplings[*row]),
        };
        Seen {
            nodes: [lowest[low], lowest[high]],
            id: first + *row as u64,
            ends: [ends[2 * k], ends[2 * k + 1]],
            d: turned(&own, std::array::from_fn(|k| to[k] - from[k])),
            face: face.turned(&own, sign),
            turn: turns[low],
            sign,
        }
    };
    let records = within.iter().enumerate().map(edge).map(Seen::to_words);
    sorted_at_owners(comm, blocks, records).iter().map(Seen::from_words).collect()
}

/// For each node of this rank's block, 1 if it is one with others. Collective.
fn is_one(comm: &Comm, blocks: Blocks, united: &United) -> Vec<u8> {
    let own = blocks.range(comm.rank());
    let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
    let mut is_one = vec![0; united.lowest.len()];
    for (row, (node, lowest)) in own.clone().zip(&united.lowest).enumerate() {
        if node != *lowest {
            is_one[row] = 1;
            send[blocks.owner(*lowest)].push(*lowest);
        }
    }
    for node in comm.all_to_all(send).concat() {
        is_one[(node - own.start) as usize] = 1;
    }
    is_one
}
