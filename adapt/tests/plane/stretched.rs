//! Metrics that ask for long, thin elements where there are none.

use cfd_adapt::mesh::Mesh;
use cfd_adapt::operation::{Adapter, Bounds, MetricAt};
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;

use crate::square::{Wanted, check, mesh, quality};

/// Elements are aligned with the metric before they are divided: at no time are there many more than in the end. If all
/// long edges were split at once, there would be ten times as many, or, of those that are 1000 times as long as wide, a
/// hundred times.
#[test]
fn no_more_elements_are_made_than_stay() {
    let cases = [(0.2, 100.0, 0.0), (0.2, 100.0, 45.0), (0.5, 1e3, 0.0), (0.5, 1e3, 20.0), (0.5, 1e3, 45.0)];
    for (long, aspect, direction) in cases {
        let wanted = Wanted::Stretched { long, aspect, direction };
        let mut mesh = mesh(&Comm::single(), 12);
        mesh.set_metric_at(|place| wanted.at(place));
        let pool = ThreadPool::new(1);
        let adapter = Adapter {
            bounds: Bounds::default(),
            metric: MetricAt::Carried,
            pool: &pool,
            balance: None,
            most: Some(200_000),
        };
        let mut most = 0;
        let count = |mesh: &Mesh<2>, phase| {
            check(mesh, phase);
            most = most.max(mesh.counts()[1]);
        };
        adapter.adapt(&mut mesh, count).expect("it can be adapted");
        let [_, elements] = mesh.counts();
        let here = format!("{wanted:?}: {elements} elements, at most {most}");
        println!("{here}, {:?}", quality(&mesh));
        assert!(most <= 2 * elements, "{here}");
    }
}
