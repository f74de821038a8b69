//! The end of the passes.

use cfd_adapt::operation::Bounds;
use cfd_engine::comm::Comm;

use crate::square::{Wanted, adapt, mesh};

/// Collapses and splits end.
#[test]
fn operations_reach_zero_long_before_a_hundred_passes() {
    let mut mesh = mesh(&Comm::single(), 20);
    let bounds = Bounds { passes: 100, ..Bounds::default() };
    let report = adapt(&mut mesh, Wanted::Front { eta: 0.03, time: 0.0 }, 1, bounds);
    assert!(report.converged, "{} passes, the last of {:?}", report.passes.len(), report.passes.last());
    assert!(report.passes.len() < 40, "{} passes", report.passes.len());
}

#[test]
fn a_limit_of_passes_is_kept_and_said() {
    let mut mesh = mesh(&Comm::single(), 20);
    let bounds = Bounds { passes: 2, ..Bounds::default() };
    let report = adapt(&mut mesh, Wanted::Front { eta: 0.03, time: 0.0 }, 1, bounds);
    assert!(!report.converged);
    assert_eq!(report.passes.len(), 2);
}
