//! A cut through a mesh in space: the faces that lie lowest along an axis, as polygons of a plane.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;
use cfd_io::{Array, Piece};
use cfd_mesh::ElementKind;

/// A field to draw.
#[derive(Clone, Copy, Debug)]
pub enum Drawn<'a> {
    /// A value for each cell.
    Cells(&'a [f64]),
    /// A value for each point.
    Points(&'a [f64]),
}

impl Drawn<'_> {
    /// The field of this name, if the grid has it.
    pub fn of<'a>(piece: &'a Piece, name: &str) -> Option<Drawn<'a>> {
        let find = |arrays: &'a [Array]| {
            arrays.iter().find(|array| array.name == name).and_then(|array| match &array.values {
                Values::F64(values) => Some(values.as_slice()),
                _ => None,
            })
        };
        find(&piece.cell_data).map(Drawn::Cells).or_else(|| find(&piece.point_data).map(Drawn::Points))
    }

    /// The value on a cell or one of its faces: the cell's own, or the mean of these corners.
    pub fn on(self, cell: usize, corners: &[u32]) -> f64 {
        match self {
            Drawn::Cells(values) => values[cell],
            Drawn::Points(values) => {
                corners.iter().map(|&corner| values[corner as usize]).sum::<f64>() / corners.len() as f64
            }
        }
    }
}

/// The faces that lie lowest along the axis `normal` of a mesh in space, in the plane of the other two axes, with the
/// numbers of their cells and the field's value on each: faces of hexahedra, and polygons that are cells themselves.
/// `None` for a mesh that is a plane across this axis. Collective.
pub fn lowest_plane(
    comm: &Comm,
    piece: &Piece,
    normal: usize,
    field: Drawn<'_>,
) -> Option<(Piece, Vec<f64>)> {
    let own = || piece.points.iter().map(|point| point[normal]);
    let ends =
        comm.all_gather(&[own().fold(f64::INFINITY, f64::min), own().fold(f64::NEG_INFINITY, f64::max)]);
    let lowest = ends.iter().map(|ends| ends[0]).fold(f64::INFINITY, f64::min);
    let highest = ends.iter().map(|ends| ends[1]).fold(f64::NEG_INFINITY, f64::max);
    if lowest >= highest {
        return None;
    }
    let in_plane = |corners: &Vec<u32>| corners.iter().all(|&c| piece.points[c as usize][normal] == lowest);
    let [across, up] = [[1, 2], [0, 2], [0, 1]][normal];
    let points = piece.points.iter().map(|point| [point[across], point[up], 0.0]).collect();
    let mut cut = Piece { points, ..Piece::default() };
    let mut of_faces = Vec::new();
    for (cell, corners) in piece.cells.iter().enumerate() {
        let kind = piece.kinds[cell];
        let faces: Vec<Vec<u32>> = match kind.dimension() {
            3 => {
                kind.faces().iter().map(|face| face.iter().map(|&corner| corners[corner]).collect()).collect()
            }
            2 => vec![corners.clone()],
            _ => Vec::new(),
        };
        if let Some(face) = faces.into_iter().find(in_plane) {
            of_faces.push(field.on(cell, &face));
            cut.kinds.push(if face.len() == 3 { ElementKind::Triangle } else { ElementKind::Quadrilateral });
            cut.cells.push(face);
            cut.global_ids.push(piece.global_ids[cell]);
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
                lowest_plane(&comm, &piece, 2, Drawn::Cells(&values)).unwrap()
            });
            let faces: Vec<_> = cuts.iter().flat_map(|(cut, _)| &cut.cells).collect();
            assert_eq!(faces, [&vec![0, 3, 2, 1]], "{ranks} ranks");
            assert_eq!((cuts[0].0.global_ids[..].to_vec(), cuts[0].1.clone()), (vec![0], vec![10.0]));
        }
    }

    #[test]
    fn other_planes_are_cut_and_faces_have_the_mean_of_their_corners() {
        for ranks in [1, 2] {
            let cuts = Comm::simulate(ranks, |comm| {
                let piece = column(&comm);
                let values: Vec<f64> =
                    piece.points.iter().map(|[x, y, z]| x + 100.0 * y + 10.0 * z).collect();
                lowest_plane(&comm, &piece, 1, Drawn::Points(&values)).unwrap()
            });
            let mut faces: Vec<_> =
                cuts.iter().flat_map(|(cut, values)| cut.global_ids.iter().zip(values)).collect();
            faces.sort_by_key(|(id, _)| **id);
            assert_eq!(faces, [(&0, &5.5), (&1, &15.5)], "{ranks} ranks");
            let highest =
                cuts.iter().flat_map(|(cut, _)| &cut.points).fold(0.0, |high: f64, point| high.max(point[1]));
            assert_eq!(highest, 2.0, "z points upwards in the plane");
        }
    }

    #[test]
    fn polygons_in_the_plane_are_cut_and_lines_are_not() {
        // The last rank has nothing.
        for ranks in [1, 2] {
            let cuts = Comm::simulate(ranks, |comm| {
                let mut piece = Piece::default();
                if comm.rank() == 0 {
                    piece = column(&Comm::single());
                    piece.kinds = vec![ElementKind::Quadrilateral, ElementKind::Triangle, ElementKind::Line];
                    piece.cells = vec![vec![0, 1, 5, 4], vec![0, 1, 2], vec![0, 1]];
                    piece.global_ids = vec![7, 8, 9];
                }
                lowest_plane(&comm, &piece, 2, Drawn::Cells(&[1.0, 2.0, 3.0])).expect("a mesh in space")
            });
            let (cut, values) = &cuts[0];
            assert_eq!(
                (&cut.kinds[..], &cut.cells[..]),
                (&[ElementKind::Triangle][..], &[vec![0, 1, 2]][..])
            );
            assert_eq!((&cut.global_ids[..], &values[..]), (&[8][..], &[2.0][..]));
            assert!(cuts[1..].iter().all(|(cut, _)| cut.cells.is_empty()));
        }
    }

    #[test]
    fn cells_of_a_plane_have_no_cut() {
        let comm = Comm::single();
        assert_eq!(lowest_plane(&comm, &Piece::default(), 2, Drawn::Cells(&[])), None);
    }
}
