//! Lines of nodes along strong couplings: the lines of line solvers, through boundary layers.
//!
//! ```text
//! chosen   each node, where its couplings differ much, chooses its strongest neighbours: two at most
//! mutual   an edge whose two ends have chosen each other is a link, so links form lines, and perhaps circles
//! opened   a circle loses its weakest link
//! ```
//!
//! All of it depends on the couplings and the nodes' rows alone, so lines are the same on any number of ranks. After Mavriplis,
//! "Multigrid strategies for viscous flow solvers on anisotropic unstructured meshes", J. Comput. Phys. 145 (1998), DOI
//! 10.1006/jcph.1998.6036, where lines grow one after the other from seeds; here all grow at the same time.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values, fetch_rows};

/// A neighbour that is chosen has at least this share of the strongest coupling.
const SHARE: f64 = 0.3;
/// A node chooses where its strongest coupling exceeds the weakest by this factor.
const ANISOTROPY: f64 = 4.0;
/// No node.
const NONE: u64 = u64::MAX;

/// The lines of this rank's block of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeLines {
    /// The number of lines, over all ranks: each node is on one, perhaps alone.
    pub count: u64,
    /// Each node's line. Lines are numbered in the order of their first nodes, which are the lower of both ends.
    pub line: Vec<u64>,
    /// The node before each; the node itself if it is the first.
    pub before: Vec<u64>,
    /// The node after each; the node itself if it is the last.
    pub after: Vec<u64>,
    /// Each node's place on its line, from 0.
    pub place: Vec<u64>,
    /// Nodes of its line.
    pub length: Vec<u64>,
}

/// Links of a block's nodes: the neighbours on both sides, and the couplings' bits; [`NONE`] where there is none.
#[derive(Clone, Debug, Default)]
struct Links {
    nodes: Vec<[u64; 2]>,
    strength: Vec<[u64; 2]>,
}

/// What lies ahead of a node on one side, as far as it has been looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ahead {
    /// The next link to follow, 2 node + side, or [`NONE`] at the end of the line.
    link: u64,
    /// The last node met.
    node: u64,
    /// Links followed.
    steps: u64,
    /// The weakest link met: its coupling's bits, its lower node, its higher node.
    weakest: [u64; 3],
}

impl NodeLines {
    /// The lines of nodes that are distributed in `blocks`. `edges` are some rank's ends of each edge, `couplings` their positive
    /// strengths, such as area / length. Collective.
    pub fn new(comm: &Comm, blocks: Blocks, edges: &[[u64; 2]], couplings: &[f64]) -> NodeLines {
        let mut links = Links::mutual(comm, blocks, &chosen(comm, blocks, edges, couplings));
        let mut ahead = links.ahead(comm, blocks);
        // The same answer on all ranks.
        if comm.max(u64::from(links.open(blocks.range(comm.rank()).start, &ahead))) == 1 {
            ahead = links.ahead(comm, blocks);
        }
        links.numbered(comm, blocks, &ahead)
    }
}

/// For each node of this rank's block, the neighbours that it chooses, with the couplings' bits. Collective.
fn chosen(comm: &Comm, blocks: Blocks, edges: &[[u64; 2]], couplings: &[f64]) -> Links {
    let own = blocks.range(comm.rank());
    let mut send: Vec<Vec<[u64; 3]>> = vec![Vec::new(); comm.size()];
    for (&[a, b], coupling) in edges.iter().zip(couplings) {
        let bits = coupling.to_bits();
        send[blocks.owner(a)].push([a, bits, b]);
        send[blocks.owner(b)].push([b, bits, a]);
    }
    let mut met = comm.all_to_all(send).concat();
    // The strongest first, of equal ones the lower neighbour; the bits of positive numbers are in their order.
    met.sort_unstable_by_key(|&[node, bits, other]| (node, std::cmp::Reverse(bits), other));
    let count = (own.end - own.start) as usize;
    let mut chosen = Links { nodes: vec![[NONE; 2]; count], strength: vec![[NONE; 2]; count] };
    for of_node in met.chunk_by(|a, b| a[0] == b[0]) {
        let at = (of_node[0][0] - own.start) as usize;
        let strength = |k: usize| f64::from_bits(of_node[k][1]);
        let (most, least) = (strength(0), strength(of_node.len() - 1));
        if most < ANISOTROPY * least {
            continue;
        }
        let strong = (0..of_node.len().min(2)).take_while(|&k| strength(k) >= SHARE * most);
        for k in strong {
            (chosen.nodes[at][k], chosen.strength[at][k]) = (of_node[k][2], of_node[k][1]);
        }
    }
    chosen
}

impl Links {
    /// The choices of both ends. Collective.
    fn mutual(comm: &Comm, blocks: Blocks, chosen: &Links) -> Links {
        let first = blocks.range(comm.rank()).start;
        let wanted: Vec<u64> = chosen.nodes.iter().flatten().copied().filter(|&node| node != NONE).collect();
        let mut of_others = fetch_rows(comm, blocks, 1, &chosen.nodes, &wanted).into_iter();
        let mut links = Links { nodes: Vec::new(), strength: Vec::new() };
        for (own, (nodes, strength)) in (first..).zip(chosen.nodes.iter().zip(&chosen.strength)) {
            let (mut to, mut by) = ([NONE; 2], [NONE; 2]);
            for k in (0..2).filter(|&k| nodes[k] != NONE) {
                let back = of_others.next().expect("the choices of each chosen node");
                if back.contains(&own) {
                    (to[k], by[k]) = (nodes[k], strength[k]);
                }
            }
            links.nodes.push(to);
            links.strength.push(by);
        }
        links
    }

    /// For each node of the block and each side, what lies there: the end of the line, or, on a circle, its weakest link. By
    /// doubling: what lies twice as far ahead is what lies ahead of what lies ahead. Collective.
    fn ahead(&self, comm: &Comm, blocks: Blocks) -> Vec<[Ahead; 2]> {
        let first = blocks.range(comm.rank()).start;
        let wanted: Vec<u64> = self.nodes.iter().flatten().copied().filter(|&node| node != NONE).collect();
        let mut of_others = fetch_rows(comm, blocks, 1, &self.nodes, &wanted).into_iter();
        let mut ahead: Vec<[Ahead; 2]> = Vec::new();
        for (own, (nodes, strength)) in (first..).zip(self.nodes.iter().zip(&self.strength)) {
            ahead.push(std::array::from_fn(|side| {
                let node = nodes[side];
                if node == NONE {
                    return Ahead { link: NONE, node: own, steps: 0, weakest: [NONE; 3] };
                }
                let back = of_others.next().expect("the links of each linked node");
                let on = usize::from(back[0] == own);
                let link = if back[on] == NONE { NONE } else { 2 * node + on as u64 };
                Ahead { link, node, steps: 1, weakest: [strength[side], own.min(node), own.max(node)] }
            }));
        }
        // A line has fewer links than there are nodes; what then is not at an end is on a circle.
        let rounds = u64::BITS - blocks.rows.leading_zeros();
        for _ in 0..rounds {
            let open: Vec<u64> =
                ahead.iter().flatten().map(|a| a.link).filter(|&link| link != NONE).collect();
            if comm.max(open.len() as u64) == 0 {
                break;
            }
            let words: Vec<[[u64; 6]; 2]> = ahead.iter().map(|sides| sides.map(Ahead::words)).collect();
            let nodes: Vec<u64> = open.iter().map(|link| link / 2).collect();
            let mut further = fetch_rows(comm, blocks, 1, &words, &nodes).into_iter();
            for here in ahead.iter_mut().flatten().filter(|here| here.link != NONE) {
                let there = further.next().expect("what lies ahead of each open link");
                *here = here.then(Ahead::of_words(there[(here.link % 2) as usize]));
            }
        }
        ahead
    }

    /// Removes the weakest link of every circle; whether there was one.
    fn open(&mut self, first: u64, ahead: &[[Ahead; 2]]) -> bool {
        let mut found = false;
        for (own, (k, sides)) in (first..).zip(ahead.iter().enumerate()) {
            for side in (0..2).filter(|&side| sides[side].link != NONE) {
                found = true;
                let node = self.nodes[k][side];
                if sides[side].weakest == [self.strength[k][side], own.min(node), own.max(node)] {
                    (self.nodes[k][side], self.strength[k][side]) = (NONE, NONE);
                }
            }
        }
        found
    }

    /// The lines, from the lower of both ends. Collective.
    fn numbered(&self, comm: &Comm, blocks: Blocks, ahead: &[[Ahead; 2]]) -> NodeLines {
        let first = blocks.range(comm.rank()).start;
        let count = ahead.len();
        let empty = || Vec::with_capacity(count);
        let (mut before, mut after, mut place, mut length, mut heads) =
            (empty(), empty(), empty(), empty(), empty());
        for (own, (nodes, sides)) in (first..).zip(self.nodes.iter().zip(ahead)) {
            let back = usize::from(sides[1].node < sides[0].node);
            let node = |side: usize| if nodes[side] == NONE { own } else { nodes[side] };
            before.push(node(back));
            after.push(node(1 - back));
            place.push(sides[back].steps);
            length.push(sides[0].steps + sides[1].steps + 1);
            heads.push(sides[back].node);
        }
        let own_heads: Vec<bool> = place.iter().map(|&place| place == 0).collect();
        let own_count = own_heads.iter().filter(|&&is_head| is_head).count() as u64;
        let mut next = comm.exclusive_sum(own_count);
        let numbers: Vec<u64> = own_heads
            .iter()
            .map(|&is_head| {
                let number = next;
                next += u64::from(is_head);
                number
            })
            .collect();
        let line = fetch_rows(comm, blocks, 1, &numbers, &heads);
        NodeLines { count: comm.sum(own_count), line, before, after, place, length }
    }
}

impl Ahead {
    /// What lies ahead, then what lies ahead of that.
    fn then(self, next: Ahead) -> Ahead {
        Ahead {
            link: next.link,
            node: next.node,
            steps: self.steps + next.steps,
            weakest: self.weakest.min(next.weakest),
        }
    }

    fn words(self) -> [u64; 6] {
        let [strength, low, high] = self.weakest;
        [self.link, self.node, self.steps, strength, low, high]
    }

    fn of_words([link, node, steps, strength, low, high]: [u64; 6]) -> Ahead {
        Ahead { link, node, steps, weakest: [strength, low, high] }
    }
}

/// Names of what [`add_lines`] adds.
pub mod names {
    /// The set of lines.
    pub const LINES: &str = "lines";
    /// From each node to its line.
    pub const NODE_LINE: &str = "node_line";
    /// From each node to the one before it on its line, or to itself.
    pub const BEFORE: &str = "node_before";
    /// From each node to the one after it on its line, or to itself.
    pub const AFTER: &str = "node_after";
    /// From each edge to the lines of its ends: the graph of which lines are the nodes.
    pub const EDGE_LINES: &str = "edge_lines";
    /// The coordinates of the node in the middle of each line.
    pub const MIDDLE: &str = "line_middle";
}

/// Adds lines to a mesh of nodes with coordinates and edges, so that lines can be partitioned whole: the set of lines, the map to
/// it, the maps along lines, the graph of lines and a place for each ([`names`]). Collective.
///
/// # Panics
/// If the mesh has no such map or dat.
pub fn add_lines(comm: &Comm, mesh: &mut Mesh, edge_nodes: &str, coordinates: &str, couplings: &[f64]) {
    let edges = mesh.map(edge_nodes).expect("the mesh has edges");
    let (edge_set, nodes) = (mesh.maps[edges].from, mesh.maps[edges].to);
    let blocks = mesh.blocks(nodes, comm);
    let ends = mesh.maps[edges].rows.as_chunks::<2>().0.to_vec();
    let lines = NodeLines::new(comm, blocks, &ends, couplings);
    let x = &mesh.dats[mesh.dat(coordinates).expect("the mesh has coordinates")];
    let dim = x.dim;
    let Values::F64(x) = &x.values else { panic!("coordinates are numbers") };
    let middle = middles(comm, &lines, dim, x);
    let edge_lines = fetch_rows(comm, blocks, 1, &lines.line, ends.as_flattened());
    let set = mesh.add_set(names::LINES, lines.count);
    mesh.add_map(names::NODE_LINE, nodes, set, 1, lines.line);
    mesh.add_map(names::BEFORE, nodes, nodes, 1, lines.before);
    mesh.add_map(names::AFTER, nodes, nodes, 1, lines.after);
    mesh.add_map(names::EDGE_LINES, edge_set, set, 2, edge_lines);
    mesh.add_dat(names::MIDDLE, set, dim, Values::F64(middle));
}

/// The coordinates of the middle nodes, by line. Collective.
fn middles(comm: &Comm, lines: &NodeLines, dim: usize, x: &[f64]) -> Vec<f64> {
    let blocks = Blocks::new(lines.count, comm.size());
    let mut send: Vec<Vec<[u64; 4]>> = vec![Vec::new(); comm.size()];
    for (k, x) in x.chunks_exact(dim).enumerate() {
        if lines.place[k] == lines.length[k] / 2 {
            let mut row = [lines.line[k], 0, 0, 0];
            row[1..=dim].iter_mut().zip(x).for_each(|(word, x)| *word = x.to_bits());
            send[blocks.owner(lines.line[k])].push(row);
        }
    }
    let mut rows = comm.all_to_all(send).concat();
    rows.sort_unstable();
    rows.iter().flat_map(|row| row[1..=dim].iter().map(|&bits| f64::from_bits(bits))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of `n` columns of `m` nodes in a scrambled order, coupled strongly along the columns; the columns of the first half
    /// close to circles.
    fn grid(n: u64, m: u64) -> (u64, Vec<[u64; 2]>, Vec<f64>) {
        let rows = n * m;
        let scramble = |node: u64| node * 7 % rows;
        let node = |i: u64, j: u64| scramble(i * m + j);
        let (mut edges, mut couplings) = (Vec::new(), Vec::new());
        for i in 0..n {
            for j in 0..m {
                if j + 1 < m {
                    edges.push([node(i, j), node(i, j + 1)]);
                    couplings.push(100.0 + j as f64);
                } else if i < n / 2 {
                    edges.push([node(i, j), node(i, 0)]);
                    couplings.push(90.0);
                }
                if i + 1 < n {
                    edges.push([node(i, j), node(i + 1, j)]);
                    couplings.push(1.0);
                }
            }
        }
        (rows, edges, couplings)
    }

    /// The lines on so many ranks, which have the edges in turn.
    fn on(ranks: usize, (rows, edges, couplings): &(u64, Vec<[u64; 2]>, Vec<f64>)) -> NodeLines {
        let parts = Comm::simulate(ranks, |comm| {
            let own = |k: &usize| k % ranks == comm.rank();
            let ends: Vec<[u64; 2]> = (0..edges.len()).filter(own).map(|k| edges[k]).collect();
            let strengths: Vec<f64> = (0..edges.len()).filter(own).map(|k| couplings[k]).collect();
            NodeLines::new(&comm, Blocks::new(*rows, ranks), &ends, &strengths)
        });
        let mut all = NodeLines {
            count: parts[0].count,
            line: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            place: Vec::new(),
            length: Vec::new(),
        };
        for part in parts {
            assert_eq!(part.count, all.count);
            all.line.extend(part.line);
            all.before.extend(part.before);
            all.after.extend(part.after);
            all.place.extend(part.place);
            all.length.extend(part.length);
        }
        all
    }

    #[test]
    fn lines_follow_strong_couplings_and_circles_are_opened_on_any_ranks() {
        // 7 has no factor in common with 6 x 13.
        let grid = grid(6, 13);
        let lines = on(1, &grid);
        assert_eq!(lines, on(2, &grid));
        assert_eq!(lines, on(5, &grid));
        assert_eq!(lines.count, 6);
        assert!(lines.length.iter().all(|&length| length == 13));
        for node in 0..grid.0 as usize {
            let next = lines.after[node] as usize;
            if next != node {
                assert_eq!((lines.before[next], lines.line[next]), (node as u64, lines.line[node]));
                assert_eq!(lines.place[next], lines.place[node] + 1);
            } else {
                assert_eq!(lines.place[node], 12);
            }
            // Circles were opened at their weakest link, between both ends of a column.
            let in_column =
                |node: u64| (0..grid.0).position(|k| k * 7 % grid.0 == node).expect("a node") as u64 % 13;
            let place = in_column(node as u64);
            assert!(lines.place[node] == place || lines.place[node] == 12 - place);
        }
    }

    #[test]
    fn nodes_without_strong_couplings_are_alone() {
        let (rows, edges, couplings) = grid(5, 4);
        let even = couplings.iter().map(|coupling| 1.0 + coupling * 1e-3).collect();
        let lines = on(3, &(rows, edges, even));
        assert_eq!(lines.count, rows);
        assert!(
            lines.place.iter().all(|&place| place == 0) && lines.length.iter().all(|&length| length == 1)
        );
        assert_eq!(lines.line, (0..rows).collect::<Vec<_>>());
    }

    #[test]
    fn lines_of_a_mesh_have_a_graph_and_middles() {
        let (rows, edges, couplings) = grid(6, 13);
        for ranks in [1, 3] {
            let parts = Comm::simulate(ranks, |comm| {
                let mut mesh = Mesh::default();
                let nodes = mesh.add_set("nodes", rows);
                let edge_set = mesh.add_set("edges", edges.len() as u64);
                let own = Blocks::new(rows, ranks).range(comm.rank());
                let x = own.flat_map(|node| [node as f64, -(node as f64)]).collect();
                mesh.add_dat("x", nodes, 2, Values::F64(x));
                let own = Blocks::new(edges.len() as u64, ranks).range(comm.rank());
                let own = own.start as usize..own.end as usize;
                let ends = edges[own.clone()].as_flattened().to_vec();
                mesh.add_map("edge_nodes", edge_set, nodes, 2, ends);
                add_lines(&comm, &mut mesh, "edge_nodes", "x", &couplings[own]);
                let Values::F64(middle) = &mesh.dats[mesh.dat(names::MIDDLE).unwrap()].values else {
                    panic!("numbers")
                };
                (middle.clone(), mesh.maps[mesh.map(names::NODE_LINE).unwrap()].rows.clone())
            });
            let lines: Vec<u64> = parts.iter().flat_map(|part| part.1.iter().copied()).collect();
            let middles: Vec<f64> = parts.iter().flat_map(|part| part.0.iter().copied()).collect();
            assert_eq!(middles.len(), 12);
            for (line, x) in middles.chunks_exact(2).enumerate() {
                assert_eq!(x[1], -x[0]);
                assert_eq!(lines[x[0] as usize], line as u64);
            }
        }
    }
}
