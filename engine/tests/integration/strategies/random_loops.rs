//! Random programs on random meshes with random owners, against the plain sequential program.

use cfd_engine::strategy::Strategy as EngineStrategy;
use proptest::prelude::*;

use super::execution::{Owners, Setting, compare};
use super::reproducible;
use super::world::{Loop, Maps, World};

fn setting() -> impl Strategy<Value = Setting> {
    let owners = prop_oneof![9 => any::<u64>().prop_map(Owners::Random), 1 => Just(Owners::Apart)];
    let lanes = prop::sample::select(&[1, 2, 4, 8][..]);
    let tile_rows = prop_oneof![1 => Just(None), 3 => (1usize..20).prop_map(Some)];
    let strategies = prop_oneof![Just(EngineStrategy::Regions), prop::sample::select(reproducible())];
    (1usize..=6, owners, strategies, 0usize..6, any::<bool>(), 1usize..5, lanes, tile_rows).prop_map(
        |(ranks, owners, strategy, region_rows, overlap, threads, lanes, tile_rows)| Setting {
            ranks,
            owners,
            strategy,
            region_rows,
            overlap,
            threads,
            lanes,
            tile_rows,
        },
    )
}

fn world() -> impl Strategy<Value = World> {
    let maps = prop_oneof![4 => Just(Maps::Random), 1 => Just(Maps::Degenerate)];
    // More than 32 sources on a rank also run as ranges of rows.
    (any::<u64>(), 0u64..200, 1u64..40, 1u64..40, maps, any::<bool>()).prop_map(
        |(seed, sources, points, zones, maps, ordered)| {
            World::new(seed, [sources, points, zones], maps, ordered)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_program_gives_the_bits_of_the_plain_one(
        world in world(),
        program in prop::collection::vec(prop::sample::select(&Loop::ALL[..]), 1..8),
        setting in setting(),
    ) {
        if let Err(difference) = compare(&world, &program, setting) {
            return Err(TestCaseError::fail(difference));
        }
    }
}
