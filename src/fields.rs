//! A solver's fields as rows with global ids, which files are made of.

use cfd_engine::backend::BackendError;
use cfd_engine::domain::Domain;
use cfd_engine::prelude::AnyDat;
use cfd_io::FieldData;

/// The owned rows of a dat under a field's name.
///
/// # Errors
/// A device has failed.
pub fn owned_rows(domain: &mut Domain, name: &str, dat: AnyDat) -> Result<FieldData, BackendError> {
    let set = dat.set();
    Ok(FieldData {
        name: name.into(),
        dim: dat.dim(),
        rows: domain.rows(set),
        values: dat.read_f64(domain)?,
        global_ids: domain.global_ids(set).to_vec(),
    })
}
