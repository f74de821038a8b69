//! Flow in the plane.
//!
//! What does not depend on the dimension is in `host/`, which is compiled for each, with these constants and kernels: no
//! generic type could hold a dat of D N components yet.

#[path = "host/mod.rs"]
#[allow(clippy::duplicate_mod, reason = "it is compiled for each dimension")]
mod host;

use cfd_engine::prelude::*;

use super::gas::Gas;
use super::kernels::elements::quadrilateral;
use super::kernels::means::{spread_quadrilateral, spread_triangle, turn_quadrilateral, turn_triangle};
use super::kernels::mixing::{diffuse_quadrilateral, mix_quadrilateral};
use super::kernels::simplex::{diffuse_triangle, mix_triangle, triangle};

pub use host::{Faces, Flow, Geometry, Residual, Turbulence, Walls};

/// Dimensions.
const D: usize = 2;
/// Numbers of a time step for each wave.
const P: usize = 7;
/// Equations, components of a state.
const N: usize = 4;
/// Equations with those of a turbulence model of one, and of two.
const ONE: usize = N + 1;
const TWO: usize = N + 2;
/// Nodes of a boundary face.
const W: usize = 2;
/// Components of a state.
const STATE: [&str; N] = ["density", "momentum_x", "momentum_y", "energy"];
/// Components of a mean state.
const MEANS: [&str; N] = ["mean_density", "mean_velocity_x", "mean_velocity_y", "mean_pressure"];
/// Components of a vector.
const AXES: [&str; D] = ["x", "y"];
/// Components of vorticity.
const TURNS: [&str; 1] = ["vorticity"];

/// The kernels of two dimensions.
mod kernels {
    pub use crate::flow::kernels::aerodynamics::{
        friction_force_2d as friction_force, mass_flow_2d as mass_flow, pressure_force_2d as pressure_force,
        slip_values_2d as slip_values, wall_point_2d as wall_point, wall_values_2d as wall_values,
    };
    pub use crate::flow::kernels::edges::{
        hllc_unlimited_2d as hllc_unlimited, hllc_van_albada_2d as hllc_van_albada,
        hllc_venkatakrishnan_2d as hllc_venkatakrishnan, low_mach_unlimited_2d as low_mach_unlimited,
        low_mach_van_albada_2d as low_mach_van_albada,
        low_mach_venkatakrishnan_2d as low_mach_venkatakrishnan, moment_flux_2d as moment_flux,
        roe_unlimited_2d as roe_unlimited, roe_van_albada_2d as roe_van_albada,
        roe_venkatakrishnan_2d as roe_venkatakrishnan,
    };
    pub use crate::flow::kernels::fields::{
        node_fields_2d as node_fields, node_temperature_2d as node_temperature, rotation_2d as rotation,
    };
    pub use crate::flow::kernels::jacobian::{
        far_field_block_2d as far_field_block, hllc_blocks_2d as hllc_blocks, hold_edge_2d as hold_edge,
        hold_node_2d as hold_node, inertia_2d as inertia, inlet_block_2d as inlet_block,
        low_mach_blocks_2d as low_mach_blocks, outlet_block_2d as outlet_block, roe_blocks_2d as roe_blocks,
        slip_block_2d as slip_block, supersonic_outlet_block_2d as supersonic_outlet_block,
        velocity_inlet_block_2d as velocity_inlet_block, viscous_blocks_2d as viscous_blocks,
    };
    pub use crate::flow::kernels::levels::{
        add_sizes_2d as add_sizes, flatness, missed_flux_2d as missed_flux, missed_waves_2d as missed_waves,
    };
    pub use crate::flow::kernels::newton::{rate_2d as rate, right_2d as right, update_2d as update};
    pub use crate::flow::kernels::open::{
        far_field_2d as far_field, inlet_2d as inlet, open_stress_2d as open_stress, outlet_2d as outlet,
        supersonic_inlet_2d as supersonic_inlet, supersonic_outlet_2d as supersonic_outlet,
        velocity_inlet_2d as velocity_inlet,
    };
    pub use crate::flow::kernels::products::{
        begin_coupled, come_back_2d as come_back, come_back_one, hold_product_2d as hold_product,
        imbalance_2d as imbalance, imbalance_one, join_one_2d as join_one, join_two_2d as join_two,
        largest_4 as largest, largest_5 as largest_one, largest_6 as largest_two, part_one_2d as part_one,
        part_two_2d as part_two, set_out_2d as set_out, set_out_one,
    };
    pub use crate::flow::kernels::spalart_allmaras::{
        begin_turbulence_2d as begin_turbulence, carry_2d as carry, produce_2d as produce,
    };
    pub use crate::flow::kernels::sst::{
        begin_sst_2d as begin_sst, convey_2d as convey, gather_2d as gather,
    };
    pub use crate::flow::kernels::steps::{
        average_2d as average, begin_step_2d as begin_step, boundary_pace_2d as boundary_pace,
        check_2d as check, clear_residual_2d as clear_residual, feed_2d as feed, feed_one, norm_2d as norm,
        pace_2d as pace, stage_2d as stage, to_primitive_2d as to_primitive,
    };
    pub use crate::flow::kernels::turbulence::{
        carry_further_2d as carry_further, convey_further_2d as convey_further, eddy_ratio_2d as eddy_ratio,
        enter_2d as enter, enter_with_mass_2d as enter_with_mass, mass_pace_2d as mass_pace,
    };
    pub use crate::flow::kernels::walls::{
        add_area_2d as add_area, add_wall_2d as add_wall, begin_wall_2d as begin_wall,
        hold_wall_2d as hold_wall, slip_2d as slip, symmetry_stress_2d as symmetry_stress,
        wall_at_node_2d as wall_at_node,
    };
    pub use crate::flow::kernels::waves::{
        add_boundary_waves_2d as add_boundary_waves, add_waves_2d as add_waves,
        begin_waves_2d as begin_waves, wave_stage_2d as wave_stage,
    };
    pub use crate::gas::gradients::{
        clear_2d as clear, clear_one_2d as clear_one, differences_2d as differences,
        differences_one_2d as differences_one, fewer_moments_2d as fewer_moments, invert_2d as invert,
        moments_2d as moments, solve_2d as solve, solve_one_2d as solve_one,
    };
    pub use crate::gas::transfer::{
        clear_coarse_2d as clear_coarse, make_forcing_2d as make_forcing, move_by_2d as move_by,
        restrict_2d as restrict, start_coarse_2d as start_coarse,
    };
    pub use crate::gas::waves::invert_blocks_2d as invert_blocks;
}

/// A wall's line between the nodes of a boundary face.
fn parts_of(ring: [[f64; D]; W]) -> Vec<[[f64; D]; D]> {
    vec![ring]
}

/// The elements that fill a mesh.
#[derive(Clone, Copy)]
struct Elements {
    triangles: Map<3>,
    quadrilaterals: Map<4>,
}

impl Elements {
    fn new(domain: &Domain) -> Result<Elements, DomainError> {
        Ok(Elements {
            triangles: domain.map("triangle_nodes")?,
            quadrilaterals: domain.map("quadrilateral_nodes")?,
        })
    }

    /// Records the loops that add viscous fluxes to `res`.
    fn record_stresses(
        &self,
        domain: &mut Domain,
        x: Dat<D>,
        w: Dat<N>,
        eddies: Dat<1>,
        res: Dat<N>,
        gas: &Gas,
    ) {
        let Elements { triangles, quadrilaterals } = *self;
        let operands = (x.all(triangles), w.all(triangles), eddies.all(triangles), res.all(triangles));
        domain.par_loop(triangle, triangles.from(), operands, gas);
        let operands = (
            x.all(quadrilaterals),
            w.all(quadrilaterals),
            eddies.all(quadrilaterals),
            res.all(quadrilaterals),
        );
        domain.par_loop(quadrilateral, quadrilaterals.from(), operands, gas);
    }

    /// Records the loops that add vorticity times volumes to `turn`.
    fn record_vorticity(&self, domain: &mut Domain, x: Dat<D>, w: Dat<N>, turn: Dat<{ TURNS.len() }>) {
        let Elements { triangles, quadrilaterals } = *self;
        macro_rules! operands {
            ($map:ident) => {
                (x.all($map), w.all($map), turn.all($map))
            };
        }
        domain.par_loop(turn_triangle, triangles.from(), operands!(triangles), &());
        domain.par_loop(turn_quadrilateral, quadrilaterals.from(), operands!(quadrilaterals), &());
    }

    /// Records the loops that add gradients of `v` times volumes to `gradient`.
    fn record_gradients(&self, domain: &mut Domain, x: Dat<D>, v: Dat<N>, gradient: Dat<{ D * N }>) {
        let Elements { triangles, quadrilaterals } = *self;
        macro_rules! operands {
            ($map:ident) => {
                (x.all($map), v.all($map), gradient.all($map))
            };
        }
        domain.par_loop(spread_triangle, triangles.from(), operands!(triangles), &());
        domain.par_loop(spread_quadrilateral, quadrilaterals.from(), operands!(quadrilaterals), &());
    }

    /// Records the loops that add diffusion of the viscosity n of Spalart and Allmaras's model to `res`.
    fn record_mixing(&self, domain: &mut Domain, x: Dat<D>, [n, nu, res]: [Dat<1>; 3]) {
        let Elements { triangles, quadrilaterals } = *self;
        macro_rules! operands {
            ($map:ident) => {
                (x.all($map), n.all($map), nu.all($map), res.all($map))
            };
        }
        domain.par_loop(mix_triangle, triangles.from(), operands!(triangles), &());
        domain.par_loop(mix_quadrilateral, quadrilaterals.from(), operands!(quadrilaterals), &());
    }

    /// Records the loops that add diffusion of n with the coefficient `mixed` to `res`.
    fn record_diffusion(&self, domain: &mut Domain, x: Dat<D>, [n, mixed, res]: [Dat<1>; 3]) {
        let Elements { triangles, quadrilaterals } = *self;
        macro_rules! operands {
            ($map:ident) => {
                (x.all($map), n.all($map), mixed.all($map), res.all($map))
            };
        }
        domain.par_loop(diffuse_triangle, triangles.from(), operands!(triangles), &());
        domain.par_loop(diffuse_quadrilateral, quadrilaterals.from(), operands!(quadrilaterals), &());
    }
}
