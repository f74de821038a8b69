//! The kernels' texts.

crate::device::kernels! {
    set_up: cfd_solvers::lulesh::kernels::set_up => initial_volume initial_state at_rest;
    force: cfd_solvers::lulesh::kernels::force =>
        clear_force stress integrate_stress check_determinant volume_derivatives hourglass;
    motion: cfd_solvers::lulesh::kernels::motion => acceleration symmetry velocity position;
    kinematics: cfd_solvers::lulesh::kernels::kinematics => kinematics strain;
    viscosity: cfd_solvers::lulesh::kernels::viscosity => viscosity_gradients monotonic_viscosity check_viscosity;
    material: cfd_solvers::lulesh::kernels::material => compress energy evaluate_again sound_speed update_volume;
    limits: cfd_solvers::lulesh::kernels::limits => courant_limit hydro_limit;
    output: cfd_solvers::lulesh::kernels::output => energy_of find_lowest_volume find_highest_energy middle;
}
