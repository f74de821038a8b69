use cfd_adapt::metric::Analytic;
use cfd_adapt::tensor::Tensor;

use crate::quadrature::over_square;

fn complexity(metric: Analytic, tolerance: f64) -> f64 {
    let density = |[x, y]: [f64; 2]| match metric {
        // Three-dimensional metrics depend on z alone, or not at all on it.
        Analytic::Linear3d => metric.at(&[x, x, y]).determinant(),
        Analytic::Polar1In3d | Analytic::Polar2In3d => metric.at(&[x, y, 0.3]).determinant(),
        _ => metric.at(&[x, y]).determinant(),
    };
    over_square(&|at| density(at).sqrt(), tolerance)
}

#[test]
fn complexities_are_the_published_ones() {
    let expected = [
        (Analytic::Linear, 255.84),
        (Analytic::LinearFine, 691.47),
        (Analytic::Ramp, 255.84),
        (Analytic::Polar2, 758.72),
        (Analytic::Cosine, 1954.3),
        (Analytic::Radial, 1000.0),
        (Analytic::Linear3d, 4651.69),
        (Analytic::Polar1In3d, 3828.97),
        (Analytic::Polar2In3d, 7587.24),
    ];
    for (metric, expected) in expected {
        let found = complexity(metric, 1e-4 * expected);
        println!("{}: {found}", metric.name());
        assert!((found / expected - 1.0).abs() < 3e-5, "{} {found} {expected}", metric.name());
    }
}

#[test]
fn sizes_along_the_axes_are_those_of_the_formulas() {
    let size = |m: Tensor<2>, e: [f64; 2]| 1.0 / m.quadratic(&e).sqrt();
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
    assert!(near(size(Analytic::Linear.at(&[0.3, 0.75]), [0.0, 1.0]), 0.055));
    assert!(near(size(Analytic::Ramp.at(&[0.3, 1.0]), [0.0, 1.0]), 0.1));
    // On the circle of radius 1/2, along the radius and across it.
    let on_circle = Analytic::Polar2.at(&[0.3, 0.4]);
    assert!(near(size(on_circle, [0.6, 0.8]), 0.001) && near(size(on_circle, [-0.8, 0.6]), 0.025));
    let radial = Analytic::Radial.at(&[0.1, 1.3]);
    assert!(near(size(radial, [0.6, 0.8]), 0.01) && near(size(radial, [-0.8, 0.6]), 0.1));
    assert!(Analytic::Polar2.at(&[0.0, 0.0]).is_positive_definite());
    assert_eq!(Analytic::Linear3d.at(&[0.0, 0.0, 0.5]).0[2][2], 1.0 / (0.001 * 0.001));
}

#[test]
fn metrics_have_names_and_unknown_ones_get_a_hint() {
    for (metric, name, dimension) in Analytic::ALL {
        assert_eq!(name.parse(), Ok(metric));
        assert_eq!((metric.name(), metric.dimension()), (name, dimension));
        let text = serde_json::to_string(&metric).unwrap();
        assert_eq!(text, format!("\"{name}\""));
        assert_eq!(serde_json::from_str::<Analytic>(&text).unwrap(), metric);
    }
    let message = |name: &str| name.parse::<Analytic>().unwrap_err().to_string();
    assert_eq!(message("polar2"), "unknown metric \"polar2\"; did you mean \"polar-2\"?");
    assert!(message("nothing").starts_with("unknown metric \"nothing\"; use one of linear, linear-fine,"));
    let error = serde_json::from_str::<Analytic>("\"radail\"").unwrap_err().to_string();
    assert!(error.contains("did you mean \"radial\"?"), "{error}");
    assert_eq!(
        Analytic::Radial.check_dimension(3).unwrap_err().to_string(),
        "the metric \"radial\" is for 2 dimensions, the mesh has 3"
    );
    assert!(Analytic::Radial.check_dimension(2).is_ok());
}
