//! Which facets of a mesh's elements are on which boundary.
//!
//! Facets meet at the rank that holds the block of their smallest vertex: a facet of two elements is inside, and may be an
//! interface, which is embedded if the mesh lists it; one of a single element must be among the boundary facets.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

use super::build::{Input, InputError, key};
use super::elements::exchanges;
use super::{Defect, EMBEDDED, INSIDE, INTERFACE};

/// Corners of a facet in ascending order, at most three.
pub(super) type Key = [u64; 3];

/// Marks a boundary facet that belongs to no element.
const NO_ELEMENT: u64 = u64::MAX;

pub(super) struct Facets {
    /// For each element's facets, by element and corner: the rank that knows.
    homes: Vec<usize>,
    /// What each rank asks of this one: key, then the tag, or 0 for a facet of an element, the element, and 1 if the facet's
    /// corners go around the element the other way than those of the key.
    asked: Vec<Vec<[u64; 6]>>,
}

impl Facets {
    /// Sends all facets to the ranks where they meet. Collective.
    pub fn new<const D: usize>(comm: &Comm, input: &Input<D>, elements: &[u64]) -> Facets {
        let blocks = Blocks::new(input.rows[0], comm.size());
        let mut send: Vec<Vec<[u64; 6]>> = vec![Vec::new(); comm.size()];
        let mut homes = Vec::with_capacity(elements.len());
        let first = Blocks::new(input.rows[1], comm.size()).range(comm.rank()).start;
        for (i, corners) in elements.chunks_exact(D + 1).enumerate() {
            for opposite in 0..=D {
                let others = corners.iter().enumerate().filter(|&(j, _)| j != opposite).map(|(_, &c)| c);
                let other_way = (opposite + exchanges(others.clone())) % 2;
                let key = key::<D>(others);
                let home = blocks.owner(key[0]);
                homes.push(home);
                send[home].push([key[0], key[1], key[2], 0, first + i as u64, other_way as u64]);
            }
        }
        for (corners, &tag) in input.facets.chunks_exact(D).zip(&input.tags) {
            let key = key::<D>(corners.iter().copied());
            send[blocks.owner(key[0])].push([key[0], key[1], key[2], u64::from(tag), NO_ELEMENT, 0]);
        }
        Facets { homes, asked: comm.all_to_all(send) }
    }

    /// The tags of this block's elements' facets. Collective.
    pub fn tags(&self, comm: &Comm) -> Result<Vec<u16>, InputError> {
        // Row, asking rank, and index in its list.
        let mut rows: Vec<([u64; 6], usize, usize)> = Vec::new();
        for (rank, asked) in self.asked.iter().enumerate() {
            rows.extend(asked.iter().enumerate().map(|(i, &row)| (row, rank, i)));
        }
        rows.sort_unstable();
        let mut answers: Vec<Vec<u16>> = self.asked.iter().map(|asked| vec![INSIDE; asked.len()]).collect();
        let mut wrong = Ok(());
        for same in rows.chunk_by(|a, b| a.0[..3] == b.0[..3]) {
            match tag_of(same) {
                Ok(tag) => same.iter().for_each(|&(_, rank, i)| answers[rank][i] = tag),
                Err(error) => {
                    wrong = Err(InputError::Facet(error));
                    break;
                }
            }
        }
        comm.agree(wrong)?;
        let mut answers: Vec<_> = comm.all_to_all(answers).into_iter().map(Vec::into_iter).collect();
        let next = |&home: &usize| answers[home].next().expect("an answer for each facet");
        Ok(self.homes.iter().map(next).collect())
    }
}

fn is_interface(tag: u64) -> bool {
    tag as u16 & INTERFACE != 0
}

/// A facet's tag from everything known of it, boundary facets last.
fn tag_of(same: &[([u64; 6], usize, usize)]) -> Result<u16, Defect> {
    let tags = same.iter().filter(|row| row.0[4] == NO_ELEMENT);
    let elements = same.iter().filter(|row| row.0[4] != NO_ELEMENT);
    let corners: Vec<u64> = same[0].0[..3].iter().copied().filter(|&c| c != u64::MAX).collect();
    let owners: Vec<[u64; 2]> = elements.map(|row| [row.0[4], row.0[5]]).collect();
    let tags: Vec<u64> = tags.map(|row| row.0[3]).collect();
    match (&owners[..], &tags[..]) {
        ([[one, way], [other, other_way]], _) if way == other_way => Err(Defect::new(format!(
            "elements {one} and {other} are on the same side of their facet {corners:?}, where the mesh folds over itself; \
             expected one element on each side"
        ))),
        ([_, _], []) => Ok(INSIDE),
        ([_, _], [tag]) if is_interface(*tag) => Ok(*tag as u16),
        ([_, _], [tag]) => Ok(*tag as u16 | INTERFACE | EMBEDDED),
        ([_], [tag]) if !is_interface(*tag) => Ok(*tag as u16),
        ([[element, _]], []) => Err(Defect::new(format!(
            "facet {corners:?} of element {element} has no other element and is on no boundary"
        ))),
        (owners, tags) => Err(Defect::new(format!(
            "facet {corners:?} is one of {} elements and on {} boundaries; inside are facets of two elements, on a \
             boundary those of one, and no facet is on two boundaries",
            owners.len(),
            tags.len()
        ))),
    }
}
