use std::sync::Arc;

use cfd_adapt::geometry::{Circle, Side};
use cfd_adapt::mesh::{Input, Mesh, Sides};
use cfd_adapt::operation::{Adapter, Balance, Bounds, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;
use cfd_partition::Options;

use cfd_adapt::transfer::Conserve;

use crate::mesh::{FIRST, FIRST_EXACT, SECOND, SECOND_EXACT, at_centroids, at_vertices, square};
use crate::nodal::BOTH;

/// The square mapped to the unit disk about the origin, with one boundary.
fn disk(comm: &Comm) -> Input<2> {
    let mut input = square(comm, 6);
    for p in &mut input.positions {
        let y = 2.0 * p[1] - 1.0;
        let x = 2.0 * p[0] / (1.0 - 0.3 * p[1]) - 1.0;
        *p = [x * (1.0 - 0.5 * y * y).sqrt(), y * (1.0 - 0.5 * x * x).sqrt()];
    }
    input.tags.fill(1);
    input.boundaries = vec!["rim".into()];
    input
}

fn field(p: &[f64; 2]) -> [f64; 1] {
    [if p[0] + 0.2 * p[1] > 0.1 { 2.0 } else { 0.5 + p[1] }]
}

const RULES: [(&str, cfd_adapt::transfer::Rule); 4] =
    [("a", FIRST), ("b", SECOND), ("c", FIRST_EXACT), ("d", SECOND_EXACT)];

/// Finer and finer, then coarser: the boundary follows the circle, and the area grows and shrinks. Returns the hash of mesh
/// and fields, the area before and after, and the totals of each rule's constant field, the other field, and units.
fn adapted(ranks: usize) -> (String, [f64; 2], Vec<[f64; 2]>) {
    let results = Comm::simulate(ranks, |comm| {
        let circle =
            Side::Curved { curve: Arc::new(Circle { centre: [0.0; 2], radius: 1.0 }), deviation: 1.0 };
        let sides = Sides { sides: vec![circle], ..Sides::default() };
        let mut mesh = Mesh::with_sides(&comm, &disk(&comm), &sides).expect("a mesh");
        mesh.add_vertex_field("v", 1, &at_vertices(&mesh, field)).unwrap();
        for (name, rule) in RULES {
            mesh.add_cell_field(name, 1, rule, &at_centroids(&mesh, field)).unwrap();
            mesh.add_cell_field(&constant(name), 1, rule, &at_centroids(&mesh, |_| [3.7])).unwrap();
        }
        for (name, conserve) in BOTH {
            mesh.add_nodal_field(name, 1, conserve, None, &at_vertices(&mesh, field)).unwrap();
            let values = at_vertices(&mesh, |_| [3.7]);
            mesh.add_nodal_field(&constant(name), 1, conserve, None, &values).unwrap();
        }
        let names = || RULES.map(|(name, _)| name).into_iter().chain(BOTH.map(|(name, _)| name));
        let totals = |mesh: &Mesh<2>| names().map(|name| mesh.total(name).unwrap()[0]).collect::<Vec<f64>>();
        let before = totals(&mesh);
        let (pool, options, start) = (ThreadPool::new(1), Options::default(), mesh.measure());
        let balance = (ranks > 1).then_some(Balance { options: &options, above: 1.05 });
        for h in [0.2f64, 0.09, 0.3] {
            mesh.set_metric_at(|_| Tensor([[1.0 / (h * h), 0.0], [0.0, 1.0 / (h * h)]]));
            let adapter = Adapter {
                bounds: Bounds::default(),
                metric: MetricAt::Carried,
                pool: &pool,
                balance,
                most: None,
            };
            let checked = |mesh: &Mesh<2>, _| mesh.check().expect("a sound mesh");
            adapter.adapt(&mut mesh, checked).expect("it can be adapted");
            for (name, rule) in RULES {
                // A unit of an element's mass, where masses are whole units.
                let most = if rule.conserve == Conserve::Exact { 1e-9 } else { 1e-14 };
                let values = mesh.cell_field(&constant(name)).unwrap();
                let worst = mesh.local().own_elements().map(|e| (values[e as usize] - 3.7).abs());
                let worst = worst.fold(0.0, f64::max);
                assert!(worst <= most, "{name}: a constant is {worst:e} off with h = {h}");
                let values = mesh.cell_field(name).unwrap();
                let outside = |e: u32| !(-0.5 - 1e-9..=2.0 + 1e-9).contains(&values[e as usize]);
                assert!(!mesh.local().own_elements().any(outside), "{name}: beyond the field's range");
            }
            for (name, conserve) in BOTH {
                let most = if conserve == Conserve::Exact { 1e-14 } else { 0.0 };
                let values = mesh.nodal_field(&constant(name)).unwrap();
                let worst = mesh.local().own_vertices().map(|v| (values[v as usize] - 3.7).abs());
                let worst = worst.fold(0.0, f64::max);
                assert!(worst <= most, "{name}: a constant is {worst:e} off with h = {h}");
                let values = mesh.nodal_field(name).unwrap();
                let outside = |v: u32| !(-0.5 - most..=2.0 + most).contains(&values[v as usize]);
                assert!(!mesh.local().own_vertices().any(outside), "{name}: beyond the field's range");
            }
        }
        let totals = before.into_iter().zip(totals(&mesh)).map(|(before, after)| [before, after]).collect();
        let vertices = mesh.vertex_field("v").unwrap();
        let inside = |v: u32| (-0.5..=2.0).contains(&vertices[v as usize]);
        assert!(mesh.local().own_vertices().all(inside));
        let hash = cfd_io::mesh_hash(&comm, &mesh.canonical_with_fields().mesh).to_string();
        (hash, [start, mesh.measure()], totals)
    });
    results[0].clone()
}

fn constant(name: &str) -> String {
    format!("{name} constant")
}

/// What lies between the old and the new boundary enters with the values next to it: between the field's least and
/// greatest value at the rim, times the area that is gained.
#[test]
fn constants_stay_and_mass_enters_where_a_curved_boundary_moves_on_any_ranks() {
    let (hash, [start, end], totals) = adapted(1);
    assert!((end - start).abs() > 1e-3, "the area has changed");
    for [before, after] in totals {
        let entered = (after - before) / (end - start);
        assert!((-0.5..=2.0).contains(&entered), "{entered} per area, from {before} to {after}");
    }
    assert_eq!(adapted(3).0, hash);
}
