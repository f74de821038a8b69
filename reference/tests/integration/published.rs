//! The published residuals of Airfoil and Aero, on meshes generated in this file.

use cfd_reference::aero::{self, Aero};
use cfd_reference::sum::ExactSum;
use cfd_reference::{Airfoil, Constants, Mesh, WALL};

/// The square-root-transform C-mesh around NACA0012 with `3 columns rows` cells, coordinates to 6 decimals.
fn naca0012(columns: usize, rows: usize) -> Mesh {
    let bottom = bottom_line(columns);
    let (width, node) = (3 * columns + 1, |i: usize, j: usize| index(i + (3 * columns + 1) * j));
    let cell = |i: usize, j: usize| index(i + 3 * columns * j);
    let mut mesh = Mesh::default();
    for j in 0..=rows {
        let t = j as f64 / rows as f64;
        for &[x, y] in &bottom {
            let y = y * (1.0 - t) + 3.0 * t;
            mesh.x.push([x * x - y * y, 2.0 * x * y].map(|v: f64| (v * 1e6).round() / 1e6));
        }
    }
    let mut edge = |nodes, cells| {
        mesh.edge_nodes.push(nodes);
        mesh.edge_cells.push(cells);
    };
    for j in 0..rows {
        for i in 0..3 * columns {
            if j == 0 && i < columns {
                edge([node(i, 0), node(i + 1, 0)], [cell(3 * columns - 1 - i, 0), cell(i, 0)]);
            }
            if j + 1 < rows {
                edge([node(i, j + 1), node(i + 1, j + 1)], [cell(i, j), cell(i, j + 1)]);
            }
            if i + 1 < 3 * columns {
                edge([node(i + 1, j), node(i + 1, j + 1)], [cell(i + 1, j), cell(i, j)]);
            }
            mesh.cell_nodes.push([node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)]);
        }
    }
    let mut bedge = |nodes, cell, bound| {
        mesh.bedge_nodes.push(nodes);
        mesh.bedge_cell.push(cell);
        mesh.bedge_bound.push(bound);
    };
    (columns..2 * columns).for_each(|i| bedge([node(i + 1, 0), node(i, 0)], cell(i, 0), WALL));
    let (right, top) = (width - 2, rows - 1);
    (0..rows).for_each(|j| bedge([node(right + 1, j + 1), node(right + 1, j)], cell(right, j), 2));
    (0..=right).rev().for_each(|i| bedge([node(i, rows), node(i + 1, rows)], cell(i, top), 2));
    (0..rows).rev().for_each(|j| bedge([node(0, j), node(0, j + 1)], cell(0, j), 2));
    mesh
}

fn index(value: usize) -> u32 {
    u32::try_from(value).expect("a test mesh has fewer than 2^32 nodes")
}

/// The lowest row of the transformed plane: zero but for the profile in the middle third.
fn bottom_line(columns: usize) -> Vec<[f64; 2]> {
    let mut profile: Vec<[f64; 2]> = (0..100)
        .map(|k| {
            let x = same_math::powf(same_math::sin(std::f64::consts::FRAC_PI_2 * f64::from(k) / 99.0), 2.0);
            let thickness = 0.298222773 * x.sqrt() - 0.127125232 * x - 0.357907906 * x * x
                + 0.291984971 * x * x * x
                - 0.105174696 * x * x * x * x;
            square_root([x - 0.0077, if k == 99 { 0.0 } else { 0.594689181 * thickness }])
        })
        .collect();
    let mirrored: Vec<[f64; 2]> = profile.iter().rev().map(|&[x, y]| [-x, y]).collect();
    profile = [&mirrored, &profile[1..]].concat();
    let spline = Spline::new(&profile);
    (0..=3 * columns)
        .map(|i| {
            let x = -3.0 + 6.0 * i as f64 / (3 * columns) as f64;
            [x, if (columns + 1..2 * columns).contains(&i) { spline.at(x).max(0.0) } else { 0.0 }]
        })
        .collect()
}

/// The principal square root of x + i y.
fn square_root([x, y]: [f64; 2]) -> [f64; 2] {
    let modulus = (x * x + y * y).sqrt();
    [((modulus + x) / 2.0).sqrt(), ((modulus - x) / 2.0).sqrt().copysign(y)]
}

/// A cubic spline with not-a-knot ends.
struct Spline<'a> {
    points: &'a [[f64; 2]],
    /// Second derivatives at the points.
    curvature: Vec<f64>,
}

impl Spline<'_> {
    fn new(points: &[[f64; 2]]) -> Spline<'_> {
        let n = points.len();
        let step = |i: usize| points[i + 1][0] - points[i][0];
        let slope = |i: usize| (points[i + 1][1] - points[i][1]) / step(i);
        // Unknowns 1..n-1; the third derivative is continuous at points 1 and n-2, which gives the two ends
        // as linear functions of their neighbours and so changes the first and last equation only.
        let (first, last) = (step(0) / step(1), step(n - 2) / step(n - 3));
        let mut diagonal: Vec<f64> = (1..n - 1).map(|i| 2.0 * (step(i - 1) + step(i))).collect();
        let mut lower: Vec<f64> = (1..n - 1).map(|i| step(i - 1)).collect();
        let mut upper: Vec<f64> = (1..n - 1).map(step).collect();
        let mut right: Vec<f64> = (1..n - 1).map(|i| 6.0 * (slope(i) - slope(i - 1))).collect();
        let m = n - 2;
        diagonal[0] += step(0) * (1.0 + first);
        upper[0] -= step(0) * first;
        diagonal[m - 1] += step(n - 2) * (1.0 + last);
        lower[m - 1] -= step(n - 2) * last;
        for i in 1..m {
            let factor = lower[i] / diagonal[i - 1];
            diagonal[i] -= factor * upper[i - 1];
            right[i] -= factor * right[i - 1];
        }
        let mut curvature = vec![0.0; n];
        for i in (0..m).rev() {
            curvature[i + 1] = (right[i] - upper[i] * curvature[i + 2]) / diagonal[i];
        }
        curvature[0] = (1.0 + first) * curvature[1] - first * curvature[2];
        curvature[n - 1] = (1.0 + last) * curvature[n - 2] - last * curvature[n - 3];
        Spline { points, curvature }
    }

    fn at(&self, x: f64) -> f64 {
        let n = self.points.len();
        let k = self.points.partition_point(|p| p[0] < x).clamp(1, n - 1) - 1;
        let ([x0, y0], [x1, y1]) = (self.points[k], self.points[k + 1]);
        let (m0, m1, h, t) = (self.curvature[k], self.curvature[k + 1], x1 - x0, x - x0);
        let slope = (y1 - y0) / h - h * (2.0 * m0 + m1) / 6.0;
        y0 + t * (slope + t * (m0 / 2.0 + t * (m1 - m0) / (6.0 * h)))
    }
}

fn relative(value: f64, expected: f64) -> f64 {
    ((value - expected) / expected).abs()
}

#[test]
fn the_45_000_cell_mesh_gives_the_published_residuals() {
    let mesh = naca0012(100, 150);
    assert_eq!((mesh.x.len(), mesh.edge_nodes.len(), mesh.bedge_nodes.len()), (45451, 89650, 700));
    let mut airfoil = Airfoil::new(mesh, Constants::default().rounded_to_single()).unwrap();
    let rms: Vec<f64> = (0..200).map(|_| airfoil.iterate()).collect();
    assert!(relative(rms[99], 5.09639642815e-04) < 1e-9, "{:e} after 100 iterations", rms[99]);
    assert!(relative(rms[199], 3.033922770e-04) < 1e-9, "{:e} after 200 iterations", rms[199]);
}

#[test]
fn flow_at_no_angle_of_attack_has_no_lift_but_a_wall_that_changes_it() {
    let (columns, rows) = (20, 10);
    let mut airfoil = Airfoil::new(naca0012(columns, rows), Constants::default()).unwrap();
    (0..50).for_each(|_| {
        airfoil.iterate();
    });
    let free_stream = Constants::default().free_stream();
    for j in 0..rows {
        for i in 0..3 * columns {
            let (upper, lower) =
                (airfoil.q()[i + 3 * columns * j], airfoil.q()[3 * columns * (j + 1) - 1 - i]);
            let mirrored = [lower[0], lower[1], -lower[2], lower[3]];
            for (a, b) in upper.iter().zip(mirrored) {
                assert!((a - b).abs() < 1e-12, "cell ({i}, {j}) {upper:?} is no mirror of {lower:?}");
            }
        }
    }
    let disturbance = |q: &[f64; 4]| (q[0] - free_stream[0]).abs();
    assert!(airfoil.q().iter().map(disturbance).fold(0.0, f64::max) > 0.01);
}

/// The same grid for bilinear elements: the nodes of the cut line exist once, far-field nodes are those of the left,
/// right and upper end.
fn merged(columns: usize, rows: usize) -> aero::Mesh {
    let grid = naca0012(columns, rows);
    let (width, dropped) = (3 * columns + 1, columns + 1);
    let node = |i: usize, j: usize| {
        index(if j == 0 && i < dropped { 3 * columns - i } else { i + width * j } - dropped)
    };
    let mut mesh = aero::Mesh { x: grid.x[dropped..].to_vec(), ..aero::Mesh::default() };
    for j in 0..rows {
        for i in 0..3 * columns {
            mesh.cell_nodes.push([node(i, j), node(i + 1, j), node(i, j + 1), node(i + 1, j + 1)]);
        }
    }
    mesh.bnode_node.push(node(width - 1, 0));
    (1..rows).for_each(|j| mesh.bnode_node.extend([node(0, j), node(width - 1, j)]));
    (0..width).for_each(|i| mesh.bnode_node.push(node(i, rows)));
    mesh
}

#[test]
fn the_45_000_element_mesh_gives_the_published_newton_steps() {
    const PUBLISHED: [(u64, f64); 4] =
        [(68, 6.053998658e-04), (158, 2.238299162e-04), (136, 1.206782007e-05), (152, 3.168253830e-06)];
    let mesh = merged(100, 150);
    assert_eq!((mesh.x.len(), mesh.cell_nodes.len(), mesh.bnode_node.len()), (45350, 45000, 600));
    let mut aero = Aero::new(mesh, aero::Options::default()).unwrap();
    for (cg_steps, residual) in PUBLISHED {
        let step = aero.newton::<ExactSum>();
        assert_eq!(step.cg_steps, cg_steps);
        assert!(relative(step.residual, residual) < 1e-6, "{:e}, published {residual:e}", step.residual);
    }
}
