//! Convective fluxes through the faces between dual cells.

use cfd_engine::prelude::*;

use crate::flow::gas::Gas;
use crate::gas::hllc::{hllc_2d, hllc_3d};
use crate::gas::limiters::{
    all_kept_2d, all_kept_3d, kept_2d, kept_3d, sound_or_2d, sound_or_3d, unlimited, van_albada,
    venkatakrishnan,
};
use crate::gas::roe::{roe_2d, roe_3d, roe_low_mach_2d, roe_low_mach_3d};
use crate::gas::state::{flux_change_2d, flux_change_3d};

/// The flux between states reconstructed half way along the edge from both ends; of first order with gradients and kappa of 0.
#[kernel(
    roe_unlimited_2d<2, 4, roe_2d, unlimited, all_kept_2d, sound_or_2d>,
    roe_unlimited_3d<3, 5, roe_3d, unlimited, all_kept_3d, sound_or_3d>,
    roe_van_albada_2d<2, 4, roe_2d, van_albada, kept_2d, sound_or_2d>,
    roe_van_albada_3d<3, 5, roe_3d, van_albada, kept_3d, sound_or_3d>,
    roe_venkatakrishnan_2d<2, 4, roe_2d, venkatakrishnan, kept_2d, sound_or_2d>,
    roe_venkatakrishnan_3d<3, 5, roe_3d, venkatakrishnan, kept_3d, sound_or_3d>,
    low_mach_unlimited_2d<2, 4, roe_low_mach_2d, unlimited, all_kept_2d, sound_or_2d>,
    low_mach_unlimited_3d<3, 5, roe_low_mach_3d, unlimited, all_kept_3d, sound_or_3d>,
    low_mach_van_albada_2d<2, 4, roe_low_mach_2d, van_albada, kept_2d, sound_or_2d>,
    low_mach_van_albada_3d<3, 5, roe_low_mach_3d, van_albada, kept_3d, sound_or_3d>,
    low_mach_venkatakrishnan_2d<2, 4, roe_low_mach_2d, venkatakrishnan, kept_2d, sound_or_2d>,
    low_mach_venkatakrishnan_3d<3, 5, roe_low_mach_3d, venkatakrishnan, kept_3d, sound_or_3d>,
    hllc_unlimited_2d<2, 4, hllc_2d, unlimited, all_kept_2d, sound_or_2d>,
    hllc_unlimited_3d<3, 5, hllc_3d, unlimited, all_kept_3d, sound_or_3d>,
    hllc_van_albada_2d<2, 4, hllc_2d, van_albada, kept_2d, sound_or_2d>,
    hllc_van_albada_3d<3, 5, hllc_3d, van_albada, kept_3d, sound_or_3d>,
    hllc_venkatakrishnan_2d<2, 4, hllc_2d, venkatakrishnan, kept_2d, sound_or_2d>,
    hllc_venkatakrishnan_3d<3, 5, hllc_3d, venkatakrishnan, kept_3d, sound_or_3d>
)]
pub fn edge_flux<
    const D: usize,
    const N: usize,
    riemann: Device,
    limiter: Device,
    kept: Device,
    sound_or: Device,
>(
    x_a: Read<D>,
    x_b: Read<D>,
    w_a: Read<N>,
    w_b: Read<N>,
    gradient_a: Read<{ D * N }>,
    gradient_b: Read<{ D * N }>,
    area: Read<D>,
    res_a: Inc<N>,
    res_b: Inc<N>,
    c: &Gas,
) {
    let mut d = [0.0; D];
    let mut d2 = 0.0;
    for i in 0..D {
        d[i] = x_b[i] - x_a[i];
        d2 += d[i] * d[i];
    }
    let threshold = c.limiter_k3 * (d2 * d2.sqrt());
    let share: f64 = kept(w_a, w_b);
    let mut l = w_a;
    let mut r = w_b;
    for m in 0..N {
        let unit = c.unit[m + m / (N - 1) * (5 - N)];
        let small = threshold * (unit * unit);
        let difference = w_b[m] - w_a[m];
        let mut slope_a = 0.0;
        let mut slope_b = 0.0;
        for i in 0..D {
            slope_a += gradient_a[D * m + i] * d[i];
            slope_b += gradient_b[D * m + i] * d[i];
        }
        let mean_a = slope_a + c.kappa * (difference - slope_a);
        let mean_b = slope_b + c.kappa * (difference - slope_b);
        l[m] += share * limiter(slope_a, mean_a, difference, small);
        r[m] -= share * limiter(slope_b, mean_b, difference, small);
    }
    let left: [f64; N] = sound_or(w_a, l);
    let right: [f64; N] = sound_or(w_b, r);
    let fix: [f64; 2] = c.entropy_fix;
    let f: [f64; N] = riemann(left, right, area, c.gamma, c.gm1, fix);
    for m in 0..N {
        res_a[m] += f[m];
        res_b[m] -= f[m];
    }
}

/// What the flux's change over the face adds to that at the edge's middle: dF_i/dx_j M_ji, M being the face's first moments.
#[kernel(moment_flux_2d<2, 4, flux_change_2d>, moment_flux_3d<3, 5, flux_change_3d>)]
pub fn moment_flux<const D: usize, const N: usize, flux_change: Device>(
    w_a: Read<N>,
    w_b: Read<N>,
    gradient_a: Read<{ D * N }>,
    gradient_b: Read<{ D * N }>,
    moments: Read<{ D * D }>,
    res_a: Inc<N>,
    res_b: Inc<N>,
    c: &Gas,
) {
    let mut w = [0.0; N];
    for m in 0..N {
        w[m] = 0.5 * (w_a[m] + w_b[m]);
    }
    let mut sum = [0.0; N];
    for j in 0..D {
        let mut slope = [0.0; N];
        let mut row = [0.0; D];
        for m in 0..N {
            slope[m] = 0.5 * (gradient_a[D * m + j] + gradient_b[D * m + j]);
        }
        for i in 0..D {
            row[i] = moments[D * j + i];
        }
        let f: [f64; N] = flux_change(w, slope, row, c.gamma, c.gm1);
        for m in 0..N {
            sum[m] += f[m];
        }
    }
    for m in 0..N {
        res_a[m] += sum[m];
        res_b[m] -= sum[m];
    }
}
