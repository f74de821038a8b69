//! The canonical order of every set: the order in which a sequential program visits its elements.
//!
//! The order is by ascending key, then global id. It depends only on the mesh, never on ranks, partitions or seeds.
//! Targets receive their increments in this order, so it fixes a run's bits.
//!
//! ```text
//! file     no keys: the order of the rows in the mesh file
//! hilbert  the key is the centroid's position on the Hilbert curve through the cube around all coordinates:
//!          neighbours in space are near in the order, however badly the file is numbered
//! cuthill-mckee   the key is the position in the reverse Cuthill-McKee order of the nodes: neighbours in the mesh
//! are near
//!          in the order
//! ```

use std::fmt;
use std::str::FromStr;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, MeshMap, MeshSet, fetch_rows};
use serde::{Deserialize, Serialize};

use crate::PartitionError;
use crate::centroid::centroids;
use crate::check::{block_rows, check_mesh};
use crate::curve::{AXIS_BITS, Cube};
use crate::cuthill_mckee::positions;
use crate::distinct::distinct;
use crate::numbering::Numbering;
use crate::partitioner::on_root::on_root;
use crate::primary::{Found, find_coordinates};

/// A canonical order by name: `file`, `hilbert` or `cuthill-mckee`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The order of the rows in the mesh file.
    #[default]
    File,
    /// Along a Hilbert curve through the elements' centroids.
    Hilbert,
    /// From neighbour to neighbour through the mesh.
    CuthillMckee,
}

impl FromStr for Order {
    type Err = PartitionError;

    fn from_str(name: &str) -> Result<Order, PartitionError> {
        match name {
            "file" => Ok(Order::File),
            "hilbert" => Ok(Order::Hilbert),
            "cuthill-mckee" => Ok(Order::CuthillMckee),
            _ => Err(PartitionError::UnknownOrder { name: name.into() }),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Order::File => "file",
            Order::Hilbert => "hilbert",
            Order::CuthillMckee => "cuthill-mckee",
        })
    }
}

/// The keys of the canonical order: `keys[set][i]` is that of row i of this rank's block. Collective.
///
/// The canonical order of a set is that of (key, global id). [`Order::File`] gives no keys: an empty vector for every
/// set. [`Order::Hilbert`] gives every row a key, the same on any number of ranks; `coordinates` is a double-precision
/// dat of dimension 2 or 3:
///
/// 1. The set with the coordinates: each element's own position on the curve, 32 bits per axis in two dimensions, 21 in
///    three.
/// 2. A set with a map to that set: the position of the mean of the element's nodes, added in map order, through
///    the first such map in the mesh's order.
/// 3. If there is one: a set with a map into a set that has keys takes the key of each element's first target, through
///    the first such map in the mesh's order. Repeat.
/// 4. Otherwise, the first map in the mesh's order from a set with keys to one without: each of its targets takes the
///    lowest key of the elements that refer to it (a coarse element, that of its first child on the curve), or the
///    highest possible key if there are none. Then step 3 again.
/// 5. Any other set: 0 for every row, hence the file's order.
///
/// [`Order::CuthillMckee`] has the same rules with other positions in the first two: in a set with the coordinates,
/// that in the reverse Cuthill-McKee order of the graph in which all targets of an element of any set with a map to
/// it are adjacent; and for an element of such a set, the lowest of its nodes'. Rank 0 holds the graph.
///
/// Maps of arity 0 lead nowhere. All positions are on one curve, so keys of different sets can be compared.
///
/// # Errors
/// A mesh that does not fit together, missing coordinates, or coordinates that are not finite; the same on every rank.
pub fn canonical_keys(
    comm: &Comm,
    mesh: &Mesh,
    order: Order,
    coordinates: &str,
) -> Result<Vec<Vec<u64>>, PartitionError> {
    match order {
        Order::File => Ok(vec![Vec::new(); mesh.sets.len()]),
        Order::Hilbert => {
            let coordinates = find_coordinates(mesh, coordinates)?;
            check_mesh(comm, mesh)?;
            let points = centroids(comm, mesh, None, coordinates)?;
            let cube = Cube::around(comm, &points);
            let of_elements =
                |nodes: usize| Ok(keys(&cube, &centroids(comm, mesh, Some(nodes), coordinates)?));
            all_keys(comm, mesh, mesh.dats[coordinates].set, keys(&cube, &points), of_elements)
        }
        Order::CuthillMckee => {
            let coordinates = find_coordinates(mesh, coordinates)?;
            check_mesh(comm, mesh)?;
            let located = mesh.dats[coordinates].set;
            let positions = cuthill_mckee_positions(comm, mesh, coordinates)?;
            let of_elements = |nodes: usize| Ok(lowest_of_targets(comm, mesh, &mesh.maps[nodes], &positions));
            all_keys(comm, mesh, located, positions.clone(), of_elements)
        }
    }
}

/// The positions of this rank's rows of the set with the coordinates in the reverse Cuthill-McKee order. Collective.
fn cuthill_mckee_positions(comm: &Comm, mesh: &Mesh, coordinates: usize) -> Result<Vec<u64>, PartitionError> {
    let set = mesh.dats[coordinates].set;
    let MeshSet { name, rows } = &mesh.sets[set];
    let not_ordered = |reason| PartitionError::NotOrdered { set: name.clone(), reason };
    if *rows > i32::MAX as u64 {
        return Err(not_ordered(format!("{rows} elements are more than one rank can hold")));
    }
    let graph = (0..mesh.maps.len()).filter(|&map| mesh.maps[map].to == set).collect();
    let found = Found { set, graph, nodes: None, coordinates, members: None, coarser: Vec::new() };
    on_root::<i32, u64>(comm, mesh, &found, |graph| Ok(positions(&graph))).map_err(not_ordered)
}

/// The lowest of the keys of each element's targets. Collective.
fn lowest_of_targets(comm: &Comm, mesh: &Mesh, map: &MeshMap, keys: &[u64]) -> Vec<u64> {
    let targets = distinct(&map.rows);
    let numbering = Numbering::new(&targets);
    let keys = fetch_rows(comm, mesh.blocks(map.to, comm), 1, keys, &targets);
    let lowest = |row: &[u64]| row.iter().map(|&target| keys[numbering.local(target) as usize]).min();
    map.rows.chunks_exact(map.arity).map(|row| lowest(row).expect("an arity above 0")).collect()
}

/// The keys of all sets from those of the one with the coordinates, and of each set with a map to it. Collective.
fn all_keys(
    comm: &Comm,
    mesh: &Mesh,
    located: usize,
    own: Vec<u64>,
    of_elements: impl Fn(usize) -> Result<Vec<u64>, PartitionError>,
) -> Result<Vec<Vec<u64>>, PartitionError> {
    let mut known: Vec<Option<Vec<u64>>> = vec![None; mesh.sets.len()];
    known[located] = Some(own);
    // The sets with keys are the same on all ranks, so all take the same branches.
    for (nodes, map) in mesh.maps.iter().enumerate() {
        if map.to == located && map.arity > 0 && known[map.from].is_none() {
            known[map.from] = Some(of_elements(nodes)?);
        }
    }
    let leads = |known: &[Option<Vec<u64>>], to: bool| {
        mesh.maps.iter().find(|m| known[m.from].is_some() != to && known[m.to].is_some() == to && m.arity > 0)
    };
    loop {
        if let Some(map) = leads(&known, true) {
            let first: Vec<u64> = map.rows.iter().step_by(map.arity).copied().collect();
            let targets = known[map.to].as_ref().expect("the target set has keys");
            known[map.from] = Some(fetch_rows(comm, mesh.blocks(map.to, comm), 1, targets, &first));
        } else if let Some(map) = leads(&known, false) {
            let sources = known[map.from].as_ref().expect("the source set has keys");
            known[map.to] = Some(lowest_of_sources(comm, mesh, map, sources));
        } else {
            break;
        }
    }
    let file_order = |set: usize| vec![0; block_rows(comm, mesh, set)];
    Ok(known.into_iter().enumerate().map(|(set, keys)| keys.unwrap_or_else(|| file_order(set))).collect())
}

/// For every target of a map, the lowest of its sources' keys. Collective.
fn lowest_of_sources(comm: &Comm, mesh: &Mesh, map: &MeshMap, keys: &[u64]) -> Vec<u64> {
    let blocks = mesh.blocks(map.to, comm);
    let targets = distinct(&map.rows);
    let numbering = Numbering::new(&targets);
    let mut lowest_here = vec![u64::MAX; targets.len()];
    for (row, &key) in map.rows.chunks_exact(map.arity).zip(keys) {
        for &target in row {
            let lowest = &mut lowest_here[numbering.local(target) as usize];
            *lowest = key.min(*lowest);
        }
    }
    let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
    for (target, key) in targets.into_iter().zip(lowest_here) {
        send[blocks.owner(target)].push([target, key]);
    }
    let start = blocks.range(comm.rank()).start;
    let mut lowest = vec![u64::MAX; block_rows(comm, mesh, map.to)];
    for [target, key] in comm.all_to_all(send).into_iter().flatten() {
        let own = &mut lowest[(target - start) as usize];
        *own = key.min(*own);
    }
    lowest
}

/// The positions of points on the Hilbert curve through the cube around all ranks' points, the same on any number of
/// ranks: `axes[a][i]` is coordinate a of point i; 2 or 3 coordinates, 32 or 21 bits of each. Collective.
pub fn curve_keys(comm: &Comm, axes: &[Vec<f64>]) -> Vec<u64> {
    keys(&Cube::around(comm, axes), axes)
}

/// The leading bits of the points' positions, as many per axis as fit in 64: positions on a coarser curve.
fn keys(cube: &Cube, axes: &[Vec<f64>]) -> Vec<u64> {
    let dim = axes.len() as u32;
    let bits_an_axis = (u64::BITS / dim).min(AXIS_BITS);
    let dropped = (AXIS_BITS - bits_an_axis) * dim;
    let leading = |position: u128| u64::try_from(position >> dropped).expect("at most 64 bits are left");
    cube.positions(axes).into_iter().map(leading).collect()
}
