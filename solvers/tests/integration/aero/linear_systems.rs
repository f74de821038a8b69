//! Conjugate gradients on operators whose solutions are known, and in Aero.

use cfd_engine::mesh::{Mesh, Values};
use cfd_engine::prelude::*;
use cfd_implicit::cg::{
    Breakdown, ConjugateGradients, Operator, Options, Preconditioner, Solved, Unsolved, Variant,
};
use cfd_solvers::aero::{Aero, Config};

use crate::aero::harness::{Split, domain, iterate, naca0012, run_alone};
use crate::aero::manufactured::harmonic;

/// v_i = d_i p_i plus, between consecutive elements of a chain, `skew` times an antisymmetric and `pull` times a
/// symmetric positive part.
struct Chain {
    elements: Set,
    links: Set,
    ends: Map<2>,
    d: Dat<1>,
    couplings: Couplings,
}

#[derive(Clone, Copy, Default, Constants)]
struct Couplings {
    pull: f64,
    skew: f64,
}

#[kernel]
fn scale(d: Read<1>, p: Read<1>, v: Inc<1>) {
    v[0] += d[0] * p[0];
}

#[kernel]
fn couple(p1: Read<1>, p2: Read<1>, v1: Inc<1>, v2: Inc<1>, c: &Couplings) {
    v1[0] += c.pull * (p1[0] - p2[0]) + c.skew * p2[0];
    v2[0] += c.pull * (p2[0] - p1[0]) - c.skew * p1[0];
}

#[kernel]
fn own_part(d: Read<1>, diagonal: Inc<1>) {
    diagonal[0] += d[0];
}

#[kernel]
fn link_part(d1: Inc<1>, d2: Inc<1>, c: &Couplings) {
    d1[0] += c.pull;
    d2[0] += c.pull;
}

#[kernel]
fn copy(from: Read<1>, to: Write<1>) {
    to[0] = from[0];
}

impl Operator for Chain {
    fn apply(&self, domain: &mut Domain, p: Dat<1>, v: Dat<1>) {
        domain.par_loop(scale, self.elements, (self.d, p, v), &());
        let (a, b) = (self.ends.target::<0>(), self.ends.target::<1>());
        domain.par_loop(couple, self.links, (p.at(a), p.at(b), v.at(a), v.at(b)), &self.couplings);
    }

    fn diagonal(&self, domain: &mut Domain, d: Dat<1>) {
        domain.par_loop(own_part, self.elements, (self.d, d), &());
        let (a, b) = (self.ends.target::<0>(), self.ends.target::<1>());
        domain.par_loop(link_part, self.links, (d.at(a), d.at(b)), &self.couplings);
    }
}

/// Solves (d + couplings) u = b on one rank: the method's report, u, and b - A u recomputed from u.
fn solve(
    d: &[f64],
    b: &[f64],
    couplings: Couplings,
    options: Options,
) -> (Result<Solved, Breakdown>, Vec<f64>, Vec<f64>) {
    let n = d.len() as u64;
    let comm = Comm::single();
    let mut mesh = Mesh::default();
    let (elements, links) = (mesh.add_set("elements", n), mesh.add_set("links", n - 1));
    mesh.add_map("ends", links, elements, 2, (0..n - 1).flat_map(|i| [i, i + 1]).collect());
    mesh.add_dat("d", elements, 1, Values::F64(d.to_vec()));
    mesh.add_dat("b", elements, 1, Values::F64(b.to_vec()));
    let owners = [vec![0; n as usize], vec![0; n as usize - 1]];
    let layout = cfd_partition::distribute(&comm, mesh, &owners).expect("a layout");
    let mut domain = Domain::new(comm, layout, DomainOptions::default());
    let elements = domain.set("elements").unwrap();
    let chain = Chain {
        elements,
        links: domain.set("links").unwrap(),
        ends: domain.map("ends").unwrap(),
        d: domain.dat("d").unwrap(),
        couplings,
    };
    let (right, r): (Dat<1>, Dat<1>) = (domain.dat("b").unwrap(), domain.new_dat(elements, "r"));
    let (u, product): (Dat<1>, Dat<1>) = (domain.new_dat(elements, "u"), domain.new_dat(elements, "product"));
    domain.par_loop(copy, elements, (right, r), &());
    let cg = ConjugateGradients::new(&mut domain, elements, options);
    let solved = cg.solve(&mut domain, &chain, r, u).map_err(|unsolved| match unsolved {
        Unsolved::Breakdown(breakdown) => breakdown,
        Unsolved::Backend(error) => panic!("{error}"),
    });
    chain.apply(&mut domain, u, product);
    let left = domain.read(product).unwrap().iter().zip(b).map(|(v, b)| b - v).collect();
    (solved, domain.read(u).unwrap(), left)
}

fn all_forms(tolerance: f64, steps: u64) -> impl Iterator<Item = Options> {
    let forms = [Variant::Standard, Variant::SingleReduction];
    let preconditioners = [Preconditioner::None, Preconditioner::Jacobi];
    forms.into_iter().flat_map(move |variant| {
        preconditioners.map(|preconditioner| Options { variant, preconditioner, tolerance, steps })
    })
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[test]
fn every_form_solves_a_system_to_the_tolerance_it_reports() {
    let d: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i % 7)).collect();
    let b: Vec<f64> = (0..60).map(|i| f64::from(i * i % 11) - 4.0).collect();
    for options in all_forms(1e-10, 200) {
        let (solved, _, left) = solve(&d, &b, Couplings { pull: 3.0, skew: 0.0 }, options);
        let solved = solved.unwrap();
        assert!(solved.steps < 60 && solved.reduction() <= 1e-10, "{options:?}: {solved:?}");
        assert!(norm(&left) <= 1.1e-10 * norm(&b), "{options:?}: {:e}", norm(&left));
    }
}

#[test]
fn as_many_steps_are_needed_as_the_operator_has_values() {
    let d: Vec<f64> = (0..40).map(|i| [1.0, 5.0, 25.0][i % 3]).collect();
    let b = vec![1.0; 40];
    for options in all_forms(1e-12, 200) {
        let (solved, u, _) = solve(&d, &b, Couplings::default(), options);
        // Scaled by its diagonal, a diagonal operator has one value.
        let values = if options.preconditioner == Preconditioner::Jacobi { 1 } else { 3 };
        assert_eq!(solved.unwrap().steps, values, "{options:?}");
        assert!(u.iter().zip(&d).all(|(u, d)| (u * d - 1.0).abs() < 1e-12));
    }
}

#[test]
fn the_limit_of_steps_is_no_error_and_a_system_of_zeros_needs_none() {
    let d: Vec<f64> = (1..30).map(f64::from).collect();
    for options in all_forms(1e-12, 4) {
        let (solved, _, left) = solve(&d, &vec![1.0; d.len()], Couplings::default(), options);
        if options.preconditioner == Preconditioner::None {
            let solved = solved.unwrap();
            assert_eq!(solved.steps, 4);
            assert!((solved.end.sqrt() / norm(&left) - 1.0).abs() < 1e-10, "the residual is that of u");
        }
        let (solved, u, _) = solve(&d, &vec![0.0; d.len()], Couplings::default(), options);
        assert_eq!(solved.unwrap(), Solved { steps: 0, start: 0.0, end: 0.0 });
        assert!(u.iter().all(|&u| u == 0.0));
    }
}

#[test]
fn a_breakdown_names_its_step_and_its_sums() {
    let ones = vec![1.0; 20];
    let options = |variant| Options { variant, tolerance: 1e-8, ..Options::default() };
    for variant in [Variant::Standard, Variant::SingleReduction] {
        // Negative in one direction.
        let mut d = ones.clone();
        d[3] = -100.0;
        let broken = solve(&d, &ones, Couplings::default(), options(variant)).0.unwrap_err();
        assert_eq!((broken.step, &broken.reason[..]), (1, "the operator is not positive definite"));
        assert_eq!(
            (&broken.curvature[..], &broken.residual[..], &broken.start[..]),
            ("-8.1e1", "2e1", "2e1")
        );

        d[3] = f64::NAN;
        let broken = solve(&d, &ones, Couplings::default(), options(variant)).0.unwrap_err();
        assert_eq!((broken.step, &broken.reason[..]), (1, "the operator's result is not finite"));

        let mut b = ones.clone();
        b[0] = f64::INFINITY;
        let broken = solve(&ones, &b, Couplings::default(), options(variant)).0.unwrap_err();
        assert_eq!((broken.step, &broken.reason[..]), (0, "the right-hand side is not finite"));

        // p.Ap is blind to an antisymmetric part.
        let couplings = Couplings { pull: 0.0, skew: 1e12 };
        let broken = solve(&ones, &ones, couplings, options(variant)).0.unwrap_err();
        assert_eq!((broken.step, &broken.reason[..]), (1, "the residual grows without limit"));
        assert!(broken.to_string().contains("r.r at the start = 2e1"), "{broken}");
    }
}

#[test]
fn one_message_a_step_gives_the_history_of_two_to_rounding() {
    let history = |variant| {
        let config = Config { cg: variant, ..Config::default() };
        run_alone(|comm| naca0012(comm, [20, 30]), &config, 4).2
    };
    let (two, one) = (history(Variant::Standard), history(Variant::SingleReduction));
    for (a, b) in two.iter().zip(&one) {
        assert_eq!(a[1], b[1], "steps");
        assert!((a[0] / b[0] - 1.0).abs() < 1e-9 && (a[2] / b[2] - 1.0).abs() < 1e-9, "{two:?} {one:?}");
    }
    assert!(two != one, "the forms round differently");
}

#[test]
fn a_step_of_the_standard_form_sends_two_messages_and_one_of_the_single_reduction_form_one() {
    for (variant, preconditioner, each) in [
        (Variant::Standard, Preconditioner::None, 2),
        (Variant::Standard, Preconditioner::Jacobi, 2),
        (Variant::SingleReduction, Preconditioner::None, 1),
        (Variant::SingleReduction, Preconditioner::Jacobi, 1),
    ] {
        // Newton steps whose linear systems take 10 and 25 steps: everything else they send is the same.
        let sent = Comm::simulate(3, |comm| {
            [10, 25].map(|cg_iterations| {
                let config = Config {
                    cg: variant,
                    preconditioner,
                    cg_iterations,
                    cg_tolerance: 0.0,
                    ..Config::default()
                };
                let mut domain = domain(&comm, naca0012(&comm, [10, 16]), &Split::new(3, "rcb"));
                let mut solver = Aero::new(&mut domain, &config).expect("an Aero mesh");
                let before = domain.reductions();
                assert_eq!(iterate(&mut solver, &mut domain, 1)[0][1], cg_iterations as f64);
                let after = domain.reductions();
                [after.reductions - before.reductions, after.messages - before.messages]
            })
        });
        for [short, long] in sent {
            assert_eq!(short[0], short[1], "one message carries all sums that are due");
            assert_eq!(long[1] - short[1], 15 * each, "{variant:?}, {preconditioner:?}");
            // The first sums of a linear system, and the Newton step's own.
            assert_eq!(short[1], 10 * each + 2, "{variant:?}, {preconditioner:?}");
        }
    }
}

#[test]
fn jacobi_needs_fewer_steps_on_stretched_cells() {
    let steps = |preconditioner| {
        let mut mesh = cfd_mesh::generate::square(&Comm::single(), 24, 0.0).expect("a mesh");
        let x = mesh.dat("x").expect("coordinates");
        let Values::F64(x) = &mut mesh.dats[x].values else { panic!("coordinates are f64") };
        x.chunks_exact_mut(2).for_each(|p| p[1] = p[1] * p[1] * p[1]);
        let config = Config { preconditioner, cg_tolerance: 1e-8, cg_iterations: 5000, ..Config::default() };
        let (mut domain, mut solver) = harmonic(mesh, &config);
        iterate(&mut solver, &mut domain, 1)[0][1]
    };
    let (plain, jacobi) = (steps(Preconditioner::None), steps(Preconditioner::Jacobi));
    assert!(jacobi < 0.5 * plain, "{jacobi} steps instead of {plain}");
}
