//! Sums and products with their errors.
//!
//! Source: Dekker, "A floating-point technique for extending the available precision", Numerische Mathematik 18, 1971,
//! DOI 10.1007/BF01397083.

/// high + low, |low| <= about ulp(high) / 2: a number of about 104 bits.
#[derive(Clone, Copy)]
pub(super) struct Double {
    high: f64,
    low: f64,
}

/// a + b exactly.
#[inline]
fn two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let of_b = high - a;
    Double { high, low: (a - (high - of_b)) + (b - of_b) }
}

/// a + b exactly, for |a| >= |b| or a = 0.
#[inline]
fn ordered_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

/// a as a sum of two numbers of 26 bits, for |a| below 2^996.
#[inline]
fn halves(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let scaled = SPLITTER * a;
    let upper = scaled - (scaled - a);
    (upper, a - upper)
}

impl Double {
    /// a b exactly, unless it or its error leaves the range of normal numbers.
    #[inline]
    pub fn product(a: f64, b: f64) -> Double {
        let high = a * b;
        let ((au, al), (bu, bl)) = (halves(a), halves(b));
        Double { high, low: al * bl - (((high - au * bu) - al * bu) - au * bl) }
    }

    /// The sum, to about 2^-102 of the greater term.
    #[inline]
    pub fn plus(self, other: Double) -> Double {
        let sum = two_sum(self.high, other.high);
        ordered_sum(sum.high, sum.low + (self.low + other.low))
    }

    /// The difference, to about 2^-102 of the greater term.
    #[inline]
    pub fn minus(self, other: Double) -> Double {
        self.plus(Double { high: -other.high, low: -other.low })
    }

    /// The product, to about 2^-102 of it.
    #[inline]
    pub fn times(self, factor: f64) -> Double {
        let product = Double::product(self.high, factor);
        ordered_sum(product.high, product.low + self.low * factor)
    }

    /// The nearest double.
    #[inline]
    pub fn value(self) -> f64 {
        self.high + self.low
    }
}
