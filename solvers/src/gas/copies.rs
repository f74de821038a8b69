//! Nodes on periodic boundaries that are one.
//!
//! Each copy of a node has a part of its cell, with the edges, elements and boundary faces there, and so a part of what
//! loops over these add up. Its node adds the parts of its copies to its own, in their order, and hands the sum back:
//! copies keep the same bits, and everything that is computed at nodes is the same for all of them.

use cfd_engine::handle::Target;
use cfd_engine::prelude::*;

/// The values of a node, for its copies, or of a copy, for its node; and back.
#[kernel(
    scalar,
    take_1<1>,
    take_2<2>,
    take_3<3>,
    take_4<4>,
    take_5<5>,
    take_6<6>,
    take_8<8>,
    take_11<11>,
    take_15<15>,
    take_16<16>,
    take_25<25>
)]
pub fn take<const N: usize>(from: Read<N>, to: Write<N>) {
    for m in 0..N {
        to[m] = from[m];
    }
}

/// The part of a copy is added to its node.
#[kernel(
    scalar,
    add_1<1>,
    add_2<2>,
    add_3<3>,
    add_4<4>,
    add_5<5>,
    add_6<6>,
    add_8<8>,
    add_11<11>,
    add_15<15>,
    add_16<16>,
    add_25<25>
)]
pub fn add<const N: usize>(part: Read<N>, sum: Inc<N>) {
    for m in 0..N {
        sum[m] += part[m];
    }
}

/// The nodes of a domain that are another one.
#[derive(Clone, Copy)]
pub struct Copies {
    set: Set,
    /// From a copy to the node that it is one of, and to itself.
    nodes: Map<2>,
    /// The node that a copy is one of.
    node: Target<2, 0>,
    /// The copy.
    copy: Target<2, 1>,
}

impl Copies {
    /// Those of a domain, if it has any; `prefix` stands before the names of the set and of the map.
    ///
    /// # Errors
    /// The domain has the set without its map.
    pub fn new(domain: &mut Domain, prefix: &str) -> Result<Option<Copies>, DomainError> {
        let Ok(set) = domain.set(&format!("{prefix}copies")) else { return Ok(None) };
        let nodes: Map<2> = domain.map(&format!("{prefix}copy_nodes"))?;
        Ok(Some(Copies { set, nodes, node: nodes.target::<0>(), copy: nodes.target::<1>() }))
    }

    /// Sums of D numbers at nodes; `name` says of what.
    pub fn sums<const D: usize>(self, domain: &mut Domain, name: &str) -> CopySums<D> {
        CopySums { copies: self, parts: domain.new_dat(self.set, &format!("parts of {name}")) }
    }

    /// The vectors from nodes to their copies, of this rank's copies.
    ///
    /// # Errors
    /// A device has failed.
    pub fn shifts<const D: usize>(
        &self,
        domain: &mut Domain,
        x: Dat<D>,
    ) -> Result<Vec<[f64; D]>, BackendError> {
        let x = domain.read_with_halo(x)?;
        let x = x.as_chunks::<D>().0;
        let shift = |[node, copy]: &[u32; 2]| -> [f64; D] {
            std::array::from_fn(|k| x[*copy as usize][k] - x[*node as usize][k])
        };
        let own = domain.global_ids(self.set).len();
        Ok(domain.targets(self.nodes).iter().take(own).map(shift).collect())
    }
}

/// Sums of D numbers over the copies of each node, with a place for the parts.
#[derive(Clone, Copy)]
pub struct CopySums<const D: usize> {
    copies: Copies,
    parts: Dat<D>,
}

/// The loops over copies exist for D numbers.
pub trait CopyLoops<const D: usize> {
    /// Records the loops after which all copies of a node have its values.
    fn share(&self, domain: &mut Domain, values: Dat<D>);
    /// Records the loops after which all copies of a node have the sum of their values.
    fn unite(&self, domain: &mut Domain, values: Dat<D>);
}

macro_rules! copy_loops {
    ($($dim:literal $take:ident $add:ident,)*) => {
        $(impl CopyLoops<$dim> for CopySums<$dim> {
            fn share(&self, domain: &mut Domain, values: Dat<$dim>) {
                let CopySums { copies: Copies { set, node, copy, .. }, parts } = *self;
                domain.par_loop($take, set, (values.at(node), parts), &());
                domain.par_loop($take, set, (parts, values.at(copy)), &());
            }

            fn unite(&self, domain: &mut Domain, values: Dat<$dim>) {
                let CopySums { copies: Copies { set, node, copy, .. }, parts } = *self;
                domain.par_loop($take, set, (values.at(copy), parts), &());
                domain.par_loop($add, set, (parts, values.at(node)), &());
                self.share(domain, values);
            }
        })*
    };
}

copy_loops! {
    1 take_1 add_1,
    2 take_2 add_2,
    3 take_3 add_3,
    4 take_4 add_4,
    5 take_5 add_5,
    6 take_6 add_6,
    8 take_8 add_8,
    11 take_11 add_11,
    15 take_15 add_15,
    16 take_16 add_16,
    25 take_25 add_25,
}
