//! How the levels of MG-CFD's meshes are distributed: every level over all ranks, children with their coarse nodes.

use cfd_engine::layout::Layout;
use cfd_engine::prelude::*;
use cfd_mesh::generate::hexahedra::{Shape, Spec};

use crate::harness::levels::Grid;
use crate::harness::{Split, layout_by};

const RANKS: usize = 8;

/// 8,569, 1,024 and 128 nodes.
const WING: Grid = Grid::Plain(Spec { shape: Shape::Wing, size: [32, 15, 16], levels: 3 });

fn layouts(method: &'static str) -> Vec<Layout> {
    Comm::simulate(RANKS, |comm| {
        let mesh = WING.mesh(&comm);
        let primary = cfd_mesh::DUAL_LEVELS.primary(&mesh);
        layout_by(&comm, mesh, &Split::new(RANKS, method), &primary)
    })
}

fn index(layout: &Layout, set: &str) -> usize {
    layout.sets.iter().position(|s| s.name == set).expect("the mesh has the set")
}

/// The share of a level's nodes whose coarse node another rank owns.
fn foreign_parents(layouts: &[Layout], level: usize) -> f64 {
    let (mut foreign, mut all) = (0, 0);
    for layout in layouts {
        let name = format!("level{level}/node_mg_node");
        let up = layout.maps.iter().find(|map| map.name == name).expect("there is a coarser level");
        let (children, parents) = (&layout.sets[up.from], &layout.sets[up.to]);
        all += children.owned;
        foreign += up.indices[..children.owned].iter().filter(|&&p| p as usize >= parents.owned).count();
    }
    foreign as f64 / all as f64
}

#[test]
fn most_children_live_with_their_coarse_node() {
    for (method, most) in [("metis", 0.2), ("rcb", 0.2), ("hilbert", 0.2)] {
        let layouts = layouts(method);
        for level in 0..2 {
            let foreign = foreign_parents(&layouts, level);
            assert!(foreign < most, "{method}: {:.1} % of level {level}", 100.0 * foreign);
        }
    }
    // Of eight children scattered over eight ranks, seven have their coarse node elsewhere; still, some are together.
    let strewn = foreign_parents(&layouts("random"), 0);
    assert!((0.4..0.875).contains(&strewn), "{strewn}");
}

#[test]
fn no_rank_holds_a_whole_level() {
    let layouts = layouts("metis");
    for level in 0..3 {
        for kind in ["nodes", "edges"] {
            let set = index(&layouts[0], &format!("level{level}/{kind}"));
            let rows = layouts[0].sets[set].global_rows as usize;
            let owned: Vec<usize> = layouts.iter().map(|layout| layout.sets[set].owned).collect();
            assert_eq!(owned.iter().sum::<usize>(), rows);
            assert!(owned.iter().all(|&own| own > 0 && own < rows / 2), "level {level}, {kind}: {owned:?}");
        }
        // Including halos, many ranks may hold a small level, but not the finest.
        let nodes = index(&layouts[0], &format!("level{level}/nodes"));
        let held = layouts.iter().map(|layout| layout.sets[nodes].total()).max().expect("there are ranks");
        assert!(held < layouts[0].sets[nodes].global_rows as usize, "level {level}: {held}");
    }
}

#[test]
fn everything_of_a_level_lies_with_its_nodes() {
    for layout in layouts("metis") {
        for map in layout.maps.iter().filter(|map| !map.name.ends_with("node_mg_node")) {
            let (from, to) = (&layout.sets[map.from], &layout.sets[map.to]);
            let first = map.indices.iter().step_by(map.arity).take(from.owned);
            assert!(first.into_iter().all(|&target| (target as usize) < to.owned), "{}", map.name);
        }
    }
}
