//! Norms of a field's difference.

use serde::Serialize;

/// A sum of squares that neither overflows nor underflows: scale^2 sum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Squares {
    scale: f64,
    sum: f64,
}

impl Squares {
    fn add(&mut self, value: f64) {
        let value = value.abs();
        if value > self.scale {
            let ratio = self.scale / value;
            self.sum = 1.0 + self.sum * ratio * ratio;
            self.scale = value;
        } else if value > 0.0 {
            let ratio = value / self.scale;
            self.sum += ratio * ratio;
        }
    }

    fn root(self) -> f64 {
        self.scale * self.sum.sqrt()
    }
}

/// The sums over finite pairs, value by value in file order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    weights: f64,
    absolute: f64,
    difference: Squares,
    a: Squares,
    b: Squares,
}

impl Sums {
    /// Adds a pair that counts as much as its weight.
    pub fn add(&mut self, a: f64, b: f64, weight: f64) {
        let root = weight.sqrt();
        self.weights += weight;
        self.a.add(a * root);
        self.b.add(b * root);
        if a != b {
            self.absolute += (a - b).abs() * weight;
            self.difference.add((a - b) * root);
        }
    }

    /// The norms of the pairs added so far.
    pub fn norms(&self) -> Norms {
        let count = if self.weights > 0.0 { self.weights } else { 1.0 };
        let (difference, of_fields) = (self.difference.root(), self.a.root().max(self.b.root()));
        Norms {
            l1: self.absolute / count,
            l2: difference / count.sqrt(),
            relative_l2: if difference > 0.0 { difference / of_fields } else { 0.0 },
        }
    }
}

/// Norms of the difference of two fields, over all values, or over the volume of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Norms {
    /// The mean of |a - b|.
    pub l1: f64,
    /// The root of the mean of (a - b)^2.
    pub l2: f64,
    /// The root of the sum of (a - b)^2, over that of the squares of the larger field.
    pub relative_l2: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(f64, f64)]) -> Norms {
        let mut sums = Sums::default();
        pairs.iter().for_each(|&(a, b)| sums.add(a, b, 1.0));
        sums.norms()
    }

    #[test]
    fn norms_are_means_over_all_values() {
        let norms = of(&[(1.0, 1.0), (2.0, 5.0), (0.0, -4.0), (2.0, 2.0)]);
        assert_eq!((norms.l1, norms.l2), (7.0 / 4.0, 2.5));
        assert!((norms.relative_l2 - 5.0 / (1.0f64 + 25.0 + 16.0 + 4.0).sqrt()).abs() < 1e-15);
        assert_eq!(of(&[]), Norms::default());
        assert_eq!(of(&[(3.0, 3.0)]), Norms::default());
    }

    #[test]
    fn a_weight_is_a_number_of_equal_pairs() {
        let mut weighted = Sums::default();
        weighted.add(1.0, 3.0, 2.0);
        weighted.add(-4.0, 1.0, 1.0);
        let (found, expected) = (weighted.norms(), of(&[(1.0, 3.0), (1.0, 3.0), (-4.0, 1.0)]));
        for (a, b) in
            [(found.l1, expected.l1), (found.l2, expected.l2), (found.relative_l2, expected.relative_l2)]
        {
            assert!((a - b).abs() < 1e-14, "{found:?}, {expected:?}");
        }
    }

    #[test]
    fn squares_of_any_size_neither_overflow_nor_vanish() {
        for scale in [1e300, 1e-300] {
            let norms = of(&[(3.0 * scale, 0.0), (0.0, 4.0 * scale)]);
            assert!((norms.l2 / scale - 12.5f64.sqrt()).abs() < 1e-14, "{norms:?}");
            assert!((norms.relative_l2 - 1.25).abs() < 1e-14, "{norms:?}");
        }
    }
}
