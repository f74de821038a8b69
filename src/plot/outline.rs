//! The bodies in a plane: closed curves of sides that belong to only one cell, except the outermost.

use std::collections::BTreeMap;

use cfd_engine::comm::Comm;
use cfd_io::Piece;

/// A point, as the bits of its coordinates: the two copies of a node on a cut through the mesh are one point.
type Corner = [u64; 2];

/// The bodies, each as the corners of a polygon, on rank 0; none elsewhere. Collective.
///
/// All cells must have the same orientation. A curve that reaches the end of the mesh, as the outermost does, is not a
/// body.
pub fn bodies(comm: &Comm, piece: &Piece) -> Vec<Vec<[f64; 2]>> {
    let own: Vec<[u64; 4]> = single((0..piece.cells.len()).flat_map(|cell| sides(piece, cell)).collect());
    let all = single(comm.gather(own).concat());
    if !comm.is_root() {
        return Vec::new();
    }
    let mut from: BTreeMap<Corner, Vec<Corner>> = BTreeMap::new();
    for [x0, y0, x1, y1] in all {
        from.entry([x0, y0]).or_default().push([x1, y1]);
    }
    let ends = extent(from.keys());
    let mut bodies = Vec::new();
    while let Some((&first, _)) = from.first_key_value() {
        let (mut curve, mut at) = (Vec::new(), first);
        while let Some(next) = from.get_mut(&at) {
            curve.push(at);
            let to = next.pop().expect("no empty list is kept");
            if next.is_empty() {
                from.remove(&at);
            }
            at = to;
            if at == first {
                break;
            }
        }
        let reach = extent(curve.iter());
        let touches = (0..4).any(|side| reach[side] == ends[side]);
        if at == first && curve.len() > 2 && !touches {
            bodies.push(curve.into_iter().map(point).collect());
        }
    }
    bodies
}

/// The lowest and the highest of some points along an axis; `None` without points.
pub fn range(places: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    places.fold(None, |range, x| {
        let [low, high] = range.unwrap_or([x, x]);
        Some([low.min(x), high.max(x)])
    })
}

/// The sides of a cell, from corner to corner; none of a line, which is a side itself, as a boundary's elements are.
fn sides(piece: &Piece, cell: usize) -> impl Iterator<Item = [u64; 4]> {
    let corners = &piece.cells[cell];
    // Adding zero turns -0 into 0.
    let place = |corner: u32| {
        let [x, y, _] = piece.points[corner as usize];
        [(x + 0.0).to_bits(), (y + 0.0).to_bits()]
    };
    let count = if corners.len() < 3 { 0 } else { corners.len() };
    (0..count).filter_map(move |at| {
        let ([x0, y0], [x1, y1]) = (place(corners[at]), place(corners[(at + 1) % corners.len()]));
        ((x0, y0) != (x1, y1)).then_some([x0, y0, x1, y1])
    })
}

/// The sides that occur once, in either direction.
fn single(mut sides: Vec<[u64; 4]>) -> Vec<[u64; 4]> {
    let key = |&[x0, y0, x1, y1]: &[u64; 4]| ([x0, y0].min([x1, y1]), [x0, y0].max([x1, y1]));
    sides.sort_unstable_by_key(key);
    sides.chunk_by(|a, b| key(a) == key(b)).filter(|same| same.len() == 1).flatten().copied().collect()
}

fn point(place: Corner) -> [f64; 2] {
    place.map(f64::from_bits)
}

/// Low x and y, high x and y.
fn extent<'a>(places: impl Iterator<Item = &'a Corner>) -> [f64; 4] {
    let nothing = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    places
        .map(|&place| point(place))
        .fold(nothing, |[x0, y0, x1, y1], [x, y]| [x0.min(x), y0.min(y), x1.max(x), y1.max(y)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 x 5 unit squares without the one in the middle and, of `holes`, another.
    fn squares(comm: &Comm, holes: &[[u32; 2]]) -> Piece {
        let mut piece = Piece::default();
        for cell in (0..25).filter(|cell| *cell as usize % comm.size() == comm.rank()) {
            let (i, j) = (cell % 5, cell / 5);
            if holes.contains(&[i, j]) {
                continue;
            }
            let first = piece.points.len() as u32;
            for (x, y) in [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)] {
                piece.points.push([f64::from(x), f64::from(y), 0.0]);
            }
            piece.cells.push((first..first + 4).collect());
        }
        piece
    }

    #[test]
    fn holes_are_bodies_on_any_ranks_and_what_reaches_the_end_is_none() {
        for ranks in [1, 3, 7] {
            let found =
                Comm::simulate(ranks, |comm| bodies(&comm, &squares(&comm, &[[2, 2], [0, 4], [1, 1]])));
            assert!(found[1..].iter().all(Vec::is_empty));
            // Two holes that touch at a corner may be two curves or one through it; all their corners are included.
            let mut corners: Vec<[f64; 2]> = found[0].concat();
            corners.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
            corners.dedup();
            let expected =
                [[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [2.0, 3.0], [3.0, 2.0], [3.0, 3.0]];
            assert_eq!(corners, expected, "{ranks} ranks");
        }
        let comm = Comm::single();
        let hole = squares(&comm, &[[3, 2]]);
        let (first, mut lined) = (hole.cells.len(), hole.clone());
        for ends in [[[3.0, 2.0, 0.0], [4.0, 2.0, 0.0]], [[4.0, 2.0, 0.0], [4.0, 3.0, 0.0]]] {
            let at = lined.points.len() as u32;
            lined.points.extend(ends);
            lined.cells.push(vec![at, at + 1]);
        }
        assert_eq!((lined.cells.len(), bodies(&comm, &lined)), (first + 2, bodies(&comm, &hole)));
        assert_eq!(bodies(&comm, &squares(&comm, &[])), Vec::<Vec<[f64; 2]>>::new());
        assert_eq!(bodies(&comm, &squares(&comm, &[[3, 2]]))[0].len(), 4);
        assert_eq!(bodies(&comm, &Piece::default()), Vec::<Vec<[f64; 2]>>::new());
    }
}
