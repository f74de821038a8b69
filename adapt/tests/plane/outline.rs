//! Outlines of meshes: corners, splines and known curves, from one adaptation to the next.

use std::f64::consts::PI;
use std::sync::Arc;

use cfd_adapt::geometry::{Circle, Curve};
use cfd_adapt::mesh::{Input, Mesh};
use cfd_adapt::operation::{Adapter, Bounds, MetricAt};
use cfd_adapt::outline::{Bounded, Form, Outline, OutlineError, Rules};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;
use cfd_engine::plug::ThreadPool;

use crate::square::{hash, quality, square};

/// The square, every position mapped.
fn mapped(comm: &Comm, n: u64, map: impl Fn([f64; 2]) -> [f64; 2]) -> Input<2> {
    let mut input = square(comm, n);
    input.positions.iter_mut().for_each(|p| *p = map(p.map(|c| 2.0 * c - 1.0)));
    input.tags.fill(1);
    input.boundaries = vec!["rim".into()];
    input
}

/// An ellipse of half axes 1 and 0.4.
fn ellipse([x, y]: [f64; 2]) -> [f64; 2] {
    [x * (1.0 - 0.5 * y * y).sqrt(), 0.4 * y * (1.0 - 0.5 * x * x).sqrt()]
}

/// The area between two parabolas through (-1, 0) and (1, 0): a lens with two corners.
fn lens([x, y]: [f64; 2]) -> [f64; 2] {
    let [x, y] = [x * (1.0 - 0.5 * y * y).sqrt(), y * (1.0 - 0.5 * x * x).sqrt()];
    [x, 0.5 * y * (1.0 - x * x).max(0.0).sqrt()]
}

/// Adapts a mesh to edges of length h everywhere, within an outline.
fn adapted(comm: &Comm, outline: &Outline, input: &Input<2>, h: f64) -> (Mesh<2>, Vec<u16>) {
    let mut input = input.clone();
    let (boundaries, sides) = outline.fit(comm, &input).expect("it fits").apply(&mut input);
    let mut mesh = Mesh::with_sides(comm, &input, &sides).expect("a mesh");
    mesh.set_metric_at(|_| Tensor([[1.0 / (h * h), 0.0], [0.0, 1.0 / (h * h)]]));
    let pool = ThreadPool::new(1);
    let adapter = Adapter {
        bounds: Bounds::default(),
        metric: MetricAt::Carried,
        pool: &pool,
        balance: None,
        most: None,
    };
    adapter.adapt(&mut mesh, |mesh, _| mesh.check().expect("a sound mesh")).expect("it can be adapted");
    (mesh, boundaries)
}

/// The mesh as the next adaptation gets it: in canonical order, its facets with the tags of boundaries.
fn next((mesh, boundaries): &(Mesh<2>, Vec<u16>), names: &[String]) -> Input<2> {
    use cfd_adapt::mesh::canonical::names as of;
    let canonical = mesh.canonical().mesh;
    let map = |name: &str| canonical.maps[canonical.map(name).unwrap()].rows.to_vec();
    let Values::F64(x) = &canonical.dats[canonical.dat(of::X).unwrap()].values else { panic!("numbers") };
    let Values::I32(tags) = &canonical.dats[canonical.dat(of::BOUNDARY).unwrap()].values else {
        panic!("tags")
    };
    let rows = [of::VERTICES, of::ELEMENTS, of::FACETS];
    Input {
        rows: rows.map(|name| canonical.sets[canonical.set(name).unwrap()].rows),
        positions: x.as_chunks::<2>().0.to_vec(),
        elements: map(of::ELEMENT_VERTICES),
        facets: map(of::FACET_VERTICES),
        tags: tags
            .iter()
            .map(|&tag| tag as usize)
            .map(|tag| if tag > names.len() { boundaries[tag - 1 - names.len()] + 1 } else { tag as u16 })
            .collect(),
        boundaries: names.to_vec(),
        ..Input::default()
    }
}

/// Vertices on boundaries, each once.
fn rim(mesh: &Mesh<2>) -> Vec<[f64; 2]> {
    let local = mesh.local();
    let mut found: Vec<[f64; 2]> = Vec::new();
    for e in local.own_elements() {
        for (i, _) in local.elements().tags(e).iter().enumerate().filter(|(_, tag)| **tag != 0) {
            let corners = local.elements().corners(e);
            found.extend((0..3).filter(|&j| j != i).map(|j| *local.vertices().position(corners[j])));
        }
    }
    found.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    found.dedup();
    found
}

/// How far a point is from the ellipse, about.
fn off([x, y]: [f64; 2]) -> f64 {
    let y = y / 0.4;
    ((x * x + y * y).sqrt() - 1.0).abs()
}

fn rules(form: Form, deviation: f64) -> Rules {
    Rules { others: Bounded { form, deviation }, ..Rules::default() }
}

/// 64 vertices become few or many, all of them on the curve, and so do those of the next adaptation.
#[test]
fn an_ellipse_stays_one_from_adaptation_to_adaptation_on_any_ranks() {
    let of = |ranks: usize| {
        let results = Comm::simulate(ranks, |comm| {
            let input = mapped(&comm, 16, ellipse);
            let outline = Outline::trace(&comm, &input, &Rules::default()).expect("an outline");
            let coarse = adapted(&comm, &outline, &input, 0.4);
            let (few, [least, _]) = (rim(&coarse.0), quality(&coarse.0));
            if ranks > 1 {
                return (hash(&coarse.0), few, Vec::new(), least, 0.0);
            }
            let again = next(&coarse, &input.boundaries);
            let fine = adapted(&comm, &outline, &again, 0.05);
            (hash(&coarse.0), few, rim(&fine.0), least, fine.0.measure())
        });
        results.into_iter().next().expect("a rank")
    };
    let (hash, few, many, least, area) = of(1);
    assert!(few.len() < 24 && many.len() > 80, "{} and {} vertices", few.len(), many.len());
    assert!(least > 0.3, "quality {least}");
    for p in few.iter().chain(&many) {
        assert!(off(*p) < 2e-3, "{p:?} is {} off", off(*p));
    }
    // Chords of a spline through the 9 or so vertices of the coarse mesh would lack a hundredth.
    assert!((area - 0.4 * PI).abs() < 3e-3, "area {area}");
    assert_eq!(of(3).0, hash);
}

/// Both sides have the same ends.
#[test]
fn two_arcs_between_two_corners_are_told_apart() {
    let comm = Comm::single();
    let input = mapped(&comm, 12, lens);
    let outline = Outline::trace(&comm, &input, &Rules::default()).expect("an outline");
    let mut mesh = adapted(&comm, &outline, &input, 0.3);
    for h in [0.1, 0.3, 0.05] {
        let input = next(&mesh, &input.boundaries);
        mesh = adapted(&comm, &outline, &input, h);
        for [x, y] in rim(&mesh.0) {
            let parabola = 0.5 * (1.0 - x * x);
            assert!((y.abs() - parabola).abs() < 2e-4, "({x}, {y}) with h = {h}");
        }
    }
}

/// A side of slope 1/3 whose points have three decimals.
#[test]
fn a_slanted_side_of_few_decimals_becomes_coarse() {
    let comm = Comm::single();
    let decimals = |c: f64| (c * 1e3).round() / 1e3;
    let input = mapped(&comm, 16, |[x, y]| [decimals(x), decimals(y + x / 3.0)]);
    let outline = Outline::trace(&comm, &input, &Rules::default()).expect("an outline");
    let (mesh, _) = adapted(&comm, &outline, &input, 0.5);
    let ([least, mean], few) = (quality(&mesh), rim(&mesh).len());
    assert!(few < 24 && least > 0.5 && mean > 0.8, "{few} vertices, {least}, {mean}");
    // With its vertices as corners it is as fine as it was.
    let outline = Outline::trace(&comm, &input, &rules(Form::Polygon, 0.01)).expect("an outline");
    let all = rim(&adapted(&comm, &outline, &input, 0.5).0).len();
    assert!(all >= 28 && all > few, "{all} vertices");
}

#[test]
fn the_order_of_a_file_does_not_change_an_outline_and_numbers_keep_it() {
    let comm = Comm::single();
    let input = mapped(&comm, 8, lens);
    let outline = Outline::trace(&comm, &input, &Rules::default()).expect("an outline").to_numbers();
    let mut other = input.clone();
    let n = other.rows[0];
    other.positions.reverse();
    other.elements.iter_mut().chain(&mut other.facets).for_each(|v| *v = n - 1 - *v);
    other.facets = other.facets.chunks(2).rev().flat_map(|ends| [ends[1], ends[0]]).collect();
    other.tags.reverse();
    assert_eq!(Outline::trace(&comm, &other, &Rules::default()).expect("an outline").to_numbers(), outline);
    let names = &input.called();
    let again = Outline::of_numbers(&outline, names, &Rules::default()).expect("numbers of an outline");
    assert_eq!(again.to_numbers(), outline);
    assert!(Outline::of_numbers(&outline[..outline.len() - 1], names, &Rules::default()).is_none());
    assert_eq!(
        hash(&adapted(&comm, &again, &input, 0.1).0),
        hash(&adapted(&comm, &Outline::trace(&comm, &input, &Rules::default()).unwrap(), &input, 0.1).0)
    );
}

#[test]
fn a_required_boundary_keeps_its_sides_and_a_near_one_is_split_until_it_is_near_enough() {
    let comm = Comm::single();
    let input = mapped(&comm, 8, ellipse);
    for h in [0.02, 0.5] {
        let outline = Outline::trace(&comm, &input, &rules(Form::Required, 0.01)).expect("an outline");
        let (mesh, _) = adapted(&comm, &outline, &input, h);
        assert_eq!(rim(&mesh).len(), 32, "h = {h}");
    }
    for deviation in [1e-3, 1e-4] {
        let outline = Outline::trace(&comm, &input, &rules(Form::Spline, deviation)).expect("an outline");
        let (mesh, _) = adapted(&comm, &outline, &input, 0.5);
        let polygon = mesh.measure();
        // A chord lacks two thirds of its length times its distance from the curve.
        let most = 1.05 * 2.0 / 3.0 * 4.6 * deviation * (4.0f64 + 0.64).sqrt();
        assert!(0.4 * PI - polygon < most, "{deviation}: area {polygon}");
    }
}

#[test]
fn a_known_curve_is_followed_and_what_is_not_there_is_refused() {
    let comm = Comm::single();
    let disk = |[x, y]: [f64; 2]| [x * (1.0 - 0.5 * y * y).sqrt(), y * (1.0 - 0.5 * x * x).sqrt()];
    let input = mapped(&comm, 8, disk);
    let circle = |radius: f64| -> Arc<dyn Curve<2>> { Arc::new(Circle { centre: [0.0; 2], radius }) };
    let named = |name: &str, radius: f64| {
        let bounded = Bounded { form: Form::Given(circle(radius)), deviation: 0.01 };
        Rules { named: vec![(name.into(), bounded)], ..Rules::default() }
    };
    let outline = Outline::trace(&comm, &input, &named("rim", 1.0)).expect("an outline");
    let (mesh, _) = adapted(&comm, &outline, &input, 0.1);
    assert!(rim(&mesh).iter().all(|p| (p[0].hypot(p[1]) - 1.0).abs() < 1e-12));
    let refused = |rules: &Rules| Outline::trace(&comm, &input, rules).expect_err("refused");
    assert!(matches!(refused(&named("rim", 1.1)), OutlineError::Off { .. }));
    let unknown = refused(&named("wall", 1.0)).to_string();
    assert_eq!(unknown, "there is no boundary \"wall\"; the mesh has \"rim\"");
    // Another mesh: its boundary has no corner where the outline has one.
    let corners = mapped(&comm, 8, lens);
    let outline = Outline::trace(&comm, &corners, &Rules::default()).expect("an outline");
    let input = mapped(&comm, 8, |p| [disk(p)[0] + 3.0, disk(p)[1]]);
    assert!(matches!(outline.fit(&comm, &input), Err(OutlineError::Foreign { .. })));
}
