//! What must hold for a mesh between two passes.

use std::collections::BTreeMap;
use std::fmt;

use cfd_engine::comm::ReduceOp;
use exact_sum::{ExactSum, WORDS, round};
use serde::{Deserialize, Serialize};

use super::{INSIDE, Local, Mesh, Numbers, is_outer};
use crate::geometry::{Geometry, Space};

/// Something that does not hold for a mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Defect(String);

impl Defect {
    pub(super) fn new(what: String) -> Defect {
        Defect(what)
    }
}

impl std::error::Error for Defect {}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Turns a failed condition into a defect.
fn require(holds: bool, defect: impl FnOnce() -> String) -> Result<(), Defect> {
    if holds { Ok(()) } else { Err(Defect(defect())) }
}

impl<const D: usize> Mesh<D>
where
    Space<D>: Geometry<D>,
{
    /// Checks that no element is inverted, that elements fit together, that stars are those of the elements, and that
    /// ghosts equal their owners' vertices. Collective.
    ///
    /// # Errors
    /// What does not hold, and where; on all ranks, the defect of the lowest rank that has one.
    pub fn check(&self) -> Result<(), Defect> {
        let local = &self.local;
        let defects =
            check_elements(local).and_then(|()| check_facets(local)).and_then(|()| check_stars(local));
        let defects = defects.and_then(|()| self.check_lists());
        self.comm.agree(defects)?;
        self.comm.agree(self.check_ghosts())?;
        let outdated = self.slopes.outdated(local, &self.fields);
        self.comm.agree(require(outdated.is_none(), || {
            format!(
                "gradients at {} are not those of the elements around it",
                names(local, outdated.as_slice())
            )
        }))?;
        let differing = self.differing_copies();
        self.comm.agree(require(differing.is_empty(), || {
            format!("copy of element {} does not have its owner's values", names(local, &differing[0]))
        }))
    }

    /// Area or volume of the whole mesh, correctly rounded. Collective.
    pub fn measure(&self) -> f64 {
        self.exact_sum(self.local.own_elements().map(|e| self.local.measure(e)))
    }

    /// Correctly rounded sum of all ranks' terms. Collective.
    pub fn exact_sum(&self, terms: impl Iterator<Item = f64>) -> f64 {
        let mut sum = ExactSum::new();
        terms.for_each(|term| sum.add(term));
        let mut words = [0; WORDS];
        sum.write_words(&mut words);
        self.comm.all_reduce(&mut words, ReduceOp::Sum);
        round(&words)
    }

    /// Checks that the lists of shared vertices are those that the elements imply.
    fn check_lists(&self) -> Result<(), Defect> {
        let mut anew = super::Ghosts::default();
        anew.find(&self.local);
        let same = anew.neighbours.len() == self.ghosts.neighbours.len()
            && anew
                .neighbours
                .iter()
                .zip(&self.ghosts.neighbours)
                .all(|(a, b)| a.rank == b.rank && a.sends == b.sends && a.receives == b.receives);
        require(same, || "lists of ghosts are not those of the elements".into())
    }

    /// Checks that ghosts have their owners' values.
    fn check_ghosts(&self) -> Result<(), Defect> {
        let local = &self.local;
        let describe = |v: u32| -> [u64; 8] {
            let vertex = local.vertices.get(v);
            let position: Vec<u64> = vertex.position.iter().map(|c| c.to_bits()).collect();
            let metric = vertex.metric.0.as_flattened().iter();
            let metric = metric.fold(0u64, |hash, m| hash.rotate_left(7) ^ m.to_bits());
            let values = local.vertices.values(v).iter();
            let values = values.fold(0u64, |hash, m| hash.rotate_left(7) ^ m.to_bits());
            [
                vertex.identity as u64,
                (vertex.identity >> 64) as u64,
                position[0],
                position[D - 1],
                metric,
                values,
                u64::from(vertex.owner),
                vertex.freedom as u64,
            ]
        };
        let held: Vec<[u64; 8]> = (0..local.vertices.len() as u32).map(describe).collect();
        let mut owners = held.clone();
        self.update_ghosts(&mut owners);
        for v in (0..local.vertices.len() as u32).filter(|&v| local.vertices.is_alive(v)) {
            require(held[v as usize] == owners[v as usize], || {
                format!("ghost {:x} differs from its owner's copy", local.identity(v))
            })?;
        }
        Ok(())
    }
}

fn check_elements<const D: usize>(local: &Local<D>) -> Result<(), Defect>
where
    Space<D>: Geometry<D>,
{
    for e in local.elements.iter() {
        let corners = local.elements.corners(e);
        let name = || names(local, corners);
        require(corners.iter().all(|&c| local.vertices.is_alive(c)), || {
            format!("element {e} has a free vertex")
        })?;
        let first = corners.iter().all(|&c| local.identity(corners[0]) <= local.identity(c));
        require(first, || format!("element {} does not begin with its smallest vertex", name()))?;
        require(local.is_positive(corners), || format!("element {} is inverted", name()))?;
        let touches = corners.iter().any(|&c| local.is_own(c));
        require(touches, || format!("element {} touches no vertex of this rank", name()))?;
    }
    Ok(())
}

/// Checks that a facet of two elements is on no boundary and a facet of one is on one, and that elements of two regions
/// have an interface between them; facets whose other element is on another rank are left out.
fn check_facets<const D: usize>(local: &Local<D>) -> Result<(), Defect> {
    let mut facets: BTreeMap<Numbers, (usize, u16, [u16; 2])> = BTreeMap::new();
    for e in local.elements.iter() {
        let corners = local.elements.corners(e);
        for (i, &tag) in local.elements.tags(e).iter().enumerate() {
            let mut facet: Numbers =
                corners.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, &c)| c).collect();
            facet.sort_unstable();
            let entry = facets.entry(facet).or_insert((0, tag, [0; 2]));
            entry.2[entry.0 % 2] = local.elements.region(e);
            entry.0 += 1;
            require(entry.1 == tag, || format!("facet of {} has two tags", names(local, corners)))?;
        }
    }
    for (facet, (elements, tag, [one, other])) in facets {
        let expected = if is_outer(tag) { 1 } else { 2 };
        let complete = facet.iter().any(|&c| local.is_own(c));
        require(!complete || elements == expected, || {
            format!("facet {} with tag {tag} is one of {elements} elements", names(local, &facet))
        })?;
        require(elements < 2 || one == other || tag != INSIDE, || {
            format!("facet {} with tag {tag} is between regions {one} and {other}", names(local, &facet))
        })?;
    }
    Ok(())
}

fn check_stars<const D: usize>(local: &Local<D>) -> Result<(), Defect> {
    let mut stars: Vec<Vec<u32>> = vec![Vec::new(); local.vertices.len()];
    for e in local.elements.iter() {
        local.elements.corners(e).iter().for_each(|&c| stars[c as usize].push(e));
    }
    for (v, star) in stars.iter_mut().enumerate() {
        let mut held = local.star(v as u32).to_vec();
        held.sort_unstable();
        require(held == *star, || format!("star of vertex {v} is {held:?} instead of {star:?}"))?;
        require(star.is_empty() != local.vertices.is_alive(v as u32), || {
            format!("vertex {v} is in no element")
        })?;
    }
    Ok(())
}

fn names<const D: usize>(local: &Local<D>, vertices: &[u32]) -> String {
    let names: Vec<String> =
        vertices.iter().map(|&v| format!("{:x} at {:?}", local.identity(v), local.position(v))).collect();
    format!("({})", names.join(", "))
}
