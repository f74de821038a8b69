//! Grids of quadrilaterals cut into triangles.

use cfd_engine::comm::Comm;

use crate::{ElementKind, ElementMesh, ElementMeshBuilder, MeshError};

/// A mesh in the plane in which each quadrilateral is two triangles: they meet along the diagonal from its first corner, which
/// in a grid is the one with the lowest numbers of column and row. Nodes and boundaries stay. Collective.
///
/// # Errors
/// Those of a mesh of elements; a mesh of a grid has none.
pub fn cut_into_triangles(comm: &Comm, mesh: &ElementMesh) -> Result<ElementMesh, MeshError> {
    let mut builder = ElementMeshBuilder::new(2);
    for (group, names) in mesh.groups.of_dimension(1) {
        names.iter().for_each(|name| builder.name_group(1, group, name));
    }
    builder.add_nodes(mesh.x().iter().copied());
    for list in mesh.elements() {
        let rows = list.nodes.chunks_exact(list.kind.nodes()).zip(list.groups);
        for (nodes, &group) in rows {
            match *nodes {
                [a, b, c, d] => builder.add_elements(ElementKind::Triangle, group, [a, b, c, a, c, d]),
                _ => builder.add_elements(list.kind, group, nodes.iter().copied()),
            }
        }
    }
    builder.build(comm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::plane::flat_plate;
    use crate::whole::{same_bits, whole};

    #[test]
    fn a_grid_keeps_its_nodes_and_boundaries_and_has_two_triangles_for_each_cell() {
        let cut = |comm: &Comm| cut_into_triangles(comm, &flat_plate(comm, [35, 25]).unwrap()).unwrap();
        let comm = Comm::single();
        let (grid, triangles) = (flat_plate(&comm, [35, 25]).unwrap(), cut(&comm));
        assert_eq!(triangles.x(), grid.x());
        let lists = triangles.elements();
        let rows: Vec<_> =
            lists.iter().filter(|list| list.rows > 0).map(|list| (list.kind, list.rows)).collect();
        assert_eq!(rows, [(ElementKind::Triangle, 2 * 34 * 24), (ElementKind::Line, 2 * (34 + 24))]);
        assert_eq!(triangles.groups.of_dimension(1), grid.groups.of_dimension(1));
        for ranks in [2, 3] {
            let parts = Comm::simulate(ranks, |comm| cut(&comm).mesh);
            assert!(same_bits(&whole(parts), &triangles.mesh), "{ranks} ranks");
        }
    }
}
