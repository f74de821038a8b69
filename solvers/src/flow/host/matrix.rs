//! The matrix of the scheme of first order: [`jacobian`](crate::flow::kernels::jacobian).

use cfd_engine::prelude::*;

use super::joined::JoinedMatrix;
use super::newton::Newton;
use super::{Faces, Flow, Geometry, N, Residual, kernels};
use crate::flow::config::Flux;
use crate::flow::kernels::jacobian::Inertia;
use crate::flow::kernels::newton::Rate;
use crate::gas::copies::CopyLoops;

impl Flow {
    /// Records the loops that set the matrix.
    pub(super) fn record_matrix(&self, domain: &mut Domain, rate: Option<Rate>) {
        let newton = self.newton.as_ref().expect("the scheme is implicit");
        let Newton { matrix: JoinedMatrix { blocks: matrix, .. }, right, cfl, .. } = newton;
        let Residual { ref geometry, gas, w, ref walls, .. } = self.residual;
        let Geometry { nodes, edges, a, b, x, volume, area, copies, .. } = *geometry;
        let (diagonal, upper, lower) = (matrix.diagonal, matrix.edges.upper, matrix.edges.lower);
        matrix.clear(domain);
        let of_nodes = (diagonal.at(a), diagonal.at(b));
        let operands = (w.at(a), w.at(b), area, upper, lower, of_nodes.0, of_nodes.1);
        match self.config.flux {
            Flux::Roe => domain.par_loop(kernels::roe_blocks, edges, operands, &gas),
            Flux::RoeLowMach => domain.par_loop(kernels::low_mach_blocks, edges, operands, &gas),
            Flux::Hllc => domain.par_loop(kernels::hllc_blocks, edges, operands, &gas),
        }
        if self.residual.is_viscous() {
            let eddies = self.residual.eddies;
            let operands = (
                x.at(a),
                x.at(b),
                w.at(a),
                w.at(b),
                eddies.at(a),
                eddies.at(b),
                geometry.inner().coupling,
                upper,
                lower,
                of_nodes.0,
                of_nodes.1,
            );
            domain.par_loop(kernels::viscous_blocks, edges, operands, &gas);
        }
        for faces in &geometry.faces {
            self.record_block(domain, faces, diagonal);
        }
        if let Some(copies) = copies {
            copies.blocks.unite(domain, diagonal);
        }
        let time = rate.map_or(0.0, |rate| rate.shares[0]);
        let inertia =
            Inertia { gm1: gas.gm1, local: 1.0 / cfl, time, unit: gas.unit, flux_unit: gas.flux_unit };
        domain.par_loop(kernels::inertia, nodes, (w, volume, self.march.steps.pace, diagonal), &inertia);
        if let Some(walls) = walls {
            let operands = (walls.wall.at(a), walls.wall.at(b), upper, lower);
            domain.par_loop(kernels::hold_edge, edges, operands, &gas);
            let operands = (walls.wall.at(walls.node), diagonal.at(walls.node), right.at(walls.node));
            domain.par_loop(kernels::hold_node, walls.set, operands, &gas);
        }
    }

    fn record_block(&self, domain: &mut Domain, faces: &Faces, diagonal: Dat<{ N * N }>) {
        let Faces { condition, set, nodes, node, area, shares, given, .. } = *faces;
        let gas = &self.residual.gas;
        let operands = (self.residual.w.all(nodes), shares, area, given, diagonal.at(node));
        match condition {
            "slip" | "no_slip" | "symmetry" => {
                domain.par_loop(kernels::slip_block, set, (area, diagonal.at(node)), gas);
            }
            "far_field" => domain.par_loop(kernels::far_field_block, set, operands, gas),
            "inlet" => domain.par_loop(kernels::inlet_block, set, operands, gas),
            "velocity_inlet" => domain.par_loop(kernels::velocity_inlet_block, set, operands, gas),
            "outlet" => domain.par_loop(kernels::outlet_block, set, operands, gas),
            "supersonic_outlet" => domain.par_loop(kernels::supersonic_outlet_block, set, operands, gas),
            // Nothing of it depends on the state.
            "supersonic_inlet" => {}
            other => unreachable!("there is no condition \"{other}\""),
        }
    }
}
