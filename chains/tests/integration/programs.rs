//! Random programs on random meshes with random owners: chains give the bits of loops that run one by one.

use cfd_engine::lane::Width;
use cfd_engine::prelude::*;
use cfd_engine::strategy::Mode;
use proptest::prelude::*;
use proptest::strategy::Strategy;

use crate::world::{Loop, World, run};

/// Makes a program that keeps the rules of transients from any sequence of loops; a part ends where `cut` says.
fn lawful(loops: Vec<(Loop, bool)>) -> Vec<Vec<Loop>> {
    let mut parts = vec![Vec::new()];
    let (mut weighed, mut drawn, mut collected, mut begun) = (false, false, false, false);
    let last = loops.len();
    for (i, (step, cut)) in loops.into_iter().enumerate() {
        let allowed = match step {
            Loop::Collect => weighed,
            Loop::Settle | Loop::Peek => begun,
            Loop::Pass => drawn,
            _ => true,
        };
        let part: &mut Vec<Loop> = parts.last_mut().expect("there is one");
        if allowed {
            part.push(step);
            weighed |= matches!(step, Loop::Weigh | Loop::Wear);
            drawn |= step == Loop::Draw;
            begun |= step == Loop::Collect;
            collected = step == Loop::Collect || (collected && step != Loop::Settle);
        }
        if cut || i + 1 == last {
            // What was collected must be cleared by its last user.
            if std::mem::take(&mut collected) {
                part.push(Loop::Settle);
            }
            (weighed, drawn, begun) = (false, false, false);
            parts.push(Vec::new());
        }
    }
    parts
}

fn program() -> impl Strategy<Value = Vec<Vec<Loop>>> {
    let step = (prop::sample::select(&Loop::ALL[..]), prop::bool::weighted(0.1));
    prop::collection::vec(step, 2..14).prop_map(lawful)
}

fn world() -> impl Strategy<Value = World> {
    (any::<u64>(), 1u64..80, 1u64..120, prop::bool::weighted(0.7), any::<bool>())
        .prop_map(|(seed, nodes, edges, local, ordered)| World { seed, nodes, edges, local, ordered })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_program_has_the_same_bits_with_chains(
        world in world(),
        program in program(),
        ranks in prop::sample::select(&[1usize, 1, 2, 3, 7][..]),
        threads in prop::sample::select(&[1usize, 2, 4][..]),
        tile_rows in prop_oneof![Just(0usize), 1usize..30, Just(1000usize)],
        overlap in any::<bool>(),
        lanes in prop::sample::select(&[1usize, 2, 4, 8][..]),
    ) {
        let scalar = Width::new(1).expect("every processor has one lane");
        // What the processor has.
        let lanes = Width::new(lanes).unwrap_or(scalar);
        let off = DomainOptions {  lanes: scalar, ..DomainOptions::default() };
        let on = DomainOptions { backend: Some(cfd_chains::backend), tile_rows, threads, overlap, lanes, ..DomainOptions::default() };
        prop_assert_eq!(run(world, &program, ranks, &on), run(world, &program, 1, &off));
    }
}

/// A time step like Airfoil's: the whole of it is one chain.
const STEP: [Loop; 7] =
    [Loop::Keep, Loop::Weigh, Loop::Collect, Loop::Settle, Loop::Weigh, Loop::Collect, Loop::Settle];

#[test]
fn time_steps_have_the_same_bits_for_any_tiles_ranks_and_threads() {
    let world = World { seed: 3, nodes: 400, edges: 900, local: true, ordered: false };
    let program = vec![STEP.to_vec(); 4];
    let off = DomainOptions { ..DomainOptions::default() };
    let expected = run(world, &program, 1, &off);
    for (ranks, threads, tile_rows) in
        [(1, 1, 1), (1, 3, 7), (1, 1, 1000), (2, 1, 30), (3, 2, 50), (7, 1, 20), (7, 4, 1), (16, 1, 0)]
    {
        let on = DomainOptions {
            backend: Some(cfd_chains::backend),
            tile_rows,
            threads,
            ..DomainOptions::default()
        };
        assert!(
            run(world, &program, ranks, &on) == expected,
            "{ranks} ranks, {threads} threads, tiles of {tile_rows}"
        );
    }
}

/// Chains that only read the corners, which change in between.
#[test]
fn what_a_chain_only_reads_through_maps_is_read_where_it_is() {
    let world = World { seed: 4, nodes: 300, edges: 700, local: true, ordered: true };
    let program = vec![
        vec![Loop::Drift],
        vec![Loop::Bend, Loop::Lean, Loop::Bend, Loop::Smooth],
        vec![Loop::Weigh, Loop::Collect, Loop::Settle, Loop::Peek, Loop::Hear, Loop::Peek],
    ];
    let program = [program.clone(), program.clone(), program].concat();
    let off = DomainOptions { ..DomainOptions::default() };
    let expected = run(world, &program, 1, &off);
    for (ranks, threads, tile_rows) in [(1, 1, 20), (2, 1, 30), (3, 2, 5), (7, 1, 20), (7, 1, 1000)] {
        let on = DomainOptions {
            backend: Some(cfd_chains::backend),
            tile_rows,
            threads,
            ..DomainOptions::default()
        };
        assert!(
            run(world, &program, ranks, &on) == expected,
            "{ranks} ranks, {threads} threads, tiles of {tile_rows}"
        );
    }
}

#[test]
fn a_queue_that_is_never_asked_for_results_runs_with_the_same_bits() {
    let world = World { seed: 5, nodes: 60, edges: 130, local: true, ordered: true };
    let long: Vec<Loop> = STEP.iter().copied().cycle().take(7 * 31).collect();
    let off = DomainOptions { ..DomainOptions::default() };
    let expected = run(world, std::slice::from_ref(&long), 1, &off);
    for (ranks, tile_rows) in [(1, 9), (3, 9), (2, 0)] {
        let on = DomainOptions { backend: Some(cfd_chains::backend), tile_rows, ..DomainOptions::default() };
        assert!(
            run(world, std::slice::from_ref(&long), ranks, &on) == expected,
            "{ranks} ranks, tiles of {tile_rows}"
        );
    }
}

#[test]
fn in_fast_mode_the_same_ranks_and_threads_give_the_same_bits_twice() {
    let world = World { seed: 8, nodes: 300, edges: 700, local: true, ordered: false };
    let program = vec![STEP.to_vec(); 3];
    for (ranks, threads) in [(1, 1), (1, 4), (3, 2)] {
        let on = DomainOptions {
            mode: Mode::Fast,
            backend: Some(cfd_chains::backend),
            tile_rows: 11,
            threads,
            ..DomainOptions::default()
        };
        let first = run(world, &program, ranks, &on);
        (0..5).for_each(|_| {
            assert!(run(world, &program, ranks, &on) == first, "{ranks} ranks, {threads} threads")
        });
    }
}
