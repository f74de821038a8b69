//! States to start from.

use super::config::{Config, Start};
use super::gas::{FreeStream, primitive};

/// q at a position at the start.
pub fn state<const D: usize, const N: usize>(config: &Config) -> impl Fn(&[f64; D]) -> [f64; N] {
    let gm1 = config.gamma - 1.0;
    let at = exact::<D, N>(config);
    let blast = (config.start == Start::Blast).then(|| blast::<D, N>(config));
    move |x| conserved::<N>(blast.as_ref().map_or_else(|| at(x, 0.0), |blast| blast(x)), gm1)
}

/// w at a position of a gas at rest, whose pressure and density have other values within a circle or a sphere.
fn blast<const D: usize, const N: usize>(config: &Config) -> impl Fn(&[f64; D]) -> [f64; N] + use<D, N> {
    let free = FreeStream::new(config);
    let (middle, inside) = config.blast.split_at(D);
    let (middle, [radius, pressure, density]) =
        (middle.to_vec(), <[f64; 3]>::try_from(inside).expect("numbers that have been checked"));
    move |x| {
        let square: f64 = x.iter().zip(&middle).map(|(x, middle)| (x - middle) * (x - middle)).sum();
        let [p, rho] = if square < radius * radius { [pressure, density] } else { [1.0; 2] };
        primitive(rho * free.density, [0.0; 3], p * free.pressure)
    }
}

/// w at a position and a time: of the free stream, or of an isentropic vortex that moves with it,
///
/// ```text
/// u = u_inf + s |u_inf| (-y, x) / r exp((1 - d^2) / 2),     d = distance / r,
/// T = T_inf - s^2 |u_inf|^2 (gamma - 1) / (2 gamma R) exp(1 - d^2),      rho T^(-1 / (gamma - 1)) as far away,
/// ```
///
/// (x, y) being the position relative to its middle. Source: Shu, "Essentially non-oscillatory and weighted essentially
/// non-oscillatory schemes for hyperbolic conservation laws", NASA CR-97-206253 (1997).
pub fn exact<const D: usize, const N: usize>(config: &Config) -> impl Fn(&[f64; D], f64) -> [f64; N] {
    let free = FreeStream::new(config);
    let (gamma, r) = (config.gamma, config.gas_constant());
    let vortex = (config.start == Start::Vortex).then(|| config.vortex.clone());
    move |x, time| {
        let Some(vortex) = &vortex else { return free.primitive() };
        let [x0, y0, radius, strength] = [vortex[0], vortex[1], vortex[2], vortex[3]];
        let dx = (x[0] - x0 - free.velocity[0] * time) / radius;
        let dy = (x[1] - y0 - free.velocity[1] * time) / radius;
        let speed = strength * free.speed;
        let near = same_math::exp(0.5 * (1.0 - dx * dx - dy * dy));
        let cooler = 0.5 * (gamma - 1.0) / (gamma * r) * speed * speed * near * near;
        let ratio = 1.0 - cooler / free.temperature;
        let [u, v, w] = free.velocity;
        let density = free.density * same_math::powf(ratio, 1.0 / (gamma - 1.0));
        let pressure = density * r * free.temperature * ratio;
        primitive(density, [u - speed * near * dy, v + speed * near * dx, w], pressure)
    }
}

fn conserved<const N: usize>(w: [f64; N], gm1: f64) -> [f64; N] {
    let s2: f64 = w[1..N - 1].iter().map(|u| u * u).sum();
    std::array::from_fn(|m| match m {
        0 => w[0],
        m if m == N - 1 => w[m] / gm1 + 0.5 * w[0] * s2,
        m => w[0] * w[m],
    })
}
