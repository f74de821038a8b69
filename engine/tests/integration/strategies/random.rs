//! Random numbers for meshes and values.

/// Numbers that depend only on a seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        // Knuth's linear congruential generator of 64 bits; its high bits are good enough for test data.
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// A value of either sign; magnitudes differ so much that the order of a sum shows.
    pub fn value(&mut self) -> f64 {
        let sign = if self.next().is_multiple_of(2) { 1.0 } else { -1.0 };
        let mantissa = 1.0 + self.next() as f64 / f64::from(1 << 31);
        sign * mantissa * 2f64.powi(self.below(24) as i32 - 12)
    }
}
