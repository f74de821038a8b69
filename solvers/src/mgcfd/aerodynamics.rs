//! Results for users: forces on the body, Mach number, pressure coefficient, sections of the wall.

use std::cell::OnceCell;

use cfd_engine::prelude::*;

use super::config::{Config, Flow};
use super::level::Level;
use super::state::motion;
use crate::Field;
use crate::gas::state::pressure_3d;
use crate::output::Section;

/// The body's group of boundary faces.
const BODY: i32 = 0;

/// The pressure force on the body, the sum of -(p - p_inf) w over its faces, w pointing away from it, over the free stream's
/// dynamic pressure.
#[kernel]
pub fn body_force(q: Read<5>, w: Read<3>, group: Read<1, i32>, force: Sum<3>, c: &Flow) {
    let p = (pressure_3d(q, c.gm1) - c.pinf) / c.dynamic_pressure;
    if group[0] == BODY {
        for m in 0..3 {
            force[m] -= p * w[m];
        }
    }
}

/// Velocity, pressure, Mach number and pressure coefficient (p - p_inf) / (rho_inf |u_inf|^2 / 2).
#[kernel]
pub fn node_fields(q: Read<5>, velocity: Write<3>, p: Write<1>, mach: Write<1>, cp: Write<1>, c: &Flow) {
    let motion: [f64; 6] = motion(q, c);
    for m in 0..3 {
        velocity[m] = motion[m];
    }
    p[0] = motion[3];
    mach[0] = motion[5] / motion[4];
    cp[0] = (motion[3] - c.pinf) / c.dynamic_pressure;
}

/// Counts the body's faces at a node.
#[kernel]
pub fn count_faces(group: Read<1, i32>, faces: Inc<1>) {
    faces[0] += if group[0] == BODY { 1.0 } else { 0.0 };
}

/// The planes that cut the body.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Cut {
    /// The unit vector along the span.
    pub span: [f64; 3],
    /// The unit vector upwards.
    pub up: [f64; 3],
    /// The plane's position along the span.
    pub place: f64,
}

/// v . axis, exact for an axis of the coordinates.
#[device]
pub fn along(v: [f64; 3], axis: [f64; 3]) -> f64 {
    v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2]
}

/// The body's extent along the span.
#[kernel]
pub fn find_tip(faces: Read<1>, x: Read<3>, tip: Max<1>, c: &Cut) {
    let span: [f64; 3] = c.span;
    if faces[0] > 0.0 {
        tip[0] = along(x, span);
    }
}

/// Where an edge of the body crosses the plane of a section: x, height, the pressure coefficient, and whether it does (1 or 0).
#[kernel]
pub fn cut_edge(
    x_a: Read<3>,
    x_b: Read<3>,
    faces_a: Read<1>,
    faces_b: Read<1>,
    cp_a: Read<1>,
    cp_b: Read<1>,
    point: Write<4>,
    c: &Cut,
) {
    let span: [f64; 3] = c.span;
    let up: [f64; 3] = c.up;
    let a = along(x_a, span);
    let b = along(x_b, span);
    // An edge that ends in the plane counts as crossing at one end only, as does the edge that continues from there.
    let crosses = (a < c.place && b >= c.place) || (b < c.place && a >= c.place);
    let t = (c.place - a) / (b - a);
    point[0] = x_a[0] + t * (x_b[0] - x_a[0]);
    point[1] = along(x_a, up) + t * (along(x_b, up) - along(x_a, up));
    point[2] = cp_a[0] + t * (cp_b[0] - cp_a[0]);
    point[3] = if crosses && (faces_a[0] > 0.0 && faces_b[0] > 0.0) { 1.0 } else { 0.0 };
}

/// Forces and fields of one run.
pub struct Aerodynamics {
    force: Global<Sum<3>>,
    /// Directions of lift and drag.
    directions: [[f64; 3]; 2],
    /// The plane of the root.
    root: Cut,
    reference_area: f64,
    stations: Vec<f64>,
    /// Created when output first needs them.
    fields: OnceCell<Fields>,
    cuts: OnceCell<Cuts>,
}

#[derive(Clone, Copy)]
struct Fields {
    velocity: Dat<3>,
    pressure: Dat<1>,
    mach: Dat<1>,
    cp: Dat<1>,
}

#[derive(Clone, Copy)]
struct Cuts {
    faces: Dat<1>,
    point: Dat<4>,
    tip: Global<Max<1>>,
}

impl Aerodynamics {
    /// Nothing is computed yet.
    pub fn new(domain: &mut Domain, config: &Config) -> Aerodynamics {
        let (up, span) = config.up.up_and_span();
        let [cos, sin] = config.wind();
        Aerodynamics {
            force: domain.new_sum("force"),
            directions: [[-sin, cos * up[1], cos * up[2]], [cos, sin * up[1], sin * up[2]]],
            root: Cut { span, up, place: 0.0 },
            reference_area: config.reference_area,
            stations: config.stations.clone(),
            fields: OnceCell::new(),
            cuts: OnceCell::new(),
        }
    }

    /// The axis along the span: 0 for x, 1 for y, 2 for z.
    pub fn normal(&self) -> usize {
        self.root.span.iter().position(|&along| along != 0.0).expect("the span is an axis")
    }

    /// Records the loop that sums the force on the body.
    pub fn record_force(&self, domain: &mut Domain, level: &Level, flow: &Flow) {
        let operands = (level.q.at(level.bnode), level.bweights, level.group, self.force);
        domain.par_loop(body_force, level.bnodes, operands, flow);
    }

    /// Coefficients of lift and drag: the force rotated into the wind direction, over the reference area.
    pub fn lift_and_drag(&self, domain: &mut Domain) -> Result<[f64; 2], BackendError> {
        let force = domain.get(self.force)?;
        Ok(self.directions.map(|direction| {
            let [x, y, z] = [0, 1, 2].map(|m| force[m] * direction[m]);
            (x + y + z) / self.reference_area
        }))
    }

    /// Velocity, pressure, Mach number and pressure coefficient of the finest level's nodes.
    pub fn fields(&self, domain: &mut Domain, level: &Level, flow: &Flow) -> Vec<Field> {
        let Fields { velocity, pressure, mach, cp } = self.record_fields(domain, level, flow);
        vec![
            Field::new("level0/velocity", velocity, &["x", "y", "z"]),
            Field::new("level0/pressure", pressure, &["pressure"]),
            Field::new("level0/mach", mach, &["mach"]),
            Field::new("level0/cp", cp, &["cp"]),
        ]
    }

    fn record_fields(&self, domain: &mut Domain, level: &Level, flow: &Flow) -> Fields {
        let fields = *self.fields.get_or_init(|| Fields {
            velocity: level.on_nodes(domain, "velocity"),
            pressure: level.on_nodes(domain, "pressure"),
            mach: level.on_nodes(domain, "mach"),
            cp: level.on_nodes(domain, "cp"),
        });
        let Fields { velocity, pressure, mach, cp } = fields;
        domain.par_loop(node_fields, level.nodes, (level.q, velocity, pressure, mach, cp), flow);
        fields
    }

    /// The pressure coefficient where planes at station times span cut the body, on rank 0; empty elsewhere, and
    /// without a body. Collective.
    ///
    /// The span is the body's extent.
    pub fn sections(
        &self,
        domain: &mut Domain,
        level: &Level,
        flow: &Flow,
    ) -> Result<Vec<Section>, BackendError> {
        let Fields { cp, .. } = self.record_fields(domain, level, flow);
        let Cuts { faces, point, tip } = *self.cuts.get_or_init(|| {
            let cuts = Cuts {
                faces: level.on_nodes(domain, "body_faces"),
                point: domain.new_dat(level.edges, "level0/section"),
                tip: domain.new_max("tip of the body"),
            };
            domain.par_loop(count_faces, level.bnodes, (level.group, cuts.faces.at(level.bnode)), &());
            cuts
        });
        domain.par_loop(find_tip, level.nodes, (faces, level.x, tip), &self.root);
        let [Extremum { value: span, element }] = domain.extremum(tip)?;
        if element.is_none() {
            return Ok(Vec::new());
        }
        let (a, b, x) = (level.a, level.b, level.x);
        let mut sections = Vec::new();
        for &station in &self.stations {
            let place = station * span;
            let operands = (x.at(a), x.at(b), faces.at(a), faces.at(b), cp.at(a), cp.at(b), point);
            domain.par_loop(cut_edge, level.edges, operands, &Cut { place, ..self.root });
            let rows = domain.read(point)?;
            let ids = domain.global_ids(level.edges);
            let own: Vec<[f64; 4]> = ids
                .iter()
                .zip(rows.as_chunks::<4>().0)
                .filter(|(_, row)| row[3] == 1.0)
                .map(|(&id, &[x, height, cp, _])| [id as f64, x, height, cp])
                .collect();
            let mut points = domain.comm().gather(own).concat();
            points.sort_by(|a, b| a[0].total_cmp(&b[0]));
            let points = points.into_iter().map(|[_, x, height, cp]| [x, height, cp]).collect();
            sections.push(Section::new(station, place, points));
        }
        Ok(if domain.comm().is_root() { sections } else { Vec::new() })
    }
}
