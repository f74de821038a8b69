use serde::{Deserialize, Serialize};

/// What is wrong with a field, or with a request for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum FieldError {
    /// A name that is invalid or taken.
    #[error("a field cannot be called {name:?}: {why}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// No components.
    #[error("field {name:?} has no components; it needs at least one")]
    NoComponent {
        /// The field.
        name: String,
    },
    /// Too few values, or too many.
    #[error(
        "field {name:?} has {values} values on rank {rank} instead of {expected}, {dim} per local number"
    )]
    Count {
        /// The field.
        name: String,
        /// The rank.
        rank: usize,
        /// The number given.
        values: usize,
        /// The number expected.
        expected: usize,
        /// Components.
        dim: usize,
    },
    /// A value that is not finite.
    #[error("field {name:?} has the value {value} at {place}; all values must be finite")]
    NotFinite {
        /// The field.
        name: String,
        /// The value.
        value: String,
        /// Its position.
        place: String,
    },
    /// The mesh does not have this field.
    #[error("the mesh has no {kind} field {name:?}; it has {known}")]
    Unknown {
        /// `vertex`, `cell`, `nodal`, or `conserved` for the last two.
        kind: String,
        /// The name.
        name: String,
        /// The names that it has.
        known: String,
    },
    /// Blocks that are not those of the mesh.
    #[error(
        "{what}; they must be the blocks that the mesh was made from, and the mesh must not be adapted yet"
    )]
    Blocks {
        /// What does not fit.
        what: String,
    },
    /// A field without units was asked for them.
    #[error("field {name:?} is conserved up to rounding and has no units; add it with Conserve::Exact")]
    NoUnits {
        /// The field.
        name: String,
    },
}
