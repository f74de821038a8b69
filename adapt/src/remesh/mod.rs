//! From a domain to the domain of an adapted mesh: the loop of every solver that adapts its mesh.
//!
//! ```text
//! elements ──► Adapting ──► carry ──► adapt ──► finish ──► Round: elements, sets, values
//!              the mesh by  fields    to the    canonical order, derived sets,
//!              vertices               metric    partition, Domain::replace
//! ```
//!
//! Elements, not what is derived from them, pass from one mesh to the next. Whatever the ranks and threads, they are the
//! same bit for bit, and so is what is carried. The domain keeps its backend: loops go on on the device they ran on.

mod adapting;
mod carried;
mod elements;
mod error;
mod facets;
mod marks;
mod round;

use std::sync::Arc;

use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::plug::ThreadPool;
use cfd_mesh::{Boundaries, Derived, ElementMesh, Levels};
use cfd_partition::Options;

pub(crate) use self::elements::BETWEEN;
use self::elements::Tags;

pub use self::adapting::Adapting;
pub use self::carried::Carried;
pub use self::error::RemeshError;
pub use self::round::Round;
use crate::mesh::{Called, Mesh, Numbering};
use crate::metric::MetricError;
use crate::operation::{Bounds, MetricAt};
use crate::outline::{Outline, Rules};
use crate::tensor::Tensor;

/// When vertices are redistributed among the ranks; it changes no bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Redistribute {
    /// Never: every vertex stays with the rank that it came to by its number.
    Never,
    /// Before an adaptation.
    First,
    /// Also between passes, as soon as the largest number of vertices on a rank exceeds the mean by this factor.
    Above(f64),
}

/// How a domain's mesh is adapted, and what is made of the new one.
#[derive(Clone, Debug)]
pub struct Remesh {
    /// What loops compute on, derived from each new mesh; the first is what is partitioned.
    pub needs: &'static [&'static Derived],
    /// The kinds of boundaries and the names of each, for the derivations.
    pub boundaries: Boundaries,
    /// Levels that are derived from each new mesh, the finest included, where `needs` has any.
    pub levels: Levels,
    /// How new domains are divided among the ranks.
    pub partition: Options,
    /// What counts as short, long and bad.
    pub bounds: Bounds,
    /// When the mesh that is adapted moves between the ranks.
    pub redistribute: Redistribute,
    /// At most this many elements of an adapted mesh, on all ranks; unlimited if none.
    pub most: Option<u64>,
    /// What numbers the vertices of the first mesh. Those of an adapted mesh are in canonical order.
    pub numbering: Numbering,
    /// What bounds the mesh ([`outline`]); none: boundaries are straight, and every vertex where one bends is a corner.
    pub outline: Option<Arc<Outline>>,
}

/// The outline of a mesh of triangles, for [`Remesh::outline`]: to be traced once, on the first mesh. Collective.
///
/// # Errors
/// The mesh cannot be adapted, or has no outline under these rules.
pub fn outline(comm: &Comm, elements: &ElementMesh, rules: &Rules) -> Result<Arc<Outline>, RemeshError> {
    let (_, input) = Tags::of(comm, elements)?;
    Ok(Arc::new(Outline::trace(comm, &input, rules)?))
}

/// Names of the boundaries of a mesh, in the order that an outline has for them. Collective.
///
/// # Errors
/// The mesh cannot be adapted.
pub fn boundary_names(comm: &Comm, elements: &ElementMesh) -> Result<Vec<Called>, RemeshError> {
    Ok(Tags::of(comm, elements)?.1.called())
}

/// The names of the regions, by their numbers. Collective.
///
/// # Errors
/// The mesh cannot be adapted.
pub fn region_names(comm: &Comm, elements: &ElementMesh) -> Result<Vec<String>, RemeshError> {
    Ok(Tags::of(comm, elements)?.1.region_names)
}

impl Remesh {
    /// With the usual bounds and partitioner, and straight boundaries.
    pub fn new(needs: &'static [&'static Derived], boundaries: Boundaries) -> Remesh {
        Remesh {
            needs,
            boundaries,
            levels: 1.into(),
            partition: Options::default(),
            bounds: Bounds::default(),
            redistribute: Redistribute::Above(1.2),
            most: None,
            numbering: Numbering::default(),
            outline: None,
        }
    }

    /// One round: adapts `elements`, from which the domain was made, to a metric, carries fields along, and moves the
    /// domain to the new mesh. Handles of the domain become invalid; [`Round::write`] gives new ones their values.
    /// Collective.
    ///
    /// `metric` returns a tensor for each local vertex of the mesh that it is shown, which has the fields.
    ///
    /// # Errors
    /// A mesh that cannot be adapted, fields that do not belong to it, a tensor that is not a metric, or a device that
    /// fails; the same on all ranks. The domain is then as it was, unless the device failed.
    pub fn round(
        &self,
        domain: &mut Domain,
        elements: &ElementMesh,
        fields: &[Carried],
        metric: impl FnOnce(&Mesh<2>) -> Result<Vec<Tensor<2>>, MetricError>,
    ) -> Result<Round, RemeshError> {
        let mut adapting = Adapting::new(self, domain.comm(), elements)?;
        adapting.carry(domain, fields)?;
        let metric = domain.comm().agree(metric(adapting.mesh()))?;
        adapting.set_metric(&metric);
        adapting.redistribute()?;
        let pool = ThreadPool::new(domain.options().threads);
        adapting.adapt(MetricAt::Carried, &pool)?;
        adapting.finish(domain)
    }
}
