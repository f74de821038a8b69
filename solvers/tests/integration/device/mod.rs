//! The CUDA C of all kernels: it compiles, and it gives the bits of the Rust functions.

mod bits;
mod ptx;

/// The tests of each kernel of a module, and the list of them.
macro_rules! kernels {
    ($($module:ident: $path:path => $($kernel:ident)*;)*) => {
        $(mod $module {
            use $path as kernels;
            $(mod $kernel {
                #[test]
                fn has_the_bits_of_rust() {
                    crate::device::bits::compare::<super::kernels::$kernel>();
                }
                #[test]
                fn compiles_for_gpus_without_contraction() {
                    crate::device::ptx::compiles::<super::kernels::$kernel>();
                }
            })*
        })*
        const TESTED: &[&str] = &[$($(concat!(stringify!($module), "::", stringify!($kernel))),*),*];
    };
}

kernels! {
    airfoil: cfd_solvers::airfoil::kernels =>
        free_stream save_soln adt_calc res_calc bres_calc update check_state cell_middle wall_force wall_pressure;
    aero: cfd_solvers::aero::kernels =>
        init_phi res_calc res_calc_power dirichlet spmv diagonal update check_state;
    aero_fields: cfd_solvers::aero::fields => cell_fields cell_sides cell_middle;
    mgcfd_output: cfd_solvers::mgcfd::output => body_force node_fields count_faces find_tip cut_edge;
    mgcfd_state: cfd_solvers::mgcfd::state => free_stream check_state;
    mgcfd_proxy: cfd_solvers::mgcfd::proxy::kernels =>
        dual_volume damp count_children begin_visit edge_flux boundary_flux time_step last_step restrict_sum
        restrict_mean prolong_residual;
    mgcfd_gradients: cfd_solvers::mgcfd::euler::gradients => moments invert clear differences solve;
    mgcfd_blocks: cfd_solvers::mgcfd::euler::blocks =>
        begin_matrix_step add_blocks add_boundary_blocks invert_blocks matrix_stage matrix_stage_forced;
    mgcfd_euler: cfd_solvers::mgcfd::euler::kernels =>
        pyramids add_volume begin_step wave_speeds boundary_wave_speeds first_order_flux flux_unlimited flux_van_albada
        flux_venkatakrishnan boundary_flux stage stage_forced norm norm_forced;
    mgcfd_transfer: cfd_solvers::mgcfd::euler::transfer =>
        clear_coarse restrict restrict_forced start_coarse make_forcing fetch_place add_nearness fetch_correction
        spread_correction correct;
    heat: cfd_solvers::heat::kernels =>
        start cell_middle conductance boundary_conductance flux boundary_flux jacobi heat_flow find_body find_hottest;
    cg: cfd_solvers::cg::kernels =>
        init_cg jacobi clear_diagonal dot_pv update_ur update_p init_directions update_directions advance;
}

#[test]
fn every_kernel_of_the_solvers_is_tested() {
    let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![sources];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the sources are there") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("Rust is text");
            let mut marked = false;
            for line in text.lines().map(str::trim) {
                if let (true, Some(rest)) = (marked, line.strip_prefix("pub fn ")) {
                    let name = rest.split('(').next().expect("a name");
                    let listed = TESTED.iter().any(|tested| tested.ends_with(&format!("::{name}")));
                    assert!(
                        listed || name.starts_with('$'),
                        "{}: {name} is not in the list here",
                        path.display()
                    );
                    marked = false;
                }
                marked |= line == "#[kernel]";
            }
        }
    }
}
