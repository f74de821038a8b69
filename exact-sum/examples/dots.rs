use exact_sum::{BinnedSum, ExactDot};
use std::hint::black_box;
use std::time::Instant;
fn main() {
    let mut s = 1u64;
    let mut r = || {
        s ^= s >> 12;
        s ^= s << 25;
        s ^= s >> 27;
        s.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    for (n, binades) in [(100, 1), (1000, 1), (1000, 20), (1000, 40), (4096, 40), (4096, 100), (4096, 800)] {
        let mut t = || -> Vec<f64> {
            (0..n)
                .map(|_| {
                    let e = 1023 - binades / 2 + (r() >> 20) % binades;
                    f64::from_bits(r() & (1 << 63 | ((1 << 52) - 1)) | e << 52)
                })
                .collect()
        };
        let (a, b) = (t(), t());
        let (mut best, mut bin) = (1e9f64, 1e9f64);
        let mut dot = ExactDot::new();
        for _ in 0..1000 {
            let t = Instant::now();
            dot.add_products(black_box(&a), black_box(&b));
            best = best.min(t.elapsed().as_secs_f64() * 1e9 / n as f64);
            let t = Instant::now();
            let mut q = BinnedSum::new();
            q.add_slice(black_box(&a));
            black_box(q.value());
            bin = bin.min(t.elapsed().as_secs_f64() * 1e9 / n as f64);
        }
        println!("{n} {binades}: dot {best:.2} new binned {bin:.2} {:x}", dot.value().to_bits());
    }
}
