//! Vertices, triangles and boundary facets: the form in which meshes are adapted.

mod check;
mod interfaces;
#[cfg(test)]
mod tests;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};

use super::primary::Primary;
use super::schema::{Content, Schema, Table};
use super::{Cells, Derived, Request};
use crate::{ElementBlock, ElementKind, ElementMesh, Groups, MeshError};

pub use self::interfaces::Interfaces;

/// The dat of the triangles' regions, which are their groups.
pub const REGION: &str = "region";

/// Triangles, whose vertices run counter-clockwise, and facets, each with the tag of its boundary: its group. Facets are the
/// sides of one triangle only, and lines that the mesh lists inside, in a region or between two. Triangles of several
/// regions have these, too.
pub static TRIANGLES: Derived = Derived {
    tag: "triangles",
    about: "triangles with boundary facets",
    dimensions: &[2],
    has_levels: false,
    cells: Cells {
        set: "elements",
        nodes: "vertices",
        corners: "element_vertices",
        ring: None,
        coordinates: "x",
    },
    schema: |_, _| schema(),
    primary: |_| Primary::located("vertices", "element_vertices"),
    derive,
    elements: Some(elements),
    check: check::check,
};

fn schema() -> Schema {
    let tables = vec![
        Table::map("element_vertices", "elements", "vertices", 3),
        Table::map("facet_vertices", "facets", "vertices", 2),
        Table::dat("x", "vertices", 2, Content::F64, "vertex_coordinates"),
        Table::dat("boundary", "facets", 1, Content::I32, "facet_boundary"),
    ];
    let region = Table::dat(REGION, "elements", 1, Content::I32, "element_region");
    Schema {
        optional: vec![region],
        ..Schema::new(["vertices", "elements", "facets"], &["vertices", "elements"], tables)
    }
}

fn derive(comm: &Comm, mesh: &ElementMesh, _request: &Request<'_>) -> Result<Mesh, MeshError> {
    let mut derived = Mesh::default();
    let vertices = derived.add_set("vertices", mesh.node_blocks(comm).rows);
    let lists = mesh.elements();
    if let Some(other) = lists.iter().find(|list| !list.boundary && list.kind != ElementKind::Triangle) {
        return Err(MeshError::Unsuitable(format!(
            "the mesh has {} {}; expected triangles only",
            other.rows,
            other.kind.plural()
        )));
    }
    let of = |boundary: bool| lists.iter().find(|list| list.boundary == boundary);
    let groups = |boundary: bool| of(boundary).map_or(Vec::new(), |list| list.groups.to_vec());
    let triangles = of(false).map_or(Vec::new(), |list| list.nodes.to_vec());
    let elements = derived.add_set("elements", of(false).map_or(0, |list| list.rows));
    let facets = derived.add_set("facets", of(true).map_or(0, |list| list.rows));
    let ends = of(true).map_or(Vec::new(), |list| list.nodes.to_vec());
    derived.add_map("element_vertices", elements, vertices, 3, triangles);
    derived.add_map("facet_vertices", facets, vertices, 2, ends);
    derived.add_dat("x", vertices, 2, Values::F64(mesh.x().to_vec()));
    derived.add_dat("boundary", facets, 1, Values::I32(groups(true)));
    if mesh.regions(comm).len() > 1 {
        derived.add_dat(REGION, elements, 1, Values::I32(groups(false)));
    }
    Ok(derived)
}

fn elements(_comm: &Comm, mesh: &Mesh) -> ElementMesh {
    let map = |name: &str| &mesh.maps[mesh.map(name).expect("it has its schema's maps")];
    let dat = |name: &str| &mesh.dats[mesh.dat(name).expect("it has its schema's dats")].values;
    let (Values::F64(x), Values::I32(tags)) = (dat("x"), dat("boundary")) else {
        panic!("types are checked")
    };
    let regions = mesh.dat(REGION).map(|dat| match &mesh.dats[dat].values {
        Values::I32(regions) => regions,
        Values::F64(_) => panic!("types are checked"),
    });
    let block = |kind: ElementKind, name: &str, groups: Option<&Vec<i32>>| {
        let map = map(name);
        let own = map.rows.len() / kind.nodes();
        let groups = groups.cloned().unwrap_or(vec![0; own]);
        ElementBlock { kind, rows: mesh.sets[map.from].rows, nodes: map.rows.clone(), groups }
    };
    let blocks = vec![
        block(ElementKind::Triangle, "element_vertices", regions),
        block(ElementKind::Line, "facet_vertices", Some(tags)),
    ];
    let vertices = mesh.sets[map("element_vertices").to].rows;
    ElementMesh::from_blocks(2, vertices, x.clone(), blocks, Groups::default())
}
