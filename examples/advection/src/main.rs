//! Advection of a bump on triangles: u_t + a . grad u = 0 with constant a.
//!
//! Unknowns are on the nodes. A triangle T with the edge normals n_j (opposite node j, inward, as long as the edge) has
//!
//! ```text
//! k_j = a . n_j / 2        residual = sum_j k_j u_j        node j receives -(residual / 3 + alpha (u_j - mean of u))
//! ```
//!
//! with alpha = max |k_j| (the Lax-Friedrichs distribution: no new extremum, and what the triangle's nodes receive adds up to
//! the residual). In time: Heun's method, a Runge-Kutta method of two stages.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use cfd_api::prelude::*;

/// Constants for the kernels.
#[derive(Clone, Copy, Constants)]
struct Flow {
    /// Velocity a.
    velocity: [f64; 2],
    /// Time step.
    dt: f64,
}

/// Twice the area of a triangle.
#[device]
fn twice_the_area(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// A third of each triangle's area belongs to each of its nodes.
#[kernel]
fn share_area(x: [Read<2>; 3], area: [Inc<1>; 3]) {
    let third = twice_the_area(x[0], x[1], x[2]) / 6.0;
    for j in 0..3 {
        area[j][0] += third;
    }
}

/// Each triangle's contribution to its nodes.
#[kernel]
fn residual(x: [Read<2>; 3], u: [Read<1>; 3], rate: [Inc<1>; 3], c: &Flow) {
    let mut k = [0.0; 3];
    let mut total = 0.0;
    let mut alpha = 0.0;
    for j in 0..3 {
        // The edge from the next node to the one after it, turned to the inside.
        let [ex, ey] = [x[(j + 2) % 3][0] - x[(j + 1) % 3][0], x[(j + 2) % 3][1] - x[(j + 1) % 3][1]];
        k[j] = 0.5 * (c.velocity[1] * ex - c.velocity[0] * ey);
        total += k[j] * u[j][0];
        alpha = alpha.max(k[j].abs());
    }
    let mean = (u[0][0] + u[1][0] + u[2][0]) / 3.0;
    for j in 0..3 {
        rate[j][0] -= total / 3.0 + alpha * (u[j][0] - mean);
    }
}

/// First stage: u1 = u + dt L(u); keeps u.
#[kernel]
fn predict(area: Read<1>, rate: Rw<1>, u: Rw<1>, old: Write<1>, c: &Flow) {
    old[0] = u[0];
    u[0] += c.dt * rate[0] / area[0];
    rate[0] = 0.0;
}

/// Second stage: (u + u1 + dt L(u1)) / 2; the integral of u, and its largest value.
#[kernel]
fn correct(area: Read<1>, rate: Rw<1>, u: Rw<1>, old: Read<1>, content: Sum<1>, peak: Max<1>, c: &Flow) {
    u[0] = 0.5 * (old[0] + u[0] + c.dt * rate[0] / area[0]);
    rate[0] = 0.0;
    content[0] += area[0] * u[0];
    peak[0] = u[0];
}

/// The unit square cut into 2 n n triangles; every rank creates its block of each set.
fn square(comm: &Comm, n: u64) -> Mesh {
    let rows = |count: u64| Blocks::new(count, comm.size()).range(comm.rank());
    let mut mesh = Mesh::default();
    let nodes = mesh.add_set("nodes", (n + 1) * (n + 1));
    let triangles = mesh.add_set("triangles", 2 * n * n);
    let corners = rows(2 * n * n).flat_map(|t| {
        let (cell, upper) = (t / 2, t % 2 == 1);
        let first = cell / n * (n + 1) + cell % n;
        if upper { [first, first + n + 2, first + n + 1] } else { [first, first + 1, first + n + 2] }
    });
    mesh.add_map("triangle_nodes", triangles, nodes, 3, corners.collect());
    let place = |k: u64| k as f64 / n as f64;
    let x = rows((n + 1) * (n + 1)).flat_map(|node| [place(node % (n + 1)), place(node / (n + 1))]);
    mesh.add_dat("x", nodes, 2, Values::F64(x.collect()));
    mesh
}

fn main() -> ExitCode {
    run(|comm| solve(comm, &Options::parse()?).map(drop))
}

/// Solves, and returns the hash of the result.
pub fn solve(comm: &Comm, options: &Options) -> Result<Digest, Box<dyn Error>> {
    let n = 60;
    let mesh = square(comm, n);

    // The nodes are partitioned; the triangles follow them.
    let nodes = Primary::located("nodes", "triangle_nodes");
    let mut domain = set_up(comm, mesh, &nodes, &options.partition(), options.order, options.domain())?;

    let (nodes, triangles) = (domain.set("nodes")?, domain.set("triangles")?);
    let corners: Map<3> = domain.map("triangle_nodes")?;
    let x: Dat<2> = domain.dat("x")?;
    let [u, old, rate, area]: [Dat<1>; 4] =
        ["u", "old", "rate", "area"].map(|name| domain.new_dat(nodes, name));
    let (content, peak) = (domain.new_sum::<1>("content"), domain.new_max::<1>("peak"));

    // Initial values: a bump that is zero outside a circle. Computed only with + - x /, so the bits are the same
    // everywhere.
    let bump = |[x, y]: [f64; 2]| {
        let inside = 1.0 - ((x - 0.4) * (x - 0.4) + (y - 0.4) * (y - 0.4)) / 0.0225;
        if inside > 0.0 { inside * inside } else { 0.0 }
    };
    let start: Vec<f64> = domain.read(x)?.as_chunks::<2>().0.iter().map(|&place| bump(place)).collect();
    domain.write(u, &start);
    domain.par_loop(share_area, triangles, (x.all(corners), area.all(corners)), &());

    // Or the values of a run that was stopped.
    let mut level = TimeLevel::default();
    if let Some(file) = &options.restart {
        level = load(&mut domain, file, &[u.into()])?;
    }

    let (began, out) = (Instant::now(), &options.out);
    std::fs::create_dir_all(out)?;
    let grid = Grid::new(ElementKind::Triangle, corners, x);
    let mut series = Series::continued(comm, out, "bump", level);
    let flow = Flow { velocity: [1.0, 0.5], dt: 0.2 / n as f64 };
    while level.step < 40 {
        domain.par_loop(residual, triangles, (x.all(corners), u.all(corners), rate.all(corners)), &flow);
        domain.par_loop(predict, nodes, (area, rate, u, old), &flow);
        domain.par_loop(residual, triangles, (x.all(corners), u.all(corners), rate.all(corners)), &flow);
        domain.par_loop(correct, nodes, (area, rate, u, old, content, peak), &flow);
        level = TimeLevel { step: level.step + 1, time: level.time + flow.dt };
        if level.step % 10 == 0 {
            let ([content], [peak]) = (domain.get(content)?, domain.extremum(peak)?);
            if comm.is_root() {
                let (step, node) = (level.step, peak.element);
                println!("step {step}: content {content:.15}, peak {:.6} at node {node:?}", peak.value);
            }
            series.add(&mut domain, level, &grid, &[u.into()])?;
            let checkpoint = out.join(format!("checkpoint-{}.h5", level.step));
            save(&mut domain, checkpoint, level, &[u.into()])?;
        }
    }

    let hash = save(&mut domain, out.join("solution.h5"), level, &[u.into()])?;
    let costs = loop_table(&mut domain, began.elapsed());
    if comm.is_root() {
        println!("{costs}\n{hash}");
    }
    Ok(hash)
}
