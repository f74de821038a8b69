use exact_sum::ExactSum;
use std::hint::black_box;
use std::time::Instant;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let binades: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let secs: f64 = 1.0;
    let mut s = 1u64;
    let mut r = || {
        s ^= s >> 12;
        s ^= s << 25;
        s ^= s >> 27;
        s.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    let t: Vec<f64> = (0..n)
        .map(|_| {
            let e = 1023 - binades / 2 + (r() >> 20) % binades;
            f64::from_bits(r() & (1 << 63 | ((1 << 52) - 1)) | e << 52)
        })
        .collect();
    let mut sum = ExactSum::new();
    let a = Instant::now();
    let mut k = 0;
    while a.elapsed().as_secs_f64() < secs {
        for _ in 0..100 {
            sum.add_slice(black_box(&t));
        }
        k += 100;
    }
    println!("{:.2} ns", a.elapsed().as_secs_f64() * 1e9 / (k as f64 * n as f64));
    black_box(sum.value());
}
