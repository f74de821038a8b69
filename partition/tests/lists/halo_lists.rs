//! All lists, maps and dats of random meshes against the brute-force construction.

use cfd_engine::comm::Comm;
use cfd_engine::layout::Layout;
use cfd_engine::mesh::Mesh;
use cfd_partition::{Method, Options, PartitionError, distribute, follow, partition};
use proptest::prelude::*;

use crate::brute_force;
use crate::global::{Cell, add_numbered_dats, block, block_values, cells, grid};

fn distributed(whole: &Mesh, owners: &[Vec<u32>], ranks: usize) -> Vec<Layout> {
    Comm::simulate(ranks, |comm| {
        let owners = block_values(&comm, whole, owners);
        distribute(&comm, block(&comm, whole), &owners).expect("a valid mesh")
    })
}

fn agrees_with_brute_force(whole: &Mesh, owners: &[Vec<u32>], ranks: usize) -> Result<(), TestCaseError> {
    let file_order = vec![Vec::new(); whole.sets.len()];
    let expected = brute_force::layouts(whole, owners, &file_order, ranks as u32);
    for (rank, (found, expected)) in distributed(whole, owners, ranks).iter().zip(&expected).enumerate() {
        for (found, expected) in found.sets.iter().zip(&expected.sets) {
            prop_assert_eq!(found, expected, "rank {}", rank);
        }
        prop_assert_eq!(found, expected, "rank {}", rank);
    }
    Ok(())
}

/// Owners of every row: any rank below `used`, so that the ranks above own nothing.
pub fn owners_of(whole: &Mesh, choices: &[u32], used: u32) -> Vec<Vec<u32>> {
    let mut next = choices.iter().cycle();
    let mut owner = || next.next().expect("a cycle of at least one") % used;
    whole.sets.iter().map(|set| (0..set.rows).map(|_| owner()).collect()).collect()
}

/// Sets of 0 to 11 elements; maps between any of them, including self maps, of arity 0 to 4, with any targets.
pub fn any_mesh() -> impl Strategy<Value = Mesh> {
    let sizes = prop::collection::vec(0u64..12, 1..5);
    let maps = prop::collection::vec((any::<usize>(), any::<usize>(), 0usize..5), 0..6);
    (sizes, maps, prop::collection::vec(any::<u64>(), 8..64)).prop_map(|(sizes, maps, choices)| {
        let mut mesh = Mesh::default();
        for (set, &rows) in sizes.iter().enumerate() {
            mesh.add_set(&format!("set{set}"), rows);
        }
        let mut next = choices.iter().cycle();
        for (m, (from, to, arity)) in maps.into_iter().enumerate() {
            let (from, to) = (from % sizes.len(), to % sizes.len());
            let arity = if sizes[to] == 0 { 0 } else { arity };
            let entries = sizes[from] as usize * arity;
            let rows = next.by_ref().take(entries).map(|choice| choice % sizes[to]).collect();
            mesh.add_map(&format!("map{m}"), from, to, arity, rows);
        }
        add_numbered_dats(&mut mesh);
        mesh
    })
}

/// Grids with triangles, holes (hence several components, and nodes to which nothing refers) and cells without edges.
pub fn any_grid() -> impl Strategy<Value = Mesh> {
    (1usize..7, 1usize..6).prop_flat_map(|(nx, ny)| {
        let kind = prop_oneof![
            5 => Just(Cell::Quad), 2 => Just(Cell::Triangle), 2 => Just(Cell::Hole), 1 => Just(Cell::Isolated)
        ];
        prop::collection::vec(kind, nx * ny).prop_map(move |kinds| grid(nx, ny, |i, j| kinds[j * nx + i]))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_sets_and_maps_with_any_owners_agree_with_brute_force(
        whole in any_mesh(),
        choices in prop::collection::vec(any::<u32>(), 1..64),
        ranks in 1usize..9,
        used in 1u32..9,
    ) {
        let owners = owners_of(&whole, &choices, used.min(ranks as u32));
        agrees_with_brute_force(&whole, &owners, ranks)?;
    }

    #[test]
    fn grids_with_triangles_holes_and_isolated_cells_agree_with_brute_force(
        whole in any_grid(),
        choices in prop::collection::vec(any::<u32>(), 1..64),
        ranks in 1usize..9,
        used in 1u32..9,
    ) {
        let owners = owners_of(&whole, &choices, used.min(ranks as u32));
        agrees_with_brute_force(&whole, &owners, ranks)?;
    }

    #[test]
    fn partitioned_grids_agree_with_brute_force(whole in any_grid(), ranks in 1usize..9, seed in 0u64..100) {
        for method in [Method::Metis, Method::Rcb, Method::Random] {
            let options = Options { method, seed, ..Options::default() };
            let owners = Comm::simulate(1, |comm| {
                let parts = partition(&comm, &whole, &cells(), ranks, &options).expect("a valid mesh");
                follow(&comm, &whole, &cells(), parts).expect("a valid mesh")
            });
            agrees_with_brute_force(&whole, &owners[0], ranks)?;
        }
    }
}

#[test]
fn more_than_64_maps_are_refused_with_their_number() {
    let errors = Comm::simulate(2, |comm| {
        let mut mesh = Mesh::default();
        let set = mesh.add_set("set", 2);
        for m in 0..65 {
            mesh.add_map(&format!("map{m}"), set, set, 1, vec![0]);
        }
        distribute(&comm, mesh, &[vec![0]]).unwrap_err()
    });
    assert_eq!(errors, vec![PartitionError::TooManyMaps { maps: 65 }; 2]);
}

#[test]
fn the_last_of_64_maps_has_the_last_bit() {
    let layouts = Comm::simulate(2, |comm| {
        let mut mesh = Mesh::default();
        let set = mesh.add_set("set", 2);
        for m in 0..64 {
            // Element 1 points to itself, but to element 0 through the first and the last map.
            let target = if comm.rank() == 1 && m != 0 && m != 63 { 1 } else { 0 };
            mesh.add_map(&format!("map{m}"), set, set, 1, vec![target]);
        }
        distribute(&comm, mesh, &[vec![comm.rank() as u32]]).expect("64 maps are allowed")
    });
    assert_eq!(layouts[0].sets[0].exec_maps, [1 << 63 | 1]);
    assert!(layouts[1].sets[0].exec_maps.is_empty());
}
