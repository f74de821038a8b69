//! What a round ends with.

use cfd_engine::mesh::{Mesh, Values as Block};
use cfd_engine::prelude::{AnyDat, Domain, ElementType};
use cfd_mesh::{ElementMesh, Named};

use super::RemeshError;
use crate::transfer::FieldError;

/// A round's end: the new mesh, and the values of fields on it.
#[derive(Clone, Debug)]
pub struct Round {
    /// The elements, from which the next round starts.
    pub elements: ElementMesh,
    /// What the domain was made from.
    pub sets: Mesh,
    /// The boundaries, by the numbers that the sets have for them.
    pub boundaries: Named,
    pub(super) values: Vec<Values>,
}

/// A field's values on the new mesh.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub name: String,
    pub values: Rows,
    /// Two numbers for each component of each cell, or node.
    pub masses: Option<Rows>,
    /// The mass of each component.
    pub total: Vec<f64>,
}

/// This rank's block of rows of values.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub rows: u64,
    pub dim: usize,
    pub values: Block,
}

impl Rows {
    /// Writes them to a dat. Collective.
    fn write(&self, domain: &mut Domain, name: &str, dat: AnyDat) -> Result<(), RemeshError> {
        let rows = domain.rows(dat.set());
        if (dat.dim(), rows, dat.element_type()) != (self.dim, self.rows, ElementType::F64) {
            let what = format!(
                "field {name:?} has {} rows of {} f64, and the dat for it {rows} of {} {}",
                self.rows,
                self.dim,
                dat.dim(),
                dat.element_type()
            );
            return Err(FieldError::Blocks { what }.into());
        }
        dat.write_block(domain, &self.values);
        Ok(())
    }
}

impl Round {
    fn of(&self, name: &str) -> Result<&Values, RemeshError> {
        self.values.iter().find(|values| values.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.values.iter().map(|values| &values.name[..]).collect();
            FieldError::Unknown { kind: "carried".into(), name: name.into(), known: known.join(", ") }.into()
        })
    }

    /// Sets a dat of the new domain to a field's values. Collective.
    ///
    /// # Errors
    /// No field was carried under this name, or the dat has another shape.
    pub fn write(&self, domain: &mut Domain, name: &str, dat: impl Into<AnyDat>) -> Result<(), RemeshError> {
        self.of(name)?.values.write(domain, name, dat.into())
    }

    /// Sets a dat of the new domain to the masses of a field that is conserved exactly: for each component a number, and
    /// what it lacks, both exact. Collective.
    ///
    /// # Errors
    /// No such field was carried under this name, or the dat has another shape.
    pub fn write_masses(
        &self,
        domain: &mut Domain,
        name: &str,
        dat: impl Into<AnyDat>,
    ) -> Result<(), RemeshError> {
        let masses = self.of(name)?.masses.as_ref();
        let masses = masses.ok_or_else(|| FieldError::NoUnits { name: name.into() })?;
        masses.write(domain, name, dat.into())
    }

    /// The mass of each component of a field on cells, or of one that is conserved at nodes: the correctly rounded sum of all
    /// masses.
    ///
    /// # Errors
    /// No field was carried under this name.
    pub fn total(&self, name: &str) -> Result<&[f64], RemeshError> {
        Ok(&self.of(name)?.total)
    }
}
