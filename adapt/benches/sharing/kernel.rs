//! The loops being shared.

use std::hint::black_box;

use cfd_adapt::mesh::Mesh;
use cfd_adapt::operation::{Bounds, Evaluation, evaluations};
use cfd_adapt::sharing::work;
use cfd_engine::comm::Comm;

use crate::square::{self, Wanted};

/// A loop whose items may be executed in any order, on any threads.
pub trait Kernel: Sync {
    /// Its name in tables.
    fn name(&self) -> &str;
    /// Number of items; asked for after `prepare`.
    fn items(&self) -> usize;
    /// What must be done before each run and is not measured: a kernel that changes its data restores it here.
    fn prepare(&mut self) {}
    /// Executes an item.
    fn execute(&self, item: usize);
}

/// Nothing to do: the cost of dealing.
pub struct Empty(pub usize);

impl Kernel for Empty {
    fn name(&self) -> &str {
        "empty"
    }

    fn items(&self) -> usize {
        self.0
    }

    fn execute(&self, item: usize) {
        black_box(item);
    }
}

/// A synthetic loop with the states of its items.
pub struct Synthetic {
    pub name: &'static str,
    pub states: Vec<u8>,
}

impl Kernel for Synthetic {
    fn name(&self) -> &str {
        self.name
    }

    fn items(&self) -> usize {
        self.states.len()
    }

    fn execute(&self, item: usize) {
        black_box(work(self.states[item], item));
    }
}

/// What an adaptation kernel finds out about the vertices of a mesh.
pub struct Adapting<'a>(pub Evaluation<'a>);

impl Kernel for Adapting<'_> {
    fn name(&self) -> &str {
        self.0.name
    }

    fn items(&self) -> usize {
        self.0.vertices.len()
    }

    fn execute(&self, item: usize) {
        black_box(self.0.would_change(self.0.vertices[item]));
    }
}

/// A mesh of `n` by `n` squares, adapted to the waves of the published benchmark, with their metric at a later time:
/// the start of the next adaptation.
pub fn waves(n: u64) -> Mesh<2> {
    let eta = 40.0 / (n * n) as f64;
    let later = Wanted::Front { eta, time: 2.0 };
    let mut mesh = square::mesh(&Comm::single(), n);
    square::adapt(&mut mesh, Wanted::Front { eta, time: 0.0 }, 1, Bounds::default());
    mesh.set_metric_at(|place| later.at(place));
    mesh
}

/// The four adaptation kernels.
pub fn adapting(mesh: &Mesh<2>) -> Vec<Box<dyn Kernel + '_>> {
    let all = evaluations(mesh, &Bounds::default());
    all.into_iter().map(|one| Box::new(Adapting(one)) as Box<dyn Kernel + '_>).collect()
}
