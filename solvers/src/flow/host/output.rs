//! Fields that follow from the state, and values along walls.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cfd_engine::prelude::*;

use super::distance::wall_distance;
use super::{AXES, D, Faces, Flow, MEANS, TURNS, kernels};
use crate::Field;
use crate::flow::kernels::fields::Reference;

/// Values along a wall in a row: position, pressure, friction, distance in wall units, heat.
const ROW: usize = D + 4;

/// The name of the eddy viscosity over that of the gas.
pub const EDDY_RATIO: &str = "eddy_viscosity_ratio";

/// Made when output first needs them.
#[derive(Default)]
pub struct Shown {
    fields: OnceCell<Fields>,
}

#[derive(Clone, Copy)]
struct Fields {
    velocity: Dat<D>,
    pressure: Dat<1>,
    temperature: Dat<1>,
    mach: Dat<1>,
    cp: Dat<1>,
    vorticity: Dat<{ TURNS.len() }>,
    q: Dat<1>,
    /// Of viscous flow.
    wall_distance: Option<Dat<1>>,
    /// Of turbulent flow: the eddy viscosity over that of the gas.
    eddy_ratio: Option<Dat<1>>,
}

impl Shown {
    /// Velocity, pressure, temperature, Mach number, pressure coefficient, vorticity, Q; in viscous flow the distance from
    /// walls; the mean over time.
    pub fn fields(&self, domain: &mut Domain, flow: &Flow) -> Result<Vec<Field>, BackendError> {
        let nodes = flow.residual.geometry.nodes;
        let fields = match self.fields.get() {
            Some(fields) => *fields,
            None => {
                let fields = Fields {
                    velocity: domain.new_dat(nodes, "velocity"),
                    pressure: domain.new_dat(nodes, "pressure"),
                    temperature: domain.new_dat(nodes, "temperature"),
                    mach: domain.new_dat(nodes, "mach"),
                    cp: domain.new_dat(nodes, "cp"),
                    vorticity: domain.new_dat(nodes, "vorticity"),
                    q: domain.new_dat(nodes, "q_criterion"),
                    wall_distance: flow.wall_distance(domain)?,
                    eddy_ratio: (flow.residual.turbulence.as_ref())
                        .map(|_| domain.new_dat(nodes, EDDY_RATIO)),
                };
                *self.fields.get_or_init(|| fields)
            }
        };
        let Fields { velocity, pressure, temperature, mach, cp, vorticity, q, wall_distance, eddy_ratio } =
            fields;
        flow.refresh(domain);
        let reference = Reference {
            pressure: flow.free.pressure,
            dynamic_pressure: flow.free.dynamic_pressure,
            gamma: flow.residual.gas.gamma,
        };
        let operands = (flow.residual.w, velocity, pressure, mach, cp);
        domain.par_loop(kernels::node_fields, nodes, operands, &reference);
        domain.par_loop(kernels::node_temperature, nodes, (flow.residual.w, temperature), &flow.residual.gas);
        flow.residual.record_gradients(domain);
        domain.par_loop(kernels::rotation, nodes, (flow.residual.gradient, vorticity, q), &());
        let mut shown = vec![
            Field::new("velocity", velocity, &AXES),
            Field::new("pressure", pressure, &["pressure"]),
            Field::new("temperature", temperature, &["temperature"]),
            Field::new("mach", mach, &["mach"]),
            Field::new("cp", cp, &["cp"]),
            Field::new("vorticity", vorticity, &TURNS),
            Field::new("q_criterion", q, &["q_criterion"]),
        ];
        shown.extend(wall_distance.map(|distance| Field::new("wall_distance", distance, &["wall_distance"])));
        if let (Some(turbulence), Some(ratio)) = (&flow.residual.turbulence, eddy_ratio) {
            turbulence.record_ratio(domain, &flow.residual, ratio);
            shown.push(Field::new(EDDY_RATIO, ratio, &[EDDY_RATIO]));
        }
        let mean = flow.mean.as_ref();
        shown.extend(mean.map(|(mean, _)| Field::new("mean", *mean, &MEANS)));
        Ok(shown)
    }
}

impl Flow {
    /// The distance of each node from the nearest wall without slip, if there is one. Collective.
    fn wall_distance(&self, domain: &mut Domain) -> Result<Option<Dat<1>>, BackendError> {
        match &self.residual.turbulence {
            Some(turbulence) => Ok(Some(turbulence.distance)),
            None if self.residual.is_viscous() => wall_distance(domain, &self.residual.geometry),
            None => Ok(None),
        }
    }

    /// `wall.csv`: along walls, by face in the order of the mesh, on rank 0: boundary, position, pressure coefficient,
    /// friction over the dynamic pressure (positive with the wind), distance of the first node off the wall in wall units,
    /// heat that the wall takes per area. Collective.
    pub(super) fn along_walls(&self, domain: &mut Domain) -> Result<String, BackendError> {
        let mut text = format!("boundary,{},cp,cf,y_plus,heat_flux\n", AXES.join(","));
        for (faces, values) in self.wall_values(domain) {
            self.add_rows(domain, &faces, values, &mut text)?;
        }
        Ok(text)
    }

    /// The faces of walls, and what holds there. Collective.
    fn wall_values(&self, domain: &mut Domain) -> Vec<(Faces, Dat<ROW>)> {
        self.record_exchange(domain);
        let mut found = Vec::new();
        if let Some(faces) = self.residual.geometry.faces_of("slip") {
            let values = made_once(domain, faces.set, "along slip walls");
            let (x, w) = (self.residual.geometry.x.all(faces.nodes), self.residual.w.all(faces.nodes));
            domain.par_loop(kernels::slip_values, faces.set, (x, w, faces.middle, values), &());
            found.push((faces, values));
        }
        if let (Some(faces), Some(walls)) = (self.residual.geometry.faces_of("no_slip"), &self.residual.walls)
        {
            let values = made_once(domain, faces.set, "along walls");
            let (x, w) = (self.residual.geometry.x.all(faces.nodes), self.residual.w.all(faces.nodes));
            let normal = self.residual.geometry.wall_normals(domain, &faces);
            let operands = (
                x,
                w,
                faces.middle,
                faces.area,
                normal.at(faces.node),
                self.residual.geometry.volume.at(faces.node),
                walls.taken.at(faces.node),
                walls.wall.at(faces.node),
                values,
            );
            domain.par_loop(kernels::wall_values, faces.set, operands, &self.residual.gas);
            found.push((faces, values));
        }
        found
    }

    /// The pressure coefficient around bodies in the plane, (x, y, cp) by face, one body after the other, on rank 0: along
    /// walls that close; none in space. Collective.
    pub(super) fn around_bodies(&self, domain: &mut Domain) -> Result<Vec<[f64; 3]>, BackendError> {
        if D != 2 {
            return Ok(Vec::new());
        }
        let mut own = Vec::new();
        for (faces, values) in self.wall_values(domain) {
            let (values, nodes) = (domain.read(values)?, domain.target_ids(faces.nodes));
            own.extend(nodes.iter().zip(values.as_chunks::<ROW>().0).map(|(nodes, row)| {
                let cp = (row[D] - self.free.pressure) / self.free.dynamic_pressure;
                [nodes[0], nodes[1], row[0].to_bits(), row[1].to_bits(), cp.to_bits()]
            }));
        }
        let faces = domain.comm().gather(own).concat();
        let half = |&[from, to, x, y, cp]: &[u64; 5]| ((from, to), [x, y, cp].map(f64::from_bits));
        Ok(closed(&faces.iter().map(half).collect()))
    }

    /// Adds the rows of the faces of a condition. Collective.
    fn add_rows(
        &self,
        domain: &mut Domain,
        faces: &Faces,
        values: Dat<ROW>,
        text: &mut String,
    ) -> Result<(), BackendError> {
        let (values, numbers) = (domain.read(values)?, domain.read(faces.boundary)?);
        let ids = domain.global_ids(faces.set).to_vec();
        let own = ids.iter().zip(&numbers).zip(values.as_chunks::<ROW>().0);
        let own: Vec<[u64; ROW + 2]> = own
            .map(|((&id, &number), row)| {
                std::array::from_fn(|k| match k {
                    0 => id,
                    1 => number as u64,
                    k => row[k - 2].to_bits(),
                })
            })
            .collect();
        let mut rows = domain.comm().gather(own).concat();
        rows.sort_unstable();
        for row in rows {
            let name = self.forces.name(row[1] as i32);
            let row: [f64; ROW] = std::array::from_fn(|k| f64::from_bits(row[k + 2]));
            let (place, rest) = row.split_at(D);
            let dynamic = self.free.dynamic_pressure;
            let cp = (rest[0] - self.free.pressure) / dynamic;
            let place: String = place.iter().map(|x| format!("{x:?},")).collect();
            writeln!(text, "{name},{place}{cp:?},{:?},{:?},{:?}", rest[1] / dynamic, rest[2], rest[3])
                .expect("writing to a string");
        }
        Ok(())
    }
}

/// The dat of this name: several outputs have its values.
fn made_once(domain: &mut Domain, set: Set, name: &str) -> Dat<ROW> {
    domain.dat(name).unwrap_or_else(|_| domain.new_dat(set, name))
}

/// The values of half sides, each from a node towards another, in order around closed curves; those of open ones are left
/// out. The curve of the lowest node is the first, and each begins at its lowest node.
fn closed<T: Copy>(halves: &BTreeMap<(u64, u64), T>) -> Vec<T> {
    let mut seen = BTreeSet::<u64>::new();
    let mut found = Vec::new();
    for &(start, first) in halves.keys() {
        if seen.contains(&start) {
            continue;
        }
        let (mut nodes, mut at, mut next) = (vec![start], start, first);
        while next != start {
            nodes.push(next);
            let onward =
                halves.range((next, 0)..=(next, u64::MAX)).map(|(&(_, to), _)| to).find(|&to| to != at);
            let goes_on = nodes.len() <= halves.len() && !seen.contains(&next);
            let Some(onward) = onward.filter(|_| goes_on) else { break };
            (at, next) = (next, onward);
        }
        seen.extend(&nodes);
        if next == start {
            let sides = nodes.iter().zip(nodes.iter().cycle().skip(1));
            let both = sides.flat_map(|(&a, &b)| [halves.get(&(a, b)), halves.get(&(b, a))]);
            found.extend(both.flatten().copied());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::closed;

    #[test]
    fn closed_curves_are_gone_around_and_open_ones_are_left_out() {
        // A triangle 5, 2, 9; a line 1, 3, 4; a square 10, 12, 11, 13.
        let sides = [(5, 2), (2, 9), (9, 5), (1, 3), (3, 4), (10, 12), (12, 11), (11, 13), (13, 10)];
        let halves = sides.iter().flat_map(|&(a, b)| [((a, b), (a, b)), ((b, a), (b, a))]).collect();
        let expected = [
            (2, 5),
            (5, 2),
            (5, 9),
            (9, 5),
            (9, 2),
            (2, 9),
            (10, 12),
            (12, 10),
            (12, 11),
            (11, 12),
            (11, 13),
            (13, 11),
            (13, 10),
            (10, 13),
        ];
        assert_eq!(closed(&halves), expected);
    }
}
