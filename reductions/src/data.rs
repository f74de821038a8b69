//! What is summed: one number per rank, in any number of data sets.

use exact_sum::ExactSum;

use crate::random::draw;

/// Synthetic numbers, determined by a seed, the set and the rank. With U uniform in [0, 1), the upper 53 bits of
/// [`draw`]:
///
/// ```text
/// positive    x = 10^(3 U)             three decades, of one sign
/// signed      x = ±10^(16 U - 8)       sixteen decades; the lowest bit decides the sign
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synthetic {
    /// Three decades, of one sign.
    Positive,
    /// Sixteen decades, of both signs.
    Signed,
}

impl Synthetic {
    /// Both.
    pub const ALL: [Synthetic; 2] = [Synthetic::Positive, Synthetic::Signed];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Synthetic::Positive => "positive",
            Synthetic::Signed => "signed",
        }
    }

    /// The number of a rank.
    pub fn number(self, seed: u64, set: u64, rank: u64) -> f64 {
        let bits = draw(seed, set, rank);
        let uniform = (bits >> 11) as f64 * 2f64.powi(-53);
        match self {
            Synthetic::Positive => same_math::powf(10.0, 3.0 * uniform),
            Synthetic::Signed => {
                let magnitude = same_math::powf(10.0, 16.0 * uniform - 8.0);
                if bits & 1 == 0 { magnitude } else { -magnitude }
            }
        }
    }
}

/// Terms that a program has summed, such as the squares in a residual, cut into parts as if by its ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    terms: Vec<f64>,
}

impl Terms {
    /// Terms in order; all finite.
    pub fn new(terms: Vec<f64>) -> Terms {
        Terms { terms }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The sum of all, rounded once.
    pub fn exact(&self) -> f64 {
        let mut sum = ExactSum::new();
        sum.add_slice(&self.terms);
        sum.value()
    }

    /// Partial sums of `parts.len()` parts of consecutive terms, added one after the other from +0. Part p of P begins
    /// at term floor(p n / P), shifted by `offset`, and the last part continues at the first term.
    pub fn sum_parts(&self, offset: usize, parts: &mut [f64]) {
        let (count, terms) = (parts.len() as u128, self.terms.len());
        let border = |part: usize| (part as u128 * terms as u128 / count) as usize;
        for part in 0..parts.len() {
            let indices = border(part)..border(part + 1);
            parts[part] = indices.map(|term| self.terms[(term + offset) % terms]).fold(0.0, |sum, x| sum + x);
        }
    }

    /// Among `sets` ways to cut the terms into this many parts: the number of those in which the exact sum of the
    /// rounded partial sums is not the exact sum of all terms.
    pub fn parts_that_differ(&self, parts: u32, sets: u64) -> u64 {
        let total = self.exact().to_bits();
        let mut sums = vec![0.0; parts as usize];
        let part = self.terms.len() as u64 / u64::from(parts);
        let differs = |set: &u64| {
            self.sum_parts((set * part / sets) as usize, &mut sums);
            let mut exact = ExactSum::new();
            exact.add_slice(&sums);
            exact.value().to_bits() != total
        };
        (0..sets).filter(differs).count() as u64
    }

    /// Number of ways to cut the terms into this many parts, each shifted by the same number of terms: at most
    /// `wanted`, and one per term of a part.
    pub fn cuts(&self, parts: u32, wanted: u64) -> u64 {
        wanted.min(self.terms.len() as u64 / u64::from(parts)).max(1)
    }
}

/// The source of the numbers.
#[derive(Clone, Debug)]
pub enum Source {
    /// Synthetic numbers, by a seed.
    Synthetic(Synthetic, u64),
    /// Partial sums of these terms; every set is cut in its own way.
    Terms(Terms),
}

impl Source {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Source::Synthetic(kind, _) => kind.name(),
            Source::Terms(_) => "terms",
        }
    }

    /// The number of sets on this many ranks, at most `wanted`.
    pub fn sets(&self, ranks: u32, wanted: u64) -> u64 {
        match self {
            Source::Synthetic(..) => wanted,
            Source::Terms(terms) => terms.cuts(ranks, wanted),
        }
    }

    /// The numbers of all ranks in set `set` of `sets`.
    pub fn fill(&self, set: u64, sets: u64, numbers: &mut [f64]) {
        match self {
            Source::Synthetic(kind, seed) => {
                for (rank, number) in numbers.iter_mut().enumerate() {
                    *number = kind.number(*seed, set, rank as u64);
                }
            }
            Source::Terms(terms) => {
                let part = terms.len() as u64 / numbers.len() as u64;
                terms.sum_parts((set * part / sets) as usize, numbers);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synthetic_numbers_fill_their_decades() {
        let numbers = |kind: Synthetic| (0..4000).map(move |rank| kind.number(7, 3, rank));
        assert!(numbers(Synthetic::Positive).all(|x| (1.0..1000.0).contains(&x)));
        assert!(numbers(Synthetic::Signed).all(|x| (1e-8..1e8).contains(&x.abs())));
        let below = |limit: f64| numbers(Synthetic::Positive).filter(|&x| x < limit).count();
        for (limit, share) in [(10.0, 1.0 / 3.0), (100.0, 2.0 / 3.0)] {
            let found = below(limit) as f64 / 4000.0;
            assert!((found - share).abs() < 0.03, "{found} of the numbers are below {limit}");
        }
        let positive = numbers(Synthetic::Signed).filter(|&x| x > 0.0).count();
        assert!((1900..2100).contains(&positive), "{positive} of 4000");
        let small = numbers(Synthetic::Signed).filter(|&x| x.abs() < 1.0).count();
        assert!(
            (1880..2120).contains(&small),
            "sign and magnitude have nothing to do with each other: {small}"
        );
    }

    #[test]
    fn parts_are_of_consecutive_terms_and_hold_each_once() {
        let terms = Terms::new((0..10).map(|k| f64::from(1 << k)).collect());
        let mut parts = [0.0; 3];
        terms.sum_parts(0, &mut parts);
        assert_eq!(parts, [7.0, 56.0, 960.0]);
        terms.sum_parts(2, &mut parts);
        assert_eq!(parts, [28.0, 224.0, 771.0]);
        assert_eq!(terms.exact(), 1023.0);
        assert_eq!(terms.parts_that_differ(3, 3), 0);
        let rounded = Terms::new(vec![1.0, 2f64.powi(-53), 2f64.powi(-53), -1.0]);
        assert_eq!((rounded.parts_that_differ(2, 1), rounded.parts_that_differ(4, 1)), (1, 0));
        assert_eq!((terms.cuts(3, 100), terms.cuts(3, 2), terms.cuts(10, 100)), (3, 2, 1));
    }

    #[test]
    fn every_set_of_given_terms_has_its_own_cuts() {
        let source = Source::Terms(Terms::new((0..64).map(|k| f64::from(k) + 0.5).collect()));
        assert_eq!(source.sets(8, 100), 8);
        let firsts: Vec<f64> = (0..8)
            .map(|set| {
                let mut parts = [0.0; 8];
                source.fill(set, 8, &mut parts);
                assert_eq!(parts.iter().sum::<f64>(), 2048.0);
                parts[0]
            })
            .collect();
        assert_eq!(firsts, [32.0, 40.0, 48.0, 56.0, 64.0, 72.0, 80.0, 88.0]);
    }
}
