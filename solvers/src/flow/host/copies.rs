//! What the copies of a node add up: [`crate::gas::copies`].

use cfd_engine::prelude::*;

use super::{D, N, TURNS};
use crate::gas::copies::{self, CopyLoops, CopySums};

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
            numbers: all.sums(domain, "numbers"),
            vectors: all.sums(domain, "vectors"),
            walls: all.sums(domain, "walls"),
            matrices: all.sums(domain, "matrices"),
            gradients: all.sums(domain, "gradients"),
            states: all.sums(domain, "states"),
            turns: all.sums(domain, "vorticity"),
            blocks: all.sums(domain, "blocks"),
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

    /// The vectors from nodes to their copies, of this rank's copies.
    ///
    /// # Errors
    /// A device has failed.
    pub fn shifts(&self, domain: &mut Domain, x: Dat<D>) -> Result<Vec<[f64; D]>, BackendError> {
        self.all.shifts(domain, x)
    }
}
