//! The table of Figure 3 of Mudalige et al. (2013), from its mesh.
//!
//! Nine cells, twelve edges between them, numbered row by row; rank X owns cells 0, 1, 2, 4, 5, rank Y the others:
//!
//! ```text
//!   X0 -0- X1 -1- X2
//!    2      3      4
//!   Y3 -5- X4 -6- X5
//!    7      8      9
//!   Y6 10- Y7 11- Y8
//! ```

use cfd_engine::comm::Comm;
use cfd_engine::layout::LocalSet;
use cfd_engine::mesh::{Mesh, Values};
use cfd_partition::distribute;

use crate::global::{block, block_values};

const TABLE: &str = "\
Set     | core      | export exec | export non-exec | import exec | import non-exec
X edges | 0,1,3,4,6 | 2           | -               | 5,8,9       | -
X cells | 0,1,2,4,5 | -           | 0,4,5           | -           | 3,7,8
Y edges | 7,10,11   | 5,8,9       | -               | 2           | -
Y cells | 3,6,7,8   | -           | 3,7,8           | -           | 0,4,5
";

fn mesh() -> (Mesh, Vec<Vec<u32>>) {
    let mut mesh = Mesh::default();
    let (edges, cells) = (mesh.add_set("edges", 12), mesh.add_set("cells", 9));
    let ends =
        [[0, 1], [1, 2], [0, 3], [1, 4], [2, 5], [3, 4], [4, 5], [3, 6], [4, 7], [5, 8], [6, 7], [7, 8]];
    mesh.add_map("edge_cells", edges, cells, 2, ends.concat());
    mesh.add_dat("q", cells, 1, Values::F64((0..9).map(f64::from).collect()));
    let (x, y) = (0, 1);
    let edge_owners = vec![x, x, x, x, x, y, x, y, y, y, y, y];
    let cell_owners = vec![x, x, x, y, x, x, y, y, y];
    (mesh, vec![edge_owners, cell_owners])
}

fn list(mut ids: Vec<u64>) -> String {
    ids.sort();
    let words: Vec<String> = ids.iter().map(u64::to_string).collect();
    if words.is_empty() { "-".into() } else { words.join(",") }
}

fn line(rank: &str, set: &LocalSet) -> String {
    let exported = |rows: fn(&cfd_engine::layout::Neighbour) -> &[u32]| {
        let sent = set.neighbours.iter().flat_map(rows);
        list(sent.map(|&row| set.global_ids[row as usize]).collect())
    };
    let (executed, total) = (set.executed(), set.total());
    format!(
        "{:7} | {:9} | {:11} | {:15} | {:11} | {}\n",
        format!("{rank} {}", set.name),
        list(set.global_ids[..set.core].to_vec()),
        exported(|n| &n.send_exec),
        exported(|n| &n.send_nonexec),
        list(set.global_ids[set.owned..executed].to_vec()),
        list(set.global_ids[executed..total].to_vec()),
    )
}

#[test]
fn the_three_by_three_mesh_gives_the_printed_table() {
    let (whole, owners) = mesh();
    let layouts = Comm::simulate(2, |comm| {
        let owners = block_values(&comm, &whole, &owners);
        distribute(&comm, block(&comm, &whole), &owners).expect("a valid mesh")
    });
    let mut table =
        "Set     | core      | export exec | export non-exec | import exec | import non-exec\n".to_string();
    for (rank, layout) in ["X", "Y"].iter().zip(&layouts) {
        for set in &layout.sets {
            table += &line(rank, set);
        }
    }
    println!("{table}");
    assert_eq!(table, TABLE);
}

#[test]
fn halo_copies_of_the_three_by_three_mesh_are_fresh_and_maps_lead_to_them() {
    let (whole, owners) = mesh();
    let layouts = Comm::simulate(2, |comm| {
        let owners = block_values(&comm, &whole, &owners);
        distribute(&comm, block(&comm, &whole), &owners).expect("a valid mesh")
    });
    for layout in &layouts {
        let (edges, cells, map) = (&layout.sets[0], &layout.sets[1], &layout.maps[0]);
        let Values::F64(q) = &layout.dats[0].values else { panic!("q holds doubles") };
        assert_eq!(q.len(), cells.total());
        assert_eq!(map.indices.len(), 2 * edges.executed());
        for (row, ends) in map.indices.chunks(2).enumerate() {
            let edge = edges.global_ids[row] as usize;
            let reached: Vec<u64> = ends.iter().map(|&cell| q[cell as usize] as u64).collect();
            assert_eq!(reached, whole.maps[0].rows[2 * edge..2 * edge + 2]);
        }
    }
}
