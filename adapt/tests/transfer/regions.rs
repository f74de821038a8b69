use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use cfd_adapt::metric::View;
use cfd_adapt::outline::{Bounded, Form, OutlineError, Rules};
use cfd_adapt::remesh::{Carried, Remesh, RemeshError, outline};
use cfd_adapt::tensor::Tensor;
use cfd_adapt::transfer::Rule;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;
use cfd_engine::prelude::*;
use cfd_mesh::{Boundaries, Derived, ElementKind, ElementMesh, ElementMeshBuilder, Given, TRIANGLES};
use cfd_partition::{Options, Order, set_up};

pub const NEEDS: &[&Derived] = &[&TRIANGLES];

pub type Place = [f64; 2];

/// A square of triangles in two regions, its nodes mapped: 2 n^2 triangles.
#[derive(Clone, Copy)]
struct Shape {
    n: u64,
    place: fn(Place) -> Place,
    /// Whether a triangle with this middle, in the square, is in the first region.
    is_first: fn(Place) -> bool,
    /// The regions' areas.
    areas: [f64; 2],
    /// How far from the line between the regions a place is.
    off: fn(Place) -> f64,
}

/// The unit square; x = 0.5 between the regions becomes a sine.
const WAVE: Shape = Shape {
    n: 12,
    place: |[x, y]| [x + 0.4 * x * (1.0 - x) * (TAU * y).sin(), y],
    is_first: |[x, _]| x < 0.5,
    areas: [0.5, 0.5],
    off: |[x, y]| (x - 0.5 - 0.1 * (TAU * y).sin()).abs(),
};

/// The same beside a layer thinner than the chords of its wave are off: a vertex of a split side has no room on the wave.
const LAYER: Shape = Shape {
    place: |[x, y]| {
        (WAVE.place)([if x > 0.5 { 0.5 + 4.0 * (x - 0.5) * (x - 0.5) * (x - 0.5) } else { x }, y])
    },
    ..WAVE
};

/// A disk of radius 1; between the regions is a circle of radius 1/2.
const DISK: Shape = Shape {
    n: 16,
    place: |p| {
        let [x, y] = p.map(|c| 2.0 * c - 1.0);
        let (square, round) = (x.abs().max(y.abs()), x.hypot(y));
        [x, y].map(|c| if round > 0.0 { c * square / round } else { 0.0 })
    },
    is_first: |p| p.iter().all(|c| (2.0 * c - 1.0).abs() < 0.5),
    areas: [0.25 * PI, 0.75 * PI],
    off: |[x, y]| (x.hypot(y) - 0.5).abs(),
};

impl Shape {
    /// `lines` is true if lines between the regions are given, too, under a number.
    fn mesh(&self, comm: &Comm, lines: bool) -> ElementMesh {
        let (n, mut builder) = (self.n, ElementMeshBuilder::new(2));
        let node = |i: u64, j: u64| i + j * (n + 1);
        if comm.is_root() {
            let at = |i: u64, j: u64| [i, j].map(|k| k as f64 / n as f64);
            for j in 0..=n {
                (0..=n).for_each(|i| builder.add_nodes((self.place)(at(i, j))));
            }
            let mut sides: BTreeMap<[u64; 2], Vec<i32>> = BTreeMap::new();
            for (i, j) in (0..n * n).map(|cell| (cell % n, cell / n)) {
                let middle = [i, j].map(|k| (k as f64 + 0.5) / n as f64);
                let region = if (self.is_first)(middle) { 7 } else { 3 };
                let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
                let cut =
                    if (2 * i < n) == (2 * j < n) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                for corners in cut {
                    builder.add_elements(ElementKind::Triangle, region, corners);
                    for k in 0..3 {
                        let mut side = [corners[k], corners[(k + 1) % 3]];
                        side.sort_unstable();
                        sides.entry(side).or_default().push(region);
                    }
                }
            }
            for (side, regions) in sides {
                match regions[..] {
                    [_] => builder.add_elements(ElementKind::Line, 1, side),
                    [one, other] if one != other && lines => builder.add_elements(ElementKind::Line, 2, side),
                    _ => {}
                }
            }
        }
        builder.name_group(2, 7, "inner");
        builder.name_group(2, 3, "outer");
        builder.name_group(1, 1, "rim");
        builder.build(comm).unwrap()
    }
}

pub fn set_out(
    comm: &Comm,
    elements: ElementMesh,
    options: &Options,
    threads: usize,
) -> (ElementMesh, Domain) {
    let given = Given::Elements(elements).prepare(comm, NEEDS, &Boundaries::new(&[]), 1).unwrap();
    TRIANGLES.check(comm, &given.mesh, &[]).unwrap();
    let primary = NEEDS[0].primary(&given.mesh);
    let with = DomainOptions { threads, ..DomainOptions::default() };
    let domain = set_up(comm, given.mesh, &primary, options, Order::File, with).unwrap();
    (given.elements.unwrap(), domain)
}

/// All ranks' triangles, each with its region's name and its places, and the bits of the whole.
struct Whole {
    triangles: Vec<(String, [Place; 3])>,
    bits: Vec<u64>,
}

fn whole(comm: &Comm, mesh: &ElementMesh) -> Whole {
    let x = comm.all_gather(mesh.x()).concat();
    let places = x.as_chunks::<2>().0;
    let mut bits: Vec<u64> = x.iter().map(|c| c.to_bits()).collect();
    let mut triangles = Vec::new();
    for list in mesh.elements() {
        let nodes = comm.all_gather(list.nodes).concat();
        let groups = comm.all_gather(list.groups).concat();
        bits.extend(&nodes);
        let names = groups.iter().flat_map(|&group| mesh.groups.names(list.kind.dimension(), group));
        bits.extend(names.flat_map(|name| name.bytes().map(u64::from)));
        if list.kind == ElementKind::Triangle {
            let name = |group: i32| mesh.groups.names(2, group).next().expect("a name").to_string();
            let corners = nodes.as_chunks::<3>().0.iter().zip(&groups);
            triangles.extend(corners.map(|(c, &group)| (name(group), c.map(|v| places[v as usize]))));
        }
    }
    Whole { triangles, bits }
}

impl Whole {
    fn area(&self, region: &str) -> f64 {
        let of = self.triangles.iter().filter(|(name, _)| name == region);
        of.map(|(_, [a, b, c])| 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))).sum()
    }

    /// The sides between the regions.
    fn between(&self) -> Vec<[Place; 2]> {
        let mut sides: BTreeMap<[[u64; 2]; 2], Vec<&str>> = BTreeMap::new();
        for (name, corners) in &self.triangles {
            for k in 0..3 {
                let mut side = [corners[k], corners[(k + 1) % 3]].map(|p| p.map(f64::to_bits));
                side.sort_unstable();
                sides.entry(side).or_default().push(name);
            }
        }
        let between = sides.into_iter().filter(|(_, of)| of.len() == 2 && of[0] != of[1]);
        between.map(|(side, _)| side.map(|p| p.map(f64::from_bits))).collect()
    }
}

/// Edges of one length, or shorter ones to the left.
fn metric(round: usize, [x, _]: Place) -> Tensor<2> {
    edges_of([0.05, 0.25, 0.04 + 0.03 * (x + 1.0)][round])
}

pub fn edges_of(h: f64) -> Tensor<2> {
    Tensor([[1.0 / (h * h), 0.0], [0.0, 1.0 / (h * h)]])
}

/// Three rounds; the bits of all meshes.
fn ended(comm: &Comm, shape: &Shape, lines: bool, method: &str, threads: usize) -> Vec<Vec<u64>> {
    let options = Options { method: method.parse().unwrap(), ..Options::default() };
    let (mut elements, mut domain) = set_out(comm, shape.mesh(comm, lines), &options, threads);
    let outline = outline(comm, &elements, &Rules::default()).unwrap();
    let remesh =
        Remesh { partition: options, outline: Some(outline), ..Remesh::new(NEEDS, Boundaries::new(&[])) };
    let new = |domain: &mut Domain| -> Dat<1> {
        let cells = domain.set("elements").unwrap();
        domain.new_dat(cells, "field")
    };
    let (mut bits, mut field) = (Vec::new(), new(&mut domain));
    let rows = domain.read(field).unwrap().len();
    domain.write(field, &vec![3.7; rows]);
    let mut step: Dat<1> = domain.new_dat(domain.set("elements").unwrap(), "step");
    let region: Dat<1, i32> = domain.dat("region").unwrap();
    let of_region: Vec<f64> = domain.read(region).unwrap().iter().map(|&of| f64::from(of)).collect();
    domain.write(step, &of_region);
    for round in 0..3 {
        let shown = |mesh: &cfd_adapt::mesh::Mesh<2>| {
            let vertices = View::vertices(mesh) as u32;
            Ok((0..vertices).map(|v| metric(round, View::position(mesh, v))).collect())
        };
        let carried =
            [("field", field), ("step", step)].map(|(name, dat)| Carried::cells(name, dat, Rule::default()));
        let made = remesh.round(&mut domain, &elements, &carried, shown).unwrap();
        field = new(&mut domain);
        made.write(&mut domain, "field", field).unwrap();
        let Values::F64(values) = AnyDat::from(field).read_block(&mut domain).unwrap() else {
            panic!("numbers")
        };
        assert!(values.iter().all(|value| (value - 3.7).abs() < 1e-14), "constants stay");
        step = domain.new_dat(domain.set("elements").unwrap(), "step");
        made.write(&mut domain, "step", step).unwrap();
        // Where a curved interface moves, cells beside it have some of both sides.
        let stays = domain.read(step).unwrap().iter().all(|value| (1.0..=2.0).contains(value));
        assert!(stays, "round {round}: bounds");
        let (total, [inner, outer]) = (made.total("step").unwrap()[0], shape.areas);
        assert!((total / (inner + 2.0 * outer) - 1.0).abs() < 0.03, "round {round}: total {total}");
        elements = made.elements;
        let found = whole(comm, &elements);
        for (region, expected) in ["inner", "outer"].into_iter().zip(shape.areas) {
            let area = found.area(region);
            let off = if round == 1 { 0.03 } else { 0.004 };
            assert!((area - expected).abs() < off, "round {round}: {region} {area} for {expected}");
        }
        let between = found.between();
        let most = if round == 1 { 0.02 } else { 0.004 };
        for place in between.iter().flatten() {
            assert!((shape.off)(*place) < most, "round {round}: {place:?} is {} off", (shape.off)(*place));
        }
        let count = between.len();
        assert!([20..90, 4..20, 10..90][round].contains(&count), "round {round}: {count} sides");
        bits.push(found.bits);
    }
    bits
}

fn on_any_ranks(shape: &Shape) {
    let mut expected: Option<Vec<Vec<u64>>> = None;
    for (ranks, method, threads) in
        [(1, "block", 1), (1, "block", 2), (2, "metis", 2), (3, "random", 1), (5, "rcb", 1)]
    {
        for bits in Comm::simulate(ranks, |comm| ended(&comm, shape, false, method, threads)) {
            assert!(*expected.get_or_insert_with(|| bits.clone()) == bits, "{ranks} {method} {threads}");
        }
    }
}

#[test]
fn a_wave_between_two_regions_stays_one_on_any_ranks_and_threads() {
    on_any_ranks(&WAVE);
}

#[test]
fn a_thin_layer_beside_a_wave_is_one_on_any_ranks_and_threads() {
    on_any_ranks(&LAYER);
}

#[test]
fn a_circle_around_a_region_stays_one_on_any_ranks_and_threads() {
    on_any_ranks(&DISK);
}

/// As Mmg writes them, without a name. They change nothing.
#[test]
fn lines_between_regions_may_be_given() {
    for ranks in [1, 3] {
        Comm::simulate(ranks, |comm| {
            let [with, without] = [true, false].map(|lines| ended(&comm, &WAVE, lines, "block", 1));
            assert!(with == without, "{ranks} ranks");
            let rows = [false, true].map(|lines| {
                let (elements, domain) = set_out(&comm, WAVE.mesh(&comm, lines), &Options::default(), 1);
                let lines = elements.elements()[1].rows;
                let facets = domain.rows(domain.set("facets").unwrap());
                outline(&comm, &elements, &Rules::default()).unwrap();
                [lines, facets]
            });
            assert_eq!(rows, [[48, 48], [60, 60]]);
        });
    }
}

/// An interface has the names of its regions, and rules like a boundary.
#[test]
fn rules_name_interfaces_by_their_regions() {
    let comm = Comm::single();
    let named = |name: &str, form: Form| {
        let (elements, mut domain) = set_out(&comm, WAVE.mesh(&comm, false), &Options::default(), 1);
        let rules =
            Rules { named: vec![(name.into(), Bounded { form, deviation: 0.01 })], ..Rules::default() };
        let remesh = Remesh {
            outline: Some(outline(&comm, &elements, &rules)?),
            ..Remesh::new(NEEDS, Boundaries::new(&[]))
        };
        let fine = |mesh: &cfd_adapt::mesh::Mesh<2>| Ok(vec![edges_of(0.05); View::vertices(mesh)]);
        let made = remesh.round(&mut domain, &elements, &[], fine)?;
        Ok::<_, RemeshError>(whole(&comm, &made.elements).between().len())
    };
    assert_eq!(named("inner|outer", Form::Required), Ok(12));
    let many = named("inner|outer", Form::Spline).unwrap();
    assert!(many > 15, "{many} sides");
    let away: Arc<dyn cfd_adapt::geometry::Curve<2>> =
        Arc::new(cfd_adapt::geometry::Circle { centre: [9.0, 9.0], radius: 1.0 });
    let Err(RemeshError::Outline(OutlineError::Off { name, .. })) = named("inner|outer", Form::Given(away))
    else {
        panic!("the interface is on no such circle")
    };
    assert_eq!(name, "inner|outer");
    let unknown = named("rim|outer", Form::Polygon).unwrap_err().to_string();
    assert_eq!(unknown, "there is no boundary \"rim|outer\"; the mesh has \"rim\", \"inner|outer\"");
}

/// Its triangles are the very ones that were given, however fine or coarse the others become.
#[test]
fn a_required_region_stays_as_it_is_on_any_ranks() {
    let kept = |comm: &Comm, shape: &Shape, required: &str, method: &str, h: f64| {
        let options = Options { method: method.parse().unwrap(), ..Options::default() };
        let (elements, mut domain) = set_out(comm, shape.mesh(comm, false), &options, 1);
        let rules = Rules { required_regions: [required.to_string()].into(), ..Rules::default() };
        let outline = Some(outline(comm, &elements, &rules).unwrap());
        let remesh = Remesh { partition: options, outline, ..Remesh::new(NEEDS, Boundaries::new(&[])) };
        let even = |mesh: &cfd_adapt::mesh::Mesh<2>| Ok(vec![edges_of(h); View::vertices(mesh)]);
        let made = remesh.round(&mut domain, &elements, &[], even).unwrap();
        let [before, after] = [&elements, &made.elements].map(|mesh| whole(comm, mesh));
        let of = |whole: &Whole, is_kept: bool| {
            let triangles = whole.triangles.iter().filter(|(name, _)| (name == required) == is_kept);
            let mut bits: Vec<Vec<u64>> = triangles
                .map(|(_, corners)| {
                    // From the first corner on, in the same direction.
                    let mut corners = corners.map(|p| p.map(f64::to_bits));
                    let first = (0..3).min_by_key(|&k| corners[k]).unwrap();
                    corners.rotate_left(first);
                    corners.concat()
                })
                .collect();
            bits.sort_unstable();
            bits
        };
        assert_eq!(of(&after, true), of(&before, true), "{required} {h}");
        let [old, new] = [&before, &after].map(|whole| of(whole, false).len());
        assert!(if h < 0.1 { 2 * new > 3 * old } else { new < old }, "{required} {h}: {old}, then {new}");
        after.bits
    };
    for (shape, required) in [(&WAVE, "inner"), (&WAVE, "outer"), (&DISK, "inner"), (&DISK, "outer")] {
        for h in [0.04, 0.3] {
            let alone = kept(&Comm::single(), shape, required, "block", h);
            for (ranks, method) in [(2, "metis"), (3, "random")] {
                for bits in Comm::simulate(ranks, |comm| kept(&comm, shape, required, method, h)) {
                    assert!(bits == alone, "{required} {h} on {ranks} ranks by {method}");
                }
            }
        }
    }
    let comm = Comm::single();
    let rules = Rules { required_regions: ["core".to_string()].into(), ..Rules::default() };
    let error = outline(&comm, &WAVE.mesh(&comm, false), &rules).unwrap_err();
    assert_eq!(error.to_string(), "there is no region \"core\"; the mesh has \"inner\", \"outer\"");
}
