//! Nodes of walls that the flow sticks to: they have the wall's velocity and, if it is given, its temperature.

use std::collections::BTreeSet;

use cfd_engine::handle::Target;
use cfd_engine::prelude::*;

use super::{D, Geometry, N, kernels};
use crate::flow::gas::Gas;
use crate::gas::copies::CopyLoops;

/// The nodes of walls.
#[derive(Clone, Copy)]
pub struct Walls {
    /// A subset of the nodes.
    pub set: Set,
    /// The node of each of them.
    pub node: Target<1, 0>,
    /// On the nodes: the wall's velocity, temperature (0: none given) and area; 0 off walls.
    pub wall: Dat<{ D + 2 }>,
    /// On the nodes: friction, and heat, that the wall takes from the cell in a unit of time.
    pub taken: Dat<{ D + 1 }>,
}

impl Walls {
    /// Of the faces without slip; `None` if there are none. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn new(domain: &mut Domain, geometry: &Geometry) -> Result<Option<Walls>, DomainError> {
        let Some(faces) = geometry.faces_of("no_slip") else { return Ok(None) };
        let nodes = geometry.nodes;
        let sums: Dat<{ D + 3 }> = domain.new_dat(nodes, "sums of walls");
        let operands = (faces.given, faces.area, sums.at(faces.node));
        domain.par_loop(kernels::add_wall, faces.set, operands, &());
        if let Some(copies) = &geometry.copies {
            copies.walls.unite(domain, sums);
        }
        let rows = domain.read(sums)?;
        let ids = domain.global_ids(nodes).iter().zip(rows.as_chunks::<{ D + 3 }>().0);
        let held: BTreeSet<u64> = ids.filter(|(_, sums)| sums[D + 2] > 0.0).map(|(&id, _)| id).collect();
        let (set, of) = domain.new_subset(nodes, "wall_nodes", |id| held.contains(&id));
        let walls = Walls {
            set,
            node: of.target::<0>(),
            wall: domain.new_dat(nodes, "wall"),
            taken: domain.new_dat(nodes, "taken by walls"),
        };
        let operands = (sums.at(walls.node), walls.wall.at(walls.node));
        domain.par_loop(kernels::wall_at_node, set, operands, &());
        Ok(Some(walls))
    }

    /// Records the loop that gives the nodes the wall's velocity and temperature.
    pub fn begin(&self, domain: &mut Domain, q: Dat<N>, gas: &Gas) {
        let operands = (self.wall.at(self.node), q.at(self.node));
        domain.par_loop(kernels::begin_wall, self.set, operands, gas);
    }

    /// Records the loop after which the residual keeps velocity and temperature of the nodes.
    pub fn hold(&self, domain: &mut Domain, res: Dat<N>, gas: &Gas) {
        let operands = (self.wall.at(self.node), res.at(self.node), self.taken.at(self.node));
        domain.par_loop(kernels::hold_wall, self.set, operands, gas);
    }
}
