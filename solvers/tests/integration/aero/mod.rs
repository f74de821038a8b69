//! Aero on simulated ranks: published values, equal bits, convergence order, dense references, conjugate gradients.

mod dense;
mod divergence;
mod harness;
mod linear_systems;
mod manufactured;
mod output;
mod power;
mod published;
mod reproducible;
