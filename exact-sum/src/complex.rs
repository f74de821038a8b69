//! Complex numbers: both parts are summed exactly, and each is rounded once.

use crate::dot::ExactDot;
use crate::exact::ExactSum;

/// The exact sum of complex numbers, each an array of its real and its imaginary part.
///
/// ```
/// use exact_sum::ComplexSum;
///
/// let mut sum = ComplexSum::new();
/// sum.add_slice(&[[1e300, 1.0], [2.0, 1e300], [-1e300, -1e300]]);
/// assert_eq!(sum.value(), [2.0, 1.0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct ComplexSum {
    /// The sum of the real parts.
    pub re: ExactSum,
    /// The sum of the imaginary parts.
    pub im: ExactSum,
}

impl ComplexSum {
    /// An empty sum: zero.
    pub const fn new() -> ComplexSum {
        ComplexSum { re: ExactSum::new(), im: ExactSum::new() }
    }

    /// Adds a term.
    pub fn add(&mut self, [re, im]: [f64; 2]) {
        self.re.add(re);
        self.im.add(im);
    }

    /// Adds all terms.
    pub fn add_slice(&mut self, terms: &[[f64; 2]]) {
        self.re.extend(terms.iter().map(|term| term[0]));
        self.im.extend(terms.iter().map(|term| term[1]));
    }

    /// Adds all terms that `other` has received.
    pub fn merge(&mut self, other: &ComplexSum) {
        self.re.merge(&other.re);
        self.im.merge(&other.im);
    }

    /// The sum so far, each part rounded once.
    pub fn value(&self) -> [f64; 2] {
        [self.re.value(), self.im.value()]
    }
}

/// The exact sum of products of complex numbers, each an array of its real and its imaginary part.
///
/// ```
/// use exact_sum::ComplexDot;
///
/// let mut dot = ComplexDot::new();
/// dot.add_products(&[[1.0, 2.0]], &[[3.0, 4.0]]);
/// assert_eq!(dot.value(), [-5.0, 10.0]);
/// dot.add_conjugate_products(&[[1.0, 2.0]], &[[3.0, 4.0]]);
/// assert_eq!(dot.value(), [6.0, 8.0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct ComplexDot {
    /// The sum of the real parts.
    pub re: ExactDot,
    /// The sum of the imaginary parts.
    pub im: ExactDot,
}

impl ComplexDot {
    /// An empty sum: zero.
    pub const fn new() -> ComplexDot {
        ComplexDot { re: ExactDot::new(), im: ExactDot::new() }
    }

    /// Adds the products a_i b_i.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn add_products(&mut self, a: &[[f64; 2]], b: &[[f64; 2]]) {
        self.add_signed(a, b, 1.0);
    }

    /// Adds the products of the conjugates of the a_i with the b_i.
    ///
    /// # Panics
    /// If the two slices differ in length.
    pub fn add_conjugate_products(&mut self, a: &[[f64; 2]], b: &[[f64; 2]]) {
        self.add_signed(a, b, -1.0);
    }

    fn add_signed(&mut self, a: &[[f64; 2]], b: &[[f64; 2]], sign: f64) {
        assert_eq!(a.len(), b.len(), "a product has two factors");
        let pairs = || a.iter().zip(b);
        self.re.extend(pairs().map(|(a, b)| (a[0], b[0])));
        self.re.extend(pairs().map(|(a, b)| (-sign * a[1], b[1])));
        self.im.extend(pairs().map(|(a, b)| (a[0], b[1])));
        self.im.extend(pairs().map(|(a, b)| (sign * a[1], b[0])));
    }

    /// Adds all products that `other` has received.
    pub fn merge(&mut self, other: &ComplexDot) {
        self.re.merge(&other.re);
        self.im.merge(&other.im);
    }

    /// The sum so far, each part rounded once.
    pub fn value(&self) -> [f64; 2] {
        [self.re.value(), self.im.value()]
    }
}
