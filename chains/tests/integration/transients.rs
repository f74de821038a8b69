//! What transients may hold: misuse is refused with the loop's and the dat's name, and debug builds check the rest.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cfd_engine::prelude::*;

use crate::world::{Handles, Loop, World};

const WORLD: World = World { seed: 1, nodes: 30, edges: 60, local: true, ordered: false };

/// The message of the panic that a program on one rank ends with.
fn refused(chain: bool, body: impl FnOnce(&mut Domain, &Handles)) -> String {
    let options =
        DomainOptions { backend: cfd_chains::backend_if(chain), tile_rows: 7, ..DomainOptions::default() };
    let mut domain = WORLD.domain(&Comm::single(), options);
    let handles = Handles::new(&mut domain).expect("the world has what its loops need");
    let panic = catch_unwind(AssertUnwindSafe(|| body(&mut domain, &handles))).expect_err("it is refused");
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => panic.downcast::<&str>().expect("a message").to_string(),
    }
}

#[track_caller]
fn assert_says(message: &str, parts: &[&str]) {
    assert!(parts.iter().all(|part| message.contains(part)), "{message}\nshould say {parts:?}");
}

#[test]
fn a_loop_that_reads_what_no_loop_has_written_is_refused_by_name() {
    for chain in [true, false] {
        let message = refused(chain, |domain, handles| {
            handles.record(domain, Loop::Collect);
        });
        assert_says(&message, &["par_loop \"collect\"", "(t1)", "\"t\" is transient", "Read"]);
        let message = refused(chain, |domain, handles| {
            handles.record(domain, Loop::Settle);
        });
        assert_says(&message, &["par_loop \"settle\"", "(s)", "\"s\" is transient", "Rw"]);
    }
}

#[test]
fn what_was_written_before_a_result_counts_no_more() {
    let message = refused(true, |domain, handles| {
        handles.record(domain, Loop::Weigh);
        domain.flush().unwrap();
        handles.record(domain, Loop::Collect);
    });
    assert_says(&message, &["par_loop \"collect\"", "\"t\" is transient"]);
}

#[test]
fn a_transient_cannot_be_read_from_outside() {
    let message = refused(true, |domain, _| {
        let nodes = domain.set("nodes").expect("the world has nodes");
        let scratch: Dat<1> = domain.new_transient(nodes, "scratch");
        domain.read(scratch).unwrap();
    });
    assert_says(&message, &["\"scratch\" is transient", "new_dat"]);
}

#[test]
#[cfg(debug_assertions)]
fn sums_that_nobody_clears_are_noticed_with_chains_and_without() {
    for chain in [true, false] {
        let message = refused(chain, |domain, handles| {
            handles.record(domain, Loop::Weigh);
            handles.record(domain, Loop::Collect);
            domain.flush().unwrap();
        });
        assert_says(&message, &["transient \"s\"", "must leave zeros"]);
    }
}
