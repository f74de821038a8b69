//! Distributions of nodes along a line, between 0 and 1.
//!
//! After M. Vinokur, "On one-dimensional stretching functions for finite-difference calculations", J. Comput. Phys. 50
//! (1983), DOI 10.1016/0021-9991(83)90065-7, with parameters for which the steps at the ends are exactly those asked for.

/// The place between 0 and 1 at which a monotonic function from negative to positive changes its sign, between `low` and
/// `high`.
pub(super) fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
}

/// Steps that grow from one end: t(s) = sinh(b s) / sinh(b).
#[derive(Clone, Copy, Debug)]
pub(super) struct OneSided {
    b: f64,
}

impl OneSided {
    /// So many steps, of which the first is `first`; equal ones if these would be smaller.
    pub(super) fn new(first: f64, steps: u64) -> OneSided {
        let steps = steps as f64;
        if first * steps >= 1.0 {
            return OneSided { b: 0.0 };
        }
        // Beyond, sinh is infinite.
        const MOST: f64 = 700.0;
        let b = root(0.0, MOST, |b| first - same_math::sinh(b / steps) / same_math::sinh(b));
        OneSided { b }
    }

    /// The place of the share `s` of all steps.
    pub(super) fn at(&self, s: f64) -> f64 {
        if self.b == 0.0 { s } else { same_math::sinh(self.b * s) / same_math::sinh(self.b) }
    }
}

/// Steps that grow by the same factor from one end: t(s) = (e^(b s) - 1) / (e^b - 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometric {
    b: f64,
}

impl Geometric {
    /// So many steps, of which the first is `first`; equal ones if these would be smaller.
    pub(super) fn new(first: f64, steps: u64) -> Geometric {
        let steps = steps as f64;
        if first * steps >= 1.0 {
            return Geometric { b: 0.0 };
        }
        // Beyond, the exponential function is infinite.
        const MOST: f64 = 700.0;
        let b = root(0.0, MOST, |b| first - same_math::exp_m1(b / steps) / same_math::exp_m1(b));
        Geometric { b }
    }

    /// The place of the share `s` of all steps.
    pub(super) fn at(&self, s: f64) -> f64 {
        if self.b == 0.0 { s } else { same_math::exp_m1(self.b * s) / same_math::exp_m1(self.b) }
    }
}

/// Steps that grow from both ends: t = r / (a + (1 - a) r), r(s) = (1 + tanh(b (s - 1/2)) / tanh(b/2)) / 2.
#[derive(Clone, Copy, Debug)]
pub(super) struct BothSides {
    a: f64,
    b: f64,
}

impl BothSides {
    /// So many steps, of which the first and the last are `first`; equal ones if these would be smaller.
    pub(super) fn new(first: f64, steps: u64) -> BothSides {
        BothSides::of(first, first, steps)
    }

    /// So many steps, of which these are the first and the last; with b = 0 if other steps would be smaller.
    pub(super) fn of(first: f64, last: f64, steps: u64) -> BothSides {
        // Of t and 1 - t at the first and the last step, where r and 1 - r are the same.
        let a = (last / first * ((1.0 - first) / (1.0 - last))).sqrt();
        let step = first * a / (1.0 - first * (1.0 - a));
        let steps = steps as f64;
        if step * steps >= 1.0 {
            return BothSides { a, b: 0.0 };
        }
        const MOST: f64 = 36.0;
        let b = root(0.0, MOST, |b| step - BothSides { a: 1.0, b }.at(1.0 / steps));
        BothSides { a, b }
    }

    /// The place of the share `s` of all steps.
    pub(super) fn at(&self, s: f64) -> f64 {
        let r = if self.b == 0.0 {
            s
        } else {
            0.5 * (1.0 + same_math::tanh(self.b * (s - 0.5)) / same_math::tanh(0.5 * self.b))
        };
        r / (self.a + (1.0 - self.a) * r)
    }
}

/// Steps that grow ever faster towards the far end: t(s) = 1 / (p cot(a s) + q).
#[derive(Clone, Copy, Debug)]
pub(super) struct Growing {
    a: f64,
    p: f64,
    q: f64,
}

impl Growing {
    /// So many steps, of which the first and the last are these: the first below, the last above the mean.
    pub(super) fn new(first: f64, last: f64, steps: u64) -> Growing {
        let steps = steps as f64;
        assert!(first * steps < 1.0 && last * steps > 1.0, "steps grow");
        let of = |a: f64| {
            let cot = |s: f64| 1.0 / same_math::tan(a * s);
            let p = (1.0 / first - 1.0) / (cot(1.0 / steps) - cot(1.0));
            Growing { a, p, q: 1.0 - p * cot(1.0) }
        };
        let is_last = |growing: Growing| 1.0 - growing.at(1.0 - 1.0 / steps) - last;
        // The tangent has no pole before pi, where the last step would be the whole line.
        of(root(0.0, 0.999 * std::f64::consts::PI, |a| is_last(of(a))))
    }

    /// The place of the share `s` of all steps.
    pub(super) fn at(&self, s: f64) -> f64 {
        if s == 0.0 { 0.0 } else { 1.0 / (self.p / same_math::tan(self.a * s) + self.q) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_steps_are_those_asked_for() {
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
        for (first, steps) in [(1e-7, 64), (1e-3, 100), (0.015, 64)] {
            let one = OneSided::new(first, steps);
            near(one.at(1.0 / steps as f64), first);
            assert_eq!((one.at(0.0), one.at(1.0)), (0.0, 1.0));
            let geometric = Geometric::new(first, steps);
            near(geometric.at(1.0 / steps as f64), first);
            assert_eq!((geometric.at(0.0), geometric.at(1.0)), (0.0, 1.0));
            let both = BothSides::new(first, steps);
            near(both.at(1.0 / steps as f64), first);
            near(1.0 - both.at(1.0 - 1.0 / steps as f64), first);
            let unlike = BothSides::of(first, 0.1 * first, steps);
            let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-7, "{a} {b}");
            close(unlike.at(1.0 / steps as f64), first);
            close(1.0 - unlike.at(1.0 - 1.0 / steps as f64), 0.1 * first);
            assert_eq!((unlike.at(0.0), unlike.at(1.0)), (0.0, 1.0));
        }
        let growing = Growing::new(1e-3, 1e-2, 356);
        near(growing.at(1.0 / 356.0), 1e-3);
        near(1.0 - growing.at(355.0 / 356.0), 1e-2);
    }

    #[test]
    fn steps_that_need_not_grow_are_equal() {
        assert_eq!(OneSided::new(0.5, 4).at(0.25), 0.25);
        assert_eq!(Geometric::new(0.5, 4).at(0.25), 0.25);
        assert_eq!(BothSides::new(0.5, 4).at(0.75), 0.75);
    }
}
