//! Coarse levels of a median dual for multigrid: agglomerates of its nodes, and where the edges go.
//!
//! ```text
//! node               to its agglomerate, a node of the next level
//! edge between two   to the coarse edge between them, in its direction or against it
//! edge inside one    to the agglomerate; nothing of it is left on coarse edges
//! boundary face      areas of one boundary at one agglomerate that point the same way add up to one face's
//! ```
//!
//! If it is asked for, a coarse level has the dats of the finest that fluxes need: places, volumes, areas of edges and boundary
//! faces. On periodic boundaries that are moved, all copies of a node are in one agglomerate, so coarse levels have no copies.
//! Where a boundary is turned into another one, the copies of a node have other vectors than it: each of the two boundaries has
//! agglomerates of its own, of its nodes alone. Those of the second are images of those of the first: coarse copies.
//!
//! Agglomerates are those of [`dual_levels`](super::dual_levels), functions of the mesh: levels are the same on any number of
//! ranks. A rank gets the agglomerate of its node with the lowest number.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh, Values, fetch_rows};

use super::Levels;
use super::boundary::Named;
use super::dual::faces;
use super::dual_levels::agglomerate::up_to;
use super::dual_levels::level::{DualLevel, sorted_at_owners};
use super::dual_levels::level_name;
use super::periodic::copies::{self, Joined, NO_TURN, Turn};

/// Names of what [`add_levels`] adds for one level, from 1, and of the finer level's sets that it starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// What all names of the level begin with.
    pub prefix: String,
    /// The level's set of nodes.
    pub nodes: String,
    /// Its set of edges.
    pub edges: String,
    /// From its edges to their two nodes.
    pub ends: String,
    /// Middles of its nodes' cells.
    pub x: String,
    /// Volumes of its nodes' cells.
    pub volume: String,
    /// Area vectors of its edges' faces.
    pub area: String,
    /// The sizes of these faces: where they are bent, vectors cancel, sizes do not.
    pub size: String,
    /// From each finer node to its agglomerate.
    pub of_nodes: String,
    /// From each finer edge to the coarse edge between the agglomerates of its ends, or to any, if they are the same.
    pub of_edges: String,
    /// From each finer edge to the agglomerate of its first end.
    pub of_firsts: String,
    /// Of each finer edge: 1 if the coarse edge has its direction, -1 if it has the opposite, 0 inside an agglomerate.
    pub direction: String,
}

impl Names {
    /// Of a level, from 1.
    pub fn of(level: usize) -> Names {
        let name = |name: &str| level_name(level, name);
        Names {
            prefix: name(""),
            nodes: name("nodes"),
            edges: name("edges"),
            ends: name("edge_nodes"),
            x: name("x"),
            volume: name("volume"),
            area: name("edge_area"),
            size: name("edge_size"),
            of_nodes: name("of_nodes"),
            of_edges: name("of_edges"),
            of_firsts: name("of_firsts"),
            direction: name("direction"),
        }
    }
}

/// Adds coarse levels to a mesh of [`DUAL`](super::dual::DUAL), each of about a tenth of the nodes of the one before; the number
/// of those added, which have at least one edge. For fluxes, boundary faces of its sets' kinds are in sets `levelL/KIND`, with
/// maps and dats as on the mesh itself. A mesh on which a boundary is turned into another one gets none here: how is known
/// where the mesh is made. Collective.
///
/// # Panics
/// If the mesh lacks a map or dat of such a mesh.
pub fn add_levels(comm: &Comm, mesh: &mut Mesh, boundaries: &Named, wanted: Levels) -> usize {
    let united = copies::united_of(comm, mesh, "");
    if united.as_ref().is_some_and(|united| comm.sum(united.turns.len() as u64) > 0) {
        return 0;
    }
    let periodic = united.map(|united| (Joined { lowest: united.lowest, sides: Vec::new() }, NO_TURN));
    add_levels_between(comm, mesh, boundaries, wanted, periodic)
}

/// The same; `periodic` has the nodes that are one, and the turn between two boundaries, if there is one. Fluxes do not turn, so
/// levels with a turn are for matrices alone. Collective.
pub(crate) fn add_levels_between(
    comm: &Comm,
    mesh: &mut Mesh,
    boundaries: &Named,
    wanted: Levels,
    periodic: Option<(Joined, Turn)>,
) -> usize {
    let mut finest_level = finest(mesh, boundaries);
    let mut turn = NO_TURN;
    if let Some((joined, of_pair)) = periodic {
        Joined { lowest: finest_level.lowest, sides: finest_level.sides } = joined;
        turn = of_pair;
        if wanted.have_fluxes && finest_level.is_turned(comm) {
            return 0;
        }
    }
    let (levels, ups) = up_to(comm, finest_level, wanted.number);
    let mut finer = ["nodes", "edges"].map(|name| mesh.set(name).expect("a dual has nodes and edges"));
    let length = |area: &[f64]| area.iter().map(|a| a * a).sum::<f64>().sqrt();
    let mut sizes: Vec<f64> = levels[0].edge_weights.chunks_exact(levels[0].dim).map(length).collect();
    let count = levels[1..].iter().take_while(|level| level.edges > 0).count();
    for (at, up) in (1..=count).zip(&ups) {
        let (names, fine, coarse) = (Names::of(at), &levels[at - 1], &levels[at]);
        let [nodes, edges] =
            [mesh.add_set(&names.nodes, coarse.nodes), mesh.add_set(&names.edges, coarse.edges)];
        let going = FinerEdges::new(comm, fine, up, coarse);
        if wanted.have_fluxes {
            sizes = going.sizes(comm, &sizes, coarse.edges);
        }
        mesh.add_map(&names.ends, edges, nodes, 2, coarse.edge_nodes.clone());
        mesh.add_map(&names.of_nodes, finer[0], nodes, 1, up.clone());
        mesh.add_map(&names.of_edges, finer[1], edges, 1, going.edges);
        mesh.add_map(&names.of_firsts, finer[1], nodes, 1, going.firsts);
        mesh.add_dat(&names.direction, finer[1], 1, Values::I32(going.directions));
        if let Some(united) = coarse.united(comm, turn) {
            copies::add(comm, &united, mesh, &names.prefix);
        }
        if wanted.have_fluxes {
            mesh.add_dat(&names.x, nodes, coarse.dim, Values::F64(coarse.x.clone()));
            mesh.add_dat(&names.volume, nodes, 1, Values::F64(coarse.volumes.clone()));
            mesh.add_dat(&names.area, edges, coarse.dim, Values::F64(coarse.edge_weights.clone()));
            mesh.add_dat(&names.size, edges, 1, Values::F64(sizes.clone()));
            faces::add_coarse(comm, mesh, at, coarse, nodes, boundaries);
        }
        finer = [nodes, edges];
    }
    count
}

/// A mesh's nodes, edges and boundary faces.
fn finest(mesh: &Mesh, boundaries: &Named) -> DualLevel {
    let rows = |name: &str| mesh.sets[mesh.set(name).expect("a dual has nodes and edges")].rows;
    let dat = |name: &str| {
        let dat = &mesh.dats[mesh.dat(name).expect("a dual has coordinates, volumes and areas")];
        let Values::F64(values) = &dat.values else { panic!("they are real numbers") };
        (dat.dim, values.clone())
    };
    let edge_nodes = &mesh.maps[mesh.map("edge_nodes").expect("a dual's edges have ends")].rows;
    let (dim, x) = dat("x");
    let mut finest = DualLevel {
        dim,
        nodes: rows("nodes"),
        x,
        volumes: dat("volume").1,
        edges: rows("edges"),
        edge_nodes: edge_nodes.clone(),
        edge_weights: dat("edge_area").1,
        ..DualLevel::default()
    };
    faces::gather(mesh, boundaries, &mut finest);
    finest
}

/// Where this rank's edges of a level go.
#[derive(Clone, Debug, PartialEq)]
struct FinerEdges {
    edges: Vec<u64>,
    firsts: Vec<u64>,
    directions: Vec<i32>,
}

impl FinerEdges {
    /// The sizes of the `coarse` edges' faces, the sums of those of the finer edges between agglomerates, in their order.
    /// Collective.
    fn sizes(&self, comm: &Comm, finer: &[f64], coarse: u64) -> Vec<f64> {
        let first = comm.exclusive_sum(self.edges.len() as u64);
        let blocks = Blocks::new(coarse, comm.size());
        let parts = (first..).zip(&self.edges).zip(&self.directions).zip(finer);
        let parts = parts.filter(|((_, direction), _)| **direction != 0);
        let parts = parts.map(|(((edge, &to), _), size)| [to, edge, size.to_bits()]);
        let own = blocks.range(comm.rank());
        let mut sizes = vec![0.0; (own.end - own.start) as usize];
        for [to, _, size] in sorted_at_owners(comm, blocks, parts) {
            sizes[(to - own.start) as usize] += f64::from_bits(size);
        }
        sizes
    }

    /// From the agglomerates of its nodes and the coarse level's edges. Collective.
    fn new(comm: &Comm, fine: &DualLevel, up: &[u64], coarse: &DualLevel) -> FinerEdges {
        let [nodes, edges] = [coarse.nodes, fine.edges].map(|rows| Blocks::new(rows, comm.size()));
        let parents = fetch_rows(comm, fine.node_blocks(comm), 1, up, &fine.edge_nodes);
        let parents = parents.as_chunks::<2>().0;

        // What an agglomerate's owner knows, and what it is asked: which edge leads from here to there.
        let first = comm.exclusive_sum(coarse.edge_nodes.len() as u64 / 2);
        let known = (first..)
            .zip(coarse.edge_nodes.as_chunks::<2>().0)
            .flat_map(|(edge, &[a, b])| [[a, b, edge], [b, a, edge]]);
        let known = sorted_at_owners(comm, nodes, known);
        let first = comm.exclusive_sum(parents.len() as u64);
        let asked = (first..).zip(parents).map(|(edge, &[a, b])| [a, b, edge]);
        let answers = sorted_at_owners(comm, nodes, asked).into_iter().map(|[a, b, edge]| {
            // Inside an agglomerate, its first edge, which is near; of one without edges, the first of all.
            let lowest = [a, if a == b { 0 } else { b }, 0];
            let to = known.partition_point(|known| *known < lowest);
            [edge, known.get(to).filter(|known| known[0] == a).map_or(0, |known| known[2])]
        });
        FinerEdges {
            edges: sorted_at_owners(comm, edges, answers).iter().map(|answer| answer[1]).collect(),
            firsts: parents.iter().map(|ends| ends[0]).collect(),
            // Coarse edges lead from the lower node to the higher.
            directions: parents.iter().map(|[a, b]| b.cmp(a) as i32).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::element_box::{ElementBox, Filling, SIDES};
    use crate::{
        Boundaries, BoundaryKind, DUAL, ElementKind, Given, Motion, PERIODIC, Periodic, Prepared,
        USUAL_TOLERANCE,
    };

    const WALLS: [BoundaryKind; 1] =
        [BoundaryKind { name: "wall", flag: 1, known: &SIDES, meaning: "all sides" }];

    /// Whole columns of a mesh, on all ranks.
    fn levels(ranks: usize, filling: Filling) -> (usize, Vec<(String, Vec<u64>)>) {
        let parts = Comm::simulate(ranks, |comm| {
            let mesh =
                ElementBox { distortion: 0.2, ..ElementBox::unit(filling, [12, 11, 9]) }.mesh(&comm).unwrap();
            let given = Given::Elements(mesh);
            let Prepared { mut mesh, boundaries, .. } =
                given.prepare(&comm, &[&DUAL], &Boundaries::new(&WALLS), 1).unwrap();
            let count = add_levels(&comm, &mut mesh, &boundaries, 4.into());
            let mut all: Vec<(String, Vec<u64>)> =
                mesh.maps.into_iter().map(|map| (map.name, map.rows)).collect();
            for dat in mesh.dats {
                let bits = match dat.values {
                    Values::I32(values) => values.iter().map(|&value| value as i64 as u64).collect(),
                    Values::F64(values) => values.iter().map(|value| value.to_bits()).collect(),
                };
                all.push((dat.name, bits));
            }
            (count, all)
        });
        let (count, mut whole) = parts[0].clone();
        for (_, part) in &parts[1..] {
            whole.iter_mut().zip(part).for_each(|(whole, part)| whole.1.extend(&part.1));
        }
        (count, whole)
    }

    #[test]
    fn edges_go_to_the_edges_between_their_agglomerates_on_any_ranks() {
        for filling in [Filling::MixedPlane, Filling::MixedSpace] {
            let (count, all) = levels(1, filling);
            assert_eq!((count, all.clone()), levels(3, filling), "{filling:?}");
            assert!(count >= 1, "{filling:?}");
            let rows = |name: &str| &all.iter().find(|(own, _)| own == name).expect("it is there").1;
            for level in 1..=count {
                let names = Names::of(level);
                let fine = if level == 1 { "edge_nodes".into() } else { Names::of(level - 1).ends };
                let (up, ends) = (rows(&names.of_nodes), rows(&names.ends));
                let (fine, direction) = (rows(&fine), rows(&names.direction));
                let mut inside = 0;
                for (k, ends_of) in fine.as_chunks::<2>().0.iter().enumerate() {
                    let [a, b] = ends_of.map(|node| up[node as usize]);
                    let to = rows(&names.of_edges)[k] as usize;
                    let [c, d] = [ends[2 * to], ends[2 * to + 1]];
                    assert_eq!(rows(&names.of_firsts)[k], a);
                    match direction[k] as i64 {
                        1 => assert_eq!([a, b], [c, d]),
                        -1 => assert_eq!([a, b], [d, c]),
                        _ => {
                            assert!(a == b && (a == c || a == d), "{k}: {a} {b} {c} {d}");
                            inside += 1;
                        }
                    }
                }
                assert!(inside > 0 && inside < direction.len());
            }
        }
    }

    /// Copies of a node are in its agglomerate; levels for matrices alone have nothing of fluxes.
    #[test]
    fn copies_of_a_node_are_in_one_agglomerate() {
        let pair = |low: usize| Periodic {
            names: [SIDES[low + 1].into(), SIDES[low].into()],
            motion: Motion::Translation(None),
            tolerance: USUAL_TOLERANCE,
        };
        const KINDS: &[BoundaryKind] =
            &[WALLS[0], BoundaryKind { name: PERIODIC, flag: 2, known: &[], meaning: "periodic boundaries" }];
        for ranks in [1, 3] {
            Comm::simulate(ranks, |comm| {
                let filling = Filling::Only(ElementKind::Tetrahedron);
                let mesh = ElementBox { distortion: 0.2, ..ElementBox::unit(filling, [9, 8, 7]) };
                let given = Given::Elements(mesh.mesh(&comm).unwrap());
                let others = [SIDES[4], SIDES[5]];
                let boundaries = Boundaries::new(KINDS).give("wall", others).pair(pair(0)).pair(pair(2));
                let levels = Levels { number: 3, have_fluxes: false };
                let Prepared { mesh, .. } = given.prepare(&comm, &[&DUAL], &boundaries, levels).unwrap();
                let names = Names::of(1);
                let up = &mesh.maps[mesh.map(&names.of_nodes).expect("a coarse level")];
                let copies = &mesh.maps[mesh.map("copy_nodes").unwrap()].rows;
                let agglomerates = fetch_rows(&comm, mesh.blocks(up.from, &comm), 1, &up.rows, copies);
                assert!(agglomerates.as_chunks::<2>().0.iter().all(|[node, copy]| node == copy));
                let begins = |name: &str| name.starts_with(&names.prefix);
                let dats: Vec<_> = mesh.dats.iter().filter(|dat| begins(&dat.name)).collect();
                assert!(dats.iter().all(|dat| dat.name == names.direction), "{ranks} ranks");
                assert_eq!(mesh.sets.iter().filter(|set| begins(&set.name)).count(), 2, "{ranks} ranks");
            });
        }
    }

    /// Area vectors around every agglomerate add up to nothing, with those of the boundary, whose areas are those of the mesh.
    #[test]
    fn agglomerates_are_closed() {
        for filling in [Filling::MixedPlane, Filling::MixedSpace] {
            let dim = filling.dimension();
            let (count, all) = levels(1, filling);
            let ids = |name: &str| &all.iter().find(|(own, _)| own == name).expect("it is there").1;
            let numbers = |name: &str| ids(name).iter().map(|&bits| f64::from_bits(bits)).collect::<Vec<_>>();
            let whole = |areas: &[f64]| areas.iter().map(|area| area.abs()).sum::<f64>();
            let of_mesh = whole(&numbers("wall_area"));
            for level in 1..=count {
                let names = Names::of(level);
                let [areas, sizes, of_walls] =
                    [&names.area, &names.size, &format!("{}wall_area", names.prefix)]
                        .map(|name| numbers(name));
                let mut sums = vec![0.0; dim * numbers(&names.volume).len()];
                let mut add = |node: u64, area: &[f64], sign: f64| {
                    let row = &mut sums[dim * node as usize..][..dim];
                    row.iter_mut().zip(area).for_each(|(sum, area)| *sum += sign * area);
                };
                let ends = ids(&names.ends).as_chunks::<2>().0;
                for ((&[a, b], area), size) in ends.iter().zip(areas.chunks_exact(dim)).zip(sizes) {
                    add(a, area, 1.0);
                    add(b, area, -1.0);
                    assert!(size > area.iter().map(|a| a * a).sum::<f64>().sqrt() * (1.0 - 1e-12));
                }
                let width = crate::derive::dual::face_nodes(dim);
                let nodes = ids(&format!("{}wall_nodes", names.prefix)).chunks_exact(width);
                for (nodes, area) in nodes.zip(of_walls.chunks_exact(dim)) {
                    assert!(nodes.iter().all(|node| *node == nodes[0]));
                    add(nodes[0], area, 1.0);
                }
                assert!(sums.iter().all(|sum| sum.abs() < 1e-12), "{filling:?}, level {level}: {sums:?}");
                // A box's sides point the ways that areas are put together by.
                assert!((whole(&of_walls) - of_mesh).abs() < 1e-9 * of_mesh, "{filling:?}, level {level}");
            }
        }
    }
}
