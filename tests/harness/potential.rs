//! Aero on simulated ranks, and its results.

use cfd_engine::prelude::*;
use cfd_mesh::generate;
use cfd_solvers::Solver;
use cfd_solvers::aero::{Aero, Config};

use super::flow::bits;
use super::{Split, domain_by, in_global_order, nodes};

/// The mesh of 3 I J bilinear elements with 6 decimals, and a number of Newton steps.
#[derive(Clone, Debug)]
pub struct Case {
    pub size: [u64; 2],
    pub steps: usize,
    pub config: Config,
}

/// The result of a Newton step.
#[derive(Clone, Copy, Debug)]
pub struct Newton {
    pub residual: f64,
    pub cg_steps: u64,
    pub cg_reduction: f64,
}

/// A run's results: every Newton step, and the potential in global order.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub history: Vec<Newton>,
    pub phi: Vec<f64>,
}

impl Case {
    /// Runs Aero on simulated ranks.
    pub fn run(&self, split: &Split) -> Outcome {
        let runs = Comm::simulate(split.ranks, |comm| {
            let mesh =
                generate::naca0012::elements(&comm, self.size[0], self.size[1], Some(6)).expect("a mesh");
            let mut domain = domain_by(&comm, mesh, split, &nodes());
            let mut aero = Aero::new(&mut domain, &self.config).expect("a mesh for Aero");
            let history: Vec<Newton> = (0..self.steps).map(|_| newton(&mut aero, &mut domain)).collect();
            let phi = aero.phi();
            (history, (domain.global_ids(phi.set()).to_vec(), domain.read(phi).unwrap()))
        });
        let (mut histories, parts): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        assert!(
            histories.iter().all(|history| same_history(history, &histories[0])),
            "{split:?}: all ranks know one history"
        );
        let phi = in_global_order::<1>(parts).into_flattened();
        Outcome { history: histories.swap_remove(0), phi }
    }
}

fn newton(aero: &mut Aero, domain: &mut Domain) -> Newton {
    let step = aero.step(domain, false).expect("a flow that stays sound");
    let at = |name| aero.columns().iter().position(|column| *column == name).expect("a column of Aero");
    Newton {
        residual: step.residual,
        cg_steps: step.values[at("cg_iterations")] as u64,
        cg_reduction: step.values[at("cg_reduction")],
    }
}

impl Outcome {
    /// Whether steps, their numbers of conjugate-gradient steps and the potential have the same bits.
    pub fn has_bits_of(&self, other: &Outcome) -> bool {
        bits(&self.phi) == bits(&other.phi) && same_history(&self.history, &other.history)
    }
}

fn same_history(a: &[Newton], b: &[Newton]) -> bool {
    let key = |step: &Newton| (step.residual.to_bits(), step.cg_steps, step.cg_reduction.to_bits());
    a.iter().map(key).eq(b.iter().map(key))
}
