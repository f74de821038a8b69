//! Nodes at the same place.

use cfd_engine::comm::Comm;

use crate::ElementMesh;

/// Nodes at the place of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Twins {
    /// How many nodes have the coordinates of one before them, bit by bit.
    pub count: u64,
    /// The first of them, and the one before it.
    pub nodes: [u64; 2],
    /// Where they are.
    pub at: [f64; 3],
}

/// Nodes that have the coordinates of another. Collective.
pub(super) fn find(comm: &Comm, mesh: &ElementMesh) -> Option<Twins> {
    let first = mesh.node_blocks(comm).range(comm.rank()).start;
    let mut send: Vec<Vec<[u64; 4]>> = vec![Vec::new(); comm.size()];
    for (node, x) in (first..).zip(mesh.x().chunks_exact(mesh.dimension())) {
        let mut row = [0, 0, 0, node];
        // 0 and -0 are one place.
        row.iter_mut().zip(x).for_each(|(bits, x)| *bits = (x + 0.0).to_bits());
        send[rank_of(comm, &row)].push(row);
    }
    let mut rows = comm.all_to_all(send).concat();
    rows.sort_unstable();
    let pairs = rows.windows(2).filter(|pair| pair[0][..3] == pair[1][..3]);
    let count = comm.sum(pairs.clone().count() as u64);
    let own = pairs.map(|pair| [pair[1][3], pair[0][3], pair[1][0], pair[1][1], pair[1][2]]).min();
    let found = comm.all_gather(&own.into_iter().flatten().collect::<Vec<u64>>());
    let words = found.into_iter().filter(|words| !words.is_empty()).min()?;
    let at = [2, 3, 4].map(|k| f64::from_bits(words[k]));
    Some(Twins { count, nodes: [words[1], words[0]], at })
}

/// The rank that compares nodes of these coordinates.
fn rank_of(comm: &Comm, row: &[u64; 4]) -> usize {
    let mix = |mixed: u64, bits: &u64| (mixed ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    (row[..3].iter().fold(0, mix) >> 11) as usize % comm.size()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ElementKind, ElementMeshBuilder};

    #[test]
    fn nodes_at_one_place_are_counted_and_the_first_is_named() {
        for ranks in [1, 3] {
            let found = Comm::simulate(ranks, |comm| {
                let mut builder = ElementMeshBuilder::new(2);
                if comm.is_root() {
                    builder
                        .add_nodes([0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, -0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
                    builder.add_elements(ElementKind::Triangle, 0, [0, 1, 2, 3, 4, 5]);
                }
                find(&comm, &builder.build(&comm).unwrap())
            });
            let expected = Twins { count: 3, nodes: [1, 3], at: [1.0, 0.0, 0.0] };
            assert!(found.iter().all(|found| *found == Some(expected.clone())), "{found:?}");
        }
    }
}
