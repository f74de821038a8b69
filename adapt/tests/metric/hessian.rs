use cfd_adapt::metric::{MetricError, Recovery, View, hessian};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;

use crate::mesh::{Part, Whole};

/// Root mean square of the difference from the exact Hessian over the vertices that `counted` accepts, all entries.
fn error<const D: usize>(
    whole: &Whole<D>,
    recovery: Recovery,
    field: impl Fn(&[f64; D]) -> f64,
    exact: impl Fn(&[f64; D]) -> Tensor<D>,
    counted: impl Fn(&[f64; D]) -> bool,
) -> f64 {
    let part = whole.single();
    let found = hessian(&part, &whole.on(&part, field), recovery).unwrap();
    let (mut sum, mut count) = (0.0, 0.0);
    for (v, h) in found.iter().enumerate() {
        let x = part.position(v as u32);
        if counted(&x) {
            let difference = h.plus(-1.0, &exact(&x));
            sum += difference.0.iter().flatten().map(|d| d * d).sum::<f64>();
            count += (D * D) as f64;
        }
    }
    (sum / count).sqrt()
}

/// Check (g) of the published code: psi = (x + 0.1)^2 + (y + 0.1)^2 on 200 x 200.
#[test]
fn a_paraboloid_has_its_hessian_to_rounding_by_least_squares() {
    let whole = Whole::<2>::boxes(200, 0.0);
    let field = |x: &[f64; 2]| (x[0] + 0.1) * (x[0] + 0.1) + (x[1] + 0.1) * (x[1] + 0.1);
    let exact = |_: &[f64; 2]| Tensor::diagonal([2.0, 2.0]);
    for recovery in [Recovery::LeastSquares, Recovery::Projection] {
        let rms = error(&whole, recovery, field, exact, |_| true);
        println!("{recovery:?}: {rms:e}");
        assert!(rms <= 1e-9);
    }
}

#[test]
fn quadratic_fields_are_exact_on_irregular_meshes_of_any_aspect_ratio() {
    for aspect in [1.0, 1e3, 1e6] {
        let mut whole = Whole::<2>::boxes(12, 0.35);
        // Stretched along an oblique axis.
        let (c, s) = (0.8, 0.6);
        whole.positions.iter_mut().for_each(|x| {
            let y = x[1] / aspect;
            *x = [c * x[0] - s * y, s * x[0] + c * y];
        });
        let field = |x: &[f64; 2]| 1.5 * x[0] * x[0] - 4.0 * x[0] * x[1] + 0.5 * x[1] * x[1] + x[0] - 3.0;
        let part = whole.single();
        let found = hessian(&part, &whole.on(&part, field), Recovery::LeastSquares).unwrap();
        // Along the stretching's axes, relative to sizes: what an edge feels.
        for h in found {
            let difference = h.plus(-1.0, &Tensor([[3.0, -4.0], [-4.0, 1.0]]));
            let (along, across) = ([c, s], [-s / aspect, c / aspect]);
            for e in [along, across] {
                assert!(difference.quadratic(&e).abs() <= 1e-10, "{aspect} {h:?}");
            }
        }
    }
    let whole = Whole::<3>::boxes(5, 0.25);
    let field = |x: &[f64; 3]| x[0] * x[1] - 2.0 * x[1] * x[2] + 3.0 * x[2] * x[2] + 0.5 * x[0] * x[0];
    let exact = |_: &[f64; 3]| Tensor([[1.0, 1.0, 0.0], [1.0, 0.0, -2.0], [0.0, -2.0, 6.0]]);
    assert!(error(&whole, Recovery::LeastSquares, field, exact, |_| true) <= 1e-10);
}

fn smooth(x: &[f64; 2]) -> f64 {
    (2.0 * x[0] + x[1]).sin() + (x[0] - x[1]).exp()
}

fn smooth_hessian(x: &[f64; 2]) -> Tensor<2> {
    let (s, e) = ((2.0 * x[0] + x[1]).sin(), (x[0] - x[1]).exp());
    Tensor([[-4.0 * s + e, -2.0 * s - e], [-2.0 * s - e, -s + e]])
}

#[test]
fn least_squares_converge_on_irregular_meshes_up_to_the_boundary() {
    let errors = [20, 40, 80].map(|n| {
        let whole = Whole::<2>::boxes(n, 0.3);
        error(&whole, Recovery::LeastSquares, smooth, smooth_hessian, |_| true)
    });
    println!("{errors:?}");
    assert!(errors[0] / errors[1] > 1.8 && errors[1] / errors[2] > 1.8);
}

#[test]
fn both_are_of_second_order_inside_uniform_meshes() {
    for recovery in [Recovery::LeastSquares, Recovery::Projection] {
        let inside = |x: &[f64; 2]| x.iter().all(|c| (0.2..0.8).contains(c));
        let errors =
            [20, 40, 80].map(|n| error(&Whole::<2>::boxes(n, 0.0), recovery, smooth, smooth_hessian, inside));
        println!("{recovery:?} {errors:?}");
        assert!(errors[0] / errors[1] > 3.5 && errors[1] / errors[2] > 3.5);
        let errors = [20, 40, 80]
            .map(|n| error(&Whole::<2>::boxes(n, 0.0), recovery, smooth, smooth_hessian, |_| true));
        println!("up to the boundary {errors:?}");
        assert!(errors[0] / errors[1] > 1.8 && errors[1] / errors[2] > 1.8);
    }
    let cubic = |x: &[f64; 3]| x[0] * x[0] * x[0] + x[1] * x[2];
    let exact = |x: &[f64; 3]| Tensor([[6.0 * x[0], 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
    let inside = |x: &[f64; 3]| x.iter().all(|c| (0.3..0.7).contains(c));
    for recovery in [Recovery::LeastSquares, Recovery::Projection] {
        assert!(error(&Whole::<3>::boxes(8, 0.0), recovery, cubic, exact, inside) < 1e-12);
    }
}

#[test]
fn meshes_too_small_for_a_quadratic_function_have_no_curvature() {
    let field = |x: &[f64; 2]| x[0] * x[0] + x[1];
    for (n, expected) in [(1, 0.0), (2, 2.0)] {
        let whole = Whole::<2>::boxes(n, 0.0);
        let part = whole.single();
        for h in hessian(&part, &whole.on(&part, field), Recovery::LeastSquares).unwrap() {
            assert!((h.0[0][0] - expected).abs() < 1e-12 && h.0[1][1].abs() < 1e-12, "{h:?}");
        }
        assert!(hessian(&part, &whole.on(&part, field), Recovery::Projection).unwrap()[0].is_finite());
    }
}

#[test]
fn values_that_are_no_numbers_are_named_alike_on_all_ranks() {
    let whole = Whole::<2>::boxes(6, 0.0);
    let bad = |x: &[f64; 2]| if x[0] + x[1] > 1.4 { f64::NAN } else { 1.0 };
    let owners: Vec<u32> = (0..49).map(|v| v % 3).collect();
    let errors = Comm::simulate(3, |comm| {
        let part = Part::new(&whole, comm, &owners, 2);
        hessian(&part, &whole.on(&part, bad), Recovery::LeastSquares).unwrap_err()
    });
    let single = whole.single();
    let expected = hessian(&single, &whole.on(&single, bad), Recovery::Projection).unwrap_err();
    assert!(errors.iter().all(|error| *error == expected), "{errors:?}");
    assert!(expected.to_string().contains("the field is NaN"), "{expected}");
    let error = hessian(&single, &[0.0; 3], Recovery::Projection).unwrap_err();
    assert!(matches!(error, MetricError::Length { found: 3, vertices: 49, .. }));
    assert_eq!(error.to_string(), "field: 3 values for 49 vertices; expected 1 for each, 49");
}
