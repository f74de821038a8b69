use std::sync::Arc;

use cfd_adapt::geometry::Circle;
use cfd_adapt::mesh::{Input, Mesh};
use cfd_adapt::operation::{Adapter, Balance, Bounds, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;
use cfd_partition::Options;

use crate::mesh::{FIRST, FIRST_EXACT, SECOND, SECOND_EXACT, at_centroids, at_vertices, square};

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

/// Finer and finer, then coarser: the boundary follows the circle, and the area grows and shrinks.
fn adapted(ranks: usize) -> String {
    let hashes = Comm::simulate(ranks, |comm| {
        let circle = Arc::new(Circle { centre: [0.0; 2], radius: 1.0 });
        let mut mesh = Mesh::with_curves(&comm, &disk(&comm), vec![Some(circle)]).expect("a mesh");
        mesh.add_vertex_field("v", 1, &at_vertices(&mesh, field)).unwrap();
        for (name, rule) in RULES {
            mesh.add_cell_field(name, 1, rule, &at_centroids(&mesh, field)).unwrap();
        }
        let before = RULES.map(|(name, _)| mesh.total(name).unwrap()[0]);
        let units = ["c", "d"].map(|name| mesh.total_units(name).unwrap());
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
        }
        assert!((mesh.measure() - start).abs() > 1e-3, "the area has changed");
        for (i, (name, _)) in RULES.into_iter().enumerate() {
            let now = mesh.total(name).unwrap()[0];
            assert!(
                (now - before[i]).abs() < 1e-13 * before[i],
                "{name}: {now:e} instead of {:e}",
                before[i]
            );
        }
        assert_eq!(["c", "d"].map(|name| mesh.total_units(name).unwrap()), units);
        let vertices = mesh.vertex_field("v").unwrap();
        let inside = |v: u32| (-0.5..=2.0).contains(&vertices[v as usize]);
        assert!(mesh.local().own_vertices().all(inside));
        cfd_io::mesh_hash(&comm, &mesh.canonical_with_fields().mesh).to_string()
    });
    hashes[0].clone()
}

#[test]
fn mass_is_kept_where_the_boundary_is_curved_and_on_any_ranks() {
    let expected = adapted(1);
    assert_eq!(adapted(3), expected);
}
