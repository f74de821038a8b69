//! Refuses degenerate elements and reorients those that are inside out.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};

use super::ElementKind;

/// Checks this rank's elements of a kind, in a mesh of `dimension` dimensions whose nodes have the coordinates `x`,
/// this rank's block. Elements of the mesh's own dimension that are inside out are reoriented, keeping their first
/// node; returns how many. Collective, except that ranks have yet to agree on the error.
///
/// # Errors
/// The first element with a repeated node or without length, area or volume: its index among this rank's, and what is
/// wrong.
///
/// # Panics
/// If a node is not in the mesh.
pub fn orient(
    comm: &Comm,
    dimension: usize,
    blocks: Blocks,
    x: &[f64],
    kind: ElementKind,
    nodes: &mut [u64],
) -> Result<u64, (usize, String)> {
    let x = fetch_rows(comm, blocks, dimension, x, nodes);
    let coordinates = x.chunks_exact(kind.nodes() * dimension);
    let mut count = 0;
    for (place, (element, x)) in nodes.chunks_exact_mut(kind.nodes()).zip(coordinates).enumerate() {
        let twice = (1..element.len()).any(|k| element[..k].contains(&element[k]));
        let measure = kind.measure(dimension, x);
        if twice || measure == 0.0 || !measure.is_finite() {
            let (a, size) = [("a", "length"), ("an", "area"), ("a", "volume")][kind.dimension() - 1];
            let found =
                if twice { "a node of it is repeated".into() } else { format!("its {size} is {measure}") };
            return Err((
                place,
                format!(
                    "degenerate {kind}: {found}; expected one with {} nodes and {a} {size}",
                    kind.nodes()
                ),
            ));
        }
        if measure < 0.0 {
            let mut turned = [0; ElementKind::MOST_NODES];
            for (to, &from) in turned.iter_mut().zip(kind.turned()) {
                *to = element[from];
            }
            element.copy_from_slice(&turned[..element.len()]);
            count += 1;
        }
    }
    Ok(count)
}
