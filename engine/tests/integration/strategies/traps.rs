//! Where executions of a loop have gone wrong, or could: each against the plain sequential program, on one rank and on
//! several, with one region and with many, by every strategy.

use cfd_engine::strategy::HashClass;

use super::execution::assert_plain;
use super::world::{Loop, Maps, World};

/// Few points and zones, so that many sources meet at each.
fn crowded(seed: u64) -> World {
    World::new(seed, [60, 9, 7], Maps::Random, false)
}

#[test]
fn sums_and_extrema_count_a_source_once_however_many_regions_execute_it() {
    assert_plain(&crowded(1), &[Loop::Collect]);
    assert_plain(&crowded(2), &[Loop::Age]);
}

#[test]
fn what_a_source_writes_or_adds_to_itself_is_stored_once() {
    assert_plain(&crowded(3), &[Loop::Collect, Loop::Split, Loop::Split]);
}

#[test]
fn a_source_that_changes_itself_passes_its_old_value_to_every_region() {
    assert_plain(&crowded(4), &[Loop::Age, Loop::Age]);
}

#[test]
fn a_source_none_of_whose_targets_are_owned_keeps_its_results() {
    // All settings with more than one rank and owners apart are such cases.
    assert_plain(&World::new(5, [40, 12, 9], Maps::Random, false), &[Loop::Collect, Loop::Split, Loop::Age]);
}

#[test]
fn increments_into_two_sets_reach_both() {
    assert_plain(&crowded(6), &[Loop::Split]);
    // One of the sets has a single element, in one region; the other has many.
    assert_plain(&World::new(7, [40, 1, 30], Maps::Random, false), &[Loop::Split, Loop::Split]);
}

#[test]
fn of_equal_extrema_the_lowest_global_id_is_named_and_minus_zero_comes_before_zero() {
    for sign in [1.0, -1.0] {
        let mut world = World::new(8, [30, 9, 7], Maps::Random, true);
        world.values.w.iter_mut().for_each(|w| *w = sign * w.abs());
        assert_plain(&world, &[Loop::Collect, Loop::Relax]);
    }
    // Both signs: collect's extrema are zeros of either.
    assert_plain(&crowded(9), &[Loop::Collect]);
}

#[test]
fn an_element_that_touches_a_target_twice_adds_one_increment_after_the_other() {
    let world = World::new(10, [50, 8, 8], Maps::Degenerate, false);
    assert_plain(&world, &[Loop::Collect, Loop::Deal, Loop::Split]);
}

#[test]
fn an_element_that_reads_and_changes_one_target_twice_keeps_the_last_value() {
    let mut world = World::new(11, [50, 8, 8], Maps::Degenerate, false);
    world.zones.iter_mut().for_each(|zones| zones[2] = zones[0]);
    assert_plain(&world, &[Loop::Relax, Loop::Settle]);
}

#[test]
fn integers_are_incremented_once_by_every_source() {
    assert_plain(&crowded(12), &[Loop::Deal, Loop::Deal]);
}

#[test]
fn what_is_written_through_a_map_is_written_wherever_the_writer_is() {
    assert_plain(&crowded(13), &[Loop::Pin, Loop::Collect]);
}

#[test]
fn loops_that_read_what_they_change_run_by_color_greedy_in_that_class_and_distributed_in_the_others() {
    assert_plain(&crowded(14), &[Loop::Relax]);
    assert_plain(&World::new(15, [80, 40, 40], Maps::Random, false), &[Loop::Relax, Loop::Settle]);
    let bits = [HashClass::Sequential, HashClass::Greedy, HashClass::Distributed].map(|class| {
        let mut world = crowded(14);
        world.run(&[Loop::Relax], class);
        world.values.bits()
    });
    assert!(bits[0] == bits[2] && bits[1] != bits[2], "the orders of two colorings have other bits");
}

#[test]
fn a_loop_is_executed_by_canonical_order_and_equal_keys_by_global_id() {
    let program = [Loop::Collect, Loop::Deal, Loop::Split, Loop::Relax, Loop::Settle];
    let world = World::new(16, [60, 9, 7], Maps::Random, true);
    assert_plain(&world, &program);
    let (mut in_order, mut in_file_order) = (world.clone(), World { keys: Vec::new(), ..world });
    let class = cfd_engine::strategy::HashClass::Sequential;
    in_order.run(&program, class);
    in_file_order.run(&program, class);
    assert_ne!(in_order.values.bits(), in_file_order.values.bits(), "the order shows");
}

#[test]
fn sets_and_ranks_without_elements_take_part() {
    for sizes in [[0, 0, 0], [0, 3, 2], [1, 1, 1], [2, 30, 1]] {
        let world = World::new(17, sizes, Maps::Random, true);
        assert_plain(&world, &Loop::ALL);
    }
}

#[test]
fn a_target_that_nothing_is_added_to_keeps_minus_zero() {
    let mut world = World::new(18, [1, 4, 4], Maps::Random, false);
    world.values.z.fill(-0.0);
    world.values.p.fill([-0.0; 2]);
    assert_plain(&world, &[Loop::Split]);
}

#[test]
fn minima_and_maxima_reach_their_targets_from_every_source() {
    assert_plain(&crowded(20), &[Loop::Bound, Loop::Collect, Loop::Bound]);
    assert_plain(
        &World::new(21, [50, 8, 8], Maps::Degenerate, true),
        &[Loop::Bound, Loop::Deal, Loop::Bound],
    );
    for sign in [1.0, -1.0] {
        // -0 comes before 0 in a minimum, after it in a maximum.
        let mut world = crowded(22);
        world.values.z.fill(sign * 0.0);
        world.values.p.fill([sign * 0.0; 2]);
        assert_plain(&world, &[Loop::Bound]);
    }
}

#[test]
fn a_copy_keeps_the_values_of_its_time_whatever_changes_the_original_next() {
    use Loop::{Collect, Damp, Deal, Note, Recall, Renew, Restore, Save, Split, Trade};
    let world = World::new(19, [60, 30, 20], Maps::Random, true);
    for program in [
        // The original is overwritten: the storages are swapped, even twice, and with copies that are read elsewhere
        // before and after.
        &[Save, Renew][..],
        &[Save, Collect, Renew, Recall, Collect],
        // With halo copies of the original that are older than those of the copy, or newer.
        &[Recall, Damp, Save, Renew, Recall],
        &[Damp, Collect, Save, Renew, Recall],
        &[Deal, Recall, Save, Collect, Renew, Recall, Save, Collect, Renew, Deal, Recall],
        &[Save, Renew, Save, Renew, Save, Renew],
        // By a loop that changes the copy, or increments through maps.
        &[Save, Trade, Recall, Save, Trade, Collect],
        &[Collect, Note, Collect, Split, Note, Collect],
        // By a copy, which is one or the other.
        &[Save, Restore, Recall, Collect],
        &[Save, Restore, Renew, Save, Restore, Deal],
        &[Restore, Save, Renew, Recall],
        // The original is changed, the copy is used earlier, or nothing follows: the copy is made.
        &[Save, Deal, Renew, Recall],
        &[Save, Damp, Renew, Recall],
        &[Save, Recall, Renew, Recall],
        &[Save, Save, Renew, Recall],
        &[Save, Collect, Recall],
        &[Collect, Save],
    ] {
        assert_plain(&world, program);
    }
}
