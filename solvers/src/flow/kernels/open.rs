//! Boundaries that something flows through: the flux out of the domain from the state inside, the face and what is given.
//!
//! `given` holds, by condition: far field and supersonic inlet the outer state w; inlet total pressure, direction, total
//! temperature; velocity inlet temperature, velocity; outlet the pressure.

use cfd_engine::prelude::*;

use crate::flow::gas::{Gas, temperature, viscosity};
use crate::gas::roe::{roe_2d, roe_3d};
use crate::gas::state::{flux_2d, flux_2d_tangent, flux_3d, flux_3d_tangent};
use crate::gas::viscous::{stress_2d, stress_3d};

/// Replaces the area of a face that has none.
const NO_AREA: f64 = 1e-300;
/// Replaces what a square root is taken of where that is 0: the root's derivative is finite.
const NOTHING: f64 = 1e-300;

/// Roe's flux between inside and the state far away: what its characteristics carry outwards is taken from inside, what
/// they carry inwards from far away.
#[device(far_field_flux_2d<2, 4, roe_2d>, far_field_flux_3d<3, 5, roe_3d>)]
pub fn far_field_flux<const D: usize, const N: usize, roe: Device>(
    w: [f64; N],
    area: [f64; D],
    given: [f64; N],
    c: &Gas,
) -> [f64; N] {
    let fix: [f64; 2] = c.entropy_fix;
    let f: [f64; N] = roe(w, given, area, c.gamma, c.gm1, fix);
    f
}

/// The flux of the given state.
#[device(supersonic_inlet_flux_2d<2, 4, flux_2d>, supersonic_inlet_flux_3d<3, 5, flux_3d>)]
pub fn supersonic_inlet_flux<const D: usize, const N: usize, flux: Device>(
    _w: [f64; N],
    area: [f64; D],
    given: [f64; N],
    c: &Gas,
) -> [f64; N] {
    let f: [f64; N] = flux(given, area, c.gamma, c.gm1);
    f
}

/// The flux of the state inside.
#[device(tangent(w), supersonic_outlet_flux_2d<2, 4, flux_2d>, supersonic_outlet_flux_3d<3, 5, flux_3d>)]
pub fn supersonic_outlet_flux<const D: usize, const N: usize, flux: Device>(
    w: [f64; N],
    area: [f64; D],
    _given: [f64; N],
    c: &Gas,
) -> [f64; N] {
    let f: [f64; N] = flux(w, area, c.gamma, c.gm1);
    f
}

/// The flux of the state with the given pressure that the outgoing characteristics leave: d rho = dp / a^2, d u =
/// -dp / (rho a) n. Flow faster than sound keeps its own pressure.
#[device(tangent(w), outlet_flux_2d<2, 4, flux_2d>, outlet_flux_3d<3, 5, flux_3d>)]
pub fn outlet_flux<const D: usize, const N: usize, flux: Device>(
    w: [f64; N],
    area: [f64; D],
    given: [f64; N],
    c: &Gas,
) -> [f64; N] {
    let mut a2 = 0.0;
    let mut through = 0.0;
    for i in 0..D {
        a2 += area[i] * area[i];
        through += w[1 + i] * area[i];
    }
    let size = a2.sqrt().max(NO_AREA);
    let sound = (c.gamma * w[D + 1] / w[0]).sqrt();
    let is_subsonic = through < sound * size;
    let dp = if is_subsonic { given[0] - w[D + 1] } else { 0.0 };
    let mut b = w;
    b[0] += dp / (sound * sound);
    for i in 0..D {
        b[1 + i] -= dp / (w[0] * sound) * (area[i] / size);
    }
    b[D + 1] += dp;
    let f: [f64; N] = flux(b, area, c.gamma, c.gm1);
    f
}

/// The flux of the state of the given velocity and temperature with the pressure inside.
#[device(tangent(w), velocity_inlet_flux_2d<2, 4, flux_2d>, velocity_inlet_flux_3d<3, 5, flux_3d>)]
pub fn velocity_inlet_flux<const D: usize, const N: usize, flux: Device>(
    w: [f64; N],
    area: [f64; D],
    given: [f64; N],
    c: &Gas,
) -> [f64; N] {
    let mut b = given;
    b[0] = w[D + 1] / (c.gas_constant * given[0]);
    b[D + 1] = w[D + 1];
    let f: [f64; N] = flux(b, area, c.gamma, c.gm1);
    f
}

/// The flux of the state that comes from rest at the given pressure and temperature, in the given direction e, so fast that
/// the outgoing Riemann invariant u . n + 2 a / (gamma - 1) is that inside.
///
/// With the speed s, a^2 = a_0^2 - (gamma - 1) s^2 / 2 and the invariant r, s (e . n) + 2 a / (gamma - 1) = r is a quadratic
/// equation for a.
#[device(tangent(w), inlet_flux_2d<2, 4, flux_2d>, inlet_flux_3d<3, 5, flux_3d>)]
pub fn inlet_flux<const D: usize, const N: usize, flux: Device>(
    w: [f64; N],
    area: [f64; D],
    given: [f64; N],
    c: &Gas,
) -> [f64; N] {
    let mut a2 = 0.0;
    let mut through = 0.0;
    let mut along = 0.0;
    for i in 0..D {
        a2 += area[i] * area[i];
        through += w[1 + i] * area[i];
        along += given[1 + i] * area[i];
    }
    let size = a2.sqrt().max(NO_AREA);
    let cosine = along / size;
    let sound = (c.gamma * w[D + 1] / w[0]).sqrt();
    let invariant = through / size + 2.0 * sound / c.gm1;
    let rest2 = c.gamma * c.gas_constant * given[D + 1];
    // cos^2 (a_0^2 - a^2) 2 / (gamma - 1) = (r - 2 a / (gamma - 1))^2: p a^2 - q a + s = 0.
    let k = 2.0 / c.gm1;
    let cos2 = cosine * cosine;
    let p = k * k + k * cos2;
    let q = 2.0 * k * invariant;
    let s = invariant * invariant - k * cos2 * rest2;
    let root = (q * q - 4.0 * p * s).max(NOTHING).sqrt();
    // The larger root is that of flow into the domain; a does not exceed that at rest.
    let b2 = ((q + root) / (2.0 * p)).powi(2).min(rest2);
    let speed = (k * (rest2 - b2)).max(NOTHING).sqrt();
    let t = b2 / (c.gamma * c.gas_constant);
    let pressure = given[0] * (t / given[D + 1]).powf(c.gamma / c.gm1);
    let mut b = given;
    b[0] = pressure / (c.gas_constant * t);
    for i in 0..D {
        b[1 + i] = speed * given[1 + i];
    }
    b[D + 1] = pressure;
    let f: [f64; N] = flux(b, area, c.gamma, c.gm1);
    f
}

/// The flux through a boundary face, by its condition, from the state in its middle; of mass, also kept.
#[kernel(
    scalar,
    far_field_2d<2, 4, 2, far_field_flux_2d>,
    far_field_3d<3, 5, 4, far_field_flux_3d>,
    inlet_2d<2, 4, 2, inlet_flux_2d>,
    inlet_3d<3, 5, 4, inlet_flux_3d>,
    velocity_inlet_2d<2, 4, 2, velocity_inlet_flux_2d>,
    velocity_inlet_3d<3, 5, 4, velocity_inlet_flux_3d>,
    outlet_2d<2, 4, 2, outlet_flux_2d>,
    outlet_3d<3, 5, 4, outlet_flux_3d>,
    supersonic_inlet_2d<2, 4, 2, supersonic_inlet_flux_2d>,
    supersonic_inlet_3d<3, 5, 4, supersonic_inlet_flux_3d>,
    supersonic_outlet_2d<2, 4, 2, supersonic_outlet_flux_2d>,
    supersonic_outlet_3d<3, 5, 4, supersonic_outlet_flux_3d>
)]
pub fn open_flux<const D: usize, const N: usize, const W: usize, condition: Device>(
    w: [Read<N>; W],
    middle: Read<W>,
    area: Read<D>,
    given: Read<N>,
    through: Write<1>,
    res: Inc<N>,
    c: &Gas,
) {
    let mut inside = [0.0; N];
    for k in 0..W {
        for m in 0..N {
            inside[m] += middle[k] * w[k][m];
        }
    }
    let f: [f64; N] = condition(inside, area, given, c);
    through[0] = f[0];
    for m in 0..N {
        res[m] += f[m];
    }
}

/// Gradients of velocity and temperature from those of w: grad T = (grad p - R T grad rho) / (rho R).
#[device(stress_gradients_2d<2, 4, 6>, stress_gradients_3d<3, 5, 12>)]
pub fn stress_gradients<const D: usize, const N: usize, const G: usize>(
    w: [f64; N],
    gradient: [f64; D * N],
    t: f64,
    c: &Gas,
) -> [f64; G] {
    let mut g = [0.0; G];
    for j in 0..D {
        for i in 0..D {
            g[D * i + j] = gradient[D * (1 + i) + j];
        }
        let of_p = gradient[D * (D + 1) + j];
        g[D * D + j] = (of_p - c.gas_constant * t * gradient[j]) / (w[0] * c.gas_constant);
    }
    g
}

/// What viscosity and conduction carry through a boundary face, from the state and the gradient in its middle.
#[kernel(
    scalar,
    open_stress_2d<2, 4, 2, 6, stress_gradients_2d, stress_2d>,
    open_stress_3d<3, 5, 4, 12, stress_gradients_3d, stress_3d>
)]
pub fn open_stress<
    const D: usize,
    const N: usize,
    const W: usize,
    const G: usize,
    stress_gradients: Device,
    stress: Device,
>(
    w: [Read<N>; W],
    gradient: [Read<{ D * N }>; W],
    eddies: [Read<1>; W],
    middle: Read<W>,
    area: Read<D>,
    res: Inc<N>,
    c: &Gas,
) {
    let mut inside = [0.0; N];
    let mut slopes = [0.0; D * N];
    let mut mu_t = 0.0;
    for k in 0..W {
        mu_t += middle[k] * eddies[k][0];
        for m in 0..N {
            inside[m] += middle[k] * w[k][m];
        }
        for m in 0..(D * N) {
            slopes[m] += middle[k] * gradient[k][m];
        }
    }
    let t = temperature(inside[0], inside[N - 1], c);
    let mut u = [0.0; D];
    for i in 0..D {
        u[i] = inside[1 + i];
    }
    let g: [f64; G] = stress_gradients(inside, slopes, t, c);
    let mu = viscosity(t, c);
    let conductivity = mu * c.conductivity + mu_t * c.eddy_conductivity;
    let f: [f64; N] = stress(u, g, area, mu + mu_t, conductivity);
    for m in 0..N {
        res[m] += f[m];
    }
}
