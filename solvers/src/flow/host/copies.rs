//! Nodes on periodic boundaries that are one.
//!
//! Each copy of a node has a part of its cell, with the edges, elements and boundary faces there, and so a part of what
//! loops over these add up. Its node adds the parts of its copies to its own, in their order, and hands the sum back:
//! copies keep the same bits, and everything that is computed at nodes is the same for all of them.

use cfd_engine::handle::Target;
use cfd_engine::prelude::*;

use super::{D, N, TURNS, kernels};

/// The copies of nodes, and places for their parts.
#[derive(Clone, Copy)]
pub struct Copies {
    set: Set,
    /// From a copy to the node that it is one of, and to itself.
    nodes: Map<2>,
    /// The node that a copy is one of.
    node: Target<2, 0>,
    /// The copy.
    copy: Target<2, 1>,
    numbers: Dat<1>,
    vectors: Dat<D>,
    walls: Dat<{ D + 3 }>,
    matrices: Dat<{ D * (D + 1) / 2 }>,
    gradients: Dat<{ D * N }>,
    states: Dat<N>,
    turns: Dat<{ TURNS.len() }>,
    blocks: Dat<{ N * N }>,
}

/// Records the loops that give all copies of a node its values.
macro_rules! share {
    ($name:ident, $dim:expr, $parts:ident, $copy:ident) => {
        /// Records the loops after which all copies of a node have its values.
        pub fn $name(&self, domain: &mut Domain, values: Dat<{ $dim }>) {
            let Copies { set, node, copy, $parts: parts, .. } = *self;
            domain.par_loop(kernels::$copy, set, (values.at(node), parts), &());
            domain.par_loop(kernels::$copy, set, (parts, values.at(copy)), &());
        }
    };
}

/// Records the loops of a sum over copies: take the parts, add them to the node's, take the sums, hand them back.
macro_rules! unite {
    ($name:ident, $dim:expr, $parts:ident, $copy:ident, $add:ident) => {
        /// Records the loops after which all copies of a node have the sum of their values.
        pub fn $name(&self, domain: &mut Domain, values: Dat<{ $dim }>) {
            let Copies { set, node, copy, $parts: parts, .. } = *self;
            domain.par_loop(kernels::$copy, set, (values.at(copy), parts), &());
            domain.par_loop(kernels::$add, set, (parts, values.at(node)), &());
            domain.par_loop(kernels::$copy, set, (values.at(node), parts), &());
            domain.par_loop(kernels::$copy, set, (parts, values.at(copy)), &());
        }
    };
}

impl Copies {
    /// Those of a domain, if it has any.
    ///
    /// # Errors
    /// The domain lacks something.
    pub fn new(domain: &mut Domain) -> Result<Option<Copies>, DomainError> {
        let Ok(set) = domain.set("copies") else { return Ok(None) };
        let nodes: Map<2> = domain.map("copy_nodes")?;
        Ok(Some(Copies {
            set,
            nodes,
            node: nodes.target::<0>(),
            copy: nodes.target::<1>(),
            numbers: domain.new_dat(set, "parts of numbers"),
            vectors: domain.new_dat(set, "parts of vectors"),
            walls: domain.new_dat(set, "parts of walls"),
            matrices: domain.new_dat(set, "parts of matrices"),
            gradients: domain.new_dat(set, "parts of gradients"),
            states: domain.new_dat(set, "parts of states"),
            turns: domain.new_dat(set, "parts of vorticity"),
            blocks: domain.new_dat(set, "parts of blocks"),
        }))
    }

    /// Volumes of whole cells.
    ///
    /// # Errors
    /// The domain lacks something, or a device has failed.
    pub fn volumes(&self, domain: &mut Domain) -> Result<Dat<1>, DomainError> {
        let parts: Dat<1> = domain.dat("volume")?;
        let values = domain.read(parts)?;
        let whole = domain.new_dat(parts.set(), "volume of whole cells");
        domain.write(whole, &values);
        self.numbers(domain, whole);
        Ok(whole)
    }

    /// The vectors from nodes to their copies, of this rank's copies.
    ///
    /// # Errors
    /// A device has failed.
    pub fn shifts(&self, domain: &mut Domain, x: Dat<D>) -> Result<Vec<[f64; D]>, BackendError> {
        let x = domain.read_with_halo(x)?;
        let x = x.as_chunks::<D>().0;
        let shift = |[node, copy]: &[u32; 2]| -> [f64; D] {
            std::array::from_fn(|k| x[*copy as usize][k] - x[*node as usize][k])
        };
        let own = domain.global_ids(self.set).len();
        Ok(domain.targets(self.nodes).iter().take(own).map(shift).collect())
    }

    share!(share_numbers, 1, numbers, take_number);
    share!(share_states, N, states, take_state);
    unite!(numbers, 1, numbers, take_number, add_number);
    unite!(vectors, D, vectors, take_vector, add_vector);
    unite!(walls, D + 3, walls, take_wall, add_to_wall);
    unite!(matrices, D * (D + 1) / 2, matrices, take_matrix, add_matrix);
    unite!(gradients, D * N, gradients, take_gradient, add_gradient);
    unite!(states, N, states, take_state, add_state);
    unite!(turns, TURNS.len(), turns, take_turn, add_turn);
    unite!(blocks, N * N, blocks, take_block, add_block);
}
