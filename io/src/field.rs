//! From the rows that a rank owns after partitioning to blocks of rows in global order.

use bytemuck::Pod;
use cfd_engine::backend::BackendError;
use cfd_engine::comm::Comm;
use cfd_engine::domain::Domain;
use cfd_engine::mesh::{Blocks, rows_to_blocks};
use cfd_engine::prelude::AnyDat;

/// A field's rows that this rank owns, in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldData {
    /// Name of the field, as in the solution file (may contain `/`).
    pub name: String,
    /// Values of one row.
    pub dim: usize,
    /// Number of rows over all ranks.
    pub rows: u64,
    /// Global row of each row here; over all ranks every row occurs exactly once.
    pub global_ids: Vec<u64>,
    /// `dim` values for each of `global_ids`.
    pub values: Vec<f64>,
}

impl FieldData {
    /// The rows of a dat that this rank owns, under a field's name; executes recorded loops.
    ///
    /// # Errors
    /// A device has failed.
    #[track_caller]
    pub fn owned(domain: &mut Domain, name: &str, dat: AnyDat) -> Result<FieldData, BackendError> {
        let set = dat.set();
        Ok(FieldData {
            name: name.into(),
            dim: dat.dim(),
            rows: domain.rows(set),
            values: dat.read_f64(domain)?,
            global_ids: domain.global_ids(set).to_vec(),
        })
    }
}

/// Values of a rank's block of rows in global order ([`Blocks`]). They are not those of the rows that the rank owns, in
/// their order, which [`Domain::read`] returns and [`Domain::write`] takes; on one rank both orders are the same.
/// [`crate::Field::write`] gives a dat the values of a block.
///
/// ```compile_fail,E0308
/// # use cfd_engine::prelude::*;
/// # fn wrong(domain: &mut Domain, u: Dat<1>, path: &std::path::Path) -> Result<(), cfd_io::IoError> {
/// let field = cfd_io::read_field(domain.comm(), path, "u")?;
/// domain.write(u, &field.block);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block(Vec<f64>);

impl Block {
    /// The values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The values, row by row.
    pub fn into_values(self) -> Vec<f64> {
        self.0
    }

    /// The values, to be changed.
    pub fn values_mut(&mut self) -> &mut Vec<f64> {
        &mut self.0
    }
}

impl From<Vec<f64>> for Block {
    /// The values of a block, in global order.
    fn from(values: Vec<f64>) -> Block {
        Block(values)
    }
}

impl FromIterator<f64> for Block {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Block {
        Block(values.into_iter().collect())
    }
}

/// This rank's block of a field. Collective.
///
/// # Panics
/// If the ranks together do not own every row exactly once.
pub fn to_blocks(comm: &Comm, field: &FieldData) -> Block {
    let FieldData { name, dim, rows, global_ids, values } = field;
    Block(block_of(comm, name, *dim, *rows, global_ids, values))
}

/// The same for values of any type.
pub(crate) fn block_of<T: Pod>(
    comm: &Comm,
    name: &str,
    dim: usize,
    rows: u64,
    global_ids: &[u64],
    values: &[T],
) -> Vec<T> {
    let what = format!("field `{name}`");
    rows_to_blocks(comm, &what, Blocks::new(rows, comm.size()), dim, global_ids, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rank r of p owns the rows congruent to r, in descending order.
    fn scattered(comm: &Comm, rows: u64) -> FieldData {
        let global_ids: Vec<u64> =
            (0..rows).rev().filter(|i| i % comm.size() as u64 == comm.rank() as u64).collect();
        let values = global_ids.iter().flat_map(|&i| [i as f64, -(i as f64)]).collect();
        FieldData { name: "q".into(), dim: 2, rows, global_ids, values }
    }

    #[test]
    fn rows_owned_anywhere_come_out_in_global_order() {
        for ranks in [1, 3, 8] {
            let block = |comm: Comm| to_blocks(&comm, &scattered(&comm, 5)).values().to_vec();
            let blocks = Comm::simulate(ranks, block);
            assert_eq!(blocks.concat(), (0..5).flat_map(|i| [i as f64, -(i as f64)]).collect::<Vec<_>>());
        }
    }

    #[test]
    #[should_panic(expected = "row 0 has no owner")]
    fn a_row_without_owner_is_noticed() {
        let field = FieldData { name: "q".into(), dim: 1, rows: 2, global_ids: vec![1], values: vec![0.0] };
        to_blocks(&Comm::single(), &field);
    }
}
