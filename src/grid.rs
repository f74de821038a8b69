//! The grid that a case's fields are shown on, in files and pictures.

use cfd_engine::backend::BackendError;
use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Values;
use cfd_io::{Array, DomainCells, FieldData, Grid, to_blocks};
use cfd_mesh::{Derived, ElementMesh};
use cfd_solvers::output::derived_fields;
use cfd_solvers::{Field, Solver};

/// What is shown: the cells of what a case computes on, or the elements that it was derived from.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What the case computes on.
    derived: &'static Derived,
    /// The elements, where nothing that the case computes on is a cell.
    elements: Option<ElementMesh>,
}

impl Shown {
    /// Of what a case computes on, and the elements that it was derived from.
    pub fn new(derived: &'static Derived, elements: Option<ElementMesh>) -> Shown {
        Shown { derived, elements: elements.filter(|_| derived.has_lines_only()) }
    }

    /// This rank's blocks of cells, corners and all fields on them; with `surfaces`, of elements in space only the
    /// boundary. Collective.
    ///
    /// # Errors
    /// The mesh lacks something that it should have; a device has failed.
    pub fn grid(
        &self,
        comm: &Comm,
        domain: &mut Domain,
        solver: &dyn Solver,
        surfaces: bool,
    ) -> Result<Grid, DomainError> {
        let cells = DomainCells::of(domain, self.derived)?;
        let mut grid = match &self.elements {
            None => Grid::of_cells(comm, domain, &cells)?,
            Some(elements) => Grid::of_elements(comm, elements, surfaces),
        };
        for field in fields(domain, solver)? {
            let on = field.dat.set();
            let is_cell_data = on == cells.set() && self.elements.is_none();
            if is_cell_data || on == cells.nodes() {
                let rows = FieldData::owned(domain, &field.name, field.dat)?;
                let arrays = arrays(&field, to_blocks(comm, &rows).into_values());
                if is_cell_data { grid.cell_data.extend(arrays) } else { grid.point_data.extend(arrays) }
            }
        }
        Ok(grid)
    }
}

/// The solution and the fields derived from it. Collective.
///
/// # Errors
/// A device has failed.
pub fn fields(domain: &mut Domain, solver: &dyn Solver) -> Result<Vec<Field>, BackendError> {
    let mut fields = solver.fields();
    fields.extend(derived_fields(solver, domain)?);
    Ok(fields)
}

/// A field as arrays that viewers understand.
fn arrays(field: &Field, values: Vec<f64>) -> Vec<Array> {
    let name = field.name.strip_prefix("level0/").unwrap_or(&field.name);
    Array::of_field(name, field.components, field.dat.dim(), Values::F64(values))
}
