use cfd_adapt::tensor::{Eigen, Tensor};

/// Fewer cases in builds without optimisation.
pub const CASES: usize = if cfg!(debug_assertions) { 20_000 } else { 1_000_000 };

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform between low and high.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.word() >> 11) as f64 / (1u64 << 53) as f64)
    }

    pub fn vector<const D: usize>(&mut self) -> [f64; D] {
        std::array::from_fn(|_| self.uniform(-1.0, 1.0))
    }

    /// Orthonormal, by Gram-Schmidt twice; an eighth of them along the axes or nearly so.
    pub fn frame<const D: usize>(&mut self) -> [[f64; D]; D] {
        let near_axes = self.word().is_multiple_of(8);
        let tilt = [0.0, 1e-9, 1e-4, 0.1][self.word() as usize % 4];
        let mut frame = [[0.0; D]; D];
        for i in 0..D {
            let random: [f64; D] = self.vector();
            let mut v: [f64; D] = if near_axes {
                std::array::from_fn(|j| f64::from(i == j) + tilt * random[j])
            } else {
                random
            };
            for _ in 0..2 {
                for done in &frame[..i] {
                    let dot: f64 = (0..D).map(|k| v[k] * done[k]).sum();
                    v = std::array::from_fn(|k| v[k] - dot * done[k]);
                }
                let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
                v = v.map(|x| x / size);
            }
            frame[i] = v;
        }
        frame
    }

    /// Positive definite with sizes between 1/aspect and 1, times a power of ten.
    pub fn metric<const D: usize>(&mut self, aspect: f64) -> Tensor<D> {
        let scale = 10f64.powi((self.word() % 9) as i32 - 2);
        let exponent = aspect.log10();
        let values = std::array::from_fn(|_| scale * 10f64.powf(2.0 * self.uniform(0.0, exponent)));
        Tensor::from_eigen(&Eigen { values, vectors: self.frame() })
    }
}

/// The greatest entry's magnitude.
pub fn size<const D: usize>(m: &Tensor<D>) -> f64 {
    m.0.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// The greatest difference of entries, relative to the greatest entry.
pub fn distance<const D: usize>(a: &Tensor<D>, b: &Tensor<D>) -> f64 {
    size(&a.plus(-1.0, b)) / size(a).max(size(b))
}

/// All entries, as bits.
pub fn bits<const D: usize>(m: &Tensor<D>) -> Vec<u64> {
    m.0.iter().flatten().map(|x| x.to_bits()).collect()
}
