//! What is partitioned.

/// What is partitioned, and how its elements touch: names in the mesh.
///
/// Cells with edges: set `cells`, graph `edge_cells`, nodes `cell_nodes`, coordinates `x`. If the primary set is the
/// nodes themselves, `nodes` is `None`. A mesh of several levels has the maps from each level's set to the next coarser
/// one's in `coarser`; for dual edges, `level0/node_mg_node`, `level1/node_mg_node`, ...
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primary {
    /// The set.
    pub set: String,
    /// A map into the set; the targets of one source element are pairwise adjacent.
    pub graph: String,
    /// A map from the set to the elements with coordinates; `None` if the set itself has them.
    pub nodes: Option<String>,
    /// A dat of dimension 2 or 3, double precision.
    pub coordinates: String,
    /// Maps of arity 1, each from a set to a coarser one: the first from the primary set, each other from the set to
    /// which the previous one leads.
    pub coarser: Vec<String>,
}

impl Primary {
    /// A primary set that has coordinates `x` itself.
    pub fn located(set: &str, graph: &str) -> Primary {
        Primary {
            set: set.into(),
            graph: graph.into(),
            nodes: None,
            coordinates: "x".into(),
            coarser: Vec::new(),
        }
    }
}
