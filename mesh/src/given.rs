//! A mesh as a file or a generator gives it, and what a case makes of it.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Mesh;

use crate::derive::boundary::{Boundaries, Named};
use crate::derive::{Derived, Request};
use crate::{ElementMesh, MeshError};

/// A mesh as a file or a generator gives it: one rank's blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Elements, from which anything can be derived.
    Elements(ElementMesh),
    /// Sets that a scheme computes on, and the elements they were derived from, if they are known.
    Derived {
        /// What they are.
        derived: &'static Derived,
        /// The sets.
        mesh: Mesh,
        /// The elements, whose nodes are those of the sets.
        elements: Option<ElementMesh>,
    },
}

/// What a case computes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// Sets, maps and dats.
    pub mesh: Mesh,
    /// The elements they were derived from, if they are known.
    pub elements: Option<ElementMesh>,
    /// The boundaries, by the numbers that the sets have for them.
    pub boundaries: Named,
}

impl Given {
    /// Sets without known elements.
    pub fn derived(derived: &'static Derived, mesh: Mesh) -> Given {
        Given::Derived { derived, mesh, elements: None }
    }

    /// Rank's blocks of the sets of which the hash of the mesh is made: what a file or a generator has given.
    pub fn content(&self) -> &Mesh {
        match self {
            Given::Elements(elements) => &elements.mesh,
            Given::Derived { mesh, .. } => mesh,
        }
    }

    /// [`Given::content`], alone.
    pub fn into_content(self) -> Mesh {
        match self {
            Given::Elements(elements) => elements.mesh,
            Given::Derived { mesh, .. } => mesh,
        }
    }

    /// The elements, if they are known or can be told from the sets. Collective.
    pub fn elements(self, comm: &Comm) -> Option<ElementMesh> {
        match self {
            Given::Elements(elements) => Some(elements),
            Given::Derived { elements: Some(elements), .. } => Some(elements),
            Given::Derived { derived, mesh, .. } => derived.elements.map(|elements| elements(comm, &mesh)),
        }
    }

    /// What a case needs: the sets as they are given, if they are what it needs; otherwise derived from the elements.
    /// Collective.
    ///
    /// # Errors
    /// A mesh of another dimension, or sets that do not tell their elements; boundaries without a kind or kinds without a
    /// boundary; elements that do not fit together.
    pub fn prepare(
        self,
        comm: &Comm,
        needs: &[&'static Derived],
        boundaries: &Boundaries,
        levels: usize,
    ) -> Result<Prepared, MeshError> {
        let found = match self {
            Given::Derived { derived, mesh, elements } if needs == [derived] => {
                if !boundaries.is_empty() {
                    return Err(MeshError::Unsuitable(format!(
                        "names of boundaries have no meaning for a mesh of {derived}, which says what each boundary is; \
                         remove them"
                    )));
                }
                let boundaries = Named::by_flag(boundaries.kinds);
                return Ok(Prepared { mesh, elements, boundaries });
            }
            Given::Derived { derived, .. } => Some(derived),
            Given::Elements(_) => None,
        };
        let about = || {
            let needs: Vec<&str> = needs.iter().map(|derived| derived.about).collect();
            needs.join(" and ")
        };
        let unsuitable = |what: String| MeshError::Unsuitable(format!("{what}, but {} are needed", about()));
        let Some(elements) = self.elements(comm) else {
            let found = found.expect("elements are known where nothing else is given");
            return Err(unsuitable(format!("this is a mesh of {found}")));
        };
        let dimension = elements.dimension();
        if needs.iter().any(|derived| !derived.dimensions.contains(&dimension)) {
            return Err(unsuitable(format!("this is a mesh of {dimension} dimensions")));
        }
        let elements = elements.with_groups_by_name(comm)?;
        let boundaries = boundaries.resolve(&elements)?;
        let request = Request { boundaries: &boundaries, levels };
        let mut mesh = Mesh::default();
        for derived in needs {
            mesh.absorb(derived.derive(comm, &elements, &request)?);
        }
        Ok(Prepared { mesh, elements: Some(elements), boundaries })
    }
}
