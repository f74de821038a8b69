//! Meshes of elements from coordinates and nodes in memory.

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_engine::mesh::Blocks;

use super::{ElementBlock, ElementKind, ElementMesh, Group, Groups, orient};
use crate::MeshError;
use crate::blocks::blocks_of;

/// Collects nodes and elements, checks them and builds a mesh from them.
///
/// On several ranks, each adds its own part. In the mesh, rank 0's nodes come first, in the order in which they were
/// added, then rank 1's, and so on; likewise for elements of each kind. Nodes are numbered in this order, from 0, over
/// all ranks: the same rows, however divided among ranks, give the same mesh.
///
/// ```
/// use cfd_engine::comm::Comm;
/// use cfd_mesh::{ElementKind, ElementMeshBuilder};
///
/// # fn main() -> Result<(), cfd_mesh::MeshError> {
/// // A square and a triangle on top of it.
/// let mut builder = ElementMeshBuilder::new(2);
/// builder.name_group(1, 5, "wall");
/// builder.add_nodes([0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.5, 2.0]);
/// builder.add_elements(ElementKind::Quadrilateral, 0, [0, 1, 2, 3]);
/// builder.add_elements(ElementKind::Triangle, 0, [3, 2, 4]);
/// builder.add_elements(ElementKind::Line, 5, [0, 1, 1, 2, 2, 4, 4, 3, 3, 0]);
/// let mesh = builder.build(&Comm::single())?;
/// assert_eq!(mesh.mesh.sets[mesh.mesh.set("boundary_lines").unwrap()].rows, 5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ElementMeshBuilder {
    dimension: usize,
    x: Vec<f64>,
    /// Nodes and groups by kind, in the order of [`ElementKind::ALL`].
    elements: [(Vec<u64>, Vec<i32>); ElementKind::ALL.len()],
    groups: Groups,
    /// The first thing that was wrong on this rank.
    wrong: Option<String>,
}

impl ElementMeshBuilder {
    /// A mesh in 2 dimensions (triangles, quadrilaterals; lines on the boundary) or 3 (tetrahedra, pyramids, prisms, hexahedra;
    /// triangles and quadrilaterals on the boundary).
    pub fn new(dimension: usize) -> ElementMeshBuilder {
        let wrong = (!matches!(dimension, 2 | 3))
            .then(|| format!("a mesh of {dimension} dimensions; expected 2 or 3"));
        ElementMeshBuilder {
            dimension,
            x: Vec::new(),
            elements: Default::default(),
            groups: Groups::default(),
            wrong,
        }
    }

    /// Adds nodes: their coordinates, node by node.
    pub fn add_nodes(&mut self, x: impl IntoIterator<Item = f64>) {
        let before = self.x.len();
        self.x.extend(x);
        let values = self.x.len() - before;
        if !values.is_multiple_of(self.dimension.max(1)) {
            self.refuse(format!("{values} coordinates of nodes; expected {} of each", self.dimension));
        }
    }

    /// Adds elements of a kind to a group, or 0 for none: their nodes, element by element, in the order of
    /// [`ElementKind`].
    pub fn add_elements(&mut self, kind: ElementKind, group: i32, nodes: impl IntoIterator<Item = u64>) {
        let (known, groups) = &mut self.elements[kind as usize];
        let before = known.len();
        known.extend(nodes);
        let values = known.len() - before;
        groups.resize(known.len() / kind.nodes(), group);
        if !values.is_multiple_of(kind.nodes()) {
            self.refuse(format!("{values} nodes of {}; expected {} of each", kind.plural(), kind.nodes()));
        }
        if kind.dimension() != self.dimension && kind.dimension() + 1 != self.dimension {
            let what = format!(
                "{} in a mesh of {} dimensions; expected elements of the same dimension, or one less on its boundary",
                kind.plural(),
                self.dimension
            );
            self.refuse(what);
        }
    }

    /// Names a group of elements of a dimension; on one, some or all ranks.
    pub fn name_group(&mut self, dimension: usize, id: i32, name: &str) {
        if id == 0 {
            self.refuse(format!(
                "the name \"{}\" for group 0, which means no group; expected another number",
                short(name)
            ));
        }
        if !(1..=self.dimension).contains(&dimension) {
            let (name, most) = (short(name), self.dimension);
            self.refuse(format!(
                "the name \"{name}\" for a group of {dimension} dimensions; expected 1 to {most}"
            ));
        }
        self.groups.add(dimension, id, name);
    }

    fn refuse(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }

    /// The mesh. Elements that are inside out are reoriented, keeping their first node. Boundary elements stay
    /// unchanged. Collective.
    ///
    /// # Errors
    /// No nodes or no elements; the wrong number of coordinates or nodes; a coordinate that is not finite, a node that
    /// does not exist, a degenerate element, with its number among those of its kind. The same on every rank.
    pub fn build(self, comm: &Comm) -> Result<ElementMesh, MeshError> {
        let ElementMeshBuilder { dimension, x, elements, groups, wrong } = self;
        comm.agree(wrong.map_or(Ok(()), |what| Err(MeshError::Element(what))))?;
        let (nodes, x) = blocks_of(comm, dimension, &x);
        let node_blocks = Blocks::new(nodes, comm.size());
        comm.agree(finite(&x, dimension, node_blocks.range(comm.rank()).start))?;
        let mut blocks = Vec::new();
        for (kind, (corners, groups)) in ElementKind::ALL.into_iter().zip(elements) {
            let (rows, mut corners) = blocks_of(comm, kind.nodes(), &corners);
            let (_, groups) = blocks_of(comm, 1, &groups);
            if rows == 0 {
                continue;
            }
            let first = Blocks::new(rows, comm.size()).range(comm.rank()).start;
            comm.agree(known(kind, &corners, nodes, first))?;
            let oriented = orient(comm, dimension, node_blocks, &x, kind, &mut corners);
            comm.agree(oriented.map_err(|(place, what)| element(kind, first + place as u64, what)))?;
            blocks.push(ElementBlock { kind, rows, nodes: corners, groups });
        }
        let groups = all_names(comm, &groups);
        let mesh = ElementMesh::from_blocks(dimension, nodes, x, blocks, groups);
        ElementMesh::new(mesh.mesh, mesh.groups)?.with_groups_by_name(comm)
    }
}

fn element(kind: ElementKind, row: u64, what: String) -> MeshError {
    MeshError::Element(format!("{kind} {row}: {what}"))
}

fn finite(x: &[f64], dimension: usize, first: u64) -> Result<(), MeshError> {
    match x.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let node = first + (at / dimension) as u64;
            Err(MeshError::Element(format!(
                "node {node}: coordinate {} is {}; expected a finite number",
                at % dimension,
                x[at]
            )))
        }
    }
}

fn known(kind: ElementKind, corners: &[u64], nodes: u64, first: u64) -> Result<(), MeshError> {
    match corners.iter().position(|&node| node >= nodes) {
        None => Ok(()),
        Some(at) => {
            let allowed = match nodes {
                0 => "there are none".into(),
                _ => format!("expected one of the nodes 0 to {}", nodes - 1),
            };
            let what = format!("there is no node {}; {allowed}", corners[at]);
            Err(element(kind, first + (at / kind.nodes()) as u64, what))
        }
    }
}

/// The names that any rank has given. Collective.
fn all_names(comm: &Comm, own: &Groups) -> Groups {
    let mut all = Groups::default();
    for rank in 0..comm.size() {
        let names: Vec<Group> =
            comm.broadcast(rank, (rank == comm.rank()).then(|| own.iter().cloned().collect()));
        names.iter().for_each(|group| all.add(group.dimension, group.id, &group.name));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementKind::*;

    /// Two triangles and their boundary; each rank adds every row requested from it.
    fn add(builder: &mut ElementMeshBuilder, is_mine: impl Fn(usize) -> bool) {
        let x = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        (0..4).filter(|&k| is_mine(k)).for_each(|k| builder.add_nodes(x[k]));
        // The second runs clockwise.
        let triangles = [[0, 1, 2], [0, 3, 2]];
        (0..2).filter(|&k| is_mine(k)).for_each(|k| builder.add_elements(Triangle, 0, triangles[k]));
        let group = [5, 5, 7, 5];
        let lines = [[0, 1], [1, 2], [2, 3], [3, 0]];
        (0..4).filter(|&k| is_mine(k)).for_each(|k| builder.add_elements(Line, group[k], lines[k]));
    }

    fn build(
        ranks: usize,
        change: impl Fn(&mut ElementMeshBuilder, usize) + Sync,
    ) -> Vec<Result<ElementMesh, MeshError>> {
        Comm::simulate(ranks, |comm| {
            let mut builder = ElementMeshBuilder::new(2);
            let (rank, last) = (comm.rank(), comm.size() - 1);
            add(&mut builder, |k| k.min(last) == rank);
            builder.name_group(1, 5 + 2 * i32::from(rank == last), if rank == last { "top" } else { "wall" });
            change(&mut builder, rank);
            builder.build(&comm)
        })
    }

    #[test]
    fn rows_divided_among_ranks_are_one_mesh_and_elements_inside_out_are_turned() {
        for ranks in [1, 2, 3] {
            let meshes: Vec<ElementMesh> =
                build(ranks, |_, _| {}).into_iter().map(|mesh| mesh.unwrap()).collect();
            let joined = |map: &str| -> Vec<u64> {
                meshes
                    .iter()
                    .flat_map(|mesh| mesh.mesh.maps[mesh.mesh.map(map).unwrap()].rows.clone())
                    .collect()
            };
            assert_eq!(joined("triangle_nodes"), [0, 1, 2, 0, 2, 3]);
            assert_eq!(joined("boundary_line_nodes"), [0, 1, 1, 2, 2, 3, 3, 0]);
            let groups: Vec<i32> =
                meshes.iter().flat_map(|mesh| mesh.elements()[1].groups.to_vec()).collect();
            // In the order of their names: "top" and "wall", or "5" and "top".
            let (wall, top) = if ranks > 1 { (2, 1) } else { (1, 2) };
            assert_eq!(groups, [wall, wall, top, wall]);
            let x: Vec<f64> = meshes.iter().flat_map(|mesh| mesh.x().to_vec()).collect();
            assert_eq!(x, [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
            for mesh in &meshes {
                assert_eq!(mesh.groups, meshes[0].groups);
                assert_eq!(mesh.groups.ids(1, "top"), [top]);
                assert_eq!(mesh.groups.ids(1, if ranks > 1 { "wall" } else { "5" }), [wall]);
            }
        }
    }

    #[test]
    fn what_cannot_be_a_mesh_is_refused_with_its_place_on_every_rank() {
        type Change = fn(&mut ElementMeshBuilder);
        let wrong: [(Change, &str); 10] = [
            (|b| b.add_nodes([1.0, 2.0, 3.0]), "3 coordinates of nodes; expected 2 of each"),
            (|b| b.add_nodes([1.0, f64::NAN]), "node 4: coordinate 1 is NaN"),
            (|b| b.add_elements(Triangle, 0, [0, 1]), "2 nodes of triangles; expected 3 of each"),
            (
                |b| b.add_elements(Triangle, 0, [0, 1, 4]),
                "triangle 2: there is no node 4; expected one of the nodes 0 to 3",
            ),
            (
                |b| b.add_elements(Quadrilateral, 0, [0, 1, 2, 0]),
                "quadrilateral 0: degenerate quadrilateral: a node of it is",
            ),
            (
                |b| b.add_elements(Quadrilateral, 0, [0, 2, 1, 3]),
                "quadrilateral 0: degenerate quadrilateral: its area is 0",
            ),
            (|b| b.add_elements(Line, 0, [3, 3]), "line 4: degenerate line"),
            (|b| b.add_elements(Prism, 0, [0, 1, 2, 3, 4, 5]), "prisms in a mesh of 2 dimensions"),
            (|b| b.name_group(1, 0, "none"), "\"none\" for group 0"),
            (|b| b.name_group(3, 1, "gas"), "\"gas\" for a group of 3 dimensions; expected 1 to 2"),
        ];
        for (change, words) in wrong {
            for ranks in [1, 3] {
                for result in build(ranks, |builder, rank| {
                    if rank == ranks - 1 {
                        change(builder);
                    }
                }) {
                    let message = result.unwrap_err().to_string();
                    assert!(message.contains(words), "{ranks} ranks: {message}");
                }
            }
        }
        let empty = ElementMeshBuilder::new(3).build(&Comm::single()).unwrap_err().to_string();
        assert!(empty.contains("in 3 dimensions there are no elements"), "{empty}");
        let flat = ElementMeshBuilder::new(1).build(&Comm::single()).unwrap_err().to_string();
        assert_eq!(flat, "a mesh of 1 dimensions; expected 2 or 3");
    }
}
