//! A cut through hexahedra: their faces in the plane of the lowest z, as quadrilaterals of a plane.

use cfd_engine::comm::Comm;
use cfd_io::Piece;
use cfd_topology::ElementKind;

/// The faces of this rank's hexahedra whose corners all have the lowest z of all points, with the numbers of their
/// hexahedra, and for each the value of its hexahedron. None where no rank has a hexahedron. Collective.
pub fn lowest_plane(comm: &Comm, piece: &Piece, values: &[f64]) -> Option<(Piece, Vec<f64>)> {
    let hexahedra = piece.kinds.iter().filter(|kind| **kind == ElementKind::Hexahedron).count();
    if comm.sum(hexahedra as u64) == 0 {
        return None;
    }
    let own = piece.points.iter().fold(f64::INFINITY, |low, &[_, _, z]| if z < low { z } else { low });
    let lows = comm.all_gather(&[own]).concat();
    let lowest = lows.into_iter().fold(f64::INFINITY, |low, z| if z < low { z } else { low });
    let in_plane = |corners: &Vec<u32>| corners.iter().all(|&c| piece.points[c as usize][2] == lowest);
    let mut cut = Piece { points: piece.points.clone(), ..Piece::default() };
    let mut of_faces = Vec::new();
    for (cell, corners) in piece.cells.iter().enumerate() {
        let faces = piece.kinds[cell].faces().iter();
        let faces = faces.map(|face| face.iter().map(|&corner| corners[corner]).collect::<Vec<u32>>());
        if let Some(face) = faces.into_iter().find(in_plane) {
            cut.kinds.push(ElementKind::Quadrilateral);
            cut.cells.push(face);
            cut.global_ids.push(piece.global_ids[cell]);
            of_faces.push(values[cell]);
        }
    }
    Some((cut, of_faces))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column of two unit cubes, the lower one on rank 0.
    fn column(comm: &Comm) -> Piece {
        let base = if comm.size() == 1 { [0.0, 1.0].to_vec() } else { vec![comm.rank() as f64] };
        let mut piece = Piece::default();
        for z in base {
            let first = piece.points.len() as u32;
            for height in [z, z + 1.0] {
                piece.points.extend([
                    [0.0, 0.0, height],
                    [1.0, 0.0, height],
                    [1.0, 1.0, height],
                    [0.0, 1.0, height],
                ]);
            }
            piece.kinds.push(ElementKind::Hexahedron);
            piece.cells.push((first..first + 8).collect());
            piece.global_ids.push(z as u64);
        }
        piece
    }

    #[test]
    fn only_faces_in_the_lowest_plane_are_cut_on_any_ranks() {
        for ranks in [1, 2] {
            let cuts = Comm::simulate(ranks, |comm| {
                let piece = column(&comm);
                let values: Vec<f64> = piece.global_ids.iter().map(|&id| 10.0 + id as f64).collect();
                lowest_plane(&comm, &piece, &values).expect("hexahedra")
            });
            let faces: Vec<_> = cuts.iter().flat_map(|(cut, _)| &cut.cells).collect();
            assert_eq!(faces, [&vec![0, 3, 2, 1]], "{ranks} ranks");
            assert_eq!((cuts[0].0.global_ids[..].to_vec(), cuts[0].1.clone()), (vec![0], vec![10.0]));
        }
    }

    #[test]
    fn cells_of_a_plane_have_no_cut() {
        let comm = Comm::single();
        assert_eq!(lowest_plane(&comm, &Piece::default(), &[]), None);
    }
}
