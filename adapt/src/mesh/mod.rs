//! The mesh: simplices that change in place, distributed by vertices.
//!
//! Every vertex belongs to one rank, and a rank holds exactly the elements that touch its own vertices: its vertices'
//! stars are complete. The other vertices of these elements are its ghosts, copies that [`Mesh::update_ghosts`]
//! updates. Which ranks share what follows from this rule alone, so no lists of it are sent.
//!
//! A vertex has a name, its identity, by which all ranks know it ([`identity`]). Local numbers differ between ranks and
//! from run to run, and decide nothing: elements are held with the vertex of smallest identity first, and ends of edges
//! and neighbours are ordered by identity wherever the order matters.

mod assemble;
mod balance;
mod build;
mod bytes;
mod called;
pub mod canonical;
mod changes;
mod check;
mod elements;
mod exchange;
mod facets;
pub mod identity;
mod local;
mod migrate;
mod numbering;
mod paired;
mod shape;
mod stars;
mod statistics;
mod vertices;
mod view;

use bytemuck::Pod;
use cfd_engine::comm::Comm;

use crate::geometry::Point;
use crate::tensor::Tensor;
use crate::transfer::{Fields, Slopes};

pub use self::build::{Input, InputError, Sides};
pub use self::called::{Called, Marks};
pub use self::check::Defect;
pub use self::elements::{EMBEDDED, Elements, INSIDE, INTERFACE, MOST, is_outer, number_of, with_number};
pub use self::exchange::Traffic;
pub use self::identity::Identity;
pub use self::local::{Local, Numbers};
pub use self::numbering::Numbering;
pub use self::paired::Paired;
pub use self::stars::Stars;
pub use self::statistics::{BAND, LONGEST, Statistics};
pub use self::vertices::{Freedom, Vertex, Vertices};

pub(crate) use self::build::is_straight;
pub(crate) use self::bytes::{Reader as Bytes, Writer};
pub(crate) use self::changes::Changes;
pub(crate) use self::exchange::{Ghosts, Neighbour};
pub(crate) use self::local::{MOST_CORNERS, Moved};

/// No number.
pub(crate) const NONE: u32 = u32::MAX;

/// In place of a number in an order: several have the same key.
const NOT_UNIQUE: u64 = u64::MAX;

/// Rows of `width` values, each extended by `more` zeros.
fn widened(values: &[f64], rows: usize, width: usize, more: usize) -> Vec<f64> {
    let mut wide = vec![0.0; rows * (width + more)];
    if width > 0 {
        for (to, from) in wide.chunks_exact_mut(width + more).zip(values.chunks_exact(width)) {
            to[..width].copy_from_slice(from);
        }
    }
    wide
}

/// A distributed mesh of simplices of dimension `D`.
pub struct Mesh<const D: usize> {
    pub(crate) comm: Comm,
    pub(crate) local: Local<D>,
    pub(crate) ghosts: Ghosts,
    /// Names of the boundaries and interfaces; number t stands for `boundaries[t - 1]`.
    pub(crate) boundaries: Vec<String>,
    /// Names of the regions of interfaces that have another name.
    between: Vec<Option<String>>,
    /// Names of the regions.
    region_names: Vec<String>,
    /// Whether elements have regions.
    has_regions: bool,
    /// Whether facets of two elements are on interfaces, on any rank.
    has_interfaces: bool,
    /// Pairs of periodic boundaries.
    pub(crate) pairs: Vec<Paired>,
    /// Number of refine passes so far, over all adaptations.
    pub(crate) refinements: u64,
    /// Bits of the hash in the names of new vertices.
    pub(crate) identity_bits: u32,
    /// Number of vertices of the input, and the rows there of this rank's block of them by number.
    input_vertices: u64,
    input_rows: Vec<u64>,
    pub(crate) fields: Fields,
    /// Gradients of cell fields of second order.
    pub(crate) slopes: Slopes<D>,
}

impl<const D: usize> Mesh<D> {
    /// The ranks that hold the mesh.
    pub fn comm(&self) -> &Comm {
        &self.comm
    }

    /// What this rank holds.
    pub fn local(&self) -> &Local<D> {
        &self.local
    }

    /// Names of the boundaries and interfaces; the tag of [`number_of`] t stands for `boundaries()[t - 1]`.
    pub fn boundaries(&self) -> &[String] {
        &self.boundaries
    }

    /// All names of each of them.
    pub fn called(&self) -> Vec<Called> {
        build::called(&self.boundaries, &self.between)
    }

    /// Names of the regions; that of an element is `region_names()[region]`, if there are names.
    pub fn region_names(&self) -> &[String] {
        &self.region_names
    }

    /// Whether facets of two elements are on interfaces, on any rank.
    pub(crate) fn has_interfaces(&self) -> bool {
        self.has_interfaces
    }

    /// Names new vertices by fewer bits of their hash than [`identity::BITS`], to test what happens if two are equal.
    #[doc(hidden)]
    pub fn shorten_identities(&mut self, bits: u32) {
        self.identity_bits = bits;
    }

    /// Puts what this rank holds under other local numbers, and its lists in another order, which must not change any
    /// result. `random(n)` draws a number below n.
    #[doc(hidden)]
    pub fn shuffle(&mut self, random: impl FnMut(usize) -> usize) {
        self.local.shuffle(random);
        self.ghosts.find(&self.local);
    }

    /// Messages that this rank has sent since the mesh was made.
    pub fn traffic(&self) -> Traffic {
        self.ghosts.traffic()
    }

    /// Copies the owners' values to the ghosts, one value for each local vertex number. Collective.
    pub fn update_ghosts<T: Pod>(&self, values: &mut [T]) {
        self.ghosts.update(&self.comm, values);
    }

    /// Vertices and elements on all ranks. Collective.
    pub fn counts(&self) -> [u64; 2] {
        let mut counts = [self.local.own_vertices().count() as u64, self.local.own_elements().count() as u64];
        self.comm.all_reduce(&mut counts, cfd_engine::comm::ReduceOp::Sum);
        counts
    }

    /// Gives each vertex its metric, from one for each local vertex number; those of ghosts come from their owners, and
    /// those of free numbers are not read. Collective.
    pub fn set_metric(&mut self, metric: &[Tensor<D>]) {
        let mut metric = metric.to_vec();
        self.update_ghosts(&mut metric);
        self.local.vertices.metric = metric;
        (0..self.local.vertices.len() as u32).for_each(|v| self.local.mark(v));
    }

    /// Gives each vertex the metric that a formula defines.
    pub fn set_metric_at(&mut self, metric: impl Fn(&Point<D>) -> Tensor<D>) {
        for v in 0..self.local.vertices.len() as u32 {
            if self.local.vertices.is_alive(v) {
                self.local.vertices.metric[v as usize] = metric(self.local.position(v));
                self.local.mark(v);
            }
        }
    }
}
