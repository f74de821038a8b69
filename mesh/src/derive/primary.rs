//! What is partitioned.

/// What is partitioned, and how its elements touch: names in the mesh.
///
/// Cells with edges: set `cells`, graph `edge_cells`, nodes `cell_nodes`, coordinates `x`. If the primary set is the
/// nodes themselves, `nodes` is `None`. Nodes of elements of several kinds have the map of each kind in `graph`. A mesh
/// of several levels has the maps from each level's set to the next coarser one's in `coarser`; for dual edges,
/// `level0/node_mg_node`, `level1/node_mg_node`, ...
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primary {
    /// The set.
    pub set: String,
    /// Maps into the set; the targets of one source element of any of them are pairwise adjacent.
    pub graph: Vec<String>,
    /// A map from the set to the elements with coordinates; `None` if the set itself has them.
    pub nodes: Option<String>,
    /// A dat of dimension 2 or 3, double precision.
    pub coordinates: String,
    /// A map of arity 1 into the set, from a set of which parts should have equally many elements: nodes, if lines of them
    /// are divided. `None`: equally many of the primary set itself.
    pub members: Option<String>,
    /// Maps of arity 1, each from a set to a coarser one: the first from the primary set, each other from the set to
    /// which the previous one leads.
    pub coarser: Vec<String>,
}

impl Primary {
    /// A primary set that has coordinates `x` itself.
    pub fn located(set: &str, graph: &str) -> Primary {
        Primary {
            set: set.into(),
            graph: vec![graph.into()],
            nodes: None,
            coordinates: "x".into(),
            members: None,
            coarser: Vec::new(),
        }
    }
}
