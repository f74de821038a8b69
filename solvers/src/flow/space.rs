//! Flow in space.
//!
//! As [`plane`](super::plane), of three dimensions.

#[path = "host/mod.rs"]
#[allow(clippy::duplicate_mod, reason = "it is compiled for each dimension")]
mod host;

use cfd_engine::prelude::*;

use super::gas::Gas;
use super::kernels::elements::{hexahedron, prism, pyramid};
use super::kernels::means::{
    spread_hexahedron, spread_prism, spread_pyramid, spread_tetrahedron, turn_hexahedron, turn_prism,
    turn_pyramid, turn_tetrahedron,
};
use super::kernels::mixing::{
    diffuse_hexahedron, diffuse_prism, diffuse_pyramid, mix_hexahedron, mix_prism, mix_pyramid,
};
use super::kernels::simplex::{diffuse_tetrahedron, mix_tetrahedron, tetrahedron};

pub use host::{Faces, Flow, Geometry, Residual, Turbulence, Walls};

/// Dimensions.
const D: usize = 3;
/// Numbers of a time step for each wave.
const P: usize = 11;
/// Equations, components of a state.
const N: usize = 5;
/// Equations with those of a turbulence model of one, and of two.
const ONE: usize = N + 1;
const TWO: usize = N + 2;
/// Nodes of a boundary face.
const W: usize = 4;
/// Components of a state.
const STATE: [&str; N] = ["density", "momentum_x", "momentum_y", "momentum_z", "energy"];
/// Components of a mean state.
const MEANS: [&str; N] =
    ["mean_density", "mean_velocity_x", "mean_velocity_y", "mean_velocity_z", "mean_pressure"];
/// Components of a vector.
const AXES: [&str; D] = ["x", "y", "z"];
/// Components of vorticity.
const TURNS: [&str; 3] = ["x", "y", "z"];

/// The kernels of three dimensions.
mod kernels {
    pub use crate::flow::kernels::aerodynamics::{
        friction_force_3d as friction_force, mass_flow_3d as mass_flow, pressure_force_3d as pressure_force,
        slip_values_3d as slip_values, wall_point_3d as wall_point, wall_values_3d as wall_values,
    };
    pub use crate::flow::kernels::edges::{
        hllc_unlimited_3d as hllc_unlimited, hllc_van_albada_3d as hllc_van_albada,
        hllc_venkatakrishnan_3d as hllc_venkatakrishnan, low_mach_unlimited_3d as low_mach_unlimited,
        low_mach_van_albada_3d as low_mach_van_albada,
        low_mach_venkatakrishnan_3d as low_mach_venkatakrishnan, moment_flux_3d as moment_flux,
        roe_unlimited_3d as roe_unlimited, roe_van_albada_3d as roe_van_albada,
        roe_venkatakrishnan_3d as roe_venkatakrishnan,
    };
    pub use crate::flow::kernels::fields::{
        node_fields_3d as node_fields, node_temperature_3d as node_temperature, rotation_3d as rotation,
    };
    pub use crate::flow::kernels::jacobian::{
        far_field_block_3d as far_field_block, hllc_blocks_3d as hllc_blocks, hold_edge_3d as hold_edge,
        hold_node_3d as hold_node, inertia_3d as inertia, inlet_block_3d as inlet_block,
        low_mach_blocks_3d as low_mach_blocks, outlet_block_3d as outlet_block, roe_blocks_3d as roe_blocks,
        slip_block_3d as slip_block, supersonic_outlet_block_3d as supersonic_outlet_block,
        velocity_inlet_block_3d as velocity_inlet_block, viscous_blocks_3d as viscous_blocks,
    };
    pub use crate::flow::kernels::levels::{
        add_sizes_3d as add_sizes, flatness, missed_flux_3d as missed_flux, missed_waves_3d as missed_waves,
    };
    pub use crate::flow::kernels::newton::{rate_3d as rate, right_3d as right, update_3d as update};
    pub use crate::flow::kernels::open::{
        far_field_3d as far_field, inlet_3d as inlet, open_stress_3d as open_stress, outlet_3d as outlet,
        supersonic_inlet_3d as supersonic_inlet, supersonic_outlet_3d as supersonic_outlet,
        velocity_inlet_3d as velocity_inlet,
    };
    pub use crate::flow::kernels::products::{
        begin_coupled, come_back_3d as come_back, come_back_one, hold_product_3d as hold_product,
        imbalance_3d as imbalance, imbalance_one, join_one_3d as join_one, join_two_3d as join_two,
        largest_5 as largest, largest_6 as largest_one, largest_7 as largest_two, part_one_3d as part_one,
        part_two_3d as part_two, set_out_3d as set_out, set_out_one,
    };
    pub use crate::flow::kernels::spalart_allmaras::{
        begin_turbulence_3d as begin_turbulence, carry_3d as carry, produce_3d as produce,
    };
    pub use crate::flow::kernels::sst::{
        begin_sst_3d as begin_sst, convey_3d as convey, gather_3d as gather,
    };
    pub use crate::flow::kernels::steps::{
        average_3d as average, begin_step_3d as begin_step, boundary_pace_3d as boundary_pace,
        check_3d as check, clear_residual_3d as clear_residual, feed_3d as feed, feed_one, norm_3d as norm,
        pace_3d as pace, stage_3d as stage, to_primitive_3d as to_primitive,
    };
    pub use crate::flow::kernels::turbulence::{
        carry_further_3d as carry_further, convey_further_3d as convey_further, eddy_ratio_3d as eddy_ratio,
        enter_3d as enter, enter_with_mass_3d as enter_with_mass, mass_pace_3d as mass_pace,
    };
    pub use crate::flow::kernels::walls::{
        add_area_3d as add_area, add_wall_3d as add_wall, begin_wall_3d as begin_wall,
        hold_wall_3d as hold_wall, slip_3d as slip, symmetry_stress_3d as symmetry_stress,
        wall_at_node_3d as wall_at_node,
    };
    pub use crate::flow::kernels::waves::{
        add_boundary_waves_3d as add_boundary_waves, add_waves_3d as add_waves,
        begin_waves_3d as begin_waves, wave_stage_3d as wave_stage,
    };
    pub use crate::gas::gradients::{
        clear_3d as clear, clear_one_3d as clear_one, differences_3d as differences,
        differences_one_3d as differences_one, fewer_moments_3d as fewer_moments, invert_3d as invert,
        moments_3d as moments, solve_3d as solve, solve_one_3d as solve_one,
    };
    pub use crate::gas::transfer::{
        clear_coarse_3d as clear_coarse, make_forcing_3d as make_forcing, move_by_3d as move_by,
        restrict_3d as restrict, start_coarse_3d as start_coarse,
    };
    pub use crate::gas::waves::invert_blocks_3d as invert_blocks;
}

/// The triangles of a wall's element, from the nodes of a boundary face: one, or four around the middle.
fn parts_of(ring: [[f64; D]; W]) -> Vec<[[f64; D]; D]> {
    let [a, b, c, d] = ring;
    if d == a {
        return vec![[a, b, c]];
    }
    let middle = std::array::from_fn(|k| 0.25 * (a[k] + b[k] + c[k] + d[k]));
    [[a, b], [b, c], [c, d], [d, a]].map(|[p, q]| [p, q, middle]).to_vec()
}

/// The elements that fill a mesh.
#[derive(Clone, Copy)]
struct Elements {
    tetrahedra: Map<4>,
    pyramids: Map<5>,
    prisms: Map<6>,
    hexahedra: Map<8>,
}

impl Elements {
    fn new(domain: &Domain) -> Result<Elements, DomainError> {
        Ok(Elements {
            tetrahedra: domain.map("tetrahedron_nodes")?,
            pyramids: domain.map("pyramid_nodes")?,
            prisms: domain.map("prism_nodes")?,
            hexahedra: domain.map("hexahedron_nodes")?,
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
        let Elements { tetrahedra, pyramids, prisms, hexahedra } = *self;
        let operands = (x.all(tetrahedra), w.all(tetrahedra), eddies.all(tetrahedra), res.all(tetrahedra));
        domain.par_loop(tetrahedron, tetrahedra.from(), operands, gas);
        let operands = (x.all(pyramids), w.all(pyramids), eddies.all(pyramids), res.all(pyramids));
        domain.par_loop(pyramid, pyramids.from(), operands, gas);
        let operands = (x.all(prisms), w.all(prisms), eddies.all(prisms), res.all(prisms));
        domain.par_loop(prism, prisms.from(), operands, gas);
        let operands = (x.all(hexahedra), w.all(hexahedra), eddies.all(hexahedra), res.all(hexahedra));
        domain.par_loop(hexahedron, hexahedra.from(), operands, gas);
    }

    /// Records the loops that add vorticity times volumes to `turn`.
    fn record_vorticity(&self, domain: &mut Domain, x: Dat<D>, w: Dat<N>, turn: Dat<{ TURNS.len() }>) {
        let Elements { tetrahedra, pyramids, prisms, hexahedra } = *self;
        macro_rules! operands {
            ($map:ident) => {
                (x.all($map), w.all($map), turn.all($map))
            };
        }
        domain.par_loop(turn_tetrahedron, tetrahedra.from(), operands!(tetrahedra), &());
        domain.par_loop(turn_pyramid, pyramids.from(), operands!(pyramids), &());
        domain.par_loop(turn_prism, prisms.from(), operands!(prisms), &());
        domain.par_loop(turn_hexahedron, hexahedra.from(), operands!(hexahedra), &());
    }

    /// Records the loops that add gradients of `v` times volumes to `gradient`.
    fn record_gradients(&self, domain: &mut Domain, x: Dat<D>, v: Dat<N>, gradient: Dat<{ D * N }>) {
        let Elements { tetrahedra, pyramids, prisms, hexahedra } = *self;
        macro_rules! operands {
            ($map:ident) => {
                (x.all($map), v.all($map), gradient.all($map))
            };
        }
        domain.par_loop(spread_tetrahedron, tetrahedra.from(), operands!(tetrahedra), &());
        domain.par_loop(spread_pyramid, pyramids.from(), operands!(pyramids), &());
        domain.par_loop(spread_prism, prisms.from(), operands!(prisms), &());
        domain.par_loop(spread_hexahedron, hexahedra.from(), operands!(hexahedra), &());
    }

    /// Records the loops that add diffusion of the viscosity n of Spalart and Allmaras's model to `res`.
    fn record_mixing(&self, domain: &mut Domain, x: Dat<D>, [n, nu, res]: [Dat<1>; 3]) {
        let Elements { tetrahedra, pyramids, prisms, hexahedra } = *self;
        macro_rules! operands {
            ($map:ident) => {
                (x.all($map), n.all($map), nu.all($map), res.all($map))
            };
        }
        domain.par_loop(mix_tetrahedron, tetrahedra.from(), operands!(tetrahedra), &());
        domain.par_loop(mix_pyramid, pyramids.from(), operands!(pyramids), &());
        domain.par_loop(mix_prism, prisms.from(), operands!(prisms), &());
        domain.par_loop(mix_hexahedron, hexahedra.from(), operands!(hexahedra), &());
    }

    /// Records the loops that add diffusion of n with the coefficient `mixed` to `res`.
    fn record_diffusion(&self, domain: &mut Domain, x: Dat<D>, [n, mixed, res]: [Dat<1>; 3]) {
        let Elements { tetrahedra, pyramids, prisms, hexahedra } = *self;
        macro_rules! operands {
            ($map:ident) => {
                (x.all($map), n.all($map), mixed.all($map), res.all($map))
            };
        }
        domain.par_loop(diffuse_tetrahedron, tetrahedra.from(), operands!(tetrahedra), &());
        domain.par_loop(diffuse_pyramid, pyramids.from(), operands!(pyramids), &());
        domain.par_loop(diffuse_prism, prisms.from(), operands!(prisms), &());
        domain.par_loop(diffuse_hexahedron, hexahedra.from(), operands!(hexahedra), &());
    }
}
