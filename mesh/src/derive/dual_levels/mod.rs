//! The median dual of a mesh: edges between nodes with the area vectors of their faces, boundary nodes, and coarse levels.
//!
//! ```text
//! dual          from elements of every kind, in two or three dimensions
//! level         one level in memory, and the sums over edges that define it
//! agglomerate/  coarse levels, by putting nodes together
//! closure       how well dual cells close, and how small they are
//! check         what makes such a mesh usable
//! ```

pub(crate) mod agglomerate;
mod check;
mod closure;
pub(crate) mod dual;
#[cfg(test)]
mod dual_tests;
pub(crate) mod level;
#[cfg(test)]
mod tests;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

pub use self::agglomerate::agglomerate;
pub use self::closure::{ClosureDefect, closure_defect, smallest_volume};
pub use self::level::sorted_at_owners;
use self::level::to_mesh;
use super::periodic::copies::{self, Joined, Matches, NO_TURN, Turn, United};
use super::periodic::{PERIODIC, Pair, edges};
use super::primary::Primary;
use super::schema::{Content, Schema, Table};
use super::{Cells, Derived, Request};
use crate::{ElementMesh, MeshError};

/// Levels of nodes and the edges between them: edge weights are the area vectors of the faces between dual cells, boundary
/// weights those of the boundary, into the domain, with the flag of its kind. Where boundaries are periodic, the finest level
/// has the set `copies` of nodes that are another one, `copy_nodes`, that one and itself, and, if they are turned, `copy_turn`, the
/// matrix from vectors there to its own. Coarse levels have them where boundaries are turned; moved ones are within their cells.
pub static DUAL_LEVELS: Derived = Derived {
    tag: "mgcfd",
    about: "dual edges with levels",
    dimensions: &[3],
    has_levels: true,
    // Nodes hold the state; the edges between them are the only cells.
    cells: Cells {
        set: "level0/edges",
        nodes: "level0/nodes",
        corners: "level0/edge_nodes",
        ring: None,
        coordinates: "level0/x",
    },
    schema,
    primary: |mesh| Primary {
        coordinates: "level0/x".into(),
        coarser: (0..)
            .map(|level| level_name(level, "node_mg_node"))
            .take_while(|map| mesh.map(map).is_some())
            .collect(),
        ..Primary::located("level0/nodes", "level0/edge_nodes")
    },
    derive,
    elements: None,
    check: check::check,
};

/// As many levels as are made unless a number is given.
const USUAL_LEVELS: usize = 4;

/// A name of level `level`: `levelL/name`.
pub fn level_name(level: usize, name: &str) -> String {
    format!("level{level}/{name}")
}

/// The level in a name like `level2/x`.
pub fn level_of(name: &str) -> Option<usize> {
    name.strip_prefix("level")?.split_once('/')?.0.parse().ok()
}

/// The number of levels of a mesh of dual edges; 0 for a mesh without levels.
pub fn levels(mesh: &Mesh) -> usize {
    (0..).take_while(|&level| mesh.set(&level_name(level, "nodes")).is_some()).count()
}

impl Schema {
    /// The sets and tables of one level.
    pub fn of_level(&self, level: usize) -> Schema {
        let is_of = |name: &str| level_of(name) == Some(level);
        let of_level = |names: &[String]| names.iter().filter(|name| is_of(name)).cloned().collect();
        Schema {
            sets: of_level(&self.sets),
            tables: self.tables.iter().filter(|table| is_of(&table.name)).cloned().collect(),
            needed: of_level(&self.needed),
            optional: Vec::new(),
        }
    }
}

/// The same sets, maps and dats on every level, and on all but the coarsest the map to the next coarser level.
fn schema(levels: usize, _dimension: usize) -> Schema {
    let (mut sets, mut tables, mut needed) = (Vec::new(), Vec::new(), Vec::new());
    for level in 0..levels {
        let at = |name: &str| level_name(level, name);
        let table = |table: Table| Table {
            name: at(&table.name),
            set: at(&table.set),
            dataset: at(&table.dataset),
            content: match table.content {
                Content::Map { to } => Content::Map { to: at(&to) },
                content => content,
            },
            ..table
        };
        sets.extend(["nodes", "edges", "bnodes"].map(at));
        needed.push(at("nodes"));
        tables.extend(
            [
                Table::map("edge_nodes", "edges", "nodes", 2),
                Table::map("bnode_node", "bnodes", "nodes", 1),
                Table::coordinates(3),
                Table::dat("edge_weights", "edges", 3, Content::F64, "edge_weights"),
                Table::dat("bnode_weights", "bnodes", 3, Content::F64, "bnode_weights"),
                Table::dat("bnode_group", "bnodes", 1, Content::I32, "bnode_group"),
            ]
            .map(table),
        );
        if level + 1 < levels {
            let coarser = Content::Map { to: level_name(level + 1, "nodes") };
            let up = table(Table::map("node_mg_node", "nodes", "nodes", 1));
            tables.push(Table { content: coarser, ..up });
        }
    }
    Schema { sets, tables, needed, optional: Vec::new() }
}

/// What the pair of boundaries that are turned does to vectors.
///
/// # Errors
/// Several pairs are turned: coarse cells on both would have to be joined in both ways.
pub(crate) fn turn(pairs: &[Pair]) -> Result<Turn, MeshError> {
    let turned: Vec<&Pair> = pairs.iter().filter(|pair| !pair.given.motion.is_translation()).collect();
    match turned[..] {
        [] => Ok(NO_TURN),
        [pair] => Ok(pair.given.motion.turn()),
        [first, second, ..] => Err(MeshError::Unsuitable(format!(
            "the boundaries \"{}\" and \"{}\" are both turned into others, but on coarse levels only one pair of boundaries \
             can be; expected one turned pair",
            first.given.names[0], second.given.names[0]
        ))),
    }
}

fn derive(comm: &Comm, mesh: &ElementMesh, request: &Request<'_>) -> Result<Mesh, MeshError> {
    let kind = |group: i32| request.boundaries.of_group(group).map(|boundary| boundary.kind);
    let number = |group: i32| match kind(group) {
        // Periodic boundaries lie within cells.
        Some(kind) if kind.name == PERIODIC => None,
        kind => Some(kind.map_or(0, |kind| kind.flag)),
    };
    let turn = turn(request.boundaries.pairs())?;
    let mut finest = dual::dual(comm, mesh, number)?;
    let matches = Matches::new(comm, mesh, request.boundaries.pairs())?;
    if let Some(matches) = &matches {
        Joined { lowest: finest.lowest, sides: finest.sides } = matches.joined(comm);
    }
    let (levels, ups) = match request.levels.number {
        0 => agglomerate::up_to(comm, finest, USUAL_LEVELS),
        levels => agglomerate::levels(comm, finest, levels)?,
    };
    let finest = matches.iter().map(|matches| matches.united(comm));
    let united: Vec<United> =
        finest.chain(levels[1..].iter().map_while(|level| level.united(comm, turn))).collect();
    let mut mesh = to_mesh(levels, ups);
    for (level, united) in united.iter().enumerate() {
        copies::add(comm, united, &mut mesh, &level_name(level, ""));
    }
    if let Some(united) = united.first() {
        let areas = level_name(0, "edge_weights");
        let (moments, couplings) = ("no moments", "no couplings");
        let names = edges::Names { prefix: &level_name(0, ""), areas: &areas, moments, couplings };
        edges::add(comm, united, &mut mesh, &names);
    }
    Ok(mesh)
}
