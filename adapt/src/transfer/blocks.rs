//! Values in the blocks of a mesh's input, for the vertices and elements now on each rank.

use cfd_engine::mesh::{Blocks, fetch_rows};

use super::FieldError;
use crate::mesh::{Identity, Input, MOST_CORNERS, Mesh};

/// An element's corners in ascending order.
type Key = [u64; MOST_CORNERS];

fn key(corners: impl Iterator<Item = u64>) -> Key {
    let mut key = [u64::MAX; MOST_CORNERS];
    key.iter_mut().zip(corners).for_each(|(k, c)| *k = c);
    key.sort_unstable();
    key
}

impl<const D: usize> Mesh<D> {
    /// Values by local vertex number from values by vertex of the input: `values` has `dim` for each vertex of this
    /// rank's block of a mesh that has not been adapted; 0 for vertices of other ranks. Collective.
    ///
    /// # Errors
    /// A wrong number of values, or vertices that are not the input's; the same on all ranks.
    pub fn vertex_values_of(
        &self,
        input: &Input<D>,
        dim: usize,
        values: &[f64],
    ) -> Result<Vec<f64>, FieldError> {
        self.comm.agree(check_count("vertices", values.len(), input.positions.len(), dim))?;
        let own: Vec<u32> = self.local.own_vertices().collect();
        let identities: Vec<Identity> = own.iter().map(|&v| self.local.identity(v)).collect();
        let rows: Vec<u64> = self.rows_in(input, &identities).into_iter().flatten().collect();
        self.comm.agree(require(rows.len() == own.len(), || "a vertex is not one of the input's".into()))?;
        let blocks = Blocks::new(input.rows[0], self.comm.size());
        let fetched = fetch_rows(&self.comm, blocks, dim, values, &rows);
        Ok(spread(self.local.vertices.len(), dim, &own, &fetched))
    }

    /// Values by local element number from values by element of the input: `values` has `dim` for each element of this
    /// rank's block of a mesh that has not been adapted; 0 for elements of other ranks. Collective.
    ///
    /// # Errors
    /// A wrong number of values, or elements that are not the input's; the same on all ranks.
    pub fn cell_values_of(
        &self,
        input: &Input<D>,
        dim: usize,
        values: &[f64],
    ) -> Result<Vec<f64>, FieldError> {
        let elements = input.elements.chunks_exact(D + 1);
        self.comm.agree(check_count("elements", values.len(), elements.len(), dim))?;
        let own: Vec<u32> = self.local.own_elements().collect();
        let corners = |&e: &u32| self.local.elements.corners(e).iter();
        let identities: Vec<Identity> =
            own.iter().flat_map(corners).map(|&c| self.local.identity(c)).collect();
        let numbers = self.rows_in(input, &identities);
        let known = numbers.iter().all(Option::is_some);
        self.comm.agree(require(known, || "an element has a vertex that is not the input's".into()))?;
        let numbers: Vec<u64> = numbers.into_iter().flatten().collect();
        let wanted: Vec<Key> = numbers.chunks_exact(D + 1).map(|e| key(e.iter().copied())).collect();
        let given: Vec<Key> = elements.map(|element| key(element.iter().copied())).collect();
        let rows = self.rows_of(input, &given, &wanted)?;
        let blocks = Blocks::new(input.rows[1], self.comm.size());
        let fetched = fetch_rows(&self.comm, blocks, dim, values, &rows);
        Ok(spread(self.local.elements.len(), dim, &own, &fetched))
    }

    /// The vertices' rows in the input, if they have one. Collective.
    fn rows_in(&self, input: &Input<D>, identities: &[Identity]) -> Vec<Option<u64>> {
        let row = |row: Option<u64>| row.filter(|&row| row < input.rows[0]);
        self.input_rows(identities).into_iter().map(row).collect()
    }

    /// The elements' rows in the input, of which `given` are this rank's block; elements meet at the rank with the
    /// block of their smallest vertex. Collective.
    fn rows_of(&self, input: &Input<D>, given: &[Key], wanted: &[Key]) -> Result<Vec<u64>, FieldError> {
        let homes = Blocks::new(input.rows[0], self.comm.size());
        let first = Blocks::new(input.rows[1], self.comm.size()).range(self.comm.rank()).start;
        let mut offers: Vec<Vec<(Key, u64)>> = vec![Vec::new(); self.comm.size()];
        (first..).zip(given).for_each(|(row, &key)| offers[homes.owner(key[0])].push((key, row)));
        let words = |offers: Vec<(Key, u64)>| -> Vec<[u64; MOST_CORNERS + 1]> {
            let word =
                |(key, row): (Key, u64)| std::array::from_fn(|i| if i == 0 { row } else { key[i - 1] });
            offers.into_iter().map(word).collect()
        };
        let offered = self.comm.all_to_all(offers.into_iter().map(words).collect());
        let mut rows: Vec<(Key, u64)> =
            offered.concat().iter().map(|word| (key(word[1..].iter().copied()), word[0])).collect();
        rows.sort_unstable();
        let mut questions: Vec<Vec<Key>> = vec![Vec::new(); self.comm.size()];
        wanted.iter().for_each(|&key| questions[homes.owner(key[0])].push(key));
        let find = |key: &Key| rows.binary_search_by_key(key, |row| row.0).map_or(u64::MAX, |at| rows[at].1);
        let answers: Vec<Vec<u64>> =
            self.comm.all_to_all(questions).iter().map(|keys| keys.iter().map(find).collect()).collect();
        let mut answers: Vec<_> = self.comm.all_to_all(answers).into_iter().map(Vec::into_iter).collect();
        let mut next = |key: &Key| answers[homes.owner(key[0])].next().expect("an answer for each question");
        let rows: Vec<u64> = wanted.iter().map(&mut next).collect();
        let known = rows.iter().all(|&row| row != u64::MAX);
        self.comm.agree(require(known, || "an element is not one of the input's".into()))?;
        Ok(rows)
    }
}

fn require(holds: bool, what: impl FnOnce() -> String) -> Result<(), FieldError> {
    if holds { Ok(()) } else { Err(FieldError::Blocks { what: what() }) }
}

fn check_count(what: &str, values: usize, rows: usize, dim: usize) -> Result<(), FieldError> {
    require(values == rows * dim, || {
        format!("{values} values for a block of {rows} {what} with {dim} values each")
    })
}

/// Rows at their local numbers.
fn spread(len: usize, dim: usize, numbers: &[u32], rows: &[f64]) -> Vec<f64> {
    let mut values = vec![0.0; len * dim];
    if dim > 0 {
        for (&i, row) in numbers.iter().zip(rows.chunks_exact(dim)) {
            values[i as usize * dim..][..dim].copy_from_slice(row);
        }
    }
    values
}
