//! Collapses alone.

use cfd_adapt::operation::{Adapter, Bounds, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;

use crate::square::mesh;

/// If edges of a third of the side have length 1, two triangles are left, on whatever ranks; most ranks then have none.
#[test]
fn two_triangles_are_left_of_a_square() {
    let n = if cfg!(debug_assertions) { 40 } else { 200 };
    for ranks in [1, 16] {
        let counts = Comm::simulate(ranks, |comm| {
            let mut mesh = mesh(&comm, n);
            mesh.set_metric_at(|_| Tensor([[0.5, 0.0], [0.0, 0.5]]));
            let pool = ThreadPool::new(1);
            let bounds = Bounds { laplacian: 0, optimisation: 0, turns: 0, ..Bounds::default() };
            let adapter =
                Adapter { bounds, metric: MetricAt::Carried, pool: &pool, balance: None, most: None };
            adapter
                .adapt(&mut mesh, |mesh, _| mesh.check().expect("a sound mesh"))
                .expect("it can be adapted");
            mesh.counts()
        });
        assert_eq!(counts[0], [4, 2], "on {ranks} ranks");
    }
}
