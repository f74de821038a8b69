//! Diffusion in a boundary layer: div (k grad T) = 0 above a warm plate, on quadrilaterals or prisms that are ten thousand times
//! longer than thick.
//!
//! Unknowns are on the nodes. An edge with the area S between the dual cells of its ends and the length d carries the flux
//! k S / d (T_b - T_a): the matrix has -k S / d beside the diagonal, and its sum on it. On the plate and at the top, T is given.
//!
//! ```text
//! diffusion [OPTIONS] [quadrilaterals | prisms] [points | lines | colors] [system]
//! ```
//!
//! With `system`, the matrix and the right-hand side are written, too, for other programs to solve.

use std::error::Error;
use std::process::ExitCode;

use cfd_api::implicit::gmres::{self, Solved};
use cfd_api::mesh::derive::lines::names;
use cfd_api::prelude::*;

/// Cells along the plate and away from it, and how much thinner the first are than the last.
const CELLS: [u64; 2] = [40, 48];
const STRETCHING: f64 = 1e4;

/// The flux through an edge: its blocks, in the plane and in space.
#[kernel(couple_2d<2>, couple_3d<3>)]
fn couple<const DIM: usize>(
    x: [Read<DIM>; 2],
    area: Read<DIM>,
    upper: Write<1>,
    lower: Write<1>,
    diagonal: [Inc<1>; 2],
) {
    let mut length = 0.0;
    let mut size = 0.0;
    for i in 0..DIM {
        let d = x[1][i] - x[0][i];
        length += d * d;
        size += area[i] * area[i];
    }
    let coupling = (size / length).sqrt();
    upper[0] = -coupling;
    lower[0] = -coupling;
    diagonal[0][0] += coupling;
    diagonal[1][0] += coupling;
}

/// What a kind of boundary holds its nodes at.
#[derive(Clone, Copy, Constants)]
struct Held {
    value: f64,
}

/// A node on a boundary with a given value; some of its boundary's faces say so again.
#[kernel]
fn hold(is_held: Inc<1>, value: Write<1>, c: &Held) {
    is_held[0] += 1.0;
    value[0] = c.value;
}

/// Equations of nodes that are held: T = value. The others lose them from their unknowns.
#[kernel]
fn hold_edges(is_held: [Read<1>; 2], value: [Read<1>; 2], upper: Rw<1>, lower: Rw<1>, b: [Inc<1>; 2]) {
    let to_a = if is_held[1][0] > 0.0 { upper[0] * value[1][0] } else { 0.0 };
    let to_b = if is_held[0][0] > 0.0 { lower[0] * value[0][0] } else { 0.0 };
    b[0][0] -= if is_held[0][0] > 0.0 { 0.0 } else { to_a };
    b[1][0] -= if is_held[1][0] > 0.0 { 0.0 } else { to_b };
    if is_held[0][0] > 0.0 || is_held[1][0] > 0.0 {
        upper[0] = 0.0;
        lower[0] = 0.0;
    }
}

/// The same on the diagonal.
#[kernel]
fn hold_nodes(is_held: Read<1>, value: Read<1>, diagonal: Rw<1>, b: Rw<1>) {
    if is_held[0] > 0.0 {
        diagonal[0] = 1.0;
        b[0] = value[0];
    }
}

/// The heights of the nodes: geometric, thin at the plate.
fn heights() -> Vec<f64> {
    let cells = CELLS[1] as f64;
    let ratio = STRETCHING.powf(1.0 / (cells - 1.0));
    (0..=CELLS[1]).map(|j| 2.0 * (ratio.powf(j as f64) - 1.0) / (ratio.powf(cells) - 1.0)).collect()
}

/// The plate is the middle of the lower side; beside it, and at both ends, nothing passes.
fn part_of(i: u64) -> i32 {
    if (10..30).contains(&i) { 1 } else { 3 }
}

/// Quadrilaterals over the plate.
fn quadrilaterals() -> ElementMeshBuilder {
    let [n, m] = CELLS;
    let mut builder = ElementMeshBuilder::new(2);
    let heights = heights();
    let node = |i: u64, j: u64| i * (m + 1) + j;
    builder.add_nodes((0..=n).flat_map(|i| heights.iter().flat_map(move |&y| [i as f64 / n as f64, y])));
    for i in 0..n {
        for j in 0..m {
            let corners = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            builder.add_elements(ElementKind::Quadrilateral, 0, corners);
        }
        builder.add_elements(ElementKind::Line, part_of(i), [node(i, 0), node(i + 1, 0)]);
        builder.add_elements(ElementKind::Line, 2, [node(i, m), node(i + 1, m)]);
    }
    for j in 0..m {
        builder.add_elements(ElementKind::Line, 3, [node(0, j), node(0, j + 1), node(n, j), node(n, j + 1)]);
    }
    for (id, name) in [(1, "plate"), (2, "top"), (3, "sides")] {
        builder.name_group(1, id, name);
    }
    builder
}

/// Prisms: triangles of the plate's plane, extruded.
fn prisms() -> ElementMeshBuilder {
    let ([n, m], depth) = (CELLS, 6);
    let mut builder = ElementMeshBuilder::new(3);
    let heights = heights();
    let node = |i: u64, k: u64, j: u64| (i * (depth + 1) + k) * (m + 1) + j;
    for (i, k) in (0..=n).flat_map(|i| (0..=depth).map(move |k| (i, k))) {
        let [x, z] = [i as f64 / n as f64, k as f64 / n as f64];
        builder.add_nodes(heights.iter().flat_map(|&y| [x, z, y]));
    }
    let quad = |a: [u64; 2], b: [u64; 2], j: u64| {
        [node(a[0], a[1], j), node(b[0], b[1], j), node(b[0], b[1], j + 1), node(a[0], a[1], j + 1)]
    };
    for (i, k) in (0..n).flat_map(|i| (0..depth).map(move |k| (i, k))) {
        for [a, b, c] in [[[i, k], [i + 1, k], [i + 1, k + 1]], [[i, k], [i + 1, k + 1], [i, k + 1]]] {
            let base = |j: u64| [a, b, c].map(|[i, k]| node(i, k, j));
            for j in 0..m {
                let corners = base(j).into_iter().chain(base(j + 1));
                builder.add_elements(ElementKind::Prism, 0, corners);
            }
            builder.add_elements(ElementKind::Triangle, part_of(i), base(0));
            builder.add_elements(ElementKind::Triangle, 2, base(m));
        }
    }
    for j in 0..m {
        for i in 0..n {
            builder.add_elements(ElementKind::Quadrilateral, 3, quad([i, 0], [i + 1, 0], j));
            builder.add_elements(ElementKind::Quadrilateral, 3, quad([i, depth], [i + 1, depth], j));
        }
        for k in 0..depth {
            builder.add_elements(ElementKind::Quadrilateral, 3, quad([0, k], [0, k + 1], j));
            builder.add_elements(ElementKind::Quadrilateral, 3, quad([n, k], [n, k + 1], j));
        }
    }
    for (id, name) in [(1, "plate"), (2, "top"), (3, "sides")] {
        builder.name_group(2, id, name);
    }
    builder
}

const KINDS: [BoundaryKind; 3] = [
    BoundaryKind { name: "warm", flag: 1, known: &["plate"], meaning: "walls at 1" },
    BoundaryKind { name: "cold", flag: 2, known: &["top"], meaning: "walls at 0" },
    BoundaryKind { name: "insulated", flag: 3, known: &["sides"], meaning: "walls that nothing passes" },
];

fn main() -> ExitCode {
    run(|comm| solve(comm, &Options::parse()?))
}

fn solve(comm: &Comm, options: &Options) -> Result<(), Box<dyn Error>> {
    let has = |word: &str| options.arguments.iter().any(|own| own == word);
    let is_plane = !has("prisms");

    // Rank 0 has all of this small mesh; ranks may each add a part.
    let empty = || ElementMeshBuilder::new(if is_plane { 2 } else { 3 });
    let builder = match (comm.is_root(), is_plane) {
        (false, _) => empty(),
        (true, true) => quadrilaterals(),
        (true, false) => prisms(),
    };
    let given = Given::Elements(builder.build(comm)?);
    let prepared = given.prepare(comm, &[&DUAL], &Boundaries::new(&KINDS), 1)?;
    let primary = DUAL.primary(&prepared.mesh);
    let mut domain =
        set_up(comm, prepared.mesh, &primary, &options.partition(), options.order, options.domain())?;

    // The matrix.
    let ends: Map<2> = domain.map("edge_nodes")?;
    let (nodes, edges) = (ends.to(), ends.from());
    let matrix: BlockMatrix<1, 1> = BlockMatrix::new(&mut domain, ends, "diffusion");
    let blocks = (matrix.edges.upper, matrix.edges.lower);
    if is_plane {
        let (x, area): (Dat<2>, Dat<2>) = (domain.dat("x")?, domain.dat("edge_area")?);
        let operands = (x.all(ends), area, blocks.0, blocks.1, matrix.diagonal.all(ends));
        domain.par_loop(couple_2d, edges, operands, &());
    } else {
        let (x, area): (Dat<3>, Dat<3>) = (domain.dat("x")?, domain.dat("edge_area")?);
        let operands = (x.all(ends), area, blocks.0, blocks.1, matrix.diagonal.all(ends));
        domain.par_loop(couple_3d, edges, operands, &());
    }

    // What is given on the boundary.
    let (is_held, value): (Dat<1>, Dat<1>) = (domain.new_dat(nodes, "held"), domain.new_dat(nodes, "value"));
    let (b, t): (Dat<1>, Dat<1>) = (domain.new_dat(nodes, "b"), domain.new_dat(nodes, "T"));
    for (kind, value_there) in [("warm", 1.0), ("cold", 0.0)] {
        let held = Held { value: value_there };
        let faces = domain.set(kind)?;
        if is_plane {
            let of_face: Map<2> = domain.map(&format!("{kind}_nodes"))?;
            let own = of_face.target::<0>();
            domain.par_loop(hold, faces, (is_held.at(own), value.at(own)), &held);
        } else {
            let of_face: Map<4> = domain.map(&format!("{kind}_nodes"))?;
            let own = of_face.target::<0>();
            domain.par_loop(hold, faces, (is_held.at(own), value.at(own)), &held);
        }
    }
    let operands = (is_held.all(ends), value.all(ends), blocks.0, blocks.1, b.all(ends));
    domain.par_loop(hold_edges, edges, operands, &());
    domain.par_loop(hold_nodes, nodes, (is_held, value, matrix.diagonal, b), &());

    // The solution.
    let gmres =
        Gmres::new(&mut domain, nodes, gmres::Options { tolerance: 1e-10, ..gmres::Options::default() });
    let solved: Solved = if has("points") {
        let points = BlockJacobi::new(&mut domain, &matrix);
        points.update(&mut domain);
        gmres.solve(&mut domain, &matrix, &points, b, t)?
    } else {
        let colors = if has("colors") { 2 } else { 1 };
        let along = [domain.map(names::BEFORE)?, domain.map(names::AFTER)?, domain.map(names::NODE_LINE)?];
        let lines = LineSet::new(&mut domain, along, ends, colors)?;
        let relaxation = if colors > 1 { Relaxation::GaussSeidel } else { Relaxation::Jacobi };
        let lines = LinePreconditioner::new(&mut domain, &matrix, &lines, relaxation);
        lines.update(&mut domain);
        gmres.solve(&mut domain, &matrix, &lines, b, t)?
    };
    if has("system") {
        let rows = domain.target_ids(ends).into_iter().flatten().map(|node| node as i32);
        let of_edges: Dat<2, i32> = domain.new_dat(edges, "ends");
        domain.write(of_edges, &rows.collect::<Vec<_>>());
        std::fs::create_dir_all(&options.out)?;
        let path = options.out.join("system.h5");
        let (diagonal, upper, lower) = (matrix.diagonal.into(), blocks.0.into(), blocks.1.into());
        save(&mut domain, path, TimeLevel::default(), &[diagonal, upper, lower, b.into(), of_edges.into()])?;
    }
    let (count, lines) = (domain.rows(nodes), domain.rows(domain.set(names::LINES)?));
    std::fs::create_dir_all(&options.out)?;
    let hash = save(&mut domain, options.out.join("solution.h5"), TimeLevel::default(), &[t.into()])?;
    if comm.is_root() {
        let Solved { iterations, is_solved, .. } = solved;
        println!(
            "{count} nodes on {lines} lines: {iterations} iterations, residual {:.1e} of the start",
            solved.reduction()
        );
        println!("{}", if is_solved { "solved" } else { "not solved" });
        println!("{hash}");
    }
    Ok(())
}
