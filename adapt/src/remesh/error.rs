//! Why a domain's mesh cannot be adapted.

use cfd_engine::prelude::{BackendError, DomainError};
use cfd_mesh::MeshError;
use cfd_partition::PartitionError;
use serde::{Deserialize, Serialize};

use crate::mesh::InputError;
use crate::metric::MetricError;
use crate::operation::AdaptError;
use crate::outline::OutlineError;
use crate::transfer::FieldError;

/// Why a domain's mesh cannot be adapted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum RemeshError {
    /// A mesh of something other than triangles.
    #[error("{0}")]
    Unsuitable(String),
    /// Triangles that do not fit together.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Boundaries that are not what the rules say.
    #[error(transparent)]
    Outline(#[from] OutlineError),
    /// A field that does not belong to the mesh.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A metric that is none.
    #[error("the metric: {0}")]
    Metric(#[from] MetricError),
    /// Something that an operation cannot do.
    #[error(transparent)]
    Adapt(#[from] AdaptError),
    /// The new mesh does not give what is needed.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The new mesh cannot be divided among the ranks.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// A handle of something that the new domain lacks.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// A device has failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
}
