//! A solver's fields as rows with global ids, which files are made of.

use cfd_engine::domain::Domain;
use cfd_io::FieldData;

/// The owned rows of a field.
pub fn owned_rows(domain: &mut Domain, field: &cfd_solvers::Field) -> FieldData {
    let set = field.dat.set();
    FieldData {
        name: field.name.clone(),
        dim: field.dat.dim(),
        rows: domain.rows(set),
        values: field.dat.read_f64(domain),
        global_ids: domain.global_ids(set).to_vec(),
    }
}
