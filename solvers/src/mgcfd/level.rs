//! One level of the mesh: its sets, its map targets, and the dats of every scheme.

use cfd_engine::handle::Target;
use cfd_engine::prelude::*;

/// One level. Names in the mesh carry the prefix `levelL/`.
#[derive(Clone, Copy)]
pub struct Level {
    /// Its number, 0 for the finest.
    pub number: usize,
    /// Nodes, each with its dual cell.
    pub nodes: Set,
    /// Edges, each with the face between the dual cells of its ends.
    pub edges: Set,
    /// Boundary faces of dual cells.
    pub bnodes: Set,
    /// The first end of an edge.
    pub a: Target<2, 0>,
    /// The second end of an edge.
    pub b: Target<2, 1>,
    /// The node of a boundary face.
    pub bnode: Target<1, 0>,
    /// The coarse node of a node; `None` on the coarsest level used.
    pub coarse: Option<Target<1, 0>>,
    /// Coordinates of the nodes.
    pub x: Dat<3>,
    /// Area vectors of the edges, from a to b.
    pub weights: Dat<3>,
    /// Area vectors of the boundary faces, into the domain.
    pub bweights: Dat<3>,
    /// 0 to 2: wall, 3 to 7: far field.
    pub group: Dat<1, i32>,
    /// rho, rho u, rho v, rho w, rho E.
    pub q: Dat<5>,
}

impl Level {
    /// The first `count` levels of a mesh, from the finest; 0: all.
    ///
    /// # Errors
    /// The mesh has no such level, or a level is incomplete.
    pub fn all(domain: &mut Domain, count: u64) -> Result<Vec<Level>, DomainError> {
        let mut levels = Vec::new();
        loop {
            let number = levels.len();
            let more = if count == 0 {
                number == 0 || domain.set(&format!("level{number}/nodes")).is_ok()
            } else {
                (number as u64) < count
            };
            if !more {
                break;
            }
            levels.push(Level::new(domain, number)?);
        }
        let (_, finer) = levels.split_last_mut().expect("there is a finest level");
        for level in finer {
            let map: Map<1> = domain.map(&format!("level{}/node_mg_node", level.number))?;
            level.coarse = Some(map.target::<0>());
        }
        Ok(levels)
    }

    fn new(domain: &mut Domain, number: usize) -> Result<Level, DomainError> {
        let name = |what: &str| format!("level{number}/{what}");
        let nodes = domain.set(&name("nodes"))?;
        let edge_nodes: Map<2> = domain.map(&name("edge_nodes"))?;
        let bnode_node: Map<1> = domain.map(&name("bnode_node"))?;
        Ok(Level {
            number,
            nodes,
            edges: domain.set(&name("edges"))?,
            bnodes: domain.set(&name("bnodes"))?,
            a: edge_nodes.target::<0>(),
            b: edge_nodes.target::<1>(),
            bnode: bnode_node.target::<0>(),
            coarse: None,
            x: domain.dat(&name("x"))?,
            weights: domain.dat(&name("edge_weights"))?,
            bweights: domain.dat(&name("bnode_weights"))?,
            group: domain.dat(&name("bnode_group"))?,
            q: domain.new_dat(nodes, &name("variables")),
        })
    }

    /// The coarse node of a node, on a level that has a coarser one.
    pub fn to_coarser(&self) -> Target<1, 0> {
        self.coarse.expect("all but the coarsest level have a coarser one")
    }

    /// A new dat on the level's nodes.
    pub fn on_nodes<const D: usize>(&self, domain: &mut Domain, name: &str) -> Dat<D> {
        domain.new_dat(self.nodes, &format!("level{}/{name}", self.number))
    }
}
