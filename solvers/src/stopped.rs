//! Why a step could not be completed.

use cfd_engine::backend::BackendError;
use serde::{Deserialize, Serialize};

use cfd_implicit::cg;

/// Why a step could not be completed.
#[derive(Clone, Debug, thiserror::Error, Serialize, Deserialize)]
pub enum Stopped {
    /// A device has failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The case's input cannot be processed.
    #[error("iteration {iteration}: {what}")]
    Refused {
        /// What is wrong and what would be right.
        what: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// Something failed through no fault of the user.
    #[error("iteration {iteration}: {what}")]
    Failed {
        /// What happened.
        what: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// The state left the range in which the equations make sense.
    #[error(
        "{quantity} is {value} in element {element} of {set} at ({}) in iteration {iteration}",
        position.iter().map(|x| format!("{x}")).collect::<Vec<_>>().join(", ")
    )]
    Diverged {
        /// "density", "pressure", ...
        quantity: String,
        /// The set.
        set: String,
        /// Global id of the element.
        element: u64,
        /// Where it is.
        position: Vec<f64>,
        /// The offending value, as text so that NaN and infinity survive any encoding.
        value: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// The residual is not a number, although every element's state is valid.
    #[error("the residual is {value} in iteration {iteration}")]
    Residual {
        /// The residual, as text.
        value: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// The residual grows instead of falling.
    #[error(
        "the residual is {value} in iteration {iteration}, far above the first iteration's {first}: the method diverges"
    )]
    Growth {
        /// The residual, as text.
        value: String,
        /// The first iteration's residual, as text.
        first: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// A linear system could not be solved.
    #[error("iteration {iteration} ({state}): {cause}")]
    LinearSystem {
        /// The iteration, from 1.
        iteration: u64,
        /// What is known about the flow.
        state: String,
        /// What went wrong, in which step, with which sums.
        #[source]
        cause: Box<cg::Breakdown>,
    },
}
