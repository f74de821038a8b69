use std::ops::{Add, Mul, Neg, Sub};

use num_bigint::BigInt;

/// mantissa 2^exponent, exactly.
#[derive(Clone, Debug)]
pub struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

impl From<f64> for Dyadic {
    fn from(value: f64) -> Dyadic {
        assert!(value.is_finite());
        let bits = value.to_bits();
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let power = ((bits >> 52) & 0x7ff) as i64;
        let size = if power == 0 { fraction } else { fraction | 1 << 52 };
        let mantissa = BigInt::from(if value < 0.0 { -size } else { size });
        Dyadic { mantissa, exponent: power.max(1) - 1075 }
    }
}

impl Dyadic {
    fn aligned(&self, exponent: i64) -> BigInt {
        &self.mantissa << (self.exponent - exponent) as u64
    }

    pub fn signum(&self) -> i32 {
        self.mantissa.sign() as i32 - num_bigint::Sign::NoSign as i32
    }

    /// To double precision.
    pub fn value(&self) -> f64 {
        let bits = self.mantissa.bits() as i64;
        let shift = (bits - 64).max(0);
        let leading = (&self.mantissa >> shift as u64).to_string().parse::<f64>().unwrap();
        let power = self.exponent + shift;
        let half = (power / 2) as i32;
        leading * 2f64.powi(half) * 2f64.powi((power - i64::from(half)) as i32)
    }

    pub fn det2(a: &Dyadic, b: &Dyadic, c: &Dyadic, d: &Dyadic) -> Dyadic {
        a.clone() * d.clone() - b.clone() * c.clone()
    }

    /// The integer part of self 2^bits.
    fn fixed(&self, bits: i64) -> BigInt {
        let by = self.exponent + bits;
        if by >= 0 { &self.mantissa << by as u64 } else { &self.mantissa >> (-by) as u64 }
    }
}

impl Add for Dyadic {
    type Output = Dyadic;
    fn add(self, other: Dyadic) -> Dyadic {
        let exponent = self.exponent.min(other.exponent);
        Dyadic { mantissa: self.aligned(exponent) + other.aligned(exponent), exponent }
    }
}

impl Neg for Dyadic {
    type Output = Dyadic;
    fn neg(self) -> Dyadic {
        Dyadic { mantissa: -self.mantissa, exponent: self.exponent }
    }
}

impl Sub for Dyadic {
    type Output = Dyadic;
    fn sub(self, other: Dyadic) -> Dyadic {
        self + -other
    }
}

impl Mul for Dyadic {
    type Output = Dyadic;
    fn mul(self, other: Dyadic) -> Dyadic {
        Dyadic { mantissa: self.mantissa * other.mantissa, exponent: self.exponent + other.exponent }
    }
}

/// Bits after the binary point.
const BITS: i64 = 300;

fn one() -> BigInt {
    BigInt::from(1) << BITS as u64
}

/// ln((1 + u) / (1 - u)) = 2 (u + u^3/3 + ...), |u| <= 1/3, in fixed point.
fn twice_atanh(u: &BigInt) -> BigInt {
    let square = (u * u) >> BITS as u64;
    let (mut power, mut sum) = (u.clone(), BigInt::from(0));
    for k in (1i64..400).step_by(2) {
        sum += &power / k;
        power = (&power * &square) >> BITS as u64;
    }
    sum * 2
}

/// ln(p / q), p >= q > 0, in fixed point.
fn ln_of_ratio(p: &BigInt, q: &BigInt) -> BigInt {
    let shift = p.bits() - q.bits();
    let scaled = q << shift;
    let u = ((p - &scaled) << BITS as u64) / (p + &scaled);
    let ln_2 = twice_atanh(&(one() / 3));
    twice_atanh(&u) + ln_2 * BigInt::from(shift)
}

/// The logarithmic mean of sqrt(p) and sqrt(q), to double precision.
pub fn log_mean_of_roots(p: &Dyadic, q: &Dyadic) -> f64 {
    let (p, q) = (p.fixed(2 * BITS).sqrt(), q.fixed(2 * BITS).sqrt());
    let (p, q) = if p < q { (q, p) } else { (p, q) };
    if p == q {
        return Dyadic { mantissa: p, exponent: -BITS }.value();
    }
    let quotient = ((&p - &q) << BITS as u64) / ln_of_ratio(&p, &q);
    Dyadic { mantissa: quotient, exponent: -BITS }.value()
}
