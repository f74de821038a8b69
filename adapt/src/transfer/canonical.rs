//! Fields in the canonical order of their mesh.

use cfd_engine::mesh::{Blocks, Values, rows_to_blocks};

use super::fields::Kind;
use super::read::bits_of;
use crate::geometry::{Geometry, Space};
use crate::mesh::Mesh;
use crate::mesh::canonical::{Canonical, names};

impl<const D: usize> Mesh<D>
where
    Space<D>: Geometry<D>,
{
    /// The mesh in canonical order with its fields, each as a dat of its name: vertex and nodal fields at vertices, mean
    /// values of cell fields at elements. Collective.
    pub fn canonical_with_fields(&self) -> Canonical {
        let mut canonical = self.canonical();
        let local = &self.local;
        let own: [Vec<u32>; 2] = [local.own_vertices().collect(), local.own_elements().collect()];
        let rows = [&canonical.vertex_rows, &canonical.element_rows];
        let numbers: [Vec<u64>; 2] =
            std::array::from_fn(|i| own[i].iter().map(|&n| rows[i][n as usize]).collect());
        for field in self.fields.iter() {
            let (kind, set) = match field.kind {
                Kind::Vertex | Kind::Node(_) => (0, names::VERTICES),
                Kind::Cell(..) => (1, names::ELEMENTS),
            };
            let mesh = &mut canonical.mesh;
            let set = mesh.sets.iter().position(|s| s.name == set).expect("a canonical mesh has these sets");
            let blocks = Blocks::new(mesh.sets[set].rows, self.comm.size());
            let bits = bits_of(local, &self.fields, field, &own[kind]);
            let bits = rows_to_blocks(&self.comm, &field.name, blocks, field.dim, &numbers[kind], &bits);
            let values = bits.into_iter().map(f64::from_bits).collect();
            mesh.add_dat(&field.name, set, field.dim, Values::F64(values));
        }
        canonical
    }
}
