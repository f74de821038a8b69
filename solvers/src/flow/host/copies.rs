//! What the copies of a node add up: [`crate::gas::copies`].

use cfd_engine::prelude::*;
use cfd_mesh::derive::periodic::images::Affine;

use super::{D, N, TURNS};
use crate::gas::copies::{self, CopyEdges, CopyLoops, CopySums, Shape};

/// The copies of nodes, and the sums over them.
#[derive(Clone, Copy)]
pub struct Copies {
    all: copies::Copies,
    pub numbers: CopySums<1>,
    pub vectors: CopySums<D>,
    pub walls: CopySums<{ D + 3 }>,
    pub matrices: CopySums<{ D * (D + 1) / 2 }>,
    pub gradients: CopySums<{ D * N }>,
    pub states: CopySums<N>,
    pub turns: CopySums<{ TURNS.len() }>,
    pub blocks: CopySums<{ N * N }>,
}

impl Copies {
    /// Those of a domain, if it has any.
    ///
    /// # Errors
    /// The domain lacks something.
    pub fn new(domain: &mut Domain) -> Result<Option<Copies>, DomainError> {
        let all = copies::Copies::new(domain, "")?;
        Ok(all.map(|all| Copies {
            all,
            numbers: all.sums(domain, "numbers", Shape::Numbers),
            vectors: all.sums(domain, "vectors", Shape::Vector),
            walls: all.sums(domain, "walls", Shape::Vector),
            matrices: all.sums(domain, "matrices", Shape::Symmetric),
            gradients: all.sums(domain, "gradients", Shape::Gradients),
            states: all.sums(domain, "states", Shape::State),
            // In the plane it is a number.
            turns: all.sums(domain, "vorticity", if D == 2 { Shape::Numbers } else { Shape::Vector }),
            blocks: all.sums(domain, "blocks", Shape::Block),
        }))
    }

    /// Volumes of whole cells.
    ///
    /// # Errors
    /// The domain lacks something, or a device has failed.
    pub fn volumes(&self, domain: &mut Domain) -> Result<Dat<1>, DomainError> {
        let parts: Dat<1> = domain.dat("volume")?;
        let values = domain.read(parts)?;
        let whole = domain.new_dat(parts.set(), "volume of whole cells");
        domain.write(whole, &values);
        self.numbers.unite(domain, whole);
        Ok(whole)
    }

    /// Gives all copies of a node the mean of their values, weighted by their parts of the whole cell: what the cell has per
    /// volume, if each has that of its part. Collective.
    ///
    /// # Errors
    /// The domain lacks something, or a device has failed.
    pub fn mean<const M: usize>(
        &self,
        domain: &mut Domain,
        values: Dat<M>,
        sums: CopySums<M>,
        whole: Dat<1>,
    ) -> Result<(), DomainError>
    where
        CopySums<M>: CopyLoops<M>,
    {
        let parts: Dat<1> = domain.dat("volume")?;
        let (parts, whole) = (domain.read(parts)?, domain.read(whole)?);
        let mut weighted = domain.read(values)?;
        for ((values, part), whole) in weighted.chunks_exact_mut(M).zip(parts).zip(whole) {
            values.iter_mut().for_each(|value| *value *= part / whole);
        }
        domain.write(values, &weighted);
        sums.unite(domain, values);
        Ok(())
    }

    /// Edges that are another one.
    pub fn edges(&self) -> CopyEdges {
        self.all.edges.expect("the dual has them with its copies")
    }

    /// Whether vectors of copies differ from those of their nodes.
    pub fn is_turned(&self) -> bool {
        self.all.is_turned()
    }

    /// The motions from nodes to their copies, of this rank's copies.
    ///
    /// # Errors
    /// A device has failed.
    pub fn motions(&self, domain: &mut Domain, x: Dat<D>) -> Result<Vec<Affine<D>>, BackendError> {
        self.all.motions(domain, x)
    }
}
