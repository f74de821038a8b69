//! The numbers of the first mesh's vertices, which are their identities.
//!
//! Identities decide between equals: which of two equally short edges collapses, which corner of an element comes first
//! in a sum. Numbers of a file would make the adapted mesh depend on the program that wrote the file. In canonical order
//! they follow from the mesh itself:
//!
//! ```text
//! vertices by (position on the Hilbert curve through the mesh's bounding cube, bits of the coordinates, star)
//! ```
//!
//! This is the order of an adapted mesh ([`super::canonical`]), so that one that is adapted again keeps its numbers. The
//! last key, a hash of the positions of the elements around the vertex, tells vertices at the same place apart, as on
//! the two sides of a slit.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, fetch_rows};
use cfd_partition::curve_keys;

use super::build::{Input, InputError};
use super::canonical::numbered;
use super::identity::{Identity, mixed};
use super::{Mesh, NOT_UNIQUE};
use crate::geometry::Point;

/// What numbers the vertices of a mesh that has not been adapted yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// Their places: the same mesh in another order of vertices and elements becomes the same adapted mesh.
    #[default]
    Canonical,
    /// Their rows in the input.
    File,
}

/// The numbers of this block's vertices. `points` are those of the corners of this block's elements. Collective.
///
/// # Errors
/// Two vertices at one place with the same elements around them.
pub(super) fn numbers<const D: usize>(
    comm: &Comm,
    input: &Input<D>,
    points: &[Point<D>],
) -> Result<Vec<u64>, InputError> {
    let own = Blocks::new(input.rows[0], comm.size()).range(comm.rank());
    if input.numbering == Numbering::File {
        return Ok(own.collect());
    }
    let axes: Vec<Vec<f64>> =
        (0..D).map(|axis| input.positions.iter().map(|point| point[axis]).collect()).collect();
    let stars = stars(comm, input, points);
    let key = |((place, point), star): ((u64, &Point<D>), u64)| -> Vec<u64> {
        [place].into_iter().chain(point.map(f64::to_bits)).chain([star]).collect()
    };
    let places = curve_keys(comm, &axes).into_iter();
    let keys: Vec<Vec<u64>> = places.zip(&input.positions).zip(stars).map(key).collect();
    let numbers = numbered(comm, &keys);
    let twin = numbers.iter().position(|&number| number == NOT_UNIQUE);
    comm.agree(match twin {
        None => Ok(()),
        Some(i) => {
            Err(InputError::Twin { vertex: own.start + i as u64, place: format!("{:?}", input.positions[i]) })
        }
    })?;
    Ok(numbers)
}

/// For each vertex of this block, a hash of the positions of the elements around it, whatever their order. Collective.
fn stars<const D: usize>(comm: &Comm, input: &Input<D>, points: &[Point<D>]) -> Vec<u64> {
    let blocks = Blocks::new(input.rows[0], comm.size());
    let first = blocks.range(comm.rank()).start;
    let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
    for (corners, points) in input.elements.chunks_exact(D + 1).zip(points.chunks_exact(D + 1)) {
        for (i, &corner) in corners.iter().enumerate() {
            send[blocks.owner(corner)].push([corner, hash_from(points, i)]);
        }
    }
    let mut stars = vec![0u64; input.positions.len()];
    for [vertex, hash] in comm.all_to_all(send).concat() {
        let star = &mut stars[(vertex - first) as usize];
        *star = star.wrapping_add(hash);
    }
    stars
}

/// A hash of an element's corners, seen from one of them.
fn hash_from<const D: usize>(points: &[Point<D>], corner: usize) -> u64 {
    let bits = |i: usize| points[i].map(f64::to_bits);
    let mut others: Vec<[u64; D]> = (0..=D).filter(|&i| i != corner).map(bits).collect();
    others.sort_unstable();
    let words = bits(corner).into_iter().chain(others.into_iter().flatten());
    words.fold(0, |hash, word| mixed(Identity::from(word), hash))
}

/// The rows of vertices by their numbers: what [`numbers`] has made of the rows, the other way round. Collective.
pub(super) fn rows_by_number(comm: &Comm, vertices: u64, numbers: &[u64]) -> Vec<u64> {
    let blocks = Blocks::new(vertices, comm.size());
    let own = blocks.range(comm.rank());
    let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
    for (row, &number) in own.clone().zip(numbers) {
        send[blocks.owner(number)].push([number, row]);
    }
    let mut rows = vec![0; numbers.len()];
    for [number, row] in comm.all_to_all(send).concat() {
        rows[(number - own.start) as usize] = row;
    }
    rows
}

impl<const D: usize> Mesh<D> {
    /// The rows in the input of vertices with these identities; a vertex that splits an edge has none. Collective.
    pub fn input_rows(&self, identities: &[Identity]) -> Vec<Option<u64>> {
        let blocks = Blocks::new(self.input_vertices, self.comm.size());
        let number = |&identity: &Identity| u64::try_from(identity).ok().filter(|&n| n < self.input_vertices);
        let numbers: Vec<Option<u64>> = identities.iter().map(number).collect();
        let wanted: Vec<u64> = numbers.iter().copied().flatten().collect();
        let mut rows = fetch_rows(&self.comm, blocks, 1, &self.input_rows, &wanted).into_iter();
        numbers.iter().map(|number| number.and_then(|_| rows.next())).collect()
    }
}
