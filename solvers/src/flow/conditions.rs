//! The kinds of boundaries, and the values that a condition gives to each of its faces.

use cfd_mesh::{BoundaryKind, PERIODIC};

use super::config::{Condition, Config};
use super::gas::{FreeStream, primitive};

/// The kinds of boundaries: the conditions, by their names. A mesh's names mean nothing by themselves.
pub const KINDS: &[BoundaryKind] = &[
    kind("slip", 1, "walls that the flow slips along"),
    kind("no_slip", 2, "walls that the flow sticks to"),
    kind("symmetry", 3, "planes of symmetry"),
    kind("far_field", 4, "boundaries with the free stream outside"),
    kind("inlet", 5, "inlets with a total pressure and a total temperature"),
    kind("velocity_inlet", 6, "inlets with a velocity"),
    kind("outlet", 7, "outlets with a pressure"),
    kind("supersonic_inlet", 8, "inlets faster than sound"),
    kind("supersonic_outlet", 9, "outlets faster than sound"),
    kind(PERIODIC, 10, "boundaries that continue at another"),
];

const fn kind(name: &'static str, flag: i32, meaning: &'static str) -> BoundaryKind {
    BoundaryKind { name, flag, known: &[], meaning }
}

/// What the condition on a boundary gives to its faces, in the plane (N = 4) or in space (5): see
/// [`kernels::open`](super::kernels::open); for a wall its velocity and its temperature, or 0 without one.
pub fn given<const N: usize>(condition: Option<&Condition>, config: &Config) -> [f64; N] {
    let free = FreeStream::new(config);
    let vector = |own: &Option<Vec<f64>>, otherwise: [f64; 3]| {
        let of = |own: &Vec<f64>| std::array::from_fn(|k| own.get(k).copied().unwrap_or(0.0));
        own.as_ref().map_or(otherwise, of)
    };
    // A density of 1 stands for the first value, a pressure for the last.
    let values = |first: f64, vector: [f64; 3], last: f64| primitive(first, vector, last);
    match condition {
        Some(Condition::NoSlip { temperature, velocity }) => {
            let [x, y, z] = vector(velocity, [0.0; 3]);
            let temperature = temperature.unwrap_or(0.0);
            let row = if N == 4 { [x, y, temperature, 0.0, 0.0] } else { [x, y, z, temperature, 0.0] };
            std::array::from_fn(|m| row[m])
        }
        Some(Condition::Inlet { total_pressure, total_temperature, direction }) => {
            let mach2 = config.mach * config.mach;
            let ratio = 1.0 + 0.5 * (config.gamma - 1.0) * mach2;
            let power = config.gamma / (config.gamma - 1.0);
            let pressure = total_pressure.unwrap_or(free.pressure * same_math::powf(ratio, power));
            values(
                pressure,
                unit(vector(direction, config.wind())),
                total_temperature.unwrap_or(free.temperature * ratio),
            )
        }
        Some(Condition::VelocityInlet { velocity, temperature }) => {
            values(temperature.unwrap_or(free.temperature), vector(velocity, free.velocity), 0.0)
        }
        Some(Condition::Outlet { pressure, .. }) => values(pressure.unwrap_or(free.pressure), [0.0; 3], 0.0),
        Some(Condition::SupersonicInlet { velocity, pressure, temperature }) => {
            let (p, t) = (pressure.unwrap_or(free.pressure), temperature.unwrap_or(free.temperature));
            values(p / (config.gas_constant() * t), vector(velocity, free.velocity), p)
        }
        _ => free.primitive(),
    }
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|v| v / length)
}
