//! Fields that are conserved at nodes: what elements hold of them.
//!
//! ```text
//! part      a corner's part of an element's measure
//! linear    linear functions within elements, and their bounds
//! carry     what a cavity's new elements receive
//! add       from vertices to the corners of the elements around them
//! read      back to the vertices
//! ```
//!
//! An element holds a value for each of its corners, in the order of its corners, and not a mean value and a gradient: as
//! long as no operation touches an element, its corners have the very values that the vertices had, however much these
//! differ. An exact field holds the corners' masses as whole numbers of units, two columns each: a mesh has elements so
//! small that their masses in a single word would have only a few digits.

mod add;
mod carry;
mod linear;
mod part;
mod read;

/// Whether the components of a field may have these values together.
pub type Admits = fn(&[f64]) -> bool;

/// What is known of a field that is conserved at nodes.
#[derive(Clone, Debug)]
pub(crate) struct Nodal {
    /// Corners of an element.
    pub corners: usize,
    /// The unit of each component's mass, if it is exact.
    pub units: Vec<f64>,
    /// What its values must be, if anything.
    pub admits: Option<Admits>,
}

impl Nodal {
    #[inline]
    fn is_exact(&self) -> bool {
        !self.units.is_empty()
    }

    /// Numbers that an element holds of a field of `dim` components.
    #[inline]
    pub fn columns(&self, dim: usize) -> usize {
        let each = if self.is_exact() { 2 } else { 1 };
        dim * self.corners * each
    }

    /// A component's mass at a corner in whole units, from the numbers that an element of an exact field holds.
    fn units(&self, row: &[f64], component: usize, corner: usize) -> i128 {
        let at = 2 * (component * self.corners + corner);
        let [low, high] = [row[at], row[at + 1]].map(|word| u128::from(word.to_bits()));
        (high << 64 | low) as i128
    }

    fn put_units(&self, row: &mut [f64], component: usize, corner: usize, units: i128) {
        let at = 2 * (component * self.corners + corner);
        row[at] = f64::from_bits(units as u64);
        row[at + 1] = f64::from_bits((units >> 64) as u64);
    }

    /// A component's value at a corner, whose part of the element has this measure.
    #[inline]
    fn value(&self, row: &[f64], component: usize, corner: usize, part: f64) -> f64 {
        match self.units.get(component) {
            None => row[component * self.corners + corner],
            // Of no measure, there is no mass.
            Some(_) if part == 0.0 => 0.0,
            Some(unit) => self.units(row, component, corner) as f64 * unit / part,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_any_sign_and_size_are_read_as_they_were_put() {
        let nodal = Nodal { corners: 3, units: vec![1.0, 0.5], admits: None };
        let mut row = vec![0.0; nodal.columns(2)];
        let all = [0, 1, -1, 1 << 70, -(1 << 100) + 7, i128::from(u64::MAX)];
        for (i, &units) in all.iter().enumerate() {
            nodal.put_units(&mut row, i / 3, i % 3, units);
        }
        for (i, &units) in all.iter().enumerate() {
            assert_eq!(nodal.units(&row, i / 3, i % 3), units);
        }
        assert_eq!(nodal.value(&row, 1, 0, 4.0), (1u128 << 67) as f64);
    }
}
