//! What a chain exchanges, moves and executes.

use cfd_engine::prelude::*;
use cfd_engine::timer::LoopTimer;

use crate::world::{Handles, Loop, World};

const STEP: [Loop; 7] =
    [Loop::Keep, Loop::Weigh, Loop::Collect, Loop::Settle, Loop::Weigh, Loop::Collect, Loop::Settle];

/// Timers and numbers of exchanges of each rank after some steps, the first of which is not counted.
fn counts(ranks: usize, options: &DomainOptions) -> Vec<(Vec<LoopTimer>, u64)> {
    counts_of(&STEP, ranks, options)
}

/// The same for other steps.
fn counts_of(loops: &[Loop], ranks: usize, options: &DomainOptions) -> Vec<(Vec<LoopTimer>, u64)> {
    let world = World { seed: 3, nodes: 4000, edges: 9000, local: true, ordered: false };
    Comm::simulate(ranks, |comm| {
        let mut domain = world.domain(&comm, options.clone());
        let handles = Handles::new(&mut domain).expect("the world has what its loops need");
        let mut step = || {
            loops.iter().for_each(|&l| {
                handles.record(&mut domain, l);
            });
            domain.flush().unwrap();
            domain.exchanges().exchanges
        };
        let before = step();
        let after = (0..5).map(|_| step()).last().expect("five steps");
        (domain.timers().to_vec(), after - before)
    })
}

#[test]
fn halos_are_exchanged_once_a_chain() {
    let chained = counts(
        3,
        &DomainOptions { backend: Some(cfd_chains::backend), tile_rows: 300, ..DomainOptions::default() },
    );
    let separate = counts(3, &DomainOptions { ..DomainOptions::default() });
    for (rank, ((_, chained), (_, separate))) in chained.iter().zip(&separate).enumerate() {
        assert_eq!((*chained, *separate), (5, 10), "rank {rank}");
    }
}

#[test]
fn minima_and_maxima_through_maps_do_not_end_a_chain() {
    // Each loop of nodes reads what the loop of edges before it has changed.
    let loops = [Loop::Limit, Loop::Smooth, Loop::Limit, Loop::Smooth];
    let on = DomainOptions { backend: Some(cfd_chains::backend), tile_rows: 300, ..DomainOptions::default() };
    let (chained, separate) = (counts_of(&loops, 3, &on), counts_of(&loops, 3, &DomainOptions::default()));
    for (rank, ((_, chained), (_, separate))) in chained.iter().zip(&separate).enumerate() {
        assert_eq!((*chained, *separate), (5, 10), "rank {rank}");
    }
}

#[test]
fn every_owned_element_is_executed_at_its_home_once_and_copies_not_at_all() {
    for (ranks, tile_rows) in [(1, 300), (3, 300), (2, 5000)] {
        let chained = counts(
            ranks,
            &DomainOptions { backend: Some(cfd_chains::backend), tile_rows, ..DomainOptions::default() },
        );
        let separate = counts(ranks, &DomainOptions { ..DomainOptions::default() });
        for ((chained, _), (separate, _)) in chained.iter().zip(&separate) {
            for (chained, separate) in chained.iter().zip(separate) {
                assert_eq!((&chained.name, chained.calls), (&separate.name, separate.calls));
                assert_eq!(chained.elements(), separate.elements(), "{}, {ranks} ranks", chained.name);
                assert_eq!(
                    chained.elements() == 0,
                    chained.name == "keep",
                    "{}, {ranks} ranks",
                    chained.name
                );
            }
        }
    }
}

#[test]
fn copies_are_not_executed_wherever_the_queue_begins() {
    let world = World { seed: 3, nodes: 400, edges: 900, local: true, ordered: false };
    // The first loop does not come again, so that the full queue may end anywhere in a step.
    for others in 0..STEP.len() {
        let mut program = vec![Loop::Tell];
        program.extend([Loop::Flux].repeat(others));
        program.extend(STEP.repeat(50));
        let mut domain = world.domain(&Comm::single(), DomainOptions::default());
        let handles = Handles::new(&mut domain).expect("the world has what its loops need");
        handles.record(&mut domain, Loop::Keep);
        domain.flush().unwrap();
        let executed = |domain: &mut Domain| {
            let keep = domain.timers().iter().find(|t| t.name == "keep").expect("it has run");
            (keep.calls, keep.elements())
        };
        let (calls, elements) = executed(&mut domain);
        program.iter().for_each(|&l| {
            handles.record(&mut domain, l);
        });
        domain.flush().unwrap();
        assert_eq!(executed(&mut domain), (calls + 50, elements), "{others} other loops before");
    }
}

#[test]
fn a_chain_moves_less_by_the_model() {
    let bytes = |options: &DomainOptions| counts(1, options)[0].0.iter().map(|t| t.bytes).sum::<u64>();
    let chained = bytes(&DomainOptions {
        backend: Some(cfd_chains::backend),
        tile_rows: 1000,
        ..DomainOptions::default()
    });
    let separate = bytes(&DomainOptions { ..DomainOptions::default() });
    assert!(2 * chained < separate, "{chained} bytes against {separate}");
}

#[test]
fn a_sequence_is_planned_once_whatever_globals_it_has_and_not_before_it_comes_again() {
    let world = World { seed: 3, nodes: 400, edges: 900, local: true, ordered: false };
    // Bytes of each step by the model: they show what runs as a chain.
    let steps = |options: DomainOptions| {
        let mut domain = world.domain(&Comm::single(), options);
        let handles = Handles::new(&mut domain).expect("the world has what its loops need");
        let (mut bytes, mut memory) = (vec![0], Vec::new());
        for _ in 0..5 {
            STEP.iter().for_each(|&l| {
                handles.record(&mut domain, l);
            });
            domain.flush().unwrap();
            bytes.push(domain.timers().iter().map(|t| t.bytes).sum::<u64>());
            memory.push(domain.memory());
        }
        (bytes.windows(2).map(|w| w[1] - w[0]).collect::<Vec<u64>>(), memory)
    };
    let (separate, _) = steps(DomainOptions::default());
    assert_eq!(separate, [separate[0]; 5]);
    for (tile_rows, planned_at) in [(50, 0), (0, 1)] {
        let (bytes, memory) = steps(DomainOptions {
            backend: Some(cfd_chains::backend),
            tile_rows,
            ..DomainOptions::default()
        });
        let first = bytes.iter().position(|&b| b != separate[0]);
        assert_eq!(first, Some(planned_at), "tiles of {tile_rows}: {bytes:?}");
        assert!(bytes[planned_at..].iter().all(|&b| b == bytes[planned_at]), "{bytes:?}");
        assert!(memory[1..].iter().all(|m| *m == memory[1]), "{memory:?}");
    }
}
