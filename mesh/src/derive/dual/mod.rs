//! The median dual of a mesh of elements of any kinds, in two or three dimensions: what node-centered finite volumess compute
//! on.
//!
//! ```text
//! mod (here)   sets, maps and dats
//! faces        boundary faces, a set for each kind of condition
//! elements     back to the elements
//! check        what makes such a mesh usable
//! ```
//!
//! | set | its maps and dats |
//! | --- | --- |
//! | `nodes` | `x`, `volume`: of the dual cell |
//! | `edges` | `edge_nodes`, the lower first; `edge_area`: area vector of the face between their dual cells; `edge_coupling`: how strongly diffusion couples them, for simplices that of linear finite elements, otherwise A . d / \|d\|^2 |
//! | `lines` | nodes along strong couplings ([`lines`]): `node_line`, `node_before`, `node_after`; `edge_lines`, `line_middle`. They are what is partitioned, whole |
//! | `triangles`, `quadrilaterals`; `tetrahedra`, `pyramids`, `prisms`, `hexahedra` | `triangle_nodes`, ...; sets of the mesh's dimension, empty where it has none |
//! | `copies`, where boundaries are periodic | nodes that are another one: `copy_nodes`, that one and itself; `copy_turn`, if boundaries are turned: the matrix from vectors there to its own; each has its own part of the dual cell |
//! | `copy_edges`, where boundaries are periodic | edges that are another one, which has their faces, too: `copy_edge_nodes` |
//! | `periodic_faces`, where boundaries are periodic | the faces of their boundary elements, which lie within cells, for the way back to elements: `periodic_faces_nodes`, `periodic_faces_boundary` |
//! | `KIND`, for each kind of condition that a boundary has, but for periodic ones: `far_field`, ... | its boundary faces, one for each node of a boundary element: `KIND_nodes`, `KIND_area`, `KIND_middle`, `KIND_boundary` |
//!
//! **Linear-exact fluxes.** For a flux F that is linear in x, and with the outward area vectors A of a dual cell,
//!
//! ```text
//! sum over its edges (F(m) . A + dF_i/dx_j M_ji) + sum over its boundary faces F(y) . A  =  volume div F
//! ```
//!
//! m being the edge's middle and y that of the boundary face: the sum of the nodes of `KIND_nodes` times `KIND_middle`. In
//! a mesh of triangles or of tetrahedra alone the moments M of all edges of an inner node cancel, and other middles make
//! up for them at the boundary: there M is left out. Any other mesh has them in `edge_moments`. Sources: Nishikawa,
//! "Accuracy-preserving boundary flux quadrature for finite-volume discretization on unstructured grids", J. Comput. Phys.
//! 281 (2015), DOI 10.1016/j.jcp.2014.10.033; Diskin, Thomas, "Accuracy analysis for mixed-element finite-volume
//! discretization schemes", NIA Report 2007-08.

mod check;
mod elements;
pub(super) mod faces;
#[cfg(test)]
mod tests;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values, fetch_rows};

use super::coarse;
use super::dual_levels::dual::{Inner, inner};
use super::dual_levels::level::DualLevel;
use super::faces::Faces;
use super::lines;
use super::periodic::copies::{self, Matches};
use super::periodic::edges;
use super::primary::Primary;
use super::schema::{Content, Schema, Table};
use super::stars::Stars;
use super::{Cells, Derived, Request};
use crate::{ElementKind, ElementMesh, MeshError};

/// Nodes with dual cells, the edges between them, elements, and boundary faces by kind of condition.
pub static DUAL: Derived = Derived {
    tag: "dual",
    about: "dual cells of elements",
    dimensions: &[2, 3],
    has_levels: false,
    // Nodes hold the state; the edges between them are the only cells.
    cells: Cells { set: "edges", nodes: "nodes", corners: "edge_nodes", ring: None, coordinates: "x" },
    schema: |_, dimension| schema(dimension),
    primary: |_| Primary {
        set: lines::names::LINES.into(),
        graph: vec![lines::names::EDGE_LINES.into()],
        nodes: None,
        coordinates: lines::names::MIDDLE.into(),
        members: Some(lines::names::NODE_LINE.into()),
        coarser: Vec::new(),
    },
    derive,
    elements: Some(elements::elements),
    check: check::check,
};

/// The nodes of a boundary face in the plane and in space: its own, then the others of its boundary element around it.
pub const fn face_nodes(dimension: usize) -> usize {
    if dimension == 2 { 2 } else { 4 }
}

/// The kinds of elements that fill a mesh.
fn kinds(dimension: usize) -> impl Iterator<Item = ElementKind> {
    ElementKind::ALL.into_iter().filter(move |kind| kind.dimension() == dimension)
}

/// The name of the map from elements to their nodes.
fn corners(kind: ElementKind) -> String {
    format!("{}_nodes", kind.name())
}

/// The name of the dat of elements' groups, which meshes of several regions have.
fn group(kind: ElementKind) -> String {
    format!("{}_group", kind.name())
}

/// The sets and tables that every such mesh has.
fn schema(dimension: usize) -> Schema {
    let mut sets = vec!["nodes".to_string(), "edges".into(), lines::names::LINES.into()];
    let mut tables = vec![
        Table::map("edge_nodes", "edges", "nodes", 2),
        Table::coordinates(dimension),
        Table::dat("volume", "nodes", 1, Content::F64, "volume"),
        Table::dat("edge_area", "edges", dimension, Content::F64, "edge_area"),
        Table::dat("edge_coupling", "edges", 1, Content::F64, "edge_coupling"),
        Table::map(lines::names::NODE_LINE, "nodes", lines::names::LINES, 1),
        Table::map(lines::names::BEFORE, "nodes", "nodes", 1),
        Table::map(lines::names::AFTER, "nodes", "nodes", 1),
        Table::map(lines::names::EDGE_LINES, "edges", lines::names::LINES, 2),
        Table::dat(lines::names::MIDDLE, lines::names::LINES, dimension, Content::F64, lines::names::MIDDLE),
    ];
    for kind in kinds(dimension) {
        sets.push(kind.plural().into());
        tables.push(Table::map(&corners(kind), kind.plural(), "nodes", kind.nodes()));
    }
    Schema { sets, tables, needed: vec!["nodes".into()], optional: Vec::new() }
}

fn derive(comm: &Comm, mesh: &ElementMesh, request: &Request<'_>) -> Result<Mesh, MeshError> {
    let (stars, outer) = (Stars::new(comm, mesh, false), Stars::new(comm, mesh, true));
    let faces = Faces::new(comm, mesh, &stars, &outer)?;
    let Inner { level, moments, couplings } = inner(comm, mesh, &stars)?;
    let DualLevel { dim, nodes, x, volumes, edges, edge_nodes, edge_weights, .. } = level;

    let mut derived = Mesh::default();
    let node_set = derived.add_set("nodes", nodes);
    let edge_set = derived.add_set("edges", edges);
    derived.add_map("edge_nodes", edge_set, node_set, 2, edge_nodes);
    derived.add_dat("x", node_set, dim, Values::F64(x));
    derived.add_dat("volume", node_set, 1, Values::F64(volumes));
    derived.add_dat("edge_area", edge_set, dim, Values::F64(edge_weights));
    derived.add_dat("edge_coupling", edge_set, 1, Values::F64(couplings));
    let lists = mesh.elements();
    let has_regions = mesh.regions(comm).len() > 1;
    for kind in kinds(dim) {
        let list = lists.iter().find(|list| list.kind == kind);
        let set = derived.add_set(kind.plural(), list.map_or(0, |list| list.rows));
        let corners_of = list.map_or(Vec::new(), |list| list.nodes.to_vec());
        derived.add_map(&corners(kind), set, node_set, kind.nodes(), corners_of);
        if has_regions {
            let groups = list.map_or(Vec::new(), |list| list.groups.to_vec());
            derived.add_dat(&group(kind), set, 1, Values::I32(groups));
        }
    }
    let strengths = strengths(comm, &derived);
    lines::add_lines(comm, &mut derived, "edge_nodes", "x", &strengths);
    let is_simplex = |kind: ElementKind| kind.nodes() == dim + 1;
    let is_simplicial = lists.iter().all(|list| list.boundary || is_simplex(list.kind));
    if !is_simplicial {
        derived.add_dat("edge_moments", edge_set, dim * dim, Values::F64(moments));
    }
    let parts = super::dual_levels::dual::parts(&stars, &outer, &faces).collect();
    faces::add(comm, &mut derived, dim, parts, request.boundaries, is_simplicial);
    let pairs = request.boundaries.pairs();
    let matches = Matches::new(comm, mesh, pairs)?;
    if let Some(matches) = &matches {
        let united = matches.united(comm);
        copies::add(comm, &united, &mut derived, "");
        let names = edges::Names {
            prefix: "",
            areas: "edge_area",
            moments: "edge_moments",
            couplings: "edge_coupling",
        };
        edges::add(comm, &united, &mut derived, &names);
    }
    // Several turned pairs leave the mesh without coarse levels.
    if request.levels.number > 1
        && let Ok(turn) = super::dual_levels::turn(pairs)
    {
        let periodic = matches.map(|matches| (matches.joined(comm), turn));
        coarse::add_levels_between(comm, &mut derived, request.boundaries, request.levels, periodic);
    }
    Ok(derived)
}

/// By which lines follow edges: area / length, which no element's shape makes negative. Collective.
fn strengths(comm: &Comm, mesh: &Mesh) -> Vec<f64> {
    let map = &mesh.maps[mesh.map("edge_nodes").expect("it is there")];
    let dat = |name: &str| match &mesh.dats[mesh.dat(name).expect("it is there")].values {
        Values::F64(values) => values,
        Values::I32(_) => unreachable!("it holds real numbers"),
    };
    let (x, areas) = (dat("x"), dat("edge_area"));
    let dim = mesh.dats[mesh.dat("x").expect("it is there")].dim;
    let ends = fetch_rows(comm, mesh.blocks(map.to, comm), dim, x, &map.rows);
    let length = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
    let coupling = |(ends, area): (&[f64], &[f64])| {
        let (a, b) = ends.split_at(dim);
        length(&mut area.iter().copied()) / length(&mut a.iter().zip(b).map(|(a, b)| b - a))
    };
    ends.chunks_exact(2 * dim).zip(areas.chunks_exact(dim)).map(coupling).collect()
}
