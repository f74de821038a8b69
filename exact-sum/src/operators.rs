//! Sums and dot products with the traits of numbers and of collections.

use core::iter::Sum;
use core::ops::{AddAssign, SubAssign};

use crate::dot::ExactDot;
use crate::exact::ExactSum;

/// Terms that are collected before they are added.
const BLOCK: usize = 256;

/// Passes the items of an iterator on in slices.
fn in_blocks<T: Copy + Default>(items: impl IntoIterator<Item = T>, mut add: impl FnMut(&[T])) {
    let mut block = [T::default(); BLOCK];
    let mut filled = 0;
    for item in items {
        block[filled] = item;
        filled += 1;
        if filled == BLOCK {
            add(&block);
            filled = 0;
        }
    }
    add(&block[..filled]);
}

/// Numbers by value and by reference; pairs of them are products.
macro_rules! collections {
    ($($number:ty, $as_f64:expr, $add:ident;)*) => {$(
        impl Extend<$number> for ExactSum {
            /// Adds all terms: those of every third place, say, with `sum.extend(x.iter().step_by(3))`.
            fn extend<I: IntoIterator<Item = $number>>(&mut self, terms: I) {
                in_blocks(terms, |terms| self.$add(terms));
            }
        }

        impl<'a> Extend<&'a $number> for ExactSum {
            fn extend<I: IntoIterator<Item = &'a $number>>(&mut self, terms: I) {
                self.extend(terms.into_iter().copied());
            }
        }

        impl FromIterator<$number> for ExactSum {
            fn from_iter<I: IntoIterator<Item = $number>>(terms: I) -> ExactSum {
                let mut sum = ExactSum::new();
                sum.extend(terms);
                sum
            }
        }

        impl<'a> FromIterator<&'a $number> for ExactSum {
            fn from_iter<I: IntoIterator<Item = &'a $number>>(terms: I) -> ExactSum {
                terms.into_iter().copied().collect()
            }
        }

        impl Sum<$number> for ExactSum {
            fn sum<I: Iterator<Item = $number>>(terms: I) -> ExactSum {
                terms.collect()
            }
        }

        impl<'a> Sum<&'a $number> for ExactSum {
            fn sum<I: Iterator<Item = &'a $number>>(terms: I) -> ExactSum {
                terms.collect()
            }
        }

        impl From<$number> for ExactSum {
            fn from(term: $number) -> ExactSum {
                let mut sum = ExactSum::new();
                sum += term;
                sum
            }
        }

        impl AddAssign<$number> for ExactSum {
            fn add_assign(&mut self, term: $number) {
                self.add($as_f64(term));
            }
        }

        impl SubAssign<$number> for ExactSum {
            fn sub_assign(&mut self, term: $number) {
                self.subtract($as_f64(term));
            }
        }

        impl Extend<($number, $number)> for ExactDot {
            /// Adds all products of two numbers.
            fn extend<I: IntoIterator<Item = ($number, $number)>>(&mut self, products: I) {
                in_blocks(products, |products| {
                    let mut factors = [[0.0; BLOCK]; 2];
                    let [a, b] = factors.each_mut().map(|factors| &mut factors[..products.len()]);
                    for (i, &(of_a, of_b)) in products.iter().enumerate() {
                        (a[i], b[i]) = ($as_f64(of_a), $as_f64(of_b));
                    }
                    self.add_products(a, b);
                });
            }
        }

        impl FromIterator<($number, $number)> for ExactDot {
            fn from_iter<I: IntoIterator<Item = ($number, $number)>>(products: I) -> ExactDot {
                let mut dot = ExactDot::new();
                dot.extend(products);
                dot
            }
        }
    )*};
}

collections! {
    f64, f64::from, add_slice;
    f32, f64::from, add_f32_slice;
}

impl AddAssign<&ExactSum> for ExactSum {
    fn add_assign(&mut self, other: &ExactSum) {
        self.merge(other);
    }
}

impl SubAssign<&ExactSum> for ExactSum {
    fn sub_assign(&mut self, other: &ExactSum) {
        self.subtract_sum(other);
    }
}

impl Sum<ExactSum> for ExactSum {
    fn sum<I: Iterator<Item = ExactSum>>(sums: I) -> ExactSum {
        sums.fold(ExactSum::new(), |mut total, sum| {
            total.merge(&sum);
            total
        })
    }
}

/// Equal totals, whatever the terms. Two sums with a NaN, or with the same infinities, are equal: they are the same sum.
impl PartialEq for ExactSum {
    fn eq(&self, other: &ExactSum) -> bool {
        self.words() == other.words()
    }
}

impl Eq for ExactSum {}

impl AddAssign<&ExactDot> for ExactDot {
    fn add_assign(&mut self, other: &ExactDot) {
        self.merge(other);
    }
}

impl SubAssign<&ExactDot> for ExactDot {
    fn sub_assign(&mut self, other: &ExactDot) {
        self.subtract_dot(other);
    }
}

impl Sum<ExactDot> for ExactDot {
    fn sum<I: Iterator<Item = ExactDot>>(dots: I) -> ExactDot {
        dots.fold(ExactDot::new(), |mut total, dot| {
            total.merge(&dot);
            total
        })
    }
}

/// Equal totals, as for sums.
impl PartialEq for ExactDot {
    fn eq(&self, other: &ExactDot) -> bool {
        self.words() == other.words()
    }
}

impl Eq for ExactDot {}
