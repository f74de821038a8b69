//! Advection on triangles that follow what moves: u_t + a . grad u = 0, ten times adapted to u.
//!
//! Unknowns are cell means. An edge with the normal S, as long as the edge, carries a . S u of the cell that the flow comes
//! from; a cell with the area V, whose edges take sum |a . S| out of it, allows the time step V / sum |a . S|.
//!
//! ```text
//! steps ──► means at nodes ──► Hessian ──► metric ──► Remesh::round ──► new handles, values ──► steps
//! ```

use std::error::Error;
use std::process::ExitCode;

use cfd_api::adapt::mesh::Mesh as Adapted;
use cfd_api::adapt::metric::{
    Curvature, Floors, Limits, MetricError, Norm, Recovery, Wanted, hessian, reach,
};
use cfd_api::adapt::remesh::{Carried, Remesh};
use cfd_api::adapt::tensor::Tensor;
use cfd_api::adapt::transfer::{Conserve, Order as Shape, Rule};
use cfd_api::mesh::generate::element_box::{ElementBox, Filling};
use cfd_api::prelude::*;

/// Adaptations, and time steps before each.
const ROUNDS: u64 = 10;
const STEPS: u64 = 16;

/// Constants for the kernels.
#[derive(Clone, Copy, Constants)]
struct Flow {
    /// Velocity a.
    velocity: [f64; 2],
    /// Time step.
    dt: f64,
}

/// a . S of the edge from `p` to `q`; S points away from `inside`.
#[device]
fn flow_through(p: [f64; 2], q: [f64; 2], inside: [f64; 2], velocity: [f64; 2]) -> f64 {
    let normal = [q[1] - p[1], p[0] - q[0]];
    let outward = normal[0] * (p[0] - inside[0]) + normal[1] * (p[1] - inside[1]);
    let through = velocity[0] * normal[0] + velocity[1] * normal[1];
    if outward < 0.0 { -through } else { through }
}

/// A triangle's centre and area. The last of its four nodes is the third again.
#[kernel]
fn measure(x: [Read<2>; 4], centre: Write<2>, area: Write<1>) {
    for m in 0..2 {
        centre[m] = (x[0][m] + x[1][m] + x[2][m]) / 3.0;
    }
    let [ax, ay] = [x[1][0] - x[0][0], x[1][1] - x[0][1]];
    let [bx, by] = [x[2][0] - x[0][0], x[2][1] - x[0][1]];
    area[0] = 0.5 * (ax * by - ay * bx).abs();
}

/// What flows through an edge, and how fast each cell is emptied.
#[kernel]
fn exchange(
    x: [Read<2>; 2],
    centre: [Read<2>; 2],
    u: [Read<1>; 2],
    rate: [Inc<1>; 2],
    speed: [Inc<1>; 2],
    c: &Flow,
) {
    let through = flow_through(x[0], x[1], centre[0], [c.velocity[0], c.velocity[1]]);
    let flux = if through > 0.0 { through * u[0][0] } else { through * u[1][0] };
    rate[0][0] -= flux;
    rate[1][0] += flux;
    speed[0][0] += through.abs();
    speed[1][0] += through.abs();
}

/// The largest time step of a cell.
#[kernel]
fn pace(area: Read<1>, speed: Read<1>, longest: Min<1>) {
    longest[0] = area[0] / speed[0];
}

/// A step; nothing comes through the boundary, which the bump does not reach.
#[kernel]
fn advance(area: Read<1>, rate: Rw<1>, speed: Write<1>, u: Rw<1>, c: &Flow) {
    u[0] += c.dt * rate[0] / area[0];
    rate[0] = 0.0;
    speed[0] = 0.0;
}

/// Adds a cell's value to its three nodes.
#[kernel]
fn add_to_nodes(u: Read<1>, sums: [Inc<2>; 4]) {
    for j in 0..3 {
        sums[j][0] += u[0];
        sums[j][1] += 1.0;
    }
}

/// The mean of the cells at a node.
#[kernel]
fn mean(sums: Read<2>, mean: Write<1>) {
    mean[0] = sums[0] / sums[1];
}

/// The handles of a domain's mesh; a new mesh needs new ones.
struct Fields {
    cells: Set,
    edges: Set,
    nodes: Set,
    corners: Map<4>,
    ends: Map<2>,
    sides: Map<2>,
    x: Dat<2>,
    centre: Dat<2>,
    area: Dat<1>,
    rate: Dat<1>,
    speed: Dat<1>,
    u: Dat<1>,
    /// What does not flow, and its masses: means are their rounded quotients, but these keep the total to the last bit.
    dye: Dat<1>,
    dye_masses: Dat<2>,
    /// u at the nodes.
    at_nodes: Dat<1>,
    longest: Global<Min<1>>,
}

impl Fields {
    fn new(domain: &mut Domain) -> Result<Fields, DomainError> {
        let [cells, edges, nodes] = [domain.set("cells")?, domain.set("edges")?, domain.set("nodes")?];
        let fields = Fields {
            corners: domain.map("cell_nodes")?,
            ends: domain.map("edge_nodes")?,
            sides: domain.map("edge_cells")?,
            x: domain.dat("x")?,
            centre: domain.new_dat(cells, "centre"),
            area: domain.new_dat(cells, "area"),
            rate: domain.new_dat(cells, "rate"),
            speed: domain.new_dat(cells, "speed"),
            u: domain.new_dat(cells, "u"),
            dye: domain.new_dat(cells, "dye"),
            dye_masses: domain.new_dat(cells, "masses of dye"),
            at_nodes: domain.new_dat(nodes, "u at nodes"),
            longest: domain.new_min("longest step"),
            cells,
            edges,
            nodes,
        };
        let operands = (fields.x.all(fields.corners), fields.centre, fields.area);
        domain.par_loop(measure, cells, operands, &());
        Ok(fields)
    }

    /// A time step of half the largest; returns its length.
    fn step(&self, domain: &mut Domain, velocity: [f64; 2]) -> Result<f64, Box<dyn Error>> {
        let Fields { sides, ends, u, rate, speed, area, .. } = *self;
        let operands =
            (self.x.all(ends), self.centre.all(sides), u.all(sides), rate.all(sides), speed.all(sides));
        domain.par_loop(exchange, self.edges, operands, &Flow { velocity, dt: 0.0 });
        domain.par_loop(pace, self.cells, (area, speed, self.longest), &());
        let [longest] = domain.extremum(self.longest)?;
        let dt = 0.5 * longest.value;
        domain.par_loop(advance, self.cells, (area, rate, speed, u), &Flow { velocity, dt });
        Ok(dt)
    }

    /// Means of u at the nodes.
    fn average(&self, domain: &mut Domain) {
        let sums: Dat<2> = domain.new_dat(self.nodes, "sums");
        domain.par_loop(add_to_nodes, self.cells, (self.u, sums.all(self.corners)), &());
        domain.par_loop(mean, self.nodes, (sums, self.at_nodes), &());
    }
}

/// The metric of about 700 triangles that interpolates u best; sizes grow by at most 1.4 from one edge to the next.
fn metric(mesh: &Adapted<2>) -> Result<Vec<Tensor<2>>, MetricError> {
    let u = mesh.vertex_field("u at nodes").expect("it is carried");
    let curvature =
        Curvature { norm: Norm::Complexity { p: 2.0, complexity: 300.0 }, floors: Floors::default() };
    let metrics = curvature.metric(mesh, &hessian(mesh, &u, Recovery::LeastSquares)?)?;
    let limits = Limits { h_min: 0.02, h_max: 0.2, aspect_ratio: 10.0 };
    Ok(reach(mesh, &metrics, &Wanted { complexity: None, limits, beta: Some(1.4) })?.metrics)
}

const NEEDS: &[&Derived] = &[&CELL_EDGES];
const SIDES: BoundaryKind =
    BoundaryKind { name: "side", flag: 1, known: &["x_min", "x_max", "y_min", "y_max"], meaning: "sides" };

fn main() -> ExitCode {
    run(|comm| solve(comm, &Options::parse()?))
}

fn solve(comm: &Comm, options: &Options) -> Result<(), Box<dyn Error>> {
    let square = ElementBox::unit(Filling::Only(ElementKind::Triangle), [24, 24, 1]).mesh(comm)?;
    let boundaries = Boundaries::new(std::slice::from_ref(&SIDES));
    let given = Given::Elements(square).prepare(comm, NEEDS, &boundaries, 1)?;
    let mut elements = given.elements.expect("they were given");
    let primary = CELL_EDGES.primary(&given.mesh);
    let mut domain =
        set_up(comm, given.mesh, &primary, &options.partition(), options.order, options.domain())?;
    let remesh = Remesh { partition: options.partition(), ..Remesh::new(NEEDS, boundaries) };

    let mut fields = Fields::new(&mut domain)?;
    let bump = |[x, y]: &[f64; 2]| {
        let inside = 1.0 - ((x - 0.3) * (x - 0.3) + (y - 0.35) * (y - 0.35)) / 0.03;
        if inside > 0.0 { inside * inside } else { 0.0 }
    };
    let centres = domain.read(fields.centre)?;
    let start: Vec<f64> = centres.as_chunks::<2>().0.iter().map(bump).collect();
    domain.write(fields.u, &start);
    domain.write(fields.dye, &start);

    std::fs::create_dir_all(&options.out)?;
    let mut series = Series::continued(comm, &options.out, "bump", TimeLevel::default());
    let exact = Rule { order: Shape::Second, conserve: Conserve::Exact };
    let velocity = [1.0, 0.5];
    let mut time = 0.0;
    for round in 0..ROUNDS {
        for _ in 0..STEPS {
            time += fields.step(&mut domain, velocity)?;
        }
        fields.average(&mut domain);
        let dye = match round {
            0 => Carried::cells("dye", fields.dye, exact),
            _ => Carried::cells_with_masses("dye", fields.dye, exact, fields.dye_masses),
        };
        let carried =
            [Carried::cells("u", fields.u, exact), dye, Carried::nodes("u at nodes", fields.at_nodes)];
        let made = remesh.round(&mut domain, &elements, &carried, metric)?;

        // The domain is that of the new mesh.
        fields = Fields::new(&mut domain)?;
        made.write(&mut domain, "u", fields.u)?;
        made.write(&mut domain, "dye", fields.dye)?;
        made.write_masses(&mut domain, "dye", fields.dye_masses)?;
        let (cells, u, dye) = (domain.rows(fields.cells), made.total("u")?[0], made.total("dye")?[0]);
        if comm.is_root() {
            println!(
                "time {time:.6}: {cells} triangles, mass of u {u:.15}, of the dye {:016x}",
                dye.to_bits()
            );
        }
        elements = made.elements;
        let level = TimeLevel { step: (round + 1) * STEPS, time };
        // A quadrilateral whose last corner is there twice is drawn as a triangle.
        let grid = Grid::new(ElementKind::Quadrilateral, fields.corners, fields.x);
        series.add(&mut domain, level, &grid, &[fields.u.into(), fields.dye.into()])?;
    }

    let saved = [fields.u.into(), fields.dye.into()];
    let level = TimeLevel { step: ROUNDS * STEPS, time };
    let hash = save(&mut domain, options.out.join("solution.h5"), level, &saved)?;
    if comm.is_root() {
        println!("{hash}");
    }
    Ok(())
}
