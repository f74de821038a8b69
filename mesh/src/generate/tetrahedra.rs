//! Meshes in space cut into tetrahedra.

use cfd_engine::comm::Comm;

use crate::{ElementKind, ElementMesh, ElementMeshBuilder, MeshError};

/// A mesh in space in which each element is cut into tetrahedra, six of a hexahedron, three of a prism, two of a pyramid, and
/// quadrilaterals of the boundary into triangles. Nodes and names stay. Collective.
///
/// Each face is cut from its first node in `order`, which is another value for every node, so that elements agree about the
/// faces between them. An element is cut from its own first node, to every triangle of the faces that this node is not part of
/// (J. Dompierre et al., How to subdivide pyramids, prisms and hexahedra into tetrahedra, 8th International Meshing
/// Roundtable, 1999). Where elements have an angle of nearly 180 degrees, the angle's node should come first: cut from
/// another one, one of the tetrahedra would have no volume.
///
/// # Errors
/// Those of a mesh of elements, such as a tetrahedron without volume.
pub fn cut_into_tetrahedra<K: Ord>(
    comm: &Comm,
    mesh: &ElementMesh,
    order: impl Fn(u64) -> K,
) -> Result<ElementMesh, MeshError> {
    let mut builder = ElementMeshBuilder::new(3);
    for dimension in [2, 3] {
        for (group, names) in mesh.groups.of_dimension(dimension) {
            names.iter().for_each(|name| builder.name_group(dimension, group, name));
        }
    }
    builder.add_nodes(mesh.x().iter().copied());
    for list in mesh.elements() {
        let rows = list.nodes.chunks_exact(list.kind.nodes()).zip(list.groups);
        for (nodes, &group) in rows {
            if list.kind.dimension() == 2 {
                builder.add_elements(ElementKind::Triangle, group, triangles(nodes, &order).flatten());
                continue;
            }
            let apex = *nodes.iter().min_by_key(|node| order(**node)).expect("an element has nodes");
            for face in list.kind.faces() {
                let face: Vec<u64> = face.iter().map(|&at| nodes[at]).collect();
                if !face.contains(&apex) {
                    let from = triangles(&face, &order).flat_map(|[a, b, c]| [apex, a, b, c]);
                    builder.add_elements(ElementKind::Tetrahedron, group, from);
                }
            }
        }
    }
    builder.build(comm)
}

/// The triangles of a face cut from its first node; they go around it as it does.
fn triangles<K: Ord>(face: &[u64], order: impl Fn(u64) -> K) -> impl Iterator<Item = [u64; 3]> {
    let n = face.len();
    let first = (0..n).min_by_key(|&at| order(face[at])).expect("a face has nodes");
    (1..n - 1).map(move |k| [0, k, k + 1].map(|step| face[(first + step) % n]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::element_box::{ElementBox, Filling};
    use crate::generate::hexahedra::{onera_m6, onera_m6_in_tetrahedra};
    use crate::survey::survey;
    use crate::whole::{same_bits, whole};

    #[test]
    fn every_kind_fills_the_same_space_with_faces_that_fit() {
        let comm = Comm::single();
        for filling in Filling::ALL.into_iter().filter(|filling| filling.dimension() == 3) {
            let whole_box = ElementBox { distortion: 0.2, ..ElementBox::unit(filling, [3, 4, 5]) };
            let mesh = whole_box.mesh(&comm).unwrap();
            // In any order.
            for prime in [1, 7, 101] {
                let cut = cut_into_tetrahedra(&comm, &mesh, |node| (node * prime % 103, node)).unwrap();
                let found = survey(&comm, &cut);
                assert!(found.faces.defects.is_empty(), "{filling:?}: {found:?}");
                assert!((found.total - 1.0).abs() < 1e-12, "{filling:?}: {}", found.total);
                assert!(found.measures.iter().all(|measure| measure.value > 0.0), "{filling:?}");
                let lists = cut.elements();
                let kinds: Vec<_> = lists.iter().filter(|list| list.rows > 0).map(|list| list.kind).collect();
                assert_eq!(kinds, [ElementKind::Tetrahedron, ElementKind::Triangle]);
                assert_eq!(cut.groups.of_dimension(2), mesh.groups.of_dimension(2));
            }
        }
    }

    #[test]
    fn a_wing_in_tetrahedra_has_the_volume_of_that_in_hexahedra_on_any_ranks() {
        let comm = Comm::single();
        let size = [17, 7, 9];
        let (hexahedra, cut) = (onera_m6(&comm, size).unwrap(), onera_m6_in_tetrahedra(&comm, size).unwrap());
        let [found, after] = [&hexahedra, &cut].map(|mesh| survey(&comm, mesh));
        assert!(found.faces.defects.is_empty() && after.faces.defects.is_empty(), "{found:?} {after:?}");
        assert_eq!(cut.mesh.count("tetrahedra"), 6 * 16 * 6 * 8);
        // Faces are curved on a grid as coarse as this.
        assert!((after.total / found.total - 1.0).abs() < 2e-2, "{} {}", after.total, found.total);
        assert!(after.measures[0].value > 0.0, "{:?}", after.measures);
        for ranks in [2, 3] {
            let parts = Comm::simulate(ranks, |comm| onera_m6_in_tetrahedra(&comm, size).unwrap().mesh);
            assert!(same_bits(&whole(parts), &cut.mesh), "{ranks} ranks");
        }
    }
}
