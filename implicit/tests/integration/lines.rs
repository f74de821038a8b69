//! Elimination along lines solves systems that are nothing but lines.

use cfd_engine::prelude::*;
use cfd_implicit::gmres::{Gmres, Options};
use cfd_implicit::lines::{LinePreconditioner, Relaxation};

use crate::grid::{Way, by_elimination, system};

#[kernel]
fn only_links(links: Read<1, i32>, upper: Rw<4>, lower: Rw<4>) {
    for m in 0..4 {
        upper[m] = if links[0] == 0 { 0.0 } else { upper[m] };
        lower[m] = if links[0] == 0 { 0.0 } else { lower[m] };
    }
}

#[test]
fn one_application_solves_a_system_of_lines() {
    let comm = Comm::single();
    let mut system = system(&comm, &Way { stretching: 1e3, ..Way::new(1, "block") });
    let lines = system.lines(1);
    let edges = system.matrix.edges;
    let operands = (lines.links(), edges.upper, edges.lower);
    system.domain.par_loop(only_links, edges.ends.from(), operands, &());
    let expected = by_elimination(&mut system);
    let matrix = system.matrix;
    let along = LinePreconditioner::new(&mut system.domain, &matrix, &lines, Relaxation::Jacobi);
    along.update(&mut system.domain);
    let gmres =
        Gmres::new(&mut system.domain, system.b.set(), Options { tolerance: 1e-10, ..Options::default() });
    let solved = gmres.solve(&mut system.domain, &matrix, &along, system.b, system.x).unwrap();
    assert!(solved.iterations <= 2, "{solved:?}");
    let found = system.solution(&comm, &Way::new(1, "block"));
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()));
    }
}
