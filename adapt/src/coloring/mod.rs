//! Colorings of graphs, as a study: vertices of one color are not neighbours, so all can be processed at once.
//!
//! | coloring | how | threads meet | same colors in every run |
//! | --- | --- | --- | --- |
//! | [`first_fit`] | one vertex after the other | - | yes |
//! | [`jones_plassmann`] | independent sets by hash | once per round of many vertices | yes, on any number of threads |
//! | [`multi_hash`] | a hash for each color | once | yes, on any number of threads |
//! | [`gebremedhin_manne`] | all at once, conflicts on one thread | twice | on one thread |
//! | [`catalyurek`] | all at once, then those in conflict again | twice per round | on one thread |
//! | [`rokos`] | the same, but conflicts are repaired where they are found | once per round | on one thread |
//!
//! The six are Algorithms 8 to 13 of G. Rokos, Scalable multithreaded algorithms for mutable irregular data with
//! application to anisotropic mesh adaptivity, Imperial College London, 2014, chapter 5.
//!
//! ```text
//! algorithm     the colorings by name
//! graph         graphs in compressed rows          generate   meshes and random graphs
//! greedy, independent, speculative                 the colorings
//! palette       the smallest color that no neighbour has
//! ```
//!
//! ```
//! use cfd_adapt::coloring::{Algorithm, Numbering, check, triangulation};
//! use cfd_engine::plug::ThreadPool;
//!
//! let mesh = triangulation([30, 20], Numbering::Shuffled, 1)?;
//! let coloring = Algorithm::JonesPlassmann.color(&mesh, &ThreadPool::new(2));
//! check(&mesh, &coloring.colors)?;
//! assert!(coloring.count() <= mesh.max_degree() + 1);
//! # Ok::<(), cfd_adapt::coloring::ColoringError>(())
//! ```

mod algorithm;
mod error;
mod generate;
mod graph;
mod greedy;
mod independent;
mod palette;
mod speculative;

pub use algorithm::Algorithm;
pub use error::ColoringError;
pub use generate::{Numbering, Quadrants, rmat, triangulation};
pub use graph::Graph;
pub use greedy::{first_fit, first_fit_in_order};
pub use independent::{jones_plassmann, multi_hash, priority};
pub use speculative::{catalyurek, gebremedhin_manne, rokos};

use palette::UNCOLORED;

/// The colors of a graph, and their cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coloring {
    /// A color for each vertex, from 0 on.
    pub colors: Vec<u32>,
    /// Passes over vertices after which threads meet to find out whether more follow.
    pub rounds: usize,
    /// How often all threads meet.
    pub barriers: usize,
    /// Vertices that had to change because a neighbour had the same color, counted in each round.
    pub conflicts: usize,
}

impl Coloring {
    /// Number of different colors.
    pub fn count(&self) -> usize {
        let mut colors = self.colors.clone();
        colors.sort_unstable();
        colors.dedup();
        colors.len()
    }
}

/// Checks that each vertex has a color and no two neighbours have the same.
///
/// # Errors
/// [`ColoringError::Length`], [`ColoringError::Uncolored`], [`ColoringError::Conflict`] with the first pair.
pub fn check(graph: &Graph, colors: &[u32]) -> Result<(), ColoringError> {
    let vertices = graph.vertices();
    if colors.len() != vertices as usize {
        return Err(ColoringError::Length { colors: colors.len(), vertices });
    }
    for (vertex, &color) in (0..).zip(colors) {
        if color == UNCOLORED {
            return Err(ColoringError::Uncolored { vertex });
        }
        let conflict = |&&other: &&u32| other > vertex && colors[other as usize] == color;
        if let Some(&other) = graph.neighbours(vertex).iter().find(conflict) {
            return Err(ColoringError::Conflict { ends: [vertex, other], color });
        }
    }
    Ok(())
}
